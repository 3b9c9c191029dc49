//! The answer about a group, or about the root of a tree of groups, in one sentence.

use std::borrow::Cow;
use std::collections::BTreeSet;

use engine::cluster::gang_workload::parts;
use engine::cluster::{AnyGroup, Cluster, PodIx};
use engine::decision::Certainty;
use engine::decision::group::{GroupSummary, GroupVerdict, Hindrance, MemberResult, Membership};
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::groups::gate::GroupGate;
use engine::groups::outcomes::{PossibleOutcome, PossibleOutcomes};
use engine::groups::preemption::GroupPreemption;
use engine::groups::summary::LaterCycle;
use engine::groups::tree::TreeMembership;
use engine::groups::{GroupDecision, GroupOutcome};
use engine::preemption::victim_choices::VictimCount;

use crate::words::{count, share};
use crate::{ties, words};

/// `PodGroup default/train`, or `Pod group default/train/workers` for a part of a Workload.
pub fn name(group: &GroupSummary, view: &ClusterView) -> String {
    let [namespace, name] = [group.namespace, group.name].map(|sym| view.cluster.text(sym));
    let kind = if parts(name).is_some() { "Pod group" } else { "PodGroup" };
    format!("{kind} {namespace}/{name}")
}

/// The answer as a sentence without its full stop.
pub fn sentence(group: &GroupSummary, view: &ClusterView) -> String {
    let name = name(group, view);
    if let Some(gate) = group.gate(view) {
        let of_workload = parts(view.cluster.text(group.name)).is_some();
        // Some gates read on as a clause about the group, the others are sentences of their own.
        let follows = match group.verdict {
            GroupVerdict::Missing { .. } => !of_workload,
            _ => matches!(
                group.verdict,
                GroupVerdict::Held(..) | GroupVerdict::NoParent(_) | GroupVerdict::TreeTooSmall(_)
            ),
        };
        let after = if follows { "" } else { ":" };
        return format!("{name}{after} {gate}");
    }
    match &group.verdict {
        GroupVerdict::Missing { .. }
        | GroupVerdict::NothingWaits
        | GroupVerdict::TooFewPods
        | GroupVerdict::NoParent(_)
        | GroupVerdict::TreeTooSmall(_)
        | GroupVerdict::Held(..)
        | GroupVerdict::Deleting => name,
        GroupVerdict::Error(error) => fails(&name, error),
        GroupVerdict::NoPriority(_, priority) => format!(
            "{name} has no priority, and its pods have priority {priority}: kube-scheduler reports an error and schedules none of \
             them"
        ),
        GroupVerdict::Fits => format!("{name} fits: {}", get(group)),
        GroupVerdict::Preempts if group.victims.most == 0 => {
            format!(
                "{name} fits only when its pods are placed otherwise: kube-scheduler nominates them and evicts no pod"
            )
        }
        GroupVerdict::Preempts => {
            format!("{}, and {}", preempts(&name, group.victims), get(group))
        }
        GroupVerdict::Awaits => awaits(&name),
        GroupVerdict::Cannot(hindrance) => {
            format!("{name} cannot be scheduled: {}, and {}", lacks(group), why_not(*hindrance))
        }
    }
}

/// The answer as a sentence, with what follows at once for the pods that get no node.
pub fn sentence_of(answer: &GroupAnswer) -> String {
    let mut sentence = sentence(&answer.summary(), answer.view());
    let outcomes = answer.decision().map(|decision| &decision.outcomes);
    sentence.push_str(&outcomes.map_or_else(String::new, one_of));
    for LaterCycle { summary, certainty, outcomes, .. } in answer.later_cycles() {
        let rest = summary.waiting;
        let (others, are) = if rest == 1 {
            ("the other one".to_owned(), "is")
        } else {
            (format!("the other {rest}"), "are")
        };
        sentence.push_str(&match &summary.verdict {
            GroupVerdict::Fits => {
                format!("; {others} {are} tried again at once, and {} of them fit", summary.placed)
            }
            GroupVerdict::Preempts => format!(
                "; {others} {are} tried again at once, and kube-scheduler evicts {} for {} of them{}",
                ties::pods(outcomes.victim_count()),
                summary.placed,
                one_of(&outcomes)
            ),
            _ => format!("; {others} {are} tried again at once, in vain"),
        });
        if certainty == Certainty::Unsure {
            sentence.push_str(", which is not certain");
        }
    }
    sentence
}

/// Maximum number of sets of victims that are counted.
const COUNTED: usize = 1000;
/// Maximum number of sets of victims that are listed for one outcome.
const LISTED: usize = 4;

/// That a cycle may end otherwise, as an addition to the sentence about it; empty if no outcome
/// evicts other pods.
fn one_of(outcomes: &PossibleOutcomes) -> String {
    if !outcomes.complete || !outcomes.is_open() {
        return String::new();
    }
    if outcomes.kinds().len() > 1 {
        return format!(
            ", or not: kube-scheduler takes any of {} outcomes that are as good",
            outcomes.all.len()
        );
    }
    match outcomes.victim_sets(COUNTED).map(|sets| sets.len()) {
        Some(0 | 1) => String::new(),
        Some(sets) => format!("; the victims are one of {sets} sets"),
        None => format!("; the victims are one of more than {COUNTED} sets"),
    }
}

