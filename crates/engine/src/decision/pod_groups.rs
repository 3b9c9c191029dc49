//! Pod groups: with the gate `GenericWorkload`, kube-scheduler schedules and evicts the pods of a group as a whole, which is not
//! modelled. The gate is off by default, so what decides here is what shows that it is on.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go`, `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37).

use super::Decision;
use crate::cluster::Kind;
use crate::notes::{Note, NoteDoc};
use crate::profile::gates;

/// The gate.
const GATE: &str = "GenericWorkload";

/// Parts of the messages that the scheduler writes about pods of a group, and about no other pod.
///
/// Upstream: `pkg/scheduler/schedule_one_podgroup.go`, `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.36, 1.37).
const MESSAGES: &[&str] = &[
    "pod group is unschedulable",
    "pod group preemption: ",
    "pod group is waiting for preemption",
    "other pod from a pod group",
    "in a single pod group should have the same",
    "minCount (",
    "placements are available, first placement status",
    "no feasible placements found",
    "no pods were schedulable",
    "workload aware preemption",
];

static IN_A_GROUP: NoteDoc = NoteDoc {
    code: "PRE-922",
    name: "a pod of a group",
    meaning: "The pod belongs to a pod group. Where the gate GenericWorkload is on, the group is scheduled as a whole, which is \
              not modelled.",
};
static GROUPS_MAY_GO: NoteDoc = NoteDoc {
    code: "PRE-923",
    name: "pods of a group that may be evicted together",
    meaning: "Where the gate GenericWorkload is on, the pods of a group may be evicted together, which is not modelled.",
};

/// What notes about pod groups mean.
pub static DOCS: &[&NoteDoc] = &[&IN_A_GROUP, &GROUPS_MAY_GO];

/// Whether the scheduler knows pod groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Groups {
    /// The gate is off, or was not made yet.
    Off,
    /// The gate is set.
    On,
    /// The cluster has PodGroups: it serves them only where the gate is on.
    Served,
    /// A condition of the pod has a message about its group.
    Written,
    /// The default of this version is not known.
    Unsettled,
    /// Whether the cluster has PodGroups could not be read.
    Unread,
}

impl Groups {
    fn of(decision: &Decision) -> Self {
        let (cluster, profile) = (decision.view.cluster, decision.profile());
        let is_set = profile.gates.iter().any(|(name, _)| *name == GATE);
        if profile.features.pod_groups.pod_groups {
            Self::On
        } else if is_set || !gates::known(profile.version).contains_key(GATE) {
            Self::Off
        } else if !cluster.pod_groups.is_empty() {
            Self::Served
        } else if has_group_message(decision) {
            Self::Written
        } else if profile.features.pod_groups.pod_groups_unsettled {
            Self::Unsettled
        } else if cluster.header.unreadable.iter().any(|missing| missing.kind() == Some(Kind::PodGroup)) {
            Self::Unread
        } else {
            Self::Off
        }
    }

    /// What that means for a pod of a group, as a clause.
    const fn clause(self) -> &'static str {
        match self {
            Self::Off => "which the scheduler ignores while the gate GenericWorkload is off",
            Self::On => "which the gate GenericWorkload has scheduled as a whole: this is about the pod alone",
            Self::Served => {
                "and the cluster has PodGroups, so the gate GenericWorkload is probably on: the group is scheduled as a whole, \
                 which is not modelled"
            }
            Self::Written => {
                "and the scheduler has written about it, so the gate GenericWorkload is on: the group is scheduled as a whole, \
                 which is not modelled"
            }
            Self::Unsettled => {
                "and whether this version has groups scheduled as a whole by default is not known; that is not modelled"
            }
            Self::Unread => {
                "and whether the cluster has PodGroups could not be read: if it has, the group is scheduled as a whole, which is \
                 not modelled"
            }
        }
    }
}

/// Whether the scheduler's message in the pod's condition is about its group.
fn has_group_message(decision: &Decision) -> bool {
    let condition = decision.view.cluster.pod(decision.pod).scheduled_condition.as_deref();
    condition.is_some_and(|condition| MESSAGES.iter().any(|part| condition.message.contains(part)))
}

/// Notes about the pod's own group, and about the groups of pods that may be evicted.
pub(super) fn doubts(decision: &Decision) -> Vec<Note> {
    let mut notes = Vec::new();
    if decision.in_group {
        return notes;
    }
    let (cluster, groups) = (decision.view.cluster, Groups::of(decision));
    let group = cluster.text(cluster.template(cluster.pod(decision.pod)).group);
    let name = if group.is_empty() { "a group".to_owned() } else { format!("group {group}") };
    if !group.is_empty() || groups == Groups::Written {
        let text = format!("belongs to {name}, {}", groups.clause());
        let note = if groups == Groups::Off { Note::info(&IN_A_GROUP, text) } else { Note::error(&IN_A_GROUP, text) };
        notes.push(note.about(cluster.pod_subject(decision.pod)));
    }
    let evicts = decision.preemption.as_ref().is_some_and(|report| !report.dry_runs.is_empty());
    let modelled = groups == Groups::On && decision.profile().features.pod_groups.group_preemption;
    if groups == Groups::Off || modelled || !evicts {
        return notes;
    }
    let grouped = cluster.pod_indices().filter(|ix| {
        let pod = cluster.pod(*ix);
        pod.is_running() && !cluster.template(pod).group.is_empty()
    });
    let text = "belongs to a pod group: its pods may be evicted together, which is not modelled";
    let note = grouped.fold(Note::error(&GROUPS_MAY_GO, text), |note, pod| note.about(cluster.pod_subject(pod)));
    if !note.objects.is_empty() {
        notes.push(note);
    }
    notes
}

#[cfg(test)]
mod tests;
