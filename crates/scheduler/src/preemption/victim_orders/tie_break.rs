//! Which nodes win the tie-break for some order of pods, and with which victims.
//!
//! Orders on different nodes are independent. So a node can win with a set of victims if this costs
//! no more than the worst set of each other candidate.

use super::{OrderDependence, VictimOrders};
use crate::preemption::dry_run::Candidate;
use crate::preemption::pick_node::{self, CandidateCost};
use crate::preemption::victim_choices::VictimChoices;
use model::cluster::NodeIx;

/// The result of the tie-break over all orders.
pub(in crate::preemption) struct TieBreaks {
    /// The nodes that win for at least one order.
    pub nodes: Vec<NodeIx>,
    /// Whether these are all.
    pub complete: bool,
    /// The maximum cost of victims with which a node still wins.
    limit: Option<CandidateCost>,
}

/// The cost of a candidate in the tie-break, over all orders.
struct CostRange {
    node: NodeIx,
    best: CandidateCost,
    worst: CandidateCost,
    /// Whether its victims cannot cost more than `worst`.
    certain: bool,
}

impl VictimOrders<'_, '_> {
    fn cost(&self, candidate: &Candidate) -> CandidateCost {
        pick_node::cost(candidate, self.cluster(), self.features(), self.now)
    }

    pub fn tie_breaks<'a>(&mut self, candidates: impl Iterator<Item = &'a Candidate>) -> TieBreaks {
        let mut by_cost: Vec<(CandidateCost, &Candidate)> =
            candidates.map(|c| (self.cost(c), c)).collect();
        by_cost.sort_by_key(|(cost, candidate)| (*cost, candidate.node));

        // The possible costs of each candidate. Those cheapest in the dry run come first, since
        // checks may run out.
        let mut ranges: Vec<CostRange> = Vec::with_capacity(by_cost.len());
        let mut complete = true;
        for (cost, candidate) in by_cost {
            let choices = self.choices(candidate, OrderDependence::Numbers);
            let mut range =
                CostRange { node: candidate.node, best: cost, worst: cost, certain: true };
            if let Some(choices) = &choices {
                for alternative in
                    choices.candidates(candidate, self.features().victims_sorted_again)
                {
                    let cost = self.cost(&alternative);
                    range.best = range.best.min(cost);
                    range.worst = range.worst.max(cost);
                }
            }
            let all_tried = choices.is_none_or(|choices| choices.complete);
            complete &= all_tried;
            range.certain = all_tried && depends_on_nothing_else(candidate);
            ranges.push(range);
        }

        // The orders on different nodes are independent: a node wins for some of them if its best
        // costs no more than the worst of each other node.
        let least_worst = ranges.iter().map(|range| range.worst).min();
        let limit = ranges.iter().filter(|range| range.certain).map(|range| range.worst).min();
        let may_win =
            ranges.iter().filter(|range| Some(range.best) <= least_worst).map(|range| range.node);
        TieBreaks { nodes: may_win.collect(), complete, limit }
    }

    /// Which of these victims may be evicted on the candidate's node, given that it has to win;
    /// `None` if all orders in which it wins evict those of the dry run.
    pub fn winning(
        &self,
        mut choices: VictimChoices,
        candidate: &Candidate,
        found: &TieBreaks,
    ) -> Option<VictimChoices> {
        // The cost under other orders of its budgets is not compared.
        if let Some(limit) = found.limit.filter(|_| !candidate.depends_on_budget_order) {
            choices.keep_winning(candidate, self.features().victims_sorted_again, |way| {
                self.cost(way) <= limit
            });
        }
        let settled = choices.is_settled() && choices.with_dry_run && !choices.may_lose();
        (!settled).then_some(choices)
    }
}

/// Whether the candidate's victims depend on nothing but the order of its pods that tie.
const fn depends_on_nothing_else(candidate: &Candidate) -> bool {
    !(candidate.depends_on_budget_order || candidate.groups_tie || candidate.domains_tie)
}
