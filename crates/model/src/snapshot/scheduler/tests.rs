use serde_json::json;

use super::*;

fn pod(name: &str, container: &serde_json::Value) -> StaticPod {
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": {"containers": [container]}}))
        .expect("a pod")
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
    assert_eq!(
        found.flags.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(),
        expected
    );
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
fn value_in_a_word_of_its_own_is_read_whatever_it_begins_with() {
    let found = Scheduler::of(vec![pod(
        "s",
        &json!({"command": ["kube-scheduler", "--use-legacy-policy-config", "--scheduler-name", "-mine",
                            "--feature_gates", "A=false", "--config", "/etc/s.yaml"]}),
    )]);
    let flags: Vec<(&str, &str)> =
        found.flags.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let expected = [
        ("config", "/etc/s.yaml"),
        ("feature-gates", "A=false"),
        ("scheduler-name", "-mine"),
        ("use-legacy-policy-config", "true"),
    ];
    assert_eq!(flags, expected);
}

#[test]
fn pods_that_differ_are_named() {
    let start =
        |gates: &str| json!({"command": ["kube-scheduler", format!("--feature-gates={gates}")]});
    let found = Scheduler::of(vec![
        pod("c", &start("A=true")),
        pod("b", &start("A=false")),
        pod("a", &start("A=true")),
    ]);
    assert_eq!(
        (found.pods, found.differing),
        (vec!["a".to_owned(), "b".into(), "c".into()], vec!["b".to_owned()])
    );
}

#[test]
fn policy_location_is_read_from_flags() {
    let flags = |list: &[&str]| {
        Scheduler::of(vec![pod("s", &json!({"command": list}))]).policy_config_map()
    };
    assert_eq!(flags(&["--config=/x"]), None);
    assert_eq!(
        flags(&["--policy-configmap=p"]).map(|n| n.to_string()).as_deref(),
        Some("kube-system/p")
    );
    let named = flags(&["--policy-configmap=p", "--policy-configmap-namespace=n"]);
    assert_eq!(named.map(|n| n.to_string()).as_deref(), Some("n/p"));
    assert_eq!(flags(&["--policy-configmap=p", "--use-legacy-policy-config=true"]), None);
}

#[test]
fn the_key_is_the_only_one_or_a_usual_one() {
    let data = |keys: &[&str]| {
        keys.iter().map(|key| ((*key).to_owned(), String::new())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(config_key(&data(&["mine"])), Ok("mine"));
    assert_eq!(config_key(&data(&["kubeconfig", "policy.cfg", "config.yaml"])), Ok("config.yaml"));
    assert!(config_key(&data(&[])).expect_err("nothing").contains("no data"));
    assert!(
        config_key(&data(&["a", "b"]))
            .expect_err("unclear")
            .starts_with("which of its keys is meant? a, b;")
    );
}

#[test]
fn names_of_config_maps() {
    assert_eq!(ConfigMapName::parse("a/b.c").map(|n| n.to_string()).as_deref(), Some("a/b.c"));
    for text in ["a", "/b", "a/", "a/b/c", "a/..?x"] {
        assert_eq!(ConfigMapName::parse(text), None, "{text}");
    }
}

#[test]
fn the_version_is_that_of_a_kubernetes_image() {
    let of = |image: &str| {
        Scheduler::of(vec![pod("s", &json!({"image": image, "command": ["kube-scheduler"]}))])
            .version
    };
    for (image, version) in [
        ("registry.k8s.io/kube-scheduler:v1.33.4", Some("v1.33.4")),
        ("localhost:5000/kube-scheduler-amd64:v1.12.10@sha256:ab", Some("v1.12.10")),
        (
            "rancher/hardened-kubernetes:v1.28.9-rke2r1-build20240416",
            Some("v1.28.9-rke2r1-build20240416"),
        ),
        ("k8s.gcr.io/hyperkube:v1.17.0", Some("v1.17.0")),
        ("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:ab", None),
        ("localhost:5000/kube-scheduler", None),
        ("example.com/batch-scheduler:1.2", None),
    ] {
        assert_eq!(of(image).as_deref(), version, "{image}");
    }
    let other = |name: &str, tag: &str| {
        pod(
            name,
            &json!({"image": format!("registry.k8s.io/kube-scheduler:{tag}"), "command": ["kube-scheduler"]}),
        )
    };
    let upgraded =
        Scheduler::of(vec![other("a", "v1.33.4"), other("b", "v1.32.1"), other("c", "v1.33.4")]);
    assert_eq!(
        (upgraded.version.as_deref(), upgraded.other_versions),
        (Some("v1.33.4"), vec!["b".to_owned()])
    );
}

#[test]
fn a_static_pod_of_a_file_is_known_by_its_namespace_labels_and_command() {
    let whole = |namespace: &str, component: &str, container: serde_json::Value| {
        let labels = json!({"component": component, "tier": "control-plane"});
        json!({"metadata": {"name": "s", "namespace": namespace, "labels": labels}, "spec": {"containers": [container]}})
    };
    let started = json!({"command": ["kube-scheduler", "--feature-gates=A=true", "--kubeconfig=/etc/secret"]});
    for (object, is_it) in [
        (whole("kube-system", "kube-scheduler", started.clone()), true),
        (whole("shop", "kube-scheduler", started.clone()), false),
        (whole("kube-system", "etcd", started), false),
        // As in a snapshot, which has no command lines.
        (whole("kube-system", "kube-scheduler", json!({"image": "kube-scheduler:v1.33.4"})), false),
    ] {
        let text = object.to_string();
        let mut builder = crate::cluster::build::Builder::new();
        let list = json!({"kind": "PodList", "apiVersion": "v1", "items": [object]}).to_string();
        crate::decode::decode(&list, "a file", &mut builder).expect("a list");
        let found = builder.finish().header.scheduler;
        assert_eq!(found.is_some(), is_it, "{text}");
        assert!(!format!("{found:?}").contains("secret"), "{found:?}");
    }
}

#[test]
fn static_pod_of_openshift_is_known_by_its_container() {
    let whole = |app: &str, container: &str| {
        let line = json!(["hyperkube", "kube-scheduler"]);
        json!({"metadata": {"name": "openshift-kube-scheduler-m1", "namespace": OPENSHIFT_NAMESPACE,
                            "labels": {"app": app, "revision": "7"}},
               "spec": {"containers": [
                   {"name": "kube-scheduler-cert-syncer", "args": ["--config=/other"]},
                   {"name": container, "image": "quay.io/openshift/hyperkube:v4.16.3", "command": line,
                    "args": ["--config=/etc/config.yaml", "--feature-gates=A=true", "--kubeconfig=/etc/secret"]}]}})
    };
    let found = |object: &serde_json::Value| {
        let text = object.to_string();
        StaticPod::of(&serde_json::from_str(&text).expect("a pod"), &text)
    };
    let pod = found(&whole("openshift-kube-scheduler", "kube-scheduler")).expect("the scheduler");
    let scheduler = Scheduler::of(vec![pod]);
    assert_eq!(scheduler.namespace(), "openshift-kube-scheduler");
    assert_eq!(scheduler.version, None, "a version of OpenShift is none of Kubernetes");
    let flags: Vec<(&str, &str)> =
        scheduler.flags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(flags, [("config", "/etc/config.yaml"), ("feature-gates", "A=true")]);
    assert!(found(&whole("guard", "kube-scheduler")).is_none());
    assert!(found(&whole("openshift-kube-scheduler", "guard")).is_none());
}
