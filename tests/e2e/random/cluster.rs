//! A random cluster: nodes, what runs on them, and a pod that waits.

use fastrand::Rng;
use serde_json::json;

use crate::objects::{Object, budget, node, pod, storage_class, volume_on};

const HOST: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";
const APPS: [&str; 3] = ["cache", "db", "web"];
const DEVICE: &str = "example.com/gpu";

/// One of them.
pub struct RandomCluster {
    /// Nodes, pods that run, volumes.
    pub objects: Vec<Object>,
    /// Of these, the pods that are deleted and take their time to end.
    pub leaving: Vec<String>,
    /// A pod that the scheduler decides about before.
    pub first: Option<Object>,
    /// The pod in question.
    pub pod: Object,
}

fn chance(rng: &mut Rng, one_in: u32) -> bool {
    rng.u32(0..one_in) == 0
}

fn any<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.usize(0..list.len())]
}

fn cpu(rng: &mut Rng, most: u32) -> u32 {
    rng.u32(1..=most / 250) * 250
}

/// With everything that the control plane of the test can decide about.
pub fn any_cluster(rng: &mut Rng) -> RandomCluster {
    let mut objects = Vec::new();
    let mut running = Vec::new();
    let nodes = rng.u32(1..=5);
    for n in 0..nodes {
        let name = format!("n{n}");
        let size = rng.u32(1..=4) * 1000;
        objects.push(any_node(rng, &name, size));
        let mut free = size;
        for p in 0..8 {
            if free < 250 || chance(rng, 10) {
                break;
            }
            let asked = cpu(rng, free.min(2000));
            free -= asked;
            running.push((format!("a{n}{p}"), name.clone(), asked));
        }
    }
    let pods: Vec<Object> =
        running.iter().map(|(name, node, asked)| any_pod(rng, name, *asked).on(node)).collect();
    let pods: Vec<Object> = pods
        .into_iter()
        .map(|pod| {
            let minutes = rng.i64(1..=6) * 10;
            pod.since(minutes)
        })
        .collect();
    let budgets = any_budgets(rng, &pods);
    let leaving =
        pods.iter().filter(|_| chance(rng, 12)).map(|pod| pod.name().to_owned()).collect();
    objects.extend(pods);
    objects.extend(budgets);
    let first = chance(rng, 6).then(|| {
        let asked = cpu(rng, 3000);
        any_pod(rng, "first", asked)
    });
    let asked = 500 + cpu(rng, 3000);
    let mut pod = any_pod(rng, "p", asked);
    if chance(rng, 12) {
        let place = format!("n{}", rng.u32(0..nodes));
        objects.push(storage_class("later", "WaitForFirstConsumer"));
        objects.extend(volume_on(&place, "data", "later"));
        pod = pod.claim("data");
    }
    let class = ["", "low", "middle", "high", "high", "high", "high", "polite"][rng.usize(0..8)];
    if !class.is_empty() {
        pod = pod.class(class);
    }
    RandomCluster { objects, leaving, first, pod }
}

fn any_node(rng: &mut Rng, name: &str, size: u32) -> Object {
    let mut node = node(name, &format!("{size}m"));
    match rng.u32(0..5) {
        0 | 1 => node = node.label(ZONE, "east"),
        2 | 3 => node = node.label(ZONE, "west"),
        _ => {}
    }
    if chance(rng, 7) {
        node = node.taint("gpu");
    }
    if chance(rng, 12) {
        node = node.with("/spec/unschedulable", json!(true));
    }
    if chance(rng, 4) {
        node = node.offers(DEVICE, &rng.u32(0..=2).to_string());
    }
    if chance(rng, 8) {
        node = node.offers("pods", &rng.u32(1..=4).to_string());
    }
    node
}

