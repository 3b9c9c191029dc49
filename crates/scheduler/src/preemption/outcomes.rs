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
mod tests {
    use std::collections::BTreeSet;

    use super::{OrdersTried, budget_orders, union};
    use crate::testing::{at, budget, decide, node, objects, pod};
    use model::cluster::{BudgetIx, NodeIx};

    #[test]
    fn every_order_of_up_to_four_budgets_but_the_one_by_name() {
        for (budgets, orders, coverage) in [
            (0, 0, OrdersTried::All),
            (1, 0, OrdersTried::All),
            (2, 1, OrdersTried::All),
            (3, 5, OrdersTried::All),
            (4, 23, OrdersTried::All),
            (5, 6, OrdersTried::Some),
            (9, 10, OrdersTried::Some),
        ] {
            let involved: BTreeSet<BudgetIx> = (0..budgets).map(|b| BudgetIx(b * 3)).collect();
            let (found, said) = budget_orders(&involved);
            assert_eq!((found.len(), said), (orders, coverage), "{budgets} budgets");
            for order in &found {
                assert!(order.keys().eq(&involved), "every budget has its rank");
                let ranks: BTreeSet<usize> = order.values().copied().collect();
                assert!(ranks.into_iter().eq(0..involved.len()), "ranks are distinct");
            }
        }
    }

    #[test]
    fn with_many_budgets_each_comes_first_once() {
        let involved: BTreeSet<BudgetIx> = (0..6).map(BudgetIx).collect();
        let (orders, _) = budget_orders(&involved);
        let first: BTreeSet<BudgetIx> = orders
            .iter()
            .filter_map(|o| o.iter().min_by_key(|(_, rank)| **rank))
            .map(|(b, _)| *b)
            .collect();
        assert_eq!(first, involved);
    }

    #[test]
    fn winners_of_all_orders_add_up() {
        let nodes = |list: &[u32]| list.iter().copied().map(NodeIx).collect::<Vec<_>>();
        assert_eq!(union([nodes(&[2]), nodes(&[0, 2]), nodes(&[])]), nodes(&[0, 2]));
    }

    #[test]
    fn another_order_of_budgets_may_have_another_winner() {
        // On m one victim violates its own budget. On n, a violates x; whether b violates y depends on
        // the order of the budgets.
        let objects = objects![
            node("m").cpu("2"),
            node("n").cpu("2"),
            pod("c").label("z", "1").cpu("2").priority(5).on("m"),
            pod("a").label("x", "1").label("y", "1").cpu("1").priority(2).on("n"),
            pod("b").label("y", "1").cpu("1").priority(1).on("n"),
            budget("x").selects("x", "1"),
            budget("y").selects("y", "1").allowed(1),
            budget("z").selects("z", "1"),
            pod("p").cpu("2").priority(10),
        ];
        let answer = decide(objects.clone(), "p");
        assert_eq!(
            (answer.dry_run("n").as_str(), answer.winners().as_str()),
            ("victims a b, violations 1", "m n")
        );
        assert_eq!(answer.certainty(), "OneOf");
        let before = at("1.36").decide(objects, "p");
        assert_eq!(
            (before.dry_run("n").as_str(), before.winners().as_str()),
            ("victims a b, violations 2", "m")
        );
    }
}
