//! Texts of the errors that end a scheduling cycle.

use std::collections::BTreeMap;

use crate::framework::status::PANIC;

/// Whether the error stands for a panic of kube-scheduler.
pub(super) fn is_panic(error: &str) -> bool {
    error.contains(PANIC)
}

/// The errors of several nodes as one text. Parity: upstream lists different errors in random order, here they are
/// sorted.
///
/// Upstream: `apimachinery/pkg/util/errors/errors.go` `CreateAggregateFromMessageCountMap` (1.16).
pub(super) fn counted<'e>(errors: impl Iterator<Item = &'e String>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    errors.for_each(|error| *counts.entry(error).or_default() += 1);
    let errors = counts.into_iter().map(|(error, count)| match count {
        1 => error.to_owned(),
        _ => format!("{error} (repeated {count} times)"),
    });
    let errors: Vec<String> = errors.collect();
    match errors.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// The error that a rejection by PreFilter was before it counted as unschedulable. Upstream:
/// `pkg/scheduler/framework/v1alpha1/framework.go` `RunPreFilterPlugins` (1.18).
pub(super) fn pre_filter_error(plugin: &str, reasons: &[String]) -> String {
    format!("rejected by {plugin:?} at prefilter: {}", reasons.join(", "))
}
