//! The pods whose changes are observed: victims, from when the server has accepted their removal,
//! and later the preemptors.

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::{Executor, StepResult};
use crate::apply::journal::{VictimEvent, VictimRecord};
use crate::apply::server::observe::{self, Observation};
use crate::apply::server::pods::PodView;
use crate::apply::server::request::seconds;
use engine::simulation::plan::PodId;

/// Size of the buffer of observations.
const BUFFER: usize = 16;

/// The observed pods. Dropping it ends the observation.
pub(super) struct Followed {
    pods: Vec<PodId>,
    tasks: JoinSet<()>,
    sender: Sender<(usize, Observation)>,
    observations: Receiver<(usize, Observation)>,
}

impl Followed {
    pub(super) fn new() -> Self {
        let (sender, observations) = mpsc::channel(BUFFER);
        Self { pods: Vec::new(), tasks: JoinSet::new(), sender, observations }
    }

    async fn next(&mut self) -> Option<(PodId, Observation)> {
        let (index, observation) = self.observations.recv().await?;
        self.pods.get(index).map(|pod| (pod.clone(), observation))
    }
}

impl Executor<'_> {
    /// Observes a pod from now on.
    pub(in crate::apply) fn follow(&mut self, pod: &PodId) {
        if self.followed.pods.contains(pod) {
            return;
        }
        let index = self.followed.pods.len();
        self.followed.pods.push(pod.clone());
        let (reader, times) =
            (self.session.reader.clone(), self.session.options.wait_times.clone());
        let sender = self.followed.sender.clone();
        self.followed.tasks.spawn(observe::follow(reader, times, pod.clone(), index, sender));
    }

    /// Observes the terminating victims.
    pub(in crate::apply) fn follow_leaving(&mut self) {
        let gone = |pod: &PodId| self.journal.victim(pod).is_some_and(VictimRecord::is_gone);
        let leaving: Vec<PodId> =
            self.journal.leaving().into_iter().filter(|pod| !gone(pod)).collect();
        leaving.iter().for_each(|pod| self.follow(pod));
    }

    /// The next observation of any pod; `None` if there was none until `end`.
    pub(in crate::apply) async fn observe_until(
        &mut self,
        end: Instant,
    ) -> StepResult<Option<(PodId, Observation)>> {
        let observation = self.clock.run(timeout_at(end, self.followed.next())).await?;
        let observation = observation.ok().flatten();
        match &observation {
            Some((_, Observation::Found(_) | Observation::Gone)) => self.succeeded(),
            Some((
                _,
                Observation::NotNow(text) | Observation::Denied(text) | Observation::Failed(text),
            )) => self.failed(text),
            None => {}
        }
        Ok(observation)
    }

    /// Records and prints an observation of a victim.
    pub(in crate::apply) fn see_victim(&mut self, pod: &PodId, observation: Observation) {
        if self.journal.victim(pod).is_none() {
            return;
        }
        match observation {
            Observation::Gone => self.victim_gone(pod),
            Observation::Found(PodView { deletion: Some(until), .. }) => {
                self.record_victim(pod, VictimEvent::SeenTerminating);
                self.show_progress(pod, &format!("until {}", seconds(until)));
            }
            Observation::Found(_) | Observation::NotNow(_) => {}
            Observation::Denied(text) | Observation::Failed(text) => {
                let text = format!("cannot read pod {}: {text}", pod.full_name());
                if !self.journal.warnings().contains(&text) {
                    self.warn(&text);
                }
            }
        }
    }

    /// Records and prints that a victim is gone.
    pub(in crate::apply) fn victim_gone(&mut self, pod: &PodId) {
        self.record_victim(pod, VictimEvent::SeenGone);
        let done = match self.journal.victim(pod) {
            Some(victim) if victim.is_maybe_ours() => {
                "gone (it is not known whether by this command)"
            }
            Some(victim) if victim.may_be_removed_by_us() => self.session.options.mode.done(),
            Some(_) | None => "gone",
        };
        self.say(&format!("pod/{} {done}", pod.name));
    }
}
