//! A PriorityClass: the priority of pods, and whether they preempt.

use super::reader::ReadContext;
use super::symbols::Sym;
use crate::snapshot::others as wire;

/// The priority classes that every API server creates at its start.
///
/// Upstream: `pkg/apis/scheduling/v1/helpers.go` (1.37).
pub const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// A PriorityClass.
#[derive(Debug, Clone)]
pub struct PriorityClass {
    pub name: Sym,
    /// Priority of its pods.
    pub value: i64,
    /// Whether pods without a class get it.
    pub global_default: bool,
    /// `preemptionPolicy: Never`.
    pub never_preempts: bool,
}

impl PriorityClass {
    pub(super) fn read(wire: &wire::PriorityClass, reader: &mut ReadContext) -> Self {
        Self {
            name: reader.intern(&wire.metadata.name),
            value: wire.value,
            global_default: wire.global_default,
            never_preempts: wire.preemption_policy.as_str() == "Never",
        }
    }

    /// The class that pods without one get; of several defaults, that of the lowest value.
    pub fn default_of(classes: &[Self]) -> Option<&Self> {
        classes.iter().filter(|class| class.global_default).min_by_key(|class| class.value)
    }
}
