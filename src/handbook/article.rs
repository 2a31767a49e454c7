//! An article as a writer keeps it. The build script includes this file: it reads the articles with these structs,
//! refuses what does not hold, and embeds the rest.

use serde::{Deserialize, Serialize};

/// What a device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// Not bound to one.
    Any,
    /// Windows 10 and 11.
    Windows,
    /// Apple's computers.
    Macos,
    /// Linux on a computer.
    Linux,
    /// Android telephones and tablets.
    Android,
    /// iPhone and iPad.
    Ios,
}

/// How often a cause is the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Likelihood {
    /// Most often.
    Frequent,
    /// Now and then.
    Possible,
    /// Seldom.
    Rare,
}

/// Why it happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// A sentence.
    pub text: String,
    /// How often.
    pub likelihood: Likelihood,
}

/// How a step may affect what the user has, as written in an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WrittenClass {
    /// Nothing can be lost.
    Safe,
    /// Changes something; `undo` says how to go back.
    Careful,
    /// For a person who repairs computers.
    Technician,
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenStep {
    /// What to do.
    pub text: String,
    /// How it may affect what the user has.
    pub class: WrittenClass,
    /// What it changes and how to go back; there with every careful step.
    #[serde(default)]
    pub undo: Option<String>,
    /// Only for devices of this kind.
    #[serde(default)]
    pub platform: Option<Platform>,
}

/// All that is known of one family of problems.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article {
    /// The family's id; also the name of the file.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The shelf it stands on.
    pub category: String,
    /// What it is, in one sentence.
    pub summary: String,
    /// Where it happens.
    pub platforms: Vec<Platform>,
    /// How people say it, codes included.
    pub words: Vec<String>,
    /// How to see that it is solved.
    pub verify: String,
    /// When to stop and ask somebody.
    pub stop: String,
    /// What one sees.
    #[serde(default)]
    pub signs: Vec<String>,
    /// What else helps.
    #[serde(default)]
    pub tips: Vec<String>,
    /// What to beware of.
    #[serde(default)]
    pub cautions: Vec<String>,
    /// Families that look alike.
    #[serde(default)]
    pub related: Vec<String>,
    /// Why it happens.
    pub causes: Vec<Cause>,
    /// What to do, from the harmless to the serious.
    pub steps: Vec<WrittenStep>,
}

/// A family of problems by its name and the words for it; an article may or may not be written yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// Its id, stable.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// Where it happens.
    pub platforms: Vec<Platform>,
    /// How people say it.
    pub words: Vec<String>,
}

/// Everything that is embedded as one document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Shelf {
    /// Every family, in the order of its table.
    pub families: Vec<Family>,
    /// The articles that are written, by id.
    pub articles: Vec<Article>,
    /// What is said, and what is meant by it.
    pub synonyms: Vec<(String, String)>,
    /// Numbers, addresses and links that may stand in an answer.
    pub contacts: Vec<String>,
}
