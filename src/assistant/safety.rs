//! The last word before a person reads: an answer is checked, whichever engine wrote it. No step tells to erase a
//! disk without a copy made first, to switch protection off for good, to call a number that a pop-up shows, to
//! hand out a password, to let a stranger in or to run a download from an unknown site; no phone number, address or
//! link stands in it that the handbook does not vouch for. What breaks a rule is taken out and a warning says so.
//! Pure: text in, text out. It must hold against a text that was written to get past it.

mod classes;
mod contacts;
mod dangers;

use super::draft::{Author, Draft};
pub use contacts::Contacts;
use dangers::{Danger, Prose};

use crate::folding::plain;

/// What stands first when a fraud is likely.
pub const FRAUD_WARNING: &str = "Attenzione: può essere una truffa. Non chiamare numeri che compaiono sullo schermo, non dare \
    password o codici a nessuno, non pagare e non far entrare nessuno nel tuo computer.";

/// What says that a contact was taken out.
pub const CONTACT_WARNING: &str = "Abbiamo tolto da questa risposta un numero, un indirizzo o un collegamento che non possiamo \
    verificare. Usa solo i contatti ufficiali che trovi sui tuoi documenti.";

/// What the answer says of itself when nothing of its first part may stay.
const NOTHING_LEFT: &str = "Abbiamo letto il problema che descrivi.";

/// What an answer is checked against.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// Who wrote it.
    pub author: Author,
    /// The contacts that may stand in it.
    pub contacts: &'a Contacts,
    /// Whether the question looks like a fraud.
    pub fraud: Suspicion,
}

/// Whether a fraud is likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// Nothing points to one.
    None,
    /// The person may be talking to a swindler right now.
    Likely,
}

impl Suspicion {
    /// What the words of a question, or of its screenshot, point to.
    #[must_use]
    pub fn of(question: &str) -> Self {
        if dangers::sounds_like_fraud(&plain(question)) { Self::Likely } else { Self::None }
    }
}

/// What the check changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Steps that were taken out.
    pub steps_removed: usize,
    /// Sentences that were taken out of the texts around the steps.
    pub sentences_removed: usize,
    /// Contacts that were taken out.
    pub contacts_removed: usize,
}

impl Findings {
    /// Whether the answer left the check as it came.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

/// Checks an answer and takes out what must not reach a person.
pub fn check(draft: &mut Draft, circumstances: &Circumstances<'_>) -> Findings {
    let mut findings = Findings::default();
    let mut warnings: Vec<&'static str> = Vec::new();
    remove_dangerous_steps(draft, circumstances, &mut findings, &mut warnings);
    remove_dangerous_sentences(draft, circumstances, &mut findings, &mut warnings);
    draft.rewrite(|text| {
        let (clean, removed) = circumstances.contacts.without_strangers(text);
        findings.contacts_removed += removed;
        clean
    });
    if findings.contacts_removed > 0 {
        warnings.push(CONTACT_WARNING);
    }
    if circumstances.author == Author::Model {
        for step in &mut draft.steps {
            classes::classify(step);
        }
        draft.confidence = if draft.confidence.is_finite() { draft.confidence.clamp(0.0, 1.0) } else { 0.0 };
    }
    for warning in warnings {
        if !draft.warnings.iter().any(|present| present == warning) {
            draft.warnings.push(warning.to_owned());
        }
    }
    if circumstances.fraud == Suspicion::Likely && !draft.warnings.first().is_some_and(|first| warns_of_fraud(first)) {
        draft.warnings.insert(0, FRAUD_WARNING.to_owned());
    }
    findings
}

fn warns_of_fraud(warning: &str) -> bool {
    let warning = plain(warning);
    ["truff", "fals", "raggir", "ingann", "non chiamare"].iter().any(|word| warning.contains(word))
}

fn remove_dangerous_steps(
    draft: &mut Draft,
    circumstances: &Circumstances<'_>,
    findings: &mut Findings,
    warnings: &mut Vec<&'static str>,
) {
    let texts: Vec<String> = draft.steps.iter().map(|step| step.text.clone()).collect();
    let mut kept = Vec::with_capacity(texts.len());
    let mut saved = false;
    for (index, mut step) in std::mem::take(&mut draft.steps).into_iter().enumerate() {
        let later = texts.get(index + 1..).unwrap_or_default().join(" ") + " " + &draft.additional_tips;
        let course = dangers::Course { backup_made: saved, later: &later, contacts: circumstances.contacts };
        match dangers::in_text(&step.text, &course, Prose::Instruction) {
            Some(danger) => {
                findings.steps_removed += 1;
                if !warnings.contains(&danger.warning()) {
                    warnings.push(danger.warning());
                }
            }
            None => {
                saved |= dangers::makes_a_backup(&step.text);
                if dangers::leaves_protection_off(&step.text, &later) {
                    step.text.push_str(" Appena hai finito, riattiva la protezione.");
                }
                kept.push(step);
            }
        }
    }
    draft.steps = kept;
}

fn remove_dangerous_sentences(
    draft: &mut Draft,
    circumstances: &Circumstances<'_>,
    findings: &mut Findings,
    warnings: &mut Vec<&'static str>,
) {
    let mut found: Vec<Danger> = Vec::new();
    let steps: String = draft.steps.iter().map(|step| step.text.as_str()).collect::<Vec<_>>().join(" ");
    let course = dangers::Course {
        backup_made: dangers::makes_a_backup(&steps),
        later: &steps,
        contacts: circumstances.contacts,
    };
    let mut clean = |text: &str| dangers::without_dangerous_sentences(text, &course, &mut found);
    draft.problem_analysis = clean(&draft.problem_analysis);
    draft.diagnosis = clean(&draft.diagnosis);
    draft.additional_tips = clean(&draft.additional_tips);
    for warning in &mut draft.warnings {
        *warning = clean(warning);
    }
    draft.warnings.retain(|warning| !warning.trim().is_empty());
    if draft.problem_analysis.trim().is_empty() && !found.is_empty() {
        NOTHING_LEFT.clone_into(&mut draft.problem_analysis);
    }
    findings.sentences_removed += found.len();
    for danger in found {
        if !warnings.contains(&danger.warning()) {
            warnings.push(danger.warning());
        }
    }
}

#[cfg(test)]
mod tests;
