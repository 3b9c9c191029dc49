//! Random changes of workloads: what `simulate -f` says of a change, and what its controllers and the
//! scheduler make of it once it is applied. As many pods of each app end Pending, are preempted, and
//! run with the old and with the new template as was said.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::drains::{
    ZONE, app_of, app_of_name, app_pod, chance, pods_of, text, until_quiet, wait_until_known,
};
use crate::objects::{NAMESPACE, Object, job, node, replicas, workload};
use crate::plane::Plane;
use crate::stage::Stage;
use crate::tool::{Run, run};

const APPS: [&str; 4] = ["cache", "db", "mail", "web"];
/// How long a pod takes to end: the scheduler decides about new pods before.
const LINGER: Duration = Duration::from_millis(600);
/// How long it is waited for a Job that makes no pods for a while, because some of its pods have been
/// preempted: 10 s after the first, and twice as long after each further one.
const LONGEST_BACKOFF: Duration = Duration::from_secs(90);
/// The image of the pods before the change.
const OLD: &str = "none";

/// What a manifest changes, and how the same is said to the API server.
struct Change {
    object: Object,
    patch: Value,
}

/// How many pods of an app there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Numbers {
    pending: i64,
    preempted: i64,
    /// Those that ran before the change and still do.
    old: i64,
    new: i64,
}

/// A random change of a random cluster: what was said, and whether it was so.
pub fn one(plane: &Plane, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let stage = Stage::new(plane);
    let objects = build(&stage, &mut rng);
    let before = pods_of(&stage);
    let ended = preempted(plane);

    let changes = changes(&objects, &mut rng);
    let path = plane.folder().join(format!("change-{seed}.json"));
    let items: Vec<&Value> = changes.iter().map(|change| &change.object.json).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    std::fs::write(&path, list.to_string()).expect("a file");
    let file = path.to_str().expect("UTF-8");
    let said = run(&plane.kubeconfig("reader"), &["simulate", "-f", file, "-o", "json"]);
    let answer = said.json();

    plane.kubelets.linger(LINGER);
    for Change { object, patch } in &changes {
        let path = format!("{}/{}", object.path, object.name());
        if stage.admin.serves(&path) {
            stage.admin.patch(&path, patch);
        } else {
            stage.create(object);
        }
    }
    let until = Instant::now() + LONGEST_BACKOFF;
    until_quiet(&stage, || Instant::now() < until && any_job_is_short(&stage));

    let found = found(plane, &stage, &before, &ended);
    compare(&answer, &said, &before, &found, &items)
}

/// Whether a Job has fewer pods than it wants.
fn any_job_is_short(stage: &Stage) -> bool {
    let jobs = stage.admin.list(&format!("/apis/batch/v1/namespaces/{NAMESPACE}/jobs"));
    let pods = pods_of(stage);
    jobs.iter().any(|job| {
        let name = text(&job["metadata"], "name");
        let ends = |pod: &&Value| !pod["metadata"]["deletionTimestamp"].is_null();
        let own = pods.iter().filter(|pod| app_of(pod) == name && !ends(pod)).count();
        job["spec"]["parallelism"].as_u64().is_some_and(|wanted| (own as u64) < wanted)
    })
}

