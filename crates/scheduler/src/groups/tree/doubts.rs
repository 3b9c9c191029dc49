//! What makes a decision about a tree uncertain.

use super::{Tree, TreeDecision};
use crate::framework::cluster_view::ClusterView;
use crate::groups::GroupOutcome;
use crate::groups::doubts::{self, PARENT, PLACES, unread_composites};
use crate::groups::placements::{self, has_equals};
use model::cluster::AnyGroup;
use model::notes::{self, Note, Severity};

/// Adds these caveats to the notes of a decision about a tree and of its groups. All groups are
/// tried in one cycle, so a caveat about one applies to all. `text_may_differ`: one of several
/// texts is written.
pub(super) fn add(decision: &mut TreeDecision, tree: &Tree, text_may_differ: bool) {
    decision.groups.iter_mut().for_each(doubts::add);
    let mut notes: Vec<Note> =
        decision.groups.iter().flat_map(|group| group.notes.clone()).collect();
    notes.extend(unusual(tree, decision.view));
    notes.extend(unread_composites(decision.view));
    notes.extend(domains(decision));
    if text_may_differ || names_any(decision, tree) {
        let text = "kube-scheduler tells the reasons of any one of several topology domains or groups; here they are those of the first";
        notes.push(Note::info(&PLACES, text));
    }
    notes.into_iter().for_each(|note| notes::add(&mut decision.notes, note));
    notes::sort(&mut decision.notes);
    let notes = &decision.notes;
    decision.groups.iter_mut().for_each(|group| group.notes.clone_from(notes));
}

/// What is not modelled about a tree.
fn unusual(tree: &Tree, view: &ClusterView) -> Option<Note> {
    let text = if tree.is_unusual {
        "groups of one tree have the same name, or it has more levels than it may have, which is not modelled"
    } else {
        return None;
    };
    Some(
        Note::error(&PARENT, text)
            .about(view.cluster.any_group_subject(AnyGroup::Groups(tree.root))),
    )
}

/// Topology domains of a composite group that tie.
fn domains(decision: &TreeDecision) -> Option<Note> {
    let equal =
        decision.composites.iter().any(|result| has_equals(&result.placements, result.chosen));
    let text = "several topology domains have the same score; kube-scheduler picks one at random";
    let are_listed = decision.groups.iter().all(|group| group.outcomes.complete);
    let severity = if matches!(decision.outcome, GroupOutcome::Scheduled) && !are_listed {
        Severity::Warning
    } else {
        Severity::Info
    };
    equal.then(|| Note::new(&PLACES, severity, text))
}

/// Whether the error of a group names an arbitrary one of its running pods.
fn names_any(decision: &TreeDecision, tree: &Tree) -> bool {
    let cluster = decision.view.cluster;
    matches!(decision.outcome, GroupOutcome::Error(_))
        && tree.below(AnyGroup::Groups(tree.root)).into_iter().any(|group| {
            let key = match group {
                AnyGroup::Pods(ix) => cluster.pod_group(ix).topology_key,
                AnyGroup::Groups(ix) => cluster.composite_group(ix).topology_key,
            };
            placements::names_any(&tree.running(group), key, decision.view)
        })
}
