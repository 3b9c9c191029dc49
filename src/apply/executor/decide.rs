//! New decisions on a cluster state that is not older than any earlier read.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::{Executor, StepResult, StopReason};
use crate::apply::planner::{PlanResult, Planner, PreemptorStatus};
use crate::apply::server::pods::{PodLookup, PodView};
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
            if !matches!(error, Error::Cluster { .. })
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
