//! What answers cost an agent, counted with the vocabulary of a model.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{NOW, PROGRAM, Session, block_on};

/// The most tokens of an answer about one pod, and of a list.
const ONE_POD: usize = 2_000;
const LIST: usize = 4_000;

/// A cluster of nodes with names as a cloud gives them. All of them are full, two in three are of
/// another pool, and ten replicas in each of eight Deployments wait.
fn cluster(nodes: usize) -> Value {
    let mut items = vec![json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": "business"}, "value": 1000})];
    for n in 0..nodes {
        let name = format!("ip-10-{}-{}-{}.eu-central-1.compute.internal", n % 7, n / 250, n % 250);
        let zone = format!("eu-central-1{}", ["a", "b", "c"][n % 3]);
        let pool = ["general", "spot", "gpu"][n % 3];
        let taints = match pool {
            "spot" => json!([{"key": "spot", "value": "true", "effect": "NoSchedule"}]),
            _ => json!([]),
        };
        items.push(json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": zone, "pool": pool}},
            "spec": {"taints": taints},
            "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "58"},
                "conditions": [{"type": "Ready", "status": "True"}]}}));
        for p in 0..3 {
            let hash = format!("{:x}", (n * 7919 + p * 104_729) % 0xfff_ffff);
            items.push(pod(&format!("api-{hash}-{}", suffix(n * 3 + p)), 0, "2500m", Some(&name)));
        }
    }
    for app in 0..8 {
        for replica in 0..10 {
            let name = format!("web-{app}-6d4cf56db6-{}", suffix(app * 10 + replica));
            items.push(pod(&name, 1000, if app < 4 { "3" } else { "12" }, None));
        }
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

/// Five letters as controllers append them.
fn suffix(n: usize) -> String {
    let letters = b"bcdfghjklmnpqrstvwxz2456789";
    let mut text = String::new();
    for place in 0..5_u32 {
        let letter = letters[(n * 31 / 7_usize.pow(place) + n) % letters.len()];
        let _ = write!(text, "{}", char::from(letter));
    }
    text
}

fn pod(name: &str, priority: i32, cpu: &str, node: Option<&str>) -> Value {
    let owner = name.rsplit_once('-').map_or(name, |(owner, _)| owner);
    let phase = if node.is_some() { "Running" } else { "Pending" };
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner,
                "uid": owner, "controller": true}]},
        "spec": {"nodeName": node, "priority": priority,
            "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]},
        "status": {"phase": phase}})
}

/// Calls of each tool, and the most tokens of their answers.
fn calls(first: &str, node: &str) -> Vec<(&'static str, Value, usize)> {
    vec![
        ("pod_explain", json!({"pod": first, "namespace": "shop"}), ONE_POD),
        (
            "pod_explain",
            json!({"pod": "web-7-6d4cf56db6-".to_owned() + &suffix(70), "namespace": "shop"}),
            ONE_POD,
        ),
        ("pod_explain", json!({"pod": "rs/web-0-6d4cf56db6", "namespace": "shop"}), ONE_POD),
        ("pods_pending", json!({}), LIST),
        ("placement_simulate", json!({"pod": first, "namespace": "shop"}), ONE_POD),
        ("placement_simulate", json!({"drain": [node]}), ONE_POD),
        (
            "placement_simulate",
            json!({"nodes_needed": true, "pod": first, "namespace": "shop"}),
            ONE_POD,
        ),
        ("pods_risk", json!({}), LIST),
        ("evictions_explain", json!({}), LIST),
        ("nodes_removable", json!({"nodes": [node]}), LIST),
        ("node_loss", json!({"fail": [format!("node/{node}")]}), LIST),
        ("changes_suggest", json!({"pods": [first], "namespace": "shop"}), LIST),
        ("headroom_count", json!({"pod": "cpu=1,memory=1Gi"}), ONE_POD),
        ("cluster_audit", json!({}), LIST),
        ("messages_verify", json!({}), LIST),
        (
            "versions_compare",
            json!({"versions": ["1.35", "1.37"], "pods": [first], "namespace": "shop"}),
            LIST,
        ),
        ("rules_explain", json!({}), ONE_POD),
        ("rules_explain", json!({"query": "PRE-201"}), ONE_POD),
    ]
}

#[test]
fn concise_answers_cost_few_tokens_and_begin_with_what_they_are_worth() {
    let vocabulary = tiktoken_rs::o200k_base().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cluster.json");
    let mut table = String::new();
    for nodes in [5, 1000] {
        std::fs::write(&file, cluster(nodes).to_string()).unwrap();
        let node = "ip-10-0-0-0.eu-central-1.compute.internal";
        let first = format!("web-0-6d4cf56db6-{}", suffix(0));
        block_on(async {
            let mut command = tokio::process::Command::new(PROGRAM);
            command.args(["mcp", "--now", NOW, "--call-timeout", "5m", "--from"]).arg(&file);
            let session = Session::start(&mut command).await;
            for (tool, arguments, most) in calls(&first, node) {
                // These follow 80 waiting pods from node to node, which takes long in a build for tests.
                let follows = arguments["drain"].is_array()
                    || ["nodes_removable", "node_loss", "changes_suggest"].contains(&tool);
                if nodes > 100 && follows {
                    continue;
                }
                let answer = session.answer(tool, arguments.clone()).await;
                let text = answer.to_string();
                let tokens = vocabulary.encode_ordinary(&text).len();
                let _ = writeln!(
                    table,
                    "{nodes:>5} nodes {tool:20} {tokens:>6} tokens {:>7} bytes",
                    text.len()
                );
                assert!(tokens <= most, "{tool} {arguments}: {tokens} tokens\n{answer:#}");
                let place = |field: &str| text.find(&format!("\"{field}\":")).expect(field);
                assert!(place("certain") < 20 && place("screen") < place("values"), "{text:.300}");
                assert!(!answer["screen"].as_array().unwrap().is_empty(), "{tool}");
                assert!(!answer["values"].as_object().unwrap().is_empty(), "{tool}");
                assert!(
                    !text.contains(folder.path().to_str().unwrap()),
                    "{tool}: a path\n{answer:#}"
                );
                for line in answer["screen"].as_array().unwrap() {
                    let line = line.as_str().unwrap();
                    // Other commands are for people.
                    let command = line.split("kubectl preempt ").nth(1).unwrap_or_default();
                    let is_for_people =
                        ["snapshot", "doctor"].iter().any(|c| command.starts_with(c));
                    assert!(command.is_empty() || is_for_people, "{tool}: {line}");
                }
            }
        });
    }
    println!("{table}");
}
