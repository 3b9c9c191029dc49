//! The table of scores: a row per score plugin.

use super::{COMPARED, DecisionPage};
use crate::link;
use crate::page::{Span, Tone};
use engine::cluster::NodeIx;
use engine::framework::score::{PluginScores, ScoreTable};

impl DecisionPage<'_> {
    pub(super) fn scores(&mut self) {
        let Some(table) = self.decision.scores() else { return };
        let mut ranked: Vec<(NodeIx, usize, i64)> = table
            .nodes
            .iter()
            .zip(&table.totals)
            .enumerate()
            .map(|(at, (node, total))| (*node, at, *total))
            .collect();
        ranked.sort_by_key(|(node, _, total)| (std::cmp::Reverse(*total), *node));
        let columns = ranked.get(..COMPARED).unwrap_or(&ranked);
        let more = ranked.len() - columns.len();
        self.heading("Which of them scores highest");
        let mut rows = vec![
            [Span::new("", Tone::Plain), Span::new("weight", Tone::Strong)]
                .into_iter()
                .chain(columns.iter().map(|(node, ..)| Span::new(self.node(*node), Tone::Strong)))
                .collect::<Vec<_>>(),
        ];
        rows.extend(table.plugins.iter().map(|plugin| {
            let head = [link::plugin(plugin.plugin, Tone::Plain), plugin.weight.to_string().into()];
            head.into_iter().chain(columns.iter().map(|(_, at, _)| cell(plugin, *at))).collect()
        }));
        let best = table.best();
        let total = |(node, _, total): &(NodeIx, usize, i64)| {
            Span::new(total.to_string(), if best.contains(node) { Tone::Good } else { Tone::Plain })
        };
        rows.push(
            [Span::new("total", Tone::Strong), "".into()]
                .into_iter()
                .chain(columns.iter().map(total))
                .collect(),
        );
        self.page.table(2, [""], rows);
        self.below(table, more);
    }

    fn below(&mut self, table: &ScoreTable, more: usize) {
        if more > 0 {
            let text = format!(
                "and {} with lower scores; -o json has them all",
                super::words::count(more, "more node")
            );
            self.page.line(2, vec![Span::new(text, Tone::Quiet)]);
        }
        let best = table.best();
        if best.len() > 1 {
            let text = format!("tied: {}; kube-scheduler may take any of them", self.nodes(&best));
            self.page.line(2, vec![text.into()]);
        }
    }
}

/// The weighted score, with the raw and the normalized one.
fn cell(plugin: &PluginScores, at: usize) -> Span {
    let (raw, normalized) =
        (plugin.raw.get(at).unwrap_or(&0), plugin.normalized.get(at).unwrap_or(&0));
    format!("{} (raw {raw}, normalized {normalized})", normalized * plugin.weight).into()
}
