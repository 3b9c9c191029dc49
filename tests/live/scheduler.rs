//! The cluster's own scheduler: its static pod, and a ConfigMap.

use assert_cmd::Command;
use serde_json::{Value, json};
use testing::{assert_begins, assert_has};

use crate::live::Home;
use crate::live::server::{Answer, Request, Server};

const STATIC_PODS: &str = "/api/v1/namespaces/kube-system/pods";

/// What a run left: exit code, standard output, standard error.
type Run = (Option<i32>, String, String);

fn run(home: &Home, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command.env("KUBECONFIG", home.path("config")).env("HOME", home.folder.path()).args(arguments);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn explain(home: &Home, more: &[&str]) -> (Option<i32>, Value) {
    let (code, out, err) = run(home, &[&["explain", "web", "-o", "json"], more].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}")))
}

fn notes(decision: &Value) -> Vec<String> {
    let about = |n: &&Value| n["code"] == "PRE-915";
    let notes = decision["notes"].as_array().unwrap().iter().filter(about);
    notes
        .map(|n| format!("{}: {}", n["severity"].as_str().unwrap(), n["text"].as_str().unwrap()))
        .collect()
}

/// A cluster of version `version` with a pod `web` that fits, whose static pod is started with
/// `words`; `more` answers the rest.
fn cluster(
    version: &'static str,
    words: &'static [&'static str],
    more: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
) -> (Server, Home) {
    let server = Server::start(move |request| {
        let items = match request.path.as_str() {
            "/version" => return Some(Answer::ok(json!({"gitVersion": version}).to_string())),
            "/api/v1/nodes" => {
                json!([{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}])
            }
            "/api/v1/pods" => json!([{"metadata": {"name": "web", "namespace": "shop"},
                "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
                "status": {"phase": "Pending"}}]),
            STATIC_PODS if !words.is_empty() => {
                assert!(
                    request.has("labelSelector=component%3Dkube-scheduler%2Ctier%3Dcontrol-plane"),
                    "{request:?}"
                );
                json!([{"metadata": {"name": "kube-scheduler-cp1"}, "spec": {"containers": [{"name": "kube-scheduler",
                    "command": words, "env": [{"name": "TOKEN", "value": "canary-env"}]}]}}])
            }
            _ => return more(request),
        };
        Some(Answer::ok(
            json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string(),
        ))
    });
    let home = Home::new(&server, "token: secret");
    (server, home)
}

fn config_map(data: &Value) -> Answer {
    Answer::ok(json!({"kind": "ConfigMap", "apiVersion": "v1", "data": data}).to_string())
}

const CONFIG: &str = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: \
                      [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: \
                      {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: \
                      disk, operator: Exists}]}]}}}}]}]";

#[test]
fn scheduler_with_defaults_is_reported() {
    let (_server, home) = cluster("v1.37.1", &["kube-scheduler", "--leader-elect=true"], |_| None);
    let (code, decision) = explain(&home, &[]);
    assert_eq!((code, &decision["scheduler"]["config"]), (Some(0), &json!("default")));
    assert_eq!(
        notes(&decision),
        [
            "info: scheduler configuration: kube-system/kube-scheduler-cp1 is started without one: the default profile decides"
        ]
    );
}

#[test]
fn invisible_scheduler_is_reported() {
    let (_server, home) = cluster("v1.37.1", &[], |_| None);
    let (code, decision) = explain(&home, &[]);
    assert_eq!(code, Some(0));
    assert!(
        notes(&decision)[0].starts_with(
            "info: scheduler configuration: kube-system has no static pod of kube-scheduler"
        ),
        "{decision}"
    );
    let (_server, home) = cluster("v1.37.1", &[], |r| {
        (r.path == STATIC_PODS).then(|| Answer::status(403, "Forbidden", "pods is forbidden"))
    });
    let (code, decision) = explain(&home, &[]);
    assert_eq!(code, Some(0));
    assert!(notes(&decision)[0].contains("could not be seen: pods is forbidden"), "{decision}");
}

#[test]
fn a_file_of_the_scheduler_makes_the_answer_uncertain_until_it_is_passed() {
    let (_server, home) =
        cluster("v1.37.1", &["kube-scheduler", "--config", "/etc/kubernetes/s.yaml"], |_| None);
    let (code, decision) = explain(&home, &[]);
    assert_eq!(code, Some(3));
    assert_begins(
        &notes(&decision)[0],
        "error: scheduler configuration: kube-system/kube-scheduler-cp1 is started with --config=/etc/",
    );
    home.write("s.yaml", CONFIG);
    let file = home.path("s.yaml").to_str().unwrap().to_owned();
    let (code, decision) = explain(&home, &["--scheduler-config", &file]);
    assert_eq!((code, &decision["scheduler"]["config"]), (Some(0), &json!("file")));
    assert_eq!(
        (&decision["scheduler"]["configSource"], &decision["outcome"]),
        (&json!(file), &json!("Unschedulable"))
    );
}

