//! When nothing goes wrong: both modes, and everything that makes it refuse.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{APPLIED, EVICTION, Expected, Scene, is_leaving, text, uid, web_pods};
use crate::objects::{NAMESPACE, budget};
use crate::plane::{Plane, wait_for};
use crate::proxy::{Fault, Seen};
use crate::tool::run;

/// Nothing was done.
const REFUSED: Expected<'static> =
    Expected { code: 2, outcome: "Refused", victims: ["NotStarted", "NotStarted"] };

fn reasons(plane: &Plane, scene: &Scene) -> Vec<Option<String>> {
    scene.victims.iter().map(|uid| plane.kubelets.life(uid).disrupted).collect()
}

pub fn evict(plane: &Plane) {
    let scene = Scene::new(plane);
    let result = scene.expect(&scene.apply(plane, &[]), &APPLIED);
    assert_eq!(result["user"]["name"], "evictor");
    assert_eq!(result["cluster"]["version"], format!("v{}", plane.release.version));
    assert_eq!(scene.proxy.count("POST", EVICTION), 2);
    assert_eq!(
        reasons(plane, &scene),
        [Some("EvictionByEvictionAPI".to_owned()), Some("EvictionByEvictionAPI".to_owned())]
    );
    // Their controller has made others, and there is no room for them.
    assert!(web_pods(&scene.stage).iter().all(|pod| pod["spec"]["nodeName"].is_null()));
}

pub fn delete(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.user = "applier";
    scene.expect(&scene.apply(plane, &["--mode=delete"]), &APPLIED);
    assert_eq!(
        (scene.proxy.count("DELETE", "/pods/"), scene.proxy.count("POST", EVICTION)),
        (2, 0)
    );
    assert_eq!(
        reasons(plane, &scene),
        [Some("PreemptionByScheduler".to_owned()), Some("PreemptionByScheduler".to_owned())]
    );
}

pub fn nominate(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.user = "applier";
    let result = scene.expect(&scene.apply(plane, &["--nominate"]), &APPLIED);
    assert_eq!(result["nomination"]["state"], "Set");
    assert_eq!(
        plane.kubelets.life(&scene.preemptor).nominations.first().map(String::as_str),
        Some("n1")
    );
    let writes: Vec<_> = scene.proxy.seen().into_iter().filter(Seen::is_write).collect();
    assert!(writes[0].target.contains("/pods/p/status"), "{writes:?}");
}

/// Victims that take longer than one wants to wait.
pub fn slow_victims(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.victims_end = false;
    let run = scene.apply_in(plane, 25);
    let result = scene.expect(
        &run,
        &Expected { code: 4, outcome: "Stopped", victims: ["Terminating", "Terminating"] },
    );
    assert_eq!(result["landing"]["state"], "Waiting", "{run:?}");
}

/// One need not wait.
pub fn no_waiting(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.victims_end = false;
    let result = scene.apply(plane, &["--wait=false"]).json();
    assert_eq!(
        (&result["exitCode"], &result["landing"]["state"]),
        (&json!(0), &json!("NotAwaited")),
        "{result:#}"
    );
    assert!(scene.victims.iter().all(|uid| is_leaving(plane, uid)));
}

/// The scheduler has done the same already: nothing is sent, and the pod gets its node once the
/// victims are gone.
pub fn scheduler_was_first(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.victims_end = false;
    scene.others.clone_from(&scene.victims);
    plane.scheduler.go_on();
    wait_for("the scheduler", || scene.victims.iter().all(|uid| is_leaving(plane, uid)));
    let run = scene.apply_in(plane, 20);
    assert_eq!(
        (run.code, &run.json()["outcome"]),
        (Some(2), &json!("Refused")),
        "they are waited for: {run:?}"
    );
    let run = scene.apply(plane, &["--wait=false"]);
    assert_eq!((run.code, &run.json()["outcome"]), (Some(0), &json!("NotNeeded")), "{run:?}");
    assert!(!scene.proxy.seen().iter().any(Seen::is_write), "{run:?}");
    plane.kubelets.finish(true);
    wait_for("the pod to be bound", || plane.kubelets.life(&scene.preemptor).node == "n1");
}

pub fn dry_runs(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.user = "applier";
    let outcome = |state| Expected { code: 0, outcome: "DryRun", victims: [state; 2] };
    scene.expect(&scene.apply(plane, &["--dry-run=client"]), &outcome("NotStarted"));
    scene.expect(&scene.apply(plane, &["--dry-run=server"]), &outcome("DryRunPassed"));
    scene.expect(
        &scene.apply(plane, &["--dry-run=server", "--mode=delete"]),
        &outcome("DryRunPassed"),
    );
    assert!(!scene.proxy.seen().iter().any(Seen::is_write));
}

/// Nobody is there to be asked.
pub fn unasked(plane: &Plane) {
    let scene = Scene::new(plane);
    let child = scene.start(plane, &[]);
    let run = scene.end(plane, child);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("--yes"), "{run:?}");
}

