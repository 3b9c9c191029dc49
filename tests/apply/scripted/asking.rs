//! The questions to the user, and what is refused.

use kubectl_preempt::apply::journal::VictimState;
use kubectl_preempt::apply::{ApplyOptions, DryRunMode, Mode};

use super::{assert_run, budget, rig, sent, two};
use crate::apply::model::Model;
use crate::apply::rig::{Ran, Rig, options};
use crate::apply::server::Request;
use testing::assert_has;

fn asked(
    mut rig: Rig,
    answers: Option<Vec<&'static str>>,
    options: &ApplyOptions,
) -> (Ran, Vec<String>, Rig) {
    rig.user.answers = answers;
    let ran = rig.run(ApplyOptions { yes: false, ..options.clone() });
    let questions = rig.user.asked.clone();
    (ran, questions, rig)
}

#[test]
fn a_plan_without_dangers_takes_a_y() {
    for (answer, code) in [("y", 0), ("Y", 0), ("n", 2), ("", 2), ("yes", 2)] {
        let (ran, questions, rig) = asked(rig(), Some(vec![answer]), &options());
        assert_eq!((ran.code(), sent(&rig).is_empty()), (code, code == 2), "{answer}");
        assert_eq!(questions, ["Do you want to continue? (y/N): "]);
    }
    // An empty answer declines.
    let (ran, _, rig) = asked(rig(), Some(Vec::new()), &options());
    assert_eq!(
        (ran.code(), ran.problem().as_str(), sent(&rig).len()),
        (2, "nothing was done: cancelled", 0)
    );
}

#[test]
fn without_a_terminal_a_run_needs_yes() {
    let (ran, _, rig) = asked(rig(), None, &options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert!(ran.problem().starts_with("nothing was done: cannot ask for confirmation"));
    assert_eq!(ran.json["confirmedAt"], serde_json::Value::Null);
}

fn five() -> Model {
    let mut model = Model { schedules: true, ..Model::default() };
    model.add_node("n1", 5000);
    for name in ["a", "b", "c", "d", "e"] {
        model.add_pod(name, 1, 1000, Some("n1"), "x");
    }
    model.add_pod("web", 100, 5000, None, "web");
    model
}

#[test]
fn a_dangerous_plan_takes_the_name_of_the_context() {
    for (answer, code) in [("main", 0), ("y", 2), ("Main", 2)] {
        let (ran, questions, _) =
            asked(Rig::new(five(), |_, _| None).unwrap(), Some(vec![answer]), &options());
        assert_eq!(ran.code(), code, "{answer}: {}", ran.problem());
        assert_eq!(questions, ["This is dangerous. Type main to continue: "]);
        assert!(ran.said("Warning: 5 pods are removed"));
    }
}

/// A budget selects both victims and allows one disruption.
fn violating() -> Model {
    let mut model = two();
    model.set_budget(budget("a", 0, 3));
    model
}

#[test]
fn a_deletion_that_violates_a_budget_takes_the_name_of_the_context() {
    let delete = ApplyOptions { mode: Mode::Delete, ..options() };
    let rig = || Rig::new(violating(), |_, _| None).unwrap();
    for (answer, code) in [("main", 0), ("y", 2), ("n", 2)] {
        let (ran, questions, rig) = asked(rig(), Some(vec![answer]), &delete);
        assert_eq!(
            (ran.code(), sent(&rig).is_empty()),
            (code, code == 2),
            "{answer}: {}",
            ran.problem()
        );
        assert!(
            ran.said("Warning: deletions violate PodDisruptionBudget shop/guard-a"),
            "{:?}",
            ran.lines
        );
        assert_eq!(questions, ["This is dangerous. Type main to continue: "], "one question");
    }
    let mut yes = rig();
    let ran = yes.run(delete.clone());
    assert_eq!((ran.code(), sent(&yes).len()), (2, 0));
    assert_has(&ran.problem(), "--yes is not enough to violate PodDisruptionBudget shop/guard-a");
    let mut forced = rig();
    assert_eq!(forced.run(ApplyOptions { force: true, ..delete }).code(), 0);
}

#[test]
fn an_eviction_that_violates_a_budget_fails_its_dry_run() {
    let mut rig = Rig::new(violating(), |_, _| None).unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert_eq!(ran.states(), [VictimState::DryRunRefused, VictimState::NotStarted]);
    assert_eq!(
        ran.problem(),
        "nothing was done: the server would refuse to remove shop/low-a: Cannot evict pod as it would violate the pod's disruption \
         budget. The disruption budget guard-a needs 3 healthy pods and has 4 currently"
    );
}

#[test]
fn a_pod_with_several_budgets_is_refused_before_the_dry_run() {
    let mut model = two();
    model.set_budget(budget("a", 2, 2));
    model.set_budget(crate::apply::model::Budget { name: "other".to_owned(), ..budget("a", 2, 2) });
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { force: true, ..options() });
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert_has(&ran.problem(), "shop/low-a is selected by several PodDisruptionBudgets");
    assert_has(&ran.problem(), "(use --mode=delete)");
    let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
    assert_eq!(ran.code(), 0, "{}", ran.problem());
}

#[test]
fn pods_without_a_controller_need_force() {
    let mut model = two();
    let uid = model.now.named("low-b").unwrap().uid.clone();
    model.change_pod(&uid, |pod| pod.owned = false);
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert_eq!(
        ran.problem(),
        "nothing was done: refused: shop/low-b has no controller: it is not recreated (use --force)"
    );
    // A plan that needs --force is dangerous.
    rig.user.answers = Some(vec!["main"]);
    let ran = rig.run(ApplyOptions { force: true, yes: false, ..options() });
    assert_eq!(ran.code(), 0);
    assert!(ran.said("Warning: shop/low-b has no controller: it is not recreated"));
}

#[test]
fn missing_permissions_are_reported_before_any_dry_run() {
    let mut rig = rig();
    rig.view(|view| {
        view.denied = vec![("create", "pods/eviction"), ("get", "pods"), ("create", "events")];
    });
    let ran = rig.run(ApplyOptions { record: true, ..options() });
    assert_eq!((ran.code(), rig.view(|w| w.requests.iter().any(Request::is_write))), (2, false));
    assert_eq!(
        ran.problem(),
        "nothing was done: you may not create pods/eviction in namespace shop; get pods in namespace shop"
    );
    rig.view(|view| view.denied = vec![("patch", "pods/status"), ("create", "events")]);
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert!(ran.problem().contains("you may not patch pods/status in namespace shop"));
    let ran = rig.run(ApplyOptions { record: true, ..options() });
    assert_run(&ran, &rig, 0, &["evict low-a", "evict low-b"]);
    assert!(ran.said(
        "Warning: may not create events.events.k8s.io in namespace shop: no events are written"
    ));
}

#[test]
fn a_preemptor_that_is_not_in_the_cluster_is_refused() {
    let mut rig = rig();
    rig.plan.placed[0].pod.uid.clear();
    assert_eq!(
        rig.refused(options()),
        "pod shop/web is not in the cluster: there is nothing to do"
    );
}

#[test]
fn a_dry_run_asks_no_question() {
    for dry_run in [DryRunMode::Client, DryRunMode::Server] {
        let (ran, questions, _) = asked(rig(), None, &ApplyOptions { dry_run, ..options() });
        assert_eq!((ran.code(), questions.len()), (0, 0));
    }
}
