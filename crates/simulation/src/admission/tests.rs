use serde_json::{Value, json};

use super::{NotAdmitted, QuotaUse, admit, admit_claim};
use model::cluster::Cluster;
use testing::{
    assert_begins, class, cluster, limit_range, node, objects, priority_class, snapshot,
};

/// A cluster whose kinds were all read.
fn known(mut objects: Vec<Value>) -> Cluster {
    objects.push(priority_class("system-cluster-critical", 2_000_000_000).into());
    let mut cluster = cluster(objects);
    for kind in ["limitranges", "resourcequotas"] {
        cluster.header.resource_versions.insert(kind.to_owned(), "1".to_owned());
    }
    cluster
}

fn pod(spec: &Value) -> Value {
    json!({"kind": "Pod", "metadata": {"name": "p", "namespace": "default", "labels": {"app": "web", "hash": "1"}}, "spec": spec})
}

/// The pod as it is stored, with the remarks about it.
fn admitted(spec: &Value, cluster: &Cluster) -> (Value, Vec<String>) {
    let mut pod = pod(spec);
    let remarks = admit(&mut pod, cluster).expect("it is admitted");
    (pod["spec"].take(), [remarks.open, remarks.told].concat())
}

fn refusal(spec: &Value, cluster: &Cluster) -> String {
    match admit(&mut pod(spec), cluster).expect_err("it is refused") {
        NotAdmitted::Invalid(why) => format!("invalid: {why}"),
        NotAdmitted::Refused(why) => why,
    }
}

/// The resources of a container and an init container after admission.
fn with_resources(resources: &Value, cluster: &Cluster) -> Value {
    let container = json!({"name": "c", "resources": resources});
    let spec = json!({"containers": [container.clone()], "initContainers": [container]});
    let (spec, _) = admitted(&spec, cluster);
    assert_eq!(spec["containers"], spec["initContainers"]);
    spec["containers"][0]["resources"].clone()
}

/// Upstream: `pkg/apis/core/v1/defaults_test.go` `TestSetDefaultRequestsPod` (1.37).
#[test]
fn a_limit_is_the_request_too() {
    let cluster = known(vec![]);
    for (given, want) in [
        (json!({}), json!({})),
        (Value::Null, json!({})),
        (
            json!({"limits": {"cpu": "100m"}}),
            json!({"limits": {"cpu": "100m"}, "requests": {"cpu": "100m"}}),
        ),
        (
            json!({"limits": {"cpu": "100m", "memory": "1Gi"}, "requests": {"memory": "1Mi"}}),
            json!({"limits": {"cpu": "100m", "memory": "1Gi"}, "requests": {"cpu": "100m", "memory": "1Mi"}}),
        ),
        (
            json!({"limits": {"example.com/a": "1"}, "requests": null}),
            json!({"limits": {"example.com/a": "1"}, "requests": {"example.com/a": "1"}}),
        ),
        (json!({"requests": {"cpu": "1"}}), json!({"requests": {"cpu": "1"}})),
        (json!({"limits": null, "requests": null}), json!({"limits": null, "requests": null})),
        (json!("nonsense"), json!("nonsense")),
    ] {
        assert_eq!(with_resources(&given, &cluster), want, "{given}");
    }
}

