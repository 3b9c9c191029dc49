//! Lists of objects in the server's format, and the description of each object for completion.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Deserialize;

use answers::words;

/// A name and its description.
pub(super) struct Name {
    pub(super) name: String,
    pub(super) about: String,
}

/// A list of objects, or a table of their rows.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CompletionList {
    metadata: ListMeta,
    items: Vec<Item>,
    column_definitions: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Column {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    cells: Vec<serde_json::Value>,
}

/// The conditions that kube-scheduler sets on a PodGroup, in 1.37 and in 1.36.
const GROUP_CONDITIONS: [&str; 2] = ["PodGroupInitiallyScheduled", "PodGroupScheduled"];

impl CompletionList {
    /// The groups that pods of 1.35 name, in the form for `podgroup/`.
    pub(super) fn named_groups(&self) -> Vec<Name> {
        let named = self.items.iter().filter_map(|item| item.spec.workload_ref.as_ref());
        let parts =
            named.map(|of| [&*of.name, &*of.pod_group, &*of.pod_group_replica_key].join("/"));
        let names: BTreeSet<String> =
            parts.map(|name| name.trim_end_matches('/').to_owned()).collect();
        names.into_iter().map(|name| Name { name, about: String::new() }).collect()
    }

    /// The token of the next page; empty on the last.
    pub(super) fn next_page(&self) -> &str {
        &self.metadata.token
    }

    pub(super) fn names(self) -> Vec<Name> {
        let columns = ["Name", "Status", "Age"]
            .map(|column| self.column_definitions.iter().position(|c| c.name == column));
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let [name, status, age] =
                columns.map(|at| at.and_then(|at| row.cells.get(at)?.as_str()).unwrap_or_default());
            let about = format!("{status} {age}").trim().to_owned();
            rows.push(Name { name: name.to_owned(), about });
        }
        self.items.into_iter().map(Item::name).chain(rows).collect()
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue")]
    token: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Item {
    metadata: Meta,
    spec: Spec,
    status: Status,
    /// The value of a PriorityClass.
    value: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    name: String,
    creation_timestamp: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    unschedulable: bool,
    /// The policy of a PodGroup.
    scheduling_policy: Policy,
    /// The group of a pod of 1.35.
    workload_ref: Option<WorkloadRef>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Policy {
    gang: Option<Gang>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Gang {
    min_count: i64,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WorkloadRef {
    name: String,
    pod_group: String,
    pod_group_replica_key: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    phase: String,
    conditions: Vec<Condition>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
}

impl Item {
    /// The description: `Pending 3m, Unschedulable`, `Active`, `priority 1000`, `cordoned`, `gang
    /// of 3, Unschedulable`.
    fn about(&self) -> String {
        // One struct reads the items of every list: which field is set says what the item is.
        if let Some(gang) = &self.spec.scheduling_policy.gang {
            let mut conditions = self.status.conditions.iter();
            let refused = conditions
                .find(|c| GROUP_CONDITIONS.contains(&&*c.kind) && c.status == "False")
                .map(|c| format!(", {}", c.reason));
            return format!("gang of {}{}", gang.min_count, refused.unwrap_or_default());
        }
        if let Some(value) = self.value {
            return format!("priority {value}");
        }
        if self.spec.unschedulable {
            return "cordoned".to_owned();
        }

        // Of a pod, what one who chooses among pending ones wants to know.
        let unschedulable =
            self.status.conditions.iter().find(|c| c.kind == "PodScheduled" && c.status == "False");
        let created =
            self.metadata.creation_timestamp.as_deref().and_then(|t| t.parse::<Timestamp>().ok());
        let age =
            created.map(|created| words::age(Timestamp::now().as_second() - created.as_second()));
        match (&*self.status.phase, unschedulable, age) {
            ("Pending", Some(condition), Some(age)) => {
                format!("Pending {age}, {}", condition.reason)
            }
            ("Pending", None, Some(age)) => format!("Pending {age}"),
            (phase, ..) => phase.to_owned(),
        }
    }

    fn name(self) -> Name {
        Name { about: self.about(), name: self.metadata.name }
    }
}
