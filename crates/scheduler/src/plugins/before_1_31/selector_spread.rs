//! By default up to 1.19: `SelectorSpread`, which prefers nodes and zones with few pods of the same
//! service or controller.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::default_selector::{self, by_selector, default_selector};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::failure::StepFailure;
use crate::framework::node_order::ZoneLabels;
use crate::framework::plugin::{Cycle, RuleDoc, Signer};
use crate::framework::score::{CountsByNode, PreparedScore, Score, ScorePlugin, no_state};
use model::cluster::selector::Selector;
use model::cluster::{Kind, NodeIx, Pod, PodIx, Sym};
use model::notes::Severity;
use profile::history::PluginLists;

/// The share of the score that zones have, if nodes have any; the rest comes from the node itself.
const ZONE_SHARE: f64 = 2.0 / 3.0;

pub struct SelectorSpread;

static DOC: RuleDoc = RuleDoc {
    name: "SelectorSpread",
    code: "PRE-133",
    summary: "Prefers nodes and zones with few pods of the same services and controllers (default up to 1.19).",
    preemption: "Does not take part: it only scores.",
    scores: None,
    messages: &[],
    retried_on: None,
    source: "pkg/scheduler/framework/plugins/selectorspread/selector_spread.go (1.19)",
};

impl Signer for SelectorSpread {
    fn sees_alike(&self, _: &Cycle, _: &Pod) -> bool {
        // No release that has it shares scores.
        true
    }
}

impl ScorePlugin for SelectorSpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c> {
        let features = cycle.features();
        let (selectors, by_any) =
            if features.default_plugins.plugin_lists == PluginLists::Predicates {
                (by_selector(cycle), !features.selector_spread.selector_spread_by_all)
            } else {
                let selector = default_selector(cycle);
                (if selector.is_everything() { Vec::new() } else { vec![selector] }, false)
            };
        PreparedScore::ready(Series {
            cycle: *cycle,
            selectors: selectors.into(),
            by_any,
            yields: yields(cycle),
            on_nodes: CountsByNode::new(cycle.view.infos().len()),
            feasible: feasible.to_vec(),
        })
    }

    fn error_without_pre_score(&self, name: &str, cycle: &Cycle) -> Option<String> {
        (!yields(cycle)).then(|| no_state("reading", name, cycle))
    }
}

/// Whether the pod's own constraints replace this plugin.
fn yields(cycle: &Cycle) -> bool {
    cycle.features().selector_spread.selector_spread_yields && !cycle.template.spread.is_empty()
}

/// The pods from which the incoming one is spread.
struct Series<'c> {
    cycle: Cycle<'c>,
    /// What selects them; empty if nothing does.
    selectors: Arc<[Selector]>,
    /// Whether one of them is enough.
    by_any: bool,
    /// Whether the pod's own constraints replace this plugin.
    yields: bool,
    /// How many of them are on each node.
    on_nodes: CountsByNode,
    feasible: Vec<NodeIx>,
}

impl Series<'_> {
    fn has(&self, pod: &Pod) -> bool {
        let labels = self.cycle.cluster().labels(pod.labels);
        let mut selectors = self.selectors.iter();
        let selected = if self.by_any {
            selectors.any(|s| s.matches(labels))
        } else {
            selectors.len() > 0 && selectors.all(|s| s.matches(labels))
        };
        selected && pod.namespace == self.cycle.pod.namespace && !pod.is_terminating()
    }
}

/// The maximum score, reduced by `count` as a share of `most`.
#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn emptiness(count: i64, most: i64, best: f64) -> f64 {
    if most > 0 { best * ((most - count) as f64 / most as f64) } else { best }
}

impl Score for Series<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        if self.yields {
            return Ok(0);
        }
        Ok(self.on_nodes.of(node, || {
            let cluster = self.cycle.cluster();
            let count = node.pods.iter().filter(|ix: &&PodIx| self.has(cluster.pod(**ix))).count();
            i64::try_from(count).unwrap_or(i64::MAX)
        }))
    }

    #[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        if self.yields {
            return None;
        }
        let labels = ZoneLabels::new(self.cycle.view);
        let mut zones: BTreeMap<(Sym, Sym), i64> = BTreeMap::new();
        for (node, count) in self.feasible.iter().zip(raw) {
            if let Some(zone) = labels.of(*node, self.cycle.view) {
                *zones.entry(zone).or_default() += count;
            }
        }
        let most = raw.iter().copied().max().unwrap_or(0);
        let most_of_zone = zones.values().copied().max().unwrap_or(0);
        let best = self.cycle.max_score() as f64;
        let shares = self.feasible.iter().zip(raw).map(|(node, count)| {
            let own = emptiness(*count, most, best);
            let zone = labels.of(*node, self.cycle.view).and_then(|zone| zones.get(&zone));
            let shared = zone.map(|count| emptiness(*count, most_of_zone, best));
            shared.map_or(own, |zone| own * (1.0 - ZONE_SHARE) + ZONE_SHARE * zone) as i64
        });
        Some(shares.collect())
    }

    fn narrowed(&self, feasible: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        Some(Box::new(Self {
            cycle: self.cycle,
            selectors: Arc::clone(&self.selectors),
            by_any: self.by_any,
            yields: self.yields,
            on_nodes: self.on_nodes.clone(),
            feasible: feasible.to_vec(),
        }))
    }
}

