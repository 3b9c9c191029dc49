//! What differs in NodePreferAvoidPods from version to version.

use super::super::row::history;

history! {
    NodePreferAvoidPods for "NodePreferAvoidPods";

    flags {
        /// Pods of some controllers are kept off nodes whose annotation asks for it.
        avoid_pods from "kubernetes/kubernetes#103072" { (12, 0) => true, (22, 0) => false }
    }
}