/// Nodes, and workloads that have come to rest on them.
fn build(stage: &Stage, rng: &mut Rng) -> Vec<Object> {
    let count = rng.usize(3..=6);
    let mut nodes = Vec::new();
    for n in 0..count {
        let zone = if rng.bool() { "east" } else { "west" };
        let made = node(&format!("n{n}"), &format!("{}m", rng.u32(2..=5) * 1000)).label(ZONE, zone);
        nodes.push(if n > 0 && chance(rng, 10) { made.taint("gpu") } else { made });
    }
    stage.build(&nodes);
    wait_until_known(stage, "nodes", &format!("0/{count} nodes are available"));

    let mut objects = Vec::new();
    for app in APPS {
        if objects.is_empty() || !chance(rng, 4) {
            objects.push(any_workload(rng, app));
        }
    }
    stage.build(&objects);
    until_quiet(stage, || false);
    if chance(rng, 5) {
        return objects;
    }
    // Mostly nothing waits before the change: what has no node is not wanted.
    let waiting: Vec<String> = (pods_of(stage).iter())
        .filter(|pod| text(&pod["spec"], "nodeName").is_empty())
        .map(app_of)
        .collect();
    for object in &mut objects {
        let waits = waiting.iter().filter(|app| *app == object.name()).count();
        let field = if object.json["kind"] == "Job" { "parallelism" } else { "replicas" };
        let Some(wanted) = object.json["spec"][field].as_u64().filter(|_| waits > 0) else {
            continue;
        };
        let path = format!("{}/{}", object.path, object.name());
        // A StatefulSet that waits for one pod has not made the later ones.
        let made = pods_of(stage).iter().filter(|pod| app_of(pod) == object.name()).count();
        let left = (made as u64 - waits as u64).min(wanted);
        object.json["spec"][field] = json!(left);
        stage.admin.patch(&path, &json!({"spec": {field: left}}));
    }
    if !waiting.is_empty() {
        until_quiet(stage, || false);
    }
    objects
}

fn any_workload(rng: &mut Rng, app: &str) -> Object {
    let like = app_pod(rng, app).with("/spec/containers/0/image", json!(OLD));
    let count = rng.usize(1..=5);
    match rng.u32(0..10) {
        0..=4 => strategy(rng, workload("Deployment", app, count, &like)),
        5 | 6 => {
            let set = workload("StatefulSet", app, count, &like);
            if rng.bool() { set.with("/spec/podManagementPolicy", json!("Parallel")) } else { set }
        }
        7 => workload("DaemonSet", app, 0, &like),
        8 => job(app, count, &like),
        _ => replicas(app, count, &like).with("/metadata/namespace", json!(NAMESPACE)),
    }
}

/// The Deployment with a random strategy.
fn strategy(rng: &mut Rng, deployment: Object) -> Object {
    let numbers = [json!(0), json!(1), json!(2), json!("25%"), json!("50%"), json!("100%")];
    let surge = rng.usize(0..numbers.len());
    let unavailable =
        if surge == 0 { rng.usize(1..numbers.len()) } else { rng.usize(0..numbers.len()) };
    let strategy = match rng.u32(0..5) {
        0 => json!({"type": "Recreate"}),
        1 => return deployment,
        _ => json!({"type": "RollingUpdate", "rollingUpdate": {
            "maxSurge": numbers[surge], "maxUnavailable": numbers[unavailable]}}),
    };
    deployment.with("/spec/strategy", strategy)
}

/// One or two of the workloads changed, or a new one.
fn changes(objects: &[Object], rng: &mut Rng) -> Vec<Change> {
    let mut left: Vec<&Object> = objects.iter().collect();
    let mut changes = Vec::new();
    for _ in 0..if chance(rng, 5) { 2 } else { 1 } {
        if left.is_empty() {
            break;
        }
        changes.push(changed(left.swap_remove(rng.usize(0..left.len())), rng));
    }
    if chance(rng, 6) {
        let object = any_workload(rng, "new");
        changes.push(Change { patch: json!({}), object });
    }
    changes
}

