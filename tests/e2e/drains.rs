//! Random drains and losses: what `simulate --fail` says of a node that dies is in [`lost`]. What
//! `node` says of a node, and what a drain through the real eviction API comes
//! to, with the real scheduler and the controllers of replica sets and budgets. What it says can be
//! drained can; what it says is in the way is in the way, and nothing else; and every pod that moves
//! goes where it was told that it may go.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::objects::{NAMESPACE, Object, budget, node, pod, replicas};
use crate::plane::{Plane, wait_for};
use crate::stage::Stage;
use crate::tool::{Run, ask};

/// The node that is drained.
const DRAINED: &str = "n0";
/// How long nothing may change until a drain counts as ended.
const QUIET: Duration = Duration::from_millis(2500);
const APPS: [&str; 4] = ["cache", "db", "mail", "web"];
pub const ZONE: &str = "topology.kubernetes.io/zone";
/// The pod that waits already.
const WAITS: &str = "waits";

/// A random cluster: each app has pods that are alike, and a controller, but for the last one's.
struct Scene {
    nodes: Vec<Object>,
    pods: Vec<Object>,
    /// The controllers: app, number of pods, and what they are like.
    controllers: Vec<Object>,
    budgets: Vec<Object>,
    /// A pod that waits already.
    waiting: Option<Object>,
}

pub fn chance(rng: &mut Rng, one_in: u32) -> bool {
    rng.u32(0..one_in) == 0
}

fn scene(rng: &mut Rng) -> Scene {
    let count = rng.usize(2..=5);
    let mut nodes = Vec::new();
    let mut free: Vec<u32> = Vec::new();
    for n in 0..count {
        let size = rng.u32(2..=5) * 1000;
        let zone = if rng.bool() { "east" } else { "west" };
        let mut made = node(&format!("n{n}"), &format!("{size}m")).label(ZONE, zone);
        if n > 0 && chance(rng, 10) {
            made = made.taint("gpu");
        }
        nodes.push(made);
        free.push(size);
    }

    let like: Vec<Object> = APPS.iter().map(|app| app_pod(rng, app)).collect();
    let sizes: Vec<u32> = like.iter().map(milli_cpu).collect();
    let mut pods = Vec::new();
    let mut counts = [0_usize; APPS.len()];
    let mut ready = [0_i64; APPS.len()];
    for (n, mut free) in free.into_iter().enumerate() {
        // The node in question has the most pods.
        let most = if n == 0 { 5 } else { rng.usize(0..=3) };
        for p in 0..most {
            let app = rng.usize(0..APPS.len());
            if free < sizes[app] || chance(rng, 8) {
                continue;
            }
            free -= sizes[app];
            counts[app] += 1;
            let mut made = like[app].clone();
            made.json["metadata"]["name"] = json!(format!("{}-{n}{p}", APPS[app]));
            let mut made = made.on(&format!("n{n}"));
            if chance(rng, 9) {
                unready(&mut made);
            } else {
                ready[app] += 1;
            }
            pods.push(made);
        }
    }

    let mut controllers = Vec::new();
    for (app, (like, count)) in APPS.iter().zip(like.iter().zip(counts)) {
        let is_bare = *app == "mail" && chance(rng, 2);
        if count > 0 && !is_bare {
            controllers.push(replicas(app, count, like));
        }
    }
    let waiting = chance(rng, 4).then(|| {
        let asked = rng.u32(1..=4) * 500;
        let class = ["", "low", "high"][rng.usize(0..3)];
        let made = pod(WAITS).cpu(&format!("{asked}m")).label("app", WAITS);
        if class.is_empty() { made } else { made.class(class) }
    });
    let budgets = budgets(rng, &ready);
    Scene { nodes, pods, controllers, budgets, waiting }
}

