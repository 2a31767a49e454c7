//! Where phone numbers, e-mail addresses and links stand in a text, however they are spelled. Both sides of the
//! model use it: what goes out has them hidden, what comes back has the unknown ones taken out. It looks for
//! Italian formats first and leaves error codes, versions, dates and local addresses alone.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A pattern of this file or of its siblings.
///
/// A pattern that does not compile is a mistake in the source; every one is compiled by the tests.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("every pattern is a constant that the tests compile")
}

/// A pattern for text that [`crate::folding::plain`] made: its letters, digits and blanks are those of ASCII. Classes
/// of all scripts make a long pattern take milliseconds to compile, and an answer on the terminal waits for them all.
pub(crate) fn plain_pattern(text: &str) -> Regex {
    let mut ascii = String::with_capacity(text.len() * 2);
    let (mut in_class, mut characters) = (false, text.chars());
    while let Some(character) = characters.next() {
        match character {
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        if character != '\\' {
            ascii.push(character);
            continue;
        }
        match (characters.next(), in_class) {
            (Some('b'), false) => ascii.push_str(r"(?-u:\b)"),
            (Some('w'), false) => ascii.push_str("[0-9A-Za-z_]"),
            (Some('w'), true) => ascii.push_str("0-9A-Za-z_"),
            (Some('d'), false) => ascii.push_str("[0-9]"),
            (Some('d'), true) => ascii.push_str("0-9"),
            (Some('s'), false) => ascii.push_str(r"[ \t\n\r]"),
            (Some('s'), true) => ascii.push_str(r" \t\n\r"),
            (escaped, _) => {
                ascii.push('\\');
                ascii.extend(escaped);
            }
        }
    }
    pattern(&ascii)
}

/// Top-level domains that are taken for one in running text. File endings and Italian words are left out.
const TOP_LEVEL: &str = "com|it|net|org|eu|info|io|co|uk|de|fr|es|us|ru|cn|ua|xyz|top|online|site|shop|store|dev|tv|biz|\
    support|help|tech|live|club|cc|ly|gl|gd|page|link|click|cloud|gov|edu|tk|ml|ga|cf|gq|pw|su|ch|nl|pl|ro|br|website|\
    space|fun|icu|vip|work|today|center|services|digital|mobi|pro|name|download|stream|security|solutions|repair|app";

/// Endings that are Italian words too: a domain only behind `www.`, a scheme, or before a path.
const TOP_LEVEL_WORDS: &str = "in|me|to|at|be|no|so|is|ai|si|la|li|ci|do|al|win|zip|mov|id|am|fm|im|my|re|pm";

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    let spelled_dot = r"\s?(?:\.|\[\.\]|\(\.\)|\(?\[?\bdot\b\]?\)?|\(?\[?\bpunto\b\]?\)?)\s?";
    pattern(&format!(
        r"[a-z0-9._%+\-]*[a-z0-9_%+\-]@[a-z0-9\-]+(?:\.[a-z0-9\-]+)+|[a-z0-9_%+\-]+(?:{spelled_dot}[a-z0-9_%+\-]+)?\s?(?:@|\(at\)|\[at\]|\{{at\}}|\(?\[?\bchiocciola\b\]?\)?|\s\bat\b\s)\s?[a-z0-9\-]+(?:{spelled_dot}[a-z0-9\-]+){{0,3}}{spelled_dot}(?:{TOP_LEVEL})\b"
    ))
});

/// The e-mail addresses of a folded text.
pub(crate) fn emails(folded: &str) -> Vec<Range<usize>> {
    EMAIL.find_iter(folded).map(|found| found.range()).collect()
}

static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        // Mobile, with or without the prefix of Italy.
        r"(?P<mobile>(?:(?:\+|00)\s?39[\s.\-/]?)?3(?:[\s.\-/]?\d){8,9})",
        // Landline: the area code begins with 0 and a digit that is not 0.
        r"|(?P<landline>(?:(?:\+|00)\s?39[\s.\-/]?)?\(?0\s?[1-9](?:\s?\d){0,2}\)?(?:[\s.\-/]{0,3}\d){4,9})",
        // Free and paid services.
        r"|(?P<service>(?:800|803|840|848|892|895|899|199)(?:[\s.\-]?\d){6}|89[29]\s?\d{3})",
        // Any other country.
        r"|(?P<abroad>(?:\+|00)\s?[1-9]\d{0,2}(?:[\s.\-/()]{0,2}\d){6,12})",
        // North America, as fake support windows write it.
        r"|(?P<america>(?:1[\s.\-])?\([2-9]\d{2}\)\s?\d{3}[\s.\-]\d{4}|(?:1[\s.\-])?[2-9]\d{2}-\d{3}-\d{4}|1[\s.\-]8\d\d[\s.\-]\d{3}[\s.\-]\d{4})",
        // Digits in words.
        r"|(?P<words>\b(?:(?:zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove)\b[\s,.\-]*){6,})",
    ))
});

