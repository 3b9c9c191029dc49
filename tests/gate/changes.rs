//! Changes of workloads that exist: a table of what is applied to a full cluster, and what the gate
//! says.

use serde_json::{Value, json};

use super::{folder, node, simulate};

/// Two nodes of 4 CPUs with four pods of the Deployment `web`, which request 2 each.
fn full() -> Vec<Value> {
    let mut objects = vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}),
        node("n1", "4"),
        node("n2", "4"),
        workload("Deployment", "web", 4, "1", "2"),
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-5f", "namespace": "shop",
            "uid": "r", "ownerReferences": [owner("Deployment", "web")]},
            "spec": {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}}}),
    ];
    for (index, on) in ["n1", "n2", "n1", "n2"].into_iter().enumerate() {
        objects.push(pod(&format!("web-5f-{index}"), "ReplicaSet", "web-5f", on, "2"));
    }
    objects
}

/// Three nodes of 4 CPUs, of which each has a pod of `kind` that requests 3.
fn one_per_node(kind: &str) -> Vec<Value> {
    let mut objects = vec![workload(kind, "db", 3, "1", "3")];
    for (index, on) in ["n1", "n2", "n3"].into_iter().enumerate() {
        objects.push(node(on, "4"));
        objects.push(pod(&format!("db-{index}"), kind, "db", on, "3"));
    }
    objects
}

fn owner(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": true})
}

fn pod(name: &str, kind: &str, of: &str, on: &str, cpu: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop", "uid": name,
        "labels": {"app": of}, "creationTimestamp": "2026-05-01T00:00:00Z", "ownerReferences": [owner(kind, of)]},
        "spec": {"nodeName": on, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
}

fn workload(kind: &str, name: &str, replicas: u32, image: &str, cpu: &str) -> Value {
    let mut object = json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [
                {"name": "c", "image": format!("{name}:{image}"), "resources": {"requests": {"cpu": cpu}}}]}}}});
    if kind == "DaemonSet" {
        object["spec"].as_object_mut().unwrap().remove("replicas");
    }
    object
}

/// The object with a field of its spec.
fn with(mut object: Value, path: &str, value: Value) -> Value {
    let mut at = &mut object["spec"];
    for part in path.split('.') {
        at = &mut at[part];
    }
    *at = value;
    object
}

#[expect(clippy::needless_pass_by_value, reason = "values are made for it")]
fn rolling(object: Value, surge: Value, unavailable: Value) -> Value {
    let rolling = json!({"maxSurge": surge, "maxUnavailable": unavailable});
    with(object, "strategy", json!({"rollingUpdate": rolling}))
}

#[derive(Clone)]
struct Case {
    about: &'static str,
    cluster: Vec<Value>,
    manifests: Vec<Value>,
    flags: &'static [&'static str],
    code: i32,
    /// What the answer says.
    says: &'static str,
}

fn case(
    about: &'static str,
    cluster: Vec<Value>,
    manifest: Value,
    code: i32,
    says: &'static str,
) -> Case {
    Case {
        about,
        cluster,
        manifests: vec![manifest],
        flags: &["--fail-on", "unschedulable"],
        code,
        says,
    }
}

