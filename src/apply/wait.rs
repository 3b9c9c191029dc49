//! Waits until the preemptors are bound, to whichever nodes, and observes the victims meanwhile.
//!
//! While it waits, it checks repeatedly whether the preemptors still fit. Without this the run
//! would wait for capacity that another pod has taken.

use std::collections::BTreeSet;

use tokio::time::Instant;

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::PreemptorEvent;
use crate::apply::options::Reservation;
use crate::apply::planner::PreemptorStatus;
use crate::apply::server::observe::Observation;
use crate::apply::server::pods::{self, PodLookup, PodView};
use engine::simulation::plan::{Placement, Plan, PodId};

/// Waits until the preemptors are bound. Stops if they no longer fit.
pub(in crate::apply) async fn wait(executor: &mut Executor<'_>) -> StepResult<()> {
    let pods: Vec<PodId> =
        executor.plan.placed.iter().map(|placement| placement.pod.clone()).collect();
    let names = awaited_names(executor, &pods);
    for pod in &pods {
        executor.record_preemptor(pod, PreemptorEvent::Awaited);
        executor.follow(pod);
    }
    // The room is free only when the victims are gone, so they are followed as well.
    executor.follow_leaving();
    executor.say(&format!("waiting for {names}"));
    let mut awaited: BTreeSet<PodId> = pods.into_iter().collect();
    let pause = executor.session.options.wait_times.decide;
    let (mut room, mut next) = (LastDecisions::default(), Instant::now() + pause);
    while !awaited.is_empty() {
        match executor.observe_until(next).await? {
            Some((pod, observation)) if awaited.contains(&pod) => {
                if see_preemptor(executor, &pod, observation)? {
                    awaited.remove(&pod);
                }
            }
            Some((pod, observation)) => executor.see_victim(&pod, observation),
            // Nothing happened for a while: another pod may have taken the room.
            None => {
                room.check(executor).await?;
                next = Instant::now() + pause;
            }
        }
    }
    Ok(())
}

fn awaited_names(executor: &Executor<'_>, pods: &[PodId]) -> String {
    match pods {
        [pod] => format!("pod/{} to be on a node", pod.name),
        pods => {
            let id = &executor.plan.preemptor.id;
            format!("{} pods of {}/{} to be on nodes", pods.len(), id.resource(), id.name())
        }
    }
}

/// Handles an observation of a preemptor. Returns whether the wait for it is over.
fn see_preemptor(
    executor: &mut Executor<'_>,
    pod: &PodId,
    observation: Observation,
) -> StepResult<bool> {
    match observation {
        Observation::Found(PodView { node: Some(node), .. }) => {
            preemptor_bound(executor, &Placement { pod: pod.clone(), node });
            Ok(true)
        }
        Observation::Found(PodView { finished: Some(phase), .. }) => {
            Err(StopReason::AwaitedPodFinished(pod.clone(), phase))
        }
        Observation::Found(_) | Observation::NotNow(_) => Ok(false),
        Observation::Gone => {
            executor.record_preemptor(pod, PreemptorEvent::Gone);
            Err(StopReason::AwaitedPodGone(pod.clone()))
        }
        // The removals are done: a missing permission to watch is no failure.
        Observation::Denied(text) => {
            executor.record_preemptor(pod, PreemptorEvent::Hidden);
            executor.warn(&format!("cannot wait for pod {}: {text}", pod.full_name()));
            Ok(true)
        }
        Observation::Failed(text) => {
            executor.warn(&format!("cannot read pod {}: {text} (will try again)", pod.full_name()));
            Ok(false)
        }
    }
}

/// Records and prints that a preemptor is bound to a node.
pub(in crate::apply) fn preemptor_bound(executor: &mut Executor<'_>, bound: &Placement) {
    executor.record_preemptor(&bound.pod, PreemptorEvent::Bound(bound.node.clone()));
    // Without evictions, the node is one of several that fit.
    let evicts = !executor.plan.victims.is_empty();
    let planned = executor.plan.placed.iter().find(|placement| placement.pod == bound.pod);
    let aside = match planned.filter(|planned| evicts && planned.node != bound.node) {
        Some(planned) => format!(", not to {} as planned", planned.node),
        None => String::new(),
    };
    executor.say(&format!("pod/{} bound to {}{aside}", bound.pod.name, bound.node));
}

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
    executor.journal().victims().iter().filter(|victim| victim.is_gone()).count()
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
