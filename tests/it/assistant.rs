//! The assistant as a browser meets it: streams, retries, lost connections, past answers, and whose they are.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Method, Response, StatusCode};
use rimedio::billing::Plan;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::fake_model::{Script, sample};
use crate::model::Scene;
use crate::support::{Resident, Town, assert_refused, json_of};

const PRINTER: &str = "La stampante risulta offline ma è accesa";

/// The events of a stream: name and data.
async fn events_of(response: Response) -> Vec<(String, Value)> {
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.expect("a text");
    let blocks = text.split("\n\n").filter(|block| block.contains("data:"));
    let event = |block: &str| {
        let field =
            |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).map(str::to_owned);
        let data = field("data:").expect("data");
        (field("event:").expect("a name"), serde_json::from_str(&data).expect("JSON"))
    };
    blocks.map(event).collect()
}

async fn stream(who: &Resident, path: &str, body: &Value) -> Response {
    let call = who.call(Method::POST, path).header("accept", "text/event-stream").json(body);
    call.send().await.expect("an answer")
}

async fn keyed(who: &Resident, key: &str, body: &Value) -> Response {
    let call = who.call(Method::POST, "/api/v1/solve").header("idempotency-key", key).json(body);
    call.send().await.expect("an answer")
}

async fn put_outcome(who: &Resident, session: &str, step: usize, outcome: &Value) -> Response {
    let path = format!("/api/v1/sessions/{session}/interactions/1/steps/{step}");
    who.call(Method::PUT, &path).json(&json!({ "outcome": outcome })).send().await.expect("an answer")
}

fn session_of(answer: &Value) -> String {
    answer["session_id"].as_str().expect("a session").to_owned()
}

#[tokio::test]
async fn a_stream_tells_of_the_work_and_ends_with_what_the_session_holds() {
    let scene = Scene::set([]).await;
    let events = events_of(stream(&scene.anna, "/api/v1/solve", &json!({ "text": PRINTER })).await).await;
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names.first(), names.last()), (Some(&"progress"), Some(&"result")), "{names:?}");
    assert!(names.contains(&"partial"), "fields come as they are written: {names:?}");
    let stages: Vec<&Value> =
        events.iter().filter(|(name, _)| name == "progress").map(|(_, data)| &data["stage"]).collect();
    assert_eq!(stages, ["received", "recognising", "asking_model", "checking"]);
    let result = &events.last().expect("a result").1;
    let session = session_of(result);
    assert_eq!(events[0].1["session_id"], session, "known from the first event on");
    let kept = json_of(scene.anna.get(&format!("/api/v1/sessions/{session}")).await).await;
    assert_eq!(&kept["interactions"][0]["answer"], result, "the plain answer is the streamed one");
    let last_steps = events.iter().rev().find(|(name, data)| name == "partial" && data["field"] == "steps");
    assert_eq!(last_steps.expect("steps").1["value"], result["steps"]);
}

#[tokio::test]
async fn what_is_known_before_a_stream_begins_is_a_plain_refusal() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    assert_refused(stream(&anna, "/api/v1/solve", &json!({ "text": "  " })).await, 422, "invalid_input").await;
    let bruno = town.sign_in("bruno").await;
    assert_refused(stream(&bruno, "/api/v1/solve", &json!({ "text": PRINTER })).await, 402, "subscription_required")
        .await;
    let carla = town.sign_in_for_the_first_time("carla").await;
    assert_refused(carla.post("/api/v1/solve", &json!({ "text": PRINTER })).await, 403, "consent_required").await;
}

