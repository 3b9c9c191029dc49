//! Looks at every request of the program on its way, changes the cluster at chosen ones, and says of each removal whether
//! it is right in the cluster as it is at that moment.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::Value;

use super::changes::{Change, View, change, name, text, uid};
use crate::proxy::{Moment, Seen};
use crate::stage::Stage;

/// The plan that is carried out.
pub struct Planned {
    pub preemptor: String,
    pub node: String,
    /// By UID.
    pub victims: Vec<String>,
}

/// What was seen and done.
pub struct Watched {
    rng: Rng,
    stage: Stage,
    pub planned: Planned,
    /// At which requests the cluster is changed, counted from the first.
    moments: BTreeSet<(usize, bool)>,
    /// The same, counted from the first removal or dry run of one.
    moments_of_removals: BTreeSet<(usize, bool)>,
    requests: usize,
    removals: usize,
    /// A change that the decision before the next removal need not have seen.
    is_fresh: bool,
    /// Nothing is changed any more.
    pub closed: bool,
    pub changes: Vec<Change>,
    /// What is wrong with removals.
    pub wrong: Vec<String>,
    /// How many removals were looked at, and how many of these came together with a change.
    pub sent: usize,
    pub raced: usize,
}

impl Watched {
    pub fn new(mut rng: Rng, stage: Stage, planned: Planned) -> Self {
        let mut some = |most: usize| -> BTreeSet<(usize, bool)> {
            (0..rng.usize(0..=3)).map(|_| (rng.usize(0..most), rng.bool())).collect()
        };
        let (moments, moments_of_removals) = (some(70), some(5));
        Self {
            rng,
            stage,
            planned,
            moments,
            moments_of_removals,
            requests: 0,
            removals: 0,
            is_fresh: false,
            closed: false,
            changes: Vec::new(),
            wrong: Vec::new(),
            sent: 0,
            raced: 0,
        }
    }

    /// One request, before it reaches the server or after that.
    pub fn see(&mut self, seen: &Seen, moment: Moment) {
        let before = moment == Moment::Before;
        if before && seen.is_removal() && !seen.is_dry_run() {
            self.sent += 1;
            self.raced += usize::from(self.is_fresh);
            let problem =
                if self.is_fresh { self.is_ours(seen) } else { self.is_ours(seen).or_else(|| self.is_right(seen)) };
            self.wrong.extend(problem.map(|problem| format!("{}: {problem}", seen.target)));
        }
        if !before && seen.is_removal() {
            // The next decision begins when the program has this answer.
            self.is_fresh = false;
        }
        let mut due = self.moments.contains(&(self.requests, before));
        self.requests += usize::from(!before);
        if seen.is_removal() {
            due |= self.moments_of_removals.contains(&(self.removals, before));
            self.removals += usize::from(!before);
        }
        if due && !self.closed {
            let serial = self.changes.len();
            let change = change(&mut self.rng, &self.stage, &self.planned.node, &self.planned.victims, serial);
            self.is_fresh |= change.is_some() && (before || !seen.is_removal());
            self.changes.extend(change);
        }
    }

    /// Whether the request names a victim of the plan, by its UID.
    fn is_ours(&self, seen: &Seen) -> Option<String> {
        let options = if seen.method == "DELETE" { &seen.body } else { &seen.body["deleteOptions"] };
        let meant = text(&options["preconditions"]["uid"]);
        let is_planned = self.planned.victims.iter().any(|victim| victim == meant);
        (!is_planned).then(|| format!("{meant:?} is no victim of the plan"))
    }

    /// Whether the victim has to go, as things stand: CPU alone decides in these clusters.
    fn is_right(&self, seen: &Seen) -> Option<String> {
        let view = View::now(&self.stage);
        let called = seen.target.split(['/', '?']).skip_while(|part| *part != "pods").nth(1).unwrap_or_default();
        let Some(preemptor) = view.pods.iter().find(|pod| uid(pod) == self.planned.preemptor) else {
            return Some("the pod that waits is gone".to_owned());
        };
        if preemptor["spec"]["nodeName"].is_string() {
            return Some("the pod that waits has a node".to_owned());
        }
        let Some(victim) = view.pods.iter().find(|pod| name(pod) == called) else {
            return Some("the victim is gone".to_owned());
        };
        if !self.planned.victims.iter().any(|planned| planned == uid(victim)) || is_leaving(victim) {
            return Some("the victim is replaced, or leaves already".to_owned());
        }
        if victim["spec"]["nodeName"] != *self.planned.node {
            return Some("the victim is on another node".to_owned());
        }
        if victim["spec"]["priority"].as_i64() >= preemptor["spec"]["priority"].as_i64() {
            return Some("the victim is as important as the pod that waits".to_owned());
        }
        let wanted = cpu(preemptor);
        if let Some(node) = view.nodes.iter().find(|node| free(&view, node, |_| true) >= wanted) {
            return Some(format!("there is room on {}", name(node)));
        }
        let Some(node) = view.nodes.iter().find(|node| name(node) == self.planned.node) else {
            return Some("the node is gone".to_owned());
        };
        let is_planned = |pod: &Value| self.planned.victims.iter().any(|planned| planned == uid(pod));
        if free(&view, node, |pod| !is_planned(pod) && !is_leaving(pod)) < wanted {
            return Some("the plan does not make room any more".to_owned());
        }
        if free(&view, node, |pod| !(is_planned(pod) && is_leaving(pod))) >= wanted {
            return Some("enough pods of the plan leave already".to_owned());
        }
        None
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
    milli(&node["status"]["allocatable"]["cpu"]) - pods.filter(|pod| stays(pod)).map(cpu).sum::<i64>()
}

fn cpu(pod: &Value) -> i64 {
    milli(&pod["spec"]["containers"][0]["resources"]["requests"]["cpu"])
}

/// A quantity of CPU in thousandths.
fn milli(quantity: &Value) -> i64 {
    let text = text(quantity);
    text.strip_suffix('m').map_or_else(|| text.parse::<i64>().unwrap_or(0) * 1000, |milli| milli.parse().unwrap_or(0))
}
