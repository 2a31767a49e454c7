//! Hearing an endpoint out: an event stream of deltas, or one JSON document from endpoints that do not stream. What
//! breaks off in the middle, grows without end or reports an error half-way is told apart.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;

use super::{Attempt, Tokens};

/// What an endpoint said from beginning to end.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The model's text.
    pub(super) text: String,
    /// The model's name as received.
    pub(super) model: Option<String>,
    /// The usage as reported.
    pub(super) tokens: Option<Tokens>,
    /// Whether the model or its provider declined.
    pub(super) refused: bool,
}

/// An answer that is none.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) attempt: Attempt,
    /// What had come until then.
    pub(super) text: String,
    /// Whether the model had begun, so that it costs.
    pub(super) reached_the_model: bool,
}

#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    /// In an event stream.
    #[serde(default)]
    delta: Option<Message>,
    /// In one document.
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

#[derive(Debug, Deserialize)]
struct ErrorBody {
    /// OpenRouter puts the status here, as a number; others put words.
    #[serde(default)]
    code: serde_json::Value,
}

/// Hears an answer out. `so_far` is told the text as it grows.
pub(super) async fn hear(response: Response, limit: usize, so_far: impl FnMut(&str)) -> Result<Heard, Broken> {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let streams = content_type.starts_with("text/event-stream");
    let mut listener = Listener { heard: Heard::default(), finished: false, so_far };
    let result =
        if streams { listener.stream(response, limit).await } else { listener.document(response, limit).await };
    match result {
        Ok(()) => Ok(listener.heard),
        Err(attempt) => {
            let reached_the_model = !listener.heard.text.is_empty();
            Err(Broken { attempt, text: listener.heard.text, reached_the_model })
        }
    }
}

struct Listener<F> {
    heard: Heard,
    /// A reason to finish, or the stream's own end mark, has come.
    finished: bool,
    so_far: F,
}

impl<F: FnMut(&str)> Listener<F> {
    async fn stream(&mut self, response: Response, limit: usize) -> Result<(), Attempt> {
        let mut pieces = response.bytes_stream();
        let mut line: Vec<u8> = Vec::new();
        let mut total = 0_usize;
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| Attempt::Malformed("the stream broke off"))?;
            total = total.saturating_add(piece.len());
            // The framing around a token of four bytes takes some 200.
            if total > limit * 64 || self.heard.text.len() > limit || line.len() > limit {
                return Err(Attempt::Hopeless("the answer does not end"));
            }
            for byte in piece {
                if byte != b'\n' {
                    line.push(byte);
                    continue;
                }
                if self.line(&std::mem::take(&mut line))? {
                    return Ok(());
                }
            }
        }
        self.line(&line)?;
        if self.finished { Ok(()) } else { Err(Attempt::Malformed("the stream ended too early")) }
    }

    /// Takes one line of the event stream; true at its end mark.
    fn line(&mut self, line: &[u8]) -> Result<bool, Attempt> {
        // Empty lines, comments that keep the connection alive, and event names carry nothing.
        let Some(data) = line.strip_prefix(b"data:") else { return Ok(false) };
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            self.finished = true;
            return Ok(true);
        }
        if data.is_empty() {
            return Ok(false);
        }
        let chunk = serde_json::from_slice(data).map_err(|_| Attempt::Malformed("an event is not JSON"))?;
        self.chunk(chunk)?;
        Ok(false)
    }

    async fn document(&mut self, response: Response, limit: usize) -> Result<(), Attempt> {
        let body = crate::http_client::read_body(response, limit).await;
        let body = body.map_err(|error| match error {
            crate::http_client::BodyError::TooLong(_) => Attempt::Hopeless("the answer does not end"),
            crate::http_client::BodyError::Broken(_) => Attempt::Malformed("the answer broke off"),
        })?;
        let document = serde_json::from_slice(&body).map_err(|_| Attempt::Malformed("the answer is not JSON"))?;
        self.chunk(document)
    }

    fn chunk(&mut self, chunk: Chunk) -> Result<(), Attempt> {
        if let Some(error) = chunk.error {
            let status = error.code.as_u64().unwrap_or(500);
            let passing = status == 429 || status >= 500;
            return Err(if passing { Attempt::Busy(None) } else { Attempt::Hopeless("an error in the answer") });
        }
        if self.heard.model.is_none() {
            self.heard.model = chunk.model.filter(|model| !model.is_empty());
        }
        if let Some(usage) = chunk.usage {
            self.heard.tokens = Some(Tokens { input: usage.prompt_tokens, output: usage.completion_tokens });
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(()) };
        if let Some(reason) = choice.finish_reason {
            self.finished = true;
            self.heard.refused |= reason == "content_filter";
            if reason == "error" {
                return Err(Attempt::Busy(Some(Duration::ZERO)));
            }
        }
        if let Some(message) = choice.delta.or(choice.message) {
            self.heard.refused |= message.refusal.is_some_and(|refusal| !refusal.trim().is_empty());
            if let Some(content) = message.content.filter(|content| !content.is_empty()) {
                self.heard.text.push_str(&content);
                (self.so_far)(&self.heard.text);
            }
        }
        Ok(())
    }
}
