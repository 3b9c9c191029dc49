//! Checks repeatedly, while the run waits for its preemptors, whether they still fit. Without this
//! the run would wait for capacity that another pod has taken.

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::options::Reservation;
use crate::apply::planner::PreemptorStatus;
use crate::apply::server::pods::{self, PodLookup};
use engine::simulation::plan::{Plan, PodId};

/// Number of consecutive decisions without a fit that count as lost: a single one may be made in
/// the middle of changes.
const DECISIONS: u32 = 2;

/// The results of the last decisions.
#[derive(Default)]
pub(super) struct LastDecisions {
    /// Number of consecutive decisions without a fit.
    lost: u32,
}

impl LastDecisions {
    /// Makes a new decision, and stops the run if the preemptors no longer fit. A failed decision
    /// is ignored.
    pub(super) async fn check(&mut self, executor: &mut Executor<'_>) -> StepResult<()> {
        let alone = executor.session.options.reservation != Reservation::Scheduler;
        if !alone && executor.journal().leaving().len() > gone(executor) {
            // kube-scheduler may be about to preempt again.
            return Ok(());
        }
        let (plan, leaving) = (executor.plan.clone(), executor.journal().leaving());
        let status = executor
            .decide_once(move |planner| {
                if alone {
                    planner.remaining(&plan, &leaving)
                } else {
                    planner.plan(&plan.preemptor.id)
                }
            })
            .await?;
        let text = match status {
            Some(PreemptorStatus::NeedsEviction(more)) if alone => {
                Some(taken(executor, &more).await?)
            }
            Some(PreemptorStatus::Impossible(why)) => Some(match newcomers(executor) {
                Some(newcomers) => format!("{newcomers}: {why}"),
                None => format!("there is no room any more: {why}"),
            }),
            Some(
                // kube-scheduler itself evicts them.
                PreemptorStatus::NeedsEviction(_)
                | PreemptorStatus::Awaits(_)
                | PreemptorStatus::Fits(_)
                | PreemptorStatus::Bound(_)
                | PreemptorStatus::Terminating
                | PreemptorStatus::Finished(_)
                | PreemptorStatus::Gone,
            ) => None,
            None => return Ok(()),
        };
        let Some(text) = text else {
            self.lost = 0;
            return Ok(());
        };
        self.lost += 1;
        if self.lost < DECISIONS { Ok(()) } else { Err(StopReason::RoomLost(text)) }
    }
}

/// Number of victims that are gone.
fn gone(executor: &Executor<'_>) -> usize {
    executor.journal().victims().iter().filter(|victim| victim.state.is_gone()).count()
}

/// Maximum number of pods that are named.
const NAMED: usize = 5;

/// The pods that have come to the nodes of the plan since it was made: they took the capacity.
fn newcomers(executor: &Executor<'_>) -> Option<String> {
    let planned = &executor.plan.placed;
    let mut texts = Vec::new();
    for newcomer in &executor.newcomers {
        if planned.iter().all(|placement| placement.pod != newcomer.pod) {
            let name = newcomer.pod.full_name();
            texts.push(format!("pod {name} took the room on {}", newcomer.node));
        }
    }
    texts.truncate(NAMED);
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// The pods that took the capacity, if known: those that have come to the nodes of the plan, or
/// those of the further victims that are younger than this run.
async fn taken(executor: &Executor<'_>, more: &Plan) -> StepResult<String> {
    if let Some(newcomers) = newcomers(executor) {
        return Ok(newcomers);
    }
    let started = executor.journal().header().started_at;
    let others: Vec<(PodId, String)> = more
        .victims
        .iter()
        .filter(|victim| executor.journal().victim(&victim.pod).is_none())
        .map(|victim| (victim.pod.clone(), victim.node.clone()))
        .collect();
    let mut taken = Vec::new();
    for (pod, node) in others {
        let lookup = executor.clock.run(pods::look_up(&executor.session.reader, &pod)).await?;
        let created = match lookup {
            Ok(PodLookup::Found(view)) => view.created,
            Ok(PodLookup::Gone) | Err(_) => None,
        };
        // Creation times have a resolution of one second.
        if created.is_some_and(|created| created.as_second() >= started.as_second()) {
            taken.push(format!("pod {} took the room on {node}", pod.name));
        }
    }
    Ok(if taken.is_empty() { "there is no room any more".to_owned() } else { taken.join("; ") })
}
