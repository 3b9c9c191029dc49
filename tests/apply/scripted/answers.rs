//! The answers of the server, or of a proxy, to an eviction.

use std::time::Duration;

use serde_json::json;
use testing::{assert_begins, assert_ends, assert_has};

use kubectl_preempt::apply::journal::VictimState;
use kubectl_preempt::apply::{ApplyOptions, Mode};

use super::{assert_run, blocked, budget, carried_out, is_removal_of, sent, two, with_faults};
use crate::apply::rig::{Rig, options};
use crate::apply::server::{Answer, Fault};

const GONE: [VictimState; 2] = [VictimState::Gone, VictimState::Gone];

#[test]
fn an_eviction_that_a_budget_blocks_for_now_is_repeated() {
    let text = "The disruption budget guard needs 2 healthy pods and has 2 currently";
    let mut rig = with_faults(vec![blocked(text), blocked(text)]);
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.states()), (0, GONE.to_vec()));
    assert_eq!(ran.outcomes(0), ["BlockedByBudget", "BlockedByBudget", "Accepted"]);
    let line = format!(
        "error when evicting pods/\"low-a\" -n \"shop\" (will retry after 4ms): Cannot evict pod as it would violate the \
         pod's disruption budget. {text}"
    );
    assert_eq!(ran.lines.iter().filter(|l| **l == line).count(), 2, "{:?}", ran.lines);
}

#[test]
fn a_new_decision_is_made_before_each_attempt() {
    let text = "The disruption budget guard needs 2 healthy pods and has 2 currently";
    let plain = super::with_faults(Vec::new());
    let mut blocked_once = with_faults(vec![blocked(text)]);
    let readings = |mut rig: Rig| {
        rig.run(ApplyOptions { wait: false, ..options() });
        rig.view(|view| view.requests.iter().filter(|r| r.begins_reading).count())
    };
    let one_more = {
        blocked_once.user.agrees = true;
        readings(blocked_once)
    };
    assert_eq!(one_more, readings(plain) + 1);
}

#[test]
fn a_budget_that_can_never_allow_the_eviction_stops_the_run() {
    let mut model = two();
    model.set_budget(budget("a", 1, 4));
    let mut rig = Rig::new(model, |request, model| {
        if is_removal_of("low-a", request) {
            model.set_budget(budget("a", 0, 4));
        }
        None
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.states()[0]), (2, VictimState::Refused));
    let problem = ran.problem();
    assert_begins(&problem, "nothing was done: the server refuses to remove shop/low-a: ");
    assert_ends(&problem, "it wants 4 of 4 pods healthy and never allows any eviction");
}

#[test]
fn a_pod_with_several_budgets_stops_the_run() {
    let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    let mut rig = with_faults(vec![Fault::Instead(Answer::status(500, "", text))]);
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig).len()), (2, 0));
    assert_eq!(ran.outcomes(0), ["SeveralBudgets"]);
    assert!(ran.problem().ends_with(text));
    let hint = ran.report.problem.as_ref().unwrap().hint().unwrap().to_owned();
    assert_has(&hint, "--mode=delete");
}

#[test]
fn an_overloaded_server_gets_the_request_again() {
    let busy = |retry_after| {
        Fault::Instead(Answer {
            retry_after,
            ..Answer::text(429, "Too many requests, please try again later.\n")
        })
    };
    let mut rig = with_faults(vec![busy(None), busy(Some(0)), busy(None), busy(None)]);
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.states()), (0, GONE.to_vec()));
    assert_eq!(ran.outcomes(0), ["Busy", "Busy", "Busy", "Busy", "Accepted"]);
    assert!(ran.said("Too many requests, please try again later."));
}

#[test]
fn retry_after_is_respected() {
    let busy =
        Fault::Instead(Answer { retry_after: Some(1), ..Answer::text(429, "Too many requests") });
    let mut rig = with_faults(vec![busy]);
    let ran = rig.run(options());
    assert_eq!(ran.code(), 0);
    assert!(ran.said("(will retry after 1s): Too many requests"));
}

#[test]
fn a_forbidden_eviction_stops_the_run() {
    let text =
        "pods \"low-a\" is forbidden: User \"jane\" cannot create resource \"pods/eviction\"";
    let forbidden = || Fault::Instead(Answer::status(403, "Forbidden", text));
    let mut rig = with_faults(vec![forbidden()]);
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 1));
    assert_eq!(ran.states(), [VictimState::Refused, VictimState::DryRunPassed]);
    assert_eq!(
        ran.problem(),
        format!("nothing was done: the server refuses to remove shop/low-a: Forbidden: {text}")
    );

    // The result lists both victims.
    let mut rig = Rig::new(two(), move |r, _| {
        is_removal_of("low-b", r).then(|| Fault::Instead(Answer::status(403, "Forbidden", text)))
    })
    .unwrap();
    let ran = rig.run(ApplyOptions { wait_times: crate::apply::rig::fast(), ..options() });
    assert_run(&ran, &rig, 4, &["evict low-a"]);
    assert!(
        ran.problem()
            .starts_with("stopped half-way: the server refuses to remove shop/low-b: Forbidden")
    );
    let at = ran.lines.iter().position(|line| line == "Victims:").unwrap();
    assert!(ran.lines[at + 1].starts_with("  shop/low-a: evicted: "), "{:?}", ran.lines);
    assert!(
        ran.lines[at + 2].starts_with("  shop/low-b: stays: the server refused (Forbidden: "),
        "{:?}",
        ran.lines
    );
}

