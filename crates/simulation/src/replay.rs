//! Running pods placed again, one by one in the order of their start, as each of several schedulers
//! would: where they go, how they spread, and how much room is left in one piece.
//!
//! Every scheduler starts with the pods that stay where they are, and sees its own earlier
//! placements. Nothing is evicted, and every node is scored. Where nodes are equally good a pod goes where the scheduler
//! before it puts it, so that only what they judge differently differs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use rayon::prelude::*;

use crate::afterwards;
use model::cluster::selector::label;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::edits::stays_when_drained;
use profile::Profile;
use scheduler::decision::{Decision, decide};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::NodeVerdict;
use scheduler::framework::operands::ResourceId;
use scheduler::groups::cycle::assume_and_reserve;

/// The label with a node's zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// Running pods that were placed again.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    /// In the order of their start.
    pub pods: Vec<ReplayedPod>,
    /// How many running pods of the cluster stay where they are: those that are not asked about, and
    /// those of DaemonSets, static and terminating ones, members of groups, and those of other
    /// schedulers.
    pub staying: usize,
    /// The cluster of today, then as each scheduler leaves it.
    pub layouts: Vec<Layout>,
    /// The workloads that spread otherwise over zones, those that change most first.
    pub spreads: Vec<WorkloadSpread>,
}

/// Where a pod goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedPod {
    /// `namespace/name`.
    pub name: String,
    /// Where it runs, then its node by scheduler; `None` where no node takes it.
    pub nodes: Vec<Option<String>>,
    /// The plugin that decides between each of these nodes and the next; `None` if they are the
    /// same.
    pub plugins: Vec<Option<&'static str>>,
}

impl ReplayedPod {
    /// Whether some scheduler puts it elsewhere than another one, or than where it runs.
    pub fn moves(&self) -> bool {
        self.nodes.windows(2).any(|pair| pair.first() != pair.last())
    }
}

/// How pods lie on the nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// How many of the pods are elsewhere than in the layout before.
    pub moved: usize,
    /// How many pods have no node.
    pub homeless: usize,
    /// The plugins that decide about those elsewhere, with the number of pods.
    pub plugins: Vec<(&'static str, usize)>,
    /// How many nodes have any of the pods.
    pub nodes_used: usize,
    /// The most cpu and memory that is free on one node, as quantities.
    pub largest_cpu: String,
    pub largest_memory: String,
}

/// How unevenly the pods of a workload lie in the zones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadSpread {
    pub namespace: String,
    pub kind: String,
    pub name: String,
    /// The difference between the zones with the most and the fewest of its pods, by layout.
    pub skews: Vec<usize>,
}

/// Places the running `pods` again as each of `schedulers` would, which are the profiles of one.
pub fn replay(
    cluster: &Cluster,
    pods: &[PodIx],
    schedulers: &[Vec<Profile>],
    now: Timestamp,
) -> Replay {
    let mut pods = pods.to_vec();
    let running = cluster.pods.iter().filter(|pod| pod.is_running()).count();
    pods.retain(|pod| is_replayed(*pod, cluster, schedulers));
    pods.sort_by_cached_key(|pod| (cluster.pod(*pod).start_time, cluster.pod_name(*pod)));
    let mut replay = Replay { staying: running - pods.len(), ..Replay::default() };

    // All of them wait, and no scheduler evicts for them.
    let mut emptied = cluster.clone();
    for pod in &pods {
        emptied.restart(*pod, now);
    }
    let mut schedulers = schedulers.to_vec();
    for profile in schedulers.iter_mut().flatten() {
        profile.plugins.post_filter.clear();
        // Of a sample of the nodes each scheduler would have another one.
        profile.percentage_of_nodes_to_score = Some(100);
    }
    let mut sides: Vec<Vec<ClusterView>> = schedulers
        .iter()
        .map(|profiles| profiles.iter().map(|one| ClusterView::new(&emptied, one)).collect())
        .collect();
    let mut placements = Vec::with_capacity(pods.len());
    for pod in pods {
        let placed = place(pod, cluster, &sides, now);
        for (views, node) in sides.iter_mut().zip(placed.nodes.iter().skip(1)) {
            let own = own_profile(pod, cluster, views.iter().map(|view| view.profile));
            for (at, view) in views.iter_mut().enumerate() {
                match node {
                    Some(node) if at == own => assume_and_reserve(pod, *node, view, now),
                    Some(node) => view.assume(pod, *node),
                    None => {}
                }
            }
        }
        placements.push(placed);
    }

    let as_is = schedulers.first().and_then(|profiles| profiles.first());
    let as_is = as_is.map(|profile| ClusterView::new(cluster, profile));
    let after = sides.iter().filter_map(|views| views.first());
    for (at, view) in as_is.iter().chain(after).enumerate() {
        replay.layouts.push(layout(at, view, &placements));
    }
    replay.spreads = spreads(cluster, &placements, replay.layouts.len());
    replay.pods = placements
        .into_iter()
        .map(|one| {
            let nodes = one.nodes.iter();
            let nodes = nodes.map(|node| node.map(|node| cluster.node_name(node).to_owned()));
            ReplayedPod {
                name: cluster.pod_name(one.pod),
                nodes: nodes.collect(),
                plugins: one.plugins,
            }
        })
        .collect();
    replay
}

