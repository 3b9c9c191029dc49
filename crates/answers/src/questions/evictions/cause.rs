//! Why a pod was evicted, and what prevents the next time, in words.

use engine::disruption::{Disruption, EvictionCause, PodState, RecordedPreemptor};
use engine::simulation::plan::PodId;

use super::EvictionAnswer;
use crate::words;

impl EvictionAnswer {
    /// Why it was evicted, in a clause.
    pub fn headline(&self) -> String {
        headline(&self.found)
    }

    /// What prevents the next time. It needs a cause, and a cause needs a source that says it.
    pub fn advice(&self) -> Option<&'static str> {
        (!self.found.sources.is_empty()).then(|| advice(&self.found))
    }
}

fn headline(found: &Disruption) -> String {
    match &found.cause {
        EvictionCause::Preempted(by) => format!("preempted by {}", preemptor(by)),
        EvictionCause::Descheduler { strategy } => {
            format!("evicted by the descheduler (strategy {strategy})")
        }
        EvictionCause::VerticalAutoscaler => {
            "evicted by the Vertical Pod Autoscaler, to give its successor other requests"
                .to_owned()
        }
        EvictionCause::NodeShutdown { message } => {
            with_message("ended because its node shut down", message)
        }
        EvictionCause::Kubelet { message } => with_message("ended by its kubelet", message),
        EvictionCause::KubeletAdmission { message } => {
            with_message("ended by its kubelet to admit a critical pod", message)
        }
        EvictionCause::Taint { taints } => {
            let which = if taints.is_empty() {
                String::new()
            } else {
                format!(": {}", words::list(taints, usize::MAX))
            };
            format!("evicted because it does not tolerate a NoExecute taint of its node{which}")
        }
        EvictionCause::PodGc => {
            "deleted by the pod garbage collector: its node is gone, or it was left over".to_owned()
        }
        EvictionCause::EvictionApi => "evicted by a request to the eviction API".to_owned(),
        EvictionCause::Karpenter { why } => with_message("evicted by Karpenter", why),
        EvictionCause::ScaleDown => {
            "evicted by cluster-autoscaler, which removed its node (scale-down)".to_owned()
        }
        EvictionCause::Kueue { by, why } => {
            let taker = match &by.name {
                Some(name) => format!("Workload {name}"),
                None => format!("a Workload with UID {}", by.uid),
            };
            with_message(&format!("preempted by Kueue for {taker}"), why)
        }
        EvictionCause::Kai { group: Some(group), message } => {
            with_message(&format!("evicted by KAI for PodGroup {group}"), message)
        }
        EvictionCause::Kai { group: None, message } => with_message("evicted by KAI", message),
        EvictionCause::Owner { kind, name } => format!("deleted by its controller, {kind} {name}"),
        EvictionCause::Refused { by, message } => {
            with_message(&format!("an eviction was tried and did not happen, {by} says"), message)
        }
        // Nothing says what happened, but what is left of the pod may show that nothing did.
        EvictionCause::Unknown if found.sources.is_empty() && found.state == PodState::Gone => {
            "no such pod, and no event mentions it (Events are kept for 1h by default)".to_owned()
        }
        EvictionCause::Unknown if found.sources.is_empty() && found.state == PodState::Finished => {
            "it has ended, and nothing says that it was evicted".to_owned()
        }
        EvictionCause::Unknown if found.sources.is_empty() => {
            "no event mentions an eviction".to_owned()
        }
        EvictionCause::Unknown => "deleted".to_owned(),
    }
}

fn with_message(what: &str, message: &str) -> String {
    if message.is_empty() {
        what.to_owned()
    } else {
        format!("{what}: {}", message.trim_end().trim_end_matches('.'))
    }
}

fn preemptor(by: &RecordedPreemptor) -> String {
    match by {
        RecordedPreemptor::Pod { pod, priority: Some(priority) } => {
            format!("{} (priority {priority})", self::pod(pod))
        }
        RecordedPreemptor::Pod { pod, priority: None } => {
            format!("{}, which is no longer there", self::pod(pod))
        }
        RecordedPreemptor::Uid { kind, uid } => format!("the {kind} with UID {uid}"),
        RecordedPreemptor::NotNamed { .. } => "a pod that no event names".to_owned(),
    }
}

/// `shop/web-1 (UID 1234)`.
pub fn pod(pod: &PodId) -> String {
    let uid = if pod.uid.is_empty() { String::new() } else { format!(" (UID {})", pod.uid) };
    format!("{}{uid}", pod.full_name())
}

fn advice(found: &Disruption) -> &'static str {
    match &found.cause {
        EvictionCause::Preempted(_) => {
            "Pods of the preemptor's priority or above are not preempted by it."
        }
        EvictionCause::Descheduler { .. } => {
            "The descheduler respects PodDisruptionBudgets, and skips pods that its policy excludes."
        }
        EvictionCause::VerticalAutoscaler => {
            "updateMode Initial or Off of its VerticalPodAutoscaler keeps running pods, and a PodDisruptionBudget holds it back."
        }
        EvictionCause::NodeShutdown { .. } => {
            "A kubelet ends the pods of a node that shuts down, the least important first; their controller replaces them."
        }
        // Not every pod that a kubelet ends used too much: some it could not run at all.
        EvictionCause::Kubelet { .. } if !found.may_be_kubelet_eviction() => {
            "A kubelet ends and rejects pods that its node cannot run; their controller replaces them."
        }
        EvictionCause::Kubelet { .. } => {
            "A kubelet evicts pods that use more than they request, the lowest priority first. Requests close to real usage prevent this."
        }
        EvictionCause::KubeletAdmission { .. } => {
            "A kubelet admits critical pods at the cost of others. Free room on the node helps."
        }
        EvictionCause::Taint { .. } => {
            "A toleration for the taint, with tolerationSeconds if it shall end, keeps the pod there."
        }
        EvictionCause::Karpenter { .. } => {
            "Karpenter moves pods to fewer, cheaper or newer nodes. karpenter.sh/do-not-disrupt and PodDisruptionBudgets hold it \
             back; neither stops kube-scheduler."
        }
        EvictionCause::ScaleDown => {
            "cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\" keeps the node of a pod; it does not stop kube-scheduler."
        }
        EvictionCause::Kueue { .. } => {
            "Kueue preempts by the priority and the quota of Workloads, not by those of pods on a node."
        }
        EvictionCause::Kai { .. } => {
            "KAI evicts by the shares of its queues and the priority of PodGroups."
        }
        EvictionCause::PodGc => "The pod cannot run without its node. Its controller recreates it.",
        EvictionCause::EvictionApi => "A PodDisruptionBudget limits such evictions.",
        EvictionCause::Owner { .. } => {
            "That is no eviction: the controller was scaled down, or replaced the pod."
        }
        EvictionCause::Refused { .. } => {
            "Such programs try again later; a PodDisruptionBudget often is what refuses."
        }
        EvictionCause::Unknown => {
            "kubectl delete, a controller or another client may have deleted it."
        }
    }
}
