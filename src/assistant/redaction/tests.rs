//! The table of what leaves, and what comes back.

use super::*;

/// A case a line: the text, a tab, what leaves; `=` when nothing is hidden.
const CASES: &str = include_str!("cases.tsv");

fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let (text, expected) = line.split_once('\t').expect("a case has two columns");
        (text, if expected == "=" { text } else { expected })
    })
}

#[test]
fn every_case_of_the_table_leaves_as_it_should() {
    let wrong: Vec<String> = cases()
        .filter_map(|(text, expected)| {
            let hidden = Redaction::default().hide(text, Origin::Person);
            (hidden != expected).then(|| format!("  {text}\n    expected {expected}\n    got      {hidden}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases().count(), wrong.join("\n"));
    assert!(cases().count() >= 90, "{}", cases().count());
}

#[test]
fn what_was_hidden_comes_back() {
    for (text, _) in cases() {
        let mut redaction = Redaction::default();
        let hidden = redaction.hide(text, Origin::Person);
        assert_eq!(redaction.restore(&hidden), text);
    }
}

#[test]
fn hiding_twice_changes_nothing_more() {
    for (text, _) in cases() {
        let once = Redaction::default().hide(text, Origin::Person);
        assert_eq!(Redaction::default().hide(&once, Origin::Person), once);
    }
}

#[test]
fn the_same_value_has_one_placeholder_and_counts_once() {
    let mut redaction = Redaction::default();
    let hidden = redaction.hide("a@b.it e c@d.it e a@b.it", Origin::Person);
    assert_eq!(hidden, "[EMAIL-1] e [EMAIL-2] e [EMAIL-1]");
    assert_eq!(redaction.counts(), [(Kind::Email, 2)]);
    assert_eq!(redaction.restore("Scrivi da [email-2] e da \\[EMAIL-1\\]"), "Scrivi da c@d.it e da a@b.it");
    assert_eq!(redaction.restore("[EMAIL-9] resta"), "[EMAIL-9] resta");
}

#[test]
fn what_stood_in_a_screenshot_does_not_come_back_as_advice() {
    let mut redaction = Redaction::default();
    let hidden = redaction.hide("Chiama subito 06 12345678", Origin::Screenshot);
    assert_eq!(hidden, "Chiama subito [TELEFONO-1]");
    assert_eq!(redaction.restore(&hidden), "Chiama subito (numero di telefono dello screenshot)");
}

proptest::proptest! {
    #[test]
    fn any_text_goes_out_and_comes_back_whole(text in "\\PC{0,200}") {
        let mut redaction = Redaction::default();
        let hidden = redaction.hide(&text, Origin::Person);
        // A text that holds placeholders of its own may gain; none may lose.
        if !text.contains('[') {
            proptest::prop_assert_eq!(redaction.restore(&hidden), text);
        }
    }
}
