//! The decision that preempted a pod, run again on an earlier snapshot: why this pod and not its
//! neighbours, and what would have spared it.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use model::cluster::build::Builder;
use model::cluster::{Cluster, Pod, PodIx};
use model::decode::decode;
use profile::Profile;
use scheduler::decision::{Decision, decide};
use scheduler::framework::cluster_view::ClusterView;
use simulation::plan::PodId;

/// Why a decision cannot be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRerun {
    /// Nothing names the preemptor.
    PreemptorNotKnown,
    /// The preemptor is not in the snapshot.
    PreemptorMissing,
    /// The preemptor is on a node in the snapshot.
    PreemptorPlaced,
    /// The victim is not in the snapshot, or not on a node there.
    VictimMissing,
}

/// A pod of the node, with its priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// `NAMESPACE/NAME`.
    pub name: String,
    pub priority: i32,
}

/// The decision on the snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rerun {
    /// Name and priority of the preemptor.
    pub preemptor: Neighbour,
    /// The outcome, as in a decision.
    pub outcome: &'static str,
    /// The node of the victim.
    pub node: String,
    /// The nodes that the preemptor may be nominated to.
    pub selected: Vec<String>,
    /// The victims on the node of the victim.
    pub victims: Vec<Neighbour>,
    /// The pods of lower priority that stay there, the most important first.
    pub spared: Vec<Neighbour>,
    /// Whether the pod is a victim on this snapshot.
    pub is_victim: bool,
    /// The lowest priority with which it is no victim of this preemptor on any node.
    pub sparing_priority: i32,
    /// Whether a PodDisruptionBudget that selects pods with its labels and allows no disruption
    /// would have spared it; `None` if it has no labels.
    pub budget_spares: Option<bool>,
    /// Whether something that affects the decision is not modelled or could not be read.
    pub unsure: bool,
}

/// Runs the decision about `preemptor` on `before`, which had `victim`. `now` is the time of the
/// snapshot.
///
/// # Errors
/// Why it cannot be run again.
pub fn run(
    before: &Cluster,
    profile: &Profile,
    victim: &PodId,
    preemptor: &PodId,
    now: Timestamp,
) -> Result<Rerun, NoRerun> {
    let preemptor = find(before, preemptor).ok_or(NoRerun::PreemptorMissing)?;
    let victim = find(before, victim).ok_or(NoRerun::VictimMissing)?;
    if !before.pod(preemptor).node_name.is_empty() {
        return Err(NoRerun::PreemptorPlaced);
    }
    let node = before
        .find_node(before.text(before.pod(victim).node_name))
        .ok_or(NoRerun::VictimMissing)?;
    // What the scheduler saw is decided again; of its candidates the victim's node is the one in
    // question, whether it was picked or not.
    let view = ClusterView::new(before, profile);
    let decision = decide(&view, preemptor, now);
    let candidate = decision.candidate(node);
    Ok(Rerun {
        preemptor: Neighbour::of(preemptor, before),
        outcome: decision.outcome.name(),
        node: before.node_name(node).to_owned(),
        selected: decision
            .selected()
            .iter()
            .map(|node| before.node_name(*node).to_owned())
            .collect(),
        victims: candidate
            .iter()
            .flat_map(|c| &c.victims)
            .map(|victim| Neighbour::of(victim.pod, before))
            .collect(),
        spared: candidate
            .iter()
            .flat_map(|c| &c.reprieved)
            .map(|pod| Neighbour::of(*pod, before))
            .collect(),
        is_victim: takes(&decision, before.pod(victim), before),
        sparing_priority: before.pod(preemptor).priority,
        budget_spares: budget_spares(before, profile, victim, preemptor, now),
        unsure: decision.is_unsure(),
    })
}

impl Neighbour {
    fn of(pod: PodIx, cluster: &Cluster) -> Self {
        Self { name: cluster.pod_name(pod), priority: cluster.pod(pod).priority }
    }
}

/// The pod by its UID, or by name if none is known.
fn find(cluster: &Cluster, pod: &PodId) -> Option<PodIx> {
    if pod.uid.is_empty() {
        return cluster.find_pod(&pod.namespace, &pod.name);
    }
    cluster.pod_indices().find(|ix| *cluster.pod(*ix).uid == *pod.uid)
}

/// Whether a pod is among the victims on a node that may be chosen.
fn takes(decision: &Decision, victim: &Pod, of: &Cluster) -> bool {
    let cluster = decision.view.cluster;
    let candidates = decision.candidates();
    let mut chosen = candidates.filter(|candidate| decision.selected().contains(&candidate.node));
    chosen.any(|candidate| {
        candidate.victims.iter().map(|victim| cluster.pod(victim.pod)).any(|pod| {
            pod.name == victim.name && cluster.text(pod.namespace) == of.text(victim.namespace)
        })
    })
}

/// Repeats the decision with one more budget, which selects the pods with the victim's labels and
/// allows no disruption.
fn budget_spares(
    before: &Cluster,
    profile: &Profile,
    victim: PodIx,
    preemptor: PodIx,
    now: Timestamp,
) -> Option<bool> {
    let pod = before.pod(victim);
    let labels = before.labels(pod.labels).iter();
    let labels: Map<String, Value> = labels
        .map(|(key, value)| (before.text(*key).to_owned(), before.text(*value).into()))
        .collect();
    if labels.is_empty() {
        return None;
    }
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "kubectl-preempt-assumed", "namespace": before.text(pod.namespace)},
        "spec": {"selector": {"matchLabels": labels}}});
    let mut builder = Builder::reopen(before.clone());
    decode(&budget.to_string(), "the assumed budget", &mut builder).ok()?;
    let cluster = builder.finish();
    // Adding an object does not change the order of pods.
    let view = ClusterView::new(&cluster, profile);
    Some(!takes(&decide(&view, preemptor, now), pod, before))
}
