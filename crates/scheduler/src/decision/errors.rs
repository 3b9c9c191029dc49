//! The errors that end a scheduling cycle.

use std::collections::BTreeMap;

use crate::framework::failure::{Crash, StepFailure};

/// Why a scheduling cycle ends without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CycleError {
    /// How it ends.
    pub kind: CycleErrorKind,
    /// kube-scheduler's error text; for a crash, a description of it.
    pub text: String,
}

/// How a scheduling cycle ends without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleErrorKind {
    /// A step returns an error. kube-scheduler tries the pod again and reports `SchedulerError`.
    CycleError,
    /// A step takes longer than kube-scheduler allows, which reports that as an error. Whether it
    /// happens depends on the machine.
    Timeout,
    /// This version of kube-scheduler panics. It restarts and decides nothing.
    Crash,
}

impl CycleErrorKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CycleError => "CycleError",
            Self::Timeout => "Timeout",
            Self::Crash => "Crash",
        }
    }
}

impl CycleError {
    /// An error with kube-scheduler's text.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { kind: CycleErrorKind::CycleError, text: text.into() }
    }
}

impl From<Crash> for CycleError {
    fn from(crash: Crash) -> Self {
        Self { kind: CycleErrorKind::Crash, text: crash.text().to_owned() }
    }
}

impl From<StepFailure> for CycleError {
    fn from(failure: StepFailure) -> Self {
        Self { kind: kind(&failure), text: failure.text().to_owned() }
    }
}

/// Combines the failures of nodes into the error that ends the cycle: the first failure, or all of
/// them in versions that count them.
pub(super) fn of_nodes<'f>(
    mut failures: impl Iterator<Item = &'f StepFailure>,
    all: bool,
) -> Option<CycleError> {
    if !all {
        let first = failures.next()?;
        return Some(CycleError { kind: kind(first), text: first.text().to_owned() });
    }
    let failures: Vec<&StepFailure> = failures.collect();
    let kind = failures
        .iter()
        .map(|failure| kind(failure))
        .find(|kind| *kind != CycleErrorKind::CycleError);
    let text = counted(failures.iter().map(|failure| failure.text()))?;
    Some(CycleError { kind: kind.unwrap_or(CycleErrorKind::CycleError), text })
}

const fn kind(failure: &StepFailure) -> CycleErrorKind {
    match failure {
        StepFailure::Error(_) => CycleErrorKind::CycleError,
        StepFailure::TimedOut(_) => CycleErrorKind::Timeout,
        StepFailure::Crash(_) => CycleErrorKind::Crash,
    }
}

/// The errors of several nodes as one text. Parity: upstream lists different errors in random
/// order, here they are sorted.
///
/// Upstream: `apimachinery/pkg/util/errors/errors.go` `CreateAggregateFromMessageCountMap` (1.16).
fn counted<'e>(errors: impl Iterator<Item = &'e str>) -> Option<String> {
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

/// The error by which versions report a PreFilter rejection that they do not yet treat as
/// unschedulable. Upstream: `pkg/scheduler/framework/v1alpha1/framework.go` `RunPreFilterPlugins`
/// (1.18).
pub(super) fn pre_filter_error(plugin: &str, reasons: &[String]) -> String {
    format!("rejected by {plugin:?} at prefilter: {}", reasons.join(", "))
}