fn changed(object: &Object, rng: &mut Rng) -> Change {
    let mut object = object.clone();
    let kind = text(&object.json, "kind").to_owned();
    if kind == "Job" {
        object = object.with("/spec/parallelism", json!(rng.usize(0..=6)));
        let patch = json!({"spec": {"parallelism": object.json["spec"]["parallelism"]}});
        return Change { object, patch };
    }
    let of_pods = "/spec/template/spec";
    if chance(rng, 2) {
        object = object.with(&format!("{of_pods}/containers/0/image"), json!("other"));
    }
    if chance(rng, 3) {
        let amount = format!("{}m", rng.u32(1..=8) * 250);
        object =
            object.with(&format!("{of_pods}/containers/0/resources/requests/cpu"), json!(amount));
    }
    if chance(rng, 8) {
        let class = ["low", "middle", "high"][rng.usize(0..3)];
        object = object.with(&format!("{of_pods}/priorityClassName"), json!(class));
    }
    if chance(rng, 8) {
        let zone = if rng.bool() { "east" } else { "west" };
        object = object.with(&format!("{of_pods}/nodeSelector"), json!({ZONE: zone}));
    }
    if kind != "DaemonSet" && chance(rng, 3) {
        object = object.with("/spec/replicas", json!(rng.usize(0..=6)));
    }
    match kind.as_str() {
        "Deployment" if chance(rng, 4) => object = strategy(rng, object),
        "StatefulSet" if chance(rng, 3) => {
            let partition = json!({"rollingUpdate": {"partition": rng.usize(0..=4)}});
            object = object.with("/spec/updateStrategy", partition);
        }
        "DaemonSet" if chance(rng, 2) => {
            let rolling = match rng.u32(0..3) {
                0 => json!({"maxSurge": 1, "maxUnavailable": 0}),
                1 => json!({"maxUnavailable": 2}),
                _ => json!({"maxUnavailable": "50%"}),
            };
            object = object.with("/spec/updateStrategy", json!({"rollingUpdate": rolling}));
        }
        _ => {}
    }
    let mut patch = json!({"spec": object.json["spec"]});
    if patch["spec"]["strategy"]["type"] == "Recreate" {
        patch["spec"]["strategy"]["rollingUpdate"] = Value::Null;
    }
    Change { object, patch }
}

fn uid(pod: &Value) -> String {
    text(&pod["metadata"], "uid").to_owned()
}

fn has_node(pod: &Value) -> bool {
    !text(&pod["spec"], "nodeName").is_empty()
}

/// The uids of the pods that were preempted so far, with their names.
fn preempted(plane: &Plane) -> BTreeMap<String, String> {
    let lives = plane.kubelets.lives().into_iter();
    let of_scheduler =
        lives.filter(|(_, life)| life.disrupted.as_deref() == Some("PreemptionByScheduler"));
    of_scheduler.map(|(uid, life)| (uid, life.name)).collect()
}

/// What the change came to, by app. Pods that waited before and still do are left out.
fn found(
    plane: &Plane,
    stage: &Stage,
    before: &[Value],
    ended: &BTreeMap<String, String>,
) -> BTreeMap<String, Numbers> {
    let ran: BTreeMap<String, bool> = before.iter().map(|pod| (uid(pod), has_node(pod))).collect();
    let mut found: BTreeMap<String, Numbers> = BTreeMap::new();
    for pod in pods_of(stage) {
        let numbers = found.entry(app_of(&pod)).or_default();
        match (text(&pod["spec"], "nodeName").is_empty(), ran.get(&uid(&pod))) {
            (true, None) => numbers.pending += 1,
            (false, Some(true)) => numbers.old += 1,
            (false, None) => numbers.new += 1,
            (true, Some(_)) | (false, Some(false)) => {}
        }
    }
    for (uid, name) in preempted(plane) {
        if !ended.contains_key(&uid) {
            found.entry(app_of_name(&name).to_owned()).or_default().preempted += 1;
        }
    }
    found
}

/// What was said, by app.
fn told(answer: &Value, before: &[Value]) -> BTreeMap<String, Numbers> {
    let mut told: BTreeMap<String, Numbers> = BTreeMap::new();
    // Those that waited do not count as old ones.
    let ran: BTreeSet<String> = before.iter().filter(|pod| has_node(pod)).map(uid).collect();
    for pod in before.iter().filter(|pod| has_node(pod)) {
        told.entry(app_of(pod)).or_default().old += 1;
    }
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for change in list(&answer["changes"]) {
        let app = text(&change, "name").to_owned();
        for pod in list(&change["removed"]) {
            let was_there = ran.contains(text(&pod, "uid"));
            told.entry(app.clone()).or_default().old -= i64::from(was_there);
        }
    }
    let mut victims: BTreeSet<(String, String)> = BTreeSet::new();
    let mut decided: BTreeSet<String> = BTreeSet::new();
    for step in list(&answer["steps"]).iter().chain(&list(&answer["cascade"])) {
        decided.insert(text(&step["pod"], "name").to_owned());
        let app = app_of_name(text(&step["pod"], "name")).to_owned();
        let numbers = told.entry(app).or_default();
        if ["Impossible", "Unknown"].contains(&text(step, "outcome")) {
            numbers.pending += 1;
        } else {
            numbers.new += 1;
        }
        for victim in list(&step["plan"]["victims"]) {
            // Its controller has deleted it before.
            if victim["terminating"] == true {
                continue;
            }
            let name = text(&victim, "name");
            victims.insert((name.to_owned(), text(&victim, "uid").to_owned()));
        }
    }
    for (name, uid) in victims {
        let numbers = told.entry(app_of_name(&name).to_owned()).or_default();
        numbers.preempted += 1;
        numbers.new -= i64::from(uid.is_empty() && decided.contains(&name));
        numbers.old -= i64::from(ran.contains(&uid));
    }
    told
}

