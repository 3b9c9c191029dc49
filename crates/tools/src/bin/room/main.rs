//! Has a running kube-scheduler judge `headroom` and `suggest` on generated clusters: `just oracle
//! 1.37.1`, then `cargo run --release -p kubectl-preempt-tools --bin room -- --oracle ORACLE --count
//! 400 --seed 7`.
//!
//! Of `headroom` every copy is put to the scheduler in turn, with the earlier ones bound where we
//! placed them: it has to take each copy on our node, and the one after the last nowhere. Of
//! `suggest` (`--of suggest`) the moves are: each replacement has to go where we say, and at the end
//! the pod itself.

#![allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a program of the developers, not a part of the product"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use engine::cluster::{Cluster, PodIx};
use engine::profile::Profile;
use engine::simulation::{headroom, suggest};
use jiff::Timestamp;
use serde_json::{Value, json};

#[expect(dead_code, reason = "the tests of recordings use more of it")]
#[path = "../../../../../tests/recorded/parity/compare.rs"]
mod compare;
#[path = "../../../../../tests/recorded/parity/extenders.rs"]
mod extenders;
#[path = "../../../../../tests/recorded/parity/groups.rs"]
mod groups;

mod full;

use compare::Case;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The most copies of a cluster that are put to the scheduler one after the other.
const MOST_COPIES: usize = 40;

/// Ends with 1 when the scheduler disagrees.
#[derive(Parser)]
struct Args {
    /// The oracle of the version that decides.
    #[arg(long)]
    oracle: PathBuf,
    /// Which command is judged.
    #[arg(long, value_enum, default_value = "headroom")]
    of: Judged,
    /// Clusters to generate, of each family.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Another seed makes other clusters.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The kinds of clusters; all mixed without it. `full` are clusters of our own, in which what is
    /// free would be enough in one piece; in those of `devices` pods have claims, too.
    #[arg(long)]
    family: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Judged {
    Headroom,
    Suggest,
}

/// What the scheduler has to say to one question.
#[derive(Clone)]
enum Expected {
    /// The pod fits on this node.
    FitsOn(String),
    /// It is chosen from these, and this node is one of them.
    Chosen(String),
    /// It fits nowhere.
    Nowhere,
}

/// One question to the scheduler.
struct Question {
    case: Value,
    expected: Expected,
}

/// The pod in question, its cluster and its scheduler.
struct Asked {
    cluster: Cluster,
    profile: Profile,
    pod: PodIx,
    now: Timestamp,
}

impl Asked {
    /// The pod `name`, with its namespace, of a case; `Err` is the reason why the case is skipped.
    fn read(case: &str, name: &str) -> Result<Result<Self, &'static str>> {
        let case = Case::read(case)?;
        let Some((namespace, name)) = name.split_once('/') else { return Ok(Err("a group")) };
        let cluster = case.load().map_err(anyhow::Error::msg)?;
        let Ok(profiles) = case.all_profiles() else {
            return Ok(Err("a configuration that is refused"));
        };
        let Some(pod) = cluster.find_pod(namespace, name) else { return Ok(Err("no pod")) };
        let scheduler = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
        let its = profiles.into_iter().find(|profile| profile.scheduler_name == scheduler);
        let Some(profile) = its else { return Ok(Err("another scheduler")) };
        if !profile.extenders.is_empty() {
            return Ok(Err("extenders"));
        }
        let now = case.now().map_err(anyhow::Error::msg)?;
        Ok(Ok(Self { cluster, profile, pod, now }))
    }
}

/// What came of one cluster.
#[derive(Default)]
struct Tally {
    clusters: usize,
    questions: usize,
    /// Clusters that nothing is said about, and why.
    skipped: BTreeMap<String, usize>,
    /// Questions whose answer an open order decides.
    open: usize,
    wrong: usize,
    one_by_one: usize,
    none: usize,
    /// Moves of pods with claims for devices.
    claimed_moves: usize,
}

