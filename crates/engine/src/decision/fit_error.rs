//! Parses a message of the scheduler: the number of nodes, the count of each reason, and the text of preemption.
//!
//! Upstream: `pkg/scheduler/framework/types.go` `FitError.Error` and the PostFilter texts appended to it (1.29 to 1.37).

use std::collections::BTreeMap;

/// The first words of PostFilter texts. Reasons may contain full stops, so these words mark where the reasons end.
const POST_FILTER: &[&str] = &[
    PREEMPTION,
    "no new claims to deallocate",
    "not found",
    "still not schedulable",
    "plugin disabled",
    "deallocation of ",
    "deletion of ",
    "running ",
];
const PREEMPTION: &str = "preemption: ";

/// A message of the form `0/5 nodes are available: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedFitError {
    /// Nodes in the cluster.
    pub total: usize,
    /// Why the pod does not fit.
    pub rejection: FitErrorReasons,
    /// The text of PostFilter plugins other than DefaultPreemption.
    pub others: String,
    /// The text of DefaultPreemption.
    pub preemption: Option<PreemptionText>,
}

/// Why the pod does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FitErrorReasons {
    /// The number of nodes by reason.
    Nodes(BTreeMap<String, usize>),
    /// One reason of PreFilter for the pod as a whole.
    Pod(String),
}

/// The text of DefaultPreemption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PreemptionText {
    /// Preemption found a node.
    Found {
        /// The node.
        node: String,
        /// The number of victims.
        victims: usize,
    },
    /// Preemption helps on no node: the number of nodes by reason.
    Nowhere {
        /// Nodes in the cluster.
        total: usize,
        /// The number of nodes by reason.
        reasons: BTreeMap<String, usize>,
    },
    /// Any other text, such as the reason why the pod may not preempt.
    Text(String),
}

impl ParsedFitError {
    /// Parses a message; `None` if it has another form, such as an error.
    #[must_use]
    pub fn parse(message: &str) -> Option<Self> {
        let (total, rest) = head(message)?;
        let (body, post) = split(rest);
        let rejection = reasons(body).map_or_else(|| FitErrorReasons::Pod(body.to_owned()), FitErrorReasons::Nodes);
        let (others, preemption) = match post.split_once(PREEMPTION) {
            Some((others, text)) => (others.trim_end_matches([',', ' ']), Some(PreemptionText::parse(text))),
            None => (post, None),
        };
        Some(Self { total, rejection, others: others.to_owned(), preemption })
    }
}

impl PreemptionText {
    fn parse(text: &str) -> Self {
        // 1.26 to 1.28 append a full stop to the text.
        let text = if text.ends_with("..") { text.strip_suffix('.').unwrap_or(text) } else { text };
        let found = text.strip_prefix("found a potential placement for pod on node ").and_then(|rest| {
            let (node, rest) = rest.split_once(", preempting ")?;
            Some(Self::Found { node: node.to_owned(), victims: rest.strip_suffix(" victims")?.parse().ok()? })
        });
        let nowhere = || {
            let (total, rest) = head(text)?;
            Some(Self::Nowhere { total, reasons: reasons(rest.strip_suffix('.')?)? })
        };
        found.or_else(nowhere).unwrap_or_else(|| Self::Text(text.to_owned()))
    }
}

/// Splits off `0/5 nodes are available:`. Returns the number of nodes and the rest, without the space between.
fn head(text: &str) -> Option<(usize, &str)> {
    let (total, rest) = text.strip_prefix("0/")?.split_once(" nodes are available:")?;
    Some((total.parse().ok()?, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Splits the reasons, without their full stop, from the PostFilter texts.
fn split(rest: &str) -> (&str, &str) {
    let stops = rest.match_indices(". ");
    let post = stops.filter_map(|(at, stop)| rest.split_at_checked(at + stop.len()));
    let known = post.filter(|(_, post)| POST_FILTER.iter().any(|start| post.starts_with(start)));
    let (body, post) = known.map(|(body, post)| (body.trim_end(), post)).next().unwrap_or((rest, ""));
    (body.strip_suffix('.').unwrap_or(body), post)
}

/// Parses `2 Insufficient cpu, 1 Too many pods`. A comma may be part of a reason. `None` if the text has another form.
fn reasons(text: &str) -> Option<BTreeMap<String, usize>> {
    let mut reasons = BTreeMap::new();
    let mut last: Option<(String, usize)> = None;
    for piece in text.split(", ") {
        let counted = piece.split_once(' ').and_then(|(count, reason)| Some((reason, count.parse().ok()?)));
        match (counted, &mut last) {
            (Some((reason, count)), _) => {
                reasons.extend(last.take());
                last = Some((reason.to_owned(), count));
            }
            (None, Some((reason, _))) => {
                reason.push_str(", ");
                reason.push_str(piece);
            }
            (None, None) => return None,
        }
    }
    reasons.extend(last);
    Some(reasons)
}

#[cfg(test)]
mod tests;
