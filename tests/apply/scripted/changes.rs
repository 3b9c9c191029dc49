//! The cluster changes during the run, or the server shows an older state.

use kubectl_preempt::apply::journal::{NominationState, VictimState};
use kubectl_preempt::apply::{ApplyOptions, Mode};

use super::{assert_run, budget, carried_out, is_removal_of, rig, sent, two};
use crate::apply::model::Model;
use crate::apply::rig::{Rig, options};
use crate::apply::server::{Answer, Fault};
use testing::{assert_begins, assert_ends, assert_has};

/// The rig for [`two`], with a `change` of the cluster before the decision of this number.
fn before_reading(number: usize, mut change: impl FnMut(&mut Model) + Send + 'static) -> Rig {
    let mut count = 0;
    Rig::new(two(), move |request, model| {
        if request.begins_reading {
            count += 1;
            if count == number {
                change(model);
            }
        }
        None
    })
    .unwrap()
}

fn uid(model: &Model, name: &str) -> String {
    model.now.named(name).unwrap().uid.clone()
}

/// Decisions: one for the plan, one after the confirmation, then one for each victim but the first.
const FIRST: usize = 1;
const AFTER_PROMPT: usize = 2;
const SECOND_VICTIM: usize = 3;

#[test]
fn a_plan_that_has_changed_is_not_applied() {
    for reading in [FIRST, AFTER_PROMPT] {
        let mut rig = before_reading(reading, |model| {
            model.add_node("n0", 4000);
            model.add_pod("tiny", 0, 500, Some("n0"), "t");
        });
        let ran = rig.run(options());
        assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
        assert_eq!(
            ran.problem(),
            "nothing was done: the plan has changed: node n0 instead of n1; shop/tiny is a victim, too; shop/low-a is no \
             longer a victim; shop/low-b is no longer a victim"
        );
        assert_eq!(ran.json["outcome"], "Refused");
        assert_eq!(ran.json["reason"], ran.problem());
    }
}

#[test]
fn a_run_stops_when_another_pod_is_needed_as_victim() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "low-b");
        model.replace_pod(&uid);
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 4, &["evict low-a"]);
    assert_eq!(
        ran.problem(),
        "stopped half-way: the plan has changed: shop/low-b is another pod now"
    );
    assert!(
        ran.said("  shop/low-b: untouched") || ran.said("  shop/low-b: gone, not by this command"),
        "{:?}",
        ran.lines
    );
}

#[test]
fn a_run_stops_when_no_further_removal_is_needed() {
    let mut rig =
        before_reading(SECOND_VICTIM, |model| model.change_node("n1", |node| node.cpu = 8000));
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &["evict low-a"]);
    assert!(ran.said("no other pod is evicted"));
    assert_eq!(ran.states()[1], VictimState::DryRunPassed);
    assert_eq!(ran.json["outcome"], "Applied");
}

#[test]
fn a_run_stops_when_no_removal_helps_any_more() {
    let mut rig =
        before_reading(SECOND_VICTIM, |model| model.change_node("n1", |node| node.cordoned = true));
    let ran = rig.run(options());
    assert_eq!(ran.code(), 4);
    assert_has(&ran.problem(), "no eviction helps shop/web any more");
}

#[test]
fn a_victim_that_leaves_by_itself_does_not_change_the_plan() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "low-b");
        model.remove_pod(&uid);
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &["evict low-a"]);
}

#[test]
fn a_run_stops_when_the_preemptor_is_gone() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "web");
        model.replace_pod(&uid);
    });
    let ran = rig.run(options());
    assert_eq!(ran.code(), 4);
    assert_eq!(ran.problem(), "stopped half-way: the plan has changed: shop/web no longer exists");
}

