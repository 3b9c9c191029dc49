//! The commands that drain nodes. Nothing here runs them.

use super::fates::Outlook;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::PlannedVictim;
use engine::simulation::removal::{NodeRemoval, NodesRemoval, RemovalVerdict};

/// The commands for the nodes that can be drained, in their order. That of a single node is also told
/// if the drain ends and leaves pods Pending.
pub fn of(removal: &NodesRemoval) -> Vec<String> {
    let can: Vec<&NodeRemoval> = match removal.nodes.as_slice() {
        [node] if Outlook::of(node).drains() => vec![node],
        nodes => nodes.iter().filter(|node| node.verdict == RemovalVerdict::Can).collect(),
    };
    let mut commands = Vec::new();
    // Nodes to be removed permanently are cordoned first, so that no pod moves twice.
    if can.len() > 1 && removal.surge == 0 {
        let names: Vec<&str> = can.iter().map(|node| node.node.as_str()).collect();
        commands.push(format!("kubectl cordon {}", names.join(" ")));
    }
    commands.extend(can.into_iter().map(drain));
    commands
}

/// The `kubectl drain` of a node.
fn drain(node: &NodeRemoval) -> String {
    let has_daemons = node.play.staying.iter().any(|pod| !pod.is_static);
    drain_command(&node.node, has_daemons, node.play.pods.iter().map(|pod| &pod.victim))
}

/// The `kubectl drain` that evicts all `victims`, with the flags that they take.
pub fn drain_command<'v>(
    node: &str,
    has_daemons: bool,
    victims: impl Iterator<Item = &'v PlannedVictim>,
) -> String {
    let hazards: Vec<&Hazard> = victims.flat_map(|victim| &victim.hazards).collect();
    let mut command = format!("kubectl drain {node}");
    if has_daemons {
        command.push_str(" --ignore-daemonsets");
    }
    for (hazard, flag) in
        [(Hazard::EmptyDir, " --delete-emptydir-data"), (Hazard::Bare, " --force")]
    {
        if hazards.contains(&&hazard) {
            command.push_str(flag);
        }
    }
    command
}
