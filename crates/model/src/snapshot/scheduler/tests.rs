use serde_json::json;

use super::*;

fn pod(name: &str, container: &serde_json::Value) -> StaticPod {
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": {"containers": [container]}})).expect("a pod")
}

#[test]
fn only_flags_that_decide_are_kept() {
    let found = Scheduler::of(vec![pod(
        "kube-scheduler-a",
        &json!({"command": ["kube-scheduler", "--kubeconfig=/etc/secret", "--feature-gates", "A=true", "--config=/etc/s.yaml"],
               "args": ["--profiling=false", "--feature-gates=B=false"], "env": [{"name": "TOKEN", "value": "canary"}]}),
    )]);
    assert_eq!(found.pods, ["kube-scheduler-a"]);
    let expected = [("config", "/etc/s.yaml"), ("feature-gates", "B=false")];
    assert_eq!(found.flags.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(), expected);
    let kept = serde_json::to_string(&found).expect("JSON");
    assert!(!kept.contains("secret") && !kept.contains("canary"), "{kept}");
}

#[test]
fn a_shell_line_is_taken_apart() {
    let line = "exec kube-scheduler --policy-configmap='p' --v=2 --use-legacy-policy-config 1>>/var/log/s 2>&1";
    let found = Scheduler::of(vec![pod("s", &json!({"command": ["/bin/sh", "-c", line]}))]);
    assert_eq!(found.flags.get("policy-configmap").map(String::as_str), Some("p"));
    assert_eq!(found.flags.len(), 2);
}

#[test]
fn pods_that_differ_are_named() {
    let start = |gates: &str| json!({"command": ["kube-scheduler", format!("--feature-gates={gates}")]});
    let found =
        Scheduler::of(vec![pod("c", &start("A=true")), pod("b", &start("A=false")), pod("a", &start("A=true"))]);
    assert_eq!((found.pods, found.differing), (vec!["a".to_owned(), "b".into(), "c".into()], vec!["b".to_owned()]));
}

#[test]
fn the_policy_is_where_the_flags_say() {
    let flags = |list: &[&str]| Scheduler::of(vec![pod("s", &json!({"command": list}))]).policy_config_map();
    assert_eq!(flags(&["--config=/x"]), None);
    assert_eq!(flags(&["--policy-configmap=p"]).map(|n| n.to_string()).as_deref(), Some("kube-system/p"));
    let named = flags(&["--policy-configmap=p", "--policy-configmap-namespace=n"]);
    assert_eq!(named.map(|n| n.to_string()).as_deref(), Some("n/p"));
    assert_eq!(flags(&["--policy-configmap=p", "--use-legacy-policy-config=true"]), None);
}

#[test]
fn the_key_is_the_only_one_or_a_usual_one() {
    let data = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), String::new())).collect::<BTreeMap<_, _>>();
    assert_eq!(config_key(&data(&["mine"])), Ok("mine"));
    assert_eq!(config_key(&data(&["kubeconfig", "policy.cfg", "config.yaml"])), Ok("config.yaml"));
    assert!(config_key(&data(&[])).expect_err("nothing").contains("no data"));
    assert!(config_key(&data(&["a", "b"])).expect_err("unclear").starts_with("which of its keys is meant? a, b;"));
}

#[test]
fn names_of_config_maps() {
    assert_eq!(ConfigMapName::parse("a/b.c").map(|n| n.to_string()).as_deref(), Some("a/b.c"));
    for text in ["a", "/b", "a/", "a/b/c", "a/..?x"] {
        assert_eq!(ConfigMapName::parse(text), None, "{text}");
    }
}
