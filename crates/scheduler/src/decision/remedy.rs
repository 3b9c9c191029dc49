//! What would help a pod that fits nowhere: edits of the pod or of the cluster. Each was applied to
//! a copy of the cluster and decided again. Only edits that give the pod a node, with a certain
//! decision, are kept.

mod obstacles;
mod propose;
mod trial;
mod victims;
mod words;

use super::{Decision, Explanation, OutcomeKind};
use crate::framework::cycle::NodeVerdict;
use model::edits::Edit;
use trial::{RemedyTrials, TriedEdits};

/// Maximum number of remedies kept per kind.
const MOST_OF_A_KIND: usize = 2;

/// What a remedy does, in the order of [`RANKS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemedyKind {
    /// Wait for terminating pods.
    Wait,
    /// End terminating pods that should be gone already.
    EndStuckPod,
    /// Uncordon a node.
    Uncordon,
    /// Wait until a node that is still starting is ready.
    AwaitNode,
    /// Repair a node that is not ready.
    RepairNode,
    /// Delete a pod that the same Deployment keeps until the pod is ready.
    ReplaceOldPod,
    /// Add a node like an existing one.
    AddNode,
    /// Lower a request of the pod.
    LowerRequest,
    /// Allow the pod to preempt.
    AllowPreemption,
    /// Give the pod a higher priority class, with which it preempts.
    RaisePriority,
    /// Add the labels that the pod asks for to a node.
    LabelNode,
    /// Add tolerations to the pod.
    Tolerate,
    /// Free resources on a node.
    FreeResources,
    /// Evict pods of lower priority.
    EvictPods,
    /// Evict pods, some of them of the same priority. The name is older than the rule that pods of
    /// higher priority are never proposed.
    EvictEqualOrHigher,
    /// Remove taints from a node.
    RemoveTaint,
}

/// A kind of remedy, and the reason for its rank.
#[derive(Debug, Clone, Copy)]
pub struct RemedyRank {
    pub kind: RemedyKind,
    /// Its name in JSON.
    pub name: &'static str,
    /// What is done, in a few words.
    pub what: &'static str,
    /// The disruption that it causes.
    pub cost: &'static str,
    /// Whether pods are evicted for it: named ones, or by the pod's own preemption.
    pub evicts: Evicts,
}

/// Which pods are evicted for a remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evicts {
    /// None.
    Nothing,
    /// Those of the edits.
    NamedPods,
    /// Victims of the pod's own preemption.
    ByPreemption,
}

