//! Does the pod get a scheduling cycle at all?
//!
//! Upstream: `pkg/scheduler/eventhandlers.go`, `pkg/scheduler/framework/plugins/{schedulinggates,dynamicresources}` (1.37).

use crate::cluster::pod::{Phase, PodIx};
use crate::framework::world::World;
use crate::plugins::dynamic_resources;

/// Why the pod never gets a cycle, as a sentence; `None` if it does.
pub(super) fn why_not(world: &World, ix: PodIx) -> Option<String> {
    let cluster = world.cluster;
    let (pod, name) = (cluster.pod(ix), cluster.pod_name(ix));
    let template = cluster.template(pod);
    match pod.phase {
        Phase::Succeeded => return Some(format!("Pod {name} has finished (Succeeded); there is nothing to schedule.")),
        Phase::Failed => return Some(format!("Pod {name} has finished (Failed); there is nothing to schedule.")),
        Phase::Active => {}
    }
    if !pod.node_name.is_empty() {
        let node = cluster.text(pod.node_name);
        return Some(format!("Pod {name} is already assigned to node {node}."));
    }
    let scheduler = cluster.text(template.scheduler_name);
    if scheduler != world.profile.scheduler_name {
        let known = &world.profile.scheduler_name;
        return Some(format!(
            "Pod {name} is left to scheduler \"{scheduler}\", whose rules are not known here; {known} passes it over."
        ));
    }
    if pod.is_terminating() {
        return Some(format!("Pod {name} is being deleted; the scheduler passes it over."));
    }
    if !template.gates.is_empty() && world.profile.plugins.pre_enqueue.contains(&"SchedulingGates") {
        let gates: Vec<&str> = template.gates.iter().map(|g| cluster.text(*g)).collect();
        let what = if gates.len() == 1 { "gate" } else { "gates" };
        return Some(format!(
            "Pod {name} waits for its scheduling {what} [{}]; until they are removed it gets no scheduling cycle.",
            gates.join(" ")
        ));
    }
    if let Some(text) = dynamic_resources::held_back(world, ix) {
        return Some(format!("Pod {name} waits for its resource claims: {text}."));
    }
    None
}
