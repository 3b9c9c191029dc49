//! The words of an unfinished command line.

use std::ffi::OsString;

use clap::FromArgMatches as _;

use crate::api::flags::ConnectionFlags;
use crate::cli::flags::GlobalFlags;

/// The parsed words before the one to complete.
#[derive(Debug, Default)]
pub(super) struct Typed {
    pub(super) connection: ConnectionFlags,
    pub(super) namespace: Option<String>,
    /// The names of pods and owners.
    pub(super) pods: Vec<String>,
    /// The files of `--from`.
    pub(super) from: Vec<String>,
}

impl Typed {
    /// Parses the arguments of `program` as far as possible. An incomplete line is rarely valid:
    /// errors are ignored.
    pub(super) fn read(words: &[OsString], program: clap::Command) -> Self {
        let lenient =
            program.ignore_errors(true).subcommand_required(false).arg_required_else_help(false);
        let name = [OsString::from("kubectl-preempt")];
        let Ok(matches) = lenient.try_get_matches_from(name.iter().chain(words)) else {
            return Self::default();
        };
        let global = GlobalFlags::from_arg_matches(&matches).unwrap_or_default();
        let given = |name: &str| -> Vec<String> {
            let command = matches.subcommand().map(|(_, command)| command);
            let values = command.and_then(|command| command.try_get_many(name).ok().flatten());
            values.into_iter().flatten().cloned().collect()
        };
        Self {
            connection: ConnectionFlags::from_arg_matches(&matches).unwrap_or_default(),
            namespace: global.namespace,
            pods: given("pods"),
            from: given("from"),
        }
    }
}
