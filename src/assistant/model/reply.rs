//! What a model wrote, read leniently: code fences and words around the JSON are cut away, fields of another shape are
//! left out, lengths are limited. Also what is complete of an answer that is still being written.

use serde_json::{Map, Value};

use crate::handbook::StepClass;

/// No answer needs more steps.
const MOST_STEPS: usize = 20;

/// No text of an answer needs more characters.
const LONGEST_TEXT: usize = 4_000;

/// What the model takes the question for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topic {
    /// About computers, phones or the net.
    #[default]
    Problem,
    /// A fraud.
    Fraud,
    /// Something else.
    OffTopic,
}

/// A step as a model wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStep {
    /// What to do.
    pub text: String,
    /// Its class, by the model.
    pub class: StepClass,
}

/// The fields of a model's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// What the model takes the question for.
    pub topic: Topic,
    /// What the question is about.
    pub problem_analysis: String,
    /// What it is and why it happens.
    pub diagnosis: String,
    /// 0 to 1, by the model.
    pub confidence: f64,
    /// What to do.
    pub steps: Vec<ModelStep>,
    /// What else helps.
    pub additional_tips: String,
    /// What to beware of.
    pub warnings: Vec<String>,
}

/// The answer in a model's text; nothing when it cannot be used.
pub(super) fn whole(text: &str) -> Option<ModelAnswer> {
    let fields = first_object(text)?;
    let answer = answer_of(&fields);
    let says_something = !answer.problem_analysis.is_empty() || !answer.diagnosis.is_empty();
    (answer.topic == Topic::OffTopic || says_something && !answer.steps.is_empty()).then_some(answer)
}

/// The first JSON object in a text, whatever stands around it.
fn first_object(text: &str) -> Option<Map<String, Value>> {
    text.match_indices('{').take(5).find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Value>();
        match values.next()? {
            Ok(Value::Object(fields)) if fields.contains_key("steps") || fields.contains_key("topic") => Some(fields),
            _ => None,
        }
    })
}

fn answer_of(fields: &Map<String, Value>) -> ModelAnswer {
    let list = |name: &str| fields.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    ModelAnswer {
        topic: match fields.get("topic").and_then(Value::as_str) {
            Some("fraud") => Topic::Fraud,
            Some("off_topic") => Topic::OffTopic,
            _ => Topic::Problem,
        },
        problem_analysis: text_of(fields.get("problem_analysis")),
        diagnosis: text_of(fields.get("diagnosis")),
        confidence: confidence_of(fields.get("confidence")),
        steps: list("steps").iter().filter_map(step_of).take(MOST_STEPS).collect(),
        additional_tips: text_of(fields.get("additional_tips")),
        warnings: list("warnings")
            .iter()
            .map(|value| text_of(Some(value)))
            .filter(|text| !text.is_empty())
            .take(8)
            .collect(),
    }
}

/// A text, or the texts of a list as lines.
fn text_of(value: Option<&Value>) -> String {
    let text = match value {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// 0.8, "0.8", 80 and "80%" are one confidence.
fn confidence_of(value: Option<&Value>) -> f64 {
    let number = match value {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().trim_end_matches('%').replace(',', ".").parse().ok(),
        _ => None,
    };
    match number.filter(|number| number.is_finite()) {
        Some(percent) if percent > 1.0 => (percent / 100.0).clamp(0.0, 1.0),
        Some(share) => share.clamp(0.0, 1.0),
        None => 0.5,
    }
}

fn step_of(value: &Value) -> Option<ModelStep> {
    let (text, class) = match value {
        Value::String(_) => (text_of(Some(value)), None),
        Value::Object(fields) => {
            let text = ["text", "step", "testo", "description"].iter().find_map(|name| fields.get(*name));
            (text_of(text), fields.get("class").and_then(Value::as_str))
        }
        _ => return None,
    };
    let class = match class {
        Some("technician") => StepClass::Technician,
        Some("careful") => StepClass::Careful,
        _ => StepClass::Safe,
    };
    let text = without_number(&text).to_owned();
    (!text.is_empty()).then_some(ModelStep { text, class })
}

/// The page numbers the steps itself.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(step) if rest.len() < text.len() && step.starts_with(' ') => step.trim_start(),
        _ => text,
    }
}

/// What is complete of an answer under way: whole sentences of the texts, whole steps and warnings.
pub(super) fn so_far(text: &str) -> Option<ModelAnswer> {
    let json = text.get(text.find('{')?..)?;
    match serde_json::from_str(&closed(json)?).ok()? {
        Value::Object(fields) => Some(answer_of(&fields)),
        _ => None,
    }
}