#[test]
fn missing_victim_counts_as_evicted() {
    let mut rig = Rig::new(two(), |request, model| {
        if is_removal_of("low-a", request) {
            let uid = model.now.named("low-a").unwrap().uid.clone();
            model.remove_pod(&uid);
        }
        None
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.states()), (0, vec![VictimState::GoneByItself, VictimState::Gone]));
    assert_eq!(carried_out(&rig), ["evict low-b"]);
    assert!(ran.said("pod/low-a is gone, not by this command"));
}

#[test]
fn a_server_without_the_eviction_api_is_recognized() {
    let text = "the server could not find the requested resource";
    let missing = || Answer::status(404, "NotFound", text);
    let refuses =
        "the server refuses to remove shop/low-a: the server shows the pod, and does not serve";
    let would = refuses.replace("refuses", "would refuse");
    for (label, dry, problem, state) in [
        ("evict", false, format!("{refuses} pods/eviction: {text}"), VictimState::Refused),
        ("evict", true, format!("{would} pods/eviction: {text}"), VictimState::DryRunRefused),
        ("delete", false, format!("{refuses} the deletion of pods: {text}"), VictimState::Refused),
        ("condition", false, format!("{refuses} pods/status: {text}"), VictimState::Refused),
    ] {
        let mut rig = Rig::new(two(), move |request, _| {
            let hit = request.is_write() && request.label() == label && request.is_dry() == dry;
            hit.then(|| Fault::Instead(missing()))
        })
        .unwrap();
        let mode = if label == "evict" { Mode::Evict } else { Mode::Delete };
        let ran = rig.run(ApplyOptions { mode, ..options() });
        assert!(ran.problem().ends_with(&format!(": {problem}")), "{label}: {}", ran.problem());
        assert_eq!(ran.states()[0], state, "{label}");
        assert!(
            carried_out(&rig).iter().all(|write| write.to_lowercase().contains("condition")),
            "{label}"
        );
        let hint = ran.report.problem.as_ref().unwrap().hint().unwrap().to_owned();
        assert_eq!(hint, "kubectl get --raw /api/v1 shows what it serves", "{label}");
    }
}

#[test]
fn a_pod_that_is_gone_is_no_server_without_the_api() {
    let missing =
        || Answer::status(404, "NotFound", "the server could not find the requested resource");
    let mut rig = Rig::new(two(), move |request, model| {
        let hit = is_removal_of("low-a", request) && model.now.named("low-a").is_some();
        hit.then(|| {
            let uid = model.now.named("low-a").unwrap().uid.clone();
            model.replace_pod(&uid);
            Fault::Instead(missing())
        })
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!(
        ran.states()[0],
        VictimState::GoneByItself,
        "another pod has its name: {}",
        ran.problem()
    );
    assert!(!carried_out(&rig).contains(&"evict low-a".to_owned()));
}

#[test]
fn a_pod_that_is_shown_and_not_found_is_no_server_without_the_api() {
    let missing = || {
        Answer::with_details(404, "NotFound", "pods \"low-a\" not found", &json!({"name": "low-a"}))
    };
    let mut rig = with_faults(vec![Fault::Instead(missing())]);
    let ran = rig.run(options());
    assert_eq!(
        (ran.code(), ran.states()[0], carried_out(&rig).len()),
        (2, VictimState::Refused, 0)
    );
    let problem = ran.problem();
    assert_ends(
        &problem,
        "the server shows the pod, and does not find it: pods \"low-a\" not found",
    );
    assert_eq!(ran.report.problem.as_ref().unwrap().hint(), None);
}

#[test]
fn another_pod_of_the_same_name_is_not_touched() {
    let mut rig = Rig::new(two(), |request, model| {
        if is_removal_of("low-a", request) {
            let uid = model.now.named("low-a").unwrap().uid.clone();
            model.replace_pod(&uid);
        }
        None
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig).len()), (2, 0));
    assert_eq!(ran.outcomes(0), ["Replaced"]);
    assert!(
        ran.problem()
            .starts_with("nothing was done: the plan has changed: shop/low-a is another pod now")
    );
    assert!(rig.view(|view| view.model.now.named("low-a").unwrap().leaving.is_none()));
}

#[test]
fn a_conflict_is_repeated_a_few_times() {
    let conflict = || {
        Fault::Instead(Answer::status(
            409,
            "Conflict",
            "Operation cannot be fulfilled on pods \"low-a\": the object has been modified",
        ))
    };
    let mut rig = with_faults(vec![conflict(), conflict()]);
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.outcomes(0)), (0, vec!["Conflict", "Conflict", "Accepted"]));
    let mut rig = with_faults((0..9).map(|_| conflict()).collect());
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.outcomes(0)), (2, vec!["Conflict"; 4]));
}

