//! Which families a text is about: BM25 over stems, with phrases that people say counting more than their words, and
//! words with a slip of the pen counting as what was meant. An inverted index: what a question costs depends on its
//! words, not on how many families there are.

use std::collections::{BTreeMap, HashMap};

use super::words::Words;

/// BM25's saturation of repeated words, its usual value.
const SATURATION: f32 = 1.2;
/// BM25's correction for long documents, its usual value.
const LENGTH_CORRECTION: f32 = 0.75;
/// A word with a slip counts for so much of the right one.
const SLIP: f32 = 0.7;
/// A phrase that is found whole adds so much of the weight of its words.
const PHRASE: f32 = 0.9;
/// Words from this many letters on are looked for with a slip.
const SHORTEST_WITH_SLIP: usize = 5;
/// Words from this many letters on may have two.
const SHORTEST_WITH_TWO_SLIPS: usize = 8;

/// What is indexed of one family.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Each text with its weight, such as the title with 3.
    pub(super) fields: Vec<(String, f32)>,
    /// What people say; each is also indexed as a field.
    pub(super) phrases: Vec<String>,
    /// What it is called. A name of one word (`WhatsApp`) counts as a phrase, which other single words do not.
    pub(super) name: String,
}

/// A family that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// Which document, in the order in which they were given.
    pub(super) document: usize,
    /// Higher fits better.
    pub(super) score: f32,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// For each stem the documents that hold it, with its weighted number of occurrences.
    postings: HashMap<String, Vec<(u32, f32)>>,
    /// For each first stem the phrases that begin with it.
    phrases: HashMap<String, Vec<(Vec<String>, u32)>>,
    /// Stems without one of their letters, so that a slip is found without looking at every stem.
    shortened: HashMap<String, Vec<String>>,
    lengths: Vec<f32>,
    usual_length: f32,
}

impl Index {
    pub(super) fn of(documents: &[Document], words: &Words) -> Self {
        let mut index = Self::default();
        for (number, document) in (0_u32..).zip(documents) {
            let mut counts: BTreeMap<String, f32> = BTreeMap::new();
            for (text, weight) in &document.fields {
                for stem in words.stems(text) {
                    *counts.entry(stem).or_default() += weight;
                }
            }
            for phrase in &document.phrases {
                let stems = words.stems(phrase);
                if let [first, _, ..] = &stems[..] {
                    index.phrases.entry(first.clone()).or_default().push((stems, number));
                }
            }
            if let [name] = &words.stems(&document.name)[..] {
                index.phrases.entry(name.clone()).or_default().push((vec![name.clone()], number));
            }
            index.lengths.push(counts.values().sum());
            for (stem, count) in counts {
                index.postings.entry(stem).or_default().push((number, count));
            }
        }
        let total: f32 = index.lengths.iter().sum();
        index.usual_length = (total / index.count().max(1.0)).max(1.0);
        let stems: Vec<String> = index.postings.keys().cloned().collect();
        for stem in stems {
            for short in shortened(&stem) {
                index.shortened.entry(short).or_default().push(stem.clone());
            }
        }
        index
    }

    #[allow(clippy::cast_precision_loss, reason = "families are counted in thousands")]
    fn count(&self) -> f32 {
        self.lengths.len() as f32
    }

    /// How much a stem that stands in so many documents tells.
    #[allow(clippy::cast_precision_loss, reason = "families are counted in thousands")]
    fn rarity(&self, documents: usize) -> f32 {
        let documents = documents as f32;
        (1.0 + (self.count() - documents + 0.5) / (documents + 0.5)).ln()
    }

    /// How much of a question the index knows: 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "words of a question")]
    pub(super) fn known_part(&self, stems: &[String]) -> f32 {
        if stems.is_empty() {
            return 0.0;
        }
        stems.iter().filter(|stem| self.postings.contains_key(*stem)).count() as f32 / stems.len() as f32
    }

