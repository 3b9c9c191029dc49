//! `NodeDeclaredFeatures`: the node declares every feature that the pod's spec needs.

use json::evidence::Evidence as JsonEvidence;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::pre_filter::FixedVerdict;
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::{Cluster, Pod};
use profile::span::VersionSpan;

static MISSING: Message = Message {
    code: "PRE-254",
    text: "node(s) didn't match Pod's required features",
    meaning: "The pod needs a feature that the node's kubelet does not declare (status.declaredFeatures).",
    preemption: "Never: no eviction teaches a node a feature.",
    remedy: "upgrade the nodes, or do without the feature",
    obstacle: Obstacle::None,
    when: When::Rows(&[|f| f.node_declared_features.missing_features_unnamed]),
    source: "pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (1.37)",
};

/// The same in 1.35, with the feature.
static MISSING_NAMED: Message = Message {
    code: "PRE-281",
    text: "node declared features check failed - unsatisfied requirements: {}",
    when: When::Releases(VersionSpan::since(35, 0).before(36, 0)),
    source: "pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (1.35)",
    ..MISSING
};

pub struct NodeDeclaredFeatures;

static DOC: RuleDoc = RuleDoc {
    name: "NodeDeclaredFeatures",
    code: "PRE-114",
    summary: "The node's status.declaredFeatures has every feature that the pod's spec needs.",
    preemption: "Never helps: no eviction adds a feature to a node.",
    scores: None,
    messages: &[&MISSING, &MISSING_NAMED],
    retried_on: Some("a node is added or declares other features, the pod changes"),
    source: "pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (1.37)",
};

impl Signer for NodeDeclaredFeatures {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        let (own, template) = (cycle.template, cycle.cluster().template(other));
        own.needs == template.needs
    }
}

impl Plugin for NodeDeclaredFeatures {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let (needs, features) = (cycle.template.needs, &cycle.features().node_declared_features);
        if !features.node_declared_features {
            return Prepared::Skip;
        }
        let all = [
            (needs.restart_all_containers, "RestartAllContainersOnContainerExits"),
            (
                needs.user_namespace_on_host_network && features.user_namespace_feature,
                "UserNamespacesHostNetworkSupport",
            ),
            (
                needs.bind_mount_options && features.bind_mount_options_feature,
                "VolumeBindMountOptions",
            ),
        ];
        let needed: Vec<&'static str> =
            all.into_iter().filter(|(needed, _)| *needed).map(|(_, name)| name).collect();
        if needed.is_empty() {
            Prepared::Skip
        } else {
            Prepared::ready(Declared { cycle: *cycle, needed })
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found"#)
    }

    fn filter_without_pre_filter<'c>(&self, cycle: &Cycle<'c>) -> Option<Box<dyn Filter + 'c>> {
        // Parity: Filter reads its state even for a pod that needs nothing, but not while the gate
        // is off.
        let is_off = !cycle.features().node_declared_features.node_declared_features;
        is_off.then(|| Box::new(FixedVerdict(FilterVerdict::Fits)) as Box<dyn Filter>)
    }
}

/// The node does not declare a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFeature {
    name: &'static str,
}

impl Evidence for MissingFeature {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, _: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::Feature { feature: self.name.into() }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Words(format!("the node does not declare feature {}", self.name))]
    }
}

struct Declared<'c> {
    cycle: Cycle<'c>,
    needed: Vec<&'static str>,
}

impl Filter for Declared<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let cluster = self.cycle.cluster();
        let declared = &cluster.node(node.node).declared_features;
        let missing =
            self.needed.iter().find(|name| !declared.iter().any(|f| cluster.text(*f) == **name));
        missing.map_or(FilterVerdict::Fits, |name| {
            let unnamed = self.cycle.features().node_declared_features.missing_features_unnamed;
            let text = if unnamed { MISSING.reason() } else { MISSING_NAMED.with([name]) };
            let evidence = MissingFeature { name }.grounds();
            FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text, evidence)
        })
    }

    fn reads_pods(&self) -> bool {
        false
    }

    fn reads_node_alone(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
