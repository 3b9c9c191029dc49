//! The row of a group of pods that kube-scheduler schedules as a whole.

use engine::autoscalers::Autoscalers;
use engine::cluster::Cluster;
use engine::cluster::pod::PodIx;
use engine::cluster::pod_group::PodGroup;
use engine::decision::competitors::Competitors;
use engine::decision::group::{GroupSummary, GroupVerdict};
use engine::decision::{Certainty, QueueGate};
use engine::groups::GroupDecision;
use engine::groups::answer::GroupAnswer;
use engine::groups::summary::LaterCycle;
use engine::preemption::victim_choices::VictimCount;

use super::cause::BlockingCause;
use super::row::{PendingGroup, PendingRow, PendingVerdict};
use crate::pod_group;

impl PendingRow {
    /// The row of a group.
    pub(super) fn of_group(answer: &GroupAnswer, autoscalers: Option<&Autoscalers>) -> Self {
        let cluster = answer.view().cluster;
        let (summary, members) = (answer.summary(), answer.members());
        let decision = answer.decision();
        let group = decision.map(GroupDecision::pod_group);
        // What this cycle does, and those that follow at once for the pods that it leaves.
        let later = answer.later_cycles();
        let mut victims: Vec<PodIx> = Vec::new();
        for victim in decision.map_or_else(Vec::new, GroupDecision::victims) {
            victims.push(victim.pod);
        }
        victims.extend(later.iter().flat_map(|cycle| &cycle.victims));
        let own = members.waiting.iter().filter_map(|pod| decision?.node_of(*pod));
        let of_later = later.iter().flat_map(|cycle| &cycle.placed).map(|(_, node)| *node);
        let mut nodes: Vec<String> = Vec::new();
        for node in own.chain(of_later) {
            let name = cluster.node_name(node).to_owned();
            if !nodes.contains(&name) {
                nodes.push(name);
            }
        }
        let own_priority = members.waiting.first().map_or(0, |pod| cluster.pod(*pod).priority);
        let mut row = Self {
            namespace: cluster.text(summary.namespace).to_owned(),
            name: cluster.text(summary.name).to_owned(),
            uid: group.map(|group| group.uid.to_string()).unwrap_or_default(),
            owner: None,
            group: Some(PendingGroup {
                waiting: members
                    .waiting
                    .iter()
                    .map(|pod| cluster.pod(*pod).name.to_string())
                    .collect(),
                running: members.running.len(),
                verdicts: verdicts(&summary, &later, members.waiting.len()),
            }),
            priority: group.map_or(own_priority, PodGroup::priority),
            priority_class: group
                .map(|group| cluster.text(group.priority_class).to_owned())
                .unwrap_or_default(),
            created: members.waiting.iter().filter_map(|pod| cluster.pod(*pod).created).min(),
            verdict: verdict(&summary),
            cause: pod_group::cause(&summary, cluster)
                .map(|reason| BlockingCause::of_pod(reason, cluster.nodes.len())),
            nodes,
            autoscalers: None,
            likelihood: None,
            certainty: match (answer.is_unsure(), decision) {
                (true, _) => Certainty::Unsure,
                (false, Some(decision)) => {
                    let of_later = later.iter().map(|cycle| cycle.certainty);
                    of_later.fold(decision.certainty(), Certainty::max)
                }
                (false, None) => Certainty::Certain,
            },
            victims: victims.iter().map(|victim| cluster.pod_name(*victim)).collect(),
            victim_count: victim_count(&summary, &later),
            violations: decision.map_or(0, GroupDecision::violations),
            budgets_unknown: cluster.are_budgets_unknown(),
            waits_for: waits_for(&summary, &members.waiting, cluster),
            nomination: None,
            holder: None,
            competitors: Competitors::default(),
            silence: None,
        };
        if let Some(autoscalers) = autoscalers {
            row.autoscalers = row.role_of_autoscalers(autoscalers.about_group(answer));
        }
        row
    }
}

/// How many pods are evicted in this cycle and those that follow at once.
fn victim_count(group: &GroupSummary, later: &[LaterCycle]) -> VictimCount {
    let mut all = group.victims;
    for cycle in later {
        let own = cycle.summary.victims;
        all = VictimCount { fewest: all.fewest + own.fewest, most: all.most + own.most };
    }
    all
}

fn verdict(group: &GroupSummary) -> PendingVerdict {
    match &group.verdict {
        GroupVerdict::Held(_, QueueGate::Gated) => PendingVerdict::Gated,
        GroupVerdict::Missing { .. }
        | GroupVerdict::NothingWaits
        | GroupVerdict::TooFewPods
        | GroupVerdict::Held(..)
        | GroupVerdict::NoParent(_)
        | GroupVerdict::TreeTooSmall(_)
        | GroupVerdict::Deleting => PendingVerdict::NotInQueue,
        GroupVerdict::Error(_) | GroupVerdict::NoPriority(..) => PendingVerdict::Errors,
        GroupVerdict::Fits => PendingVerdict::Fits,
        GroupVerdict::Preempts => PendingVerdict::Preempts,
        GroupVerdict::Awaits => PendingVerdict::Waits,
        GroupVerdict::Cannot(_) => PendingVerdict::Blocked,
    }
}

/// How many of the waiting pods have which verdict.
fn verdicts(
    group: &GroupSummary,
    later: &[LaterCycle],
    waiting: usize,
) -> Vec<(PendingVerdict, usize)> {
    let own = verdict(group);
    if !matches!(own, PendingVerdict::Fits | PendingVerdict::Preempts) || group.placed == waiting {
        return vec![(own, waiting)];
    }
    let mut found = vec![(own, group.placed)];
    let mut rest = waiting - group.placed;
    for LaterCycle { summary, .. } in later {
        let of_cycle = verdict(summary);
        if matches!(of_cycle, PendingVerdict::Fits | PendingVerdict::Preempts) {
            found.push((of_cycle, summary.placed));
            rest = rest.saturating_sub(summary.placed);
        }
    }
    if rest > 0 {
        found.push((PendingVerdict::Blocked, rest));
    }
    found
}

/// What has to happen next.
fn waits_for(group: &GroupSummary, waiting: &[PodIx], cluster: &Cluster) -> String {
    match &group.verdict {
        GroupVerdict::Missing { .. } => "its PodGroup".to_owned(),
        GroupVerdict::TooFewPods => "more pods".to_owned(),
        GroupVerdict::NoParent(parent) => format!("CompositePodGroup {}", cluster.text(*parent)),
        GroupVerdict::TreeTooSmall(_) => "more pods of its tree".to_owned(),
        GroupVerdict::Held(pod, _) => format!("pod {}", cluster.pod(*pod).name),
        GroupVerdict::Deleting => "its deletion".to_owned(),
        GroupVerdict::NothingWaits => String::new(),
        GroupVerdict::Awaits => "its victims".to_owned(),
        GroupVerdict::Error(_)
        | GroupVerdict::NoPriority(..)
        | GroupVerdict::Fits
        | GroupVerdict::Preempts
        | GroupVerdict::Cannot(_) => {
            let tried = waiting.iter().any(|pod| cluster.pod(*pod).scheduled_condition.is_some());
            if tried { "scheduler retry" } else { "first attempt" }.to_owned()
        }
    }
}
