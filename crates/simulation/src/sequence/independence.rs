//! Whether the outcome of a drain is the same in every order of evictions and bindings.
//!
//! A drain leaves to chance which pod is evicted first and which replacement comes to the scheduler
//! first. Playing several orders shows where that matters, but never that it does not. The rule here
//! does: it finds drains in which no pod can take another one's room.

use std::collections::{BTreeMap, BTreeSet};

use model::cluster::pod::Readiness;
use model::cluster::{BudgetIx, Cluster, NodeIx, PodIx};
use model::edits::stays_when_drained;
use profile::Profile;
use scheduler::groups::member::Decider;

use super::drain::DrainSequence;
use super::play::is_recreated;
use super::{SimulationRun, unknown_reason};
use crate::afterwards;
use crate::eviction::Evictions;

/// Maximum number of pods in motion, beyond which the rule gives up.
const MOST_MOVING: usize = 2000;
/// Maximum work of trying whether all of them fit on one node: pods times nodes squared.
const MOST_WORK: usize = 200_000;

/// What a pod is offered by a cluster.
#[derive(Debug, Clone, Default)]
pub(super) struct Accepted {
    /// The nodes that accept it as they are.
    pub nodes: Vec<NodeIx>,
    /// Whether no node accepts it, and it may preempt pods or has done so.
    pub may_preempt: bool,
}

/// The pods that a drain sets in motion.
struct Moving {
    /// Those that need a new node, once they have left or because they wait already.
    pods: Vec<PodIx>,
    /// Those of the nodes that leave or want to.
    leaving: Vec<PodIx>,
    /// Those that wait already.
    waiting: Vec<PodIx>,
    /// The cluster in which none of them has a node.
    cluster: Cluster,
}

impl DrainSequence<'_> {
    /// Whether draining `nodes` for good ends alike in every order of evictions and bindings after
    /// their cordon, as far as a rule shows: each pod in motion always finds a node, whichever the
    /// others take, or never does, and no budget lets only some of its pods go. `false` if that is
    /// not certain.
    pub fn is_order_irrelevant(&self, nodes: &[String]) -> bool {
        let Some(evictions) = &self.evictions else { return false };
        let nodes: Vec<NodeIx> =
            nodes.iter().filter_map(|name| self.run.cluster.find_node(name)).collect();
        let Some(moving) = self.run.moving(&nodes) else { return false };
        let accepted = self.run.accepting_in(&moving.cluster, &moving.pods);
        let Some(homeless) = self.run.always_homeless(&moving, &accepted, &nodes) else {
            return false;
        };
        budgets_are_certain(&moving, &homeless, evictions, &self.run.cluster)
    }

    /// Whether a pod that already waits may get a node of `nodes`, by preemption or not, if it is
    /// decided before they are cordoned. What happens to their pods then depends on that.
    pub fn may_come_before_cordon(&self, nodes: &[String]) -> bool {
        let nodes: Vec<NodeIx> =
            nodes.iter().filter_map(|name| self.run.cluster.find_node(name)).collect();
        self.run.may_come_before_cordon(&nodes)
    }

    /// The budgets, `ns/name`, that allow no disruption now and never will while `nodes` are
    /// drained: no pod that they select can become Ready that is not already.
    pub fn closed_budgets(&self, nodes: &[String]) -> BTreeSet<String> {
        let Some(evictions) = &self.evictions else { return BTreeSet::new() };
        let cluster = &self.run.cluster;
        let mut open = BTreeSet::new();
        for node in nodes.iter().filter_map(|name| cluster.find_node(name)) {
            for pod in cluster.pods_on(node) {
                if cluster.pod(*pod).readiness != Readiness::Ready {
                    open.extend(evictions.of(*pod, cluster));
                }
            }
        }
        for pod in cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_waiting()) {
            open.extend(evictions.of(pod, cluster));
        }
        let closed = cluster.budget_indices().filter(|budget| {
            !open.contains(budget) && evictions.state(*budget, cluster).allowed == 0
        });
        closed.map(|budget| evictions.state(budget, cluster).full_name()).collect()
    }
}

