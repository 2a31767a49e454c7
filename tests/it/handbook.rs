//! What the handbook knows, as a whole: it finds what people mean, every article is safe and easy to read, and no
//! question breaks it.

use proptest::prelude::*;
use rimedio::assistant::draft::{Author, Draft};
use rimedio::assistant::safety::{Circumstances, Contacts, Suspicion, check};
use rimedio::handbook::{Article, Handbook, Question, Recognition, ResponseFormat, StepClass, StepOutcome, Topic};

const PROBLEMS: &str = include_str!("../../handbook/evaluation/problems.tsv");

fn asked(text: &str) -> Question {
    Question { text: text.to_owned(), ..Question::default() }
}

/// The families of a recognition, best first; a refusal counts as the family of what it refuses.
fn families(question: &Question, recognition: &Recognition) -> Vec<String> {
    if recognition.topic == Topic::OffTopic {
        return Handbook::embedded().guidance(question).family.into_iter().collect();
    }
    recognition.candidates.iter().map(|candidate| candidate.family.clone()).collect()
}

#[test]
fn it_finds_what_people_mean() {
    let (mut problems, mut first, mut among_three, mut codes, mut codes_found) = (0, 0, 0, 0, 0);
    for line in PROBLEMS.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (text, family) = (cells[0], cells[1]);
        let question = asked(text);
        let recognition = Handbook::embedded().recognise(&question);
        let found = families(&question, &recognition);
        problems += 1;
        first += u32::from(found.first().is_some_and(|found| found == family));
        among_three += u32::from(found.iter().take(3).any(|found| found == family));
        if found.first().is_none_or(|found| found != family) {
            let told: Vec<String> =
                recognition.candidates.iter().map(|c| format!("{} {}", c.family, c.confidence)).collect();
            eprintln!("{family:24} {text}: {told:?}");
        }
        // Codes of the two tables that the handbook has.
        for code in cells[2].split(' ').filter(|code| code.starts_with("0x") && !code.starts_with("0xC004")) {
            codes += 1;
            codes_found += u32::from(recognition.codes.iter().any(|found| found.code == code));
        }
    }
    eprintln!("of {problems} problems {first} first, {among_three} among three; {codes_found} of {codes} codes");
    assert!(problems >= 90, "the problems were read");
    assert!(first * 100 >= problems * 85, "{first} of {problems} first");
    assert!(among_three * 100 >= problems * 93, "{among_three} of {problems} among three");
    assert_eq!(codes_found, codes, "every code of the tables is found");
}

fn draft_of(article: &Article) -> Draft {
    let question = Question { format: ResponseFormat::Detailed, ..asked(&article.title) };
    let mut guidance = Handbook::embedded().guidance(&question);
    guidance.problem_analysis.clone_from(&article.summary);
    Draft::from(guidance)
}

#[test]
fn every_article_passes_the_check_as_it_is() {
    let handbook = Handbook::embedded();
    let contacts = Contacts::from_texts(handbook.contacts());
    let mut count = 0;
    for article in handbook.articles() {
        count += 1;
        let question = asked(&article.title);
        assert_eq!(handbook.guidance(&question).family.as_deref(), Some(article.id.as_str()), "found by its own title");
        for format in [ResponseFormat::Detailed, ResponseFormat::Concise, ResponseFormat::Technical] {
            let mut draft = Draft::from(handbook.guidance(&Question { format, ..question.clone() }));
            let before = draft.clone();
            let circumstances = Circumstances { author: Author::Handbook, contacts: &contacts, fraud: Suspicion::None };
            let findings = check(&mut draft, &circumstances);
            assert!(findings.is_clean(), "{}: {findings:?}", article.id);
            assert_eq!(draft.steps, before.steps, "{}: the steps and their classes stay", article.id);
        }
    }
    assert!(count >= 25, "{count} articles");
}

