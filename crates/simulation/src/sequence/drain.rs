//! Drains: which pods leave a node, what holds them up, and where their replacements go.

use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::edits::stays_when_drained;

use super::{EvictedPod, Settings, Simulation, SimulationRun};
use crate::plan::{Afterwards, PlannedVictim};
use crate::victims;

/// A node that is drained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drain {
    /// The node.
    pub node: String,
    /// The pods that are evicted, the least important first.
    pub victims: Vec<PlannedVictim>,
    /// How many pods stay: those of DaemonSets and static ones.
    pub staying: usize,
}

/// Drains `nodes` as `kubectl drain --ignore-daemonsets` does, and follows the replacements of the
/// pods that leave. Pods that wait already are not placed.
#[must_use]
pub fn drain(cluster: Cluster, nodes: &[NodeIx], settings: Settings) -> Simulation {
    let mut run = SimulationRun::new(cluster, settings);
    let Some(profile) = settings.profiles.first() else { return run.simulation };

    // All nodes are cordoned before a replacement is placed: none may go to a node that is drained
    // next.
    for node in nodes {
        let on_node = run.cluster.pods_on(*node);
        let (staying, leaving): (Vec<PodIx>, Vec<PodIx>) = on_node
            .iter()
            .partition(|pod| stays_when_drained(run.cluster.pod(**pod), &run.cluster));
        let name = run.cluster.text(run.cluster.node(*node).name).to_owned();
        let victims = victims::planned(&run.view(profile), i32::MAX, &leaving, settings.now);
        run.simulation.drains.push(Drain { node: name, victims, staying: staying.len() });
        run.cluster.cordon(*node, true);
    }

    let mut evicted: Vec<EvictedPod> = Vec::new();
    for victim in run.simulation.drains.iter().flat_map(|drain| &drain.victims) {
        let Some(pod) = run.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) else {
            continue;
        };
        if victim.afterwards != Afterwards::Static {
            run.cluster.remove_pod(pod);
            evicted.push(EvictedPod { pod, afterwards: victim.afterwards.clone() });
        }
    }
    run.follow(evicted);
    run.simulation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::Proposal;
    use testing::{NOW, at, budget, cluster, node, objects, pod};

    fn drained(objects: Vec<serde_json::Value>, nodes: &[&str]) -> Simulation {
        let cluster = cluster(objects);
        let nodes: Vec<NodeIx> = nodes.iter().filter_map(|name| cluster.find_node(name)).collect();
        let profiles = [at("1.37").profile()];
        let settings =
            Settings { profiles: &profiles, now: NOW.parse().unwrap(), on: None, depth: 3 };
        drain(cluster, &nodes, settings)
    }

    #[test]
    fn replacements_of_drained_pods_are_placed_on_other_nodes() {
        let found = drained(
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("2"),
                pod("a").cpu("2").replica_of("web").on("n1"),
                pod("b").cpu("1").replica_of("web").on("n1"),
                pod("bare").cpu("1").on("n1"),
                pod("agent").of("apps/v1", "DaemonSet", "agent").on("n1"),
            ],
            &["n1"],
        );
        let [node] = found.drains.as_slice() else { panic!("{found:?}") };
        let mut names: Vec<&str> =
            node.victims.iter().map(|victim| victim.pod.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!((names, node.staying), (vec!["a", "b", "bare"], 1));
        let places: Vec<bool> = found.cascade.iter().map(super::super::Step::is_placed).collect();
        assert_eq!(places.len(), 2, "no controller replaces the third");
        assert_eq!(
            places.iter().filter(|placed| **placed).count(),
            1,
            "n2 has room for one of them"
        );
        assert!(!found.all_placed());
        let totals = found.totals();
        assert_eq!((totals.evicted, totals.replacements, totals.replacements_pending), (3, 2, 1));
    }

    #[test]
    fn two_nodes_drained_together_take_none_of_their_pods() {
        let found = drained(
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                pod("a").cpu("2").replica_of("web").on("n1"),
                pod("b").cpu("1").replica_of("web").on("n2"),
            ],
            &["n1", "n2"],
        );
        assert!(
            found.cascade.iter().all(|step| matches!(step.proposal, Proposal::Impossible(_))),
            "{found:?}"
        );
    }

    #[test]
    fn budgets_are_used_up_in_the_order_of_eviction() {
        let web = |name| pod(name).cpu("1").label("app", "web").replica_of("web").on("n1");
        let found = drained(
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                web("a"),
                web("b"),
                budget("web").selects("app", "web").allowed(1),
            ],
            &["n1"],
        );
        let violated: Vec<bool> =
            found.drains[0].victims.iter().map(|victim| victim.budgets[0].is_violated()).collect();
        assert_eq!(violated, [false, true]);
    }
}
