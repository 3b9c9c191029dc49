//! Waits until the victims are gone and the pod is on a node, wherever that is.

use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::observe::{self, Seen};
use super::pods::PodView;
use super::request;
use super::run::{Run, Step, stop};
use crate::apply::result::{LandingState, VictimState};
use engine::simulation::plan::PodId;

/// What is seen and not yet looked at.
const NEWS: usize = 16;

impl Run<'_> {
    /// Waits until the pod is on a node. Victims are followed as long as that takes.
    pub(super) async fn wait(&mut self) -> Step<()> {
        let preemptor = self.plan.preemptor.pod.clone();
        let mut followed: Vec<PodId> = vec![preemptor.clone()];
        followed.extend(self.gone.iter().filter(|pod| !self.is_gone(pod)).cloned());
        self.result.landing.state = LandingState::Waiting;
        let (sender, mut news) = mpsc::channel(NEWS);
        let mut followers = JoinSet::new();
        for (who, pod) in followed.iter().enumerate() {
            let (reader, pace) = (self.reader.clone(), self.options.pace.clone());
            followers.spawn(observe::follow(reader, pace, pod.clone(), who, sender.clone()));
        }
        drop(sender);
        self.say(&format!("waiting for pod/{} to be on a node", preemptor.name));
        loop {
            let Some((who, seen)) = self.guard().run(news.recv()).await? else {
                return Ok(());
            };
            if who == 0 {
                if self.see_preemptor(&preemptor, seen)? {
                    return Ok(());
                }
            } else if let Some(pod) = followed.get(who) {
                self.see_victim(pod, seen);
            }
        }
    }

    fn is_gone(&self, pod: &PodId) -> bool {
        let victim = self.result.victims.iter().find(|victim| victim.pod.uid == pod.uid);
        victim.is_some_and(|v| matches!(v.state, VictimState::Gone | VictimState::GoneByItself))
    }

    /// Whether there is nothing left to wait for.
    fn see_preemptor(&mut self, pod: &PodId, seen: Seen) -> Step<bool> {
        match seen {
            Seen::Here(PodView { node: Some(node), .. }) => {
                self.landed(&node);
                Ok(true)
            }
            Seen::Here(_) => Ok(false),
            Seen::Gone => {
                self.result.landing.state = LandingState::Gone;
                stop(format!("{} is not there any more", pod.full_name()))
            }
            // Not being allowed to wait is no failure of what was done.
            Seen::Denied(text) => {
                self.result.landing.state = LandingState::NotAwaited;
                self.warn(&format!("cannot wait for pod {}: {text}", pod.full_name()));
                Ok(true)
            }
            Seen::Troubled(text) => {
                self.warn(&format!("cannot look at pod {}: {text} (will try again)", pod.full_name()));
                Ok(false)
            }
        }
    }

    /// The pod is on `node`.
    pub(super) fn landed(&mut self, node: &str) {
        let name = self.plan.preemptor.pod.name.clone();
        let landing = &mut self.result.landing;
        landing.state = LandingState::Bound;
        landing.node = Some(node.to_owned());
        landing.at = Some(request::seconds(Timestamp::now()));
        let aside =
            if node == self.plan.node { String::new() } else { format!(", not to {} as planned", self.plan.node) };
        self.say(&format!("pod/{name} bound to {node}{aside}"));
    }

    /// A victim is gone.
    pub(super) fn see_gone(&mut self, pod: &PodId) {
        let ours = self.state_of(pod) != Some(VictimState::AlreadyTerminating);
        self.set_state(pod, if ours { VictimState::Gone } else { VictimState::GoneByItself }, None);
        let what = if ours { self.options.mode.words().1 } else { "gone" };
        self.say(&format!("pod/{} {what}", pod.name));
    }

    fn see_victim(&mut self, pod: &PodId, seen: Seen) {
        match seen {
            Seen::Gone => self.see_gone(pod),
            Seen::Here(PodView { deletion: Some(until), .. }) => {
                if matches!(self.state_of(pod), Some(VictimState::Accepted | VictimState::Unknown)) {
                    self.set_state(pod, VictimState::Terminating, None);
                }
                self.ui.progress(pod, VictimState::Terminating, &format!("until {until}"));
            }
            Seen::Here(_) => {}
            Seen::Denied(text) | Seen::Troubled(text) => {
                self.warn(&format!("cannot look at pod {}: {text}", pod.full_name()));
            }
        }
    }

    fn state_of(&self, pod: &PodId) -> Option<VictimState> {
        self.result.victims.iter().find(|victim| victim.pod.uid == pod.uid).map(|victim| victim.state)
    }
}
