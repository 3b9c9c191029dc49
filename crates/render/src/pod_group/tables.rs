//! The tables of the page about a group.

use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::cluster::pod::PodIx;
use engine::framework::cycle::NodeVerdict;
use engine::framework::status::Rejection;
use engine::groups::GroupDecision;
use engine::groups::answer::GroupAnswer;
use engine::groups::cycle::{Trial, TrialResult};
use engine::groups::preemption::GroupAttempt;
use engine::preemption::dry_run::Victim;
use indexmap::IndexMap;

use crate::groups;
use crate::page::{Column, Page, Span, Tone};
use crate::words;

/// The most rows of a table without `-o wide`.
const ROWS: usize = 12;
/// The most names in a list.
pub(super) const NAMED: usize = 5;

/// Adds a table below its heading, without empty columns, and cut unless `wide`.
pub(super) fn table(
    page: &mut Page,
    heading: &str,
    mut columns: Vec<Column>,
    mut rows: Vec<Vec<Span>>,
    noun: &str,
    wide: bool,
) {
    if rows.is_empty() {
        return;
    }
    for at in (0..columns.len()).rev() {
        if rows.iter().all(|row| row.get(at).is_none_or(Span::is_empty)) {
            columns.remove(at);
            rows.iter_mut().for_each(|row| drop(row.remove(at)));
        }
    }
    page.gap();
    page.heading(heading);
    let shown = if wide || rows.len() <= ROWS { rows.len() } else { ROWS - 1 };
    let rest = rows.split_off(shown).len();
    page.table(2, columns, rows);
    if rest > 0 {
        page.left_out(2, words::count(rest, &format!("more {noun}")));
    }
}

/// Each pod of the group: those that wait in the order in which they are tried, then those on nodes.
pub(super) fn members(page: &mut Page, answer: &GroupAnswer, wide: bool) {
    let cluster = answer.view().cluster;
    let waiting = answer.members().waiting.iter().map(|pod| member(*pod, answer));
    let running = answer.members().running.iter().map(|pod| {
        let node = cluster.text(cluster.pod(*pod).node_name);
        vec![cluster.pod_name(*pod).into(), Span::new("on a node", Tone::Quiet), node.into(), "".into()]
    });
    let columns = vec![
        Column::new("POD").names(40),
        Column::new("RESULT"),
        Column::new("NODE").names(18),
        Column::new("MESSAGE").prose(24),
    ];
    let head = match answer.decision().filter(|decision| decision.tree.is_some()) {
        Some(decision) => format!("Pods of PodGroup {}", cluster.group_name(decision.group)),
        None => "Pods of the group".to_owned(),
    };
    table(page, &head, columns, waiting.chain(running).collect(), "pod", wide);
}

fn member(pod: PodIx, answer: &GroupAnswer) -> Vec<Span> {
    let cluster = answer.view().cluster;
    let decision = answer.decision();
    let one_by_one = answer.view().profile.features.pod_groups.one_by_one();
    let node = decision.and_then(|decision| decision.node_of(pod));
    let trial = decision.and_then(|decision| decision.trial(pod));
    let tried = decision.is_some_and(|decision| !decision.written.is_empty());
    let alone = trial.filter(|_| one_by_one).and_then(|trial| trial.preempts.as_ref());
    let evicts = decision.is_some_and(|decision| decision.plan().is_some() || !decision.victims().is_empty());
    let result = match (trial.map(|trial| &trial.result), node) {
        (_, Some(_)) if evicts => Span::new("fits then", Tone::Good),
        (_, Some(_)) => Span::new("fits", Tone::Good),
        (Some(TrialResult::Placed { .. }), None) if one_by_one => Span::new("waits at Permit", Tone::Plain),
        (Some(TrialResult::Rejected), None) if alone.is_some() => Span::new("preempts", Tone::Bad),
        (Some(TrialResult::Placed { .. }), None) => Span::new("would fit", Tone::Plain),
        (Some(TrialResult::Rejected), None) => Span::new("does not fit", Tone::Bad),
        (Some(TrialResult::Failed(_)), None) => Span::new("error", Tone::Bad),
        (None, None) if tried => Span::new("not tried", Tone::Quiet),
        (None, None) => Span::new("waits", Tone::Quiet),
    };
    let message = match trial.map(|trial| &trial.result) {
        Some(TrialResult::Failed(error)) => error.clone(),
        Some(TrialResult::Rejected) => trial.and_then(|trial| trial.message.clone()).unwrap_or_default(),
        Some(TrialResult::Placed { tied, .. }) if tied.len() > 1 && node.is_some() && !evicts => {
            let others: Vec<&str> =
                tied.iter().filter(|other| Some(**other) != node).map(|n| node_name(*n, answer)).collect();
            format!("{} as good", words::list(&others, NAMED))
        }
        Some(TrialResult::Placed { .. }) | None => String::new(),
    };
    let held = trial.filter(|_| one_by_one).and_then(Trial::node);
    let node = node.or(held).map_or("", |node| node_name(node, answer));
    let message = match alone {
        Some((_, victims)) => {
            let names: Vec<String> = victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect();
            format!("evicts {}", words::list(&names, NAMED))
        }
        None => message,
    };
    vec![cluster.pod_name(pod).into(), result, node.into(), Span::new(message, Tone::Quiet)]
}

