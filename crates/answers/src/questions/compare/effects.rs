//! What several schedulers do with a pod, and what differs, in words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::decision::compare::{Aspect, Comparison, DecisionEffect, Difference};
use engine::decision::{CycleErrorKind, Decision, OutcomeKind};
use engine::framework::cycle::{NodeVerdict, PreFilter};
use engine::framework::status::Rejection;
use engine::preemption::dry_run::DryRun;
use engine::profile::Profile;
use indexmap::IndexMap;

use crate::headline::Standing;
use crate::words;

/// Maximum number of names in a list.
pub const NAMED: usize = 5;
/// Maximum number of victims that are named; beyond it, their number is said.
const VICTIMS_NAMED: usize = 2;

/// The label of a scheduler: its version, and any gates that are set.
pub fn scheduler_name(profile: &Profile) -> String {
    if let Some(label) = &profile.label {
        return label.clone();
    }
    let gates = profile.gates.iter().map(|(gate, on)| format!(" {gate}={on}"));
    format!("{}{}", profile.version, gates.collect::<String>())
}

/// The names of some of the schedulers.
pub fn names(comparison: &Comparison, which: &[usize]) -> String {
    let decisions = which.iter().filter_map(|index| comparison.decisions.get(*index));
    let names: Vec<String> = decisions.map(|one| scheduler_name(one.profile())).collect();
    words::list(&names, usize::MAX)
}

/// The effects of the decisions, in their order.
pub fn effects(comparison: &Comparison) -> Vec<DecisionEffect> {
    comparison.decisions.iter().map(DecisionEffect::of).collect()
}

