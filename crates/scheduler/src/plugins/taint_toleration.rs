//! `TaintToleration`: every `NoSchedule` and `NoExecute` taint of the node is tolerated.

use crate::framework::cluster_view::NodeInfo;
use crate::framework::cluster_view::known_nodes::ScoreKey;
use crate::framework::evidence::{
    Evidence, Fact, Nearness, Obstruction, RejectedOn, UntoleratedTaint,
};
use crate::framework::failure::StepFailure;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::score::{PreparedScore, Score, ScorePlugin, no_state, normalize_by_max};
use crate::framework::status::{Code, FilterVerdict};
use json::evidence::Evidence as JsonEvidence;
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
    messages: ALL,
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
            TaintText::NotTolerated => NOT_TOLERATED.reason(),
            TaintText::Named => NAMED.names(named),
            TaintText::NamedUntolerated => NAMED_UNTOLERATED.names(named),
            TaintText::Unnamed => UNTOLERATED.reason(),
        };
        let evidence =
            UntoleratedTaint { key: taint.key, value: taint.value, effect: taint.effect };
        FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text, evidence.grounds())
    }

    fn reads_pods(&self) -> bool {
        false
    }

    fn reads_node_alone(&self) -> bool {
        true
    }
}

impl Evidence for UntoleratedTaint {
    fn nearness(&self, at: &RejectedOn) -> Nearness {
        // The filter names the first taint; another one may mean that the node is not for such pods
        // at all.
        if at.is_reserved() {
            return Nearness::Reserved;
        }
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
        Some(TaintRole::Leaving) => Nearness::Reserved,
        // A pod that asks for the control plane lacks the toleration.
        Some(TaintRole::ControlPlane) | None => Nearness::OtherPool,
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

    fn known_by(&self) -> Option<ScoreKey> {
        Some(ScoreKey::Template(self.cycle.pod.template))
    }

    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        Some(normalize_by_max(raw, self.cycle.max_score(), true))
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

/// All of them.
static ALL: &[&Message] = &[&UNTOLERATED, &NAMED_UNTOLERATED, &NAMED, &NOT_TOLERATED];

static UNTOLERATED: Message = Message {
    code: "PRE-206",
    text: "node(s) had untolerated taint(s)",
    meaning: "The node has a taint (NoSchedule or NoExecute) that the pod does not tolerate; this text does not say which.",
    preemption: "Never: no eviction removes a taint.",
    remedy: "give the pod a toleration for the taint, or remove the taint",
    obstacle: Obstacle::Toleration,
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::Unnamed]),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.37)",
};

static NAMED_UNTOLERATED: Message = Message {
    code: "PRE-209",
    text: "node(s) had untolerated taint {{}: {}}",
    meaning: "The node has this taint with effect NoSchedule or NoExecute, and the pod does not tolerate it.",
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::NamedUntolerated]),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.33)",
    ..UNTOLERATED
};

static NAMED: Message = Message {
    code: "PRE-210",
    text: "node(s) had taint {{}: {}}, that the pod didn't tolerate",
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::Named]),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.23)",
    ..NAMED_UNTOLERATED
};

static NOT_TOLERATED: Message = Message {
    code: "PRE-211",
    text: "node(s) had taints that the pod didn't tolerate",
    meaning: "The node has a taint with effect NoSchedule or NoExecute that the pod does not tolerate.",
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::NotTolerated]),
    source: "pkg/scheduler/algorithm/predicates/error.go (1.17)",
    ..UNTOLERATED
};

#[cfg(test)]
mod tests {
    use crate::framework::evidence::UntoleratedTaint;
    use crate::testing::{at, decide, node, objects, pod};
    use model::cluster::template::TaintEffect;

    const REJECTED: &str = "UU TaintToleration: node(s) had untolerated taint(s)";

    #[test]
    fn tolerations_match_taints() {
        // The node's taint is k=v:NoSchedule.
        for (row, [key, operator, value, effect], want) in [
            ("same key, value and effect", ["k", "Equal", "v", "NoSchedule"], "fits"),
            ("no operator means Equal", ["k", "", "v", "NoSchedule"], "fits"),
            ("no effect means any", ["k", "Equal", "v", ""], "fits"),
            ("Exists ignores the value", ["k", "Exists", "other", "NoSchedule"], "fits"),
            ("no key with Exists means any key", ["", "Exists", "", ""], "fits"),
            ("no key with Equal compares values only", ["", "Equal", "v", ""], "fits"),
            ("no key with Equal and another value", ["", "Equal", "w", ""], REJECTED),
            ("Equal without a value matches an empty one only", ["k", "Equal", "", ""], REJECTED),
            ("another value", ["k", "Equal", "w", "NoSchedule"], REJECTED),
            ("another key", ["j", "Equal", "v", "NoSchedule"], REJECTED),
            ("another effect", ["k", "Equal", "v", "NoExecute"], REJECTED),
            ("no key and another effect", ["", "Exists", "", "NoExecute"], REJECTED),
            ("Exists and another effect", ["k", "Exists", "", "NoExecute"], REJECTED),
            ("an effect for scoring only", ["k", "Equal", "v", "PreferNoSchedule"], REJECTED),
            ("an unknown operator tolerates nothing", ["k", "Like", "v", "NoSchedule"], REJECTED),
        ] {
            let pod = pod("p").tolerates(key, operator, value, effect);
            let answer = decide(objects![node("n").taint("k", "v", "NoSchedule"), pod], "p");
            assert_eq!(answer.node("n"), want, "{row}");
        }
    }

