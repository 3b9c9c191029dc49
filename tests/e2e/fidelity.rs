//! Does the program say what the scheduler then does? The scheduler is stopped while the pod is
//! created and the program asked; then the scheduler is resumed, and what it does is compared.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::kubelets::Life;
use crate::objects::{NAMESPACE, Object};
use crate::plane::{Plane, wait_for};
use crate::situations::{Outcome, Situation};
use crate::stage::{Stage, settle};
use crate::tool::{Run, ask};

/// Compares the two in one situation.
pub fn check(plane: &Plane, situation: &Situation) {
    let stage = Stage::new(plane);
    stage.build(&(situation.view)());
    plane.kubelets.finish(false);
    let mut test = Test { plane, others: stage.uids(), gates: plane.gates };
    let (victims, first) = situation.first;
    for pod in first() {
        let uid = stage.create(&pod);
        wait_for("the first pod's nomination", || {
            !plane.kubelets.life(&uid).nominations.is_empty()
        });
    }
    wait_for("its victims' ends", || test.told_to_end().len() == victims);
    let outcome = situation.next.filter(|_| plane.release.is_next()).unwrap_or(situation.outcome);
    if let Outcome::Waits(part) = outcome {
        return waits(&test, &stage, &(situation.pod)(), part);
    }
    settle();
    plane.scheduler.pause();
    test.others = stage.uids();
    let pod = (situation.pod)();
    let uid = stage.create(&pod);
    let ours = test.ask(&["explain", pod.name(), "-o", "json"]).json();
    assert_eq!(ours["source"]["kind"], "live", "{ours:#}");
    assert_eq!(ours["pod"]["uid"], json!(uid));
    // The scheduler's configuration is the default one, which no object shows.
    let doubts =
        ours["notes"].as_array().expect("notes").iter().filter(|note| note["severity"] != "info");
    assert_eq!(doubts.count(), 0, "{ours:#}");
    plane.scheduler.go_on();
    match outcome {
        Outcome::Refuses(part) => {
            let message = test.message(&uid);
            assert!(message.contains(part), "the situation is another: {message}");
            assert_eq!(ours["conditionMessage"], json!(message), "{ours:#}");
            assert_eq!(ours["outcome"], "Unschedulable", "{ours:#}");
            test.verify(pod.name(), &["Equal"]);
        }
        Outcome::Binds(node) => {
            let life = test.bound(&uid);
            assert_eq!(life.node, node, "the situation is another");
            assert_eq!(
                (&ours["outcome"], &ours["selected"]["nodes"]),
                (&json!("Schedulable"), &json!([node])),
                "{ours:#}"
            );
        }
        Outcome::Preempts(node, victims) => test.preempts(&ours, &uid, node, victims),
        Outcome::Waits(_) => unreachable!("it is another test"),
        Outcome::Ignores => assert_eq!(ours["outcome"], "NotInQueue", "{ours:#}"),
    }
}

/// The scheduler has preempted for the pod and looks at it again before the victims are gone.
fn waits(test: &Test, stage: &Stage, pod: &Object, part: &str) {
    let uid = stage.create(pod);
    wait_for("the victim's end", || test.told_to_end().len() == 1);
    let leaves = format!("{}/leaves", pod.path);
    stage.admin.must("DELETE", &leaves, Some(&json!({"gracePeriodSeconds": 0})));
    let last = || test.plane.kubelets.life(&uid).messages.last().cloned().unwrap_or_default();
    wait_for("the second look", || last().contains(part));
    let ours = test.ask(&["explain", pod.name(), "-o", "json"]).json();
    assert_eq!(ours["conditionMessage"], json!(last()), "{ours:#}");
    assert_eq!(
        (&ours["outcome"], &ours["preemption"]["eligible"]),
        (&json!("Unschedulable"), &json!(false)),
        "{ours:#}"
    );
    test.verify(pod.name(), &["Equal"]);
    test.plane.kubelets.finish(true);
    test.bound(&uid);
}

