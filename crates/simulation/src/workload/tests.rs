use serde_json::{Value, json};

use super::super::remark::texts;
use super::{KINDS, MOST_PODS, ManifestWorkload, NameUse, Pods};
use model::notes::SettledBy;

fn free(_: &str, _: &str) -> NameUse {
    NameUse::No
}

fn template() -> Value {
    json!({"metadata": {"labels": {"app": "web"}, "annotations": {"a": "b"}, "name": "ignored", "finalizers": ["x"]},
        "spec": {"containers": [{"name": "c"}]}})
}

fn manifest(kind: &str, spec: impl Into<Value>) -> Value {
    let spec: Value = spec.into();
    json!({"kind": kind, "metadata": {"name": "web"}, "spec": spec})
}

fn made(manifest: &Value, replicas: Option<u32>) -> Result<Pods, String> {
    ManifestWorkload::read(manifest, "shop")?.expect("a kind that makes pods").pods(replicas, &free)
}

fn names(pods: &Pods) -> String {
    let name = |p: &Value| p["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    pods.pods.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn manifest_with_replicas_makes_so_many_pods() {
    let t = template();
    for (manifest, replicas, want) in [
        (manifest("Pod", t["spec"].clone()), None, "web"),
        (manifest("Pod", t["spec"].clone()), Some(1), "web"),
        (manifest("Pod", t["spec"].clone()), Some(2), "web-0 web-1"),
        (manifest("Deployment", json!({"template": t})), None, "web-0"),
        (manifest("Deployment", json!({"template": t, "replicas": null})), None, "web-0"),
        (manifest("Deployment", json!({"template": t, "replicas": 3})), None, "web-0 web-1 web-2"),
        (manifest("Deployment", json!({"template": t, "replicas": 3})), Some(2), "web-0 web-1"),
        (manifest("ReplicaSet", json!({"template": t, "replicas": 2})), None, "web-0 web-1"),
        (
            manifest("ReplicationController", json!({"template": t, "replicas": 2})),
            None,
            "web-0 web-1",
        ),
        (manifest("StatefulSet", json!({"template": t, "replicas": 2})), None, "web-0 web-1"),
        (
            manifest(
                "StatefulSet",
                json!({"template": t, "replicas": 2, "ordinals": {"start": 5}}),
            ),
            None,
            "web-5 web-6",
        ),
        (manifest("Job", json!({"template": t})), None, "web-0"),
        (manifest("Job", json!({"template": t, "parallelism": 2})), None, "web-0 web-1"),
        (
            manifest("Job", json!({"template": t, "parallelism": 3, "completions": 2})),
            None,
            "web-0 web-1",
        ),
        (manifest("Job", json!({"template": t, "completions": 5})), None, "web-0"),
        (manifest("Job", json!({"template": t})), Some(2), "web-0 web-1"),
        (
            manifest(
                "CronJob",
                json!({"jobTemplate": {"spec": {"template": t, "parallelism": 2}}}),
            ),
            None,
            "web-0 web-1",
        ),
        (json!({"kind": "PodTemplate", "metadata": {"name": "web"}, "template": t}), None, "web-0"),
        (
            json!({"kind": "PodTemplate", "metadata": {"name": "web"}, "template": t}),
            Some(2),
            "web-0 web-1",
        ),
        (
            json!({"kind": "Pod", "metadata": {"generateName": "web-"}, "spec": t["spec"]}),
            None,
            "web-0",
        ),
        (
            json!({"kind": "Pod", "metadata": {"generateName": "web-"}, "spec": t["spec"]}),
            Some(2),
            "web-0 web-1",
        ),
        (
            json!({"kind": "Job", "metadata": {"generateName": "load-"}, "spec": {"template": t}}),
            None,
            "load-0-0",
        ),
    ] {
        assert_eq!(
            names(&made(&manifest, replicas).expect("pods")),
            want,
            "{manifest} {replicas:?}"
        );
    }
}

#[test]
fn a_workload_may_make_none() {
    let none = made(&manifest("Deployment", json!({"template": template(), "replicas": 0})), None)
        .expect("no pods");
    assert_eq!((names(&none).as_str(), none.remarks.len()), ("", 1));
    assert_eq!(none.remarks[0].settled_by, Some(SettledBy::Replicas), "{:?}", none.remarks);
}

#[test]
fn unreadable_manifest_is_an_error() {
    let t = template();
    for (manifest, want) in [
        (json!({"kind": "Deployment"}), "a Deployment without metadata.name"),
        (
            manifest("Deployment", json!({})),
            "Deployment web has no pod template (spec.template.spec)",
        ),
        (
            manifest("Deployment", json!({"template": {"spec": 7}})),
            "Deployment web has no pod template (spec.template.spec)",
        ),
        (
            manifest("CronJob", json!({})),
            "CronJob web has no pod template (spec.jobTemplate.spec.template.spec)",
        ),
        (
            manifest("PodTemplate", json!({"template": t})),
            "PodTemplate web has no pod template (template.spec)",
        ),
        (
            manifest("ReplicaSet", json!({"template": t, "replicas": 4_000_000_000_000_i64})),
            "ReplicaSet web: 4294967295 pods are too many: at most 10000 are simulated",
        ),
    ] {
        assert_eq!(made(&manifest, None).expect_err("an error"), want);
    }
    assert!(made(&manifest("Job", json!({"template": t})), Some(MOST_PODS)).is_ok());
    assert!(
        ManifestWorkload::read(&json!({"kind": "Service"}), "shop").expect("no error").is_none()
    );
    for kind in KINDS {
        assert!(
            ManifestWorkload::read(&manifest(kind, json!({})), "shop").expect("no error").is_some(),
            "{kind}"
        );
    }
}

#[test]
fn a_pod_of_a_template_has_what_its_controller_gives_it() {
    let pod = |kind: &str| {
        let spec = if kind == "CronJob" {
            json!({"jobTemplate": {"spec": {"template": template()}}})
        } else {
            json!({"template": template()})
        };
        made(&manifest(kind, spec), None).expect("pods").pods.remove(0)
    };
    for (kind, owner, labels) in [
        (
            "Deployment",
            "apps/v1 ReplicaSet web-simulated",
            json!({"app": "web", "pod-template-hash": "simulated"}),
        ),
        ("ReplicaSet", "apps/v1 ReplicaSet web", json!({"app": "web"})),
        ("ReplicationController", "v1 ReplicationController web", json!({"app": "web"})),
        (
            "StatefulSet",
            "apps/v1 StatefulSet web",
            json!({"app": "web", "statefulset.kubernetes.io/pod-name": "web-0", "apps.kubernetes.io/pod-index": "0"}),
        ),
        (
            "Job",
            "batch/v1 Job web",
            json!({"app": "web", "batch.kubernetes.io/job-name": "web", "job-name": "web"}),
        ),
        (
            "CronJob",
            "batch/v1 Job web-0",
            json!({"app": "web", "batch.kubernetes.io/job-name": "web-0", "job-name": "web-0"}),
        ),
    ] {
        let pod = pod(kind);
        let meta = &pod["metadata"];
        let of = &meta["ownerReferences"][0];
        let text = |field: &str| of[field].as_str().unwrap_or_default().to_owned();
        assert_eq!(format!("{} {} {}", text("apiVersion"), text("kind"), text("name")), owner);
        assert_eq!((&of["controller"], &meta["labels"]), (&json!(true), &labels), "{kind}");
        assert_eq!(
            (&meta["namespace"], &meta["annotations"]),
            (&json!("shop"), &json!({"a": "b"}))
        );
        assert_eq!((&meta["finalizers"], &pod["spec"]), (&Value::Null, &template()["spec"]));
    }
    let template = json!({"kind": "PodTemplate", "metadata": {"name": "web", "namespace": "own"}, "template": template()});
    let pod = made(&template, None).expect("pods").pods.remove(0);
    assert_eq!(
        (&pod["metadata"]["ownerReferences"], &pod["metadata"]["namespace"]),
        (&Value::Null, &json!("own"))
    );
}

#[test]
fn the_owner_that_selects_pods_is_there_with_them() {
    let selector = json!({"matchLabels": {"app": "web"}});
    let others = |kind: &str| {
        let spec = json!({"template": template(), "selector": selector});
        made(&manifest(kind, spec), None).expect("pods").others
    };
    let set = &others("Deployment")[0];
    assert_eq!(
        (&set["kind"], &set["metadata"]["name"]),
        (&json!("ReplicaSet"), &json!("web-simulated"))
    );
    assert_eq!(
        set["spec"]["selector"]["matchLabels"],
        json!({"app": "web", "pod-template-hash": "simulated"})
    );
    assert_eq!(set["metadata"]["ownerReferences"][0]["name"], "web");
    for kind in ["ReplicaSet", "StatefulSet", "ReplicationController"] {
        let owner = &others(kind)[0];
        assert_eq!((&owner["kind"], &owner["spec"]["selector"]), (&json!(kind), &selector));
    }
    assert!(others("Job").is_empty());
}

#[test]
fn the_claims_of_a_stateful_set() {
    let claim = json!({"metadata": {"name": "data"}, "spec": {"storageClassName": "fast"}});
    let mut template = template();
    template["spec"]["volumes"] =
        json!([{"name": "data", "emptyDir": {}}, {"name": "other", "emptyDir": {}}]);
    let spec = json!({"template": template, "replicas": 2, "volumeClaimTemplates": [claim]});
    let found = made(&manifest("StatefulSet", spec.clone()), None).expect("pods");
    let volumes = |i: usize| found.pods[i]["spec"]["volumes"].clone();
    assert_eq!(
        volumes(0),
        json!([{"name": "other", "emptyDir": {}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}])
    );
    assert_eq!(volumes(1)[1]["persistentVolumeClaim"]["claimName"], "data-web-1");
    let claims: Vec<&Value> =
        found.others.iter().filter(|o| o["kind"] == "PersistentVolumeClaim").collect();
    assert_eq!(claims.len(), 2);
    assert_eq!(claims[1]["metadata"]["name"], "data-web-1");
    assert_eq!(
        (&claims[1]["metadata"]["namespace"], &claims[1]["spec"]),
        (&json!("shop"), &json!({"storageClassName": "fast"}))
    );
    let deployment = made(&manifest("Deployment", spec), None).expect("pods");
    assert!(deployment.others.iter().all(|o| o["kind"] != "PersistentVolumeClaim"));
}

#[test]
fn names_that_are_taken_are_passed_over() {
    let taken = |namespace: &str, name: &str| match (namespace, name) {
        ("shop", "web-0" | "web-2") => NameUse::Runs,
        ("shop", "web-3") => NameUse::Waits,
        _ => NameUse::No,
    };
    let set = manifest("StatefulSet", json!({"template": template(), "replicas": 3}));
    let found = ManifestWorkload::read(&set, "shop")
        .expect("no error")
        .expect("a workload")
        .pods(None, &taken)
        .expect("pods");
    assert_eq!(names(&found), "web-1 web-4 web-5");
    let generated = json!({"kind": "Pod", "metadata": {"generateName": "web-"}, "spec": {}});
    let found = ManifestWorkload::read(&generated, "shop")
        .expect("no error")
        .expect("a pod")
        .pods(None, &taken)
        .expect("pods");
    assert_eq!((names(&found).as_str(), found.remarks.len()), ("web-1", 0));
    assert_eq!(found.pods[0]["metadata"]["generateName"], Value::Null);
}

#[test]
fn a_pod_whose_name_is_taken() {
    let pod = manifest("Pod", json!({"containers": []}));
    let with = |place: NameUse| {
        let taken = |_: &str, name: &str| if name == "web" { place } else { NameUse::No };
        ManifestWorkload::read(&pod, "shop")
            .expect("no error")
            .expect("a pod")
            .pods(None, &taken)
            .expect("pods")
    };
    let found = with(NameUse::Waits);
    assert_eq!(names(&found), "web");
    assert_eq!(
        texts(&found.remarks),
        ["Pod shop/web is already pending: the pod of the file replaces it"]
    );
    let found = with(NameUse::Runs);
    assert_eq!(names(&found), "web-0");
    assert_eq!(
        texts(&found.remarks),
        ["Pod shop/web is already on a node: another one is simulated, web-0"]
    );
}

#[test]
fn an_exported_pod_is_taken_for_a_new_one() {
    let exported = json!({"kind": "Pod",
        "metadata": {"name": "web", "uid": "u", "resourceVersion": "7", "creationTimestamp": "x", "labels": {"a": "b"},
            "deletionTimestamp": "x", "deletionGracePeriodSeconds": 30},
        "spec": {"nodeName": "n", "containers": []}, "status": {"phase": "Running", "nominatedNodeName": "n"}});
    let found = made(&exported, None).expect("pods");
    assert_eq!(
        texts(&found.remarks),
        ["Pod shop/web is read as a new pod like it, without its node and status"]
    );
    let want = json!({"kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "labels": {"a": "b"}}, "spec": {"containers": []}});
    assert_eq!(found.pods, [want]);
    let mut waiting = exported;
    waiting["spec"] = json!({"containers": []});
    assert_eq!(texts(&made(&waiting, None).expect("pods").remarks), [""; 0]);
    let bound = manifest("Pod", json!({"nodeName": "n", "containers": []}));
    assert_eq!(
        made(&bound, None).expect("pods").pods[0]["spec"]["nodeName"],
        "n",
        "what a manifest says counts"
    );
}
