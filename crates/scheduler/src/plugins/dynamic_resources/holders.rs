//! Which pods hold devices: those that the allocated claims are reserved for.

use std::collections::{BTreeMap, BTreeSet};

use crate::framework::cluster_view::ClusterView;
use crate::framework::operands::DeviceHolder;
use model::cluster::devices::DeviceId;
use model::cluster::{Cluster, PodIx};

/// The pods that hold devices, by device.
pub(super) struct Holders {
    by_device: BTreeMap<DeviceId, Vec<PodIx>>,
}

impl Holders {
    /// Finds the pods of all allocated claims, and those that are assumed.
    pub(super) fn new(view: &ClusterView) -> Self {
        let cluster = view.cluster;
        let allocated = || cluster.devices.claims.iter().filter(|claim| claim.allocation.is_some());
        let uids: BTreeSet<&str> =
            allocated().flat_map(|claim| claim.reserved_for.iter().map(|uid| &**uid)).collect();
        let is_holder =
            |ix: &PodIx| cluster.pod(*ix).is_active() && uids.contains(&*cluster.pod(*ix).uid);
        let pods: BTreeMap<&str, PodIx> =
            cluster.pod_indices().filter(is_holder).map(|ix| (&*cluster.pod(ix).uid, ix)).collect();
        let mut by_device: BTreeMap<DeviceId, Vec<PodIx>> = BTreeMap::new();
        for claim in allocated() {
            let mut holders: Vec<PodIx> =
                claim.reserved_for.iter().filter_map(|uid| pods.get(&**uid).copied()).collect();
            holders.sort_unstable();
            holders.dedup();
            for result in claim.allocation.iter().flat_map(|allocation| &allocation.results) {
                if !result.admin_access {
                    by_device.entry(result.device).or_default().extend(&holders);
                }
            }
        }
        for reserved in &view.reserved().devices {
            for granted in reserved.grant.devices.iter().filter(|granted| !granted.admin_access) {
                by_device.entry(granted.device).or_default().push(reserved.pod);
            }
        }
        Self { by_device }
    }

    /// The pods that hold some of `devices`, the least important first, each with their number.
    pub(super) fn of(&self, devices: &[DeviceId], cluster: &Cluster) -> Box<[DeviceHolder]> {
        let mut counts: BTreeMap<PodIx, usize> = BTreeMap::new();
        for pod in devices.iter().filter_map(|device| self.by_device.get(device)).flatten() {
            *counts.entry(*pod).or_default() += 1;
        }
        let mut holders: Vec<DeviceHolder> =
            counts.into_iter().map(|(pod, devices)| DeviceHolder { pod, devices }).collect();
        holders.sort_by_key(|holder| (cluster.pod(holder.pod).priority, holder.pod));
        holders.into()
    }
}
