//! `explain podgroup/NAME`: the decision about a pod group, and about each group of a Workload.

use super::args::ExplainArgs;
use crate::cli::answer::CommandAnswer;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::LoadedInput;
use crate::cli::output;
use crate::cli::printer::{self, ExplainFormat, PeopleFormat, ShareFormat};
use crate::error::Error;
use crate::exit::Exit;
use answers::target::{self, Target};
use engine::cluster::gang_workload::parts;
use engine::cluster::pod::PodIx;
use engine::decision::group::GroupVerdict;
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::groups::made::MadeOf;
use render::pod_group;
use render::safe::Printable;
use to_json::{group_decision, group_decision_list};

/// Rejects flags that conflict with groups.
///
/// # Errors
/// [`Error::Usage`] names the flag.
pub fn check(args: &ExplainArgs, targets: &[Target]) -> Result<(), Error> {
    if !targets.iter().all(Target::is_group) {
        return Err(Error::usage("groups and pods are explained by separate commands"));
    }
    let refused = [
        ("--nodes", args.nodes),
        ("--as-scheduled", args.as_scheduled),
        ("--compare", !args.compare.is_empty()),
    ];
    if let Some((flag, _)) = refused.into_iter().find(|(_, given)| *given) {
        return Err(Error::usage(format!(
            "{flag} shows decisions about single pods: it does not go with a group"
        )));
    }
    match args.output {
        ExplainFormat::Share(ShareFormat::Csv | ShareFormat::Markdown | ShareFormat::Dot) => {
            Err(shows_no_groups(&args.output))
        }
        ExplainFormat::People(_)
        | ExplainFormat::Data(_)
        | ExplainFormat::Share(ShareFormat::Name | ShareFormat::Html) => Ok(()),
    }
}

fn shows_no_groups(format: &ExplainFormat) -> Error {
    let hint = "text, wide, json, yaml, name, html and jsonpath do";
    Error::usage_hint(format!("-o {} does not show groups", format.name()), hint)
}

/// Whether kube-scheduler supports pod groups, and the targets are of the kind that it supports.
pub fn are_on(input: &LoadedInput, targets: &[Target]) -> bool {
    let features = &input.profile.features.pod_groups;
    let is_other = |target: &Target| {
        target.kind == "PodGroup" && parts(&target.name).is_some() != by_parts(input)
    };
    (features.as_a_whole() || features.one_by_one()) && !targets.iter().any(is_other)
}

/// Why it decides about each pod alone.
pub fn why_alone(input: &LoadedInput) -> &'static str {
    let features = &input.profile.features.pod_groups;
    match (features.pod_groups, features.group_cycle) {
        (false, _) => "the gate GenericWorkload is off",
        (true, true) => "this version does not read spec.workloadRef of pods",
        (true, false) if features.gangs => "this version does not read PodGroups",
        (true, false) => "the gate GangScheduling is off",
    }
}

/// Whether the scheduler reads groups as parts of Workloads, as in 1.35.
fn by_parts(input: &LoadedInput) -> bool {
    !input.profile.features.pod_groups.group_cycle
}

/// Decides about the groups.
///
/// # Errors
/// [`Error::NotFound`] for a group that neither exists nor is named by a pod.
pub fn answers(
    args: &ExplainArgs,
    formats: &[ExplainFormat],
    targets: &[Target],
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    global: &GlobalFlags,
) -> anyhow::Result<CommandAnswer> {
    input.check_nodes()?;
    let mut answers: Vec<GroupAnswer> = Vec::new();
    let mut workloads: Vec<MadeOf> = Vec::new();
    let by_parts = by_parts(input);
    for target in targets {
        let of_workload = (target.kind == "Workload")
            .then(|| MadeOf::find(&input.cluster, &input.namespace, &target.name, by_parts))
            .flatten();
        let found = target::groups(target, &input.namespace, &input.cluster, by_parts);
        let found: Vec<GroupAnswer> = found
            .into_iter()
            .filter_map(|name| answer((&input.namespace, name), input, views))
            .collect();
        if found.is_empty() && of_workload.is_none() {
            return Err(target::not_found(target, &input.namespace, &input.cluster).into());
        }
        answers.extend(found);
        workloads.extend(of_workload);
    }
    if formats.iter().any(ExplainFormat::tells_remedies) {
        answers.iter_mut().for_each(GroupAnswer::seek_alternative);
    }
    let write = |format| render(format, targets, (&answers, &workloads), input, global);
    let texts = formats.iter().map(write).collect::<anyhow::Result<Vec<Printable>>>()?;
    let unsure = answers.iter().any(GroupAnswer::is_unsure);
    let exit = match (unsure, args.exit_code && answers.iter().any(cannot)) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::No,
        (false, false) => Exit::Answered,
    };
    Ok(CommandAnswer { texts, exit })
}

/// The answer about a group, by the profile of its pods.
pub(super) fn answer<'v>(
    (namespace, name): (&str, &str),
    input: &LoadedInput,
    views: &'v [ClusterView<'v>],
) -> Option<GroupAnswer<'v>> {
    let cluster = &input.cluster;
    let is_member = |pod: &PodIx| {
        let facts = cluster.pod(*pod);
        let group = cluster.text(cluster.template(facts).group);
        facts.is_waiting() && group == name && cluster.text(facts.namespace) == namespace
    };
    let first = cluster.pod_indices().find(is_member);
    let view = views.get(first.map_or(0, |pod| input.view_of(pod)))?;
    GroupAnswer::find(view, namespace, name, input.now)
}

/// Whether the group gets no nodes, even with preemption.
fn cannot(answer: &GroupAnswer) -> bool {
    use GroupVerdict::{Cannot, Error, NoPriority};
    matches!(answer.summary().verdict, Cannot(_) | Error(_) | NoPriority(..))
}

fn render(
    format: &ExplainFormat,
    targets: &[Target],
    (answers, workloads): (&[GroupAnswer], &[MadeOf]),
    input: &LoadedInput,
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    match format {
        ExplainFormat::People(format) => {
            let wide = *format == PeopleFormat::Wide;
            let of_trees = targets.iter().all(Target::is_composite);
            let page = if of_trees {
                pod_group::page_of_trees(answers, &input.origin(), wide)
            } else {
                pod_group::page(answers, workloads, &input.origin(), wide)
            };
            Ok(page.print(if wide { output::wide_paper(global) } else { output::paper(global) }))
        }
        ExplainFormat::Share(ShareFormat::Html) => {
            Ok(pod_group::html(answers, workloads, &input.origin()))
        }
        ExplainFormat::Share(ShareFormat::Name) => {
            Ok(pod_group::names(answers).map_err(Error::from)?)
        }
        ExplainFormat::Share(ShareFormat::Csv | ShareFormat::Markdown | ShareFormat::Dot) => {
            Err(shows_no_groups(format).into())
        }
        ExplainFormat::Data(format) => {
            let mut items: Vec<_> =
                answers.iter().map(|answer| group_decision(answer, input.source)).collect();
            let asked_for_one = targets.len() == 1 && items.len() == 1 && workloads.is_empty();
            match items.pop() {
                Some(one) if asked_for_one => printer::data(format, &one, global),
                last => printer::data(
                    format,
                    &group_decision_list(items.into_iter().chain(last).collect(), workloads),
                    global,
                ),
            }
        }
    }
}
