//! What goes over the wire to a model: OpenAI's chat completions, with the fields that OpenRouter adds.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Value, json};

use super::Prompt;
use crate::config::{DataCollection, Model as Settings};

/// Low, so that the same problem gets much the same answer; not zero, on which some models repeat themselves.
const TEMPERATURE: f32 = 0.2;

#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    response_format: Value,
    stream: bool,
    stream_options: StreamOptions,
    max_tokens: u32,
    temperature: f32,
    /// OpenRouter's own; other endpoints refuse fields that they do not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<Provider>,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Part<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Debug, Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct Provider {
    data_collection: &'static str,
}

impl<'a> Request<'a> {
    pub(super) fn new(settings: &Settings, model: &'a str, prompt: &'a Prompt, max_tokens: u32) -> Self {
        let mut content = vec![Part::Text { text: &prompt.user }];
        if let Some(jpeg) = &prompt.image {
            let url = format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg));
            content.push(Part::ImageUrl { image_url: ImageUrl { url } });
        }
        let system = Message { role: "system", content: vec![Part::Text { text: &prompt.system }] };
        let data_collection = match settings.data_collection {
            DataCollection::Deny => "deny",
            DataCollection::Allow => "allow",
        };
        Self {
            model,
            messages: [system, Message { role: "user", content }],
            response_format: response_format(),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            max_tokens,
            temperature: TEMPERATURE,
            provider: is_openrouter(settings).then_some(Provider { data_collection }),
        }
    }
}

fn is_openrouter(settings: &Settings) -> bool {
    settings.provider.eq_ignore_ascii_case("openrouter")
        || settings.base_url.host_str().is_some_and(|host| host == "openrouter.ai" || host.ends_with(".openrouter.ai"))
}

/// The shape of an answer. The order of the fields is the order in which they stream: what is short and comes
/// first on the page first. Strict mode wants every field required and none besides.
fn response_format() -> Value {
    json!({
        "type": "json_schema",
        "json_schema": {
            "name": "risposta",
            "strict": true,
            "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": ["topic", "problem_analysis", "diagnosis", "confidence", "warnings", "steps", "additional_tips"],
                "properties": {
                    "topic": { "type": "string", "enum": ["problem", "fraud", "off_topic"] },
                    "problem_analysis": { "type": "string" },
                    "diagnosis": { "type": "string" },
                    "confidence": { "type": "number", "description": "da 0 a 1" },
                    "warnings": { "type": "array", "items": { "type": "string" } },
                    "steps": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": false,
                            "required": ["text", "class"],
                            "properties": {
                                "text": { "type": "string" },
                                "class": { "type": "string", "enum": ["safe", "careful", "technician"] }
                            }
                        }
                    },
                    "additional_tips": { "type": "string" }
                }
            }
        }
    })
}
