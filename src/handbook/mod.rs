//! The embedded knowledge: which code or problem a text is about, and what to do. It needs no network, knows
//! nothing of accounts, and gives the same answer to the same question.

/// How a step may affect what the user has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepClass {
    /// Looks, restarts, plugs: nothing can be lost.
    Safe,
    /// Changes something; the step says what, and how to undo it.
    Careful,
    /// For a person who repairs computers.
    Technician,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// What to do, in Italian, one action.
    pub text: String,
    /// How it may affect what the user has.
    pub class: StepClass,
}

/// How an answer is to be written; the user's preference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// Everything explained.
    #[default]
    Detailed,
    /// The steps and little else.
    Concise,
    /// For who knows computers: codes, names, causes.
    Technical,
}

/// What came of a step, as the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// 'Fatto'.
    Done,
    /// 'Non ha funzionato'.
    Failed,
    /// 'Non lo trovo'.
    NotFound,
}

/// An answer given before in the same session.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// The problem it was about.
    pub family: Option<String>,
    /// Its steps and what came of each.
    pub steps: Vec<(String, Option<StepOutcome>)>,
}

/// What somebody asks.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The person's words.
    pub text: String,
    /// What was read in the screenshot, when something was.
    pub image_text: Option<String>,
    /// Whether a picture came with the question.
    pub has_image: bool,
    /// How the answer is to be written.
    pub format: ResponseFormat,
    /// The answers of this session so far, oldest first; empty for a first question.
    pub earlier: Vec<Earlier>,
}

/// A code that was recognised.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RecognisedCode {
    /// In its usual spelling, such as `0x0000007B`.
    pub code: String,
    /// Its symbolic name, such as `INACCESSIBLE_BOOT_DEVICE`.
    pub name: String,
}

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Source {
    /// The id of the article.
    pub id: String,
    /// Its Italian title.
    pub title: String,
}

/// What kind of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// About computers, phones or the net.
    Problem,
    /// A fraud, under way or suspected: a warning comes first.
    Fraud,
    /// Not about what the product is for; costs no request.
    OffTopic,
}

/// A problem that the question may be about.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The id of the family.
    pub family: String,
    /// Its Italian title.
    pub title: String,
    /// 0 to 1.
    pub confidence: f64,
}

/// What the handbook sees in a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognition {
    /// What kind of question it is.
    pub topic: Topic,
    /// The codes in it, in the order of their weight.
    pub codes: Vec<RecognisedCode>,
    /// The likeliest families first, at most 5.
    pub candidates: Vec<Candidate>,
}

/// The handbook's own answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Guidance {
    /// What the question is about, in the user's terms.
    pub problem_analysis: String,
    /// What it is and why it happens.
    pub diagnosis: String,
    /// 0 to 1.
    pub confidence: f64,
    /// What to do, from the harmless to the serious.
    pub steps: Vec<Step>,
    /// What else helps; may be empty.
    pub additional_tips: String,
    /// What to beware of; a fraud's warning comes first.
    pub warnings: Vec<String>,
    /// The family answered, when one was recognised.
    pub family: Option<String>,
    /// The articles it stands on.
    pub sources: Vec<Source>,
}

/// An article as text, for a model's prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    /// Its Italian title.
    pub title: String,
    /// All of it as plain text.
    pub text: String,
}

/// The knowledge that the binary carries.
#[derive(Debug)]
pub struct Handbook;

impl Handbook {
    /// The one that the binary carries.
    #[must_use]
    pub const fn embedded() -> &'static Self {
        &Self
    }

    /// What a question is about.
    #[must_use]
    pub fn recognise(&self, _question: &Question) -> Recognition {
        Recognition { topic: Topic::Problem, codes: Vec::new(), candidates: Vec::new() }
    }

    /// The answer to a question.
    #[must_use]
    pub fn guidance(&self, _question: &Question) -> Guidance {
        Guidance {
            problem_analysis: "Non ho ancora capito di che problema si tratta.".into(),
            diagnosis: "Servono altri particolari.".into(),
            confidence: 0.1,
            steps: vec![Step { text: "Spegni e riaccendi il dispositivo.".into(), class: StepClass::Safe }],
            additional_tips: String::new(),
            warnings: Vec::new(),
            family: None,
            sources: Vec::new(),
        }
    }

    /// An article by its id.
    #[must_use]
    pub const fn article(&self, _id: &str) -> Option<&Article> {
        None
    }

    /// The texts whose numbers, addresses and links may stand in an answer.
    #[must_use]
    pub const fn contacts(&self) -> Vec<&str> {
        Vec::new()
    }
}
