//! The embedded knowledge: which code or problem a text is about, and what to do. It needs no network, knows
//! nothing of accounts, and gives the same answer to the same question.
//!
//! The knowledge itself is data beside the sources (`handbook/`), validated and embedded by the build script: every
//! family of problems with the words that people use for it, articles for the families that are written, tables of
//! codes. [`Handbook::recognise`] finds codes and families, [`Handbook::guidance`] writes the answer.

#[allow(unreachable_pub, reason = "the build script reads the articles with the same structs")]
mod article;
mod codes;
mod guidance;
mod search;
mod topic;
mod words;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use article::{Article, Cause, Likelihood, Platform, WrittenClass, WrittenStep};
use article::{Family, Shelf};
use codes::{Codes, Found, Kind};
use search::{Document, Index};
use topic::Emergency;
use words::Words;

use crate::folding::plain;

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

/// The knowledge that the binary carries.
static EMBEDDED: LazyLock<Handbook> = LazyLock::new(|| {
    let document = include_bytes!(concat!(env!("OUT_DIR"), "/handbook.json"));
    let shelf = serde_json::from_slice(document).expect("the build script wrote this document with the same structs");
    Handbook::new(shelf)
});

/// Families in which somebody is being cheated, or may be.
const FRAUDS: [&str; 5] = ["scam-popup", "remote-access-scam", "phishing", "payment-fraud", "data-breach"];
/// How many candidates are told.
const CANDIDATES: usize = 5;
/// The score at which a family is as likely as not.
const EVEN_SCORE: f32 = 9.0;
/// A fraud with a stranger in play weighs so much more than the words alone.
const STRANGER: f32 = 1.6;
/// How sure a recognised code makes of its family.
const CODE_CONFIDENCE: f64 = 0.95;
/// A follow-up stays with its family unless its words point elsewhere with at least this confidence.
const ELSEWHERE_CONFIDENCE: f64 = 0.6;

/// The handbook. Reading it takes some milliseconds, once.
#[derive(Debug)]
pub struct Handbook {
    families: Vec<Family>,
    articles: HashMap<String, Article>,
    contacts: Vec<String>,
    codes: Codes,
    family_of_code: HashMap<Found, String>,
    words: Words,
    index: Index,
}

/// What is seen in a question.
#[derive(Debug)]
struct Seen {
    topic: Topic,
    emergency: Option<Emergency>,
    codes: Vec<Found>,
    candidates: Vec<Candidate>,
    platform: Option<Platform>,
}

impl Handbook {
    /// The one that the binary carries.
    #[must_use]
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    fn new(shelf: Shelf) -> Self {
        let words = Words::new(&shelf.synonyms);
        let codes = Codes::embedded();
        let articles: HashMap<String, Article> =
            shelf.articles.into_iter().map(|article| (article.id.clone(), article)).collect();
        let mut family_of_code = HashMap::new();
        let mut documents = Vec::new();
        for family in &shelf.families {
            let article = articles.get(&family.id);
            for word in article.into_iter().flat_map(|article| &article.words) {
                for found in codes.find(&plain(word)) {
                    family_of_code.entry(found).or_insert_with(|| family.id.clone());
                }
            }
            documents.push(document(family, article));
        }
        let index = Index::of(&documents, &words);
        Self { families: shelf.families, articles, contacts: shelf.contacts, codes, family_of_code, words, index }
    }

    /// What a question is about.
    #[must_use]
    pub fn recognise(&self, question: &Question) -> Recognition {
        let seen = self.look(question);
        let codes = seen.codes.iter().map(|found| self.codes.describe(*found)).collect();
        Recognition { topic: seen.topic, codes, candidates: seen.candidates }
    }

    /// The answer to a question.
    #[must_use]
    pub fn guidance(&self, question: &Question) -> Guidance {
        guidance::compose(self, question, &self.look(question))
    }

    /// An article by the id of its family.
    #[must_use]
    pub fn article(&self, id: &str) -> Option<&Article> {
        self.articles.get(id)
    }

    /// Every article, by the order of the families.
    pub fn articles(&self) -> impl Iterator<Item = &Article> {
        self.families.iter().filter_map(|family| self.articles.get(&family.id))
    }

    /// The numbers, addresses and links that may stand in an answer.
    pub fn contacts(&self) -> impl Iterator<Item = &str> {
        self.contacts.iter().map(String::as_str)
    }

    fn title(&self, id: &str) -> &str {
        self.families.iter().find(|family| family.id == id).map_or("", |family| &family.title)
    }

