//! The devices and volumes held by assumed pods: Reserve of the plugins for the pods of a group,
//! which are placed one after the other before anything is written.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dra_manager.go`
//! `inFlightAllocations`, `pkg/scheduler/framework/plugins/volumebinding/assume_cache.go` (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use dra::Grant;
use model::cluster::devices::ClaimIx;
use model::cluster::storage::{PersistentVolume, VolumeClaim};
use model::cluster::{Cluster, NodeIx, PodIx, Sym};

/// The devices of a claim, reserved for an assumed pod.
#[derive(Debug, Clone)]
pub(crate) struct ReservedDevices {
    /// The first pod that uses the claim.
    pub pod: PodIx,
    /// The claim; `None` for the claim that the scheduler creates for extended resources.
    pub claim: Option<ClaimIx>,
    /// Its allocation.
    pub grant: Arc<Grant>,
}

/// What assumed pods hold.
#[derive(Debug, Clone, Default)]
pub struct Reserved {
    /// The devices of claims, in the order of allocation.
    pub(crate) devices: Vec<ReservedDevices>,
    /// The claims of each pod's spec, also those that others have got devices for.
    pub(crate) users: Vec<(PodIx, ClaimIx)>,
    /// Volumes that will be bound, each with the namespace and name of its claim.
    volumes: BTreeMap<Sym, (Sym, Sym)>,
    /// The nodes for which volumes of claims will be provisioned.
    nodes: BTreeMap<(Sym, Sym), NodeIx>,
    /// Volumes for the last pod, each with another one that would have suited equally well.
    pub(crate) volume_ties: Vec<(Sym, Sym)>,
}

impl Reserved {
    /// The allocation of a claim.
    pub(crate) fn grant(&self, claim: ClaimIx) -> Option<&Arc<Grant>> {
        self.devices
            .iter()
            .find(|reserved| reserved.claim == Some(claim))
            .map(|reserved| &reserved.grant)
    }

    /// Writes what the pods hold into a cluster, as the scheduler and the volume controller do while
    /// they are bound. Volumes that are provisioned do not exist yet: their claims get a node.
    pub fn write_to(&self, cluster: &mut Cluster) {
        for ReservedDevices { pod, claim, grant } in &self.devices {
            let namespace = cluster.pod(*pod).namespace;
            let claim = claim.unwrap_or_else(|| cluster.devices.add_holder(namespace));
            cluster.devices.allocate(claim, grant.allocation(&mut cluster.symbols));
            let user = cluster.claim_user(*pod).into_owned();
            cluster.devices.reserve(claim, &user);
        }
        for (pod, claim) in &self.users {
            let user = cluster.claim_user(*pod).into_owned();
            cluster.devices.reserve(*claim, &user);
        }
        for (volume, claim) in &self.volumes {
            cluster.storage.bind(*volume, *claim);
        }
        for (claim, node) in &self.nodes {
            let node = cluster.node(*node).name;
            cluster.storage.select_node(*claim, node);
        }
    }

    pub(crate) fn bind(&mut self, volume: &PersistentVolume, claim: &VolumeClaim) {
        self.volumes.insert(volume.name, (claim.namespace, claim.name));
    }

    /// Reserves the provisioning of a claim's volume for a node.
    pub(crate) fn make(&mut self, claim: &VolumeClaim, node: NodeIx) {
        self.nodes.insert((claim.namespace, claim.name), node);
    }

    /// Whether the volume is bound to a claim or reserved for it.
    pub(crate) fn is_for(&self, volume: &PersistentVolume, claim: &VolumeClaim) -> bool {
        self.volumes
            .get(&volume.name)
            .map_or_else(|| volume.is_for(claim), |name| *name == (claim.namespace, claim.name))
    }

    /// Whether the volume is neither bound nor reserved.
    pub(crate) fn is_free(&self, volume: &PersistentVolume) -> bool {
        volume.claim.is_none() && !self.volumes.contains_key(&volume.name)
    }

    /// The node for which a claim's volume will be provisioned.
    pub(crate) fn node_of(&self, claim: &VolumeClaim) -> Option<NodeIx> {
        self.nodes.get(&(claim.namespace, claim.name)).copied()
    }
}
