//! Changes of nodes that no condition or `timeAdded` shows: a cordon, a taint that a person adds, a
//! label, a smaller allocatable. They make the node worse for the pod, so kube-scheduler does not try the pod
//! again for them, and its message stays as it was until the next attempt.
//!
//! Upstream: the `isSchedulableAfter...` hints of the plugins, `preCheckForNode` before them (1.37).

use std::collections::BTreeMap;

use DatedChange::{By, NotAfter, Unknown};
use jiff::Timestamp;

use super::difference::{ChangeKind, MessageDifference, first_names};
use crate::decision::Decision;
use crate::decision::fit_error::{FitErrorReasons, ParsedFitError};
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::operands::ResourceId;
use crate::framework::status::{Reason, Rejection};
use crate::plugins;
use model::cluster::resources::is_extended;
use model::cluster::{Cluster, NodeIx};
use model::snapshot::controllers::NodeChanges;
use model::snapshot::managed_fields::FieldChange;
use model::words::age;

/// Plugins that reject a node for such a field, each with what may have happened to the node.
const BY_FIELDS: [(&str, &str); 4] = [
    ("NodeUnschedulable", "cordoned"),
    ("TaintToleration", "tainted"),
    ("NodeAffinity", "labelled otherwise"),
    ("NodeResourcesFit", "given a smaller allocatable"),
];

/// A change that a node may have had since the message was written.
struct PossibleChange {
    node: NodeIx,
    what: String,
    /// The reasons that the message counts for the node now.
    now: Vec<String>,
    /// Those that it would have counted before the change.
    before: Vec<String>,
}

/// The changes of nodes after `since` that can have led from one message to the other, as one line;
/// `None` if no such changes explain the whole difference.
pub(super) fn explanation(
    decision: &Decision,
    then: Option<&ParsedFitError>,
    now: Option<&ParsedFitError>,
    difference: &MessageDifference,
    since: Option<Timestamp>,
) -> Option<String> {
    let (then, now) = (then?, now?);
    let is_of_nodes = matches!(difference.sort, ChangeKind::Counts | ChangeKind::Fields);
    if !is_of_nodes || then.total != now.total || decision.membership.is_some() {
        return None;
    }
    let (FitErrorReasons::Nodes(before), FitErrorReasons::Nodes(after)) =
        (&then.rejection, &now.rejection)
    else {
        return None;
    };

    // How many more nodes the old message counts for each reason: undone changes have to bring all
    // of it to zero.
    let mut missing: BTreeMap<&str, i64> = BTreeMap::new();
    for (reasons, sign) in [(before, 1), (after, -1)] {
        for (reason, count) in reasons {
            *missing.entry(reason).or_default() += sign * i64::try_from(*count).ok()?;
        }
    }
    let mut changed: BTreeMap<String, Vec<NodeIx>> = BTreeMap::new();
    let mut last = None;
    for change in possible_changes(decision, since) {
        if last != Some(change.node) && change.undo(&mut missing) {
            last = Some(change.node);
            changed.entry(change.what).or_default().push(change.node);
        }
    }
    if changed.is_empty() || missing.values().any(|count| *count != 0) {
        return None;
    }
    let cluster = decision.view.cluster;
    let mut parts = Vec::new();
    for (what, nodes) in changed {
        let names = nodes.iter().map(|node| cluster.node_name(*node).to_owned());
        parts.push(format!("{what}: {}", first_names(names)));
    }
    Some(format!(
        "nodes may have changed without making kube-scheduler try the pod again ({})",
        parts.join("; ")
    ))
}

impl PossibleChange {
    /// Takes the change back in the counts, if every count that it touches comes closer to the old
    /// message.
    fn undo(&self, missing: &mut BTreeMap<&str, i64>) -> bool {
        let gone: Vec<&String> =
            self.now.iter().filter(|reason| !self.before.contains(reason)).collect();
        let back: Vec<&String> =
            self.before.iter().filter(|reason| !self.now.contains(reason)).collect();
        let count = |reason: &String| missing.get(reason.as_str()).copied().unwrap_or_default();
        if gone.is_empty()
            || gone.iter().any(|reason| count(reason) >= 0)
            || back.iter().any(|reason| count(reason) <= 0)
        {
            return false;
        }
        for (reasons, step) in [(gone, 1), (back, -1)] {
            for reason in reasons {
                if let Some(count) = missing.get_mut(reason.as_str()) {
                    *count += step;
                }
            }
        }
        true
    }
}