impl Tally {
    fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.to_owned()).or_default() += 1;
    }
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut tally = Tally::default();
    let families: Vec<Option<&str>> = if args.family.is_empty() {
        vec![None]
    } else {
        args.family.iter().map(|family| Some(family.as_str())).collect()
    };
    // Each family is judged by itself, so that the questions of one are in memory at a time.
    for family in families {
        let text = match family {
            Some("full") => {
                full::cases(full::Kind::Resources, &version(&args.oracle), args.seed, args.count)
            }
            Some("devices") => {
                full::cases(full::Kind::Devices, &version(&args.oracle), args.seed, args.count)
            }
            family => generated(&args, family)?,
        };
        let mut questions = Vec::new();
        for line in text.lines() {
            match args.of {
                Judged::Headroom => headroom_of(line, &mut questions, &mut tally)?,
                Judged::Suggest => suggestion_for(line, &mut questions, &mut tally)?,
            }
        }
        judge(&args.oracle, questions, &mut tally)?;
    }
    let [some, none] = match args.of {
        Judged::Headroom => ["counted one by one", "with no room"],
        Judged::Suggest => ["with moves", "without"],
    };
    println!(
        "{} clusters ({} {some}, {} {none}), {} questions, {} open, {} wrong",
        tally.clusters, tally.one_by_one, tally.none, tally.questions, tally.open, tally.wrong
    );
    if tally.claimed_moves > 0 {
        println!("{} of the moves are of pods with claims for devices", tally.claimed_moves);
    }
    for (why, number) in &tally.skipped {
        println!("skipped {number}: {why}");
    }
    Ok(if tally.wrong == 0 && tally.questions > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The release of an oracle, by the folder in which it was built.
fn version(oracle: &Path) -> String {
    let folder = oracle.parent().and_then(Path::file_name);
    folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The clusters that the oracle generates.
fn generated(args: &Args, family: Option<&str>) -> Result<String> {
    let mut generate = Command::new(&args.oracle);
    generate.args(["generate", &format!("-seed={}", args.seed)]);
    generate.arg(format!("-count={}", args.count));
    generate.args(family.map(|family| format!("-family={family}")));
    let output = generate.output().context("cannot run the oracle")?;
    Ok(String::from_utf8(output.stdout)?)
}

/// The questions about one cluster: about the pod that waits, which often fits nowhere, and about one
/// that runs.
fn headroom_of(line: &str, questions: &mut Vec<Question>, tally: &mut Tally) -> Result<()> {
    let value: Value = serde_json::from_str(line)?;
    let mut pods = vec![value["pod"].as_str().unwrap_or_default().to_owned()];
    let items = value["cluster"]["items"].as_array();
    let running: Vec<&Value> =
        items.into_iter().flatten().filter(|object| is_running_pod(object)).collect();
    if let Some(other) = running.get(line.len() % running.len().max(1)) {
        let (namespace, name) = (&other["metadata"]["namespace"], &other["metadata"]["name"]);
        let namespace = namespace.as_str().unwrap_or("default");
        pods.push(format!("{namespace}/{}", name.as_str().unwrap_or_default()));
    }
    pods.iter().try_for_each(|pod| headroom_like(pod, &value, line, questions, tally))
}

fn is_running_pod(object: &Value) -> bool {
    object["kind"] == "Pod" && object["spec"]["nodeName"].is_string()
}

fn is_pod(object: &Value, namespace: &str, name: &str) -> bool {
    object["kind"] == "Pod"
        && object["metadata"]["name"] == name
        && object["metadata"]["namespace"].as_str().unwrap_or("default") == namespace
}

fn headroom_like(
    model: &str,
    value: &Value,
    line: &str,
    questions: &mut Vec<Question>,
    tally: &mut Tally,
) -> Result<()> {
    let Asked { cluster, profile, pod, now } = match Asked::read(line, model)? {
        Ok(asked) => asked,
        Err(why) => {
            tally.skip(why);
            return Ok(());
        }
    };
    let (namespace, name) = model.split_once('/').context("a name with its namespace")?;
    let room =
        headroom::assess(&cluster, pod, headroom::HeadroomSettings { profile: &profile, now });
    if let Some(why) = &room.unknown {
        let kind: String = why.chars().take(40).collect();
        tally.skip(&kind);
        return Ok(());
    }
    if room.is_unsure() {
        tally.skip("not certain");
        return Ok(());
    }
    let count = room.own().context("a row of its own priority")?.without_preemption;
    let one_by_one = count.method == headroom::CountMethod::OneByOne;

    let nodes: Vec<&str> = room.placed.iter().map(|node| cluster.node_name(*node)).collect();
    let objects = value["cluster"]["items"].as_array().cloned().unwrap_or_default();
    let model = objects.iter().find(|object| is_pod(object, namespace, name));
    let model = model.context("the pod")?.clone();
    // The clusters lack what a scheduler writes into claims when it binds a pod.
    let has_devices = objects.iter().any(|object| object["kind"] == "ResourceSlice");
    if is_claimed(&model) || has_devices {
        tally.skip("claims or devices");
        return Ok(());
    }
    tally.clusters += 1;
    tally.none += usize::from(count.number == 0);
    tally.one_by_one += usize::from(one_by_one);
    let mut bound: Vec<Value> = Vec::new();
    for at in 0..=nodes.len() {
        let last = at == nodes.len();
        if at < MOST_COPIES || last {
            let asks = copy(&model, at, None);
            let mut items = objects.clone();
            items.extend(bound.iter().cloned());
            items.push(asks.clone());
            let expected = match nodes.get(at) {
                Some(node) if one_by_one => Expected::Chosen((*node).to_owned()),
                Some(node) => Expected::FitsOn((*node).to_owned()),
                None => Expected::Nowhere,
            };
            // Whether there may be one more is not known where counting stopped.
            if !last || count.is_complete {
                let mut case = value.clone();
                case["id"] =
                    format!("{}/{name}/{at}", value["id"].as_str().unwrap_or_default()).into();
                case["pod"] =
                    format!("{namespace}/{}", asks["metadata"]["name"].as_str().unwrap()).into();
                case["cluster"] = json!({"apiVersion": "v1", "kind": "List", "items": items});
                questions.push(Question { case, expected });
            }
        }
        if let Some(node) = nodes.get(at) {
            bound.push(copy(&model, at, Some(node)));
        }
    }
    Ok(())
}

/// The questions about the moves that are suggested for the pod of one cluster, whose running pods
/// all get a controller.
fn suggestion_for(line: &str, questions: &mut Vec<Question>, tally: &mut Tally) -> Result<()> {
    let mut value: Value = serde_json::from_str(line)?;
    for object in value["cluster"]["items"].as_array_mut().into_iter().flatten() {
        let app = object["metadata"]["labels"]["app"].as_str().unwrap_or("app").to_owned();
        if is_running_pod(object) {
            object["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet",
                "name": app, "uid": format!("rs-{app}"), "controller": true}]);
        }
    }
    let owned = value.to_string();
    let full_name = value["pod"].as_str().unwrap_or_default().to_owned();
    let Asked { cluster, profile, pod: goal, now } = match Asked::read(&owned, &full_name)? {
        Ok(asked) => asked,
        Err(why) => {
            tally.skip(why);
            return Ok(());
        }
    };
    let found =
        suggest::for_pod(&cluster, goal, suggest::SuggestSettings { profile: &profile, now });
    tally.clusters += 1;
    if let Some(why) = &found.unknown {
        let kind: String = why.chars().take(40).collect();
        tally.skip(&kind);
        return Ok(());
    }
    if found.is_unsure() {
        tally.skip("not certain");
        return Ok(());
    }
    let Some(plan) = &found.moves else {
        tally.none += 1;
        return Ok(());
    };
    tally.one_by_one += 1;
    let mut objects = value["cluster"]["items"].as_array().cloned().unwrap_or_default();
    cordon(&mut objects, &plan.freed, true);
    for (at, step) in plan.moves.iter().enumerate() {
        cordon(&mut objects, &step.from, true);
        let (namespace, name) = (&step.pod.namespace, &step.pod.name);
        let moved = objects.iter_mut().find(|object| is_pod(object, namespace, name));
        let moved = moved.context("the pod that moves")?;
        if has_volumes(moved) || (is_claimed(moved) && !has_own_claim(moved)) {
            tally.skip("a pod with claims moves");
            return Ok(());
        }
        tally.claimed_moves += usize::from(is_claimed(moved));
        let claim = own_claim(moved);
        let claims = moved["status"]["resourceClaimStatuses"].clone();
        moved["spec"].as_object_mut().expect("a spec").remove("nodeName");
        moved["status"] = json!({"phase": "Pending", "resourceClaimStatuses": claims});
        // The claim is deleted with the pod, and a new one is created that has no devices yet.
        for object in objects.iter_mut().filter(|object| is_claim(object, claim.as_deref())) {
            object.as_object_mut().expect("an object").remove("status");
        }
        let pod = format!("{namespace}/{name}");
        questions.push(move_question(&value, &objects, at, pod, &step.to));
        let moved = objects.iter_mut().find(|object| is_pod(object, namespace, name));
        let moved = moved.context("the pod that moves")?;
        moved["spec"]["nodeName"] = step.to.as_str().into();
        moved["status"] = json!({"phase": "Running", "startTime": "2025-12-31T00:00:00Z",
            "resourceClaimStatuses": claims});
        let moved = moved.clone();
        allocate(&mut objects, &moved, claim.as_deref(), &step.to);
        if step.from != plan.freed {
            cordon(&mut objects, &step.from, is_cordoned(&cluster, &step.from));
        }
    }
    cordon(&mut objects, &plan.freed, is_cordoned(&cluster, &plan.freed));
    questions.push(move_question(&value, &objects, plan.moves.len(), full_name, &plan.node));
    Ok(())
}

