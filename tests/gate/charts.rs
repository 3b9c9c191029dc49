//! The objects that public charts make, from `charts.txt`.

use std::fmt::Write as _;

/// What a chart makes.
pub(super) struct Chart {
    pub name: &'static str,
    /// The manifests, as helm prints them.
    pub manifests: String,
    /// `Kind name` of the objects that make pods.
    pub workloads: Vec<String>,
}

/// The kinds that make pods.
const WORKLOADS: [&str; 7] =
    ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "ReplicaSet"];

pub(super) fn all() -> Vec<Chart> {
    let mut charts: Vec<Chart> = Vec::new();
    for line in include_str!("charts.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(object) = line.strip_prefix("  ") {
            let chart = charts.last_mut().expect("a chart");
            add(chart, object);
        } else {
            let (name, _version) = line.split_once(' ').expect("a version");
            charts.push(Chart { name, manifests: String::new(), workloads: Vec::new() });
        }
    }
    charts
}

/// Adds the manifest of `Kind name field=value...`.
fn add(chart: &mut Chart, object: &str) {
    let mut words = object.split(' ');
    let (kind, name) = (words.next().expect("a kind"), words.next().expect("a name"));
    let out = &mut chart.manifests;
    let _ = writeln!(out, "---\n# Source: {}/templates/{name}.yaml", chart.name);
    let group = match kind {
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => "apps/v1",
        "Job" | "CronJob" => "batch/v1",
        "CustomResourceDefinition" => "apiextensions.k8s.io/v1",
        "APIService" => "apiregistration.k8s.io/v1",
        "ClusterRole" | "ClusterRoleBinding" | "Role" | "RoleBinding" => {
            "rbac.authorization.k8s.io/v1"
        }
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
            "admissionregistration.k8s.io/v1"
        }
        "GrafanaAgent" | "MetricsInstance" => "monitoring.grafana.com/v1alpha1",
        _ => "v1",
    };
    let _ = writeln!(out, "apiVersion: {group}\nkind: {kind}\nmetadata:\n  name: {name}");
    if !WORKLOADS.contains(&kind) {
        return;
    }
    chart.workloads.push(format!("{kind} {name}"));

    // What stands in the spec of the workload, of its pods and of their container.
    let (mut replicas, mut pod, mut requests, mut limits) =
        (String::new(), String::new(), String::new(), String::new());
    let (mut ports, mut nodes) = (String::new(), String::new());
    for word in words {
        let (field, value) = word.split_once('=').expect("a value");
        match field {
            "in" => {
                let _ = writeln!(out, "  namespace: {value}");
            }
            "replicas" => replicas = format!("  replicas: {value}\n"),
            "class" => {
                let _ = writeln!(pod, "priorityClassName: {value}");
            }
            "tolerates" => pod.push_str("tolerations: [{operator: Exists}]\n"),
            "hostPort" => {
                let _ = write!(ports, "{{containerPort: {value}, hostPort: {value}}}, ");
            }
            _ => match (field.strip_prefix("node:"), field.strip_prefix("limit.")) {
                (Some(label), _) => {
                    let _ = write!(nodes, "{label}: {value}, ");
                }
                (None, Some(resource)) => {
                    let _ = write!(limits, "{resource}: {value}, ");
                }
                (None, None) => {
                    let _ = write!(requests, "{field}: {value}, ");
                }
            },
        }
    }
    if !nodes.is_empty() {
        let _ = writeln!(pod, "nodeSelector: {{{nodes}}}");
    }
    let _ = writeln!(
        pod,
        "containers:\n- name: main\n  ports: [{ports}]\n  resources: {{requests: {{{requests}}}, limits: {{{limits}}}}}"
    );
    if matches!(kind, "Job" | "CronJob") {
        pod.push_str("restartPolicy: OnFailure\n");
    }
    let labels = format!("{{app: {name}}}");
    let mut spec = format!("spec:\n{replicas}");
    let mut indent = 4;
    match kind {
        "Pod" => indent = 0,
        "CronJob" => {
            spec.push_str("  jobTemplate:\n    spec:\n      template:\n");
            indent = 8;
        }
        "Job" => spec.push_str("  template:\n"),
        _ => {
            let _ = writeln!(spec, "  selector: {{matchLabels: {labels}}}\n  template:");
        }
    }
    let inner = " ".repeat(indent);
    if indent > 0 {
        let _ = writeln!(spec, "{inner}metadata: {{labels: {labels}}}\n{inner}spec:");
    }
    for line in pod.lines() {
        let _ = writeln!(spec, "{inner}  {line}");
    }
    out.push_str(&spec);
}