/// How easy a text is to read for somebody with little schooling, by Lucisano and Piemontese: 0 to 100, from 60 on
/// easy for who finished middle school.
fn gulpease(text: &str) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).expect("a text of a few pages"));
    let letters = count(text.chars().filter(|character| character.is_alphanumeric()).count());
    let words = count(text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count());
    let ends = text.split(['.', '!', '?', ':', ';']);
    let sentences = count(ends.filter(|sentence| sentence.chars().any(char::is_alphanumeric)).count());
    (89.0 + (300.0 * sentences - 10.0 * letters) / words).min(100.0)
}

#[test]
fn every_article_is_easy_to_read() {
    let mut figures: Vec<(f64, &str)> = Handbook::embedded()
        .articles()
        .map(|article| {
            let draft = draft_of(article);
            let steps = article.steps.iter().map(|step| step.text.as_str());
            let undo = article.steps.iter().filter_map(|step| step.undo.as_deref());
            let causes = article.causes.iter().map(|cause| cause.text.as_str());
            let around = article.tips.iter().chain(&article.cautions).chain(&article.signs).map(String::as_str);
            let own = [article.verify.as_str(), &article.stop, &draft.problem_analysis];
            let all: Vec<&str> = steps.chain(undo).chain(causes).chain(around).chain(own).collect();
            (gulpease(&all.join(" ")), article.id.as_str())
        })
        .collect();
    figures.sort_by(|one, other| one.0.total_cmp(&other.0));
    let median = figures[figures.len() / 2].0;
    eprintln!("Gulpease: hardest {:?}, median {median:.1}", figures.first());
    assert!(figures.first().is_some_and(|(figure, _)| *figure >= 60.0), "{:?}", figures.first());
    assert!(median >= 70.0, "{median}");
}

#[test]
fn a_blue_screen_is_named_and_comes_with_steps() {
    let handbook = Handbook::embedded();
    let question = asked("schermata blu 0x0000007B");
    let codes = handbook.recognise(&question).codes;
    assert_eq!((codes[0].code.as_str(), codes[0].name.as_str()), ("0x0000007B", "INACCESSIBLE_BOOT_DEVICE"));
    let guidance = handbook.guidance(&question);
    assert!(guidance.problem_analysis.contains("INACCESSIBLE_BOOT_DEVICE"), "{}", guidance.problem_analysis);
    assert!(guidance.steps.len() >= 5 && guidance.confidence > 0.9, "{guidance:?}");
    assert_eq!(guidance.family.as_deref(), Some("bsod-boot-device"));
}

#[test]
fn a_code_without_an_article_of_its_own_still_leads_to_steps() {
    let handbook = Handbook::embedded();
    let guidance = handbook.guidance(&asked("STOP 0x00000002"));
    assert!(guidance.problem_analysis.contains("DEVICE_QUEUE_NOT_BUSY"), "{}", guidance.problem_analysis);
    assert!(guidance.steps.len() >= 5, "{guidance:?}");
    let report = handbook.guidance(&asked("schermata blu, nel rapporto c'è 0xAB"));
    assert!(
        !report.problem_analysis.contains("si è fermato con il codice"),
        "a live dump: {}",
        report.problem_analysis
    );
    let guidance = handbook.guidance(&asked("0x80240009"));
    assert_eq!(guidance.family.as_deref(), Some("update-failed"));
}

#[test]
fn what_was_tried_is_not_told_again() {
    let handbook = Handbook::embedded();
    let question = asked("la stampante risulta offline");
    let first = handbook.guidance(&question);
    let told: Vec<String> = first.steps.iter().map(|step| step.text.clone()).collect();
    let outcomes = [Some(StepOutcome::Done), Some(StepOutcome::Failed), Some(StepOutcome::NotFound)];
    let steps = told.iter().cloned().zip(outcomes.into_iter().chain(std::iter::repeat(None))).collect();
    let earlier = rimedio::handbook::Earlier { family: first.family.clone(), steps };
    let next = handbook.guidance(&Question { earlier: vec![earlier], ..asked("e adesso?") });
    let texts: Vec<&str> = next.steps.iter().map(|step| step.text.as_str()).collect();
    assert!(!texts.contains(&told[0].as_str()) && !texts.contains(&told[1].as_str()), "{texts:?}");
    let place = texts.iter().position(|text| *text == told[2]).expect("what was not found is told again");
    assert!(texts[place - 1].starts_with("Se non lo trovi:"), "{}", texts[place - 1]);
    assert_eq!(next.family, first.family, "a follow-up stays with its problem");
    assert!(next.problem_analysis.contains("2 passaggi"), "{}", next.problem_analysis);
}

