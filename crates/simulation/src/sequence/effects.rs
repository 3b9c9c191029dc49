//! The effects of a step on the cluster of a simulation: pods are bound or nominated, and victims
//! leave.

use jiff::{SignedDuration, Timestamp};

use super::{EvictedPod, Simulation, SimulationRun, Step};
use crate::entry::QueueEntry;
use crate::plan::{Placement, Plan};
use crate::planning::Proposal;
use crate::{afterwards, victims};
use model::cluster::{NodeIx, PodIx};
use scheduler::groups::cycle::{held_by, may_hold};

impl SimulationRun<'_> {
    /// Decides an entry, and once more for each claim that PostFilter gives up, as the scheduler does
    /// at once.
    pub(super) fn decide_again(&mut self, entry: QueueEntry, depth: usize) -> Step {
        loop {
            let (mut step, mut given_up) = self.decide(entry, depth);
            let claim = given_up.pop_first();
            if !given_up.is_empty() {
                let which = "kube-scheduler takes the devices from one of its claims: from which one is not known";
                step.proposal = Proposal::Unknown(which.to_owned());
                return step;
            }
            let Some(claim) = claim else { return step };
            self.cluster.devices.give_up(claim);
        }
    }

    /// Binds the pods that fit (a single one to its first node), or nominates those that preempt.
    ///
    /// # Errors
    /// Why the scheduler cannot bind a pod that fits.
    pub(super) fn place(&mut self, entry: QueueEntry, proposal: &Proposal) -> Result<(), String> {
        match (proposal, entry) {
            (Proposal::Fits(nodes), QueueEntry::Pod(pod)) => {
                let chosen = nodes.get(self.ties.choose(nodes.len()));
                if let Some(node) = chosen.and_then(|name| self.cluster.find_node(name)) {
                    return self.bind_pod(pod, node);
                }
            }
            (Proposal::GroupFits(placed), _) => return self.bind(entry, placed),
            (Proposal::Evict(plan) | Proposal::Awaits(plan), _) => self.nominate(entry, plan),
            (Proposal::Fits(_) | Proposal::Impossible(_) | Proposal::Unknown(_), _) => {}
        }
        Ok(())
    }

    /// The pods of an entry that get nodes. A pod that does not exist yet is identified only by its
    /// name.
    fn placed(&self, entry: QueueEntry, placed: &[Placement]) -> Vec<(PodIx, NodeIx)> {
        let nodes_of_pods = placed.iter().filter_map(|placement| {
            let pod = match entry {
                QueueEntry::Pod(pod) => pod,
                QueueEntry::Group(_) => {
                    self.cluster.find_pod(&placement.pod.namespace, &placement.pod.name)?
                }
            };
            Some((pod, self.cluster.find_node(&placement.node)?))
        });
        nodes_of_pods.collect()
    }

    /// Binds the pods of an entry; those that Reserve rejects stay pending.
    ///
    /// # Errors
    /// Why Reserve rejects one.
    fn bind(&mut self, entry: QueueEntry, placed: &[Placement]) -> Result<(), String> {
        let mut result = Ok(());
        for (pod, node) in self.placed(entry, placed) {
            result = result.and(self.bind_pod(pod, node));
        }
        result
    }

    /// Binds the pods of a plan whose victims are gone. Its step is unknown if Reserve rejects one.
    pub(super) fn bind_plan(&mut self, entry: QueueEntry, plan: &Plan) {
        let Err(why) = self.bind(entry, &plan.placed) else { return };
        let Simulation { steps, cascade, .. } = &mut self.simulation;
        let mut all = steps.iter_mut().chain(cascade).rev();
        if let Some(step) = all.find(|step| step.proposal.plan() == Some(plan)) {
            step.proposal = Proposal::Unknown(why);
        }
    }

    /// Binds a pod, which takes its devices and volumes from those after it.
    fn bind_pod(&mut self, pod: PodIx, node: NodeIx) -> Result<(), String> {
        let profile = self.profile_of(pod);
        if let Some(profile) = profile.filter(|profile| may_hold(pod, &self.cluster, profile)) {
            let view = self.view_of(&self.cluster, profile);
            held_by(pod, node, &view, self.settings.now)?.write_to(&mut self.cluster);
        }
        self.cluster.bind(pod, node);
        Ok(())
    }

    /// Applies the immediate effects of preemption: the pods are nominated, the victims are
    /// terminating, and pods of lower priority lose their nomination to the node of a pod that
    /// preempts alone.
    fn nominate(&mut self, entry: QueueEntry, plan: &Plan) {
        let placed = self.placed(entry, &plan.placed);
        for (pod, node) in &placed {
            if let QueueEntry::Pod(_) = entry {
                self.clear_nominations(*pod, *node);
            }
            self.cluster.nominate(*pod, Some(*node));
        }
        if placed.is_empty() {
            return;
        }
        // Evictions use up budgets, which affects later pods of the simulation.
        let features = self.settings.profiles.first().map(|profile| &profile.features);
        let budgets = features
            .map(|features| victims::protecting(&self.cluster, features))
            .unwrap_or_default();
        for victim in plan.victims.iter().filter(|victim| victim.terminating_until.is_none()) {
            let Some(ix) = self.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) else {
                continue;
            };
            for budget in budgets.of(self.cluster.pod(ix), &self.cluster) {
                let left = self.cluster.budget(budget).allowed - 1;
                self.cluster.set_disruptions_allowed(budget, left.max(0));
            }
            let due =
                self.settings.now.checked_add(SignedDuration::from_secs(victim.grace_seconds));
            self.cluster.preempt(ix, due.unwrap_or(Timestamp::MAX));
        }
    }

    /// Clears the nominations to a node of pods of lower priority.
    fn clear_nominations(&mut self, pod: PodIx, node: NodeIx) {
        let name = self.cluster.node(node).name;
        let priority = self.cluster.pod(pod).priority;
        let nominated_pods = self.cluster.nominees().filter(|ix| {
            let other = self.cluster.pod(*ix);
            other.nominated_node == name && other.node_name.is_empty() && other.priority < priority
        });
        for nominated in nominated_pods.collect::<Vec<_>>() {
            self.cluster.nominate(nominated, None);
        }
    }

    /// Whether all pods of a plan wait, nominated to their nodes.
    pub(super) fn is_still_nominated(&self, plan: &Plan) -> bool {
        plan.placed.iter().all(|placed| {
            let pod = self.cluster.find_pod(&placed.pod.namespace, &placed.pod.name);
            pod.map(|pod| self.cluster.pod(pod)).is_some_and(|pod| {
                pod.is_waiting() && self.cluster.text(pod.nominated_node) == placed.node
            })
        })
    }

    /// Completes preemption: the victims are removed, and the pods are bound to their nominated
    /// nodes.
    pub(super) fn complete(&mut self, entry: QueueEntry, plan: &Plan) -> Vec<EvictedPod> {
        let evicted = self.end_victims(plan);
        self.bind_plan(entry, plan);
        evicted
    }

    /// Removes the victims of a plan that are still there, and returns those that their owners may
    /// replace.
    pub(super) fn end_victims(&mut self, plan: &Plan) -> Vec<EvictedPod> {
        let mut evicted = Vec::new();
        for victim in &plan.victims {
            let Some(ix) = self.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) else {
                continue;
            };
            // Two pods may share a victim, which may be replaced by now, too.
            if !self.cluster.pod(ix).is_running() {
                continue;
            }
            self.cluster.remove_pod(ix);
            // Some owners replace a pod as soon as it is terminating: its replacement is already in
            // the cluster.
            let is_replaced =
                victim.terminating_until.is_some() && afterwards::is_replaced_early(&victim.owners);
            if !is_replaced {
                evicted.push(EvictedPod { pod: ix, afterwards: victim.afterwards.clone() });
            }
        }
        evicted
    }
}
