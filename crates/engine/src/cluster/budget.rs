//! A PodDisruptionBudget, as preemption sees it: selector and status, never minAvailable or pod readiness.

use std::collections::BTreeSet;

use super::selector::Selector;
use super::symbols::Sym;

/// Index of a budget in [`super::Cluster::budgets`], which is ordered by namespace and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BudgetIx(pub u32);

/// A PodDisruptionBudget.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Namespace.
    pub namespace: Sym,
    /// Name.
    pub name: Box<str>,
    /// `spec.selector`; one that cannot be parsed matches nothing, as does an absent one.
    pub selector: Selector,
    /// `status.disruptionsAllowed`.
    pub allowed: i64,
    /// Names of pods whose eviction is already counted.
    pub disrupted: BTreeSet<Box<str>>,
}
