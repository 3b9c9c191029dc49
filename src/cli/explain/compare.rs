//! `explain --compare`: the decisions of several versions of kube-scheduler about the same pods.

use super::args::{ExplainArgs, ExplainQuery, shows_one_decision};
use crate::api::flags::ConnectionFlags;
use crate::cli::ending::Ending;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{InputOptions, LoadedInput};
use crate::cli::printer::{self, ExplainFormat};
use crate::cli::{output, pager, printing};
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::Report as _;
use answers::questions::compare::{CompareReport, CompareRequest, compare, views};
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion};
use render::page::Drawn as _;
use render::safe::Printable;
use to_json::ToJson as _;

/// Reads, decides once per version, and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on, or one of the versions rejects the
/// configuration.
pub(super) fn run(
    args: &ExplainArgs,
    ExplainQuery { request, mut options, versions }: ExplainQuery<'_>,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    check(&mut options, &versions)?;
    let input = options.read(&request.targets, global, connection)?;
    let schedulers = schedulers(&options, &versions, &input)?;
    let views: Vec<Vec<ClusterView>> =
        schedulers.iter().map(|profiles| views(&input, profiles)).collect();
    let (targets, all_namespaces) = (request.targets, request.all_namespaces);
    let report = compare(&input, &views, &CompareRequest { targets, all_namespaces })?;
    printing::say(&report.beside(), global);
    pager::print(&text(args, &report, global)?, global)?;
    Ok(ending.end(args.exit(report.verdict())))
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

/// The profiles of each version.
///
/// # Errors
/// Why one of them does not accept its feature gates or configuration.
pub(in crate::cli) fn schedulers(
    options: &InputOptions<'_>,
    versions: &[SchedulerVersion],
    input: &LoadedInput,
) -> Result<Vec<Vec<Profile>>, Error> {
    let mut schedulers = Vec::with_capacity(versions.len());
    for version in versions {
        let profiles = options.profiles(*version, &input.cluster);
        schedulers.push(profiles.map_err(|error| refused_by(*version, error))?);
    }
    Ok(schedulers)
}

/// Adds the version to its error, since the other versions may not have it.
fn refused_by(version: SchedulerVersion, error: Error) -> Error {
    match error {
        Error::Usage { problem, hint } => {
            Error::Usage { problem: format!("kube-scheduler {version} refuses: {problem}"), hint }
        }
        Error::Input { origin, problem } => {
            Error::Input { origin, problem: format!("kube-scheduler {version} refuses: {problem}") }
        }
        other => other,
    }
}

/// The answer in the format that the flags name.
fn text(
    args: &ExplainArgs,
    report: &CompareReport<'_>,
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    match &args.output {
        ExplainFormat::People(format) => {
            let extent = format.extent();
            Ok(report.page(extent).print(output::paper_for(extent, global)))
        }
        ExplainFormat::Share(_) => Err(shows_one_decision(&args.output).into()),
        ExplainFormat::Data(format) => printer::data(format, &report.json(), global),
    }
}
