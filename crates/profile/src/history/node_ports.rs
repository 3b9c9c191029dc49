//! What differs in NodePorts from version to version.

use super::row::history;

history! {
    NodePorts for "NodePorts";

    flags {
        /// Init containers with `restartPolicy: Always` may hold host ports.
        sidecar_ports from "kubernetes/kubernetes#132040" { (33, 6) => true }
    }
}