impl SimulationRun<'_> {
    /// The nodes of a cluster that accept each of `pods`, none of which has one. Pods that are alike
    /// are decided once.
    pub(super) fn accepting_in(
        &self,
        cluster: &Cluster,
        pods: &[PodIx],
    ) -> BTreeMap<PodIx, Accepted> {
        self.decided_once(cluster, pods, usize::MAX, |decider, pod| {
            let nodes = decider.feasible(pod);
            if !nodes.is_empty() {
                return Accepted { nodes, may_preempt: false };
            }
            let decision = decider.decide(pod);
            let may_preempt = !decision.selected().is_empty() || decision.awaited().is_some();
            Accepted { nodes, may_preempt }
        })
    }

    /// What `decide` finds about each of `pods` in a cluster. Pods that are alike are
    /// decided once; those of more than `most_kinds` kinds of a profile are left out.
    pub(super) fn decided_once<T: Clone>(
        &self,
        cluster: &Cluster,
        pods: &[PodIx],
        most_kinds: usize,
        decide: impl Fn(&mut Decider, PodIx) -> T,
    ) -> BTreeMap<PodIx, T> {
        let mut by_pod: BTreeMap<PodIx, T> = BTreeMap::new();
        for profile in self.settings.profiles {
            let own: Vec<PodIx> = (pods.iter().copied())
                .filter(|pod| {
                    self.profile_of(*pod).is_some_and(|other| std::ptr::eq(other, profile))
                })
                .collect();
            if own.is_empty() {
                continue;
            }
            let view = self.view_of_copy(cluster, profile);
            let mut decider = Decider::new(&view, self.settings.now);
            let mut decided: Vec<PodIx> = Vec::new();
            for pod in own {
                let facts = cluster.pod(pod);
                let alike =
                    decided.iter().find(|other| facts.is_scheduled_like(cluster.pod(**other)));
                if let Some(known) = alike.and_then(|other| by_pod.get(other)).cloned() {
                    by_pod.insert(pod, known);
                } else if decided.len() < most_kinds {
                    by_pod.insert(pod, decide(&mut decider, pod));
                    decided.push(pod);
                }
            }
        }
        by_pod
    }

    /// The pods that a drain of `nodes` sets in motion; `None` if the rule does not cover them.
    fn moving(&self, nodes: &[NodeIx]) -> Option<Moving> {
        let mut cluster = self.cluster.clone();
        for node in nodes {
            cluster.cordon(*node, true);
        }
        let mut moving =
            Moving { pods: Vec::new(), leaving: Vec::new(), waiting: Vec::new(), cluster };
        for node in nodes {
            for pod in self.cluster.pods_on(*node) {
                let facts = self.cluster.pod(*pod);
                if stays_when_drained(facts, &self.cluster) {
                    continue;
                }
                // A pod that ends already may or may not have a replacement.
                if facts.is_terminating() || unknown_reason(*pod, &self.cluster).is_some() {
                    return None;
                }
                moving.leaving.push(*pod);
                if is_recreated(&afterwards::of(*pod, *node, &self.cluster)) {
                    moving.pods.push(*pod);
                }
            }
        }
        for pod in &moving.pods {
            moving.cluster.recreate(*pod, self.settings.now);
        }
        moving.waiting = self.waiting();
        moving.pods.extend(&moving.waiting);
        let are_covered = moving.pods.len() <= MOST_MOVING
            && moving.pods.iter().all(|pod| {
                self.profile_of(*pod)
                    .is_some_and(|profile| takes_room_of_one_node(*pod, &self.cluster, profile))
            });
        are_covered.then_some(moving)
    }

    /// The pods that wait, that the scheduler tries, and that may get a node.
    pub(super) fn waiting(&self) -> Vec<PodIx> {
        let pods = self.cluster.pod_indices().filter(|pod| {
            let facts = self.cluster.pod(*pod);
            facts.is_waiting()
                && !facts.is_terminating()
                && self.profile_of(*pod).is_some()
                && !self.hopeless.contains(pod)
        });
        pods.collect()
    }

    /// Whether a waiting pod may get one of `nodes` before they are cordoned.
    fn may_come_before_cordon(&self, nodes: &[NodeIx]) -> bool {
        let waiting = self.waiting();
        if waiting.len() > MOST_MOVING {
            return true;
        }

        // Nodes that accept a pod now may be taken by others first, so they are out of the question
        // here: a pod then gets one of `nodes` if it ever does.
        let mut cluster = self.cluster.clone();
        for other in self.cluster.node_indices().filter(|node| !nodes.contains(node)) {
            cluster.cordon(other, true);
        }
        let accepted = self.accepting_in(&cluster, &waiting);
        accepted.values().any(|places| !places.nodes.is_empty() || places.may_preempt)
    }

    /// The pods in motion that get no node in any order; `None` if that depends on the order of some.
    fn always_homeless(
        &self,
        moving: &Moving,
        accepted: &BTreeMap<PodIx, Accepted>,
        drained: &[NodeIx],
    ) -> Option<Vec<PodIx>> {
        let mut homeless = Vec::new();
        let mut scarce = Vec::new();
        for pod in &moving.pods {
            let accepted = accepted.get(pod)?;
            if accepted.nodes.is_empty() && !accepted.may_preempt {
                homeless.push(*pod);
            } else if accepted.nodes.is_empty()
                || accepted.nodes.iter().any(|node| drained.contains(node))
            {
                // It preempts, or returns to the drained node.
                return None;
            } else {
                scarce.push(*pod);
            }
        }

        // Each of the others takes room of one node at a time. A pod that more nodes accept than
        // there are others always finds one of them as it is now.
        let others = scarce.len().saturating_sub(1);
        scarce.retain(|pod| accepted.get(pod).is_none_or(|places| places.nodes.len() <= others));
        if scarce.is_empty() {
            return Some(homeless);
        }

        // The same holds for a pod that fits on a node together with all others that the node
        // accepts.
        let nodes = moving.cluster.nodes.len();
        if moving.pods.len() * nodes * nodes > MOST_WORK {
            return None;
        }
        for node in moving.cluster.node_indices() {
            let accepts =
                |pod: &PodIx| accepted.get(pod).is_some_and(|places| places.nodes.contains(&node));
            if scarce.iter().any(accepts) && self.has_room_for_all(node, moving, accepted) {
                scarce.retain(|pod| !accepts(pod));
            }
        }
        scarce.is_empty().then_some(homeless)
    }

    /// Whether all pods in motion that a node accepts fit there together.
    fn has_room_for_all(
        &self,
        node: NodeIx,
        moving: &Moving,
        accepted: &BTreeMap<PodIx, Accepted>,
    ) -> bool {
        let mut cluster = moving.cluster.clone();
        for pod in &moving.pods {
            if !accepted.get(pod).is_some_and(|places| places.nodes.contains(&node)) {
                continue;
            }
            let still = self.accepting_in(&cluster, &[*pod]);
            if !still.get(pod).is_some_and(|places| places.nodes.contains(&node)) {
                return false;
            }
            cluster.bind(*pod, node);
        }
        true
    }
}

