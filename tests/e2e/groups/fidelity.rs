//! Does the program say what the scheduler then does with a group? The scheduler is stopped while
//! the group and its pods are made and the program is asked; what it does when it goes on is
//! compared.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::written::{Written, condition, path};
use super::{Outcome, Situation};
use crate::disruptions;
use crate::fidelity::Test;
use crate::objects::{NAMESPACE, pod};
use crate::plane::{Plane, wait_for};
use crate::stage::{Stage, settle};

/// The group in question.
const GROUP: &str = "podgroup/g";

/// Compares the two in one situation.
pub fn check(plane: &mut Plane, situation: &Situation) {
    let (gates, outcome) = (situation.gates, situation.outcome(plane));
    let stage = super::stage(plane, gates);
    stage.build(&(situation.view)());
    // The scheduler watches groups and pods apart. If it learned of both at once, it might know the
    // last pod, and that the gang is complete, before that pod is in its queue, and begin without
    // it.
    let (groups, waiting): (Vec<_>, Vec<_>) =
        (situation.waiting)().into_iter().partition(|object| object.path == path());
    stage.build(&groups);
    plane.kubelets.finish(false);
    settle();
    plane.scheduler.pause();
    let test = Test { plane, others: stage.uids(), gates };
    stage.build(&waiting);
    stage.let_go(&waiting);
    let ours = answers(&test, situation);
    let mut written = Written::start(plane);
    plane.scheduler.go_on();
    match outcome {
        Outcome::Waits(kind) => {
            assert_eq!(
                (&ours["outcome"], &ours["hold"]["kind"]),
                (&json!("NotInQueue"), &json!(kind)),
                "{ours:#}"
            );
            waits(&test, &stage, &ours);
        }
        Outcome::Fits(count) => {
            assert_eq!(ours["outcome"], "Schedulable", "{ours:#}");
            assert_eq!(
                members(&ours).filter(|m| m["result"] == "Placed").count(),
                count,
                "the situation is another"
            );
            same_writes(&test, &ours, &mut written, "");
            all_others_equal(&test);
        }
        Outcome::Preempts(count) => {
            assert_eq!(ours["outcome"], "Preempt", "{ours:#}");
            same_writes(&test, &ours, &mut written, "found a placement for podgroup, preempting");
            preempts(&test, &ours, count, &mut written);
        }
        Outcome::Refuses(part) | Outcome::Fails(part) => {
            let fails = matches!(outcome, Outcome::Fails(_));
            let (outcome, reason) = match (fails, test.plane.release.is_next()) {
                (true, false) => ("Error", "SchedulerError"),
                (true, true) => ("Error", "PodGroupError"),
                (false, _) => ("Unschedulable", "Unschedulable"),
            };
            assert_eq!(
                (&ours["outcome"], &ours["condition"]["reason"]),
                (&json!(outcome), &json!(reason)),
                "{ours:#}"
            );
            same_writes(&test, &ours, &mut written, part);
            all_others_equal(&test);
            // What would be written is there already.
            let now = test.ask(&["explain", GROUP, "-o", "json"]).json();
            assert_eq!(
                (&now["condition"], &now["conditionNow"]),
                (&Value::Null, &ours["condition"]),
                "{now:#}"
            );
            // It has written about groups, so that they are on is known.
            if gates == super::GROUPS {
                let known = test.run_without_gates(&["explain", GROUP]);
                assert_eq!(known.code, Some(0), "{known:?}");
            }
        }
    }
    if !matches!(outcome, Outcome::Preempts(_)) {
        assert_eq!(test.told_to_end(), BTreeSet::new(), "{ours:#}");
    }
}

/// What we say about the group; what we say about its pods and list as pending is the same.
fn answers(test: &Test, situation: &Situation) -> Value {
    let ours = test.ask(&["explain", GROUP, "-o", "json"]).json();
    // Where nodes tie, every outcome is listed, and each evicts the same pods.
    let outcomes = &ours["outcomes"];
    let same_victims = outcomes["complete"] == true && outcomes["among"] == json!([]);
    let is_sure = ours["certainty"] == "Certain" || ours["certainty"] == "OneOf" && same_victims;
    assert!(ours["source"]["kind"] == "live" && is_sure, "{ours:#}");
    // The scheduler's configuration is the default one, and nothing shows that; nor that it was
    // there before the pods.
    let notes = ours["notes"].as_array().expect("notes").iter();
    let doubts = notes.filter(|note| note["severity"] != "info" && note["code"] != "PRE-934");
    assert_eq!(doubts.count(), 0, "{ours:#}");
    for member in members(&ours) {
        let one = test.ask(&["explain", name(member), "-o", "json"]).json();
        assert_eq!(one["pod"]["uid"], member["uid"]);
        if ours["hold"]["pod"] == json!(format!("{NAMESPACE}/{}", name(member))) {
            assert_eq!(
                (&one["outcome"], &one["group"]),
                (&json!("NotInQueue"), &Value::Null),
                "{one:#}"
            );
            continue;
        }
        let said = [&one["group"]["outcome"], &one["group"]["result"], &one["conditionMessage"]];
        assert_eq!(
            said,
            [&ours["outcome"], &member["result"], &member["condition"]["message"]],
            "{one:#}"
        );
        let node = &one["selected"]["nodes"][0];
        assert_eq!(*node, member["node"], "{one:#}");
    }
    let pending = test.ask(&["pending", "-o", "json"]).json();
    let rows: Vec<&Value> =
        pending["items"].as_array().expect("items").iter().filter(|r| r["name"] == "g").collect();
    let waiting: Vec<&str> = members(&ours).map(name).collect();
    assert_eq!((rows.len(), &rows[0]["podGroup"]["waiting"]), (1, &json!(waiting)), "{pending:#}");
    let names = |list: &Value| -> Vec<Value> {
        let full = |victim: &Value| {
            json!(format!("{}/{}", text(victim, "namespace"), text(victim, "name")))
        };
        list.as_array().into_iter().flatten().map(full).collect()
    };
    assert_eq!(rows[0]["victims"], json!(names(&ours["preemption"]["victims"])), "{pending:#}");
    let code = i32::from(matches!(situation.outcome, Outcome::Refuses(_) | Outcome::Fails(_)));
    let told = test.run(&["explain", GROUP, "--exit-code"]);
    assert_eq!(told.code, Some(code), "{told:?}");
    assert!(told.out.contains(situation.says), "{told:?}");
    // Without flags nothing shows whether the scheduler's gate is on, and the answer says so.
    let unsure = test.run_without_gates(&["explain", GROUP]);
    assert!(
        unsure.code == Some(3) && unsure.out.contains("--feature-gates GenericWorkload=true"),
        "{unsure:?}"
    );
    let zone = ours["group"]["topologyKey"].is_string();
    let shown = unsure
        .out
        .contains("TopologyAwareWorkloadScheduling=true or TopologyAwareWorkloadScheduling=false");
    assert_eq!(shown, zone, "{unsure:?}");
    ours
}

