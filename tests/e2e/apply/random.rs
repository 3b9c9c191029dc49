//! Plans that are carried out while the cluster changes at random: no pod is removed that the plan
//! does not name, none that need not go as things stand, and the result says what was done. That
//! holds, too, while watches hold back what changes: the program then sees the changes only where
//! it reads the cluster.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use fastrand::Rng;
use serde_json::json;

use super::{Scene, is_leaving, is_pod, text, uid};
use crate::objects::{NAMESPACE, pod, replicas};
use crate::plane::{Plane, wait_for};
use crate::proxy::{Proxy, Seen};
use crate::random::cluster::plain_cluster;
use crate::random::watched::{Often, Planned, Watched};
use crate::stage::Stage;
use crate::tool::{Run, run};

/// The reason that the scheduler gives to its victims.
const PREEMPTED: &str = "PreemptionByScheduler";

/// Whether the program learns at once what changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watches {
    /// Watches tell it.
    Prompt,
    /// What watches bring comes late or never.
    Behind,
}

/// One of them: how it ended.
pub fn one(plane: &Plane, seed: u64) -> Vec<String> {
    apply(plane, seed, Watches::Prompt)
}

/// One through a proxy that delays the events of watches.
pub fn one_behind(plane: &Plane, seed: u64) -> Vec<String> {
    apply(plane, seed, Watches::Behind)
}

fn apply(plane: &Plane, seed: u64, watches: Watches) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let mut scene = scene(plane, &mut rng);
    let foreseen =
        run(&plane.kubeconfig("reader"), &["simulate", "p", "-n", NAMESPACE, "-o", "json"]);
    let plan = &foreseen.json()["steps"][0]["plan"];
    let victims = plan["victims"].as_array().unwrap_or_else(|| panic!("no plan: {foreseen:?}"));
    let victims: Vec<String> =
        victims.iter().map(|victim| text(victim, "uid").to_owned()).collect();
    scene.victims = victims.iter().cloned().collect();
    let mut planned = Planned { node: text(plan, "node").to_owned(), victims };
    let often = match watches {
        Watches::Prompt => Often { anywhere: 1, at_removals: (0, 3), removals: 8 },
        Watches::Behind => Often { anywhere: 1, at_removals: (1, 4), removals: 6 },
    };
    let watched = Watched::new(rng.fork(), Stage { admin: plane.admin() }, planned.clone(), often);
    let watched = Arc::new(Mutex::new(watched));
    let theirs = watched.clone();
    scene.proxy.show(move |seen, moment| theirs.lock().expect("a witness").see(seen, moment));
    let mut flags = flags(&mut rng, &mut scene);
    if watches == Watches::Behind {
        scene.proxy.hold_back_watches(rng.fork());
        // A decision on many objects waits for their watches; with a small page these few are many.
        flags.extend([
            "--timeout=20s",
            ["--chunk-size=500", "--chunk-size=4", "--chunk-size=1"][rng.usize(0..3)],
        ]);
    } else {
        flags.push("--timeout=10s");
    }
    let child = scene.start(plane, &flags);
    let run = scene.wait_for_end(plane, child, || {
        let all_leave = scene.victims.iter().all(|uid| is_leaving(plane, uid));
        // It waits for the pod alone when nothing is left to remove.
        let may =
            all_leave || scene.proxy.count("GET", "watch=true&fieldSelector=metadata.name") > 0;
        watched.lock().expect("a witness").closed |= may;
        may
    });
    plane.scheduler.pause();
    let mut watched = watched.lock().expect("a witness");
    watched.closed = true;
    let touched: BTreeSet<String> =
        watched.changes.iter().flat_map(|change| &change.touched).cloned().collect();
    scene.before.retain(|uid, _| !touched.contains(uid));
    scene.others = touched;
    preempted_by_the_scheduler(plane, &mut scene);
    if run.out.contains("\"ApplyResult\"") {
        let result = run.json();
        let told = result["victims"]
            .as_array()
            .expect("victims")
            .iter()
            .map(|victim| text(victim, "uid").to_owned());
        // What changes early makes another plan.
        let node = result["plan"]["node"].as_str().unwrap_or_default().to_owned();
        planned = Planned { node, victims: told.collect() };
        scene.victims = planned.victims.iter().cloned().collect();
        check_code(&scene, &run);
    }
    let what: Vec<&str> = watched.changes.iter().map(|change| change.what).collect();
    let wrong = watched.wrong(&planned, &scene.preemptor);
    assert!(wrong.is_empty(), "{wrong:?} {flags:?} {what:?}\n{run:?}");
    scene.nobody_else_was_touched(plane, &run);
    scene.everything_was_told(plane, &run);
    let mut lines = vec![format!("{} after {} changes", outcome(&run), what.len())];
    let (sent, raced) = watched.removals();
    if watches == Watches::Behind {
        assert!(
            sent == 0 || scene.proxy.seen().iter().any(Seen::is_watch),
            "nothing is watched: {run:?}"
        );
        lines.extend((0..scene.proxy.held_back()).map(|_| "events that were held back".to_owned()));
        lines.extend((0..sent).map(|_| "removals, none in vain".to_owned()));
    } else {
        lines.extend((0..sent).map(|_| "removals".to_owned()));
    }
    lines.extend((0..raced).map(|_| "removals that came together with a change".to_owned()));
    lines.extend(what.iter().map(|what| format!("change: {what}")));
    lines
}

