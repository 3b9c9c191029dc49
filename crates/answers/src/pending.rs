//! `pending`: a row for each pod that waits for a node, or for its group.

mod cause;
mod group;
mod list;
mod of_decision;
mod pod_group;
pub(crate) mod row;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::ahead::{Ahead, Work};
use crate::earlier::{EarlierList, KnownRows};
use crate::explain::deciders;
use crate::explained::ExplainedDecision;
use crate::input::LoadedInput;
use engine::autoscalers::{Autoscalers, Detail};
use engine::cluster::pod::PodIx;
use engine::decision::{Decision, OutcomeKind};
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::groups::member::{self, Decider};
use engine::notes::Note;
use engine::profile::Profile;
use engine::simulation::competitors::PendingKinds;
use engine::simulation::sequence::{each_in_order, queue_order};

pub use cause::BlockingCause;
pub use group::{RowGroup, groups};
pub use list::{DecisionSequence, Pending, summary};
pub use row::{
    Actor, AutoscalerRole, NAMED, PendingGroup, PendingHolder, PendingNomination, PendingRow,
    PendingVerdict, PodOwner,
};

/// The number of rows for the pods of a group that is scheduled as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupRows {
    /// One.
    Together,
    /// One for each pod.
    Apart,
}

/// Decides about each pod on the cluster as it is, which the views of `input` show; about the pods
/// of a group together, unless these are to be apart. Before each pod, `goes_on` is asked whether the
/// list does.
#[must_use]
pub fn alone(
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    pods: &[PodIx],
    groups: GroupRows,
    goes_on: &mut dyn FnMut() -> bool,
) -> Pending {
    decide_each(&KnownRows::default(), None, input, views, pods, groups, goes_on)
}

/// The same, but rows of an earlier list that still hold are not decided anew. Returns also the
/// rows that the next list may take over.
#[must_use]
pub fn alone_since(
    earlier: Option<EarlierList<'_>>,
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    pods: &[PodIx],
    groups: GroupRows,
    goes_on: &mut dyn FnMut() -> bool,
) -> (Pending, KnownRows) {
    let known_rows = earlier.map(|earlier| earlier.rows_that_hold(input)).unwrap_or_default();
    let mut rows = KnownRows::default();
    let pending = decide_each(&known_rows, Some(&mut rows), input, views, pods, groups, goes_on);
    (pending, rows)
}

/// Decides about each pod whose row is not known, and keeps the rows of all in `rows` if another
/// list will follow: a row may have the names of thousands of nodes.
fn decide_each(
    known_rows: &KnownRows,
    mut rows: Option<&mut KnownRows>,
    input: &LoadedInput,
    views: &[ClusterView<'_>],
    pods: &[PodIx],
    groups: GroupRows,
    goes_on: &mut dyn FnMut() -> bool,
) -> Pending {
    let mut deciders = deciders(input, views);
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let competing = PendingKinds::new(views, input.now, |_| false);
    let rower =
        Rower { input, views, autoscalers: autoscalers.as_ref(), pending: competing.as_ref() };
    let (mut pending, mut known) = (Pending::default(), BTreeSet::new());
    let pods = queue_order(pods, &input.cluster);
    let is_known = |pod| known_rows.of(pod, &input.cluster).is_some();
    rayon::in_place_scope(|scope| {
        let mut ahead = Ahead::new(&rower, scope, input, views, &pods, is_known, usize::MAX);
        for pod in pods {
            if !goes_on() {
                break;
            }
            let profile = input.view_of(pod);
            let (Some(view), Some(decider)) = (views.get(profile), deciders.get_mut(profile))
            else {
                continue;
            };
            if let Some(known) = known_rows.of(pod, &input.cluster) {
                pending.add_row(known.row.clone(), &known.notes, view.profile);
                if let Some(rows) = &mut rows {
                    rows.keep(known.row.clone(), known.notes.clone());
                }
                continue;
            }
            let Some((namespace, name)) =
                member::group_of(view, pod).filter(|_| groups == GroupRows::Together)
            else {
                let decide = || Some(with_every_cause(decider.decide(pod)));
                if let Some(PodRow { row, notes }) = ahead.answer(pod, decide) {
                    if let Some(rows) = &mut rows {
                        rows.keep(row.clone(), notes.clone());
                    }
                    pending.add_row(row, &notes, view.profile);
                }
                continue;
            };
            if known.insert((namespace, name)) {
                let text = |sym| input.cluster.text(sym);
                let answer = GroupAnswer::find(view, text(namespace), text(name), input.now);
                if let Some(answer) = answer {
                    pending.add_group(&answer);
                    if let (Some(all), Some(row)) = (&autoscalers, pending.rows.last_mut()) {
                        row.set_autoscaling(all.about_group(&answer));
                    }
                }
            }
        }
    });
    pending
}

/// The row of a pod, with the notes of its decision.
struct PodRow {
    row: PendingRow,
    notes: Vec<Note>,
}

/// Everything needed for the row of a pod, whatever is known of others.
struct Rower<'e, 'v> {
    input: &'e LoadedInput,
    views: &'v [ClusterView<'v>],
    autoscalers: Option<&'e Autoscalers<'e>>,
    pending: Option<&'e PendingKinds<'v>>,
}