/// A pod before the change, in a line.
fn in_short(pod: &Value) -> String {
    let spec = &pod["spec"];
    let requests = &spec["containers"][0]["resources"]["requests"]["cpu"];
    let (name, node) = (text(&pod["metadata"], "name"), text(spec, "nodeName"));
    format!(
        "before {name} on {node}: {requests} priority {} {}",
        spec["priority"], spec["nodeSelector"]
    )
}

/// Fails if it is not as was said; else says how closely it was.
fn compare(
    answer: &Value,
    said: &Run,
    before: &[Value],
    found: &BTreeMap<String, Numbers>,
    items: &[&Value],
) -> Vec<String> {
    let told = told(answer, before);
    let ranges = ranges(answer);
    let apps: BTreeSet<&String> = told.keys().chain(found.keys()).collect();
    let (mut wrong, mut outside) = (Vec::new(), Vec::new());
    for app in apps {
        let of =
            |numbers: &BTreeMap<String, Numbers>| numbers.get(app).copied().unwrap_or_default();
        let (mut told, mut found) = (of(&told), of(found));
        let [pending, preempted] = ranges.get(app).copied().unwrap_or_default();
        // A Job waits longer and longer until it makes a pod again that was preempted.
        let is_job = before.iter().any(|pod| {
            app_of(pod) == *app && text(&pod["metadata"]["ownerReferences"][0], "kind") == "Job"
        });
        if is_job && found.preempted > 0 {
            (told.new, told.pending) = (0, pending.0);
            (found.new, found.pending) = (0, pending.0);
        }
        if told != found {
            wrong.push(format!("{app}: told {told:?}, found {found:?}"));
        }
        let is_in = |(fewest, most): (i64, i64), number| (fewest..=most).contains(&number);
        if !is_in(pending, found.pending) || !is_in(preempted, found.preempted) {
            outside.push(format!(
                "{app}: said {pending:?} pending, {preempted:?} preempted: {found:?}"
            ));
        }
    }
    let code = said.code.unwrap_or_default();
    let context = || {
        let mut lines = [&wrong[..], &outside].concat();
        lines.extend(items.iter().map(|item| format!("apply {item}")));
        lines.extend(before.iter().map(in_short));
        for field in ["changes", "steps", "cascade", "notes"] {
            let list = answer[field].as_array().into_iter().flatten();
            lines.extend(list.map(|item| format!("{field} {item}")));
        }
        format!("exit {code}: {}\n", lines.join("\n"))
    };
    assert!(outside.is_empty(), "{}", context());
    // Pods of the change itself decide the exit code, and not those that they preempt.
    let is_pending = items.iter().any(|item| {
        let numbers = found.get(text(&item["metadata"], "name")).copied().unwrap_or_default();
        numbers.pending > numbers.preempted
    });
    assert!([0, 1, 3].contains(&code) && !(code == 0 && is_pending), "{}", context());
    // Where no order makes a difference, the one that is shown is what happens.
    let is_open = ranges.values().flatten().any(|(fewest, most)| fewest < most);
    assert!(wrong.is_empty() || is_open || code == 3, "{}", context());
    let closeness = match (wrong.is_empty(), is_open || code == 3) {
        (true, false) => CERTAIN,
        (true, true) => "it was said to depend on the order, and came to what was shown",
        (false, _) => "it was said to depend on the order, and came to something that was said",
    };
    vec![format!("exit {code}: {closeness}")]
}

