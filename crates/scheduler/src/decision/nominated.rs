//! The node that the pod is nominated to: what it waits for there, and which pods took its room.

use super::lingering::{self, Lingering};
use super::{Decision, Outcome, OutcomeKind, nominated_first};
use crate::framework::cycle::PreFilter;
use crate::framework::operands::ResourceId;
use crate::framework::status::Rejection;
use crate::preemption::dry_run::Candidate;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::resources::ResourceKind;
use model::cluster::symbols::Sym;
use model::notes::{Note, NoteDoc};

/// A nomination for which nothing happens any more.
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

/// What the nomination of a pod is worth.
#[derive(Debug, Clone)]
pub struct Nomination<'d> {
    /// The name of the node.
    pub node: Sym,
    /// What becomes of it.
    pub state: NominationState<'d>,
    /// What ends it.
    pub ends: NominationEnd,
    /// Whether kube-scheduler has marked the pod as unschedulable. Otherwise the nomination is not
    /// that of a preemption: the pod is about to be bound, or another program has set it.
    pub is_marked: bool,
}

impl Nomination<'_> {
    /// Whether it keeps autoscalers from the pod. They look only at pods that are marked as
    /// unschedulable, and pass over those that are nominated.
    #[must_use]
    pub const fn stops_autoscalers(&self) -> bool {
        self.is_marked && !matches!(self.ends, NominationEnd::Placed)
    }

    /// Whether it keeps autoscalers from the pod for nothing ([`STUCK`]).
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        self.stops_autoscalers() && self.state.is_stale()
    }
}

/// What becomes of a nomination.
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
    /// The pod does not fit on the node any more.
    DoesNotFit {
        /// Why.
        rejection: &'d Rejection,
        /// Pods that have what the pod lacks there and that it cannot preempt.
        takers: Vec<PodIx>,
    },
    /// The pod gets another node.
    OtherNode,
}

impl NominationState<'_> {
    /// Its name in JSON.
    #[must_use]
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

    /// Whether the nomination keeps room from other pods for nothing.
    #[must_use]
    pub const fn is_stale(&self) -> bool {
        matches!(self, Self::NodeGone | Self::DoesNotFit { .. })
    }
}

/// What ends a nomination.
///
/// Upstream: `pkg/scheduler/framework/preemption/preemption.go` `Preempt` (1.37), which clears it
/// where it finds no candidate, and leaves it where it does not look for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NominationEnd {
    /// The pod gets its node.
    Placed,
    /// The victims end, and the pod gets its node.
    VictimsGone,
    /// kube-scheduler nominates the pod to another node at its next attempt.
    Replaced,
    /// kube-scheduler clears it at its next attempt.
    Cleared,
    /// Only the deletion of the pod, since kube-scheduler does not try preemption for it.
    PodDeleted,
}

impl NominationEnd {
    /// Its name in JSON.
    #[must_use]
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
    #[must_use]
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

/// The note about a nomination that keeps autoscalers from the pod for nothing.
pub(super) fn doubts(decision: &Decision) -> Option<Note> {
    let nomination = decision.nomination().filter(Nomination::is_stuck)?;
    let cluster = decision.view.cluster;
    let node = cluster.text(nomination.node);
    let why = match nomination.state {
        // Up to 1.35, cluster-autoscaler looked whether the node exists.
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
    /// What the pod's own nomination is worth; `None` without one, or for a pod that gets no cycle.
    #[must_use]
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

    /// The victims that the pod waits for, as a pod that may not preempt again before they are
    /// gone, and that should have ended.
    #[must_use]
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
        nominated_first::nominated(cluster.pod(self.pod), cluster)
    }

    /// What the pod requests, as a quantity for each resource: what a nomination of it reserves.
    #[must_use]
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

    /// Pods on a node that have what the pod lacks there and that it cannot preempt: those that
    /// started last, as many as would do.
    #[must_use]
    pub fn takers_of(&self, node: NodeIx, rejection: &Rejection) -> Vec<PodIx> {
        let cluster = self.view.cluster;
        let priority = cluster.pod(self.pod).priority;
        let stays = |pod: &PodIx| {
            let pod = cluster.pod(*pod);
            pod.is_active() && !pod.is_terminating() && pod.priority >= priority
        };
        let mut there: Vec<PodIx> = cluster.pods_on(node).iter().copied().filter(stays).collect();
        there.sort_by_key(|pod| {
            std::cmp::Reverse(cluster.pod(*pod).start_time.or(cluster.pod(*pod).created))
        });
        let mut takers: Vec<PodIx> = Vec::new();
        for reason in &rejection.reasons {
            let Some(lack) = reason.lack() else { continue };
            // A pod that an empty node has no room for lost it to nobody.
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

    /// What the pod waits for that has preempted already: its nominated node, with the pods that
    /// are leaving it and without which it fits there. `None` if it fits somewhere now, or not
    /// there even then.
    #[must_use]
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
