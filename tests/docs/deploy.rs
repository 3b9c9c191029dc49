//! The exporter of deploy/: the kustomization and the chart deploy the same, and what they deploy runs.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-preempt");

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The chart's template with the values that it ships, as helm renders it into `kubectl-preempt`.
fn rendered_chart() -> String {
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    let resources =
        "{\"limits\":{\"memory\":\"1Gi\"},\"requests\":{\"cpu\":\"50m\",\"memory\":\"128Mi\"}}";
    let values = [
        ("{{ .Files.Get \"files/rbac.yaml\" }}", read("chart/files/rbac.yaml")),
        ("{{ .Release.Namespace }}", "kubectl-preempt".to_owned()),
        ("{{ .Values.image }}", "ghcr.io/kubectl-preempt/kubectl-preempt".to_owned()),
        ("{{ .Values.tag | default .Chart.AppVersion }}", version),
        ("{{ toJson .Values.resources }}", resources.to_owned()),
        ("\n{{- if .Values.serviceMonitor }}", String::new()),
        ("\n{{- end }}", String::new()),
    ];
    let mut text = read("chart/templates/exporter.yaml");
    for (action, value) in values {
        assert!(text.contains(action), "the chart has no {action}");
        text = text.replace(action, &value);
    }
    assert!(!text.contains("{{"), "{text}");
    text
}

fn objects(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap()
}

#[test]
fn chart_deploys_what_the_kustomization_deploys() {
    let kustomization: Value = serde_saphyr::from_str(&read("kustomization.yaml")).unwrap();
    let mut expected = Vec::new();
    for file in kustomization["resources"].as_array().unwrap() {
        expected.extend(objects(&read(file.as_str().unwrap())));
    }
    expected.extend(objects(&read("exporter/servicemonitor.yaml")));
    // Helm makes the namespace itself.
    expected.retain(|object| object["kind"] != "Namespace");
    assert_eq!(objects(&rendered_chart()), expected);
    let chart: Value = serde_saphyr::from_str(&read("chart/Chart.yaml")).unwrap();
    assert_eq!(chart["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn exporter_is_accepted_by_the_api_server_and_its_flags_are_ours() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/exporter/exporter.yaml");
    let cluster = manifest.ancestors().nth(3).unwrap().join("examples/pending-web/cluster.yaml");
    let output = Command::new(PROGRAM)
        .args(["simulate", "--fail-on", "unschedulable", "-f"])
        .arg(&manifest)
        .arg("--from")
        .arg(cluster)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");

    let exporter = objects(&read("exporter/exporter.yaml"));
    let of = |kind: &str| exporter.iter().find(|object| object["kind"] == kind).unwrap();
    let container = &of("Deployment")["spec"]["template"]["spec"]["containers"][0];
    let image = container["image"].as_str().unwrap();
    assert!(image.ends_with(&format!(":v{}", env!("CARGO_PKG_VERSION"))), "{image}");
    let args = container["args"].as_array().unwrap().iter().filter_map(Value::as_str);
    let output = Command::new(PROGRAM)
        .args(args)
        .env("KUBECONFIG", "/nowhere")
        .env("HOME", "/nowhere")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("no kubeconfig found"), "only the cluster is missing: {said}");
    // The roles that it is bound to are those of rbac.yaml.
    let roles = read("rbac.yaml");
    for kind in ["ClusterRoleBinding", "RoleBinding"] {
        let role = of(kind)["roleRef"]["name"].as_str().unwrap();
        assert!(roles.contains(&format!("name: {role}\n")), "{role}");
    }
}

#[test]
fn plugin_of_headlamp_has_the_version_of_the_program() {
    for file in ["headlamp/package.json", "headlamp/package-lock.json"] {
        let package: Value = serde_json::from_str(&read(file)).unwrap();
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "{file}");
    }
}

/// What k9s runs for each plugin, with a `kubectl` that asks about the example.
#[test]
#[cfg(unix)]
fn plugins_of_k9s_ask_what_they_say() {
    use std::os::unix::fs::PermissionsExt as _;

    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pending-web/cluster.yaml");
    let folder = tempfile::tempdir().unwrap();
    let as_plugin = format!("shift\nexec {PROGRAM} \"$@\" --from {}", example.display());
    for (name, script) in [("kubectl", as_plugin.as_str()), ("less", "exec cat")] {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());

    let file: Value = serde_saphyr::from_str(&read("k9s-plugins.yaml")).unwrap();
    let plugins = file["plugins"].as_object().unwrap();
    assert_eq!(plugins.len(), 4);
    for (id, plugin) in plugins {
        for field in ["shortCut", "description", "command"] {
            assert!(plugin[field].is_string(), "{id}: {field}");
        }
        let (resource, name, wanted) = match plugin["scopes"][0].as_str().unwrap() {
            "nodes" => ("nodes", "worker-3", "worker-3 drains"),
            "pods" => ("pods", "web-6d4cf56db6-q7rtz", "shop/web-6d4cf56db6-q7rtz"),
            _ => ("replicasets", "web-6d4cf56db6", "shop/web-6d4cf56db6-q7rtz"),
        };
        let filled = plugin["args"].as_array().unwrap().iter().map(|argument| {
            match argument.as_str().unwrap() {
                "$NAME" => name,
                "$NAMESPACE" => "shop",
                "$CONTEXT" => "a context",
                "$RESOURCE_NAME" => resource,
                text => text,
            }
        });
        let output = Command::new(plugin["command"].as_str().unwrap())
            .args(filled)
            .env("PATH", &path)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let plain = text.replace(['\u{1b}'], "");
        assert!(output.stderr.is_empty() && plain.contains(wanted), "{id}: {text}");
    }
}
