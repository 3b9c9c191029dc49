//! Why no decision is possible about a pod that does not exist yet.

use model::cluster::storage::{BindingMode, VolumeClaim};
use model::cluster::template::ClaimSource;
use model::cluster::{Cluster, PodIx};

/// Why no decision is possible about the pod; `None` if one is.
pub(crate) fn unknown_reason(pod: PodIx, cluster: &Cluster) -> Option<String> {
    let pod = cluster.pod(pod);
    if !pod.uid.is_empty() {
        return None;
    }
    let template = cluster.template(pod);
    let are_created = template.claims.iter().any(|claim| claim.source == ClaimSource::Template);
    if pod.resource_claims.is_empty() && are_created {
        return Some(
            "its resource claims are created from a template first: which devices they get is not known".to_owned(),
        );
    }
    for used in cluster.claims_of(pod) {
        if used.ephemeral && (used.claim.is_none() || used.is_foreign(pod)) {
            return Some(
                "its ephemeral volumes are claimed first: where they can be provisioned is not known"
                    .to_owned(),
            );
        }
    }
    for claim in cluster.claims_of(pod).filter_map(|used| used.claim) {
        let is_new = claim.uid.is_empty() && claim.volume_name.is_empty();
        if is_new && !waits_for_pod(claim, cluster) {
            let name = cluster.text(claim.name);
            return Some(format!(
                "its new claim {name} is bound first, and where its volume can be used is not known"
            ));
        }
    }
    None
}

/// Whether a claim is bound only once a pod that uses it is scheduled.
fn waits_for_pod(claim: &VolumeClaim, cluster: &Cluster) -> bool {
    let class = cluster.storage.class(claim.class);
    class.is_some_and(|class| class.mode == BindingMode::WaitForFirstConsumer)
}
