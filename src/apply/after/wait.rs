//! Waits until the preemptors are bound, to whichever nodes, and observes the victims meanwhile.

use std::collections::BTreeSet;

use tokio::time::Instant;

use super::room::LastDecisions;
use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::PreemptorEvent;
use crate::apply::server::observe::Observation;
use crate::apply::server::pods::PodView;
use engine::simulation::plan::{Placement, PodId};

/// Waits until the preemptors are bound. Stops if they no longer fit.
pub(in crate::apply) async fn wait(executor: &mut Executor<'_>) -> StepResult<()> {
    let pods: Vec<PodId> =
        executor.plan.placed.iter().map(|placement| placement.pod.clone()).collect();
    let names = awaited_names(executor, &pods);
    for pod in &pods {
        executor.record_preemptor(pod, PreemptorEvent::Awaited);
        executor.follow(pod);
    }
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
