//! Which pods may be evicted instead of the victims of a plan.

use crate::plan::PodId;
use model::cluster::NodeIx;
use scheduler::decision::Decision;
use scheduler::preemption::victim_choices::VictimCount;

/// Equally important pods on a node, of which kube-scheduler evicts some; which ones depends on an
/// order that the API does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenVictims {
    /// How many of them are evicted.
    pub count: VictimCount,
    pub pods: Vec<PodId>,
    /// Whether every order was tried.
    pub complete: bool,
}

impl OpenVictims {
    /// What the decision leaves open on `node`, if anything.
    pub(super) fn of(decision: &Decision, node: NodeIx) -> Option<Self> {
        let (choices, cluster) = (decision.victim_choices(node)?, decision.view.cluster);
        let pods: Vec<PodId> =
            choices.open().iter().map(|pod| PodId::of(cluster.pod(*pod), cluster)).collect();
        let open = Self { count: choices.count_of_open(), pods, complete: choices.complete };
        (!open.pods.is_empty()).then_some(open)
    }
}
