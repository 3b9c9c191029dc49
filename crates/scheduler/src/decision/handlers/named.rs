//! Schedulers that are known by their name, and that say in the pod's condition why it waits.

use super::{HandlerDocument, HandlerReason, HeldPod, Rule};

/// A scheduler of this name, or of pods with this label.
pub(super) struct NamedScheduler {
    scheduler: &'static str,
    label: &'static str,
    detected_by: &'static str,
}

/// AWS: one node for each pod of a Fargate profile.
pub(super) static FARGATE: NamedScheduler = NamedScheduler {
    scheduler: "fargate-scheduler",
    label: "eks.amazonaws.com/fargate-profile",
    detected_by: "`schedulerName: fargate-scheduler`",
};

/// Run:ai, of which KAI is the public part.
pub(super) static RUN_AI: NamedScheduler = NamedScheduler {
    scheduler: "runai-scheduler",
    label: "runai/queue",
    detected_by: "`schedulerName: runai-scheduler` or `runai/queue`",
};

/// `SchedMD`: Slurm places the pods.
pub(super) static SLINKY: NamedScheduler = NamedScheduler {
    scheduler: "slurm-bridge-scheduler",
    label: "scheduler.slinky.slurm.net/slurm-jobid",
    detected_by: "`schedulerName: slurm-bridge-scheduler`, or its label with the job of Slurm",
};

impl Rule for NamedScheduler {
    fn document(&self) -> HandlerDocument {
        let reason = "the pod's condition";
        HandlerDocument { detected_by: self.detected_by, reason }
    }

    fn scheduler(&self) -> &'static str {
        self.scheduler
    }

    fn marks(&self, pod: HeldPod) -> bool {
        pod.label(self.label).is_some()
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        pod.condition()
    }
}

#[cfg(test)]
mod tests {
    use crate::decision::handlers::tests::said;
    use crate::decision::handlers::{Handler, HeldBy};
    use crate::testing::{BEFORE, pod};

    #[test]
    fn scheduler_is_known_by_its_name_and_says_why_in_the_condition() {
        for (scheduler, handler) in [
            ("fargate-scheduler", Handler::Fargate),
            ("runai-scheduler", Handler::RunAi),
            ("slurm-bridge-scheduler", Handler::Slinky),
        ] {
            let held = pod("p").scheduler(scheduler).condition("Unschedulable", "why", BEFORE);
            let says = said(vec![], held, handler, HeldBy::SchedulerName);
            assert_eq!(says, ["Unschedulable", "", "why"]);
        }
    }
}