#[tokio::test]
async fn a_failure_after_the_stream_began_is_its_last_event() {
    let go = Arc::new(Notify::new());
    let scene = Scene::set([Script::Held(Arc::clone(&go), sample())]).await;
    let response = stream(&scene.anna, "/api/v1/solve", &json!({ "text": PRINTER })).await;
    // The disk goes away while the model writes.
    scene.town.app.store.close().await.expect("it closes");
    go.notify_one();
    let events = events_of(response).await;
    let (name, failure) = events.last().expect("an event");
    assert_eq!(name, "error", "{events:?}");
    assert_eq!((&failure["status"], &failure["code"]), (&503.into(), &"unavailable".into()));
    assert!(failure["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
    assert!(failure["request_id"].as_str().is_some_and(|id| !id.is_empty()));
}

#[tokio::test]
async fn a_browser_that_goes_away_loses_nothing() {
    let go = Arc::new(Notify::new());
    let scene = Scene::set([Script::Held(Arc::clone(&go), sample())]).await;
    let response = stream(&scene.anna, "/api/v1/solve", &json!({ "text": PRINTER })).await;
    let mut chunks = response;
    let first = chunks.chunk().await.expect("readable").expect("a first event");
    let text = String::from_utf8_lossy(&first).into_owned();
    let data = text.lines().find_map(|line| line.strip_prefix("data:")).expect("data");
    let session = session_of(&serde_json::from_str(data.trim()).expect("JSON"));
    drop(chunks);
    let path = format!("/api/v1/sessions/{session}");
    let waiting = json_of(scene.anna.get(&path).await).await;
    assert_eq!((&waiting["pending"], waiting["interactions"].as_array().map(Vec::len)), (&true.into(), Some(0)));
    // A stranger learns nothing of it.
    let bruno = scene.town.sign_in("bruno").await;
    assert_refused(bruno.get(&path).await, 404, "not_found").await;
    go.notify_one();
    let answered = loop {
        let session = json_of(scene.anna.get(&path).await).await;
        if session["pending"] == false {
            break session;
        }
    };
    assert_eq!(answered["interactions"][0]["answer"]["engine"], "model");
    assert_eq!(scene.used().await.0, 1);
}

#[tokio::test]
async fn a_retry_under_the_same_key_is_answered_once_and_costs_once() {
    let scene = Scene::set([]).await;
    let body = json!({ "text": PRINTER });
    let first = json_of(keyed(&scene.anna, "k-1", &body).await).await;
    let again = json_of(keyed(&scene.anna, "k-1", &body).await).await;
    assert_eq!(first, again);
    assert_eq!((scene.model.calls().len(), scene.used().await.0), (1, 1));
    let other = keyed(&scene.anna, "k-1", &json!({ "text": "un'altra cosa" })).await;
    assert_refused(other, 409, "idempotency_mismatch").await;
    // Another person's key of the same name is another key.
    scene.town.app.subscriptions.grant(account(&scene.town, "bruno").await, Plan::Monthly, 1).await.expect("granted");
    let bruno = scene.town.sign_in("bruno").await;
    let his = json_of(keyed(&bruno, "k-1", &body).await).await;
    assert_ne!(his["session_id"], first["session_id"]);
}

async fn account(town: &Town, person: &str) -> rimedio::account::AccountId {
    let person = rimedio::demo::PEOPLE.iter().find(|one| one.email.starts_with(person)).expect("one of the people");
    town.app.accounts.by_email(person.email).await.expect("known from the start").id
}

#[tokio::test]
async fn retries_at_the_same_moment_wait_for_the_one_answer() {
    let scene = Scene::set([Script::Slow(Duration::from_millis(300), sample())]).await;
    let body = json!({ "text": PRINTER });
    let answers = join_all((0..8).map(|_| keyed(&scene.anna, "k-2", &body))).await;
    let mut bodies = Vec::new();
    for answer in answers {
        assert_eq!(answer.status(), StatusCode::OK);
        bodies.push(json_of(answer).await);
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert_eq!((scene.model.calls().len(), scene.used().await.0), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_questions_at_once_on_the_last_request_answer_exactly_one() {
    let town = Town::start_with(|config| config.plans.monthly.daily_requests = 3).await;
    let anna = town.sign_in("anna").await;
    for _ in 0..2 {
        assert_eq!(anna.post("/api/v1/solve", &json!({ "text": PRINTER })).await.status(), StatusCode::OK);
    }
    let body = json!({ "text": PRINTER });
    let answers = join_all((0..64).map(|_| anna.post("/api/v1/solve", &body))).await;
    let (answered, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|one| one.status() == StatusCode::OK);
    assert_eq!((answered.len(), refused.len()), (1, 63));
    for one in refused {
        assert!(one.headers().contains_key("retry-after"));
        let body = assert_refused(one, 429, "quota_exceeded").await;
        assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("oggi")), "{body}");
    }
    let usage = json_of(anna.get("/api/v1/usage").await).await;
    assert_eq!(
        (&usage["usage"]["today"]["requests"], &usage["remaining"]["today"]["requests"]),
        (&3.into(), &0.into())
    );
}

#[tokio::test]
async fn outcomes_feedback_and_the_end_are_kept_with_the_answer() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let answer = json_of(anna.post("/api/v1/solve", &json!({ "text": PRINTER })).await).await;
    let session = session_of(&answer);
    let outcomes = json_of(put_outcome(&anna, &session, 1, &"failed".into()).await).await;
    assert_eq!(outcomes["outcomes"][1], "failed");
    put_outcome(&anna, &session, 0, &"done".into()).await;
    put_outcome(&anna, &session, 0, &Value::Null).await;
    let feedback = json!({ "session_id": session, "interaction_id": 1, "feedback": "positive" });
    assert_eq!(anna.post("/api/v1/feedback", &feedback).await.status(), StatusCode::OK);
    let resolved = anna.post(&format!("/api/v1/sessions/{session}/resolved"), &json!({ "resolved": true })).await;
    assert_eq!(resolved.status(), StatusCode::NO_CONTENT);
    let kept = json_of(anna.get(&format!("/api/v1/sessions/{session}")).await).await;
    assert_eq!(kept["resolved"], true);
    let interaction = &kept["interactions"][0];
    assert_eq!(interaction["feedback"], "positive");
    assert_eq!((&interaction["outcomes"][0], &interaction["outcomes"][1]), (&Value::Null, &"failed".into()));
    let beyond = put_outcome(&anna, &session, 99, &"done".into()).await;
    assert_refused(beyond, 404, "not_found").await;
    let nonsense = put_outcome(&anna, &session, 0, &"maybe".into()).await;
    assert_refused(nonsense, 400, "bad_request").await;

    let question = json!({ "session_id": session, "question": "e adesso?" });
    let next = json_of(anna.post("/api/v1/follow-up", &question).await).await;
    assert_eq!((&next["session_id"], &next["interaction_id"]), (&answer["session_id"], &2.into()));
    assert!(!next["steps"].as_array().expect("steps").contains(&answer["steps"][1]), "what failed is not told again");
}

#[tokio::test]
async fn nobody_reaches_what_another_asked() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let session = session_of(&json_of(anna.post("/api/v1/solve", &json!({ "text": PRINTER })).await).await);
    town.app.subscriptions.grant(account(&town, "bruno").await, Plan::Monthly, 1).await.expect("granted");
    let bruno = town.sign_in("bruno").await;
    let path = format!("/api/v1/sessions/{session}");
    assert_refused(bruno.get(&path).await, 404, "not_found").await;
    assert_refused(put_outcome(&bruno, &session, 0, &"done".into()).await, 404, "not_found").await;
    let question = json!({ "session_id": session, "question": "dimmi" });
    assert_refused(bruno.post("/api/v1/follow-up", &question).await, 404, "not_found").await;
    let feedback = json!({ "session_id": session, "interaction_id": 1, "feedback": "negative" });
    assert_refused(bruno.post("/api/v1/feedback", &feedback).await, 404, "not_found").await;
    let removed = bruno.call(Method::DELETE, &path).send().await.expect("an answer");
    assert_refused(removed, 404, "not_found").await;
    assert_eq!(json_of(bruno.get("/api/v1/sessions").await).await["sessions"], json!([]));
    assert_eq!(anna.get(&path).await.status(), StatusCode::OK, "it is still hers");
}

#[tokio::test]
async fn past_requests_come_in_pages_and_can_be_removed() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let mut asked = Vec::new();
    for number in 0..5 {
        town.clock.advance(Duration::from_secs(60));
        let answer = anna.post("/api/v1/solve", &json!({ "text": format!("{PRINTER} ({number})") })).await;
        asked.push(session_of(&json_of(answer).await));
    }
    let ids = |page: &Value| -> Vec<String> {
        let sessions = page["sessions"].as_array().expect("a list");
        sessions.iter().map(|one| one["session_id"].as_str().expect("an id").to_owned()).collect()
    };
    let first = json_of(anna.get("/api/v1/sessions?limit=2").await).await;
    let next = first["next"].as_str().expect("there is more");
    let second = json_of(anna.get(&format!("/api/v1/sessions?limit=3&before={next}")).await).await;
    assert!(second.get("next").is_none(), "the last page says so: {second}");
    let listed: Vec<String> = ids(&first).into_iter().chain(ids(&second)).collect();
    assert_eq!(listed, asked.iter().rev().cloned().collect::<Vec<_>>(), "the latest first, each once");
    let path = format!("/api/v1/sessions/{}", asked[2]);
    let removed = anna.call(Method::DELETE, &path).send().await.expect("an answer");
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    assert_refused(anna.get(&path).await, 404, "not_found").await;
    assert_eq!(ids(&json_of(anna.get("/api/v1/sessions").await).await).len(), 4);
}

