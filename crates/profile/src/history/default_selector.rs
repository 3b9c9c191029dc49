//! Which pods belong to the incoming pod's controllers and services, for default constraints and
//! SelectorSpread.

use super::row::history;

history! {
    DefaultSelector for "default selector";

    flags {
        /// Default constraints and SelectorSpread use the selector of the pod's controller; before,
        /// of every controller that selects the pod.
        default_selector_by_owner from "pkg/scheduler/framework/plugins/helper/spread.go (1.22)"
            { (22, 0) => true }
    }
}
