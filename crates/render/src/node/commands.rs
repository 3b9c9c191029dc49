//! The commands that drain nodes. Nothing here runs them.

use engine::simulation::hazard::Hazard;
use engine::simulation::removal::{NodeRemoval, NodesRemoval, RemovalVerdict};

/// The commands for the nodes that can be drained, in their order.
pub(crate) fn of(removal: &NodesRemoval) -> Vec<String> {
    let can: Vec<&NodeRemoval> =
        removal.nodes.iter().filter(|node| node.verdict == RemovalVerdict::Can).collect();
    let mut commands = Vec::new();
    // Nodes that are removed for good are cordoned first, so that no pod moves twice.
    if can.len() > 1 && removal.surge == 0 {
        let names: Vec<&str> = can.iter().map(|node| node.node.as_str()).collect();
        commands.push(format!("kubectl cordon {}", names.join(" ")));
    }
    commands.extend(can.into_iter().map(drain));
    commands
}

/// The `kubectl drain` of a node.
fn drain(node: &NodeRemoval) -> String {
    let any =
        |hazard: &Hazard| node.play.pods.iter().any(|pod| pod.victim.hazards.contains(hazard));
    let mut command = format!("kubectl drain {}", node.node);
    if node.play.staying.iter().any(|pod| !pod.is_static) {
        command.push_str(" --ignore-daemonsets");
    }
    if any(&Hazard::EmptyDir) {
        command.push_str(" --delete-emptydir-data");
    }
    if any(&Hazard::Bare) {
        command.push_str(" --force");
    }
    command
}
