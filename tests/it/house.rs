//! The rules of the house, read off the sources: who may import whom, which words have one owner, how long a file
//! may be. A rule that is wrong is changed here and in ARCHITECTURE.md in the same commit.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. A module may use itself and those before it.
const FLOORS: &[&str] = &[
    "error",
    "clock",
    "config",
    "folding",
    "http_client",
    "store",
    "account",
    "billing",
    "quota",
    "handbook",
    "assistant",
    "people",
    "admin",
    "app",
    "http",
    "demo",
    "cli",
];

/// What every `api.rs` may use of the door, although the door stands above it.
const DOOR_FOR_APIS: &[&str] = &["crate::http::identity", "crate::http::problem"];

/// The longest file, in lines. A longer one wants a door inside.
const LONGEST_FILE: usize = 500;

struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The module of the first floor that the file belongs to; `None` for the roots.
    fn floor(&self) -> Option<&str> {
        let inner = self.path.strip_prefix("src/")?;
        let name = inner.split('/').next()?.trim_end_matches(".rs");
        FLOORS.contains(&name).then_some(name)
    }

    fn is_api(&self) -> bool {
        self.path.ends_with("/api.rs") || self.path.contains("/api/")
    }

    /// Lines that are code, with their numbers from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn collect(folder: &Path, endings: &[&str], into: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            if !path.ends_with("node_modules") && !path.ends_with("dist") {
                collect(&path, endings, into);
            }
        } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            let text = fs::read_to_string(&path).expect("a source in UTF-8");
            let path = path.strip_prefix(root()).expect("a path below the root").to_string_lossy().into_owned();
            into.push(Source { path, text });
        }
    }
}