/// Every kind of remedy, from the least to the most disruptive: the order in which a careful
/// operator would try them.
///
/// What such an operator would never try has no row and is never proposed: tolerating or removing
/// taints that a program sets ([`model::cluster::system_taint`]), evicting pods of higher priority,
/// inventing a priority that no class has, cutting a request below half, and evicting a pod whose
/// replacement would then be just as stuck.
pub const RANKS: &[RemedyRank] = &[
    RemedyRank {
        kind: RemedyKind::Wait,
        name: "Wait",
        what: "wait for pods that are being deleted",
        cost: "no pod",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::EndStuckPod,
        name: "EndStuckPod",
        what: "end a pod that is being deleted and should be gone already",
        cost: "a pod that may still run",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::Uncordon,
        name: "Uncordon",
        what: "uncordon a node, where the cordon alone keeps the pod off it",
        cost: "no pod",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::AwaitNode,
        name: "AwaitNode",
        what: "wait for a node that is still starting",
        cost: "no pod",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::RepairNode,
        name: "RepairNode",
        what: "repair a node that is not ready",
        cost: "no pod",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::ReplaceOldPod,
        name: "ReplaceOldPod",
        what: "delete a pod of the same Deployment's old ReplicaSet, which a rolling update keeps until the new one is ready",
        cost: "the old pod, before the new one is ready",
        evicts: Evicts::NamedPods,
    },
    RemedyRank {
        kind: RemedyKind::AddNode,
        name: "AddNode",
        what: "add a node like a healthy one of the nearest pool",
        cost: "no pod, but it costs money",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::LowerRequest,
        name: "LowerRequest",
        what: "request less, by at most half",
        cost: "the pod, which may run slower",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::AllowPreemption,
        name: "AllowPreemption",
        what: "let the pod preempt",
        cost: "pods of lower priority",
        evicts: Evicts::ByPreemption,
    },
    RemedyRank {
        kind: RemedyKind::RaisePriority,
        name: "RaisePriority",
        what: "use a higher PriorityClass that exists",
        cost: "pods of lower priority",
        evicts: Evicts::ByPreemption,
    },
    RemedyRank {
        kind: RemedyKind::LabelNode,
        name: "LabelNode",
        what: "give a node a label that people set and the pod asks for",
        cost: "pods that are to stay off the node, or to go there, for its labels",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::Tolerate,
        name: "Tolerate",
        what: "tolerate the taints of another pool",
        cost: "the pods that the pool is meant for",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::FreeResources,
        name: "FreeResources",
        what: "free resources of a node",
        cost: "pods that someone must choose",
        evicts: Evicts::Nothing,
    },
    RemedyRank {
        kind: RemedyKind::EvictPods,
        name: "EvictPods",
        what: "evict named pods of lower priority",
        cost: "these pods",
        evicts: Evicts::NamedPods,
    },
    RemedyRank {
        kind: RemedyKind::EvictEqualOrHigher,
        name: "EvictEqualOrHigher",
        what: "evict named pods, also of the same priority",
        cost: "equally important pods",
        evicts: Evicts::NamedPods,
    },
    RemedyRank {
        kind: RemedyKind::RemoveTaint,
        name: "RemoveTaint",
        what: "remove the taints of a node of another pool",
        cost: "the pods that the taints protect",
        evicts: Evicts::Nothing,
    },
];

impl RemedyKind {
    /// Its row in the table of ranks.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each kind, in their order; a test says so"
    )]
    pub const fn rank(self) -> &'static RemedyRank {
        &RANKS[self as usize]
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        self.rank().name
    }

    /// Which pods are evicted for it.
    pub const fn evicts(self) -> Evicts {
        self.rank().evicts
    }
}

/// Edits that help.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// Their kind.
    pub kind: RemedyKind,
    /// The same in words.
    pub summary: String,
    pub edits: Vec<Edit>,
    /// The outcome with them.
    pub outcome: OutcomeKind,
    /// The nodes that kube-scheduler then selects or nominates, by name.
    pub nodes: Vec<String>,
    /// The arguments of a command that shows the effect, without the program's name. Filled in by a
    /// layer that knows the commands.
    pub check: Vec<String>,
}

/// The remedies of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Remedies {
    /// Remedies that help, the least disruptive first.
    pub found: Vec<Remedy>,
    /// How many were tried.
    pub tried: usize,
    /// How many were proposed.
    pub proposed: usize,
}

/// Edits that may help, not yet tried.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Proposal {
    kind: RemedyKind,
    edits: Vec<Edit>,
    /// The existing node on which the pod is expected to fit; `None` if it may be another one.
    node: Option<String>,
}

impl Explanation<'_> {
    /// Looks for remedies.
    ///
    /// Does nothing if the pod has a node or gets no cycle, if extenders are called, or if the pod
    /// does not exist yet and its claims are created first. The number of trials depends only on
    /// the size of the cluster.
    pub fn seek_remedies(&mut self) {
        if !matches!(self.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable)
            || !self.can_be_tried()
        {
            return;
        }
        // A trial has fewer steps to search devices with, so it would be given up as well.
        if self.nodes().iter().any(NodeVerdict::is_given_up) {
            return;
        }
        let mut trials = RemedyTrials::new(&self.decision);
        let proposals = propose::all(&mut trials);
        let mut remedies = Remedies { proposed: proposals.len(), ..Remedies::default() };
        let mut results: Vec<Option<Remedy>> = vec![None; proposals.len()];
        for index in order_of_trials(&proposals) {
            let Some(proposal) = proposals.get(index) else { continue };
            let of_kind =
                results.iter().flatten().filter(|remedy| remedy.kind == proposal.kind).count();
            if of_kind >= MOST_OF_A_KIND {
                remedies.proposed -= 1;
                continue;
            }
            if trials.left == 0 {
                continue;
            }
            remedies.tried += 1;
            if let Some(slot) = results.get_mut(index) {
                *slot = remedy(&mut trials, proposal);
            }
        }
        remedies.found = results.into_iter().flatten().collect();
        remedies.found.sort_by_key(|remedy| (remedy.kind, remedy.edits.len()));
        self.remedies = Some(remedies);
    }
}