#[tokio::test]
async fn what_is_not_to_be_kept_leaves_nothing_but_counters() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let secret = "il mio router si chiama Pasquale e non va";
    let answer = json_of(anna.post("/api/v1/solve", &json!({ "text": secret, "save": false })).await).await;
    assert_eq!(json_of(anna.get("/api/v1/sessions").await).await["sessions"], json!([]), "in no list");
    let question = json!({ "session_id": answer["session_id"], "question": "e poi?", "save": true });
    let follow = anna.post("/api/v1/follow-up", &question).await;
    assert_eq!(follow.status(), StatusCode::OK, "it can be asked on while the session lasts");
    assert_eq!(json_of(anna.get("/api/v1/usage").await).await["usage"]["today"]["requests"], 2);
    let everything =
        rimedio::store::engine::Scan { from: Vec::new(), until: None, limit: usize::MAX, newest_first: false };
    let records = town.app.store.engine().scan(&everything).expect("readable");
    let holds = |bytes: &[u8]| bytes.windows(8).any(|window| window == b"Pasquale");
    assert!(records.iter().all(|(key, value)| !holds(key) && !holds(value)), "not a word in the store");
    town.clock.advance(Duration::from_secs(3 * 3_600));
    assert_refused(anna.post("/api/v1/follow-up", &question).await, 404, "not_found").await;
}

