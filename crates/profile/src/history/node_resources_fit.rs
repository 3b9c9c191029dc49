//! What differs in NodeResourcesFit from version to version.

use super::row::history;

history! {
    NodeResourcesFit for "NodeResourcesFit";

    flags {
        /// NodeResourcesFit scores; before, NodeResourcesLeastAllocated did.
        fit_scores from "kubernetes/kubernetes#101822" { (22, 0) => true }

        /// A full node says `Too many pods`; before, `Insufficient pods`.
        too_many_pods_text from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.18)"
            { (18, 0) => true }

        /// What is requested is compared with what is left of the node; before, the sum of all
        /// requests, which may overflow, was compared with what the node has.
        fit_by_what_is_left from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.21)"
            { (21, 0) => true }

        /// A pod with a sidecar that must not have one is rejected in PreFilter; before, by each
        /// node.
        sidecars_refused_in_pre_filter
            from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.30)" { (30, 0) => true }

        /// Shares of a node are exact however large its amounts are; before, the product overflowed.
        fit_scores_exact
            from "pkg/scheduler/framework/plugins/noderesources/requested_to_capacity_ratio.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Preemption does not help a request above the node's allocatable amount.
        fit_beyond_allocatable_unresolvable
            from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.34)"
            { (34, 0) => true }
    }

    values {
        /// Whether a resource of which the pod requests nothing can be short on an overcommitted
        /// node.
        fit_zero_requests: ZeroRequests {
            (26, 0) => ZeroRequests::NativeShort,
                "A scalar resource of which the pod asks for nothing is never short.",
                from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.26)";
            (28, 0) => ZeroRequests::NeverShort,
                "Only what the pod asks for can be short; before, a pod that asked for anything also failed \
                 where something else was overcommitted.",
                from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.28)";
        }
    }
}

/// Whether a resource of which the pod requests nothing can be short on an overcommitted node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ZeroRequests {
    /// Any resource can, if the pod requests anything at all.
    #[default]
    Short,
    /// Only cpu, memory and ephemeral storage can.
    NativeShort,
    /// None can.
    NeverShort,
}