#[test]
fn a_pod_of_a_terminating_namespace_counts_as_leaving() {
    let details = serde_json::json!({"causes": [{"reason": "NamespaceTerminating", "message": "namespace shop is being terminated"}]});
    let going = Answer::with_details(
        403,
        "Forbidden",
        "forbidden: namespace shop is being terminated",
        &details,
    );
    let mut rig = Rig::new(two(), move |request, model| {
        let first =
            is_removal_of("low-a", request) && model.now.named("low-a").unwrap().leaving.is_none();
        if first {
            let uid = model.now.named("low-a").unwrap().uid.clone();
            model.grace = 5;
            model.delete(&uid, false);
            // The other victim takes longer, so that the run sees this one leave before the
            // preemptor is bound.
            model.grace = 50;
        }
        first.then(|| Fault::Instead(going.clone()))
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.outcomes(0)), (0, vec!["NamespaceTerminating"]));
    assert_eq!(ran.states(), [VictimState::GoneByItself, VictimState::Gone]);
}

#[test]
fn after_an_error_the_pod_is_read_and_the_request_sent_once_more() {
    for fault in [
        Fault::Instead(Answer::status(500, "InternalError", "etcdserver: leader changed")),
        Fault::Instead(Answer::status(503, "ServiceUnavailable", "not ready")),
        Fault::Instead(Answer::text(502, "<html>Bad Gateway</html>")),
        Fault::Instead(Answer::text(200, "<html>log in</html>")),
        Fault::CutBefore,
    ] {
        let mut rig = with_faults(vec![fault.clone()]);
        let ran = rig.run(options());
        assert_eq!((ran.code(), ran.states()), (0, GONE.to_vec()), "{fault:?}");
        assert_eq!(ran.outcomes(0), ["Unknown", "Accepted"], "{fault:?}");
        assert!(
            ran.said("Warning: it is not known whether pod shop/low-a was evicted: "),
            "{fault:?}"
        );
        assert!(
            ran.said("pod shop/low-a was not changed (will check the plan and try once more)"),
            "{fault:?}"
        );
    }
}

#[test]
fn two_requests_without_an_answer_stop_the_run() {
    let mut rig = with_faults(vec![Fault::CutBefore, Fault::CutBefore, Fault::CutBefore]);
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (4, 2));
    assert_eq!(ran.states(), [VictimState::Unknown, VictimState::DryRunPassed]);
    assert!(
        ran.problem()
            .starts_with("stopped half-way: the result of the request for shop/low-a is not known")
    );
    assert!(
        ran.said(
            "  shop/low-a: unknown: it may still be evicted; it was not changed when last read"
        )
    );
    assert_eq!(ran.json["outcome"], "Stopped");
}

#[test]
fn an_error_after_the_eviction_is_recognized_and_nothing_is_sent_again() {
    for fault in [
        Fault::After(Answer::status(504, "Timeout", "Timeout: request did not complete")),
        Fault::After(Answer::status(500, "InternalError", "etcdserver: request timed out")),
        Fault::After(Answer::text(200, "<html>log in</html>")),
        Fault::CutAfter,
    ] {
        let mut rig = with_faults(vec![fault.clone()]);
        let ran = rig.run(options());
        assert_eq!((ran.code(), ran.states()), (0, GONE.to_vec()), "{fault:?}");
        assert_eq!(ran.outcomes(0), ["Unknown"], "{fault:?}");
        assert_eq!(sent(&rig), ["evict low-a", "evict low-b"], "{fault:?}");
        assert_eq!(ran.json["victims"][0]["acceptedAt"], serde_json::Value::Null);
    }
}

#[test]
fn the_wait_for_an_answer_is_limited() {
    let mut rig = with_faults(vec![Fault::Delay(Duration::from_millis(700))]);
    let ran =
        rig.run(ApplyOptions { request_timeout: Some(Duration::from_millis(300)), ..options() });
    assert_eq!((ran.code(), ran.outcomes(0)[0]), (0, "Unknown"));
    assert!(ran.said("did not answer within 300ms"));
    // It was carried out late: the second request found a pod that was terminating or gone.
    assert_eq!(ran.states(), GONE);
}

