//! The differences of TaintToleration.

use super::row::history;

history! {
    /// The differences of TaintToleration.
    TaintToleration of taint_toleration for "TaintToleration";

    flags {
        /// The message of an untolerated taint names the taint.
        taint_named from "kubernetes/kubernetes#87503" { (18, 0) => true }

        /// It calls the taint untolerated.
        taint_untolerated from "kubernetes/kubernetes#107850" { (24, 0) => true }

        /// The message of an untolerated taint does not name the taint.
        taint_unnamed from "kubernetes/kubernetes#134740" { (34, 2) => true }
    }
}
