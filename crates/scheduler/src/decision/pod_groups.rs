//! Pod groups: how the input shows whether kube-scheduler schedules and evicts the pods of a group
//! as a whole, and what a decision about a single pod misses for this reason. The gate
//! `GenericWorkload` is off by default.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go`,
//! `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37). The API server drops the
//! group of a pod, and does not serve PodGroups, while its own gate is off: `pkg/api/pod/util.go`
//! `dropDisabledSchedulingGroup`, `pkg/registry/scheduling/rest/storage_scheduling.go` (1.37).

use super::gang::GangHold;
use super::{Decision, Outcome, QueueGate};
use crate::framework::doubts::Reliance;
use model::cluster::gang_workload::parts;
use model::cluster::{Cluster, Kind, Pod};
use model::notes::{Note, NoteDoc, SettledBy, Severity, Subject};
use profile::pod_groups::{GATE, GroupEvidence};
use profile::{Profile, gates};

/// Parts of the messages that the scheduler writes only about pods of a group.
///
/// Upstream: `pkg/scheduler/schedule_one_podgroup.go`,
/// `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.36, 1.37).
const MESSAGES: &[&str] = &[
    "pod group is unschedulable",
    "pod group preemption: ",
    "pod group is waiting for preemption",
    "other pod from a pod group",
    "in a single pod group should have the same",
    "minCount (",
    "scheduling policy's minimum threshold (",
    "in a pod group hierarchy should have the same",
    "parent pod group ",
    "ancestor composite pod group ",
    "placements are available, first placement status",
    "no feasible placements found",
    "no pods were schedulable",
    "workload aware preemption",
];

static IN_A_GROUP: NoteDoc = NoteDoc {
    code: "PRE-922",
    name: "a pod of a group",
    meaning: "Where the gate GenericWorkload is on, the pods of a group are scheduled as a whole. The note says what shows whether it \
              is on, and whether the answer holds for the pod alone.",
};
static GROUPS_MAY_GO: NoteDoc = NoteDoc {
    code: "PRE-923",
    name: "pods of a group that may be evicted together",
    meaning: "Where the gate GenericWorkload is on, the pods of a group have the group's priority and may be evicted together.",
};

/// What notes about pod groups mean.
pub static DOCS: &[&NoteDoc] = &[&IN_A_GROUP, &GROUPS_MAY_GO];

/// Sets the gate of `profile` as the input shows it. Flags that set the gate take precedence.
pub fn settle(profile: Profile, cluster: &Cluster) -> Profile {
    let evidence = evidence(&profile, cluster);
    profile.with_group_evidence(evidence)
}

fn evidence(profile: &Profile, cluster: &Cluster) -> GroupEvidence {
    let is_set = profile.gates.contains_key(GATE) || are_flags_shown(cluster);
    if is_set || !gates::known(profile.version).contains_key(GATE) {
        return GroupEvidence::Gate;
    }
    if has_group_message(cluster)
        || cluster.pod_groups.iter().any(|group| group.condition.is_some())
    {
        return GroupEvidence::Written;
    }
    // The objects are served, or pods name groups whose objects were not read.
    let served = if reads_workloads(profile) {
        let mut groups = cluster.workloads.iter().flat_map(|workload| &workload.groups);
        groups.any(|group| !group.is_template)
    } else {
        cluster.pod_groups.iter().any(|group| !group.is_part)
    };
    if !served
        && !cluster
            .pods
            .iter()
            .any(|pod| is_read(profile, cluster.text(cluster.template(pod).group)))
    {
        GroupEvidence::Gate
    } else if served {
        GroupEvidence::Served
    } else {
        GroupEvidence::Named
    }
}

/// Whether this version reads Workloads, of which groups of pods are parts (1.35), instead of
/// PodGroups.
fn reads_workloads(profile: &Profile) -> bool {
    !profile.features.pod_groups.group_cycle
}

/// Whether this version reads the field in which a pod names this group: `spec.workloadRef` in 1.35
/// only, `spec.schedulingGroup` later.
fn is_read(profile: &Profile, group: &str) -> bool {
    !group.is_empty() && parts(group).is_some() == reads_workloads(profile)
}

/// Whether static pods show the scheduler's flags: a gate that is not among them has its default.
pub(crate) fn are_flags_shown(cluster: &Cluster) -> bool {
    cluster
        .header
        .scheduler
        .as_ref()
        .is_some_and(|found| !found.pods.is_empty() && found.differing.is_empty())
}

/// Whether pods may be in groups. There are far fewer templates than pods.
fn names_groups(cluster: &Cluster) -> bool {
    cluster.templates.iter().any(|template| !template.group.is_empty())
}

