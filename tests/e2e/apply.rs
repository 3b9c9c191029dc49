//! `simulate --apply` on a cluster in which one pod waits and two have to go for it.

pub mod competitors;
pub mod faults;
pub mod meanwhile;
pub mod plain;
pub mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::objects::{NAMESPACE, Object, node, pod, replicas};
use crate::plane::{PATIENCE, Plane, wait_for};
use crate::proxy::{Proxy, Seen};
use crate::stage::Stage;
use crate::tool::{Run, command};

/// Every object of these kinds is compared.
const CENSUS: [&str; 9] = [
    "/api/v1/pods",
    "/api/v1/nodes",
    "/api/v1/namespaces",
    "/api/v1/serviceaccounts",
    "/api/v1/persistentvolumeclaims",
    "/apis/apps/v1/replicasets",
    "/apis/policy/v1/poddisruptionbudgets",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
];
const EVICTION: &str = "/eviction";

/// The cluster, and what was there before.
///
/// The scheduler is stopped, so that it does not do the work itself. Once both victims are on their
/// way it goes on, and when it has seen the pod, they end. (Not before: of victims that are gone
/// when it preempts, the scheduler never hears that they have gone, and lets the pod wait for
/// minutes.)
pub struct Scene {
    stage: Stage,
    proxy: Proxy,
    /// The pod that waits.
    preemptor: String,
    /// Whom it needs the room of.
    victims: BTreeSet<String>,
    before: BTreeMap<String, Value>,
    /// Who runs the program.
    user: &'static str,
    /// Whether the victims end at all.
    victims_end: bool,
    /// Pods that others than the program have made or removed.
    others: BTreeSet<String>,
}

/// What is to come out.
pub struct Expected<'e> {
    pub code: i32,
    pub outcome: &'e str,
    /// What became of the victims, in the order of the plan.
    pub victims: [&'e str; 2],
}

/// Both victims are gone and the pod has their room.
const APPLIED: Expected<'static> =
    Expected { code: 0, outcome: "Applied", victims: ["Gone", "Gone"] };

impl Scene {
    /// On node n1 run two pods of a ReplicaSet and two that must not be evicted; n2 is full.
    pub fn new(plane: &Plane) -> Self {
        Self::with(plane, &[])
    }

    /// The same, with more objects.
    pub fn with(plane: &Plane, more: &[Object]) -> Self {
        let web = pod("web").label("app", "web").cpu("1").class("low");
        Self::of(plane, more, |stage| {
            stage.build(&[replicas("web", 2, &web)]);
        })
    }

    /// The same, with victims that no controller replaces.
    pub fn bare(plane: &Plane) -> Self {
        Self::of(plane, &[], |stage| {
            for name in ["web-1", "web-2"] {
                stage.create(&pod(name).label("app", "web").cpu("1").class("low"));
            }
        })
    }

    fn of(plane: &Plane, more: &[Object], make_victims: impl Fn(&Stage)) -> Self {
        let stage = Stage::new(plane);
        stage.build(&[
            node("n1", "3"),
            node("n2", "1"),
            pod("kept").cpu("1").class("high").on("n1"),
            pod("idle").class("low").on("n1"),
            pod("full").cpu("1").class("high").on("n2"),
        ]);
        make_victims(&stage);
        // A controller that an API server has just come back to may make one too many, and takes it
        // back.
        wait_for("both to run, and no third", || {
            let pods = web_pods(&stage);
            pods.len() == 2 && pods.iter().all(is_ready)
        });
        stage.build(more);
        let victims = web_pods(&stage).iter().map(uid).collect();
        plane.scheduler.pause();
        plane.kubelets.finish(false);
        let preemptor = stage.create(&pod("p").cpu("2").class("high"));
        let before = census(&stage);
        let proxy = Proxy::start(plane);
        let others = BTreeSet::new();
        Self {
            proxy,
            stage,
            preemptor,
            victims,
            before,
            user: "evictor",
            victims_end: true,
            others,
        }
    }

