//! Makes the frontend folder exist and watches it, so that a new build of it is embedded; reads the handbook, refuses
//! what does not hold with the file and the reason, and embeds the rest as one document.

#[path = "src/handbook/article.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, reason = "the library uses all of it")]
mod article;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use article::{Article, Family, Platform, Shelf, WrittenClass};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Contacts {
    contact: Vec<Contact>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Contact {
    value: String,
    reason: String,
}

fn main() {
    // Embedding needs the folder, and a clone without Node has none.
    let _ = fs::create_dir_all("frontend/dist");
    for watched in ["frontend/dist", "handbook", "build.rs", "src/handbook/article.rs"] {
        println!("cargo:rerun-if-changed={watched}");
    }
    match shelf().and_then(|shelf| write(&shelf)) {
        Ok(()) => {}
        Err(problem) => {
            println!("cargo:warning={problem}");
            std::process::exit(1);
        }
    }
}

fn write(shelf: &Shelf) -> Result<(), String> {
    let folder = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or("no OUT_DIR")?;
    let document = serde_json::to_vec(shelf).map_err(|error| error.to_string())?;
    fs::write(folder.join("handbook.json"), document).map_err(|error| error.to_string())
}

fn shelf() -> Result<Shelf, String> {
    let families = families()?;
    let synonyms = table("handbook/synonyms.tsv")?;
    let synonyms = synonyms.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let contacts: Contacts =
        toml::from_str(&read("handbook/contacts.toml")?).map_err(|error| format!("handbook/contacts.toml: {error}"))?;
    if let Some(unreasoned) = contacts.contact.iter().find(|contact| contact.reason.trim().is_empty()) {
        return Err(format!("handbook/contacts.toml: {}: say whose it is in `reason`", unreasoned.value));
    }
    let contacts: Vec<String> = contacts.contact.into_iter().map(|contact| contact.value).collect();
    let articles = articles(&families, &contacts)?;
    Ok(Shelf { families, articles, synonyms, contacts })
}

fn read(path: impl AsRef<Path>) -> Result<String, String> {
    let path = path.as_ref();
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The rows of a table, without its head; each has as many cells as the head.
fn table(path: &str) -> Result<Vec<Vec<String>>, String> {
    let text = read(path)?;
    let mut lines = text.lines().enumerate();
    let columns = lines.next().map_or(0, |(_, head)| head.split('\t').count());
    let mut rows = Vec::new();
    for (number, line) in lines {
        let row: Vec<String> = line.split('\t').map(|cell| cell.trim().to_owned()).collect();
        if row.len() != columns {
            return Err(format!("{path}:{}: {} cells where the head has {columns}", number + 1, row.len()));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn families() -> Result<Vec<Family>, String> {
    let path = "handbook/families.tsv";
    let mut ids = BTreeSet::new();
    let mut families = Vec::new();
    for row in table(path)? {
        let [id, title, platforms, words] = &row[..] else { return Err(format!("{path}: four columns")) };
        if !ids.insert(id.clone()) {
            return Err(format!("{path}: {id} stands there twice"));
        }
        let platforms = platforms.split(' ').map(platform).collect::<Option<Vec<_>>>();
        let platforms = platforms.ok_or_else(|| format!("{path}: {id}: an unknown platform"))?;
        let words = words.split(';').map(|word| word.trim().to_owned()).collect();
        families.push(Family { id: id.clone(), title: title.clone(), platforms, words });
    }
    Ok(families)
}

fn platform(name: &str) -> Option<Platform> {
    Some(match name {
        "any" => Platform::Any,
        "windows" => Platform::Windows,
        "macos" => Platform::Macos,
        "linux" => Platform::Linux,
        "android" => Platform::Android,
        "ios" => Platform::Ios,
        _ => return None,
    })
}

fn articles(families: &[Family], contacts: &[String]) -> Result<Vec<Article>, String> {
    let folder = "handbook/articles";
    let entries = fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let known: BTreeSet<&str> = families.iter().map(|family| family.id.as_str()).collect();
    let read =
        |path: &PathBuf| article(path, &known, contacts).map_err(|problem| format!("{}: {problem}", path.display()));
    paths.iter().map(read).collect()
}

fn article(path: &Path, known: &BTreeSet<&str>, contacts: &[String]) -> Result<Article, String> {
    let article: Article = toml::from_str(&read(path)?).map_err(|error| error.to_string())?;
    let named = path.file_stem().is_some_and(|stem| stem == article.id.as_str());
    if !named || !known.contains(article.id.as_str()) {
        return Err(format!("id: `{}` is not the file's name and an id of families.tsv", article.id));
    }
    if let Some(stranger) = article.related.iter().find(|id| !known.contains(id.as_str())) {
        return Err(format!("related: `{stranger}` is no id of families.tsv"));
    }
    let texts = [&article.title, &article.category, &article.summary, &article.verify, &article.stop];
    if texts.iter().any(|text| text.trim().is_empty()) {
        return Err("title, category, summary, verify and stop say something".into());
    }
    if article.steps.len() < 3 || article.causes.is_empty() || article.words.is_empty() || article.platforms.is_empty()
    {
        return Err("at least three steps, a cause, a platform and some words".into());
    }
    for (key, text) in read_by_people(&article) {
        if let Some(stranger) = stranger_in(text, contacts) {
            return Err(format!(
                "{key}: `{stranger}` is a number, an address or a link that contacts.toml does not list"
            ));
        }
    }
    for step in &article.steps {
        let careful = step.class == WrittenClass::Careful;
        if careful != step.undo.is_some() {
            return Err(format!("steps: `{}`: `undo` goes with class \"careful\", and only with it", step.text));
        }
    }
    Ok(article)
}

/// Every text of an article that a person may read, with its key.
fn read_by_people(article: &Article) -> Vec<(&'static str, &str)> {
    let mut texts = vec![("summary", article.summary.as_str()), ("verify", &article.verify), ("stop", &article.stop)];
    texts.extend(article.signs.iter().map(|text| ("signs", text.as_str())));
    texts.extend(article.tips.iter().map(|text| ("tips", text.as_str())));
    texts.extend(article.cautions.iter().map(|text| ("cautions", text.as_str())));
    texts.extend(article.causes.iter().map(|cause| ("causes", cause.text.as_str())));
    texts.extend(article.steps.iter().map(|step| ("steps", step.text.as_str())));
    texts.extend(article.steps.iter().filter_map(|step| Some(("steps", step.undo.as_deref()?))));
    texts
}

/// A telephone number, an e-mail address or a link in a text that no contact vouches for. The check of every answer
/// looks closer; this one tells the writer at once.
fn stranger_in<'a>(text: &'a str, contacts: &[String]) -> Option<&'a str> {
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
    text.split_whitespace().map(|word| word.trim_matches(|c: char| ".,;:!?()'\"".contains(c))).find(|word| {
        let is_link = word.contains("://") || word.starts_with("www.") || word.contains('@');
        // A code has letters.
        let is_number = digits(word) >= 6 && !word.contains(char::is_alphabetic);
        (is_link || is_number) && !contacts.iter().any(|contact| contact == word)
    })
}
