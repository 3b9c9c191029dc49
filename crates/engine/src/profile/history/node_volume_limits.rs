//! The differences of NodeVolumeLimits.

use super::row::history;

history! {
    /// The differences of NodeVolumeLimits.
    NodeVolumeLimits of node_volume_limits for "NodeVolumeLimits";

    flags {
        /// NodeVolumeLimits looks at the node's allocatable resources.
        csi_limits_of_nodes from "kubernetes/kubernetes#127757" { (12, 0) => true, (32, 0) => false }

        /// NodeVolumeLimits looks at the CSINode.
        csi_limits_of_csi_nodes from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)" { (16, 0) => true }

        /// Volumes that are attached to the node count, whether or not a pod uses them.
        csi_limits_count_attached from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.32)" { (32, 0) => true }

        /// Volumes that are to be made count, by the provisioner of their class.
        csi_limits_count_unmade from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.15)" { (15, 0) => true }

        /// That class may be told by an annotation.
        csi_limits_know_class_annotation from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)"
            { (16, 0) => true }

        /// Volumes of two drivers are two, though their handles be the same.
        csi_limits_by_driver from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)" { (16, 0) => true }

        /// Migrated volumes count that a pod uses without a claim.
        csi_limits_count_inline from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.25)" { (25, 0) => true }

        /// Pods keep away from nodes that lack the CSI driver of one of their volumes.
        volume_limit_scaling gate "VolumeLimitScaling" from "pkg/features/kube_features.go (1.37)"
            { (35, 0) => false, (37, 0) => true }

        /// They do so only for drivers that ask for it.
        missing_driver_is_opt_in from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.36)"
            { (36, 0) => true }
    }
}