/// One of the things that may happen.
pub struct Possibility {
    /// Where the pods of the group go.
    pub places: String,
    /// Which pods are evicted.
    pub victims: String,
}

/// What may happen, if that decides which pods are evicted, or whether the group fits; else
/// nothing.
pub fn possibilities(outcomes: &PossibleOutcomes, cluster: &Cluster) -> Vec<Possibility> {
    let decides_nothing =
        outcomes.kinds().len() < 2 && outcomes.victim_sets(1).is_some_and(|sets| sets.len() < 2);
    if decides_nothing {
        return Vec::new();
    }
    let mut possibilities = Vec::with_capacity(outcomes.all.len());
    for outcome in &outcomes.all {
        let mut places: Vec<String> = Vec::with_capacity(outcome.placed.len());
        for (pod, node) in &outcome.placed {
            places.push(format!("{} on {}", cluster.pod(*pod).name, cluster.node_name(*node)));
        }
        let places =
            if places.is_empty() { "none".to_owned() } else { words::list(&places, ties::NAMED) };
        possibilities.push(Possibility { places, victims: victims_of(outcome, cluster) });
    }
    possibilities
}

/// The pods that an outcome may evict: every set if there are few, else how many of which pods.
fn victims_of(outcome: &PossibleOutcome, cluster: &Cluster) -> String {
    let names = |pods: &BTreeSet<PodIx>| {
        let names: Vec<String> = pods.iter().map(|pod| cluster.pod_name(*pod)).collect();
        words::list(&names, ties::NAMED)
    };
    let mut of_orders: Vec<String> = Vec::new();
    if let Some(sets) = outcome.sets(LISTED) {
        of_orders.extend(sets.iter().map(names));
    } else {
        for victims in &outcome.victims {
            let always: BTreeSet<PodIx> = victims.settled.iter().copied().collect();
            let parts = victims.open.iter().map(|part| {
                let pods: BTreeSet<PodIx> = part.always().into_iter().chain(part.open()).collect();
                format!("{} of {}", part.count(), names(&pods))
            });
            let settled = (!always.is_empty()).then(|| names(&always));
            of_orders.push(settled.into_iter().chain(parts).collect::<Vec<_>>().join("; with "));
        }
    }
    if of_orders.iter().all(String::is_empty) { "none".to_owned() } else { of_orders.join("; or ") }
}

fn fails(name: &str, error: &str) -> String {
    format!("{name}: the scheduling cycle ends with an error: {error}")
}

fn preempts(name: &str, victims: VictimCount) -> String {
    format!("{name} fits after preemption: kube-scheduler evicts {}", ties::pods(victims))
}

fn awaits(name: &str) -> String {
    format!("{name} waits for the pods that are being evicted for it")
}

/// The tree that the group of an answer belongs to.
pub fn tree_of<'a>(answer: &'a GroupAnswer) -> Option<&'a TreeMembership> {
    answer.decision()?.tree.as_deref()
}

/// The answer about the root of a tree, as that about a group.
pub fn tree_verdict(tree: &TreeMembership) -> &'static GroupVerdict {
    match &tree.outcome {
        GroupOutcome::Scheduled => &GroupVerdict::Fits,
        GroupOutcome::Preempt => &GroupVerdict::Preempts,
        GroupOutcome::Awaits => &GroupVerdict::Awaits,
        GroupOutcome::Unschedulable | GroupOutcome::Error(_) => {
            &GroupVerdict::Cannot(Hindrance::NotHelpful)
        }
        GroupOutcome::NotInQueue(_) => &GroupVerdict::NothingWaits,
    }
}

/// The answer about the root of a tree as a sentence without its full stop.
pub fn tree_sentence(tree: &TreeMembership, answer: &GroupAnswer) -> String {
    let cluster = answer.view().cluster;
    let name = format!("CompositePodGroup {}", cluster.any_group_name(AnyGroup::Groups(tree.root)));
    let gets = tree.rows.first().map_or_else(String::new, |root| {
        let plural = if root.needs == 1 { "" } else { "s" };
        format!("{} of the {} group{plural} that it needs", root.has, root.needs)
    });
    let decision = answer.decision();
    match &tree.outcome {
        GroupOutcome::Scheduled => format!("{name} fits: it gets {gets}"),
        GroupOutcome::Preempt => {
            let plan = decision.and_then(GroupDecision::plan);
            let victims = plan.map_or(0, |plan| plan.victims.len());
            preempts(&name, VictimCount { fewest: victims, most: victims })
        }
        GroupOutcome::Awaits => awaits(&name),
        GroupOutcome::Unschedulable => {
            let report = decision.and_then(|decision| decision.preemption.as_ref());
            let why = why_not(report.map_or(Hindrance::NotTried, GroupPreemption::hindrance));
            format!("{name} cannot be scheduled: it gets {gets}, and {why}")
        }
        GroupOutcome::Error(error) => fails(&name, error),
        // A tree that is not in the queue is held back by one of its pods, or has too few.
        GroupOutcome::NotInQueue(GroupGate::TreeTooSmall { lacks }) => {
            let lacks: Vec<String> = lacks.iter().map(|lack| lack.clause(cluster)).collect();
            format!("{name} waits for pods: {}", lacks.join("; "))
        }
        GroupOutcome::NotInQueue(GroupGate::Member(pod, _)) => {
            format!("{name} is held back with all its pods by pod {}", cluster.pod_name(*pod))
        }
        GroupOutcome::NotInQueue(GroupGate::Deleting) => {
            format!("{name}: all waiting pods of its tree are being deleted")
        }
        GroupOutcome::NotInQueue(_) => format!("{name}: no pod of its tree waits for a node"),
    }
}

