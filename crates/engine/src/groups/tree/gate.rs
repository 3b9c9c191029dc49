//! What keeps a tree out of the scheduling queue: too few of its groups have the pods that they need, or a pod is held back.
//!
//! Upstream: `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` `isCPGTreeReady` (1.37). Nothing of it is written
//! anywhere: the pods just stay Pending.

use super::Tree;
use crate::cluster::Cluster;
use crate::cluster::composite_group::AnyGroup;
use crate::decision::group::Lack;
use crate::framework::cluster_view::ClusterView;
use crate::groups::gate::{GroupGate, held};

impl Tree {
    /// What keeps the tree out of the queue; `None` if it is in the queue.
    pub(super) fn gate(&self, view: &ClusterView) -> Option<GroupGate> {
        if self.waiting().next().is_none() {
            return Some(GroupGate::NothingWaits);
        }
        let root = AnyGroup::Groups(self.root);
        if self.is_ready(root, view.cluster) {
            return self.waiting().find_map(|pod| held(view, pod));
        }
        let lacks = self.below(root).into_iter().filter_map(|group| self.lack(group, view.cluster));
        Some(GroupGate::TreeTooSmall { lacks: lacks.collect() })
    }

    fn is_ready(&self, group: AnyGroup, cluster: &Cluster) -> bool {
        self.lack(group, cluster).is_none()
    }

    /// What a group lacks; a group of groups may lack none though groups in it do.
    fn lack(&self, group: AnyGroup, cluster: &Cluster) -> Option<Lack> {
        let (has, needs) = match group {
            AnyGroup::Pods(ix) => (
                self.members.get(&ix).map_or(0, super::Members::count),
                cluster.pod_group(ix).min_count.unwrap_or(1),
            ),
            AnyGroup::Groups(ix) => (
                self.inside(ix).iter().filter(|child| self.is_ready(**child, cluster)).count(),
                cluster.composite_group(ix).min_count.unwrap_or(1),
            ),
        };
        (i64::try_from(has).unwrap_or(i64::MAX) < needs).then_some(Lack { group, has, needs })
    }
}
