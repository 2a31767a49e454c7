//! The entry: parse the command, call it, turn the result into an exit code.

fn main() {}
