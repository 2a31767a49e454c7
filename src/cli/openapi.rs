//! `rimedio openapi`.

use std::sync::Arc;

use super::exit::{Exit, fail};
use crate::app::App;
use crate::clock::Clock;
use crate::config::{Config, EXAMPLE};
use crate::http;
use crate::store::Store;

/// Prints the description. It is the same for every installation, so the example's configuration serves.
pub(super) async fn run() -> Exit {
    let config = match Config::from_toml(EXAMPLE) {
        Ok(config) => config,
        Err(error) => return fail(Exit::Configuration, &error.to_string()),
    };
    match App::on(Store::in_memory(), config, Clock::system()).await {
        Ok(app) => {
            super::say(http::openapi(&Arc::new(app)).trim_end());
            Exit::Done
        }
        Err(error) => fail(Exit::Failed, &error.to_string()),
    }
}
