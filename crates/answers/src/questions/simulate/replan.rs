//! New decisions about the pods of a plan that is being carried out.

use super::plan::{Refusal, doubt};
use crate::headline::assumed_rules;
use crate::input::LoadedInput;
use crate::node_name;
use engine::cluster::{Cluster, GroupIx, PodIx};
use engine::edits;
use engine::simulation::competitors;
use engine::simulation::entry::{EntryDecision, Goal, QueueEntry};
use engine::simulation::plan::{GroupId, Placement, Plan, PodId, PreemptorId, nodes_of};
use engine::simulation::planning::Proposal;

/// The result of a decision about the preemptor: a pod, or the pending pods of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreemptorStatus {
    /// It fits if the victims of this plan are removed.
    NeedsEviction(Box<Plan>),
    /// It gets the node of this plan once the victims, which are all terminating, are gone.
    Awaits(Box<Plan>),
    /// It fits on these nodes without any removal.
    Fits(Vec<String>),
    /// No removal makes it fit (on the node of the plan), for this reason.
    Impossible(String),
    /// It is already bound: its pods with their nodes.
    Bound(Vec<Placement>),
    /// It is terminating without a node: kube-scheduler no longer tries to schedule it.
    Terminating,
    /// It has finished, in this phase: `Failed` or `Succeeded`.
    Finished(String),
    /// It no longer exists, or another pod has its name.
    Gone,
}

impl PreemptorStatus {
    /// The status as a sentence about the pod `name`.
    pub fn text(&self, name: &str) -> String {
        match self {
            Self::NeedsEviction(_) => format!("{name} needs evictions"),
            Self::Awaits(plan) => {
                let names: Vec<String> =
                    plan.victims.iter().map(|victim| victim.pod.full_name()).collect();
                let are = if names.len() == 1 { "is" } else { "are" };
                format!(
                    "{name} gets node {} once {} {are} gone",
                    plan.nodes().join(", "),
                    names.join(", ")
                )
            }
            Self::Fits(nodes) => format!("{name} fits on {} without evictions", nodes.join(", ")),
            Self::Impossible(why) => format!("no eviction helps {name} any more: {why}"),
            Self::Bound(placed) => {
                let nodes: Vec<&str> =
                    placed.iter().map(|placement| placement.node.as_str()).collect();
                format!("{name} is on node {} already", nodes.join(", "))
            }
            Self::Terminating => format!("{name} is being deleted"),
            Self::Finished(phase) => format!("{name} has finished ({phase})"),
            Self::Gone => format!("{name} no longer exists"),
        }
    }
}

/// How the decisions of a run are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replanning {
    /// The required node, whichever the scheduler would pick.
    pub on: Option<String>,
    /// Whether the pods are assumed to preempt, although they have scheduling gates or a policy
    /// against it.
    pub as_if_preempting: bool,
}