/// What the first cycle writes about the group and each of its pods is what we say.
fn same_writes(test: &Test, ours: &Value, written: &mut Written, part: &str) {
    let first = written.next("g", |_| true);
    assert!(text(&first, "message").contains(part), "the situation is another: {first:#}");
    assert_eq!(ours["condition"], first, "{ours:#}");
    for member in members(ours) {
        let uid = text(member, "uid");
        if member["condition"].is_null() {
            assert_eq!(json!(test.bound(uid).node), member["node"], "{ours:#}");
            continue;
        }
        let message = test.message(uid);
        let life = test.plane.kubelets.life(uid);
        assert_eq!(
            member["condition"],
            json!({"reason": life.reason, "message": message}),
            "{ours:#}"
        );
        if member["nomination"] == "Set" {
            wait_for("a nomination", || !test.plane.kubelets.life(uid).nominations.is_empty());
            assert_eq!(
                json!(test.plane.kubelets.life(uid).nominations),
                json!([member["node"]]),
                "{ours:#}"
            );
        } else {
            assert_eq!(life.nominations, Vec::<String>::new(), "{ours:#}");
        }
    }
}

/// Exactly the pods that we say are told to end, and once they have, all pods of the plan get its
/// nodes.
fn preempts(test: &Test, ours: &Value, count: usize, written: &mut Written) {
    let victims = ours["preemption"]["victims"].as_array().expect("victims");
    let planned: BTreeSet<String> =
        victims.iter().map(|victim| text(victim, "uid").to_owned()).collect();
    assert_eq!(planned.len(), count, "the situation is another: {ours:#}");
    assert!(planned.is_subset(&test.others), "{ours:#}");
    wait_for("the victims' ends", || planned.is_subset(&test.told_to_end()));
    let awaits = test.ask(&["explain", GROUP, "-o", "json"]).json();
    assert_eq!(awaits["outcome"], "Awaits", "{awaits:#}");
    disruptions::preempted_by_group(test.plane, text(&ours["group"], "uid"), &planned);
    // The messages may be about the time before or after.
    for member in members(ours) {
        test.verify(name(member), &["Equal", "Stale"]);
    }
    test.plane.kubelets.finish(true);
    for placed in ours["preemption"]["placed"].as_array().expect("nodes") {
        let named =
            |member: &&Value| text(placed, "pod") == format!("{NAMESPACE}/{}", name(member));
        let member = members(ours).find(named).expect("a member");
        assert_eq!(test.bound(text(member, "uid")).node, text(placed, "node"), "{ours:#}");
    }
    written.next("g", |condition| condition["status"] == true);
    assert_eq!(test.told_to_end(), planned);
}

/// Nothing is written about the group or its pods, while the scheduler does its work.
fn waits(test: &Test, stage: &Stage, ours: &Value) {
    let state = |member: &Value| {
        let life = test.plane.kubelets.life(text(member, "uid"));
        (life.messages, life.nominations, life.node)
    };
    // A pod with a gate gets a message from the API server.
    let before: Vec<_> = members(ours).map(state).collect();
    let other = stage.create(&pod("other"));
    test.bound(&other);
    assert_eq!(members(ours).map(state).collect::<Vec<_>>(), before, "{ours:#}");
    assert!(before.iter().all(|(_, _, node)| node.is_empty()));
    let groups = test.plane.admin().list(&path());
    assert!(groups.iter().all(|group| condition(group).is_null()), "{groups:#?}");
}

/// Once the scheduler has written about all pods that still wait, `verify` finds every message
/// equal.
fn all_others_equal(test: &Test) {
    let pods = format!("/api/v1/namespaces/{NAMESPACE}/pods");
    let waiting = || -> Vec<Value> {
        let pods = test.plane.admin().list(&pods);
        pods.into_iter().filter(|pod| pod["spec"]["nodeName"].is_null()).collect()
    };
    let is_told =
        |pod: &Value| !test.plane.kubelets.life(text(&pod["metadata"], "uid")).messages.is_empty();
    wait_for("a decision about every pod", || waiting().iter().all(is_told));
    for pod in waiting() {
        test.verify(text(&pod["metadata"], "name"), &["Equal"]);
    }
}

fn members(ours: &Value) -> impl Iterator<Item = &Value> {
    ours["members"].as_array().expect("members").iter()
}

fn name(member: &Value) -> &str {
    text(member, "name")
}

pub(super) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_else(|| panic!("no {field}: {value:#}"))
}
