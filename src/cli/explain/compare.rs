//! `explain --compare`: the decisions of several versions of kube-scheduler about the same pods.

use super::args::{ExplainArgs, ExplainQuery, shows_one_decision};
use crate::api::flags::ConnectionFlags;
use crate::cli::ending::Ending;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::InputOfCommand as _;
use crate::cli::printer::{self, ExplainFormat, PeopleFormat};
use crate::cli::{output, pager};
use crate::error::Error;
use crate::exit::Exit;
use answers::origin::SourceKind;
use answers::pod_report::decision_verdict;
use answers::questions::Verdict;
use engine::cluster::Cluster;
use engine::decision::compare::{Comparison, compare};
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion};
use render::comparison;
use render::safe::Printable;

/// Reads, decides once per version, and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on, or one of the versions rejects the
/// configuration.
pub fn run(
    args: &ExplainArgs,
    ExplainQuery { request, mut options, versions }: ExplainQuery<'_>,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    for version in &versions {
        options.decide_as(*version).map_err(|error| refused_by(*version, error))?;
    }
    let input = options.read(&request.targets, global, connection)?;
    let of_version = |version: &SchedulerVersion| {
        options.profiles(*version, &input.cluster).map_err(|error| refused_by(*version, error))
    };
    let schedulers: Vec<Vec<Profile>> =
        versions.iter().map(of_version).collect::<Result<_, _>>()?;
    let pods = input.pods(&request.targets, args.all_namespaces, global)?;
    let views: Vec<Vec<ClusterView>> =
        schedulers.iter().map(|profiles| views(&input.cluster, profiles)).collect();
    let found: Vec<Comparison> = pods
        .into_iter()
        .map(|pod| {
            let own = input.view_of(pod);
            let views: Vec<&ClusterView> =
                views.iter().filter_map(|of_version| of_version.get(own)).collect();
            compare(&views, pod, input.now)
        })
        .collect();
    pager::print(&render(args, global, request.targets.len() == 1, &found, input.source)?, global)?;
    let decisions = found.iter().flat_map(|comparison| &comparison.decisions);
    let verdict = decisions.map(decision_verdict).max().unwrap_or(Verdict::Yes);
    Ok(ending.end(args.exit(verdict)))
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

fn views<'c>(cluster: &'c Cluster, profiles: &'c [Profile]) -> Vec<ClusterView<'c>> {
    profiles.iter().map(|profile| ClusterView::new(cluster, profile)).collect()
}

fn render(
    args: &ExplainArgs,
    global: &GlobalFlags,
    one: bool,
    found: &[Comparison],
    source: SourceKind,
) -> anyhow::Result<Printable> {
    let asked_for_one = one && found.len() == 1;
    match &args.output {
        ExplainFormat::People(format) => {
            let is_wide = *format == PeopleFormat::Wide;
            let paper = if is_wide { output::wide_paper(global) } else { output::paper(global) };
            Ok(match found {
                [] => Printable::default(),
                [one] if asked_for_one => comparison::page(one).print(paper),
                several => comparison::list(several).print(paper),
            })
        }
        ExplainFormat::Share(_) => Err(shows_one_decision(&args.output).into()),
        ExplainFormat::Data(format) => {
            let mut items: Vec<_> =
                found.iter().filter_map(|found| to_json::comparison(found, source)).collect();
            match items.pop() {
                Some(one) if asked_for_one => printer::data(format, &one, global),
                last => printer::data(
                    format,
                    &to_json::comparison_list(items.into_iter().chain(last).collect()),
                    global,
                ),
            }
        }
    }
}
