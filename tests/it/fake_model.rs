//! A model's endpoint that does what a test says: over real HTTP, down to broken streams. Everything that it was sent
//! is kept, so that a test can say what left the house.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rimedio::config::{Config, DataCollection, Model, ModelPrice};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the endpoint does with one call.
#[derive(Clone, Debug)]
pub(crate) enum Script {
    /// Streams an answer, in pieces of a few characters.
    Answer(Value),
    /// Streams any text as the model's.
    Says(String),
    /// Gives an answer as one JSON document, like endpoints that do not stream.
    Document(Value),
    /// Waits, then streams an answer.
    Slow(Duration, Value),
    /// Streams an answer after the test says so.
    Held(Arc<Notify>, Value),
    /// A status, with a header and its value.
    Status(u16, &'static str, &'static str),
    /// Declines.
    Refusal,
    /// Streams half an answer and closes in good order.
    Truncated(Value),
    /// Streams half an answer and breaks the connection.
    Broken(Value),
    /// Streams half an answer and then an error.
    MidStreamError(Value),
    /// Takes the call and never says a word.
    Hang,
    /// Writes without end.
    Huge,
}

/// One call that was made.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The head, in lower case.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Value,
}

impl Call {
    /// All text that was sent, the instructions included.
    pub(crate) fn text(&self) -> String {
        self.body["messages"].to_string()
    }

    /// The model that was asked.
    pub(crate) fn model(&self) -> &str {
        self.body["model"].as_str().expect("a call names its model")
    }
}

#[derive(Debug, Default)]
struct Inner {
    scripts: Mutex<VecDeque<Script>>,
    calls: Mutex<Vec<Call>>,
}

/// The endpoint. Without a script it gives [`sample`].
#[derive(Clone, Debug)]
pub(crate) struct FakeModel {
    address: String,
    inner: Arc<Inner>,
}

/// A whole answer in the shape that models are asked for.
pub(crate) fn sample() -> Value {
    json!({
        "topic": "problem",
        "problem_analysis": "Il computer è lento. Ci mette molto ad aprirsi.",
        "diagnosis": "Troppi programmi partono insieme.",
        "confidence": 0.82,
        "warnings": [],
        "steps": [
            { "text": "Riavvia il computer.", "class": "safe" },
            { "text": "Apri Gestione attività e guarda che cosa occupa il processore.", "class": "safe" }
        ],
        "additional_tips": "Riavvia una volta alla settimana."
    })
}

/// The sample with other steps.
pub(crate) fn with_steps(steps: &[&str]) -> Value {
    let mut answer = sample();
    answer["steps"] = steps.iter().map(|text| json!({ "text": text, "class": "safe" })).collect();
    answer
}

impl FakeModel {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("a bound port"));
        let fake = Self { address, inner: Arc::default() };
        let inner = Arc::clone(&fake.inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let inner = Arc::clone(&inner);
                tokio::spawn(async move {
                    // A client that goes away in the middle is part of the play.
                    let _ = serve(stream, &inner).await;
                });
            }
        });
        fake
    }

    /// Adds what the next calls get.
    pub(crate) fn will(&self, scripts: impl IntoIterator<Item = Script>) -> &Self {
        self.inner.scripts.lock().expect("no test panics while it holds it").extend(scripts);
        self
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.inner.calls.lock().expect("no test panics while it holds it").clone()
    }

    /// Configures the product to use this endpoint, with two models.
    pub(crate) fn configure(&self, config: &mut Config) {
        config.model = Some(self.settings());
    }

    pub(crate) fn settings(&self) -> Model {
        Model {
            base_url: format!("{}/api/v1", self.address).parse().expect("an address"),
            api_key: "sk-test-secret".to_owned().into(),
            provider: "OpenRouter".into(),
            models: vec!["acme/first".into(), "acme/second".into()],
            attempt_seconds: 2,
            total_seconds: 5,
            daily_budget_eur: None,
            prices: ["acme/first", "acme/second"]
                .map(|model| (model.to_owned(), ModelPrice { input_eur: 1.0, output_eur: 2.0 }))
                .into(),
            data_collection: DataCollection::Deny,
        }
    }
}

