//! Puts back what fits beside the pods of the group, each on the node that the plan gives it: first what violates a budget, and the
//! most important first.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use smallvec::SmallVec;

use super::GroupPlan;
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::cluster::pod_group::GroupIx;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::plugin::Cycle;
use crate::framework::status::{Rejection, Verdict};
use crate::plugins;
use crate::preemption::budgets::{BudgetIndex, VictimBudgets, count_violations};
use crate::preemption::dry_run::Victim;
use crate::preemption::importance;
use crate::preemption::potential::PotentialVictim;
use crate::preemption::units::{Unit, Units};
use crate::profile::history::{Preemption, VictimOrder};

/// What was put back to see whether it can stay: a pod, or a group that is disrupted as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupAttempt {
    /// The pods.
    pub pods: SmallVec<[PodIx; 1]>,
    /// The group, if the pods are evicted together.
    pub together: Option<GroupIx>,
    /// Whether evicting them violates a budget.
    pub violates_pdb: bool,
    /// Whether they stay.
    pub stays: bool,
    /// The pod of the group that does not fit beside them.
    pub blocked: Option<PodIx>,
}

/// Reprieves as much of `potential` as possible beside the pods that are `placed` in the cluster `emptied` of it.
pub(super) fn run(
    view: &ClusterView,
    emptied: &ClusterView,
    placed: Vec<(PodIx, NodeIx)>,
    mut potential: Vec<Unit>,
    units: &Units,
    now: Timestamp,
) -> GroupPlan {
    let (cluster, profile) = (view.cluster, view.profile);
    let features = &profile.features.preemption;
    importance::sort(&mut potential, cluster, now, features);
    let potential = with_budgets(potential, cluster, features);
    // Each pod sees those that were placed before it.
    let mut so_far = emptied.clone();
    let views: Vec<ClusterView> = placed
        .iter()
        .map(|(pod, node)| {
            let before = so_far.clone();
            if let Ok(reserved) = plugins::reserve(&Cycle::of(&before, *pod, now), *node) {
                so_far.reserve(reserved);
            }
            so_far.assume(*pod, *node);
            before
        })
        .collect();
    let filters = plugins::filters(&profile.plugins);
    let prepared: Vec<PreparedCycle> =
        views.iter().zip(&placed).map(|(view, (pod, _))| PreparedCycle::new(view, *pod, now, &filters)).collect();
    let mut states: Vec<NodeState> =
        prepared.iter().zip(&placed).map(|(prepared, (_, node))| prepared.node_state(*node)).collect();
    let concerned = Concerned::new(&placed, &states);
    let mut attempts = Vec::with_capacity(potential.len());
    let mut evicted: Vec<(Unit, Vec<Victim>)> = Vec::new();
    for potential in potential {
        let unit = &potential.unit;
        let blocked = put_back(unit, &mut states, &concerned, cluster);
        attempts.push(GroupAttempt {
            pods: unit.pods.clone(),
            together: unit.together,
            violates_pdb: potential.violates_pdb(),
            stays: blocked.is_none(),
            blocked: blocked.as_ref().and_then(|(index, _)| placed.get(*index)).map(|(pod, _)| *pod),
        });
        if let Some((_, blocks)) = blocked {
            let victims = potential.victims(blocks).collect();
            evicted.push((potential.unit, victims));
        }
    }
    let ties = ties(evicted.iter().map(|(unit, _)| unit), &attempts, units, now, features);
    let mut order: Vec<Unit> = evicted.iter().map(|(unit, _)| unit.clone()).collect();
    importance::sort(&mut order, cluster, now, features);
    let place = |unit: &Unit| order.iter().position(|other| other.pods == unit.pods);
    evicted.sort_by_key(|(unit, _)| place(unit));
    let victims: Vec<Victim> = evicted.into_iter().flat_map(|(_, victims)| victims).collect();
    GroupPlan {
        placed,
        violations: victims.iter().filter(|victim| !victim.violates.is_empty()).count(),
        victims,
        attempts,
        open: false,
        rivals: false,
        ties,
    }
}