/// What every pod of an app is like.
pub fn app_pod(rng: &mut Rng, app: &str) -> Object {
    let mut made = pod(app).cpu(&format!("{}m", rng.u32(1..=4) * 250)).label("app", app);
    match rng.u32(0..8) {
        0 | 1 => made = made.class("low"),
        2 => made = made.class("middle"),
        3 => made = made.class("high"),
        _ => {}
    }
    if chance(rng, 8) {
        made = made.near("podAntiAffinity", app, "kubernetes.io/hostname");
    }
    if chance(rng, 8) {
        made = made.spread(app, ZONE);
    }
    if chance(rng, 8) {
        let zone = if rng.bool() { "east" } else { "west" };
        made = made.with("/spec/nodeSelector", json!({ZONE: zone}));
    }
    if chance(rng, 10) {
        made = made.with("/spec/tolerations", json!([{"key": "gpu", "operator": "Exists"}]));
    }
    made
}

pub fn milli_cpu(pod: &Object) -> u32 {
    let text = pod.json["spec"]["containers"][0]["resources"]["requests"]["cpu"].as_str();
    text.and_then(|text| text.trim_end_matches('m').parse().ok()).expect("an amount")
}

fn unready(pod: &mut Object) {
    let status = pod.status.as_mut().expect("a status");
    for condition in status["status"]["conditions"].as_array_mut().expect("conditions") {
        if condition["type"] == "Ready" || condition["type"] == "ContainersReady" {
            condition["status"] = json!("False");
        }
    }
}

fn budgets(rng: &mut Rng, ready: &[i64]) -> Vec<Object> {
    let mut found = Vec::new();
    for (app, ready) in APPS.iter().zip(ready) {
        let number = match rng.u32(0..8) {
            0..=3 => 0,
            4..=6 => 1,
            _ => 2,
        };
        for n in 0..number {
            // Often as many as there are, or one less.
            let least = (ready - rng.i64(0..=2)).max(0);
            let mut made = budget(&format!("{app}-{n}"), app, least, (ready - least).max(0));
            if chance(rng, 4) {
                made = made.with("/spec/unhealthyPodEvictionPolicy", json!("AlwaysAllow"));
            }
            found.push(made);
        }
    }
    found
}

pub fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

pub fn app_of(pod: &Value) -> String {
    text(&pod["metadata"]["labels"], "app").to_owned()
}

pub fn pods_of(stage: &Stage) -> Vec<Value> {
    stage.admin.list(&format!("/api/v1/namespaces/{NAMESPACE}/pods"))
}

/// What a drain came to.
struct Drained {
    /// The pods that never left.
    refused: BTreeSet<String>,
    /// New pods by app and node; those without a node have none.
    places: Vec<(String, String)>,
}

/// One of them: what was said, and whether it was so.
pub fn one(plane: &Plane, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let scene = scene(&mut rng);
    let stage = Stage::new(plane);
    build(plane, &stage, &scene);
    let before: BTreeSet<String> =
        pods_of(&stage).iter().map(|pod| text(&pod["metadata"], "uid").to_owned()).collect();

    let said = ask(plane, &["node", DRAINED, "-o", "json"]);
    let answer = said.json();
    let item = answer["items"][0].clone();
    let leaving: Vec<String> = item["pods"]
        .as_array()
        .unwrap_or_else(|| panic!("no pods: {said:?}"))
        .iter()
        .map(|pod| text(pod, "name").to_owned())
        .collect();

    // A pod that waits already is decided before the cordon as often as after it.
    let mut leaving = leaving;
    let comes_before = scene.waiting.is_some() && seed.is_multiple_of(2);
    if comes_before {
        plane.scheduler.go_on();
        if decided_node(&stage, WAITS) == DRAINED {
            leaving.push(WAITS.to_owned());
        }
    }
    cordon(&stage);
    // The scheduler has to know of the cordon before anything moves.
    plane.scheduler.go_on();
    wait_until_known(&stage, "cordon", "node(s) were unschedulable");
    let drained = drain(&stage, &leaving, &before, &mut rng);
    let closeness = check(&item, &said, &drained, &scene);

    let code = said.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let moved = drained.places.iter().filter(|(_, node)| !node.is_empty()).count();
    let exact = exactly_told(&item, &drained);
    let mut lines = vec![format!("{} (exit {code}): {closeness}", text(&item, "verdict"))];
    lines.extend((0..moved).map(|_| "pods moved, each to a told node".to_owned()));
    lines.extend((0..exact).map(|_| "of these to a node of the orders that were tried".to_owned()));
    let only = moved_to_the_only_one(&item, &drained);
    lines.extend((0..only).map(|_| "of these to the only node that was told".to_owned()));
    lines.extend(drained.refused.iter().map(|_| "evictions refused as was said".to_owned()));
    lines
}

