//! `rimedio serve`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::net::TcpListener;

use super::exit::{Exit, fail};
use super::logging;
use crate::app::App;
use crate::clock::Clock;
use crate::config::Config;
use crate::http;

/// The arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Serve {
    /// The configuration; each key can also come from the environment (RIMEDIO_SECTION__KEY)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Serve {
    pub(super) async fn run(self) -> Exit {
        let config = match Config::load(self.config.as_deref()) {
            Ok(config) => config,
            Err(error) => return fail(Exit::Configuration, &error.to_string()),
        };
        logging::start();
        let listen = config.server.listen;
        let store = match super::open_store(&config.store).await {
            Ok(store) => store,
            Err(error) => return fail(Exit::Store, &error.to_string()),
        };
        let app = match App::on(store.clone(), config, Clock::system()).await {
            Ok(app) => Arc::new(app),
            Err(error) => return fail(Exit::Failed, &error.to_string()),
        };
        let listener = match TcpListener::bind(listen).await {
            Ok(listener) => listener,
            Err(error) => return fail(Exit::Failed, &format!("server.listen: cannot listen on {listen}: {error}")),
        };
        let asked_to_stop = http::asked_to_stop();
        tracing::info!(%listen, "ready");
        match http::serve(app, listener, asked_to_stop).await {
            Ok(()) => super::close_store(&store).await,
            Err(error) => fail(Exit::Failed, &error.to_string()),
        }
    }
}
