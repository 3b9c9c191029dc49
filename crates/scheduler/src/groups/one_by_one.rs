//! Groups in 1.35, which are parts of Workloads: each waiting pod has its own cycle and preempts
//! alone. A pod of a gang that gets a node is assumed there and waits at Permit until enough pods
//! of the gang have a node.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulingCycle`, `bindingCycle`,
//! `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` `Permit` (1.35).

use super::cycle::{Trial, TrialResult};
use super::select::{Memory, Rotation};
use super::written::{FAILED, NominationChange, REJECTED, WrittenMember};
use super::{GroupDecision, GroupGate, GroupOutcome};
use crate::decision::gang::Permit;
use crate::decision::queue;
use crate::framework::cluster_view::ClusterView;
use model::cluster::PodIx;

/// Runs the cycle of each pod that may be tried, in order. Other waiting pods would be scheduled in
/// between, which is not modelled.
pub(super) fn run(decision: &mut GroupDecision) {
    let cluster = decision.view.cluster;
    let leaves = |pod: &PodIx| cluster.pod(*pod).is_terminating();
    let queued: Vec<PodIx> = decision
        .members
        .waiting
        .iter()
        .copied()
        .filter(|pod| leaves(pod) || queue::hold(decision.view, *pod).is_none())
        .collect();
    if queued.iter().all(leaves) {
        decision.outcome = GroupOutcome::NotInQueue(GroupGate::Deleting);
        return;
    }
    let needed = usize::try_from(decision.pod_group().min_count.unwrap_or(1)).unwrap_or(usize::MAX);
    take_turns(queued, needed, decision);
    let evicts = decision.trials.iter().filter(|trial| trial.preempts.is_some()).count();
    let places_any = decision.trials.iter().any(is_placed);
    decision.outcome = match assumed(decision) {
        assumed if assumed >= needed && places_any => GroupOutcome::Scheduled,
        assumed if evicts > 0 && assumed + evicts >= needed => GroupOutcome::Preempt,
        _ => GroupOutcome::Unschedulable,
    };
    let is_met = assumed(decision) >= needed;
    decision
        .trials
        .iter_mut()
        .for_each(|trial| trial.waits_at_permit = !is_met && is_placed(trial));
    decision.written = decision.trials.iter().map(written).collect();
}

/// Tries each pod in turn. Once one waits at Permit, pods that did not get a node are retried,
/// after those of their priority that were not tried yet.
fn take_turns(mut queue: Vec<PodIx>, needed: usize, decision: &mut GroupDecision) {
    let cluster = decision.view.cluster;
    let mut view = decision.view.clone();
    let mut memory = Memory::default();
    let mut rotation = Rotation::new(&view, &mut memory);
    let mut refused: Vec<PodIx> = Vec::new();
    while !queue.is_empty() {
        let first = queue.iter().map(|pod| cluster.pod(*pod).priority).max();
        let Some(at) = queue.iter().position(|pod| Some(cluster.pod(*pod).priority) == first)
        else {
            break;
        };
        let pod = queue.remove(at);
        if cluster.pod(pod).is_terminating() {
            // It was dequeued and skipped.
            view.take_from_queue(&[pod]);
            continue;
        }
        let found = trial(pod, &mut view, decision, &mut rotation);
        let is_placed = is_placed(&found);
        if !is_placed && found.preempts.is_none() {
            refused.push(pod);
        }
        match decision.trials.iter_mut().find(|trial| trial.pod == pod) {
            Some(before) => *before = found,
            None => decision.trials.push(found),
        }
        if is_placed && assumed(decision) < needed {
            queue.append(&mut refused);
        }
    }
}

/// The cycle of one pod, with earlier pods on their nodes or nominated to them.
fn trial(
    pod: PodIx,
    view: &mut ClusterView,
    group: &GroupDecision,
    rotation: &mut Rotation,
) -> Trial {
    let mut trial = Trial::alone(view, pod, group.now, rotation);
    // Parity: the victims still exist when the next pod is tried; the nomination reserves their
    // resources.
    let nominated = trial.preempts.as_ref().map(|(node, _)| *node);
    if trial.result != TrialResult::Rejected {
        trial.place(view, group.now);
    }
    view.nominate(pod, nominated);
    trial
}

fn is_placed(trial: &Trial) -> bool {
    matches!(trial.result, TrialResult::Placed { .. })
}

/// How many pods of the group are on nodes, or assumed there.
fn assumed(decision: &GroupDecision) -> usize {
    decision.members.running.len() + decision.trials.iter().filter(|trial| is_placed(trial)).count()
}

/// What is written about a pod after its cycle. No condition reports that it waits at Permit, but
/// its nomination does.
fn written(trial: &Trial) -> WrittenMember {
    let (condition, nomination) = match (&trial.result, &trial.preempts) {
        (TrialResult::Placed { node, .. }, _) if trial.waits_at_permit => {
            (None, NominationChange::To(*node))
        }
        (TrialResult::Placed { .. }, _) => (None, NominationChange::Kept),
        (TrialResult::Failed(error), _) => {
            (Some((FAILED, error.clone())), NominationChange::Cleared)
        }
        (TrialResult::Rejected, evicts) => {
            let otherwise = if trial.loses_nomination() {
                NominationChange::Cleared
            } else {
                NominationChange::Kept
            };
            let nomination =
                evicts.as_ref().map_or(otherwise, |(node, _)| NominationChange::To(*node));
            (Some((REJECTED, trial.message.clone().unwrap_or_default())), nomination)
        }
    };
    WrittenMember { pod: trial.pod, condition, nomination }
}

impl GroupDecision<'_> {
    /// What a pod of the gang waits for at Permit, where each has its own cycle; `None` if the
    /// group is not a gang, or gets no cycle.
    pub fn permit(&self) -> Option<Permit> {
        let group = self.pod_group();
        let is_tried =
            self.view.profile.features.pod_groups.one_by_one() && !self.trials.is_empty();
        let min_count = group.min_count.filter(|_| is_tried)?;
        let evicts = self.trials.iter().filter(|trial| trial.preempts.is_some()).count();
        Some(Permit {
            group: group.name,
            min_count,
            running: self.members.running.len(),
            assumed: assumed(self),
            evicts,
        })
    }
}
