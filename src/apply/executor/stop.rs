//! Why a run stops, in words, and what has changed about a plan.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use crate::apply::journal::{NominationReason, VictimReason};
use crate::apply::planner::PreemptorStatus;
use crate::apply::signals::Signal;
use crate::error::Error;
use crate::program;
use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId};

pub(in crate::apply) type StepResult<T> = Result<T, StopReason>;

/// Why a run stops.
#[derive(Debug)]
pub(in crate::apply) enum StopReason {
    Signal(Signal),
    /// The deadline, after this time.
    Timeout(Duration),
    /// A new decision failed: the cluster cannot be read.
    NoDecision(Error),
    /// The server cannot be read at all.
    Unreadable(String),
    /// The user lacks these permissions.
    MissingPermissions(Vec<String>),
    /// Hazards of the plan that no flag waives.
    Hazards(Vec<String>),
    /// `--yes` without `--force`, although the plan violates these disruption budgets.
    ForceRequired(Vec<String>),
    /// A confirmation is required, and there is no terminal.
    CannotAsk,
    Declined,
    /// A new decision gives another plan, or a plan that is more dangerous than the confirmed one.
    PlanChanged(Vec<PlanChange>),
    /// A new decision gives no plan.
    NoPlan {
        preemptor: String,
        status: PreemptorStatus,
    },
    /// A victim was gone before anything was sent.
    VictimGone(PodId),
    /// Another pod has a victim's name; with the server's message.
    VictimReplaced(PodId, String),
    /// The preemptor was gone before the nomination.
    PreemptorGone(PodId),
    /// The preemptor was deleted while the run waited for it.
    AwaitedPodGone(PodId),
    /// The preemptor finished in this phase, without a node, while the run waited for it.
    AwaitedPodFinished(PodId, String),
    /// Another pod took the capacity while the run waited for the preemptor; as a sentence.
    RoomLost(String),
    /// The server rejected the dry run of a victim's removal.
    DryRunRefused(PodId, VictimReason),
    /// The server rejected the removal of a victim.
    Refused(PodId, VictimReason),
    /// It is unknown whether the removal of a victim was executed; with the last message.
    OutcomeUnknown(PodId, String),
    /// The nomination could not be set.
    NotNominated(NominationReason),
}

impl StopReason {
    pub(in crate::apply) fn text(&self) -> String {
        match self {
            Self::Signal(signal) => signal.text(),
            Self::Timeout(timeout) => format!("timed out after {timeout:?}"),
            Self::NoDecision(error) => error.to_string(),
            Self::Unreadable(text) | Self::RoomLost(text) => text.clone(),
            Self::MissingPermissions(missing) => format!("you may not {}", missing.join("; ")),
            Self::Hazards(hazards) => format!("refused: {}", hazards.join("; ")),
            Self::ForceRequired(budgets) => {
                format!("--yes is not enough to violate PodDisruptionBudget {}", budgets.join(", "))
            }
            Self::CannotAsk => {
                "cannot ask for confirmation: standard input or standard error is not a terminal"
                    .to_owned()
            }
            Self::Declined => "cancelled".to_owned(),
            Self::PlanChanged(changes) => {
                let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
                format!("the plan has changed: {}", changes.join("; "))
            }
            Self::NoPlan { preemptor, status } => {
                format!("the plan has changed: {}", status.text(preemptor))
            }
            Self::VictimGone(pod) => format!("the plan has changed: {} is gone", pod.full_name()),
            Self::VictimReplaced(pod, text) => {
                format!("the plan has changed: {} is another pod now: {text}", pod.full_name())
            }
            Self::PreemptorGone(pod) => {
                format!("the plan has changed: {} no longer exists", pod.full_name())
            }
            Self::AwaitedPodGone(pod) => format!("{} no longer exists", pod.full_name()),
            Self::AwaitedPodFinished(pod, phase) => {
                format!("{} has finished ({phase})", pod.full_name())
            }
            Self::DryRunRefused(pod, reason) => {
                format!("the server would refuse to remove {}: {reason}", pod.full_name())
            }
            Self::Refused(pod, reason) => {
                format!("the server refuses to remove {}: {reason}", pod.full_name())
            }
            Self::OutcomeUnknown(pod, text) => {
                format!("the result of the request for {} is not known: {text}", pod.full_name())
            }
            Self::NotNominated(reason) => format!("the nomination cannot be set: {reason}"),
        }
    }

