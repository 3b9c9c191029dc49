//! 1.16 to 1.18 only: the score of PodTopologySpread as matching pods in the node's domains,
//! without weights.
//!
//! Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/scoring.go` (1.18).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::constraint::Constraint;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::score::Score;
use model::cluster::node::NodeIx;
use model::cluster::symbols::Sym;

pub(super) struct PlainCounts<'c> {
    cycle: Cycle<'c>,
    /// Constraints, and matching pods by domain of a feasible node.
    constraints: Vec<(Arc<Constraint>, BTreeMap<Sym, i64>)>,
    feasible: Vec<NodeIx>,
}

impl<'c> PlainCounts<'c> {
    pub(super) fn new(
        cycle: &Cycle<'c>,
        constraints: Vec<Constraint>,
        feasible: &[NodeIx],
    ) -> Self {
        let label = |node: NodeIx, constraint: &Constraint| {
            cycle.view.node_label(node, constraint.topology_key)
        };
        let has_all = |node: NodeIx, of: &[Constraint]| of.iter().all(|c| label(node, c).is_some());
        let counting: Vec<&NodeInfo> = cycle
            .view
            .infos()
            .iter()
            .map(|info| &**info)
            .filter(|info| has_all(info.node, &constraints))
            .collect();
        let taking_part: Vec<NodeIx> =
            feasible.iter().copied().filter(|node| has_all(*node, &constraints)).collect();
        let count = |constraint: Constraint| {
            let mut counts: BTreeMap<Sym, i64> = taking_part
                .iter()
                .filter_map(|node| Some((label(*node, &constraint)?, 0)))
                .collect();
            for info in counting.iter().filter(|info| constraint.includes(cycle, info.node)) {
                let sum = label(info.node, &constraint).and_then(|domain| counts.get_mut(&domain));
                if let Some(sum) = sum {
                    *sum += constraint.count(cycle, info);
                }
            }
            (Arc::new(constraint), counts)
        };
        Self {
            cycle: *cycle,
            constraints: constraints.into_iter().map(count).collect(),
            feasible: feasible.to_vec(),
        }
    }

    fn takes_part(&self, node: NodeIx) -> bool {
        let has = |(c, _): &(Arc<Constraint>, _)| {
            self.cycle.view.node_label(node, c.topology_key).is_some()
        };
        self.constraints.iter().all(has)
    }
}

impl Score for PlainCounts<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        if !self.takes_part(node.node) {
            return Ok(0);
        }
        let here = |(c, counts): &(Arc<Constraint>, BTreeMap<Sym, i64>)| {
            counts.get(&self.cycle.view.node_label(node.node, c.topology_key)?).copied()
        };
        Ok(self.constraints.iter().filter_map(here).sum())
    }

    /// The share of all pods that are elsewhere; if all nodes are equal, all get the maximum score.
    #[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        if self.constraints.is_empty() {
            return vec![0; raw.len()];
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
        let score = |(raw, node): (&i64, &NodeIx)| {
            if range == 0 {
                best
            } else if self.takes_part(*node) {
                (best as f64 * ((total - raw) as f64 / range as f64)) as i64
            } else {
                0
            }
        };
        raw.iter().zip(&self.feasible).map(score).collect()
    }

    fn narrowed(&self, feasible: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        // A domain without feasible nodes is never looked up: the counts stay as they are.
        let (cycle, constraints) = (self.cycle, self.constraints.clone());
        Some(Box::new(Self { cycle, constraints, feasible: feasible.to_vec() }))
    }
}