/// Whether the scheduler has written about the group of a pending pod.
fn has_group_message(cluster: &Cluster) -> bool {
    let waiting = cluster.pods.iter().filter(|pod| pod.is_waiting());
    waiting
        .filter_map(|pod| pod.scheduled_condition.as_ref())
        .any(|condition| MESSAGES.iter().any(|part| condition.message.contains(part)))
}

/// Whether a group that is not in the input is known to be missing from the cluster.
pub fn are_groups_known(cluster: &Cluster) -> bool {
    cluster.pod_groups.iter().any(|group| !group.is_part)
        || cluster.header.resource_versions.contains_key(Kind::PodGroup.plural())
}

/// The note that says how the input shows that groups are on, about `subject`; `None` if flags do.
pub(crate) fn evidence_note(
    profile: &Profile,
    cluster: &Cluster,
    subject: Subject,
) -> Option<Note> {
    let text = match profile.group_evidence.unwrap_or_else(|| evidence(profile, cluster)) {
        GroupEvidence::Gate => return None,
        _ if !profile.features.pod_groups.gangs && reads_workloads(profile) => {
            let text = "the gate GenericWorkload of kube-scheduler is probably on; whether GangScheduling is is not known, and it is taken \
                        to be off";
            let note = Note::error(&IN_A_GROUP, text).about(subject);
            return Some(note.settled_by(SettledBy::FeatureGate("GangScheduling")));
        }
        _ if !profile.features.pod_groups.gangs => {
            let text = "the gate GenericWorkload of kube-scheduler is probably on; whether GangScheduling and \
                        WorkloadAwarePreemption are is not known, and they are taken to be off";
            let note = Note::error(&IN_A_GROUP, text).about(subject);
            return Some(note.settled_by(SettledBy::FeatureGates));
        }
        GroupEvidence::Written => {
            let text = "kube-scheduler has written about groups, so its gate GenericWorkload is on";
            return Some(Note::info(&IN_A_GROUP, text).about(subject));
        }
        GroupEvidence::Served if reads_workloads(profile) => {
            "the input has Workloads, so the gate GenericWorkload of kube-scheduler is probably on"
        }
        GroupEvidence::Served => {
            "the input has PodGroups, so the gate GenericWorkload of kube-scheduler is probably on"
        }
        GroupEvidence::Named => {
            "the API server keeps the group of a pod only where its gate GenericWorkload is on, so that of kube-scheduler is \
             probably on, too"
        }
    };
    let note = Note::error(&IN_A_GROUP, text).about(subject);
    Some(note.settled_by(SettledBy::FeatureGate(GATE)))
}

/// How preemption by a single pod depends on groups: the priority of a group protects its pods, and
/// they may be evicted together.
pub(super) fn relies_on(kind: Kind, decision: &Decision) -> Option<Reliance> {
    let (cluster, features) = (decision.view.cluster, &decision.profile().features.pod_groups);
    let grouped = || {
        let is_grouped = |pod: &Pod| !cluster.template(pod).group.is_empty();
        names_groups(cluster) && cluster.pods.iter().any(|pod| pod.is_running() && is_grouped(pod))
    };
    if kind == Kind::Workload {
        let is_held = matches!(
            decision.outcome,
            Outcome::NotInQueue(QueueGate::Gang(GangHold::NoWorkload { is_known: false }))
        );
        let exists = Reliance {
            absent: Some(Severity::Error),
            ..Reliance::partial(
                Severity::Error,
                "the Workload may exist, and its pods are not held back then",
            )
        };
        return is_held.then_some(exists);
    }
    let in_trees = || {
        features.composite_groups && cluster.pod_groups.iter().any(|group| !group.parent.is_empty())
    };
    let matters = (kind == Kind::PodGroup || kind == Kind::CompositePodGroup && in_trees())
        && features.pod_groups
        && features.group_preemption
        && decision.preemption().is_some()
        && grouped();
    let absent = (kind == Kind::CompositePodGroup).then_some(Severity::Error);
    let effect = "groups may protect their pods, or be evicted as a whole";
    matters.then_some(Reliance { absent, ..Reliance::partial(Severity::Error, effect) })
}