/// Whether a pod that is placed makes a difference for other pods only on its own node, and other
/// pods for it only on theirs.
fn takes_room_of_one_node(pod: PodIx, cluster: &Cluster, profile: &Profile) -> bool {
    let facts = cluster.pod(pod);
    let template = cluster.template(facts);
    let is_free_of = |terms: Option<usize>| terms == Some(0);
    cluster.group_of(pod).is_none()
        && template.group.is_empty()
        && profile.extenders.is_empty()
        && profile.args.default_constraints.is_none()
        && !template.spread.iter().any(|constraint| constraint.hard)
        && is_free_of(template.affinity.as_ref().ok().map(|terms| terms.len()))
        && is_free_of(template.anti_affinity.as_ref().ok().map(|terms| terms.len()))
        && template.preferred_affinity.is_ok()
        && template.preferred_anti_affinity.is_ok()
        && template.volumes.is_empty()
        && template.claims.is_empty()
        && cluster.devices.slices.is_empty()
}

/// The pods in motion that a budget selects.
#[derive(Default)]
struct Selected {
    leaving: Vec<PodIx>,
    any_waiting: bool,
}

/// Whether every budget lets all pods go that leave and select it, or none, in every order.
fn budgets_are_certain(
    moving: &Moving,
    homeless: &[PodIx],
    evictions: &Evictions,
    cluster: &Cluster,
) -> bool {
    let mut budgets: BTreeMap<BudgetIx, Selected> = BTreeMap::new();
    for pod in &moving.leaving {
        for budget in evictions.of(*pod, cluster) {
            budgets.entry(budget).or_default().leaving.push(*pod);
        }
    }
    for pod in &moving.waiting {
        for budget in evictions.of(*pod, cluster) {
            budgets.entry(budget).or_default().any_waiting = true;
        }
    }
    for (budget, Selected { leaving, any_waiting }) in budgets {
        // A pod that has not started needs no budget, and one that is not Ready may or may not.
        if leaving.iter().any(|pod| cluster.pod(*pod).readiness != Readiness::Ready) {
            return false;
        }
        let allowed = evictions.state(budget, cluster).allowed;
        if allowed == 0 {
            // Only a pod that waits already could become one more that is Ready.
            if any_waiting && !leaving.is_empty() {
                return false;
            }
            continue;
        }
        let lost = leaving
            .iter()
            .filter(|pod| homeless.contains(*pod) || !moving.pods.contains(*pod))
            .count();
        if allowed <= i64::try_from(lost).unwrap_or(i64::MAX) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use testing::{NOW, Pod, at, budget, cluster, node, objects, pod};

    use super::super::SimulationSettings;
    use super::*;

    fn irrelevant(objects: Vec<Value>) -> bool {
        let profiles = [at("1.37").profile()];
        let settings = SimulationSettings::new(&profiles, NOW.parse().expect("a time"));
        DrainSequence::new(cluster(objects), settings).is_order_irrelevant(&["n1".to_owned()])
    }

    fn web(name: &str, cpu: &str) -> Pod {
        pod(name).cpu(cpu).label("app", "web").replica_of("web").ready().on("n1")
    }

    #[test]
    fn order_is_irrelevant_if_a_node_has_room_for_all() {
        let two = |size: &str| {
            objects![node("n1").cpu("4"), node("n2").cpu(size), web("a", "1"), web("b", "2")]
        };
        assert!(irrelevant(two("3")));
        assert!(!irrelevant(two("2")), "whichever comes first gets the room");
        assert!(irrelevant(two("1")), "b fits nowhere, and no pod contends with a");
    }

    #[test]
    fn order_is_irrelevant_if_there_are_more_nodes_than_pods() {
        let on_small = |count: usize| {
            let mut list = objects![node("n1").cpu("4"), web("a", "1"), web("b", "1")];
            for n in 0..count {
                list.push(node(&format!("small-{n}")).cpu("1").into());
            }
            list
        };
        assert!(irrelevant(on_small(2)));
        assert!(!irrelevant(on_small(1)));
    }

    #[test]
    fn pods_that_look_at_other_nodes_are_not_covered() {
        let list = objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            web("a", "1").spread("zone", 1, "app", "web"),
        ];
        assert!(!irrelevant(list));
    }

    #[test]
    fn budget_that_allows_fewer_than_are_lost_depends_on_the_order() {
        let with = |allowed: i64, healthy: i64| {
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("1"),
                web("a", "1"),
                web("big", "3"),
                budget("web").selects("app", "web").allowed(allowed).healthy(
                    healthy,
                    healthy - allowed,
                    2
                ),
            ]
        };
        assert!(irrelevant(with(2, 2)));
        assert!(!irrelevant(with(1, 2)), "a is refused if big was evicted first");
        assert!(irrelevant(with(0, 2)), "none of them leaves");
    }
}
