//! The preemptor of a group's preemption: the group itself, or the root of a tree on behalf of all
//! groups in it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::framework::cluster_view::ClusterView;
use crate::groups::cycle::{GroupSearch, GroupSearchResult};
use crate::groups::select::Memory;
use model::cluster::{Cluster, NodeIx, PodIx};

/// The preemptor of a group's preemption.
pub(in crate::groups) trait GroupPreemptor {
    /// The pods to place.
    fn members(&self) -> Vec<PodIx>;

    /// The instant of the decision.
    fn now(&self) -> Timestamp;

    /// The priority below which pods may be evicted.
    fn priority(&self, cluster: &Cluster) -> i32;

    /// Whether its preemption policy is `Never`, if it has one.
    fn never_preempts(&self, cluster: &Cluster) -> Option<bool>;

    /// Searches nodes for the pods.
    fn place(&self, view: &mut ClusterView, memory: &mut Memory) -> PodPlacements;
}

/// Where a search places the pods of a preemptor.
pub(in crate::groups) struct PodPlacements {
    pub status: GroupSearchResult,
    /// The pods with their nodes, in order.
    pub placed: Vec<(PodIx, NodeIx)>,
    /// Pods that were placed without seeing an earlier one, which was removed again because too few
    /// pods of its group fit: the later and the earlier pod, as indices into `placed`. Parity:
    /// preemption counts both as placed.
    pub unseen: BTreeSet<(usize, usize)>,
    /// Whether other nodes tie for some pod.
    pub nodes_tie: bool,
    /// Whether another volume ties for some pod.
    pub volumes_tie: bool,
    /// Whether the status gives the reasons of an arbitrary topology domain, and those of others
    /// differ.
    pub text_may_differ: bool,
}

impl GroupPreemptor for GroupSearch<'_> {
    fn members(&self) -> Vec<PodIx> {
        self.members.to_vec()
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn priority(&self, cluster: &Cluster) -> i32 {
        cluster.pod_group(self.group).priority()
    }

    fn never_preempts(&self, cluster: &Cluster) -> Option<bool> {
        cluster.pod_group(self.group).never_preempts
    }

    fn place(&self, view: &mut ClusterView, memory: &mut Memory) -> PodPlacements {
        let found = self.run(view, memory);
        PodPlacements {
            nodes_tie: found.nodes_tie(),
            volumes_tie: found.volumes_tie(),
            text_may_differ: found.text_may_differ(),
            placed: found.attempt.placed().collect(),
            unseen: BTreeSet::new(),
            status: found.attempt.status,
        }
    }
}
