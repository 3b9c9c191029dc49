//! Waits until the preemptor is bound to a node, whichever it is, and follows the victims meanwhile.

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{Event, VictimEvent, VictimRecord};
use crate::apply::server::observe::{self, Observation};
use crate::apply::server::pods::PodView;
use engine::simulation::plan::PodId;

/// How many observations are buffered.
const BUFFER: usize = 16;

/// Waits until the preemptor is bound.
pub(in crate::apply) async fn wait(executor: &mut Executor<'_>) -> StepResult<()> {
    let preemptor = executor.plan.preemptor.pod.clone();
    // The first is the preemptor, the others are victims.
    let mut followed = vec![preemptor.clone()];
    let gone = |pod: &PodId| executor.journal().victim(pod).is_some_and(|victim| victim.state.is_gone());
    followed.extend(executor.journal().leaving().into_iter().filter(|pod| !gone(pod)));
    executor.record(Event::AwaitsPreemptor);
    let (sender, mut observations) = mpsc::channel(BUFFER);
    let mut followers = JoinSet::new();
    for (index, pod) in followed.iter().enumerate() {
        let (reader, times) = (executor.session.reader.clone(), executor.session.options.wait_times.clone());
        followers.spawn(observe::follow(reader, times, pod.clone(), index, sender.clone()));
    }
    drop(sender);
    executor.say(&format!("waiting for pod/{} to be on a node", preemptor.name));
    loop {
        let Some((index, observation)) = executor.clock.run(observations.recv()).await? else {
            return Ok(());
        };
        if index == 0 {
            if see_preemptor(executor, &preemptor, observation)? {
                return Ok(());
            }
        } else if let Some(pod) = followed.get(index) {
            see_victim(executor, pod, observation);
        }
    }
}

/// Acts on an observation of the preemptor. Returns whether the wait is over.
fn see_preemptor(executor: &mut Executor<'_>, pod: &PodId, observation: Observation) -> StepResult<bool> {
    match observation {
        Observation::Found(PodView { node: Some(node), .. }) => {
            preemptor_bound(executor, &node);
            Ok(true)
        }
        Observation::Found(_) => Ok(false),
        Observation::Gone => {
            executor.record(Event::PreemptorGone);
            Err(StopReason::AwaitedPodGone(pod.clone()))
        }
        // The removals are done: not being allowed to wait is no failure.
        Observation::Denied(text) => {
            executor.record(Event::PreemptorHidden);
            executor.warn(&format!("cannot wait for pod {}: {text}", pod.full_name()));
            Ok(true)
        }
        Observation::Failed(text) => {
            executor.warn(&format!("cannot read pod {}: {text} (will try again)", pod.full_name()));
            Ok(false)
        }
    }
}

/// Records and prints that the preemptor is bound to `node`.
pub(in crate::apply) fn preemptor_bound(executor: &mut Executor<'_>, node: &str) {
    executor.record(Event::PreemptorBound(node.to_owned()));
    let plan = &executor.plan;
    let aside = if node == plan.node { String::new() } else { format!(", not to {} as planned", plan.node) };
    let line = format!("pod/{} bound to {node}{aside}", plan.preemptor.pod.name);
    executor.say(&line);
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
