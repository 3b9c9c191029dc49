//! Which pods hold devices: those that the allocated claims are reserved for.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use crate::framework::cluster_view::ClusterView;
use crate::framework::operands::DeviceHolder;
use model::cluster::devices::DeviceId;
use model::cluster::{Cluster, PodIx};

/// The pods that hold devices, by device.
pub(super) struct Holders {
    by_device: IndexMap<DeviceId, Vec<PodIx>, foldhash::fast::RandomState>,
}

impl Holders {
    /// Finds the pods of all allocated claims, and those that are assumed.
    pub(super) fn new(view: &ClusterView) -> Self {
        let cluster = view.cluster;
        // Claims name the pods that use them by UID.
        let mut allocated = Vec::new();
        let mut uids: IndexSet<&str, foldhash::fast::RandomState> = IndexSet::default();
        for claim in &cluster.devices.claims {
            if let Some(allocation) = &claim.allocation {
                allocated.push((claim, allocation));
                uids.extend(claim.reserved_for.iter().map(|uid| &**uid));
            }
        }
        let mut pods: IndexMap<&str, PodIx, foldhash::fast::RandomState> = IndexMap::default();
        for ix in cluster.pod_indices() {
            let pod = cluster.pod(ix);
            if pod.is_active() && uids.contains(&*pod.uid) {
                pods.insert(&pod.uid, ix);
            }
        }

        let mut by_device: IndexMap<DeviceId, Vec<PodIx>, foldhash::fast::RandomState> =
            IndexMap::default();
        for (claim, allocation) in allocated {
            let holders: BTreeSet<PodIx> =
                claim.reserved_for.iter().filter_map(|uid| pods.get(&**uid).copied()).collect();
            for result in &allocation.results {
                if !result.admin_access {
                    by_device.entry(result.device).or_default().extend(&holders);
                }
            }
        }
        // Pods that are only assumed on their nodes hold what Reserve has granted them.
        for reserved in &view.reserved().devices {
            for granted in &reserved.grant.devices {
                if !granted.admin_access {
                    by_device.entry(granted.device).or_default().push(reserved.pod);
                }
            }
        }
        Self { by_device }
    }

    /// The pods that hold some of `devices`, the least important first, each with their number.
    pub(super) fn of(&self, devices: &[DeviceId], cluster: &Cluster) -> Box<[DeviceHolder]> {
        let mut counts: IndexMap<PodIx, usize, foldhash::fast::RandomState> = IndexMap::default();
        for pod in devices.iter().filter_map(|device| self.by_device.get(device)).flatten() {
            *counts.entry(*pod).or_default() += 1;
        }
        let mut holders: Vec<DeviceHolder> =
            counts.into_iter().map(|(pod, devices)| DeviceHolder { pod, devices }).collect();
        holders.sort_by_key(|holder| (cluster.pod(holder.pod).priority, holder.pod));
        holders.into()
    }
}