async fn serve(mut stream: TcpStream, inner: &Inner) -> std::io::Result<()> {
    let mut received = Vec::new();
    let call = loop {
        if stream.read_buf(&mut received).await? == 0 {
            return Ok(());
        }
        let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
        let body = &received[end + 4..];
        if body.len() >= length.expect("a body of known length") {
            break Call { body: serde_json::from_slice(body).expect("a body in JSON"), head };
        }
    };
    inner.calls.lock().expect("no test panics while it holds it").push(call);
    let script = inner.scripts.lock().expect("no test panics while it holds it").pop_front();
    match script.unwrap_or_else(|| Script::Answer(sample())) {
        Script::Answer(answer) => stream_text(&mut stream, &answer.to_string()).await,
        Script::Says(text) => stream_text(&mut stream, &text).await,
        Script::Slow(wait, answer) => {
            tokio::time::sleep(wait).await;
            stream_text(&mut stream, &answer.to_string()).await
        }
        Script::Held(go, answer) => {
            go.notified().await;
            stream_text(&mut stream, &answer.to_string()).await
        }
        Script::Document(answer) => {
            let document = json!({
                "model": "acme/first-2026",
                "choices": [{ "message": { "content": answer.to_string() }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 900, "completion_tokens": 300 }
            })
            .to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                document.len()
            );
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(document.as_bytes()).await
        }
        Script::Status(status, header, value) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\n{header}: {value}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"
            );
            stream.write_all(head.as_bytes()).await
        }
        Script::Refusal => {
            begin(&mut stream).await?;
            event(&mut stream, &json!({ "choices": [{ "delta": { "refusal": "No." }, "finish_reason": "stop" }] }))
                .await?;
            stream.write_all(b"data: [DONE]\n\n").await
        }
        Script::Truncated(answer) => {
            half(&mut stream, &answer).await?;
            stream.shutdown().await
        }
        Script::Broken(answer) => {
            // A chunk that promises more than comes.
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
                .await?;
            let text = answer.to_string();
            let data = format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text[..40] } }] }));
            stream.write_all(format!("ffff\r\n{data}").as_bytes()).await
        }
        Script::MidStreamError(answer) => {
            half(&mut stream, &answer).await?;
            event(&mut stream, &json!({ "error": { "code": 502, "message": "upstream" }, "choices": [] })).await
        }
        Script::Hang => std::future::pending().await,
        Script::Huge => {
            begin(&mut stream).await?;
            let piece = json!({ "choices": [{ "delta": { "content": "a".repeat(8_000) } }] });
            loop {
                event(&mut stream, &piece).await?;
            }
        }
    }
}

async fn begin(stream: &mut TcpStream) -> std::io::Result<()> {
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: OPENROUTER PROCESSING\n\n";
    stream.write_all(head).await
}

async fn event(stream: &mut TcpStream, event: &Value) -> std::io::Result<()> {
    stream.write_all(format!("data: {event}\n\n").as_bytes()).await
}

async fn half(stream: &mut TcpStream, answer: &Value) -> std::io::Result<()> {
    begin(stream).await?;
    let text: Vec<char> = answer.to_string().chars().collect();
    let half: String = text[..text.len() / 2].iter().collect();
    event(stream, &json!({ "model": "acme/first-2026", "choices": [{ "delta": { "content": half } }] })).await
}

async fn stream_text(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    begin(stream).await?;
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(12) {
        let piece: String = piece.iter().collect();
        event(stream, &json!({ "model": "acme/first-2026", "choices": [{ "delta": { "content": piece } }] })).await?;
    }
    let last = json!({
        "model": "acme/first-2026",
        "choices": [{ "delta": {}, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 900, "completion_tokens": 300 }
    });
    event(stream, &last).await?;
    stream.write_all(b"data: [DONE]\n\n").await
}
