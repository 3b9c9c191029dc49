//! `pending`: a row for each pod that waits for a node, or for its group.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use crate::ahead::Ahead;
use crate::alike::Alike;
use crate::earlier::{EarlierList, KnownRows};
use crate::explain::deciders;
use crate::input::LoadedInput;
use engine::autoscalers::{Autoscalers, Trying};
use engine::cluster::pod::PodIx;
use engine::decision::{Decision, Explanation, OutcomeKind};
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::groups::member::{self, Decider};
use engine::profile::Profile;
use engine::simulation::sequence::{each_in_order, queue_order};
use json::PendingList;
use render::pending::{DecisionSequence, Pending};

/// The number of rows for the pods of a group that is scheduled as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupRows {
    /// One.
    Together,
    /// One for each pod.
    Apart,
}

/// The list as the documented JSON.
#[must_use]
pub fn list(pending: &Pending, input: &LoadedInput) -> PendingList {
    render::json::pending_list(pending, &input.cluster.header, &input.profile, input.source)
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
    alone_since(None, input, views, pods, groups, goes_on).0
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
    let mut deciders = deciders(input, views);
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let (mut pending, mut known) = (Pending::default(), BTreeSet::new());
    let (mut alike, mut ahead) = (Alike::default(), Ahead::new(input, views));
    let make = |pod: PodIx| {
        let view = views.get(input.view_of(pod))?;
        let explanation = with_every_cause(Decider::new(view, input.now).decide(pod));
        // What its row says of the nodes stays with the decision.
        Pending::default().add(&explanation);
        Some(explanation)
    };
    let mut waiting = VecDeque::from(queue_order(pods, &input.cluster));
    while let Some(pod) = waiting.pop_front() {
        if !goes_on() {
            break;
        }
        let profile = input.view_of(pod);
        let (Some(view), Some(decider)) = (views.get(profile), deciders.get_mut(profile)) else {
            continue;
        };
        if let Some(known) = known_rows.of(pod, &input.cluster) {
            pending.add_row(known.row.clone(), &known.notes, view.profile);
            rows.keep(known.row.clone(), known.notes.clone());
            continue;
        }
        let Some((namespace, name)) =
            member::group_of(view, pod).filter(|_| groups == GroupRows::Together)
        else {
            let explanation = alike
                .take(pod)
                .or_else(|| ahead.take(pod, &waiting, &mut alike, &make))
                .unwrap_or_else(|| with_every_cause(decider.decide(pod)));
            add(&mut pending, &explanation, autoscalers.as_ref());
            if let Some(row) = pending.rows.last() {
                rows.keep(row.clone(), explanation.notes.clone());
            }
            alike.keep(explanation);
            continue;
        };
        if known.insert((namespace, name)) {
            let text = |sym| input.cluster.text(sym);
            let answer = GroupAnswer::find(view, text(namespace), text(name), input.now);
            if let Some(answer) = answer {
                pending.add_group(&answer);
                if let Some(autoscalers) = &autoscalers {
                    pending.set_autoscaling(autoscalers.about_group(&answer));
                }
            }
        }
    }
    (pending, rows)
}

/// Decides about each pod on the cluster as the earlier ones leave it. Extenders are not called,
/// because they know the cluster as it is alone. Before each pod, `goes_on` is asked whether the list
/// does.
#[must_use]
pub fn in_order(input: &LoadedInput, pods: &[PodIx], goes_on: &mut dyn FnMut() -> bool) -> Pending {
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let mut pending = Pending { sequence: DecisionSequence::InOrder, ..Pending::default() };
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let add = |decision: &Decision| {
        if !goes_on() {
            return ControlFlow::Break(());
        }
        add(&mut pending, &with_every_cause(decision.clone()), autoscalers.as_ref());
        ControlFlow::Continue(())
    };
    each_in_order(input.cluster.clone(), pods, &profiles, input.now, add);
    pending
}

/// Adds the pod of a decision, and who acts next for it if an autoscaler was found. No new node is
/// tried: that takes as long as a decision for each pod and pool.
fn add(pending: &mut Pending, decision: &Explanation, autoscalers: Option<&Autoscalers>) {
    pending.add(decision);
    if let Some(autoscalers) = autoscalers {
        let told = autoscalers.about(decision, Trying::Off);
        pending.set_autoscaling(told.map(|told| told.verdict));
    }
}

/// The decision with the verdict of every filter about every node, because the first rejection
/// alone does not tell which nodes are nearest.
fn with_every_cause(decision: Decision) -> Explanation {
    let mut explanation = Explanation::from(decision);
    let fits_nowhere =
        matches!(explanation.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable);
    if explanation.membership.is_none() && fits_nowhere {
        explanation.run_other_filters();
    }
    explanation
}