/// A budget keeps the pods of a node, and a pod that waits already can preempt them until the node
/// is cordoned: both orders are forced, `node` and `simulate --drain` leave open which it will be,
/// and each of them comes to one of the ends that were told.
pub fn around_the_cordon(plane: &mut Plane) {
    for comes_before in [true, false] {
        let stage = Stage::new(plane);
        let scene = kept_by_a_budget();
        build(plane, &stage, &scene);
        let before: BTreeSet<String> =
            pods_of(&stage).iter().map(|pod| text(&pod["metadata"], "uid").to_owned()).collect();

        let said = ask(plane, &["node", DRAINED, "-o", "json"]);
        let item = said.json()["items"][0].clone();
        assert_eq!((text(&item, "verdict"), said.code), ("DependsOnTiming", Some(3)), "{said:?}");
        let simulated = ask(plane, &["simulate", "--drain", DRAINED, "-o", "json"]);
        let drain_of_it = simulated.json()["drains"][0].clone();
        assert_eq!(
            (text(&drain_of_it, "verdict"), simulated.code),
            ("DependsOnTiming", Some(3)),
            "{simulated:?}"
        );

        let mut leaving = vec!["web-0".to_owned()];
        if comes_before {
            plane.scheduler.go_on();
            assert_eq!(decided_node(&stage, WAITS), DRAINED);
            leaving.push(WAITS.to_owned());
            cordon(&stage);
        } else {
            // A scheduler that starts now lists the nodes before it decides anything.
            cordon(&stage);
            plane.replace_scheduler(plane.gates);
        }
        wait_until_known(&stage, "cordon", "node(s) were unschedulable");
        let drained = drain(&stage, &leaving, &before, &mut Rng::with_seed(1));
        let refused: Vec<&str> = drained.refused.iter().map(String::as_str).collect();
        assert_eq!(refused, if comes_before { vec![] } else { vec!["web-0"] });
        check(&item, &said, &drained, &scene);
    }
}

/// A node that a pod fills whose budget spares none, room for it elsewhere, and a pod of high
/// priority that may go to that node alone.
fn kept_by_a_budget() -> Scene {
    let web = pod("web").cpu("4").label("app", "web").class("low");
    let mut first = web.clone().on(DRAINED);
    first.json["metadata"]["name"] = json!("web-0");
    let waits = pod(WAITS).cpu("4").label("app", WAITS).class("high");
    let waits = waits.with("/spec/nodeSelector", json!({"kubernetes.io/hostname": DRAINED}));
    Scene {
        nodes: vec![node(DRAINED, "4"), node("n1", "4")],
        pods: vec![first],
        controllers: vec![replicas("web", 1, &web)],
        budgets: vec![budget("web", "web", 1, 0)],
        waiting: Some(waits),
    }
}

fn cordon(stage: &Stage) {
    let path = format!("/api/v1/nodes/{DRAINED}");
    stage.admin.patch(&path, &json!({"spec": {"unschedulable": true}}));
}

