//! The table of the tie-break: a row per candidate, a column per step, and a star on the step that
//! decided.

use super::{COMPARED, DecisionPage};
use crate::page::{Column, Sign, Span, Tone};
use answers::pod_report::PodReport;
use answers::words;
use engine::cluster::NodeIx;
use engine::preemption::PreemptionReport;
use engine::preemption::pick_node::{CRITERIA, TieBreakStep};

impl DecisionPage<'_> {
    /// The symbol for the node of a candidate.
    pub(super) fn mark(&self, node: NodeIx) -> (Sign, Tone) {
        if self.decision.wins(node) {
            (Sign::Chosen, Tone::Good)
        } else {
            (Sign::Blank, Tone::Plain)
        }
    }

    pub(super) fn tie_break(&mut self, report: &PreemptionReport) {
        let Some(last) = report.tie_break.len().checked_sub(1) else { return };
        self.heading("What decides between them");
        let mut header = vec![Column::new("NODE")];
        header.extend(
            report
                .tie_break
                .iter()
                .map(|step| Column::new(CRITERIA.get(step.criterion).map_or("", |c| c.column))),
        );
        let rows = self.decision.ranked().into_iter().take(COMPARED).map(|candidate| {
            let node = candidate.node;
            let (sign, tone) = self.mark(node);
            let cells = report.tie_break.iter().map(|step| cell(self.decision, step, node));
            std::iter::once(Span::signed(sign, self.node(node), tone)).chain(cells).collect()
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        if report.winners.len() > 1 {
            self.page.table(2, header, rows);
            let text = format!(
                "still tied: {}; kube-scheduler may take any of them",
                self.nodes(&report.winners)
            );
            self.page.line(2, vec![text.into()]);
            return;
        }
        if let Some(column) = header.get_mut(last + 1) {
            *column = column.starred();
        }
        self.page.table(2, header, rows);
        let because = report
            .tie_break
            .last()
            .and_then(|step| CRITERIA.get(step.criterion))
            .map_or("", |c| c.because);
        let left = report
            .tie_break
            .iter()
            .rev()
            .nth(1)
            .map_or(report.candidates().count(), |step| step.survivors.len());
        let text = format!("* decides among the last {}: {because}", words::count(left, "node"));
        self.page.line(2, vec![text.into()]);
    }
}

fn cell(model: &PodReport, step: &TieBreakStep, node: NodeIx) -> Span {
    let Some(value) = model.compared(step, node) else { return "-".into() };
    let stays = step.survivors.contains(&node);
    Span::new(value, if stays { Tone::Good } else { Tone::Plain })
}
