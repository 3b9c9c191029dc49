//! What differs in TaintToleration from version to version.

use super::row::history;

history! {
    TaintToleration for "TaintToleration";

    flags {}

    values {
        /// How the reason for an untolerated taint is worded.
        taint_text: TaintText {
            (18, 0) => TaintText::Named,
                "The message of an untolerated taint names the taint.",
                from "kubernetes/kubernetes#87503";
            (24, 0) => TaintText::NamedUntolerated,
                "The message of a taint calls it untolerated.",
                from "kubernetes/kubernetes#107850";
            (34, 2) => TaintText::Unnamed,
                "The message of an untolerated taint does not name the taint.",
                from "kubernetes/kubernetes#134740";
        }
    }
}

/// How the reason for an untolerated taint is worded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaintText {
    /// `node(s) had taints that the pod didn't tolerate`.
    #[default]
    NotTolerated,
    /// `node(s) had taint {key: value}, that the pod didn't tolerate`.
    Named,
    /// `node(s) had untolerated taint {key: value}`.
    NamedUntolerated,
    /// `node(s) had untolerated taint(s)`.
    Unnamed,
}
