//! What is personal stays here: before a text leaves for a model, e-mail addresses, phone numbers, IBANs, card
//! numbers, codici fiscali, product keys and passwords that the text names as such become placeholders such as
//! `[EMAIL-1]`. A [`Redaction`] remembers what stood there, so that the answer that the person reads holds it
//! again, and says by kind how much was hidden ('Cosa inviamo'). Pure; codes of errors are left alone.
//!
//! What was read in a screenshot is hidden too, but never put back: a number in a fake warning must not come back
//! looking like advice.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::contact::{self, pattern};
use crate::folding::{Accents, Folded};

/// A kind of personal data that is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// A bank account.
    Iban,
    /// A payment card.
    Card,
    /// A codice fiscale.
    FiscalCode,
    /// A product key, or the recovery key of an encrypted disk.
    ProductKey,
    /// A password, PIN or one-time code that the text names as such.
    Password,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Email, Self::Phone, Self::Iban, Self::Card, Self::FiscalCode, Self::ProductKey, Self::Password];

    /// The name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Iban => "iban",
            Self::Card => "card",
            Self::FiscalCode => "fiscal_code",
            Self::ProductKey => "product_key",
            Self::Password => "password",
        }
    }

    /// The word inside a placeholder.
    #[must_use]
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::Email => "EMAIL",
            Self::Phone => "TELEFONO",
            Self::Iban => "IBAN",
            Self::Card => "CARTA",
            Self::FiscalCode => "CODICE-FISCALE",
            Self::ProductKey => "CHIAVE",
            Self::Password => "PASSWORD",
        }
    }

    /// What a person reads in the place of something that came from a screenshot.
    const fn described(self) -> &'static str {
        match self {
            Self::Email => "(indirizzo e-mail dello screenshot)",
            Self::Phone => "(numero di telefono dello screenshot)",
            Self::Iban => "(IBAN dello screenshot)",
            Self::Card => "(numero di carta dello screenshot)",
            Self::FiscalCode => "(codice fiscale dello screenshot)",
            Self::ProductKey => "(codice dello screenshot)",
            Self::Password => "(password dello screenshot)",
        }
    }
}

/// Where a text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The person wrote it, or reads it already.
    Person,
    /// It was read in a picture.
    Screenshot,
}

#[derive(Clone, Debug)]
struct Hidden {
    kind: Kind,
    number: usize,
    value: String,
    origin: Origin,
}

/// What was hidden in the texts of one question.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    hidden: Vec<Hidden>,
}

impl Redaction {
    /// The text with placeholders in the place of personal data. The same value gets the same placeholder.
    pub fn hide(&mut self, text: &str, origin: Origin) -> String {
        let mut hidden = String::with_capacity(text.len());
        let mut copied = 0;
        for (kind, range) in find(text) {
            let (Some(before), Some(value)) = (text.get(copied..range.start), text.get(range.clone())) else {
                continue;
            };
            hidden.push_str(before);
            hidden.push_str(&self.placeholder(kind, value, origin));
            copied = range.end;
        }
        hidden.push_str(text.get(copied..).unwrap_or_default());
        hidden
    }

    /// The text with what the person had written in the place of the placeholders.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"(?i)\\?\[\s*(EMAIL|TELEFONO|IBAN|CARTA|CODICE-FISCALE|CHIAVE|PASSWORD)\\?-(\d{1,4})\s*\\?\]")
        });
        PLACEHOLDER
            .replace_all(text, |found: &regex::Captures<'_>| {
                let kind = found.get(1).map_or("", |word| word.as_str()).to_uppercase();
                let number = found.get(2).and_then(|digits| digits.as_str().parse().ok()).unwrap_or(0);
                let known =
                    self.hidden.iter().find(|hidden| hidden.kind.placeholder() == kind && hidden.number == number).map(
                        |hidden| match hidden.origin {
                            Origin::Person => hidden.value.as_str(),
                            Origin::Screenshot => hidden.kind.described(),
                        },
                    );
                known.unwrap_or_else(|| found.get(0).map_or("", |whole| whole.as_str())).to_owned()
            })
            .into_owned()
    }

    /// How many different values of each kind were hidden; kinds without any are left out.
    #[must_use]
    pub fn counts(&self) -> Vec<(Kind, usize)> {
        Kind::ALL
            .into_iter()
            .map(|kind| (kind, self.hidden.iter().filter(|hidden| hidden.kind == kind).count()))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    fn placeholder(&mut self, kind: Kind, value: &str, origin: Origin) -> String {
        let known = self.hidden.iter_mut().find(|hidden| hidden.kind == kind && hidden.value == value);
        let number = if let Some(hidden) = known {
            // What the person wrote too is theirs, wherever else it stands.
            if origin == Origin::Person {
                hidden.origin = Origin::Person;
            }
            hidden.number
        } else {
            let number = self.hidden.iter().filter(|hidden| hidden.kind == kind).count() + 1;
            self.hidden.push(Hidden { kind, number, value: value.to_owned(), origin });
            number
        };
        format!("[{}-{number}]", kind.placeholder())
    }
}

