//! What makes preemption surprising, dangerous or useless in a cluster: findings with stable codes and the values behind them.
//!
//! A folder-wide rule: a check compares what the cluster says, and says nothing where it cannot know. What it could not look at
//! stands in [`Audit::gaps`].

mod add_ons;
mod budgets;
pub mod check;
mod classes;
mod finding;
mod never;
mod pods;
mod spread;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::cluster::Cluster;
use crate::cluster::owner::Workload;
use crate::cluster::pod::{Pod, PodIx};
use crate::profile::Profile;
use crate::risk::preemptors::Preemptors;
use crate::snapshot::Kind;
pub use check::Check;
pub use finding::{ClassDifference, Evidence, Finding, ObjectName};

/// The result of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Audit {
    /// What was found: the most severe first, then by code and object.
    pub findings: Vec<Finding>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

/// A kind of which the input has nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The kind.
    pub kind: Kind,
    /// The server's answer, if it refused the list; `None` if the input does not say that the kind was read.
    pub refused: Option<String>,
    /// The checks that were left out.
    pub left_out: Vec<Check>,
}

/// What the checks share.
struct Scope<'c> {
    cluster: &'c Cluster,
    users: Preemptors,
    /// The pods that run on a node, by what they belong to.
    running: BTreeMap<Workload, Vec<PodIx>>,
}

impl Scope<'_> {
    fn pods<'s>(&'s self, pods: &'s [PodIx]) -> impl Iterator<Item = &'s Pod> {
        pods.iter().map(|ix| self.cluster.pod(*ix))
    }

    /// The lowest priority of pods.
    fn lowest(&self, pods: &[PodIx]) -> i32 {
        self.pods(pods).map(|pod| pod.priority).min().unwrap_or_default()
    }

    /// The name and priority of what preempts pods of `priority` and is not of the system.
    fn preemptors(&self, priority: i32) -> Vec<String> {
        self.users.above(priority).map(|(value, preemptor)| finding::preemptor(value, preemptor)).collect()
    }
}

/// Looks at a cluster, and compares its priority classes with those of `other`, if there is one. `profile` is the scheduler's,
/// `now` the time of its decisions.
pub fn run(cluster: &Cluster, other: Option<&Cluster>, profile: &Profile, now: Timestamp) -> Audit {
    let mut running: BTreeMap<Workload, Vec<PodIx>> = BTreeMap::new();
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        if pod.is_running() && !pod.is_terminating() {
            running.entry(cluster.workload(pod)).or_default().push(ix);
        }
    }
    let scope = Scope { cluster, users: Preemptors::of_users(cluster), running };
    let gaps = gaps(cluster);
    let mut findings = Vec::new();
    budgets::check(&scope, &mut findings);
    classes::check(&scope, &mut findings);
    if let Some(other) = other {
        classes::compare(cluster, other, &mut findings);
    }
    pods::check(&scope, &mut findings);
    never::check(cluster, profile, now, &mut findings);
    spread::check(&scope, &mut findings);
    findings.retain(|found| !gaps.iter().any(|gap| gap.left_out.contains(&found.check())));
    findings.sort_by(|a, b| {
        let (of_a, of_b) = (a.check(), b.check());
        of_b.severity().cmp(&of_a.severity()).then_with(|| (of_a, &a.object).cmp(&(of_b, &b.object)))
    });
    Audit { findings, gaps }
}

/// The kinds that checks need and that were not read.
fn gaps(cluster: &Cluster) -> Vec<Gap> {
    let kinds = [Kind::PodDisruptionBudget, Kind::PriorityClass];
    let gap = |kind: Kind| {
        let refused = cluster.header.unreadable.iter().find(|missing| missing.kind() == Some(kind));
        // Every API server has priority classes. That a file has no budgets may mean that there are none.
        let unknown = refused.is_some() || cluster.may_lack(kind);
        let is_certain = refused.is_some() || kind == Kind::PriorityClass;
        let left_out =
            if is_certain { Check::all().filter(|c| c.needs().contains(&kind)).collect() } else { Vec::new() };
        unknown.then(|| Gap { kind, refused: refused.map(|missing| missing.reason.clone()), left_out })
    };
    kinds.into_iter().filter_map(gap).collect()
}

#[cfg(test)]
mod tests;