static DATE_FIRST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d{1,2}[./\-]\d{1,2}[./\-](?:\d{4}|\d{2}(?:\D|$))"));

/// Words before a number that say it is no telephone.
const NUMBERED_THINGS: [&str; 19] = [
    "errore", "error", "codice", "code", "kb", "build", "versione", "version", "evento", "event", "stop", "id",
    "seriale", "serial", "driver", "byte", "porta", "ticket", "offset",
];

/// The phone numbers of a folded text.
pub(crate) fn phones(folded: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(captures) = PHONE.captures_at(folded, from) {
        let Some(whole) = captures.get(0) else { break };
        let range = trimmed(folded, whole.range());
        let kind = ["mobile", "landline", "service", "abroad", "america", "words"]
            .into_iter()
            .find(|kind| captures.name(kind).is_some())
            .unwrap_or_default();
        if is_phone(folded, range.clone(), kind) {
            from = range.end;
            found.push(range);
        } else {
            // Every alternative begins with an ASCII character, so the next byte begins a character.
            from = whole.start() + 1;
        }
    }
    found
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let end = part.trim_end_matches([' ', ',', '.', '-', '/']).len();
    range.start..range.start + end
}

fn is_phone(text: &str, range: Range<usize>, kind: &str) -> bool {
    let (before, rest) = text.split_at(range.start);
    let candidate = rest.get(..range.len()).unwrap_or_default();
    let after = rest.get(range.len()..).unwrap_or_default();
    if kind == "words" {
        return true;
    }
    let previous = before.chars().next_back();
    let joined_before = match previous {
        Some('.' | '-' | ',' | ':') => before.chars().rev().nth(1).is_some_and(|character| character.is_ascii_digit()),
        Some('\\' | '#' | '$' | '_' | '{') => true,
        Some(character) => character.is_alphanumeric(),
        None => false,
    };
    let mut following = after.chars();
    let joined_after = match following.next() {
        Some('.' | '-' | ':') => following.next().is_some_and(|character| character.is_alphanumeric()),
        Some('_') => true,
        Some(character) => character.is_alphanumeric(),
        None => false,
    };
    if joined_before || joined_after || DATE_FIRST.is_match(candidate) {
        return false;
    }
    let international = candidate.starts_with('+');
    let last_word = before.trim_end_matches(|character: char| !character.is_alphanumeric());
    let last_word = last_word.rsplit(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
    if !international && NUMBERED_THINGS.contains(&last_word) {
        return false;
    }
    let digits = candidate.chars().filter(char::is_ascii_digit).count();
    match kind {
        // Versions of drivers such as 31.0.101.4502 begin like a mobile number; 3221225477 is 0xC0000005.
        "mobile" => {
            let groups: Vec<&str> = candidate.split('.').collect();
            let version = groups.len() > 1 && groups.first().is_some_and(|first| first.len() < 3);
            let status = candidate.parse::<u64>().is_ok_and(|number| (0xC000_0000..0xC001_0000).contains(&number));
            !version && !status
        }
        "landline" => {
            let dots = candidate.matches('.').count();
            (8..=13).contains(&digits) && dots < 3
        }
        _ => true,
    }
}

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    let dot = r"(?:\.|\s\.\s|\s?\[\.\]\s?|\s?\(\.\)\s?|\s?[\[(]dot[\])]\s?)";
    pattern(&format!(
        r"(?P<scheme>\b(?:h[tx]{{2}}ps?|ftp|file)\s?:\s?/\s?/\s?)(?P<rest>[^\s<>\x22'()]+)|(?P<www>\bw\s?w\s?w\s?(?:{dot}|\spunto\s))(?P<wwwrest>[a-z0-9\-]+(?:(?:{dot}|\spunto\s)[a-z0-9\-]+)*(?:/[^\s<>\x22'()]*)?)|(?P<bare>\b[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?(?:{dot}[a-z0-9][a-z0-9\-]*)*{dot}(?:(?:{TOP_LEVEL})\b(?:[/?#:][^\s<>\x22'()]*)?|(?:{TOP_LEVEL_WORDS})\b/[^\s<>\x22'()]*))|(?P<spelled>\b[a-z0-9][a-z0-9\-]+(?:\s(?:punto|dot)\s[a-z0-9\-]+)?\s(?:punto|dot)\s(?:com|it|net|org|eu|ru|biz|xyz|online|support)\b)"
    ))
});

/// A link in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// Where it stands in the folded text.
    pub(crate) range: Range<usize>,
    /// The host it leads to, lower-case, dots as dots.
    pub(crate) host: String,
}

