//! `explain --compare`: the decisions of several versions of kube-scheduler about the same pods.

use super::args::{ExplainArgs, ExplainQuery, shows_one_decision};
use crate::api::flags::ConnectionFlags;
use crate::cli::ending::Ending;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::InputOptions;
use crate::cli::printing::{Format, ListArgs, Printing};
use crate::error::Error;
use crate::exit::Exit;
use answers::in_part::in_part;
use answers::questions::compare::{CompareRequest, ComparedSide, compare_sides, refused_by};

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
    let (targets, all_namespaces) = (request.targets, request.all_namespaces);
    let request = CompareRequest { targets, all_namespaces, running, replay: false };
    let list = ListArgs::default();
    let printing = args.printing(&list, global);
    let refuse = |format| shows_one_decision(&Format::Own(format));
    let sides = ComparedSide::of_versions(options.scheduler(), &versions);
    let printed = print(&mut options, &sides, &request, &printing, refuse, connection)?;
    Ok(ending.end(args.exit(printed)))
}

/// Checks that each of the versions accepts the configuration, reads, decides once per version, and
/// prints. `refuse` says why a format of the command shows no comparison.
///
/// # Errors
/// As for [`run`].
pub(in crate::cli) fn print<Own: Copy>(
    options: &mut InputOptions<'_>,
    sides: &[ComparedSide],
    request: &CompareRequest,
    printing: &Printing<'_, Own>,
    refuse: impl Fn(Own) -> Error,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    check(options, sides)?;
    options.in_part();
    let input = options.read(&request.targets, printing.global, connection)?;
    if let Some(report) = in_part(&input, &request.targets, request.all_namespaces)? {
        return printing.print_with(report, |_, format| Err(refuse(format).into()));
    }
    compare_sides(&input, sides, request, |report| {
        printing.print_with(report, |_, format| Err(refuse(format).into()))
    })?
}

/// Checks that each of the versions accepts the configuration.
///
/// # Errors
/// Why one does not.
pub(in crate::cli) fn check(
    options: &mut InputOptions<'_>,
    sides: &[ComparedSide],
) -> Result<(), Error> {
    let given = options.scheduler().version;
    for version in sides.iter().filter_map(|side| side.version) {
        options.decide_as(version).map_err(|error| refused_by(version, error))?;
    }
    // A side without a version is what decides in the cluster.
    if sides.iter().any(|side| side.version.is_none()) {
        options.decide_by(given);
    }
    Ok(())
}