/// A pod that requests so much, with other things that decide where it may run.
fn any_pod(rng: &mut Rng, name: &str, asked: u32) -> Object {
    let mut pod = pod(name).cpu(&format!("{asked}m"));
    if !chance(rng, 4) {
        pod = pod.label("app", any(rng, &APPS));
    }
    match rng.u32(0..8) {
        0..=2 => pod = pod.class("low"),
        3 => pod = pod.class("middle"),
        4 => pod = pod.class("high"),
        _ => {}
    }
    if chance(rng, 4) {
        pod = pod.asks("memory", &format!("{}Gi", rng.u32(1..=5)));
    }
    if chance(rng, 8) {
        pod = pod.port(80);
    }
    if chance(rng, 8) {
        pod = pod.asks(DEVICE, "1");
    }
    if chance(rng, 8) {
        let (app, key) = (any(rng, &APPS), any(rng, &[HOST, ZONE]));
        pod = pod.near("podAntiAffinity", app, key);
    }
    if chance(rng, 14) {
        let (app, key) = (any(rng, &APPS), any(rng, &[HOST, ZONE]));
        pod = pod.near("podAffinity", app, key);
    }
    if chance(rng, 7) {
        let (app, key) = (any(rng, &APPS), any(rng, &[HOST, ZONE]));
        pod = pod.spread(app, key);
    }
    if chance(rng, 6) {
        pod = pod.with("/spec/tolerations", json!([{"key": "gpu", "operator": "Exists"}]));
    }
    pod
}

/// Up to two, with as many pods to spare as their controller will find.
fn any_budgets(rng: &mut Rng, pods: &[Object]) -> Vec<Object> {
    let mut budgets = Vec::new();
    for name in ["guard-1", "guard-2"] {
        if chance(rng, 3) {
            let (app, least) = (any(rng, &APPS), rng.i64(0..=3));
            let healthy =
                pods.iter().filter(|pod| pod.json["metadata"]["labels"]["app"] == app).count();
            budgets.push(budget(
                name,
                app,
                least,
                (i64::try_from(healthy).expect("few") - least).max(0),
            ));
        }
    }
    budgets
}

/// A cluster in which CPU alone decides, for plans that are carried out: all pods of an app have a
/// controller that makes others for them. The controllers are made when the pods run.
pub struct PlainCluster {
    pub objects: Vec<Object>,
    /// Apps, and how many pods each has.
    pub apps: Vec<(&'static str, usize)>,
    pub budgets: Vec<Object>,
    pub pod: Object,
}

/// One of them, in which no node has room for the pod, and one has if less important pods leave.
pub fn plain_cluster(rng: &mut Rng) -> PlainCluster {
    loop {
        if let Some(cluster) = try_plain(rng) {
            return cluster;
        }
    }
}

fn try_plain(rng: &mut Rng) -> Option<PlainCluster> {
    // Of each node, what is free, and what is free without the less important.
    let mut room = Vec::new();
    let mut objects = Vec::new();
    let mut counts = [0; APPS.len()];
    for n in 0..rng.u32(1..=3) {
        let name = format!("n{n}");
        let size = rng.u32(2..=4) * 1000;
        let (mut free, mut without) = (size, size);
        objects.push(node(&name, &format!("{size}m")));
        for p in 0..6 {
            if free < 500 || chance(rng, 8) {
                break;
            }
            let asked = if rng.bool() { 500 } else { rng.u32(1..=(free / 500).min(3)) * 500 };
            free -= asked;
            let class = ["low", "low", "middle", "high"][rng.usize(0..4)];
            without -= if class == "high" { asked } else { 0 };
            let app = rng.usize(0..APPS.len());
            counts[app] += 1;
            let minutes = rng.i64(1..=9) * 10;
            let pod = pod(&format!("a{n}{p}"))
                .cpu(&format!("{asked}m"))
                .class(class)
                .label("app", APPS[app]);
            objects.push(pod.on(&name).since(minutes));
        }
        room.push((free, without));
    }
    let asked = rng.u32(1..=7) * 500;
    let needs_victims = room.iter().all(|(free, _)| *free < asked)
        && room.iter().any(|(_, without)| *without >= asked);
    if !needs_victims {
        return None;
    }
    let budgets = any_budgets(rng, &objects);
    let apps = APPS.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect();
    Some(PlainCluster {
        objects,
        apps,
        budgets,
        pod: pod("p").cpu(&format!("{asked}m")).class("high"),
    })
}
