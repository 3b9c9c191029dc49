//! Looks at every request of the program on its way, changes the cluster at chosen ones, and says
//! afterwards of each removal whether it was right in the cluster as it was at that moment.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::Value;

use super::changes::{Change, View, change, name, text, uid};
use crate::proxy::{Moment, Seen};
use crate::stage::Stage;

/// A plan.
#[derive(Debug, Clone)]
pub struct Planned {
    pub node: String,
    /// By UID.
    pub victims: Vec<String>,
}

/// A removal, and the cluster when it was sent.
struct Sent {
    request: Seen,
    view: View,
    /// It came together with a change of the cluster that the decision before it need not have
    /// seen.
    is_raced: bool,
    /// It came together with a change of the pod that waits, which was not read any more.
    misses_preemptor: bool,
}

/// How often the cluster is changed.
#[derive(Clone, Copy)]
pub struct Often {
    /// At any of the first requests, at most.
    pub anywhere: usize,
    /// Before or after one of the first removals or dry runs of one, at least and more than that.
    pub at_removals: (usize, usize),
    /// How many of these.
    pub removals: usize,
}

/// What was seen and done.
pub struct Watched {
    rng: Rng,
    stage: Stage,
    /// What was planned before anything changed.
    foreseen: Planned,
    /// At which requests the cluster is changed, counted from the first.
    moments: BTreeSet<(usize, bool)>,
    /// The same, counted from the first removal or dry run of one.
    moments_of_removals: BTreeSet<(usize, bool)>,
    requests: usize,
    removals: usize,
    /// A change that the decision before the next removal need not have seen.
    is_fresh: bool,
    /// The pod that waits has changed and was not read since.
    is_preemptor_fresh: bool,
    /// Nothing is changed any more.
    pub closed: bool,
    pub changes: Vec<Change>,
    sent: Vec<Sent>,
}

