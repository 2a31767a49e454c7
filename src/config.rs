//! Every key of the configuration, read once: a TOML file, then the environment (`RIMEDIO_SECTION__KEY`).
//! What is missing, ill-formed or contradicts itself is refused at the start with one sentence that names the
//! key, says what is wrong and shows an example.

mod payment;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use figment::Figment;
use figment::providers::{Env, Format, Toml};
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

pub use payment::{PlanTerms, Plans, Prices, Stripe};

/// The whole configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the server listens and how it treats connections.
    pub server: Server,
    /// Where and how things are remembered.
    pub store: StoreSettings,
    /// Who offers this installation.
    #[serde(default)]
    pub brand: Brand,
    /// Sign-in with Google.
    pub google: Google,
    /// The operators.
    #[serde(default)]
    pub admin: Admin,
    /// What the plans cost and grant.
    #[serde(default)]
    pub plans: Plans,
    /// Where the plans are paid.
    pub stripe: Stripe,
    /// The language model; without it the handbook answers.
    #[serde(default)]
    pub model: Option<Model>,
    /// How many calls are let through.
    #[serde(default)]
    pub limits: Limits,
    /// What the public pages claim.
    #[serde(default)]
    pub marketing: Marketing,
}

/// The configuration cannot be used. It names the key, says what is wrong and shows an example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("configuration: {key}: {problem}. Example: {example}")]
pub struct ConfigError {
    /// The key, as `section.key`; `the file` when the file as a whole is meant.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// A line that would do.
    pub example: String,
}

impl ConfigError {
    fn new(key: &str, problem: impl Into<String>, example: &str) -> Self {
        Self { key: key.into(), problem: problem.into(), example: example.into() }
    }
}

/// Every key with its default, as it is handed to operators.
pub const EXAMPLE: &str = include_str!("../config.toml.example");

impl Config {
    /// Reads a file, when one is named, then the environment, and checks the whole.
    ///
    /// # Errors
    /// [`ConfigError`] for the first thing that is missing, ill-formed or contradictory.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let mut figment = Figment::new();
        if let Some(file) = file {
            if !file.is_file() {
                let problem = format!("there is no file {}", file.display());
                return Err(ConfigError::new("--config", problem, "rimedio serve --config /etc/rimedio/config.toml"));
            }
            figment = figment.merge(Toml::file_exact(file));
        }
        Self::read(figment.merge(Env::prefixed("RIMEDIO_").split("__")))
    }

    /// Reads a configuration from a text and checks it.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        Self::read(Figment::from(Toml::string(text)))
    }

    fn read(figment: Figment) -> Result<Self, ConfigError> {
        let config: Self = figment.extract().map_err(|error| unreadable(&error))?;
        config.validate()?;
        Ok(config)
    }

    /// Refuses values that are well-formed but contradict each other or cannot work.
    fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, problem: &str, example: &str| Err(ConfigError::new(key, problem, example));
        let Server { public_url, max_connections, header_timeout_seconds, idle_timeout_seconds, .. } = &self.server;
        let https = "public_url = \"https://rimedio.example\"";
        if public_url.path() != "/" || public_url.query().is_some() || public_url.fragment().is_some() {
            return refuse("server.public_url", "it must be an address without a path", https);
        }
        let is_local = matches!(public_url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if public_url.scheme() != "https" && !(public_url.scheme() == "http" && is_local) {
            return refuse("server.public_url", "it must begin with https://, except on this machine itself", https);
        }
        if *max_connections == 0 {
            return refuse("server.max_connections", "no connection could be accepted", "max_connections = 1024");
        }
        if *header_timeout_seconds == 0 {
            return refuse("server.header_timeout_seconds", "no request could arrive", "header_timeout_seconds = 10");
        }
        if *idle_timeout_seconds <= STREAM_HEARTBEAT_SECONDS {
            let problem = "it must be more than 10, the heartbeat of an event stream";
            return refuse("server.idle_timeout_seconds", problem, "idle_timeout_seconds = 60");
        }
        if self.google.client_id.trim().is_empty() {
            return refuse("google.client_id", "it is empty", "client_id = \"….apps.googleusercontent.com\"");
        }
        if self.google.client_secret.expose_secret().trim().is_empty() {
            return refuse("google.client_secret", "it is empty", "client_secret = \"GOCSPX-…\"");
        }
        self.plans.validate()?;
        self.stripe.validate()?;
        if self.limits.anonymous_per_minute == 0 || self.limits.account_per_minute == 0 {
            return refuse("limits", "a limit of 0 lets nobody in", "anonymous_per_minute = 60");
        }
        self.model.as_ref().map_or(Ok(()), Model::validate)
    }
}

