//! The tables of the page about a group.

use engine::cluster::{AnyGroup, Cluster, NodeIx, PodIx};
use engine::framework::cycle::rejections_of;
use engine::groups::answer::GroupAnswer;
use engine::groups::cycle::{Trial, TrialResult};
use engine::groups::made::MadeOf;
use engine::groups::outcomes::PossibleOutcomes;
use engine::groups::tree::{TreeMembership, TreeRow};
use engine::groups::{GroupDecision, GroupOutcome};
use engine::preemption::dry_run::Victim;
use indexmap::IndexMap;

use crate::page::{Column, Page, Span, Tone};
use answers::words;
use answers::{causes, pod_group};

/// Maximum number of rows of a table without `-o wide`.
const ROWS: usize = 12;
/// Maximum number of names in a list.
const NAMED: usize = 5;

/// Adds a table below its heading, without empty columns, and cut unless `wide`.
fn table(
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
    page.section(heading);
    let shown = if wide || rows.len() <= ROWS { rows.len() } else { ROWS - 1 };
    let rest = rows.split_off(shown).len();
    page.table(2, columns, rows);
    page.left_out(2, rest, noun);
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
        Column::new("NODE").nodes(18),
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
        let evicted = Evicted {
            head: "Evicts",
            violations: decision.violations(),
            blocks: victims.iter().map(|victim| decision.blocked_by(victim.pod)).collect(),
            victims,
        };
        evicted.add(page, decision.view.cluster, wide);
    }
    if let Some(plan) = &decision.alternative {
        let evicted = Evicted {
            head: "Another plan, which kube-scheduler does not look for, would evict",
            violations: plan.violations,
            blocks: plan.victims.iter().map(|victim| plan.blocked_by(victim.pod)).collect(),
            victims: plan.victims.iter().collect(),
        };
        evicted.add(page, decision.view.cluster, wide);
    }
}

/// What may happen where kube-scheduler takes any of several nodes or victims: in this cycle, and in
/// the one that follows at once.
pub(super) fn possibilities(page: &mut Page, answer: &GroupAnswer, wide: bool) {
    let Some(decision) = answer.decision() else { return };
    let cluster = decision.view.cluster;
    add_possibilities(page, "One of these happens", &decision.outcomes, cluster, wide);
    for cycle in answer.later_cycles() {
        add_possibilities(page, "Then one of these happens", &cycle.outcomes, cluster, wide);
    }
}

fn add_possibilities(
    page: &mut Page,
    head: &str,
    outcomes: &PossibleOutcomes,
    cluster: &Cluster,
    wide: bool,
) {
    let mut rows = Vec::new();
    for possibility in pod_group::possibilities(outcomes, cluster) {
        rows.push(vec![possibility.places.into(), possibility.victims.into()]);
    }
    let columns = vec![Column::new("PODS GO TO").prose(24), Column::new("EVICTS").prose(24)];
    let others = if outcomes.complete { "" } else { ", or something else" };
    table(page, &format!("{head}{others}"), columns, rows, "outcome", wide);
}

/// The victims of a plan.
struct Evicted<'d> {
    head: &'static str,
    victims: Vec<&'d Victim>,
    /// How many of them violate a budget.
    violations: usize,
    /// By victim: the pod of the group that it leaves no room for.
    blocks: Vec<Option<PodIx>>,
}

impl Evicted<'_> {
    fn add(&self, page: &mut Page, cluster: &Cluster, wide: bool) {
        let mut rows = Vec::new();
        for (victim, blocked) in self.victims.iter().zip(&self.blocks) {
            let pod = cluster.pod(victim.pod);
            let together = victim.together.map(|group| cluster.any_group_name(group));
            let budgets = victim.violates.iter().map(|ix| cluster.budget(*ix).name.to_string());
            let budgets: Vec<String> = budgets.collect();
            // Without budgets it matters whether there are none, or they could not be read.
            let budgets = if budgets.is_empty() {
                words::no_budget(cluster).to_owned()
            } else {
                budgets.join(",")
            };
            rows.push(vec![
                cluster.pod_name(victim.pod).into(),
                cluster.text(pod.node_name).into(),
                pod.priority.to_string().into(),
                together.unwrap_or_else(|| "-".to_owned()).into(),
                Span::new(budgets, Tone::Bad),
                blocked.map_or_else(|| "-".to_owned(), |pod| cluster.pod_name(pod)).into(),
            ]);
        }
        let columns = vec![
            Column::new("POD").names(40),
            Column::new("NODE").nodes(18),
            Column::new("PRIORITY").dropped(3),
            Column::new("EVICTED WITH").names(20).dropped(2),
            Column::new("VIOLATES PDB").names(12),
            Column::new("LEAVES NO ROOM FOR").names(20).dropped(1),
        ];
        let pods = words::count(self.victims.len(), "pod");
        let violations = words::violations(self.violations, cluster);
        table(page, &format!("{} {pods} ({violations})", self.head), columns, rows, "pod", wide);
    }
}