/// Whether a node is cordoned in the cluster as it was generated.
fn is_cordoned(cluster: &Cluster, name: &str) -> bool {
    cluster.find_node(name).is_some_and(|node| cluster.node(node).unschedulable)
}

fn cordon(objects: &mut [Value], name: &str, cordoned: bool) {
    for object in objects {
        if object["kind"] == "Node" && object["metadata"]["name"] == name {
            object["spec"]["unschedulable"] = cordoned.into();
        }
    }
}

/// The question whether `pod` goes to `node` after the moves before that with the number `at`.
fn move_question(value: &Value, objects: &[Value], at: usize, pod: String, node: &str) -> Question {
    let mut case = value.clone();
    case["id"] = format!("{}/move-{at}", value["id"].as_str().unwrap_or_default()).into();
    case["pod"] = pod.into();
    case["cluster"] = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    Question { case, expected: Expected::Chosen(node.to_owned()) }
}

/// Whether a pod uses claims of volumes or devices.
fn is_claimed(pod: &Value) -> bool {
    has_volumes(pod) || pod["spec"]["resourceClaims"].is_array()
}

fn has_volumes(pod: &Value) -> bool {
    let volumes = pod["spec"]["volumes"].as_array();
    volumes.into_iter().flatten().any(|volume| {
        volume["persistentVolumeClaim"].is_object() || volume["ephemeral"].is_object()
    })
}