/// Upstream: `pkg/apis/core/v1/defaults_test.go` `TestSetDefaultLimitRangeItem`,
/// `plugin/pkg/admission/limitranger/admission_test.go` `TestMergePodResourceRequirements` (1.37).
#[test]
fn limit_ranges_fill_in() {
    for (item, given, want) in [
        (
            json!({"default": {"cpu": "50m"}}),
            json!({}),
            json!({"limits": {"cpu": "50m"}, "requests": {"cpu": "50m"}}),
        ),
        (
            json!({"default": {"cpu": "50m"}, "defaultRequest": {"cpu": "10m"}}),
            json!({}),
            json!({"limits": {"cpu": "50m"}, "requests": {"cpu": "10m"}}),
        ),
        (json!({"defaultRequest": {"cpu": "10m"}}), json!({}), json!({"requests": {"cpu": "10m"}})),
        (
            json!({"max": {"cpu": "2"}}),
            json!({}),
            json!({"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
        ),
        (json!({"min": {"cpu": "1m"}}), json!({}), json!({"requests": {"cpu": "1m"}})),
        (
            json!({"min": {"cpu": "1m"}, "max": {"cpu": "2"}, "default": {"cpu": "1"}}),
            json!({}),
            json!({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}),
        ),
        (
            json!({"default": {"cpu": "50m", "memory": "1Gi"}}),
            json!({"limits": {"cpu": "80m"}}),
            json!({"limits": {"cpu": "80m", "memory": "1Gi"}, "requests": {"cpu": "80m", "memory": "1Gi"}}),
        ),
        (
            json!({"default": {"cpu": "50m"}}),
            json!({"requests": {"cpu": "1m"}}),
            json!({"limits": {"cpu": "50m"}, "requests": {"cpu": "1m"}}),
        ),
    ] {
        let cluster = known(objects![limit_range("l", item.clone())]);
        assert_eq!(with_resources(&given, &cluster), want, "{item} {given}");
    }
}

#[test]
fn limit_ranges_of_others_do_not_count() {
    let item = json!({"default": {"cpu": "50m"}});
    let mut of_pods: Value = limit_range("pods", item.clone()).into();
    of_pods["spec"]["limits"][0]["type"] = "Pod".into();
    let elsewhere = limit_range("elsewhere", item).with("/metadata/namespace", "other");
    let cluster = known(objects![of_pods, elsewhere]);
    assert_eq!(with_resources(&json!({}), &cluster), json!({}));
}

#[test]
fn remarks_about_limit_ranges() {
    let spec = json!({"containers": [{"name": "c"}]});
    let said = |cluster: &Cluster| admitted(&spec, cluster).1.join("; ");
    let cpu = |amount: &str| json!({"default": {"cpu": amount}});
    assert_eq!(said(&known(vec![])), "");
    let one = known(objects![limit_range("l", cpu("1"))]);
    assert_eq!(said(&one), "defaults of LimitRange l in namespace default are applied");
    let (stored, remarks) = admitted(
        &spec,
        &known(objects![
            limit_range("b", json!({"default": {"cpu": "2", "memory": "1"}})),
            limit_range("a", cpu("1"))
        ]),
    );
    assert_eq!(
        stored["containers"][0]["resources"]["requests"],
        json!({"cpu": "1", "memory": "1"})
    );
    assert_eq!(remarks.len(), 2);
    assert_begins(
        &remarks[0],
        "the API server decides which of the LimitRanges a, b in namespace default comes first",
    );
    let mut unread = cluster(objects![priority_class("x", 1)]);
    assert_eq!(
        said(&unread),
        "LimitRange defaults in namespace default are not applied: the input has no LimitRange; \
         ResourceQuotas in namespace default are not checked: the input has none"
    );
    unread.header.resource_versions.insert("resourcequotas".to_owned(), "1".to_owned());
    unread.header.unreadable.push(model::snapshot::Unreadable {
        resource: "limitranges".to_owned(),
        reason: "limitranges is forbidden".to_owned(),
    });
    assert_eq!(
        said(&unread),
        "defaults of LimitRanges in namespace default are not applied: limitranges is forbidden"
    );
}

/// Upstream: `pkg/apis/core/v1/defaults_test.go` `TestSetDefaultHostNetworkPorts` (1.37).
#[test]
fn ports_on_the_host_network() {
    let ports = json!([{"containerPort": 80}, {"containerPort": 81, "hostPort": 0}, {"containerPort": 82, "hostPort": 9}]);
    let spec = |host: Value| {
        let c = json!({"name": "c", "ports": ports});
        json!({"hostNetwork": host, "containers": [c.clone()], "initContainers": [c]})
    };
    let cluster = known(vec![]);
    let on = |host: Value| {
        let (spec, _) = admitted(&spec(host), &cluster);
        assert_eq!(spec["containers"][0]["ports"], spec["initContainers"][0]["ports"]);
        let ports = spec["containers"][0]["ports"].as_array().cloned().unwrap_or_default();
        ports.iter().map(|p| p["hostPort"].as_i64().unwrap_or(-1)).collect::<Vec<_>>()
    };
    assert_eq!(on(json!(true)), [80, 81, 9]);
    assert_eq!(on(json!(false)), [-1, 0, 9]);
    assert_eq!(on(Value::Null), [-1, 0, 9]);
}

/// Upstream: `plugin/pkg/admission/priority/admission_test.go` `TestPodAdmission` (1.37).
#[test]
fn pod_gets_priority_and_policy_of_its_class() {
    let default = |name, value| priority_class(name, value).with("/globalDefault", true);
    let never = |name, value| priority_class(name, value).with("/preemptionPolicy", "Never");
    let plain = known(objects![priority_class("high", 100)]);
    let defaulted =
        known(objects![priority_class("high", 100), default("b", 50), default("a", 60)]);
    let politely =
        known(objects![never("polite", 100), never("shy", 5).with("/globalDefault", true)]);
    let spec = |more: Value| {
        let mut spec = json!({"containers": [{"name": "c"}]});
        spec.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        spec
    };
    for (cluster, more, class, value, policy, said) in [
        (&plain, json!({}), "", 0, "PreemptLowerPriority", ""),
        (
            &plain,
            json!({"priorityClassName": "", "priority": null}),
            "",
            0,
            "PreemptLowerPriority",
            "",
        ),
        (&plain, json!({"priorityClassName": "high"}), "high", 100, "PreemptLowerPriority", ""),
        (
            &plain,
            json!({"priorityClassName": "high", "priority": 100}),
            "high",
            100,
            "PreemptLowerPriority",
            "",
        ),
        (
            &plain,
            json!({"priorityClassName": "high", "priority": 7}),
            "high",
            100,
            "PreemptLowerPriority",
            "spec.priority says 7",
        ),
        (&plain, json!({"priority": 7}), "", 0, "PreemptLowerPriority", "spec.priority says 7"),
        (
            &plain,
            json!({"preemptionPolicy": "Never"}),
            "",
            0,
            "PreemptLowerPriority",
            "spec.preemptionPolicy says Never",
        ),
        (
            &plain,
            json!({"priorityClassName": "system-node-critical"}),
            "system-node-critical",
            2_000_001_000,
            "PreemptLowerPriority",
            "",
        ),
        (
            &defaulted,
            json!({}),
            "b",
            50,
            "PreemptLowerPriority",
            "priority 50 comes from the default PriorityClass b",
        ),
        (&politely, json!({"priorityClassName": "polite"}), "polite", 100, "Never", ""),
        (
            &politely,
            json!({"priorityClassName": "polite", "preemptionPolicy": null}),
            "polite",
            100,
            "Never",
            "",
        ),
        (
            &politely,
            json!({"priorityClassName": "polite", "preemptionPolicy": "PreemptLowerPriority"}),
            "polite",
            100,
            "Never",
            "spec.preemptionPolicy says PreemptLowerPriority",
        ),
        (
            &politely,
            json!({}),
            "shy",
            5,
            "Never",
            "priority 5 comes from the default PriorityClass shy",
        ),
    ] {
        let (spec, remarks) = admitted(&spec(more.clone()), cluster);
        let got = (
            spec["priorityClassName"].as_str().unwrap_or_default(),
            &spec["priority"],
            &spec["preemptionPolicy"],
        );
        assert_eq!(got, (class, &json!(value), &json!(policy)), "{more}");
        let said_it = if said.is_empty() {
            remarks.is_empty()
        } else {
            remarks.iter().any(|r| r.starts_with(said))
        };
        assert!(said_it, "{more}: {remarks:?}");
    }
}

#[test]
fn priorities_where_no_class_was_read() {
    let mut cluster = cluster(objects![node("n")]);
    for kind in ["limitranges", "resourcequotas"] {
        cluster.header.resource_versions.insert(kind.to_owned(), "1".to_owned());
    }
    let spec = |class: &str, priority: Value| json!({"containers": [{"name": "c"}], "priorityClassName": class, "priority": priority});
    for (given, value, said) in [
        (
            spec("", Value::Null),
            0,
            "the input has no PriorityClasses: a pod without a class counts with priority 0",
        ),
        (
            spec("", json!(5)),
            5,
            "the input has no PriorityClasses: a pod without a class counts with priority 5",
        ),
        (
            spec("high", json!(5)),
            5,
            "the input has no PriorityClasses: high counts with priority 5",
        ),
        (spec("system-cluster-critical", Value::Null), 2_000_000_000, ""),
    ] {
        let (stored, remarks) = admitted(&given, &cluster);
        assert_eq!((&stored["priority"], remarks.join("; ").as_str()), (&json!(value), said));
    }
    let reason = "forbidden".to_owned();
    cluster
        .header
        .unreadable
        .push(model::snapshot::Unreadable { resource: "priorityclasses".to_owned(), reason });
    let (_, remarks) = admitted(&spec("high", Value::Null), &cluster);
    assert_eq!(
        remarks,
        ["the PriorityClasses could not be read (forbidden): high counts with priority 0"]
    );
}

/// Upstream: `plugin/pkg/admission/defaulttolerationseconds/admission_test.go` (1.37).
#[test]
fn pod_gets_default_tolerations_unless_it_has_its_own() {
    let cluster = known(vec![]);
    let (ready, reach) = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
    let added = |given: Value| {
        let before = given.as_array().map_or(0, Vec::len);
        let (spec, _) =
            admitted(&json!({"containers": [{"name": "c"}], "tolerations": given}), &cluster);
        let all = spec["tolerations"].as_array().cloned().unwrap_or_default();
        all.into_iter().skip(before).collect::<Vec<_>>()
    };
    let keys = |given: Value| {
        added(given)
            .iter()
            .map(|t| t["key"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        added(Value::Null)[0],
        json!({"key": ready, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})
    );
    assert_eq!(keys(json!([])), [ready, reach]);
    assert_eq!(
        keys(json!([{"key": "foo", "operator": "Equal", "value": "bar", "effect": "NoExecute"}])),
        [ready, reach]
    );
    assert_eq!(
        keys(
            json!([{"key": ready, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 7}])
        ),
        [reach]
    );
    assert_eq!(keys(json!([{"key": reach, "operator": "Exists"}])), [ready]);
    assert_eq!(
        keys(json!([{"key": ready, "operator": "Exists", "effect": "NoSchedule"}])),
        [ready, reach]
    );
    assert_eq!(keys(json!([{"operator": "Exists"}])), [""; 0]);
    assert_eq!(keys(json!([{"operator": "Exists", "effect": "NoExecute"}])), [""; 0]);
    assert_eq!(keys(json!([{"operator": "Exists", "effect": "NoSchedule"}])), [ready, reach]);
}

/// Upstream: `pkg/api/pod/util_test.go` `TestDefaultPodLevelResources` (1.37).
#[test]
fn pods_that_are_limited_as_a_whole() {
    let cluster = known(vec![]);
    let requests = |of_pod: Value, of_container: Value| {
        let container = json!({"name": "c", "resources": {"requests": of_container}});
        let (spec, _) =
            admitted(&json!({"containers": [container], "resources": of_pod}), &cluster);
        spec["resources"]["requests"].clone()
    };
    let (none, limit) = (Value::Null, |r: &str| json!({"limits": {r: "2"}}));
    assert_eq!(requests(limit("cpu"), json!({})), json!({"cpu": "2"}));
    assert_eq!(
        requests(limit("cpu"), json!({"cpu": "1"})),
        none,
        "the scheduler counts the containers' anyway"
    );
    assert_eq!(requests(limit("memory"), json!({"cpu": "1"})), json!({"memory": "2"}));
    assert_eq!(
        requests(limit("hugepages-2Mi"), json!({"hugepages-2Mi": "1"})),
        json!({"hugepages-2Mi": "2"})
    );
    assert_eq!(
        requests(limit("ephemeral-storage"), json!({})),
        none,
        "not a resource of a whole pod"
    );
    assert_eq!(
        requests(json!({"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}), json!({})),
        json!({"cpu": "1"})
    );
    assert_eq!(requests(json!({"requests": {"cpu": "1"}}), json!({})), json!({"cpu": "1"}));
    assert_eq!(requests(none.clone(), json!({})), none);
}

/// Upstream: `pkg/registry/core/pod/strategy_test.go` `TestMutatePodAffinity` (1.37).
#[test]
fn label_keys_become_part_of_selectors() {
    let cluster = known(vec![]);
    let term = |more: Value| {
        let mut term =
            json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}});
        term.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        term
    };
    let keys = json!({"matchLabelKeys": ["hash", "absent"], "mismatchLabelKeys": ["app"]});
    let want = json!([{"key": "hash", "operator": "In", "values": ["1"]}, {"key": "app", "operator": "NotIn", "values": ["web"]}]);
    for side in ["podAffinity", "podAntiAffinity"] {
        let affinity = json!({side: {
            "requiredDuringSchedulingIgnoredDuringExecution": [term(keys.clone()), term(json!({}))],
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term(keys.clone())}],
        }});
        let once =
            admitted(&json!({"containers": [{"name": "c"}], "affinity": affinity}), &cluster).0;
        let twice = admitted(&once, &cluster).0;
        assert_eq!(once, twice, "what was exported has them already");
        let of = |path: &str| {
            once.pointer(&format!("/affinity/{side}/{path}/labelSelector/matchExpressions"))
                .cloned()
        };
        assert_eq!(of("requiredDuringSchedulingIgnoredDuringExecution/0"), Some(want.clone()));
        assert_eq!(of("requiredDuringSchedulingIgnoredDuringExecution/1"), None);
        assert_eq!(
            of("preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm"),
            Some(want.clone())
        );
    }
    let nil = json!({"topologyKey": "zone", "matchLabelKeys": ["hash"]});
    let affinity =
        json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [nil.clone()]}});
    let spec = admitted(&json!({"containers": [{"name": "c"}], "affinity": affinity}), &cluster).0;
    assert_eq!(
        spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0],
        nil
    );
}