/// The changes of Deployments.
fn deployments() -> Vec<Case> {
    let web = |replicas, image, cpu| workload("Deployment", "web", replicas, image, cpu);
    let unready = |mut objects: Vec<Value>, count: usize| {
        let pods = objects.iter_mut().filter(|one| one["kind"] == "Pod").take(count);
        pods.for_each(|pod| pod["status"]["conditions"] = json!([]));
        objects
    };
    let mut without_object = full();
    without_object.retain(|one| one["kind"] != "Deployment");
    let mut by_hash = full();
    by_hash.retain(|one| one["kind"] != "Deployment" && one["kind"] != "ReplicaSet");
    for pod in by_hash.iter_mut().filter(|one| one["kind"] == "Pod") {
        pod["metadata"]["labels"]["pod-template-hash"] = "5f".into();
    }
    let mut applied = full();
    applied[3]["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration":
        web(4, "1", "2").to_string()});
    let mut no_number = web(4, "1", "2");
    no_number["spec"].as_object_mut().unwrap().remove("replicas");
    let beside = {
        let mut objects = full();
        objects.push(node("n3", "4"));
        objects
    };
    vec![
        case("unchanged", full(), web(4, "1", "2"), 0, "1 unchanged."),
        case("written otherwise", full(), web(4, "1", "2000m"), 0, "1 unchanged."),
        case("scaled down", full(), web(3, "1", "2"), 0, "goes from 4 to 3 pods"),
        case("scaled to none", full(), web(0, "1", "2"), 0, "goes from 4 to 0 pods"),
        case("scaled up without room", full(), web(5, "1", "2"), 1, "the scaling stops at 4 of 5"),
        case("scaled up with room", beside.clone(), web(6, "1", "2"), 0, "goes from 4 to 6 pods"),
        case("number left out", full(), no_number.clone(), 0, "1 unchanged."),
        case("number no longer applied", applied, no_number, 0, "goes from 4 to 1 pods"),
        case("image, one may be missing", full(), web(4, "2", "2"), 0, "rolls out 4 pods"),
        case(
            "image, none may be missing",
            full(),
            rolling(web(4, "2", "2"), json!(1), json!(0)),
            1,
            "the rollout stops at 0 of 4: shop/web-new-0 gets no node until an old pod leaves, and maxUnavailable is 0",
        ),
        case(
            "image, none may be missing, with room",
            beside.clone(),
            rolling(web(4, "2", "2"), json!(1), json!(0)),
            0,
            "the change completes",
        ),
        case(
            "all at once",
            full(),
            rolling(web(4, "2", "2"), json!(0), json!("100%")),
            0,
            "the change completes",
        ),
        case("smaller", full(), web(4, "2", "1"), 0, "the change completes"),
        case("larger than any node", full(), web(4, "2", "5"), 1, "the rollout stops at 0 of 4"),
        case("larger than the room", full(), web(4, "2", "3"), 1, "the rollout stops at"),
        case(
            "recreated",
            full(),
            with(web(4, "2", "2"), "strategy", json!({"type": "Recreate"})),
            0,
            "the change completes",
        ),
        case(
            "recreated, larger",
            full(),
            with(web(4, "2", "3"), "strategy", json!({"type": "Recreate"})),
            1,
            "the rollout stops at 2 of 4",
        ),
        case("paused", full(), with(web(4, "2", "5"), "paused", json!(true)), 0, "keeps its pods"),
        case("fewer and larger", full(), web(2, "2", "3"), 1, "the rollout stops at 0 of 2"),
        case("fewer", full(), web(2, "2", "1"), 0, "rolls out 2 pods instead of 4"),
        // Its controller scales up first, with pods of the old template.
        case("more and smaller", full(), web(6, "2", "1"), 1, "the rollout stops at 0 of 6"),
        case(
            "more and smaller, with room",
            beside.clone(),
            web(6, "2", "1"),
            0,
            "rolls out 6 pods instead of 4",
        ),
        case(
            "some pods are not Ready",
            unready(full(), 2),
            rolling(web(4, "2", "2"), json!(0), json!(1)),
            0,
            "2 pods of Deployment shop/web are not Ready",
        ),
        case(
            "selector",
            full(),
            {
                let other = json!({"matchLabels": {"app": "web", "tier": "front"}});
                let labels = json!({"app": "web", "tier": "front"});
                with(with(web(4, "1", "2"), "selector", other), "template.metadata.labels", labels)
            },
            2,
            "spec.selector: field is immutable",
        ),
        case("known by its ReplicaSet alone", without_object, web(4, "1", "2"), 0, "is not known"),
        case("known by the hash alone", by_hash, web(4, "1", "2"), 0, "is not known"),
        case(
            "another namespace",
            full(),
            {
                let mut other = web(1, "1", "2");
                other["metadata"]["namespace"] = "nowhere".into();
                other
            },
            2,
            "not found: create it first",
        ),
        case("another name", full(), workload("Deployment", "api", 1, "1", "2"), 1, "no node fits"),
    ]
}

/// The changes of other kinds.
fn others() -> Vec<Case> {
    let set = |replicas, image, cpu| workload("StatefulSet", "db", replicas, image, cpu);
    let daemon = |image, cpu| workload("DaemonSet", "db", 3, image, cpu);
    let of_sets = || one_per_node("StatefulSet");
    let of_daemons = || one_per_node("DaemonSet");
    let mut unready = of_sets();
    unready[2]["status"]["conditions"] = json!([]);
    let job = |image: &str| {
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "load", "namespace": "shop"},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": image}]}}}})
    };
    let with_job = || {
        let mut objects = full();
        objects.push(job("a"));
        objects
    };
    vec![
        case("set: unchanged", of_sets(), set(3, "1", "3"), 0, "1 unchanged."),
        case("set: image", of_sets(), set(3, "2", "3"), 0, "the change completes"),
        case(
            "set: larger",
            of_sets(),
            set(3, "2", "5"),
            1,
            "the rollout stops at 0 of 3: shop/db-2 gets no node",
        ),
        case(
            "set: larger, but only above the partition",
            of_sets(),
            with(set(3, "2", "5"), "updateStrategy", json!({"rollingUpdate": {"partition": 3}})),
            0,
            "the change completes",
        ),
        case("set: fewer", of_sets(), set(1, "1", "3"), 0, "shop/db-2 and shop/db-1 leave"),
        case("set: more", of_sets(), set(4, "1", "3"), 1, "shop/db-3"),
        case("set: one not Ready", unready, set(3, "2", "3"), 1, "shop/db-0 is not Ready"),
        case(
            "set: on delete",
            of_sets(),
            with(set(3, "2", "5"), "updateStrategy", json!({"type": "OnDelete"})),
            0,
            "keeps its pods",
        ),
        case(
            "set: another service",
            of_sets(),
            with(set(3, "1", "3"), "serviceName", json!("other")),
            2,
            "spec.serviceName: Forbidden",
        ),
        case("daemons: unchanged", of_daemons(), daemon("1", "3"), 0, "1 unchanged."),
        case("daemons: image", of_daemons(), daemon("2", "3"), 0, "the change completes"),
        case("daemons: larger", of_daemons(), daemon("2", "5"), 1, "the rollout stops at 0 of 3"),
        case("job: unchanged", with_job(), job("a"), 0, "1 unchanged."),
        case("job: image", with_job(), job("b"), 2, "spec.template: field is immutable"),
    ]
}

