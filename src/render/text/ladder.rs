//! The tie-break: a row per candidate, a column per step that was taken, and a star on the one that decided.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{CANDIDATES_SHOWN, Text};
use crate::cluster::node::NodeIx;
use crate::preemption::PreemptionReport;
use crate::preemption::dry_run::Candidate;
use crate::preemption::pick_node::{CRITERIA, Criterion, Step, Unit};
use crate::render::page::{Sign, Span, Tone};
use crate::render::words;

impl Text<'_> {
    pub(super) fn ladder(&mut self, report: &PreemptionReport) {
        let Some(last) = report.ladder.len().checked_sub(1) else { return };
        self.heading("What decides between them");
        let mut header = vec!["NODE"];
        header.extend(report.ladder.iter().map(|step| CRITERIA.get(step.criterion).map_or("", |c| c.column)));
        let rows = ranked(report).into_iter().take(CANDIDATES_SHOWN).map(|candidate| {
            let node = candidate.node;
            let (sign, tone) = wins(report, node);
            let cells = report.ladder.iter().map(|step| cell(step, node));
            std::iter::once(Span::signed(sign, self.node(node), tone)).chain(cells).collect()
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        if report.winners.len() > 1 {
            self.page.table(2, header, rows);
            let text = format!("still tied: {}; the scheduler takes any of them", self.nodes(&report.winners));
            self.page.line(2, vec![text.into()]);
            return;
        }
        self.page.starred_table(2, header, last + 1, rows);
        let name = report.ladder.last().and_then(|step| CRITERIA.get(step.criterion)).map_or("", |c| c.name);
        let left = report.ladder.iter().rev().nth(1).map_or(report.candidates().count(), |step| step.survivors.len());
        let text = format!("* decides among the last {}: {name}", words::group_digits(left));
        self.page.line(2, vec![text.into()]);
    }
}

/// How the node of a candidate is marked.
pub(super) fn wins(report: &PreemptionReport, node: NodeIx) -> (Sign, Tone) {
    if report.winners.contains(&node) { (Sign::Chosen, Tone::Good) } else { (Sign::Blank, Tone::Plain) }
}

fn cell(step: &Step, node: NodeIx) -> Span {
    let Some(value) = step.values.get(&node) else { return "-".into() };
    let unit = CRITERIA.get(step.criterion).map_or(Unit::Number, |Criterion { unit, .. }| *unit);
    let text = match unit {
        Unit::Number => value.to_string(),
        Unit::Time => {
            Timestamp::from_nanosecond(i128::from(*value)).map_or_else(|_| value.to_string(), |t| t.to_string())
        }
    };
    let stays = step.survivors.contains(&node);
    Span::new(text, if stays { Tone::Good } else { Tone::Plain })
}

/// Candidates, the winners first, then those that stayed in the tie-break longest.
pub(super) fn ranked(report: &PreemptionReport) -> Vec<&Candidate> {
    let survived = |node: NodeIx| report.ladder.iter().filter(|s| s.survivors.contains(&node)).count();
    let mut candidates: Vec<&Candidate> = report.candidates().collect();
    candidates.sort_by_cached_key(|c| (!report.winners.contains(&c.node), Reverse(survived(c.node)), c.node));
    candidates
}
