//! The evidence of rejections by affinity or anti-affinity.

use json::evidence::Evidence as JsonEvidence;

use crate::framework::evidence::{
    AntiAffinity, Evidence, Fact, Nearness, Obstruction, RejectedOn, RuleOf,
};
use model::cluster::{Cluster, PodIx, Sym};

/// No pod of a required affinity term is in the node's domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPartner {
    /// Topology key.
    pub(super) key: Sym,
    /// The node's domain; `None` without the label.
    pub(super) domain: Option<Sym>,
    pub(super) partner: Partner,
}

/// Where the pods of a required affinity term are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner {
    /// This pod, the first by name, is in another domain.
    In { domain: Sym, pod: PodIx },
    /// This pod matches, and its node has no domain.
    WithoutDomain(PodIx),
    /// None matches; this one has the labels, in a namespace that the terms do not name.
    InOtherNamespace(PodIx),
    /// None matches.
    Nowhere,
    /// Some matched before pods were removed hypothetically.
    NotKnown,
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
            pod: match self.partner {
                Partner::In { pod, .. }
                | Partner::WithoutDomain(pod)
                | Partner::InOtherNamespace(pod) => Some(cluster.pod_name(pod)),
                Partner::Nowhere | Partner::NotKnown => None,
            },
            pod_domain: match self.partner {
                Partner::In { domain, .. } => Some(cluster.text(domain).to_owned()),
                Partner::WithoutDomain(_)
                | Partner::InOtherNamespace(_)
                | Partner::Nowhere
                | Partner::NotKnown => None,
            },
        }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let key = cluster.text(self.key);
        let here = match self.domain {
            Some(_) => format!("the node's {key} has no pod that matches the pod's affinity"),
            None => format!("the node has no label {key}, which the pod's affinity needs"),
        };
        let elsewhere = match self.partner {
            Partner::In { domain, pod } => {
                format!("; {} is in {}", cluster.pod_name(pod), cluster.text(domain))
            }
            Partner::WithoutDomain(pod) => {
                format!("; {} matches, and its node has no such label", cluster.pod_name(pod))
            }
            Partner::InOtherNamespace(pod) => {
                let pod = cluster.pod_name(pod);
                format!("; none matches: {pod} has the labels, in another namespace")
            }
            Partner::Nowhere => "; no pod matches".to_owned(),
            Partner::NotKnown => String::new(),
        };
        vec![Fact::Words(format!("{here}{elsewhere}"))]
    }
}

impl Evidence for AntiAffinity {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        match (&self.pod, self.pods) {
            (Some(pod), 1) => Obstruction::Pods(std::slice::from_ref(pod)),
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