fn outcome(run: &Run) -> String {
    let code = run.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
    let result = if run.out.is_empty() { json!({"kind": "no result"}) } else { run.json() };
    format!(
        "{} ({code})",
        result["outcome"].as_str().or(result["kind"].as_str()).unwrap_or_default()
    )
}

/// A cluster in which the pod needs victims; every pod but it has a controller.
fn scene(plane: &Plane, rng: &mut Rng) -> Scene {
    let stage = Stage::new(plane);
    let cluster = plain_cluster(rng);
    plane.scheduler.pause();
    plane.kubelets.finish(false);
    stage.build(&cluster.objects);
    for (app, count) in &cluster.apps {
        stage.create(&replicas(app, *count, &pod(app).label("app", app).cpu("500m").class("low")));
    }
    let pods = || stage.admin.list(&format!("/api/v1/namespaces/{NAMESPACE}/pods"));
    let count: usize = cluster.apps.iter().map(|(_, count)| count).sum();
    // A controller that has not seen all of its pods makes one too many, and takes it back.
    wait_for("the controllers", || {
        let pods = pods();
        pods.len() == count && pods.iter().all(|pod| pod["metadata"]["ownerReferences"].is_array())
    });
    stage.build(&cluster.budgets);
    let preemptor = stage.create(&cluster.pod);
    let before = super::census(&stage);
    let (victims, others) = (BTreeSet::new(), BTreeSet::new());
    let proxy = Proxy::start(plane);
    Scene { stage, proxy, preemptor, victims, before, user: "evictor", victims_end: true, others }
}

fn flags(rng: &mut Rng, scene: &mut Scene) -> Vec<&'static str> {
    let mut flags = vec!["--yes"];
    if rng.u32(0..5) < 2 {
        flags.push("--mode=delete");
        scene.user = "applier";
    }
    if rng.u32(0..3) == 0 {
        flags.push("--nominate");
        scene.user = "applier";
    }
    for (flag, one_in) in [("--force", 2), ("--record", 4)] {
        if rng.u32(0..one_in) == 0 {
            flags.push(flag);
        }
    }
    flags
}

/// When the scheduler resumes, it may preempt more pods itself, as a change took the room, or as it
/// has not seen yet that one made room. Those that no request of ours names are its victims.
fn preempted_by_the_scheduler(plane: &Plane, scene: &mut Scene) {
    // What it has sent before it was stopped is done by then.
    sleep(Duration::from_millis(100));
    let now = super::census(&scene.stage);
    let writes: Vec<Seen> = scene.proxy.seen().into_iter().filter(Seen::is_write).collect();
    for (id, object) in &scene.before {
        let conditions = now.get(id).and_then(|now| now["status"]["conditions"].as_array());
        let is_marked =
            conditions.into_iter().flatten().any(|condition| condition["reason"] == PREEMPTED)
                || plane.kubelets.life(id).disrupted.as_deref() == Some(PREEMPTED);
        let part = format!("/pods/{}", object["metadata"]["name"].as_str().unwrap_or_default());
        if is_pod(object) && is_marked && !writes.iter().any(|seen| seen.target.contains(&part)) {
            scene.others.insert(id.clone());
        }
    }
}

/// The exit code says what was done.
fn check_code(scene: &Scene, run: &Run) {
    let result = run.json();
    let states: Vec<&str> = result["victims"]
        .as_array()
        .expect("victims")
        .iter()
        .map(|victim| text(victim, "state"))
        .collect();
    let done =
        ["Accepted", "Terminating", "Gone", "Unknown"].iter().any(|state| states.contains(state));
    let pods = scene.stage.admin.list(&format!("/api/v1/namespaces/{NAMESPACE}/pods"));
    let node =
        pods.iter().find(|pod| uid(pod) == scene.preemptor).map(|pod| &pod["spec"]["nodeName"]);
    match (run.code, text(&result, "outcome")) {
        // The plan had no victims: there was nothing to do, and so nothing to wait for.
        (Some(0), "NotNeeded") if result["landing"]["state"] == "NotAwaited" => {
            assert!(states.is_empty(), "{run:?}");
        }
        (Some(0), "Applied" | "NotNeeded") => {
            assert_eq!(Some(&result["landing"]["node"]), node, "{run:?}");
        }
        (Some(1), "Impossible") | (Some(2), "Refused") => assert!(!done, "{run:?}"),
        (Some(4), "Stopped") => {}
        _ => panic!("{run:?}"),
    }
}
