//! Tries edits: applies them to a copy of the cluster and decides again.

use super::super::{Decision, OutcomeKind, decide};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::PreparedCycle;
use crate::plugins;
use model::edits::{self, Edit};
use model::notes::Severity;
use profile::doubts::is_about_scheduler;

/// The budget of all trials together, in pods; a node counts as ten. It keeps the trials below the
/// time of the decision itself where that is noticeable, at 5,000 nodes and 150,000 pods.
const WORK: usize = 900_000;
/// Maximum number of trials, in a small cluster.
const MOST_TRIALS: usize = 48;
/// Minimum number of trials, in a large cluster.
const FEWEST_TRIALS: usize = 2;
/// In clusters with more nodes than this, a trial first checks the node that it aims at: a decision
/// that finds no node would dry-run thousands.
const AIMED_FROM: usize = 100;

/// The number of trials for a cluster of this size. One costs as much as summing the requests of
/// all pods and filtering all nodes.
pub(super) fn most(nodes: usize, pods: usize) -> usize {
    (WORK / (pods + 10 * nodes + 1)).clamp(FEWEST_TRIALS, MOST_TRIALS)
}

/// The trials of one decision.
pub(super) struct RemedyTrials<'d> {
    /// The decision without edits.
    pub(super) decision: &'d Decision<'d>,
    /// How many more trials are allowed.
    pub(super) left: usize,
}

/// The decision with edits applied.
pub(super) struct TriedEdits {
    pub(super) outcome: OutcomeKind,
    /// Names of the nodes that are selected.
    pub(super) nodes: Vec<String>,
}

impl<'d> RemedyTrials<'d> {
    pub(super) fn new(decision: &'d Decision<'d>) -> Self {
        let cluster = decision.view.cluster;
        Self { decision, left: most(cluster.nodes.len(), cluster.pods.len()) }
    }

    /// Calls `then` with the cluster after `edits`, which counts as one trial. `None` if no trials
    /// are left, or if an edit cannot be applied.
    pub(super) fn with<R>(
        &mut self,
        edits: &[Edit],
        then: impl FnOnce(&ClusterView) -> R,
    ) -> Option<R> {
        self.left = self.left.checked_sub(1)?;
        let mut cluster = self.decision.view.cluster.clone();
        edits::apply(&mut cluster, &[self.decision.pod], edits).ok()?;
        let selectors = self.decision.view.device_selectors().for_copy(&cluster).for_trial();
        Some(then(&self.decision.view.of_copy(&cluster, selectors)))
    }

    /// Whether the pods that `edits` remove find nodes again once the pod is on `node`; otherwise
    /// the problem only moves to them. A pod without a controller does not come back.
    pub(super) fn replacements_fit(&self, edits: &[Edit], node: &str) -> bool {
        let (pod, now) = (self.decision.pod, self.decision.now);
        let mut cluster = self.decision.view.cluster.clone();
        if edits::apply(&mut cluster, &[pod], edits).is_err() {
            return false;
        }
        let Some(node) = cluster.find_node(node) else { return false };
        cluster.bind(pod, node);
        for edit in edits {
            let Edit::RemovePod { namespace, name } = edit else { continue };
            let Some(victim) = cluster.find_pod(namespace, name) else { return false };
            if cluster.pod(victim).controller.is_none() {
                continue;
            }
            cluster.recreate(victim, now);
            let selectors = self.decision.view.device_selectors().for_copy(&cluster).for_trial();
            let view = self.decision.view.of_copy(&cluster, selectors);
            let replacement = decide(&view, victim, now);
            let place = match replacement.kind() {
                OutcomeKind::Schedulable => replacement.selected().first().copied(),
                // A pod that is not in this scheduler's queue is not its concern.
                OutcomeKind::NotInQueue => continue,
                OutcomeKind::Preempt | OutcomeKind::Unschedulable | OutcomeKind::Error(_) => {
                    return false;
                }
            };
            let Some(place) = place else { return false };
            drop(replacement);
            cluster.bind(victim, place);
        }
        true
    }

    /// Decides with `edits`; `aim` is the only node on which the pod is expected to fit. `None` if
    /// no trials are left, or if the decision is uncertain.
    pub(super) fn run(&mut self, edits: &[Edit], aim: Option<&str>) -> Option<TriedEdits> {
        let (pod, now) = (self.decision.pod, self.decision.now);
        self.with(edits, |view| {
            let cluster = view.cluster;
            let aim = aim
                .filter(|_| cluster.nodes.len() > AIMED_FROM)
                .and_then(|name| cluster.find_node(name));
            if let Some(node) = aim {
                let prepared =
                    PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
                if !prepared.refusals(node).is_empty() {
                    return None;
                }
            }
            let decision = decide(view, pod, now);
            // Unknown settings of the scheduler make the original decision just as uncertain.
            let certain = decision
                .notes
                .iter()
                .all(|note| note.severity != Severity::Error || is_about_scheduler(note));
            let nodes = decision
                .selected()
                .iter()
                .map(|node| cluster.node_name(*node).to_owned())
                .collect();
            certain.then_some(TriedEdits { outcome: decision.kind(), nodes })
        })?
    }
}
