//! What PostFilter does about the claims of a group: it gives up devices that no node can use, and
//! reservations.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go`
//! `deallocatePodGroupClaims` (1.37), `unreservePodGroupClaims` (1.36).

use super::{is_free_but_for, messages, unavailable};
use crate::framework::cycle::NodeVerdict;
use model::cluster::pod_group::GroupClaim;
use model::cluster::{Cluster, PodGroup, PodIx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    Devices,
    Reservation,
}

/// What is given up for a group without any pod on a node. `tried` are the results for its pods,
/// and `first` is the first waiting one.
///
/// # Errors
/// The error of the plugin, if a claim of the group does not exist.
pub fn of_group(
    group: &PodGroup,
    first: PodIx,
    tried: &[&[NodeVerdict]],
    cluster: &Cluster,
) -> Result<Option<GivenUp>, String> {
    let rejections =
        tried.iter().flat_map(|verdicts| verdicts.iter().filter_map(NodeVerdict::rejection));
    let mut claims = unavailable(rejections);
    if claims.any(|ix| is_free_but_for(*ix, &group.uid, cluster)) {
        return Ok(Some(GivenUp::Devices));
    }
    Ok(unreserves(group, first, cluster)?.then_some(GivenUp::Reservation))
}

/// Up to 1.36: whether a claim of the pod's group is no longer reserved for it.
pub(super) fn unreserves_for(pod: PodIx, cluster: &Cluster) -> bool {
    let Some(group) = cluster
        .group_of(pod)
        .map(|ix| cluster.pod_group(ix))
        .filter(|group| !group.claims.is_empty())
    else {
        return false;
    };
    let mut running = cluster.pod_indices().filter(|other| {
        cluster.pod(*other).is_active() && !cluster.pod(*other).node_name.is_empty()
    });
    !running.any(|other| cluster.named_group(other) == cluster.named_group(pod))
        && unreserves(group, pod, cluster) == Ok(true)
}

/// Whether a claim of the group has devices that are reserved for it.
fn unreserves(group: &PodGroup, pod: PodIx, cluster: &Cluster) -> Result<bool, String> {
    let uid = &cluster.pod(pod).uid;
    let (namespace, name) = (cluster.text(group.namespace), cluster.text(group.name));
    for entry in &group.claims {
        let (claim, is_made) = match entry {
            GroupClaim::Named(claim) => (*claim, false),
            GroupClaim::Made(claim) => (*claim, true),
            GroupClaim::NotNeeded => continue,
            GroupClaim::NotMade => {
                return Err(format!("PodGroup {namespace}/{name}: ResourceClaim not created yet"));
            }
            GroupClaim::Unknown(entry) => {
                let entry = cluster.text(*entry);
                return Err(format!(
                    "PodGroup {namespace}/{name}, spec.resourceClaim {entry}: none of the supported fields are set"
                ));
            }
        };
        let claim_of_group =
            cluster.devices.claim(group.namespace, claim).and_then(|ix| cluster.devices.get(ix));
        let Some(claim_of_group) = claim_of_group else {
            let text =
                messages::CLAIM_NOT_FOUND.with([&format!("{namespace}/{}", cluster.text(claim))]);
            return Err(text.render(cluster).into_owned());
        };
        let is_foreign = is_made && claim_of_group.controller_uid != group.uid;
        if !is_foreign
            && claim_of_group.allocation.is_some()
            && claim_of_group.reserved_for.iter().any(|by| *by == group.uid || by == uid)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
