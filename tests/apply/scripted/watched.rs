//! Lists may be watched: the cluster is listed once, and each decision is on what is kept of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::snapshot::Kind;
use kubectl_preempt::apply::ApplyOptions;

use super::{assert_run, carried_out, is_removal_of};
use crate::apply::model::Model;
use crate::apply::rig::{Rig, options};
use crate::apply::server::{Answer, Fault, Request, Silence};

/// One node with four pods that all have to be removed for `web`.
fn four() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    model.add_node("n1", 4000);
    model.add_node("n2", 100);
    for (priority, name) in (1..).zip(["a", "b", "c", "d"]) {
        model.add_pod(name, priority, 1000, Some("n1"), name);
    }
    model.add_pod("other", 200, 100, Some("n2"), "other");
    model.add_pod("web", 100, 4000, None, "web");
    model
}

fn watched(
    model: Model,
    hook: impl FnMut(&Request, &mut Model) -> Option<Fault> + Send + 'static,
) -> Rig {
    let rig = Rig::new(model, hook).unwrap();
    rig.view(|view| view.lists_watched = true);
    rig
}

/// How often each kind was listed as a whole, and how often it was probed by a list of one object.
fn lists(rig: &Rig) -> (BTreeMap<String, usize>, BTreeMap<String, usize>) {
    let is_list = |request: &&Request| {
        let kind =
            Kind::ALL.iter().any(|kind| request.path.ends_with(&format!("/{}", kind.plural())));
        kind && request.method == "GET"
            && !request.has("watch=true")
            && !request.path.contains("/namespaces/")
    };
    let (mut whole, mut probes) = (BTreeMap::new(), BTreeMap::new());
    rig.view(|view| {
        for request in view.requests.iter().filter(is_list) {
            let counts = if request.has("limit=1") { &mut probes } else { &mut whole };
            *counts.entry(request.path.rsplit('/').next().unwrap().to_owned()).or_default() += 1;
        }
    });
    (whole, probes)
}

/// The same cluster, taken for a large one: every kind with more than one object has many. Its
/// watches bring bookmarks.
fn watched_large(
    model: Model,
    hook: impl FnMut(&Request, &mut Model) -> Option<Fault> + Send + 'static,
) -> Rig {
    let mut rig = watched(model, hook);
    rig.scope.chunk = 4;
    rig.view(|view| view.bookmarks = true);
    rig
}

const FOUR: [&str; 4] = ["evict a", "evict b", "evict c", "evict d"];

#[test]
fn each_decision_lists_a_small_cluster_and_waits_for_no_watch() {
    let mut rig = watched(four(), |_, _| None);
    // Watches that are waited for would end the run at its time limit.
    rig.scope.patience = Duration::from_secs(600);
    rig.view(|view| view.silent.insert("/api/v1/nodes", Silence::FOR_EVER));
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &FOUR);
    let (whole, probes) = lists(&rig);
    let kinds =
        ["nodes", "namespaces", "pods", "poddisruptionbudgets", "podgroups", "priorityclasses"];
    // The first list, two whole decisions, and one decision before each victim but the first.
    assert_eq!(whole, kinds.map(|kind| (kind.to_owned(), 1 + 2 + 3)).into());
    assert_eq!(probes, BTreeMap::new());
}

#[test]
fn each_decision_probes_a_large_cluster_and_waits_until_its_watches_have_shown_as_much() {
    let mut rig = watched_large(four(), |_, _| None);
    rig.scope.patience = Duration::from_secs(600);
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &FOUR);
    let (whole, probes) = lists(&rig);
    assert_eq!(
        (whole["nodes"], whole["pods"], whole["poddisruptionbudgets"]),
        (1, 1, 1 + 5),
        "{whole:?}"
    );
    assert_eq!(probes, [("nodes".to_owned(), 5), ("pods".to_owned(), 5)].into());
}

