//! Why nodes are rejected: thousands of nodes, grouped by a few causes, and the table with a row for
//! each of them.

use super::{DecisionPage, NODES_NAMED, PODS_NAMED};
use crate::page::{Column, Span, Tone};
use answers::causes::{self, CauseGroup};
use answers::words;
use engine::cluster::NodeIx;
use engine::framework::cycle::NodeVerdict;
use engine::framework::status::Code;
use engine::preemption::dry_run::DryRun;
use engine::preemption::{NOT_HELPFUL, PreemptionReport};

/// Maximum number of lines that a group's explanation omits and that are shown after it.
const MORE_DETAILS: usize = 50;

impl DecisionPage<'_> {
    /// The section about rejected nodes.
    pub(super) fn causes(&mut self) {
        if let Some(group) = causes::of_pre_filter(self.decision) {
            self.page.section("Why no node fits");
            if group.details.is_empty() {
                self.page.line(2, vec![Span::new("all nodes", Tone::Strong)]);
            } else {
                self.point("all nodes: ".to_owned(), group.details.join("; "));
                self.more_details(&group);
            }
            group.reasons.iter().for_each(|reason| self.quote(group.plugin, reason));
            return;
        }

        // The nodes that lack the least come first, those that were not filtered last.
        let groups = self.decision.closest_causes();
        let excluded = self.decision.excluded_by_pre_filter();
        if groups.is_empty() && excluded.is_empty() {
            return;
        }
        let title = if self.decision.fits() { "Nodes that do not fit" } else { "Why no node fits" };
        self.page.section(title);
        self.groups(groups);
        if !excluded.is_empty() {
            let text = self.excluded();
            self.point(format!("{}: ", words::count(excluded.len(), "node")), text);
            for why in causes::narrowing(self.decision) {
                self.page.line(4, vec![why.into()]);
            }
            self.page.quiet(4, self.nodes(&excluded));
        }
        self.nominated_pods();
    }

    /// Why nodes were not filtered: upstream's reason, or our own text for versions that give none.
    fn excluded(&self) -> String {
        let silent = "not among the nodes that the pod asks for by name (the scheduler's message does not count them)";
        self.decision.pre_filter_exclusion().map_or_else(|| silent.to_owned(), |quote| quote.text)
    }

    /// The nomination of the pod itself, and nodes with resources reserved for nominated pods.
    fn nominated_pods(&mut self) {
        for text in self.decision.own_nomination() {
            self.page.line(2, vec![text.into()]);
        }
        for (node, pods) in self.decision.reserved().into_iter().take(NODES_NAMED) {
            let pods = words::list(&pods, PODS_NAMED);
            let text = format!("{} is reserved for {pods}, nominated to it", self.node(node));
            self.page.line(2, vec![text.into()]);
        }
    }

    pub(super) fn groups(&mut self, groups: &[CauseGroup]) {
        let differ = groups.iter().any(|group| !group.also.is_empty());
        for group in groups {
            let is_alone = differ && group.also.is_empty();
            self.group(group, if is_alone { " fail only on this" } else { "" });
        }
    }

    /// `only` follows the number of nodes.
    fn group(&mut self, group: &CauseGroup, only: &str) {
        let only =
            if group.nodes.len() == 1 { only.replace("fail", "fails") } else { only.to_owned() };
        self.point(format!("{}{only}: ", words::count(group.nodes.len(), "node")), group.cause());
        self.more_details(group);
        group.reasons.iter().for_each(|reason| self.quote(group.plugin, reason));
        if !group.also.is_empty() {
            let also = words::list(&group.also, usize::MAX);
            self.page.line(4, vec![format!("also rejected by {also}").into()]);
        }
        self.page.quiet(4, self.nodes(&group.nodes));
    }

    /// What must be said with the explanations, and what they omit.
    fn more_details(&mut self, group: &CauseGroup) {
        for detail in group.more_details.iter().take(MORE_DETAILS) {
            self.page.line(4, vec![detail.as_str().into()]);
        }
        let more = group.more_details.len().saturating_sub(MORE_DETAILS);
        if more > 0 {
            self.page.quiet(4, format!("and {more} more: --nodes, -o json"));
        }
        if let Some(remark) = group.remark {
            self.page.line(4, vec![remark.into()]);
        }
    }

    /// The table of nodes: the results of filtering and of preemption.
    pub(super) fn node_table(&mut self) {
        if self.decision.nodes().is_empty() {
            return;
        }
        self.page.section("Nodes");
        let rows = self.cluster.node_indices().zip(self.decision.nodes()).map(|(node, verdict)| {
            let (filter, reason) = self.filter_cells(verdict);
            let preemption = self
                .decision
                .preemption()
                .map_or_else(String::new, |r| self.preemption_cell(r, node, verdict));
            vec![self.node(node).into(), filter.into(), reason.into(), preemption.into()]
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        let columns = [
            Column::new("NODE").nodes(30),
            Column::new("FILTER"),
            Column::new("REASON").prose(20),
            Column::new("PREEMPTION").prose(12),
        ];
        self.page.table(2, columns, rows);
    }

    fn filter_cells(&self, verdict: &NodeVerdict) -> (String, String) {
        match verdict {
            NodeVerdict::Feasible => ("fits".into(), "-".into()),
            NodeVerdict::NotTried => ("not tried".into(), "-".into()),
            NodeVerdict::ExcludedByPreFilter => {
                let why = causes::narrowing(self.decision);
                let text = self.excluded();
                (
                    "excluded".into(),
                    if why.is_empty() { text } else { format!("{text} ({})", why.join("; ")) },
                )
            }
            NodeVerdict::Failed(error) => ("error".into(), error.text().to_owned()),
            NodeVerdict::Filtered { plugin, rejection } => {
                ((*plugin).to_owned(), self.decision.with_operands(rejection).join(", "))
            }
        }
    }

    fn preemption_cell(
        &self,
        report: &PreemptionReport,
        node: NodeIx,
        verdict: &NodeVerdict,
    ) -> String {
        match report.dry_runs.get(&node) {
            // Violations are counted only if the budgets could be read.
            Some(DryRun::Candidate(c)) => {
                let wins = match (self.decision.wins(node), self.decision.is_tied()) {
                    (false, _) => "",
                    (true, false) => ", wins",
                    (true, true) => ", may win",
                };
                let violations = if self.cluster.are_budgets_unknown() {
                    words::BUDGETS_UNKNOWN.to_owned()
                } else {
                    words::count(c.violations, "PDB violation")
                };
                format!("{}, {violations}{wins}", words::count(c.victims.len(), "victim"))
            }
            Some(DryRun::NoCandidate { rejection, .. }) => rejection.texts(self.cluster).join(", "),
            Some(DryRun::Failed(failure)) => failure.text().to_owned(),
            None if !report.tried() => "not tried".to_owned(),
            None => {
                let unresolvable = matches!(verdict, NodeVerdict::Filtered { rejection, .. } if rejection.code == Code::UnschedulableAndUnresolvable);
                let text = NOT_HELPFUL.text.to_owned();
                if unresolvable { text } else { format!("{text} (not filtered)") }
            }
        }
    }
}
