//! The claims of a pod, sorted by how far their binding is.
//!
//! Upstream: `pkg/scheduler/framework/plugins/volumebinding/{volume_binding,binder}.go` `GetPodVolumeClaims` (1.37).

use std::collections::BTreeSet;

use super::messages;
use crate::framework::claims::{CLAIM_DELETED, CLAIM_NOT_FOUND, foreign};
use crate::framework::plugin::Cycle;
use crate::framework::reason::{ReasonText, quoted};
use model::cluster::storage::{BindingMode, Claim, PersistentVolume, StorageClass};
use model::cluster::symbols::Sym;

/// Why the claims of a pod cannot be sorted.
pub(super) enum Problem {
    /// The pod is rejected on every node.
    Refused(ReasonText),
    /// The cycle ends with this error.
    Failed(String),
}

/// A claim that is bound when a pod needs it, and its class.
#[derive(Clone, Copy)]
pub(super) struct Waiting<'c> {
    pub(super) claim: &'c Claim,
    pub(super) class: &'c StorageClass,
}

/// The claims of a pod by how far their binding is.
#[derive(Default)]
pub(super) struct Sorted<'c> {
    /// Bound ones.
    pub(super) bound: Vec<&'c Claim>,
    /// Those being provisioned for a node.
    pub(super) selected: Vec<(Sym, Waiting<'c>)>,
    /// The others, smallest first.
    pub(super) waiting: Vec<Waiting<'c>>,
}

impl<'c> Sorted<'c> {
    /// `None` for a pod without claims.
    pub(super) fn of(cycle: &Cycle<'c>) -> Result<Option<Self>, Problem> {
        let claims = claims(cycle).map_err(Problem::Refused)?;
        if claims.is_empty() {
            return Ok(None);
        }
        let (features, mut sorted, mut immediate) = (&cycle.features().volume_binding, Self::default(), false);
        for claim in claims {
            if claim.is_bound() {
                sorted.bound.push(claim);
                continue;
            }
            match waiting(cycle, claim)? {
                None => immediate = true,
                Some(waiting) => match selected_node(cycle, claim) {
                    Some(_) if !features.provisioning_claims_wait => immediate = true,
                    Some(node) => sorted.selected.push((node, waiting)),
                    None => sorted.waiting.push(waiting),
                },
            }
        }
        match immediate {
            true if features.unbound_claims_refused => return Err(Problem::Refused(messages::UNBOUND.reason())),
            true => return Err(Problem::Failed(messages::UNBOUND.text.to_owned())),
            false => {}
        }
        let size = |w: &Waiting| w.claim.request.unwrap_or_default();
        sorted.waiting.sort_by(|a, b| size(a).compare(size(b)));
        Ok(Some(sorted))
    }

    /// Whether any is not bound yet.
    pub(super) fn waits(&self) -> bool {
        !self.selected.is_empty() || !self.waiting.is_empty()
    }

    /// The only nodes that may have the volumes of bound claims, as far as these name hosts; `None` for all nodes.
    ///
    /// Parity: the hostnames of volumes are used as names of nodes, and a volume that does not exist leaves all nodes.
    /// Upstream: `GetEligibleNodes`, `pkg/volume/util/util.go` `GetLocalPersistentVolumeNodeNames` (1.31).
    pub(super) fn hosts(&self, cycle: &Cycle) -> Option<BTreeSet<Sym>> {
        let storage = &cycle.cluster().storage;
        let find = |claim: &&Claim| storage.volume(claim.volume_name);
        let bound = Some(&self.bound).filter(|_| cycle.features().volume_binding.bound_volumes_narrow)?;
        let volumes: Vec<&PersistentVolume> = bound.iter().map(find).collect::<Option<_>>()?;
        let hosts = volumes.into_iter().map(PersistentVolume::hosts).filter(|hosts| !hosts.is_empty());
        hosts.reduce(|one, other| one.intersection(&other).copied().collect())
    }
}

/// The node for which the volume of a claim is made.
fn selected_node(cycle: &Cycle, claim: &Claim) -> Option<Sym> {
    let reserved = cycle.view.reserved().node_of(claim).map(|node| cycle.view.node(node).name);
    reserved.or(claim.selected_node)
}

/// The claims of the pod, or what is wrong with the first that cannot be used.
fn claims<'c>(cycle: &Cycle<'c>) -> Result<Vec<&'c Claim>, ReasonText> {
    let (cluster, features) = (cycle.cluster(), &cycle.features().volume_binding);
    let counted = cluster.claims_of(cycle.pod).filter(|used| !used.ephemeral || features.ephemeral_volumes);
    let usable = counted.map(|used| {
        let name = quoted(&used.name);
        let Some(claim) = used.claim else {
            let awaited = used.ephemeral && features.ephemeral_claims_explained;
            let text = if awaited { &messages::CLAIM_AWAITED } else { &CLAIM_NOT_FOUND };
            return Err(text.with([&name]));
        };
        if claim.lost && features.lost_claims_refused {
            return Err(messages::CLAIM_LOST.with([&name, &quoted(cluster.text(claim.volume_name))]));
        }
        if claim.deleting {
            return Err(CLAIM_DELETED.with([&name]));
        }
        match used.is_foreign(cycle.pod) {
            true if features.ephemeral_claims_explained => Err(foreign(&used, cycle.pod, cluster)),
            true => Err(messages::FOREIGN_CLAIM_OLD.with([&name])),
            false => Ok(claim),
        }
    });
    usable.collect()
}

/// The class of an unbound claim if it waits for a pod; `None` if it should be bound by now.
fn waiting<'c>(cycle: &Cycle<'c>, claim: &'c Claim) -> Result<Option<Waiting<'c>>, Problem> {
    if claim.class.is_empty() {
        return Ok(None);
    }
    let Some(class) = cycle.cluster().storage.class(claim.class) else { return Ok(None) };
    match class.mode {
        BindingMode::Unset => {
            let name = cycle.cluster().text(claim.class);
            Err(Problem::Failed(format!("VolumeBindingMode not set for StorageClass {name:?}")))
        }
        BindingMode::WaitForFirstConsumer if claim.volume_name.is_empty() => Ok(Some(Waiting { claim, class })),
        BindingMode::WaitForFirstConsumer | BindingMode::Immediate => Ok(None),
    }
}
