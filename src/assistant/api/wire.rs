//! The shapes of questions and answers as clients see them.

use poem_openapi::types::{Any, Example};
use poem_openapi::{Enum, Object, Union};
use serde_json::Value;
use uuid::Uuid;

use crate::assistant::answer::{Answer, Content, Sent};
use crate::assistant::history::Feedback;
use crate::assistant::image::PATH_PREFIX;
use crate::handbook::{ResponseFormat, StepClass};

/// How an answer is to be written.
#[derive(Clone, Copy, Debug, Default, Enum)]
#[oai(rename = "ResponseFormat", rename_all = "snake_case")]
pub(crate) enum Format {
    /// Everything explained.
    #[default]
    Detailed,
    /// The steps and little else.
    Concise,
    /// For who knows computers.
    Technical,
}

impl From<Format> for ResponseFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Detailed => Self::Detailed,
            Format::Concise => Self::Concise,
            Format::Technical => Self::Technical,
        }
    }
}

/// A problem.
#[derive(Object)]
#[oai(example)]
pub(crate) struct SolveRequest {
    /// The person's words, at most 8,000 characters. May be empty when there is a picture.
    #[oai(default)]
    pub(super) text: String,
    /// The `path` of a picture that was uploaded.
    pub(super) image_path: Option<String>,
    /// What the browser read in the screenshot, at most 8,000 characters.
    pub(super) image_text: Option<String>,
    /// The session that it continues; a new one begins without.
    pub(super) session_id: Option<String>,
    /// Accepted and not needed: a question with a `session_id` is a follow-up.
    #[oai(default)]
    pub(super) follow_up: bool,
    /// How the answer is to be written; `detailed` without.
    pub(super) response_format: Option<Format>,
    /// `false`: nothing but counters is kept after the session ends.
    pub(super) save: Option<bool>,
}

impl Example for SolveRequest {
    fn example() -> Self {
        Self {
            text: "All'avvio appare una schermata blu con 0x0000007B".into(),
            image_path: None,
            image_text: None,
            session_id: None,
            follow_up: false,
            response_format: Some(Format::Detailed),
            save: Some(true),
        }
    }
}

/// A question about an answer.
#[derive(Object)]
#[oai(example)]
pub(crate) struct FollowUpRequest {
    /// The session of the answer.
    pub(super) session_id: String,
    /// The person's words, at most 4,000 characters.
    pub(super) question: String,
    /// How the answer is to be written; `detailed` without.
    pub(super) response_format: Option<Format>,
    /// `false`: nothing of this is kept after the session ends.
    pub(super) save: Option<bool>,
}

impl Example for FollowUpRequest {
    fn example() -> Self {
        Self {
            session_id: Uuid::nil().to_string(),
            question: "Non trovo il menu di cui parli".into(),
            response_format: None,
            save: None,
        }
    }
}

/// How a step may affect what the person has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "StepClass", rename_all = "snake_case")]
pub(crate) enum Class {
    /// Nothing can be lost.
    Safe,
    /// Changes something; the step says what, and how to undo it.
    Careful,
    /// For a person who repairs computers.
    Technician,
}

impl From<StepClass> for Class {
    fn from(class: StepClass) -> Self {
        match class {
            StepClass::Safe => Self::Safe,
            StepClass::Careful => Self::Careful,
            StepClass::Technician => Self::Technician,
        }
    }
}

/// A code that was recognised.
#[derive(Object)]
#[oai(rename = "RecognisedCode")]
pub(crate) struct CodeBody {
    /// In its usual spelling.
    code: String,
    /// Its symbolic name.
    name: String,
}

/// An article of the handbook.
#[derive(Object)]
#[oai(rename = "Source")]
pub(crate) struct SourceBody {
    /// Its id.
    id: String,
    /// Its Italian title.
    title: String,
}

/// How much of a kind was hidden.
#[derive(Object)]
pub(crate) struct HiddenCount {
    /// `email`, `phone`, `iban`, `card`, `fiscal_code`, `product_key` or `password`.
    kind: String,
    /// How many different ones.
    count: u32,
}

