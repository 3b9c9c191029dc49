//! The disks of a pod, which pods on a node may already use.
//!
//! Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go`
//! `satisfyVolumeConflicts` (1.37).

use super::evidence::DiskInUse;
use super::messages;
use super::wanted_disks::WantedDisks;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::Evidence;
use crate::framework::plugin::{Cycle, Filter};
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::Sym;
use model::cluster::pod_volume::{Inline, PodVolume};

/// The disks of the pod of a cycle.
pub(super) struct Disks<'c> {
    cycle: Cycle<'c>,
    /// The names of the pod's volumes that are disks.
    names: Vec<Sym>,
    /// These disks.
    wanted: WantedDisks,
}

impl<'c> Disks<'c> {
    pub(super) fn of(cycle: &Cycle<'c>) -> Self {
        let (mut names, mut wanted) = (Vec::new(), WantedDisks::default());
        for volume in cycle.cluster().volumes_of(cycle.pod) {
            if let PodVolume::Inline(Inline { name, disk: Some(disk), .. }) = volume {
                wanted.add(disk, names.len());
                names.push(*name);
            }
        }
        Self { cycle: *cycle, names, wanted }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The rejection of a node on which a pod uses one of them.
    pub(super) fn reject(&self, node: &NodeInfo) -> Option<FilterVerdict> {
        let evidence = self.conflict(node)?;
        Some(FilterVerdict::reject(
            Code::Unschedulable,
            messages::NO_DISK.reason(),
            evidence.grounds(),
        ))
    }

    /// The first disk that a pod on the node uses, and the first such pod.
    fn conflict(&self, node: &NodeInfo) -> Option<DiskInUse> {
        if self.names.is_empty() {
            return None;
        }
        let cluster = self.cycle.cluster();
        let holders = node.pods.iter().flat_map(|pod| {
            cluster.volumes_of(cluster.pod(*pod)).filter_map(move |volume| match volume {
                PodVolume::Inline(Inline { disk: Some(disk), .. }) => Some((*pod, disk)),
                PodVolume::Inline(_) | PodVolume::Claim(_) => None,
            })
        });
        // Among pods with the same disk, `min_by_key` keeps the first.
        let conflicts =
            holders.filter_map(|(pod, disk)| Some((self.wanted.first_conflict(disk)?, pod)));
        let (index, pod) = conflicts.min_by_key(|(index, _)| *index)?;
        let volume = *self.names.get(index)?;
        Some(DiskInUse { volume, pod })
    }
}

/// Filter without its PreFilter: it checks the disks, and then reads what PreFilter would have
/// stored.
pub(super) struct DisksAlone<'c> {
    pub(super) disks: Disks<'c>,
    /// The error if it needs that.
    pub(super) error: Option<&'static str>,
}

impl Filter for DisksAlone<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.disks.reject(node).unwrap_or_else(|| {
            self.error
                .map_or(FilterVerdict::Fits, |error| FilterVerdict::Failed(error.to_owned().into()))
        })
    }
}