/// What the two are compared on.
pub struct Test<'p> {
    pub plane: &'p Plane,
    /// Pods that were there before and have not been told to end, by uid.
    pub others: BTreeSet<String>,
    /// The scheduler's feature gates, as flags say them; empty if all are as by default.
    pub gates: &'static str,
}

impl Test<'_> {
    /// Runs the program as a user who may only read. The answer is certain.
    pub fn ask(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
        run
    }

    /// The same, whatever comes out.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let gates = ["--feature-gates", self.gates];
        let gates = if self.gates.is_empty() { &[][..] } else { &gates };
        self.run_without_gates(&[arguments, gates].concat())
    }

    /// The same, where no flag says which gates the scheduler has.
    pub fn run_without_gates(&self, arguments: &[&str]) -> Run {
        ask(self.plane, &[arguments, &["-n", NAMESPACE]].concat())
    }

    /// What the scheduler first says about a pod.
    pub fn message(&self, uid: &str) -> String {
        let mut first = None;
        wait_for("the scheduler's message", || {
            first = self.plane.kubelets.life(uid).messages.first().cloned();
            first.is_some()
        });
        first.expect("a message")
    }

    /// `verify` finds the scheduler's message to be as it should.
    pub fn verify(&self, name: &str, allowed: &[&str]) {
        let list = self.ask(&["verify", name, "-o", "json"]).json();
        let result = list["items"][0]["result"].as_str().unwrap_or_default();
        assert!(allowed.contains(&result), "{list:#}");
    }

    pub fn bound(&self, uid: &str) -> Life {
        wait_for("a bound pod", || !self.plane.kubelets.life(uid).node.is_empty());
        self.plane.kubelets.life(uid)
    }

    /// The pod is nominated to the node that we say, the pods that we say are told to end and no
    /// others are, and when they have ended it is bound there.
    fn preempts(&self, ours: &Value, uid: &str, node: &str, victims: usize) {
        let kubelets = &self.plane.kubelets;
        wait_for("a nomination", || !kubelets.life(uid).nominations.is_empty());
        assert_eq!(kubelets.life(uid).nominations, [node], "the situation is another");
        let selected = (&ours["selected"]["certainty"], &ours["selected"]["nodes"]);
        assert_eq!(
            (&ours["outcome"], selected),
            (&json!("Preempt"), (&json!("Certain"), &json!([node]))),
            "{ours:#}"
        );
        assert_eq!(ours["conditionMessage"], json!(self.message(uid)), "{ours:#}");
        let planned = planned_victims(ours, node);
        assert!(planned.is_subset(&self.others), "{ours:#}");
        assert_eq!(planned.len(), victims, "the situation is another: {ours:#}");
        wait_for("the victims' ends", || self.told_to_end().len() >= victims);
        // The message may be about the time before or after.
        self.verify(ours["pod"]["name"].as_str().expect("a name"), &["Equal", "Stale"]);
        kubelets.finish(true);
        assert_eq!(self.bound(uid).node, node);
        assert_eq!(self.told_to_end(), planned);
    }

    /// Which of the others have.
    pub fn told_to_end(&self) -> BTreeSet<String> {
        let told = |uid: &&String| {
            let life = self.plane.kubelets.life(uid);
            life.terminating || life.gone || life.disrupted.is_some()
        };
        self.others.iter().filter(told).cloned().collect()
    }
}

fn planned_victims(ours: &Value, node: &str) -> BTreeSet<String> {
    let nodes = ours["preemption"]["nodes"].as_array().expect("nodes");
    let candidate =
        nodes.iter().find(|candidate| candidate["name"] == node).expect("the candidate");
    let victims = candidate["victims"].as_array().expect("victims");
    victims.iter().map(|victim| victim["uid"].as_str().expect("a uid").to_owned()).collect()
}
