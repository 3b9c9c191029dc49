//! Rows of plugins that today's scheduler no longer has: `SelectorSpread` (by default up to 1.19),
//! `NodePreferAvoidPods` (up to 1.21), `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` (up to
//! 1.30).

pub use cloud_disk_limits::CloudDiskLimits;
pub use node_prefer_avoid_pods::NodePreferAvoidPods;
pub use selector_spread::SelectorSpread;

pub mod selector_spread {
    use super::super::row::history;

    history! {
        SelectorSpread for "SelectorSpread";

        flags {
            /// SelectorSpread does not score pods with spread constraints of their own.
            selector_spread_yields
                from "pkg/scheduler/framework/plugins/defaultpodtopologyspread (1.18)"
                { (18, 0) => true }

            /// SelectorSpread counts pods that match all selectors which match the pod; before, pods
            /// that match any of them.
            selector_spread_by_all
                from "pkg/scheduler/algorithm/priorities/selector_spreading.go (1.14)"
                { (14, 0) => true }
        }
    }
}

pub mod node_prefer_avoid_pods {
    use super::super::row::history;

    history! {
        NodePreferAvoidPods for "NodePreferAvoidPods";

        flags {
            /// Pods of some controllers are kept off nodes whose annotation asks for it.
            avoid_pods from "kubernetes/kubernetes#103072" { (12, 0) => true, (22, 0) => false }
        }
    }
}

pub mod cloud_disk_limits {
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
}
