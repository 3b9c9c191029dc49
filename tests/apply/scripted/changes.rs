//! The cluster changes meanwhile, or is not what it seems.

use std::time::Duration;

use kubectl_preempt::apply::result::{NominationState, VictimState};
use kubectl_preempt::apply::{ApplyOptions, Mode};

use super::{budget, carried_out, is_removal_of, rig, sent, two};
use crate::apply::model::Model;
use crate::apply::rig::{Rig, options};
use crate::apply::server::{Answer, Fault};

/// The rig for [`two`]: before the reading of that number, `change` happens.
fn before_reading(number: usize, mut change: impl FnMut(&mut Model) + Send + 'static) -> Rig {
    let mut count = 0;
    Rig::new(two(), move |request, model| {
        if request.begins_reading() {
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

/// A reading for the plan, one after the user has agreed, then one per victim but the first.
const FIRST: usize = 1;
const AFTER_PROMPT: usize = 2;
const SECOND_VICTIM: usize = 3;

#[test]
fn a_plan_that_has_changed_is_not_carried_out() {
    for reading in [FIRST, AFTER_PROMPT] {
        let mut rig = before_reading(reading, |model| {
            model.add_node("n0", 4000);
            model.add_pod("tiny", 0, 500, Some("n0"), "t");
        });
        let ran = rig.run(options());
        assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
        assert_eq!(
            ran.problem(),
            "nothing was done: the plan has changed: node n0 instead of n1; shop/tiny would have to go, too; shop/low-a need \
             not go any more; shop/low-b need not go any more"
        );
        assert_eq!(ran.json["outcome"], "Refused");
        assert_eq!(ran.json["reason"], ran.problem());
    }
}

#[test]
fn half_way_it_stops_when_somebody_else_would_have_to_go() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "low-b");
        model.replace_pod(&uid);
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig)), (4, vec!["evict low-a".to_owned()]));
    assert_eq!(ran.problem(), "stopped half-way: the plan has changed: shop/low-b is another pod now");
    assert!(ran.said("  shop/low-b: untouched") || ran.said("  shop/low-b: gone, not by us"), "{:?}", ran.lines);
}

#[test]
fn half_way_it_stops_when_nobody_has_to_go_any_more() {
    let mut rig = before_reading(SECOND_VICTIM, |model| model.change_node("n1", |node| node.cpu = 8000));
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig)), (0, vec!["evict low-a".to_owned()]));
    assert!(ran.said("nobody else is evicted"));
    assert_eq!(ran.states()[1], VictimState::DryRunPassed);
    assert_eq!(ran.json["outcome"], "Applied");
}

#[test]
fn half_way_it_stops_when_nothing_helps_any_more() {
    let mut rig = before_reading(SECOND_VICTIM, |model| model.change_node("n1", |node| node.cordoned = true));
    let ran = rig.run(options());
    assert_eq!(ran.code(), 4);
    assert!(ran.problem().contains("no eviction helps shop/web any more"), "{}", ran.problem());
}

#[test]
fn who_goes_by_itself_is_no_change() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "low-b");
        model.remove_pod(&uid);
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig)), (0, vec!["evict low-a".to_owned()]));
}

#[test]
fn without_the_pod_there_is_nothing_to_do() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "web");
        model.replace_pod(&uid);
    });
    let ran = rig.run(options());
    assert_eq!(ran.code(), 4);
    assert_eq!(ran.problem(), "stopped half-way: the plan has changed: shop/web is not there any more");
}

#[test]
fn a_budget_that_changes_after_the_dry_run_is_the_servers_affair() {
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
    assert_eq!((ran.code(), ran.outcomes(1)), (0, vec!["BlockedByBudget", "Accepted"]), "{}", ran.problem());
}