#[test]
fn the_server_enforces_a_budget_that_changes_after_the_dry_run() {
    let mut model = two();
    model.set_budget(budget("b", 1, 3));
    let mut rig = Rig::new(model, |request, model| {
        if is_removal_of("low-b", request) {
            let closed = model.now.budgets[0].allowed == 0;
            model.set_budget(budget("b", i64::from(closed), 3));
        }
        None
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!(
        (ran.code(), ran.outcomes(1)),
        (0, vec!["BlockedByBudget", "Accepted"]),
        "{}",
        ran.problem()
    );
}

/// One node with four pods of one budget, which allows two disruptions; three have to be removed
/// for `web`.
fn four_with_a_budget() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    model.add_node("n1", 4000);
    for (name, priority) in [("most", 4), ("more", 3), ("less", 2), ("least", 1)] {
        model.add_pod(name, priority, 1000, Some("n1"), "b");
    }
    model.add_pod("web", 100, 3000, None, "web");
    model.set_budget(budget("b", 2, 2));
    model
}

#[test]
fn a_run_does_not_stop_because_its_own_evictions_use_up_a_budget() {
    // After the first eviction the scheduler would reprieve `more` instead of `less`.
    let mut rig = Rig::new(four_with_a_budget(), |request, model| {
        if is_removal_of("most", request) {
            let closed = model.now.budgets[0].allowed == 0;
            model.set_budget(budget("b", i64::from(closed), 2));
        }
        None
    })
    .unwrap();
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &["evict least", "evict more", "evict most"]);
    assert!(ran.said(
        "PodDisruptionBudget shop/guard-b does not allow all of them now: evictions wait for it"
    ));
}

#[test]
fn a_deletion_violates_no_budget_that_was_not_confirmed() {
    for (reading, code) in [(AFTER_PROMPT, 2), (SECOND_VICTIM, 4)] {
        let mut model = two();
        model.set_budget(budget("b", 1, 3));
        let mut count = 0;
        let mut rig = Rig::new(model, move |request, model| {
            count += usize::from(request.begins_reading);
            if request.begins_reading && count == reading {
                model.set_budget(budget("b", 0, 3));
            }
            None
        })
        .unwrap();
        let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
        assert_eq!(ran.code(), code, "{:?}", ran.lines);
        let end = "the plan has changed: PodDisruptionBudget shop/guard-b would be violated now";
        assert!(ran.problem().ends_with(end), "{}", ran.problem());
        assert!(!carried_out(&rig).contains(&"delete low-b".to_owned()));
    }
}

#[test]
fn a_victim_with_a_new_hazard_is_not_removed() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "low-b");
        model.change_pod(&uid, |pod| pod.owned = false);
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 4, &["evict low-a"]);
    assert_has(&ran.problem(), "the plan has changed: shop/low-b has no controller");
}

#[test]
fn an_older_state_is_read_again() {
    let mut stale = 0;
    let mut rig = Rig::new(two(), move |request, model| {
        if request.begins_reading {
            let uid = uid(model, "low-a");
            model.change_pod(&uid, |_| {});
        }
        let list =
            request.path == "/api/v1/pods" && !request.has("limit=1") && !request.has("watch=true");
        if list {
            stale += 1;
        }
        // The first is read before any decision.
        (list && stale == 2).then_some(Fault::Stale(1))
    })
    .unwrap();
    let ran = rig.run(ApplyOptions { wait: false, ..options() });
    assert_eq!(ran.code(), 0, "{}", ran.problem());
    assert!(
        ran.said("Warning: the server showed an older state of pods than before (will read again)"),
        "{:?}",
        ran.lines
    );
}

