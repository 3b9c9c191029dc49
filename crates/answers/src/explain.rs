//! `explain`: the decision about each pod with what is made on demand.

use crate::input::LoadedInput;
use crate::other_versions::try_other_versions;
use engine::autoscalers::{Autoscalers, Trying};
use engine::cluster::Cluster;
use engine::cluster::pod::PodIx;
use engine::decision::Explanation;
use engine::decision::sampling::Starts;
use engine::framework::cluster_view::ClusterView;
use engine::groups::member::Decider;
use engine::simulation::sequence::queue_order;
use render::commands::add_checks;

/// The most nodes, over all pods, for which every version is asked whether it writes the text of a
/// pod's condition.
const NODES_OF_OTHER_VERSIONS: usize = 500;

/// What is made of a decision besides the reasons.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// The nodes at which the scheduler may start to look for feasible ones (`--as-scheduled`).
    pub starts: Option<Starts>,
    /// What would help is looked for, with commands that try it.
    pub remedies: Option<CheckFlags>,
}

/// The flags with which a command asks about the same input: those of `--from`, `--now` and of the
/// scheduler, each followed by its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckFlags(pub Vec<String>);

impl CheckFlags {
    /// Adds a flag if it has a value.
    pub fn push(&mut self, flag: &str, value: Option<String>) {
        self.0.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
    }

    /// The `simulate` command about a pod, without the program's name; the flags of what is assumed
    /// are appended to it.
    fn command(&self, cluster: &Cluster, pod: PodIx) -> Vec<String> {
        let pod = cluster.pod(pod);
        let mut words = vec!["simulate".to_owned(), pod.name.to_string()];
        words.extend(["-n".to_owned(), cluster.text(pod.namespace).to_owned()]);
        words.extend(self.0.iter().cloned());
        words
    }
}

/// One decider for each of the views of `input`.
#[must_use]
pub fn deciders<'v>(input: &LoadedInput, views: &'v [ClusterView<'v>]) -> Vec<Decider<'v>> {
    views.iter().map(|view| Decider::new(view, input.now)).collect()
}

/// The decisions about `pods` explained, in the order of the scheduler's queue.
#[must_use]
pub fn explanations<'v>(
    input: &LoadedInput,
    views: &'v [ClusterView<'v>],
    pods: &[PodIx],
    extras: &Extras,
) -> Vec<Explanation<'v>> {
    let mut deciders = deciders(input, views);
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let mut decisions: Vec<Explanation<'v>> = Vec::with_capacity(pods.len());
    for pod in queue_order(pods, &input.cluster) {
        let Some(mut decision) = decide(input, &mut deciders, pod) else { continue };
        // What would help a member of a group depends on the others.
        if decision.membership.is_none() {
            let told = autoscalers.as_ref().and_then(|all| all.about(&decision, Trying::On));
            decision.autoscaling = told.map(Box::new);
            if let Some(starts) = extras.starts {
                decision.enumerate(starts);
            }
            if let Some(flags) = &extras.remedies {
                decision.seek_remedies();
                add_checks(&mut decision, &flags.command(&input.cluster, pod));
            }
        }
        decisions.push(decision);
    }
    if input.cluster.nodes.len() * decisions.len() <= NODES_OF_OTHER_VERSIONS {
        let alone = decisions.iter_mut().filter(|decision| decision.membership.is_none());
        let mut conditions: Vec<_> =
            alone.filter_map(|decision| decision.condition.as_mut()).collect();
        try_other_versions(&mut conditions, input);
    }
    decisions
}

/// The decision about a pod explained: with every node's rejections if it is not scheduled with its
/// group.
pub fn decide<'v>(
    input: &LoadedInput,
    deciders: &mut [Decider<'v>],
    pod: PodIx,
) -> Option<Explanation<'v>> {
    let mut decision = Explanation::from(deciders.get_mut(input.view_of(pod))?.decide(pod));
    if decision.membership.is_none() {
        decision.run_other_filters();
    }
    decision.compare_condition();
    Some(decision)
}