impl<'v> Work<'v> for Rower<'_, 'v> {
    type Drawn = PodRow;

    fn explain(&self, pod: PodIx) -> Option<ExplainedDecision<'v>> {
        let view = self.views.get(self.input.view_of(pod))?;
        Some(with_every_cause(Decider::new(view, self.input.now).decide(pod)))
    }

    /// A row has nothing that other programs wrote about the pod.
    fn adapt(&self, like: ExplainedDecision<'v>) -> ExplainedDecision<'v> {
        like
    }

    fn draw(&self, explanation: &ExplainedDecision<'v>) -> PodRow {
        let mut row = row(explanation, self.autoscalers);
        if let Some(pending) = self.pending {
            row.competitors = pending.of_decision(explanation);
        }
        PodRow { row, notes: explanation.notes.clone() }
    }
}

/// Decides about each pod on the cluster as the earlier ones leave it. Extenders are not called,
/// because they know the cluster as it is alone. Before each pod, `goes_on` is asked whether the list
/// does.
#[must_use]
pub fn in_order(input: &LoadedInput, pods: &[PodIx], goes_on: &mut dyn FnMut() -> bool) -> Pending {
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let mut pending = Pending { sequence: DecisionSequence::InOrder, ..Pending::default() };
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    // Earlier pods that may not preempt, and are tried again once the victims of others are gone.
    let mut blocked: Vec<PodIx> = Vec::new();
    let add = |decision: &Decision| {
        if !goes_on() {
            return ControlFlow::Break(());
        }
        let explanation = with_every_cause(decision.clone());
        let mut row = row(&explanation, autoscalers.as_ref());
        if !blocked.is_empty() && decision.kind() == OutcomeKind::Preempt {
            let views = std::slice::from_ref(decision.view);
            let pending = PendingKinds::among(views, input.now, blocked.iter().copied());
            if let Some(pending) = pending {
                row.competitors = pending.of_decision(decision);
            }
        }
        let report = decision.preemption();
        if report.is_some_and(|report| report.off || report.ineligible.is_some()) {
            blocked.push(decision.pod);
        }
        pending.add_row(row, &explanation.notes, explanation.profile());
        ControlFlow::Continue(())
    };
    each_in_order(input.cluster.clone(), pods, &profiles, input.now, add);
    pending
}

/// The row of a decision, with who acts next for the pod if an autoscaler was found.
fn row(decision: &ExplainedDecision, autoscalers: Option<&Autoscalers>) -> PendingRow {
    let mut row = PendingRow::of(decision);
    if let Some(autoscalers) = autoscalers {
        let told = autoscalers.about(decision, Detail::Verdict);
        row.set_autoscaling(told.map(|told| told.verdict));
    }
    row
}

/// The decision with the verdict of every filter about every node, because the first rejection
/// alone does not tell which nodes are nearest.
fn with_every_cause(decision: Decision) -> ExplainedDecision {
    let mut explanation = ExplainedDecision::from(decision);
    let fits_nowhere =
        matches!(explanation.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable);
    if explanation.membership.is_none() && fits_nowhere {
        explanation.run_other_filters();
    }
    explanation
}
