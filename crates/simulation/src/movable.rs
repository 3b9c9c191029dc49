//! Which running pods may run on another node instead: somebody creates them again, and not on the
//! same node.

use model::cluster::Cluster;
use model::cluster::pod::Pod;
use model::edits::stays_when_drained;

/// Whether a controller creates the pod again, on any node. What is being deleted, or is a part of a
/// group, is left alone.
#[must_use]
pub(crate) fn is_movable(pod: &Pod, cluster: &Cluster) -> bool {
    pod.is_running()
        && !pod.is_terminating()
        && pod.controller.is_some()
        && !stays_when_drained(pod, cluster)
        && cluster.template(pod).group.is_empty()
}