/// The Deployment of [`full`] with this in the spec of its pods.
fn web_with(path: &str, value: Value) -> Value {
    let mut web = workload("Deployment", "web", 4, "1", "2");
    web["spec"]["template"]["spec"][path] = value;
    web
}

/// The Deployment of [`full`] with this in its container.
fn container_with(field: &str, value: Value) -> Value {
    let mut web = workload("Deployment", "web", 4, "1", "2");
    web["spec"]["template"]["spec"]["containers"][0][field] = value;
    web
}

/// Changes of what a pull request usually touches besides the image and the number.
fn templates() -> Vec<Case> {
    let mut labelled = workload("Deployment", "web", 4, "1", "2");
    labelled["metadata"]["labels"] = json!({"team": "a"});
    let spread = json!([{"maxSkew": 1, "topologyKey": "kubernetes.io/os", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}}}]);
    let apart = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/os", "labelSelector": {"matchLabels": {"app": "web"}}}]}});
    let initial = json!([{"name": "i", "image": "i", "resources": {"requests": {"cpu": "6"}}}]);
    let sidecar = json!([{"name": "s", "image": "s", "restartPolicy": "Always",
        "resources": {"requests": {"cpu": "500m"}}}]);
    let plain = || workload("Deployment", "web", 4, "1", "2");
    vec![
        case("label of the object", full(), labelled, 0, "1 unchanged."),
        case("history", full(), with(plain(), "revisionHistoryLimit", json!(2)), 0, "1 unchanged."),
        case("ready later", full(), with(plain(), "minReadySeconds", json!(30)), 0, "1 unchanged."),
        case(
            "strategy alone",
            full(),
            with(plain(), "strategy", json!({"type": "Recreate"})),
            0,
            "1 unchanged.",
        ),
        case(
            "environment",
            full(),
            container_with("env", json!([{"name": "A", "value": "b"}])),
            0,
            "the change completes",
        ),
        case(
            "limits alone: the requests stay",
            full(),
            container_with("resources", json!({"limits": {"cpu": "5"}})),
            0,
            "the change completes",
        ),
        case(
            "requests left out: nothing says that they were applied",
            full(),
            container_with("resources", json!({})),
            0,
            "1 unchanged.",
        ),
        case(
            "host port: one pod per node",
            full(),
            container_with("ports", json!([{"containerPort": 80, "hostPort": 80}])),
            1,
            "the rollout stops at 2 of 4",
        ),
        case(
            "label that no node has",
            full(),
            web_with("nodeSelector", json!({"disktype": "ssd"})),
            1,
            "the rollout stops at 0 of 4",
        ),
        case(
            "toleration",
            full(),
            web_with("tolerations", json!([{"key": "spot", "operator": "Exists"}])),
            0,
            "the change completes",
        ),
        case(
            "spread over one domain",
            full(),
            web_with("topologySpreadConstraints", spread),
            0,
            "the change completes",
        ),
        // All nodes are in one domain, and no old pod has the label.
        case("apart", full(), web_with("affinity", apart), 1, "the rollout stops at 1 of 4"),
        case(
            "init container larger than a node",
            full(),
            web_with("initContainers", initial),
            1,
            "the rollout stops at 0 of 4",
        ),
        case(
            "sidecar that does not fit beside",
            full(),
            web_with("initContainers", sidecar),
            1,
            "the rollout stops at 0 of 4",
        ),
        case(
            "gate",
            full(),
            web_with("schedulingGates", json!([{"name": "x/y"}])),
            1,
            "have the scheduling gate x/y",
        ),
        case(
            "another scheduler",
            full(),
            web_with("schedulerName", json!("volcano")),
            0,
            "is not known: it is left to scheduler",
        ),
    ]
}

