//! From a question to a checked answer, whichever engine writes it: recognise, hide, ask, check, put back. Knows
//! neither accounts nor the store, so that the command line answers in the same way as the server.

use std::sync::Arc;

use super::answer::{AnsweredBy, Content, FROM_THE_HANDBOOK, Sent};
use super::draft::{Author, Draft};
use super::model::{Failure, ModelAnswer, Models, Topic as ModelTopic};
use super::prompt::{self, Ground};
use super::redaction::Redaction;
use super::safety::{self, Circumstances, Contacts, Suspicion};
use crate::handbook::{Guidance, Handbook, Question, Recognition, Source, Step, Topic};

/// A problem that the handbook is less sure of is not named as the answer's family, nor used as ground.
const LEAST_CONFIDENCE: f64 = 0.25;

/// Articles that ground a prompt.
const ARTICLES_OF_GROUND: usize = 2;

/// What is under way, for who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The question is here.
    Received,
    /// The handbook looks for codes and problems.
    Recognising,
    /// A model is asked.
    AskingModel,
    /// The answer is checked.
    Checking,
    /// The handbook answers.
    Handbook,
}

impl Stage {
    /// The name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Recognising => "recognising",
            Self::AskingModel => "asking_model",
            Self::Checking => "checking",
            Self::Handbook => "handbook",
        }
    }

    /// What a person reads meanwhile.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Received => "Ho ricevuto la tua richiesta.",
            Self::Recognising => "Cerco di capire di che problema si tratta.",
            Self::AskingModel => "Preparo la risposta. Di solito bastano pochi secondi.",
            Self::Checking => "Controllo che i passaggi siano sicuri.",
            Self::Handbook => "Cerco la soluzione nel manuale di Rimedio.",
        }
    }
}

/// What is told while an answer comes about.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A new stage.
    Stage(Stage),
    /// What is complete so far, checked like a whole answer. A later one stands in its place.
    Partial(Draft),
}

/// The engines of an installation.
#[derive(Clone, Debug)]
pub struct Engine {
    handbook: &'static Handbook,
    contacts: Arc<Contacts>,
    models: Option<Models>,
}

impl Engine {
    /// The handbook, and the models where there are any.
    #[must_use]
    pub fn new(handbook: &'static Handbook, models: Option<Models>) -> Self {
        Self { contacts: Arc::new(Contacts::from_texts(handbook.contacts())), handbook, models }
    }

    /// Which engine answers first.
    #[must_use]
    pub const fn first(&self) -> AnsweredBy {
        if self.models.is_some() { AnsweredBy::Model } else { AnsweredBy::Handbook }
    }

    /// Who runs the models, in the words that people read.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        self.models.as_ref().map(Models::provider)
    }

    /// Answers a question; always, and within the models' time limit.
    pub async fn answer(
        &self,
        question: Question,
        image: Option<Vec<u8>>,
        tell: impl Fn(Progress) + Send + Sync,
    ) -> Content {
        tell(Progress::Stage(Stage::Recognising));
        let (question, recognition, guidance, ground) = self.look_up(question).await;
        let suspicion = suspicion(&question, &recognition);
        let fell_back = match &self.models {
            Some(models) if recognition.topic != Topic::OffTopic => {
                match self.by_model(models, &question, &recognition, &ground, image, suspicion, &tell).await {
                    Ok(ModelOutcome::Answered(content)) => return *content,
                    Ok(ModelOutcome::OffTopic) => return self.off_topic().await,
                    Err(failure) => Some(failure),
                }
            }
            _ => None,
        };
        tell(Progress::Stage(Stage::Handbook));
        self.by_handbook(guidance, &recognition, suspicion, fell_back)
    }

    /// What the handbook says. Searching it takes milliseconds of computing: not on an async thread.
    async fn look_up(&self, question: Question) -> (Question, Recognition, Guidance, Vec<Ground>) {
        let handbook = self.handbook;
        let work = move || {
            let recognition = handbook.recognise(&question);
            let guidance = handbook.guidance(&question);
            let likely = recognition.candidates.iter().filter(|candidate| candidate.confidence >= LEAST_CONFIDENCE);
            let ground = likely.take(ARTICLES_OF_GROUND).filter_map(|candidate| ground_of(handbook, &candidate.family));
            let ground = ground.collect();
            (question, recognition, guidance, ground)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
            tracing::error!("the handbook failed on a question");
            let nothing = Question::default();
            let recognition = handbook.recognise(&nothing);
            let guidance = handbook.guidance(&nothing);
            (nothing, recognition, guidance, Vec::new())
        })
    }

    #[allow(clippy::too_many_arguments, reason = "each is another part of the one question")]
    async fn by_model(
        &self,
        models: &Models,
        question: &Question,
        recognition: &Recognition,
        ground: &[Ground],
        image: Option<Vec<u8>>,
        suspicion: Suspicion,
        tell: &(impl Fn(Progress) + Send + Sync),
    ) -> Result<ModelOutcome, Failure> {
        let mut redaction = Redaction::default();
        let has_image = image.is_some();
        let composed = prompt::compose(question, recognition, ground, image, &mut redaction);
        let checked = |answer: &ModelAnswer| {
            let mut draft = draft_of(answer);
            let fraud = if answer.topic == ModelTopic::Fraud { Suspicion::Likely } else { suspicion };
            let contacts = &self.contacts;
            let findings = safety::check(&mut draft, &Circumstances { author: Author::Model, contacts, fraud });
            draft.rewrite(|text| redaction.restore(text));
            (draft, findings)
        };
        tell(Progress::Stage(Stage::AskingModel));
        let partial = |answer: &ModelAnswer| {
            if answer.topic != ModelTopic::OffTopic {
                tell(Progress::Partial(checked(answer).0));
            }
        };
        let reply = models.ask(&composed.prompt, partial).await?;
        tell(Progress::Stage(Stage::Checking));
        if reply.answer.topic == ModelTopic::OffTopic {
            return Ok(ModelOutcome::OffTopic);
        }
        let (draft, findings) = checked(&reply.answer);
        if !findings.is_clean() {
            tracing::warn!(model = reply.model, ?findings, "an answer broke rules and was changed");
        }
        if draft.steps.is_empty() {
            return Err(Failure::Unusable);
        }
        let hidden = redaction.counts().into_iter();
        let sent = Sent {
            provider: models.provider().to_owned(),
            text: composed.shown,
            image: has_image,
            hidden: hidden
                .map(|(kind, count)| (kind.as_str().to_owned(), u32::try_from(count).unwrap_or(u32::MAX)))
                .collect(),
        };
        let mut content = content_of(draft, recognition);
        content.generated_by = format!("Risposta scritta da un'intelligenza artificiale ({})", reply.model);
        content.engine = AnsweredBy::Model;
        content.model_used = reply.model;
        content.sent = Some(sent);
        content.tokens = reply.tokens.total();
        Ok(ModelOutcome::Answered(Box::new(content)))
    }

    fn by_handbook(
        &self,
        guidance: Guidance,
        recognition: &Recognition,
        suspicion: Suspicion,
        fell_back: Option<Failure>,
    ) -> Content {
        let (family, sources) = (guidance.family.clone(), guidance.sources.clone());
        let mut draft = Draft::from(guidance);
        let off_topic = recognition.topic == Topic::OffTopic;
        let fraud = if off_topic { Suspicion::None } else { suspicion };
        let findings =
            safety::check(&mut draft, &Circumstances { author: Author::Handbook, contacts: &self.contacts, fraud });
        if findings.steps_removed > 0 {
            tracing::error!(?family, ?findings, "an article of the handbook broke rules and was changed");
        }
        if let Some(failure) = fell_back {
            draft.warnings.push(why_the_handbook(failure).to_owned());
        }
        let mut content = content_of(draft, recognition);
        content.family = family;
        content.sources = sources;
        content.fell_back = fell_back.is_some();
        content.off_topic = off_topic;
        content
    }

    /// What is said to a question that the product is not for.
    async fn off_topic(&self) -> Content {
        let recognition = Recognition { topic: Topic::OffTopic, codes: Vec::new(), candidates: Vec::new() };
        let (_, _, guidance, _) =
            self.look_up(Question { text: NOT_ABOUT_DEVICES.into(), ..Question::default() }).await;
        self.by_handbook(guidance, &recognition, Suspicion::None, None)
    }
}

