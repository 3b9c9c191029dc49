//! Watches are open and silent, while the cluster changes: no pod is evicted in vain.

use std::time::Duration;

use kubectl_preempt::apply::journal::Landing;
use kubectl_preempt::apply::{ApplyOptions, Mode, WaitTimes};

use super::{assert_run, budget, carried_out, sent, two};
use crate::apply::model::Model;
use crate::apply::rig::{Ran, Rig, fast, options};
use crate::apply::server::{Fault, Request, Silence};
use testing::assert_has;

const NODES: &str = "/api/v1/nodes";
const PODS: &str = "/api/v1/pods";
const BUDGETS: &str = "/apis/policy/v1/poddisruptionbudgets";

type Change = fn(&mut Model);

/// Runs on `model` with silent watches; `change` happens while the server tries the removal of
/// `low-b`, which is after the first whole decision. A `large` cluster is one of which no kind is
/// listed unless its watch is late.
fn during_dry_run(
    model: Model,
    silent: &[&'static str],
    large: bool,
    change: Change,
) -> (Rig, Ran) {
    during_dry_run_with(model, silent, large, change, options())
}

fn during_dry_run_with(
    model: Model,
    silent: &[&'static str],
    large: bool,
    change: Change,
    options: ApplyOptions,
) -> (Rig, Ran) {
    let mut changed = false;
    let mut rig = Rig::new(model, move |request, model| {
        if request.is_removal()
            && request.is_dry()
            && request.pod_name() == Some("low-b")
            && !changed
        {
            changed = true;
            change(model);
        }
        None
    })
    .unwrap();
    if large {
        rig.scope.chunk = 4;
        rig.scope.patience = Duration::from_millis(20);
    }
    rig.view(|view| {
        view.lists_watched = true;
        view.bookmarks = true;
        view.silent.extend(silent.iter().map(|path| (*path, Silence::FOR_EVER)));
    });
    let ran = rig.run(options);
    (rig, ran)
}

fn uid(model: &Model, name: &str) -> String {
    model.now.named(name).unwrap().uid.clone()
}

fn delete(model: &mut Model) {
    model.remove_pod(&uid(model, "web"));
}

fn terminate(model: &mut Model) {
    model.grace = 1_000_000;
    model.delete(&uid(model, "web"), false);
}

fn replace(model: &mut Model) {
    model.replace_pod(&uid(model, "web"));
}

fn bind(model: &mut Model) {
    model.change_pod(&uid(model, "web"), |pod| pod.node = Some("n2".to_owned()));
}

/// What a change of the preemptor comes to when nothing was done before.
const ENDS: [(Change, u8, &str, &str); 4] = [
    (delete, 2, "Refused", "nothing was done: the plan has changed: shop/web no longer exists"),
    (terminate, 2, "Refused", "nothing was done: the plan has changed: shop/web is being deleted"),
    (replace, 2, "Refused", "nothing was done: the plan has changed: shop/web no longer exists"),
    (bind, 0, "NotNeeded", ""),
];

/// [`two`], and a node that is full of pods of a higher priority.
fn two_and_a_full_node() -> Model {
    let mut model = two();
    model.add_node("n2", 4000);
    model.add_pod("high", 200, 4000, Some("n2"), "high");
    model
}

#[test]
fn a_preemptor_that_needs_no_room_any_more_is_seen_although_the_watch_of_pods_is_silent() {
    for large in [false, true] {
        for (change, code, outcome, problem) in ENDS {
            let (rig, ran) = during_dry_run(two_and_a_full_node(), &[PODS], large, change);
            assert_eq!(
                (ran.code(), sent(&rig).len(), ran.problem().as_str()),
                (code, 0, problem),
                "{:?}",
                ran.lines
            );
            assert_eq!(ran.json["outcome"], outcome);
            if code == 0 {
                assert!(
                    matches!(ran.landings()[..], [Landing::Bound { .. }]),
                    "{:?}",
                    ran.landings()
                );
            }
        }
    }
}

#[test]
fn another_node_with_room_is_seen_although_its_watch_is_silent() {
    let changes: [(Change, &'static str); 3] = [
        (|model| model.change_node("n2", |node| node.cpu = 8000), NODES),
        (|model| model.add_node("n3", 4000), NODES),
        (|model| model.remove_pod(&uid(model, "high")), PODS),
    ];
    for large in [false, true] {
        for (change, silent) in changes {
            let (rig, ran) = during_dry_run(two_and_a_full_node(), &[silent], large, change);
            assert_eq!((ran.code(), sent(&rig).len()), (0, 0), "{silent}: {:?}", ran.lines);
            assert_eq!(ran.json["outcome"], "NotNeeded", "{silent}");
        }
    }
}

#[test]
fn a_budget_that_closes_is_seen_although_its_watch_is_silent() {
    let mut model = two();
    model.set_budget(budget("b", 1, 3));
    let close = |model: &mut Model| model.set_budget(budget("b", 0, 3));
    let options = ApplyOptions { mode: Mode::Delete, ..options() };
    let (rig, ran) = during_dry_run_with(model, &[BUDGETS], false, close, options);
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0), "{:?}", ran.lines);
    assert_has(&ran.problem(), "PodDisruptionBudget shop/guard-b would be violated now");
}

/// Two nodes with a pod each that has to be removed for one of the two pods of the group `train`.
fn train() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    for node in ["n1", "n2"] {
        model.add_node(node, 4000);
    }
    model.add_pod("low-a", 1, 4000, Some("n1"), "a");
    model.add_pod("low-b", 2, 4000, Some("n2"), "b");
    let pods = [
        model.add_pod("t-0", 100, 4000, None, "train"),
        model.add_pod("t-1", 100, 4000, None, "train"),
    ];
    model.add_group("train", &pods);
    model
}