    /// What the user can do.
    pub(in crate::apply) fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Timeout(_) => "--timeout sets a longer time",
            Self::NoDecision(error) => error.hint()?,
            Self::MissingPermissions(_) => {
                let doctor = program::command("doctor");
                return Some(format!("ask for a Role with these verbs: {doctor} shows it"));
            }
            Self::ForceRequired(_) => "add --force, or use --mode=evict",
            Self::CannotAsk => "use --yes if you are sure",
            Self::PlanChanged(_) => return Some(program::command("simulate shows the new plan")),
            Self::DryRunRefused(_, VictimReason::Blocked(_)) => {
                "wait until the budget allows it, or delete the pod as kube-scheduler does: --mode=delete"
            }
            Self::DryRunRefused(_, VictimReason::NotServed { .. }) => NOT_SERVED,
            Self::Refused(_, VictimReason::Rejected { .. }) => {
                return Some(program::command("doctor shows what is allowed"));
            }
            Self::Refused(_, reason) => hint_of_refusal(reason)?,
            Self::OutcomeUnknown(pod, _) => {
                return Some(format!("kubectl get pod {} -n {} shows it", pod.name, pod.namespace));
            }
            Self::NotNominated(_) => "try again, or leave out --nominate",
            Self::RoomLost(_) => {
                let simulate = program::command("simulate");
                return Some(format!(
                    "{simulate} shows what makes room now; --nominate reserves the room against pods of equal or lower priority"
                ));
            }
            Self::Signal(_)
            | Self::Unreadable(_)
            | Self::Hazards(_)
            | Self::Declined
            | Self::NoPlan { .. }
            | Self::VictimGone(_)
            | Self::VictimReplaced(..)
            | Self::PreemptorGone(_)
            | Self::AwaitedPodGone(_)
            | Self::AwaitedPodFinished(..)
            | Self::DryRunRefused(..) => return None,
        };
        Some(hint.to_owned())
    }
}

const NOT_SERVED: &str = "kubectl get --raw /api/v1 shows what it serves";

const fn hint_of_refusal(reason: &VictimReason) -> Option<&'static str> {
    match reason {
        VictimReason::NeverAllowed { .. } => {
            Some("change the budget or the number of pods; --mode=delete ignores it")
        }
        VictimReason::SeveralBudgets(_) => {
            Some("the eviction API never evicts it; --mode=delete deletes it")
        }
        VictimReason::NotServed { .. } => Some(NOT_SERVED),
        VictimReason::Conflicts(_) => Some("something else keeps changing it; try again later"),
        VictimReason::Rejected { .. }
        | VictimReason::Blocked(_)
        | VictimReason::MaybeOurs(_)
        | VictimReason::Message(_) => None,
    }
}

/// A difference that stops the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) enum PlanChange {
    /// Another object has the name of the preemptor.
    OtherPreemptor(PreemptorId),
    OtherNode {
        /// The pod, if it is one of a group.
        pod: Option<String>,
        /// The node of the newer plan.
        new: String,
        /// The node of the current plan.
        old: String,
    },
    /// This pod of the group gets a node as well.
    MorePods(String),
    /// This pod of the group no longer gets a node.
    FewerPods(String),
    /// Another pod has the name of this victim.
    OtherVictim(String),
    /// This pod has to be removed as well.
    MoreVictims(String),
    /// This victim no longer has to be removed.
    FewerVictims(String),
    /// A victim has a new hazard.
    Hazard(String),
    /// This PodDisruptionBudget would be violated without the user's confirmation.
    ViolatedBudget(String),
}

