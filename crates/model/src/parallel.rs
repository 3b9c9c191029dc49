//! Work on all threads whose results come in order.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use rayon::Scope;
use rayon::prelude::*;

/// Maps items in their order: on all threads, or on this one if there are fewer than `least`.
pub fn map<'i, T: Sync, R: Send, C>(
    items: &'i [T],
    least: usize,
    map: impl Fn(&'i T) -> R + Sync + Send,
) -> C
where
    C: FromIterator<R> + FromParallelIterator<R>,
{
    // Without threads, as in a browser, waiting is not possible.
    if items.len() < least || rayon::current_num_threads() == 1 {
        items.iter().map(map).collect()
    } else {
        items.par_iter().map(map).collect()
    }
}

/// Jobs of a scope, whose results are taken in the order in which the jobs began.
pub struct JobsInOrder<'a, 'scope, R> {
    scope: &'a Scope<'scope>,
    sender: Sender<(usize, R)>,
    receiver: Receiver<(usize, R)>,
    begun: usize,
    taken: usize,
    /// Results that came before those of earlier jobs.
    early: BTreeMap<usize, R>,
}

impl<'a, 'scope, R: Send + 'scope> JobsInOrder<'a, 'scope, R> {
    /// Without jobs.
    pub fn new(scope: &'a Scope<'scope>) -> Self {
        let (sender, receiver) = channel();
        Self { scope, sender, receiver, begun: 0, taken: 0, early: BTreeMap::new() }
    }

    /// Begins a job on any thread.
    pub fn begin(&mut self, job: impl FnOnce() -> R + Send + 'scope) {
        let (number, sender) = (self.begun, self.sender.clone());
        self.begun += 1;
        self.scope.spawn(move |_| {
            // Nobody waits for it if the results before it were enough.
            let _ = sender.send((number, job()));
        });
    }

    /// How many results have not been taken.
    pub fn open(&self) -> usize {
        self.begun - self.taken
    }

    /// The next result, if its job has ended.
    pub fn next_ended(&mut self) -> Option<R> {
        self.early.extend(self.receiver.try_iter());
        let result = self.early.remove(&self.taken)?;
        self.taken += 1;
        Some(result)
    }

    /// The next result, once its job has ended; `None` if all have been taken.
    pub fn wait(&mut self) -> Option<R> {
        while self.open() > 0 {
            if let Some(result) = self.next_ended() {
                return Some(result);
            }
            self.early.extend(self.receiver.recv());
        }
        None
    }
}