/// Whether a pod has one claim for devices that only it uses, as in our generated clusters with
/// identical devices.
fn has_own_claim(pod: &Value) -> bool {
    let claims = pod["spec"]["resourceClaims"].as_array();
    claims
        .is_some_and(|claims| claims.len() == 1 && claims[0]["resourceClaimTemplateName"] == "gpu")
}

/// The name of that claim.
fn own_claim(pod: &Value) -> Option<String> {
    let claim = pod["status"]["resourceClaimStatuses"][0]["resourceClaimName"].as_str();
    claim.map(str::to_owned)
}

fn is_claim(object: &Value, name: Option<&str>) -> bool {
    object["kind"] == "ResourceClaim"
        && name.is_some_and(|name| object["metadata"]["name"].as_str() == Some(name))
}

/// Gives the claim of a pod the first free devices of its node. Which ones makes no difference, as
/// all are alike.
fn allocate(objects: &mut [Value], pod: &Value, claim: Option<&str>, node: &str) {
    let on_node =
        |object: &&Value| object["kind"] == "ResourceSlice" && object["spec"]["nodeName"] == node;
    let slices = objects.iter().filter(on_node);
    let mut free: Vec<String> = slices
        .flat_map(|slice| slice["spec"]["devices"].as_array().cloned().unwrap_or_default())
        .filter_map(|device| Some(device["name"].as_str()?.to_owned()))
        .collect();
    for other in objects.iter() {
        for got in
            other["status"]["allocation"]["devices"]["results"].as_array().into_iter().flatten()
        {
            free.retain(|device| got["pool"] != node || got["device"] != device.as_str());
        }
    }
    for object in objects.iter_mut().filter(|object| is_claim(object, claim)) {
        let wanted = object["spec"]["devices"]["requests"][0]["exactly"]["count"].as_u64();
        free.truncate(wanted.unwrap_or(1) as usize);
        object["status"] = full::allocation(pod, node, &free);
    }
}

