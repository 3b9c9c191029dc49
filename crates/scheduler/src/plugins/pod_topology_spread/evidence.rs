//! The evidence of rejections by a spread constraint.

use json::evidence::{
    EmptiestDomain as EmptiestDomainJson, Evidence as JsonEvidence, TooFewDomains,
};

use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn, Skew};
use crate::framework::operands::{ClosedBy, ClosedNode, EmptiestDomain, Fewest};
use model::cluster::{Cluster, Sym};

/// The node lacks a label that defines topology domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTopologyLabel {
    /// The label's key.
    pub(super) key: Sym,
}

impl Evidence for MissingTopologyLabel {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::MissingLabel { missing_label: cluster.text(self.key).to_owned() }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Words(format!("the node has no label {}", cluster.text(self.key)))]
    }
}

impl Evidence for Skew {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Crowd
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let (emptiest, too_few_domains) = match self.fewest {
            None => (None, None),
            Some(Fewest::Domain(emptiest)) => (Some(emptiest_json(emptiest, cluster)), None),
            Some(Fewest::TooFewDomains { domains, min_domains }) => {
                (None, Some(TooFewDomains { domains, min_domains }))
            }
        };
        vec![JsonEvidence::Spread {
            topology_key: cluster.text(self.key).to_owned(),
            domain: cluster.text(self.domain).to_owned(),
            matching_pods: self.matching,
            minimum: self.minimum,
            incoming: self.incoming,
            max_skew: self.max_skew,
            emptiest,
            too_few_domains,
        }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let words = format!(
            "spread over {}: one pod more would exceed maxSkew {}",
            cluster.text(self.key),
            self.max_skew
        );
        vec![Fact::Words(words), Fact::Skew(self)]
    }
}

fn emptiest_json(emptiest: EmptiestDomain, cluster: &Cluster) -> EmptiestDomainJson {
    let EmptiestDomain { domain, others, closed } = emptiest;
    let mut json = EmptiestDomainJson {
        domain: cluster.text(domain).to_owned(),
        others,
        closed_node: None,
        closed_by: None,
        taint: None,
    };
    if let Some(ClosedNode { node, by }) = closed {
        json.closed_node = Some(cluster.node_name(node).to_owned());
        json.closed_by = Some(by.name().into());
        if let ClosedBy::Taint { key, value, effect } = by {
            json.taint = Some(effect.taint(key, value, cluster));
        }
    }
    json
}
