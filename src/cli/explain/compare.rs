//! `explain --compare`: the decisions of several versions of kube-scheduler about the same pods.

use super::args::{ExplainArgs, ExplainQuery, shows_one_decision};
use crate::api::flags::ConnectionFlags;
use crate::cli::ending::Ending;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::InputOptions;
use crate::cli::printer::{self, ExplainFormat};
use crate::cli::{output, pager, printing};
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::Report as _;
use answers::questions::compare::{
    CompareReport, CompareRequest, compare, refused_by, schedulers, views,
};
use engine::framework::cluster_view::ClusterView;
use engine::profile::SchedulerVersion;
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
    let schedulers = schedulers(options.scheduler(), &versions, &input.cluster)?;
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