/// A copy of a pod, which waits or is on a node.
fn copy(model: &Value, number: usize, node: Option<&str>) -> Value {
    let mut pod = model.clone();
    let name = format!("{}-more-{number}", model["metadata"]["name"].as_str().unwrap_or_default());
    pod["metadata"]["name"] = name.as_str().into();
    pod["metadata"]["uid"] = format!("uid-{name}").into();
    pod["status"] = json!({"phase": "Pending"});
    let metadata = pod["metadata"].as_object_mut().expect("metadata");
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "finalizers"] {
        metadata.remove(field);
    }
    let spec = pod["spec"].as_object_mut().expect("a spec");
    spec.remove("schedulingGates");
    spec.remove("nodeName");
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
        pod["status"] = json!({"phase": "Running", "startTime": "2025-12-31T00:00:00Z"});
    }
    pod
}

fn is_given(answer: &Value, field: &str) -> bool {
    answer[field].as_str().is_some_and(|text| !text.is_empty())
}

fn names(nodes: &Value, node: &str) -> bool {
    nodes.as_array().is_some_and(|nodes| nodes.iter().any(|name| name == node))
}

/// Puts questions to the scheduler, and compares its answers.
fn judge(oracle: &Path, questions: Vec<Question>, tally: &mut Tally) -> Result<()> {
    let mut child = Command::new(oracle)
        .args(["decide", "-runs=2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("no input")?;
    let output = child.stdout.take().context("no output")?;
    let mut expected: BTreeMap<String, Expected> = BTreeMap::new();
    let mut lines = Vec::with_capacity(questions.len());
    for question in questions {
        let id = question.case["id"].as_str().unwrap_or_default().to_owned();
        lines.push(question.case.to_string());
        expected.insert(id, question.expected);
    }
    // The oracle answers while it reads: without a thread, both would wait for each other.
    let writer = std::thread::spawn(move || -> std::io::Result<()> {
        for line in lines {
            writeln!(input, "{line}")?;
        }
        Ok(())
    });
    for line in BufReader::new(output).lines() {
        let answer: Value = serde_json::from_str(&line?)?;
        let id = answer["id"].as_str().unwrap_or_default().to_owned();
        let Some(expected) = expected.remove(&id) else { continue };
        tally.questions += 1;
        if is_given(&answer, "failed") {
            tally.skip(&format!("failed: {}", answer["failed"]));
            continue;
        }
        let decided = &answer["expect"];
        let outcome = decided["outcome"].as_str().unwrap_or_default();
        let agrees = match &expected {
            Expected::Nowhere => outcome != "Schedulable",
            Expected::FitsOn(node) => outcome == "Schedulable" && names(&decided["feasible"], node),
            Expected::Chosen(node) => {
                let sampled = !decided["sampled"].is_null();
                outcome == "Schedulable"
                    && names(&decided["feasible"], node)
                    && (sampled
                        || decided["selected"].is_null()
                        || names(&decided["selected"], node))
            }
        };
        if agrees {
            continue;
        }
        // The order in which pods are tried decides, and upstream leaves it open.
        if is_given(&answer, "unspecified") {
            tally.open += 1;
            continue;
        }
        tally.wrong += 1;
        let wanted = match &expected {
            Expected::Nowhere => "fits nowhere".to_owned(),
            Expected::FitsOn(node) => format!("fits on {node}"),
            Expected::Chosen(node) => format!("goes to {node}"),
        };
        println!("{id}: we say it {wanted}, the scheduler: {outcome} {}", decided["selected"]);
    }
    writer.join().expect("the writer")?;
    child.wait()?;
    for id in expected.keys().take(3) {
        println!("{id}: no answer");
    }
    tally.wrong += expected.len();
    Ok(())
}