fn sources(folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    for folder in folders {
        collect(&root().join(folder), endings, &mut found);
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn rust_sources() -> Vec<Source> {
    let found = sources(&["src"], &[".rs"]);
    assert!(found.len() > 20, "the sources were found");
    found
}

fn frontend_sources() -> Vec<Source> {
    sources(&["frontend/src"], &[".ts", ".tsx"])
}

fn fail_on(broken: Vec<String>) {
    assert!(broken.is_empty(), "rules of the house that are broken:\n{}", broken.join("\n"));
}

#[test]
fn a_module_uses_only_what_stands_below_it() {
    let mut broken = Vec::new();
    for source in rust_sources() {
        let Some(floor) = source.floor() else { continue };
        let height = FLOORS.iter().position(|name| *name == floor).expect("a floor of the list");
        for (number, line) in source.code() {
            for (at, _) in line.match_indices("crate::") {
                let path = &line[at..];
                let name: String = path[7..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let allowed = match FLOORS.iter().position(|other| *other == name) {
                    Some(other) => other <= height,
                    None => name.is_empty() || name.starts_with(char::is_uppercase),
                };
                let door = source.is_api() && DOOR_FOR_APIS.iter().any(|part| path.starts_with(part));
                if !allowed && !door {
                    broken.push(format!("{}:{number}: {floor} may not use {name}", source.path));
                }
            }
            if line.contains("crate::{") && line.contains("use ") {
                broken.push(format!("{}:{number}: name the module after `crate::`, one line each", source.path));
            }
        }
    }
    fail_on(broken);
}

#[test]
fn a_word_has_one_owner() {
    // (the word, who may write it, why)
    type Owner = fn(&Source) -> bool;
    let rules: &[(&str, Owner, &str)] = &[
        ("bincode::", |s| s.path == "src/store/record.rs", "the format on disk has one home"),
        (
            "sled::",
            |s| s.path == "src/store/sled.rs" || s.path == "src/store/mod.rs",
            "nothing above the engine may assume sled",
        ),
        ("flush_async", |_| false, "it hangs for good when eight tasks await it"),
        ("poem::", |s| s.is_api() || in_door(s), "capabilities know no HTTP"),
        ("poem_openapi", |s| s.is_api() || in_door(s), "capabilities know no HTTP"),
        ("payload::Xml", |_| false, "it reaches a parser with known advisories"),
        ("clap::", |s| s.path.starts_with("src/cli/") || s.path == "src/main.rs", "only the command line parses it"),
        ("Timestamp::now", |s| s.path == "src/clock.rs", "tests move the time"),
        ("SystemTime::now", |s| s.path == "src/clock.rs", "tests move the time"),
        ("Zoned::now", |s| s.path == "src/clock.rs", "tests move the time"),
        ("println!", |s| s.path.starts_with("src/cli/"), "only the command line speaks on standard output"),
        (".unwrap()", |_| false, "an `expect` carries the invariant"),
        ("thread::sleep", |_| false, "nothing waits by guessing"),
    ];
    let mut broken = Vec::new();
    for source in rust_sources() {
        for (number, line) in source.code() {
            for (word, owner, why) in rules {
                if line.contains(word) && !owner(&source) {
                    broken.push(format!("{}:{number}: `{word}`: {why}", source.path));
                }
            }
        }
    }
    fail_on(broken);
}

fn in_door(source: &Source) -> bool {
    source.path.starts_with("src/http/") || source.path.starts_with("src/demo/")
}

#[test]
fn the_demonstration_stays_outside_the_walls() {
    let mut broken = Vec::new();
    for source in rust_sources() {
        if source.path.starts_with("src/demo/") || source.path.starts_with("src/cli/") || source.path == "src/lib.rs" {
            continue;
        }
        for (number, line) in source.code() {
            if line.contains("crate::demo") || line.contains("is_demo") || line.contains("demo_mode") {
                broken.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    fail_on(broken);
}

#[test]
fn a_file_is_no_longer_than_it_can_be_read() {
    let mut all = sources(&["src", "tests", "benches"], &[".rs"]);
    all.extend(sources(&["frontend/src", "frontend/e2e"], &[".ts", ".tsx", ".css"]));
    let too_long = all
        .iter()
        .filter(|source| !source.path.ends_with("schema.d.ts"))
        .map(|source| (source.path.as_str(), source.text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(path, lines)| format!("{path}: {lines} lines"))
        .collect();
    fail_on(too_long);
}

#[test]
fn no_module_is_a_drawer_for_what_had_no_home() {
    let drawers = ["utils", "util", "helpers", "common", "misc", "types"];
    let mut all = rust_sources();
    all.extend(frontend_sources());
    let found = all
        .iter()
        .filter(|source| source.path.split(['/', '.']).any(|part| drawers.contains(&part)))
        .map(|source| source.path.clone())
        .collect();
    fail_on(found);
}

#[test]
fn every_module_opens_with_what_it_is_for() {
    let silent = rust_sources()
        .iter()
        .filter(|source| !source.text.starts_with("//!"))
        .map(|source| format!("{}: begins without `//!`", source.path))
        .collect();
    fail_on(silent);
}

#[test]
fn the_frontend_knows_its_floors() {
    let mut broken = Vec::new();
    for source in frontend_sources() {
        let inner = source.path.trim_start_matches("frontend/src/");
        let feature = inner.strip_prefix("features/").and_then(|rest| rest.split('/').next());
        for (number, line) in source.code() {
            let Some(target) = import_of(line) else { continue };
            let wrong = if inner.starts_with("ui/") {
                target.contains("/features/") || target.contains("/api/") || target.ends_with("/session")
            } else if let Some(feature) = feature {
                let to_another = target.split_once("features/").is_some_and(|(_, rest)| !rest.starts_with(feature));
                let beside = target.starts_with("../") && !target.starts_with("../../") && !inner_is_nested(inner);
                to_another || beside || target.ends_with("/app")
            } else {
                false
            };
            if wrong {
                broken.push(format!("{}:{number}: may not import {target}", source.path));
            }
        }
    }
    fail_on(broken);
}

/// Whether a file lies deeper than directly in its feature's folder, so that `../` stays inside the feature.
fn inner_is_nested(inner: &str) -> bool {
    inner.matches('/').count() > 2
}

fn import_of(line: &str) -> Option<&str> {
    let (_, after) = line.split_once(" from ").or_else(|| line.split_once("import("))?;
    let quote = after.trim_start().chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    after.trim_start()[1..].split(quote).next()
}

#[test]
fn nothing_is_written_into_the_page_that_its_policy_forbids() {
    let mut broken = Vec::new();
    for source in frontend_sources() {
        for (number, line) in source.code() {
            for word in ["dangerouslySetInnerHTML", ".innerHTML", "eval(", "document.write"] {
                if line.contains(word) {
                    broken.push(format!("{}:{number}: `{word}`", source.path));
                }
            }
        }
    }
    let page = fs::read_to_string(root().join("frontend/index.html")).expect("the page of the frontend");
    for (index, line) in page.lines().enumerate() {
        let inline_script = line.contains("<script") && !line.contains("src=");
        if inline_script || line.contains("<style") || line.contains(" style=") || line.contains(" onclick=") {
            broken.push(format!("frontend/index.html:{}: inline script or style", index + 1));
        }
    }
    fail_on(broken);
}

#[test]
fn each_record_has_a_place_of_its_own_and_a_fixture_of_each_version() {
    let (mut places, mut broken) = (std::collections::BTreeMap::new(), Vec::new());
    for source in rust_sources() {
        for (_, implementation) in
            source.text.match_indices("\nimpl Record for ").map(|(at, _)| (at, &source.text[at..]))
        {
            let body = implementation.split("\n}").next().expect("a body");
            let between = |before: &str, after: &str| {
                let (_, rest) = body.split_once(before).unwrap_or_else(|| panic!("{before} in {body}"));
                rest.split(after).next().expect("an end").to_owned()
            };
            let (prefix, name) = (between("prefix: ", ","), between("name: \"", "\""));
            let version: u8 = between("const VERSION: u8 = ", ";").parse().expect("a number");
            for taken in [prefix, name.clone()] {
                if let Some(other) = places.insert(taken.clone(), source.path.clone()) {
                    broken.push(format!("{}: {taken} is taken by a record of {other}", source.path));
                }
            }
            for version in 1..=version {
                let fixture = format!("{}/tests/fixtures/records/{name}-v{version}.bin", env!("CARGO_MANIFEST_DIR"));
                if !std::path::Path::new(&fixture).exists() {
                    broken.push(format!("{}: no {fixture}", source.path));
                }
            }
        }
    }
    assert!(places.len() > 20, "the records were found");
    fail_on(broken);
}
