//! The differences of NodePreferAvoidPods.

use super::super::row::history;

history! {
    /// The differences of NodePreferAvoidPods.
    NodePreferAvoidPods for "NodePreferAvoidPods";

    flags {
        /// Pods of some controllers are kept away from nodes that ask for it.
        avoid_pods from "kubernetes/kubernetes#103072" { (12, 0) => true, (22, 0) => false }
    }
}
