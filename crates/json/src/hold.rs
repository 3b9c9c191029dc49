//! What keeps a pod out of the queue, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::DecisionJson;
use model::cluster::pod::{Phase, PodIx};
use scheduler::decision::gang::GangHold;
use scheduler::decision::{Decision, Outcome, QueueGate};

/// What keeps a pod out of the queue.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hold")]
pub(super) struct JsonHold {
    /// `Finished`, `Assigned`, `OtherScheduler` (`pod.schedulerName`), `Deleting`, `Gated`, `Claims`, `Group`, or of a pod of a gang in
    /// 1.35 `MissingWorkload`, `MissingPodGroup` or `TooFewPods`.
    pub(super) kind: &'static str,
    /// For `Finished`: `Succeeded` or `Failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) phase: Option<&'static str>,
    /// For `Assigned`: the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node_name: Option<String>,
    /// For `Gated`: the names of the gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) scheduling_gates: Vec<String>,
    /// For `Claims`: kube-scheduler's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// For `TooFewPods`: how many pods of the gang exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pods: Option<usize>,
}

impl DecisionJson<'_> {
    pub(super) fn hold(&self, decision: &Decision) -> Option<JsonHold> {
        let Outcome::NotInQueue(gate) = &decision.outcome else { return None };
        Some(self.hold_of(decision.pod, gate))
    }

    pub(super) fn hold_of(&self, pod: PodIx, gate: &QueueGate) -> JsonHold {
        let pod = self.cluster.pod(pod);
        let only = |kind| JsonHold { kind, ..JsonHold::default() };
        match gate {
            QueueGate::Finished(phase) => {
                let name = if *phase == Phase::Failed { "Failed" } else { "Succeeded" };
                JsonHold { phase: Some(name), ..only("Finished") }
            }
            QueueGate::Assigned => JsonHold { node_name: Some(self.text(pod.node_name)), ..only("Assigned") },
            QueueGate::OtherScheduler => only("OtherScheduler"),
            QueueGate::Deleting => only("Deleting"),
            QueueGate::Gated => {
                let gates = &self.cluster.template(pod).gates;
                JsonHold { scheduling_gates: gates.iter().map(|gate| self.text(*gate)).collect(), ..only("Gated") }
            }
            QueueGate::Claims(text) => JsonHold { message: Some(text.to_string()), ..only("Claims") },
            QueueGate::Group => only("Group"),
            QueueGate::Gang(GangHold::NoWorkload { .. }) => only("MissingWorkload"),
            QueueGate::Gang(GangHold::NoPodGroup) => only("MissingPodGroup"),
            QueueGate::Gang(GangHold::TooFewPods { exist, .. }) => {
                JsonHold { pods: Some(*exist), ..only("TooFewPods") }
            }
        }
    }
}
