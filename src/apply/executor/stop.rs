//! The reasons for which a run stops before its plan is complete, and their texts.

use std::time::Duration;

use super::plan_change::PlanChange;
use crate::apply::journal::{NominationReason, VictimReason};
use crate::apply::planner::PreemptorStatus;
use crate::apply::signals::Signal;
use crate::error::Error;
use crate::program;
use engine::simulation::plan::PodId;

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
