//! What makes a decision about a group less than certain.

use super::placements::has_equals;
use super::{GroupDecision, GroupOutcome};
use crate::cluster::Kind;
use crate::decision::pod_groups;
use crate::notes::{self, Note, NoteDoc, Severity};
use crate::profile::gates::Reach;

static PLACES: NoteDoc = NoteDoc {
    code: "PRE-927",
    name: "nodes that are as good for a pod of a group",
    meaning: "A pod of the group may get another node than the one that is shown, and the pods that are tried after it, too; where pods are evicted, others may be.",
};
static TIES: NoteDoc = NoteDoc {
    code: "PRE-928",
    name: "equally important groups and pods",
    meaning: "Pods or groups have the same priority, size and start time: which of them are evicted depends on an order that is not in the API.",
};
static VOLUMES: NoteDoc = NoteDoc {
    code: "PRE-929",
    name: "volumes and devices of a group",
    meaning: "Which of several volumes of one size a pod of the group gets is not in the API; the pods behind it get others, and may fit or not.",
};
static PARENT: NoteDoc = NoteDoc {
    code: "PRE-930",
    name: "composite groups",
    meaning: "Groups of groups are scheduled and evicted together, which is not modelled.",
};

static ONE_BY_ONE: NoteDoc = NoteDoc {
    code: "PRE-931",
    name: "groups in a version that has no cycle for them",
    meaning: "kube-scheduler 1.35 tries the pods of a group one by one, among all other pods, which is not modelled.",
};

/// What notes about groups mean.
pub(crate) static DOCS: &[&NoteDoc] = &[&PLACES, &TIES, &VOLUMES, &PARENT, &ONE_BY_ONE];

/// Whether a note says that kube-scheduler may place the pods of a group otherwise, and then evict others: what is shown is one
/// of several plans that are as good.
#[must_use]
pub fn is_open_choice(note: &Note) -> bool {
    note.doc == &PLACES
}

/// Adds the doubts to the notes of a decision.
pub(super) fn add(decision: &mut GroupDecision) {
    let doubts = of(decision);
    // Every group counts: the own one says what its pods need, others protect theirs.
    let of_groups = |note: &&mut Note| note.lacks.iter().any(|lack| lack.kind == Some(Kind::PodGroup));
    decision.notes.iter_mut().filter(of_groups).for_each(|note| note.severity = Severity::Error);
    doubts.into_iter().for_each(|note| decision.note(note));
    notes::sort(&mut decision.notes);
}

fn of(decision: &GroupDecision) -> Vec<Note> {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let features = &view.profile.features.pod_groups;
    let subject = cluster.group_subject(decision.group);
    let pods = || decision.members.waiting.iter().copied();
    let claims = pods().any(|pod| !cluster.template(cluster.pod(pod)).claims.is_empty());
    let mut notes = view.profile.doubts(|reach| match reach {
        Reach::Any | Reach::Scores => true,
        Reach::Claims => claims || !decision.pod_group().claims.is_empty(),
        Reach::NodeAllocatable => cluster.devices.node_allocatable,
    });
    notes.extend(pod_groups::evidence_note(view.profile, cluster, subject));
    notes.extend(decision.trials.iter().flat_map(|trial| trial.notes.iter().cloned()));
    if !features.group_cycle {
        notes.push(Note::error(
            &ONE_BY_ONE,
            "this version has no cycle for groups, which is not modelled; that of 1.36 is used",
        ));
    }
    if features.composite_groups && cluster.pod_groups.iter().any(|group| !group.parent.is_empty()) {
        notes.push(Note::error(&PARENT, "groups belong to composite groups, which is not modelled"));
    }
    notes.extend(volumes(decision));
    notes.extend(places(decision));
    notes.extend(domains(decision));
    if decision.plan().is_some_and(|plan| plan.ties) {
        notes.push(Note::error(&TIES, "other pods or groups than those shown may be evicted, which are as important"));
    }
    notes
}

/// Volumes that are as large for a pod, and not for those that are tried after it.
fn volumes(decision: &GroupDecision) -> Option<Note> {
    let cluster = decision.view.cluster;
    let of_plan = decision.plan().is_some_and(|plan| plan.rivals);
    let behind = decision.trials.len().saturating_sub(1);
    let concerned = decision.trials.iter().take(behind).filter(|trial| !trial.rivals.is_empty());
    let mut concerned = concerned.map(|trial| cluster.pod_subject(trial.pod)).peekable();
    let text = "it may get one of several volumes that are equally large and not alike; which one is not in the API, and pods of its group that are tried later get others";
    (of_plan || concerned.peek().is_some()).then(|| concerned.fold(Note::error(&VOLUMES, text), Note::about))
}

/// Topology domains that are as good, or of which only one is told.
fn domains(decision: &GroupDecision) -> Option<Note> {
    let placements = &decision.placements;
    let (severity, text) = if decision.chosen.is_some() {
        let same = has_equals(placements, decision.chosen);
        (
            Severity::Warning,
            same.then_some("several topology domains have the same score; kube-scheduler picks one at random"),
        )
    } else {
        let mut messages = placements.iter().map(|placement| &placement.message);
        let first = messages.next();
        let differ = messages.any(|message| Some(message) != first);
        (Severity::Info, differ.then_some("kube-scheduler tells the reasons of any one of the topology domains; here they are those of the first by name"))
    };
    Some(Note::new(&PLACES, severity, text?))
}

/// Pods that may get other nodes.
fn places(decision: &GroupDecision) -> Option<Note> {
    let evicts = matches!(decision.outcome, GroupOutcome::Preempt);
    let open = decision.trials.iter().any(|trial| trial.result.is_open());
    let severity = match (&decision.outcome, decision.plan().is_some_and(|plan| plan.open), open) {
        (_, true, _) => Severity::Error,
        (_, _, false) => return None,
        (GroupOutcome::Scheduled, ..) => Severity::Warning,
        _ => Severity::Info,
    };
    let what = if evicts { "; then others may be evicted" } else { "" };
    let text = format!(
        "several nodes are as good for a pod of the group, and which of them kube-scheduler looks at first is not in the API: \
         the pods may get other nodes{what}"
    );
    Some(Note::new(&PLACES, severity, text))
}