#[test]
fn a_cluster_that_cannot_be_read_stops_the_run_before_any_write() {
    let mut rig = Rig::new(two(), |request, _| {
        let lists = request.path == "/apis/policy/v1/poddisruptionbudgets";
        lists.then(|| Fault::Instead(Answer::status(500, "InternalError", "etcdserver: no leader")))
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert_begins(&ran.problem(), "nothing was done: ");
    assert_has(&ran.problem(), "etcdserver: no leader");
}

#[test]
fn a_permission_that_is_revoked_half_way_stops_the_run() {
    let mut taken = false;
    let mut rig = Rig::new(two(), move |request, _| {
        taken |= is_removal_of("low-a", request);
        let lists = taken && request.path == "/api/v1/pods";
        lists.then(|| Fault::Instead(Answer::status(403, "Forbidden", "pods is forbidden")))
    })
    .unwrap();
    let ran = rig.run(options());
    assert_run(&ran, &rig, 4, &["evict low-a"]);
    assert_has(&ran.problem(), "pods is forbidden");
}

#[test]
fn the_time_is_limited() {
    let mut model = two();
    model.grace = 1_000_000;
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    // Its time ends once both have been seen to end.
    let time_is_up = rig.time_is_up.clone();
    rig.user.on_progress = Some(Box::new(move |progress| {
        let ends = |name: &str| progress.contains(&(name.to_owned(), VictimState::Terminating));
        if ends("low-a") && ends("low-b") {
            time_is_up.send_replace(true);
        }
    }));
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!((ran.code(), ran.states()), (4, vec![VictimState::Terminating; 2]));
    assert_eq!(
        ran.problem(),
        "stopped half-way: timed out after 300s; pod shop/web is not on a node yet"
    );
    // The run failed.
    assert_eq!(ran.nomination().state, NominationState::Cleared);
    assert!(rig.view(|view| view.model.now.named("web").unwrap().nominated.is_none()));
}

#[test]
fn the_node_of_the_preemptor_is_reported_even_if_it_is_another() {
    let mut rig = before_reading(SECOND_VICTIM, |_| {});
    rig.view(|view| {
        view.model.schedules = false;
        view.hook = Box::new(|request, model| {
            if request.has("watch=true") && request.query.contains("web") {
                model.add_node("n9", 9000);
                let uid = uid(model, "web");
                model.change_pod(&uid, |pod| pod.node = Some("n9".to_owned()));
            }
            None
        });
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.json["landing"]["node"].as_str()), (0, Some("n9")));
    assert!(ran.said("pod/web bound to n9, not to n1 as planned"));
}

#[test]
fn a_preemptor_that_is_deleted_while_the_run_waits_stops_it() {
    let mut rig = rig();
    rig.view(|view| {
        view.model.schedules = false;
        view.hook = Box::new(|request, model| {
            if request.has("watch=true") && request.query.contains("web") {
                let uid = uid(model, "web");
                model.remove_pod(&uid);
            }
            None
        });
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.json["landing"]["state"].as_str()), (4, Some("Gone")));
    assert_ends(&ran.problem(), ": shop/web no longer exists");
}

#[test]
fn the_nomination_of_another_client_is_respected() {
    let mut model = two();
    let web = uid(&model, "web");
    model.change_pod(&web, |pod| {
        pod.nominated = Some(("n7".to_owned(), "kube-scheduler".to_owned()));
    });
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert_eq!(
        ran.problem(),
        "nothing was done: the nomination cannot be set: shop/web is nominated to n7 by kube-scheduler"
    );
    assert_eq!(ran.nomination().state, NominationState::Refused);

    let mut model = two();
    let web = uid(&model, "web");
    model.change_pod(&web, |pod| {
        pod.nominated = Some(("n1".to_owned(), "kube-scheduler".to_owned()));
    });
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!((ran.code(), ran.nomination().state), (0, NominationState::AlreadySet));
    assert_eq!(sent(&rig), ["evict low-a", "evict low-b"]);
}

#[test]
fn the_nomination_of_a_run_that_stops_is_cleared() {
    let mut rig = Rig::new(two(), |request, _| {
        let answer = Answer::status(403, "Forbidden", "not this one");
        is_removal_of("low-b", request).then_some(Fault::Instead(answer))
    })
    .unwrap();
    rig.view(|view| view.model.schedules = false);
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_run(&ran, &rig, 4, &["nominate web", "evict low-a", "nominate web"]);
    assert_eq!(ran.nomination().state, NominationState::Cleared);
    assert!(ran.said("pod/web no longer nominated"));
}