impl fmt::Display for PlanChange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OtherPreemptor(id) => {
                write!(f, "{} {} is another one now", id.resource(), id.full_name())
            }
            Self::OtherNode { pod: None, new, old } => write!(f, "node {new} instead of {old}"),
            Self::OtherNode { pod: Some(pod), new, old } => {
                write!(f, "node {new} instead of {old} for {pod}")
            }
            Self::MorePods(name) => write!(f, "{name} gets a node, too"),
            Self::FewerPods(name) => write!(f, "{name} gets no node any more"),
            Self::OtherVictim(name) => write!(f, "{name} is another pod now"),
            Self::MoreVictims(name) => write!(f, "{name} is a victim, too"),
            Self::FewerVictims(name) => write!(f, "{name} is no longer a victim"),
            Self::Hazard(text) => f.write_str(text),
            Self::ViolatedBudget(budget) => {
                write!(f, "PodDisruptionBudget {budget} would be violated now")
            }
        }
    }
}

/// The differences between two plans; empty if their execution has the same effect.
pub(in crate::apply) fn between_plans(old: &Plan, new: &Plan) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    if old.preemptor.id != new.preemptor.id {
        changes.push(PlanChange::OtherPreemptor(old.preemptor.id.clone()));
    }
    // The members of a group may change places; only a pod's own node is not named with it.
    let of_group = old.preemptor.id.pod().is_none();
    for Placement { pod, node } in &new.placed {
        match old.placed.iter().find(|before| before.pod == *pod) {
            Some(before) if before.node != *node => changes.push(PlanChange::OtherNode {
                pod: of_group.then(|| pod.full_name()),
                new: node.clone(),
                old: before.node.clone(),
            }),
            None if of_group => changes.push(PlanChange::MorePods(pod.full_name())),
            Some(_) | None => {}
        }
    }
    let lost = old
        .placed
        .iter()
        .filter(|before| of_group && new.placed.iter().all(|now| now.pod != before.pod));
    changes.extend(lost.map(|before| PlanChange::FewerPods(before.pod.full_name())));
    let ids =
        |plan: &Plan| plan.victims.iter().map(|victim| victim.pod.clone()).collect::<BTreeSet<_>>();
    changes.extend(between_victims(&ids(old), &ids(new)));
    changes
}

/// The differences between the victims of two plans.
pub(in crate::apply) fn between_victims(
    old: &BTreeSet<PodId>,
    new: &BTreeSet<PodId>,
) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    for pod in new.difference(old) {
        let name = pod.full_name();
        let replaced = old.iter().any(|o| o.full_name() == name);
        changes.push(if replaced {
            PlanChange::OtherVictim(name)
        } else {
            PlanChange::MoreVictims(name)
        });
    }
    for pod in old.difference(new) {
        let name = pod.full_name();
        if !new.iter().any(|n| n.full_name() == name) {
            changes.push(PlanChange::FewerVictims(name));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn victims_that_differ_are_named_once() {
        let pod = |name: &str, uid: &str| PodId {
            namespace: "a".to_owned(),
            name: name.to_owned(),
            uid: uid.to_owned(),
        };
        let old = BTreeSet::from([pod("same", "1"), pod("replaced", "2"), pod("left", "3")]);
        let new = BTreeSet::from([pod("same", "1"), pod("replaced", "9"), pod("more", "4")]);
        let changes: Vec<String> =
            between_victims(&old, &new).iter().map(ToString::to_string).collect();
        assert_eq!(
            changes,
            [
                "a/more is a victim, too",
                "a/replaced is another pod now",
                "a/left is no longer a victim"
            ]
        );
        assert_eq!(between_victims(&old, &old), []);
    }
}