    #[test]
    fn only_taints_that_repel_count() {
        for (effect, want) in [
            ("NoSchedule", REJECTED),
            ("NoExecute", REJECTED),
            ("PreferNoSchedule", "fits"),
            ("NoAdmit", "fits"),
            ("", "fits"),
        ] {
            let answer = decide(objects![node("n").taint("k", "v", effect), pod("p")], "p");
            assert_eq!(answer.node("n"), want, "{effect}");
        }
    }

    #[test]
    fn every_taint_must_be_tolerated() {
        let tainted = || node("n").taint("a", "1", "NoSchedule").taint("b", "2", "NoExecute");
        let one = pod("p").tolerates("a", "Exists", "", "");
        let answer = decide(objects![tainted(), one.clone()], "p");
        let want = UntoleratedTaint {
            key: answer.sym("b"),
            value: answer.sym("2"),
            effect: TaintEffect::NoExecute,
        };
        assert_eq!(
            (answer.node("n").as_str(), answer.evidence::<UntoleratedTaint>("n")),
            (REJECTED, &want)
        );
        assert_eq!(
            decide(objects![tainted(), one.tolerates("b", "Exists", "", "")], "p").node("n"),
            "fits"
        );
    }

    #[test]
    fn the_text_names_the_taint_up_to_1_34_1() {
        for (version, taint, want) in [
            ("1.33.13", ["k", "v"], "UU TaintToleration: node(s) had untolerated taint {k: v}"),
            ("1.34.1", ["k", "v"], "UU TaintToleration: node(s) had untolerated taint {k: v}"),
            ("1.34.1", ["k", ""], "UU TaintToleration: node(s) had untolerated taint {k: }"),
            ("1.34.2", ["k", "v"], REJECTED),
            ("1.37.1", ["k", "v"], REJECTED),
        ] {
            let objects = objects![node("n").taint(taint[0], taint[1], "NoSchedule"), pod("p")];
            assert_eq!(at(version).decide(objects, "p").node("n"), want, "{version} {taint:?}");
        }
    }

    #[test]
    fn comparisons_tolerate_nothing_while_their_gate_is_off() {
        for operator in ["Lt", "Gt"] {
            let objects = objects![
                node("n").taint("k", "5", "NoSchedule"),
                pod("p").tolerates("k", operator, "5", "")
            ];
            assert_eq!(decide(objects, "p").node("n"), REJECTED, "{operator}");
        }
    }

    #[test]
    fn every_untolerated_preference_of_the_node_costs() {
        let nodes = || {
            objects![
                node("clean"),
                node("one").taint("a", "1", "PreferNoSchedule"),
                node("two").taint("a", "1", "PreferNoSchedule").taint("b", "", "PreferNoSchedule")
            ]
        };
        for (row, incoming, want) in [
            ("nothing tolerated", pod("p"), [(0, 100), (1, 50), (2, 0)]),
            (
                "a tolerated",
                pod("p").tolerates("a", "Exists", "", ""),
                [(0, 100), (0, 100), (1, 0)],
            ),
            (
                "a with its effect",
                pod("p").tolerates("a", "Equal", "1", "PreferNoSchedule"),
                [(0, 100), (0, 100), (1, 0)],
            ),
            (
                "a with another effect",
                pod("p").tolerates("a", "Exists", "", "NoSchedule"),
                [(0, 100), (1, 50), (2, 0)],
            ),
            (
                "everything",
                pod("p").tolerates("", "Exists", "", ""),
                [(0, 100), (0, 100), (0, 100)],
            ),
        ] {
            let answer = decide([nodes(), objects![incoming]].concat(), "p");
            assert_eq!(
                ["clean", "one", "two"].map(|n| answer.score(n, "TaintToleration")),
                want,
                "{row}"
            );
        }
    }

    #[test]
    fn every_era_has_its_own_words() {
        for (version, want) in [
            ("1.16", "UU PodToleratesNodeTaints: node(s) had taints that the pod didn't tolerate"),
            ("1.17", "UU TaintToleration: node(s) had taints that the pod didn't tolerate"),
            ("1.18", "UU TaintToleration: node(s) had taint {k: v}, that the pod didn't tolerate"),
            ("1.23", "UU TaintToleration: node(s) had taint {k: v}, that the pod didn't tolerate"),
            ("1.24", "UU TaintToleration: node(s) had untolerated taint {k: v}"),
            ("1.34.1", "UU TaintToleration: node(s) had untolerated taint {k: v}"),
            ("1.34.2", REJECTED),
        ] {
            let answer = at(version)
                .decide(objects![node("n").taint("k", "v", "NoSchedule"), pod("p")], "p");
            assert_eq!(answer.node("n"), want, "{version}");
        }
    }
}