/// The schedulers grouped by the effect of their decisions, the largest group first; of equal
/// groups, the one with the last scheduler first.
fn groups(effects: &[DecisionEffect]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, effect) in effects.iter().enumerate() {
        match groups
            .iter_mut()
            .find(|group| group.first().and_then(|i| effects.get(*i)) == Some(effect))
        {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups.sort_by_key(|group| Reverse((group.len(), group.last().copied())));
    groups
}

/// The answer about one pod without a full stop, and what it means for it: `Pod shop/web: Same decision
/// in 1.36 and 1.37`.
pub fn sentence(comparison: &Comparison, recreated: bool) -> (Standing, String) {
    let Some(first) = comparison.decisions.first() else {
        return (Standing::Aside, String::new());
    };
    let effects = effects(comparison);
    let groups = groups(&effects);
    let [most, others @ ..] = groups.as_slice() else { return (Standing::Aside, String::new()) };
    let all = names(comparison, most);
    let (standing, text) = if !others.is_empty() {
        // Each outcome is said with its schedulers, the most common one first if several agree on it.
        let mut parts = Vec::new();
        if most.len() > 1 {
            parts.push(format!("Same decision in {all}"));
        }
        parts.extend(others.iter().map(|group| would(comparison, &effects, group)));
        if most.len() == 1 {
            parts.push(would(comparison, &effects, most));
        }
        (Standing::Costs, parts.join("; "))
    } else if comparison.same() {
        (Standing::Yes, format!("Same decision in {all}"))
    } else {
        (Standing::Yes, format!("Same outcome in {all}; {}", what_differs(comparison)))
    };
    let recreated = if recreated { ", if it were recreated" } else { "" };
    (standing, format!("Pod {}{recreated}: {text}", first.view.cluster.pod_name(first.pod)))
}

/// `1.18 would evict …`.
fn would(comparison: &Comparison, effects: &[DecisionEffect], group: &[usize]) -> String {
    let first = group.first();
    let effect = first.and_then(|index| effects.get(*index));
    let decision = first.and_then(|index| comparison.decisions.get(*index));
    let does = effect.zip(decision).map(|(effect, one)| does(effect, one.view.cluster));
    format!("{} would {}", names(comparison, group), does.unwrap_or_default())
}

/// What differs although the outcome is the same.
fn what_differs(comparison: &Comparison) -> String {
    let mut differing: BTreeSet<Aspect> = BTreeSet::new();
    for difference in &comparison.differences {
        differing.extend(&difference.aspects);
    }
    let differing: Vec<Aspect> = differing.into_iter().collect();
    if only_texts(&differing) {
        "the message differs".to_owned()
    } else {
        format!("what differs is {}", aspects(&differing))
    }
}

/// What a scheduler does, as a phrase after `would`.
fn does(effect: &DecisionEffect, cluster: &Cluster) -> String {
    let nodes: Vec<&str> = effect.nodes.keys().map(|n| cluster.node_name(*n)).collect();
    let place = if nodes.len() > 1 {
        format!("one of {}", words::list(&nodes, NAMED))
    } else {
        nodes.join("")
    };
    match effect.outcome {
        OutcomeKind::NotInQueue => "not try it".to_owned(),
        OutcomeKind::Error(CycleErrorKind::Crash) => "crash".to_owned(),
        OutcomeKind::Error(CycleErrorKind::CycleError | CycleErrorKind::Timeout) => {
            format!(
                "end with the error `{}`",
                effect.error.as_ref().map_or("", |error| &error.text)
            )
        }
        OutcomeKind::Unschedulable => "leave it pending".to_owned(),
        OutcomeKind::Schedulable => format!("place it on {place}"),
        OutcomeKind::Preempt => {
            let victims = effect.nodes.values().next().map_or(&[][..], Vec::as_slice);
            // Up to 1.21 preemption may find a node on which the pod fits without evictions.
            if victims.is_empty() {
                format!("nominate it to {place}")
            } else {
                format!("evict {} on {place}", pods(victims, cluster))
            }
        }
    }
}

/// The pods, or how many they are.
pub fn pods(pods: &[PodIx], cluster: &Cluster) -> String {
    if pods.len() > VICTIMS_NAMED {
        return words::count(pods.len(), "pod");
    }
    pods.iter().map(|pod| cluster.pod_name(*pod)).collect::<Vec<_>>().join(", ")
}

/// The messages that the schedulers write, each with those that write it.
pub fn messages(comparison: &Comparison) -> IndexMap<Option<String>, Vec<usize>> {
    let mut texts: IndexMap<Option<String>, Vec<usize>> = IndexMap::new();
    for (index, decision) in comparison.decisions.iter().enumerate() {
        let written = decision.scheduler_message().map(str::to_owned);
        texts.entry(written.or_else(|| decision.why())).or_default().push(index);
    }
    texts
}

/// How many budgets the evictions on the chosen nodes violate.
pub fn violations(decision: &Decision) -> String {
    let candidates = decision.candidates();
    let chosen = candidates.filter(|c| decision.selected().contains(&c.node));
    let is_unknown = decision.view.cluster.are_budgets_unknown();
    let mut counts: Vec<String> = chosen
        .map(|c| if is_unknown { words::UNKNOWN.to_owned() } else { c.violations.to_string() })
        .collect();
    counts.dedup();
    counts.join(" or ")
}

/// Why a node is rejected; an extender may give no reason.
fn reasons(rejection: &Rejection, cluster: &Cluster) -> String {
    if rejection.reasons.is_empty() {
        "no reason given".to_owned()
    } else {
        rejection.texts(cluster).join(", ")
    }
}

/// How many nodes are rejected for each reason.
pub fn rejections(decision: &Decision, cluster: &Cluster) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    if let PreFilter::Rejected { plugin, rejection, .. } = decision.pre_filter() {
        let texts = rejection.texts(cluster).join(", ");
        let cause = if plugin.is_empty() { texts } else { format!("{plugin} {texts}") };
        counts.insert(cause, cluster.nodes.len());
    }
    for verdict in decision.nodes() {
        let cause = match verdict {
            NodeVerdict::Filtered { plugin, rejection } => {
                format!("{plugin}: {}", reasons(rejection, cluster))
            }
            NodeVerdict::ExcludedByPreFilter => {
                decision.pre_filter_exclusion().map(|quote| quote.text).unwrap_or_default()
            }
            NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::Failed(_) => continue,
        };
        *counts.entry(cause).or_default() += 1;
    }
    counts
}

