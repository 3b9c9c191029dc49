//! `simulate podgroup/g --apply`: two pods of a gang wait, and a pod on each of two nodes has to
//! go. The scheduler is stopped until the victims are on their way, so that it does not do the work
//! itself.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::GROUPS;
use super::fidelity::text;
use super::scheduled::gang;
use crate::fidelity::Test;
use crate::objects::{NAMESPACE, node, pod, replicas};
use crate::plane::{PATIENCE, Plane, wait_for};
use crate::stage::{Stage, settle};
use crate::tool::{Run, command, run};

/// The gang waits, and nothing is done yet.
struct Scene<'p> {
    test: Test<'p>,
    user: &'static str,
    victims: BTreeSet<String>,
}

impl<'p> Scene<'p> {
    fn new(plane: &'p mut Plane, user: &'static str) -> Self {
        let stage = super::stage(plane, GROUPS);
        stage.build(&[node("n1", "3"), node("n2", "2")]);
        let low = pod("low").label("app", "low").cpu("2").class("low");
        stage.build(&[replicas("low", 2, &low)]);
        let path = format!("/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app%3Dlow");
        let pods = |stage: &Stage| stage.admin.list(&path);
        let runs = |pod: &Value| !pod["spec"]["nodeName"].is_null();
        wait_for("the pods that are to go", || {
            let pods = pods(&stage);
            pods.len() == 2 && pods.iter().all(runs)
        });
        let victims =
            pods(&stage).iter().map(|pod| text(&pod["metadata"], "uid").to_owned()).collect();
        stage.build(&[pod("kept").cpu("1").class("high").on("n1")]);
        plane.kubelets.finish(false);
        settle();
        plane.scheduler.pause();
        let others = stage.uids();
        stage.build(&gang(2, "2", "high"));
        Self { test: Test { plane, others, gates: GROUPS }, user, victims }
    }

    fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
        let gates = ["--feature-gates", GROUPS];
        let fixed = [
            "simulate",
            "podgroup/g",
            "-n",
            NAMESPACE,
            "--apply",
            "--yes",
            "-o",
            "json",
            "--timeout=40s",
        ];
        [&fixed[..], &gates, more].concat()
    }

    /// Carries the plan out; the scheduler resumes once the victims are being deleted.
    fn apply(&self, more: &[&str]) -> Run {
        let plane = self.test.plane;
        let mut program = command(&plane.kubeconfig(self.user), &Self::arguments(more));
        let mut child =
            program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        let (start, mut paused) = (Instant::now(), true);
        while child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < 2 * PATIENCE, "the program does not end");
            if paused && self.victims.is_subset(&self.test.told_to_end()) {
                plane.scheduler.go_on();
                settle();
                plane.kubelets.finish(true);
                paused = false;
            }
            sleep(Duration::from_millis(20));
        }
        Run::of(child.wait_with_output().expect("an end"))
    }

    /// The plan is carried out, and both pods of the gang have their nodes.
    fn carried_out(&self, run: &Run, reason: &str) -> Value {
        assert_eq!(run.code, Some(0), "{run:?}");
        let result = run.json();
        assert_eq!(
            (&result["outcome"], &result["plan"]["preemptor"]["kind"]),
            (&json!("Applied"), &json!("PodGroup"))
        );
        let of = |list: &Value| -> BTreeSet<String> {
            list.as_array().expect("a list").iter().map(|pod| text(pod, "uid").to_owned()).collect()
        };
        assert_eq!(
            (of(&result["victims"]), self.test.told_to_end()),
            (self.victims.clone(), self.victims.clone()),
            "{run:?}"
        );
        for uid in &self.victims {
            assert_eq!(
                self.test.plane.kubelets.life(uid).disrupted.as_deref(),
                Some(reason),
                "{run:?}"
            );
        }
        let members = result["members"].as_array().expect("members");
        let nodes: BTreeSet<&str> =
            members.iter().map(|pod| text(&pod["landing"], "node")).collect();
        assert_eq!(nodes, BTreeSet::from(["n1", "n2"]), "{run:?}");
        for pod in members {
            assert_eq!(
                self.test.bound(text(pod, "uid")).node,
                text(&pod["landing"], "node"),
                "{run:?}"
            );
        }
        result
    }
}

pub fn evict(plane: &mut Plane) {
    let scene = Scene::new(plane, "evictor");
    scene.carried_out(&scene.apply(&[]), "EvictionByEvictionAPI");
}

/// Every pod is nominated to its node, and the victims say what the scheduler's say.
pub fn delete(plane: &mut Plane) {
    let scene = Scene::new(plane, "applier");
    let result =
        scene.carried_out(&scene.apply(&["--mode=delete", "--nominate"]), "PreemptionByScheduler");
    for pod in result["members"].as_array().expect("members") {
        assert_eq!(pod["nomination"]["state"], "Set", "{result:#}");
        let life = scene.test.plane.kubelets.life(text(pod, "uid"));
        assert_eq!(
            life.nominations.first().map(String::as_str),
            pod["node"].as_str(),
            "{result:#}"
        );
    }
}

/// The server tries each eviction, and nothing changes.
pub fn dry_run(plane: &mut Plane) {
    let scene = Scene::new(plane, "evictor");
    let kubeconfig = scene.test.plane.kubeconfig(scene.user);
    let tried = run(&kubeconfig, &Scene::arguments(&["--dry-run=server"]));
    let result = tried.json();
    assert_eq!((tried.code, &result["outcome"]), (Some(0), &json!("DryRun")), "{tried:?}");
    assert_eq!(scene.test.told_to_end(), BTreeSet::new(), "{tried:?}");
    scene.test.plane.scheduler.go_on();
}

/// A reader sees the plan, and evicts nothing.
pub fn reader(plane: &mut Plane) {
    let scene = Scene::new(plane, "reader");
    let refused = run(&scene.test.plane.kubeconfig("reader"), &Scene::arguments(&[]));
    assert!(
        refused.code == Some(2) && refused.err.contains("you may not create pods/eviction"),
        "{refused:?}"
    );
    assert_eq!(scene.test.told_to_end(), BTreeSet::new(), "{refused:?}");
    scene.test.plane.scheduler.go_on();
}
