//! `explain --compare`: the decisions of several versions of kube-scheduler about the same pods.

use super::args::{ExplainArgs, ExplainQuery, shows_one_decision};
use crate::api::flags::ConnectionFlags;
use crate::cli::ending::Ending;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::InputOptions;
use crate::cli::printing::{Format, ListArgs};
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::compare::{CompareRequest, compare, refused_by};
use engine::profile::SchedulerVersion;

/// Reads, decides once per version, and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on, or one of the versions rejects the
/// configuration.
pub(super) fn run(
    args: &ExplainArgs,
    ExplainQuery { request, mut options, versions, running }: ExplainQuery<'_>,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    check(&mut options, &versions)?;
    let input = options.read(&request.targets, global, connection)?;
    let (targets, all_namespaces) = (request.targets, request.all_namespaces);
    let request = CompareRequest { targets, all_namespaces, running };
    let list = ListArgs::default();
    let printing = args.printing(&list, global);
    let printed = compare(&input, options.scheduler(), &versions, &request, |report| {
        printing
            .print_with(report, |_, format| Err(shows_one_decision(&Format::Own(format)).into()))
    })??;
    Ok(ending.end(args.exit(printed)))
}

/// Checks that each of the versions accepts the configuration.
///
/// # Errors
/// Why one does not.
pub(in crate::cli) fn check(
    options: &mut InputOptions<'_>,
    versions: &[SchedulerVersion],
) -> Result<(), Error> {
    for version in versions {
        options.decide_as(*version).map_err(|error| refused_by(*version, error))?;
    }
    Ok(())
}
