//! Codes in a person's words: stop codes of Windows and codes of its updates, by number or by name, in any spelling.
//! People write them short (`0x7B`), padded, without `0x`, in lower case, with blanks, as words, with the letter O for
//! the digit 0, or as a camera read them. Ordinary numbers must never become codes.

use std::collections::{HashMap, HashSet};

use super::RecognisedCode;

const STOP_CODES: &str = include_str!("../../handbook/codes/stop_codes.tsv");
const STOP_ALIASES: &str = include_str!("../../handbook/codes/stop_code_aliases.tsv");
const WINDOWS_UPDATE: &str = include_str!("../../handbook/codes/windows_update.tsv");

/// What a code belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A blue screen.
    Stop,
    /// What Windows writes into a report without stopping, or what belongs to a console.
    Report,
    /// An update of Windows.
    Update,
}

/// A code that stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Found {
    /// Its table.
    pub(super) kind: Kind,
    /// Its number.
    pub(super) value: u32,
}

/// The tables, and the ways to look into them.
#[derive(Debug)]
pub(super) struct Codes {
    names: HashMap<(Kind, u32), &'static str>,
    /// A name of several words, as [`look_alike`] words, by its first word.
    by_first_word: HashMap<String, Vec<(Vec<String>, Found)>>,
}

/// Words after which a short number without `0x` is a stop code.
const STOP_WORDS: [&str; 4] = ["stop", "bugcheck", "arresto", "bsod"];

/// Words that make a number of 8 digits without `0x` one of the updates' or of the stop codes'.
const LONGEST_HEX: usize = 8;

impl Codes {
    /// The tables that the binary carries.
    pub(super) fn embedded() -> Self {
        let mut codes = Self { names: HashMap::new(), by_first_word: HashMap::new() };
        for (table, kind) in [(STOP_CODES, Kind::Stop), (WINDOWS_UPDATE, Kind::Update)] {
            let head: Vec<&str> = table.lines().next().unwrap_or_default().split('\t').collect();
            let column = |name: &str| head.iter().position(|cell| *cell == name);
            let (name_at, kind_at) = (column("name").unwrap_or(1), column("kind"));
            for line in table.lines().skip(1) {
                let cells: Vec<&'static str> = line.split('\t').collect();
                let stops = kind_at.and_then(|at| cells.get(at)).is_none_or(|kind| kind.starts_with("bugcheck"));
                let kind = if stops { kind } else { Kind::Report };
                if let (Some(code), Some(name)) = (cells.first(), cells.get(name_at)) {
                    codes.enter(kind, code, name, Naming::Usual);
                }
            }
        }
        for line in STOP_ALIASES.lines().skip(1) {
            let mut cells = line.split('\t');
            if let (Some(code), Some(alias)) = (cells.next(), cells.next()) {
                codes.enter(Kind::Stop, code, alias, Naming::Second);
            }
        }
        codes
    }

