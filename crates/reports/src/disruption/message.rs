//! Parses kube-scheduler's Event about a victim.
//!
//! Upstream: `pkg/scheduler/scheduler.go` (1.12),
//! `pkg/scheduler/framework/preemption/preemption.go` (1.16 to 1.35),
//! `pkg/scheduler/framework/preemption/executor.go` (1.37).

/// How a message names the preemptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named<'m> {
    /// `NAMESPACE/NAME`, up to the patch releases of January 2023.
    Pod { namespace: &'m str, name: &'m str },
    /// A kind and a UID, since 1.29.
    Uid {
        /// `pod`, `podgroup` or `compositepodgroup`.
        kind: &'m str,
        uid: &'m str,
    },
    /// `a pod`, up to 1.28.
    NoOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedMessage<'m> {
    /// The preemptor.
    pub by: Named<'m>,
    /// The node; `None` for `cluster`, which is written instead for groups of pods.
    pub node: Option<&'m str>,
}

/// Parses a message; `None` if it is not one of kube-scheduler's.
pub fn read(message: &str) -> Option<ParsedMessage<'_>> {
    let message = message.trim_end_matches('.').trim_end_matches(" (in kube-scheduler memory)");
    let rest = message.strip_prefix("Preempted by ").or_else(|| message.strip_prefix("by "))?;
    let (by, node) = rest.rsplit_once(" on node ").or_else(|| rest.rsplit_once(" on "))?;
    let node = Some(node).filter(|node| *node != "cluster");
    let by = match by.split_once(' ') {
        Some(("a", "pod")) => Named::NoOne,
        Some((kind @ ("pod" | "podgroup" | "compositepodgroup"), uid)) => Named::Uid { kind, uid },
        Some(_) => return None,
        None => {
            let (namespace, name) = by.split_once('/')?;
            Named::Pod { namespace, name }
        }
    };
    Some(ParsedMessage { by, node })
}

/// The node in the descheduler's Event about a pod: `pod eviction from NODE node by ...`.
pub fn descheduled_from(message: &str) -> Option<&str> {
    message.strip_prefix("pod eviction from ")?.split_once(" node by ").map(|(node, _)| node)
}

#[cfg(test)]
mod tests {
    use super::{Named, ParsedMessage, descheduled_from, read};

    #[test]
    fn node_of_an_event_of_the_descheduler() {
        let message = "pod eviction from n1 node by sigs.k8s.io/descheduler";
        assert_eq!(descheduled_from(message), Some("n1"));
        assert_eq!(descheduled_from("pod eviction from n1"), None);
    }

    #[test]
    fn the_message_of_every_release() {
        let pod = Named::Pod { namespace: "shop", name: "web-1" };
        let uid = |kind| Named::Uid { kind, uid: "6f3c" };
        for (text, by, node) in [
            ("by shop/web-1 on node n1", pod, Some("n1")),
            ("Preempted by shop/web-1 on node n1", pod, Some("n1")),
            ("Preempted by a pod on node n1", Named::NoOne, Some("n1")),
            ("Preempted by pod 6f3c on node n1", uid("pod"), Some("n1")),
            ("Preempted by podgroup 6f3c on node cluster", uid("podgroup"), None),
            ("Preempted by compositepodgroup 6f3c on node cluster", uid("compositepodgroup"), None),
            (
                "Preempted by pod 6f3c on node n1 (in kube-scheduler memory).",
                uid("pod"),
                Some("n1"),
            ),
        ] {
            assert_eq!(read(text), Some(ParsedMessage { by, node }), "{text}");
        }
        for other in
            ["", "Preempted", "Preempted by a cat on node n1", "evicted by the kubelet on node n1"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
