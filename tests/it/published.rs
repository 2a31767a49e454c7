//! The description of `/api/v1` that is committed is the one that the binary serves, and it is whole.

use std::process::Command;

use serde_json::Value;

const COMMITTED: &str = include_str!("../../openapi.json");

#[test]
fn the_committed_description_is_the_present_one() {
    let output = Command::new(env!("CARGO_BIN_EXE_rimedio")).arg("openapi").output().expect("the command runs");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("a text");
    assert!(printed.trim() == COMMITTED.trim(), "openapi.json is stale: run `just openapi`");
}

#[test]
fn every_call_says_what_it_is_for_who_may_and_how_it_fails() {
    let document: Value = serde_json::from_str(COMMITTED).expect("JSON");
    // What a stranger may call, and what only the browser itself visits.
    let open =
        ["about", "prices", "begin_sign_in", "complete_sign_in", "exchange_ticket", "create_checkout_test", "webhook"];
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        assert!(path.starts_with("/api/v1/"), "{path}");
        for (method, call) in methods.as_object().expect("methods") {
            operations += 1;
            let name = call["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no name"));
            assert!(call["summary"].as_str().is_some_and(|summary| summary.len() > 5), "{name}: a summary");
            assert_eq!(call["tags"].as_array().map(Vec::len), Some(1), "{name}: one group");
            let secured = call["security"].as_array().is_some_and(|schemes| !schemes.is_empty());
            assert_eq!(secured, !open.contains(&name), "{name}: {call}");
            let responses = call["responses"].as_object().expect("responses");
            assert!(responses.keys().any(|status| status.starts_with('2') || status.starts_with('3')), "{name}");
            if responses.keys().any(|status| status.starts_with('2')) {
                for status in ["400", "401", "402", "403", "404", "409", "413", "415", "422", "429", "500", "503"] {
                    let problem = &responses[status]["content"]["application/json; charset=utf-8"]["schema"];
                    assert_eq!(problem["$ref"], "#/components/schemas/Problem", "{name}: {status}");
                }
            }
        }
    }
    assert!(operations >= 18, "{operations} calls");
    assert_eq!(document["components"]["securitySchemes"]["AccessToken"]["scheme"], "bearer");
    for methods in document["paths"].as_object().expect("paths").values() {
        for call in methods.as_object().expect("methods").values() {
            let bodies = [&call["requestBody"]["content"], &call["responses"]["200"]["content"]];
            for content in bodies.into_iter().filter_map(Value::as_object).flat_map(serde_json::Map::values) {
                let Some(name) = content["schema"]["$ref"].as_str().and_then(|path| path.rsplit('/').next()) else {
                    continue;
                };
                assert!(document["components"]["schemas"][name]["example"].is_object(), "{name}: an example");
            }
        }
    }
}
