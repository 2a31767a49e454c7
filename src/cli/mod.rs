//! The commands of the operator. Each is defined and told in a file of its own; what a command does is done by the
//! capabilities, so that another way to reach them does the same. The only place that speaks on standard output:
//! data there, everything else on standard error.

mod ask;
mod demo;
mod exit;
mod logging;
mod openapi;
mod serve;
mod user;

use std::io::Write as _;

use clap::{Parser, Subcommand};
pub use exit::Exit;

use crate::config::StoreSettings;
use crate::store::{DiskOptions, OpenError, Store};

/// Rimedio, il tuo assistente IT personale.
#[derive(Debug, Parser)]
#[command(version, about, after_help = exit::HELP, disable_help_subcommand = false)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the product with the providers of the configuration
    Serve(serve::Serve),
    /// Show the product on this computer: no keys, no network, no configuration
    Demo(demo::DemoArguments),
    /// Answer a problem here on the terminal
    Ask(ask::Ask),
    /// Who there is, and what to give them
    User(user::User),
    /// Print the description of /api/v1
    Openapi,
}

/// Parses the arguments and does what they say.
#[must_use]
pub fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refused) => {
            // Help and version are answers, everything else is a wrong use; clap writes each to its place.
            let _ = refused.print();
            return if refused.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::fail(Exit::Failed, &format!("the runtime could not be started: {error}")),
    };
    runtime.block_on(async {
        match arguments.command {
            Command::Serve(serve) => serve.run().await,
            Command::Demo(demo) => demo.run().await,
            Command::Ask(ask) => ask.run().await,
            Command::User(user) => user.run().await,
            Command::Openapi => openapi::run().await,
        }
    })
}

/// Opens the store that a configuration names.
async fn open_store(settings: &StoreSettings) -> Result<Store, OpenError> {
    let cache_bytes = settings.cache_mib.saturating_mul(1024 * 1024);
    let options = DiskOptions { cache_bytes, ..DiskOptions::in_directory(&settings.directory) };
    Store::open(options, &settings.prefix).await
}

/// Closes a store once nothing uses it any more.
async fn close_store(store: &Store) -> Exit {
    match store.close().await {
        Ok(()) => Exit::Done,
        Err(error) => exit::fail(Exit::Store, &format!("the store could not be closed: {error}")),
    }
}

/// One line of data on standard output. A reader that has gone away is no failure of the command.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
