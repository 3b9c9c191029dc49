//! Whether nodes can be removed, as JSON.

use std::collections::BTreeSet;

use super::simulation::{drain_change, hazard, pod_id, step};
use crate::{ToJson, decision as parts};
use answers::extent::Extent;
use answers::questions::node::{NodeReport, reason};
use engine::simulation::eviction::BudgetState;
use engine::simulation::plan::PodId;
use engine::simulation::planning::Proposal;
use engine::simulation::removal::holds::{Hold, HoldReason, NodeEvent};
use engine::simulation::removal::outcomes::{DrainObstacle, DrainOutcome};
use engine::simulation::removal::reasons::RemovalObstacle;
use engine::simulation::removal::{self, NodeRemoval};
use engine::simulation::sequence::play::{DrainEnd, DrainedPod};
use json::node::{
    AutoscalerEvent, AutoscalerHold, Budget, DrainedPod as JsonDrainedPod,
    NodeRemoval as JsonNodeRemoval, NodeRemovalList, PreemptedPod, Reason as JsonReason,
    StayingPod,
};
use json::{ApiVersion, kind};

/// The JSON of an answer about nodes.
impl ToJson for NodeReport {
    type Json = NodeRemovalList;

    fn json(&self) -> NodeRemovalList {
        let (basis, removal) = (&self.basis, &self.removal);
        let drained: Vec<&str> = removal.nodes.iter().map(|node| &*node.node).collect();
        let changes = removal.changes.iter().map(|change| drain_change(change, &drained));
        NodeRemovalList {
            api_version: ApiVersion::default(),
            kind: kind::NodeRemovalList::default(),
            scheduler: parts::scheduler(&basis.profile),
            source: parts::source(&basis.header, basis.source),
            text: self.sentence(Extent::Top),
            all_can: removal.all_can(),
            order: self.order.clone(),
            orders_left: removal.orders_left,
            surge: removal.surge,
            timings: removal.timings,
            every_order: removal.every_order,
            commands: self.commands.clone(),
            changes: changes.collect(),
            eviction_requests: self.eviction_requests.clone(),
            not_evicting: self.not_evicting.clone(),
            items: removal.nodes.iter().map(|node| of_node(node, self)).collect(),
            notes: removal.notes.iter().map(parts::note).collect(),
        }
    }
}

fn of_node(node: &NodeRemoval, report: &NodeReport) -> JsonNodeRemoval {
    let (play, now) = (&node.play, report.basis.now());
    let mut staying = Vec::with_capacity(play.staying.len());
    for pod in &play.staying {
        let PodId { namespace, name, uid } = pod.pod.clone();
        let because = if pod.is_static { "Static" } else { "DaemonSet" }.into();
        staying.push(StayingPod { namespace, name, uid, because });
    }

    // The pods of the node, then those that wait or are evicted for them.
    JsonNodeRemoval {
        node: node.node.clone(),
        text: report.sentence_about(node),
        verdict: node.verdict.name().into(),
        depends_on_timing: node.depends_on_timing(),
        timings_done: node.timings_done,
        reasons: node.obstacles.iter().map(of_obstacle).collect(),
        pods: play.pods.iter().map(|pod| of_pod(pod, node)).collect(),
        staying,
        waits_for: play.waits().into_iter().map(budget).collect(),
        pending: play.pending.iter().map(|one| step(one, &[], now)).collect(),
        cascade: play.steps.iter().map(|one| step(one, &[], now)).collect(),
        preempted: preempted(node),
        rounds: play.rounds,
        fresh_nodes: node.fresh.clone(),
        silent_kubelet: node.is_silent,
        autoscaler_holds: node.holds.iter().map(hold).collect(),
        autoscaler_events: node.said.iter().map(event).collect(),
    }
}

/// Pods that got another node although they were not on this one. Which they are may depend on the
/// order of scheduling: these are those of all orders that were tried.
fn preempted(node: &NodeRemoval) -> Vec<PreemptedPod> {
    let own: BTreeSet<String> =
        node.play.pods.iter().map(|pod| pod.victim.pod.full_name()).collect();
    let mut found = Vec::new();
    for (name, places) in &node.places {
        let Some((namespace, short)) = name.split_once('/') else { continue };
        if own.contains(name) || node.pending.contains(name) {
            continue;
        }
        found.push(PreemptedPod {
            namespace: namespace.to_owned(),
            name: short.to_owned(),
            nodes: places.nodes.clone(),
            also_possible: places.also_possible.iter().cloned().collect(),
        });
    }
    found
}

