//! The evidence of rejections because of devices.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use crate::framework::cluster_view::ClusterView;
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::operands::DeviceHolder;
use dra::Shortage;
use json::evidence::{DeviceHolder as DeviceHolderJson, Evidence as JsonEvidence};
use model::cluster::devices::{ClaimIx, DeviceId};
use model::cluster::{Cluster, PodIx, Sym};
use model::words;

/// Maximum number of claims that a sentence names.
const NAMED: usize = 3;

/// The resource claims cannot be allocated on the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAllocated {
    /// The claim whose request has too few devices; `None` for extended resources, or if no single
    /// request is the cause.
    pub(super) claim: Option<Sym>,
    /// How many devices of the node match, are in use or are tainted.
    pub(super) shortage: Option<Box<Shortage>>,
    /// The pods that hold those in use, the least important first. kube-scheduler does not preempt
    /// for devices.
    pub(super) holders: Box<[DeviceHolder]>,
}

impl NotAllocated {
    /// Why no devices can be allocated, without the numbers that differ between nodes.
    fn words(&self, cluster: &Cluster) -> String {
        let whose = match self.claim {
            None => "extended resources".to_owned(),
            Some(claim) => format!("claim {}", cluster.text(claim)),
        };
        let Some(shortage) = self.shortage.as_deref() else {
            return "no choice of devices satisfies all claims together".to_owned();
        };
        let request = match cluster.text(shortage.request) {
            "" => whose,
            name => format!("{whose}, request {name}"),
        };
        let free = shortage.selected - shortage.held - shortage.tainted;
        match shortage {
            Shortage { devices: 0, .. } => format!("{request}: the node has no devices"),
            Shortage { selected: 0, .. } => format!("{request}: no device of the node matches"),
            Shortage { tainted: 0, .. } if free == 0 => {
                format!("{request}: all matching devices are in use")
            }
            Shortage { held: 0, .. } if free == 0 => {
                format!("{request}: all matching devices are tainted")
            }
            _ if free == 0 => format!("{request}: all matching devices are in use or tainted"),
            _ => format!("{request}: too few devices are free"),
        }
    }
}

impl Evidence for NotAllocated {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        match self.shortage.as_deref() {
            Some(Shortage { selected: 0, .. }) => Nearness::OtherPool,
            Some(shortage) if shortage.selected < shortage.wanted => Nearness::TooSmall,
            Some(_) | None => Nearness::Full,
        }
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Devices { shortage: self.shortage.as_deref(), holders: &self.holders }
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let Some(shortage) = self.shortage.as_deref() else {
            return vec![JsonEvidence::ClaimsTogether { claims_together: true }];
        };
        vec![JsonEvidence::Devices {
            claim: self.claim.map(|claim| cluster.text(claim).to_owned()),
            request: cluster.text(shortage.request).to_owned(),
            wanted: shortage.wanted,
            devices: shortage.devices,
            selected: shortage.selected,
            in_use: shortage.held,
            tainted: shortage.tainted,
            holders: self
                .holders
                .iter()
                .map(|holder| DeviceHolderJson {
                    pod: cluster.pod_name(holder.pod),
                    priority: cluster.pod(holder.pod).priority,
                    devices: holder.devices,
                })
                .collect(),
        }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let (shortage, holders) = (self.shortage.as_deref(), &*self.holders);
        vec![Fact::Words(self.words(cluster)), Fact::Devices { shortage, holders }]
    }
}

/// Allocated claims hold devices that the node cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimsElsewhere {
    pub(super) claims: Box<[ClaimIx]>,
}

impl ClaimsElsewhere {
    fn names<'c>(&self, cluster: &'c Cluster) -> Vec<&'c str> {
        let claims = self.claims.iter().filter_map(|ix| cluster.devices.get(*ix));
        claims.map(|claim| cluster.text(claim.name)).collect()
    }
}

impl Evidence for ClaimsElsewhere {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let claims = self.names(cluster).into_iter().map(str::to_owned).collect();
        vec![JsonEvidence::ClaimElsewhere { claims }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let names = words::list(&self.names(cluster), NAMED);
        vec![Fact::Words(format!("the node cannot use the devices of claim {names}"))]
    }
}

/// The pods that hold devices, by device.
pub(super) struct Holders {
    by_device: IndexMap<DeviceId, Vec<PodIx>, foldhash::fast::RandomState>,
}

impl Holders {
    /// Finds the pods of all allocated claims, and those that are assumed.
    pub(super) fn new(view: &ClusterView) -> Self {
        let cluster = view.cluster;
        let mut allocated = Vec::new();
        let mut users: IndexSet<&str, foldhash::fast::RandomState> = IndexSet::default();
        for claim in &cluster.devices.claims {
            if let Some(allocation) = &claim.allocation {
                allocated.push((claim, allocation));
                users.extend(claim.reserved_for.iter().map(|user| &**user));
            }
        }
        let mut pods: IndexMap<&str, PodIx, foldhash::fast::RandomState> = IndexMap::default();
        for ix in cluster.pod_indices().filter(|ix| cluster.pod(*ix).is_active()) {
            if let Some(user) = users.get(&*cluster.claim_user(ix)) {
                pods.insert(user, ix);
            }
        }

        let mut by_device: IndexMap<DeviceId, Vec<PodIx>, foldhash::fast::RandomState> =
            IndexMap::default();
        for (claim, allocation) in allocated {
            let holders: BTreeSet<PodIx> =
                claim.reserved_for.iter().filter_map(|user| pods.get(&**user).copied()).collect();
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