/// The nodes of a pod, as in [`ReplayedPod`].
struct Placement {
    pod: PodIx,
    nodes: Vec<Option<NodeIx>>,
    plugins: Vec<Option<&'static str>>,
}

/// Whether a pod is placed again by each of the schedulers.
fn is_replayed(pod: PodIx, cluster: &Cluster, schedulers: &[Vec<Profile>]) -> bool {
    let facts = cluster.pod(pod);
    let name = cluster.text(cluster.template(facts).scheduler_name);
    facts.is_running()
        && !facts.is_terminating()
        && !stays_when_drained(facts, cluster)
        && cluster.named_group(pod).is_none()
        && schedulers
            .iter()
            .all(|profiles| profiles.iter().any(|profile| profile.scheduler_name == name))
}

fn own_profile<'p>(
    pod: PodIx,
    cluster: &Cluster,
    mut profiles: impl Iterator<Item = &'p Profile>,
) -> usize {
    let name = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
    profiles.position(|profile| profile.scheduler_name == name).unwrap_or_default()
}

/// The nodes that a pod gets, and what decides between them.
fn place(pod: PodIx, cluster: &Cluster, sides: &[Vec<ClusterView>], now: Timestamp) -> Placement {
    let decisions: Vec<Option<Decision>> = sides
        .par_iter()
        .map(|views| {
            let own = own_profile(pod, cluster, views.iter().map(|view| view.profile));
            views.get(own).map(|view| decide(view, pod, now))
        })
        .collect();
    let mut nodes = vec![cluster.node_of(pod)];
    let mut plugins = Vec::new();
    let mut before: Option<&Decision> = None;
    for decision in decisions.iter().map(Option::as_ref) {
        let last = nodes.last().copied().flatten();
        let selected = decision.filter(|one| one.fits()).map_or(&[][..], Decision::selected);
        let node = last.filter(|last| selected.contains(last)).or(selected.first().copied());
        let differs = node != last;
        // What rejects the other node here, or what rejects this one there.
        let here = decision.zip(last).and_then(|(one, last)| against(one, last, node));
        let plugin =
            here.or_else(|| before.zip(node).and_then(|(one, node)| against(one, node, last)));
        plugins.push(plugin.filter(|_| differs));
        nodes.push(node);
        before = decision;
    }
    Placement { pod, nodes, plugins }
}

/// The plugin that decides against a node: the filter that rejects it, or the one whose weighted
/// scores differ most in favour of the node that is selected.
pub fn against(
    decision: &Decision,
    node: NodeIx,
    selected: Option<NodeIx>,
) -> Option<&'static str> {
    match decision.filters.nodes.get(node.0 as usize)? {
        NodeVerdict::Filtered { plugin, .. } => Some(plugin),
        NodeVerdict::Feasible => {
            let table = decision.scores()?;
            let (there, on_selected) = (table.position(node)?, table.position(selected?)?);
            let gain = |at: usize, scores: &[i64]| scores.get(at).copied().unwrap_or_default();
            let gains = table.plugins.iter().map(|scores| {
                let values = &scores.normalized;
                let gain = gain(on_selected, values) - gain(there, values);
                (gain * scores.weight, scores.plugin)
            });
            let most = gains.max_by_key(|(gain, _)| *gain)?;
            (most.0 > 0).then_some(most.1)
        }
        NodeVerdict::ExcludedByPreFilter | NodeVerdict::NotTried | NodeVerdict::Failed(_) => None,
    }
}

fn layout(at: usize, view: &ClusterView, pods: &[Placement]) -> Layout {
    let mut layout = Layout::default();
    let mut plugins: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut used: Vec<NodeIx> = Vec::new();
    for pod in pods {
        let node = pod.nodes.get(at).copied().flatten();
        layout.homeless += usize::from(node.is_none());
        used.extend(node);
        let Some(before) = at.checked_sub(1) else { continue };
        layout.moved += usize::from(pod.nodes.get(before) != pod.nodes.get(at));
        if let Some(plugin) = pod.plugins.get(before).copied().flatten() {
            *plugins.entry(plugin).or_default() += 1;
        }
    }
    layout.plugins = plugins.into_iter().collect();
    layout.plugins.sort_by_key(|(_, pods)| Reverse(*pods));
    used.sort_unstable();
    used.dedup();
    layout.nodes_used = used.len();
    let cluster = view.cluster;
    let (mut largest_cpu, mut largest_memory) = (0, 0);
    for node in cluster.node_indices().filter(|node| !cluster.node(*node).unschedulable) {
        let facts = cluster.node(node);
        let requested = facts.used(view.requested_on(node));
        let (cpu, memory) = (facts.allocatable.milli_cpu, facts.allocatable.memory);
        largest_cpu = largest_cpu.max(cpu.saturating_sub(requested.milli_cpu));
        largest_memory = largest_memory.max(memory.saturating_sub(requested.memory));
    }
    layout.largest_cpu = ResourceId::Cpu.amount(largest_cpu, cluster);
    layout.largest_memory = ResourceId::Memory.amount(largest_memory, cluster);
    layout
}

