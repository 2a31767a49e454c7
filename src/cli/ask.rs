//! `rimedio ask`: the assistant's answer on the terminal, without a server, a store or an account. The handbook needs
//! no configuration; the model needs its part of one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use super::exit::{Exit, fail};
use super::say;
use crate::assistant::answer::Content;
use crate::assistant::api::answer_outside_a_session;
use crate::assistant::engine::Engine;
use crate::assistant::image::{MAX_BYTES, Picture};
use crate::assistant::model::Models;
use crate::config::Config;
use crate::handbook::{Handbook, Question, ResponseFormat, StepClass};
use crate::http_client::http_client;

/// Who answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Who {
    /// The embedded handbook: no network, no configuration
    #[default]
    Handbook,
    /// The model of the configuration; the handbook when it fails
    Model,
}

/// How long and how technical the answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Detailed,
    Concise,
    Technical,
}

/// The arguments of `ask`.
#[derive(Debug, Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Ask {
    /// What happens, in Italian
    #[arg(required_unless_present_any = ["batch", "image"])]
    text: Option<String>,
    /// A picture of the screen; only a model can look at it
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    image: Option<PathBuf>,
    /// Print JSON instead of words
    #[arg(long)]
    json: bool,
    /// Answer each line {"id", "text"} of a file (- for standard input) with a line {"id", ...answer}
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    batch: Option<PathBuf>,
    /// Who answers
    #[arg(long, value_enum, default_value_t)]
    engine: Who,
    /// How long and how technical the answer is
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The configuration, for the model; each key can also come from the environment (RIMEDIO_SECTION__KEY)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Ask {
    pub(super) async fn run(self) -> Exit {
        super::logging::start_with("error");
        let engine = match self.engine() {
            Ok(engine) => engine,
            Err(exit) => return exit,
        };
        if let Some(batch) = &self.batch {
            return self.answer_all(&engine, batch).await;
        }
        let image = match self.image.as_deref().map(picture).transpose() {
            Ok(image) => image,
            Err(exit) => return exit,
        };
        let text = self.text.as_deref().unwrap_or_default();
        let (content, took) = self.answer(&engine, text, image).await;
        if self.json {
            say(&answer_outside_a_session(content, took).to_string())
        } else {
            tell(&content)
        }
        Exit::Done
    }

    fn engine(&self) -> Result<Engine, Exit> {
        if self.engine == Who::Handbook {
            return Ok(Engine::new(Handbook::embedded(), None));
        }
        let config =
            Config::load(self.config.as_deref()).map_err(|error| fail(Exit::Configuration, &error.to_string()))?;
        let none = || fail(Exit::Configuration, "model: there is no [model] in the configuration");
        let settings = config.model.clone().ok_or_else(none)?;
        let client = http_client().map_err(|error| fail(Exit::Failed, &error.to_string()))?;
        let models = Models::new(client, settings, &config.server.origin(), &config.brand.name, None);
        Ok(Engine::new(Handbook::embedded(), Some(models)))
    }

    async fn answer(&self, engine: &Engine, text: &str, image: Option<Vec<u8>>) -> (Content, u32) {
        let began = Instant::now();
        let format = match self.format {
            Format::Detailed => ResponseFormat::Detailed,
            Format::Concise => ResponseFormat::Concise,
            Format::Technical => ResponseFormat::Technical,
        };
        let question = Question { text: text.to_owned(), has_image: image.is_some(), format, ..Question::default() };
        let content = engine.answer(question, image, |_| {}).await;
        (content, u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX))
    }

    /// A line that makes no sense is told with its number, and the others are answered.
    async fn answer_all(&self, engine: &Engine, batch: &Path) -> Exit {
        let lines: Box<dyn BufRead + Send> = if batch == Path::new("-") {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            match File::open(batch) {
                Ok(file) => Box::new(BufReader::new(file)),
                Err(error) => return fail(Exit::NotFound, &format!("{}: {error}", batch.display())),
            }
        };
        let mut exit = Exit::Done;
        // Bytes, because a line that is no text must not keep the others from being answered.
        for (number, line) in (1..).zip(lines.split(b'\n')) {
            let line = match line {
                Ok(line) if line.trim_ascii().is_empty() => continue,
                Ok(line) => line,
                Err(error) => return fail(Exit::Failed, &format!("line {number}: {error}")),
            };
            let Some((id, text)) = read_line(&line) else {
                exit = fail(Exit::Failed, &format!("line {number}: expected {{\"id\": …, \"text\": \"…\"}}"));
                continue;
            };
            let (content, took) = self.answer(engine, &text, None).await;
            let mut told = Map::from_iter([("id".to_owned(), id)]);
            if let Value::Object(fields) = answer_outside_a_session(content, took) {
                told.extend(fields);
            }
            say(&Value::Object(told).to_string());
        }
        exit
    }
}

/// The id and the text of a line of a batch.
fn read_line(line: &[u8]) -> Option<(Value, String)> {
    let mut fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let id = fields.remove("id").filter(|id| id.is_string() || id.is_number())?;
    match fields.remove("text")? {
        Value::String(text) => Some((id, text)),
        _ => None,
    }
}

/// A picture as the server would take it in.
fn picture(path: &Path) -> Result<Vec<u8>, Exit> {
    let unreadable = |error: std::io::Error| fail(Exit::NotFound, &format!("{}: {error}", path.display()));
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) {
        return Err(fail(Exit::Failed, &format!("{}: larger than 10 MB", path.display())));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let picture = Picture::read(&bytes).map_err(|error| fail(Exit::Failed, error.detail()))?;
    Ok(picture.jpeg().to_vec())
}

/// The answer as a person reads it.
fn tell(content: &Content) {
    for warning in &content.warnings {
        say(&format!("ATTENZIONE: {warning}"));
    }
    say(&format!("\nCHE COSA SUCCEDE\n{}", content.problem_analysis));
    say(&format!("\nPERCHÉ SUCCEDE (sicurezza {:.0}%)\n{}", content.confidence * 100.0, content.diagnosis));
    if !content.codes.is_empty() {
        let codes: Vec<String> = content.codes.iter().map(|code| format!("{} {}", code.code, code.name)).collect();
        say(&format!("\nCODICI\n{}", codes.join("\n")));
    }
    say("\nCHE COSA FARE");
    for (number, step) in (1..).zip(&content.steps) {
        let class = match step.class {
            StepClass::Safe => "",
            StepClass::Careful => "(con attenzione) ",
            StepClass::Technician => "(meglio con un tecnico) ",
        };
        say(&format!("{number}. {class}{}", step.text));
    }
    if !content.additional_tips.is_empty() {
        say(&format!("\nALTRI CONSIGLI\n{}", content.additional_tips));
    }
    say(&format!("\n{}.", content.generated_by));
}
