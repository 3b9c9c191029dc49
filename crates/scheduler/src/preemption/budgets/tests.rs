use serde_json::{Value, json};

use super::{BudgetIndex, VictimBudgets, count_violations};
use crate::preemption::dry_run::{DryRun, Victim};
use crate::testing::{Budget, Pod, at, budget, cluster, decide, features, node, objects, pod};
use model::cluster::BudgetIx;

/// Three victims by importance, and which of them violate the budgets in `version`.
fn violations(version: &str, pods: [Pod; 3], budgets: Vec<Budget>) -> String {
    let mut objects = objects![node("n").cpu("3"), pod("p").cpu("3").priority(10)];
    objects.extend(
        pods.into_iter()
            .zip([3, 2, 1])
            .map(|(p, priority)| p.cpu("1").priority(priority).on("n").into()),
    );
    objects.extend(budgets.into_iter().map(Value::from));
    let answer = at(version).decide(objects, "p");
    let Some(DryRun::Candidate(candidate)) = answer.dry_run_of("n") else { panic!("{answer:?}") };
    let mut victims: Vec<&Victim> = candidate.victims.iter().collect();
    // Some versions list the pods that violate budgets first.
    victims.sort_by_key(|v| std::cmp::Reverse(answer.cluster.pod(v.pod).priority));
    assert_eq!(victims.len(), 3, "all have to go: {answer:?}");
    assert_eq!(candidate.violations, victims.iter().filter(|v| !v.violates.is_empty()).count());
    // `x` marks a victim that violates a budget, most important first.
    victims.iter().map(|v| if v.violates.is_empty() { '-' } else { 'x' }).collect()
}

fn web() -> [Pod; 3] {
    ["a", "b", "c"].map(|name| pod(name).label("app", "web"))
}

#[test]
fn the_most_important_pods_use_a_budget_up_first() {
    for version in ["1.33", "1.36", "1.37"] {
        for (allowed, want) in [(-1, "xxx"), (0, "xxx"), (1, "-xx"), (2, "--x"), (3, "---")] {
            let got = violations(
                version,
                web(),
                vec![budget("b").selects("app", "web").allowed(allowed)],
            );
            assert_eq!(got, want, "{version}: {allowed} allowed");
        }
    }
}

#[test]
fn budget_protects_pods_that_its_selector_matches() {
    let negative =
        json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]});
    let unlabelled = || ["a", "b", "c"].map(pod);
    for (row, pods, budget, want) in [
        ("none at all", web(), budget("b").selects("app", "db"), "---"),
        ("by label", web(), budget("b").selects("app", "web"), "xxx"),
        (
            "by a listed value",
            web(),
            budget("b")
                .selector(json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["db", "web"]}]})),
            "xxx",
        ),
        ("by what a pod is not", web(), budget("b").selector(negative.clone()), "xxx"),
        (
            "by the presence of a label",
            web(),
            budget("b").selector(json!({"matchExpressions": [{"key": "app", "operator": "Exists"}]})),
            "xxx",
        ),
        ("pods of another namespace", web(), budget("b").ns("other").selects("app", "web"), "---"),
        ("an empty selector protects nobody", web(), budget("b").selector(json!({})), "---"),
        ("an absent selector protects nobody", web(), budget("b"), "---"),
        (
            "a selector that cannot be parsed protects nobody",
            web(),
            budget("b").selector(json!({"matchExpressions": [{"key": "app", "operator": "Like"}]})),
            "---",
        ),
        ("a pod without labels is never protected", unlabelled(), budget("b").selector(negative), "---"),
        ("a pod whose eviction is counted already", web(), budget("b").selects("app", "web").disrupted("b"), "x-x"),
        (
            "it does not use the budget up either",
            web(),
            budget("b").selects("app", "web").allowed(1).disrupted("a"),
            "--x",
        ),
        (
            "minAvailable is not looked at",
            web(),
            budget("b").selects("app", "web").with("/spec/minAvailable", 3).allowed(3),
            "---",
        ),
    ] {
        for version in ["1.36", "1.37"] {
            assert_eq!(violations(version, pods.clone(), vec![budget.clone()]), want, "{version}: {row}");
        }
    }
}

#[test]
fn an_empty_selector_protects_all_pods_since_1_38() {
    let negative =
        json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]});
    let unlabelled = || ["a", "b", "c"].map(pod);
    for (row, pods, selector) in [
        ("with labels", web(), json!({})),
        ("without labels", unlabelled(), json!({})),
        ("without labels, by what they are not", unlabelled(), negative),
    ] {
        let found = |version| {
            violations(version, pods.clone(), vec![budget("b").selector(selector.clone())])
        };
        assert_eq!((found("1.37"), found("1.38")), ("---".into(), "xxx".into()), "{row}");
    }
    assert_eq!(violations("1.38", web(), vec![budget("b")]), "---", "an absent selector");
}

#[test]
fn an_exhausted_budget_hides_later_ones_since_1_37() {
    // a has both budgets, of which the first is exhausted; b and c have the second alone.
    let pods = || [web()[0].clone().label("tier", "1"), web()[1].clone(), web()[2].clone()];
    let budgets = || {
        vec![
            budget("first").selects("tier", "1"),
            budget("second").selects("app", "web").allowed(2),
        ]
    };
    assert_eq!(violations("1.36", pods(), budgets()), "x-x", "every budget of a is counted down");
    assert_eq!(violations("1.37", pods(), budgets()), "x--", "the second one is not reached");
}

