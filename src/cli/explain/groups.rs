//! `explain podgroup/NAME`: the decision about a group of pods, and about each group of a Workload.

use super::args::ExplainArgs;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::LoadedInput;
use crate::cli::printer::{self, ExplainFormat};
use crate::cli::target::{self, Target};
use crate::cli::{output, pager};
use crate::error::Error;
use crate::exit::Exit;
use engine::cluster::pod::PodIx;
use engine::decision::group::GroupVerdict;
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::json::{JsonGroupDecision, JsonGroupDecisionList};
use render::pod_group;
use render::safe::Printable;

/// Refuses what does not go with groups.
///
/// # Errors
/// [`Error::Usage`] names it.
pub fn check(args: &ExplainArgs, targets: &[Target]) -> Result<(), Error> {
    if !targets.iter().all(Target::is_group) {
        return Err(Error::usage("groups and pods are explained by separate commands"));
    }
    let refused =
        [("--nodes", args.nodes), ("--as-scheduled", args.as_scheduled), ("--compare", !args.compare.is_empty())];
    if let Some((flag, _)) = refused.into_iter().find(|(_, given)| *given) {
        return Err(Error::usage(format!("{flag} shows decisions about single pods: it does not go with a group")));
    }
    match args.output {
        ExplainFormat::Csv | ExplainFormat::Markdown | ExplainFormat::Dot => {
            let format = args.output.name();
            let hint = "text, wide, json, yaml, name, html and jsonpath do";
            Err(Error::usage_hint(format!("-o {format} does not show groups"), hint))
        }
        _ => Ok(()),
    }
}

/// Whether kube-scheduler decides about groups as a whole.
pub fn are_on(input: &LoadedInput) -> bool {
    input.profile.features.pod_groups.pod_groups
}

/// Decides and prints.
///
/// # Errors
/// [`Error::NotFound`] for a group that does not exist and that no pod names.
pub fn run(
    args: &ExplainArgs,
    targets: &[Target],
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    global: &GlobalFlags,
) -> anyhow::Result<Exit> {
    input.check_nodes()?;
    let mut answers: Vec<GroupAnswer> = Vec::new();
    for target in targets {
        let found = target::groups(target, &input.namespace, &input.cluster);
        let found: Vec<GroupAnswer> =
            found.into_iter().filter_map(|name| answer((&input.namespace, name), input, views)).collect();
        if found.is_empty() {
            return Err(target::not_found(target, &input.namespace, &input.cluster).into());
        }
        answers.extend(found);
    }
    if args.output.tells_remedies() {
        answers.iter_mut().for_each(GroupAnswer::seek_alternative);
    }
    pager::print(&render(args, targets, &answers, input, global)?, global)?;
    let unsure = answers.iter().any(GroupAnswer::is_unsure);
    Ok(match (unsure, args.exit_code && answers.iter().any(cannot)) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::No,
        (false, false) => Exit::Answered,
    })
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

/// Whether the group gets no nodes, even by preemption.
fn cannot(answer: &GroupAnswer) -> bool {
    use GroupVerdict::{Cannot, Error, NoPriority};
    matches!(answer.summary().verdict, Cannot(_) | Error(_) | NoPriority(..))
}

fn render(
    args: &ExplainArgs,
    targets: &[Target],
    answers: &[GroupAnswer],
    input: &LoadedInput,
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    match &args.output {
        ExplainFormat::Text | ExplainFormat::Wide => {
            let wide = args.output == ExplainFormat::Wide;
            let of_trees = targets.iter().all(Target::is_composite);
            let page = if of_trees { pod_group::page_of_trees } else { pod_group::page };
            Ok(page(answers, &input.origin(), wide).print(output::paper(global)))
        }
        ExplainFormat::Html => Ok(pod_group::html(answers, &input.origin())),
        ExplainFormat::Name => Ok(pod_group::names(answers)),
        format => {
            let mut items: Vec<JsonGroupDecision> =
                answers.iter().map(|answer| JsonGroupDecision::new(answer, input.source)).collect();
            let asked_for_one = targets.len() == 1 && items.len() == 1;
            match items.pop() {
                Some(one) if asked_for_one => printer::data(format, &one),
                last => printer::data(format, &JsonGroupDecisionList::new(items.into_iter().chain(last).collect())),
            }
        }
    }
}
