//! A PodDisruptionBudget. Preemption reads its selector and status alone; what it asks for is read to
//! say what its controller would count after a change.

use std::collections::BTreeSet;

use super::notes::SELECTOR;
use super::reader::ReadContext;
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
    pub namespace: Sym,
    pub name: Box<str>,
    /// `spec.selector`; one that cannot be parsed matches nothing, as does an absent one.
    pub selector: Selector,
    /// What it asks for: `spec.minAvailable` or `spec.maxUnavailable`.
    pub limit: BudgetLimit,
    /// `status.disruptionsAllowed`.
    pub allowed: i64,
    /// The rest of its status, which the scheduler does not read.
    pub health: BudgetHealth,
    /// Which pods that are not Ready the eviction API evicts.
    pub unhealthy_pods: UnhealthyPods,
    /// Why its controller cannot count its pods, if it cannot; it then allows no disruption.
    pub sync_error: Option<Box<str>>,
    /// Names of pods whose eviction is already counted.
    pub disrupted: BTreeSet<Box<str>>,
}

/// The pod counts of a budget according to its controller; 0 before it has counted. Evictions
/// depend on them, preemption does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetHealth {
    /// `status.desiredHealthy`: how many must stay healthy.
    pub desired: i64,
    /// `status.expectedPods`: how many are counted.
    pub expected: i64,
    /// `status.currentHealthy`: how many are Ready.
    pub current: i64,
    /// Whether the controller has seen the latest change of the spec. Until then the eviction API
    /// refuses.
    pub is_observed: bool,
}

/// How many pods of a budget must be healthy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetLimit {
    /// `spec.minAvailable`, such as `2` or `50%`.
    MinAvailable(Box<str>),
    /// `spec.maxUnavailable`.
    MaxUnavailable(Box<str>),
    /// Neither is known.
    Unknown,
}

impl BudgetLimit {
    fn read(min_available: &str, max_unavailable: &str) -> Self {
        match (min_available, max_unavailable) {
            ("", "") => Self::Unknown,
            ("", most) => Self::MaxUnavailable(most.into()),
            (least, _) => Self::MinAvailable(least.into()),
        }
    }

    /// How many of `expected` pods must be healthy; `None` if that is not known.
    ///
    /// Upstream: `pkg/controller/disruption/disruption.go` `getExpectedPodCount` (1.37).
    pub fn desired(&self, expected: i64) -> Option<i64> {
        // A percentage is rounded up, of pods that must be there and of those that may be missing.
        let scaled = |text: &str| match text.strip_suffix('%') {
            Some(percent) => {
                let percent: i64 = percent.parse().ok()?;
                Some((percent.checked_mul(expected)?.checked_add(99)?).div_euclid(100))
            }
            None => text.parse().ok(),
        };
        match self {
            Self::MinAvailable(least) => scaled(least),
            Self::MaxUnavailable(most) => Some((expected - scaled(most)?).max(0)),
            Self::Unknown => None,
        }
    }
}

/// `spec.unhealthyPodEvictionPolicy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnhealthyPods {
    /// Those whose budget has the pods that it needs: `IfHealthyBudget`, the default.
    IfHealthyBudget,
    /// All of them: `AlwaysAllow`.
    AlwaysAllow,
}

impl UnhealthyPods {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IfHealthyBudget => "IfHealthyBudget",
            Self::AlwaysAllow => "AlwaysAllow",
        }
    }
}

impl Budget {
    pub(super) fn read(wire: &wire::PodDisruptionBudget, reader: &mut ReadContext) -> Self {
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
            limit: BudgetLimit::read(
                wire.spec.min_available.0.as_str(),
                wire.spec.max_unavailable.0.as_str(),
            ),
            allowed: wire.status.disruptions_allowed,
            health: BudgetHealth {
                desired: wire.status.desired_healthy,
                expected: wire.status.expected_pods,
                current: wire.status.current_healthy,
                is_observed: wire.status.observed_generation >= wire.metadata.generation,
            },
            unhealthy_pods: if wire.spec.unhealthy_pod_eviction_policy.as_str() == "AlwaysAllow" {
                UnhealthyPods::AlwaysAllow
            } else {
                UnhealthyPods::IfHealthyBudget
            },
            sync_error: sync_error(wire),
            disrupted: wire
                .status
                .disrupted_pods
                .iter()
                .map(|(name, _)| Box::from(name.as_str()))
                .collect(),
        }
    }
}

/// The controller's message if it could not count the pods of a budget.
///
/// Upstream: `pkg/controller/disruption/disruption.go` `failSafe` (1.37).
fn sync_error(wire: &wire::PodDisruptionBudget) -> Option<Box<str>> {
    let condition =
        wire.status.conditions.iter().find(|c| c.kind.as_str() == "DisruptionAllowed")?;
    (condition.status.as_str() == "False" && condition.reason.as_str() == "SyncFailed")
        .then(|| Box::from(condition.message.as_str()))
}