#[test]
fn a_request_that_is_carried_out_late_counts_as_this_runs() {
    let mut model = two();
    model.grace = 0;
    let mut first = true;
    let mut rig = Rig::new(model, move |request, _| {
        let late = is_removal_of("low-a", request) && std::mem::take(&mut first);
        late.then(|| Fault::Late(Duration::from_millis(3)))
    })
    .unwrap();
    let ran = rig.run(ApplyOptions {
        wait_times: kubectl_preempt::apply::WaitTimes {
            retry: Duration::from_millis(40),
            ..crate::apply::rig::fast()
        },
        ..options()
    });
    assert_eq!((ran.code(), ran.states()), (0, GONE.to_vec()), "{:?}", ran.lines);
}

#[test]
fn a_run_survives_a_restart_of_the_server() {
    let mut rig = Rig::new(two(), |_, _| None).unwrap();
    // From the first eviction on the server is down for a while.
    let mut down = false;
    rig.view(|view| {
        let away = view.away.clone();
        view.hook = Box::new(move |request, _| {
            if is_removal_of("low-a", request) && !down {
                down = true;
                *away.lock().unwrap() = Some(Duration::from_millis(150));
            }
            None
        });
    });
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.states()), (0, GONE.to_vec()), "{:?}", ran.lines);
    assert_eq!(sent(&rig), ["evict low-a", "evict low-b"]);
    assert!(ran.said("(will read again)") || ran.said("(will try again)"), "{:?}", ran.lines);
}

#[test]
fn a_condition_that_cannot_be_written_stops_the_deletion() {
    let mut rig = Rig::new(two(), |request, _| {
        let answer = Answer::status(403, "Forbidden", "admission webhook denied the request");
        (request.is_write() && request.label() == "condition").then_some(Fault::Instead(answer))
    })
    .unwrap();
    let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
    assert_eq!((ran.code(), sent(&rig)), (2, vec!["condition low-a".to_owned()]));

    // A patch without an answer is sent again.
    let mut cut = true;
    let mut rig = Rig::new(two(), move |request, _| {
        let hit = request.is_write() && request.label() == "condition" && std::mem::take(&mut cut);
        hit.then_some(Fault::CutAfter)
    })
    .unwrap();
    let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
    assert_eq!(ran.code(), 0);
    assert_eq!(ran.outcomes(0), ["Unknown", "Accepted", "Accepted"]);
    assert_eq!(sent(&rig)[..3], ["condition low-a", "condition low-a", "delete low-a"]);
}

#[test]
fn the_condition_of_a_victim_that_stays_is_taken_back() {
    let refuse = |clears: bool| {
        Rig::new(two(), move |request, _| {
            let refused = |text: &str| Fault::Instead(Answer::status(403, "Forbidden", text));
            match request.is_write().then(|| request.label())? {
                "delete" if request.pod_name() == Some("low-b") && !request.is_dry() => {
                    Some(refused("a webhook says no"))
                }
                "clearCondition" if !clears => Some(refused("no patches today")),
                _ => None,
            }
        })
        .unwrap()
    };
    for (clears, state, line) in [
        (
            true,
            "; its condition DisruptionTarget was set and then reset (",
            "pod shop/low-b stays: its condition",
        ),
        (
            false,
            "; its condition DisruptionTarget is set (",
            "Warning: pod shop/low-b stays, but its condition",
        ),
    ] {
        let mut rig = refuse(clears);
        let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
        assert_eq!(ran.code(), 4);
        let expected = [
            "condition low-a",
            "delete low-a",
            "condition low-b",
            "delete low-b",
            "clearCondition low-b",
        ];
        assert_eq!(sent(&rig), expected);
        let left = rig.view(|w| {
            w.model.now.pods.iter().filter(|pod| pod.preempted() && pod.leaving.is_none()).count()
        });
        assert_eq!(left, usize::from(!clears));
        assert!(
            ran.said(&format!("  shop/low-b: stays: the server refused{state}")),
            "{:?}",
            ran.lines
        );
        assert!(ran.said(line), "{:?}", ran.lines);
    }
}

#[test]
fn messages_of_the_server_contain_no_control_sequences() {
    let nasty = "no\u{1b}]0;x\u{7}\r\n\u{9b}31m\u{202e}";
    let mut rig = with_faults(vec![
        Fault::Instead(Answer::status(500, "InternalError", nasty)),
        Fault::Instead(Answer::status(403, "Forbidden", nasty)),
    ]);
    let ran = rig.run(options());
    assert_eq!(ran.code(), 4);
    let hostile = |c: char| c.is_control() || c == '\u{202e}';
    for line in &ran.lines {
        assert!(!line.contains(hostile), "{line:?}");
    }
}
