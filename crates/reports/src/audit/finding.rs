//! A finding: the object that it is about, and the values behind it.

use json::audit::Evidence;

use super::check::Check;
use model::cluster::owner::Workload;

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
