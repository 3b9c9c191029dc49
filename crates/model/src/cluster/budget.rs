//! A PodDisruptionBudget, as preemption reads it: selector and status, not `minAvailable` or the
//! readiness of pods.

use std::collections::BTreeSet;

use super::notes::SELECTOR;
use super::reader::Reader;
use super::selector::Selector;
use super::symbols::Sym;
use crate::notes::{Note, Subject};
use crate::snapshot::{Kind, others as wire};

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
    /// What else its status says, which no decision reads.
    pub health: Health,
    /// Names of pods whose eviction is already counted.
    pub disrupted: BTreeSet<Box<str>>,
}

/// How many pods of a budget there are, as its controller has counted them; 0 where it has not
/// counted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    /// `status.desiredHealthy`: so many have to stay.
    pub desired: i64,
    /// `status.expectedPods`: so many are counted.
    pub expected: i64,
}

impl Budget {
    pub(super) fn read(wire: &wire::PodDisruptionBudget, reader: &mut Reader) -> Self {
        let (namespace, name) = (&wire.metadata.namespace, &wire.metadata.name);
        let selector = Selector::read(wire.spec.selector.as_ref(), &mut reader.symbols)
            .unwrap_or_else(|e| {
                let about = Subject::object(Kind::PodDisruptionBudget, namespace, name);
                let text =
                    format!("spec.selector cannot be parsed, so the scheduler ignores it: {e}");
                reader.note(about, Note::warning(&SELECTOR, text));
                Selector::Nothing
            });
        Self {
            namespace: reader.namespace(namespace),
            name: Box::from(name.as_str()),
            selector,
            allowed: wire.status.disruptions_allowed,
            health: Health {
                desired: wire.status.desired_healthy,
                expected: wire.status.expected_pods,
            },
            disrupted: wire
                .status
                .disrupted_pods
                .iter()
                .map(|(name, _)| Box::from(name.as_str()))
                .collect(),
        }
    }
}
