//! Drains: which pods leave a node, what delays them, and where their replacements go.

use std::collections::BTreeMap;

use model::cluster::{Cluster, NodeIx, PodIx};
use model::edits::{self, Edit, stays_when_drained};
use model::notes::{self, Note};
use scheduler::decision::unread::Question;

use super::play::{DrainPlay, Timing};
use super::{Simulation, SimulationRun, SimulationSettings};
use crate::eviction::Evictions;
use crate::plan::{PlannedVictim, PodId};
use crate::victims;

/// A node that is drained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drain {
    pub node: String,
    /// The pods that are evicted, the least important first.
    pub victims: Vec<PlannedVictim>,
    /// How many pods stay: those of DaemonSets and static ones.
    pub staying: usize,
    /// The victims that never leave: a budget refuses their eviction throughout, or they are
    /// terminating and do not end.
    pub refused: Vec<PodId>,
}

/// Drains `nodes` as `kubectl drain --ignore-daemonsets` does, and follows the replacements of the
/// evicted pods together with the pods that were already pending.
pub fn drain(cluster: Cluster, nodes: &[NodeIx], settings: SimulationSettings) -> Simulation {
    let name = |node: &NodeIx| cluster.node_name(*node).to_owned();
    let names: Vec<String> = nodes.iter().map(name).collect();
    let mut drains = Vec::new();
    let unread = Question::SimulatedDrain.notes(&cluster);
    let mut sequence = DrainSequence::new(cluster, settings);
    for name in &names {
        drains.extend(sequence.planned(name));
    }

    // All nodes are cordoned before any replacement is placed, so that none goes to a node that is
    // drained next.
    sequence.cordon(&names);
    for drain in &mut drains {
        let Some(play) = sequence.play(&drain.node, Timing::USUAL) else { continue };
        let refused = play.stuck_or_refused().map(|pod| pod.victim.pod.clone());
        drain.refused = refused.collect();
        let simulation = &mut sequence.run.simulation;
        simulation.not_followed += play.not_followed;
        simulation.competing.extend(play.pending);
        sequence.cascade.extend(play.steps);
    }
    let mut simulation = sequence.run.simulation;
    simulation.drains = drains;
    simulation.cascade = sequence.cascade;
    for note in unread.into_iter().filter(|_| !simulation.drains.is_empty()) {
        notes::add(&mut simulation.notes, note);
    }
    simulation
}

/// Nodes that are drained one after the other, each in the cluster that the previous ones leave
/// behind.
#[derive(Clone)]
pub struct DrainSequence<'s> {
    pub(super) run: SimulationRun<'s>,
    pub(super) evictions: Option<Evictions>,
    cascade: Vec<super::Step>,
}

impl<'s> DrainSequence<'s> {
    /// Nothing is drained yet.
    pub fn new(cluster: Cluster, settings: SimulationSettings<'s>) -> Self {
        let profile = settings.profiles.first();
        let evictions = profile.map(|profile| Evictions::new(&cluster, &profile.features));
        Self { run: SimulationRun::new(cluster, settings), evictions, cascade: Vec::new() }
    }

    /// The current cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.run.cluster
    }

    /// Notes about what makes the decisions so far uncertain.
    pub fn notes(&self) -> &[Note] {
        &self.run.simulation.notes
    }

    /// Marks nodes as unschedulable.
    pub fn cordon(&mut self, nodes: &[String]) {
        for name in nodes {
            if let Some(node) = self.run.cluster.find_node(name) {
                self.run.cluster.cordon(node, true);
            }
        }
    }

    /// The pods of a node that a drain would evict, and the cost; `None` for an unknown node.
    fn planned(&self, name: &str) -> Option<Drain> {
        let run = &self.run;
        let node = run.cluster.find_node(name)?;
        let profile = run.settings.profiles.first()?;
        let (staying, leaving): (Vec<PodIx>, Vec<PodIx>) = (run.cluster.pods_on(node).iter())
            .partition(|pod| stays_when_drained(run.cluster.pod(**pod), &run.cluster));
        let victims = victims::planned(&run.view(profile), i32::MAX, &leaving, run.settings.now);
        let (node, staying) = (name.to_owned(), staying.len());
        Some(Drain { node, victims, staying, refused: Vec::new() })
    }

    /// Drains a node; `None` for an unknown one.
    pub fn play(&mut self, name: &str, timing: Timing) -> Option<DrainPlay> {
        let node = self.run.cluster.find_node(name)?;
        Some(self.run.play(node, timing, self.evictions.as_mut()?))
    }

    /// Adds a new node like `model`, with the pods that run on every node: those of DaemonSets and
    /// static pods. Returns its name.
    pub fn add_like(&mut self, model: &str) -> Option<String> {
        let cluster = &mut self.run.cluster;
        let before = cluster.nodes.len();
        let known: Vec<String> =
            cluster.nodes.iter().map(|node| cluster.text(node.name).to_owned()).collect();
        let like = Edit::AddNodeLike { node: model.to_owned() };
        edits::apply(cluster, &[], &[like]).ok()?;
        debug_assert_eq!(cluster.nodes.len(), before + 1, "one node is added");
        let mut names = cluster.nodes.iter().map(|node| cluster.text(node.name));
        let fresh = names
            .find(|name| known.binary_search_by(|k| k.as_str().cmp(name)).is_err())?
            .to_owned();
        Some(fresh)
    }

    /// Removes a node with everything left on it.
    pub fn remove(&mut self, name: &str) {
        if let Some(node) = self.run.cluster.find_node(name) {
            self.run.cluster.remove_node(node);
        }
    }

    /// The nodes that accept each of these pods, `ns/name`, while none of the others has one: where
    /// it may go if it comes first. Members of groups are left out.
    pub fn accepting(&self, pods: &[&str]) -> BTreeMap<String, Vec<String>> {
        let mut cluster = self.run.cluster.clone();
        let mut asked: Vec<PodIx> = Vec::new();
        for name in pods {
            let found =
                name.split_once('/').and_then(|(space, name)| cluster.find_pod(space, name));
            if let Some(pod) = found.filter(|pod| cluster.pod(*pod).is_running()) {
                cluster.recreate(pod, self.run.settings.now);
                asked.push(pod);
            }
        }
        let asked: Vec<PodIx> =
            asked.into_iter().filter(|pod| cluster.group_of(*pod).is_none()).collect();
        let mut found = BTreeMap::new();
        for (pod, accepted) in self.run.accepting_in(&cluster, &asked) {
            let names = accepted.nodes.iter().map(|node| cluster.node_name(*node));
            found.insert(cluster.pod_name(pod), names.map(str::to_owned).collect());
        }
        found
    }
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
        let settings = SimulationSettings::new(&profiles, NOW.parse().unwrap()).following(3);
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
