//! `TaintToleration`: every `NoSchedule` and `NoExecute` taint of the node is tolerated.

mod messages;

use json::evidence::Evidence as JsonEvidence;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{
    Evidence, Fact, Nearness, Obstruction, RejectedOn, UntoleratedTaint,
};
use crate::framework::failure::StepFailure;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::score::{PreparedScore, Score, ScorePlugin, no_state, normalize_by_max};
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::node::Taint;
use model::cluster::system_taint::TaintRole;
use model::cluster::template::TaintEffect;
use model::cluster::{Cluster, NodeIx, Pod};
use profile::history::TaintText;

pub struct TaintToleration;

static DOC: RuleDoc = RuleDoc {
    name: "TaintToleration",
    code: "PRE-103",
    summary: "The pod tolerates every taint of the node with effect NoSchedule or NoExecute.",
    preemption: "Never helps: no eviction removes a taint.",
    scores: Some("Prefers nodes with few PreferNoSchedule taints that the pod does not tolerate."),
    messages: messages::ALL,
    retried_on: Some("a node is added or its taints change, the pod's tolerations change"),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.37)",
};

impl Signer for TaintToleration {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        let (own, template) = (cycle.template, cycle.cluster().template(other));
        own.tolerations == template.tolerations
    }
}

impl Plugin for TaintToleration {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        Prepared::ready(Tolerated { cycle: *cycle })
    }
}

struct Tolerated<'c> {
    cycle: Cycle<'c>,
}

impl Filter for Tolerated<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let (cluster, features) = (self.cycle.cluster(), self.cycle.features());
        let taints = &self.cycle.view.node(node.node).taints;
        let Some(taint) = self.cycle.template.untolerated(
            taints,
            &cluster.symbols,
            features.tolerations.toleration_comparison,
        ) else {
            return FilterVerdict::Fits;
        };
        let named = [taint.key, taint.value];
        let text = match features.taint_toleration.taint_text {
            TaintText::NotTolerated => messages::NOT_TOLERATED.reason(),
            TaintText::Named => messages::NAMED.names(named),
            TaintText::NamedUntolerated => messages::NAMED_UNTOLERATED.names(named),
            TaintText::Unnamed => messages::UNTOLERATED.reason(),
        };
        let evidence =
            UntoleratedTaint { key: taint.key, value: taint.value, effect: taint.effect };
        FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text, evidence.grounds())
    }

    fn reads_pods(&self) -> bool {
        false
    }
}

impl Evidence for UntoleratedTaint {
    fn nearness(&self, at: &RejectedOn) -> Nearness {
        // The filter names the first taint; another one may mean that the node is not for such pods
        // at all.
        let taints = at.untolerated_taints().map(|taint| nearness_by(taint, at.view.cluster));
        taints.max().unwrap_or(Nearness::OtherPool)
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Taint(*self)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::Taint { taint: self.text(cluster) }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Words(format!("untolerated taint {}", self.text(cluster)))]
    }
}

/// How near a node is, judged by one untolerated taint.
fn nearness_by(taint: &Taint, cluster: &Cluster) -> Nearness {
    match taint.system(cluster).map(|system| system.role) {
        Some(TaintRole::Starting | TaintRole::Ill | TaintRole::Cordoned) => Nearness::Closed,
        Some(TaintRole::Leaving | TaintRole::ControlPlane) => Nearness::Reserved,
        None => Nearness::OtherPool,
    }
}

impl ScorePlugin for TaintToleration {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        PreparedScore::ready(Tolerated { cycle: *cycle })
    }

    fn error_without_pre_score(&self, name: &str, cycle: &Cycle) -> Option<String> {
        Some(no_state("failed to read", name, cycle))
    }
}

impl Score for Tolerated<'_> {
    /// The number of untolerated `PreferNoSchedule` taints.
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let (cluster, comparison) =
            (self.cycle.cluster(), self.cycle.features().tolerations.toleration_comparison);
        let taints = self
            .cycle
            .view
            .node(node.node)
            .taints
            .iter()
            .filter(|t| t.effect == TaintEffect::PreferNoSchedule);
        let untolerated = taints
            .filter(|t| !self.cycle.template.tolerates(t, &cluster.symbols, comparison))
            .count();
        Ok(i64::try_from(untolerated).unwrap_or(i64::MAX))
    }

    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        normalize_by_max(raw, self.cycle.max_score(), true)
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

#[cfg(test)]
mod tests;
