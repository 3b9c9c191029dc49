//! The differences of NodePorts.

use super::row::history;

history! {
    /// The differences of NodePorts.
    NodePorts for "NodePorts";

    flags {
        /// Init containers with `restartPolicy: Always` may hold host ports.
        sidecar_ports from "kubernetes/kubernetes#132040" { (33, 6) => true }
    }
}
