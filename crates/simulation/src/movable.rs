//! Which running pods can be moved to another node: a controller recreates them, and not
//! necessarily on the same node.

use model::cluster::{Cluster, Pod};
use model::edits::stays_when_drained;

/// Whether a controller recreates the pod on any node. Terminating pods and members of groups are
/// not moved.
pub(crate) fn is_movable(pod: &Pod, cluster: &Cluster) -> bool {
    pod.is_running()
        && !pod.is_terminating()
        && pod.controller.is_some()
        && !stays_when_drained(pod, cluster)
        && cluster.template(pod).group.is_empty()
}
