//! The table of nodes: the results of filtering and of preemption.

use super::DecisionPage;
use crate::page::{Column, Span};
use answers::causes;
use answers::words;
use engine::cluster::NodeIx;
use engine::framework::cycle::NodeVerdict;
use engine::framework::status::Code;
use engine::preemption::dry_run::DryRun;
use engine::preemption::{NOT_HELPFUL, PreemptionReport};

impl DecisionPage<'_> {
    pub(super) fn node_table(&mut self) {
        if self.decision.nodes().is_empty() {
            return;
        }
        self.heading("Nodes");
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
            Column::new("NODE").names(30),
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
            Some(DryRun::Candidate(c)) => {
                let wins = match (self.decision.wins(node), self.decision.is_tied()) {
                    (false, _) => "",
                    (true, false) => ", wins",
                    (true, true) => ", may win",
                };
                format!(
                    "{}, {}{wins}",
                    words::count(c.victims.len(), "victim"),
                    if words::are_budgets_unknown(self.cluster) {
                        words::BUDGETS_UNKNOWN.to_owned()
                    } else {
                        words::count(c.violations, "PDB violation")
                    }
                )
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