/// Objects that are new to a full cluster.
fn new_objects() -> Vec<Case> {
    let work = json!({"template": {"spec": {"restartPolicy": "Never", "containers": [
        {"name": "c", "image": "c", "resources": {"requests": {"cpu": "1"}}}]}}});
    let job = json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "load", "namespace": "shop"}, "spec": work});
    let nightly = |suspend: bool| {
        json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly", "namespace": "shop"},
            "spec": {"schedule": "0 3 * * *", "suspend": suspend, "jobTemplate": {"spec": work}}})
    };
    let mut parallel = workload("StatefulSet", "db", 3, "1", "1");
    parallel["spec"]["podManagementPolicy"] = "Parallel".into();
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minAvailable": 4, "selector": {"matchLabels": {"app": "web"}}}});
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "shop"}, "data": {"a": "b"}});
    let daemon = |cpu| workload("DaemonSet", "agent", 1, "1", cpu);
    vec![
        case("job", full(), job, 1, "no node fits"),
        case("cron job", full(), nightly(false), 1, "no node fits"),
        case("cron job that is suspended", full(), nightly(true), 0, "is suspended"),
        case("daemons", full(), daemon("1"), 1, "2 pods (shop/agent-n1 and shop/agent-n2)"),
        case("daemons that ask for nothing", full(), daemon("0"), 0, "2 of 2 pods placed"),
        case("set, in parallel", full(), parallel, 1, "3 pods (shop/db-0"),
        case("budget alone", full(), budget, 0, "The manifests make no pods."),
        case("configuration alone", full(), config, 0, "The manifests make no pods."),
    ]
}

/// Rollouts in a namespace with a quota of 8 CPUs, all of which are used.
fn within_quotas() -> Vec<Case> {
    let limited = |resource: &str, hard: &str| {
        let mut objects = full();
        objects.push(node("n3", "8"));
        objects.push(json!({"apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": {"name": "team", "namespace": "shop"},
            "spec": {"hard": {resource: hard}},
            "status": {"hard": {resource: hard}, "used": {resource: if resource == "pods" { "4" } else { "8" }}}}));
        objects
    };
    let web = |replicas, image, cpu| workload("Deployment", "web", replicas, image, cpu);
    let surges = |object| rolling(object, json!(1), json!(0));
    vec![
        case(
            "no surge pod, and none may be missing",
            limited("requests.cpu", "8"),
            surges(web(4, "2", "2")),
            1,
            "the rollout stops at 0 of 4: shop/web-new-0 is refused: ResourceQuota team limits requests.cpu to 8",
        ),
        case(
            "room for one surge pod",
            limited("requests.cpu", "10"),
            surges(web(4, "2", "2")),
            0,
            "the change completes",
        ),
        case(
            "one may be missing",
            limited("requests.cpu", "8"),
            web(4, "2", "2"),
            0,
            "the change completes",
        ),
        case(
            "smaller pods are no way in",
            limited("pods", "4"),
            surges(web(4, "2", "1")),
            1,
            "is refused: ResourceQuota team limits pods to 4",
        ),
        case(
            "recreated, larger than the quota",
            limited("cpu", "8"),
            with(web(4, "2", "3"), "strategy", json!({"type": "Recreate"})),
            1,
            "the rollout stops at 2 of 4: shop/web-new-2 is refused",
        ),
        case(
            "scaled up",
            limited("requests.cpu", "10"),
            web(6, "1", "2"),
            1,
            "the scaling stops at 5 of 6",
        ),
    ]
}

/// The cluster of [`full`] with room for 4 more pods, and a quota of its namespace.
#[expect(clippy::needless_pass_by_value, reason = "values are made for it")]
fn with_quota(scopes: Value, hard: Value, used: Value) -> Vec<Value> {
    let mut objects = full();
    for object in &mut objects {
        let spec = if object["kind"] == "Pod" { "/spec" } else { "/spec/template/spec" };
        if let Some(container) = object.pointer_mut(&format!("{spec}/containers/0")) {
            container["resources"]["limits"] = json!({"cpu": "2"});
        }
    }
    let mut quota = json!({"apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "shop"},
        "spec": {"hard": hard}, "status": {"hard": hard, "used": used}});
    quota["spec"].as_object_mut().unwrap().extend(scopes.as_object().unwrap().clone());
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": "high"}, "value": 1000});
    objects.extend([node("n3", "8"), class, quota]);
    objects
}