    fn enter(&mut self, kind: Kind, code: &str, name: &'static str, naming: Naming) {
        let Some(value) = code.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return;
        };
        if naming == Naming::Usual {
            self.names.entry((kind, value)).or_insert(name);
        }
        let words: Vec<String> = name.split('_').filter(|word| !word.is_empty()).map(look_alike).collect();
        // A name of one word is an ordinary word, too.
        if let [first, _, ..] = &words[..] {
            self.by_first_word.entry(first.clone()).or_default().push((words, Found { kind, value }));
        }
    }

    /// How a code is written, and its name.
    pub(super) fn describe(&self, found: Found) -> RecognisedCode {
        let name = self.names.get(&(found.kind, found.value)).copied().unwrap_or_default();
        RecognisedCode { code: format!("0x{:08X}", found.value), name: name.to_owned() }
    }

    /// The symbolic name of a code.
    pub(super) fn name(&self, found: Found) -> &'static str {
        self.names.get(&(found.kind, found.value)).copied().unwrap_or_default()
    }

    /// The codes in a text that was folded, in their order, each once.
    pub(super) fn find(&self, plain: &str) -> Vec<Found> {
        let tokens = tokens(plain);
        let around = Around::of(&tokens);
        let (mut found, mut seen): (Vec<Found>, HashSet<Found>) = (Vec::new(), HashSet::new());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let here = self.name_at(&tokens[at..]).or_else(|| self.number_at(&tokens, at, around));
            let Some((code, length)) = here else {
                at += 1;
                continue;
            };
            if seen.insert(code) {
                found.push(code);
            }
            at += length;
            // What stands in brackets behind a stop code are its parameters.
            if tokens.get(at).is_some_and(|next| next.depth > token.depth) {
                while tokens.get(at).is_some_and(|next| next.depth > token.depth) {
                    at += 1;
                }
            }
        }
        // A name is certain; a number next to it is most often a parameter or the same code.
        found.sort_by_key(|code| code.kind);
        found
    }

    fn name_at(&self, tokens: &[Token<'_>]) -> Option<(Found, usize)> {
        let first = look_alike(tokens.first()?.text);
        let names = self.by_first_word.get(&first)?;
        let fits = |words: &[String]| {
            words.len() <= tokens.len() && words.iter().zip(tokens).all(|(word, token)| *word == look_alike(token.text))
        };
        names.iter().filter(|(words, _)| fits(words)).max_by_key(|(words, _)| words.len()).map(|(w, f)| (*f, w.len()))
    }

    fn number_at(&self, tokens: &[Token<'_>], at: usize, around: Around) -> Option<(Found, usize)> {
        let token = tokens.get(at)?;
        let next = tokens.get(at + 1);
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let stop_before = before.is_some_and(|word| STOP_WORDS.contains(&word.text));
        if let Some(digits) = token.text.strip_prefix("0x").or_else(|| token.text.strip_prefix("ox")) {
            // `0x 0000007b` and `0x8007 0005`
            let (value, length) = match (digits.is_empty(), next) {
                (true, Some(next)) => (hexadecimal(next.text)?, 2),
                (false, Some(next)) if digits.len() == 4 && next.text.len() == 4 && next.touches => {
                    match hexadecimal(next.text) {
                        Some(low) => (hexadecimal(digits)? << 16 | low, 2),
                        None => (hexadecimal(digits)?, 1),
                    }
                }
                _ => (hexadecimal(digits)?, 1),
            };
            return self.known(value, around).map(|found| (found, length));
        }
        let has_letter = token.text.chars().any(|character| character.is_ascii_alphabetic());
        let has_digit = token.text.chars().any(|character| character.is_ascii_digit());
        // `stop 7b` and, of a blue screen, `stop 50`; never `stop 10 secondi`.
        if stop_before && has_digit && token.text.len() <= LONGEST_HEX && (has_letter || around.a_blue_screen) {
            return self.known(hexadecimal(token.text)?, around).map(|found| (found, 1));
        }
        if token.negative && token.text.len() >= 9 {
            let value: i64 = token.text.parse().ok()?;
            let value = u32::try_from(i64::from(u32::MAX) + 1 - value).ok()?;
            return self.known(value, Around { updates: true, ..around }).map(|found| (found, 1));
        }
        // 8 digits alone are a code only when they look like one: 80070005, c000021a, 0000007b, never a date.
        let bare = token.text.len() == LONGEST_HEX
            && ["80", "8o", "c0", "co", "000000"].iter().any(|begin| token.text.starts_with(begin));
        if bare && (has_letter || around.an_error || tokens.len() == 1) {
            let value = hexadecimal(token.text)?;
            return self.known(value, around).map(|found| (found, 1));
        }
        None
    }

    /// The code that a number means here: the same number may be one of each table, and a printer's is none of them.
    fn known(&self, value: u32, around: Around) -> Option<Found> {
        let mut kinds = vec![Kind::Stop, Kind::Report, Kind::Update];
        if around.updates {
            kinds.rotate_right(1);
        }
        if around.a_printer && !around.a_blue_screen {
            kinds.retain(|kind| *kind == Kind::Update);
        }
        kinds.into_iter().find(|kind| self.names.contains_key(&(*kind, value))).map(|kind| Found { kind, value })
    }
}

/// What the words around a number are about.
#[derive(Clone, Copy, Debug)]
struct Around {
    updates: bool,
    a_printer: bool,
    a_blue_screen: bool,
    an_error: bool,
}

impl Around {
    fn of(tokens: &[Token<'_>]) -> Self {
        let says = |beginnings: &[&str]| {
            tokens.iter().any(|token| beginnings.iter().any(|beginning| token.text.starts_with(beginning)))
        };
        let updates = says(&["aggiorna", "updat", "kb50"]);
        Self {
            updates,
            a_printer: says(&["stampa", "spool"]),
            a_blue_screen: says(&["schermat", "blu", "azzurr", "bsod", "bugcheck", "riavvi", "crash"]),
            an_error: updates || says(&["error", "codic", "code", "windows", "installa", "dice", "esce"]),
        }
    }
}

/// Whether a name is the usual one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Usual,
    Second,
}

/// A run of letters and digits.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    /// How many brackets are open around it.
    depth: usize,
    /// A minus stands right before it.
    negative: bool,
    /// Nothing but one blank or dash stands between it and the one before.
    touches: bool,
}