impl Replanning {
    /// The status of a preemptor without the pods in `leaving`, some of which may still be
    /// terminating; with what remains of `plan`.
    ///
    /// # Errors
    /// Why no decision can be relied on.
    pub fn remaining(
        &self,
        input: &mut LoadedInput,
        plan: &Plan,
        leaving: &[PodId],
    ) -> Result<PreemptorStatus, Refusal> {
        for pod in leaving {
            if let Some(ix) = input.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
                input.cluster.remove_pod(ix);
            }
        }
        self.status(input, &plan.preemptor.id, Some(plan))
    }

    /// The status of a preemptor; if `rest` is being carried out, with the remaining plan.
    ///
    /// # Errors
    /// Why no decision can be relied on.
    pub fn status(
        &self,
        input: &mut LoadedInput,
        preemptor: &PreemptorId,
        rest: Option<&Plan>,
    ) -> Result<PreemptorStatus, Refusal> {
        if let Some(rules) = assumed_rules(&input.profile) {
            return Err(Refusal::AssumedRules(rules));
        }
        match preemptor {
            PreemptorId::Pod(pod) => self.of_pod(input, pod, rest),
            PreemptorId::Group(group) => self.of_group(input, group, rest),
        }
    }

    fn of_pod(
        &self,
        input: &mut LoadedInput,
        id: &PodId,
        rest: Option<&Plan>,
    ) -> Result<PreemptorStatus, Refusal> {
        let pod = match find(input, id) {
            Ok(pod) => pod,
            Err(status) => return Ok(status),
        };
        self.propose(input, QueueEntry::Pod(pod), &[pod], rest)
    }

    fn of_group(
        &self,
        input: &mut LoadedInput,
        id: &GroupId,
        rest: Option<&Plan>,
    ) -> Result<PreemptorStatus, Refusal> {
        let found = input.cluster.find_pod_group(&id.namespace, &id.name);
        let Some(group) = found.filter(|ix| *input.cluster.pod_group(*ix).uid == *id.uid) else {
            return Ok(PreemptorStatus::Gone);
        };
        // Nothing is evicted for a terminating pod, which is treated as gone.
        for pod in members(&input.cluster, group) {
            if is_leaving_queue(&input.cluster, pod) {
                input.cluster.remove_pod(pod);
            }
        }
        let cluster = &input.cluster;
        let pods = members(cluster, group);
        let waits = |pod: &PodIx| cluster.pod(*pod).is_waiting();
        let (waiting, on_nodes): (Vec<PodIx>, Vec<PodIx>) = pods.into_iter().partition(waits);
        if waiting.is_empty() {
            let bound = on_nodes.iter().map(|pod| cluster.pod(*pod)).map(|pod| Placement {
                pod: PodId::of(pod, cluster),
                node: cluster.text(pod.node_name).to_owned(),
            });
            let bound: Vec<Placement> = bound.collect();
            return Ok(if bound.is_empty() {
                PreemptorStatus::Gone
            } else {
                PreemptorStatus::Bound(bound)
            });
        }
        self.propose(input, QueueEntry::Group(group), &waiting, rest)
    }

    /// The status of pending pods that are scheduled as one queue entry.
    fn propose(
        &self,
        input: &mut LoadedInput,
        entry: QueueEntry,
        pods: &[PodIx],
        rest: Option<&Plan>,
    ) -> Result<PreemptorStatus, Refusal> {
        self.prepare(input, pods, rest);
        let goal = match (rest, &self.on) {
            (Some(plan), _) => Goal::Rest(plan),
            (None, Some(name)) => match node_name::find(name, &input.cluster) {
                Ok(node) => Goal::On(node),
                Err(_) => return Ok(PreemptorStatus::Impossible(format!("node {name} is gone"))),
            },
            (None, None) => Goal::AsScheduled,
        };
        let views = input.views(None);
        let view = pods.first().and_then(|pod| views.get(input.view_of(*pod)));
        let Some(view) = view else { return Ok(PreemptorStatus::Gone) };
        let decision = EntryDecision::of(entry, view, input.now);
        if let Some(refusal) = doubt(decision.notes()) {
            return Err(refusal);
        }
        let mut proposal = decision.propose(goal);
        // The rest of a plan is carried out whoever waits.
        if let (Proposal::Evict(plan) | Proposal::Awaits(plan), None) = (&mut proposal, rest) {
            let is_own = |pod| pods.contains(&pod);
            let preempts = !self.as_if_preempting;
            plan.competitors = competitors::of_plan(plan, &decision, &views, preempts, is_own);
        }
        status(proposal)
    }

    /// Applies the flags to the pods. A nomination, by this run or by the scheduler, must not
    /// exempt the dry run of the rest from being tried again.
    fn prepare(&self, input: &mut LoadedInput, pods: &[PodIx], rest: Option<&Plan>) {
        for pod in pods {
            if rest.is_some() {
                input.cluster.nominate(*pod, None);
            }
            if self.as_if_preempting {
                edits::allow_preemption(&mut input.cluster, *pod);
            }
        }
    }
}

/// The pending pod, or its status if it is no longer pending.
fn find(input: &LoadedInput, id: &PodId) -> Result<PodIx, PreemptorStatus> {
    let cluster = &input.cluster;
    let found = cluster
        .find_uid(&id.namespace, &id.name, &id.uid)
        .filter(|ix| cluster.pod(*ix).is_active());
    let Some(ix) = found else { return Err(PreemptorStatus::Gone) };
    match cluster.text(cluster.pod(ix).node_name) {
        "" if is_leaving_queue(cluster, ix) => Err(PreemptorStatus::Terminating),
        "" => Ok(ix),
        node => {
            Err(PreemptorStatus::Bound(vec![Placement { pod: id.clone(), node: node.to_owned() }]))
        }
    }
}

/// Whether a pending pod is terminating: kube-scheduler no longer tries to schedule it.
fn is_leaving_queue(cluster: &Cluster, pod: PodIx) -> bool {
    let pod = cluster.pod(pod);
    pod.is_waiting() && pod.is_terminating()
}

/// The pods of a group that are pending or bound.
fn members(cluster: &Cluster, group: GroupIx) -> Vec<PodIx> {
    let is_member =
        |pod: &PodIx| cluster.pod(*pod).is_active() && cluster.group_of(*pod) == Some(group);
    cluster.pod_indices().filter(is_member).collect()
}

fn status(proposal: Proposal) -> Result<PreemptorStatus, Refusal> {
    match proposal {
        Proposal::Fits(nodes) => Ok(PreemptorStatus::Fits(nodes)),
        Proposal::GroupFits(placed) => {
            Ok(PreemptorStatus::Fits(nodes_of(&placed).into_iter().map(str::to_owned).collect()))
        }
        Proposal::Evict(plan) => Ok(PreemptorStatus::NeedsEviction(Box::new(plan))),
        Proposal::Awaits(plan) => Ok(PreemptorStatus::Awaits(Box::new(plan))),
        Proposal::Impossible(why) => Ok(PreemptorStatus::Impossible(why)),
        Proposal::Unknown(why) => Err(Refusal::Unknown(why)),
    }
}