/// Rollouts within limits and scopes of quotas, which the templates tell.
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn within_scopes() -> Vec<Case> {
    let web = |cpu: &str| {
        container_with("resources", json!({"requests": {"cpu": "2"}, "limits": {"cpu": cpu}}))
    };
    let other = |mut object: Value| {
        object["spec"]["template"]["metadata"]["labels"]["build"] = "2".into();
        object
    };
    let surges = |object| rolling(other(object), json!(1), json!(0));
    let limits =
        |most: &str| with_quota(json!({}), json!({"limits.cpu": most}), json!({"limits.cpu": "8"}));
    let scoped = |scope: &str, most: &str, used: &str| {
        with_quota(json!({"scopes": [scope]}), json!({"pods": most}), json!({"pods": used}))
    };
    let of_class = |operator: &str, values: Value, most: &str, used: &str| {
        let mut term = json!({"scopeName": "PriorityClass", "operator": operator});
        if values != json!([]) {
            term["values"] = values;
        }
        with_quota(
            json!({"scopeSelector": {"matchExpressions": [term]}}),
            json!({"pods": most}),
            json!({"pods": used}),
        )
    };
    let urgent = || {
        let mut object = web("2");
        object["spec"]["template"]["spec"]["priorityClassName"] = "high".into();
        object
    };
    let ranged = |most: &str| {
        let mut objects = limits(most);
        let container = &mut objects[3]["spec"]["template"]["spec"]["containers"][0];
        container["resources"].as_object_mut().unwrap().remove("limits");
        objects.push(json!({"apiVersion": "v1", "kind": "LimitRange",
            "metadata": {"name": "usual", "namespace": "shop"},
            "spec": {"limits": [{"type": "Container", "default": {"cpu": "2"}}]}}));
        objects
    };
    let best_effort = || container_with("resources", Value::Null);
    let asks_elsewhere = || {
        let mut object = web("2");
        object["spec"]["template"]["spec"]["affinity"] = json!({"podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {
                "topologyKey": "kubernetes.io/hostname", "namespaces": ["other"],
                "labelSelector": {"matchLabels": {"app": "x"}}}}]}});
        object
    };
    let plain = || workload("Deployment", "web", 4, "2", "2");
    let job = |parallel: u32| {
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "load", "namespace": "shop"},
            "spec": {"parallelism": parallel, "template": {"spec": {"restartPolicy": "Never",
                "activeDeadlineSeconds": 60, "containers": [{"name": "c", "image": "c"}]}}}})
    };
    let with_job = |scope, most, used| {
        let mut objects = scoped(scope, most, used);
        objects.extend([job(1), pod("load-a", "Job", "load", "n3", "0")]);
        objects
    };
    let full_quota = "is refused: ResourceQuota team limits pods to 4";
    let completes = "the change completes";
    vec![
        case(
            "limits: no surge pod",
            limits("8"),
            surges(web("2")),
            1,
            "the rollout stops at 0 of 4: shop/web-new-0 is refused: ResourceQuota team limits limits.cpu to 8",
        ),
        case("limits: room for a surge pod", limits("10"), surges(web("2")), 0, completes),
        case("limits: old pods give theirs back", limits("8"), other(web("2")), 0, completes),
        case("limits: larger ones", limits("8"), web("4"), 1, "limits limits.cpu to 8"),
        case("limits: larger ones, with room", limits("20"), web("4"), 0, completes),
        case("limits: by a LimitRange", ranged("8"), surges(plain()), 1, "limits limits.cpu to 8"),
        case("limits: by a LimitRange, with room", ranged("10"), surges(plain()), 0, completes),
        case(
            "limits: not specified",
            {
                let mut objects = ranged("99");
                objects.pop();
                objects
            },
            plain(),
            1,
            "is refused: ResourceQuota team: a container must specify limits.cpu",
        ),
        case(
            "best effort: no such pods",
            scoped("BestEffort", "0", "0"),
            surges(web("2")),
            0,
            completes,
        ),
        case(
            "best effort: one such pod",
            scoped("BestEffort", "1", "0"),
            best_effort(),
            1,
            "the rollout stops at 1 of 4",
        ),
        case("not best effort", scoped("NotBestEffort", "4", "4"), surges(web("2")), 1, full_quota),
        case(
            "best effort leaves it",
            scoped("NotBestEffort", "4", "4"),
            surges(best_effort()),
            0,
            completes,
        ),
        case("no deadline", scoped("NotTerminating", "4", "4"), surges(web("2")), 1, full_quota),
        case(
            "deadline is another",
            scoped("Terminating", "0", "0"),
            surges(web("2")),
            0,
            completes,
        ),
        case(
            "jobs with a deadline",
            with_job("Terminating", "4", "1"),
            job(6),
            1,
            "limits pods to 4",
        ),
        case(
            "jobs that are not counted",
            with_job("NotTerminating", "4", "4"),
            job(6),
            0,
            completes,
        ),
        case(
            "class: none may be made",
            of_class("In", json!(["high"]), "0", "0"),
            urgent(),
            1,
            "limits pods to 0",
        ),
        case(
            "class: others may",
            of_class("In", json!(["high"]), "0", "0"),
            surges(web("2")),
            0,
            completes,
        ),
        case(
            "class: no other",
            of_class("NotIn", json!(["high"]), "4", "4"),
            surges(web("2")),
            1,
            full_quota,
        ),
        case(
            "class: leaves it",
            of_class("NotIn", json!(["high"]), "4", "4"),
            surges(urgent()),
            0,
            completes,
        ),
        case(
            "class: any",
            of_class("Exists", json!([]), "2", "0"),
            urgent(),
            1,
            "the rollout stops at 2 of 4",
        ),
        case(
            "class: none",
            of_class("DoesNotExist", json!([]), "4", "4"),
            surges(web("2")),
            1,
            full_quota,
        ),
        case(
            "class: not none",
            of_class("DoesNotExist", json!([]), "4", "4"),
            surges(urgent()),
            0,
            completes,
        ),
        case(
            "affinity to other namespaces",
            scoped("CrossNamespacePodAffinity", "0", "0"),
            asks_elsewhere(),
            1,
            "limits pods to 0",
        ),
        case(
            "affinity within the namespace",
            scoped("CrossNamespacePodAffinity", "0", "0"),
            surges(web("2")),
            0,
            completes,
        ),
    ]
}

