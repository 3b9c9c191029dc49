//! Who gets the room of a preemption where several pods wait: nobody whom the program has not named,
//! whether the scheduler preempts itself or the program does, with or without a nomination.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::uid;
use crate::objects::{NAMESPACE, Object, node, pod};
use crate::plane::Plane;
use crate::stage::{Stage, settle};
use crate::tool::run;

/// How often the pods are looked at, and how often they must be the same to be final. Backoffs last
/// up to ten seconds.
const PAUSE: Duration = Duration::from_millis(250);
const UNCHANGED: usize = 12;
/// How many looks there are at most.
const MOST: usize = 80;

/// Who makes the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Scheduler,
    Program,
    ProgramThatNominates,
}

/// One situation: who got the room.
pub fn one(plane: &Plane, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let by = [By::Scheduler, By::Program, By::ProgramThatNominates][rng.usize(0..3)];
    let stage = Stage::new(plane);
    build(&stage, &mut rng);
    settle();
    plane.scheduler.pause();
    let preemptor = stage.create(&waiting(&mut rng, "p", &["high", "middle"]));
    for i in 0..rng.u32(1..=5) {
        create_other(&stage, &mut rng, i);
    }

    // Asked while nothing moves, the program names who may take the room.
    let reader = plane.kubeconfig("reader");
    let foreseen = run(&reader, &["simulate", "p", "-n", NAMESPACE, "-o", "json"]).json();
    let plan = &foreseen["steps"][0]["plan"];
    let victims = plan["victims"].as_array().map_or(0, Vec::len);
    let nodes = foreseen["steps"][0]["nodes"].as_array().map_or(0, Vec::len);
    if victims == 0 || nodes != 1 {
        plane.scheduler.go_on();
        return vec![format!("{by:?}: no preemption on one node")];
    }
    let node = plan["node"].as_str().expect("a node").to_owned();
    let named: BTreeSet<String> = plan["competitors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|one| by != By::ProgramThatNominates || outlives_nomination(one))
        .map(|one| one["uid"].as_str().expect("a uid").to_owned())
        .collect();
    let before: BTreeSet<String> = on_node(&stage, &node);

    if by != By::Scheduler {
        let mut arguments =
            vec!["simulate", "p", "-n", NAMESPACE, "--apply", "--yes", "--force", "--wait=false"];
        arguments.push("--yes-despite-competitors");
        if by == By::ProgramThatNominates {
            arguments.push("--nominate");
        }
        let applied = run(&plane.kubeconfig("applier"), &arguments);
        assert_eq!(applied.code, Some(0), "{applied:?}\n{foreseen:#}");
    }
    plane.scheduler.go_on();
    wait_until_nothing_moves(&stage);

    let life = plane.kubelets.life(&preemptor);
    let takers: BTreeSet<String> = on_node(&stage, &node)
        .difference(&before)
        .filter(|uid| **uid != preemptor)
        .cloned()
        .collect();
    if life.node == node {
        return vec![format!("{by:?}: the pod has the room")];
    }
    // What the scheduler decides about pods before this one may change the plan.
    if !life.node.is_empty() || (by == By::Scheduler && !life.nominations.contains(&node)) {
        return vec![format!("{by:?}: another decision")];
    }
    if takers.is_empty() {
        return vec![format!("{by:?}: nobody has the room")];
    }
    assert!(
        takers.iter().any(|taker| named.contains(taker)),
        "{by:?}: {takers:?} took {node}, named: {named:?}\n{foreseen:#}"
    );
    vec![format!("{by:?}: a named competitor has the room")]
}

/// Whether a competitor is one although the preemptor is nominated.
fn outlives_nomination(competitor: &Value) -> bool {
    ["HigherPriority", "OtherScheduler"].iter().any(|reason| competitor["reason"] == *reason)
}

/// One or two nodes that are nearly full of pods of low priority.
fn build(stage: &Stage, rng: &mut Rng) {
    let mut objects = Vec::new();
    for n in 0..rng.u32(1..=2) {
        let name = format!("n{n}");
        objects.push(node(&name, "4"));
        for k in 0..rng.u32(2..=4) {
            objects.push(pod(&format!("run-{n}-{k}")).cpu("1").class("low").on(&name));
        }
    }
    stage.build(&objects);
}

fn waiting(rng: &mut Rng, name: &str, classes: &[&str]) -> Object {
    let cpu = ["1", "2", "3", "4"][rng.usize(0..4)];
    pod(name).cpu(cpu).class(classes[rng.usize(0..classes.len())])
}

/// Another pod that waits; some have gates, some are nominated.
fn create_other(stage: &Stage, rng: &mut Rng, number: u32) {
    let name = format!("other-{number}");
    let classes = ["middle", "high", "polite", "king", "queen"];
    let mut other = waiting(rng, &name, &classes);
    let kind = rng.u32(0..8);
    if kind == 0 {
        other = other.with("/spec/schedulingGates", json!([{"name": "example.com/gate"}]));
    }
    stage.create(&other);
    if kind == 1 {
        let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}/status");
        stage.admin.patch(&path, &json!({"status": {"nominatedNodeName": "n0"}}));
    }
}

fn pods(stage: &Stage) -> Vec<Value> {
    stage.admin.list(&format!("/api/v1/namespaces/{NAMESPACE}/pods"))
}

fn on_node(stage: &Stage, node: &str) -> BTreeSet<String> {
    pods(stage).iter().filter(|pod| pod["spec"]["nodeName"] == node).map(uid).collect()
}

/// Waits until every pod stays where it is.
fn wait_until_nothing_moves(stage: &Stage) {
    let (mut last, mut unchanged) = (Vec::new(), 0);
    for _ in 0..MOST {
        let now: Vec<(String, Value)> =
            pods(stage).iter().map(|pod| (uid(pod), pod["spec"]["nodeName"].clone())).collect();
        unchanged = if now == last { unchanged + 1 } else { 0 };
        if unchanged >= UNCHANGED {
            return;
        }
        last = now;
        sleep(PAUSE);
    }
}
