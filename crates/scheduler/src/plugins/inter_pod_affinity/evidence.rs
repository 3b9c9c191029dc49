//! The evidence of rejections by affinity or anti-affinity.

use json::evidence::Evidence as JsonEvidence;

use crate::framework::evidence::{
    AntiAffinity, Evidence, Fact, Nearness, Obstruction, RejectedOn, RuleOf,
};
use model::cluster::Cluster;
use model::cluster::symbols::Sym;

/// No pod of a required affinity term is in the node's domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPartner {
    /// Topology key.
    pub(super) key: Sym,
    /// The node's domain; `None` without the label.
    pub(super) domain: Option<Sym>,
}

impl Evidence for MissingPartner {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::Affinity {
            topology_key: cluster.text(self.key).to_owned(),
            domain: self.domain.map(|domain| cluster.text(domain).to_owned()),
            matching_pods: 0,
        }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let key = cluster.text(self.key);
        vec![Fact::Words(format!("the node's {key} has no pod that matches the pod's affinity"))]
    }
}

impl Evidence for AntiAffinity {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        match (self.pod, self.pods) {
            (Some(pod), 1) => Obstruction::Pod(pod),
            _ => Obstruction::Crowd,
        }
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let direction = match self.of {
            RuleOf::Pod => "incoming pod",
            RuleOf::Others => "existing pod",
        };
        vec![JsonEvidence::AntiAffinity {
            topology_key: cluster.text(self.key).to_owned(),
            domain: cluster.text(self.domain).to_owned(),
            direction: direction.into(),
            matching_pods: self.pods,
            pod: self.pod.map(|pod| cluster.pod_name(pod)),
        }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::AntiAffinity(self)]
    }
}
