//! The situations in which the scheduler's decision and ours are compared, each in a few lines:
//! nodes, what runs on them, the pod that waits. What must come out is said only as far as it shows
//! that the situation is what its name says; the rest is for the scheduler to say.

mod preempts;
mod refused;

use crate::objects::Object;

/// What the scheduler does, in short.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// It writes a message with this in it.
    Refuses(&'static str),
    /// It evicts this many pods from this node.
    Preempts(&'static str, usize),
    /// It has thrown another out, and when pod `leaves` leaves before that one has ended, writes a
    /// message with this in it.
    Waits(&'static str),
    /// It binds the pod to this node.
    Binds(&'static str),
    /// It never looks at the pod.
    Ignores,
}

pub struct Situation {
    pub name: &'static str,
    /// What is there.
    pub view: fn() -> Vec<Object>,
    /// Pods that the scheduler preempts for before, and how many victims they have; these take
    /// their time to end.
    pub first: (usize, fn() -> Vec<Object>),
    /// The pod in question.
    pub pod: fn() -> Object,
    pub outcome: Outcome,
    /// What a scheduler that is not released yet does instead.
    pub next: Option<Outcome>,
    /// Whether it is one of those that run on old releases, too.
    pub smoke: bool,
}

impl Situation {
    pub const fn new(
        name: &'static str,
        view: fn() -> Vec<Object>,
        pod: fn() -> Object,
        outcome: Outcome,
    ) -> Self {
        Self { name, view, first: (0, Vec::new), pod, outcome, next: None, smoke: false }
    }

    const fn after(mut self, victims: usize, first: fn() -> Vec<Object>) -> Self {
        self.first = (victims, first);
        self
    }

    pub const fn next(mut self, outcome: Outcome) -> Self {
        self.next = Some(outcome);
        self
    }

    const fn smoke(mut self) -> Self {
        self.smoke = true;
        self
    }
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Situation> {
    refused::SITUATIONS.iter().chain(preempts::SITUATIONS)
}
