//! The routes of the assistant: asking, pictures, past answers. `solve` and `follow-up` answer as one JSON document,
//! or, to who accepts `text/event-stream`, as events while the answer comes about.

mod events;
mod sessions;
mod wire;

use std::time::Duration;

use futures_util::stream::BoxStream;
use poem::Request as HttpRequest;
use poem::http::header::ACCEPT;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::{Binary, EventStream, Json};
use poem_openapi::types::ToJSON as _;
use poem_openapi::{ApiResponse, Multipart, OpenApi, ResponseContent, Tags};
use uuid::Uuid;

use super::answer::{Answer, Content};
use super::history::{Keeping, no_such_session};
use super::request::{LONGEST_FOLLOW_UP, LONGEST_PROBLEM};
use super::{Assistant, Event, Request};
use crate::account::AccountId;
use crate::error::{Code, Error};
use crate::http::identity::{Consented, SignedIn, Subscriber};
use crate::http::problem::Failure;
use sessions::{
    InteractionBody, OutcomeRequest, OutcomesResponse, ResolvedRequest, SessionBody, SessionSummary, SessionsResponse,
};
use wire::{
    AnswerBody, FeedbackRequest, FollowUpRequest, MessageResponse, SolveRequest, StreamEvent, THANKS, UploadResponse,
};

/// How often an event stream says that it is alive; shorter than the idle timeout of a connection.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Sessions in a page when the client names no number.
const USUAL_PAGE: usize = 20;

#[derive(Tags)]
enum Tag {
    /// Problems and their answers.
    Assistant,
}

/// An answer, whole or as it comes about.
#[derive(ApiResponse)]
pub(crate) enum Answered {
    /// The answer; with `Accept: text/event-stream` the events `progress`, `partial`, then one `result` equal to the
    /// plain answer, or one `error`.
    #[oai(status = 200)]
    Ok(AnswerContent),
}

#[derive(ResponseContent)]
#[allow(clippy::large_enum_variant, reason = "one for each request, written at once")]
pub(crate) enum AnswerContent {
    Whole(Json<AnswerBody>),
    Stream(EventStream<BoxStream<'static, StreamEvent>>),
}

/// A picture.
#[derive(ApiResponse)]
pub(crate) enum ImageResponse {
    /// The picture.
    #[oai(status = 200, content_type = "image/jpeg")]
    Ok(
        Binary<Vec<u8>>,
        /// Nobody between the server and its owner may keep it.
        #[oai(header = "Cache-Control")]
        String,
    ),
}

/// Done; there is nothing to say.
#[derive(ApiResponse)]
pub(crate) enum Done {
    /// Done.
    #[oai(status = 204)]
    Done,
}

#[derive(Multipart)]
struct UploadForm {
    /// A picture: JPG, PNG, GIF, WebP or BMP of at most 10 MB.
    file: poem_openapi::types::Binary<Vec<u8>>,
}

/// The routes of the assistant.
#[derive(Clone, Debug)]
pub struct AssistantApi {
    assistant: Assistant,
}

impl AssistantApi {
    /// The routes on this assistant.
    #[must_use]
    pub const fn new(assistant: Assistant) -> Self {
        Self { assistant }
    }

