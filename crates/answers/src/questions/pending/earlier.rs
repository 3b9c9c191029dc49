//! Which rows of an earlier list of pending pods still hold after the cluster has changed.
//!
//! A decision reads nodes, the pods on them, nominated pods, and what applies to all of them. Of
//! the pods that merely wait for a node it reads only its own. So a change of such pods, which are
//! most of what changes around a long queue, leaves the decisions about the others as they are.
//!
//! Whatever is not known to be without effect has one: then every pod is decided anew.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::input::LoadedInput;
use crate::questions::pending::PendingRow;
use engine::autoscalers::Autoscalers;
use engine::cluster::Cluster;
use engine::cluster::pod::{Pod, PodIx};
use engine::decision::lingering::is_overdue;
use engine::decision::waiting::unseen_for;
use engine::notes::Note;

/// The name of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodName {
    pub namespace: String,
    pub name: String,
}

impl PodName {
    /// That of a pod of `cluster`.
    pub fn of(pod: &Pod, cluster: &Cluster) -> Self {
        Self { namespace: cluster.text(pod.namespace).to_owned(), name: pod.name.to_string() }
    }
}

/// What is different in a cluster that is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// Perhaps anything.
    Unknown,
    /// These pods are new, gone, or others; everything else that a decision reads is the same.
    Pods(BTreeSet<PodName>),
}

/// The rows of a list, and what else the decisions behind them gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownRows(BTreeMap<PodName, KnownRow>);

/// The row of a pod that was decided alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownRow {
    pub(crate) row: PendingRow,
    pub(crate) notes: Vec<Note>,
}

/// An earlier list, and what has changed since.
#[derive(Debug, Clone, Copy)]
pub struct EarlierList<'e> {
    /// What was decided on.
    pub input: &'e LoadedInput,
    pub rows: &'e KnownRows,
    pub changes: &'e Changes,
}

impl KnownRows {
    /// Keeps the row of a pod.
    pub(crate) fn keep(&mut self, row: PendingRow, notes: Vec<Note>) {
        let name = PodName { namespace: row.namespace.clone(), name: row.name.clone() };
        self.0.insert(name, KnownRow { row, notes });
    }

    /// The row of a pod of `cluster`, if it is known.
    pub(crate) fn of(&self, pod: PodIx, cluster: &Cluster) -> Option<&KnownRow> {
        let pod = cluster.pod(pod);
        let known = self.0.get(&PodName::of(pod, cluster))?;
        (*known.row.uid == *pod.uid).then_some(known)
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl EarlierList<'_> {
    /// The rows that are what deciding on `now` would give.
    pub fn rows_that_hold(&self, now: &LoadedInput) -> KnownRows {
        let Changes::Pods(changed) = self.changes else { return KnownRows::default() };
        if !self.leaves_others(changed, now) {
            return KnownRows::default();
        }
        let mut rows = self.rows.clone();
        // Who may take the room of an eviction depends on all that wait.
        rows.0.retain(|name, known| {
            let row = &known.row;
            !changed.contains(name)
                && row.nomination.is_none()
                && row.victims.is_empty()
                && self.is_seen_alike(name, now)
        });
        rows
    }

    /// Whether a pod that no scheduler looks at had none before either.
    fn is_seen_alike(&self, name: &PodName, now: &LoadedInput) -> bool {
        let is_unseen = |input: &LoadedInput| {
            let pod = input.cluster.find_pod(&name.namespace, &name.name);
            pod.is_some_and(|pod| unseen_for(&input.cluster, pod, input.now).is_some())
        };
        is_unseen(self.input) == is_unseen(now)
    }

    /// Whether the changes leave every decision about other pods as it was.
    fn leaves_others(&self, changed: &BTreeSet<PodName>, now: &LoadedInput) -> bool {
        let (before, after) = (&self.input.cluster, &now.cluster);
        self.input.profiles().eq(now.profiles())
            && reads_alike(before, after)
            && each_alone(self.input)
            && each_alone(now)
            && changed.iter().all(|name| is_inert(name, before) && is_inert(name, after))
            && time_decides_nothing(after, self.input.now, now.now)
    }
}

/// Whether no decision about another pod reads the pod of this name, if there is one.
fn is_inert(name: &PodName, cluster: &Cluster) -> bool {
    let pod = cluster.find_pod(&name.namespace, &name.name);
    pod.is_none_or(|pod| concerns_no_other(cluster.pod(pod), cluster))
}

/// Whether no decision about another pod reads this one. It takes no room on a node and is not
/// nominated to one, and no volume, claim or group is its own as well as another pod's. Terms about
/// other pods are read of every pod that has some: notes depend on what they select.
fn concerns_no_other(pod: &Pod, cluster: &Cluster) -> bool {
    let template = cluster.template(pod);
    pod.node_name.is_empty()
        && pod.nominated_node.is_empty()
        && pod.claims.is_empty()
        && template.volumes.is_empty()
        && !template.may_have_affinity()
}

/// Whether what was read besides objects is the same: what could not be read, and the scheduler.
fn reads_alike(before: &Cluster, after: &Cluster) -> bool {
    let (old, new) = (&before.header, &after.header);
    before.notes == after.notes
        && before.listed == after.listed
        && old.server_version == new.server_version
        && old.unreadable == new.unreadable
        && old.scheduler == new.scheduler
        && old.autoscaler == new.autoscaler
        // Notes tell apart what was not read; how old it is decides nothing.
        && old.resource_versions.keys().eq(new.resource_versions.keys())
}

/// Whether every pod is decided alone: by its scheduler only, without groups and without devices,
/// which pods share.
fn each_alone(input: &LoadedInput) -> bool {
    let cluster = &input.cluster;
    let mut templates = cluster.templates.iter();
    input.originals.is_none()
        && cluster.pod_groups.is_empty()
        && cluster.workloads.is_empty()
        && cluster.composite_groups.is_empty()
        && cluster.devices.classes.is_empty()
        && templates.all(|template| template.group.is_empty() && template.claims.is_empty())
        && Autoscalers::find(cluster, input.now).is_none()
}

/// Whether decisions are the same at both times. The present stands for the start of pods that have
/// not started, and tells which terminating pods are overdue.
fn time_decides_nothing(cluster: &Cluster, a: Timestamp, b: Timestamp) -> bool {
    let earliest = a.min(b);
    cluster.pods.iter().all(|pod| {
        let started_before = pod.start_time.is_none_or(|start| start < earliest);
        let [then, now] = [a, b].map(|now| pod.deletion.is_some_and(|due| is_overdue(due, now)));
        started_before && then == now
    })
}
