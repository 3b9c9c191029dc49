//! Distinguishes files that lack the nodes from clusters without nodes.

use crate::error::AnswerError;
use engine::cluster::Cluster;
use engine::cluster::pod::Pod;
use engine::decision::fit_error;
use engine::snapshot::Kind;

/// Hint of the errors.
const ADD_NODES: &str = "add `nodes` to kubectl get: kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,priorityclasses -A -o json";

/// Rejects a file without nodes, unless it shows that the cluster has none: a snapshot or a
/// `NodeList` without items, a pod that is pending because there are none, or namespaces together
/// with pods of which none has a node.
///
/// `origin` names the file.
///
/// # Errors
/// [`AnswerError::Input`] explains how to add the nodes.
pub fn check(cluster: &Cluster, origin: &str) -> Result<(), AnswerError> {
    if !cluster.nodes.is_empty() {
        return Ok(());
    }
    let unread =
        cluster.notes.iter().find(|note| note.lacks.iter().any(|lack| lack.is_of_all(Kind::Node)));
    if let Some(note) = unread {
        return Err(AnswerError::input(
            origin,
            format!("no nodes in it that can be read: {}", note.text),
        ));
    }
    let is_listed = cluster.header.resource_versions.contains_key(Kind::Node.plural())
        || cluster.listed.contains(&Kind::Node);
    // A pod may have been tried when there were no nodes yet: the largest count is used.
    match cluster.pods.iter().filter_map(nodes_counted).max() {
        _ if is_listed => Ok(()),
        Some(0) => Ok(()),
        Some(count) => {
            let s = if count == 1 { "" } else { "s" };
            let problem =
                format!("no nodes in it, but a pod waits for one of {count} node{s}; {ADD_NODES}");
            Err(AnswerError::input(origin, problem))
        }
        // A user who exported namespaces, which every cluster has, exported more than pods; and
        // nothing runs there.
        None if !cluster.namespaces.is_empty() && nothing_runs(cluster) => Ok(()),
        None => Err(AnswerError::input(origin, format!("no nodes in it; {ADD_NODES}"))),
    }
}

fn nothing_runs(cluster: &Cluster) -> bool {
    cluster.pods.iter().all(|pod| cluster.text(pod.node_name).is_empty())
}

/// The number of nodes in the scheduler's condition on a pending pod.
fn nodes_counted(pod: &Pod) -> Option<usize> {
    let message = &*pod.scheduled_condition.as_ref()?.message;
    if message.starts_with("no nodes available") {
        return Some(0);
    }
    Some(fit_error::sections(message)?.total)
}

#[cfg(test)]
mod tests;
