//! What shows that groups are on, and who may read them.

use serde_json::{Value, json};

use super::GROUPS;
use super::scheduled::gang;
use crate::answers::failure;
use crate::fidelity::Test;
use crate::objects::{NAMESPACE, node, pod};
use crate::permissions;
use crate::plane::{Plane, wait_for};
use crate::proxy::Proxy;
use crate::stage::Stage;
use crate::tool::{Run, run};

const SYSTEM: &str = "/api/v1/namespaces/kube-system";

/// A gang that waits, and no scheduler that has seen it.
fn waiting(plane: &mut Plane) -> Stage {
    let stage = super::stage(plane, GROUPS);
    plane.scheduler.pause();
    stage.build(&[node("n1", "1"), pod("a").cpu("1").class("low").on("n1")]);
    stage.build(&gang(1, "1", "high"));
    stage
}

/// The code of a note, if the answer has it as an error.
fn has_error(run: &Run, code: &str) -> bool {
    let answer = run.json();
    let notes = answer["notes"].as_array().expect("notes");
    notes.iter().any(|note| note["code"] == code && note["severity"] == "error")
}

/// That PodGroups are served shows that the API server's gate is on, which makes that of the
/// scheduler probable. A flag, the scheduler's static pod, and what it writes leave no doubt.
pub fn evidence(plane: &mut Plane) {
    let stage = waiting(plane);
    let test = Test { plane, others: stage.uids(), gates: GROUPS };
    for asked in ["podgroup/g", "g-0"] {
        let question = ["explain", asked, "-o", "json"];
        let unsure = test.run_without_gates(&question);
        assert!(unsure.code == Some(3) && has_error(&unsure, "PRE-922"), "{unsure:?}");
        assert_eq!(unsure.json()["outcome"], "Preempt", "{unsure:?}");
        assert_eq!(test.ask(&question).json()["outcome"], "Preempt");
    }
    // A scheduler that knows no groups tries the pod alone.
    let alone = test.run_without_gates(&[
        "explain",
        "g-0",
        "-o",
        "json",
        "--feature-gates=GenericWorkload=false",
    ]);
    assert_eq!((alone.code, &alone.json()["group"]), (Some(0), &Value::Null), "{alone:?}");
    let no_groups =
        test.run_without_gates(&["explain", "podgroup/g", "--feature-gates=GenericWorkload=false"]);
    assert!(
        no_groups.code == Some(0) && no_groups.err.contains("the gate GenericWorkload is off"),
        "{no_groups:?}"
    );
    // What a kubelet shows of a scheduler that runs as a static pod.
    wait_for("the account", || stage.admin.serves(&format!("{SYSTEM}/serviceaccounts/default")));
    for (flags, is_one_of_a_group) in [(&[GROUPS][..], true), (&[], false)] {
        stage.admin.create(&format!("{SYSTEM}/pods"), &static_scheduler(flags));
        let shown = test.run_without_gates(&["explain", "g-0", "-o", "json"]);
        let path = format!("{SYSTEM}/pods/kube-scheduler-n1");
        stage.admin.must("DELETE", &path, Some(&json!({"gracePeriodSeconds": 0})));
        let answer = shown.json();
        assert_eq!((shown.code, &answer["outcome"]), (Some(0), &json!("Preempt")), "{shown:?}");
        assert_eq!(answer["group"].is_object(), is_one_of_a_group, "{shown:?}");
    }
    plane.scheduler.go_on();
}

fn static_scheduler(gates: &[&str]) -> Value {
    let flags = gates.iter().map(|gates| format!("--feature-gates={gates}"));
    let command: Vec<String> = std::iter::once("kube-scheduler".to_owned()).chain(flags).collect();
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "kube-scheduler-n1", "labels": {"component": "kube-scheduler", "tier": "control-plane"}},
        "spec": {"nodeName": "n1", "containers": [{"name": "kube-scheduler", "image": "none", "command": command}]}})
}