#[test]
fn a_deletion_violates_no_budget_that_was_not_agreed_to() {
    for (reading, code) in [(AFTER_PROMPT, 2), (SECOND_VICTIM, 4)] {
        let mut model = two();
        model.set_budget(budget("b", 1, 3));
        let mut count = 0;
        let mut rig = Rig::new(model, move |request, model| {
            count += usize::from(request.begins_reading());
            if request.begins_reading() && count == reading {
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
fn a_victim_that_becomes_dangerous_is_not_touched() {
    let mut rig = before_reading(SECOND_VICTIM, |model| {
        let uid = uid(model, "low-b");
        model.change_pod(&uid, |pod| pod.owned = false);
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig)), (4, vec!["evict low-a".to_owned()]));
    assert!(ran.problem().contains("the plan has changed: shop/low-b has no controller"), "{}", ran.problem());
}

#[test]
fn an_older_state_is_not_believed() {
    let mut stale = 0;
    let mut rig = Rig::new(two(), move |request, model| {
        if request.begins_reading() {
            let uid = uid(model, "low-a");
            model.change_pod(&uid, |_| {});
        }
        let list = request.path == "/api/v1/pods" && !request.has("limit=1");
        if list {
            stale += 1;
        }
        (list && stale == 1).then_some(Fault::Stale(1))
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
fn a_cluster_that_cannot_be_read_ends_it_before_anything_is_done() {
    let mut rig = Rig::new(two(), |request, _| {
        let lists = request.path == "/apis/policy/v1/poddisruptionbudgets";
        lists.then(|| Fault::Instead(Answer::status(500, "InternalError", "etcdserver: no leader")))
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert!(ran.problem().starts_with("nothing was done: "), "{}", ran.problem());
    assert!(ran.problem().contains("etcdserver: no leader"), "{}", ran.problem());
}

#[test]
fn a_right_that_is_taken_away_half_way_ends_it() {
    let mut taken = false;
    let mut rig = Rig::new(two(), move |request, _| {
        taken |= is_removal_of("low-a", request);
        let lists = taken && request.path == "/api/v1/pods";
        lists.then(|| Fault::Instead(Answer::status(403, "Forbidden", "pods is forbidden")))
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig)), (4, vec!["evict low-a".to_owned()]));
    assert!(ran.problem().contains("pods is forbidden"), "{}", ran.problem());
}

#[test]
fn the_time_is_limited() {
    let mut model = two();
    model.grace = 1_000_000;
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { timeout: Some(Duration::from_millis(400)), nominate: true, ..options() });
    assert_eq!((ran.code(), ran.states()), (4, vec![VictimState::Terminating; 2]));
    assert_eq!(ran.problem(), "stopped half-way: timed out after 400ms; pod shop/web is on no node yet");
    // The plan has failed.
    assert_eq!(ran.report.result.nomination.state, NominationState::Cleared);
    assert!(rig.view(|view| view.model.now.named("web").unwrap().nominated.is_none()));
}

#[test]
fn where_the_pod_really_goes_is_told() {
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
fn a_pod_that_is_deleted_while_it_is_waited_for() {
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
    assert_eq!(ran.problem(), "stopped half-way: shop/web is not there any more");
}

#[test]
fn somebody_elses_nomination_is_respected() {
    let mut model = two();
    let web = uid(&model, "web");
    model.change_pod(&web, |pod| pod.nominated = Some(("n7".to_owned(), "kube-scheduler".to_owned())));
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0));
    assert_eq!(
        ran.problem(),
        "nothing was done: the nomination cannot be set: shop/web is nominated to n7 by kube-scheduler"
    );
    assert_eq!(ran.report.result.nomination.state, NominationState::Refused);

    let mut model = two();
    let web = uid(&model, "web");
    model.change_pod(&web, |pod| pod.nominated = Some(("n1".to_owned(), "kube-scheduler".to_owned())));
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!((ran.code(), ran.report.result.nomination.state), (0, NominationState::AlreadySet));
    assert_eq!(sent(&rig), ["evict low-a", "evict low-b"]);
}

#[test]
fn a_nomination_that_fails_half_way_is_taken_back() {
    let mut rig = Rig::new(two(), |request, _| {
        let answer = Answer::status(403, "Forbidden", "not this one");
        is_removal_of("low-b", request).then_some(Fault::Instead(answer))
    })
    .unwrap();
    rig.view(|view| view.model.schedules = false);
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!(ran.code(), 4);
    assert_eq!(carried_out(&rig), ["nominate web", "evict low-a", "nominate web"]);
    assert_eq!(ran.report.result.nomination.state, NominationState::Cleared);
    assert!(ran.said("pod/web no longer nominated"));
}
