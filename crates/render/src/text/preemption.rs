//! The section about preemption: the nodes on which it does not help, the candidates with their
//! victims, and the tie-break between them.

use indexmap::IndexMap;

use super::{COMPARED, DecisionPage, PODS_NAMED};
use crate::page::{Column, Sign, Span, Tone};
use answers::causes;
use answers::certificate;
use answers::pod_report::{PodReport, PodSummary};
use answers::{ties, words};
use engine::cluster::{NodeIx, PodIx, Sym};
use engine::preemption::budgets::BudgetIndex;
use engine::preemption::dry_run::{Candidate, Victim};
use engine::preemption::pick_node::{CRITERIA, TieBreakStep};
use engine::preemption::victim_choices::VictimCount;
use engine::preemption::{CANNOT_HELP, NOT_HELPFUL, PreemptionReport};
use engine::simulation::afterwards;

/// Maximum number of nodes with a failed dry run that are shown.
const FAILED_SHOWN: usize = 5;

impl DecisionPage<'_> {
    pub(super) fn preemption(&mut self) {
        let Some(report) = self.decision.preemption() else { return };
        if let Some(untried) = self.decision.untried() {
            self.page.section(untried);
        }
        if report.off {
            return;
        }
        if let Some(ineligible) = &report.ineligible {
            self.quote("", &ineligible.reason.reason().quote(self.cluster));
            for pod in ineligible.terminating.iter().take(PODS_NAMED) {
                let text = format!(
                    "waiting until {} has terminated{}",
                    self.cluster.pod_name(*pod),
                    self.decision.due(*pod)
                );
                self.page.line(4, vec![text.into()]);
            }
            return;
        }
        self.not_helped(report);
        self.candidates();
        self.tie_break(report);
        for sentence in certificate::sentences(self.decision) {
            self.page.line(2, vec![sentence.into()]);
        }
    }

    /// The nodes on which preemption does not help, and what still rejects the pod there.
    fn not_helped(&mut self, report: &PreemptionReport) {
        let mut groups = causes::group(report.rejections(), self.cluster);
        let mut errors: Vec<(NodeIx, &str)> = Vec::new();
        for (node, run) in &report.dry_runs {
            errors.extend(run.failure().map(|failure| (*node, failure.text())));
        }
        let not_tried = report.not_tried(self.cluster).len();
        if groups.is_empty() && not_tried == 0 && errors.is_empty() {
            return;
        }
        self.page.section("Where preemption does not help");
        groups.iter_mut().for_each(|group| self.decision.after_evictions(group));
        self.groups(&groups);

        // Nodes with an error, and those on which nothing was tried.
        for (node, error) in errors.iter().take(FAILED_SHOWN) {
            self.point(format!("{}: ", self.node(*node)), (*error).to_owned());
        }
        if errors.len() > FAILED_SHOWN {
            let more = words::count(errors.len() - FAILED_SHOWN, "more node");
            self.page.quiet(2, format!("and {more} with errors; --nodes shows them"));
        }
        if not_tried > 0 {
            let text = format!("{CANNOT_HELP} (see above)");
            self.point(format!("{}: ", words::count(not_tried, "node")), text);
            self.quote("", &NOT_HELPFUL.reason().quote(self.cluster));
        }
    }

    /// Each candidate with its victims, the best first.
    fn candidates(&mut self) {
        let ranked = self.decision.ranked();
        if ranked.is_empty() {
            return;
        }
        let budgets = BudgetIndex::new(self.cluster, &self.decision.profile().features.preemption);
        let candidates = words::count(ranked.len(), "candidate");
        self.page.section(format!("Where evicting pods helps: {candidates}"));
        for candidate in ranked {
            let (sign, tone) = self.mark(candidate.node);
            self.candidate(candidate, sign, tone);
            self.victims(candidate, &budgets);
        }
    }

    fn candidate(&mut self, candidate: &Candidate, sign: Sign, tone: Tone) {
        let victims = candidate.victims.len();
        let evicted = if self.decision.may_evict_as_in_dry_run(candidate.node) {
            self.decision.victim_count(candidate.node)
        } else {
            VictimCount { fewest: victims, most: victims }
        };
        let mut text = format!(": evicts {}", ties::pods(evicted));
        if candidate.violations > 0 || self.cluster.are_budgets_unknown() {
            text.push_str(&format!(", {}", words::violations(candidate.violations, self.cluster)));
        }
        if !candidate.reprieved.is_empty() {
            let pods = victims + candidate.reprieved.len();
            let (fewest, most) =
                (pods.saturating_sub(evicted.most), pods.saturating_sub(evicted.fewest));
            text.push_str(&format!(", reprieves {}", VictimCount { fewest, most }));
        }
        self.page.line(0, vec![Span::signed(sign, self.node(candidate.node), tone), text.into()]);
    }

    /// The victims grouped by owner, both in the scheduler's order, and the reprieved pods.
    fn victims(&mut self, candidate: &Candidate, budgets: &BudgetIndex) {
        let mut families: IndexMap<(Sym, String), Vec<&Victim>> = IndexMap::new();
        for victim in &candidate.victims {
            let pod = self.cluster.pod(victim.pod);
            families.entry((pod.namespace, self.owners(victim.pod))).or_default().push(victim);
        }

        // A tree of two levels: the owners, and below them the pods.
        let mut rows = Vec::new();
        for ((_, owners), victims) in &families {
            let empty = std::iter::repeat_n(Span::default(), 4);
            rows.push(std::iter::once(owners.as_str().into()).chain(empty).collect());
            for (at, victim) in victims.iter().enumerate() {
                let is_last = at + 1 == victims.len();
                let sign = if is_last { Sign::LastBranch } else { Sign::Branch };
                rows.push(self.victim(victim, sign, budgets));
            }
        }
        let columns = [
            Column::new("VICTIM").names(44),
            Column::new("PRIORITY"),
            Column::new("AGE"),
            Column::new("QOS").dropped(1),
            Column::new("PDB").prose(16),
        ];
        self.page.table(4, columns, rows);
        if !candidate.reprieved.is_empty() {
            let names: Vec<String> =
                candidate.reprieved.iter().map(|p| self.cluster.pod_name(*p)).collect();
            let names = words::list(&names, usize::MAX);
            self.page.line(4, vec![format!("reprieved, most important first: {names}").into()]);
        }
        if let Some(others) = ties::others(self.decision, candidate) {
            self.page.line(4, vec![others.into()]);
        }
    }

    /// The owners as `Deployment/web > ReplicaSet/web-5d`, as far as they are known.
    fn owners(&self, pod: PodIx) -> String {
        let owners = afterwards::owners(self.cluster.pod(pod), self.cluster);
        let owners: Vec<String> = owners.iter().rev().map(ToString::to_string).collect();
        if owners.is_empty() { "(no controller)".to_owned() } else { owners.join(" > ") }
    }

    fn victim(&self, victim: &Victim, sign: Sign, budgets: &BudgetIndex) -> Vec<Span> {
        let pod = self.cluster.pod(victim.pod);
        let PodSummary { name, priority, age, terminating, .. } =
            self.decision.pod_summary(victim.pod);
        let mut name = if terminating { format!("{name} (terminating)") } else { name };
        if let Some(unprotected) = self.decision.unprotected(victim.pod) {
            name.push_str(&format!(" ({unprotected})"));
        }
        let used = budgets.of(pod, self.cluster).into_iter().map(|ix| {
            let budget = self.cluster.budget(ix);
            let violated = if victim.violates.contains(&ix) { ", violated" } else { "" };
            format!("{}: allows {}{violated}", budget.name, budget.allowed.max(0))
        });
        let used: Vec<String> = used.collect();
        let tone = if victim.violates.is_empty() { Tone::Plain } else { Tone::Bad };
        vec![
            Span::signed(sign, name, Tone::Plain),
            priority.to_string().into(),
            age.into(),
            pod.qos.map_or("-", |qos| qos.name()).into(),
            if used.is_empty() {
                words::no_budget(self.cluster).into()
            } else {
                Span::new(used.join(", "), tone)
            },
        ]
    }

    /// The symbol for the node of a candidate.
    fn mark(&self, node: NodeIx) -> (Sign, Tone) {
        if self.decision.wins(node) {
            (Sign::Chosen, Tone::Good)
        } else {
            (Sign::Blank, Tone::Plain)
        }
    }

    /// A row per candidate, a column per step, and a star on the step that decided.
    fn tie_break(&mut self, report: &PreemptionReport) {
        let Some(last) = report.tie_break.len().checked_sub(1) else { return };
        self.page.section("What decides between them");
        let mut header = vec![Column::new("NODE")];
        for step in &report.tie_break {
            header.push(Column::new(CRITERIA.get(step.criterion).map_or("", |c| c.column)));
        }
        let mut rows: Vec<Vec<Span>> = Vec::new();
        for candidate in self.decision.ranked().into_iter().take(COMPARED) {
            let node = candidate.node;
            let (sign, tone) = self.mark(node);
            let mut row = vec![Span::signed(sign, self.node(node), tone)];
            row.extend(report.tie_break.iter().map(|step| cell(self.decision, step, node)));
            rows.push(row);
        }

        // Where the steps leave several nodes, none of them decides.
        let Some(deciding) = self.decision.deciding_step() else {
            self.page.table(2, header, rows);
            let tied = self.nodes(&report.winners);
            let text = format!("still tied: {tied}; kube-scheduler may take any of them");
            self.page.line(2, vec![text.into()]);
            return;
        };
        if let Some(column) = header.get_mut(last + 1) {
            *column = column.starred();
        }
        self.page.table(2, header, rows);
        let left = words::count(deciding.among, "node");
        let text = format!("* decides among the last {left}: {}", deciding.because);
        self.page.line(2, vec![text.into()]);
    }
}

fn cell(model: &PodReport, step: &TieBreakStep, node: NodeIx) -> Span {
    let Some(value) = model.compared(step, node) else { return "-".into() };
    let stays = step.survivors.contains(&node);
    Span::new(value, if stays { Tone::Good } else { Tone::Plain })
}
