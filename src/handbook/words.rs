//! From a text to the words that count: folded, without the small words of Italian, each reduced to its stem, what is
//! said replaced by what is meant.

use std::collections::{HashMap, HashSet};

use rust_stemmers::{Algorithm, Stemmer};

use crate::folding::plain;

/// Words that say nothing about a problem.
const SMALL: &str = "a ad ai al alla alle allo anche ancora c che chi ci cio col come con cosa cui da dal dalla dalle dello \
    dei del della delle di e ed era essere fa faccio fare fatto gia gli ha hai hanno ho i il in io l la le lei lo lui ma me mi mia \
    mie mio molto ne nei non nel nella no noi o ogni per pero perche piu po poi posso proprio qua quando quello questa questo qui \
    quindi sa se sei si sia sono sta sto su sua sul sulla suo te ti tra tu tutta tutto un una uno va vi vorrei aiuto aiutami salve \
    buongiorno grazie ciao favore scusi scusa problema problemi errore codice dopo prima sempre ora adesso oggi ieri solo sembra \
    the of and is my to";

/// The words of a language and what they mean.
pub(super) struct Words {
    stemmer: Stemmer,
    small: HashSet<&'static str>,
    synonyms: HashMap<String, String>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Words").field("synonyms", &self.synonyms.len()).finish_non_exhaustive()
    }
}

impl Words {
    pub(super) fn new(synonyms: &[(String, String)]) -> Self {
        let stemmer = Stemmer::create(Algorithm::Italian);
        let synonyms = synonyms.iter().map(|(said, meant)| (plain(said).replace('-', ""), meant.clone())).collect();
        Self { stemmer, small: SMALL.split_whitespace().collect(), synonyms }
    }

    /// The stems of a text, in its order.
    pub(super) fn stems(&self, text: &str) -> Vec<String> {
        // `wi-fi` and `e-mail` are one word, `0x7b` stays whole, an apostrophe parts two.
        let folded = plain(text).replace("wi-fi", "wifi").replace("e-mail", "mail").replace("wai-fai", "wifi");
        let words = folded.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
        // A letter alone is the disk C or a slip, a digit alone is any number.
        let words = words.filter(|word| word.chars().nth(1).is_some() && !self.small.contains(word));
        words.map(|word| self.stem(word)).collect()
    }

    fn stem(&self, word: &str) -> String {
        let meant = self.synonyms.get(word).map_or(word, String::as_str);
        if meant.chars().any(|character| character.is_ascii_digit()) {
            return meant.to_owned();
        }
        self.stemmer.stem(meant).into_owned()
    }
}
