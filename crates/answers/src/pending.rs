//! `pending`: a row for each pod that waits for a node, or for its group.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::alike::Alike;
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

/// How many verdicts about nodes are made ahead of the pod that the list has come to.
const VERDICTS_AHEAD: usize = 40_000;
/// Among how many pods of the list those are looked for that differ from it.
const LOOKED_AHEAD: usize = 256;

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
    let mut deciders = deciders(input, views);
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let (mut pending, mut known) = (Pending::default(), BTreeSet::new());
    let (mut alike, mut ahead) = (Alike::default(), Ahead::new(input, views));
    let mut waiting = VecDeque::from(queue_order(pods, &input.cluster));
    while let Some(pod) = waiting.pop_front() {
        if !goes_on() {
            break;
        }
        let profile = input.view_of(pod);
        let (Some(view), Some(decider)) = (views.get(profile), deciders.get_mut(profile)) else {
            continue;
        };
        let Some((namespace, name)) =
            member::group_of(view, pod).filter(|_| groups == GroupRows::Together)
        else {
            let explanation = alike
                .take(pod)
                .or_else(|| ahead.take(pod, &waiting, &mut alike))
                .unwrap_or_else(|| with_every_cause(decider.decide(pod)));
            add(&mut pending, &explanation, autoscalers.as_ref());
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
    pending
}

/// Decisions about pods that differ, which all threads make at once, ahead of the list.
struct Ahead<'i, 'v> {
    input: &'i LoadedInput,
    views: &'v [ClusterView<'v>],
    /// How many are made at once.
    number: usize,
    made: Vec<Explanation<'v>>,
}

impl<'i, 'v> Ahead<'i, 'v> {
    fn new(input: &'i LoadedInput, views: &'v [ClusterView<'v>]) -> Self {
        let affordable = VERDICTS_AHEAD / input.cluster.nodes.len().max(1);
        let number = rayon::current_num_threads().min(affordable);
        Self { input, views, number, made: Vec::new() }
    }

    /// The decision about a pod. If it is not made, it is made together with those about pods that
    /// come later and are not alike; `None` where decisions are made one by one.
    fn take(
        &mut self,
        pod: PodIx,
        waiting: &VecDeque<PodIx>,
        alike: &mut Alike<'v>,
    ) -> Option<Explanation<'v>> {
        if self.number < 2 {
            drop(alike.take_spent());
            return None;
        }
        if !self.made.iter().any(|made| made.pod == pod) {
            let spent = alike.take_spent();
            let pods = self.choose(pod, waiting, alike);
            if pods.len() < 2 {
                return None;
            }
            let decide = |pod: &PodIx| {
                let view = self.views.get(self.input.view_of(*pod))?;
                let decision = Decider::new(view, self.input.now).decide(*pod);
                let explanation = with_every_cause(decision);
                // What its row says of the nodes stays with the decision.
                Pending::default().add(&explanation);
                Some(explanation)
            };
            let (made, ()): (Vec<Explanation>, ()) = rayon::join(
                || pods.par_iter().filter_map(decide).collect(),
                || spent.into_par_iter().for_each(drop),
            );
            self.made.extend(made);
        }
        let at = self.made.iter().position(|made| made.pod == pod)?;
        Some(self.made.swap_remove(at))
    }

    /// This pod and the next ones that no known decision, nor one of another of these, may be
    /// about.
    fn choose(&self, first: PodIx, waiting: &VecDeque<PodIx>, alike: &Alike) -> Vec<PodIx> {
        let cluster = &self.input.cluster;
        let mut pods = Vec::with_capacity(self.number);
        for pod in std::iter::once(first).chain(waiting.iter().copied().take(LOOKED_AHEAD)) {
            let Some(view) = self.views.get(self.input.view_of(pod)) else { continue };
            // An extender is asked about one pod after the other, and a group is decided once.
            let is_apart = view.extender_client.is_none()
                && cluster.template(cluster.pod(pod)).group.is_empty();
            let mut chosen = pods.iter().map(|chosen: &PodIx| cluster.pod(*chosen));
            let differs = !chosen.any(|chosen| chosen.can_stand_for(cluster.pod(pod)));
            let is_made = self.made.iter().any(|made| made.pod == pod);
            if is_apart && differs && !is_made && !alike.may_have(pod) {
                pods.push(pod);
            } else if pod == first {
                return pods;
            }
            if pods.len() == self.number {
                break;
            }
        }
        pods
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