fn node_name<'c>(node: NodeIx, answer: &GroupAnswer<'c>) -> &'c str {
    let cluster = answer.view().cluster;
    cluster.text(cluster.node(node).name)
}

/// The pods that are evicted, in kube-scheduler's order, and those of a plan that costs less.
pub(super) fn victims(page: &mut Page, decision: &GroupDecision, wide: bool) {
    let victims = decision.victims();
    if decision.plan().is_some() || !victims.is_empty() {
        let blocked = |victim: PodIx| decision.blocked_by(victim);
        evicted(page, "Evicts", (&victims, decision.violations()), blocked, decision.view.cluster, wide);
    }
    if let Some(plan) = &decision.alternative {
        let head = "Another plan, which kube-scheduler does not look for, would evict";
        let victims: Vec<&Victim> = plan.victims.iter().collect();
        let blocked = |victim: PodIx| plan.blocked_by(victim);
        evicted(page, head, (&victims, plan.violations), blocked, decision.view.cluster, wide);
    }
}

/// Victims, and how many of them violate a budget.
fn evicted(
    page: &mut Page,
    head: &str,
    (victims, violations): (&[&Victim], usize),
    blocked_by: impl Fn(PodIx) -> Option<PodIx>,
    cluster: &Cluster,
    wide: bool,
) {
    let rows = victims.iter().map(|victim| {
        let pod = cluster.pod(victim.pod);
        let budgets = victim.violates.iter().map(|budget| cluster.budget(*budget).name.to_string());
        let budgets: Vec<String> = budgets.collect();
        vec![
            cluster.pod_name(victim.pod).into(),
            cluster.text(pod.node_name).into(),
            pod.priority.to_string().into(),
            victim.together.map_or_else(|| "-".to_owned(), |group| cluster.any_group_name(group)).into(),
            Span::new(if budgets.is_empty() { "-".to_owned() } else { budgets.join(",") }, Tone::Bad),
            blocked_by(victim.pod).map_or_else(|| "-".to_owned(), |pod| cluster.pod_name(pod)).into(),
        ]
    });
    let columns = vec![
        Column::new("POD").names(40),
        Column::new("NODE").names(18),
        Column::new("PRIORITY").dropped(3),
        Column::new("EVICTED WITH").names(20).dropped(2),
        Column::new("VIOLATES PDB").names(12),
        Column::new("LEAVES NO ROOM FOR").names(20).dropped(1),
    ];
    let violations = match violations {
        0 => "no PDB violated".to_owned(),
        n => words::count(n, "PDB violation"),
    };
    let heading = format!("{head} {} ({violations})", words::count(victims.len(), "pod"));
    table(page, &heading, columns, rows.collect(), "pod", wide);
}

/// What is put back before the victims are known, and stays.
pub(super) fn spared(page: &mut Page, decision: &GroupDecision) {
    let Some(plan) = decision.plan() else { return };
    let cluster = decision.view.cluster;
    let row = |attempt: &GroupAttempt| {
        let names: Vec<String> = attempt.pods.iter().map(|pod| cluster.pod_name(*pod)).collect();
        let together = attempt.together.map_or_else(|| "-".to_owned(), |group| cluster.any_group_name(group));
        let violates = if attempt.violates_pdb { "yes" } else { "no" };
        let fate = if attempt.stays { "stays" } else { "is evicted" };
        vec![words::list(&names, NAMED).into(), together.into(), violates.into(), fate.into()]
    };
    let columns = ["PODS", "GROUP", "VIOLATES PDB", "FATE"].map(Column::new).to_vec();
    let rows = plan.attempts.iter().map(row).collect();
    table(page, "Everything of lower priority, in the order in which it is put back", columns, rows, "pod", true);
}

