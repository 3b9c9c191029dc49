//! The node that the pod is nominated to: what it waits for there, and which pods took its place.

use super::find_nodes::nominated;
use super::lingering::{self, Lingering};
use super::{Decision, Outcome, OutcomeKind};
use crate::framework::cycle::PreFilter;
use crate::framework::operands::ResourceId;
use crate::framework::status::Rejection;
use crate::preemption::dry_run::Candidate;
use model::cluster::resources::ResourceKind;
use model::cluster::{NodeIx, PodIx, Sym};
use model::notes::{Note, NoteDoc};

/// A nomination that leads to nothing any more.
pub static STUCK: NoteDoc = NoteDoc {
    code: "PRE-967",
    name: "a stuck nomination",
    meaning: "The pod is marked as unschedulable and still has status.nominatedNodeName, but it does not fit on that node, where \
              nothing is terminating, or the node is gone. Autoscalers pass over pods that are nominated: no node is added for \
              the pod until the nomination is cleared. Since 1.35 other programs may nominate pods, too, and kube-scheduler \
              does so before a binding that takes long.",
};

/// What the notes about nominations mean.
pub static DOCS: &[&NoteDoc] = &[&STUCK];

/// The nomination of a pod, and whether it still holds.
#[derive(Debug, Clone)]
pub struct Nomination<'d> {
    /// The name of the node.
    pub node: Sym,
    /// What the pod does with it.
    pub state: NominationState<'d>,
    pub ends: NominationEnd,
    /// Whether kube-scheduler has marked the pod as unschedulable. Otherwise the nomination is not
    /// that of a preemption: the pod is about to be bound, or another program has set it.
    pub is_marked: bool,
}

impl Nomination<'_> {
    /// Whether the nomination stops autoscalers from adding a node for the pod. They act only for
    /// pods that are marked unschedulable and not nominated.
    pub const fn stops_autoscalers(&self) -> bool {
        self.is_marked && !matches!(self.ends, NominationEnd::Placed)
    }

    /// Whether it stops autoscalers although it leads to nothing ([`STUCK`]).
    pub const fn is_stuck(&self) -> bool {
        self.stops_autoscalers() && self.state.is_stale()
    }
}

/// What a pod does with its nomination.
#[derive(Debug, Clone)]
pub enum NominationState<'d> {
    /// The pod gets the node now, or preempts there.
    Used,
    /// The pod gets the node once its victims are gone.
    Waits,
    /// The pod waits for victims that should have ended.
    Stuck(Vec<Lingering>),
    /// The node does not exist.
    NodeGone,
    /// The pod no longer fits on the node.
    DoesNotFit {
        /// Why.
        rejection: &'d Rejection,
        /// Pods that use what the pod lacks there and that it cannot preempt.
        takers: Vec<PodIx>,
    },
    /// The pod gets another node.
    OtherNode,
}

impl NominationState<'_> {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Used => "Used",
            Self::Waits => "Waits",
            Self::Stuck(_) => "Stuck",
            Self::NodeGone => "NodeGone",
            Self::DoesNotFit { .. } => "DoesNotFit",
            Self::OtherNode => "OtherNode",
        }
    }

    /// Whether the nomination reserves resources to no purpose.
    pub const fn is_stale(&self) -> bool {
        matches!(self, Self::NodeGone | Self::DoesNotFit { .. })
    }
}

/// What ends a nomination.
///
/// Upstream: `pkg/scheduler/framework/preemption/preemption.go` `Preempt` (1.37), which clears it
/// if it finds no candidate, and leaves it if it does not look for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NominationEnd {
    /// The pod gets its node.
    Placed,
    /// The victims end, and the pod gets its node.
    VictimsGone,
    /// The next attempt nominates the pod to another node.
    Replaced,
    /// The next attempt clears it.
    Cleared,
    /// Only deleting the pod, since kube-scheduler does not try preemption for it.
    PodDeleted,
}

impl NominationEnd {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Placed => "Placed",
            Self::VictimsGone => "VictimsGone",
            Self::Replaced => "Replaced",
            Self::Cleared => "Cleared",
            Self::PodDeleted => "PodDeleted",
        }
    }

    /// The same as a clause.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Placed => "that ends when the pod gets its node",
            Self::VictimsGone => "that ends once its victims are gone, or with the pod",
            Self::Replaced => "kube-scheduler replaces it when it retries the pod",
            Self::Cleared => "kube-scheduler clears it when it retries the pod",
            Self::PodDeleted => {
                "kube-scheduler does not clear it, since it does not try preemption; deleting the pod does"
            }
        }
    }
}

/// The note about a nomination that stops autoscalers to no purpose.
pub(super) fn doubts(decision: &Decision) -> Option<Note> {
    let nomination = decision.nomination().filter(Nomination::is_stuck)?;
    let cluster = decision.view.cluster;
    let node = cluster.text(nomination.node);
    let why = match nomination.state {
        // Up to 1.35, cluster-autoscaler checked whether the node exists.
        NominationState::NodeGone => ", which is gone (cluster-autoscaler up to 1.35 adds one)",
        _ => ", where it does not fit",
    };
    let text = format!(
        "no autoscaler adds a node for it while status.nominatedNodeName is {node}{why}; {}",
        nomination.ends.clause()
    );
    Some(Note::warning(&STUCK, text).about(cluster.pod_subject(decision.pod)))
}