/// The units with what their eviction violates, in the order in which they are put back.
fn with_budgets(units: Vec<Unit>, cluster: &Cluster, features: &Preemption) -> Vec<PotentialVictim> {
    let budgets = BudgetIndex::new(cluster, features);
    let of = |pod: &PodIx| VictimBudgets { pod: *pod, violates: budgets.of(cluster.pod(*pod), cluster) };
    let mut pods: Vec<VictimBudgets> = units.iter().flat_map(|unit| &unit.pods).map(of).collect();
    count_violations(&mut pods, cluster, features, &|budget| budget.0 as usize);
    PotentialVictim::in_order_of_reprieve(units, pods)
}

/// Why a pod of the group does not fit: its place among them, the plugin and its rejection.
type Blocked = (usize, Option<(&'static str, Rejection)>);

/// Which pods of the group a pod that comes back may concern, as indices of those that are placed.
struct Concerned {
    /// Those on its node.
    by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>>,
    /// Those with filters that look at other nodes, too.
    wide: Vec<usize>,
}

impl Concerned {
    fn new(placed: &[(PodIx, NodeIx)], states: &[NodeState]) -> Self {
        let mut by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>> = BTreeMap::new();
        placed.iter().enumerate().for_each(|(index, (_, node))| by_node.entry(*node).or_default().push(index));
        let wide = states.iter().enumerate().filter(|(_, state)| state.looks_elsewhere()).map(|(index, _)| index);
        Self { by_node, wide: wide.collect() }
    }
}

/// Puts a unit back, and takes it away again if a pod of the group does not fit beside it.
fn put_back(unit: &Unit, states: &mut [NodeState], concerned: &Concerned, cluster: &Cluster) -> Option<Blocked> {
    let pods: SmallVec<[(PodIx, NodeIx); 1]> =
        unit.pods.iter().filter_map(|pod| Some((*pod, cluster.node_of(*pod)?))).collect();
    // The other pods of the group fitted before, and do so still.
    let here = pods.iter().filter_map(|(_, node)| concerned.by_node.get(node)).flatten().copied();
    let concerns = |index: &usize| {
        states.get(*index).is_some_and(|state| pods.iter().any(|(pod, node)| state.depends_on(*pod, *node)))
    };
    let mut indices: SmallVec<[usize; 4]> = concerned.wide.iter().copied().filter(concerns).chain(here).collect();
    indices.sort_unstable();
    indices.dedup();
    for index in &indices {
        if let Some(state) = states.get_mut(*index) {
            pods.iter().for_each(|(pod, node)| state.add_pod_on(*pod, *node));
        }
    }
    let (index, (plugin, verdict)) = indices.iter().find_map(|index| Some((*index, states.get(*index)?.check()?)))?;
    for index in &indices {
        if let Some(state) = states.get_mut(*index) {
            pods.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
        }
    }
    let blocks = if let Verdict::Rejected(rejection) = verdict { Some((plugin, rejection)) } else { None };
    Some((index, blocks))
}

/// Whether units share everything that orders them, and not their fate.
pub(in crate::groups) fn ties<'u>(
    evicted: impl Iterator<Item = &'u Unit>,
    attempts: &[GroupAttempt],
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> bool {
    let keys: BTreeSet<_> = evicted.map(|unit| importance::key(unit, now, features)).collect();
    let stays = attempts.iter().filter(|attempt| attempt.stays).filter_map(|attempt| attempt.pods.first());
    let tied = |pod: &PodIx| units.of(&[*pod]).iter().any(|unit| keys.contains(&importance::key(unit, now, features)));
    features.victim_order != VictimOrder::StartTimeThenUid && !keys.is_empty() && stays.into_iter().any(tied)
}