#[test]
fn when_everything_was_tried_it_goes_on_and_at_last_says_so() {
    let handbook = Handbook::embedded();
    let mut earlier = Vec::new();
    let mut question = asked("la stampante risulta offline");
    let mut seen = Vec::new();
    for _ in 0..8 {
        let guidance = handbook.guidance(&question);
        assert!(!guidance.steps.is_empty(), "never without a step");
        seen.push(guidance.family.clone());
        let steps = guidance.steps.iter().map(|step| (step.text.clone(), Some(StepOutcome::Failed))).collect();
        earlier.push(rimedio::handbook::Earlier { family: guidance.family, steps });
        question = Question { earlier: earlier.clone(), ..asked("non ha funzionato niente") };
    }
    let last = handbook.guidance(&question);
    assert!(last.steps.iter().any(|step| step.class == StepClass::Technician), "{last:?}");
    assert!(seen.iter().collect::<std::collections::BTreeSet<_>>().len() >= 2, "it tried another family: {seen:?}");
}

#[test]
fn the_device_in_hand_decides_the_steps() {
    let handbook = Handbook::embedded();
    let on_iphone = handbook.guidance(&asked("iphone connesso al wifi ma senza internet"));
    let on_windows = handbook.guidance(&asked("pc connesso al wifi ma senza internet"));
    assert_eq!(on_iphone.family, on_windows.family);
    assert!(on_iphone.steps.iter().all(|step| !step.text.contains("Start >")), "{on_iphone:?}");
    assert!(on_windows.steps.iter().any(|step| step.text.contains("Start >")), "{on_windows:?}");
}

#[test]
fn a_short_answer_is_short_and_a_technical_one_names_codes() {
    let handbook = Handbook::embedded();
    let concise = Question { format: ResponseFormat::Concise, ..asked("schermata blu 0x7b") };
    assert!(handbook.guidance(&concise).steps.len() <= 5);
    let technical = Question { format: ResponseFormat::Technical, ..asked("schermata blu 0x7b") };
    assert!(handbook.guidance(&technical).diagnosis.contains("0x0000007B INACCESSIBLE_BOOT_DEVICE"));
}

#[test]
fn a_picture_that_nobody_read_is_said_to_be_unread() {
    let question =
        Question { has_image: true, ..asked("Analizza l'immagine caricata e aiutami a risolvere il problema") };
    let guidance = Handbook::embedded().guidance(&question);
    assert!(guidance.problem_analysis.contains("immagine") && guidance.confidence <= 0.2, "{guidance:?}");
    let read = Question { image_text: Some("A problem has been detected STOP: 0x0000007B".into()), ..question };
    assert_eq!(Handbook::embedded().guidance(&read).family.as_deref(), Some("bsod-boot-device"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_question_breaks_it_and_the_same_question_has_the_same_answer(text in "\\PC{0,300}", image in proptest::option::of("[ -~]{0,120}")) {
        let question = Question { image_text: image, ..asked(&text) };
        let handbook = Handbook::embedded();
        prop_assert_eq!(handbook.recognise(&question), handbook.recognise(&question));
        let guidance = handbook.guidance(&question);
        prop_assert!(!guidance.steps.is_empty() && !guidance.problem_analysis.is_empty());
        prop_assert!((0.0..=1.0).contains(&guidance.confidence));
    }

    #[test]
    fn codes_in_any_noise_do_not_break_it(text in "(0x|0X|ox|stop|-|\\(|\\)| |[0-9a-fA-FoOlI]){0,60}") {
        let _ = Handbook::embedded().recognise(&asked(&text));
    }
}