impl Decision<'_> {
    /// The pod's own nomination and its state; `None` without one, or for a pod that gets no cycle.
    pub fn nomination(&self) -> Option<Nomination<'_>> {
        let node = self.view.cluster.pod(self.pod).nominated_node;
        if node.is_empty() || matches!(self.outcome, Outcome::NotInQueue(_)) {
            return None;
        }
        let state = self.nomination_state();
        let ends = match (&state, self.kind(), self.preemption()) {
            (NominationState::Waits | NominationState::Stuck(_), ..) => NominationEnd::VictimsGone,
            (_, OutcomeKind::Schedulable, _) => NominationEnd::Placed,
            (_, OutcomeKind::Preempt, _) => NominationEnd::Replaced,
            (_, _, Some(report)) if report.tried() => NominationEnd::Cleared,
            _ => NominationEnd::PodDeleted,
        };
        let condition = self.view.cluster.pod(self.pod).scheduled_condition.as_ref();
        let is_marked = condition.is_some_and(|condition| &*condition.reason == "Unschedulable");
        Some(Nomination { node, state, ends, is_marked })
    }

    fn nomination_state(&self) -> NominationState<'_> {
        let Some(node) = self.nominated() else { return NominationState::NodeGone };
        let stuck = self.stuck_victims();
        if !stuck.is_empty() {
            return NominationState::Stuck(stuck);
        }
        if self.awaited().is_some() {
            return NominationState::Waits;
        }
        if self.selected().contains(&node) {
            return NominationState::Used;
        }
        match self.rejections().find(|(rejecting, ..)| *rejecting == node) {
            Some((.., rejection)) => {
                NominationState::DoesNotFit { rejection, takers: self.takers_of(node, rejection) }
            }
            None => NominationState::OtherNode,
        }
    }

    /// The overdue victims of a pod that waits for them and may not preempt again before they are
    /// gone.
    pub fn stuck_victims(&self) -> Vec<Lingering> {
        let ineligible = self.preemption().and_then(|report| report.ineligible.as_ref());
        let awaited = ineligible.filter(|_| self.kind() == OutcomeKind::Unschedulable);
        let victims = awaited.into_iter().flat_map(|ineligible| &ineligible.terminating);
        victims.filter_map(|victim| lingering::of(*victim, self.view.cluster, self.now)).collect()
    }

    /// Whether PreFilter excluded the node.
    pub(super) fn excludes(&self, node: NodeIx) -> bool {
        let PreFilter::SomeNodes { only, .. } = self.pre_filter() else { return false };
        !only.contains(&self.view.cluster.node(node).name)
    }

    /// The nominated node, if it exists.
    pub fn nominated(&self) -> Option<NodeIx> {
        let cluster = self.view.cluster;
        nominated(cluster.pod(self.pod), cluster)
    }

    /// What the pod requests, as one quantity per resource. A nomination reserves this amount.
    pub fn requested(&self) -> Vec<(String, String)> {
        let cluster = self.view.cluster;
        let wanted = self.view.incoming(cluster.pod(self.pod));
        let mut all =
            vec![(ResourceId::Cpu, wanted.milli_cpu), (ResourceId::Memory, wanted.memory)];
        all.push((ResourceId::EphemeralStorage, wanted.ephemeral_storage));
        all.extend(
            wanted.scalars.iter().map(|(name, amount)| (ResourceId::Scalar(*name), *amount)),
        );
        all.retain(|(_, amount)| *amount != 0);
        all.iter()
            .map(|(id, amount)| (id.name(cluster).to_owned(), id.amount(*amount, cluster)))
            .collect()
    }

    /// Pods on a node that use what the pod lacks there and that it cannot preempt: the ones that
    /// started last, as many as are enough.
    pub fn takers_of(&self, node: NodeIx, rejection: &Rejection) -> Vec<PodIx> {
        let cluster = self.view.cluster;
        let priority = cluster.pod(self.pod).priority;
        let mut there: Vec<PodIx> = cluster
            .pods_on(node)
            .iter()
            .copied()
            .filter(|pod| {
                let pod = cluster.pod(*pod);
                pod.is_active() && !pod.is_terminating() && pod.priority >= priority
            })
            .collect();
        there.sort_by_key(|pod| {
            std::cmp::Reverse(cluster.pod(*pod).start_time.or(cluster.pod(*pod).created))
        });
        let mut takers: Vec<PodIx> = Vec::new();
        for reason in &rejection.reasons {
            let Some(lack) = reason.lack() else { continue };
            // If even an empty node is too small, no other pod took the place.
            if !lack.is_enough_when_empty() {
                continue;
            }
            let mut missing = lack.missing();
            let name = lack.resource.name(cluster);
            let (kind, Some(symbol)) = (ResourceKind::of(name), cluster.symbols.get(name)) else {
                continue;
            };
            for pod in &there {
                let has = match lack.resource {
                    ResourceId::Pods => 1,
                    _ => self.view.footprint(cluster.pod(*pod)).amount(kind, symbol),
                };
                if missing > 0 && has > 0 {
                    missing -= has;
                    if !takers.contains(pod) {
                        takers.push(*pod);
                    }
                }
            }
        }
        takers
    }

    /// What a pod that has already preempted waits for: its nominated node, with the terminating
    /// pods without which it fits there. `None` if it fits somewhere now, or not even then.
    pub fn awaited(&self) -> Option<&Candidate> {
        if let Outcome::Unschedulable { preemption } = &self.outcome {
            preemption.as_ref()?.awaited.as_ref()
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
