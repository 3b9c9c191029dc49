//! What keeps a pod off the nodes nearest to taking it.

use crate::groups::{self, Group};
use crate::holder;
use engine::cluster::node::NodeIx;
use engine::decision::handlers::HeldBy;
use engine::decision::nearest::{Distance, Nearness};
use engine::decision::{Explanation, Outcome};
use engine::framework::cycle::PreFilter;
use engine::framework::reason::{Obstacle, Quote};

/// What keeps a pod off the nodes nearest to taking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockingCause {
    /// The plugin; empty if the cycle ended before any plugin could reject the pod.
    pub plugin: String,
    /// The stable code of the first reason; `None` if it has none.
    pub code: Option<&'static str>,
    /// The reasons in upstream's words.
    pub reasons: Vec<String>,
    /// Explanations of the reasons.
    pub details: Vec<String>,
    /// The number of nodes that reject the pod for this reason.
    pub nodes: usize,
    /// The node, if there is only one.
    pub node: Option<String>,
    /// The number of nodes in the cluster, without those that the pod excludes by name.
    pub of: usize,
    /// How near these nodes are; `None` if the cause is not a node's.
    pub nearness: Option<Nearness>,
    /// What would have to change there.
    pub obstacle: Option<Obstacle>,
    /// The first of these nodes, if they are cordoned.
    pub cordoned: Option<String>,
}

impl BlockingCause {
    /// The same without the name of the node, which differs between the pods of a DaemonSet.
    #[must_use]
    pub(super) fn on_any_node(&self) -> Self {
        Self { node: None, cordoned: None, ..self.clone() }
    }

    /// A short text: the number of nodes, and the values or else upstream's words; if `wide`,
    /// everything and the plugin.
    #[must_use]
    pub(crate) fn text(&self, wide: bool) -> String {
        let reasons = self.reasons.join(", ");
        let mut what = match (wide, self.details.is_empty()) {
            (_, true) => reasons,
            (true, false) => format!("{reasons} ({})", self.details.join("; ")),
            (false, false) => self.details.join("; "),
        };
        if let Some(node) = &self.node {
            what.push_str(&format!(" ({node})"));
        }
        match (self.plugin.as_str(), wide) {
            ("", _) => what,
            (_, false) => format!("{}/{} {what}", self.nodes, self.of),
            (plugin, true) => format!("{plugin} {}/{}: {what}", self.nodes, self.of),
        }
    }
}

/// What keeps the pod off the nodes nearest to taking it, as in the first row of `explain`.
pub(super) fn cause(decision: &Explanation) -> Option<BlockingCause> {
    let cluster = decision.view.cluster;
    let of = cluster.nodes.len();
    let plain = |plugin: String, reason: String, nodes: usize| BlockingCause {
        plugin,
        code: None,
        reasons: vec![reason],
        details: Vec::new(),
        nodes,
        node: None,
        of,
        nearness: None,
        obstacle: None,
        cordoned: None,
    };
    // A pod held by a quota does not lack resources, whatever the filters say.
    if let Some(held) = decision.holder().filter(|holder| holder.by == HeldBy::Quota) {
        return Some(plain(String::new(), holder::held(&held, decision.pod, cluster), 0));
    }
    match &decision.outcome {
        Outcome::NotInQueue(_) => {
            // Its gates are what the row waits on, so the cause does not name them again.
            let found = decision.holder().filter(|holder| holder.handler.is_some())?;
            let held = holder::held(&found, decision.pod, cluster);
            return Some(plain(String::new(), held, 0));
        }
        Outcome::Schedulable { .. } => return None,
        Outcome::Error(error) => return Some(plain(String::new(), error.text.clone(), 0)),
        Outcome::Preempt { .. } | Outcome::Unschedulable { .. } => {}
    }
    if let Some(Group { plugin, reasons, details, .. }) = groups::of_pre_filter(decision) {
        return Some(BlockingCause {
            code: reasons.first().and_then(Quote::code),
            reasons: reasons.into_iter().map(|quote| quote.text).collect(),
            details,
            ..plain(plugin.to_owned(), String::new(), of)
        });
    }

    // Nodes that are excluded by name count neither as the cause nor towards the total.
    let excluded = decision.excluded_by_pre_filter().len();
    let causes = groups::by_first_reason(decision);
    let is_named_otherwise = |group: &Group| group.nearness() == Some(Nearness::OtherName);
    let named_otherwise =
        causes.0.iter().map(|cause| &cause.group).filter(|group| is_named_otherwise(group));
    let candidates = of - excluded - named_otherwise.map(|group| group.nodes.len()).sum::<usize>();
    if let Some(nearest) = causes.0.first().map(|cause| &cause.group)
        && (excluded == 0 || !is_named_otherwise(nearest))
    {
        let is_unmeetable = nearest.distance.is_some_and(Distance::is_unmeetable);
        let name = |node: &NodeIx| cluster.text(cluster.node(*node).name).to_owned();
        let message = nearest.reasons.first().and_then(|quote| quote.message);
        let obstacle = message.map(|message| message.obstacle);
        let is_cordoned = obstacle == Some(Obstacle::Cordon);
        return Some(BlockingCause {
            plugin: nearest.plugin.to_owned(),
            code: nearest.reasons.first().and_then(Quote::code),
            nodes: nearest.nodes.len(),
            node: match nearest.nodes.as_slice() {
                [node] if !is_unmeetable => Some(name(node)),
                _ => None,
            },
            of: if candidates == 0 { of } else { candidates },
            nearness: nearest.nearness(),
            obstacle,
            cordoned: nearest.nodes.first().filter(|_| is_cordoned).map(name),
            details: nearest.details_and_remark(),
            reasons: nearest.reasons.iter().map(|quote| quote.text.clone()).collect(),
        });
    }
    if let PreFilter::SomeNodes { by, .. } = decision.pre_filter()
        && excluded > 0
    {
        let exclusion = decision.pre_filter_exclusion();
        let code = exclusion.as_ref().and_then(Quote::code);
        let reason = exclusion
            .map_or_else(|| "asked for other nodes by name".to_owned(), |quote| quote.text);
        return Some(BlockingCause {
            code,
            nearness: Some(Nearness::OtherName),
            details: groups::narrowing(decision),
            ..plain(by.join(","), reason, excluded)
        });
    }
    decision.condition_message().map(|message| plain(String::new(), message.to_owned(), 0))
}
