//! What pods that are placed in thought hold of devices and volumes: Reserve of the plugins for the
//! pods of a group, which are placed one after the other before anything is written.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dra_manager.go`
//! `inFlightAllocations`, `pkg/scheduler/framework/plugins/volumebinding/assume_cache.go` (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dra::Grant;
use model::cluster::devices::ClaimIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::storage::{Claim, PersistentVolume};
use model::cluster::symbols::Sym;

/// The devices of a claim.
#[derive(Debug, Clone)]
pub(crate) struct ReservedDevices {
    /// The first pod that uses the claim.
    pub pod: PodIx,
    /// The claim; `None` for the one that the scheduler makes for extended resources of the pod.
    pub claim: Option<ClaimIx>,
    /// What it gets.
    pub grant: Arc<Grant>,
}

/// What pods hold.
#[derive(Debug, Clone, Default)]
pub struct Reserved {
    /// The devices of claims, in the order in which they were found.
    pub(crate) devices: Vec<ReservedDevices>,
    /// The claims, by namespace and name, to which volumes will be bound.
    volumes: BTreeMap<Sym, (Sym, Sym)>,
    /// The nodes for which the volumes of claims will be made.
    nodes: BTreeMap<(Sym, Sym), NodeIx>,
    /// Volumes that the last pod gets, each with another that it could have got as well.
    pub(crate) volume_ties: Vec<(Sym, Sym)>,
}

impl Reserved {
    /// What a claim gets.
    #[must_use]
    pub(crate) fn grant(&self, claim: ClaimIx) -> Option<&Arc<Grant>> {
        self.devices
            .iter()
            .find(|reserved| reserved.claim == Some(claim))
            .map(|reserved| &reserved.grant)
    }

    /// Binds a volume to a claim.
    pub(crate) fn bind(&mut self, volume: &PersistentVolume, claim: &Claim) {
        self.volumes.insert(volume.name, (claim.namespace, claim.name));
    }

    /// Has the volume of a claim made for a node.
    pub(crate) fn make(&mut self, claim: &Claim, node: NodeIx) {
        self.nodes.insert((claim.namespace, claim.name), node);
    }

    /// Whether the volume is bound to a claim, or reserved for it.
    #[must_use]
    pub(crate) fn is_for(&self, volume: &PersistentVolume, claim: &Claim) -> bool {
        let own = || volume.is_for(claim);
        self.volumes
            .get(&volume.name)
            .map_or_else(own, |name| *name == (claim.namespace, claim.name))
    }

    /// Whether the volume is bound to no claim and reserved for none.
    #[must_use]
    pub(crate) fn is_free(&self, volume: &PersistentVolume) -> bool {
        volume.claim.is_none() && !self.volumes.contains_key(&volume.name)
    }

    /// The node for which the volume of a claim is made.
    #[must_use]
    pub(crate) fn node_of(&self, claim: &Claim) -> Option<NodeIx> {
        self.nodes.get(&(claim.namespace, claim.name)).copied()
    }
}
