//! What an answer of the handbook costs: reading the knowledge once, then recognising and writing.

use divan::Bencher;
use rimedio::handbook::{Handbook, Question};

fn main() {
    divan::main();
}

const QUESTIONS: [&str; 4] = [
    "schermata blu 0x0000007B",
    "la stampante risulta offline ma è accesa",
    "ho cancellato per sbaglio le foto del battesimo e ho svuotato il cestino",
    "una finestra di microsoft mi dice di chiamare un numero perché ho un virus",
];

fn asked(text: &str) -> Question {
    Question { text: text.to_owned(), ..Question::default() }
}

/// Families and codes in a question.
#[divan::bench(args = QUESTIONS)]
fn recognise(bencher: Bencher, text: &str) {
    let (handbook, question) = (Handbook::embedded(), asked(text));
    bencher.bench(|| handbook.recognise(&question));
}

/// The whole answer.
#[divan::bench(args = QUESTIONS)]
fn guidance(bencher: Bencher, text: &str) {
    let (handbook, question) = (Handbook::embedded(), asked(text));
    bencher.bench(|| handbook.guidance(&question));
}

/// The longest text that is taken, made of words that are in every article.
#[divan::bench]
fn recognise_8000_characters(bencher: Bencher) {
    let (handbook, question) = (Handbook::embedded(), asked(&"il computer non stampa e lo schermo è blu ".repeat(190)));
    bencher.bench(|| handbook.recognise(&question));
}
