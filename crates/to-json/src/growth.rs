//! How many new nodes pods need, as JSON.

use super::suggestion::new_node;
use crate::{ToJson, decision as parts};
use answers::questions::simulate::growth::{NodesNeededReport, bound_sentence, proof_name};
use engine::simulation::growth;
use json::growth::{Growth, LeftPod, NodeBound, NodeDemand, NodesOfKind};
use json::{ApiVersion, kind};

impl ToJson for NodesNeededReport {
    type Json = NodeDemand;

    fn json(&self) -> NodeDemand {
        NodeDemand {
            api_version: ApiVersion::default(),
            kind: kind::NodeDemand::default(),
            scheduler: parts::scheduler(&self.basis.profile),
            source: parts::source(&self.basis.header, self.basis.source),
            text: self.sentence(),
            pods: self.pods,
            not_helped: self.not_helped,
            not_known: self.not_known,
            without_evictions: growth(&self.without_evictions),
            with_evictions: self.with_evictions.as_ref().map(growth),
            notes: self.notes.iter().map(parts::note).collect(),
        }
    }
}

fn growth(growth: &growth::Growth) -> Growth {
    let bounds = growth.bounds.iter().map(|bound| NodeBound {
        at_least: bound.at_least,
        constraint: bound.constraint.clone(),
        text: bound_sentence(bound),
    });
    let nodes = growth.nodes.iter().map(|kind| NodesOfKind {
        node: new_node(&kind.node),
        number: kind.number,
        left_without: left(kind.left_without.iter()),
    });
    Growth {
        number: growth.number(),
        at_least: growth.at_least,
        proof: proof_name(growth.proof).into(),
        tried: growth.tried,
        open: growth.is_open,
        nodes: nodes.collect(),
        bounds: bounds.collect(),
        evicted: growth.evicted,
        helpless: left(growth.helpless()),
        unknown: left(growth.undecided()),
    }
}

fn left<'p>(pods: impl Iterator<Item = (&'p growth::Unplaced, &'p Vec<String>)>) -> Vec<LeftPod> {
    pods.map(|(name, why)| LeftPod { name: name.to_string(), why: why.clone() }).collect()
}