#[tokio::test]
async fn texts_that_are_too_long_are_refused_with_a_sentence() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let long = json!({ "text": "a".repeat(8_001) });
    let refused = assert_refused(anna.post("/api/v1/solve", &long).await, 422, "invalid_input").await;
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("8000")), "{refused}");
    let read = json!({ "text": "aiuto", "image_text": "a".repeat(8_001) });
    assert_refused(anna.post("/api/v1/solve", &read).await, 422, "invalid_input").await;
    let strange = json!({ "text": PRINTER, "session_id": "../../etc" });
    assert_refused(anna.post("/api/v1/solve", &strange).await, 404, "not_found").await;
    let foreign = json!({ "text": PRINTER, "image_path": "/api/v1/images/00000000-0000-0000-0000-000000000000" });
    assert_refused(anna.post("/api/v1/solve", &foreign).await, 404, "not_found").await;
    assert_eq!(json_of(anna.get("/api/v1/usage").await).await["usage"]["today"]["requests"], 0, "and cost nothing");
}

#[tokio::test]
async fn a_question_about_something_else_is_answered_politely_and_costs_nothing() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let answer = json_of(anna.post("/api/v1/solve", &json!({ "text": "Mi dai la ricetta del tiramisù?" })).await).await;
    assert_eq!((&answer["counted"], &answer["engine"]), (&false.into(), &"handbook".into()));
    assert!(answer["confidence_level"].as_f64().is_some_and(|level| level < 0.2), "{answer}");
    assert!(answer["problem_analysis"].as_str().is_some_and(|text| text.contains("computer")), "{answer}");
    assert_eq!(json_of(anna.get("/api/v1/usage").await).await["usage"]["today"]["requests"], 0);
}

#[tokio::test]
async fn a_likely_fraud_is_warned_of_first() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let text = "È uscita una finestra di Microsoft con un numero da chiamare, dice che ho un virus";
    let answer = json_of(anna.post("/api/v1/solve", &json!({ "text": text })).await).await;
    assert_eq!(answer["family"], "scam-popup");
    let first = answer["warnings"][0].as_str().expect("a warning").to_lowercase();
    assert!(first.contains("truffa") || first.contains("non chiamare"), "{first}");
}
