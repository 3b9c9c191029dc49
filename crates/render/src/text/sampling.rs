//! The nodes that the scheduler may pick with sampling, with their probabilities.

use super::DecisionPage;
use crate::page::{Column, Span, Tone};
use answers::pod_report::PodReport;
use answers::words;
use engine::decision::sampling::{NodeProbability, Sampling, SamplingStage};

/// Maximum denominator of a fraction that is shown; JSON has all of them.
const READABLE: u64 = 1_000_000;
/// Maximum number of rows of the table.
const SHOWN: usize = 10;

impl DecisionPage<'_> {
    pub(super) fn as_scheduled(&mut self) {
        let Some(found) = &self.decision.sampling else { return };
        self.heading("What the scheduler itself may pick");
        self.page.line(2, vec![summary(found).into()]);
        if !found.sampled {
            return;
        }
        let rows: Vec<Vec<Span>> = found
            .nodes
            .iter()
            .take(SHOWN)
            .map(|share| cells(self.decision, found, share))
            .collect();
        self.page.table(
            2,
            [
                Column::new("NODE").names(40),
                Column::new("PROBABILITY"),
                Column::new("WHY").prose(20),
            ],
            rows,
        );
        let more = found.nodes.len().saturating_sub(SHOWN);
        if more > 0 {
            let text = format!("and {} more; -o json has them all", words::group_digits(more));
            self.page.line(2, vec![Span::new(text, Tone::Quiet)]);
        }
    }
}

/// A node that may be picked: its name, how probable it is, and why.
pub(crate) fn cells(model: &PodReport, found: &Sampling, share: &NodeProbability) -> Vec<Span> {
    vec![
        Span::new(model.node(share.node), Tone::Strong),
        probability(share).into(),
        why(share, found.starts).into(),
    ]
}

/// When the scheduler stops its search.
pub(crate) fn summary(found: &Sampling) -> String {
    let after = |noun| words::count(found.sample_size, noun);
    match (found.sampled, found.stage) {
        (false, SamplingStage::Feasible) => {
            "The same: wherever it starts, it has seen every node that takes the pod".to_owned()
        }
        (false, SamplingStage::Preemption) => {
            "The same: wherever it starts, it has found every candidate".to_owned()
        }
        (true, SamplingStage::Feasible) if found.sample_size == 1 => {
            "It takes the first node that takes the pod".to_owned()
        }
        (true, SamplingStage::Feasible) => {
            format!("It stops after {} that take the pod, and scores these", after("node"))
        }
        (true, SamplingStage::Preemption) => {
            format!(
                "It stops after {} once one of them violates no PDB, and picks from these",
                after("candidate")
            )
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
    format!(
        "best from {} of {}{tied}",
        words::group_digits(share.best),
        words::count(starts, "start")
    )
}