/// The workloads whose skew over zones is not the same in every layout.
fn spreads(cluster: &Cluster, placements: &[Placement], layouts: usize) -> Vec<WorkloadSpread> {
    let zone = |node: NodeIx| {
        let labels = cluster.labels(cluster.node(node).labels);
        label(labels, cluster.symbols.get(ZONE)?)
    };
    let mut zones: Vec<_> = cluster.node_indices().filter_map(zone).collect();
    zones.sort_unstable();
    zones.dedup();
    if zones.len() < 2 {
        return Vec::new();
    }
    let mut workloads: BTreeMap<(String, String, String), Vec<&Placement>> = BTreeMap::new();
    for replayed in placements {
        let facts = cluster.pod(replayed.pod);
        if let Some(owner) = afterwards::owners(facts, cluster).pop() {
            let namespace = cluster.text(facts.namespace).to_owned();
            workloads.entry((namespace, owner.kind, owner.name)).or_default().push(replayed);
        }
    }

    let mut spreads = Vec::new();
    for ((namespace, kind, name), pods) in workloads {
        let mut skews = Vec::new();
        for at in 0..layouts {
            let counts = zones.iter().map(|one| {
                let nodes = pods.iter().filter_map(|pod| pod.nodes.get(at).copied().flatten());
                nodes.filter(|node| zone(*node) == Some(*one)).count()
            });
            let counts: Vec<usize> = counts.collect();
            let most = counts.iter().max().copied().unwrap_or_default();
            skews.push(most - counts.iter().min().copied().unwrap_or_default());
        }
        if skews.windows(2).any(|pair| pair.first() != pair.last()) {
            spreads.push(WorkloadSpread { namespace, kind, name, skews });
        }
    }
    spreads.sort_by_key(|one| {
        let range = one.skews.iter().max().zip(one.skews.iter().min());
        Reverse(range.map_or(0, |(most, fewest)| most - fewest))
    });
    spreads
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use testing::{NOW, at, cluster, node, objects, pod};

    use super::*;

    fn replayed(objects: Vec<Value>) -> Replay {
        let cluster = cluster(objects);
        let pods: Vec<PodIx> = cluster.pod_indices().collect();
        let spread = at("1.37").profile();
        let mut packed = spread.clone();
        packed.plugins.score.retain(|(plugin, _)| *plugin == "ImageLocality");
        let schedulers = [vec![spread], vec![packed]];
        replay(&cluster, &pods, &schedulers, NOW.parse().expect("a time"))
    }

    fn web(name: &str, on: &str, started: &str) -> testing::Pod {
        pod(name).cpu("1").label("app", "web").replica_of("web").ready().started(started).on(on)
    }

    #[test]
    fn pods_come_in_the_order_of_their_start_and_stay_where_nodes_are_equally_good() {
        let zone = |name: &str, zone: &str| node(name).cpu("4").label(ZONE, zone);
        let replay = replayed(objects![
            zone("n1", "a"),
            zone("n2", "b"),
            web("young", "n1", "2026-01-03T00:00:00Z"),
            web("old", "n1", "2026-01-01T00:00:00Z"),
            pod("agent").cpu("1").of("apps/v1", "DaemonSet", "agent").on("n2"),
        ]);
        assert_eq!(replay.staying, 1);
        let names: Vec<&str> = replay.pods.iter().map(|pod| pod.name.as_str()).collect();
        assert_eq!(names, ["default/old", "default/young"]);
        let nodes: Vec<Vec<&str>> = replay
            .pods
            .iter()
            .map(|pod| pod.nodes.iter().map(|node| node.as_deref().unwrap_or("-")).collect())
            .collect();
        assert_eq!(nodes[0], ["n1", "n1", "n1"]);
        assert_eq!(nodes[1][0], "n1");
        assert_eq!(replay.layouts.len(), 3);
        assert_eq!((replay.layouts[0].moved, replay.layouts[0].largest_cpu.as_str()), (0, "3"));
        assert_eq!(replay.layouts[2].moved, 0, "{replay:?}");
    }

    #[test]
    fn pod_that_no_node_takes_any_more_is_counted_and_its_filter_named() {
        // It runs where its node selector no longer allows it.
        let replay = replayed(objects![
            node("n1").cpu("4"),
            web("web", "n1", "2026-01-01T00:00:00Z").selects_nodes("disk", "ssd"),
        ]);
        assert_eq!(replay.layouts[1].homeless, 1);
        assert_eq!(replay.layouts[1].plugins, [("NodeAffinity", 1)]);
        assert_eq!((replay.layouts[1].moved, replay.layouts[2].moved), (1, 0));
        assert!(replay.pods[0].moves());
    }
}