#[test]
fn runtime_classes_are_reported() {
    let cluster = known(vec![]);
    let said = |spec: Value| admitted(&spec, &cluster).1.join("; ");
    let spec = json!({"containers": [{"name": "c"}], "runtimeClassName": "kata"});
    assert!(said(spec).starts_with("what RuntimeClass kata adds is not applied"));
    let exported = json!({"containers": [{"name": "c"}], "runtimeClassName": "kata", "overhead": {"cpu": "1"}});
    assert_eq!(said(exported), "");
    assert_eq!(said(json!({"containers": [{"name": "c"}], "runtimeClassName": null})), "");
}

#[test]
fn pod_without_containers_is_rejected() {
    let cluster = known(vec![]);
    for spec in [json!({}), json!({"containers": []}), json!({"containers": null})] {
        assert_eq!(refusal(&spec, &cluster), "invalid: Pod default/p has no containers");
    }
    assert_eq!(refusal(&Value::Null, &cluster), "invalid: Pod default/p has no spec");
    let unknown =
        refusal(&json!({"containers": [{"name": "c"}], "priorityClassName": "absent"}), &cluster);
    assert_eq!(unknown, "no PriorityClass with name absent was found");
}

/// Upstream: `plugin/pkg/admission/storage/storageclass/setdefault/admission_test.go` (1.37).
#[test]
fn claims_without_a_class_get_the_default_one() {
    const DEFAULT: &str = "/metadata/annotations/storageclass.kubernetes.io~1is-default-class";
    const BETA: &str = "/metadata/annotations/storageclass.beta.kubernetes.io~1is-default-class";
    let class = |name: &str| class(name, "csi.example.com");
    let one = cluster(objects![
        class("fast").with(DEFAULT, "true"),
        class("slow"),
        class("off").with(DEFAULT, "false")
    ]);
    let beta = cluster(objects![class("fast"), class("slow").with(BETA, "true")]);
    let two = cluster(objects![class("z").with(DEFAULT, "true"), class("a").with(DEFAULT, "true")]);
    let none = cluster(objects![class("fast")]);
    for (cluster, spec, want, said) in [
        (&one, json!({}), json!("fast"), "claim c is of the default StorageClass, fast"),
        (
            &one,
            json!({"storageClassName": null}),
            json!("fast"),
            "claim c is of the default StorageClass, fast",
        ),
        (&one, json!({"storageClassName": ""}), json!(""), ""),
        (&one, json!({"storageClassName": "slow"}), json!("slow"), ""),
        (&beta, json!({}), json!("slow"), "claim c is of the default StorageClass, slow"),
        (
            &two,
            json!({}),
            json!("a"),
            "claim c is of the first by name of several default StorageClasses, a",
        ),
        (&none, json!({}), Value::Null, ""),
    ] {
        let mut claim = json!({"metadata": {"name": "c"}, "spec": spec});
        assert_eq!(admit_claim(&mut claim, cluster).unwrap_or_default(), said, "{spec}");
        assert_eq!(claim["spec"]["storageClassName"], want, "{spec}");
    }
    let old = json!({"volume.beta.kubernetes.io/storage-class": "old"});
    let mut claim = json!({"metadata": {"name": "c", "annotations": old}, "spec": {}});
    assert_eq!(admit_claim(&mut claim, &one), None);
}

