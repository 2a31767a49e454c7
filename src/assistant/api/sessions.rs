//! The shapes of past sessions as clients see them.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use uuid::Uuid;

use super::wire::{AnswerBody, FeedbackName};
use crate::assistant::history::{Interaction, Session};
use crate::assistant::image::PATH_PREFIX;
use crate::handbook::StepOutcome;

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "StepOutcome", rename_all = "snake_case")]
pub(crate) enum OutcomeName {
    /// 'Fatto'
    Done,
    /// 'Non ha funzionato'
    Failed,
    /// 'Non lo trovo'
    NotFound,
}

impl From<OutcomeName> for StepOutcome {
    fn from(name: OutcomeName) -> Self {
        match name {
            OutcomeName::Done => Self::Done,
            OutcomeName::Failed => Self::Failed,
            OutcomeName::NotFound => Self::NotFound,
        }
    }
}

impl From<StepOutcome> for OutcomeName {
    fn from(outcome: StepOutcome) -> Self {
        match outcome {
            StepOutcome::Done => Self::Done,
            StepOutcome::Failed => Self::Failed,
            StepOutcome::NotFound => Self::NotFound,
        }
    }
}

/// What came of a step; without an outcome what was said before is taken back.
#[derive(Object)]
#[oai(example)]
pub(crate) struct OutcomeRequest {
    /// The outcome.
    pub(super) outcome: Option<OutcomeName>,
}

impl Example for OutcomeRequest {
    fn example() -> Self {
        Self { outcome: Some(OutcomeName::NotFound) }
    }
}

/// What came of all steps of an answer.
#[derive(Object)]
#[oai(example)]
pub(crate) struct OutcomesResponse {
    /// One for each step; null where nothing was said.
    pub(super) outcomes: Vec<Option<OutcomeName>>,
}

impl Example for OutcomesResponse {
    fn example() -> Self {
        Self { outcomes: vec![Some(OutcomeName::Done), Some(OutcomeName::NotFound), None] }
    }
}

/// Whether the problem is solved.
#[derive(Object)]
#[oai(example)]
pub(crate) struct ResolvedRequest {
    /// 'Risolto'
    pub(super) resolved: bool,
}

impl Example for ResolvedRequest {
    fn example() -> Self {
        Self { resolved: true }
    }
}

/// A session in the list.
#[derive(Object)]
pub(crate) struct SessionSummary {
    session_id: String,
    /// The beginning of the first question.
    title: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// The last answer, RFC 3339 in UTC.
    updated_at: String,
    /// Answers in it.
    interactions: u32,
    /// 'Risolto'
    resolved: bool,
}

impl SessionSummary {
    pub(super) fn new(id: Uuid, session: Session) -> Self {
        Self {
            session_id: id.to_string(),
            title: session.title,
            created_at: session.created_at.to_string(),
            updated_at: session.updated_at.to_string(),
            interactions: session.interactions,
            resolved: session.resolved,
        }
    }
}

/// A page of sessions, the latest first.
#[derive(Object)]
#[oai(example, skip_serializing_if_is_none)]
pub(crate) struct SessionsResponse {
    pub(super) sessions: Vec<SessionSummary>,
    /// For `before`; absent on the last page.
    pub(super) next: Option<String>,
}

impl Example for SessionsResponse {
    fn example() -> Self {
        let session = SessionSummary {
            session_id: Uuid::nil().to_string(),
            title: "All'avvio appare una schermata blu".into(),
            created_at: "2026-11-21T09:30:00Z".into(),
            updated_at: "2026-11-21T09:42:10Z".into(),
            interactions: 2,
            resolved: true,
        };
        Self { sessions: vec![session], next: None }
    }
}

/// A question and its answer.
#[derive(Object)]
#[oai(skip_serializing_if_is_none)]
pub(crate) struct InteractionBody {
    /// Counts from 1.
    interaction_id: u32,
    /// The person's words.
    question: String,
    /// The picture that came with them.
    image_path: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// The answer.
    answer: AnswerBody,
    /// What the person thinks of it.
    feedback: Option<FeedbackName>,
    /// One for each step; null where nothing was said.
    outcomes: Vec<Option<OutcomeName>>,
}

impl From<Interaction> for InteractionBody {
    fn from(interaction: Interaction) -> Self {
        Self {
            interaction_id: interaction.answer.interaction_id,
            question: interaction.question,
            image_path: interaction.image.map(|id| format!("{PATH_PREFIX}{id}")),
            created_at: interaction.created_at.to_string(),
            answer: interaction.answer.into(),
            feedback: interaction.feedback.map(FeedbackName::from),
            outcomes: interaction.outcomes.into_iter().map(|outcome| outcome.map(OutcomeName::from)).collect(),
        }
    }
}

/// A session with all that was said.
#[derive(Object)]
#[oai(example)]
pub(crate) struct SessionBody {
    pub(super) session_id: String,
    /// The beginning of the first question.
    pub(super) title: String,
    /// RFC 3339 in UTC.
    pub(super) created_at: String,
    /// 'Risolto'
    pub(super) resolved: bool,
    /// An answer is still being written.
    pub(super) pending: bool,
    /// Oldest first.
    pub(super) interactions: Vec<InteractionBody>,
}

impl Example for SessionBody {
    fn example() -> Self {
        let answer = AnswerBody::example();
        let interaction = InteractionBody {
            interaction_id: 1,
            question: "All'avvio appare una schermata blu con 0x0000007B".into(),
            image_path: None,
            created_at: "2026-11-21T09:30:00Z".into(),
            answer,
            feedback: Some(FeedbackName::Positive),
            outcomes: vec![Some(OutcomeName::Done)],
        };
        Self {
            session_id: Uuid::nil().to_string(),
            title: "All'avvio appare una schermata blu".into(),
            created_at: "2026-11-21T09:30:00Z".into(),
            resolved: false,
            pending: false,
            interactions: vec![interaction],
        }
    }
}
