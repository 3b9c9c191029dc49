//! What apply needs from the decision engine: new decisions on the current cluster.

use std::collections::BTreeMap;

use crate::error::Error;
use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId};

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
    pub(super) fn text(&self, name: &str) -> String {
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

/// A decision and the versions of the lists on which it is based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanResult {
    pub status: PreemptorStatus,
    /// `metadata.resourceVersion` of the lists that were read, by plural resource.
    pub versions: BTreeMap<String, String>,
    /// The pods on the nodes of the plan that were not there when it was first made.
    pub newcomers: Vec<Placement>,
}

/// Decides on the current cluster: every earlier change is part of the decision. Returns an error
/// if something that may change the decision cannot be read.
pub trait Planner: Send {
    /// The complete decision about a pod or a group, identified by its UID.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    fn plan(&mut self, preemptor: &PreemptorId) -> Result<PlanResult, Error>;

    /// The plan for the victims of `plan` that still have to be removed. Pods in `leaving` are
    /// ignored, although some may still be terminating. [`PreemptorStatus::Fits`] names any node.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    fn remaining(&mut self, plan: &Plan, leaving: &[PodId]) -> Result<PlanResult, Error>;
}