#[test]
fn order_of_budgets_matters_only_if_counting_stops_early() {
    let cluster = cluster(objects![
        pod("a").label("x", "1").label("y", "1"),
        pod("b").label("y", "1"),
        budget("x").selects("x", "1"),
        budget("y").selects("y", "1").allowed(1),
    ]);
    let index = BudgetIndex::new(&cluster, &features("1.36").preemption);
    let pods = |pod| VictimBudgets { pod, violates: index.of(cluster.pod(pod), &cluster) };
    let violated = |version, order: &dyn Fn(BudgetIx) -> usize| -> Vec<Vec<u32>> {
        let mut pods: Vec<VictimBudgets> = cluster.pod_indices().map(pods).collect();
        count_violations(&mut pods, &cluster, &features(version).preemption, order);
        pods.into_iter().map(|s| s.violates.iter().map(|b| b.0).collect()).collect()
    };
    let (by_name, reversed) = (|b: BudgetIx| b.0 as usize, |b: BudgetIx| 10 - b.0 as usize);
    assert_eq!(violated("1.36", &by_name), [vec![0], vec![1]]);
    assert_eq!(violated("1.36", &reversed), [vec![0], vec![1]]);
    assert_eq!(
        violated("1.37", &by_name),
        [vec![0], vec![]],
        "x stops the walk, so y is left for b"
    );
    assert_eq!(
        violated("1.37", &reversed),
        [vec![0], vec![1]],
        "y is counted down before x stops the walk"
    );
}

#[test]
fn pods_with_the_same_labels_meet_the_budgets_of_their_own_namespace() {
    let labelled = |name: &str| pod(name).label("x", "1");
    let cluster = cluster(objects![
        labelled("a"),
        labelled("b").ns("other"),
        labelled("c"),
        budget("here").selects("x", "1").disrupted("c"),
        budget("there").ns("other").selects("x", "1"),
    ]);
    let index = BudgetIndex::new(&cluster, &features("1.36").preemption);
    let found = |name: &str| -> Vec<&str> {
        let pod = cluster.pods.iter().find(|pod| &*pod.name == name).expect("there is such a pod");
        index.of(pod, &cluster).iter().map(|b| &*cluster.budget(*b).name).collect()
    };
    for _ in 0..2 {
        assert_eq!([found("a"), found("b"), found("c")], [vec!["here"], vec!["there"], vec![]]);
    }
}

#[test]
fn a_pod_meets_each_of_its_budgets_once() {
    let cluster = cluster(objects![
        pod("a").label("x", "1").label("y", "1"),
        budget("both").selector(json!({"matchLabels": {"x": "1", "y": "1"}})),
        budget("half").selector(json!({"matchLabels": {"x": "1", "y": "2"}})),
        budget("not")
            .selector(json!({"matchExpressions": [{"key": "z", "operator": "DoesNotExist"}]})),
        budget("other").ns("other").selects("x", "1"),
    ]);
    let found =
        BudgetIndex::new(&cluster, &features("1.36").preemption).of(&cluster.pods[0], &cluster);
    let names: Vec<&str> = found.iter().map(|b| &*cluster.budget(*b).name).collect();
    assert_eq!(names, ["both", "not"]);
}

#[test]
fn an_unknown_order_of_budgets_is_reported() {
    let objects = objects![
        node("n").cpu("2"),
        pod("a").label("x", "1").label("y", "1").cpu("1").priority(2).on("n"),
        pod("b").label("y", "1").cpu("1").priority(1).on("n"),
        budget("x").selects("x", "1"),
        budget("y").selects("y", "1").allowed(1),
        pod("p").cpu("2").priority(10),
    ];
    let answer = decide(objects.clone(), "p");
    assert_eq!(answer.dry_run("n"), "victims a b, violations 1");
    let said = |notes: Vec<String>| {
        notes
            .iter()
            .any(|n| n.contains("default/x, PodDisruptionBudget default/y") && n.contains("random"))
    };
    assert!(said(answer.notes()), "{:?}", answer.notes());
    assert!(!said(at("1.36").decide(objects, "p").notes()), "up to 1.36 the order does not matter");
}

#[test]
fn eras_count_budgets_differently() {
    let one = |allowed| vec![budget("b").selects("app", "web").allowed(allowed)];
    for (version, none_left, one_left) in
        [("1.12", "xxx", "---"), ("1.17", "xxx", "---"), ("1.18", "xxx", "-xx")]
    {
        assert_eq!(violations(version, web(), one(0)), none_left, "{version}");
        assert_eq!(
            violations(version, web(), one(1)),
            one_left,
            "{version}: one eviction is allowed"
        );
    }
    // a has both budgets, of which the first is exhausted; b and c have the second alone.
    let pods = || [web()[0].clone().label("tier", "1"), web()[1].clone(), web()[2].clone()];
    let budgets = || {
        vec![
            budget("first").selects("tier", "1"),
            budget("second").selects("app", "web").allowed(2),
        ]
    };
    assert_eq!(violations("1.18", pods(), budgets()), "x--", "the second one is not reached");
    assert_eq!(violations("1.19", pods(), budgets()), "x-x", "every budget of a is counted down");
    let counted = || {
        vec![
            budget("b")
                .selects("app", "web")
                .with("/status/disruptedPods", json!({"a": "2026-01-01T00:00:00Z"})),
        ]
    };
    assert_eq!(violations("1.18", web(), counted()), "xxx");
    assert_eq!(
        violations("1.19", web(), counted()),
        "-xx",
        "the eviction of a has been counted before"
    );
}
