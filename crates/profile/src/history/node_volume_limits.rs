//! What differs in NodeVolumeLimits from version to version.

use super::row::history;

history! {
    NodeVolumeLimits for "NodeVolumeLimits";

    flags {
        /// Volumes that are attached to the node count, whether or not a pod uses them.
        csi_limits_count_attached
            from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.32)"
            { (32, 0) => true }

        /// Volumes of two drivers count as two, even with the same handle.
        csi_limits_by_driver
            from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)"
            { (16, 0) => true }

        /// Migrated volumes count that a pod uses without a claim.
        csi_limits_count_inline
            from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.25)"
            { (25, 0) => true }

        /// Pods keep away from nodes that lack the CSI driver of one of their volumes.
        volume_limit_scaling gate "VolumeLimitScaling" from "pkg/features/kube_features.go (1.37)"
            { (35, 0) => false, (37, 0) => true }

        /// Pods keep away from nodes without a CSI driver only if the driver asks for it.
        missing_driver_is_opt_in
            from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.36)"
            { (36, 0) => true }
    }

    values {
        /// Where NodeVolumeLimits finds the limits of a node.
        csi_limits_from: CsiLimits {
            (16, 0) => CsiLimits::NodeAndCsiNode,
                "NodeVolumeLimits looks at the CSINode.",
                from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)";
            (32, 0) => CsiLimits::CsiNode,
                "NodeVolumeLimits no longer looks at the node's allocatable resources.",
                from "kubernetes/kubernetes#127757";
        }

        /// Whether volumes that are still to be made count, and which class tells their driver.
        csi_limits_unmade: UnmadeVolumes {
            (15, 0) => UnmadeVolumes::BySpec,
                "Volumes that are not provisioned yet count, by the provisioner of their class.",
                from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.15)";
            (16, 0) => UnmadeVolumes::ByAnnotation,
                "An annotation may also name that class.",
                from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)";
        }
    }
}

/// Where NodeVolumeLimits finds the limits of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CsiLimits {
    /// In its allocatable resources.
    #[default]
    Node,
    /// In the CSINode, or else in its allocatable resources.
    NodeAndCsiNode,
    /// In the CSINode.
    CsiNode,
}

/// Whether volumes that are still to be made count, and which class tells their driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnmadeVolumes {
    /// They do not count.
    #[default]
    NotCounted,
    /// The class of the claim's spec.
    BySpec,
    /// The class of the claim's annotation, or else of its spec.
    ByAnnotation,
}
