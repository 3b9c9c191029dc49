//! What differs in SelectorSpread from version to version.

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