/// The node that a pod gets, once its victims are gone; "" if the scheduler finds none.
fn decided_node(stage: &Stage, name: &str) -> String {
    let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}");
    let mut seen = Value::Null;
    wait_for("a decision", || {
        seen = stage.admin.get(&path);
        let is_rejected = seen["status"]["conditions"][0]["message"].is_string();
        let is_nominated = !text(&seen["status"], "nominatedNodeName").is_empty();
        seen["spec"]["nodeName"].is_string() || is_rejected && !is_nominated
    });
    text(&seen["spec"], "nodeName").to_owned()
}

fn build(plane: &Plane, stage: &Stage, scene: &Scene) {
    // The scheduler has to know all nodes before it sees the pod that waits. Its watches of nodes
    // and of pods are not in step: if it knew only some nodes, that pod would preempt others on
    // them, though it fits on a node that the answer knew.
    stage.build(&scene.nodes);
    wait_until_known(stage, "nodes", &format!("0/{} nodes are available", scene.nodes.len()));
    plane.scheduler.pause();
    stage.build(&scene.pods);
    stage.build(&scene.controllers);
    let owned: usize = scene.controllers.iter().map(replicas_of).sum();
    wait_for("the controllers", || {
        let pods = pods_of(stage);
        let has_owner = |pod: &&Value| pod["metadata"]["ownerReferences"].is_array();
        pods.len() == scene.pods.len() && pods.iter().filter(has_owner).count() == owned
    });
    stage.build(&scene.budgets);
    if let Some(waiting) = &scene.waiting {
        stage.create(waiting);
    }
}

/// Waits until the scheduler knows of something: until it rejects a pod, made for that, with
/// `message`. The pod may go to the drained node alone, which has not what it asks for.
pub fn wait_until_known(stage: &Stage, name: &str, message: &str) {
    let asks = pod(&format!("asks-{name}"))
        .cpu("1000")
        .with("/spec/nodeSelector", json!({"kubernetes.io/hostname": DRAINED}));
    let path = format!("{}/{}", asks.path, asks.name());
    wait_for(message, || {
        // Made anew, as nothing else would have the scheduler try it again at once.
        stage.create(&asks);
        let mut seen = Value::Null;
        wait_for("a decision", || {
            seen = stage.admin.get(&path)["status"]["conditions"][0]["message"].clone();
            seen.is_string()
        });
        stage.admin.must("DELETE", &path, Some(&json!({"gracePeriodSeconds": 0})));
        wait_for("the end of the pod", || !stage.admin.serves(&path));
        seen.as_str().is_some_and(|seen| seen.contains(message))
    });
}

fn replicas_of(controller: &Object) -> usize {
    controller.json["spec"]["replicas"].as_u64().and_then(|n| n.try_into().ok()).expect("a number")
}

/// Drains the node as kubectl does: evictions in any order, those that are refused again and again.
fn drain(stage: &Stage, leaving: &[String], before: &BTreeSet<String>, rng: &mut Rng) -> Drained {
    let mut left: Vec<String> = leaving.to_vec();
    rng.shuffle(&mut left);
    until_quiet(stage, || {
        let before = left.len();
        left.retain(|name| {
            let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}/eviction");
            let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction",
                "metadata": {"name": name, "namespace": NAMESPACE}});
            let (code, body) = stage.admin.send("POST", &path, Some(&eviction)).expect("an answer");
            assert!([201, 404, 429, 500].contains(&code), "{name}: {code} {body}");
            let gone = [201, 404].contains(&code);
            if gone && rng.bool() {
                sleep(Duration::from_millis(rng.u64(0..120)));
            }
            !gone
        });
        left.len() < before
    });
    Drained { refused: left.into_iter().collect(), places: new_places(stage, before) }
}

/// Goes on until nothing has changed for a while, neither by `act` nor in the cluster.
pub fn until_quiet(stage: &Stage, mut act: impl FnMut() -> bool) {
    let mut last_change = Instant::now();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    while last_change.elapsed() < QUIET {
        if act() {
            last_change = Instant::now();
        }
        let now: BTreeMap<String, String> = (pods_of(stage).iter())
            .map(|pod| (text(&pod["metadata"], "uid").to_owned(), state(pod)))
            .collect();
        if now != seen {
            last_change = Instant::now();
            seen = now;
        }
        sleep(Duration::from_millis(60));
    }
}