/// What is personal in a text, in the order of the text, without overlaps. Where two kinds claim the same
/// place, the one named first below wins.
fn find(original: &str) -> Vec<(Kind, Range<usize>)> {
    let folded = Folded::of(original, Accents::Keep);
    let text = folded.text();
    let mut found: Vec<(Kind, Range<usize>)> = Vec::new();
    let finders: [(_, fn(&_) -> _); 7] = [
        (Kind::ProductKey, product_keys),
        (Kind::Iban, ibans),
        (Kind::FiscalCode, fiscal_codes),
        (Kind::Email, contact::emails),
        (Kind::Card, cards),
        (Kind::Password, passwords),
        (Kind::Phone, contact::phones),
    ];
    for (kind, finder) in finders {
        for range in finder(text) {
            let range = folded.original(range);
            let free = found.iter().all(|(_, taken)| range.end <= taken.start || taken.end <= range.start);
            if free && !range.is_empty() {
                found.push((kind, range));
            }
        }
    }
    found.sort_by_key(|(_, range)| range.start);
    found
}

fn product_keys(text: &str) -> Vec<Range<usize>> {
    // Windows and Office: five groups of five; the recovery key of BitLocker: eight groups of six digits.
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(?:[a-z0-9]{5}(?:-[a-z0-9]{5}){4}|[a-z0-9]{5}(?: [a-z0-9]{5}){4}|\d{6}(?:[- ]\d{6}){7})\b")
    });
    let has_digit =
        |range: &Range<usize>| text.get(range.clone()).is_some_and(|key| key.contains(|c: char| c.is_ascii_digit()));
    let spaced_words = |range: &Range<usize>| {
        // Five words of five letters are a sentence; a key has digits in most of its groups.
        let key = text.get(range.clone()).unwrap_or_default();
        key.contains(' ') && key.split(' ').filter(|group| group.contains(|c: char| c.is_ascii_digit())).count() < 3
    };
    KEY.find_iter(text).map(|key| key.range()).filter(|range| has_digit(range) && !spaced_words(range)).collect()
}

/// Lengths of the IBANs of the countries whose people write to us most (SWIFT's registry).
const IBAN_LENGTHS: [(&str, usize); 26] = [
    ("it", 27),
    ("sm", 27),
    ("va", 22),
    ("de", 22),
    ("fr", 27),
    ("es", 24),
    ("ch", 21),
    ("at", 20),
    ("be", 16),
    ("nl", 18),
    ("pt", 25),
    ("ie", 22),
    ("gb", 22),
    ("lu", 20),
    ("mt", 31),
    ("ro", 24),
    ("pl", 28),
    ("lt", 20),
    ("gr", 27),
    ("si", 19),
    ("hr", 21),
    ("hu", 28),
    ("cz", 24),
    ("sk", 24),
    ("bg", 22),
    ("al", 28),
];

