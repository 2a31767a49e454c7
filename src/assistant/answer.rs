//! A finished answer: what an engine composed and the check let through, and where it stands in its session. Stored
//! with its session as it is, so every struct here is frozen: a change is a new version of the record.

use uuid::Uuid;

use crate::handbook::{RecognisedCode, Source, Step};

/// What is said of an answer that came from the handbook, under every one.
pub const FROM_THE_HANDBOOK: &str = "Dal manuale di Rimedio";

/// Which engine answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// A language model.
    Model,
    /// The handbook.
    Handbook,
}

impl AnsweredBy {
    /// The name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Handbook => "handbook",
        }
    }
}

/// What left for a model's provider ('Cosa inviamo').
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sent {
    /// Who runs the endpoint.
    pub provider: String,
    /// The person's words and the screenshot's text, after hiding.
    pub text: String,
    /// Whether the picture went with it.
    pub image: bool,
    /// What was hidden: the kind's name in the API, and how many.
    pub hidden: Vec<(String, u32)>,
}

/// What an engine composed, checked and ready to be read.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Content {
    /// What the question is about, in the person's terms.
    pub problem_analysis: String,
    /// What it is and why it happens.
    pub diagnosis: String,
    /// 0 to 1.
    pub confidence: f64,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// What else helps; may be empty.
    pub additional_tips: String,
    /// What to beware of, the gravest first.
    pub warnings: Vec<String>,
    /// The handbook's id of the problem.
    pub family: Option<String>,
    /// The codes that were recognised.
    pub codes: Vec<RecognisedCode>,
    /// The articles behind it.
    pub sources: Vec<Source>,
    /// Which engine answered.
    pub engine: AnsweredBy,
    /// The model's name as received, or the handbook's.
    pub model_used: String,
    /// What says who wrote it, for the foot of the answer.
    pub generated_by: String,
    /// Whether the handbook answered because the model could not.
    pub fell_back: bool,
    /// Whether the question is not about what the product is for.
    pub off_topic: bool,
    /// What left for the model.
    pub sent: Option<Sent>,
    /// Tokens of the model that it took.
    pub tokens: u64,
}

impl Content {
    /// Whether it costs the person a request: an answer that the model owed, or that is none, does not.
    #[must_use]
    pub const fn costs_a_request(&self) -> bool {
        !self.fell_back && !self.off_topic
    }
}

/// An answer in its session.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// The session.
    pub session_id: Uuid,
    /// Counts from 1 within the session.
    pub interaction_id: u32,
    /// Whether it cost a request.
    pub counted: bool,
    /// From the request's arrival to the answer, in milliseconds.
    pub response_time_ms: u32,
    /// The answer itself.
    pub content: Content,
}
