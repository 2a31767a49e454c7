//! How a command ends, for scripts: every exit code and what it means.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what it was asked.
    Done,
    /// It could not do it; the reason is on standard error.
    Failed,
    /// The arguments make no sense.
    Usage,
    /// The configuration cannot be used.
    Configuration,
    /// There is no such thing: no person with that address, no file.
    NotFound,
    /// The store is in use by another process, or cannot be opened.
    Store,
}

/// Shown below the help of every command.
pub(super) const HELP: &str = "Exit codes: 0 done, 1 failed, 2 wrong use, 3 unusable configuration, 4 no such thing, \
    5 the store is in use or cannot be opened.";

impl Exit {
    /// The number that scripts see.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Configuration => 3,
            Self::NotFound => 4,
            Self::Store => 5,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Says on standard error why a command ends, and how.
pub(super) fn fail(exit: Exit, why: &str) -> Exit {
    eprintln!("rimedio: {why}");
    exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_code() {
        let all = [Exit::Done, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::NotFound, Exit::Store];
        for exit in all {
            assert!(HELP.contains(&format!("{} ", exit.code())), "{exit:?}");
        }
    }
}