fn ibans(text: &str) -> Vec<Range<usize>> {
    static START: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[a-z]{2}[ ]?\d{2}[ \-]?[a-z0-9]"));
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in START.find_iter(text) {
        let Some(length) = IBAN_LENGTHS.iter().find(|(country, _)| start.as_str().starts_with(country)) else {
            continue;
        };
        let Some((end, compact)) = take_alphanumerics(text, start.start(), length.1) else { continue };
        let named =
            text.get(..start.start()).is_some_and(|before| before.trim_end_matches([' ', ':', '=']).ends_with("iban"));
        // A mistyped one that the text calls an IBAN is somebody's all the same.
        if iban_holds(&compact) || named {
            found.push(start.start()..end);
        }
    }
    found
}

/// `count` letters and digits from `start` on, single spaces and hyphens between them left out.
fn take_alphanumerics(text: &str, start: usize, count: usize) -> Option<(usize, String)> {
    let mut compact = String::with_capacity(count);
    let mut separated = false;
    for (offset, character) in text.get(start..)?.char_indices() {
        if character.is_ascii_alphanumeric() {
            compact.push(character);
            separated = false;
        } else if matches!(character, ' ' | '-') && !separated {
            separated = true;
        } else {
            return None;
        }
        if compact.len() == count {
            let end = start + offset + 1;
            let next = text.get(end..)?.chars().next();
            return next.is_none_or(|character| !character.is_ascii_alphanumeric()).then_some((end, compact));
        }
    }
    None
}

/// ISO 13616: the remainder modulo 97 is 1.
fn iban_holds(compact: &str) -> bool {
    let (Some(head), Some(tail)) = (compact.get(..4), compact.get(4..)) else { return false };
    let remainder = tail.chars().chain(head.chars()).try_fold(0_u32, |remainder, character| {
        let value = character.to_digit(36)?;
        Some(if value < 10 { (remainder * 10 + value) % 97 } else { (remainder * 100 + value) % 97 })
    });
    remainder == Some(1)
}

fn cards(text: &str) -> Vec<Range<usize>> {
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[2-6]\d{3}(?:[ .\-]?\d){9,15}\b"));
    DIGITS.find_iter(text).filter(|digits| luhn_holds(digits.as_str())).map(|digits| digits.range()).collect()
}

/// The check digit of ISO/IEC 7812.
fn luhn_holds(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|character| character.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    (13..=19).contains(&digits.len())
        && sum.is_multiple_of(10)
        && digits.iter().any(|digit| Some(digit) != digits.first())
}

fn fiscal_codes(text: &str) -> Vec<Range<usize>> {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b[a-z]{3} ?[a-z]{3} ?[0-9lmnpqrstuv]{2}[abcdehlmprst][0-9lmnpqrstuv]{2} ?[a-z][0-9lmnpqrstuv]{3} ?[a-z]\b",
        )
    });
    CODE.find_iter(text).filter(|code| fiscal_code_holds(code.as_str())).map(|code| code.range()).collect()
}

/// The control character of D.M. 23 December 1976: odd places by a table, even places by their value.
fn fiscal_code_holds(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let compact: Vec<u32> = text
        .chars()
        .filter_map(|character| match character {
            '0'..='9' => character.to_digit(10),
            _ => character.to_digit(36).map(|value| value - 10),
        })
        .collect();
    let Some((control, code)) = compact.split_last().filter(|(_, code)| code.len() == 15) else { return false };
    let sum: u32 = code
        .iter()
        .enumerate()
        .map(|(place, value)| match place % 2 {
            0 => usize::try_from(*value).ok().and_then(|value| ODD.get(value)).copied().unwrap_or(0),
            _ => *value,
        })
        .sum();
    sum % 26 == *control
}

/// Words that follow 'la password è' without being one.
const NO_PASSWORDS: [&str; 74] = [
    "sbagliata",
    "sbagliato",
    "errata",
    "errato",
    "corretta",
    "corretto",
    "giusta",
    "giusto",
    "scaduta",
    "scaduto",
    "stata",
    "stato",
    "non",
    "quella",
    "quello",
    "sempre",
    "troppo",
    "dimenticata",
    "dimenticato",
    "cambiata",
    "cambiato",
    "salvata",
    "salvato",
    "bloccata",
    "bloccato",
    "valida",
    "valido",
    "incorrect",
    "wrong",
    "invalid",
    "expired",
    "required",
    "richiesta",
    "richiesto",
    "necessaria",
    "necessario",
    "obbligatoria",
    "la",
    "il",
    "lo",
    "le",
    "i",
    "gli",
    "un",
    "una",
    "di",
    "del",
    "della",
    "da",
    "per",
    "che",
    "ma",
    "e",
    "o",
    "se",
    "mi",
    "me",
    "si",
    "ti",
    "ci",
    "vi",
    "in",
    "con",
    "su",
    "come",
    "quando",
    "perché",
    "anche",
    "più",
    "uguale",
    "lunga",
    "corta",
    "debole",
    "nuova",
];

