//! The groups created from a Workload.

use engine::groups::made::{MadeGroups, MadeOf};

use super::tables::{NAMED, table};
use crate::page::{Column, Page, Span, Tone};
use answers::words;

/// The answer about a Workload from which no group of pods was created.
pub(super) fn sentence(made: &MadeOf) -> String {
    let name = name(made);
    match made.groups.first() {
        None => format!("Workload {name} has nothing that this version of kube-scheduler reads"),
        Some(group) if group.of.is_template => {
            format!(
                "Workload {name}: no PodGroup was made from it, so it has no group of pods to schedule"
            )
        }
        Some(_) => format!("Workload {name}: no pod names it"),
    }
}

fn name(made: &MadeOf) -> String {
    made.cluster.full_name(made.workload.namespace, made.workload.name)
}

/// Each template with the PodGroups created from it, or each pod group with its replicas.
pub(super) fn add(page: &mut Page, made: &MadeOf) {
    let templates = made.groups.iter().any(|group| group.of.is_template);
    let row = |group: &MadeGroups| {
        let min_count =
            group.of.min_count.map_or_else(|| "basic".to_owned(), |min| format!("gang of {min}"));
        let names: Vec<&str> = group.names.iter().map(|name| made.cluster.text(*name)).collect();
        let found = match (names.is_empty(), templates) {
            (true, true) => Span::new("none: no controller has made one", Tone::Bad),
            (true, false) => Span::new("no pod names it", Tone::Bad),
            (false, _) => words::list(&names, NAMED).into(),
        };
        vec![made.cluster.text(group.of.name).into(), min_count.into(), found]
    };
    let (first, last) =
        if templates { ("TEMPLATE", "PODGROUPS") } else { ("POD GROUP", "NAMED BY PODS AS") };
    let columns =
        vec![Column::new(first).names(24), Column::new("POLICY"), Column::new(last).prose(24)];
    let heading = format!("Workload {}", name(made));
    table(page, &heading, columns, made.groups.iter().map(row).collect(), "template", true);
}
