//! 1.16 to 1.18 only: the score of PodTopologySpread as matching pods in the node's domains,
//! without weights.
//!
//! Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/scoring.go` (1.18).

use std::sync::Arc;

use indexmap::IndexMap;

use super::constraint::Constraint;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::score::Score;
use model::cluster::{NodeIx, Sym};

/// Matching pods by domain.
type Counts = IndexMap<Sym, i64, foldhash::fast::RandomState>;

pub(super) struct PlainCounts<'c> {
    cycle: Cycle<'c>,
    /// Constraints, and matching pods by domain of a feasible node.
    constraints: Vec<(Arc<Constraint>, Counts)>,
    feasible: Vec<NodeIx>,
}

impl<'c> PlainCounts<'c> {
    pub(super) fn new(
        cycle: &Cycle<'c>,
        constraints: Vec<Constraint>,
        feasible: &[NodeIx],
    ) -> Self {
        let mut counted = Vec::with_capacity(constraints.len());
        for constraint in &constraints {
            // Only the domains of feasible nodes count, but the pods of all nodes in them.
            let mut counts = Counts::default();
            for node in feasible.iter().filter(|node| has_all_labels(cycle, **node, &constraints)) {
                if let Some(domain) = cycle.view.node_label(*node, constraint.topology_key) {
                    counts.insert(domain, 0);
                }
            }
            for info in cycle.view.infos() {
                if !has_all_labels(cycle, info.node, &constraints)
                    || !constraint.includes(cycle, info.node)
                {
                    continue;
                }
                let domain = cycle.view.node_label(info.node, constraint.topology_key);
                if let Some(count) = domain.and_then(|domain| counts.get_mut(&domain)) {
                    *count += constraint.count(cycle, info);
                }
            }
            counted.push(counts);
        }
        Self {
            cycle: *cycle,
            constraints: constraints.into_iter().map(Arc::new).zip(counted).collect(),
            feasible: feasible.to_vec(),
        }
    }

    fn takes_part(&self, node: NodeIx) -> bool {
        self.constraints.iter().all(|(constraint, _)| {
            self.cycle.view.node_label(node, constraint.topology_key).is_some()
        })
    }
}

/// Whether a node has a domain for every constraint; others are not scored.
fn has_all_labels(cycle: &Cycle, node: NodeIx, constraints: &[Constraint]) -> bool {
    constraints
        .iter()
        .all(|constraint| cycle.view.node_label(node, constraint.topology_key).is_some())
}

impl Score for PlainCounts<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        if !self.takes_part(node.node) {
            return Ok(0);
        }
        Ok(self
            .constraints
            .iter()
            .filter_map(|(c, counts)| {
                counts.get(&self.cycle.view.node_label(node.node, c.topology_key)?).copied()
            })
            .sum())
    }

    /// The share of all pods that are elsewhere; if all nodes are equal, all get the maximum score.
    #[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        if self.constraints.is_empty() {
            return Some(vec![0; raw.len()]);
        }
        let best = self.cycle.max_score();
        let part = || {
            raw.iter()
                .zip(&self.feasible)
                .filter(|(_, node)| self.takes_part(**node))
                .map(|(raw, _)| *raw)
        };
        let (total, least) = (part().sum::<i64>(), part().min().unwrap_or(i64::MAX));
        let range = total.wrapping_sub(least);
        let shares = raw.iter().zip(&self.feasible).map(|(raw, node)| {
            if range == 0 {
                best
            } else if self.takes_part(*node) {
                (best as f64 * ((total - raw) as f64 / range as f64)) as i64
            } else {
                0
            }
        });
        Some(shares.collect())
    }

    fn narrowed(&self, feasible: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        // A domain without feasible nodes is never looked up: the counts stay as they are.
        let (cycle, constraints) = (self.cycle, self.constraints.clone());
        Some(Box::new(Self { cycle, constraints, feasible: feasible.to_vec() }))
    }
}
