//! How a scheduler words what is wrong with label selectors and terms of node affinity.

use super::row::history;

history! {
    SelectorErrors for "selectors";

    flags {
        /// Errors speak of lowercase RFC 1123 subdomains; before, of DNS-1123 subdomains.
        subdomains_lowercase from "apimachinery/pkg/util/validation/validation.go (1.20)"
            { (20, 0) => true }

        /// The error of an operator that does not exist speaks of a label selector; before, of a
        /// pod selector.
        label_operators from "apimachinery/pkg/apis/meta/v1/helpers.go (1.26)" { (26, 0) => true }

        /// Errors show lists and operators as JSON; before, as Go.
        values_as_json from "apimachinery/pkg/util/validation/field/errors.go (1.34)"
            { (34, 0) => true }

        /// Errors speak of bytes and label keys; before, of characters and qualified names.
        lengths_in_bytes from "apimachinery/pkg/api/validate/content/errors.go (1.35)"
            { (35, 0) => true }
    }

    values {
        /// What is said of a requirement on labels or fields that is wrong.
        requirement_errors: RequirementErrors {
            (15, 0) => RequirementErrors::PlainWithKey,
                "An error in the value of a label names the key.",
                from "apimachinery/pkg/labels/selector.go (1.15)";
            (21, 0) => RequirementErrors::WithFields,
                "The message has every error of a requirement, with the field; before, only the first.",
                from "apimachinery/pkg/labels/selector.go (1.21)";
        }
    }
}

/// What is said of a requirement on labels or fields that is wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequirementErrors {
    /// The first error.
    #[default]
    Plain,
    /// The first error; if it is about a value, with the key.
    PlainWithKey,
    WithFields,
}
