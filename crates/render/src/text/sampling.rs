//! The nodes that the scheduler may pick with sampling, with their probabilities.

use super::DecisionPage;
use crate::page::{Column, Span, Tone};
use crate::words;
use engine::decision::sampling::{NodeProbability, Sampling, SamplingStage};

/// The largest denominator of a fraction that is shown; JSON has all of them.
const READABLE: u64 = 1_000_000;
/// The most rows of the table.
const SHOWN: usize = 10;

impl DecisionPage<'_> {
    pub(super) fn as_scheduled(&mut self) {
        let Some(found) = &self.decision.sampling else { return };
        self.heading("What the scheduler itself may pick");
        self.page.line(2, vec![summary(found).into()]);
        if !found.sampled {
            return;
        }
        let rows = found.nodes.iter().take(SHOWN).map(|share| {
            vec![
                Span::new(self.node(share.node), Tone::Strong),
                probability(share).into(),
                why(share, found.starts).into(),
            ]
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        self.page.table(
            2,
            [Column::new("NODE").names(40), Column::new("PROBABILITY"), Column::new("WHY").prose(20)],
            rows,
        );
        let more = found.nodes.len().saturating_sub(SHOWN);
        if more > 0 {
            let text = format!("and {} more; -o json has them all", words::group_digits(more));
            self.page.line(2, vec![Span::new(text, Tone::Quiet)]);
        }
    }
}

/// When the scheduler stops its search.
fn summary(found: &Sampling) -> String {
    let size = words::group_digits(found.sample_size);
    match (found.sampled, found.stage) {
        (false, SamplingStage::Feasible) => {
            "the same: wherever it starts, it has seen every node that takes the pod".to_owned()
        }
        (false, SamplingStage::Preemption) => "the same: wherever it starts, it has found every candidate".to_owned(),
        (true, SamplingStage::Feasible) if found.sample_size == 1 => {
            "it takes the first node that takes the pod".to_owned()
        }
        (true, SamplingStage::Feasible) => format!("it stops after {size} nodes that take the pod, and scores these"),
        (true, SamplingStage::Preemption) => {
            format!("it stops after {size} candidates once one of them violates no PDB, and picks from these")
        }
    }
}

/// A probability as `17/250 (6.8 %)`.
fn probability(share: &NodeProbability) -> String {
    let percent = words::percent(share.probability);
    match share.fraction {
        Some((1, 1)) => percent,
        Some((above, below)) if below <= READABLE => format!("{above}/{below} ({percent})"),
        Some(_) | None => format!("about {percent}"),
    }
}

fn why(share: &NodeProbability, starts: usize) -> String {
    let tied = match share.tied {
        0 => String::new(),
        all if all == share.best => ", tied".to_owned(),
        some => format!(", tied from {}", words::group_digits(some)),
    };
    format!("best from {} of {}{tied}", words::group_digits(share.best), words::count(starts, "start"))
}