/// How often an event stream says that it is alive, in seconds.
const STREAM_HEARTBEAT_SECONDS: u64 = 10;

fn unreadable(error: &figment::Error) -> ConfigError {
    use figment::error::Kind;
    let path = error.path.join(".");
    match &error.kind {
        Kind::MissingField(field) => {
            let key = if path.is_empty() { field.to_string() } else { format!("{path}.{field}") };
            let problem = "it is missing and has no default";
            ConfigError::new(&key, problem, &example_of(&key))
        }
        Kind::UnknownField(field, known) => {
            let key = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            let problem = format!("there is no such key; known here: {}", known.join(", "));
            ConfigError::new(&key, problem, "see config.toml.example")
        }
        // Without a path it is no value that is wrong but the file itself.
        kind if path.is_empty() => ConfigError::new("the file", kind.to_string(), "see config.toml.example"),
        kind => ConfigError::new(&path, kind.to_string(), &example_of(&path)),
    }
}

/// The line of the example file that sets a key, or begins its section.
fn example_of(key: &str) -> String {
    let (section, name) = key.rsplit_once('.').unwrap_or((key, ""));
    let mut lines = EXAMPLE.lines().map(|line| line.trim_start_matches("# "));
    let inside = lines.find(|line| *line == format!("[{section}]"));
    let line = inside.and_then(|heading| {
        let mut in_section = lines.by_ref().take_while(|line| !line.starts_with('['));
        in_section.find(|line| line.starts_with(&format!("{name} ="))).or(Some(heading))
    });
    line.map_or_else(|| "see config.toml.example".to_owned(), ToOwned::to_owned)
}

/// `[server]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The address to listen on.
    #[serde(default = "Server::default_listen")]
    pub listen: SocketAddr,
    /// The address under which people reach the product, without a path.
    pub public_url: Url,
    /// The proxies whose `X-Forwarded-For` is believed; nobody's when empty.
    #[serde(default)]
    pub trusted_proxies: Vec<IpNet>,
    /// At most so many open connections.
    #[serde(default = "Server::default_connections")]
    pub max_connections: usize,
    /// How long a client may take to send the head of a request, in seconds.
    #[serde(default = "Server::default_header_timeout")]
    pub header_timeout_seconds: u64,
    /// How long a connection may be silent, in seconds. Longer than the event stream's keep-alive of 10 seconds.
    #[serde(default = "Server::default_idle_timeout")]
    pub idle_timeout_seconds: u64,
}

impl Server {
    fn default_listen() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 8080))
    }
    const fn default_connections() -> usize {
        1024
    }
    const fn default_header_timeout() -> u64 {
        10
    }
    const fn default_idle_timeout() -> u64 {
        60
    }

    /// The origin of the public address, such as `https://rimedio.example`.
    #[must_use]
    pub fn origin(&self) -> String {
        self.public_url.origin().ascii_serialization()
    }
}

/// `[store]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreSettings {
    /// The folder of the data; made with mode 0700 when it is absent.
    pub directory: PathBuf,
    /// Stands in front of every key, so that several installations may share one store.
    #[serde(default)]
    pub prefix: String,
    /// Memory that sled may use for its cache, in MiB.
    #[serde(default = "StoreSettings::default_cache")]
    pub cache_mib: u64,
}

impl StoreSettings {
    const fn default_cache() -> u64 {
        64
    }
}

/// `[brand]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Brand {
    /// The product's name.
    pub name: String,
    /// The line below it.
    pub tagline: String,
    /// Where people write for help.
    pub support_address: String,
    /// The legal owner, as the law asks for it on public pages.
    pub owner: String,
    /// The owner's address.
    pub owner_address: String,
    /// The owner's VAT number.
    pub owner_vat: String,
    /// A sentence above every page; none when absent.
    pub banner: Option<String>,
}

impl Default for Brand {
    fn default() -> Self {
        Self {
            name: "Rimedio".into(),
            tagline: "Il tuo assistente IT personale".into(),
            support_address: "assistenza@rimedio.example".into(),
            owner: String::new(),
            owner_address: String::new(),
            owner_vat: String::new(),
            banner: None,
        }
    }
}

/// `[google]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Google {
    /// The issuer; its discovery document names every other address.
    #[serde(default = "Google::default_issuer")]
    pub issuer: Url,
    /// The client's id.
    pub client_id: String,
    /// The client's secret.
    pub client_secret: SecretString,
}

impl Google {
    fn default_issuer() -> Url {
        // A constant that parses.
        Url::parse("https://accounts.google.com").expect("Google's issuer is a valid address")
    }
}

/// `[admin]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Admin {
    /// The e-mail addresses of those who are superusers from their first sign-in.
    pub superusers: Vec<String>,
}

