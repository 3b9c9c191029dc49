//! The victims on each candidate, grouped by their owners.

use indexmap::IndexMap;

use super::DecisionPage;
use crate::page::{Column, Sign, Span, Tone};
use answers::pod_report::PodSummary;
use answers::{ties, words};
use engine::cluster::{PodIx, Sym};
use engine::preemption::budgets::BudgetIndex;
use engine::preemption::dry_run::{Candidate, Victim};
use engine::preemption::victim_choices::VictimCount;
use engine::simulation::afterwards;

impl DecisionPage<'_> {
    pub(super) fn candidates(&mut self) {
        let ranked = self.decision.ranked();
        if ranked.is_empty() {
            return;
        }
        let budgets = BudgetIndex::new(self.cluster, &self.decision.profile().features.preemption);
        self.heading(&format!(
            "Where evicting pods helps: {}",
            words::count(ranked.len(), "candidate")
        ));
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
        if candidate.violations > 0 || words::are_budgets_unknown(self.cluster) {
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
        let mut rows = Vec::new();
        for ((_, owners), victims) in &families {
            let empty = std::iter::repeat_n(Span::default(), 4);
            rows.push(std::iter::once(owners.as_str().into()).chain(empty).collect());
            let last = victims.len() - 1;
            let sign = |at| if at == last { Sign::LastBranch } else { Sign::Branch };
            rows.extend(
                victims
                    .iter()
                    .enumerate()
                    .map(|(at, victim)| self.victim(victim, sign(at), budgets)),
            );
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
        if owners.is_empty() {
            return "(no controller)".to_owned();
        }
        owners.iter().rev().map(ToString::to_string).collect::<Vec<_>>().join(" > ")
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
}
