//! What keeps a pod off the nodes nearest to taking it.

use crate::causes::{self, CauseGroup, NeededAmount};
use crate::holder;
use crate::pod_report::PodReport;
use crate::words;
use engine::cluster::node::NodeIx;
use engine::decision::Outcome;
use engine::decision::handlers::HeldBy;
use engine::decision::nearest::{Distance, Nearness};
use engine::framework::cycle::PreFilter;
use engine::framework::reason::{Obstacle, Quote};

/// The most characters of what another scheduler says.
const MESSAGE: usize = 160;

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
    /// What the pod requests of the resource that they lack, and what they have of it.
    pub amount: Option<NeededAmount>,
}

impl BlockingCause {
    /// The same without the name of the node, which differs between the pods of a DaemonSet.
    #[must_use]
    pub(super) fn on_any_node(&self) -> Self {
        Self { node: None, cordoned: None, ..self.clone() }
    }

    /// A cause that lies with the pod and not with a node; `of` is the number of nodes.
    pub(super) fn of_pod(reason: String, of: usize) -> Self {
        Self {
            plugin: String::new(),
            code: None,
            reasons: vec![reason],
            details: Vec::new(),
            nodes: 0,
            node: None,
            of,
            nearness: None,
            obstacle: None,
            cordoned: None,
            amount: None,
        }
    }

    /// What the pod needs, in a word or two; empty if the cause says no more than its text.
    pub fn needs(&self) -> String {
        if let Some(amount) = &self.amount {
            return amount.needs.clone();
        }
        let needs = match self.obstacle {
            Some(Obstacle::Room) => "room",
            Some(Obstacle::Toleration) => "toleration",
            Some(Obstacle::Cordon) => "uncordon",
            Some(Obstacle::NodeLabels) => "other node",
            Some(Obstacle::Volume) => "volume",
            Some(Obstacle::Spread) => "spread",
            Some(Obstacle::PodAffinity) => "affinity",
            Some(Obstacle::Devices) => "devices",
            Some(Obstacle::Wait) => "time",
            Some(Obstacle::Pod | Obstacle::None) | None => "",
        };
        needs.to_owned()
    }

    /// What the nearest nodes have of it: an amount, or else how many of the nodes lack it.
    pub fn has(&self) -> String {
        match (&self.amount, self.nodes) {
            (Some(amount), _) => amount.has.clone(),
            (None, 0) => String::new(),
            (None, nodes) => {
                format!("not {}/{}", words::group_digits(nodes), words::group_digits(self.of))
            }
        }
    }

    /// A short text: the number of nodes, and the values or else upstream's words; if `wide`,
    /// everything and the plugin.
    pub fn text(&self, wide: bool) -> String {
        let reasons = self.reasons.join(", ");
        let mut what = match (wide, self.details.is_empty()) {
            (_, true) => reasons,
            (true, false) => format!("{reasons} ({})", self.details.join("; ")),
            (false, false) => self.details.join("; "),
        };
        if let Some(node) = &self.node {
            what.push_str(&format!(" ({node})"));
        }
        let share = format!("{}/{}", words::group_digits(self.nodes), words::group_digits(self.of));
        match (self.plugin.as_str(), wide) {
            ("", _) => what,
            (_, false) => format!("{share} {what}"),
            (plugin, true) => format!("{plugin} {share}: {what}"),
        }
    }
}