fn passwords(text: &str) -> Vec<Range<usize>> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\b(?:password|passwd|passphrase|pwd|psw|pass|parola d'ordine|parola chiave|pin|puk|otp|cvv|cvc|codice di sicurezza|codice segreto",
            r"|codice di sblocco|codice di verifica|codice otp|codice sms|chiave (?:del |della )?(?:wi-?fi|rete|wpa2?)|chiave di rete)\b",
            r"(?P<of>(?:\s+(?:di|del|dello|della|dell'|dei|per|al|alla|mia|mio|attuale|vecchia|nuova|wi-?fi|rete|router|modem|telefono|cellulare|pc|computer|sim|account|gmail|posta|mail|e-mail|email|facebook|whatsapp|banca|windows|apple|google|instagram|amazon|netflix|spid|utente)){0,5})",
            r"\s*(?P<link>:|=|->|\bè\b|\be'|\bsarebbe\b|\bera\b|\bis\b|\s)\s*",
            r"(?P<value>\x22[^\x22\n]{1,64}\x22|'[^'\n]{1,64}'|[^\s\x22]{1,64})",
        ))
    });
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(captures) = NAMED.captures_at(text, from) {
        let (Some(whole), Some(value)) = (captures.get(0), captures.name("value")) else { break };
        let link = captures.name("link").map_or("", |link| link.as_str().trim());
        let (range, is_secret) = secret(value.as_str(), value.start(), link);
        if is_secret {
            from = range.end;
            found.push(range);
        } else {
            // The value may itself be the word that names the next one: 'la password è: pippo'.
            from = value.start().max(whole.start() + 1);
        }
    }
    found
}

fn secret(value: &str, start: usize, link: &str) -> (Range<usize>, bool) {
    let quoted = value.len() > 2 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']);
    let (inner, offset) = if quoted {
        (&value[1..value.len() - 1], 1)
    } else {
        (value.trim_end_matches(['.', ',', ';', ')', '!', '?']), 0)
    };
    // An exclamation mark that closes a sentence is not part of the password; inside a mixed one it mostly is.
    let inner = if offset == 0 && value.starts_with(inner) && value[inner.len()..].starts_with('!') && mixed(inner) {
        &value[..=inner.len()]
    } else {
        inner
    };
    let range = start + offset..start + offset + inner.len();
    let placeholder = inner.starts_with('[');
    let separator = !inner.contains(char::is_alphanumeric);
    let is_secret = !inner.is_empty()
        && !separator
        && !placeholder
        && !is_error_code(inner)
        && match link {
            ":" | "=" | "->" => !NO_PASSWORDS.contains(&inner),
            "" => (quoted && !NO_PASSWORDS.contains(&inner) && !inner.contains(' ')) || mixed(inner),
            _ => quoted || !NO_PASSWORDS.contains(&inner),
        };
    (range, is_secret)
}

/// Letters with digits or signs among them, or digits alone: nobody writes words so.
fn mixed(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let letters = value.chars().filter(|character| character.is_alphabetic()).count();
    let others = value.chars().count() - digits - letters;
    (digits > 0 && letters > 0)
        || digits >= 4
        || (letters > 0 && others > 0 && value.contains(['@', '#', '$', '!', '%', '&', '*', '_']))
}

fn is_error_code(value: &str) -> bool {
    static CODE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:0x[0-9a-f]+|kb\d+|wi-?fi\d?|wpa\d?|windows\d*|office\d*)$"));
    CODE.is_match(value)
}

#[cfg(test)]
mod tests;
