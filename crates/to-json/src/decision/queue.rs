//! What decides whether a pod gets a cycle, as JSON: its place in the queue, its group, and its
//! nomination.

use std::collections::BTreeMap;

use engine::cluster::PodIx;
use engine::cluster::pod::Phase;
use engine::decision::gang::{GangHold, Permit};
use engine::decision::group::Membership;
use engine::decision::lingering::{Lingering, LingersBy};
use engine::decision::nominated::{NominationState, STUCK};
use engine::decision::queue::unbound_claims;
use engine::decision::{Decision, Outcome, QueueGate};
use json::decision::{
    Hold, Membership as JsonMembership, Nomination, Permit as JsonPermit, StuckPod,
};

use super::{DecisionJson, pod_names};

impl DecisionJson<'_> {
    /// What keeps the pod out of the queue.
    pub(super) fn hold(&self, decision: &Decision) -> Option<Hold> {
        let Outcome::NotInQueue(gate) = &decision.outcome else { return None };
        Some(self.hold_of(decision.pod, gate))
    }

    pub(super) fn hold_of(&self, ix: PodIx, gate: &QueueGate) -> Hold {
        // Each kind has the values that explain it, and no others.
        let pod = self.cluster.pod(ix);
        match gate {
            QueueGate::Finished(phase) => {
                let name = if *phase == Phase::Failed { "Failed" } else { "Succeeded" };
                Hold { phase: Some(name.into()), ..kind("Finished") }
            }
            QueueGate::Assigned => Hold {
                node_name: Some(self.text(pod.node_name)),
                unbound_claims: unbound_claims(self.cluster, ix)
                    .map(|claim| self.text(claim.name))
                    .collect(),
                ..kind("Assigned")
            },
            QueueGate::OtherScheduler => kind("OtherScheduler"),
            QueueGate::Deleting => kind("Deleting"),
            QueueGate::Gated => {
                let gates = &self.cluster.template(pod).gates;
                Hold {
                    scheduling_gates: gates.iter().map(|gate| self.text(*gate)).collect(),
                    ..kind("Gated")
                }
            }
            QueueGate::Claims(text) => Hold { message: Some(text.to_string()), ..kind("Claims") },
            QueueGate::Group => kind("Group"),
            QueueGate::Gang(GangHold::NoWorkload { .. }) => kind("MissingWorkload"),
            QueueGate::Gang(GangHold::NoPodGroup) => kind("MissingPodGroup"),
            QueueGate::Gang(GangHold::TooFewPods { exist, .. }) => {
                Hold { pods: Some(*exist), ..kind("TooFewPods") }
            }
        }
    }

    pub(super) fn permit(&self, permit: &Permit) -> JsonPermit {
        let Permit { group, min_count, running, assumed, evicts } = *permit;
        JsonPermit { gang: self.text(group), min_count, running, assumed, evicts }
    }

    pub(super) fn membership(&self, membership: &Membership) -> JsonMembership {
        let group = &membership.group;
        JsonMembership {
            namespace: self.text(group.namespace),
            name: self.text(group.name),
            outcome: group.verdict.name().into(),
            result: membership.result.name().into(),
            pods: group.pods(),
            min_count: group.min_count,
        }
    }

    /// The state of the pod's nomination.
    pub(super) fn nomination(&self, decision: &Decision) -> Option<Nomination> {
        let found = decision.nomination()?;
        let (mut taken_by, mut stuck) = (Vec::new(), Vec::new());
        match &found.state {
            NominationState::DoesNotFit { takers, .. } => {
                taken_by = pod_names(takers, self.cluster);
            }
            NominationState::Stuck(victims) => {
                stuck = victims.iter().map(|victim| self.stuck_pod(victim)).collect();
            }
            NominationState::Used
            | NominationState::Waits
            | NominationState::NodeGone
            | NominationState::OtherNode => {}
        }

        // A node that is gone has no resources to reserve.
        let reserves = match &found.state {
            NominationState::NodeGone => BTreeMap::new(),
            _ => decision.requested().into_iter().collect(),
        };
        Some(Nomination {
            node: self.text(found.node),
            state: found.state.name().into(),
            reserves,
            taken_by,
            stuck,
            ends: found.ends.name().into(),
            stops_autoscalers: found.stops_autoscalers(),
            code: found.is_stuck().then(|| STUCK.code.into()),
        })
    }

    fn stuck_pod(&self, victim: &Lingering) -> StuckPod {
        let finalizers = victim.by.iter().flat_map(|by| match by {
            LingersBy::Finalizers(names) => &**names,
            LingersBy::NodeGone | LingersBy::SilentKubelet | LingersBy::GracePeriod(_) => &[],
        });
        StuckPod {
            pod: self.cluster.pod_name(victim.pod),
            overdue_seconds: victim.overdue,
            kept_by: victim.by.iter().map(|by| by.name().into()).collect(),
            finalizers: finalizers.map(|name| self.text(*name)).collect(),
        }
    }
}

fn kind(kind: &'static str) -> Hold {
    Hold { kind: kind.into(), ..Hold::default() }
}