/// The JSON cut back to its last complete value or sentence and closed; nothing when nothing is complete.
fn closed(json: &str) -> Option<String> {
    let mut open: Vec<char> = Vec::new();
    let mut in_string = false;
    let mut escaped = false;
    let mut is_value = false;
    let mut complete: Option<(usize, String)> = None;
    let closing = |open: &[char]| open.iter().rev().collect::<String>();
    let mut previous = ' ';
    for (at, character) in json.char_indices() {
        let end = at + character.len_utf8();
        if in_string {
            // A sentence ends where a space follows its mark; only texts at the top are told in sentences.
            let sentence = character == ' ' && matches!(previous, '.' | '!' | '?') && is_value && open.len() == 1;
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    in_string = false;
                    if is_value {
                        complete = Some((end, closing(&open)));
                    }
                }
                _ if sentence => complete = Some((at, format!("\"{}", closing(&open)))),
                _ => {}
            }
        } else {
            match character {
                '"' => {
                    in_string = true;
                    is_value = open.last() == Some(&']') || previous == ':';
                }
                '{' => open.push('}'),
                '[' => {
                    open.push(']');
                    complete = Some((end, closing(&open)));
                }
                '}' | ']' => {
                    open.pop();
                    complete = Some((end, closing(&open)));
                    if open.is_empty() {
                        break;
                    }
                }
                // A number or a word is complete only when something follows it.
                ',' if open.len() == 1 => complete = Some((at, closing(&open))),
                _ => {}
            }
        }
        if !character.is_whitespace() || in_string {
            previous = character;
        }
    }
    // A step of which only the text is there yet counts once its object is closed.
    complete.map(|(end, closing)| format!("{}{closing}", json.get(..end).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"topic":"problem","problem_analysis":"Il PC è lento. Molto.","diagnosis":"Disco \"pieno\".","confidence":0.8,"warnings":["Attento."],"steps":[{"text":"Riavvia.","class":"safe"},{"text":"Svuota il cestino.","class":"careful"}],"additional_tips":"Ogni mese."}"#;

    #[test]
    fn a_well_formed_answer_is_read() {
        let answer = whole(WHOLE).expect("it is well-formed");
        assert_eq!(answer.diagnosis, "Disco \"pieno\".");
        assert_eq!(answer.steps.len(), 2);
        assert_eq!(answer.steps[1].class, StepClass::Careful);
    }

    #[test]
    fn what_stands_around_the_json_is_cut_away() {
        for text in [
            format!("```json\n{WHOLE}\n```"),
            format!("Ecco la risposta: {WHOLE} Spero sia utile {{:-)}}"),
            format!("{{}} {WHOLE}"),
            format!("\u{feff}{WHOLE}"),
        ] {
            assert_eq!(whole(&text), whole(WHOLE), "{text}");
        }
    }

    #[test]
    fn other_shapes_of_the_fields_are_taken() {
        let answer = whole(
            r#"{"problem_analysis":["a","b"],"confidence":"85%","steps":["1. Riavvia.","2) Prova.", 7, {"step":"Fine."}],"x":1}"#,
        );
        let answer = answer.expect("it can be used");
        assert_eq!(answer.problem_analysis, "a\nb");
        assert!((answer.confidence - 0.85).abs() < 1e-9);
        let texts: Vec<_> = answer.steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(texts, ["Riavvia.", "Prova.", "Fine."]);
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for text in [
            "",
            "non lo so",
            "{",
            "[]",
            r#"{"steps":[]}"#,
            r#"{"diagnosis":"x","steps":[]}"#,
            r#"{"steps":["a"]}"#,
            &WHOLE[..150],
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn an_answer_grows_by_whole_sentences_and_steps() {
        let mut seen: Vec<ModelAnswer> = Vec::new();
        for end in (0..=WHOLE.len()).filter(|end| WHOLE.is_char_boundary(*end)) {
            if let Some(so_far) = so_far(&WHOLE[..end]).filter(|so_far| seen.last() != Some(so_far)) {
                seen.push(so_far);
            }
        }
        assert_eq!(seen.last(), whole(WHOLE).as_ref());
        let analyses: Vec<_> = seen.iter().map(|answer| answer.problem_analysis.as_str()).collect();
        assert!(
            analyses.contains(&"Il PC è lento.") && analyses.iter().all(|text| text.is_empty() || text.ends_with('.'))
        );
        for answer in &seen {
            assert!(answer.steps.iter().all(|step| step.text.ends_with('.')), "{answer:?}");
        }
        assert!(seen.iter().any(|answer| answer.steps.len() == 1));
        assert!(seen.len() >= 6, "{}", seen.len());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_reading_fail(text in "[{}\\[\\]\",:a\\\\ .0-9]{0,80}") {
            let _ = whole(&text);
            let _ = so_far(&text);
        }
    }
}
