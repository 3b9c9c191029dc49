//! By default up to 1.19: `SelectorSpread`, which prefers nodes and zones with few pods of the same
//! service or controller.

mod doubts;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::default_selector::{by_selector, default_selector};
use crate::framework::failure::StepFailure;
use crate::framework::node_order::ZoneLabels;
use crate::framework::plugin::{Cycle, RuleDoc, Signer};
use crate::framework::score::{CountsByNode, PreparedScore, Score, ScorePlugin, no_state};
use model::cluster::selector::Selector;
use model::cluster::{NodeIx, Pod, PodIx, Sym};
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
    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        if self.yields {
            return raw.to_vec();
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
        self.feasible
            .iter()
            .zip(raw)
            .map(|(node, count)| {
                let own = emptiness(*count, most, best);
                let zone = labels.of(*node, self.cycle.view).and_then(|zone| zones.get(&zone));
                let shared = zone.map(|count| emptiness(*count, most_of_zone, best));
                shared.map_or(own, |zone| own * (1.0 - ZONE_SHARE) + ZONE_SHARE * zone) as i64
            })
            .collect()
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

#[cfg(test)]
mod tests;
