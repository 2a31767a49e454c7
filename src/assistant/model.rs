//! The client for language models: any endpoint that speaks OpenAI's chat completions, OpenRouter by default. The
//! models of the configuration are asked in turn, each with a limit of its own and all with one together, so that
//! an answer always comes in time; what a model sends is not trusted to be well-formed, complete or short.
//!
//! Every call is counted against the day's ceiling before it is made, by what it may cost at most, and settled to
//! what it did cost: parallel calls do not pass the ceiling together.

mod reply;
mod spending;
mod stream;
mod wire;

use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, RETRY_AFTER};
use reqwest::{Client, StatusCode, Url};
use secrecy::ExposeSecret as _;

pub use reply::{ModelAnswer, ModelStep, Topic};
pub use spending::{Price, Spending};

use crate::config::Model as Settings;

/// A model's whole answer is some 4 kB; nothing beyond this is read.
const LARGEST_ANSWER: usize = 512 * 1024;

/// Tokens that a model may write: a long answer with twelve steps takes some 1,200.
const MOST_OUTPUT_TOKENS: u32 = 2_500;

/// What a picture of at most 1568 px costs in tokens, rounded up over the usual vision models.
const IMAGE_TOKENS: u64 = 2_600;

/// The wait before a second try when the endpoint names none.
const USUAL_PAUSE: Duration = Duration::from_millis(500);

/// No try begins with less time than this left: no model answers faster.
const SHORTEST_TRY: Duration = Duration::from_millis(1_500);

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The product's own words.
    pub system: String,
    /// The person's words and what the handbook knows, each marked as data.
    pub user: String,
    /// A JPEG that the person sent.
    pub image: Option<Vec<u8>>,
}

/// Tokens that the endpoint reports, or an estimate where it reports none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// What went in.
    pub input: u64,
    /// What came out.
    pub output: u64,
}

impl Tokens {
    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// A usable answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What the model wrote.
    pub answer: ModelAnswer,
    /// The model's name as the endpoint gave it.
    pub model: String,
    /// What it took.
    pub tokens: Tokens,
}

/// Why no model gave a usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The day's ceiling of cost is reached.
    #[error("the day's ceiling of model cost is reached")]
    Ceiling,
    /// No model answered in time.
    #[error("no model answered in time")]
    Timeout,
    /// Every model failed, refused or wrote what cannot be used.
    #[error("no model gave a usable answer")]
    Unusable,
}

