//! How tolerations match taints, for every plugin that compares them.

use super::row::history;

history! {
    Tolerations for "tolerations";

    flags {
        /// Tolerations know the operators Lt and Gt.
        toleration_comparison gate "TaintTolerationComparisonOperators"
            from "pkg/features/kube_features.go (1.35)"
            { (35, 0) => false }
    }
}