/// Changes of a bare pod that is on a node.
fn bare_pods() -> Vec<Case> {
    let bare = |image: &str, cpu: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tool", "namespace": "shop"},
            "spec": {"containers": [{"name": "c", "image": image, "resources": {"requests": {"cpu": cpu}}}]}})
    };
    let with_pod = || {
        let mut objects = full();
        let mut pod = bare("a", "1");
        pod["metadata"]["uid"] = "tool".into();
        pod["spec"]["nodeName"] = "n3".into();
        pod["spec"]["tolerations"] =
            json!([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]);
        pod["status"] = json!({"phase": "Running"});
        objects.extend([node("n3", "1"), pod]);
        objects
    };
    let mut exported = bare("a", "1");
    exported["metadata"]["uid"] = "tool".into();
    exported["spec"]["nodeName"] = "n3".into();
    vec![
        case("bare pod: unchanged", with_pod(), bare("a", "1"), 0, "1 unchanged."),
        case("bare pod: exported", with_pod(), exported, 0, "1 unchanged."),
        case("bare pod: image", with_pod(), bare("b", "1"), 0, "1 unchanged."),
        case(
            "bare pod: larger",
            with_pod(),
            bare("a", "2"),
            2,
            "spec: Forbidden: pod updates may not change fields",
        ),
        case("bare pod: new", full(), bare("a", "1"), 1, "no node fits"),
    ]
}

/// Several objects in one change.
fn together() -> Vec<Case> {
    let of = |about, manifests: Vec<Value>, code, says| Case {
        about,
        cluster: full(),
        manifests,
        flags: &["--fail-on", "unschedulable"],
        code,
        says,
    };
    let web = |replicas| workload("Deployment", "web", replicas, "1", "2");
    let api = || workload("Deployment", "api", 1, "1", "2");
    let mut urgent = api();
    urgent["spec"]["template"]["spec"]["priorityClassName"] = "high".into();
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": "high"}, "value": 1000});
    let mut elsewhere = api();
    elsewhere["metadata"]["namespace"] = "new".into();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}});
    let grows = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minReplicas": 4, "maxReplicas": 9,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}});
    vec![
        of("one less and another", vec![web(3), api()], 0, "1 new, 1 changed"),
        of("unchanged and another", vec![web(4), api()], 1, "no node fits"),
        of("with its class", vec![class, urgent.clone()], 0, "kube-scheduler evicts 1 pod"),
        of("with a class that is not in the input", vec![urgent], 1, "has no PriorityClasses"),
        of("with its namespace", vec![namespace, elsewhere], 1, "new/api-0"),
        of("with an autoscaler", vec![web(4), grows], 0, "between 4 and 9 pods"),
    ]
}