/// The answer to a user who may not read PodGroups says so, and is uncertain.
pub fn no_groups(plane: &mut Plane) {
    let stage = waiting(plane);
    let ask = |asked: &str, gates: &[&str]| {
        let arguments = [&["explain", asked, "-n", NAMESPACE, "-o", "json"], gates].concat();
        run(&plane.kubeconfig("groupless"), &arguments)
    };
    let gates = ["--feature-gates", GROUPS];
    for (asked, gates) in
        [("g-0", &[][..]), ("g-0", &gates), ("podgroup/g", &[]), ("podgroup/g", &gates)]
    {
        let unsure = ask(asked, gates);
        assert_eq!(unsure.code, Some(3), "{unsure:?}");
        let answer = unsure.json();
        let notes = answer["notes"].as_array().expect("notes");
        let told = notes.iter().any(|note| {
            let text = note["text"].as_str().unwrap_or_default();
            note["severity"] == "error"
                && note["objects"][0] == "podgroups"
                && text.contains("could not be read")
        });
        assert!(told, "{answer:#}");
    }
    stage.create(&pod("p").cpu("1").class("high"));
    let alone = ask("p", &gates);
    assert_eq!(alone.code, Some(0), "no pod of a group can be evicted: {alone:?}");
    plane.scheduler.go_on();
}

/// So is the answer to a user who may not read budgets, if the group evicts pods.
pub fn no_budgets(plane: &mut Plane) {
    waiting(plane);
    let proxy = Proxy::start(plane);
    proxy.fault("GET", "/poddisruptionbudgets", failure(403, "Forbidden", "budgets are forbidden"));
    let arguments =
        ["explain", "podgroup/g", "-n", NAMESPACE, "-o", "json", "--feature-gates", GROUPS];
    let unsure = run(&proxy.kubeconfig(plane, "reader"), &arguments);
    plane.scheduler.go_on();
    assert!(unsure.code == Some(3) && has_error(&unsure, "PRE-925"), "{unsure:?}");
}

/// A scheduler that has just started tries the pods of a group in any order: `verify` knows that.
pub fn started_later(plane: &mut Plane) {
    let stage = super::stage(plane, GROUPS);
    plane.scheduler.pause();
    let gang = gang(6, "1", "high");
    stage.build(&[node("n1", "3")]);
    stage.build(&gang);
    plane.replace_scheduler(GROUPS);
    let test = Test { plane, others: stage.uids(), gates: GROUPS };
    test.others.iter().for_each(|uid| drop(test.message(uid)));
    gang[1..].iter().for_each(|pod| test.verify(pod.name(), &["Equal"]));
}

/// A user with the roles of the manifest lacks nothing, and one who may not read PodGroups learns
/// what that costs.
pub fn roles(plane: &Plane) {
    // Nothing waits.
    Stage::new(plane);
    permissions::roles(plane);
    let (code, found) = permissions::doctor(plane, "groupless", &[]);
    let of_groups = |list: &Value| -> Vec<Value> {
        let all = list.as_array().into_iter().flatten();
        // Other programs have groups of that name in API groups of their own.
        let own =
            |one: &&Value| one["resource"] == "podgroups" && one["group"] == "scheduling.k8s.io";
        all.filter(own).cloned().collect()
    };
    let denied = of_groups(&found["permissions"]);
    assert!(code == Some(3) && !denied.is_empty(), "{found:#}");
    assert!(denied.iter().all(|permission| permission["answer"] == "Denied"), "{denied:#?}");
    let costs = |permission: &Value| {
        permission["without"] == "whether groups of pods are scheduled as a whole is not known"
    };
    assert!(denied.iter().any(costs), "{denied:#?}");
    let missing = &found["missing"][0]["rules"][0];
    assert_eq!(
        (&missing["resources"], &missing["verbs"]),
        (&json!(["podgroups"]), &json!(["list", "watch"]))
    );
}