/// How the results of nodes change between two decisions, each change with its nodes.
pub fn node_changes(
    from: &Decision,
    to: &Decision,
    difference: &Difference,
) -> IndexMap<(String, String), Vec<NodeIx>> {
    let mut changes: IndexMap<(String, String), Vec<NodeIx>> = IndexMap::new();
    for node in &difference.nodes {
        changes.entry((state(from, *node), state(to, *node))).or_default().push(*node);
    }
    changes
}

/// The result of a decision for one node.
fn state(decision: &Decision, node: NodeIx) -> String {
    let cluster = decision.view.cluster;
    // In the order of the cycle: what the filters said, the score, then the dry run.
    let mut parts = vec![match decision.nodes().get(node.0 as usize) {
        None | Some(NodeVerdict::NotTried) => "not looked at".to_owned(),
        Some(NodeVerdict::Feasible) => "fits".to_owned(),
        Some(NodeVerdict::Filtered { plugin, rejection }) => {
            format!("{plugin}: {} ({})", reasons(rejection, cluster), rejection.code.name())
        }
        Some(NodeVerdict::ExcludedByPreFilter) => {
            decision.pre_filter_exclusion().map(|quote| quote.text).unwrap_or_default()
        }
        Some(NodeVerdict::Failed(failure)) => failure.text().to_owned(),
    }];
    let scores = decision.scores();
    parts.extend(
        scores.and_then(|t| t.totals.get(t.position(node)?)).map(|score| format!("score {score}")),
    );
    match decision.preemption().and_then(|report| report.dry_runs.get(&node)) {
        None => {}
        Some(DryRun::Failed(failure)) => parts.push(failure.text().to_owned()),
        Some(DryRun::NoCandidate { rejection, .. }) => {
            parts.push(format!("no eviction helps: {}", rejection.texts(cluster).join(", ")));
        }
        Some(DryRun::Candidate(candidate)) => {
            let victims: Vec<String> =
                candidate.victims.iter().map(|v| cluster.pod_name(v.pod)).collect();
            let violations = match candidate.violations {
                _ if cluster.are_budgets_unknown() => {
                    format!(" ({})", words::BUDGETS_UNKNOWN)
                }
                0 => String::new(),
                n => format!(" ({} of a budget)", words::count(n, "violation")),
            };
            parts.push(format!("evicts {}{violations}", words::list(&victims, NAMED)));
        }
    }
    if decision.selected().contains(&node) {
        parts.push("selected".to_owned());
    }
    parts.join("; ")
}

/// Names of aspects as text; the condition is named only if the message itself does not differ.
pub fn aspects(aspects: &[Aspect]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for aspect in aspects {
        if *aspect != Aspect::ConditionMessage || !aspects.contains(&Aspect::Message) {
            words.push(aspect_words(*aspect));
        }
    }
    words::list(&words, usize::MAX)
}

/// Whether only the scheduler's texts differ.
fn only_texts(aspects: &[Aspect]) -> bool {
    !aspects.is_empty()
        && aspects.iter().all(|aspect| matches!(aspect, Aspect::Message | Aspect::ConditionMessage))
}

const fn aspect_words(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Outcome => "the outcome",
        Aspect::PreFilter => "why no node is looked at",
        Aspect::Filtered => "why nodes reject it",
        Aspect::Scores => "scores",
        Aspect::Eligible => "whether it may preempt",
        Aspect::Candidates => "which pods it would evict where",
        Aspect::Rejected => "where no eviction helps",
        Aspect::Selected => "the node",
        Aspect::Message => "the message",
        Aspect::ConditionMessage => "what the condition says",
        Aspect::Waiting => "when it is retried",
        Aspect::Doubts => "what is not certain",
    }
}

