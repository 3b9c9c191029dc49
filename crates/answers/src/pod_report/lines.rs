//! Why no node takes a pod, and why evictions do not help: a line for each cause.

use super::PodReport;
use crate::causes::{self, FirstCause};
use crate::words;
use engine::framework::reason::Quote;
use engine::preemption::{CANNOT_HELP, NOT_HELPFUL};

/// Nodes with a common cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseLine {
    pub nodes: usize,
    pub text: String,
    /// The code of the first reason.
    pub code: Option<&'static str>,
}

impl PodReport<'_> {
    /// Why nodes reject the pod, the nearest nodes first.
    pub fn rejection_lines(&self) -> Vec<CauseLine> {
        if let Some(group) = causes::of_pre_filter(self) {
            let nodes = self.cluster().nodes.len();
            return vec![CauseLine { nodes, text: group.cause(), code: code(&group.reasons) }];
        }
        let mut lines: Vec<CauseLine> =
            self.first_causes().iter().map(|cause| self.line(cause)).collect();
        let excluded = self.excluded_by_pre_filter().len();
        if excluded > 0 {
            let quote = self.excluded();
            let why = causes::narrowing(self);
            let text = if why.is_empty() { quote.text } else { why.join("; ") };
            let code = quote.message.map(|message| message.code);
            lines.push(CauseLine { nodes: excluded, text, code });
        }
        lines
    }

    /// Why evictions help on no node: the nodes whose dry run found no candidate, those where it
    /// failed, and those on which nothing was tried, because evictions cannot help there.
    pub fn no_eviction_lines(&self) -> Vec<CauseLine> {
        let Some(report) = self.preemption() else { return Vec::new() };
        let mut lines = Vec::new();
        for mut group in causes::group(report.rejections(), self.cluster()) {
            self.after_evictions(&mut group);
            let (nodes, code) = (group.nodes.len(), code(&group.reasons));
            lines.push(CauseLine { nodes, text: group.cause(), code });
        }
        for run in report.dry_runs.values() {
            if let Some(failure) = run.failure() {
                lines.push(CauseLine { nodes: 1, text: failure.text().to_owned(), code: None });
            }
        }
        let nodes = report.not_tried(self.cluster()).len();
        if nodes > 0 {
            let text = CANNOT_HELP.to_owned();
            lines.push(CauseLine { nodes, text, code: Some(NOT_HELPFUL.code) });
        }
        lines
    }

    fn line(&self, FirstCause { group, others }: &FirstCause) -> CauseLine {
        let mut text = group.cause();
        if let [node] = group.nodes.as_slice() {
            text.push_str(&format!(" ({})", self.node(*node)));
        }
        if !others.is_empty() {
            let mut also = Vec::new();
            for (name, nodes) in others {
                also.push(if *nodes == group.nodes.len() {
                    name.clone()
                } else {
                    format!("{name} on {}", words::group_digits(*nodes))
                });
            }
            text.push_str(&format!("; also {}", also.join(", ")));
        }
        CauseLine { nodes: group.nodes.len(), text, code: code(&group.reasons) }
    }
}

fn code(quotes: &[Quote]) -> Option<&'static str> {
    quotes.first()?.message.map(|message| message.code)
}
