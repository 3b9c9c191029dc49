//! The message that the scheduler writes if no node fits: how many nodes rejected the pod, and for
//! which reasons.
//!
//! Upstream: `pkg/scheduler/framework/types.go` `FitError.Error` (1.37; 1.12 to 1.28 where they
//! differ).

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

#[cfg(test)]
mod tests;
