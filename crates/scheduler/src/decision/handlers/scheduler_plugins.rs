//! Plugins of kubernetes-sigs/scheduler-plugins, which run within a kube-scheduler that may have the
//! name of the default one: they reject a pod before any node is looked at, and the condition alone
//! shows it.
//!
//! Upstream: `pkg/coscheduling/{coscheduling,core/core}.go`,
//! `pkg/capacityscheduling/capacity_scheduling.go` (0.33).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule, without_count};

/// Groups of pods.
pub(super) struct Coscheduling;

/// Quotas.
pub(super) struct CapacityScheduling;

const GROUP: &str = "scheduling.x-k8s.io/pod-group";

impl Rule for Coscheduling {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "the texts of that plugin in the pod's condition",
            reason: "the pod's condition: how many pods of the PodGroup exist, or that it was rejected \
             as a whole",
        }
    }

    fn is_quota(&self, message: &str) -> bool {
        message.contains("cannot find enough sibling pods")
            || message.starts_with("PodGroup ") && message.contains(" gets rejected due to ")
            || message.starts_with("pod with pgName: ")
            || message.starts_with("podGroup ") && message.contains(" failed recently")
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let mut reason = pod.condition();
        let count = |before: &str| {
            let (_, rest) = reason.message.split_once(before)?;
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest.get(..end)?.parse::<u32>().ok()
        };
        if let (Some(there), Some(needed)) =
            (count("current pods number: "), count("minMember of group: "))
        {
            reason.word = format!("it needs {needed} pods, {there} exist");
        }
        if let Some(group) = pod.label(GROUP) {
            reason.place = format!("PodGroup {group}");
        }
        reason
    }
}

impl Rule for CapacityScheduling {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "the texts of that plugin in the pod's condition",
            reason: "the pod's condition: which ElasticQuota is used up",
        }
    }

    fn is_quota(&self, message: &str) -> bool {
        message.contains(" is rejected in PreFilter because ") && message.contains("ElasticQuota")
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let mut reason = pod.condition();
        let because = without_count(&reason.message).split_once("because ");
        if let Some(quota) = because.and_then(|(_, text)| text.strip_prefix("ElasticQuota ")) {
            let name = quota.split(' ').next().unwrap_or_default();
            reason.place = format!("ElasticQuota {name}");
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use crate::decision::handlers::tests::holder;
    use crate::decision::handlers::{Handler, HeldBy};
    use crate::testing::pod;

    #[test]
    fn text_of_a_plugin_holds_the_pod_with_and_without_the_count_of_nodes() {
        let group = "pre-filter pod p cannot find enough sibling pods, current pods number: 1, \
                     minMember of group: 3";
        let quota = "Pod default/p is rejected in PreFilter because ElasticQuota default/q is more \
                     than Max";
        for (text, handler, word, place) in [
            (group, Handler::Coscheduling, "it needs 3 pods, 1 exist", "PodGroup g"),
            (quota, Handler::CapacityScheduling, "Unschedulable", "ElasticQuota default/q"),
        ] {
            for message in [text.to_owned(), format!("0/2 nodes are available: {text}.")] {
                let held = pod("p").label("scheduling.x-k8s.io/pod-group", "g").refused(&message);
                let found = holder(vec![], held).expect("a holder");
                assert_eq!((found.handler, found.by), (Some(handler), HeldBy::Quota));
                assert_eq!([found.reason.word, found.reason.place], [word, place]);
            }
        }
        let own = "0/2 nodes are available: 2 Insufficient cpu.";
        assert_eq!(holder(vec![], pod("p").cpu("100").refused(own)), None);
    }
}