/// What keeps the pod off the nodes nearest to taking it, as in the first row of `explain`; `stuck`
/// names its victims that should have ended.
pub(super) fn cause(decision: &PodReport, stuck: Option<&str>) -> Option<BlockingCause> {
    let cluster = decision.view.cluster;
    let all_nodes = cluster.nodes.len();

    // A pod held by a quota does not lack resources, even if filters reject it.
    if let Some(held) = decision.holder().filter(|holder| holder.by == HeldBy::Quota) {
        let text = holder::held(&held, decision.pod, cluster);
        return Some(BlockingCause::of_pod(text, all_nodes));
    }

    // Room is not what is missing where the victims that made it do not end.
    if let Some(stuck) = stuck {
        return Some(BlockingCause::of_pod(stuck.to_owned(), all_nodes));
    }

    // A pod that nobody schedules waits for that, whatever the nodes say.
    if let Some(silence) = &decision.silence {
        let is_named =
            matches!(decision.outcome, Outcome::Schedulable { .. } | Outcome::NotInQueue(_));
        if silence.is_down() || is_named {
            return Some(BlockingCause::of_pod(silence.in_short(), all_nodes));
        }
    }

    // Without a cycle, or with one that failed, no node has been asked.
    match &decision.outcome {
        Outcome::NotInQueue(_) => {
            // Its gates are what the row waits on, so the cause does not name them again.
            let found = decision.holder()?;
            let text = match (found.handler, &*found.reason.message) {
                (Some(_), _) => holder::held(&found, decision.pod, cluster),
                (None, "") => return None,
                (None, message) => {
                    let name = found.name(decision.pod, cluster);
                    format!("{name} says: {}", words::beginning(message, MESSAGE))
                }
            };
            return Some(BlockingCause::of_pod(text, all_nodes));
        }
        Outcome::Schedulable { .. } => {
            let condition = cluster.pod(decision.pod).scheduled_condition.as_deref();
            let failed = condition.filter(|condition| &*condition.reason == "SchedulerError")?;
            let text = format!("the last attempt ended with an error: {}", failed.message);
            return Some(BlockingCause::of_pod(text, all_nodes));
        }
        Outcome::Error(error) => {
            return Some(BlockingCause::of_pod(error.text.clone(), all_nodes));
        }
        Outcome::Preempt { .. } | Outcome::Unschedulable { .. } => {}
    }

    // PreFilter may reject the pod for every node at once.
    if let Some(CauseGroup { plugin, reasons, details, .. }) = causes::of_pre_filter(decision) {
        return Some(BlockingCause {
            plugin: plugin.to_owned(),
            code: reasons.first().and_then(Quote::code),
            reasons: reasons.into_iter().map(|quote| quote.text).collect(),
            details,
            nodes: all_nodes,
            ..BlockingCause::of_pod(String::new(), all_nodes)
        });
    }

    nearest_nodes(decision).or_else(|| excluded_nodes(decision)).or_else(|| {
        Some(BlockingCause::of_pod(decision.condition_message()?.to_owned(), all_nodes))
    })
}

/// The cause on the nodes nearest to taking the pod, unless those are excluded by name.
fn nearest_nodes(decision: &PodReport) -> Option<BlockingCause> {
    let cluster = decision.view.cluster;
    let all_nodes = cluster.nodes.len();
    let causes = decision.first_causes();

    // Nodes that are excluded by name count neither as the cause nor towards the total.
    let mut excluded = decision.excluded_by_pre_filter().len();
    let excluded_by_pre_filter = excluded > 0;
    for cause in causes {
        if cause.group.nearness() == Some(Nearness::OtherName) {
            excluded += cause.group.nodes.len();
        }
    }
    let candidates = all_nodes - excluded;

    let nearest = &causes.first()?.group;
    if excluded_by_pre_filter && nearest.nearness() == Some(Nearness::OtherName) {
        return None;
    }
    let name_of = |node: &NodeIx| cluster.node_name(*node).to_owned();
    let is_unmeetable = nearest.distance.is_some_and(Distance::is_unmeetable);
    // Where a volume is decides which nodes there are to consider.
    let mut details = nearest.details_and_remark();
    if excluded_by_pre_filter {
        details.extend(causes::narrowing(decision));
    }
    let first_reason = nearest.reasons.first();
    let obstacle = first_reason.and_then(|quote| quote.message).map(|message| message.obstacle);
    Some(BlockingCause {
        plugin: nearest.plugin.to_owned(),
        code: first_reason.and_then(Quote::code),
        nodes: nearest.nodes.len(),
        node: match nearest.nodes.as_slice() {
            [node] if !is_unmeetable => Some(name_of(node)),
            _ => None,
        },
        of: if candidates == 0 { all_nodes } else { candidates },
        nearness: nearest.nearness(),
        obstacle,
        cordoned: match obstacle {
            Some(Obstacle::Cordon) => nearest.nodes.first().map(name_of),
            _ => None,
        },
        details,
        amount: nearest.amount.clone(),
        reasons: nearest.reasons.iter().map(|quote| quote.text.clone()).collect(),
    })
}

/// The cause if PreFilter excludes nodes, and no other node is nearer.
fn excluded_nodes(decision: &PodReport) -> Option<BlockingCause> {
    let excluded = decision.excluded_by_pre_filter().len();
    let PreFilter::SomeNodes { by, .. } = decision.pre_filter() else { return None };
    if excluded == 0 {
        return None;
    }
    let exclusion = decision.pre_filter_exclusion();
    let code = exclusion.as_ref().and_then(Quote::code);
    let reason =
        exclusion.map_or_else(|| "asked for other nodes by name".to_owned(), |quote| quote.text);
    Some(BlockingCause {
        plugin: by.join(","),
        code,
        details: causes::narrowing(decision),
        nodes: excluded,
        nearness: Some(Nearness::OtherName),
        ..BlockingCause::of_pod(reason, decision.view.cluster.nodes.len())
    })
}