/// Nothing was said to depend on the order.
const CERTAIN: &str = "all of it was said without a doubt, and was so";

/// How many pods of each app end Pending and are preempted, as was said.
fn ranges(answer: &Value) -> BTreeMap<String, [(i64, i64); 2]> {
    let mut ranges: BTreeMap<String, [(i64, i64); 2]> = BTreeMap::new();
    for workload in answer["orders"]["workloads"].as_array().into_iter().flatten() {
        let app = app_of_name(text(workload, "name")).to_owned();
        let ends = ranges.entry(app).or_default();
        for (range, field) in ends.iter_mut().zip(["pending", "preempted"]) {
            let end = |end: &str| workload[field][end].as_i64().expect("a number");
            *range = (range.0 + end("fewest"), range.1 + end("most"));
        }
    }
    // Of equally important pods it is said that others may be preempted.
    let both = ["steps", "cascade"].map(|list| answer[list].as_array().into_iter().flatten());
    for victims in both.into_iter().flatten().map(|step| &step["openVictims"]) {
        let most = victims["most"].as_i64().unwrap_or_default();
        for pod in victims["pods"].as_array().into_iter().flatten() {
            let ends = ranges.entry(app_of_name(text(pod, "name")).to_owned()).or_default();
            *ends = ends.map(|(fewest, end)| (fewest - most, end + most));
        }
    }
    ranges
}

/// `--dry-run=server`: what the API server refuses is refused in its words, nothing is stored, and who
/// may not ask is told so.
pub fn checked(plane: &Plane) {
    let stage = Stage::new(plane);
    stage.build(&[node("n0", "4")]);
    let web = workload("Deployment", "web", 1, &crate::objects::pod("web").label("app", "web"));
    let path = plane.folder().join("checked.json");
    let ask = |user: &str, object: &Value| {
        std::fs::write(&path, object.to_string()).expect("a file");
        let file = path.to_str().expect("UTF-8");
        run(&plane.kubeconfig(user), &["simulate", "-f", file, "--dry-run=server"])
    };
    let said = ask("admin", &web.json);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("was not asked"), "{said:?}");
    assert!(!stage.admin.serves(&format!("{}/web", web.path)), "a dry run stores nothing");

    // Only the server knows these rules.
    let policy = web.clone().with("/spec/template/spec/dnsPolicy", json!("Sometimes"));
    let said = ask("admin", &policy.json);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("the API server refuses it")
            && said.err.contains("Unsupported value: \"Sometimes\""),
        "{said:?}"
    );
    let mut unknown = web.clone();
    unknown.json["apiVersion"] = json!("example.com/v1");
    unknown.json["kind"] = json!("Gadget");
    let said = ask("admin", &unknown.json);
    assert!(said.code == Some(2) && said.err.contains("no matches for kind"), "{said:?}");

    // kubectl takes the fields away that only another strategy has; the server's own apply does not.
    stage.create(&web);
    let recreate = web.clone().with("/spec/strategy", json!({"type": "Recreate"}));
    let said = ask("admin", &recreate.json);
    let kept = "a server-side apply is refused, which keeps fields that kubectl apply may remove";
    assert!(said.code == Some(0) && said.out.contains(kept), "{said:?}");

    let said = ask("reader", &web.json);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains(
            "the API server was not asked about Deployment web: you may not patch deployments"
        ),
        "{said:?}"
    );
}

/// Fails if too little was said without a doubt, of enough changes to tell.
pub fn mostly_certain(outcomes: &BTreeMap<String, u64>, count: u64) {
    let certain = outcomes.iter().filter(|(line, _)| line.ends_with(CERTAIN));
    let certain: u64 = certain.map(|(_, times)| times).sum();
    println!("e2e:   {certain} of {count} changes without a doubt");
    assert!(count < 20 || certain * 10 >= count * 6, "{certain} of {count} are certain");
}
