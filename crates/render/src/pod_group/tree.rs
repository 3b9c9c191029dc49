//! The tree that a group belongs to: the answer about its root, and what each of its groups gets.

use engine::cluster::AnyGroup;
use engine::decision::group::{GroupVerdict, Hindrance};
use engine::groups::GroupOutcome;
use engine::groups::answer::GroupAnswer;
use engine::groups::gate::GroupGate;
use engine::groups::preemption::GroupPreemption;
use engine::groups::tree::{TreeMembership, TreeRow};

use super::tables;
use crate::page::{Column, Page, Span, Tone};
use answers::pod_group as words;
use answers::words::count;

/// The tree that the group of an answer belongs to.
pub(super) fn of<'a>(answer: &'a GroupAnswer) -> Option<&'a TreeMembership> {
    answer.decision()?.tree.as_deref()
}

/// The answer about the root, as that about a group.
pub(super) fn verdict(tree: &TreeMembership) -> &'static GroupVerdict {
    match &tree.outcome {
        GroupOutcome::Scheduled => &GroupVerdict::Fits,
        GroupOutcome::Preempt => &GroupVerdict::Preempts,
        GroupOutcome::Awaits => &GroupVerdict::Awaits,
        GroupOutcome::Unschedulable | GroupOutcome::Error(_) => {
            &GroupVerdict::Cannot(Hindrance::NotHelpful)
        }
        GroupOutcome::NotInQueue(_) => &GroupVerdict::NothingWaits,
    }
}

/// The answer about the root as a sentence without its full stop.
pub(super) fn sentence(tree: &TreeMembership, answer: &GroupAnswer) -> String {
    let cluster = answer.view().cluster;
    let name = format!("CompositePodGroup {}", cluster.any_group_name(AnyGroup::Groups(tree.root)));
    let gets = tree.rows.first().map_or_else(String::new, |root| {
        let plural = if root.needs == 1 { "" } else { "s" };
        format!("{} of the {} group{plural} that it needs", root.has, root.needs)
    });
    let plan = answer.decision().and_then(|decision| decision.plan());
    match &tree.outcome {
        GroupOutcome::Scheduled => format!("{name} fits: it gets {gets}"),
        GroupOutcome::Preempt => {
            let victims = plan.map_or(0, |plan| plan.victims.len());
            format!("{name} fits after preemption: kube-scheduler evicts {}", count(victims, "pod"))
        }
        GroupOutcome::Awaits => format!("{name} waits for the pods that are being evicted for it"),
        GroupOutcome::Unschedulable => {
            let report = answer.decision().and_then(|decision| decision.preemption.as_ref());
            let why =
                words::why_not(report.map_or(Hindrance::NotTried, GroupPreemption::hindrance));
            format!("{name} cannot be scheduled: it gets {gets}, and {why}")
        }
        GroupOutcome::Error(error) => {
            format!("{name}: the scheduling cycle ends with an error: {error}")
        }
        GroupOutcome::NotInQueue(GroupGate::TreeTooSmall { lacks }) => {
            let lacks: Vec<String> = lacks.iter().map(|lack| lack.clause(cluster)).collect();
            format!("{name} waits for pods: {}", lacks.join("; "))
        }
        GroupOutcome::NotInQueue(GroupGate::Member(pod, _)) => {
            format!("{name} is held back with all its pods by pod {}", cluster.pod_name(*pod))
        }
        GroupOutcome::NotInQueue(GroupGate::Deleting) => {
            format!("{name}: all waiting pods of its tree are being deleted")
        }
        GroupOutcome::NotInQueue(_) => format!("{name}: no pod of its tree waits for a node"),
    }
}

/// The groups of the tree, from the root down.
pub(super) fn table(page: &mut Page, tree: &TreeMembership, answer: &GroupAnswer) {
    let cluster = answer.view().cluster;
    let waits = matches!(tree.outcome, GroupOutcome::NotInQueue(_) | GroupOutcome::Error(_));
    let row = |row: &TreeRow| {
        let name = cluster.text(cluster.names_of(row.group).1);
        let noun = if matches!(row.group, AnyGroup::Pods(_)) { "pod" } else { "group" };
        let needs = usize::try_from(row.needs).unwrap_or(0);
        let result = match (row.has_enough(), row.tried) {
            (true, true) => Span::new("enough", Tone::Good),
            (false, true) => Span::new("too few", Tone::Bad),
            (true, false) if waits => Span::new("enough", Tone::Plain),
            (false, false) if waits => Span::new("too few", Tone::Bad),
            (_, false) => Span::new("not tried", Tone::Quiet),
        };
        let has = if row.tried || waits { row.has.to_string() } else { "-".to_owned() };
        vec![
            format!("{}{name}", "  ".repeat(row.depth)).into(),
            count(needs, noun).into(),
            has.into(),
            result,
        ]
    };
    let has = if waits { "EXIST" } else { "GETS" };
    let columns = vec![
        Column::new("GROUP").names(30),
        Column::new("NEEDS"),
        Column::new(has),
        Column::new("RESULT"),
    ];
    let head = format!("Tree of {}", cluster.any_group_name(AnyGroup::Groups(tree.root)));
    tables::table(page, &head, columns, tree.rows.iter().map(row).collect(), "group", false);
}
