//! Who changed a field last, and when, as `metadata.managedFields` say. They are large, so few fields
//! of few objects are looked up, and nothing else of them is kept.

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// A change of a field.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct FieldChange {
    /// The name of the client, such as `kubectl-edit`.
    pub manager: String,
    /// When it changed something that it manages: not before the field, RFC 3339.
    pub time: String,
}

/// An entry of `metadata.managedFields`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ManagedField {
    manager: String,
    time: String,
    fields_v1: Fields,
}

/// The fields that are looked up.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Fields {
    #[serde(rename = "f:spec")]
    spec: SpecFields,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct SpecFields {
    #[serde(rename = "f:suspend")]
    suspend: Present,
    #[serde(rename = "f:paused")]
    paused: Present,
    #[serde(rename = "f:unschedulable")]
    unschedulable: Present,
    #[serde(rename = "f:taints")]
    taints: Present,
}

/// Whether a field is there, whatever it holds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Present(bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(input)?;
        Ok(Self(true))
    }
}

impl FieldChange {
    /// When that was.
    pub fn at(&self) -> Option<Timestamp> {
        self.time.parse().ok()
    }

    /// The last change of the first entry's field that `has` it.
    fn last(entries: &[ManagedField], has: impl Fn(&Fields) -> bool) -> Option<Self> {
        let entries = entries.iter().filter(|entry| has(&entry.fields_v1));
        let last = entries.max_by(|a, b| a.time.cmp(&b.time))?;
        Some(Self { manager: last.manager.clone(), time: last.time.clone() })
    }

    /// Who suspended or paused a workload.
    pub(super) fn of_suspension(entries: &[ManagedField]) -> Option<Self> {
        Self::last(entries, |fields| fields.spec.suspend.0 || fields.spec.paused.0)
    }

    /// Who cordoned a node.
    pub(super) fn of_cordon(entries: &[ManagedField]) -> Option<Self> {
        Self::last(entries, |fields| fields.spec.unschedulable.0)
    }

    /// Who changed the taints of a node last.
    pub(super) fn of_taints(entries: &[ManagedField]) -> Option<Self> {
        Self::last(entries, |fields| fields.spec.taints.0)
    }
}