/// What managed fields say of a change that a node may have had.
enum DatedChange<'c> {
    /// The last client that can have made it, and when.
    By(&'c FieldChange),
    /// It was not after this time, and may have been long before.
    NotAfter(&'c FieldChange),
    Unknown,
}

/// What happened to a node, with the time and the client if the node's managed fields name them;
/// `None` if they show that it was before `since`, and so before the message.
fn dated(
    what: &'static str,
    node: NodeIx,
    rejection: &Rejection,
    decision: &Decision,
    since: Option<Timestamp>,
) -> Option<String> {
    let cluster = decision.view.cluster;
    let programs = cluster.header.programs.as_ref();
    let Some(changes) = programs.and_then(|all| all.node(cluster.node_name(node))) else {
        return Some(what.to_owned());
    };
    let change = match what {
        "cordoned" => changes.cordon.as_ref().map_or(Unknown, By),
        "tainted" => changes.taints.as_ref().map_or(Unknown, By),
        "labelled otherwise" => label_change(changes, node, decision),
        _ => allocatable_change(changes, rejection, cluster),
    };
    let (By(last) | NotAfter(last)) = change else { return Some(what.to_owned()) };
    let Some(at) = last.at() else { return Some(what.to_owned()) };
    if since.is_some_and(|since| at < since) {
        return None;
    }
    if matches!(change, NotAfter(_)) {
        return Some(what.to_owned());
    }
    let ago = age(decision.now.as_second() - at.as_second());
    // The time is that of the client's last write of anything.
    Some(format!("{what} by {}, {ago} ago at the latest", last.manager))
}

/// The last change of the labels that the pod selects nodes by. A label that the node does not have
/// may have been removed at any time.
fn label_change<'c>(
    changes: &'c NodeChanges,
    node: NodeIx,
    decision: &Decision,
) -> DatedChange<'c> {
    let cluster = decision.view.cluster;
    let template = cluster.template(cluster.pod(decision.pod));
    let labels = cluster.labels(cluster.node(node).labels);
    let mut last: Option<&FieldChange> = None;
    for key in template.selected_labels() {
        let has_it = labels.iter().any(|(own, _)| *own == key);
        let Some(change) = changes.label(cluster.text(key)).filter(|_| has_it) else {
            return Unknown;
        };
        if last.is_none_or(|last| last.time < change.time) {
            last = Some(change);
        }
    }
    last.map_or(Unknown, By)
}

/// The last change of a node's allocatable resources. A resource that it does not have may have been
/// removed at any time.
fn allocatable_change<'c>(
    changes: &'c NodeChanges,
    rejection: &Rejection,
    cluster: &Cluster,
) -> DatedChange<'c> {
    let is_gone = rejection.reasons.iter().filter_map(Reason::lack).any(|lack| {
        matches!(lack.resource, ResourceId::Scalar(name) if is_extended(cluster.text(name)))
            && lack.allocatable == 0
    });
    match &changes.allocatable {
        Some(change) if !is_gone && change.is_heartbeat => NotAfter(&change.by),
        Some(change) if !is_gone => By(&change.by),
        Some(_) | None => Unknown,
    }
}

/// The changes that nodes may have had after `since`, by node.
fn possible_changes(decision: &Decision, since: Option<Timestamp>) -> Vec<PossibleChange> {
    let cluster = decision.view.cluster;
    let mut rejected: Vec<(NodeIx, &'static str, &Rejection)> = Vec::new();
    for (node, verdict) in cluster.node_indices().zip(decision.nodes()) {
        if let NodeVerdict::Filtered { plugin, rejection } = verdict
            && field_change(plugin).is_some()
        {
            rejected.push((node, *plugin, rejection));
        }
    }
    let nodes: Vec<_> = rejected.iter().map(|(node, plugin, _)| (*node, Some(*plugin))).collect();
    let filters = plugins::filters(&decision.profile().plugins);
    let prepared =
        PreparedCycle::of_every_plugin(decision.view, decision.pod, decision.now, &filters);
    let others = prepared.other_rejections(&nodes);

    let texts = |rejection: &Rejection| -> Vec<String> {
        rejection.reasons.iter().map(|reason| reason.text.render(cluster).to_string()).collect()
    };
    let mut changes = Vec::new();
    for ((node, plugin, rejection), behind) in rejected.into_iter().zip(others) {
        let Some(what) = field_change(plugin) else { continue };
        let Some(what) = dated(what, node, rejection, decision, since) else { continue };
        let now = texts(rejection);
        // A smaller allocatable may have added one of several lacking resources.
        if now.len() > 1 && plugin == "NodeResourcesFit" {
            for added in &now {
                let before = now.iter().filter(|reason| *reason != added).cloned().collect();
                changes.push(PossibleChange { node, what: what.clone(), now: now.clone(), before });
            }
        }
        // Without the field, the next plugin that rejects the node was the first, unless its field
        // changed as well.
        for (next, rejection) in behind.into_iter().flatten() {
            changes.push(PossibleChange {
                node,
                what: what.clone(),
                now: now.clone(),
                before: texts(&rejection),
            });
            if field_change(next).is_none() {
                break;
            }
        }
    }
    changes
}

/// What may have happened to a node that this plugin rejects.
fn field_change(plugin: &str) -> Option<&'static str> {
    BY_FIELDS.iter().find(|(own, _)| *own == plugin).map(|(_, what)| *what)
}