/// The app and node of each pod that is new.
fn new_places(stage: &Stage, before: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut places = Vec::new();
    for pod in pods_of(stage) {
        if !before.contains(text(&pod["metadata"], "uid")) {
            places.push((app_of(&pod), text(&pod["spec"], "nodeName").to_owned()));
        }
    }
    places
}

/// A node that dies: what `simulate --fail` says, and what the deletion of its object and its pods
/// comes to.
pub fn lost(plane: &Plane, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let scene = Scene { waiting: None, ..scene(&mut rng) };
    let stage = Stage::new(plane);
    build(plane, &stage, &scene);
    let uid = |pod: &Value| text(&pod["metadata"], "uid").to_owned();
    let all = pods_of(&stage);
    let before: BTreeSet<String> = all.iter().map(uid).collect();
    let (mut dying, others): (Vec<Value>, Vec<Value>) =
        all.into_iter().partition(|pod| text(&pod["spec"], "nodeName") == DRAINED);

    let said = ask(plane, &["simulate", "--fail", DRAINED, "-o", "json"]);
    let item = said.json()["items"][0].clone();

    // The scheduler has to know that the node is gone before it sees replacements.
    stage.admin.must("DELETE", &format!("/api/v1/nodes/{DRAINED}"), None);
    plane.scheduler.go_on();
    let left = format!("0/{} nodes are available", scene.nodes.len() - 1);
    wait_until_known(&stage, "loss", &left);
    rng.shuffle(&mut dying);
    until_quiet(&stage, || {
        let Some(pod) = dying.pop() else { return false };
        let path =
            format!("/api/v1/namespaces/{NAMESPACE}/pods/{}", text(&pod["metadata"], "name"));
        stage.admin.must("DELETE", &path, Some(&json!({"gracePeriodSeconds": 0})));
        if rng.bool() {
            sleep(Duration::from_millis(rng.u64(0..120)));
        }
        true
    });

    let places = new_places(&stage, &before);
    let here: BTreeSet<String> = pods_of(&stage).iter().map(uid).collect();
    let preempted: Vec<String> =
        others.iter().filter(|pod| !here.contains(&uid(pod))).map(app_of).collect();
    let pending = places.iter().filter(|(_, node)| node.is_empty()).map(|(app, _)| app.clone());
    let pending: Vec<String> = pending.collect();
    let context = format!("pending {pending:?}, preempted {preempted:?}: {said:?}");
    let open = in_range(&item, "pending", &pending, &context)
        + in_range(&item, "preempted", &preempted, &context);
    let is_survived = pending.is_empty() && item["gone"] == json!(0);
    match said.code {
        Some(0) => assert!(is_survived, "{context}"),
        Some(1) => assert!(!is_survived, "{context}"),
        Some(3) => assert!(open > 0, "{context}"),
        _ => panic!("{context}"),
    }
    let closeness = if open == 0 { CERTAIN } else { PARTLY_OPEN };
    vec![format!("exit {}: {closeness}", said.code.unwrap_or_default())]
}

/// Fails if the pods of an app are not as many as was said. Returns for how many apps that depends on
/// timing.
fn in_range(item: &Value, number: &str, pods: &[String], context: &str) -> usize {
    let mut open = 0;
    let workloads = item["workloads"].as_array().unwrap_or_else(|| panic!("{context}"));
    for app in APPS {
        let of = |end: &str| -> u64 {
            let rows = workloads.iter().filter(|row| app_of_name(text(row, "name")) == app);
            rows.map(|row| row[number][end].as_u64().expect("a number")).sum()
        };
        let (fewest, most) = (of("fewest"), of("most"));
        let seen = pods.iter().filter(|pod| *pod == app).count() as u64;
        assert!((fewest..=most).contains(&seen), "{number} of {app}: {seen}: {context}");
        open += usize::from(fewest < most);
    }
    open
}

