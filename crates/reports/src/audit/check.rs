//! The table of checks: codes, severities, and the kinds that each has to read.

use model::notes::Severity;
use model::snapshot::Kind;

/// What an audit looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// Several budgets select the same pods.
    SeveralBudgets,
    /// A budget allows no disruption even while all of its pods are healthy.
    BudgetNeverAllows,
    /// A budget selects every pod of its namespace.
    BudgetSelectsAll,
    /// A budget selects no pod.
    BudgetSelectsNothing,
    /// Several priority classes are the global default.
    SeveralGlobalDefaults,
    /// Pods without a class have another priority than the global default gives today.
    OlderThanGlobalDefault,
    /// The global default is higher than a class.
    GlobalDefaultAboveClass,
    /// A priority class that no pod has.
    UnusedClass,
    /// A priority class that another cluster has otherwise, or not at all.
    ClassDiffers,
    /// Pods whose priority is not that of their class.
    PriorityNotOfClass,
    /// Pods of a class that does not exist.
    MissingClass,
    /// An add-on that pods of users can preempt.
    AddOnPreemptible,
    /// A pod that may not preempt waits, though preemption would make room for it.
    NeverPreempts,
    /// Pods without a controller, which are not recreated after an eviction.
    BarePod,
    /// Pods of a DaemonSet that can be preempted, and that come back to the same node.
    DaemonSetComesBack,
    /// Pods that request nothing, so that their eviction frees nothing.
    NoRequests,
    /// A pod is nominated to a node on which it does not fit, or that does not exist.
    StaleNomination,
    /// A victim of preemption that should have ended.
    StuckVictim,
    /// A topology spread constraint over a label that no node has.
    SpreadWithoutDomains,
    /// A topology spread constraint that has fewer domains than it demands, and more pods than
    /// these take.
    SpreadTooFewDomains,
}

/// One row of the table.
struct Row {
    check: Check,
    code: &'static str,
    severity: Severity,
    /// The kinds without which nothing can be said, besides nodes and pods.
    needs: &'static [Kind],
}

const fn row(check: Check, code: &'static str, severity: Severity, needs: &'static [Kind]) -> Row {
    Row { check, code, severity, needs }
}

const BUDGETS: &[Kind] = &[Kind::PodDisruptionBudget];
const CLASSES: &[Kind] = &[Kind::PriorityClass];

/// Codes are never reused.
const TABLE: [Row; 20] = {
    use Severity::{Error, Info, Warning};
    [
        row(Check::SeveralBudgets, "AUD-101", Error, BUDGETS),
        row(Check::BudgetNeverAllows, "AUD-102", Warning, BUDGETS),
        row(Check::BudgetSelectsAll, "AUD-103", Warning, BUDGETS),
        row(Check::BudgetSelectsNothing, "AUD-104", Info, BUDGETS),
        row(Check::SeveralGlobalDefaults, "AUD-201", Warning, CLASSES),
        row(Check::OlderThanGlobalDefault, "AUD-202", Warning, CLASSES),
        row(Check::GlobalDefaultAboveClass, "AUD-203", Info, CLASSES),
        row(Check::UnusedClass, "AUD-204", Info, CLASSES),
        row(Check::ClassDiffers, "AUD-205", Warning, CLASSES),
        row(Check::PriorityNotOfClass, "AUD-301", Warning, CLASSES),
        row(Check::MissingClass, "AUD-302", Warning, CLASSES),
        row(Check::AddOnPreemptible, "AUD-303", Warning, CLASSES),
        row(Check::NeverPreempts, "AUD-304", Warning, &[]),
        row(Check::BarePod, "AUD-305", Warning, CLASSES),
        row(Check::DaemonSetComesBack, "AUD-306", Warning, CLASSES),
        row(Check::NoRequests, "AUD-307", Info, CLASSES),
        row(Check::StaleNomination, "AUD-308", Warning, &[]),
        row(Check::StuckVictim, "AUD-309", Warning, &[]),
        row(Check::SpreadWithoutDomains, "AUD-401", Error, &[]),
        row(Check::SpreadTooFewDomains, "AUD-402", Warning, &[]),
    ]
};

impl Check {
    /// Every check, in the order of the codes.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.check)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each check, in their order; a test says so"
    )]
    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Its code, `AUD-nnn`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.row().code
    }

    /// How severe its findings are.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.row().severity
    }

    /// The kinds that it has to read, besides nodes and pods.
    #[must_use]
    pub const fn needs(self) -> &'static [Kind] {
        self.row().needs
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, TABLE};

    #[test]
    fn the_table_stands_in_the_order_of_the_checks() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.check as usize, at, "{}", row.code);
        }
        assert!(
            Check::all().map(Check::code).is_sorted_by(|a, b| a < b),
            "codes are unique and in order"
        );
    }
}