#[test]
fn unread_admission_object_leaves_pod_open() {
    let unread = |plural: &str| {
        snapshot(objects![], &json!({"unreadable": [{"resource": plural, "reason": "forbidden"}]}))
    };
    let classes = || cluster(objects![priority_class("high", 9)]);
    for (row, cluster, more, open) in [
        ("nothing", classes(), json!({}), 0),
        ("a class that was not read", cluster(objects![]), json!({"priorityClassName": "high"}), 1),
        ("a default class that was not read", cluster(objects![]), json!({}), 0),
        ("a class that is known", classes(), json!({"priorityClassName": "high"}), 0),
        ("limit ranges that may not be read", unread("limitranges"), json!({}), 1),
        ("a runtime class", classes(), json!({"runtimeClassName": "kata"}), 1),
    ] {
        let mut spec = json!({"containers": [{"name": "c"}]});
        spec.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let remarks = admit(&mut pod(&spec), &cluster).expect("it is admitted");
        assert_eq!(remarks.open.len(), open, "{row}: {remarks:?}");
    }
}

/// Upstream: `plugin/pkg/admission/limitranger/admission_test.go` `TestLimitRangerLimitPod` (1.37).
#[test]
fn limit_ranges_refuse_what_is_out_of_bounds() {
    let pod = |containers: Value| json!({"containers": containers});
    let one = |requests: Value, limits: Value| {
        pod(json!([{"name": "c", "resources": {"requests": requests, "limits": limits}}]))
    };
    let cpu = |amount: &str| json!({"cpu": amount});
    for (kind, item, spec, why) in [
        ("Container", json!({"min": cpu("50m")}), one(cpu("50m"), json!({})), None),
        (
            "Container",
            json!({"min": cpu("50m")}),
            one(cpu("40m"), json!({})),
            Some("minimum cpu usage per Container is 50m, and the request is less"),
        ),
        (
            "Container",
            json!({"max": cpu("1")}),
            one(cpu("1"), cpu("1100m")),
            Some("maximum cpu usage per Container is 1, and the limit is more"),
        ),
        ("Container", json!({"max": cpu("1")}), one(cpu("1"), cpu("1000m")), None),
        (
            "Container",
            json!({"maxLimitRequestRatio": cpu("2")}),
            one(cpu("100m"), cpu("300m")),
            Some("cpu may be limited to 2 times its request per Container, and here to 3"),
        ),
        ("Container", json!({"maxLimitRequestRatio": cpu("2")}), one(cpu("1"), cpu("2")), None),
        (
            "Container",
            json!({"maxLimitRequestRatio": cpu("2")}),
            one(json!({}), json!({})),
            Some(
                "cpu may be limited to 2 times its request per Container, and it has no request or no limit",
            ),
        ),
        (
            "Pod",
            json!({"min": cpu("50m")}),
            one(json!({}), json!({})),
            Some("minimum cpu usage per Pod is 50m, and no request is specified"),
        ),
        (
            "Pod",
            json!({"max": cpu("3")}),
            pod(json!([
                {"name": "a", "resources": {"limits": {"cpu": "2"}}},
                {"name": "b", "resources": {"limits": {"cpu": "2"}}}
            ])),
            Some("maximum cpu usage per Pod is 3, and the limit is more"),
        ),
        (
            "Pod",
            json!({"max": cpu("3")}),
            json!({"containers": [{"name": "a", "resources": {"limits": {"cpu": "2"}}}],
                "initContainers": [{"name": "i", "resources": {"limits": {"cpu": "3"}}}]}),
            None,
        ),
        (
            "Pod",
            json!({"max": cpu("3")}),
            json!({"containers": [{"name": "a", "resources": {"limits": {"cpu": "2"}}}],
                "initContainers": [{"name": "i", "restartPolicy": "Always", "resources": {"limits": {"cpu": "2"}}}]}),
            Some("maximum cpu usage per Pod is 3, and the limit is more"),
        ),
        (
            "Pod",
            json!({"max": cpu("3")}),
            json!({"resources": {"limits": {"cpu": "4"}, "requests": {"cpu": "1"}}, "containers": [{"name": "a"}]}),
            Some("maximum cpu usage per Pod is 3, and the limit is more"),
        ),
    ] {
        let mut range: Value = limit_range("l", item.clone()).into();
        range["spec"]["limits"][0]["type"] = kind.into();
        let cluster = known(vec![range]);
        let found = match admit(&mut self::pod(&spec), &cluster) {
            Ok(_) => None,
            Err(NotAdmitted::Refused(why) | NotAdmitted::Invalid(why)) => Some(why),
        };
        let why = why.map(|why| format!("LimitRange l: {why}"));
        assert_eq!(found, why, "{kind} {item} {spec}");
    }
}