#[test]
fn a_large_kind_whose_watch_is_silent_is_listed() {
    let mut rig = watched_large(four(), |_, _| None);
    rig.scope.patience = Duration::from_millis(20);
    rig.view(|view| {
        view.silent.insert("/api/v1/nodes", Silence { bookmarks: true, ..Silence::FOR_EVER })
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &FOUR);
    let (whole, probes) = lists(&rig);
    // Up to the first eviction nothing changes, which the probes show.
    assert_eq!((whole["nodes"], probes["nodes"]), (1 + 3, 5), "{whole:?}");
    // Its watch is let alone.
    let watches = rig.view(|view| {
        let of_nodes =
            |request: &&Request| request.path == "/api/v1/nodes" && request.has("watch=true");
        view.requests.iter().filter(of_nodes).count()
    });
    assert_eq!(watches, 1);
}

#[test]
fn lists_that_may_not_be_watched_are_read_before_each_decision() {
    let mut rig = Rig::new(four(), |_, _| None).unwrap();
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &FOUR);
    let (whole, probes) = lists(&rig);
    assert_eq!((whole["pods"], whole["namespaces"]), (1 + 5, 1 + 5), "{whole:?}");
    assert_eq!(
        probes,
        ["nodes", "poddisruptionbudgets", "pods"].map(|kind| (kind.to_owned(), 5)).into()
    );
}

#[test]
fn one_kind_that_may_not_be_watched_is_listed_alone() {
    let mut rig = watched_large(four(), |request, _| {
        let budgets = request.path.ends_with("/poddisruptionbudgets") && request.has("watch=true");
        budgets.then(|| Fault::Instead(Answer::status(403, "Forbidden", "no watching of budgets")))
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig).len()), (0, 4), "{}", ran.problem());
    let (whole, probes) = lists(&rig);
    assert_eq!(
        (whole["pods"], whole["nodes"], whole["poddisruptionbudgets"]),
        (1, 1, 1 + 5),
        "{whole:?}"
    );
    assert_eq!(probes["poddisruptionbudgets"], 5);
}

#[test]
fn cluster_change_between_evictions_changes_the_next_decision() {
    // Before the decision about the third victim the node gets larger.
    let mut rig = watched(four(), move |request, model| {
        if is_removal_of("b", request) {
            model.change_node("n1", |node| node.cpu = 6000);
        }
        None
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &["evict a", "evict b"]);
    assert!(ran.said("no other pod is evicted"), "{:?}", ran.lines);
}

#[test]
fn a_victim_that_is_replaced_before_the_last_look_gets_no_request() {
    for lists_watched in [false, true] {
        // The last looks at the first victim, after the decision.
        let looks = Arc::new(Mutex::new(0));
        let counted = looks.clone();
        let mut rig = Rig::new(four(), move |request, model| {
            if request.method == "GET" && request.pod_name() == Some("c") {
                *counted.lock().unwrap() += 1;
                let uid = model.now.named("c").unwrap().uid.clone();
                if *counted.lock().unwrap() == 1 {
                    model.replace_pod(&uid);
                }
            }
            None
        })
        .unwrap();
        rig.view(|view| view.lists_watched = lists_watched);
        let ran = rig.run(options());
        assert_run(&ran, &rig, 4, &["evict a", "evict b"]);
        assert!(
            !rig.writes().iter().any(|write| write.name == "c"),
            "not even a request that its UID would have stopped"
        );
        assert!(ran.problem().contains("the plan has changed: "), "{}", ran.problem());
        assert!(*looks.lock().unwrap() > 0);
    }
}

#[test]
fn broken_watch_resumes_at_its_version() {
    let broken = Arc::new(Mutex::new(0));
    let counted = broken.clone();
    let mut rig = watched(four(), move |request, _| {
        let breaks = request.path == "/api/v1/pods"
            && request.has("watch=true")
            && request.field("metadata.name").is_none();
        breaks.then(|| {
            *counted.lock().unwrap() += 1;
            Fault::Short(3)
        })
    });
    // It waits a little longer each time: about 15 s in all.
    let ran = rig.run(ApplyOptions { timeout: Some(Duration::from_secs(60)), ..options() });
    assert_eq!((ran.code(), carried_out(&rig).len()), (0, 4), "{}", ran.problem());
    assert!(*broken.lock().unwrap() > 0);
}
