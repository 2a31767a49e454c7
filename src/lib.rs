//! **Rimedio**, *il tuo assistente IT personale*: helps people who are not experts to solve problems with
//! their computers and phones. One binary: it serves the embedded frontend and `/api/v1`, keeps everything in
//! one store on disk, and has a command line for its operator.
//!
//! The map, from the ground up. A module may use those above it in this list, never those below;
//! `tests/it/house.rs` reads the sources and fails when one does.
//!
//! - [`error`]: every failure that can reach a caller, with its code, status and Italian sentence.
//! - [`clock`]: the only reader of the time; days of Europe/Rome.
//! - [`config`]: every key of the configuration, read once and refused when it contradicts itself.
//! - `folding`: text as a reader sees it, without look-alikes and accents.
//! - [`http_client`]: the client for calls to providers.
//! - [`store`]: what is remembered; records, commits, the engines that keep them.
//! - [`account`]: who someone is; Google sign-in, sessions, consents.
//! - [`billing`]: what someone pays for; plans, subscription, Stripe, the ledger.
//! - [`quota`]: what someone may still use; reserve, settle, release.
//! - [`handbook`]: the embedded knowledge; codes, articles, search, answers without a network.
//! - [`assistant`]: the product; from a described problem to checked steps.
//! - [`app`]: the parts, built once from the configuration.
//! - [`http`]: the door; the only place that knows all routes.
//! - [`demo`]: stand-ins for the providers, outside the walls.
//! - [`cli`]: the commands of the operator.

pub mod account;
pub mod app;
pub mod assistant;
pub mod billing;
pub mod cli;
pub mod clock;
pub mod config;
pub mod demo;
pub mod error;
mod folding;
pub mod handbook;
pub mod http;
pub mod http_client;
pub mod quota;
pub mod store;
