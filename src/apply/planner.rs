//! What apply needs from the decision engine: new decisions, each on the cluster as it is then.

use std::collections::BTreeMap;

use crate::error::Error;
use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId};

/// What a decision says about the preemptor, a pod or the waiting pods of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreemptorStatus {
    /// It fits if the victims of this plan are removed.
    NeedsEviction(Box<Plan>),
    /// It gets the node of this plan once the victims are gone, all of which are terminating
    /// already.
    Awaits(Box<Plan>),
    /// It fits on these nodes without any removal.
    Fits(Vec<String>),
    /// No removal makes it fit (on the node of the plan); why.
    Impossible(String),
    /// It is bound already: its pods with their nodes.
    Bound(Vec<Placement>),
    /// It is being deleted and on no node: kube-scheduler does not try it any more.
    Terminating,
    /// It does not exist any more, or another pod has its name.
    Gone,
}

impl PreemptorStatus {
    /// The status of the pod with this name in a sentence.
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
            Self::Gone => format!("{name} no longer exists"),
        }
    }
}

/// A decision, and the age of the lists on which it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanResult {
    /// The decision.
    pub status: PreemptorStatus,
    /// `metadata.resourceVersion` of the lists that were read, by plural resource.
    pub versions: BTreeMap<String, String>,
}

/// Decides on the cluster as it is when it is asked: everything that has happened before is part of
/// the decision. Where something that may change the decision cannot be read, the result is an
/// error.
pub trait Planner: Send {
    /// The whole decision about a pod or a group, which is identified by its UID.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    fn plan(&mut self, preemptor: &PreemptorId) -> Result<PlanResult, Error>;

    /// The plan for the victims of `plan` that still have to be removed. Pods of `leaving` do not
    /// count, although some of them may still be terminating. [`PreemptorStatus::Fits`] names any
    /// node.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    fn remaining(&mut self, plan: &Plan, leaving: &[PodId]) -> Result<PlanResult, Error>;
}
