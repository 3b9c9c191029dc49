//! The claims of a pod, grouped by binding state.
//!
//! Upstream: `pkg/scheduler/framework/plugins/volumebinding/{volume_binding,binder}.go`
//! `GetPodVolumeClaims` (1.37).

use std::collections::BTreeSet;

use super::evidence::{HostedVolume, OnOtherHosts};
use super::unbound::{self, Unbound};
use super::{CLAIM_AWAITED, CLAIM_LOST, FOREIGN_CLAIM_OLD, UNBOUND};
use crate::framework::claims::{CLAIM_DELETED, CLAIM_NOT_FOUND, foreign};
use crate::framework::evidence::{Evidence, Grounds};
use crate::framework::plugin::{Cycle, OnlyNodes};
use crate::framework::reason::{ReasonText, quoted};
use model::cluster::Sym;
use model::cluster::storage::{BindingMode, StorageClass, VolumeClaim};

/// Why the claims of a pod cannot be grouped.
pub(super) enum ClaimProblem {
    /// The pod is rejected on every node.
    Refused(ReasonText, Grounds),
    /// The cycle ends with this error.
    Failed(String),
}

/// A `WaitForFirstConsumer` claim, and its class.
#[derive(Clone, Copy)]
pub(super) struct DelayedClaim<'c> {
    pub(super) claim: &'c VolumeClaim,
    pub(super) class: &'c StorageClass,
}

/// The claims of a pod by binding state.
#[derive(Default)]
pub(super) struct Sorted<'c> {
    /// Bound ones.
    pub(super) bound: Vec<&'c VolumeClaim>,
    /// Those being provisioned for a node.
    pub(super) selected: Vec<(Sym, DelayedClaim<'c>)>,
    /// The others, smallest first.
    pub(super) waiting: Vec<DelayedClaim<'c>>,
}

impl<'c> Sorted<'c> {
    /// `None` for a pod without claims.
    pub(super) fn of(cycle: &Cycle<'c>) -> Result<Option<Self>, ClaimProblem> {
        let claims = claims(cycle).map_err(|text| ClaimProblem::Refused(text, None))?;
        if claims.is_empty() {
            return Ok(None);
        }
        let (features, mut sorted, mut immediate) =
            (&cycle.features().volume_binding, Self::default(), Vec::new());
        for claim in claims {
            if claim.is_bound() {
                sorted.bound.push(claim);
                continue;
            }
            match waiting(cycle, claim)? {
                None => immediate.push(claim),
                Some(waiting) => match selected_node(cycle, claim) {
                    Some(_) if !features.provisioning_claims_wait => immediate.push(claim),
                    Some(node) => sorted.selected.push((node, waiting)),
                    None => sorted.waiting.push(waiting),
                },
            }
        }
        if !immediate.is_empty() {
            if !features.unbound_claims_refused {
                return Err(ClaimProblem::Failed(UNBOUND.text.to_owned()));
            }
            let claims =
                immediate.into_iter().map(|claim| unbound::at_once(claim, cycle)).collect();
            let evidence = Unbound { claims }.grounds();
            return Err(ClaimProblem::Refused(UNBOUND.reason(), evidence));
        }
        let size = |w: &DelayedClaim| w.claim.request.unwrap_or_default();
        sorted.waiting.sort_by(|a, b| size(a).compare(size(b)));
        Ok(Some(sorted))
    }

    /// Whether any claim is not bound yet.
    pub(super) fn waits(&self) -> bool {
        !self.selected.is_empty() || !self.waiting.is_empty()
    }

    /// The only nodes that may have the volumes of bound claims, as far as these name hosts; `None`
    /// for all nodes.
    ///
    /// Parity: the hostnames of volumes are used as names of nodes, and a volume that does not
    /// exist does not restrict the nodes. Upstream: `GetEligibleNodes`, `pkg/volume/util/util.go`
    /// `GetLocalPersistentVolumeNodeNames` (1.31).
    pub(super) fn hosts(&self, cycle: &Cycle) -> Option<OnlyNodes> {
        if !cycle.features().volume_binding.bound_volumes_narrow {
            return None;
        }
        let mut names: Option<BTreeSet<Sym>> = None;
        let mut hosted = Vec::new();
        for claim in &self.bound {
            let hosts = cycle.cluster().storage.volume(claim.volume_name)?.hosts();
            if hosts.is_empty() {
                continue;
            }
            let mut by_name: Vec<Sym> = hosts.iter().copied().collect();
            by_name.sort_by_key(|host| cycle.cluster().text(*host));
            hosted.push(HostedVolume {
                claim: claim.name,
                volume: claim.volume_name,
                hosts: by_name.into(),
            });
            names = Some(match names {
                None => hosts,
                Some(names) => names.intersection(&hosts).copied().collect(),
            });
        }
        let evidence = OnOtherHosts { volumes: hosted.into() }.grounds();
        names.map(|names| OnlyNodes { names, evidence })
    }
}

/// The node for which a claim's volume is provisioned.
fn selected_node(cycle: &Cycle, claim: &VolumeClaim) -> Option<Sym> {
    let reserved = cycle.view.reserved().node_of(claim).map(|node| cycle.view.node(node).name);
    reserved.or(claim.selected_node)
}

/// The claims of the pod, or the problem with the first that cannot be used.
fn claims<'c>(cycle: &Cycle<'c>) -> Result<Vec<&'c VolumeClaim>, ReasonText> {
    let (cluster, features) = (cycle.cluster(), &cycle.features().volume_binding);
    let counted =
        cluster.claims_of(cycle.pod).filter(|used| !used.ephemeral || features.ephemeral_volumes);
    let usable = counted.map(|used| {
        let name = quoted(&used.name);
        let Some(claim) = used.claim else {
            let awaited = used.ephemeral && features.ephemeral_claims_explained;
            let text = if awaited { &CLAIM_AWAITED } else { &CLAIM_NOT_FOUND };
            return Err(text.with([&name]));
        };
        if claim.lost && features.lost_claims_refused {
            return Err(CLAIM_LOST.with([&name, &quoted(cluster.text(claim.volume_name))]));
        }
        if claim.deleting {
            return Err(CLAIM_DELETED.with([&name]));
        }
        match used.is_foreign(cycle.pod) {
            true if features.ephemeral_claims_explained => Err(foreign(&used, cycle.pod, cluster)),
            true => Err(FOREIGN_CLAIM_OLD.with([&name])),
            false => Ok(claim),
        }
    });
    usable.collect()
}

/// The class of an unbound claim if it waits for a pod; `None` if it should be bound by now.
fn waiting<'c>(
    cycle: &Cycle<'c>,
    claim: &'c VolumeClaim,
) -> Result<Option<DelayedClaim<'c>>, ClaimProblem> {
    if claim.class.is_empty() {
        return Ok(None);
    }
    let Some(class) = cycle.cluster().storage.class(claim.class) else { return Ok(None) };
    match class.mode {
        BindingMode::Unset => {
            let name = cycle.cluster().text(claim.class);
            Err(ClaimProblem::Failed(format!(
                "VolumeBindingMode not set for StorageClass {name:?}"
            )))
        }
        BindingMode::WaitForFirstConsumer if claim.volume_name.is_empty() => {
            Ok(Some(DelayedClaim { claim, class }))
        }
        BindingMode::WaitForFirstConsumer | BindingMode::Immediate => Ok(None),
    }
}
