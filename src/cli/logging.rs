//! The log: text for a person at a terminal, JSON for everything else. `RIMEDIO_LOG` chooses what is written, in the
//! syntax of `tracing`'s filters; `info` when it is absent.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

/// Starts the log. A second call changes nothing.
pub(super) fn start() {
    start_with("info");
}

/// Starts the log with another filter for when nothing was chosen.
pub(super) fn start_with(filter: &str) {
    let filter = EnvFilter::try_from_env("RIMEDIO_LOG").unwrap_or_else(|_| EnvFilter::new(filter));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    // Started before by somebody else is as good as started here.
    let _ = if stderr().is_terminal() { builder.try_init() } else { builder.json().try_init() };
}
