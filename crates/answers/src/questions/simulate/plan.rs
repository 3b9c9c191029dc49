//! The plan that `--apply` carries out, and why none is.

use super::SimulateReport;
use crate::error::AnswerError;
use crate::headline::assumed_rules;
use crate::input::LoadedInput;
use crate::notes;
use crate::target::{self, Target};
use engine::edits::Edit;
use engine::groups::doubts;
use engine::notes::{Note, Severity};
use engine::simulation::plan::{GroupId, Placement, Plan, PodId, PreemptorId};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::Step;

/// A pod, or a group, that has nodes for all its pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlreadyBound {
    pub id: PreemptorId,
    pub placed: Vec<Placement>,
}

/// Why nothing is evicted: the answer may be another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The version of the scheduler is assumed.
    #[error("nothing is evicted by assumed rules: {0}")]
    AssumedRules(String),
    /// A note says that the answer is not certain.
    #[error("nothing is evicted on an uncertain answer: {0}")]
    Uncertain(String),
    /// There is no answer.
    #[error("{0}")]
    Unknown(String),
}

/// The target if it is a bound pod, or a group whose pods are all bound.
pub fn already_bound(targets: &[Target], input: &LoadedInput) -> Option<AlreadyBound> {
    let [target] = targets else { return None };
    let cluster = &input.cluster;
    if target.kind != "Pod" && !target.is_group() {
        return None;
    }
    let mut placed: Vec<Placement> = Vec::new();
    for pod in target::find(target, &input.namespace, cluster).ok()? {
        let pod = cluster.pod(pod);
        if !pod.is_running() {
            return None;
        }
        placed.push(Placement {
            pod: PodId::of(pod, cluster),
            node: cluster.text(pod.node_name).to_owned(),
        });
    }
    let id = if target.kind == "Pod" {
        PreemptorId::Pod(placed.first()?.pod.clone())
    } else {
        let namespace = &placed.first()?.pod.namespace;
        let [group] = target::groups(target, namespace, cluster, false)[..] else { return None };
        PreemptorId::Group(GroupId::of(cluster.find_pod_group(namespace, group)?, cluster))
    };
    Some(AlreadyBound { id, placed })
}

impl SimulateReport {
    /// The step that is carried out: the first, if all are about one pod or group. The steps after
    /// the first one of a group are about the pods that do not fit with the others.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if there are several.
    pub fn applied_step(&self) -> Result<&Step, AnswerError> {
        let steps = &self.simulation.steps;
        // The room that the evictions make would be another scheduler's to give.
        if self.simulation.assumptions.iter().any(|edit| matches!(edit, Edit::Scheduler { .. })) {
            let problem = "--apply evicts for pods that kube-scheduler places, and another scheduler decides about \
                           this one";
            return Err(AnswerError::usage(problem));
        }
        match steps.first() {
            Some(first) if steps.iter().all(|step| step.id == first.id) => Ok(first),
            Some(_) | None => {
                let number = steps.len();
                let problem = format!(
                    "--apply carries out the plan of one pod or group, and {number} are meant: name one"
                );
                Err(AnswerError::usage(problem))
            }
        }
    }

    /// Why the step is not carried out although there is a plan.
    pub fn refusal(&self, step: &Step) -> Option<Refusal> {
        let assumed = assumed_rules(&self.basis.profile).map(Refusal::AssumedRules);
        let unknown = || {
            let Proposal::Unknown(why) = &step.proposal else { return None };
            Some(Refusal::Uncertain(why.clone()))
        };
        assumed.or_else(|| doubt(&self.simulation.notes)).or_else(unknown)
    }

    /// Whether kube-scheduler itself would not preempt for the pods.
    pub fn is_as_if_preempting(&self) -> bool {
        self.simulation.assumptions.contains(&Edit::AsIfPreempting)
    }
}

/// The plan of a step; empty if nothing has to be evicted and one only waits for the pods.
///
/// # Errors
/// Why there is none.
pub fn plan_of(step: &Step) -> Result<Plan, String> {
    let placed = match &step.proposal {
        Proposal::Evict(plan) | Proposal::Awaits(plan) => return Ok(plan.clone()),
        Proposal::Fits(nodes) => {
            let pod = step.id.pod().cloned();
            pod.into_iter()
                .zip(nodes)
                .map(|(pod, node)| Placement { pod, node: node.clone() })
                .collect()
        }
        Proposal::GroupFits(placed) => placed.clone(),
        Proposal::Impossible(why) | Proposal::Unknown(why) => return Err(why.clone()),
    };
    Ok(Plan::empty(step.id.clone(), step.priority, placed))
}

/// The note that forbids to carry out an answer, because it may be wrong. An answer that is one of
/// several equivalent ones is not uncertain in this sense.
pub(super) fn doubt(notes: &[Note]) -> Option<Refusal> {
    let is_doubt = |note: &&Note| note.severity == Severity::Error && !doubts::is_open_choice(note);
    notes.iter().find(is_doubt).map(|note| Refusal::Uncertain(notes::sentence(note)))
}
