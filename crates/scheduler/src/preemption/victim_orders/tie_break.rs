//! Which nodes win the tie-break for some order of pods, and with which victims.
//!
//! The order on one node tells nothing about that on another. So a node can win with a set of victims if this costs no more than
//! the worst set of each other candidate.

use super::{Openness, VictimOrders};
use crate::preemption::dry_run::Candidate;
use crate::preemption::pick_node::{self, Cost};
use crate::preemption::victim_choices::VictimChoices;
use model::cluster::node::NodeIx;

/// What the tie-break leaves, over every order.
pub(in crate::preemption) struct TieBreaks {
    /// The nodes that win for at least one order.
    pub nodes: Vec<NodeIx>,
    /// Whether these are all.
    pub complete: bool,
    /// What victims cost at most that make their node win.
    limit: Option<Cost>,
}

/// A candidate over every order.
struct Range {
    node: NodeIx,
    best: Cost,
    worst: Cost,
    /// Whether its victims cannot cost more than `worst`.
    certain: bool,
}

impl VictimOrders<'_, '_> {
    fn cost(&self, candidate: &Candidate) -> Cost {
        pick_node::cost(candidate, self.cluster(), self.features(), self.now)
    }

    /// Breaks the tie for every order.
    pub fn tie_breaks<'a>(&mut self, candidates: impl Iterator<Item = &'a Candidate>) -> TieBreaks {
        let mut by_cost: Vec<(Cost, &Candidate)> = candidates.map(|c| (self.cost(c), c)).collect();
        by_cost.sort_by_key(|(cost, candidate)| (*cost, candidate.node));
        let mut complete = true;
        let mut range = |(cost, candidate): (Cost, &Candidate)| {
            let choices = self.choices(candidate, Openness::Numbers);
            let again = self.features().victims_sorted_again;
            let ways = choices.iter().flat_map(|choices| choices.candidates(candidate, again));
            let costs: Vec<Cost> = ways.map(|way| self.cost(&way)).chain([cost]).collect();
            let all_tried = choices.is_none_or(|choices| choices.complete);
            complete &= all_tried;
            Range {
                node: candidate.node,
                best: costs.iter().min().copied().unwrap_or(cost),
                worst: costs.iter().max().copied().unwrap_or(cost),
                certain: all_tried && depends_on_nothing_else(candidate),
            }
        };
        let ranges: Vec<Range> = by_cost.into_iter().map(&mut range).collect();
        let worst = |ranges: &mut dyn Iterator<Item = &Range>| ranges.map(|range| range.worst).min();
        let known = worst(&mut ranges.iter());
        let limit = worst(&mut ranges.iter().filter(|range| range.certain));
        // A node wins for some order if its best way costs no more than the worst way of any other.
        let may_win = ranges.into_iter().filter(|range| Some(range.best) <= known).map(|range| range.node);
        TieBreaks { nodes: may_win.collect(), complete, limit }
    }

    /// Which of these victims may be evicted on the candidate's node, considering that it has to win; `None` if all orders in which
    /// it wins evict those of the dry run.
    pub fn winning(
        &self,
        mut choices: VictimChoices,
        candidate: &Candidate,
        found: &TieBreaks,
    ) -> Option<VictimChoices> {
        // What other orders of its budgets cost is not compared.
        if let Some(limit) = found.limit.filter(|_| !candidate.depends_on_budget_order) {
            choices.keep_winning(candidate, self.features().victims_sorted_again, |way| self.cost(way) <= limit);
        }
        let settled = choices.is_settled() && choices.with_dry_run && !choices.may_lose();
        (!settled).then_some(choices)
    }
}

/// Whether only the order of its pods that tie may change the candidate's victims.
const fn depends_on_nothing_else(candidate: &Candidate) -> bool {
    !(candidate.depends_on_budget_order || candidate.groups_tie || candidate.domains_tie)
}