impl Doubts for SelectorSpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let effect = "the pods that they select are spread: another node may score best";
        let decides = default_selector::READS.contains(&kind) && context.scores_decide();
        decides.then_some(Reliance::partial(Severity::Error, effect))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{at, node, objects, pod};
    use profile::Profile;

    /// The score of SelectorSpread, under whatever name, on nodes a, b and c, of which a and b share a
    /// zone.
    fn scores(version: &str, constraints: bool, with_service: bool) -> [i64; 3] {
        let host = |name: &str, zone: &str| {
            node(name).cpu("9").label("failure-domain.beta.kubernetes.io/zone", zone)
        };
        let mut incoming = pod("p").label("app", "web");
        if constraints {
            let constraint =
                json!({"topologyKey": "x", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"});
            incoming = incoming.with("/spec/topologySpreadConstraints", json!([constraint]));
        }
        let mut objects = objects![
            host("a", "1"),
            host("b", "1"),
            host("c", "2"),
            pod("w1").label("app", "web").on("a"),
            pod("w2").label("app", "web").on("a"),
            pod("w3").label("app", "web").on("c"),
            pod("leaving").label("app", "web").terminating().on("b"),
            pod("other").label("app", "db").on("b"),
            incoming,
        ];
        if with_service {
            objects.push(json!({
                "apiVersion": "v1", "kind": "Service",
                "metadata": {"name": "s", "namespace": "default"}, "spec": {"selector": {"app": "web"}},
            }));
        }
        let answer = at(version).decide(objects, "p");
        let names = ["SelectorSpreadPriority", "DefaultPodTopologySpread", "SelectorSpread"];
        let score = |node: &str| names.iter().find_map(|name| answer.scores(node, name));
        ["a", "b", "c"].map(|node| score(node).map_or(-1, |(_, _, weighted)| weighted))
    }

    #[test]
    fn few_pods_of_the_series_on_the_node_and_in_the_zone_are_best() {
        // a: 2 of 2 on the node, 2 of 2 in its zone; b: 0 and 2; c: 1 and 1.
        assert_eq!(scores("1.16", false, true), [0, 3, 5]);
        for version in ["1.17", "1.18", "1.19"] {
            assert_eq!(scores(version, false, true), [0, 33, 50], "{version}");
        }
        assert_eq!(scores("1.20", false, true), [-1, -1, -1], "default constraints take its place");
    }

    #[test]
    fn without_a_series_all_nodes_are_best() {
        assert_eq!(scores("1.12", false, false), [10, 10, 10]);
        assert_eq!(scores("1.19", false, false), [100, 100, 100]);
    }

    #[test]
    fn pods_with_constraints_of_their_own_are_left_alone_since_1_18() {
        assert_eq!(scores("1.17", true, true), [0, 33, 50]);
        assert_eq!(scores("1.18", true, true), [0, 0, 0]);
    }

    #[test]
    fn without_pre_score_its_score_fails() {
        let off = |profile: &mut Profile| {
            profile
                .plugins
                .pre_score
                .retain(|plugin| !["DefaultPodTopologySpread", "SelectorSpread"].contains(plugin));
        };
        let failed = |key: &str| {
            format!(
                "error while running score plugin for pod \"p\": Error reading \"{key}\" from cycleState: not found"
            )
        };
        let constraint =
            json!([{"topologyKey": "x", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}]);
        let spread = pod("p").with("/spec/topologySpreadConstraints", constraint);
        for (row, version, pod, want) in [
            ("its first name", "1.18", pod("p"), failed("PreScoreDefaultPodTopologySpread")),
            ("its second name", "1.19", pod("p"), failed("PreScoreSelectorSpread")),
            ("constraints of its own", "1.19", spread, String::new()),
        ] {
            let answer = at(version).with(off).decide(objects![node("a"), node("b"), pod], "p");
            assert_eq!(answer.message(), want, "{row}");
        }
    }
}

#[cfg(test)]
mod doubts_tests {
    use crate::testing::{node, objects, pod, without};

    #[test]
    fn services_and_controllers_matter_where_scores_decide() {
        for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
            for (objects, expected) in [
                (objects![node("a"), node("b"), pod("p")], "error"),
                (objects![node("a"), pod("p")], "info"),
            ] {
                assert_eq!(without("1.16", resource, objects), expected, "{resource}");
            }
        }
    }
}