/// A question that the handbook takes for none of its business.
const NOT_ABOUT_DEVICES: &str = "Mi dai una ricetta per la torta di mele?";

enum ModelOutcome {
    Answered(Box<Content>),
    OffTopic,
}

fn suspicion(question: &Question, recognition: &Recognition) -> Suspicion {
    let read = question.image_text.as_deref().unwrap_or_default();
    let heard = Suspicion::of(&format!("{} {read}", question.text));
    if recognition.topic == Topic::Fraud { Suspicion::Likely } else { heard }
}

const fn why_the_handbook(failure: Failure) -> &'static str {
    match failure {
        Failure::Ceiling => {
            "Oggi l'intelligenza artificiale ha raggiunto il suo limite: questa risposta viene dal manuale di Rimedio e non ti \
             costa una richiesta."
        }
        Failure::Timeout => {
            "L'intelligenza artificiale non ha risposto in tempo: questa risposta viene dal manuale di Rimedio e non ti costa \
             una richiesta."
        }
        Failure::Unusable => {
            "L'intelligenza artificiale non ha dato una risposta utile: questa viene dal manuale di Rimedio e non ti costa una \
             richiesta."
        }
    }
}

fn draft_of(answer: &ModelAnswer) -> Draft {
    Draft {
        problem_analysis: answer.problem_analysis.clone(),
        diagnosis: answer.diagnosis.clone(),
        confidence: answer.confidence,
        steps: answer.steps.iter().map(|step| Step { text: step.text.clone(), class: step.class }).collect(),
        additional_tips: answer.additional_tips.clone(),
        warnings: answer.warnings.clone(),
    }
}

/// A draft with what was recognised around it, as the handbook's until somebody says otherwise.
fn content_of(draft: Draft, recognition: &Recognition) -> Content {
    let likely: Vec<_> =
        recognition.candidates.iter().filter(|candidate| candidate.confidence >= LEAST_CONFIDENCE).collect();
    Content {
        problem_analysis: draft.problem_analysis,
        diagnosis: draft.diagnosis,
        confidence: draft.confidence,
        steps: draft.steps,
        additional_tips: draft.additional_tips,
        warnings: draft.warnings,
        family: likely.first().map(|candidate| candidate.family.clone()),
        codes: recognition.codes.clone(),
        sources: likely
            .iter()
            .take(ARTICLES_OF_GROUND)
            .map(|candidate| Source { id: candidate.family.clone(), title: candidate.title.clone() })
            .collect(),
        engine: AnsweredBy::Handbook,
        model_used: "manuale".into(),
        generated_by: FROM_THE_HANDBOOK.into(),
        fell_back: false,
        off_topic: false,
        sent: None,
        tokens: 0,
    }
}

fn ground_of(handbook: &Handbook, family: &str) -> Option<Ground> {
    let article = handbook.article(family)?;
    Some(Ground { title: article.title.clone(), text: article.as_text() })
}
