//! Waits until the pods that get room are bound to nodes, whichever these are, and follows the victims meanwhile.

use std::collections::BTreeSet;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{PreemptorEvent, VictimEvent, VictimRecord};
use crate::apply::server::observe::{self, Observation};
use crate::apply::server::pods::PodView;
use engine::simulation::plan::{Placement, PodId};

/// How many observations are buffered.
const BUFFER: usize = 16;

/// Waits until the pods that get room are bound.
pub(in crate::apply) async fn wait(executor: &mut Executor<'_>) -> StepResult<()> {
    // The first are those that get room, the others are victims.
    let mut followed: Vec<PodId> = executor.plan.placed.iter().map(|placement| placement.pod.clone()).collect();
    let mut awaited: BTreeSet<usize> = (0..followed.len()).collect();
    followed.iter().for_each(|pod| executor.record_preemptor(pod, PreemptorEvent::Awaited));
    let gone = |pod: &PodId| executor.journal().victim(pod).is_some_and(|victim| victim.state.is_gone());
    let leaving: Vec<PodId> = executor.journal().leaving().into_iter().filter(|pod| !gone(pod)).collect();
    let names = awaited_names(executor, &followed);
    followed.extend(leaving);
    let (sender, mut observations) = mpsc::channel(BUFFER);
    let mut followers = JoinSet::new();
    for (index, pod) in followed.iter().enumerate() {
        let (reader, times) = (executor.session.reader.clone(), executor.session.options.wait_times.clone());
        followers.spawn(observe::follow(reader, times, pod.clone(), index, sender.clone()));
    }
    drop(sender);
    executor.say(&format!("waiting for {names}"));
    while !awaited.is_empty() {
        let Some((index, observation)) = executor.clock.run(observations.recv()).await? else { break };
        let Some(pod) = followed.get(index) else { continue };
        if !awaited.contains(&index) {
            if executor.journal().victim(pod).is_some() {
                see_victim(executor, pod, observation);
            }
        } else if see_preemptor(executor, pod, observation)? {
            awaited.remove(&index);
        }
    }
    Ok(())
}

/// What is waited for, in words.
fn awaited_names(executor: &Executor<'_>, pods: &[PodId]) -> String {
    match pods {
        [pod] => format!("pod/{} to be on a node", pod.name),
        pods => {
            let id = &executor.plan.preemptor.id;
            format!("{} pods of {}/{} to be on nodes", pods.len(), id.resource(), id.name())
        }
    }
}

/// Acts on an observation of a pod that gets room. Returns whether the wait for it is over.
fn see_preemptor(executor: &mut Executor<'_>, pod: &PodId, observation: Observation) -> StepResult<bool> {
    match observation {
        Observation::Found(PodView { node: Some(node), .. }) => {
            preemptor_bound(executor, &Placement { pod: pod.clone(), node });
            Ok(true)
        }
        Observation::Found(_) => Ok(false),
        Observation::Gone => {
            executor.record_preemptor(pod, PreemptorEvent::Gone);
            Err(StopReason::AwaitedPodGone(pod.clone()))
        }
        // The removals are done: not being allowed to wait is no failure.
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

/// Records and prints that a pod that gets room is bound to a node.
pub(in crate::apply) fn preemptor_bound(executor: &mut Executor<'_>, bound: &Placement) {
    executor.record_preemptor(&bound.pod, PreemptorEvent::Bound(bound.node.clone()));
    let planned = executor.plan.placed.iter().find(|placement| placement.pod == bound.pod);
    let aside = match planned.filter(|planned| planned.node != bound.node) {
        Some(planned) => format!(", not to {} as planned", planned.node),
        None => String::new(),
    };
    executor.say(&format!("pod/{} bound to {}{aside}", bound.pod.name, bound.node));
}

/// Records and prints that a victim is gone.
pub(super) fn victim_gone(executor: &mut Executor<'_>, pod: &PodId) {
    executor.record_victim(pod, VictimEvent::SeenGone);
    let ours = executor.journal().victim(pod).is_some_and(VictimRecord::may_be_removed_by_us);
    let done = if ours { executor.session.options.mode.done() } else { "gone" };
    executor.say(&format!("pod/{} {done}", pod.name));
}

fn see_victim(executor: &mut Executor<'_>, pod: &PodId, observation: Observation) {
    match observation {
        Observation::Gone => victim_gone(executor, pod),
        Observation::Found(PodView { deletion: Some(until), .. }) => {
            executor.record_victim(pod, VictimEvent::SeenTerminating);
            executor.show_progress(pod, &format!("until {until}"));
        }
        Observation::Found(_) => {}
        Observation::Denied(text) | Observation::Failed(text) => {
            executor.warn(&format!("cannot read pod {}: {text}", pod.full_name()));
        }
    }
}
