use serde_json::{Value, json};

use super::super::remark::texts;
use super::{HypotheticalPods, NewPod, of, replicas_of};
use model::notes::SettledBy;
use testing::{NOW, budget, claim, class, cluster, find, node, objects, pod, volume};

fn meta(kind: &str, name: &str) -> Value {
    json!({"kind": kind, "metadata": {"name": name}})
}

/// The pods and other objects of manifests in a cluster.
fn sorted(manifests: &[Value], objects: Vec<Value>) -> HypotheticalPods {
    let cluster = cluster(objects);
    let mut into = HypotheticalPods::default();
    for manifest in manifests {
        of(manifest, 0, "shop", None, &cluster, &mut into).expect("no error");
    }
    into
}

fn objects_of(pods: &[NewPod]) -> Vec<Value> {
    pods.iter().map(|pod| pod.object.clone()).collect()
}

fn names(objects: &[Value]) -> String {
    let name = |o: &Value| o["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    objects.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn namespaces_are_filled_in_where_there_are_any() {
    let kinds = ["Service", "ConfigMap", "StorageClass", "Node", "ReplicaSet", "LimitRange"];
    // A ReplicaSet without a template creates no pods; as a workload it is an error.
    let objects: Vec<Value> =
        kinds.iter().filter(|k| **k != "ReplicaSet").map(|kind| meta(kind, "x")).collect();
    let found = sorted(&objects, vec![]);
    let namespaces: Vec<Option<&str>> =
        found.others.iter().map(|o| o["metadata"]["namespace"].as_str()).collect();
    assert_eq!(namespaces, [Some("shop"), Some("shop"), None, None, Some("shop")]);
    let own = json!({"kind": "Service", "metadata": {"name": "x", "namespace": "own"}});
    let empty = json!({"kind": "Service", "metadata": {"name": "x", "namespace": ""}});
    let null = json!({"kind": "Service", "metadata": {"name": "x", "namespace": null}});
    let found = sorted(&[own, empty, null, json!({"kind": "Service"})], vec![]);
    let namespaces: Vec<&Value> =
        found.others.iter().map(|o| &o["metadata"]["namespace"]).collect();
    assert_eq!(namespaces, ["own", "shop", "shop", "shop"]);
}

#[test]
fn of_a_pod_that_is_given_twice_the_later_counts() {
    let pod = |image: &str| json!({"kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"image": image}]}});
    let found = sorted(&[pod("old"), pod("new")], vec![]);
    assert_eq!(
        (
            names(&objects_of(&found.pods)).as_str(),
            &found.pods[0].object["spec"]["containers"][0]["image"]
        ),
        ("web", &json!("new"))
    );
}

#[test]
fn names_of_the_cluster_and_of_each_other_are_passed_over() {
    let set = |name: &str| json!({"kind": "ReplicaSet", "metadata": {"name": name}, "spec": {"replicas": 2, "template": {"spec": {}}}});
    let there = objects![pod("web-0").ns("shop"), pod("web-1").ns("elsewhere")];
    let found = sorted(&[set("web"), set("web")], there);
    assert_eq!(names(&objects_of(&found.pods)), "web-1 web-2 web-3 web-4");
}

#[test]
fn manifest_without_status_keeps_the_status_of_the_existing_object() {
    let there = objects![
        budget("b").ns("shop").allowed(3),
        claim("c", "").ns("shop").bound("v"),
        volume("v", ""),
    ];
    let manifests = [
        meta("PodDisruptionBudget", "b"),
        meta("PersistentVolumeClaim", "c"),
        meta("PersistentVolume", "v"),
    ];
    let found = sorted(&manifests, there);
    assert!(found.others.is_empty() && found.claims.is_empty(), "{found:?}");
    assert_eq!(
        texts(&found.remarks),
        ["PodDisruptionBudget shop/b already exists: that one is used"]
    );
    let new = sorted(&manifests, vec![]);
    assert_eq!((names(&new.others).as_str(), names(&new.claims).as_str()), ("b v", "c"));
    assert_eq!(new.others[1]["status"]["phase"], "Available");
    assert_eq!(new.remarks[0].settled_by, Some(SettledBy::AllowedDisruptions), "{:?}", new.remarks);
    let said = json!({"kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "status": {"disruptionsAllowed": 1}});
    let found = sorted(&[said], objects![budget("b").ns("shop").allowed(3)]);
    assert_eq!((names(&found.others).as_str(), found.remarks.len()), ("b", 0));
    let reserved = json!({"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {"claimRef": {"name": "c"}}});
    assert_eq!(sorted(&[reserved], vec![]).others[0]["status"], Value::Null);
}

#[test]
fn namespaces_have_their_name_as_a_label() {
    let labelled = json!({"kind": "Namespace", "metadata": {"name": "team", "labels": {"a": "b"}}});
    let found = sorted(&[labelled], vec![]);
    assert_eq!(
        found.others[0]["metadata"]["labels"],
        json!({"a": "b", "kubernetes.io/metadata.name": "team"})
    );
}

#[test]
fn daemon_sets_see_the_nodes_that_join_with_them() {
    let spec = json!({"template": {"spec": {"containers": [{"name": "c"}]}}});
    let set = json!({"kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": spec});
    let found = sorted(std::slice::from_ref(&set), vec![]);
    let admitted = found.admit(&cluster(objects![node("n1"), node("n2")])).expect("pods");
    assert_eq!(names(&objects_of(&admitted.pods)), "agent-n1 agent-n2");
    assert_eq!(admitted.pods[0].object["metadata"]["namespace"], "shop");
    assert_eq!(admitted.pods[0].object["spec"]["priority"], 0);
    let mut into = HypotheticalPods::default();
    let error = of(&set, 0, "shop", Some(2), &cluster(vec![]), &mut into).expect_err("an error");
    assert!(error.contains("however many replicas"), "{error}");
}

#[test]
fn remarks_are_reported_once() {
    let set = json!({"kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "c"}]}}}});
    let admitted = sorted(&[set], vec![]).admit(&cluster(objects![node("n")])).expect("pods");
    assert_eq!(
        admitted.remarks.len(),
        3,
        "one about LimitRanges, PriorityClasses and ResourceQuotas each: {:?}",
        admitted.remarks
    );
    let bad = json!({"kind": "Pod", "metadata": {"name": "web"}});
    let error = sorted(&[bad], vec![]).admit(&cluster(vec![])).expect_err("an error");
    assert_eq!(error, "Pod shop/web has no spec");
}

#[test]
fn claims_are_admitted_too() {
    let claim = meta("PersistentVolumeClaim", "c");
    let mut claim = claim;
    claim["spec"] = json!({});
    let fast = class("fast", "csi")
        .with("/metadata/annotations/storageclass.kubernetes.io~1is-default-class", "true");
    let admitted = sorted(&[claim], vec![]).admit(&cluster(objects![fast])).expect("claims");
    assert_eq!(admitted.claims[0]["spec"]["storageClassName"], "fast");
    assert_eq!(texts(&admitted.remarks), ["claim c is of the default StorageClass, fast"]);
}

#[test]
fn further_pods_of_an_owner() {
    let now = NOW.parse().expect("a time");
    let db = pod("db-0")
        .of("apps/v1", "StatefulSet", "db")
        .claim("data-db-0")
        .cpu("2")
        .priority(5)
        .on("n");
    let mut cluster = cluster(objects![
        node("n"),
        claim("data-db-0", "fast").bound("pv"),
        claim("data-db-3", "fast").bound("kept"),
        db,
        pod("db-1"),
    ]);
    let model = find(&cluster, "db-0");
    let more = replicas_of(model, "db", 2, &mut cluster, now);
    let facts = |i: usize| {
        let pod = &more[i];
        let claim =
            cluster.storage.claim(pod.namespace, pod.claims[0]).expect("its claim is there");
        (
            pod.name.to_string(),
            cluster.text(claim.name).to_owned(),
            cluster.text(claim.volume_name).to_owned(),
        )
    };
    assert_eq!(facts(0), ("db-2".to_owned(), "data-db-2".to_owned(), String::new()));
    assert_eq!(facts(1), ("db-3".to_owned(), "data-db-3".to_owned(), "kept".to_owned()));
    for pod in &more {
        assert_eq!(
            (&*pod.uid, pod.priority, pod.node_name.is_empty(), pod.created),
            ("", 5, true, Some(now))
        );
        assert_eq!(
            (pod.template, pod.resource_requests),
            (cluster.pod(model).template, cluster.pod(model).resource_requests)
        );
    }
    let web = replicas_of(find(&cluster, "db-1"), "web", 1, &mut cluster, now);
    assert_eq!(&*web[0].name, "web-0");
}

#[test]
fn replicas_of_anything_else_share_their_claims() {
    let now = NOW.parse().expect("a time");
    let web = pod("web-0").replica_of("web").claim("data-web-0");
    let mut cluster = cluster(objects![claim("data-web-0", "fast").bound("pv"), web]);
    let more = replicas_of(find(&cluster, "web-0"), "web", 1, &mut cluster, now);
    assert_eq!(cluster.text(more[0].claims[0]), "data-web-0");
}

#[test]
fn pods_of_what_is_suspended_are_shown_with_a_remark() {
    let template = json!({"spec": {"containers": [{"name": "c"}]}});
    let job = |suspend: bool| json!({"suspend": suspend, "parallelism": 2, "template": template});
    let manifest = |kind: &str, spec: Value| json!({"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": "train"}, "spec": spec});
    for (manifest, field) in [
        (manifest("Job", job(true)), Some("spec.suspend")),
        (manifest("Job", job(false)), None),
        (
            manifest("CronJob", json!({"suspend": true, "jobTemplate": {"spec": job(false)}})),
            Some("spec.suspend"),
        ),
        (
            manifest("CronJob", json!({"jobTemplate": {"spec": job(true)}})),
            Some("spec.jobTemplate.spec.suspend"),
        ),
        (manifest("CronJob", json!({"jobTemplate": {"spec": job(false)}})), None),
    ] {
        let found = sorted(std::slice::from_ref(&manifest), vec![]);
        let kind = manifest["kind"].as_str().expect("a kind");
        let remark = |field| {
            format!(
                "{kind} shop/train is suspended: it has no pods until {field} is false, and what is shown holds for then"
            )
        };
        assert_eq!(
            texts(&found.remarks),
            field.map(remark).into_iter().collect::<Vec<_>>(),
            "{manifest}"
        );
        assert_eq!(found.pods.len(), 2, "{manifest}");
    }
}

#[test]
fn kinds_of_other_groups_are_passed_over_and_named_if_they_create_pods() {
    let object = |version: &str, kind: &str, spec: Value| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": spec});
    let template = json!({"template": {"spec": {"containers": [{"name": "c"}]}}});
    for (version, kind, spec, named) in [
        ("batch.volcano.sh/v1alpha1", "Job", json!({"tasks": []}), true),
        ("apps.kruise.io/v1alpha1", "StatefulSet", json!({}), true),
        ("apps.kruise.io/v1alpha1", "DaemonSet", json!({}), true),
        ("apps.openshift.io/v1", "DeploymentConfig", json!({}), true),
        ("argoproj.io/v1alpha1", "Rollout", json!({"workloadRef": {"kind": "Deployment"}}), true),
        ("example.com/v1", "Deployment", template.clone(), true),
        ("serving.knative.dev/v1", "Service", template.clone(), true),
        (
            "kubeflow.org/v1",
            "PyTorchJob",
            json!({"pytorchReplicaSpecs": {"Worker": template.clone()}}),
            true,
        ),
        (
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            json!({"replicatedJobs": [{"template": {"spec": template.clone()}}]}),
            true,
        ),
        ("apps.kruise.io/v1alpha1", "PodUnavailableBudget", json!({}), false),
        ("example.com/v1", "PodDisruptionBudget", json!({}), false),
        ("networking.k8s.io/v1", "Ingress", json!({}), false),
    ] {
        let found = sorted(&[object(version, kind, spec)], vec![]);
        let group = version.split('/').next().expect("a group");
        let remark = format!(
            "{kind} x of {group} is passed over: which pods its controller creates is not known here"
        );
        assert_eq!(
            texts(&found.remarks),
            if named { vec![remark] } else { vec![] },
            "{version} {kind}"
        );
        assert!(found.pods.is_empty(), "{version} {kind}");
    }
    // A group that is Kubernetes' own, in any version.
    let found = sorted(&[object("extensions/v1beta1", "Deployment", template)], vec![]);
    assert_eq!((found.pods.len(), found.remarks.len()), (1, 0));
}

#[test]
fn kinds_of_known_groups_create_pods_from_their_template() {
    for (version, kind, selector, name, owner) in [
        (
            "apps.openshift.io/v1",
            "DeploymentConfig",
            json!({"app": "x"}),
            "x-0",
            json!(["v1", "ReplicationController", "x-1"]),
        ),
        (
            "argoproj.io/v1alpha1",
            "Rollout",
            json!({"matchLabels": {"app": "x"}}),
            "x-0",
            json!(["apps/v1", "ReplicaSet", "x-simulated"]),
        ),
        (
            "apps.kruise.io/v1alpha1",
            "CloneSet",
            json!({"matchLabels": {"app": "x"}}),
            "x-0",
            json!(["apps.kruise.io/v1alpha1", "CloneSet", "x"]),
        ),
        (
            "apps.kruise.io/v1beta1",
            "StatefulSet",
            json!({"matchLabels": {"app": "x"}}),
            "x-0",
            json!(["apps.kruise.io/v1beta1", "StatefulSet", "x"]),
        ),
    ] {
        let manifest = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x"},
            "spec": {"replicas": 2, "selector": selector, "template": {
                "metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c"}]}}}});
        let found = sorted(&[manifest], vec![]);
        assert_eq!(texts(&found.remarks), Vec::<String>::new(), "{kind}");
        assert_eq!(found.pods.len(), 2, "{kind}");
        let pod = &found.pods[0].object;
        assert_eq!(pod["metadata"]["name"], name, "{kind}");
        let by = &pod["metadata"]["ownerReferences"][0];
        assert_eq!(json!([by["apiVersion"], by["kind"], by["name"]]), owner, "{kind}");
        // The owner that the scheduler reads selects the pod.
        for other in &found.others {
            let selector = &other["spec"]["selector"];
            let wanted = selector.get("matchLabels").unwrap_or(selector);
            for (key, value) in wanted.as_object().expect("a map") {
                assert_eq!(pod["metadata"]["labels"][key], *value, "{kind} {key}");
            }
        }
    }
}
