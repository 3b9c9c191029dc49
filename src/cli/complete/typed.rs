//! The words of an unfinished command line.

use std::ffi::OsString;

use clap::{ArgMatches, FromArgMatches as _};

use crate::api::flags::ConnectionFlags;
use crate::cli::flags::GlobalFlags;

/// What the words before the one to complete say.
#[derive(Debug, Default)]
pub(super) struct Typed {
    /// How to reach the cluster.
    pub(super) connection: ConnectionFlags,
    /// `-n`.
    pub(super) namespace: Option<String>,
    /// Pods and owners that are named.
    pub(super) pods: Vec<String>,
}

impl Typed {
    /// Reads the arguments of `program` that can be read. An unfinished line is seldom valid: what
    /// is wrong is ignored.
    pub(super) fn read(words: &[OsString], program: clap::Command) -> Self {
        let lenient =
            program.ignore_errors(true).subcommand_required(false).arg_required_else_help(false);
        let name = [OsString::from("kubectl-preempt")];
        let Ok(matches) = lenient.try_get_matches_from(name.iter().chain(words)) else {
            return Self::default();
        };
        let global = GlobalFlags::from_arg_matches(&matches).unwrap_or_default();
        let pods = |(_, sub): (&str, &ArgMatches)| {
            let pods = sub.try_get_many::<String>("pods").ok().flatten();
            pods.map(|pods| pods.cloned().collect())
        };
        Self {
            connection: ConnectionFlags::from_arg_matches(&matches).unwrap_or_default(),
            namespace: global.namespace,
            pods: matches.subcommand().and_then(pods).unwrap_or_default(),
        }
    }
}
