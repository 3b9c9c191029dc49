//! The table of scores, a row per score plugin; and the nodes that the scheduler may pick with
//! sampling, with their probabilities.

use super::{COMPARED, DecisionPage};
use crate::link;
use crate::page::{Column, Span, Tone};
use answers::pod_report::{PodReport, ScoredNode};
use answers::why_not::WhyNot;
use answers::words;
use engine::decision::sampling::{NodeProbability, Sampling, SamplingStage};
use engine::framework::score::{PluginScores, ScoreTable};

/// Maximum denominator of a fraction that is shown; JSON has all of them.
const READABLE: u64 = 1_000_000;
/// Maximum number of rows of the table of probabilities.
const SHOWN: usize = 10;

impl DecisionPage<'_> {
    pub(super) fn scores(&mut self) {
        let Some(table) = self.decision.scores() else { return };
        // The columns are the nodes with the highest scores.
        let ranked = self.decision.ranked_scores();
        let columns = ranked.get(..COMPARED).unwrap_or(&ranked);

        // The rows are the names of the nodes, their scores by plugin, and the sums of these.
        let mut head = vec![Span::default(), Span::new("weight", Tone::Strong)];
        let mut totals = vec![Span::new("total", Tone::Strong), Span::default()];
        let best = table.best();
        for ScoredNode { node, total, .. } in columns {
            let tone = if best.contains(node) { Tone::Good } else { Tone::Plain };
            head.push(Span::new(self.node(*node), Tone::Strong));
            totals.push(Span::new(total.to_string(), tone));
        }
        let mut rows = vec![head];
        for plugin in &table.plugins {
            let mut row =
                vec![link::plugin(plugin.plugin, Tone::Plain), plugin.weight.to_string().into()];
            row.extend(columns.iter().map(|scored| cell(plugin, scored.at)));
            rows.push(row);
        }
        rows.push(totals);
        self.page.section("Which of them scores highest");
        self.page.table(2, [""], rows);
        self.below(table, ranked.len() - columns.len());
    }

    fn below(&mut self, table: &ScoreTable, more: usize) {
        if more > 0 {
            let more = words::count(more, "more node");
            self.page.quiet(2, format!("and {more} with lower scores; -o json has them all"));
        }
        let best = table.best();
        if best.len() > 1 {
            let text = format!("tied: {}; kube-scheduler may take any of them", self.nodes(&best));
            self.page.line(2, vec![text.into()]);
        }
    }

    /// What decides against the node that was asked about.
    pub(super) fn why_not(&mut self) {
        let Some(why) = WhyNot::of(self.decision) else { return };
        self.page.section(format!("Why not {}", why.node));
        self.page.line(2, vec![why.sentence().into()]);
    }

    /// The nodes that the scheduler may pick with sampling.
    pub(super) fn as_scheduled(&mut self) {
        let Some(found) = &self.decision.sampling else { return };
        self.page.section("What the scheduler itself may pick");
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
        let columns = [
            Column::new("NODE").nodes(40),
            Column::new("PROBABILITY"),
            Column::new("WHY").prose(20),
        ];
        self.page.table(2, columns, rows);
        let more = found.nodes.len().saturating_sub(SHOWN);
        if more > 0 {
            let more = words::group_digits(more);
            self.page.quiet(2, format!("and {more} more; -o json has them all"));
        }
    }
}

/// The weighted score, with the raw and the normalized one.
fn cell(plugin: &PluginScores, at: usize) -> Span {
    let (raw, normalized) =
        (plugin.raw.get(at).unwrap_or(&0), plugin.normalized.get(at).unwrap_or(&0));
    format!("{} (raw {raw}, normalized {normalized})", normalized * plugin.weight).into()
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
            let nodes = words::count(found.sample_size, "node");
            format!("It stops after {nodes} that take the pod, and scores these")
        }
        (true, SamplingStage::Preemption) => {
            let candidates = words::count(found.sample_size, "candidate");
            format!(
                "It stops after {candidates} once one of them violates no PDB, and picks from these"
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