/// Why one try failed, and what that means for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Attempt {
    /// The endpoint is busy or broken: the same model may be asked again, after a while.
    Busy(Option<Duration>),
    /// What came is not an answer: the same model may be asked again at once.
    Malformed(&'static str),
    /// Asking this model again is no use.
    Hopeless(&'static str),
    /// The ceiling is reached.
    Ceiling,
}

/// The models of the configuration.
#[derive(Clone, Debug)]
pub struct Models {
    client: Client,
    settings: Settings,
    endpoint: Url,
    /// What OpenRouter shows of who calls.
    referer: String,
    title: String,
    spending: Option<Spending>,
}

impl Models {
    /// The models that `settings` names. `referer` and `title` say who calls; without `spending` nothing is counted
    /// and no ceiling holds, which is for the operator's own command line only.
    #[must_use]
    pub fn new(client: Client, settings: Settings, referer: &str, title: &str, spending: Option<Spending>) -> Self {
        let mut endpoint = settings.base_url.clone();
        let path = format!("{}/chat/completions", endpoint.path().trim_end_matches('/'));
        endpoint.set_path(&path);
        Self { client, settings, endpoint, referer: referer.to_owned(), title: title.to_owned(), spending }
    }

    /// Who runs the endpoint, in the words that people read.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.settings.provider
    }

    /// Asks the models in turn. `partial` is told, as often as something new is complete, all that came so far of
    /// the answer under way; a later model begins anew.
    ///
    /// # Errors
    /// [`Failure`]. It never takes longer than the configuration's total.
    pub async fn ask(&self, prompt: &Prompt, partial: impl Fn(&ModelAnswer) + Send + Sync) -> Result<Reply, Failure> {
        let began = Instant::now();
        let total = self.settings.total_timeout();
        let mut failure = Failure::Unusable;
        for model in &self.settings.models {
            let mut retried = false;
            loop {
                let left = total.saturating_sub(began.elapsed());
                if left < SHORTEST_TRY.min(total / 2) {
                    return Err(Failure::Timeout);
                }
                let limit = left.min(self.settings.attempt_timeout());
                let attempt = tokio::time::timeout(limit, self.attempt(model, prompt, &partial)).await;
                let (why, pause) = match attempt {
                    Ok(Ok(reply)) => return Ok(reply),
                    Ok(Err(Attempt::Ceiling)) => return Err(Failure::Ceiling),
                    Ok(Err(Attempt::Busy(wait))) => ("busy", Some(wait.unwrap_or(USUAL_PAUSE))),
                    Ok(Err(Attempt::Malformed(why))) => (why, Some(Duration::ZERO)),
                    Ok(Err(Attempt::Hopeless(why))) => (why, None),
                    Err(_) => {
                        failure = Failure::Timeout;
                        ("too slow", None)
                    }
                };
                if why != "too slow" {
                    failure = Failure::Unusable;
                }
                tracing::warn!(model, why, elapsed_ms = began.elapsed().as_millis(), "a model gave no usable answer");
                let left = total.saturating_sub(began.elapsed());
                match pause {
                    Some(pause) if !retried && pause + SHORTEST_TRY <= left => {
                        retried = true;
                        tokio::time::sleep(pause).await;
                    }
                    _ => break,
                }
            }
        }
        Err(failure)
    }

    async fn attempt(
        &self,
        model: &str,
        prompt: &Prompt,
        partial: &(impl Fn(&ModelAnswer) + Send + Sync),
    ) -> Result<Reply, Attempt> {
        let Some(spending) = &self.spending else {
            return self.call(model, prompt, partial).await.map_err(|(attempt, _)| attempt);
        };
        let price = Price::of(&self.settings, model);
        let most = price.cost(Tokens { input: estimated_input(prompt), output: MOST_OUTPUT_TOKENS.into() });
        let held = match spending.reserve(most).await {
            Ok(Some(held)) => held,
            Ok(None) => return Err(Attempt::Ceiling),
            Err(error) => {
                tracing::error!(cause = error.cause_for_log(), "the cost of a model call could not be counted");
                return Err(Attempt::Hopeless("not counted"));
            }
        };
        // Settled when dropped, too: a call that is cut off by its limit has cost what its prompt cost, at least.
        let mut held = held.costing(price.cost(Tokens { input: estimated_input(prompt), output: 0 }));
        let result = self.call(model, prompt, partial).await;
        match &result {
            Ok(reply) => held.cost(price.cost(reply.tokens)),
            Err((_, tokens)) => held.cost(price.cost(*tokens)),
        }
        held.settle().await;
        result.map_err(|(attempt, _)| attempt)
    }

    async fn call(
        &self,
        model: &str,
        prompt: &Prompt,
        partial: &(impl Fn(&ModelAnswer) + Send + Sync),
    ) -> Result<Reply, (Attempt, Tokens)> {
        let nothing = Tokens::default();
        let body = wire::Request::new(&self.settings, model, prompt, MOST_OUTPUT_TOKENS);
        let response = self
            .client
            .post(self.endpoint.clone())
            .bearer_auth(self.settings.api_key.expose_secret())
            .header(ACCEPT, "text/event-stream, application/json")
            .header("HTTP-Referer", &self.referer)
            .header("X-Title", &self.title)
            .json(&body)
            .send()
            .await
            .map_err(|error| {
                tracing::warn!(cause = %error.without_url(), "the model's endpoint could not be reached");
                (Attempt::Busy(None), nothing)
            })?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            return Err((Attempt::Busy(wait.map(Duration::from_secs)), nothing));
        }
        if !status.is_success() {
            tracing::error!(model, status = status.as_u16(), "the model's endpoint refuses our requests");
            return Err((Attempt::Hopeless("refused by the endpoint"), nothing));
        }
        let mut told = ModelAnswer::default();
        let heard = stream::hear(response, LARGEST_ANSWER, |text| {
            if let Some(so_far) = reply::so_far(text).filter(|so_far| *so_far != told) {
                partial(&so_far);
                told = so_far;
            }
        })
        .await;
        let estimated = |text: &str| Tokens { input: estimated_input(prompt), output: tokens_of(text) };
        let heard = heard.map_err(|broken| {
            let tokens = if broken.reached_the_model { estimated(&broken.text) } else { nothing };
            (broken.attempt, tokens)
        })?;
        let tokens = heard.tokens.unwrap_or_else(|| estimated(&heard.text));
        if heard.refused {
            return Err((Attempt::Hopeless("the model refuses"), tokens));
        }
        let answer = reply::whole(&heard.text).ok_or((Attempt::Malformed("not the answer's shape"), tokens))?;
        Ok(Reply { answer, model: heard.model.unwrap_or_else(|| model.to_owned()), tokens })
    }
}

fn estimated_input(prompt: &Prompt) -> u64 {
    let image = if prompt.image.is_some() { IMAGE_TOKENS } else { 0 };
    tokens_of(&prompt.system) + tokens_of(&prompt.user) + image
}

/// Italian takes about three and a half characters a token; rounded up.
fn tokens_of(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap_or(u64::MAX) / 3 + 1
}
