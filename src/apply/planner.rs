//! What apply needs from the decision engine: new decisions on the current cluster.

use std::collections::BTreeMap;

use crate::error::Error;
pub use answers::questions::simulate::PreemptorStatus;
use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId};

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
