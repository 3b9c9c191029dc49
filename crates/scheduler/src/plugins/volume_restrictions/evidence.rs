//! The evidence of rejections because of a disk or claim in use.

use json::evidence::Evidence as JsonEvidence;

use crate::framework::evidence::{
    Contended, Evidence, Fact, InUse, Nearness, Obstruction, RejectedOn,
};
use model::cluster::{Cluster, PodIx, Sym};

/// A pod on the node uses a disk that cannot be shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskInUse {
    /// Name of the incoming pod's volume.
    pub(super) volume: Sym,
    /// The other pod.
    pub(super) pod: PodIx,
}

impl Evidence for DiskInUse {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Pod(self.pod)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let volume = cluster.text(self.volume).to_owned();
        vec![JsonEvidence::Disk { volume, used_by: cluster.pod_name(self.pod) }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        let (what, pod) = (Contended::Disk(self.volume), Some(self.pod));
        vec![Fact::InUse(InUse { what, pod, port: None })]
    }
}

/// A claim that only one pod may use is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimInUse {
    /// Name of the claim.
    pub(super) claim: Sym,
    pub(super) pod: PodIx,
}

impl Evidence for ClaimInUse {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Pod(self.pod)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let claim = cluster.text(self.claim).to_owned();
        vec![JsonEvidence::ClaimInUse { claim, used_by: cluster.pod_name(self.pod) }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let (claim, holder) = (cluster.text(self.claim), cluster.pod_name(self.pod));
        let place = match cluster.text(cluster.pod(self.pod).node_name) {
            "" => String::new(),
            node => format!(" on {node}"),
        };
        vec![Fact::Words(format!(
            "claim {claim} is used by {holder}{place}, and only one pod may use it"
        ))]
    }
}
