//! Tells files in which the nodes were forgotten from clusters that have none.

use crate::error::Error;
use engine::cluster::Cluster;
use engine::cluster::pod::Pod;
use engine::snapshot::Kind;

/// The kubectl command that the error advises.
const COMMAND: &str = "kubectl get nodes,pods,pdb,priorityclasses,namespaces -A -o json";

/// Refuses a file without nodes, unless it may show all of a cluster that has none: a snapshot lists the nodes, and
/// any other file at least has namespaces, as every cluster does, and no pod that is on a node.
///
/// `origin` names the file.
///
/// # Errors
/// [`Error::Input`] says how to add the nodes.
pub fn check(cluster: &Cluster, origin: &str) -> Result<(), Error> {
    let has_listed = cluster.header.resource_versions.contains_key(Kind::Node.plural());
    let is_whole = || !cluster.namespaces.is_empty() && cluster.pods.iter().all(|pod| is_on_no_node(cluster, pod));
    if !cluster.nodes.is_empty() || has_listed || is_whole() {
        return Ok(());
    }
    Err(Error::input(origin, format!("no nodes in it; add `nodes` to kubectl get: {COMMAND}")))
}

fn is_on_no_node(cluster: &Cluster, pod: &Pod) -> bool {
    cluster.text(pod.node_name).is_empty()
}

#[cfg(test)]
mod tests;
