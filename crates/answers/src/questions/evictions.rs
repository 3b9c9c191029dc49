//! Why pods were evicted, and what is not known of it.

use engine::disruption::rerun::{NoRerun, Rerun};
use engine::disruption::{Disruption, EvictionCause, RecordedPreemptor};

/// A pod that was evicted, with the decision run again on an earlier snapshot, or why it was not.
#[derive(Debug, Clone)]
pub struct EvictionAnswer {
    /// What was seen.
    pub found: Disruption,
    /// The decision on an earlier snapshot; `None` if none was given, or the pod was not preempted.
    pub rerun: Option<Result<Rerun, NoRerun>>,
}

impl EvictionAnswer {
    /// What the answer leaves unknown, as sentences without a full stop.
    pub fn unknown(&self) -> Vec<String> {
        let mut unknown = Vec::new();
        match &self.found.cause {
            // The snapshot names it.
            EvictionCause::Preempted(RecordedPreemptor::Uid { .. })
                if matches!(self.rerun, Some(Ok(_))) => {}
            EvictionCause::Preempted(RecordedPreemptor::Uid { kind, uid }) => {
                unknown.push(format!("which {kind} had UID {uid}: it is no longer in the cluster"));
            }
            EvictionCause::Preempted(RecordedPreemptor::NotNamed { .. }) => {
                unknown.push("which pod preempted it: no event names it".to_owned());
            }
            EvictionCause::EvictionApi => {
                unknown.push(
                    "which client sent the eviction: only the API server's audit log has it"
                        .to_owned(),
                );
            }
            EvictionCause::Unknown if self.found.sources.is_empty() => {
                unknown.push(
                    "whether it was evicted: no event mentions it, and Events are kept for one hour by default"
                        .to_owned(),
                );
            }
            EvictionCause::Unknown => {
                unknown.push(
                    "who deleted it: no event says so, and Events are kept for one hour by default"
                        .to_owned(),
                );
            }
            EvictionCause::Kueue { by, .. } if by.name.is_none() => {
                unknown.push(format!(
                    "which Workload had UID {}: no workloads.kueue.x-k8s.io that was read has it",
                    by.uid
                ));
            }
            EvictionCause::Kai { group: None, .. } => {
                unknown
                    .push("for which PodGroup KAI evicted it: its event does not say".to_owned());
            }
            EvictionCause::Preempted(RecordedPreemptor::Pod { .. })
            | EvictionCause::Kueue { .. }
            | EvictionCause::Kai { .. }
            | EvictionCause::Karpenter { .. }
            | EvictionCause::ScaleDown
            | EvictionCause::Descheduler { .. }
            | EvictionCause::Kubelet { .. }
            | EvictionCause::KubeletAdmission { .. }
            | EvictionCause::Taint
            | EvictionCause::PodGc
            | EvictionCause::Owner { .. } => {}
        }
        match &self.rerun {
            Some(Err(why)) => {
                unknown.push(format!("why this pod and not another: {}", no_rerun(*why)));
            }
            Some(Ok(rerun)) if rerun.unsure => {
                unknown.push(
                    "whether the decision was this one: part of what decides could not be read"
                        .to_owned(),
                );
            }
            Some(Ok(rerun)) if !rerun.is_victim => {
                unknown.push(
                    "why this pod: on the snapshot kube-scheduler does not preempt it; the cluster has changed since"
                        .to_owned(),
                );
            }
            Some(Ok(_)) | None => {}
        }
        unknown
    }

    /// Whether the question is answered: the cause is known, and the preemptor too, if it was
    /// preempted.
    pub fn is_known(&self) -> bool {
        self.unknown().is_empty()
    }
}

const fn no_rerun(why: NoRerun) -> &'static str {
    match why {
        NoRerun::PreemptorNotKnown => {
            "the preemptor is not known, so the decision cannot be run again"
        }
        NoRerun::PreemptorMissing => "the snapshot does not have the preemptor",
        NoRerun::PreemptorPlaced => "in the snapshot the preemptor is on a node already",
        NoRerun::VictimMissing => "in the snapshot the pod is not on a node",
    }
}

/// Why Events may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventGap {
    /// The server's answer to the request for them.
    Refused(String),
    /// The input has none.
    NotInInput,
}

impl EventGap {
    /// A sentence without a full stop.
    pub fn text(&self) -> String {
        match self {
            Self::Refused(answer) => format!("Events could not be read: {answer}"),
            Self::NotInInput => {
                "the input has no Event about an eviction; kubectl get events -A adds them"
                    .to_owned()
            }
        }
    }
}
