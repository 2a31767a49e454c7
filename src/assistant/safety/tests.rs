//! The tables of the check, and what it does to whole answers.

use super::*;
use crate::assistant::draft::{Author, Draft};
use crate::handbook::{Step, StepClass};

fn contacts() -> Contacts {
    Contacts::from_texts(["https://www.microsoft.com", "commissariatodips.it", "800 123 456", "aiuto@rimedio.example"])
}

fn table(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("a case has two columns")).collect()
}

fn step(text: &str) -> Step {
    Step { text: text.to_owned(), class: StepClass::Safe }
}

fn draft(steps: &[&str]) -> Draft {
    Draft {
        problem_analysis: "Il computer non parte.".into(),
        diagnosis: "Il disco non si avvia.".into(),
        confidence: 0.8,
        steps: steps.iter().map(|text| step(text)).collect(),
        ..Draft::default()
    }
}

fn checked(mut draft: Draft, fraud: Suspicion) -> (Draft, Findings) {
    let contacts = contacts();
    let findings = check(&mut draft, &Circumstances { author: Author::Model, contacts: &contacts, fraud });
    (draft, findings)
}

fn texts(draft: &Draft) -> Vec<&str> {
    draft.steps.iter().map(|step| step.text.as_str()).collect()
}

#[test]
fn every_pattern_compiles() {
    dangers::compile_all();
}