/// What renderers and people hand over besides plain objects.
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn as_handed_over() -> Vec<Case> {
    let of = |about, manifests: Vec<Value>, code, says| Case {
        about,
        cluster: full(),
        manifests,
        flags: &["--fail-on", "unschedulable"],
        code,
        says,
    };
    let api = |cpu| workload("Deployment", "api", 1, "1", cpu);
    let job = |metadata: Value, suspend: bool| {
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
            "spec": {"suspend": suspend, "template": {"spec": {"restartPolicy": "Never", "containers": [
                {"name": "c", "image": "c", "resources": {"requests": {"cpu": "1"}}}]}}}})
    };
    let hook = |key: &str, when: &str| {
        job(json!({"name": "migrate", "namespace": "shop", "annotations": {key: when}}), false)
    };
    let helm = |when: &str| vec![hook("helm.sh/hook", when)];
    let argo = |when: &str| vec![hook("argocd.argoproj.io/hook", when)];
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [api("0"), api("2")]});
    let urgent = |name: &str| web_with("priorityClassName", json!(name));
    let class = || {
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": "high"}, "value": 1000})
    };
    let mut with_classes = of("class changed", vec![urgent("high")], 0, "the change completes");
    with_classes.cluster.push(class());
    let mut without_one = of(
        "class misspelt",
        vec![urgent("hihg")],
        1,
        "the rollout stops at 0 of 4: shop/web-new-0 is refused: no PriorityClass with name hihg was found",
    );
    without_one.cluster.push(class());
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minAvailable": 4, "selector": {"matchLabels": {"app": "web-5f"}}}});
    let mut vip = api("2");
    vip["spec"]["template"]["spec"]["priorityClassName"] = "high".into();
    let quota = |most: &str| {
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "shop"},
            "spec": {"hard": {"requests.cpu": most}}})
    };
    let mut claims = workload("StatefulSet", "db", 2, "1", "0");
    claims["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]);
    let mut mounts = claims.clone();
    mounts["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] =
        json!([{"name": "data", "mountPath": "/d"}]);
    let mut misnamed = mounts.clone();
    misnamed["spec"]["volumeClaimTemplates"][0]["metadata"]["name"] = "date".into();
    let mut stored = of("set with claims", vec![mounts], 0, "2 of 2 pods placed");
    stored.cluster.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "x.y/z", "volumeBindingMode": "WaitForFirstConsumer"}));
    let rollout = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
        "metadata": {"name": "canary", "namespace": "shop"}, "spec": api("2")["spec"]});
    let mut lower = api("0");
    lower["kind"] = "deployment".into();
    let kustomization = json!({"apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization", "resources": ["web.yaml"]});
    let scaled = |least: u32, most: u32| {
        let spec = json!({"minReplicas": least, "maxReplicas": most,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}});
        json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "shop"}, "spec": spec})
    };
    let surges = || rolling(workload("Deployment", "web", 4, "2", "2"), json!(1), json!(0));
    let web = |replicas| workload("Deployment", "web", replicas, "1", "2");
    let without_number = || {
        let mut object = web(4);
        object["spec"].as_object_mut().unwrap().remove("replicas");
        object
    };
    let of_api = |least: u32| {
        let mut object = scaled(least, 8);
        object["spec"]["scaleTargetRef"]["name"] = "api".into();
        object
    };
    vec![
        of("list with items", vec![list], 1, "no node fits"),
        of("hook of an upgrade", helm("pre-upgrade"), 1, "no node fits"),
        of("hook of a deletion", helm("pre-delete"), 0, "only helm uninstall creates it"),
        of("hook of a rollback", helm("pre-rollback,post-rollback"), 0, "only helm rollback"),
        of("hook of both", helm("post-install, post-delete"), 1, "no node fits"),
        of("hook of a test", helm("test"), 0, "only helm test creates it"),
        of("hook of a sync", argo("PreSync"), 1, "no node fits"),
        of("hook of no sync", argo("PostDelete"), 0, "when the application is deleted"),
        of(
            "generated name",
            vec![job(json!({"generateName": "load-", "namespace": "shop"}), false)],
            1,
            "no node fits",
        ),
        of(
            "job that is suspended",
            vec![job(json!({"name": "later", "namespace": "shop"}), true)],
            0,
            "is suspended",
        ),
        of(
            "new name for the same",
            vec![workload("Deployment", "web-v2", 4, "1", "2")],
            1,
            "no node fits",
        ),
        with_classes,
        without_one,
        of("budget and a preemptor", vec![class(), budget, vip], 0, "web: 0, violated"),
        of(
            "quota and a new one",
            vec![quota("8"), api("1")],
            1,
            "requests.cpu is limited to 8, and 8 of it is used",
        ),
        of("quota and a rollout", vec![quota("8"), surges()], 1, "the rollout stops at 0 of 4"),
        of(
            "quota with room and a rollout",
            vec![quota("10"), workload("Deployment", "web", 4, "2", "2")],
            0,
            "the change completes",
        ),
        of("paused and new", vec![with(api("2"), "paused", json!(true))], 0, "creates no pods"),
        of(
            "paused and scaled",
            vec![with(workload("Deployment", "web", 5, "2", "2"), "paused", json!(true))],
            1,
            "the scaling stops at 4 of 5",
        ),
        stored,
        of("set with misnamed claims", vec![misnamed], 2, "Not found: \"data\""),
        of("autoscaler with both numbers", vec![scaled(5, 8)], 0, "between 5 and 8 pods"),
        of(
            "autoscaler of more",
            vec![scaled(5, 8), without_number()],
            1,
            "the scaling stops at 4 of 5",
        ),
        of("autoscaler of fewer", vec![without_number(), scaled(1, 2)], 0, "goes from 4 to 2 pods"),
        of(
            "autoscaler of what is left alone",
            vec![scaled(5, 8), web(0)],
            0,
            "goes from 4 to 0 pods",
        ),
        of("autoscaler against the number", vec![scaled(1, 4), web(9)], 0, "1 unchanged."),
        of("autoscaler of a new one", vec![of_api(3), api("1")], 1, "3 pods (shop/api-0"),
        of("rollout of Argo", vec![rollout], 1, "no node fits"),
        of("kind in lower case", vec![lower], 2, "no matches for kind \"deployment\""),
        of("kustomization", vec![kustomization], 2, "kubectl kustomize"),
    ]
}

