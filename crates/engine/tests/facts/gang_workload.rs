use serde_json::{Value, json};

use testing::{Pod, cluster, objects, pod, pod_group, workload};

/// Each Workload with its templates or pod groups, and each group of pods with the Workload and
/// template that it names.
fn read(objects: Vec<Value>) -> (Vec<String>, Vec<String>) {
    let cluster = cluster(objects);
    let policy = |min: Option<i64>| min.map_or_else(|| "basic".to_owned(), |min| min.to_string());
    let text = |sym| cluster.text(sym);
    let workloads = cluster.workloads.iter().map(|workload| {
        let group = workload.groups.iter().map(|group| {
            format!(
                "{}{}:{}",
                if group.is_template { "t " } else { "" },
                text(group.name),
                policy(group.min_count)
            )
        });
        format!("{} [{}]", text(workload.name), group.collect::<Vec<_>>().join(", "))
    });
    let groups = cluster.pod_groups.iter().map(|group| {
        format!(
            "{} {} {} {}",
            text(group.name),
            policy(group.min_count),
            text(group.workload),
            text(group.template)
        )
    });
    (workloads.collect(), groups.map(|group| group.trim_end().to_owned()).collect())
}

fn templates(version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("scheduling.k8s.io/{version}"), "kind": "Workload", "metadata": {"name": "w"}, "spec": spec})
}

#[test]
fn workloads_of_each_version() {
    let gang = json!({"gang": {"minCount": 4}});
    let named = json!([{"name": "a", "schedulingPolicy": gang}, {"name": "b", "schedulingPolicy": {"basic": {}}}]);
    let nested = json!({
        "podGroupTemplates": named,
        "compositePodGroupTemplates": [{
            "name": "c",
            "podGroupTemplates": [{"name": "d"}],
            "compositePodGroupTemplates": [{"name": "e", "podGroupTemplates": [{"name": "f", "schedulingPolicy": gang}]}],
        }],
    });
    for (row, object, expected) in [
        (
            "1.35",
            workload(
                "w",
                &json!([{"name": "a", "policy": gang}, {"name": "b", "policy": {"basic": {}}}]),
            )
            .into(),
            "w [a:4, b:basic]",
        ),
        (
            "1.36",
            templates("v1alpha2", &json!({"podGroupTemplates": named})),
            "w [t a:4, t b:basic]",
        ),
        ("1.37", templates("v1beta1", &nested), "w [t a:4, t b:basic, t d:basic, t f:4]"),
    ] {
        assert_eq!(read(vec![object]).0, [expected], "{row}");
    }
}

#[test]
fn groups_that_belong_to_a_workload() {
    let named =
        |name: &str, reference: Value| -> Pod { pod(name).with("/spec/workloadRef", reference) };
    let part =
        |group: &str, key: &str| json!({"name": "w", "podGroup": group, "podGroupReplicaKey": key});
    let parts = || {
        workload(
            "w",
            &json!([{"name": "a", "policy": {"gang": {"minCount": 2}}}, {"name": "unnamed"}]),
        )
    };
    let newer =
        pod_group("g").with("/spec/workloadRef", json!({"workloadName": "w", "templateName": "t"}));
    let older = pod_group("g").with(
        "/spec/podGroupTemplateRef/workload",
        json!({"workloadName": "w", "podGroupTemplateName": "t"}),
    );
    for (row, objects, expected) in [
        ("1.37", objects![newer], vec!["g basic w t"]),
        ("1.36", objects![older], vec!["g basic w t"]),
        (
            "1.35: each replica is a group",
            objects![
                parts(),
                named("p", part("a", "0")),
                named("q", part("a", "1")),
                named("r", part("a", "0"))
            ],
            vec!["w/a/0 2 w", "w/a/1 2 w"],
        ),
        ("without a key", objects![parts(), named("p", part("a", ""))], vec!["w/a 2 w"]),
        ("no such pod group", objects![parts(), named("p", part("x", ""))], vec![]),
        ("no such Workload", objects![named("p", part("a", ""))], vec![]),
        (
            "in another namespace",
            objects![parts(), named("p", part("a", "")).with("/metadata/namespace", "other")],
            vec![],
        ),
    ] {
        assert_eq!(read(objects).1, expected, "{row}");
    }
}
