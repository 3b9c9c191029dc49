//! The planner at a desk of its own: reading and deciding blocks, and must not keep a signal from being heard.

use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;

use super::Planner;
use crate::error::Error;

type Job = Box<dyn FnOnce(&mut dyn Planner) + Send>;

/// A thread with a planner, until it is dropped. A job that nobody waits for any more is not waited for, either.
pub(super) struct Desk(mpsc::Sender<Job>);

impl Desk {
    /// Gives the planner its thread.
    pub(super) fn new(mut planner: Box<dyn Planner>) -> Self {
        let (sender, jobs) = mpsc::channel::<Job>();
        thread::spawn(move || {
            while let Ok(job) = jobs.recv() {
                job(planner.as_mut());
            }
        });
        Self(sender)
    }

    /// Has the planner do `job`.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Planner) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, answer) = oneshot::channel();
        let job: Job = Box::new(move |planner| {
            // Nobody waits for it after a signal.
            let _ = sender.send(job(planner));
        });
        let broken =
            || Error::Cluster { problem: "the decision broke off".to_owned(), hint: Some("try again".to_owned()) };
        self.0.send(job).map_err(|_| broken())?;
        answer.await.map_err(|_| broken())?
    }
}
