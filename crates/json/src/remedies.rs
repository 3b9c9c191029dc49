//! What helps, and who holds devices, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use model::edits::Edit;
use scheduler::decision::remedy::Remedy;

/// Edits that help.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Remedy")]
pub(super) struct JsonRemedy {
    /// `Wait`, `LowerRequest`, `Tolerate`, `AddNode`, `FreeResources`, `EvictPods`, `AllowPreemption`, `RaisePriority`,
    /// `EvictEqualOrHigher`, `Uncordon` or `RemoveTaint`.
    pub(super) kind: &'static str,
    pub(super) summary: String,
    pub(super) edits: Vec<Edit>,
    /// `Schedulable` or `Preempt`.
    pub(super) outcome: &'static str,
    /// The nodes that kube-scheduler then selects or nominates.
    pub(super) nodes: Vec<String>,
    /// The command that shows it: the arguments behind the program's name. It exits with 0.
    pub(super) check: Vec<String>,
}

impl JsonRemedy {
    pub(super) fn new(remedy: &Remedy) -> Self {
        Self {
            kind: remedy.kind.name(),
            summary: remedy.summary.clone(),
            edits: remedy.edits.clone(),
            outcome: remedy.outcome.name(),
            nodes: remedy.nodes.clone(),
            check: remedy.check.clone(),
        }
    }
}

/// A pod that holds devices; kube-scheduler does not preempt for them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeviceHolder")]
pub(super) struct JsonDeviceHolder {
    /// `namespace/name`.
    pub(super) pod: String,
    pub(super) priority: i32,
    /// How many of the devices it holds.
    pub(super) devices: usize,
}