    async fn answer(&self, account: AccountId, request: Request, http: &HttpRequest) -> Result<Answered, Failure> {
        let mut events = self.assistant.ask(account, request);
        let streams = http.headers().get_all(ACCEPT).iter().any(accepts_events);
        if streams {
            return match events.recv().await {
                // What is known before the stream begins is a plain failure.
                Some(Event::Finished(Err(error))) => Err(error.into()),
                None => Err(Code::Internal.into()),
                Some(first) => {
                    let stream = EventStream::new(events::stream(first, events)).to_event(events::named);
                    Ok(Answered::Ok(AnswerContent::Stream(stream.keep_alive(KEEP_ALIVE))))
                }
            };
        }
        while let Some(event) = events.recv().await {
            if let Event::Finished(finished) = event {
                return Ok(Answered::Ok(AnswerContent::Whole(Json((*finished?).into()))));
            }
        }
        Err(Error::internal("the work on an answer ended without a word").into())
    }
}

fn accepts_events(accept: &poem::http::HeaderValue) -> bool {
    accept.to_str().is_ok_and(|accept| accept.contains("text/event-stream"))
}

fn keeping(save: Option<bool>) -> Keeping {
    if save == Some(false) { Keeping::Unsaved } else { Keeping::Saved }
}

/// An answer outside of any session, in the shape of the published one: for scripts on the command line.
#[must_use]
pub fn answer_outside_a_session(content: Content, response_time_ms: u32) -> serde_json::Value {
    let answer = Answer { session_id: Uuid::nil(), interaction_id: 0, counted: false, response_time_ms, content };
    let mut shape = AnswerBody::from(answer).to_json().unwrap_or_default();
    if let Some(fields) = shape.as_object_mut() {
        for of_a_session in ["session_id", "interaction_id", "counted"] {
            fields.remove(of_a_session);
        }
    }
    shape
}

/// An id that is none names no session.
fn session_id(text: &str) -> Result<Uuid, Error> {
    text.parse().map_err(|_| no_such_session())
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Assistant")]
impl AssistantApi {
    /// Solve a problem
    ///
    /// With `Accept: text/event-stream` the answer comes as events. The work goes on when the client goes away: the
    /// answer then waits in `GET /sessions/{id}`. Costs one request of the plan, unless the handbook answered because
    /// the model could not, or the question is not about devices.
    #[oai(path = "/solve", method = "post", operation_id = "solve")]
    async fn solve(
        &self,
        who: Subscriber,
        http: &HttpRequest,
        body: Json<SolveRequest>,
        /// The client's own key: a retry with the same key and content returns the stored answer and costs nothing.
        #[oai(name = "Idempotency-Key")]
        idempotency_key: Header<Option<String>>,
    ) -> Result<Answered, Failure> {
        let body = body.0;
        let session = body.session_id.filter(|id| !id.is_empty());
        let request = Request {
            text: body.text,
            image_path: body.image_path.filter(|path| !path.is_empty()),
            image_text: body.image_text,
            session: session.as_deref().map(session_id).transpose()?,
            format: body.response_format.unwrap_or_default().into(),
            keeping: keeping(body.save),
            idempotency_key: idempotency_key.0,
            longest: LONGEST_PROBLEM,
        };
        self.answer(who.account.id, request, http).await
    }

    /// Ask about an answer
    ///
    /// The next answer goes on from the steps of the session and what came of them. Otherwise as `solve`.
    #[oai(path = "/follow-up", method = "post", operation_id = "follow_up")]
    async fn follow_up(
        &self,
        who: Subscriber,
        http: &HttpRequest,
        body: Json<FollowUpRequest>,
        /// The client's own key: a retry with the same key and content returns the stored answer and costs nothing.
        #[oai(name = "Idempotency-Key")]
        idempotency_key: Header<Option<String>>,
    ) -> Result<Answered, Failure> {
        let body = body.0;
        let request = Request {
            text: body.question,
            image_path: None,
            image_text: None,
            session: Some(session_id(&body.session_id)?),
            format: body.response_format.unwrap_or_default().into(),
            keeping: keeping(body.save),
            idempotency_key: idempotency_key.0,
            longest: LONGEST_FOLLOW_UP,
        };
        self.answer(who.account.id, request, http).await
    }

    /// Upload a picture
    ///
    /// It is turned upright, scaled to at most 1568 px and stored without its metadata, for 30 days.
    #[oai(path = "/upload-image", method = "post", operation_id = "upload_image")]
    async fn upload(&self, who: Subscriber, form: UploadForm) -> Result<Json<UploadResponse>, Failure> {
        let path = self.assistant.images().take_in(who.account.id, form.file.0).await?;
        Ok(Json(UploadResponse { path }))
    }

    /// A picture of one's own
    #[oai(path = "/images/:id", method = "get", operation_id = "image")]
    async fn image(
        &self,
        who: SignedIn,
        /// The last part of its path.
        id: Path<String>,
    ) -> Result<ImageResponse, Failure> {
        let id = id.0.parse().map_err(|_| Error::new(Code::NotFound))?;
        let jpeg = self.assistant.images().jpeg(who.account.id, id).await?;
        Ok(ImageResponse::Ok(Binary(jpeg), "private, no-store".into()))
    }

    /// Say whether an answer helped
    #[oai(path = "/feedback", method = "post", operation_id = "give_feedback")]
    async fn feedback(&self, who: Consented, body: Json<FeedbackRequest>) -> Result<Json<MessageResponse>, Failure> {
        let body = body.0;
        let session = session_id(&body.session_id)?;
        let history = self.assistant.history();
        history.give_feedback(who.account.id, session, body.interaction_id, body.feedback.into()).await?;
        Ok(Json(MessageResponse { message: THANKS.into() }))
    }

    /// Say what came of a step
    ///
    /// Known to the next answer of the session.
    #[oai(
        path = "/sessions/:id/interactions/:interaction_id/steps/:index",
        method = "put",
        operation_id = "set_step_outcome"
    )]
    async fn outcome(
        &self,
        who: Consented,
        /// The session.
        id: Path<String>,
        /// The answer within it, from 1.
        interaction_id: Path<u32>,
        /// The step, from 0.
        index: Path<u32>,
        body: Json<OutcomeRequest>,
    ) -> Result<Json<OutcomesResponse>, Failure> {
        let session = session_id(&id.0)?;
        let step = usize::try_from(index.0).map_err(|_| no_such_session())?;
        let outcome = body.0.outcome.map(Into::into);
        let history = self.assistant.history();
        let outcomes = history.set_outcome(who.account.id, session, interaction_id.0, step, outcome).await?;
        let outcomes = outcomes.into_iter().map(|outcome| outcome.map(Into::into)).collect();
        Ok(Json(OutcomesResponse { outcomes }))
    }

