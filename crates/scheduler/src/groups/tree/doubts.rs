//! What makes a decision about a tree uncertain.

use super::{Tree, TreeDecision};
use crate::decision::unread;
use crate::framework::cluster_view::ClusterView;
use crate::framework::doubts::Reliance;
use crate::groups::doubts::{self, PARENT, PLACES};
use crate::groups::placements::{self, has_equals};
use crate::groups::{GroupDecision, GroupOutcome};
use model::cluster::{AnyGroup, Kind};
use model::notes::{self, Note, Severity};

/// Adds these caveats to the notes of a decision about a tree and of its groups. All groups are
/// tried in one cycle, so a caveat about one applies to all. `text_may_differ`: one of several
/// texts is written.
pub(super) fn add(decision: &mut TreeDecision, tree: &Tree, text_may_differ: bool) {
    decision.groups.iter_mut().for_each(doubts::add);
    let mut found: Vec<Note> =
        decision.groups.iter().flat_map(|group| group.notes.clone()).collect();
    found.extend(unusual(tree, decision.view));
    found.extend(unread_composites(decision.view));
    found.extend(domains(decision));
    if text_may_differ || names_any(decision, tree) {
        let text = "kube-scheduler tells the reasons of any one of several topology domains or groups; here they are those of the first";
        found.push(Note::info(&PLACES, text));
    }
    found.into_iter().for_each(|note| notes::add(&mut decision.notes, note));
    notes::sort(&mut decision.notes);
    let notes = &decision.notes;
    decision.groups.iter_mut().for_each(|group| group.notes.clone_from(notes));
}

/// What is not modelled about a tree.
fn unusual(tree: &Tree, view: &ClusterView) -> Option<Note> {
    let newer = view.profile.features.pod_groups.group_cause_alone;
    let text = if tree.is_unusual {
        "groups of one tree have the same name, or it has more levels than it may have, which is not modelled"
    } else if newer {
        "how this version treats composite groups is not settled; the rules are those of 1.37"
    } else {
        return None;
    };
    Some(
        Note::error(&PARENT, text)
            .about(view.cluster.any_group_subject(AnyGroup::Groups(tree.root))),
    )
}

/// The note that composite groups could not be read.
pub(in crate::groups) fn unread_composites(view: &ClusterView) -> Option<Note> {
    let effect = "groups may be scheduled or evicted with others, or be held back";
    let reliance =
        Reliance { absent: Some(Severity::Error), ..Reliance::partial(Severity::Error, effect) };
    unread::of_answer(Kind::CompositePodGroup, reliance, view.cluster)
}

/// Topology domains of a composite group that tie.
fn domains(decision: &TreeDecision) -> Option<Note> {
    let equal =
        decision.composites.iter().any(|result| has_equals(&result.placements, result.chosen));
    let text = "several topology domains have the same score; kube-scheduler picks one at random";
    let severity = if matches!(decision.outcome, GroupOutcome::Scheduled) {
        Severity::Warning
    } else {
        Severity::Info
    };
    equal.then(|| Note::new(&PLACES, severity, text))
}

/// Whether the error of a group names an arbitrary one of its running pods.
fn names_any(decision: &TreeDecision, tree: &Tree) -> bool {
    let cluster = decision.view.cluster;
    let of = |group: AnyGroup| {
        let key = match group {
            AnyGroup::Pods(ix) => cluster.pod_group(ix).topology_key,
            AnyGroup::Groups(ix) => cluster.composite_group(ix).topology_key,
        };
        placements::names_any(&tree.running(group), key, decision.view)
    };
    matches!(decision.outcome, GroupOutcome::Error(_))
        && tree.below(AnyGroup::Groups(tree.root)).into_iter().any(of)
}

/// What is unknown about a group with a parent, outside of any tree that kube-scheduler sees.
pub(in crate::groups) fn of_lone_group(decision: &GroupDecision) -> Vec<Note> {
    let view = decision.view;
    let concerned = view.cluster.pod_groups.iter().any(|group| !group.parent.is_empty());
    if !view.profile.features.pod_groups.composite_groups || !concerned {
        return Vec::new();
    }
    let deep = matches!(super::standing(decision.group, view), super::Standing::TooDeep);
    let text =
        "belongs to groups in more levels than there may be, or in a circle, which is not modelled";
    let note = || Note::error(&PARENT, text).about(view.cluster.group_subject(decision.group));
    unread_composites(view).into_iter().chain(deep.then(note)).collect()
}