/// What left for the model ('Cosa inviamo').
#[derive(Object)]
#[oai(rename = "Sent")]
pub(crate) struct SentBody {
    /// Who runs the model.
    provider: String,
    /// The person's words after hiding.
    text: String,
    /// Whether the picture went with them.
    image: bool,
    /// What was hidden.
    hidden: Vec<HiddenCount>,
}

impl From<Sent> for SentBody {
    fn from(sent: Sent) -> Self {
        let hidden = sent.hidden.into_iter().map(|(kind, count)| HiddenCount { kind, count });
        Self { provider: sent.provider, text: sent.text, image: sent.image, hidden: hidden.collect() }
    }
}

/// An answer.
#[derive(Object)]
#[oai(rename = "Answer", example, skip_serializing_if_is_none)]
pub(crate) struct AnswerBody {
    /// The session.
    session_id: String,
    /// Counts from 1 within the session.
    interaction_id: u32,
    /// What the question is about.
    problem_analysis: String,
    /// What it is and why it happens.
    diagnosis: String,
    /// 0 to 1.
    confidence_level: f64,
    /// What to do, in order.
    steps: Vec<String>,
    /// The class of each step.
    step_classes: Vec<Class>,
    /// What else helps; may be empty.
    additional_tips: String,
    /// What to beware of, the gravest first.
    warnings: Vec<String>,
    /// The handbook's id of the problem.
    family: Option<String>,
    /// The codes that were recognised.
    codes: Vec<CodeBody>,
    /// The articles behind it.
    sources: Vec<SourceBody>,
    /// `model` or `handbook`.
    engine: String,
    /// The model's name as received.
    model_used: String,
    /// Seconds from the request to the answer.
    response_time: f64,
    /// Says that an AI wrote it, or that it comes from the handbook.
    generated_by: String,
    /// The handbook answered because the model could not; it cost no request.
    fell_back: bool,
    /// Whether it cost a request.
    counted: bool,
    /// What left for the model; absent with the handbook.
    sent: Option<SentBody>,
}

impl From<Answer> for AnswerBody {
    fn from(answer: Answer) -> Self {
        let Content { steps, .. } = &answer.content;
        let step_classes = steps.iter().map(|step| step.class.into()).collect();
        let content = answer.content;
        Self {
            session_id: answer.session_id.to_string(),
            interaction_id: answer.interaction_id,
            problem_analysis: content.problem_analysis,
            diagnosis: content.diagnosis,
            confidence_level: content.confidence,
            steps: content.steps.into_iter().map(|step| step.text).collect(),
            step_classes,
            additional_tips: content.additional_tips,
            warnings: content.warnings,
            family: content.family,
            codes: content.codes.into_iter().map(|code| CodeBody { code: code.code, name: code.name }).collect(),
            sources: content
                .sources
                .into_iter()
                .map(|source| SourceBody { id: source.id, title: source.title })
                .collect(),
            engine: content.engine.as_str().into(),
            model_used: content.model_used,
            response_time: f64::from(answer.response_time_ms) / 1_000.0,
            generated_by: content.generated_by,
            fell_back: content.fell_back,
            counted: answer.counted,
            sent: content.sent.map(SentBody::from),
        }
    }
}

impl Example for AnswerBody {
    fn example() -> Self {
        Self {
            session_id: Uuid::nil().to_string(),
            interaction_id: 1,
            problem_analysis: "All'avvio Windows si ferma con una schermata blu.".into(),
            diagnosis: "Windows non riesce a leggere il disco da cui parte.".into(),
            confidence_level: 0.9,
            steps: vec!["Spegni il computer e stacca tutte le chiavette USB.".into()],
            step_classes: vec![Class::Safe],
            additional_tips: String::new(),
            warnings: Vec::new(),
            family: Some("bsod-boot-device".into()),
            codes: vec![CodeBody { code: "0x0000007B".into(), name: "INACCESSIBLE_BOOT_DEVICE".into() }],
            sources: vec![SourceBody {
                id: "bsod-boot-device".into(),
                title: "Windows non trova il disco di avvio".into(),
            }],
            engine: "handbook".into(),
            model_used: "manuale".into(),
            response_time: 0.02,
            generated_by: "Dal manuale di Rimedio".into(),
            fell_back: false,
            counted: true,
            sent: None,
        }
    }
}

