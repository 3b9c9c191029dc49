//! Drains: which pods leave a node, and the nodes that are drained one after the other.

use std::collections::BTreeMap;

use dra::device_selectors::DeviceSelectors;
use model::cluster::budget::BudgetLimit;
use model::cluster::owner::Workload;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::edits::{self, Edit, stays_when_drained};
use model::notes::Note;

use super::play::{Displaced, DrainPlay, Timing};
use super::{SimulationRun, SimulationSettings};
use crate::eviction::Evictions;
use crate::plan::{PlannedVictim, PodId};
use crate::removal::node_set::{NamesOfNodes, NodeSet};
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
    /// Whether it ends with every pod on another node.
    pub verdict: RemovalVerdict,
    /// How many timings were tried, and with how many of them it does.
    pub timings: usize,
    pub timings_done: usize,
}

/// What an administrator may change so that a drain ends, or a loss leaves a Ready pod. Changes of
/// budgets are meant for the time of the drain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrainChange {
    /// One replica more of a workload, before the nodes go. `may_be_scaled`: no
    /// `HorizontalPodAutoscaler` was read, so one may undo it.
    Replica { workload: Workload, replicas: i64, may_be_scaled: bool },
    /// The same where a `HorizontalPodAutoscaler` sets the replicas.
    MinReplicas { workload: Workload, autoscaler: String, replicas: i64, before: ReplicaLimits },
    /// A budget permits that this many of its pods are not healthy.
    MaxUnavailable { namespace: String, name: String, pods: i64, before: BudgetLimit },
    /// A budget with a number of pods that must be healthy asks for fewer. Unlike `MaxUnavailable` this
    /// also works for pods whose controller has no scale.
    MinAvailable { namespace: String, name: String, least: i64, before: i64 },
    /// A budget permits the eviction of pods that are not Ready.
    EvictUnready { namespace: String, name: String },
}

/// Between which numbers a `HorizontalPodAutoscaler` sets the replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplicaLimits {
    pub min: i64,
    pub max: i64,
}

/// Whether a node can be drained so that every pod on it gets another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalVerdict {
    Can,
    Cannot,
    /// That depends on which pod gets a node first.
    DependsOnTiming,
    /// That depends on whether replacements become Ready whose predecessors are not.
    DependsOnReadiness,
    /// Something is unknown.
    Unsure,
}

impl RemovalVerdict {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Can => "Can",
            Self::Cannot => "Cannot",
            Self::DependsOnTiming => "DependsOnTiming",
            Self::DependsOnReadiness => "DependsOnReadiness",
            Self::Unsure => "Unsure",
        }
    }

    /// Whether it is neither yes nor no.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Can | Self::Cannot)
    }
}

/// Nodes that are drained one after the other, each in the cluster that the previous ones leave
/// behind.
#[derive(Clone)]
pub struct DrainSequence<'s> {
    pub(super) run: SimulationRun<'s>,
    pub(super) evictions: Option<Evictions>,
    /// By the node, the pods that were preempted before the cordon.
    displaced: BTreeMap<String, Vec<Displaced>>,
    /// The names of the current nodes.
    names: NamesOfNodes,
}

impl<'s> DrainSequence<'s> {
    /// Nothing is drained yet.
    pub fn new(cluster: Cluster, settings: SimulationSettings<'s>) -> Self {
        let profile = settings.profiles.first();
        let evictions = profile.map(|profile| Evictions::new(&cluster, &profile.features));
        let names = NamesOfNodes::of(&cluster);
        let mut run = SimulationRun::new(cluster, settings);
        run.set_hopeless_aside();
        Self { run, evictions, displaced: BTreeMap::new(), names }
    }

    /// Plays one scheduler from now on, with the usual timing, too.
    pub(crate) fn go_on_from_node_to_node(&mut self) {
        self.run.next_start.get_or_insert_default();
    }

