//! The message that the scheduler writes if no node fits: how many nodes rejected the pod, and for
//! which reasons.
//!
//! Upstream: `pkg/scheduler/framework/types.go` `FitError.Error` (1.37; 1.12 to 1.28 where they
//! differ).
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPostFilterPlugins` (1.37).

use std::borrow::Borrow;
use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::reason::{Message, Obstacle, ReasonText, When};
use model::cluster::Cluster;
use profile::Features;
use profile::history::PreemptionWording;

/// The message for a cluster without nodes.
pub static NO_NODES: Message = Message {
    code: "PRE-259",
    text: "no nodes available to schedule pods",
    meaning: "The cluster has no nodes.",
    preemption: "Never: there is no pod to evict.",
    remedy: "add a node",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/schedule_one.go (1.37)",
};

/// How many nodes have each reason.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    counts: IndexMap<ReasonText, usize, foldhash::fast::RandomState>,
}

impl Histogram {
    /// Counts a reason for one node.
    pub fn count(&mut self, reason: &ReasonText) {
        self.count_many(reason, 1);
    }

    /// Counts a reason for several nodes.
    pub(crate) fn count_many(&mut self, reason: &ReasonText, nodes: usize) {
        match self.counts.get_mut(reason) {
            Some(count) => *count += nodes,
            None => {
                self.counts.insert(reason.clone(), nodes);
            }
        }
    }

    /// `<count> <reason>` entries in byte order, joined by commas.
    fn render(&self, cluster: &Cluster) -> String {
        let mut merged: BTreeMap<String, usize> = BTreeMap::new();
        for (text, count) in &self.counts {
            *merged.entry(text.render(cluster).into_owned()).or_default() += count;
        }
        let mut entries: Vec<String> =
            merged.iter().filter(|(_, n)| **n > 0).map(|(text, n)| format!("{n} {text}")).collect();
        entries.sort();
        entries.join(", ")
    }
}

/// The parts of a message.
#[derive(Debug, Default)]
pub(crate) struct FitError {
    /// Nodes in the cluster.
    pub total: usize,
    /// Why PreFilter rejected the pod; replaces the histogram.
    pub pre_filter: Option<String>,
    /// The reasons of the nodes.
    pub histogram: Histogram,
}

/// Several errors as one text; `None` if there are none. The caller removes duplicates.
///
/// Upstream: `apimachinery/pkg/util/errors/errors.go` `Error` (1.37).
pub(crate) fn aggregate<S: Borrow<str>>(errors: &[S]) -> Option<String> {
    match errors {
        [] => None,
        [one] => Some(one.borrow().to_owned()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

impl FitError {
    /// The message in the form that a version with `features` writes, followed by the text of
    /// PostFilter.
    pub(crate) fn render(
        &self,
        cluster: &Cluster,
        features: &Features,
        post_filter: Option<&str>,
    ) -> String {
        let mut message = format!("0/{} nodes are available:", self.total);
        let body = self.pre_filter.clone().unwrap_or_else(|| self.histogram.render(cluster));
        if !body.is_empty() || !features.message.message_in_sentences {
            message.push(' ');
            message.push_str(&body);
            message.push('.');
        }
        let post_filter = post_filter.filter(|text| {
            !text.is_empty() && features.message.message_of_preemption != PreemptionWording::Nothing
        });
        if let Some(text) = post_filter {
            message.push(' ');
            message.push_str(text);
            if features.message.message_ends_with_stop {
                message.push('.');
            }
        }
        message
    }
}

/// The PostFilter status of a plugin that nominates no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PostFilterStatus {
    /// Its text, if any; the next plugin runs.
    Rejects(Option<String>),
    /// Ends PostFilter with this text and drops what earlier plugins said: an error, or a statement
    /// that nothing else can help.
    Ends(String),
}

/// The texts of the plugins that ran so far.
#[derive(Debug, Default)]
pub(crate) struct PostFilterTexts {
    texts: Vec<String>,
    ended: bool,
}

impl PostFilterTexts {
    /// Adds the status of the next plugin.
    pub(crate) fn add(&mut self, status: PostFilterStatus) {
        match status {
            PostFilterStatus::Rejects(text) => self.texts.extend(text),
            PostFilterStatus::Ends(text) => {
                self.texts = vec![text];
                self.ended = true;
            }
        }
    }

    /// Whether no further plugin runs.
    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// The text of PostFilter in the message.
    pub(crate) fn text(&self) -> String {
        self.texts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::{FitError, Histogram};
    use crate::framework::extender::WORDS_OF_EXTENDER;
    use crate::testing::{cluster, features, objects};

    fn message(
        total: usize,
        counts: &[(&'static str, usize)],
        pre_filter: Option<&str>,
        post_filter: Option<&str>,
    ) -> String {
        written_by("1.37", total, counts, pre_filter, post_filter)
    }

    fn written_by(
        version: &str,
        total: usize,
        counts: &[(&'static str, usize)],
        pre_filter: Option<&str>,
        post_filter: Option<&str>,
    ) -> String {
        let mut histogram = Histogram::default();
        for (reason, nodes) in counts {
            histogram.count_many(&WORDS_OF_EXTENDER.with([reason]), *nodes);
        }
        let error = FitError { total, pre_filter: pre_filter.map(Into::into), histogram };
        error.render(&cluster(objects![]), &features(version), post_filter)
    }

    #[test]
    fn parts_of_a_message() {
        for (row, got, want) in [
            ("no reason", message(3, &[], None, None), "0/3 nodes are available:"),
            ("one reason", message(3, &[("a", 3)], None, None), "0/3 nodes are available: 3 a."),
            (
                "byte order, count first",
                message(12, &[("b", 2), ("z", 10)], None, None),
                "0/12 nodes are available: 10 z, 2 b.",
            ),
            (
                "capitals before small letters",
                message(2, &[("a", 1), ("B", 1)], None, None),
                "0/2 nodes are available: 1 B, 1 a.",
            ),
            (
                "nobody counts for nothing",
                message(2, &[("a", 0), ("b", 2)], None, None),
                "0/2 nodes are available: 2 b.",
            ),
            (
                "counts may exceed the nodes",
                message(1, &[("a", 1), ("b", 1)], None, None),
                "0/1 nodes are available: 1 a, 1 b.",
            ),
            (
                "what rejected the pod hides the reasons",
                message(2, &[("a", 2)], Some("why"), None),
                "0/2 nodes are available: why.",
            ),
            (
                "no full stop behind what follows",
                message(1, &[("a", 1)], None, Some("preemption: b")),
                "0/1 nodes are available: 1 a. preemption: b",
            ),
            (
                "nothing follows",
                message(1, &[("a", 1)], None, Some("")),
                "0/1 nodes are available: 1 a.",
            ),
            (
                "no reason, but something follows",
                message(1, &[], None, Some("not found")),
                "0/1 nodes are available: not found",
            ),
        ] {
            assert_eq!(got, want, "{row}");
        }
    }

    #[test]
    fn equal_texts_are_one_reason_however_they_are_kept() {
        let mut histogram = Histogram::default();
        histogram.count(&WORDS_OF_EXTENDER.with([super::NO_NODES.text]));
        histogram.count(&super::NO_NODES.reason());
        let error = FitError { total: 2, pre_filter: None, histogram };
        assert_eq!(
            error.render(&cluster(objects![]), &features("1.37"), None),
            "0/2 nodes are available: 2 no nodes available to schedule pods."
        );
    }

    #[test]
    fn punctuation_depends_on_the_release() {
        let of = |version, counts: &[_]| {
            written_by(version, 3, counts, None, Some("preemption: not eligible ... Never."))
        };
        for (version, with_reason, without) in [
            ("1.12", "0/3 nodes are available: 3 a.", "0/3 nodes are available: ."),
            ("1.23", "0/3 nodes are available: 3 a.", "0/3 nodes are available: ."),
            (
                "1.24",
                "0/3 nodes are available: 3 a. preemption: not eligible ... Never.",
                "0/3 nodes are available: . preemption: not eligible ... Never.",
            ),
            (
                "1.26",
                "0/3 nodes are available: 3 a. preemption: not eligible ... Never..",
                "0/3 nodes are available: preemption: not eligible ... Never..",
            ),
            (
                "1.29",
                "0/3 nodes are available: 3 a. preemption: not eligible ... Never.",
                "0/3 nodes are available: preemption: not eligible ... Never.",
            ),
        ] {
            assert_eq!(of(version, &[("a", 3)]), with_reason, "{version}");
            assert_eq!(of(version, &[]), without, "{version}");
        }
    }
}
