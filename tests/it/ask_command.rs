//! `rimedio ask`: the answer on the terminal, for people and for scripts.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn ask(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rimedio"));
    command.arg("ask").args(arguments).stdin(Stdio::null()).output().expect("the command runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_blue_screen_is_named_with_steps_without_network_or_configuration() {
    let output = ask(&["schermata blu 0x0000007B"]);
    assert!(output.status.success());
    let text = told(&output);
    assert!(text.contains("INACCESSIBLE_BOOT_DEVICE") && text.contains("\n1. ") && text.contains("\n5. "), "{text}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_script_gets_the_fields_of_the_published_answer() {
    let output = ask(&["--json", "windows update errore 0x80070643"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(answer["family"], "update-failed");
    assert_eq!(answer["codes"][0]["code"], "0x80070643");
    assert_eq!(answer["engine"], "handbook");
    let (steps, classes) =
        (answer["steps"].as_array().expect("steps"), answer["step_classes"].as_array().expect("classes"));
    assert!(!steps.is_empty() && steps.len() == classes.len());
    assert!(answer.get("session_id").is_none(), "there is no session");
}

#[test]
fn a_batch_answers_each_line_and_names_those_that_make_no_sense() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all("{\"id\": 1, \"text\": \"la stampante è offline\"}\n\nnot json\n".as_bytes()).expect("writable");
    file.write_all(b"{\"id\": 2, \"text\": \"\xff\xfe\"}\n").expect("writable");
    file.write_all(b"{\"id\": \"b\", \"text\": \"disco pieno\"}\n{\"text\": \"x\"}\n").expect("writable");
    let output = ask(&["--batch", file.path().to_str().expect("a text")]);
    let answers: Vec<Value> =
        told(&output).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!((&answers[0]["id"], &answers[0]["family"]), (&1.into(), &"printer-offline".into()));
    assert_eq!((&answers[1]["id"], &answers[1]["family"]), (&"b".into(), &"disk-full".into()));
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(["line 3", "line 4", "line 6"].iter().all(|line| complaints.contains(line)), "{complaints}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_cannot_be_asked_is_said_with_a_code_for_scripts() {
    assert_eq!(ask(&[]).status.code(), Some(2), "nothing was asked");
    assert_eq!(ask(&["--batch", "/nowhere"]).status.code(), Some(4));
    assert_eq!(ask(&["--image", "/nowhere.png"]).status.code(), Some(4));
    assert_eq!(
        ask(&["--image", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]).status.code(),
        Some(1),
        "no picture"
    );
    assert_eq!(ask(&["--engine", "model", "--config", "/nowhere", "aiuto"]).status.code(), Some(3));
}