fn of_obstacle(obstacle: &DrainObstacle) -> JsonReason {
    let reason = &obstacle.reason;
    let (budgets, pods) = match reason {
        RemovalObstacle::Budget { budget, pods, .. }
        | RemovalObstacle::NotObserved { budget, pods } => {
            (vec![self::budget(budget)], full_names(pods))
        }
        RemovalObstacle::SeveralBudgets { budgets, pods } => {
            (budgets.iter().map(budget).collect(), full_names(pods))
        }
        RemovalObstacle::NoNode { pod, .. }
        | RemovalObstacle::Stuck { pod }
        | RemovalObstacle::Unknown { pod, .. } => (Vec::new(), vec![pod.full_name()]),
        RemovalObstacle::ComesBack { pod } => (Vec::new(), vec![pod.clone()]),
        RemovalObstacle::NotFollowed { .. } => (Vec::new(), Vec::new()),
    };
    let (name, holds) = (reason.name().into(), obstacle.holds.name().into());
    JsonReason { name, text: reason::text(reason, Extent::Top), holds, budgets, pods }
}

fn full_names(pods: &[PodId]) -> Vec<String> {
    pods.iter().map(PodId::full_name).collect()
}

pub(super) fn budget(state: &BudgetState) -> Budget {
    Budget {
        namespace: state.namespace.clone(),
        name: state.name.clone(),
        allowed: state.allowed,
        healthy: state.healthy,
        desired: state.desired,
        expected: state.expected,
        unhealthy_pod_eviction_policy: state.unhealthy_pods.name().into(),
        sync_error: state.sync_error.clone(),
    }
}

fn of_pod(pod: &DrainedPod, node: &NodeRemoval) -> JsonDrainedPod {
    let victim = &pod.victim;
    let name = victim.pod.full_name();
    let step = removal::step_of(&node.play, &victim.pod);
    let places = node.places.get(&name).cloned().unwrap_or_default();
    // Why its replacement gets no node matters only if it was evicted.
    let why = match step.map(|step| &step.proposal) {
        Some(Proposal::Unknown(why) | Proposal::Impossible(why)) => {
            Some(why.clone()).filter(|_| matches!(pod.end, DrainEnd::Evicted { .. }))
        }
        _ => None,
    };
    let others = node.other_outcomes.get(&name).into_iter().flatten();
    let refused = pod.refusal();
    let plan = step.and_then(|step| step.proposal.plan());
    JsonDrainedPod {
        namespace: victim.pod.namespace.clone(),
        name: victim.pod.name.clone(),
        uid: victim.pod.uid.clone(),
        priority: victim.priority,
        owners: victim.owners.iter().map(ToString::to_string).collect(),
        outcome: DrainOutcome::of(pod, &node.play).name().into(),
        other_outcomes: others.map(|other| other.name().into()).collect(),
        nodes: places.nodes,
        also_possible: places.also_possible.iter().cloned().collect(),
        preempts: plan.iter().flat_map(|plan| &plan.victims).map(|v| pod_id(&v.pod)).collect(),
        round: match pod.end {
            DrainEnd::Evicted { round } => Some(round),
            DrainEnd::Refused(_) | DrainEnd::Stuck => None,
        },
        refused_by: refused.iter().flat_map(|refused| &refused.budgets).map(budget).collect(),
        hazards: victim.hazards.iter().map(hazard).collect(),
        afterwards: victim.afterwards.name().into(),
        why,
    }
}

fn hold(hold: &Hold) -> AutoscalerHold {
    AutoscalerHold {
        by: hold.by.name().into(),
        text: reason::of_hold(hold),
        pod: hold.pod.as_ref().map(PodId::full_name),
        reason: hold.why.name().into(),
        annotation: match hold.why {
            HoldReason::Annotation(key) => Some(key.into()),
            HoldReason::Bare | HoldReason::LocalStorage | HoldReason::SystemPod => None,
        },
        lifted_by: Some(hold.lifted_by()),
    }
}

fn event(event: &NodeEvent) -> AutoscalerEvent {
    AutoscalerEvent {
        component: event.component.clone(),
        reason: event.reason.clone(),
        message: event.message.clone(),
        time: event.time.map(|time| time.to_string()),
    }
}
