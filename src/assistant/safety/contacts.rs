//! Which phone numbers, addresses and links may reach a person: those that the handbook vouches for, and pages of
//! the person's own network. All others are taken out, however they are spelled.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::assistant::contact::{self, Link, pattern};
use crate::folding::{Accents, Folded, plain};

/// Emergency numbers and public services that need no vouching (Italian numbering plan).
const PUBLIC_NUMBERS: [&str; 7] = ["112", "113", "114", "115", "117", "118", "1522"];

/// The contacts that may stand in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contacts {
    phones: BTreeSet<String>,
    emails: BTreeSet<String>,
    hosts: BTreeSet<String>,
}

impl Contacts {
    /// The contacts among some texts: each is a phone number, an e-mail address, or a link or host.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut contacts = Self::default();
        for text in texts {
            let text = plain(text.trim());
            if text.contains('@') {
                contacts.emails.insert(text);
            } else if text.chars().any(char::is_alphabetic) {
                let without_scheme = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
                let host = without_scheme.split(['/', '?', '#', ':']).next().unwrap_or_default();
                contacts.hosts.insert(host.trim_start_matches("www.").to_owned());
            } else if text.contains(|character: char| character.is_ascii_digit()) {
                contacts.phones.insert(national(&text));
            }
        }
        contacts
    }

    /// Whether a phone number may stand in an answer.
    #[must_use]
    pub fn vouches_for_phone(&self, number: &str) -> bool {
        let number = national(number);
        PUBLIC_NUMBERS.contains(&number.as_str()) || self.phones.contains(&number)
    }

    /// Whether a link of a text may stand in an answer. A look-alike of a good host is a bad one.
    pub(super) fn vouches_for_link(&self, link: &Link, spelled: &str) -> bool {
        let known = self
            .hosts
            .iter()
            .any(|host| link.host == *host || link.host.strip_suffix(host).is_some_and(|head| head.ends_with('.')));
        spelled.is_ascii() && !spelled.contains('@') && (known || link.is_local())
    }

    /// Whether a text holds a link that nobody vouches for.
    pub(super) fn has_strange_link(&self, text: &str) -> bool {
        let folded = Folded::of(text, Accents::Drop);
        contact::links(folded.text()).iter().any(|link| {
            let spelled = text.get(folded.original(link.range.clone())).unwrap_or_default();
            !self.vouches_for_link(link, spelled)
        })
    }

    /// Whether a text holds a phone number that nobody vouches for.
    pub(super) fn has_strange_phone(&self, text: &str) -> bool {
        let folded = Folded::of(text, Accents::Drop);
        self.strange_phones(folded.text()).next().is_some()
    }

    fn strange_phones<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        // Short numbers count as phones only where the text says to call them.
        static SHORT: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"\b(?:chiam\w*|telefon\w*|compon\w*)\s+(?:(?:il|al|lo|allo|l'|all'|subito|anche|direttamente|numero|numero verde|gratuito)\s*){0,4}(?P<short>\d{3,6})\b",
            )
        });
        let long = contact::phones(folded);
        let short: Vec<Range<usize>> = SHORT
            .captures_iter(folded)
            .filter_map(|found| found.name("short").map(|digits| digits.range()))
            .filter(|digits| !long.iter().any(|number| overlap(number, digits)))
            .collect();
        long.into_iter()
            .chain(short)
            .filter(|range| !folded.get(range.clone()).is_some_and(|number| self.vouches_for_phone(number)))
    }

    /// The text without the contacts that nobody vouches for, and how many there were.
    pub(super) fn without_strangers(&self, text: &str) -> (String, usize) {
        let text = &with_links_written_out(text);
        let folded = Folded::of(text, Accents::Drop);
        let mut strangers: Vec<(Range<usize>, &str)> = Vec::new();
        let links = contact::links(folded.text());
        let addresses: Vec<Range<usize>> = contact::emails(folded.text())
            .into_iter()
            // 'https://microsoft.com@evil.ru' is a link that looks like an address.
            .filter(|address| {
                !links.iter().any(|link| overlap(address, &link.range) && link.range.start < address.start)
            })
            .collect();
        for range in &addresses {
            let address = folded.text().get(range.clone()).unwrap_or_default();
            if !self.emails.contains(address) {
                strangers.push((folded.original(range.clone()), "(indirizzo rimosso)"));
            }
        }
        for link in &links {
            let range = folded.original(link.range.clone());
            let inside_address = addresses.iter().any(|address| overlap(address, &link.range));
            if !inside_address && !self.vouches_for_link(link, text.get(range.clone()).unwrap_or_default()) {
                strangers.push((range, "(collegamento rimosso)"));
            }
        }
        for range in self.strange_phones(folded.text()) {
            strangers.push((folded.original(range), "(numero rimosso)"));
        }
        strangers.sort_by_key(|(range, _)| range.start);
        let mut clean = String::with_capacity(text.len());
        let mut copied = 0;
        let mut removed = 0;
        for (range, instead) in strangers {
            if range.start < copied {
                continue;
            }
            clean.push_str(text.get(copied..range.start).unwrap_or_default());
            clean.push_str(instead);
            copied = range.end;
            removed += 1;
        }
        clean.push_str(text.get(copied..).unwrap_or_default());
        (clean, removed)
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Digits without the prefix of Italy.
fn national(number: &str) -> String {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let international = number.trim_start().starts_with('+') || digits.starts_with("0039");
    let digits = if international { digits.trim_start_matches("00").to_owned() } else { digits };
    match digits.strip_prefix("39") {
        Some(rest) if international => rest.to_owned(),
        _ => digits,
    }
}

/// Markdown hides where a link leads: `[testo](indirizzo)` becomes `testo (indirizzo)`.
fn with_links_written_out(text: &str) -> String {
    static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"!?\[([^\]\[]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)"));
    LINK.replace_all(text, "$1 ($2)").into_owned()
}