#[test]
fn change_of_what_exists_costs_what_its_controller_does() {
    let mut wrong = Vec::new();
    for Case { about, cluster, manifests, flags, code, says } in [
        deployments(),
        others(),
        templates(),
        new_objects(),
        within_quotas(),
        within_scopes(),
        bare_pods(),
        together(),
        as_handed_over(),
    ]
    .concat()
    {
        let text: Vec<String> = manifests.iter().map(Value::to_string).collect();
        let folder = folder(&cluster, &text.join("\n---\n"));
        let run = simulate(folder.path(), &[&["-f", "m.yaml"], flags].concat());
        if run.code != code || !format!("{}{}", run.out, run.err).contains(says) {
            wrong.push(format!("{about}: {run:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_state_before_has_and_the_manifests_lack_is_deleted() {
    let folder = folder(&full(), &workload("Deployment", "api", 2, "1", "2").to_string());
    let before = workload("Deployment", "web", 4, "1", "2").to_string();
    std::fs::write(folder.path().join("before.yaml"), before).unwrap();
    let arguments = ["-f", "m.yaml", "--fail-on", "unschedulable"];
    assert_eq!(simulate(folder.path(), &arguments).code, 1, "the cluster is full");
    let run = simulate(folder.path(), &[&arguments[..], &["--before", "before.yaml"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.starts_with("1 new, 1 gone: Deployment shop/web and its 4 pods leave."),
        "{run:?}"
    );

    // What was applied before to the namespace goes with --prune.
    let mut applied = full();
    applied[3]["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
    let folder = super::folder(&applied, &workload("Deployment", "api", 2, "1", "2").to_string());
    let run = simulate(folder.path(), &[&arguments[..], &["--prune"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn finding_can_be_accepted_with_a_reason() {
    let mut api = workload("Deployment", "api", 1, "1", "2");
    let folder = folder(&full(), &api.to_string());
    let run = |folder: &tempfile::TempDir, flags: &[&str]| {
        simulate(folder.path(), &[&["-f", "m.yaml", "--fail-on", "unschedulable"], flags].concat())
    };
    assert_eq!(run(&folder, &[]).code, 1);
    assert_eq!(run(&folder, &["--ignore", "PRE-982"]).code, 0);
    assert_eq!(run(&folder, &["--ignore", "PRE-984"]).code, 1);
    assert_eq!(run(&folder, &["--ignore", "982"]).code, 2);
    for (value, code) in [("PRE-201: grows next week", 0), ("PRE-201", 1), ("PRE-202: no", 1)] {
        api["metadata"]["annotations"] = json!({"kubectl-preempt/ignore": value});
        let folder = super::folder(&full(), &api.to_string());
        let run = run(&folder, &[]);
        assert_eq!(run.code, code, "{value}: {run:?}");
        assert_eq!(run.out.contains("grows next week"), code == 0, "{run:?}");
    }
    let run = run(&folder, &["--protect", "nowhere"]);
    assert_eq!((run.code, run.err.contains("no such namespace")), (2, true), "{run:?}");
}

/// Of a chart, the templates have to be rendered first: the answer says so, with the command.
#[test]
fn files_of_a_chart_are_not_taken_for_manifests() {
    let folder = folder(&full(), "");
    let chart = folder.path().join("charts/shop");
    std::fs::create_dir_all(chart.join("templates")).unwrap();
    for (name, text) in [
        ("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"),
        ("values.yaml", "replicas: 2\n"),
        ("values-prod.yaml", "replicas: 9\n"),
        ("templates/web.yaml", "metadata:\n  name: {{ .Release.Name }}\n"),
    ] {
        std::fs::write(chart.join(name), text).unwrap();
    }
    std::fs::write(folder.path().join("values-own.yaml"), "replicas: 9\n").unwrap();
    for (arguments, says) in [
        (&["-R", "-f", "charts"][..], "helm template 'charts/shop' | kubectl"),
        (&["-f", "charts/shop"], "helm template 'charts/shop' | kubectl"),
        (&["-f", "charts/shop/templates/web.yaml"], "must be rendered first"),
        (&["-f", "charts/shop/values-prod.yaml"], "-f 'charts/shop/values-prod.yaml' | kubectl"),
        (&["-f", "values-own.yaml"], "helm template CHART -f 'values-own.yaml'"),
    ] {
        let run = simulate(folder.path(), &[arguments, &["--fail-on", "unschedulable"]].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
        assert!(run.err.contains(says), "{arguments:?}: {run:?}");
        assert!(!run.err.contains("more manifest"), "a chart is one problem: {run:?}");
    }
}