/// What of a pod must not change any more.
fn state(pod: &Value) -> String {
    let is_ending = pod["metadata"]["deletionTimestamp"].is_string();
    format!("{} {} {is_ending}", text(&pod["spec"], "nodeName"), text(&pod["status"], "phase"))
}

fn names(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The app of a pod by its name: pods of an app are called after it, and so are their successors.
pub fn app_of_name(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('-').next().unwrap_or(name)
}

/// Where pods of each app may go, with the nodes of the orders that were tried alone, or with all.
fn told_places(item: &Value, all: bool) -> BTreeMap<String, BTreeSet<String>> {
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pod in item["pods"].as_array().into_iter().flatten() {
        let nodes = told.entry(app_of_name(text(pod, "name")).to_owned()).or_default();
        nodes.extend(names(&pod["nodes"]).map(str::to_owned));
        if all {
            nodes.extend(names(&pod["alsoPossible"]).map(str::to_owned));
        }
    }
    for pod in item["preempted"].as_array().into_iter().flatten() {
        let nodes = told.entry(app_of_name(text(pod, "name")).to_owned()).or_default();
        nodes.extend(names(&pod["nodes"]).map(str::to_owned));
        if all {
            nodes.extend(names(&pod["alsoPossible"]).map(str::to_owned));
        }
    }
    told
}

fn exactly_told(item: &Value, drained: &Drained) -> usize {
    let told = told_places(item, false);
    let is_told = |(app, node): &&(String, String)| {
        told.get(app.as_str()).is_some_and(|nodes| nodes.contains(node.as_str()))
    };
    drained.places.iter().filter(is_told).count()
}

fn moved_to_the_only_one(item: &Value, drained: &Drained) -> usize {
    let told = told_places(item, true);
    let is_only = |(app, node): &&(String, String)| {
        told.get(app.as_str()).is_some_and(|nodes| nodes.len() == 1 && nodes.contains(node))
    };
    drained.places.iter().filter(is_only).count()
}

/// What was said to be in the way, in all orders that were tried or in some only.
#[derive(Default)]
struct Told {
    /// Pods whose eviction is refused in all of them.
    refused: BTreeSet<String>,
    /// Pods whose eviction is refused in some of them.
    perhaps_refused: BTreeSet<String>,
    /// How many pods of an app get no node in all of them.
    homeless: BTreeMap<String, usize>,
    /// How many more get none in some of them.
    perhaps_homeless: BTreeMap<String, usize>,
}

impl Told {
    fn of(item: &Value) -> Self {
        let mut told = Self::default();
        for reason in item["reasons"].as_array().into_iter().flatten() {
            let is_certain = match text(reason, "holds") {
                "EveryOrder" | "OrdersTried" => true,
                "SomeOrders" => false,
                other => panic!("{other}: {item}"),
            };
            let pods = names(&reason["pods"]);
            match (text(reason, "name"), is_certain) {
                ("Budget" | "SeveralBudgets", true) => told.refused.extend(pods.map(own_name)),
                ("Budget" | "SeveralBudgets", false) => {
                    told.perhaps_refused.extend(pods.map(own_name));
                }
                ("NoNode", is_certain) => {
                    let counts =
                        if is_certain { &mut told.homeless } else { &mut told.perhaps_homeless };
                    for pod in pods {
                        *counts.entry(app_of_name(pod).to_owned()).or_default() += 1;
                    }
                }
                (other, _) => panic!("{other}: {item}"),
            }
        }
        told
    }

    /// Fails unless all that was said to be in the way in all orders was, and nothing that was not
    /// said at all. The replacements of pods in `told_apps` count, and others if `is_alone`: a pod
    /// that waited before preempts others, which the drain has nothing to do with.
    fn check(
        &self,
        drained: &Drained,
        told_apps: &BTreeSet<String>,
        is_alone: bool,
        context: &str,
    ) {
        let missing: Vec<&String> = self.refused.difference(&drained.refused).collect();
        assert!(missing.is_empty(), "said to be refused, and was not: {missing:?}: {context}");
        let may_be = &self.refused | &self.perhaps_refused;
        let untold: Vec<&String> = drained.refused.difference(&may_be).collect();
        assert!(untold.is_empty(), "refused, and not said to be: {untold:?}: {context}");

        let mut homeless: BTreeMap<&str, usize> = BTreeMap::new();
        for (app, _) in drained.places.iter().filter(|(_, node)| node.is_empty()) {
            *homeless.entry(app).or_default() += 1;
        }
        for app in APPS {
            let found = homeless.get(app).copied().unwrap_or_default();
            let least = self.homeless.get(app).copied().unwrap_or_default();
            let most = least + self.perhaps_homeless.get(app).copied().unwrap_or_default();
            assert!(found >= least, "{app}: {found} of {least} get no node: {context}");
            let counts = is_alone || told_apps.contains(app);
            assert!(found <= most || !counts, "{app}: {found} get no node, not {most}: {context}");
        }
    }
}

/// The name of a pod without its namespace.
fn own_name(full: &str) -> String {
    full.rsplit('/').next().unwrap_or(full).to_owned()
}

/// Fails if it is not as was said; else says how closely it was.
fn check(item: &Value, said: &Run, drained: &Drained, scene: &Scene) -> &'static str {
    let places = &drained.places;
    let context = format!("refused {:?}, places {places:?}\n{said:?}", drained.refused);
    let told = told_places(item, true);
    for (app, node) in places.iter().filter(|(_, node)| !node.is_empty()) {
        // A pod that waited before may preempt others, which the drain has nothing to do with.
        let beside = scene.waiting.is_some() && !told.contains_key(app.as_str());
        let is_told = told.get(app.as_str()).is_some_and(|nodes| nodes.contains(node));
        assert!(is_told || beside, "{app} went to {node}: {context}");
    }

    let told_apps = told.into_keys().collect();
    Told::of(item).check(drained, &told_apps, scene.waiting.is_none(), &context);
    match (text(item, "verdict"), said.code) {
        ("Can", Some(0)) | ("Cannot", Some(1)) => {}
        ("DependsOnTiming" | "DependsOnReadiness", Some(3)) => return OPEN,
        other => panic!("{other:?}: {context}"),
    }
    if text(item, "verdict") == "Cannot" {
        let is_empty =
            drained.refused.is_empty() && !places.iter().any(|(_, node)| node.is_empty());
        assert!(!is_empty, "it cannot be drained: {context}");
    }
    if item["dependsOnTiming"] == json!(true) { PARTLY_OPEN } else { CERTAIN }
}

/// Nothing was said to depend on timing.
const CERTAIN: &str = "all of it was said without a doubt, and was so";
/// The verdict was certain, and what is in the way depended on timing.
const PARTLY_OPEN: &str =
    "the verdict was said without a doubt, and what is in the way is among what was said";
/// The verdict depended on timing.
const OPEN: &str = "it was said to depend on timing, and came to something that was said";

/// Fails if too little was said without a doubt, of enough drains to tell.
pub fn mostly_certain(outcomes: &BTreeMap<String, u64>, count: u64) {
    let of = |which: &str| -> u64 {
        outcomes.iter().filter(|(line, _)| line.ends_with(which)).map(|(_, times)| times).sum()
    };
    let (certain, partly) = (of(CERTAIN), of(PARTLY_OPEN));
    println!(
        "e2e:   {certain} of {count} drains without a doubt, {partly} more with a certain verdict"
    );
    assert!(count < 20 || certain * 10 >= count * 7, "{certain} of {count} are certain");
}
