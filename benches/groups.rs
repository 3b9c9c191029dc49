//! How long a decision about a pod group takes, and how that compares with the decisions about as
//! many single pods.
//!
//! `cargo bench --bench groups` makes a cluster of 5,000 nodes and 150,000 pods with a gang of 64,
//! `-- --quick` a tenth of it. Times are the least of several runs in this process.

#![allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::enum_variant_names,
    clippy::allow_attributes,
    reason = "a program of the developers, not a part of the product"
)]

use std::time::Instant;

use anyhow::{Context, Result};
use engine::cluster::build::Builder;
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::{decision, groups};
use serde_json::{Value, json};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "scale/generate.rs"]
mod generate;

const MEMBERS: usize = 64;
const RUNS: usize = 5;
/// Between those of the workloads.
const PRIORITY: i32 = 50_000;

fn main() -> Result<()> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let nodes = if quick { 500 } else { 5_000 };
    let options = generate::Options { nodes, budgets: nodes / 10, ..generate::Options::default() };
    let mut text = Vec::new();
    generate::write(&options, &mut text)?;
    let mut builder = Builder::new();
    decode(std::str::from_utf8(&text)?, "generated", &mut builder)?;
    drop(text);
    decode(&gang().to_string(), "gang", &mut builder)?;
    let cluster = builder.finish();
    let version = SchedulerVersion::parse("1.37").context("unknown version")?;
    let gates = ["GenericWorkload=true".to_owned()];
    let profile = Profile::new(version, VersionSource::Flag)
        .with_gates(&gates)
        .map_err(anyhow::Error::msg)?;
    let view = ClusterView::new(&cluster, &profile);
    let now = generate::NOW.parse()?;
    let group = cluster.find_pod_group("default", "gang").context("no group")?;
    let pods: Vec<_> = (0..MEMBERS)
        .filter_map(|index| cluster.find_pod("default", &format!("gang-{index:02}")))
        .collect();
    println!(
        "{nodes} nodes, {} pods, a gang of {}, {} threads",
        cluster.pods.len(),
        pods.len(),
        rayon::current_num_threads()
    );
    let (mut of_group, mut of_pods) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let start = Instant::now();
        let decision = groups::decide(&view, group, now);
        of_group = of_group.min(start.elapsed().as_secs_f64());
        if of_pods == f64::MAX {
            let preemption = decision.preemption.as_ref().map_or("", |report| &report.message);
            println!("outcome: {}; {preemption}", decision.outcome.name());
        }
        let start = Instant::now();
        for pod in &pods {
            let _ = decision::decide(&view, *pod, now);
        }
        of_pods = of_pods.min(start.elapsed().as_secs_f64());
    }
    println!(
        "the group: {:.0} ms; its pods one by one: {:.0} ms; ratio {:.2}",
        of_group * 1e3,
        of_pods * 1e3,
        of_group / of_pods
    );
    Ok(())
}

/// A gang that needs half a node for each of its pods.
fn gang() -> Value {
    let pod = |index: usize| {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("gang-{index:02}"), "namespace": "default", "uid": format!("uid-{index}"), "labels": {"app": "gang"}},
            "spec": {
                "schedulerName": "default-scheduler", "priority": PRIORITY, "schedulingGroup": {"podGroupName": "gang"},
                "containers": [{"name": "c", "resources": {"requests": {"cpu": "16", "memory": "32Gi"}}}],
            },
            "status": {"phase": "Pending"},
        })
    };
    let group = json!({
        "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "gang", "namespace": "default"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": MEMBERS}}, "priority": PRIORITY},
    });
    let items: Vec<Value> = std::iter::once(group).chain((0..MEMBERS).map(pod)).collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}