/// Units that are reprieved before the victims are known.
pub(super) fn spared(page: &mut Page, decision: &GroupDecision) {
    let Some(plan) = decision.plan() else { return };
    let cluster = decision.view.cluster;
    let mut rows = Vec::new();
    for attempt in &plan.attempts {
        let names: Vec<String> = attempt.pods.iter().map(|pod| cluster.pod_name(*pod)).collect();
        let together = attempt.together.map(|group| cluster.any_group_name(group));
        rows.push(vec![
            words::list(&names, NAMED).into(),
            together.unwrap_or_else(|| "-".to_owned()).into(),
            if attempt.violates_pdb { "yes" } else { "no" }.into(),
            if attempt.stays { "stays" } else { "is evicted" }.into(),
        ]);
    }
    let columns = ["PODS", "GROUP", "VIOLATES PDB", "FATE"].map(Column::new).to_vec();
    let head = "Everything of lower priority, in the order in which it is put back";
    table(page, head, columns, rows, "pod", true);
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
        // Of several that are large enough, the highest score is chosen.
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
        Column::new("NODES").nodes(20),
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
        page.section(format!("Why {} does not fit", cluster.pod_name(trial.pod)));
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

    // The condition of the group first, then those of its pods.
    page.section("kube-scheduler writes");
    if let Some(condition) = &decision.condition {
        let name = match decision.tree {
            Some(_) => format!("PodGroup {}", cluster.group_name(decision.group)),
            None => "PodGroup".to_owned(),
        };
        quote(page, &name, condition.reason, &condition.message);
    }
    for ((reason, message), pods) in texts {
        quote(page, &words::list(&pods, NAMED), reason, message);
    }
}

/// What a condition of these objects says.
fn quote(page: &mut Page, about: &str, reason: &str, message: &str) {
    let head = format!("{about}: {reason}{}", if message.is_empty() { "" } else { ": " });
    page.line(2, vec![head.into(), Span::new(message, Tone::Quiet)]);
}

/// The groups of a tree, from the root down.
pub(super) fn tree(page: &mut Page, tree: &TreeMembership, answer: &GroupAnswer) {
    let cluster = answer.view().cluster;
    // Before a cycle only pods that exist can be counted, in a cycle those that get nodes.
    let waits = matches!(tree.outcome, GroupOutcome::NotInQueue(_) | GroupOutcome::Error(_));
    let rows = tree.rows.iter().map(|row| tree_row(row, waits, cluster)).collect();
    let columns = vec![
        Column::new("GROUP").names(30),
        Column::new("NEEDS"),
        Column::new(if waits { "EXIST" } else { "GETS" }),
        Column::new("RESULT"),
    ];
    let head = format!("Tree of {}", cluster.any_group_name(AnyGroup::Groups(tree.root)));
    table(page, &head, columns, rows, "group", false);
}

fn tree_row(row: &TreeRow, waits: bool, cluster: &Cluster) -> Vec<Span> {
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
    let name = format!("{}{name}", "  ".repeat(row.depth));
    vec![name.into(), words::count(needs, noun).into(), has.into(), result]
}

/// The answer about a Workload from which no group of pods was created.
pub(super) fn nothing_made(made: &MadeOf) -> String {
    let name = workload_name(made);
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

fn workload_name(made: &MadeOf) -> String {
    let workload = made.workload;
    made.cluster.full_name(workload.namespace, workload.name)
}

/// Each template of a Workload with the PodGroups created from it, or each pod group with its
/// replicas.
pub(super) fn made(page: &mut Page, made: &MadeOf) {
    let templates = made.groups.iter().any(|group| group.of.is_template);
    let mut rows = Vec::new();
    for group in &made.groups {
        let min_count =
            group.of.min_count.map_or_else(|| "basic".to_owned(), |min| format!("gang of {min}"));
        let names: Vec<&str> = group.names.iter().map(|name| made.cluster.text(*name)).collect();
        let found = match (names.is_empty(), templates) {
            (true, true) => Span::new("none: no controller has made one", Tone::Bad),
            (true, false) => Span::new("no pod names it", Tone::Bad),
            (false, _) => words::list(&names, NAMED).into(),
        };
        rows.push(vec![made.cluster.text(group.of.name).into(), min_count.into(), found]);
    }
    let (first, last) =
        if templates { ("TEMPLATE", "PODGROUPS") } else { ("POD GROUP", "NAMED BY PODS AS") };
    let columns =
        vec![Column::new(first).names(24), Column::new("POLICY"), Column::new(last).prose(24)];
    let heading = format!("Workload {}", workload_name(made));
    table(page, &heading, columns, rows, "template", true);
}