    fn start(&self, plane: &Plane, more: &[&str]) -> Child {
        let arguments = ["simulate", "p", "-n", NAMESPACE, "--apply", "-o", "json"];
        let timeout: &[&str] = if more.iter().any(|flag| flag.starts_with("--timeout")) {
            &[]
        } else {
            &["--timeout=40s"]
        };
        let mut command = command(
            &self.proxy.kubeconfig(plane, self.user),
            &[&arguments, timeout, more].concat(),
        );
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
    }

    /// Waits for the program's end; then everything that holds in any case is checked.
    fn end(&self, plane: &Plane, child: Child) -> Run {
        let run = self
            .wait_for_end(plane, child, || self.victims.iter().all(|uid| is_leaving(plane, uid)));
        self.nobody_else_was_touched(plane, &run);
        self.everything_was_told(plane, &run);
        self.proxy.used_up();
        run
    }

    /// Waits for the program's end. The scheduler resumes as soon as it may.
    fn wait_for_end(&self, plane: &Plane, mut child: Child, may_go_on: impl Fn() -> bool) -> Run {
        let start = Instant::now();
        let mut paused = true;
        while child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < 6 * PATIENCE, "the program does not end");
            if paused && may_go_on() {
                plane.scheduler.go_on();
                paused = false;
            }
            let life = plane.kubelets.life(&self.preemptor);
            if !paused && self.victims_end && !(life.messages.is_empty() && life.node.is_empty()) {
                plane.kubelets.finish(true);
            }
            sleep(Duration::from_millis(20));
        }
        Run::of(child.wait_with_output().expect("an end"))
    }

    /// Carries the plan out without asking.
    fn apply(&self, plane: &Plane, more: &[&str]) -> Run {
        let child = self.start(plane, &[&["--yes"], more].concat());
        self.end(plane, child)
    }

    /// Carries the plan out in so many seconds: more where a busy machine did not come to the first victim in them.
    fn apply_in(&self, plane: &Plane, seconds: u32) -> Run {
        let run = self.apply(plane, &[&format!("--timeout={seconds}s")]);
        let victims = run.json()["victims"].as_array().cloned().unwrap_or_default();
        let idle = |victim: &Value| ["NotStarted", "DryRunPassed"].contains(&text(victim, "state"));
        if run.code == Some(2) && victims.iter().all(idle) && seconds < 100 {
            return self.apply_in(plane, 4 * seconds);
        }
        run
    }

    /// Every object that was there before is there after, and no pod but the victims has changed.
    fn nobody_else_was_touched(&self, plane: &Plane, run: &Run) {
        let after = census(&self.stage);
        for (uid, object) in &self.before {
            if self.victims.contains(uid) || self.others.contains(uid) {
                continue;
            }
            let now = after.get(uid).unwrap_or_else(|| panic!("gone: {object:#}\n{run:?}"));
            if is_pod(object) && *uid != self.preemptor {
                assert_eq!(
                    now["metadata"]["resourceVersion"], object["metadata"]["resourceVersion"],
                    "{now:#}\n{run:?}"
                );
            }
        }
        // The new pods are replacements, and none of them was evicted.
        let is_new = |uid: &String| !self.before.contains_key(uid) && !self.others.contains(uid);
        for (uid, pod) in after.iter().filter(|(uid, object)| is_new(uid) && is_pod(object)) {
            assert_eq!(pod["metadata"]["ownerReferences"][0]["kind"], "ReplicaSet", "{pod:#}");
            assert!(!is_leaving(plane, uid), "{pod:#}\n{run:?}");
        }
    }

    /// What the result says of the victims is so, and what was sent is in it.
    fn everything_was_told(&self, plane: &Plane, run: &Run) {
        let writes: Vec<Seen> = self.proxy.seen().into_iter().filter(Seen::is_write).collect();
        if run.out.is_empty() {
            assert!(writes.is_empty() && run.code == Some(2), "{run:?}\n{writes:?}");
            return;
        }
        let result = run.json();
        if result["kind"] == "Simulation" {
            // There was no plan to carry out: nothing helps, or nothing has to.
            assert!(writes.is_empty() && matches!(run.code, Some(0 | 1)), "{run:?}\n{writes:?}");
            return;
        }
        assert_eq!(
            (&result["kind"], &result["exitCode"]),
            (&json!("ApplyResult"), &json!(run.code)),
            "{run:?}"
        );
        let victims = result["victims"].as_array().expect("victims");
        let planned: BTreeSet<String> =
            victims.iter().map(|v| v["uid"].as_str().expect("a uid").to_owned()).collect();
        assert_eq!(planned, self.victims, "{run:?}");
        for victim in victims {
            let life = plane.kubelets.life(victim["uid"].as_str().expect("a uid"));
            match victim["state"].as_str().expect("a state") {
                "Gone" | "GoneByItself" => assert!(life.gone, "{life:?}\n{run:?}"),
                "Terminating" | "AlreadyTerminating" => {
                    assert!(life.terminating, "{life:?}\n{run:?}");
                }
                "Accepted" | "Unknown" => {}
                _ if self.others.contains(text(victim, "uid")) => {}
                _ => assert!(!life.terminating && !life.gone, "{life:?}\n{run:?}"),
            }
            let attempts = victim["attempts"].as_array().expect("attempts");
            let told =
                attempts.iter().filter(|a| a["dryRun"] == false && a["request"] != "event").count();
            let sent = writes
                .iter()
                .filter(|seen| seen.target.contains(&format!("/pods/{}", text(victim, "name"))));
            assert_eq!(told, sent.count(), "{run:?}\n{writes:#?}");
        }
        // The only other thing that may be written is the pod's nomination.
        for seen in &writes {
            let ours =
                victims.iter().any(|v| seen.target.contains(&format!("/pods/{}", text(v, "name"))));
            let nomination = seen.target.contains("/pods/p/status") && seen.method == "PATCH";
            assert!(ours || nomination || seen.target.contains("/events"), "{seen:?}");
        }
    }

    /// The run ended as expected.
    #[track_caller]
    fn expect(&self, run: &Run, expected: &Expected) -> Value {
        assert_eq!(run.code, Some(expected.code), "{run:?}");
        let result = run.json();
        assert_eq!(result["outcome"], expected.outcome, "{run:?}");
        let states = [0, 1].map(|i| text(&result["victims"][i], "state"));
        assert_eq!(states, expected.victims, "{run:?}");
        if expected.outcome == "Applied" {
            assert_eq!(result["landing"]["node"], "n1", "{run:?}");
            let pod = self.stage.admin.get(&format!("/api/v1/namespaces/{NAMESPACE}/pods/p"));
            assert_eq!(
                (uid(&pod), &pod["spec"]["nodeName"]),
                (self.preemptor.clone(), &json!("n1")),
                "{run:?}"
            );
        }
        result
    }
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().expect("a text")
}

fn uid(object: &Value) -> String {
    object["metadata"]["uid"].as_str().expect("a uid").to_owned()
}

fn is_pod(object: &Value) -> bool {
    object["spec"]["containers"].is_array()
}

fn is_leaving(plane: &Plane, uid: &str) -> bool {
    let life = plane.kubelets.life(uid);
    life.terminating || life.gone
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    pod["spec"]["nodeName"] == "n1"
        && conditions.iter().any(|c| c["type"] == "Ready" && c["status"] == "True")
}

fn web_pods(stage: &Stage) -> Vec<Value> {
    stage.admin.list(&format!("/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app%3Dweb"))
}

fn census(stage: &Stage) -> BTreeMap<String, Value> {
    let objects = CENSUS.iter().flat_map(|path| stage.admin.list(path));
    objects.map(|object| (uid(&object), object)).collect()
}
