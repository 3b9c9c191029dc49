//! The planner of `--apply`: makes new decisions on a cluster that is kept up to date.

use super::doubt;
use crate::apply::{PlanResult, Planner, PreemptorStatus};
use crate::cli::input::{InputArgs, KeptInput, LoadedInput};
use crate::error::Error;
use answers::headline::assumed_rules;
use engine::cluster::{Cluster, GroupIx, PodIx};
use engine::edits;
use engine::notes::Note;
use engine::simulation::competitors::{self, Residents};
use engine::simulation::entry::{EntryDecision, Goal, QueueEntry};
use engine::simulation::plan::{GroupId, Placement, Plan, PodId, PreemptorId, nodes_of};
use engine::simulation::planning::Proposal;

/// Makes the decisions of a run.
pub struct Replanner {
    /// The input flags.
    pub input: InputArgs,
    pub kept: KeptInput,
    /// The required node, whichever the scheduler would pick.
    pub on: Option<String>,
    /// Whether the pods are assumed to preempt, although they have scheduling gates or a policy
    /// against it.
    pub as_if_preempting: bool,
    /// The pods on the nodes of the first plan.
    pub residents: Residents,
}

impl Planner for Replanner {
    fn plan(&mut self, preemptor: &PreemptorId) -> Result<PlanResult, Error> {
        let mut input = self.read()?;
        let status = self.status(&mut input, preemptor, None)?;
        if let (PreemptorStatus::NeedsEviction(plan), true) = (&status, self.residents.is_empty()) {
            self.residents = Residents::of(plan, &input.cluster);
        }
        Ok(self.result(status, input))
    }

    fn remaining(&mut self, plan: &Plan, leaving: &[PodId]) -> Result<PlanResult, Error> {
        let mut input = self.read()?;
        for pod in leaving {
            if let Some(ix) = input.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
                input.cluster.remove_pod(ix);
            }
        }
        let status = self.status(&mut input, &plan.preemptor.id, Some(plan))?;
        Ok(self.result(status, input))
    }
}

impl Replanner {
    /// The current cluster: nothing that a decision reads is older than this call.
    fn read(&self) -> Result<LoadedInput, Error> {
        self.kept.cluster.catch_up()?;
        self.input.check()?.read_kept(&self.kept)
    }

    /// A decision with what it is based on, and who has come to the nodes of the plan.
    fn result(&self, status: PreemptorStatus, input: LoadedInput) -> PlanResult {
        let newcomers = self.residents.newcomers(&input.cluster);
        PlanResult { status, versions: input.cluster.header.resource_versions, newcomers }
    }

    /// The status of a preemptor; if `rest` is being executed, with the remaining plan.
    fn status(
        &self,
        input: &mut LoadedInput,
        preemptor: &PreemptorId,
        rest: Option<&Plan>,
    ) -> Result<PreemptorStatus, Error> {
        if let Some(rules) = assumed_rules(&input.profile) {
            return Err(Error::assumed(&rules));
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
    ) -> Result<PreemptorStatus, Error> {
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
    ) -> Result<PreemptorStatus, Error> {
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
    ) -> Result<PreemptorStatus, Error> {
        self.prepare(input, pods, rest);
        let goal = match (rest, &self.on) {
            (Some(plan), _) => Goal::Rest(plan),
            (None, Some(name)) => match input.cluster.find_node(name) {
                Some(node) => Goal::On(node),
                None => return Ok(PreemptorStatus::Impossible(format!("node {name} is gone"))),
            },
            (None, None) => Goal::AsScheduled,
        };
        let views = input.views(None);
        let view = pods.first().and_then(|pod| views.get(input.view_of(*pod)));
        let Some(view) = view else { return Ok(PreemptorStatus::Gone) };
        let decision = EntryDecision::of(entry, view, input.now);
        check_certain(decision.notes())?;
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

/// Rejects the execution of an uncertain answer.
fn check_certain(notes: &[Note]) -> Result<(), Error> {
    match doubt(notes) {
        Some(note) => Err(Error::uncertain(&answers::notes::sentence(note))),
        None => Ok(()),
    }
}

fn status(proposal: Proposal) -> Result<PreemptorStatus, Error> {
    match proposal {
        Proposal::Fits(nodes) => Ok(PreemptorStatus::Fits(nodes)),
        Proposal::GroupFits(placed) => {
            Ok(PreemptorStatus::Fits(nodes_of(&placed).into_iter().map(str::to_owned).collect()))
        }
        Proposal::Evict(plan) => Ok(PreemptorStatus::NeedsEviction(Box::new(plan))),
        Proposal::Awaits(plan) => Ok(PreemptorStatus::Awaits(Box::new(plan))),
        Proposal::Impossible(why) => Ok(PreemptorStatus::Impossible(why)),
        Proposal::Unknown(why) => Err(Error::Cluster { problem: why, hint: None }),
    }
}
