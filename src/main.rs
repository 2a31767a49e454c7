//! The entry: parse the command, call it, turn the result into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    rimedio::cli::run().into()
}