/// Who may only read.
pub fn reader(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.user = "reader";
    let run = scene.apply(plane, &[]);
    scene.expect(&run, &REFUSED);
    assert!(run.err.contains("pods/eviction"), "{run:?}");
    assert_eq!(scene.proxy.seen().iter().filter(|seen| seen.target.contains(EVICTION)).count(), 0);
}

/// Pods without a controller that replaces them.
pub fn bare(plane: &Plane) {
    let scene = Scene::bare(plane);
    let run = scene.apply(plane, &[]);
    scene.expect(&run, &REFUSED);
    assert!(run.err.contains("--force"), "{run:?}");
    scene.expect(&scene.apply(plane, &["--force"]), &APPLIED);
}

/// A budget that allows no disruption.
pub fn budget_forbids(plane: &Plane) {
    let mut scene = Scene::with(plane, &[budget("web", "web", 2, 0)]);
    scene.user = "applier";
    let run = scene.apply(plane, &[]);
    let result = scene.expect(
        &run,
        &Expected { code: 2, outcome: "Refused", victims: ["DryRunRefused", "NotStarted"] },
    );
    assert!(text(&result["victims"][0], "reason").contains("budget"), "{run:?}");
    let run = scene.apply(plane, &["--mode=delete"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    scene.expect(&scene.apply(plane, &["--mode=delete", "--force"]), &APPLIED);
}

/// A budget that spares one: the dry runs of both pass, and the second is not let go.
pub fn budget_spares_one(plane: &Plane) {
    let scene = Scene::with(plane, &[budget("web", "web", 1, 1)]);
    let run = scene.apply_in(plane, 25);
    let result = scene.expect(
        &run,
        &Expected { code: 4, outcome: "Stopped", victims: ["Terminating", "NotStarted"] },
    );
    assert!(text(&result["victims"][1], "reason").contains("budget"), "{run:?}");
    let stays = |pod: &&Value| {
        !pod["spec"]["nodeName"].is_null() && pod["metadata"]["deletionTimestamp"].is_null()
    };
    let left: Vec<String> = web_pods(&scene.stage).iter().filter(stays).map(uid).collect();
    assert_eq!(json!(left), json!([result["victims"][1]["uid"]]));
}

/// The same, and the budget is deleted when the API server has rejected the second eviction.
pub fn budget_released(plane: &Plane) {
    let mut scene = Scene::with(plane, &[budget("web", "web", 1, 1)]);
    let gate = scene.proxy.gate("POST", EVICTION, 1, Fault::HoldAfter);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    scene.stage.admin.must(
        "DELETE",
        &format!("/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets/web"),
        None,
    );
    gate.release();
    scene.before.retain(|_, object| {
        object["metadata"]["name"] != "web" || object["spec"]["minAvailable"].is_null()
    });
    let run = scene.end(plane, child);
    let result = scene.expect(&run, &APPLIED);
    let attempts = result["victims"][1]["attempts"].as_array().expect("attempts");
    let outcomes: Vec<&str> = attempts.iter().map(|attempt| text(attempt, "outcome")).collect();
    assert_eq!(outcomes, ["Accepted", "BlockedByBudget", "Accepted"], "{run:?}");
}

/// An event on each victim.
pub fn record(plane: &Plane) {
    let scene = Scene::new(plane);
    scene.expect(&scene.apply(plane, &["--record"]), &APPLIED);
    let events =
        scene.stage.admin.list(&format!("/apis/events.k8s.io/v1/namespaces/{NAMESPACE}/events"));
    let ours = events.iter().filter(|event| event["reportingController"] == "kubectl-preempt");
    let about: BTreeSet<String> =
        ours.map(|event| text(&event["regarding"], "uid").to_owned()).collect();
    assert_eq!(about, scene.victims, "{events:#?}");
}

/// Two budgets of one pod: the API server does not know what to do.
pub fn two_budgets(plane: &Plane) {
    let mut scene = Scene::with(plane, &[budget("web", "web", 0, 2), budget("web-2", "web", 0, 2)]);
    scene.user = "applier";
    let run = scene.apply(plane, &["--force"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("--mode=delete"), "{run:?}");
    scene.expect(&scene.apply(plane, &["--mode=delete", "--force"]), &APPLIED);
}

/// The same program, without `--apply`, on the same cluster: the plan, and nothing is sent.
pub fn plan_only(plane: &Plane) {
    let scene = Scene::new(plane);
    let run = run(
        &scene.proxy.kubeconfig(plane, "reader"),
        &["simulate", "p", "-n", NAMESPACE, "-o", "json"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(scene.proxy.seen().iter().all(|seen| seen.method == "GET"), "{:?}", scene.proxy.seen());
    scene.nobody_else_was_touched(plane, &run);
    let found = run.json().to_string();
    assert!(scene.victims.iter().all(|uid| found.contains(uid)), "{run:?}");
}