    /// The documents that fit, best first; a tie keeps their order.
    pub(super) fn search(&self, stems: &[String]) -> Vec<Hit> {
        let meant: Vec<(String, f32)> = stems.iter().map(|stem| self.meant(stem)).collect();
        let mut scores: BTreeMap<u32, f32> = BTreeMap::new();
        let mut asked: Vec<&(String, f32)> = Vec::new();
        for word in &meant {
            // Who says it twice does not mean it twice.
            if asked.iter().all(|other| other.0 != word.0) {
                asked.push(word);
            }
        }
        for (stem, certainty) in asked {
            let Some(postings) = self.postings.get(stem) else { continue };
            let rarity = self.rarity(postings.len()) * certainty;
            for (document, count) in postings {
                let length = self.lengths.get(*document as usize).copied().unwrap_or(self.usual_length);
                let correction = 1.0 - LENGTH_CORRECTION + LENGTH_CORRECTION * length / self.usual_length;
                let weight = count * (SATURATION + 1.0) / (count + SATURATION * correction);
                *scores.entry(*document).or_default() += rarity * weight;
            }
        }
        for (document, bonus) in self.phrases_in(&meant) {
            *scores.entry(document).or_default() += bonus;
        }
        let mut hits: Vec<Hit> =
            scores.into_iter().map(|(document, score)| Hit { document: document as usize, score }).collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits
    }

    /// The best phrase of each document that stands in the question.
    fn phrases_in(&self, meant: &[(String, f32)]) -> BTreeMap<u32, f32> {
        let mut best: BTreeMap<u32, f32> = BTreeMap::new();
        for (at, (first, _)) in meant.iter().enumerate() {
            for (phrase, document) in self.phrases.get(first).into_iter().flatten() {
                let here = meant.get(at..at + phrase.len()).unwrap_or_default();
                if here.len() == phrase.len() && here.iter().zip(phrase).all(|((stem, _), word)| stem == word) {
                    let weight: f32 = phrase
                        .iter()
                        .map(|stem| self.postings.get(stem).map_or(0.0, |postings| self.rarity(postings.len())))
                        .sum();
                    let bonus = best.entry(*document).or_default();
                    *bonus = bonus.max(weight * PHRASE);
                }
            }
        }
        best
    }

    /// The stem that was meant, and how sure that is.
    fn meant(&self, stem: &str) -> (String, f32) {
        let letters = stem.chars().count();
        if self.postings.contains_key(stem)
            || letters < SHORTEST_WITH_SLIP
            || stem.chars().any(|character| character.is_ascii_digit())
        {
            return (stem.to_owned(), 1.0);
        }
        let slips = if letters >= SHORTEST_WITH_TWO_SLIPS { 2 } else { 1 };
        let candidates = shortened(stem).into_iter().flat_map(|short| self.shortened.get(&short).into_iter().flatten());
        let near = candidates
            .filter(|candidate| candidate.chars().next() == stem.chars().next())
            .map(|candidate| (strsim::osa_distance(candidate, stem), candidate))
            .filter(|(distance, _)| *distance <= slips)
            .min();
        near.map_or_else(|| (stem.to_owned(), 1.0), |(_, candidate)| (candidate.clone(), SLIP))
    }
}

/// A word, and the word without each of its letters.
fn shortened(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    if word.chars().count() >= SHORTEST_WITH_SLIP - 1 {
        for (at, character) in word.char_indices() {
            all.push(format!("{}{}", &word[..at], &word[at + character.len_utf8()..]));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> (Index, Words) {
        let words = Words::new(&[("cellulare".into(), "telefono".into())]);
        let document = |title: &str, phrases: &[&str]| Document {
            fields: std::iter::once((title.to_owned(), 3.0))
                .chain(phrases.iter().map(|phrase| ((*phrase).to_owned(), 1.0)))
                .collect(),
            phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
            name: title.to_owned(),
        };
        let documents = [
            document("Stampante ferma", &["stampa bloccata", "coda di stampa"]),
            document("Telefono lento", &["batteria che dura poco"]),
            document("Disco pieno", &["spazio esaurito", "disco pieno di foto"]),
        ];
        (Index::of(&documents, &words), words)
    }

    fn first(text: &str) -> Option<usize> {
        let (index, words) = index();
        index.search(&words.stems(text)).first().map(|hit| hit.document)
    }

    #[test]
    fn the_family_whose_words_are_said_comes_first() {
        assert_eq!(first("la stampa è bloccata"), Some(0));
        assert_eq!(first("il cellulare è lento"), Some(1));
        assert_eq!(first("ho il disco pieno"), Some(2));
        assert_eq!(first("una torta di mele"), None);
    }

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        assert_eq!(first("la stanpante"), Some(0));
        assert_eq!(first("la bateria"), Some(1));
        assert_eq!(first("esuarito"), Some(2));
    }

    #[test]
    fn a_question_without_words_finds_nothing() {
        let (index, words) = index();
        assert!(index.search(&words.stems("")).is_empty());
        assert!(index.search(&words.stems("!!! ??? …")).is_empty());
        assert!(index.known_part(&[]).abs() < f32::EPSILON);
    }
}