impl Link {
    /// Whether it leads to the person's own network, such as the router's page.
    pub(crate) fn is_local(&self) -> bool {
        match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => address.is_private() || address.is_loopback() || address.is_link_local(),
            Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
            Err(_) => self.host == "localhost",
        }
    }
}

/// The links of a folded text. E-mail addresses are not links: take them out first.
pub(crate) fn links(folded: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for captures in LINK.captures_iter(folded) {
        let Some(whole) = captures.get(0) else { continue };
        let range = trimmed(folded, whole.range());
        let text = folded.get(range.clone()).unwrap_or_default();
        let bare = captures.name("bare").is_some();
        if bare && is_name_of_a_program(text) {
            continue;
        }
        let after_scheme = captures.name("rest").map_or(text, |rest| rest.as_str());
        found.push(Link { range, host: host_of(after_scheme) });
    }
    found
}

/// `Anteprima.app` is a program of the Mac.
fn is_name_of_a_program(text: &str) -> bool {
    text.strip_suffix(".app").is_some_and(|name| !name.contains('.'))
}

fn host_of(text: &str) -> String {
    let authority = text.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // What stands before an @ is a user name that pretends to be a host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let mut plain = host.replace("[.]", ".").replace("(.)", ".").replace("[dot]", ".").replace("(dot)", ".");
    plain = plain.replace(" punto ", ".").replace(" dot ", ".");
    plain.retain(|character| !character.is_whitespace());
    let host = plain.split(':').next().unwrap_or_default();
    host.trim_matches('.').trim_start_matches("www.").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, find: impl Fn(&str) -> Vec<Range<usize>>) -> Vec<String> {
        find(text).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn phone_numbers_in_italian_formats_are_found() {
        for text in [
            "3331234567",
            "333 1234567",
            "333 123 4567",
            "333-123.4567",
            "333/1234567",
            "+39 333 1234567",
            "0039 3331234567",
            "+393331234567",
            "06 12345678",
            "02/1234567",
            "(02) 1234567",
            "011 5678901",
            "0574 123456",
            "+39 06 1234 5678",
            "800 123 456",
            "800123456",
            "899 123456",
            "+44 20 7946 0958",
            "+1 (888) 555-0199",
            "1-888-555-0199",
            "(888) 555-0199",
            "zero sei uno due tre quattro cinque sei",
        ] {
            assert_eq!(texts(&format!("chiama {text} subito"), phones), [text], "{text}");
        }
    }

    #[test]
    fn codes_versions_dates_and_addresses_are_not_phone_numbers() {
        for text in [
            "0x0000007b",
            "0x80070005",
            "kb5034441",
            "10.0.19045.3803",
            "31.0.101.4502",
            "192.168.1.1",
            "errore 0612345678",
            "03/11/2026 09:15",
            "02-03-2024",
            "01.02.24 alle 10",
            "3221225477",
            "{3f2504e0-4f89-11d3-9a0c-0305e82c3301}",
            "00-11-22-33-44-55",
            "1920x1080",
            "error 30204-44",
            "-2147024891",
            "0x0000000000000000",
        ] {
            assert_eq!(texts(text, phones), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn links_are_found_however_they_are_spelled_and_their_host_is_the_true_one() {
        for (text, host) in [
            ("https://support.microsoft.com/it-it/windows", "support.microsoft.com"),
            ("http://microsoft.com@evil.ru/x", "evil.ru"),
            ("hxxps://evil.top/a", "evil.top"),
            ("www.sito.it", "sito.it"),
            ("w w w . sito . com", "sito.com"),
            ("sito[.]com", "sito.com"),
            ("aiuto-windows.support", "aiuto-windows.support"),
            ("bit.ly/3xyz", "bit.ly"),
            ("sito punto com", "sito.com"),
            ("sito (dot) net", "sito.net"),
            ("http://192.168.1.1", "192.168.1.1"),
            ("t.me/pippo", "t.me"),
        ] {
            let found = links(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].host, host, "{text}");
        }
    }

    #[test]
    fn file_names_and_sentences_are_not_links() {
        for text in
            ["explorer.exe", "services.msc", "win32k.sys", "safari.app", "riavvia.in seguito", "e.g. così", "1.5 gb"]
        {
            assert_eq!(links(text), [], "{text}");
        }
    }

    #[test]
    fn addresses_are_found_however_they_are_spelled() {
        for text in [
            "mario.rossi@gmail.com",
            "mario@posta.azienda.it",
            "mario @ gmail . com",
            "mario chiocciola gmail punto com",
            "mario.rossi(at)libero.it",
            "mario [at] libero [dot] it",
        ] {
            assert_eq!(texts(&format!("scrivi a {text} ora"), emails), [text], "{text}");
        }
    }
}