    fn look(&self, question: &Question) -> Seen {
        let read = question.image_text.as_deref().unwrap_or_default();
        let text = format!("{}\n{read}", question.text);
        let folded = plain(&text);
        let emergency = topic::emergency(&folded);
        let codes = self.codes.find(&folded);
        let platform = guidance::platform_in(&folded);
        let elsewhere = codes.is_empty() && topic::is_elsewhere(&folded);
        if emergency.is_some() || elsewhere {
            return Seen { topic: Topic::OffTopic, emergency, codes, candidates: Vec::new(), platform };
        }
        let stranger = topic::sounds_like_a_stranger(&folded);
        let mut candidates = self.candidates(&text, stranger);
        let stopped = codes.first().filter(|code| code.kind != Kind::Report);
        if let Some(family) = stopped.map(|code| self.family_of(*code, &folded)) {
            // A fraud shows codes, too; it stays in front.
            let fraud = stranger && candidates.first().is_some_and(|first| FRAUDS.contains(&first.family.as_str()));
            prefer(&mut candidates, usize::from(fraud), self.candidate(&family, CODE_CONFIDENCE));
        }
        if let Some(family) = question.earlier.iter().rev().find_map(|earlier| earlier.family.as_deref())
            && candidates.first().is_none_or(|first| first.confidence < ELSEWHERE_CONFIDENCE)
        {
            prefer(&mut candidates, 0, self.candidate(family, ELSEWHERE_CONFIDENCE));
        }
        candidates.truncate(CANDIDATES);
        let fraud = candidates
            .first()
            .is_some_and(|first| FRAUDS.contains(&first.family.as_str()) && (stranger || first.confidence >= 0.4));
        let topic = if fraud { Topic::Fraud } else { Topic::Problem };
        Seen { topic, emergency, codes, candidates, platform }
    }

    fn candidates(&self, text: &str, stranger: bool) -> Vec<Candidate> {
        let stems = self.words.stems(text);
        let mut hits = self.index.search(&stems);
        if stranger {
            for hit in &mut hits {
                let fraud = self.families.get(hit.document).is_some_and(|family| FRAUDS.contains(&family.id.as_str()));
                hit.score *= if fraud { STRANGER } else { 1.0 };
            }
            hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        }
        let second = hits.get(1).map_or(0.0, |hit| hit.score);
        let known = self.index.known_part(&stems);
        let candidate = |(place, hit): (usize, &search::Hit)| {
            let family = self.families.get(hit.document)?;
            // Alone in front is surer than first of many; words that nobody knows make less sure.
            let lead = if place == 0 { (hit.score - second) / hit.score } else { 0.0 };
            let confidence = hit.score / (hit.score + EVEN_SCORE) * (0.7 + 0.2 * lead + 0.1 * known);
            Some(Candidate {
                family: family.id.clone(),
                title: family.title.clone(),
                confidence: (f64::from(confidence) * 100.0).round() / 100.0,
            })
        };
        hits.iter().take(CANDIDATES + 1).enumerate().filter_map(candidate).collect()
    }

    fn candidate(&self, family: &str, confidence: f64) -> Candidate {
        Candidate { family: family.to_owned(), title: self.title(family).to_owned(), confidence }
    }

    fn family_of(&self, code: Found, folded: &str) -> String {
        // A code of a full disk is about the update when an update showed it.
        if code.kind == Kind::Update && folded.contains("aggiorna") {
            return "update-failed".to_owned();
        }
        self.family_of_code.get(&code).cloned().unwrap_or_else(|| match code.kind {
            Kind::Stop | Kind::Report => codes::family_by_name(self.codes.name(code)).to_owned(),
            Kind::Update => "update-failed".to_owned(),
        })
    }
}

/// Puts a candidate at a place, and nowhere else.
fn prefer(candidates: &mut Vec<Candidate>, place: usize, preferred: Candidate) {
    candidates.retain(|candidate| candidate.family != preferred.family);
    candidates.insert(place.min(candidates.len()), preferred);
}

fn document(family: &Family, article: Option<&Article>) -> Document {
    let mut fields = vec![(family.title.clone(), 3.0)];
    let mut phrases = family.words.clone();
    if let Some(article) = article {
        fields.push((article.title.clone(), 2.0));
        fields.push((article.summary.clone(), 1.0));
        fields.extend(article.signs.iter().map(|sign| (sign.clone(), 1.0)));
        phrases.extend(article.words.iter().cloned());
    }
    fields.extend(phrases.iter().map(|phrase| (phrase.clone(), 2.0)));
    Document { fields, phrases, name: family.title.clone() }
}

impl Article {
    /// The article as plain text, for a model's prompt.
    #[must_use]
    pub fn as_text(&self) -> String {
        let mut lines = vec![self.summary.clone()];
        lines.extend(self.causes.iter().map(|cause| format!("Causa: {}", cause.text)));
        lines.extend(self.steps.iter().map(|step| {
            let only =
                step.platform.map(|platform| format!("({}) ", guidance::platform_name(platform))).unwrap_or_default();
            let undo = step.undo.as_deref().map(|undo| format!(" {undo}")).unwrap_or_default();
            format!("Passaggio: {only}{}{undo}", step.text)
        }));
        lines.extend(self.cautions.iter().map(|caution| format!("Attenzione: {caution}")));
        lines.push(format!("Verifica: {}", self.verify));
        lines.push(format!("Quando fermarsi: {}", self.stop));
        lines.join("\n")
    }
}