    /// The current cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.run.cluster
    }

    /// Notes about what makes the decisions so far uncertain.
    pub fn notes(&self) -> &[Note] {
        &self.run.simulation.notes
    }

    /// Decides the pods that already wait as if `nodes`, which are drained next, were cordoned only
    /// afterwards.
    pub fn decide_before_cordon(&mut self, nodes: &[String], timing: Timing) {
        let Some(evictions) = self.evictions.as_mut() else { return };
        let nodes: Vec<NodeIx> =
            nodes.iter().filter_map(|name| self.run.cluster.find_node(name)).collect();
        for displaced in self.run.decide_before_cordon(&nodes, timing, evictions) {
            self.displaced.entry(displaced.node().to_owned()).or_default().push(displaced);
        }
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
    pub(crate) fn planned(&self, name: &str) -> Option<Drain> {
        let run = &self.run;
        let node = run.cluster.find_node(name)?;
        let profile = run.settings.profiles.first()?;
        let (staying, leaving): (Vec<PodIx>, Vec<PodIx>) = (run.cluster.pods_on(node).iter())
            .partition(|pod| stays_when_drained(run.cluster.pod(**pod), &run.cluster));
        let victims = victims::planned(&run.view(profile), i32::MAX, &leaving, run.settings.now);
        let (node, staying) = (name.to_owned(), staying.len());
        Some(Drain {
            node,
            victims,
            staying,
            refused: Vec::new(),
            verdict: RemovalVerdict::Unsure,
            timings: 0,
            timings_done: 0,
        })
    }

    /// Drains a node; `None` for an unknown one.
    pub fn play(&mut self, name: &str, timing: Timing) -> Option<DrainPlay> {
        let node = self.run.cluster.find_node(name)?;
        let displaced = self.displaced.remove(name).unwrap_or_default();
        Some(self.run.play(node, timing, displaced, self.evictions.as_mut()?))
    }

    /// Adds a new node like `model`, with the pods that run on every node: those of DaemonSets and
    /// static pods. Returns its name.
    pub fn add_like(&mut self, model: &str) -> Option<String> {
        // A new node may take what no other one does.
        self.run.hopeless.clear();
        let cluster = &mut self.run.cluster;
        let before = cluster.nodes.len();
        let taken_names: Vec<String> =
            cluster.nodes.iter().map(|node| cluster.text(node.name).to_owned()).collect();
        let like = Edit::AddNodeLike { node: model.to_owned() };
        edits::apply(cluster, &[], &[like]).ok()?;
        debug_assert_eq!(cluster.nodes.len(), before + 1, "one node is added");
        let mut names = cluster.nodes.iter().map(|node| cluster.text(node.name));
        let fresh = names
            .find(|name| taken_names.binary_search_by(|k| k.as_str().cmp(name)).is_err())?
            .to_owned();
        self.names = NamesOfNodes::of(cluster);
        self.run.device_selectors = DeviceSelectors::of(cluster);
        Some(fresh)
    }

    /// Removes a node with everything left on it.
    pub fn remove(&mut self, name: &str) {
        if let Some(node) = self.run.cluster.find_node(name) {
            self.run.cluster.remove_node(node);
            self.names = NamesOfNodes::of(&self.run.cluster);
        }
    }

    /// The nodes that accept each of these pods, `ns/name`, while none of the others has one: where
    /// it may go if it comes first. Members of groups are left out.
    pub fn accepting(&self, pods: &[&str]) -> BTreeMap<String, NodeSet> {
        let mut cluster = self.run.cluster.clone();
        let mut asked: Vec<PodIx> = Vec::new();
        for name in pods {
            let by_pod =
                name.split_once('/').and_then(|(space, name)| cluster.find_pod(space, name));
            if let Some(pod) = by_pod.filter(|pod| cluster.pod(*pod).is_running()) {
                cluster.recreate(pod, self.run.settings.now);
                asked.push(pod);
            }
        }
        let asked: Vec<PodIx> =
            asked.into_iter().filter(|pod| cluster.group_of(*pod).is_none()).collect();
        let mut by_pod = BTreeMap::new();
        for (pod, accepted) in self.run.accepting_in(&cluster, &asked) {
            by_pod.insert(cluster.pod_name(pod), NodeSet::new(&self.names, &accepted.nodes));
        }
        by_pod
    }
}
