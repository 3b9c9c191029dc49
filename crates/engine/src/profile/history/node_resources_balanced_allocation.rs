//! The differences of NodeResourcesBalancedAllocation.

use super::row::history;

history! {
    /// The differences of NodeResourcesBalancedAllocation.
    NodeResourcesBalancedAllocation of node_resources_balanced_allocation for "NodeResourcesBalancedAllocation";

    flags {
        /// NodeResourcesBalancedAllocation has no score for pods that ask for nothing; before, that of the node as it is.
        balance_score_skips from "kubernetes/kubernetes#130260" { (33, 0) => true }

        /// NodeResourcesBalancedAllocation counts by standard deviation, and lets full nodes have a score.
        balance_by_deviation from "kubernetes/kubernetes#101946" { (22, 0) => true }

        /// NodeResourcesBalancedAllocation scores how much the pod improves the balance, not the balance it leaves.
        balance_improvement from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.36)" { (36, 0) => true }
    }
}
