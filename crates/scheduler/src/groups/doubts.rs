//! What makes a decision about a group uncertain.

use std::collections::BTreeSet;

use super::choices::alike;
use super::placements::{self, has_equals};
use super::preemption::GroupPlan;
use super::tree::{Standing, standing};
use super::{GroupDecision, GroupOutcome, gate};
use crate::decision::{gang, pod_groups, unread};
use crate::framework::cluster_view::ClusterView;
use crate::framework::doubts::Reliance;
use crate::preemption::doubts::{BUDGET_ORDER, domain_order};
use model::cluster::{Cluster, Kind, PodIx};
use model::notes::{self, Note, NoteDoc, SettledBy, Severity, Subject};
use profile::gates::Reach;

pub(super) static PLACES: NoteDoc = NoteDoc {
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
pub(super) static PARENT: NoteDoc = NoteDoc {
    code: "PRE-930",
    name: "composite groups",
    meaning: "Groups of groups are scheduled and evicted together. Some of their trees are not modelled.",
};

static ORDER: NoteDoc = NoteDoc {
    code: "PRE-934",
    name: "the order of the pods of a group",
    meaning: "kube-scheduler tries pods of one priority in the order in which it has learned of them: that in which they were created, \
              or any, if it was started since then. Pods that ask for the same change places then; with others, another \
              number of pods may fit.",
};

static GATES: NoteDoc = NoteDoc {
    code: "PRE-935",
    name: "a gate that a field of a group shows",
    meaning: "The API server keeps the field only where its gate is on. Whether that of kube-scheduler is on is not in the API; it is \
              taken to be off, as by default.",
};

/// What notes about groups mean.
pub static DOCS: &[&NoteDoc] = &[&PLACES, &TIES, &VOLUMES, &PARENT, &ORDER, &GATES];

/// Whether a note says that kube-scheduler may place the pods of a group differently, and then
/// evict others: the answer is one of several equally good plans.
pub fn is_open_choice(note: &Note) -> bool {
    note.doc == &PLACES
}

/// Adds these caveats to the notes of a decision.
pub(super) fn add(decision: &mut GroupDecision) {
    let doubts = of(decision);
    // Every group counts: the pod's own one defines what its pods need, others protect theirs.
    decision
        .notes
        .iter_mut()
        .filter(|note| {
            note.lacks
                .iter()
                .any(|lack| matches!(lack.kind, Some(Kind::PodGroup | Kind::CompositePodGroup)))
        })
        .for_each(|note| note.severity = Severity::Error);
    doubts.into_iter().for_each(|note| decision.note(note));
    notes::sort(&mut decision.notes);
}

fn of(decision: &GroupDecision) -> Vec<Note> {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let subject = cluster.group_subject(decision.group);
    let claims = decision
        .members
        .waiting
        .iter()
        .copied()
        .any(|pod| !cluster.template(cluster.pod(pod)).claims.is_empty());
    let mut notes = view.profile.doubts(|reach| match reach {
        Reach::Any | Reach::Scores => true,
        Reach::Claims => claims || !decision.pod_group().claims.is_empty(),
        Reach::NodeAllocatable => cluster.devices.node_allocatable,
    });
    notes.extend(pod_groups::evidence_note(view.profile, cluster, subject.clone()));
    let evicts = decision.preemption.as_ref().is_some_and(|report| report.potential > 0);
    let budgets = Reliance::partial(Severity::Error, "budgets may protect these victims");
    let budgets = unread::of_answer(Kind::PodDisruptionBudget, budgets, cluster).filter(|_| evicts);
    // A pod's own note about groups says only that it needs none.
    let own = budgets.as_ref().map(|note| (note.doc.code, &note.objects));
    let of_pods = decision.trials.iter().flat_map(|trial| &trial.notes);
    notes.extend(of_pods.filter(|note| own != Some((note.doc.code, &note.objects))).cloned());
    notes.extend(budgets);
    notes.extend(one_by_one(decision));
    notes.extend(of_lone_group(decision));
    notes.extend(gates(decision, &subject));
    notes.extend(members(decision));
    notes.extend(preempts_on_several(decision));
    notes.extend(volumes(decision));
    notes.extend(places(decision));
    notes.extend(domains(decision));
    notes.extend(order(decision));
    notes.extend(decision.plan().into_iter().flat_map(orders));
    // Nothing is uncertain about a choice of which every outcome is listed.
    if decision.outcomes.complete {
        for note in &mut notes {
            if [&PLACES, &TIES, &BUDGET_ORDER].contains(&note.doc) {
                note.severity = Severity::Info;
            }
        }
    }
    notes.extend(unlisted(decision));
    notes
}

/// Outcomes that no choice among equals leads to.
fn unlisted(decision: &GroupDecision) -> Option<Note> {
    let text = "kube-scheduler tries topology domains in a random order and stops once enough of them fit, or ranks nodes by \
                budgets that it walks in any order: the pods may get other nodes";
    decision.outcomes.has_unlisted.then(|| Note::error(&PLACES, text))
}

/// The note that composite groups could not be read.
pub(super) fn unread_composites(view: &ClusterView) -> Option<Note> {
    let effect = "groups may be scheduled or evicted with others, or be held back";
    let reliance =
        Reliance { absent: Some(Severity::Error), ..Reliance::partial(Severity::Error, effect) };
    unread::of_answer(Kind::CompositePodGroup, reliance, view.cluster)
}

/// What is unknown about a group with a parent, outside of any tree that kube-scheduler sees.
fn of_lone_group(decision: &GroupDecision) -> Vec<Note> {
    let view = decision.view;
    let concerned = view.cluster.pod_groups.iter().any(|group| !group.parent.is_empty());
    if !view.profile.features.pod_groups.composite_groups || !concerned {
        return Vec::new();
    }
    let deep = matches!(standing(decision.group, view), Standing::TooDeep);
    let text =
        "belongs to groups in more levels than there may be, or in a circle, which is not modelled";
    unread_composites(view)
        .into_iter()
        .chain(
            deep.then(|| {
                Note::error(&PARENT, text).about(view.cluster.group_subject(decision.group))
            }),
        )
        .collect()
}

/// In 1.35 each pod has its own cycle.
fn one_by_one(decision: &GroupDecision) -> Vec<Note> {
    let cluster = decision.view.cluster;
    let groups = &decision.view.profile.features.pod_groups;
    if !groups.one_by_one() || decision.trials.is_empty() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    let waiting = cluster.pods.iter().filter(|pod| pod.is_waiting()).count();
    if (decision.trials.len(), waiting) != (1, 1) {
        let text = "each pod of the group has a cycle of its own: other pods that wait for a node may be tried between them";
        notes.push(Note::info(&gang::PERMIT, text));
    }

    let mut in_vain =
        Note::warning(&gang::PERMIT, "evicts pods, though too few pods of its gang get a node");
    let mut assumed = Note::warning(
        &gang::PERMIT,
        "may wait at Permit already: its nomination is then a place that it holds",
    );
    let is_in_vain = decision.outcome == GroupOutcome::Unschedulable
        && decision.permit().is_some_and(|permit| !permit.is_met());
    for trial in &decision.trials {
        let subject = cluster.pod_subject(trial.pod);
        if is_in_vain && trial.preempts.is_some() {
            in_vain = in_vain.about(subject.clone());
        }
        if may_be_assumed(trial.pod, cluster) {
            assumed = assumed.about(subject);
        }
    }
    notes.extend([in_vain, assumed].into_iter().filter(|note| !note.objects.is_empty()));
    notes
}

/// Whether a waiting pod may be assumed on the node to which it is nominated: nothing has been
/// written about it since.
fn may_be_assumed(pod: PodIx, cluster: &Cluster) -> bool {
    let pod = cluster.pod(pod);
    !pod.nominated_node.is_empty() && pod.scheduled_condition.is_none()
}

/// Up to 1.36 pods of one priority are tried in any order.
fn members(decision: &GroupDecision) -> Option<Note> {
    let in_any_order = !decision.view.profile.features.pod_groups.gangs_end_early;
    let tried =
        decision.written.iter().map(|written| decision.view.cluster.pod(written.pod).priority);
    let priorities: BTreeSet<i32> = tried.collect();
    let text = "kube-scheduler tries pods of the same priority in an order that the API does not show: the pods may get other nodes";
    (in_any_order && priorities.len() < decision.written.len())
        .then(|| Note::warning(&PLACES, text))
}

/// Pods that preempt alone, and may do so on any of several nodes.
fn preempts_on_several(decision: &GroupDecision) -> Option<Note> {
    let text = "evicting pods from several nodes is as good for a pod of the group; kube-scheduler picks one at random";
    decision
        .trials
        .iter()
        .any(|trial| trial.preempts_on_several)
        .then(|| Note::error(&PLACES, text))
}

/// Orders that the victims of a plan depend on.
fn orders(plan: &GroupPlan) -> impl Iterator<Item = Note> {
    let ties = "other pods or groups than those shown may be evicted, which are as important";
    let budgets =
        "pods match several of them, and the order in which the scheduler walks them is random";
    let other = if plan.other_victims {
        Some(Note::error(
            &BUDGET_ORDER,
            format!("{budgets}: other pods than those shown may be evicted"),
        ))
    } else {
        let text = format!("{budgets}: another number of victims may violate one");
        plan.other_violations.then(|| Note::info(&BUDGET_ORDER, text))
    };
    let ties = plan.units_tie.then(|| Note::error(&TIES, ties));
    ties.into_iter().chain(plan.domains_tie.then(domain_order)).chain(other)
}

/// Fields of the group that count only if a gate of the scheduler is on, and flags do not set that
/// gate.
///
/// Upstream: `pkg/registry/scheduling/podgroup/strategy.go`
/// `dropDisabledSchedulingConstraintsFields`, `dropDisabledPreemptionPolicyField` (1.37).
fn gates(decision: &GroupDecision, subject: &Subject) -> Vec<Note> {
    let (view, group) = (decision.view, decision.pod_group());
    let features = &view.profile.features.pod_groups;
    let fields = [
        UngatedField {
            is_used: !group.parent.is_empty() && !features.composite_groups,
            gate: "CompositePodGroup",
            text: "the group of groups to which it belongs is kept",
        },
        UngatedField {
            is_used: group.is_constrained && !features.group_placements,
            gate: "TopologyAwareWorkloadScheduling",
            text: "its topology constraint is kept",
        },
        UngatedField {
            is_used: has_own_policy(decision) && !features.group_policy,
            gate: "PodGroupPreemptionPolicy",
            text: "its preemption policy, which is not that of its pods, is kept",
        },
    ];
    let mut notes = Vec::new();
    for UngatedField { is_used, gate, text } in fields {
        // If the scheduler's flags are shown, the gates are known.
        let is_known =
            view.profile.gates.contains_key(gate) || pod_groups::are_flags_shown(view.cluster);
        if !is_used || is_known {
            continue;
        }
        let text = format!(
            "{text} only where the API server's gate {gate} is on, so that of kube-scheduler is probably on, too; it is taken to be \
             off"
        );
        let note = Note::error(&GATES, text).about(subject.clone());
        notes.push(note.settled_by(SettledBy::FeatureGate(gate)));
    }
    notes
}

/// A field of a group that the scheduler ignores because its gate is off.
struct UngatedField {
    /// Whether the field would count.
    is_used: bool,
    gate: &'static str,
    text: &'static str,
}

/// Whether the group's preemption policy differs from that of one of its pods.
fn has_own_policy(decision: &GroupDecision) -> bool {
    let cluster = decision.view.cluster;
    let Some(own) = decision.pod_group().never_preempts else { return false };
    let mut waiting = decision.members.waiting.iter();
    waiting.any(|pod| cluster.template(cluster.pod(*pod)).never_preempts != own)
}

/// Volumes that are equally large for one pod, but not for the pods tried after it.
fn volumes(decision: &GroupDecision) -> Option<Note> {
    let cluster = decision.view.cluster;
    let of_plan = decision.plan().is_some_and(|plan| plan.volumes_tie);
    let behind = decision.trials.len().saturating_sub(1);
    let concerned =
        decision.trials.iter().take(behind).filter(|trial| !trial.volume_ties.is_empty());
    let mut concerned = concerned.map(|trial| cluster.pod_subject(trial.pod)).peekable();
    let text = "it may get one of several volumes that are equally large and not alike; which one is not in the API, and pods of its group that are tried later get others";
    (of_plan || concerned.peek().is_some())
        .then(|| concerned.fold(Note::error(&VOLUMES, text), Note::about))
}

/// Pods that may be tried in another order.
fn order(decision: &GroupDecision) -> Option<Note> {
    let (cluster, waiting) = (decision.view.cluster, &decision.members.waiting);
    let severity = waiting
        .iter()
        .zip(waiting.iter().skip(1))
        .filter_map(|(a, b)| {
            let [one, other] = [a, b].map(|pod| {
                let written = decision.written.iter().find(|written| written.pod == *pod);
                (decision.node_of(*pod), written.map(|written| &written.condition))
            });
            let differ = one != other;
            let alike = alike(*a, *b, cluster);
            let tied = cluster.pod(*a).priority == cluster.pod(*b).priority;
            (tied && (differ || !alike)).then_some(if alike {
                Severity::Info
            } else {
                Severity::Warning
            })
        })
        .max()?;
    let text = "kube-scheduler tries pods of one priority as it has learned of them, which is taken to be the order in which they \
                were created";
    let in_order = decision.view.profile.features.pod_groups.gangs_end_early;
    (in_order && !decision.trials.is_empty()).then(|| Note::new(&ORDER, severity, text))
}

/// Topology domains that tie, or of which the message reports only one.
fn domains(decision: &GroupDecision) -> Option<Note> {
    let placements = &decision.placements;
    let of_plan = decision.preemption.as_ref().is_some_and(|report| report.text_may_differ);
    let names_any = || {
        placements::names_any(
            &decision.members.running,
            decision.pod_group().topology_key,
            decision.view,
        )
    };
    let (severity, text) = if let GroupOutcome::Error(_) = decision.outcome {
        let any = "pods of the group run in different topology domains or in none, and kube-scheduler names any of them";
        let differing = "several running pods of the group differ from the others, and kube-scheduler names any of them";
        let first = "several nodes end the cycle with an error, and kube-scheduler tells that of the first one that it meets";
        let errors_differ = decision.other_errors || of_plan;
        (
            Severity::Info,
            names_any()
                .then_some(any)
                .or_else(|| gate::names_any(decision).then_some(differing))
                .or_else(|| errors_differ.then_some(first)),
        )
    } else if decision.chosen.is_some() {
        let same = has_equals(placements, decision.chosen);
        (
            Severity::Warning,
            same.then_some(
                "several topology domains have the same score; kube-scheduler picks one at random",
            ),
        )
    } else {
        let differ = of_plan
            || placements::differ(placements, None, |tried| (&tried.message, &tried.messages));
        (Severity::Info, differ.then_some("kube-scheduler tells the reasons of any one of the topology domains; here they are those of the first by name"))
    };
    Some(Note::new(&PLACES, severity, text?))
}

/// Pods that may get other nodes.
fn places(decision: &GroupDecision) -> Option<Note> {
    let evicts = matches!(decision.outcome, GroupOutcome::Preempt);
    let open = decision.trials.iter().any(|trial| trial.result.is_open());
    let severity =
        match (&decision.outcome, decision.plan().is_some_and(|plan| plan.nodes_tie), open) {
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
