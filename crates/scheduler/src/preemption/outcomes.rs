//! All possible results if the scheduler uses an order that the API does not show.
//!
//! There are two such orders: the map order of candidates that tie on every criterion (all of them
//! are winners), and the order in which the budgets of a pod are walked when one of them runs out
//! (each order is tried). The effect of the order of pods is found in `victim_orders`.

use std::collections::{BTreeMap, BTreeSet};

use model::cluster::{BudgetIx, NodeIx};

/// The largest number of budgets for which all orders are tried: 24.
const ALL_ORDERS_UP_TO: usize = 4;

/// The orders in which the budgets may be walked, other than by name.
pub(crate) fn budget_orders(
    involved: &BTreeSet<BudgetIx>,
) -> (Vec<BTreeMap<BudgetIx, usize>>, OrdersTried) {
    let by_name: Vec<BudgetIx> = involved.iter().copied().collect();
    if by_name.len() > ALL_ORDERS_UP_TO {
        // Only the first exhausted budget stops the walk, so it is enough for each budget to come
        // first once.
        let first = by_name.iter().map(|budget| {
            let others = by_name.iter().filter(|b| *b != budget);
            rank(std::iter::once(budget).chain(others))
        });
        let reversed = rank(by_name.iter().rev());
        return (first.chain(std::iter::once(reversed)).collect(), OrdersTried::Some);
    }
    let mut orders = Vec::new();
    permutations(&mut by_name.clone(), 0, &mut |order| orders.push(rank(order.iter())));
    orders.retain(|order| order.values().copied().ne(0..by_name.len()));
    (orders, OrdersTried::All)
}

/// Whether every order was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrdersTried {
    All,
    /// Only some, since there are too many.
    Some,
}

fn rank<'a>(order: impl Iterator<Item = &'a BudgetIx>) -> BTreeMap<BudgetIx, usize> {
    order.enumerate().map(|(rank, budget)| (*budget, rank)).collect()
}

fn permutations(items: &mut [BudgetIx], from: usize, visit: &mut impl FnMut(&[BudgetIx])) {
    if from == items.len() {
        visit(items);
        return;
    }
    for i in from..items.len() {
        items.swap(from, i);
        permutations(items, from + 1, visit);
        items.swap(from, i);
    }
}

/// The nodes that win in at least one order.
pub(crate) fn union(winners: impl IntoIterator<Item = Vec<NodeIx>>) -> Vec<NodeIx> {
    winners.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;
