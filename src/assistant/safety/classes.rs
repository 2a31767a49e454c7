//! How a step that a model wrote may affect what the person has. What changes something says how to undo it.

use std::sync::LazyLock;

use regex::Regex;

use crate::assistant::contact::pattern;
use crate::folding::plain;
use crate::handbook::{Step, StepClass};

static TECHNICIAN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"regedit|registro di (?:sistema|windows)|chiave di registro|\bhkey_|diskpart|bootrec|\bbcdedit|\bbcdboot|\bflash\w*\b.{0,20}\b(?:bios|uefi|firmware)",
        r"|aggiorn\w+ .{0,20}\b(?:bios|uefi)\b|\b(?:smont|apr)\w* .{0,15}\b(?:il case|il computer|il pc|il portatile|lo chassis|il telefono|la scocca)\b",
        r"|\b(?:sostitu|cambi|rimuov|estra|smont|togli)\w* .{0,25}\b(?:ram|banco|banchi|hard disk|disco rigido|ssd|scheda madre|scheda video|alimentatore|pasta termica|batteria interna|ventola|dissipatore)\b",
        r"|\bformatt\w*|reinstall\w* (?:windows|il sistema|macos)|installazione pulita|\bmkfs|\bfdisk|\bsudo |partizion\w*|saldatur\w*|overclock|gestione disco.{0,40}(?:elimin|inizializz)",
    ))
});

static CAREFUL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:disinstall|elimin|cancell|svuot|ripristin|reimpost|resett|disattiv|disabilit|modific|rimuov|sostitu|sovrascriv)\w*|\breset\b",
        r"|\baggiorn\w* .{0,30}\b(?:driver|firmware|windows|sistema|app)\b|\b(?:rinomin|spost)\w* .{0,30}\b(?:cartella|file)\b",
        r"|\bcambi\w* .{0,30}\b(?:password|impostazion|dns|indirizzo|nome|canale)\w*|\bchkdsk\b|\bmodalita provvisoria\b|\bnetsh\b|\bdism\b|\bgruppo|punto di ripristino",
    ))
});

static SAYS_HOW_TO_UNDO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"annull|tornare? (?:indietro|com'era|come prima|alle? impostazioni)|torna (?:com|come)|riattiv|riabilit|reinstall|ripristinar|recuper|rimett|",
        r"puoi (?:sempre )?(?:tornare|rimetter|riprender)|cestino|copia|backup|annota|fotograf|punto di ripristino|in qualsiasi momento|non (?:si )?perd",
    ))
});

/// Gives a step the gravest class that its words call for, and a way back where it names none.
pub(super) fn classify(step: &mut Step) {
    let text = plain(&step.text);
    let by_words = if TECHNICIAN.is_match(&text) {
        StepClass::Technician
    } else if CAREFUL.is_match(&text) {
        StepClass::Careful
    } else {
        StepClass::Safe
    };
    step.class = graver(step.class, by_words);
    if step.class != StepClass::Safe && !SAYS_HOW_TO_UNDO.is_match(&text) {
        let ends = step.text.trim_end().ends_with(['.', '!', '?', ':']);
        step.text.truncate(step.text.trim_end().len());
        step.text.push_str(if ends { " " } else { ". " });
        step.text.push_str(way_back(&text));
    }
}

fn way_back(text: &str) -> &'static str {
    if text.contains("disinstall") {
        "Questo toglie il programma: se ti serve ancora, potrai reinstallarlo."
    } else if text.contains("driver") || text.contains("aggiorn") {
        "Questo cambia un programma del computer: se dopo va peggio, puoi tornare alla versione di prima."
    } else if ["elimin", "cancell", "svuot"].iter().any(|word| text.contains(word)) {
        "Questo toglie dei file: prima controlla che non ti servano, o fanne una copia."
    } else {
        "Questo cambia un'impostazione: prima annota o fotografa com'era, così puoi tornare indietro."
    }
}

const fn graver(one: StepClass, other: StepClass) -> StepClass {
    match (one, other) {
        (StepClass::Technician, _) | (_, StepClass::Technician) => StepClass::Technician,
        (StepClass::Careful, _) | (_, StepClass::Careful) => StepClass::Careful,
        (StepClass::Safe, StepClass::Safe) => StepClass::Safe,
    }
}
