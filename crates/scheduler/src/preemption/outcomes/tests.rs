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
