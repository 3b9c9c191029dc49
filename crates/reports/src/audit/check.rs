//! The definition of a check: its texts, how it is run, and what it finds. Each check is in the
//! file of its theme, the values behind its findings in `crates/json/src/audit.rs`.

use json::audit::{Check as CheckName, Evidence};

use super::scope::AuditScope;
use model::cluster::owner::Workload;
use model::notes::Severity;
use model::snapshot::Kind;

/// The kinds that a check of budgets needs.
pub(super) const BUDGETS: &[Kind] = &[Kind::PodDisruptionBudget];
/// The kinds that a check of priority classes needs.
pub(super) const CLASSES: &[Kind] = &[Kind::PriorityClass];

/// Something that an audit looks for.
#[derive(Debug)]
pub struct Check {
    /// Its code, `AUD-nnn`. Codes are never reused.
    pub code: &'static str,
    /// Its name in JSON.
    pub name: CheckName,
    /// How severe its findings are.
    pub severity: Severity,
    /// Its statement about the cluster if there are findings.
    pub title: &'static str,
    /// Why it matters, in full sentences.
    pub meaning: &'static str,
    /// What to do about it: lower case, imperative, no full stop.
    pub fix: &'static str,
    /// The kinds that it cannot work without, besides nodes and pods.
    pub needs: &'static [Kind],
    /// Runs it.
    pub(super) find: fn(&AuditScope) -> Vec<Finding>,
    /// The finding as a clause after the name of the object; `None` for the evidence of another
    /// check.
    pub(super) clause: fn(&Evidence) -> Option<String>,
    /// Whether there is anything to check.
    pub(super) is_made: fn(&AuditScope) -> bool,
    pub(super) reads_pods: bool,
    /// The node fields that it reads.
    pub(super) reads_nodes: NodePart,
    /// Whether it claims that something does not exist, which one more object could refute.
    pub(super) is_of_absence: bool,
    /// The objects, among the kinds that it needs, that a finding is based on, by name.
    pub(super) rests_on: fn(&Finding) -> Vec<&str>,
    /// Whether a finding may also be wrong because such an object could not be read at all, not
    /// just in part.
    pub(super) rests_on_absent: bool,
}

/// What a check reads from nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodePart {
    Nothing,
    /// Their labels.
    Labels,
    /// Everything that affects decisions.
    All,
}

impl Check {
    /// A check that reads only pods, as a base for others.
    pub(super) const OF_PODS: Self = Self {
        code: "",
        name: CheckName::Other,
        severity: Severity::Warning,
        title: "",
        meaning: "",
        fix: "",
        needs: &[],
        find: |_| Vec::new(),
        clause: |_| None,
        is_made: |_| true,
        reads_pods: true,
        reads_nodes: NodePart::Nothing,
        is_of_absence: false,
        rests_on: |_| Vec::new(),
        rests_on_absent: false,
    };

    /// Every check, in the order of the codes.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        super::THEMES.iter().copied().flatten().copied()
    }
}

/// A code identifies a check.
impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Check {}

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectName {
    pub kind: String,
    /// Its namespace; empty for a kind that is not namespaced.
    pub namespace: String,
    pub name: String,
}

impl ObjectName {
    /// An object without a namespace.
    pub(super) fn of_cluster(kind: &str, name: &str) -> Self {
        Self { kind: kind.to_owned(), namespace: String::new(), name: name.to_owned() }
    }
}

impl From<&Workload> for ObjectName {
    fn from(workload: &Workload) -> Self {
        Self {
            kind: workload.kind.clone(),
            namespace: workload.namespace.clone(),
            name: workload.name.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static Check,
    pub object: ObjectName,
    /// The values that the finding is based on.
    pub evidence: Evidence,
}

impl Finding {
    /// The finding as a clause after the name of the object.
    pub fn clause(&self) -> String {
        (self.check.clause)(&self.evidence).unwrap_or_default()
    }
}
