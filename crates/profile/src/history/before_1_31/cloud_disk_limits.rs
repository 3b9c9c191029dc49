//! What differs in `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` from version to version.

use super::super::row::history;

history! {
    CloudDiskLimits for "EBSLimits, GCEPDLimits, AzureDiskLimits";

    flags {
        /// A plugin for each cloud rejects nodes that would have too many of its disks.
        cloud_disk_limits from "kubernetes/kubernetes#124500" { (12, 0) => true, (31, 0) => false }

        /// A claim or volume that is not there, or not bound, counts as a disk of every cloud;
        /// later, by its class alone.
        unknown_disks_count from "pkg/scheduler/algorithm/predicates/predicates.go (1.16)"
            { (12, 0) => true, (16, 0) => false }

        /// The label that is not beta may also name the type of a node's machine.
        stable_instance_type from "pkg/scheduler/algorithm/predicates/predicates.go (1.17)"
            { (17, 0) => true }
    }
}
