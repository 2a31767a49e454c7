//! The event stream: what is told while an answer comes about, as events with a name each.

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use poem::web::sse;
use poem_openapi::types::{Any, ToJSON as _};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;

use super::wire::{ErrorEvent, PartialEvent, ProgressEvent, StreamEvent};
use crate::assistant::draft::Draft;
use crate::assistant::engine::{Progress, Stage};
use crate::assistant::{Event, answer::Answer};
use crate::error::{Code, Error};
use crate::http::problem::Problem;

/// The events of an answer that was let through.
pub(super) fn stream(first: Event, events: UnboundedReceiver<Event>) -> BoxStream<'static, StreamEvent> {
    // Read here: the stream is polled outside the request that it belongs to.
    let request_id = Problem::of(&Error::new(Code::Internal)).request_id;
    let mut told = Told { session: None, draft: Draft::default(), request_id };
    let events = stream::unfold((Some(first), events, false), |(first, mut events, over)| async move {
        if over {
            return None;
        }
        let event = match first {
            Some(event) => event,
            // The work ended without a word: a fault of ours, which the log knows.
            None => events.recv().await.unwrap_or_else(|| Event::Finished(Err(Code::Internal.into()))),
        };
        let over = matches!(event, Event::Finished(_));
        Some((event, (None, events, over)))
    });
    events.flat_map(move |event| stream::iter(told.tell(event))).boxed()
}

/// One event as it goes over the wire.
pub(super) fn named(event: StreamEvent) -> sse::Event {
    let name = match &event {
        StreamEvent::Progress(_) => "progress",
        StreamEvent::Partial(_) => "partial",
        StreamEvent::Result(_) => "result",
        StreamEvent::Error(_) => "error",
    };
    sse::Event::message(event.to_json_string()).event_type(name)
}

/// What was told already.
struct Told {
    session: Option<Uuid>,
    draft: Draft,
    request_id: String,
}

impl Told {
    fn tell(&mut self, event: Event) -> Vec<StreamEvent> {
        match event {
            Event::Started(session) => {
                self.session = Some(session);
                Vec::new()
            }
            Event::Progress(Progress::Stage(stage)) => vec![self.progress(stage)],
            Event::Progress(Progress::Partial(draft)) => self.partial(draft),
            Event::Finished(Ok(answer)) => vec![result(*answer)],
            Event::Finished(Err(error)) => vec![self.error(&error)],
        }
    }

    fn progress(&mut self, stage: Stage) -> StreamEvent {
        StreamEvent::Progress(ProgressEvent {
            stage: stage.as_str().into(),
            text: stage.sentence().into(),
            session_id: self.session.take().map(|session| session.to_string()),
        })
    }

    /// The fields that have changed.
    fn partial(&mut self, draft: Draft) -> Vec<StreamEvent> {
        let steps = |draft: &Draft| -> Value { draft.steps.iter().map(|step| json!(step.text)).collect() };
        let fields = [
            ("problem_analysis", json!(self.draft.problem_analysis), json!(draft.problem_analysis)),
            ("diagnosis", json!(self.draft.diagnosis), json!(draft.diagnosis)),
            ("steps", steps(&self.draft), steps(&draft)),
            ("additional_tips", json!(self.draft.additional_tips), json!(draft.additional_tips)),
        ];
        self.draft = draft;
        let changed = fields.into_iter().filter(|(_, before, now)| before != now);
        changed
            .map(|(field, _, value)| StreamEvent::Partial(PartialEvent { field: field.into(), value: Any(value) }))
            .collect()
    }

    fn error(&self, error: &Error) -> StreamEvent {
        if error.code().status() >= 500 {
            tracing::error!(code = error.code().as_str(), cause = error.cause_for_log(), "a streamed answer failed");
        }
        StreamEvent::Error(ErrorEvent {
            detail: error.detail().to_owned(),
            code: error.code().as_str().to_owned(),
            request_id: self.request_id.clone(),
            status: error.code().status(),
        })
    }
}

fn result(answer: Answer) -> StreamEvent {
    StreamEvent::Result(answer.into())
}