/// Why no eviction helps, as a clause.
pub fn why_not(hindrance: Hindrance) -> Cow<'static, str> {
    Cow::Borrowed(match hindrance {
        Hindrance::Never => "it cannot preempt others (preemptionPolicy: Never)",
        Hindrance::NothingToEvict => "no pod has a lower priority",
        Hindrance::NotHelpful => "preemption does not help",
        Hindrance::NotTried => "preemption is not tried",
        Hindrance::TooFew(pods) => {
            return format!("preemption makes room for only {pods} more").into();
        }
    })
}

/// What the group means for one of its pods, as a clause about the pod.
pub fn member(membership: &Membership, view: &ClusterView) -> String {
    let node = membership.node.map(|node| view.cluster.node_name(node));
    let fits = membership.group.verdict == GroupVerdict::Fits;
    let own = match (membership.result, node) {
        (MemberResult::Held, _) => "it waits with its group".to_owned(),
        (MemberResult::Placed, Some(node)) if fits => format!("it fits on {node}"),
        (_, Some(node)) => format!("it gets {node} once the victims are gone"),
        (MemberResult::Placed, None) => "it would fit, but its group does not".to_owned(),
        (MemberResult::Rejected, None) => {
            "no node fits beside the pods of its group that are tried before it".to_owned()
        }
        (MemberResult::NotTried, None) => {
            "it is not tried, since its group cannot get what it needs".to_owned()
        }
        (MemberResult::Failed, None) => "its scheduling cycle ends with an error".to_owned(),
    };
    format!("{own}; {}", sentence(&membership.group, view))
}

/// What keeps the group from getting nodes, in short; `None` if nothing does.
pub fn cause(group: &GroupSummary, cluster: &Cluster) -> Option<String> {
    Some(match &group.verdict {
        GroupVerdict::Missing { is_known: true } => "its PodGroup does not exist".to_owned(),
        GroupVerdict::Missing { is_known: false } => "its PodGroup is not in the input".to_owned(),
        GroupVerdict::TooFewPods => {
            format!("{} of {} pods exist", group.pods(), group.min_count.unwrap_or_default())
        }
        GroupVerdict::NoParent(parent) => {
            format!("CompositePodGroup {} does not exist", cluster.text(*parent))
        }
        GroupVerdict::TreeTooSmall(lacks) => lacks.last().map(|lack| lack.clause(cluster))?,
        GroupVerdict::Held(pod, _) => format!("pod {} is held back", cluster.pod(*pod).name),
        GroupVerdict::Error(error) | GroupVerdict::NoPriority(error, _) => error.clone(),
        GroupVerdict::Preempts | GroupVerdict::Awaits if group.tree_lacks => lacks(group),
        GroupVerdict::Preempts | GroupVerdict::Awaits => "too few of its pods fit".to_owned(),
        GroupVerdict::Cannot(_) => lacks(group),
        GroupVerdict::NothingWaits | GroupVerdict::Deleting | GroupVerdict::Fits => return None,
    })
}

/// `3 of 3 pods get a node`.
fn get(group: &GroupSummary) -> String {
    let verb = if group.placed == 1 { "gets" } else { "get" };
    let noun = match (group.running, group.waiting) {
        (0, 1) => "pod",
        (0, _) => "pods",
        (_, 1) => "waiting pod",
        (..) => "waiting pods",
    };
    format!("{} of {} {noun} {verb} a node", group.placed, group.waiting)
}

/// What the group does not get.
fn lacks(group: &GroupSummary) -> String {
    if group.tree_lacks {
        return "its pods fit, but too few groups of its tree do".to_owned();
    }
    let needed = usize::try_from(group.min_count.unwrap_or(1)).unwrap_or(usize::MAX);
    let missing = needed.saturating_sub(group.running);
    match group.domains {
        0 if missing <= 1 && group.placed == 0 => {
            "none of its waiting pods fits on a node".to_owned()
        }
        0 if group.running == 0 => {
            format!("{} of the {needed} pods that it needs fit at the same time", group.placed)
        }
        0 => format!(
            "{} of the {missing} pods that it needs besides the {} on nodes fit at the same time",
            group.placed, group.running
        ),
        1 => format!("its only topology domain does not take the {}", count(missing.max(1), "pod")),
        domains => format!(
            "{} takes the {}",
            share(0, domains, "topology domain"),
            count(missing.max(1), "pod")
        ),
    }
}
