//! Annotations by which pods ask other programs not to evict them: every command says that they do
//! not protect from preemption.

use serde_json::{Value, json};

use super::{NOW, Run, list, node, pod, run_with, with};

const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";

/// A pod that preempts another one, which has these annotations.
fn scene(annotations: &Value) -> Vec<Value> {
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
        "value": 1000});
    let cpu = "/spec/containers/0/resources/requests/cpu";
    let victim = with(with(pod("job-1"), "/spec/nodeName", json!("n1")), cpu, json!("4"));
    let victim = with(victim, "/metadata/annotations", annotations.clone());
    let vip = with(with(pod("vip"), "/spec/priority", json!(1000)), cpu, json!("4"));
    vec![with(node("n1"), "/status/allocatable/cpu", json!("4")), class, victim, vip]
}

fn ask(arguments: &[&str], annotations: &Value) -> Run {
    let arguments = [arguments, &["--from", "-", "--now", NOW]].concat();
    run_with(&arguments, list(&scene(annotations)).as_bytes())
}

#[test]
fn victim_with_do_not_disrupt_is_said_to_be_unprotected_in_every_output() {
    let guarded = json!({DO_NOT_DISRUPT: "true", "token": "CANARY"});
    let plain = json!({"token": "CANARY"});
    let said = "karpenter.sh/do-not-disrupt does not protect from preemption";
    for arguments in [
        &["explain", "vip"][..],
        &["explain", "vip", "-o", "wide"],
        &["explain", "vip", "-o", "html"],
        &["explain", "vip", "-o", "markdown"],
    ] {
        let answer = ask(arguments, &guarded);
        assert!(answer.out.contains(said), "{arguments:?}: {answer:?}");
        assert!(!answer.out.contains("CANARY"), "{answer:?}");
        assert!(!ask(arguments, &plain).out.contains("do-not-disrupt"), "{arguments:?}");
    }
    let simulated = ask(&["simulate", "vip"], &guarded);
    let hazard =
        "! default/job-1 has karpenter.sh/do-not-disrupt, which does not protect from preemption";
    assert!(simulated.out.contains(hazard), "{simulated:?}");
    for (format, name) in [("text", ""), ("html", "<span class=\"name\">")] {
        let risk = ask(&["risk", "-o", format], &guarded);
        let line = format!(
            "1 pod that can be preempted asks not to be evicted: {name}karpenter.sh/do-not-disrupt."
        );
        assert!(risk.out.contains(&line), "{risk:?}");
    }
}

#[test]
fn victim_with_several_annotations_names_them_in_json() {
    let guarded = json!({
        DO_NOT_DISRUPT: "2h",
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
        "descheduler.alpha.kubernetes.io/prefer-no-eviction": "",
        "descheduler.alpha.kubernetes.io/evict": "false",
    });
    let names = json!([
        DO_NOT_DISRUPT,
        "cluster-autoscaler.kubernetes.io/safe-to-evict=false",
        "descheduler.alpha.kubernetes.io/prefer-no-eviction",
        "descheduler.alpha.kubernetes.io/evict=false"
    ]);
    let explained = ask(&["explain", "vip", "-o", "json"], &guarded).json();
    assert_eq!(explained["preemption"]["nodes"][0]["victims"][0]["unprotectedBy"], names);
    let risk = ask(&["risk", "-o", "json"], &guarded).json();
    let pods =
        risk["items"].as_array().unwrap().iter().flat_map(|item| item["pods"].as_array().unwrap());
    let all: Vec<&Value> =
        pods.map(|pod| &pod["unprotectedBy"]).filter(|names| !names.is_null()).collect();
    assert_eq!(all, [&names]);

    let audit = ask(&["audit", "-o", "json"], &guarded).json();
    let finding = |found: &&Value| found["code"] == "AUD-310";
    let found = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(finding)
        .unwrap_or_else(|| panic!("{audit}"));
    assert_eq!(
        (&found["check"], &found["evidence"]["annotations"]),
        (&json!("Unprotected"), &names)
    );
}

#[test]
fn annotation_of_another_type_than_text_is_absent_and_changes_no_decision() {
    let odd =
        json!({DO_NOT_DISRUPT: {"a": 1}, "cluster-autoscaler.kubernetes.io/safe-to-evict": false});
    let answer = ask(&["explain", "vip"], &odd);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(!answer.out.contains("protect from preemption"), "{answer:?}");
}