fn tokens(plain: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut depth, mut start, mut last_end): (usize, Option<usize>, usize) = (0, None, 0);
    let mut close = |from: usize, to: usize, depth: usize, last_end: &mut usize| {
        let before = &plain[..from];
        let negative = before.ends_with('-') && !before.trim_end_matches('-').ends_with(char::is_alphanumeric);
        let touches = from.saturating_sub(*last_end) <= 1;
        tokens.push(Token { text: &plain[from..to], depth, negative, touches });
        *last_end = to;
    };
    for (at, character) in plain.char_indices() {
        if character.is_alphanumeric() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(from) = start.take() {
            close(from, at, depth, &mut last_end);
        }
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if let Some(from) = start {
        close(from, plain.len(), depth, &mut last_end);
    }
    tokens
}

/// A word with the letters that are taken for one another made the same.
fn look_alike(word: &str) -> String {
    let same = |character: char| match character {
        '0' => 'o',
        '1' | 'i' | '|' => 'l',
        other => other,
    };
    word.chars().flat_map(char::to_lowercase).map(same).collect()
}

/// A hexadecimal number of at most 8 digits, with O for 0 and I or L for 1.
fn hexadecimal(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > LONGEST_HEX {
        return None;
    }
    let digit = |character: char| match character {
        'o' => '0',
        'i' | 'l' => '1',
        other => other,
    };
    u32::from_str_radix(&text.chars().map(digit).collect::<String>(), 16).ok()
}

