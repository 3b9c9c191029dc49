//! Derives a plan from a decision about a group.

use super::plan::{GroupId, Placement, Plan, PlanPreemptor, PodId, PreemptorId};
use super::planning::{Proposal, placement};
use super::victims;
use model::cluster::{NodeIx, PodIx};
use scheduler::decision::competitors::Competitors;
use scheduler::groups::cycle::TrialResult;
use scheduler::groups::gate::GroupGate;
use scheduler::groups::preemption::GroupPlan;
use scheduler::groups::{GroupDecision, GroupOutcome};

/// The proposal if the scheduler decides.
pub(super) fn as_scheduled(decision: &GroupDecision) -> Proposal {
    match &decision.outcome {
        GroupOutcome::Scheduled => Proposal::GroupFits(fitting(decision)),
        GroupOutcome::Preempt => match decision.plan() {
            Some(plan) => evict(decision, plan),
            None => one_by_one(decision),
        },
        GroupOutcome::Awaits => awaited(decision),
        GroupOutcome::NotInQueue(_) | GroupOutcome::Error(_) | GroupOutcome::Unschedulable => {
            nowhere(decision)
        }
    }
}

/// The pods that fit, with their nodes.
fn fitting(decision: &GroupDecision) -> Vec<Placement> {
    let cluster = decision.view.cluster;
    if let Some(tree) = &decision.tree {
        return tree.bound.iter().map(|(pod, node)| placement(*pod, *node, cluster)).collect();
    }
    let placed = decision.trials.iter().filter_map(|trial| match trial.result {
        TrialResult::Placed { node, .. } => Some(placement(trial.pod, node, cluster)),
        TrialResult::Rejected | TrialResult::Failed(_) => None,
    });
    placed.collect()
}

/// The pods of the group that were tried and get no node although others do.
pub(super) fn left_out(decision: &GroupDecision, proposal: &Proposal) -> Vec<PodId> {
    let placed = match proposal {
        Proposal::GroupFits(placed) => placed,
        Proposal::Evict(plan) | Proposal::Awaits(plan) => &plan.placed,
        Proposal::Fits(_) | Proposal::Impossible(_) | Proposal::Unknown(_) => return Vec::new(),
    };
    let cluster = decision.view.cluster;
    let waiting = decision.tree.as_ref().map_or(&decision.members.waiting, |tree| &tree.waiting);
    let waiting = waiting.iter().map(|pod| PodId::of(cluster.pod(*pod), cluster));
    waiting.filter(|pod| placed.iter().all(|placement| placement.pod != *pod)).collect()
}

/// The evictions if the pods of a group preempt one by one, up to 1.36.
fn one_by_one(decision: &GroupDecision) -> Proposal {
    let (mut placed, mut victims) = (Vec::new(), Vec::new());
    for trial in &decision.trials {
        match (&trial.result, &trial.preempts) {
            (TrialResult::Placed { node, .. }, _) => placed.push((trial.pod, *node)),
            (_, Some((node, evicted))) => {
                placed.push((trial.pod, *node));
                victims.extend(evicted.iter().map(|victim| victim.pod));
            }
            (_, None) => {}
        }
    }
    if victims.is_empty() { nowhere(decision) } else { make_room(decision, &placed, &victims) }
}

/// The evictions that carry out a plan of the group.
pub(super) fn evict(decision: &GroupDecision, plan: &GroupPlan) -> Proposal {
    let victims: Vec<PodIx> = plan.victims.iter().map(|victim| victim.pod).collect();
    make_room(decision, &plan.placed, &victims)
}

/// The plan to evict `victims` so that the pods of the group are `placed`.
fn make_room(decision: &GroupDecision, placed: &[(PodIx, NodeIx)], victims: &[PodIx]) -> Proposal {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let priority = decision.priority();
    let scheduler =
        placed.first().map(|(pod, _)| cluster.template(cluster.pod(*pod)).scheduler_name);
    Proposal::of(Plan {
        placed: placed.iter().map(|(pod, node)| placement(*pod, *node, cluster)).collect(),
        preemptor: PlanPreemptor {
            id: PreemptorId::Group(GroupId::of(decision.group, cluster)),
            priority,
            scheduler: scheduler.map_or("", |name| cluster.text(name)).to_owned(),
        },
        tied: Vec::new(),
        victims: victims::planned(view, priority, victims, decision.now),
        competitors: Competitors::default(),
    })
}

/// What a group waits for: the terminating pods on its nominated nodes, if it fits without them.
fn awaited(decision: &GroupDecision) -> Proposal {
    match decision.plan_with(decision.awaited_victims()) {
        Some(plan) => evict(decision, &plan),
        None => nowhere(decision),
    }
}

/// Why the group gets no nodes.
fn nowhere(decision: &GroupDecision) -> Proposal {
    Proposal::Impossible(if let Some(gate) = decision.summary().gate(decision.view) {
        let of_member = matches!(decision.outcome, GroupOutcome::NotInQueue(GroupGate::Member(..)));
        if of_member { format!("it {gate}") } else { gate }
    } else if let GroupOutcome::Error(error) = &decision.outcome {
        format!("the scheduling cycle ends with an error: {error}")
    } else if let Some(message) = decision.message() {
        message.to_owned()
    } else {
        "kube-scheduler makes no decision about it".to_owned()
    })
}
