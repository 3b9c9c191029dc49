//! The planner on a separate thread: it reads and decides synchronously while the run must react to
//! signals.

use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;

use crate::apply::planner::{PlanResult, Planner};
use crate::crash;
use crate::error::Error;

type Job = Box<dyn FnOnce(&mut dyn Planner) + Send>;

/// A thread with a planner. It ends when this is dropped and its current job is done.
pub(in crate::apply) struct PlannerThread(mpsc::Sender<Job>);

impl PlannerThread {
    pub(in crate::apply) fn new(mut planner: Box<dyn Planner>) -> Self {
        let (sender, jobs) = mpsc::channel::<Job>();
        thread::spawn(move || {
            while let Ok(job) = jobs.recv() {
                job(planner.as_mut());
            }
        });
        Self(sender)
    }

    /// Runs `job` on the thread.
    ///
    /// # Errors
    /// The error of the job, or that the thread panicked.
    pub(super) async fn run(
        &self,
        job: impl FnOnce(&mut dyn Planner) -> Result<PlanResult, Error> + Send + 'static,
    ) -> Result<PlanResult, Error> {
        let (sender, answer) = oneshot::channel();
        let job: Job = Box::new(move |planner| {
            // After a signal the receiver is gone.
            let _ = sender.send(job(planner));
        });
        let broken = || Error::Cluster {
            problem: "the decision was interrupted".to_owned(),
            hint: Some("try again".to_owned()),
        };
        self.0.send(job).map_err(|_| broken())?;
        // The sender is dropped without an answer only if the thread panics.
        crash::unless_panicked(answer).await.and_then(Result::ok).ok_or_else(broken)?
    }
}