/// The topology domains.
pub(super) fn domains(page: &mut Page, decision: &GroupDecision) {
    if decision.summary().domains == 0 {
        return;
    }
    let cluster = decision.view.cluster;
    let rows = decision.placements.iter().enumerate().map(|(at, placement)| {
        let names: Vec<&str> = placement.nodes.iter().map(|node| cluster.text(cluster.node(*node).name)).collect();
        let result = match (&placement.message, decision.chosen == Some(at)) {
            (_, true) => Span::new("chosen", Tone::Good),
            (None, false) => "large enough".into(),
            (Some(message), false) => Span::new(message.as_str(), Tone::Quiet),
        };
        let score = placement.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        vec![cluster.text(placement.domain).into(), words::list(&names, NAMED).into(), score.into(), result]
    });
    let columns = vec![
        Column::new("DOMAIN").names(20),
        Column::new("NODES").names(20),
        Column::new("SCORE"),
        Column::new("RESULT").prose(24),
    ];
    let key = cluster.text(decision.pod_group().topology_key);
    table(page, &format!("Topology domains ({key})"), columns, rows.collect(), "domain", false);
}

/// Why nodes reject each pod that does not fit.
pub(super) fn rejections(page: &mut Page, decision: &GroupDecision) {
    let cluster = decision.view.cluster;
    for trial in decision.trials.iter().filter(|trial| trial.result == TrialResult::Rejected) {
        let rejected = cluster.node_indices().zip(&trial.nodes).filter_map(|(node, verdict)| rejection(node, verdict));
        let groups = groups::group(rejected, cluster);
        if groups.is_empty() {
            continue;
        }
        page.gap();
        page.heading(format!("Why {} does not fit", cluster.pod_name(trial.pod)));
        for group in groups {
            let names: Vec<&str> = group.nodes.iter().map(|node| cluster.text(cluster.node(*node).name)).collect();
            let reasons: Vec<&str> = group.reasons.iter().map(|quote| quote.text.as_str()).collect();
            let details = group.details_and_remark().join("; ");
            let details = if details.is_empty() { details } else { format!(" ({details})") };
            let text = format!(": {}: {}{details}", group.plugin, reasons.join(", "));
            page.line(2, vec![Span::new(words::list(&names, NAMED), Tone::Strong), text.into()]);
        }
    }
}

fn rejection(node: NodeIx, verdict: &NodeVerdict) -> Option<(NodeIx, &'static str, &Rejection)> {
    match verdict {
        NodeVerdict::Filtered { plugin, rejection } => Some((node, *plugin, rejection)),
        NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::ExcludedByPreFilter | NodeVerdict::Failed(_) => {
            None
        }
    }
}

/// What kube-scheduler writes about the group and its pods; each text once.
pub(super) fn written(page: &mut Page, decision: &GroupDecision) {
    let cluster = decision.view.cluster;
    let mut texts: IndexMap<(&str, &str), Vec<String>> = IndexMap::new();
    for written in &decision.written {
        if let Some((reason, message)) = &written.condition {
            texts.entry((*reason, message.as_str())).or_default().push(cluster.pod_name(written.pod));
        }
    }
    if decision.condition.is_none() && texts.is_empty() {
        return;
    }
    page.gap();
    page.heading("kube-scheduler writes");
    let mut add = |about: String, reason: &str, message: &str| {
        let head = format!("{about}: {reason}{}", if message.is_empty() { "" } else { ": " });
        page.line(2, vec![head.into(), Span::new(message, Tone::Quiet)]);
    };
    if let Some(condition) = &decision.condition {
        let name = match decision.tree {
            Some(_) => format!("PodGroup {}", cluster.group_name(decision.group)),
            None => "PodGroup".to_owned(),
        };
        add(name, condition.reason, &condition.message);
    }
    for ((reason, message), pods) in texts {
        add(words::list(&pods, NAMED), reason, message);
    }
}