#[test]
fn gates_of_the_static_pod_count_and_ours_come_on_top() {
    let words = &[
        "kube-scheduler",
        "--feature-gates=VolumeLimitScaling=false,SchedulerAsyncPreemption=false",
    ];
    let (_server, home) = cluster("v1.37.1", words, |_| None);
    let (_, decision) = explain(&home, &["--feature-gates", "VolumeLimitScaling=true"]);
    assert_eq!(decision["scheduler"]["featureGates"], json!({"SchedulerAsyncPreemption": false}));
    let (_server, home) =
        cluster("v1.37.1", &["kube-scheduler", "--feature-gates=Nonsense=true"], |_| None);
    let (code, decision) = explain(&home, &[]);
    assert_eq!(code, Some(3));
    assert!(
        notes(&decision)
            .iter()
            .any(|n| n.contains("passed over: unrecognized feature gate: Nonsense")),
        "{decision}"
    );
}

#[test]
fn a_config_map_is_read_and_kept_in_snapshots() {
    let (server, home) = cluster("v1.37.1", &["kube-scheduler", "--config=/etc/s.yaml"], |r| {
        (r.path == "/api/v1/namespaces/ops/configmaps/sched")
            .then(|| config_map(&json!({"config.yaml": CONFIG, "other": "canary-data"})))
    });
    let (code, decision) = explain(&home, &["--scheduler-configmap", "ops/sched"]);
    let expected = json!("ConfigMap ops/sched, key config.yaml");
    assert_eq!((code, &decision["scheduler"]["configSource"]), (Some(0), &expected));
    assert_eq!(decision["nodes"][0]["plugin"], "NodeAffinity");
    let file = home.path("s.json").to_str().unwrap().to_owned();
    let (code, _, err) =
        run(&home, &["snapshot", "-o", &file, "--scheduler-configmap", "ops/sched"]);
    assert_eq!(code, Some(0), "{err}");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(!saved.contains("canary") && saved.contains("addedAffinity"), "{saved}");
    for more in [&["--from", &file][..], &["--from", &file, "--scheduler-configmap", "ops/sched"]] {
        let (_, again) = explain(&home, &[more, &["-n", "shop"]].concat());
        assert_eq!(again["scheduler"]["configSource"], expected);
    }
    let (code, _, err) =
        run(&home, &["explain", "web", "--from", &file, "--scheduler-configmap", "ops/x"]);
    assert_eq!(code, Some(2));
    assert_begins(&err, "error: there is no ConfigMap ops/x in the input; ");
    server.requests();
}

#[test]
fn a_config_map_that_cannot_be_read_stops_the_answer() {
    let (_server, home) = cluster("v1.37.1", &[], |r| {
        let answer = match r.path.strip_prefix("/api/v1/namespaces/ops/configmaps/")? {
            "none" => Answer::status(404, "NotFound", "configmaps \"none\" not found"),
            "secret" => Answer::status(403, "Forbidden", "configmaps \"secret\" is forbidden"),
            "empty" => config_map(&json!({})),
            "several" => config_map(&json!({"a": "", "b": ""})),
            "broken" => config_map(&json!({"a": "{"})),
            "old" => config_map(&json!({"a": CONFIG.replace("k8s.io/v1", "k8s.io/v1beta3")})),
            _ => return None,
        };
        Some(answer)
    });
    for (name, problem, hint) in [
        ("none", "Error from server (NotFound): configmaps \"none\" not found", "NAMESPACE/NAME"),
        (
            "secret",
            "Error from server (Forbidden): configmaps \"secret\" is forbidden",
            "verb get on configmaps",
        ),
        ("empty", "ConfigMap ops/empty: it has no data", ""),
        ("several", "ConfigMap ops/several: which of its keys is meant? a, b;", ""),
        ("broken", "ConfigMap ops/broken, key a: not valid JSON: EOF", ""),
        (
            "old",
            "ConfigMap ops/old, key a: apiVersion: no kind \"KubeSchedulerConfiguration\" is registered",
            "",
        ),
    ] {
        let (code, out, err) =
            run(&home, &["explain", "web", "--scheduler-configmap", &format!("ops/{name}")]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{name}: {err}");
        assert!(
            err.starts_with(&format!("error: {problem}")) && err.contains(hint),
            "{name}: {err}"
        );
    }
    let (code, _, err) = run(&home, &["explain", "web", "--scheduler-configmap", "nonsense"]);
    assert_eq!(code, Some(2));
    assert_has(&err, "`nonsense` does not name a ConfigMap; write it as NAMESPACE/NAME");
}