/// A stage of the work.
#[derive(Object)]
#[oai(skip_serializing_if_is_none)]
pub(crate) struct ProgressEvent {
    /// `received`, `recognising`, `asking_model`, `checking` or `handbook`.
    pub(super) stage: String,
    /// What a person reads meanwhile.
    pub(super) text: String,
    /// Where the answer will stand; with the first event.
    pub(super) session_id: Option<String>,
}

/// A field so far.
#[derive(Object)]
pub(crate) struct PartialEvent {
    /// `problem_analysis`, `diagnosis`, `steps` or `additional_tips`.
    pub(super) field: String,
    /// The whole value so far: a text, or the texts of the steps. Stands in the place of an earlier one.
    pub(super) value: Any<Value>,
}

/// A failure after the stream began.
#[derive(Object)]
pub(crate) struct ErrorEvent {
    /// An Italian sentence for the person.
    pub(super) detail: String,
    /// The stable name of the failure.
    pub(super) code: String,
    /// Ties it to the server's log.
    pub(super) request_id: String,
    /// The status that it would have had.
    pub(super) status: u16,
}

#[allow(clippy::large_enum_variant, reason = "one event at a time, written at once")]
/// What the event stream holds: `progress`, `partial`, then one `result` or one `error`.
#[derive(Union)]
pub(crate) enum StreamEvent {
    /// `event: progress`
    Progress(ProgressEvent),
    /// `event: partial`
    Partial(PartialEvent),
    /// `event: result`, equal to the plain answer
    Result(AnswerBody),
    /// `event: error`
    Error(ErrorEvent),
}

/// Where an uploaded picture is.
#[derive(Object)]
#[oai(example)]
pub(crate) struct UploadResponse {
    /// For `image_path`, and for its owner to look at.
    pub(super) path: String,
}

impl Example for UploadResponse {
    fn example() -> Self {
        Self { path: format!("{PATH_PREFIX}{}", Uuid::nil()) }
    }
}

/// What somebody thinks of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "Feedback", rename_all = "snake_case")]
pub(crate) enum FeedbackName {
    /// It helped.
    Positive,
    /// It did not.
    Negative,
}

impl From<FeedbackName> for Feedback {
    fn from(name: FeedbackName) -> Self {
        match name {
            FeedbackName::Positive => Self::Positive,
            FeedbackName::Negative => Self::Negative,
        }
    }
}

impl From<Feedback> for FeedbackName {
    fn from(feedback: Feedback) -> Self {
        match feedback {
            Feedback::Positive => Self::Positive,
            Feedback::Negative => Self::Negative,
        }
    }
}

/// Feedback on an answer.
#[derive(Object)]
#[oai(example)]
pub(crate) struct FeedbackRequest {
    /// The session.
    pub(super) session_id: String,
    /// The answer within it.
    pub(super) interaction_id: u32,
    /// What the person thinks.
    pub(super) feedback: FeedbackName,
}

impl Example for FeedbackRequest {
    fn example() -> Self {
        Self { session_id: Uuid::nil().to_string(), interaction_id: 1, feedback: FeedbackName::Positive }
    }
}

/// Thanks.
#[derive(Object)]
#[oai(example)]
pub(crate) struct MessageResponse {
    /// A sentence for the person.
    pub(super) message: String,
}

impl Example for MessageResponse {
    fn example() -> Self {
        Self { message: THANKS.into() }
    }
}

/// What a person reads who said what they think.
pub(super) const THANKS: &str = "Grazie per il tuo feedback!";
