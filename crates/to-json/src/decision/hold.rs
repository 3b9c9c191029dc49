//! What keeps a pod out of the queue, as JSON.

use json::decision::Hold;

use super::DecisionJson;
use engine::cluster::PodIx;
use engine::cluster::pod::Phase;
use engine::decision::gang::GangHold;
use engine::decision::queue::unbound_claims;
use engine::decision::{Decision, Outcome, QueueGate};

impl DecisionJson<'_> {
    pub(super) fn hold(&self, decision: &Decision) -> Option<Hold> {
        let Outcome::NotInQueue(gate) = &decision.outcome else { return None };
        Some(self.hold_of(decision.pod, gate))
    }

    pub(super) fn hold_of(&self, ix: PodIx, gate: &QueueGate) -> Hold {
        let pod = self.cluster.pod(ix);
        let only = |kind: &'static str| Hold { kind: kind.into(), ..Hold::default() };
        match gate {
            QueueGate::Finished(phase) => {
                let name = if *phase == Phase::Failed { "Failed" } else { "Succeeded" };
                Hold { phase: Some(name.into()), ..only("Finished") }
            }
            QueueGate::Assigned => Hold {
                node_name: Some(self.text(pod.node_name)),
                unbound_claims: unbound_claims(self.cluster, ix)
                    .map(|claim| self.text(claim.name))
                    .collect(),
                ..only("Assigned")
            },
            QueueGate::OtherScheduler => only("OtherScheduler"),
            QueueGate::Deleting => only("Deleting"),
            QueueGate::Gated => {
                let gates = &self.cluster.template(pod).gates;
                Hold {
                    scheduling_gates: gates.iter().map(|gate| self.text(*gate)).collect(),
                    ..only("Gated")
                }
            }
            QueueGate::Claims(text) => Hold { message: Some(text.to_string()), ..only("Claims") },
            QueueGate::Group => only("Group"),
            QueueGate::Gang(GangHold::NoWorkload { .. }) => only("MissingWorkload"),
            QueueGate::Gang(GangHold::NoPodGroup) => only("MissingPodGroup"),
            QueueGate::Gang(GangHold::TooFewPods { exist, .. }) => {
                Hold { pods: Some(*exist), ..only("TooFewPods") }
            }
        }
    }
}