#[test]
fn every_step_of_the_table_is_judged_as_it_should() {
    let cases = table(include_str!("steps.tsv"));
    let contacts = contacts();
    let course = dangers::Course { backup_made: false, later: "", contacts: &contacts };
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(expected, text)| {
            let found = match dangers::in_text(text, &course, Prose::Instruction) {
                None => "ok",
                Some(Danger::Erase) => "erase",
                Some(Danger::Unprotect) => "unprotect",
                Some(Danger::Contact) => "contact",
                Some(Danger::Secret) => "secret",
                Some(Danger::RemoteControl) => "remote",
                Some(Danger::Download) => "download",
                Some(Danger::Pay) => "pay",
            };
            (found != *expected).then(|| format!("  {text}\n    expected {expected}, got {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(cases.len() >= 110, "{}", cases.len());
}

#[test]
fn every_contact_of_the_table_stays_or_goes_as_it_should() {
    let cases = table(include_str!("contacts.tsv"));
    let contacts = contacts();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let expected = if *expected == "=" { text } else { expected };
            let (clean, _) = contacts.without_strangers(text);
            (clean != *expected).then(|| format!("  {text}\n    expected {expected}\n    got      {clean}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_dangerous_step_goes_and_a_warning_says_so() {
    let (draft, findings) = checked(draft(&["Riavvia il computer.", "Formatta il disco."]), Suspicion::None);
    assert_eq!(texts(&draft), ["Riavvia il computer."]);
    assert_eq!(draft.warnings, [Danger::Erase.warning()]);
    assert_eq!(findings.steps_removed, 1);
}

#[test]
fn a_backup_in_an_earlier_step_allows_what_a_later_one_does_not() {
    let (kept, _) = checked(draft(&["Copia i tuoi file su una chiavetta.", "Formatta il disco."]), Suspicion::None);
    assert_eq!(kept.steps.len(), 2);
    assert_eq!(kept.steps[1].class, StepClass::Technician);
    let (cut, _) = checked(draft(&["Formatta il disco.", "Copia i tuoi file su una chiavetta."]), Suspicion::None);
    assert_eq!(cut.steps.len(), 1);
}

#[test]
fn protection_that_is_off_for_a_while_is_switched_on_again() {
    let (draft, _) = checked(draft(&["Disattiva l'antivirus per qualche minuto e riprova."]), Suspicion::None);
    assert!(draft.steps[0].text.ends_with("Appena hai finito, riattiva la protezione."), "{:?}", draft.steps);
    let two = ["Disattiva l'antivirus per qualche minuto.", "Prova di nuovo, poi riattiva l'antivirus."];
    let (draft, findings) = checked(super::tests::draft(&two), Suspicion::None);
    assert!(draft.steps[0].text.starts_with(two[0]) && !draft.steps[0].text.contains("Appena hai finito"));
    assert!(findings.is_clean());
}

#[test]
fn advice_hidden_around_the_steps_goes_too() {
    let mut hidden = draft(&["Riavvia il computer."]);
    hidden.additional_tips = "Tieni pulito lo schermo. Chiama il numero che appare nella finestra.".into();
    hidden.diagnosis = "Il PC è infetto. Comunica la password al tecnico.".into();
    hidden.warnings = vec!["Installa AnyDesk subito.".into(), "Se formatti il disco perdi tutti i dati.".into()];
    let (draft, findings) = checked(hidden, Suspicion::None);
    assert_eq!(draft.additional_tips, "Tieni pulito lo schermo.");
    assert_eq!(draft.diagnosis, "Il PC è infetto.");
    assert_eq!(draft.warnings[0], "Se formatti il disco perdi tutti i dati.");
    assert_eq!(findings.sentences_removed, 3);
}

#[test]
fn what_a_swindler_asks_may_be_told_but_not_ordered() {
    let mut told = draft(&["Chiudi la finestra.", "Non chiamare il numero."]);
    told.problem_analysis = "Una finestra ti chiede di chiamare un numero che appare sullo schermo.".into();
    told.diagnosis = "È una truffa: vogliono convincerti a installare AnyDesk e comunicare la password.".into();
    let before = told.clone();
    let (draft, findings) = checked(told, Suspicion::None);
    assert!(findings.is_clean(), "{findings:?} {draft:?}");
    assert_eq!(draft, before);
}

#[test]
fn a_likely_fraud_puts_its_warning_first() {
    let mut answer = draft(&["Chiudi la finestra."]);
    answer.warnings = vec!["Salva il lavoro.".into()];
    let (draft, _) = checked(answer, Suspicion::Likely);
    assert_eq!(draft.warnings, [FRAUD_WARNING, "Salva il lavoro."]);
    let (again, _) = checked(draft.clone(), Suspicion::Likely);
    assert_eq!(again.warnings, draft.warnings);
}

#[test]
fn questions_that_sound_like_a_fraud_are_heard() {
    for text in [
        "È apparsa una finestra rossa che dice di chiamare un numero Microsoft",
        "Mi ha telefonato un tecnico della Microsoft",
        "Un signore mi ha fatto installare AnyDesk",
        "Mi chiedono di pagare con carte regalo",
        "Un SMS della banca dice che il conto è bloccato",
        "CALL NOW toll free, your computer has a virus",
        "Ho dato il codice della carta a uno che mi ha chiamato",
    ] {
        assert_eq!(Suspicion::of(text), Suspicion::Likely, "{text}");
    }
    for text in [
        "La stampante non stampa",
        "Il Wi-Fi non si connette",
        "Schermata blu 0x0000007B",
        "Ho dimenticato la password",
    ] {
        assert_eq!(Suspicion::of(text), Suspicion::None, "{text}");
    }
}

#[test]
fn steps_of_a_model_are_classed_by_what_they_change() {
    for (text, class) in [
        ("Riavvia il computer.", StepClass::Safe),
        ("Controlla che il cavo sia ben inserito.", StepClass::Safe),
        ("Disinstalla il driver della stampante.", StepClass::Careful),
        ("Aggiorna il driver della scheda video", StepClass::Careful),
        ("Elimina i file nella cartella Download.", StepClass::Careful),
        ("Apri Regedit e cambia il valore.", StepClass::Technician),
        ("Apri il computer e togli un banco di RAM.", StepClass::Technician),
        ("Esegui bootrec /fixmbr.", StepClass::Technician),
    ] {
        let (draft, _) = checked(draft(&[text]), Suspicion::None);
        assert_eq!(draft.steps[0].class, class, "{text}");
        let says_more = draft.steps[0].text.len() > text.len();
        assert_eq!(says_more, class != StepClass::Safe, "a step that changes something says how to undo it: {text}");
    }
}

#[test]
fn a_class_that_the_model_gave_is_never_lowered() {
    let mut answer = draft(&["Riavvia il computer, poi puoi tornare indietro."]);
    answer.steps[0].class = StepClass::Technician;
    let (draft, _) = checked(answer, Suspicion::None);
    assert_eq!(draft.steps[0].class, StepClass::Technician);
}

#[test]
fn steps_of_the_handbook_keep_their_class_and_words() {
    let mut answer = draft(&["Disinstalla il driver della stampante."]);
    let contacts = contacts();
    let circumstances = Circumstances { author: Author::Handbook, contacts: &contacts, fraud: Suspicion::None };
    let findings = check(&mut answer, &circumstances);
    assert!(findings.is_clean());
    assert_eq!(answer, draft(&["Disinstalla il driver della stampante."]));
}

#[test]
fn a_confidence_that_is_no_share_becomes_one() {
    for (given, expected) in [(7.0, 1.0), (-1.0, 0.0), (f64::NAN, 0.0), (0.4, 0.4)] {
        let mut answer = draft(&[]);
        answer.confidence = given;
        let (draft, _) = checked(answer, Suspicion::None);
        assert!((draft.confidence - expected).abs() < f64::EPSILON);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_check_fail(text in "\\PC{0,200}") {
        let _ = checked(draft(&[&text]), Suspicion::of(&text));
    }

    #[test]
    fn checking_twice_removes_nothing_more(text in "[a-z0-9 .@:/]{0,120}") {
        let (once, _) = checked(draft(&[&text]), Suspicion::None);
        let (_, findings) = checked(once, Suspicion::None);
        proptest::prop_assert!(findings.is_clean());
    }
}
