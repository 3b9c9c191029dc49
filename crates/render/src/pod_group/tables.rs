//! The tables of the page about a group.

use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::framework::cycle::rejections_of;
use engine::groups::GroupDecision;
use engine::groups::answer::GroupAnswer;
use engine::groups::cycle::{Trial, TrialResult};
use engine::groups::preemption::GroupAttempt;
use engine::preemption::dry_run::Victim;
use indexmap::IndexMap;

use crate::page::{Column, Page, Span, Tone};
use answers::causes;
use answers::words;

/// Maximum number of rows of a table without `-o wide`.
const ROWS: usize = 12;
/// Maximum number of names in a list.
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

/// Each pod of the group: waiting ones in the order in which they are tried, then those on nodes.
pub(super) fn members(page: &mut Page, answer: &GroupAnswer, wide: bool) {
    let cluster = answer.view().cluster;
    let waiting = answer.members().waiting.iter().map(|pod| waiting_member(*pod, answer));
    let running = answer.members().running.iter().map(|pod| {
        let node = cluster.text(cluster.pod(*pod).node_name);
        vec![
            cluster.pod_name(*pod).into(),
            Span::new("on a node", Tone::Quiet),
            node.into(),
            "".into(),
        ]
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

/// The row of a waiting pod.
fn waiting_member(pod: PodIx, answer: &GroupAnswer) -> Vec<Span> {
    let member = Member::new(pod, answer);
    vec![
        answer.view().cluster.pod_name(pod).into(),
        member.result(),
        member.shown_node().map_or("", |node| answer.view().cluster.node_name(node)).into(),
        Span::new(member.message(answer), Tone::Quiet),
    ]
}

/// The decision about a waiting pod.
struct Member<'d> {
    /// The node that it gets; if the group preempts, once the victims are gone.
    node: Option<NodeIx>,
    /// The result of trying it in the cycle of the group, or in its own.
    trial: Option<&'d Trial>,
    /// Whether each pod has a cycle of its own.
    one_by_one: bool,
    /// Whether pods were tried at all.
    tried_any: bool,
    /// Whether the group evicts pods.
    evicts: bool,
}

impl<'d> Member<'d> {
    fn new(pod: PodIx, answer: &'d GroupAnswer) -> Self {
        let one_by_one = answer.view().profile.features.pod_groups.one_by_one();
        let Some(decision) = answer.decision() else {
            return Self { node: None, trial: None, one_by_one, tried_any: false, evicts: false };
        };
        Self {
            node: decision.node_of(pod),
            trial: decision.trial(pod),
            one_by_one,
            tried_any: !decision.written.is_empty(),
            evicts: decision.plan().is_some() || !decision.victims().is_empty(),
        }
    }

    /// The pods that it evicts in its own cycle.
    fn own_victims(&self) -> Option<&'d [Victim]> {
        let trial = self.trial.filter(|_| self.one_by_one)?;
        trial.preempts.as_ref().map(|(_, victims)| victims.as_slice())
    }

    /// The node that it gets, or the one on which it is held at Permit.
    fn shown_node(&self) -> Option<NodeIx> {
        self.node.or_else(|| self.trial.filter(|_| self.one_by_one)?.node())
    }

    fn result(&self) -> Span {
        if self.node.is_some() {
            return Span::new(if self.evicts { "fits then" } else { "fits" }, Tone::Good);
        }
        let Some(trial) = self.trial else {
            return Span::new(if self.tried_any { "not tried" } else { "waits" }, Tone::Quiet);
        };
        match &trial.result {
            TrialResult::Placed { .. } if self.one_by_one => {
                Span::new("waits at Permit", Tone::Plain)
            }
            TrialResult::Placed { .. } => Span::new("would fit", Tone::Plain),
            TrialResult::Rejected if self.own_victims().is_some() => {
                Span::new("preempts", Tone::Bad)
            }
            TrialResult::Rejected => Span::new("does not fit", Tone::Bad),
            TrialResult::Failed(_) => Span::new("error", Tone::Bad),
        }
    }

    fn message(&self, answer: &GroupAnswer) -> String {
        if let Some(victims) = self.own_victims() {
            let cluster = answer.view().cluster;
            let names: Vec<String> =
                victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect();
            return format!("evicts {}", words::list(&names, NAMED));
        }
        let Some(trial) = self.trial else { return String::new() };
        match &trial.result {
            TrialResult::Failed(error) => error.clone(),
            TrialResult::Rejected => trial.message.clone().unwrap_or_default(),
            TrialResult::Placed { tied, .. }
                if tied.len() > 1 && self.node.is_some() && !self.evicts =>
            {
                let others = tied.iter().filter(|other| Some(**other) != self.node);
                let others: Vec<&str> =
                    others.map(|node| answer.view().cluster.node_name(*node)).collect();
                format!("{} as good", words::list(&others, NAMED))
            }
            TrialResult::Placed { .. } => String::new(),
        }
    }
}

/// The victims in kube-scheduler's order, and those of a plan that costs less.
pub(super) fn victims(page: &mut Page, decision: &GroupDecision, wide: bool) {
    let victims = decision.victims();
    if decision.plan().is_some() || !victims.is_empty() {
        let blocked = |victim: PodIx| decision.blocked_by(victim);
        evicted(
            page,
            "Evicts",
            (&victims, decision.violations()),
            blocked,
            decision.view.cluster,
            wide,
        );
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
            victim
                .together
                .map_or_else(|| "-".to_owned(), |group| cluster.any_group_name(group))
                .into(),
            Span::new(
                if budgets.is_empty() {
                    words::no_budget(cluster).to_owned()
                } else {
                    budgets.join(",")
                },
                Tone::Bad,
            ),
            blocked_by(victim.pod)
                .map_or_else(|| "-".to_owned(), |pod| cluster.pod_name(pod))
                .into(),
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
    let violations = words::violations(violations, cluster);
    let heading = format!("{head} {} ({violations})", words::count(victims.len(), "pod"));
    table(page, &heading, columns, rows.collect(), "pod", wide);
}

/// Units that are reprieved before the victims are known.
pub(super) fn spared(page: &mut Page, decision: &GroupDecision) {
    let Some(plan) = decision.plan() else { return };
    let cluster = decision.view.cluster;
    let row = |attempt: &GroupAttempt| {
        let names: Vec<String> = attempt.pods.iter().map(|pod| cluster.pod_name(*pod)).collect();
        let together =
            attempt.together.map_or_else(|| "-".to_owned(), |group| cluster.any_group_name(group));
        let violates = if attempt.violates_pdb { "yes" } else { "no" };
        let outcome = if attempt.stays { "stays" } else { "is evicted" };
        vec![words::list(&names, NAMED).into(), together.into(), violates.into(), outcome.into()]
    };
    let columns = ["PODS", "GROUP", "VIOLATES PDB", "FATE"].map(Column::new).to_vec();
    let rows = plan.attempts.iter().map(row).collect();
    table(
        page,
        "Everything of lower priority, in the order in which it is put back",
        columns,
        rows,
        "pod",
        true,
    );
}

/// The topology domains.
pub(super) fn domains(page: &mut Page, decision: &GroupDecision) {
    if decision.summary().domains == 0 {
        return;
    }
    let cluster = decision.view.cluster;
    let rows = decision.placements.iter().enumerate().map(|(at, placement)| {
        let names: Vec<&str> =
            placement.nodes.iter().map(|node| cluster.node_name(*node)).collect();
        let result = match (&placement.message, decision.chosen == Some(at)) {
            (_, true) => Span::new("chosen", Tone::Good),
            (None, false) => "large enough".into(),
            (Some(message), false) => Span::new(message.as_str(), Tone::Quiet),
        };
        let score = placement.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        vec![
            cluster.text(placement.domain).into(),
            words::list(&names, NAMED).into(),
            score.into(),
            result,
        ]
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
        let rejected: Vec<_> = rejections_of(&trial.nodes, cluster).collect();
        let groups = causes::of_first_filters(&rejected, trial.pod, decision.view);
        if groups.is_empty() {
            continue;
        }
        page.gap();
        page.heading(format!("Why {} does not fit", cluster.pod_name(trial.pod)));
        for group in groups {
            let names: Vec<&str> =
                group.nodes.iter().map(|node| cluster.node_name(*node)).collect();
            let reasons: Vec<&str> =
                group.reasons.iter().map(|quote| quote.text.as_str()).collect();
            let details = group.details_and_remark().join("; ");
            let details = if details.is_empty() { details } else { format!(" ({details})") };
            let text = format!(": {}: {}{details}", group.plugin, reasons.join(", "));
            page.line(2, vec![Span::new(words::list(&names, NAMED), Tone::Strong), text.into()]);
        }
    }
}

/// What kube-scheduler writes about the group and its pods, without duplicates.
pub(super) fn written(page: &mut Page, decision: &GroupDecision) {
    let cluster = decision.view.cluster;
    let mut texts: IndexMap<(&str, &str), Vec<String>> = IndexMap::new();
    for written in &decision.written {
        if let Some((reason, message)) = &written.condition {
            texts
                .entry((*reason, message.as_str()))
                .or_default()
                .push(cluster.pod_name(written.pod));
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
