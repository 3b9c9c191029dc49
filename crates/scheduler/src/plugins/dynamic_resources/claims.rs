//! The claims of a pod.
//!
//! Upstream: `dynamic-resource-allocation/resourceclaim/resourceclaim.go`, `dynamicresources.go`
//! `foreachPodResourceClaim`, `isClaimReadyForBinding` (1.37).

use std::collections::BTreeMap;

use super::messages;
use crate::framework::reason::{ReasonText, quoted};
use model::cluster::devices::{
    Allocated, AllocationMode, Ask, ClaimIx, DeviceStatus, ResourceClaim, Want,
};
use model::cluster::template::ClaimSource;
use model::cluster::{Cluster, PodIx, Sym};
use profile::history::DynamicResources;

/// Claims with their indices, in the order of the pod's spec.
pub(super) type PodClaims<'c> = Vec<(ClaimIx, &'c ResourceClaim)>;

/// The claims of a pod's spec, or upstream's message about one that does not exist yet.
pub(super) fn of_pod<'c>(
    cluster: &'c Cluster,
    ix: PodIx,
    features: &DynamicResources,
) -> Result<PodClaims<'c>, ReasonText> {
    let pod = cluster.pod(ix);
    let mut claims = Vec::new();
    for entry in &cluster.template(pod).claims {
        let (name, is_made) = match entry.source {
            ClaimSource::Claim(name) => (name, false),
            ClaimSource::Template => {
                match pod.resource_claims.iter().find(|(name, _)| *name == entry.name) {
                    Some((_, Some(name))) => (*name, true),
                    // No claim is needed after all.
                    Some((_, None)) => continue,
                    None => {
                        return Err(messages::NOT_CREATED.with([&quoted(&cluster.pod_name(ix))]));
                    }
                }
            }
            ClaimSource::Unknown => {
                let (pod, name) = (quoted(&cluster.pod_name(ix)), quoted(cluster.text(entry.name)));
                return Err(messages::NO_SOURCE.with([&pod, &name]));
            }
        };
        let (namespace, name_text) = (cluster.text(pod.namespace), cluster.text(name));
        let of_name = cluster
            .devices
            .claim(pod.namespace, name)
            .and_then(|ix| Some((ix, cluster.devices.get(ix)?)));
        let Some((claim_ix, claim)) = of_name else {
            return Err(messages::CLAIM_NOT_FOUND.with([&format!("{namespace}/{name_text}")]));
        };
        if claim.deleting {
            return Err(messages::CLAIM_DELETED.with([&quoted(name_text)]));
        }
        let group = cluster.template(pod).group;
        let of_group = features.dra_group_claims && !group.is_empty();
        let is_of_group = of_group && claim.is_of_group && claim.controller_name == group;
        if is_made
            && (claim.controller_uid.is_empty() || claim.controller_uid != pod.uid)
            && !is_of_group
        {
            let pod = cluster.pod_name(ix);
            return Err(if of_group {
                messages::FOREIGN_CLAIM_IN_GROUP.with([
                    namespace,
                    name_text,
                    &pod,
                    cluster.text(group),
                ])
            } else if features.claims_of_a_pod {
                messages::FOREIGN_CLAIM.with([namespace, name_text, &pod])
            } else {
                messages::FOREIGN_CLAIM_OF_OLD.with([namespace, name_text, &pod])
            });
        }
        claims.push((claim_ix, claim));
    }
    Ok(claims)
}

/// How many devices of each class pods need at least: what their claims without devices request in
/// exact numbers. A claim that several of them use counts once.
pub fn needed_devices(
    pods: impl Iterator<Item = PodIx>,
    cluster: &Cluster,
    features: &DynamicResources,
) -> BTreeMap<Sym, i64> {
    let mut claims: BTreeMap<ClaimIx, &ResourceClaim> = BTreeMap::new();
    for pod in pods {
        claims.extend(of_pod(cluster, pod, features).unwrap_or_default());
    }
    let mut needed: BTreeMap<Sym, i64> = BTreeMap::new();
    for claim in claims.values().filter(|claim| claim.allocation.is_none()) {
        for request in &claim.requests {
            if let Ask::Exactly(want) = &request.ask
                && want.mode == AllocationMode::ExactCount
                && want.admin_access != Some(true)
            {
                *needed.entry(want.class).or_default() += want.count.max(0);
            }
        }
    }
    needed
}

/// The device requests of a claim, alternatives included.
fn wants(claim: &ResourceClaim) -> impl Iterator<Item = &Want> {
    claim.requests.iter().flat_map(|request| match &request.ask {
        Ask::Exactly(want) => std::slice::from_ref(want),
        Ask::FirstAvailable(wants) => wants,
        Ask::Unknown => &[],
    })
}

/// Selectors that decide which devices a claim can get: its own, and those of its classes.
pub(super) fn expressions<'a>(
    cluster: &'a Cluster,
    claim: &'a ResourceClaim,
) -> impl Iterator<Item = Sym> + 'a {
    wants(claim).flat_map(|want| {
        let class =
            cluster.devices.class(want.class).into_iter().flat_map(|class| &class.selectors);
        class.chain(&want.selectors).copied().flatten()
    })
}

/// Expressions that derive attributes for the claim's constraints.
pub(super) fn derivations(claim: &ResourceClaim) -> impl Iterator<Item = Sym> {
    wants(claim).flat_map(|want| &want.derived_attributes).map(|(_, expression)| *expression)
}

/// Devices with binding conditions, and what their drivers report about them.
fn statuses(claim: &ResourceClaim) -> impl Iterator<Item = (&Allocated, Option<&DeviceStatus>)> {
    let results = claim
        .allocation
        .iter()
        .flat_map(|a| &a.results)
        .filter(|r| !r.binding_conditions.is_empty());
    results.map(|r| (r, claim.device_statuses.iter().find(|s| s.device == r.device)))
}

/// How far a claim's devices are prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    /// Every device is ready, or needs no preparation.
    Ready,
    /// A device still waits to be prepared.
    Waiting,
    /// A device reports that it could not be prepared.
    Failed,
}

/// The state of preparing a claim's devices. Devices after one that still waits are not checked.
pub(super) fn binding(claim: &ResourceClaim) -> Binding {
    for (result, status) in statuses(claim) {
        let Some(status) = status else { return Binding::Waiting };
        if result.binding_failure_conditions.iter().any(|c| status.true_conditions.contains(c)) {
            return Binding::Failed;
        }
        if !result.binding_conditions.iter().all(|c| status.true_conditions.contains(c)) {
            return Binding::Waiting;
        }
    }
    Binding::Ready
}
