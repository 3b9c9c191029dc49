//! Who changed a field last, and when, as `metadata.managedFields` say. They are large, so few fields
//! of few objects are looked up, and nothing else of them is kept.

use std::collections::BTreeMap;

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
    #[serde(rename = "f:metadata")]
    metadata: MetadataFields,
    #[serde(rename = "f:spec")]
    spec: SpecFields,
    #[serde(rename = "f:status")]
    status: StatusFields,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct MetadataFields {
    /// By the keys of the labels, each after `f:`; and `.` for all of them.
    #[serde(rename = "f:labels")]
    labels: BTreeMap<String, Present>,
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

#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct StatusFields {
    #[serde(rename = "f:allocatable")]
    allocatable: Present,
    #[serde(rename = "f:conditions")]
    conditions: Present,
}

/// Labels that a client has set.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct LabelChange {
    pub by: FieldChange,
    pub keys: Vec<String>,
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

    /// Who changed the allocatable resources of a node last, and whether nothing else that changes
    /// all the time has the same time: a kubelet's heartbeat does not date them.
    pub(super) fn of_allocatable(entries: &[ManagedField]) -> Option<AllocatableChange> {
        let by = Self::last(entries, |fields| fields.status.allocatable.0)?;
        let is_heartbeat = entries.iter().any(|entry| {
            let status = &entry.fields_v1.status;
            entry.time == by.time && status.allocatable.0 && status.conditions.0
        });
        Some(AllocatableChange { by, is_heartbeat })
    }
}

/// A change of allocatable resources.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct AllocatableChange {
    pub by: FieldChange,
    /// Whether the time is that of a heartbeat: the change itself may be older.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_heartbeat: bool,
}

impl LabelChange {
    /// Who set which labels of a node.
    pub(super) fn of_labels(entries: &[ManagedField]) -> Vec<Self> {
        let mut changes = Vec::new();
        for entry in entries {
            let mut keys = Vec::new();
            for key in entry.fields_v1.metadata.labels.keys() {
                keys.extend(key.strip_prefix("f:").map(str::to_owned));
            }
            if !keys.is_empty() {
                let by = FieldChange { manager: entry.manager.clone(), time: entry.time.clone() };
                changes.push(Self { by, keys });
            }
        }
        changes
    }
}
