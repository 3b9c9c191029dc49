//! New decisions on a cluster state that is not older than any earlier read.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Executor, StepResult, StopReason};
use crate::apply::planner::{PlanResult, Planner, PreemptorStatus};
use crate::apply::server::pods::{PodLookup, PodView};
use crate::crash;
use crate::error::Error;
use engine::simulation::plan::{Plan, PreemptorId};

impl Executor<'_> {
    /// Runs `job` on the planner. A decision that fails, or that is based on stale lists, is
    /// retried with increasing delays: until the deadline if there is one, else a few times.
    pub(in crate::apply) async fn decide<F>(&mut self, job: F) -> StepResult<PreemptorStatus>
    where
        F: Fn(&mut dyn Planner) -> Result<PlanResult, Error> + Send + Clone + 'static,
    {
        let first = self.plan.placed.first().map(|placement| placement.pod.clone());
        let (mut failed, mut planner_failed) = (0, 0);
        self.outdate_decision();
        loop {
            let error = match self.clock.run(self.planner.run(job.clone())).await? {
                Ok(result) => match self.check_versions(&result.versions) {
                    Ok(()) => {
                        self.decided_at = Some(Instant::now());
                        self.newcomers = result.newcomers;
                        self.succeeded();
                        return Ok(result.status);
                    }
                    Err(problem) => Error::Cluster { problem, hint: None },
                },
                Err(error) => {
                    planner_failed += 1;
                    error
                }
            };
            self.failed(&error.to_string());
            failed += 1;
            let times = &self.session.options.wait_times;
            if !matches!(error, Error::Cluster { .. } | Error::Forbidden { .. })
                || planner_failed >= times.attempts
                || !self.clock.has_deadline() && failed >= times.attempts
            {
                return Err(StopReason::NoDecision(error));
            }
            let wait = times.backoff(failed - 1);
            self.warn(&format!("{error} (will read again)"));
            self.pause(wait).await?;
            // Waits for the server. If reads of single pods succeed and the planner's fail, further
            // waiting does not help.
            if let Some(pod) = &first {
                let _ = self.read_pod(pod).await?;
            }
        }
    }

    /// One decision without retries; `None` if it failed or is based on stale lists.
    pub(in crate::apply) async fn decide_once<F>(
        &mut self,
        job: F,
    ) -> StepResult<Option<PreemptorStatus>>
    where
        F: FnOnce(&mut dyn Planner) -> Result<PlanResult, Error> + Send + 'static,
    {
        let result = match self.clock.run(self.planner.run(job)).await? {
            Ok(result) => result,
            Err(error) => {
                self.failed(&error.to_string());
                return Ok(None);
            }
        };
        if let Err(problem) = self.check_versions(&result.versions) {
            self.failed(&problem);
            return Ok(None);
        }
        self.succeeded();
        self.newcomers = result.newcomers;
        Ok(Some(result.status))
    }

    /// Like [`Self::decide`], with the consequences for a run: returns the plan, or the status of a
    /// preemptor that needs no eviction. Stops the run if no eviction helps or the preemptor is
    /// gone.
    pub(in crate::apply) async fn decide_plan<F>(
        &mut self,
        job: F,
    ) -> StepResult<Result<Box<Plan>, PreemptorStatus>>
    where
        F: Fn(&mut dyn Planner) -> Result<PlanResult, Error> + Send + Clone + 'static,
    {
        match self.decide(job).await? {
            PreemptorStatus::NeedsEviction(plan) => Ok(Ok(plan)),
            status @ (PreemptorStatus::Fits(_)
            | PreemptorStatus::Awaits(_)
            | PreemptorStatus::Bound(_)) => Ok(Err(status)),
            PreemptorStatus::Gone => {
                let status = self.gone_or_finished().await?;
                Err(StopReason::NoPlan { preemptor: self.preemptor_name(), status })
            }
            status @ (PreemptorStatus::Impossible(_)
            | PreemptorStatus::Terminating
            | PreemptorStatus::Finished(_)) => {
                Err(StopReason::NoPlan { preemptor: self.preemptor_name(), status })
            }
        }
    }

    /// What became of a preemptor that is not in the lists: those leave out pods that have finished.
    async fn gone_or_finished(&mut self) -> StepResult<PreemptorStatus> {
        if let PreemptorId::Pod(pod) = self.plan.preemptor.id.clone()
            && let Ok(PodLookup::Found(PodView { finished: Some(phase), .. })) =
                self.read_pod(&pod).await?
        {
            return Ok(PreemptorStatus::Finished(phase));
        }
        Ok(PreemptorStatus::Gone)
    }

    /// Checks that lists with these versions are not older than any earlier read. The error
    /// describes the problem.
    fn check_versions(&mut self, versions: &BTreeMap<String, String>) -> Result<(), String> {
        let older = self.freshness.older(versions);
        if !older.is_empty() {
            return Err(format!(
                "the server showed an older state of {} than before",
                older.join(", ")
            ));
        }
        versions.iter().for_each(|(resource, version)| self.freshness.saw(resource, version));
        Ok(())
    }
}

/// The newest version that was read, by plural resource.
#[derive(Debug, Clone, Default)]
pub(super) struct Freshness(BTreeMap<String, u64>);

impl Freshness {
    /// Records that `resource` was read at `version`.
    pub(super) fn saw(&mut self, resource: &str, version: &str) {
        let Ok(version) = version.parse::<u64>() else { return };
        let newest = self.0.entry(resource.to_owned()).or_default();
        *newest = version.max(*newest);
    }

    /// The resources whose `versions` are older than an earlier read.
    pub(super) fn older<'v>(&self, versions: &'v BTreeMap<String, String>) -> Vec<&'v str> {
        let is_older = |(resource, version): &(&'v String, &String)| match (
            self.0.get(*resource),
            version.parse::<u64>(),
        ) {
            (Some(newest), Ok(version)) => version < *newest,
            (None, _) | (_, Err(_)) => false,
        };
        versions.iter().filter(is_older).map(|(resource, _)| resource.as_str()).collect()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_older_is_stale() {
        let mut seen = Freshness::default();
        seen.saw("pods", "10");
        seen.saw("pods", "7");
        seen.saw("nodes", "x");
        let versions = |pods: &str| {
            BTreeMap::from([("pods".to_owned(), pods.to_owned()), ("nodes".into(), "1".into())])
        };
        assert_eq!(seen.older(&versions("9")), ["pods"]);
        assert_eq!(seen.older(&versions("10")), [""; 0]);
        assert_eq!(seen.older(&versions("y")), [""; 0]);
    }
}
