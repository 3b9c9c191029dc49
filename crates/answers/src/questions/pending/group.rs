//! Groups pods of one owner with the same answer.

use std::collections::BTreeMap;

use super::row::{PendingRow, PodOwner};
use crate::words;

/// Rows that are combined into one line of the table.
#[derive(Debug, Clone)]
pub struct RowGroup<'r> {
    /// The first of them.
    pub first: &'r PendingRow,
    /// How many they are, at least one.
    pub pods: usize,
}

impl RowGroup<'_> {
    /// The name of the pod, the group that is scheduled as a whole, or the owner of several pods,
    /// with their number.
    pub fn name(&self) -> String {
        if let Some(group) = &self.first.group {
            let on_nodes = if group.running > 0 {
                format!(", {} on nodes", group.running)
            } else {
                String::new()
            };
            return format!(
                "podgroup/{} ({}{on_nodes})",
                self.first.name,
                words::count(group.waiting.len(), "pod")
            );
        }
        match &self.first.owner {
            Some(owner) if self.pods > 1 => {
                format!("{}/{} ({})", owner.kind, owner.name, words::count(self.pods, "pod"))
            }
            Some(_) | None => self.first.name.clone(),
        }
    }
}

/// Groups `rows`. A group is placed where its first row is.
pub fn groups<'r>(rows: impl IntoIterator<Item = &'r PendingRow>) -> Vec<RowGroup<'r>> {
    let mut groups: Vec<RowGroup<'r>> = Vec::new();
    let mut of_owner: BTreeMap<(&str, &PodOwner), Vec<usize>> = BTreeMap::new();
    for row in rows {
        let next = groups.len();
        if let Some(owner) = &row.owner {
            let known = of_owner.entry((&row.namespace, owner)).or_default();
            let same = known
                .iter()
                .find(|ix| groups.get(**ix).is_some_and(|group| group.first.has_same_answer(row)));
            if let Some(group) = same.and_then(|ix| groups.get_mut(*ix)) {
                group.pods += 1;
                continue;
            }
            known.push(next);
        }
        groups.push(RowGroup { first: row, pods: 1 });
    }
    groups
}