/// How the scheduler treats the group that a pod names.
enum GroupSituation<'g> {
    /// The pod names none.
    NoGroup,
    /// This version does not know the field in which the pod names it.
    UnknownField(&'g str),
    /// The gate is off in the profile, which was not made for this input; the input shows that it
    /// is on.
    ShownToBeOn,
    GateOff(&'g str),
    /// The group is part of a Workload (1.35), and each of its pods is scheduled like any other.
    PartOfWorkload(&'g str),
    /// The group is scheduled as a whole.
    Whole(&'g str),
}

impl<'g> GroupSituation<'g> {
    fn of(decision: &Decision<'g>, shown: GroupEvidence) -> Self {
        let (cluster, profile) = (decision.view.cluster, decision.profile());
        let group = cluster.text(cluster.template(cluster.pod(decision.pod)).group);
        // Versions without the gate know neither field and ignore both.
        let is_unknown =
            gates::known(profile.version).contains_key(GATE) && !is_read(profile, group);
        match profile.features.pod_groups.pod_groups {
            _ if group.is_empty() => Self::NoGroup,
            _ if is_unknown => Self::UnknownField(group),
            false if shown != GroupEvidence::Gate => Self::ShownToBeOn,
            false => Self::GateOff(group),
            true if reads_workloads(profile) => Self::PartOfWorkload(group),
            true => Self::Whole(group),
        }
    }

    /// What is to be known of the pod's own group.
    fn notes(self, decision: &Decision, shown: GroupEvidence) -> Vec<Note> {
        let (cluster, profile) = (decision.view.cluster, decision.profile());
        let subject = cluster.pod_subject(decision.pod);
        let info = |text: String| Note::info(&IN_A_GROUP, text).about(subject.clone());
        match self {
            Self::NoGroup => Vec::new(),
            Self::UnknownField(group) => {
                let field =
                    if reads_workloads(profile) { "schedulingGroup" } else { "workloadRef" };
                vec![info(format!(
                    "belongs to group {group}, which the scheduler ignores: this version does not know spec.{field}"
                ))]
            }
            Self::ShownToBeOn => evidence_note(profile, cluster, subject).into_iter().collect(),
            Self::GateOff(group) => {
                vec![info(format!(
                    "belongs to group {group}, which the scheduler ignores while the gate {GATE} is off"
                ))]
            }
            Self::PartOfWorkload(group) => {
                let mut notes: Vec<Note> =
                    evidence_note(profile, cluster, subject.clone()).into_iter().collect();
                if !profile.features.pod_groups.gangs && shown == GroupEvidence::Gate {
                    notes.push(info(format!(
                        "belongs to group {group}, which the scheduler ignores while the gate GangScheduling is off"
                    )));
                }
                notes
            }
            Self::Whole(group) => {
                let text = format!(
                    "belongs to group {group}, which is scheduled as a whole: the answer holds for the pod alone"
                );
                vec![Note::error(&IN_A_GROUP, text).about(subject)]
            }
        }
    }
}

/// Notes about the pod's own group, and about the groups of pods that may be evicted.
pub(super) fn doubts(decision: &Decision) -> Vec<Note> {
    let (cluster, profile) = (decision.view.cluster, decision.profile());
    let shown = profile.group_evidence.unwrap_or_else(|| evidence(profile, cluster));
    let mut notes = GroupSituation::of(decision, shown).notes(decision, shown);
    notes.extend(evicted_groups(decision, shown));
    notes
}

/// The note about groups whose pods may be evicted together, where it is uncertain how the
/// scheduler evicts them.
fn evicted_groups(decision: &Decision, shown: GroupEvidence) -> Option<Note> {
    if decision.preemption()?.dry_runs.is_empty() {
        return None;
    }
    let (cluster, profile) = (decision.view.cluster, decision.profile());
    let groups = &profile.features.pod_groups;
    // 1.35 evicts the pods of a group one by one, with any gates.
    if reads_workloads(profile) {
        return None;
    }
    let is_modelled = groups.group_preemption || !groups.pod_groups;
    if is_modelled && shown.is_sure() {
        return None;
    }
    let names_groups = names_groups(cluster);
    let mut note = if is_modelled {
        let text =
            "belongs to a pod group, and whether groups are evicted as a whole is not certain";
        Note::error(&GROUPS_MAY_GO, text).settled_by(SettledBy::FeatureGate(GATE))
    } else {
        let text = "belongs to a pod group: its pods may be evicted together, which is not modelled for this version";
        Note::error(&GROUPS_MAY_GO, text)
    };
    for ix in cluster.pod_indices().filter(|_| names_groups) {
        let pod = cluster.pod(ix);
        if pod.is_running() && !cluster.template(pod).group.is_empty() {
            note = note.about(cluster.pod_subject(ix));
        }
    }
    Some(note).filter(|note| !note.objects.is_empty())
}

#[cfg(test)]
mod tests;