#[test]
fn a_pod_of_a_group_that_needs_no_room_any_more_is_seen_although_the_watch_of_pods_is_silent() {
    let changes: [(Change, &str); 3] = [
        (
            |model| model.remove_pod(&uid(model, "t-1")),
            "no eviction helps podgroup shop/train any more",
        ),
        (
            |model| {
                model.grace = 1_000_000;
                model.delete(&uid(model, "t-1"), false);
            },
            "no eviction helps podgroup shop/train any more",
        ),
        (
            |model| {
                model.add_node("n3", 4000);
                model.change_pod(&uid(model, "t-1"), |pod| pod.node = Some("n3".to_owned()));
            },
            "the plan has changed: shop/t-1 gets no node any more",
        ),
    ];
    for large in [false, true] {
        for (change, problem) in changes {
            let (rig, ran) = during_dry_run(train(), &[PODS], large, change);
            assert_eq!((ran.code(), sent(&rig).len()), (2, 0), "{problem}: {:?}", ran.lines);
            assert!(ran.problem().contains(problem), "{}", ran.problem());
        }
    }
}

/// Runs on [`two_and_a_full_node`]; `change` happens right before the last look of this number at
/// the preemptor is answered.
fn at_look(number: usize, mode: Mode, change: Change) -> (Rig, Ran) {
    let mut looks = 0;
    let mut rig = Rig::new(two_and_a_full_node(), move |request, model| {
        if request.method == "GET" && request.pod_name() == Some("web") {
            looks += 1;
            if looks == number {
                change(model);
            }
        }
        None
    })
    .unwrap();
    let ran = rig.run(ApplyOptions { mode, ..options() });
    (rig, ran)
}

#[test]
fn a_preemptor_that_needs_no_room_any_more_after_the_decision_is_seen_by_the_last_look() {
    for mode in [Mode::Evict, Mode::Delete] {
        for (change, code, outcome, problem) in ENDS {
            let (rig, ran) = at_look(1, mode, change);
            assert_eq!(
                (ran.code(), sent(&rig).len(), ran.problem().as_str()),
                (code, 0, problem),
                "{:?}",
                ran.lines
            );
            assert_eq!(ran.json["outcome"], outcome);
        }
    }
}

#[test]
fn a_preemptor_that_needs_no_room_any_more_after_the_condition_is_seen_before_the_deletion() {
    for (change, code, _, _) in ENDS {
        let (rig, ran) = at_look(2, Mode::Delete, change);
        assert_eq!(
            carried_out(&rig),
            ["condition low-a", "clearCondition low-a"],
            "{:?}",
            ran.lines
        );
        // The condition was a change, which was taken back.
        assert_eq!(ran.code(), if code == 0 { 0 } else { 4 });
        assert_eq!(ran.json["outcome"], if code == 0 { "NotNeeded" } else { "Stopped" });
    }
}

#[test]
fn a_look_that_the_server_answers_late_makes_the_decision_old() {
    // The victim is read in time, and the answer takes longer than a decision is current.
    let mut looked = false;
    let mut rig = Rig::new(two(), move |request, model| {
        let looks = request.method == "GET" && request.pod_name() == Some("low-a");
        if looks && !std::mem::replace(&mut looked, true) {
            model.change_node("n1", |node| node.cpu = 8000);
            return Some(Fault::Delay(Duration::from_millis(400)));
        }
        None
    })
    .unwrap();
    rig.view(|view| view.model.schedules = false);
    let wait_times = WaitTimes { decision: Duration::from_millis(300), ..fast() };
    let ran = rig.run(ApplyOptions { wait_times, wait: false, ..options() });
    assert_eq!((ran.code(), sent(&rig).len()), (0, 0), "{:?}", ran.lines);
    assert_eq!(ran.json["outcome"], "NotNeeded");
}

/// A node with a pod that has to be removed for a group of twenty.
fn twenty() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    model.add_node("n1", 4000);
    model.add_pod("low-b", 1, 4000, Some("n1"), "b");
    let pods: Vec<String> =
        (0..20).map(|n| model.add_pod(&format!("t-{n}"), 100, 200, None, "train")).collect();
    model.add_group("train", &pods);
    model
}

#[test]
fn the_last_look_at_a_large_group_is_one_list() {
    let is_look = |request: &Request| {
        request.path == "/api/v1/namespaces/shop/pods" && !request.has("watch=true")
    };
    let mut rig = Rig::new(twenty(), |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { wait: false, ..options() });
    assert_run(&ran, &rig, 0, &["evict low-b"]);
    assert_eq!(rig.view(|view| view.requests.iter().filter(|r| is_look(r)).count()), 1);

    let mut rig = Rig::new(twenty(), move |request, model| {
        if is_look(request) && model.now.named("t-13").is_some() {
            model.remove_pod(&uid(model, "t-13"));
        }
        None
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0), "{:?}", ran.lines);
}
