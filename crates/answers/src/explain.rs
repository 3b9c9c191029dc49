//! `explain`: the decision about each pod, with what is computed on demand. Pods that are alike
//! share the explanation of the first of them.

use std::ops::ControlFlow;

use crate::ahead::{Ahead, Work};
use crate::commands::add_checks;
use crate::explained::ExplainedDecision;
use crate::input::LoadedInput;
pub use crate::origin::CheckFlags;
use crate::questions::verify::try_other_versions;
use engine::autoscalers::{Autoscalers, Detail};
use engine::cluster::pod::PodIx;
use engine::decision::sampling::Starts;
use engine::framework::cluster_view::ClusterView;
use engine::groups::member::Decider;
use engine::simulation::competitors::PendingKinds;
use engine::simulation::sequence::queue_order;

/// Limit, over all pods, of the nodes for which every version is checked whether it writes the text
/// of a pod's condition.
const NODES_OF_OTHER_VERSIONS: usize = 500;

/// What an explanation computes besides the reasons.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// The nodes at which the scheduler may start to look for feasible ones (`--as-scheduled`).
    pub starts: Option<Starts>,
    /// Whether to look for remedies, with commands that try them.
    pub remedies: Option<CheckFlags>,
}

/// How explanations become what the list consists of.
pub struct Drawing<'d, 'v, T> {
    /// Draws one. Several threads do so at once.
    pub draw: &'d (dyn Fn(&ExplainedDecision<'v>) -> T + Sync),
    /// Maximum number of explanations that are drawn ahead of the list.
    pub most: usize,
}

/// Explains the decisions about `pods`, in the order of the scheduler's queue, draws each as soon
/// as it is made, and hands it to `each` until that breaks. Before each pod, `goes_on` is asked
/// whether the list does.
pub fn explain_each<'v, T: Send, B>(
    input: &LoadedInput,
    views: &'v [ClusterView<'v>],
    pods: &[PodIx],
    extras: &Extras,
    goes_on: &mut dyn FnMut() -> bool,
    drawing: &Drawing<'_, 'v, T>,
    each: &mut dyn FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let autoscalers = autoscalers.as_ref();
    let pending = PendingKinds::new(views, input.now, |_| false);
    let pending = pending.as_ref();
    let explainer = Explainer { input, views, extras, autoscalers, pending, draw: drawing.draw };
    let mut deciders = deciders(input, views);
    let pods = queue_order(pods, &input.cluster);
    if input.cluster.nodes.len() * pods.len() <= NODES_OF_OTHER_VERSIONS {
        // Each version decides about all pods at once, so that its view of the cluster is built
        // only once.
        let pods = pods.into_iter().take_while(|_| goes_on());
        let mut explanations: Vec<ExplainedDecision> =
            pods.filter_map(|pod| explainer.explain_with(pod, &mut deciders)).collect();
        let alone = explanations.iter_mut().filter(|one| one.membership.is_none());
        let mut conditions: Vec<_> = alone.filter_map(|one| one.condition.as_mut()).collect();
        try_other_versions(&mut conditions, input);
        return explanations.iter().map(drawing.draw).try_for_each(each);
    }
    rayon::in_place_scope(|scope| {
        let mut ahead = Ahead::new(&explainer, scope, input, views, &pods, |_| false, drawing.most);
        for pod in pods {
            if !goes_on() {
                break;
            }
            let explain = || explainer.explain_with(pod, &mut deciders);
            if let Some(drawn) = ahead.answer(pod, explain) {
                each(drawn)?;
            }
        }
        ControlFlow::Continue(())
    })
}

/// One decider for each of the views of `input`.
#[must_use]
pub fn deciders<'v>(input: &LoadedInput, views: &'v [ClusterView<'v>]) -> Vec<Decider<'v>> {
    views.iter().map(|view| Decider::new(view, input.now)).collect()
}

/// The explained decision about a pod: with every node's rejections if it is not scheduled with its
/// group.
pub fn decide<'v>(
    input: &LoadedInput,
    deciders: &mut [Decider<'v>],
    pod: PodIx,
) -> Option<ExplainedDecision<'v>> {
    let mut decision = ExplainedDecision::from(deciders.get_mut(input.view_of(pod))?.decide(pod));
    if decision.membership.is_none() {
        decision.run_other_filters();
    }
    decision.compare_condition();
    Some(decision)
}

/// Everything needed to explain a pod, whatever is known of others, and to draw that.
struct Explainer<'e, 'v, T> {
    input: &'e LoadedInput,
    views: &'v [ClusterView<'v>],
    extras: &'e Extras,
    autoscalers: Option<&'e Autoscalers<'e>>,
    pending: Option<&'e PendingKinds<'v>>,
    draw: &'e (dyn Fn(&ExplainedDecision<'v>) -> T + Sync),
}

impl<'v, T: Send> Work<'v> for Explainer<'_, 'v, T> {
    type Drawn = T;

    fn explain(&self, pod: PodIx) -> Option<ExplainedDecision<'v>> {
        self.explain_with(pod, &mut deciders(self.input, self.views))
    }

    /// What other programs wrote about a pod is about that one alone, and so is a command that
    /// names it.
    fn adapt(&self, mut like: ExplainedDecision<'v>) -> ExplainedDecision<'v> {
        like.compare_condition();
        self.add_own(&mut like);
        like
    }

    fn draw(&self, explanation: &ExplainedDecision<'v>) -> T {
        (self.draw)(explanation)
    }
}

impl<'v, T> Explainer<'_, 'v, T> {
    /// Decides about a pod and explains that.
    fn explain_with(
        &self,
        pod: PodIx,
        deciders: &mut [Decider<'v>],
    ) -> Option<ExplainedDecision<'v>> {
        let mut explanation = decide(self.input, deciders, pod)?;
        // What would help a member of a group depends on the others.
        if explanation.membership.is_some() {
            return Some(explanation);
        }
        if let Some(starts) = self.extras.starts {
            explanation.enumerate(starts);
        }
        if self.extras.remedies.is_some() {
            explanation.seek_remedies();
        }
        self.add_own(&mut explanation);
        Some(explanation)
    }

    /// Adds what concerns only this pod.
    fn add_own(&self, explanation: &mut ExplainedDecision) {
        let told = self.autoscalers.and_then(|all| all.about(explanation, Detail::Remedies));
        explanation.autoscaling = told.map(Box::new);
        if let Some(pending) = self.pending {
            explanation.competitors = pending.of_decision(explanation);
        }
        if let (Some(flags), Some(_)) = (&self.extras.remedies, &explanation.remedies) {
            let cluster = &self.input.cluster;
            let pod = cluster.pod(explanation.pod);
            let command = flags.command(["simulate", &pod.name, "-n", cluster.text(pod.namespace)]);
            add_checks(explanation, &command);
        }
    }
}
