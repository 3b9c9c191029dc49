//! The reason for which most nodes reject a pod.

use crate::groups::{self, Group};
use engine::decision::{Decision, Outcome};
use engine::framework::cycle::PreFilter;

/// The reason for which most nodes reject a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockingCause {
    /// The plugin; empty if the cycle ended before any plugin could reject the pod.
    pub plugin: String,
    /// The reasons in upstream's words.
    pub reasons: Vec<String>,
    /// Explanations of the reasons.
    pub details: Vec<String>,
    /// The number of nodes that it rejects.
    pub nodes: usize,
    /// The number of nodes in the cluster.
    pub of: usize,
}

impl BlockingCause {
    /// A short text: the number of nodes, and the values or else upstream's words; if `wide`, all of them and the plugin.
    #[must_use]
    pub(crate) fn text(&self, wide: bool) -> String {
        let reasons = self.reasons.join(", ");
        let what = match (wide, self.details.is_empty()) {
            (_, true) => reasons,
            (true, false) => format!("{reasons} ({})", self.details.join("; ")),
            (false, false) => self.details.join("; "),
        };
        match (self.plugin.as_str(), wide) {
            ("", _) => what,
            (_, false) => format!("{}/{} {what}", self.nodes, self.of),
            (plugin, true) => format!("{plugin} {}/{}: {what}", self.nodes, self.of),
        }
    }
}

/// The reason for which most nodes reject the pod.
pub(super) fn cause(decision: &Decision) -> Option<BlockingCause> {
    let cluster = decision.view.cluster;
    let of = cluster.nodes.len();
    match &decision.outcome {
        Outcome::Schedulable { .. } | Outcome::NotInQueue(_) => return None,
        Outcome::Error(error) => {
            let reasons = vec![error.text.clone()];
            return Some(BlockingCause { plugin: String::new(), reasons, details: Vec::new(), nodes: 0, of });
        }
        Outcome::Preempt { .. } | Outcome::Unschedulable { .. } => {}
    }
    if let PreFilter::Rejected { plugin, rejection, .. } = decision.pre_filter() {
        let (plugin, reasons) = ((*plugin).to_owned(), rejection.texts(cluster));
        return Some(BlockingCause { plugin, reasons, details: Vec::new(), nodes: of, of });
    }
    let excluded = decision.excluded_by_pre_filter();
    let largest = groups::group(decision.rejections(), cluster).into_iter().next();
    match (largest, decision.pre_filter()) {
        (Some(group), _) if group.nodes.len() >= excluded.len() => {
            let Group { plugin, reasons, details, nodes, .. } = group;
            let reasons = reasons.into_iter().map(|quote| quote.text).collect();
            Some(BlockingCause { plugin: plugin.to_owned(), reasons, details, nodes: nodes.len(), of })
        }
        (_, PreFilter::SomeNodes { by, .. }) if !excluded.is_empty() => {
            let reason = decision
                .pre_filter_exclusion()
                .map_or_else(|| "asked for other nodes by name".to_owned(), |quote| quote.text);
            let reasons = vec![reason];
            Some(BlockingCause { plugin: by.join(","), reasons, details: Vec::new(), nodes: excluded.len(), of })
        }
        _ => {
            let message = decision.condition_message().map(str::to_owned)?;
            Some(BlockingCause { plugin: String::new(), reasons: vec![message], details: Vec::new(), nodes: 0, of })
        }
    }
}