impl Decision<'_> {
    /// Whether `simulate` would decide about this pod as this decision did.
    fn can_be_tried(&self) -> bool {
        let (cluster, pod) = (self.view.cluster, self.view.cluster.pod(self.pod));
        let template = cluster.template(pod);
        let made_first = pod.uid.is_empty()
            && (!template.claims.is_empty() || cluster.volumes_of(pod).next().is_some());
        let ours = cluster.text(template.scheduler_name) == self.profile().scheduler_name;
        ours && !made_first && pod.node_name.is_empty() && self.view.extender_client.is_none()
    }
}

/// The first proposal of every kind, then the second ones, and so on, so that every kind gets some
/// trials if not all proposals can be tried.
fn order_of_trials(proposals: &[Proposal]) -> Vec<usize> {
    let mut ranked = Vec::with_capacity(proposals.len());
    for (index, proposal) in proposals.iter().enumerate() {
        let before = proposals.iter().take(index).filter(|other| other.kind == proposal.kind);
        ranked.push((before.count(), proposal.kind, index));
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(.., index)| index).collect()
}

fn remedy(trials: &mut RemedyTrials, proposal: &Proposal) -> Option<Remedy> {
    let trial = trials.run(&proposal.edits, proposal.node.as_deref())?;
    let preempts = proposal.kind.evicts() == Evicts::ByPreemption;
    if trial.outcome != OutcomeKind::Schedulable
        && !(preempts && trial.outcome == OutcomeKind::Preempt)
    {
        return None;
    }
    let (proposal, trial) = without_needless_pods(trials, proposal.clone(), trial);
    // A rolling update ends with the old ReplicaSet: what it recreates meanwhile need not fit.
    if proposal.kind.evicts() == Evicts::NamedPods
        && proposal.kind != RemedyKind::ReplaceOldPod
        && !trials.replacements_fit(&proposal.edits, trial.nodes.first()?)
    {
        return None;
    }
    Some(Remedy {
        kind: proposal.kind,
        summary: words::summary(&proposal, trials.decision),
        edits: proposal.edits,
        outcome: trial.outcome,
        nodes: trial.nodes,
        check: Vec::new(),
    })
}

/// The proposal without the pods that need not go, and the outcome without them. The most important
/// pods are tried first, so that the least important ones are left.
fn without_needless_pods(
    trials: &mut RemedyTrials,
    mut proposal: Proposal,
    mut trial: TriedEdits,
) -> (Proposal, TriedEdits) {
    if proposal.kind.evicts() != Evicts::NamedPods && proposal.kind != RemedyKind::EndStuckPod {
        return (proposal, trial);
    }
    let decision = trials.decision;
    let cluster = decision.view.cluster;
    let mut pods: Vec<(std::cmp::Reverse<i32>, Edit)> = Vec::new();
    for edit in &proposal.edits {
        if let Edit::RemovePod { namespace, name } = edit
            && let Some(pod) = cluster.find_pod(namespace, name)
        {
            pods.push((std::cmp::Reverse(cluster.pod(pod).priority), edit.clone()));
        }
    }
    pods.sort_by_key(|(priority, _)| *priority);
    let mut left = pods.len();
    for (_, pod) in pods {
        if left == 1 {
            break;
        }
        let mut fewer = proposal.edits.clone();
        fewer.retain(|edit| *edit != pod);
        if let Some(tried) = trials.run(&fewer, proposal.node.as_deref())
            && tried.outcome == OutcomeKind::Schedulable
        {
            (proposal.edits, trial) = (fewer, tried);
            left -= 1;
        }
    }
    (proposal, trial)
}

#[cfg(test)]
mod tests;
