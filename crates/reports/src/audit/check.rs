//! What a check is: all that is said of it, and how it is found; and what it finds. Each check
//! stands in the file of its theme, the values behind its findings in `crates/json/src/audit.rs`.

use json::audit::{Check as CheckName, Evidence};

use super::scope::Scope;
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
    /// What it says about the cluster when it finds something.
    pub title: &'static str,
    /// Why it matters, in full sentences.
    pub meaning: &'static str,
    /// What to do about it: lower case, imperative, no full stop.
    pub fix: &'static str,
    /// The kinds without which nothing can be said, besides nodes and pods.
    pub needs: &'static [Kind],
    /// Finds it.
    pub(super) find: fn(&Scope) -> Vec<Finding>,
    /// What was found, as a clause that follows the name of the object; `None` for the evidence of
    /// another check.
    pub(super) clause: fn(&Evidence) -> Option<String>,
    /// Whether there is anything to look at.
    pub(super) is_made: fn(&Scope) -> bool,
    /// Whether it looks at pods.
    pub(super) reads_pods: bool,
    /// What it looks at of nodes.
    pub(super) reads_nodes: NodePart,
    /// Whether it says that something does not exist, which one more object may refute.
    pub(super) is_of_absence: bool,
    /// The objects of the kinds that it needs which a finding rests on, by name.
    pub(super) rests_on: fn(&Finding) -> Vec<&str>,
    /// Whether a finding may be wrong also because such an object could not be read at all, and not
    /// just in part.
    pub(super) rests_on_absent: bool,
}

/// What a check looks at of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodePart {
    /// Nothing.
    Nothing,
    /// Their labels.
    Labels,
    /// All that decides.
    All,
}

impl Check {
    /// A check of pods alone, for others to begin with.
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
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for a kind that has none.
    pub namespace: String,
    /// Its name.
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

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static Check,
    /// What it is about.
    pub object: ObjectName,
    /// The values behind it.
    pub evidence: Evidence,
}

impl Finding {
    /// What was found, as a clause that follows the name of the object.
    #[must_use]
    pub fn clause(&self) -> String {
        (self.check.clause)(&self.evidence).unwrap_or_default()
    }
}