/// The family of a stop code that no article names, by the words of its name.
pub(super) fn family_by_name(name: &str) -> &'static str {
    const BY_WORD: [(&str, &str); 24] = [
        ("VIDEO", "bsod-video"),
        ("DXGK", "bsod-video"),
        ("GPU", "bsod-video"),
        ("FILE_SYSTEM", "bsod-disk"),
        ("NTFS", "bsod-disk"),
        ("DISK", "bsod-disk"),
        ("STORAGE", "bsod-disk"),
        ("VOLUME", "bsod-disk"),
        ("BOOT", "bsod-boot-device"),
        ("WHEA", "bsod-hardware"),
        ("MACHINE_CHECK", "bsod-hardware"),
        ("HARDWARE", "bsod-hardware"),
        ("CLOCK", "bsod-hardware"),
        ("THERMAL", "bsod-hardware"),
        ("POOL", "bsod-memory"),
        ("MEMORY", "bsod-memory"),
        ("PAGE", "bsod-memory"),
        ("PFN", "bsod-memory"),
        ("DRIVER", "bsod-driver"),
        ("IRQL", "bsod-driver"),
        ("USB", "bsod-driver"),
        ("REGISTRY", "bsod-system-files"),
        ("PROCESS", "bsod-system-files"),
        ("SESSION", "bsod-system-files"),
    ];
    BY_WORD.iter().find(|(word, _)| name.contains(word)).map_or("bsod-generic", |(_, family)| family)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folding::plain;

    fn found(text: &str) -> Vec<String> {
        let codes = Codes::embedded();
        codes.find(&plain(text)).into_iter().map(|found| codes.describe(found).code).collect()
    }

    #[test]
    fn a_code_is_recognised_in_any_spelling() {
        let table: &[(&str, &str)] = &[
            ("0x7B", "0x0000007B"),
            ("0x7b", "0x0000007B"),
            ("0X7B", "0x0000007B"),
            ("Ox7B", "0x0000007B"),
            ("0x0000007B", "0x0000007B"),
            ("0x0000007b", "0x0000007B"),
            ("OxOOOOOO7B", "0x0000007B"),
            ("0xO000007b", "0x0000007B"),
            ("0x 0000007B", "0x0000007B"),
            ("stop 7b", "0x0000007B"),
            ("STOP: 7B", "0x0000007B"),
            ("stop 0x7b all'avvio", "0x0000007B"),
            ("STOP: 0x0000007B (0xF78D2524, 0xC0000034, 0x00000000, 0x00000000)", "0x0000007B"),
            ("0000007b", "0x0000007B"),
            ("INACCESSIBLE_BOOT_DEVICE", "0x0000007B"),
            ("INACCESSIBLE BOOT DEVICE", "0x0000007B"),
            ("inaccessible boot device", "0x0000007B"),
            ("inaccessible-boot-device", "0x0000007B"),
            ("lNACCESSlBLE_B00T_DEVlCE", "0x0000007B"),
            ("schermata blu: Inaccessible Boot Device.", "0x0000007B"),
            ("codice 0x7b, cosa faccio?", "0x0000007B"),
            ("(0x7b)", "0x0000007B"),
            ("\"0x7b\"", "0x0000007B"),
            ("errore 0x7B!!", "0x0000007B"),
            ("０ｘ７Ｂ", "0x0000007B"),
            ("irql_not_less_or_equal", "0x0000000A"),
            ("irql_not_less_or_equa1", "0x0000000A"),
            ("IRQL NOT LESS OR EQUAL", "0x0000000A"),
            ("DRIVER_IRQL_NOT_LESS_OR_EQUAL", "0x000000D1"),
            ("0xA", "0x0000000A"),
            ("0xD1", "0x000000D1"),
            ("MEMORY_MANAGEMENT", "0x0000001A"),
            ("memory management", "0x0000001A"),
            ("0x1A", "0x0000001A"),
            ("0xlA", "0x0000001A"),
            ("page fault in nonpaged area", "0x00000050"),
            ("0x50", "0x00000050"),
            ("0x5O", "0x00000050"),
            ("critical process died", "0x000000EF"),
            ("CRITICAL_PROCESS_DIED", "0x000000EF"),
            ("0xEF", "0x000000EF"),
            ("whea uncorrectable error", "0x00000124"),
            ("0x124", "0x00000124"),
            ("0xl24", "0x00000124"),
            ("video tdr failure nvlddmkm.sys", "0x00000116"),
            ("0xc000021a", "0xC000021A"),
            ("c000021a", "0xC000021A"),
            ("C000021A", "0xC000021A"),
            ("STATUS_SYSTEM_PROCESS_TERMINATED", "0xC000021A"),
            ("bsod 124", "0x00000124"),
            ("0x80070643", "0x80070643"),
            ("80070643", "0x80070643"),
            ("0x8007 0643", "0x80070643"),
            ("0x8007-0643", "0x80070643"),
            ("0x8OO7O643", "0x80070643"),
            ("0x8024402c", "0x8024402C"),
            ("8024402C", "0x8024402C"),
            ("codice 80073712", "0x80073712"),
            ("aggiornamento non riuscito -2147024784", "0x80070070"),
            ("errore 0x80070005 accesso negato", "0x80070005"),
            ("WU_E_NO_SERVICE", "0x80240001"),
            ("ERRORE:0x80070643", "0x80070643"),
        ];
        assert!(table.len() >= 60, "{}", table.len());
        let wrong: Vec<_> = table.iter().filter(|(text, code)| found(text).first().is_none_or(|f| f != code)).collect();
        assert!(wrong.is_empty(), "{wrong:?}: {:?}", wrong.iter().map(|(text, _)| found(text)).collect::<Vec<_>>());
    }

    #[test]
    fn ordinary_words_and_numbers_are_no_codes() {
        let table = [
            "ho 80 anni e non capisco",
            "il mio numero è 0280070643",
            "il mio numero è 80240009",
            "ho pagato 80070005 lire",
            "download fermo, stop 7 minuti",
            "stop 10 secondi dopo l'avvio",
            "stampante in rete 0x0000011b",
            "chiamami al 338 1234567",
            "ho comprato il pc il 20/11/2026",
            "20261121",
            "costa 1.299,00 euro",
            "windows 11 24h2",
            "kb5034441",
            "la stampante hp 7b",
            "canon g5050",
            "ip 192.168.1.10",
            "iban IT60X0542811101000000123456",
            "80100 Napoli",
            "0x",
            "0xzz",
            "ox",
            "non stop per 3 ore",
            "il codice è 1234",
            "12345678",
            "00000000",
            "-15 gradi",
            "memoria del telefono",
            "il disco c è pieno",
            "0x123456789abcdef",
        ];
        for text in table {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_same_number_means_what_the_words_around_it_say() {
        assert_eq!(found("STOP 0x0000007B (0xC0000034)"), ["0x0000007B"], "parameters are no codes");
        assert_eq!(found("schermata blu stop 50"), ["0x00000050"]);
        assert_eq!(found("0x7B e poi anche 0xEF"), ["0x0000007B", "0x000000EF"]);
        assert_eq!(found("0x7B 0x7b INACCESSIBLE_BOOT_DEVICE"), ["0x0000007B"], "each once");
    }
}