    /// Say whether the problem is solved
    #[oai(path = "/sessions/:id/resolved", method = "post", operation_id = "set_resolved")]
    async fn resolved(
        &self,
        who: Consented,
        /// The session.
        id: Path<String>,
        body: Json<ResolvedRequest>,
    ) -> Result<Done, Failure> {
        self.assistant.history().set_resolved(who.account.id, session_id(&id.0)?, body.0.resolved).await?;
        Ok(Done::Done)
    }

    /// Past sessions, the latest first
    #[oai(path = "/sessions", method = "get", operation_id = "sessions")]
    async fn sessions(
        &self,
        who: SignedIn,
        /// At most so many, 100 at most; 20 without.
        limit: Query<Option<u32>>,
        /// The `next` of the page before.
        before: Query<Option<String>>,
    ) -> Result<Json<SessionsResponse>, Failure> {
        let limit = limit.0.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(USUAL_PAGE);
        let page = self.assistant.history().page(who.account.id, limit, before.0.as_deref()).await?;
        let sessions = page.sessions.into_iter().map(|(id, session)| SessionSummary::new(id, session)).collect();
        Ok(Json(SessionsResponse { sessions, next: page.next }))
    }

    /// A past session
    #[oai(path = "/sessions/:id", method = "get", operation_id = "session")]
    async fn session(
        &self,
        who: SignedIn,
        /// The session.
        id: Path<String>,
    ) -> Result<Json<SessionBody>, Failure> {
        let id = session_id(&id.0)?;
        let (conversation, pending) = self.assistant.session(who.account.id, id).await?;
        Ok(Json(SessionBody {
            session_id: id.to_string(),
            title: conversation.session.title,
            created_at: conversation.session.created_at.to_string(),
            resolved: conversation.session.resolved,
            pending,
            interactions: conversation.interactions.into_iter().map(InteractionBody::from).collect(),
        }))
    }

    /// Remove a past session
    #[oai(path = "/sessions/:id", method = "delete", operation_id = "remove_session")]
    async fn remove_session(
        &self,
        who: SignedIn,
        /// The session.
        id: Path<String>,
    ) -> Result<Done, Failure> {
        self.assistant.history().remove(who.account.id, session_id(&id.0)?).await?;
        Ok(Done::Done)
    }
}
