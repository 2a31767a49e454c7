//! Text as a reader sees it: full-width letters, Cyrillic and Greek look-alikes, invisible characters and fancy
//! dashes folded to plain lower-case letters, with the way back to the original bytes. Patterns run on the folded
//! text, so that a look-alike cannot slip past them; what they find is replaced in the original.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether `è` stays apart from `e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accents {
    /// `è` (is) and `e` (and) are different words.
    Keep,
    /// `perché`, `perche'` and `perche` are one word.
    Drop,
}

/// A folded text and where each of its bytes came from.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    text: String,
    /// For each byte of `text`, the bytes of the original character behind it.
    origins: Vec<(usize, usize)>,
}

impl Folded {
    /// Folds a text.
    pub(crate) fn of(original: &str, accents: Accents) -> Self {
        let mut folded = Self { text: String::with_capacity(original.len()), origins: Vec::new() };
        for (start, character) in original.char_indices() {
            let origin = (start, start + character.len_utf8());
            for plain in parts(character, accents).into_iter().flat_map(char::to_lowercase) {
                folded.text.push(plain);
                folded.origins.extend(std::iter::repeat_n(origin, plain.len_utf8()));
            }
        }
        folded
    }

    /// The folded text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original behind a range of the folded text.
    pub(crate) fn original(&self, range: Range<usize>) -> Range<usize> {
        let start = self.origins.get(range.start).map_or(0, |origin| origin.0);
        let end = range.end.checked_sub(1).and_then(|last| self.origins.get(last)).map_or(start, |origin| origin.1);
        start..end.max(start)
    }
}

/// The folded text alone, without accents: for comparing words.
pub(crate) fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    Folded::of(text, Accents::Drop).text
}

fn parts(character: char, accents: Accents) -> Vec<char> {
    if character.is_ascii() {
        return vec![character];
    }
    if is_invisible(character) {
        return Vec::new();
    }
    let compatible: Vec<char> = match accents {
        Accents::Keep => std::iter::once(character).nfkc().collect(),
        Accents::Drop => std::iter::once(character).nfkd().filter(|part| !is_combining_mark(*part)).collect(),
    };
    compatible.into_iter().map(look_alike).collect()
}

/// Zero-width characters, soft hyphens, direction marks, variation selectors, the keycap of `1️⃣`.
const fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{20E3}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{E0000}'..='\u{E007F}')
}

/// The Latin letter that a reader takes a character for (Unicode's confusables, the part that spells addresses).
const fn look_alike(character: char) -> char {
    match character {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'В' | 'Β' | 'в' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'Ε' | 'ε' => 'e',
        'һ' | 'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' => 'i',
        'ј' | 'Ј' => 'j',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'ӏ' | 'Ӏ' => 'l',
        'м' | 'М' | 'Μ' => 'm',
        'п' | 'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'γ' | 'Υ' => 'y',
        'Ζ' => 'z',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹣' => '-',
        '‘' | '’' | '‚' | '‛' | '′' | '`' => '\'',
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' => '"',
        '․' | '。' | '｡' | '·' | '•' | '∙' | '⋅' => '.',
        '∕' | '⁄' => '/',
        '＠' => '@',
        other if other.is_whitespace() => ' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_folded_and_the_original_bytes_are_found_again() {
        let original = "vai su раураl\u{200B}．ｃｏｍ subito";
        let folded = Folded::of(original, Accents::Keep);
        assert_eq!(folded.text(), "vai su paypal.com subito");
        let start = folded.text().find("paypal").expect("it was folded");
        let range = folded.original(start..start + "paypal.com".len());
        assert_eq!(&original[range], "раураl\u{200B}．ｃｏｍ");
    }

    #[test]
    fn accents_stay_or_go_as_asked() {
        assert_eq!(Folded::of("È perché", Accents::Keep).text(), "è perché");
        assert_eq!(plain("È perché"), "e perche");
        assert_eq!(plain("1️⃣2️⃣"), "12");
    }

    #[test]
    fn ranges_outside_the_text_are_empty_rather_than_a_panic() {
        let folded = Folded::of("abc", Accents::Keep);
        assert_eq!(folded.original(7..9), 0..0);
        assert_eq!(Folded::of("", Accents::Drop).original(0..0), 0..0);
    }
}