/// A quota of the namespace `default`.
fn quota(hard: &Value, used: &Value, spec: &Value) -> Value {
    let mut spec = spec.clone();
    spec["hard"] = hard.clone();
    json!({"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}, "spec": spec,
        "status": {"hard": hard, "used": used}})
}

/// Upstream: `plugin/pkg/admission/resourcequota/admission_test.go` (1.37).
#[test]
fn quotas_refuse_pods_beyond_what_is_left() {
    let cpu = |amount: &str| json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": amount}, "limits": {"cpu": "2"}}}]});
    let scopes = |names: Value| json!({"scopes": names});
    let class = |operator: &str, values: Value| {
        json!({"scopeSelector": {"matchExpressions":
            [{"scopeName": "PriorityClass", "operator": operator, "values": values}]}})
    };
    let none = json!({});
    for (hard, used, of, spec, refuses) in [
        (json!({"requests.cpu": "3"}), json!({"requests.cpu": "2"}), none.clone(), cpu("1"), false),
        (
            json!({"requests.cpu": "3"}),
            json!({"requests.cpu": "2"}),
            none.clone(),
            cpu("1100m"),
            true,
        ),
        (json!({"cpu": "1"}), json!({}), none.clone(), cpu("2"), true),
        (json!({"limits.cpu": "3"}), json!({"limits.cpu": "2"}), none.clone(), cpu("1"), true),
        (json!({"pods": "2"}), json!({"pods": "2"}), none.clone(), cpu("1"), true),
        (json!({"count/pods": "2"}), json!({"count/pods": "1"}), none.clone(), cpu("1"), false),
        // A container has to name cpu and memory if they are limited, and nothing else.
        (json!({"requests.memory": "9Gi"}), json!({}), none.clone(), cpu("1"), true),
        (json!({"requests.nvidia.com/gpu": "0"}), json!({}), none.clone(), cpu("1"), false),
        (json!({"requests.ephemeral-storage": "0"}), json!({}), none.clone(), cpu("1"), false),
        // Scopes choose the pods that count.
        (json!({"pods": "0"}), json!({}), scopes(json!(["BestEffort"])), cpu("1"), false),
        (json!({"pods": "0"}), json!({}), scopes(json!(["NotBestEffort"])), cpu("1"), true),
        (json!({"pods": "0"}), json!({}), scopes(json!(["Terminating"])), cpu("1"), false),
        (json!({"pods": "0"}), json!({}), scopes(json!(["NotTerminating"])), cpu("1"), true),
        (json!({"pods": "0"}), json!({}), class("In", json!(["high"])), cpu("1"), false),
        (json!({"pods": "0"}), json!({}), class("DoesNotExist", json!([])), cpu("1"), true),
        (
            json!({"pods": "0"}),
            json!({}),
            scopes(json!(["CrossNamespacePodAffinity"])),
            cpu("1"),
            false,
        ),
    ] {
        let cluster = known(vec![quota(&hard, &used, &of)]);
        let found = QuotaUse::default().admit(&pod(&spec), &cluster);
        assert_eq!(found.is_err(), refuses, "{hard} {used} {of}: {found:?}");
    }
}

#[test]
fn quota_counts_the_pods_that_were_admitted_before() {
    let cluster = known(vec![quota(&json!({"pods": "3"}), &json!({"pods": "1"}), &json!({}))]);
    let spec = json!({"containers": [{"name": "c"}]});
    let mut quotas = QuotaUse::default();
    let found: Vec<bool> = (0..4).map(|_| quotas.admit(&pod(&spec), &cluster).is_ok()).collect();
    assert_eq!(found, [true, true, false, false]);
    let why = quotas.admit(&pod(&spec), &cluster).expect_err("it is refused");
    assert_eq!(
        why,
        "ResourceQuota q: pods is limited to 3, and 1 of it is used besides the pods before this one"
    );
}