impl Watched {
    pub fn new(mut rng: Rng, stage: Stage, foreseen: Planned, often: Often) -> Self {
        let mut some = |(least, more): (usize, usize), most: usize| -> BTreeSet<(usize, bool)> {
            (0..least + rng.usize(0..=more)).map(|_| (rng.usize(0..most), rng.bool())).collect()
        };
        let moments = some((0, often.anywhere), 70);
        let moments_of_removals = some(often.at_removals, often.removals);
        Self {
            rng,
            stage,
            foreseen,
            moments,
            moments_of_removals,
            requests: 0,
            removals: 0,
            is_fresh: false,
            is_preemptor_fresh: false,
            closed: false,
            changes: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// One request, before it reaches the server or after that.
    pub fn see(&mut self, seen: &Seen, moment: Moment) {
        let before = moment == Moment::Before;
        if before && seen.is_removal() && !seen.is_dry_run() {
            let view = View::now(&self.stage);
            let (is_raced, misses_preemptor) = (self.is_fresh, self.is_preemptor_fresh);
            self.sent.push(Sent { request: seen.clone(), view, is_raced, misses_preemptor });
        }
        if before && seen.method == "GET" && seen.target.ends_with("/pods/p") {
            // The last read: the answer has the current state of the pod.
            self.is_preemptor_fresh = false;
        }
        if !before && seen.is_removal() {
            // The next decision begins when the program has this answer.
            self.is_fresh = false;
        }
        let mut due = self.moments.remove(&(self.requests, before));
        self.requests += usize::from(!before);
        if seen.is_removal() {
            due |= self.moments_of_removals.remove(&(self.removals, before));
            self.removals += usize::from(!before);
        }
        if due && !self.closed {
            let serial = self.changes.len();
            let change = change(
                &mut self.rng,
                &self.stage,
                &self.foreseen.node,
                &self.foreseen.victims,
                serial,
            );
            if let Some(change) = &change {
                let is_fresh = before || !seen.is_removal();
                self.is_fresh |= is_fresh && !change.is_of_preemptor();
                self.is_preemptor_fresh |= change.is_of_preemptor();
            }
            self.changes.extend(change);
        }
    }

    /// How many removals were sent, and how many of these came together with a change.
    pub fn removals(&self) -> (usize, usize) {
        (
            self.sent.len(),
            self.sent.iter().filter(|sent| sent.is_raced || sent.misses_preemptor).count(),
        )
    }

    /// What is wrong with the removals, when this is the plan that was carried out for this pod.
    pub fn wrong(&self, planned: &Planned, preemptor: &str) -> Vec<String> {
        let problem = |sent: &Sent| {
            let of_preemptor = || {
                Planned::problem_of_preemptor(sent, preemptor).filter(|_| !sent.misses_preemptor)
            };
            let of_view = || planned.problem(sent, preemptor).filter(|_| !sent.is_raced);
            let problem =
                planned.not_meant(&sent.request).or_else(of_preemptor).or_else(of_view)?;
            Some(format!("{}: {problem}", sent.request.target))
        };
        self.sent.iter().filter_map(problem).collect()
    }
}

impl Planned {
    fn has(&self, uid: &str) -> bool {
        self.victims.iter().any(|victim| victim == uid)
    }

    /// The request does not name a victim of the plan by its UID.
    fn not_meant(&self, request: &Seen) -> Option<String> {
        let options =
            if request.method == "DELETE" { &request.body } else { &request.body["deleteOptions"] };
        let meant = text(&options["preconditions"]["uid"]);
        (!self.has(meant)).then(|| format!("{meant:?} is no victim of the plan"))
    }

    /// Why no victim has to go: the pod that waits does not wait any more.
    fn problem_of_preemptor(sent: &Sent, preemptor: &str) -> Option<String> {
        let Some(preemptor) = sent.view.pods.iter().find(|pod| uid(pod) == preemptor) else {
            return Some("the pod that waits is gone".to_owned());
        };
        let problems = [
            ("the pod that waits has a node", preemptor["spec"]["nodeName"].is_string()),
            ("the pod that waits is being deleted", is_leaving(preemptor)),
        ];
        problems.into_iter().find(|(_, is_so)| *is_so).map(|(problem, _)| problem.to_owned())
    }

    /// Why the victim does not have to go for a pod that waits, as things stand: CPU alone decides
    /// in these clusters.
    fn problem(&self, sent: &Sent, preemptor: &str) -> Option<String> {
        let (view, target) = (&sent.view, &sent.request.target);
        let called =
            target.split(['/', '?']).skip_while(|part| *part != "pods").nth(1).unwrap_or_default();
        // A pod that does not wait any more was looked at before.
        let preemptor = view.pods.iter().find(|pod| uid(pod) == preemptor)?;
        if preemptor["spec"]["nodeName"].is_string() || is_leaving(preemptor) {
            return None;
        }
        let Some(victim) = view.pods.iter().find(|pod| name(pod) == called) else {
            return Some("the victim is gone".to_owned());
        };
        let Some(node) = view.nodes.iter().find(|node| name(node) == self.node) else {
            return Some("the node is gone".to_owned());
        };
        let wanted = cpu(preemptor);
        let stays = |pod: &Value| !self.has(uid(pod)) && !is_leaving(pod);
        let has_not_left = |pod: &Value| !(self.has(uid(pod)) && is_leaving(pod));
        let problems = [
            ("the victim is replaced", !self.has(uid(victim))),
            ("the victim leaves already", is_leaving(victim)),
            ("the victim is on another node", victim["spec"]["nodeName"] != *self.node),
            (
                "the victim is as important as the pod that waits",
                victim["spec"]["priority"].as_i64() >= preemptor["spec"]["priority"].as_i64(),
            ),
            ("there is room", view.nodes.iter().any(|node| free(view, node, |_| true) >= wanted)),
            ("the plan does not make room any more", free(view, node, stays) < wanted),
            ("enough pods of the plan leave already", free(view, node, has_not_left) >= wanted),
        ];
        problems.into_iter().find(|(_, is_so)| *is_so).map(|(problem, _)| problem.to_owned())
    }
}

fn is_leaving(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_string()
}

/// The CPU that a node has beside those of its pods that stay; none if it takes no new pod.
fn free(view: &View, node: &Value, stays: impl Fn(&Value) -> bool) -> i64 {
    let taints = node["spec"]["taints"].as_array().map_or(0, Vec::len);
    if node["spec"]["unschedulable"] == true || taints > 0 {
        return 0;
    }
    let pods = view.pods.iter().filter(|pod| pod["spec"]["nodeName"] == node["metadata"]["name"]);
    milli(&node["status"]["allocatable"]["cpu"])
        - pods.filter(|pod| stays(pod)).map(cpu).sum::<i64>()
}

fn cpu(pod: &Value) -> i64 {
    milli(&pod["spec"]["containers"][0]["resources"]["requests"]["cpu"])
}

/// A quantity of CPU in thousandths.
fn milli(quantity: &Value) -> i64 {
    let text = text(quantity);
    text.strip_suffix('m')
        .map_or_else(|| text.parse::<i64>().unwrap_or(0) * 1000, |milli| milli.parse().unwrap_or(0))
}
