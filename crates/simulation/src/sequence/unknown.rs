//! Why no decision is possible about a pod that does not exist yet.

use model::cluster::Cluster;
use model::cluster::pod::PodIx;
use model::cluster::pod_volume as used;
use model::cluster::storage::{BindingMode, VolumeClaim};
use model::cluster::template::{ClaimSource, PodResourceClaim};

/// Why no decision is possible about the pod; `None` if one is.
pub(crate) fn unknown_reason(pod: PodIx, cluster: &Cluster) -> Option<String> {
    let pod = cluster.pod(pod);
    if !pod.uid.is_empty() {
        return None;
    }
    let from_template = |claim: &PodResourceClaim| matches!(claim.source, ClaimSource::Template);
    if pod.resource_claims.is_empty() && cluster.template(pod).claims.iter().any(from_template) {
        return Some(
            "its resource claims are created from a template first: which devices they get is not known".to_owned(),
        );
    }
    let is_unmade = |used: &used::PodVolumeClaim| {
        used.ephemeral && (used.claim.is_none() || used.is_foreign(pod))
    };
    if cluster.claims_of(pod).any(|used| is_unmade(&used)) {
        return Some(
            "its ephemeral volumes are claimed first: where they can be provisioned is not known"
                .to_owned(),
        );
    }
    let waits = |claim: &VolumeClaim| {
        let class = cluster.storage.class(claim.class);
        class.is_some_and(|class| class.mode == BindingMode::WaitForFirstConsumer)
    };
    let bound_first = |claim: &&VolumeClaim| {
        claim.uid.is_empty() && claim.volume_name.is_empty() && !waits(claim)
    };
    let claim = cluster.claims_of(pod).filter_map(|used| used.claim).find(bound_first)?;
    let name = cluster.text(claim.name);
    Some(format!(
        "its new claim {name} is bound first, and where its volume can be used is not known"
    ))
}