/// What changes for a pod from one scheduler to the next, in a clause: `stays pending -> fits on n1`.
pub fn change(from: &Decision, to: &Decision, difference: &Difference) -> String {
    let (was, is) = (DecisionEffect::of(from), DecisionEffect::of(to));
    if was == is && only_texts(&difference.aspects) {
        return "the message differs".to_owned();
    }
    if was == is {
        return format!("as before, but for {}", aspects(&difference.aspects));
    }
    let (was_in_brief, is_in_brief) = (brief(&was, from), brief(&is, to));
    if was_in_brief == is_in_brief {
        differently(&was, &is, to).unwrap_or(format!("{is_in_brief}, but not the same"))
    } else {
        format!("{was_in_brief} -> {is_in_brief}")
    }
}

/// Whether the schedulers' decisions about the pod have different effects.
pub fn changes_effect(comparison: &Comparison) -> bool {
    let effects = effects(comparison);
    effects.windows(2).any(|pair| matches!(pair, [one, next] if one != next))
}

/// That the same nodes get other victims, as many as before.
fn differently(was: &DecisionEffect, is: &DecisionEffect, to: &Decision) -> Option<String> {
    if is.outcome != OutcomeKind::Preempt || !was.nodes.keys().eq(is.nodes.keys()) {
        return None;
    }
    let cluster = to.view.cluster;
    let nodes: Vec<&str> = is.nodes.keys().map(|node| cluster.node_name(*node)).collect();
    let victims = match is.nodes.values().next().map_or(0, Vec::len) {
        1 => "a different pod".to_owned(),
        several => format!("{several} pods, not the same,"),
    };
    Some(format!("evicts {victims} on {}", any_of(&nodes)))
}

/// Nodes of which the scheduler takes any: `n1 or n2`, `n1 or one of 4 others`.
fn any_of(nodes: &[&str]) -> String {
    match nodes {
        [first, second] => format!("{first} or {second}"),
        [first, _, others @ ..] => format!("{first} or one of {} others", others.len() + 1),
        _ => nodes.concat(),
    }
}

/// A short text of an effect, for a row of the list.
fn brief(effect: &DecisionEffect, decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let nodes: Vec<&str> = effect.nodes.keys().map(|n| cluster.node_name(*n)).collect();
    match effect.outcome {
        OutcomeKind::NotInQueue => "not tried".to_owned(),
        OutcomeKind::Error(CycleErrorKind::Crash) => "crashes".to_owned(),
        OutcomeKind::Error(CycleErrorKind::CycleError | CycleErrorKind::Timeout) => {
            "ends with an error".to_owned()
        }
        OutcomeKind::Unschedulable => "stays pending".to_owned(),
        OutcomeKind::Schedulable => format!("fits on {}", any_of(&nodes)),
        OutcomeKind::Preempt => {
            let victims = effect.nodes.values().next().map_or(0, Vec::len);
            format!("evicts {} on {}", words::count(victims, "pod"), any_of(&nodes))
        }
    }
}

/// How many pods are decided differently, a clause for those that wait and one for those that run. Another effect
/// matters more than other words.
pub fn counts(
    comparisons: &[Comparison],
    recreated: &[Comparison],
    running: Option<usize>,
) -> Vec<String> {
    let mut counts = Vec::new();
    if !comparisons.is_empty() {
        let differing = comparisons.iter().filter(|one| !one.same()).count();
        let changing = comparisons.iter().filter(|one| changes_effect(one)).count();
        let others = match differing - changing {
            0 => String::new(),
            1 => "; of 1 only what is said differs".to_owned(),
            others => format!("; of {others} only what is said differs"),
        };
        let pods = words::count(comparisons.len(), "pod");
        counts.push(format!("{changing} of {pods} would be scheduled differently{others}"));
    }
    if let Some(running) = running {
        let changing = recreated.iter().filter(|one| changes_effect(one)).count();
        let running = words::count(running, "running pod");
        counts.push(format!("{changing} of {running} would be placed differently if recreated"));
    }
    counts
}