/// The price of a model, in euro for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Tokens that go in.
    pub input_eur: f64,
    /// Tokens that come out.
    pub output_eur: f64,
}

/// `[model]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The base address of an OpenAI-compatible endpoint.
    #[serde(default = "Model::default_base_url")]
    pub base_url: Url,
    /// The key for it.
    pub api_key: SecretString,
    /// Who runs it, in the words that users read, such as 'OpenRouter'.
    #[serde(default = "Model::default_provider")]
    pub provider: String,
    /// The models, tried in this order.
    pub models: Vec<String>,
    /// How long one model may take, in seconds.
    #[serde(default = "Model::default_attempt")]
    pub attempt_seconds: u64,
    /// How long all of them together may take, in seconds; below 30, so that an answer comes in under 30.
    #[serde(default = "Model::default_total")]
    pub total_seconds: u64,
    /// The ceiling of a day's cost in euro; none when absent. Above it the handbook answers.
    #[serde(default)]
    pub daily_budget_eur: Option<f64>,
    /// The price of each model; every model needs one when there is a ceiling.
    #[serde(default)]
    pub prices: BTreeMap<String, ModelPrice>,
    /// Whether the endpoint may keep what it is sent (OpenRouter's `provider.data_collection`).
    #[serde(default)]
    pub data_collection: DataCollection,
}

impl Model {
    fn default_base_url() -> Url {
        Url::parse("https://openrouter.ai/api/v1").expect("OpenRouter's address is valid")
    }
    fn default_provider() -> String {
        "OpenRouter".into()
    }
    const fn default_attempt() -> u64 {
        15
    }
    const fn default_total() -> u64 {
        25
    }
    fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, problem: String, example: &str| Err(ConfigError::new(key, problem, example));
        if self.models.is_empty() || self.models.iter().any(|name| name.trim().is_empty()) {
            return refuse("model.models", "at least one model must be named".into(), "models = [\"vendor/model\"]");
        }
        if self.api_key.expose_secret().trim().is_empty() {
            return refuse("model.api_key", "it is empty".into(), "api_key = \"sk-…\"");
        }
        if self.total_seconds == 0 || self.total_seconds >= 30 {
            let problem = "an answer is promised in under 30 seconds, so it must be between 1 and 29".into();
            return refuse("model.total_seconds", problem, "total_seconds = 25");
        }
        if self.attempt_seconds == 0 || self.attempt_seconds > self.total_seconds {
            let problem = "it must be between 1 and total_seconds".into();
            return refuse("model.attempt_seconds", problem, "attempt_seconds = 15");
        }
        for (name, price) in &self.prices {
            if ![price.input_eur, price.output_eur].iter().all(|euro| euro.is_finite() && *euro >= 0.0) {
                let problem = format!("the price of {name} must be 0 or more");
                return refuse("model.prices", problem, "input_eur = 0.30");
            }
        }
        let Some(ceiling) = self.daily_budget_eur else { return Ok(()) };
        if !ceiling.is_finite() || ceiling <= 0.0 {
            let problem = "the ceiling must be more than 0; leave the key out for none".into();
            return refuse("model.daily_budget_eur", problem, "daily_budget_eur = 5.0");
        }
        match self.models.iter().find(|name| !self.prices.contains_key(*name)) {
            Some(unknown) => {
                let problem = format!("with a ceiling every model needs a price, and {unknown} has none");
                refuse("model.prices", problem, "[model.prices.\"vendor/model\"] input_eur = 0.30 output_eur = 1.20")
            }
            None => Ok(()),
        }
    }

    /// How long one model may take.
    #[must_use]
    pub const fn attempt_timeout(&self) -> Duration {
        Duration::from_secs(self.attempt_seconds)
    }
    /// How long all of them together may take.
    #[must_use]
    pub const fn total_timeout(&self) -> Duration {
        Duration::from_secs(self.total_seconds)
    }
}

/// Whether a model's provider may keep what it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataCollection {
    /// Only providers that keep nothing.
    #[default]
    Deny,
    /// Any provider.
    Allow,
}

/// `[limits]`: calls a minute, with bursts of the same size.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Anonymous calls of one address.
    pub anonymous_per_minute: u32,
    /// Calls of one signed-in account.
    pub account_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { anonymous_per_minute: 60, account_per_minute: 240 }
    }
}

/// What the public pages claim about the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claims {
    /// Invented samples, for a demonstration only.
    Sample,
    /// Figures measured on this installation.
    Measured,
    /// None.
    #[default]
    Off,
}

/// `[marketing]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Marketing {
    /// Which figures the public pages show.
    pub claims: Claims,
}
