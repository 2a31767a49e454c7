//! `rimedio demo`.

use std::path::PathBuf;

use clap::Args;
use url::Url;

use super::exit::{Exit, fail};
use super::logging;
use crate::clock::Clock;
use crate::demo::{Demo, DemoError};
use crate::http;

/// The arguments of `demo`.
#[derive(Debug, Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct DemoArguments {
    /// The port to listen on, on 127.0.0.1 only; 0 takes any that is free
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Where the demonstration keeps its data
    #[arg(long, value_name = "DIRECTORY", default_value = "./demo-data")]
    data_directory: PathBuf,
    /// Where the browser reaches it when something stands in between, such as a frontend that reloads itself
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,
}

impl DemoArguments {
    pub(super) async fn run(self) -> Exit {
        // One line with the address, and then silence as long as all is well.
        logging::start_with("warn");
        match self.show().await {
            Ok(exit) => exit,
            Err(error @ DemoError::Listen { .. }) => {
                fail(Exit::Failed, &format!("{error}. Choose another port, for example: rimedio demo --port 8081"))
            }
            Err(error) => fail(Exit::Failed, &error.to_string()),
        }
    }

    async fn show(self) -> Result<Exit, DemoError> {
        let demo = Demo::bind(self.port, &self.data_directory, self.public_url).await?;
        let store = match super::open_store(&demo.config.store).await {
            Ok(store) => store,
            Err(error) => return Ok(fail(Exit::Store, &error.to_string())),
        };
        let demo = demo.open(store.clone(), Clock::system()).await?;
        let asked_to_stop = http::asked_to_stop();
        super::say(&format!("Rimedio è pronto: {}", demo.address));
        demo.serve(asked_to_stop).await?;
        Ok(super::close_store(&store).await)
    }
}
