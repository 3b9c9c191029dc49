//! Puts back what fits beside the pods of the group, each on the node that the plan gives it: first what violates a budget, and the
//! most important first.

use jiff::Timestamp;
use smallvec::SmallVec;

use super::GroupPlan;
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::cluster::pod_group::GroupIx;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::status::{Rejection, Verdict};
use crate::plugins;
use crate::preemption::budgets::{BudgetIndex, Budgets, VictimBudgets, count_violations};
use crate::preemption::dry_run::Victim;
use crate::preemption::importance;
use crate::preemption::units::{Unit, Units};

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

/// A unit with the budgets that its pods violate.
struct Candidate {
    unit: Unit,
    violates: SmallVec<[Budgets; 1]>,
}

impl Candidate {
    fn violates(&self) -> bool {
        self.violates.iter().any(|budgets| !budgets.is_empty())
    }
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
    let mut candidates = with_budgets(potential, cluster, view);
    // Those whose eviction violates a budget come first; each part keeps its order.
    candidates.sort_by_key(|candidate| !candidate.violates());
    // Each pod sees those that were placed before it.
    let mut so_far = emptied.clone();
    let views: Vec<ClusterView> = placed
        .iter()
        .map(|(pod, node)| {
            let before = so_far.clone();
            so_far.assume(*pod, *node);
            before
        })
        .collect();
    let filters = plugins::filters(&profile.plugins);
    let prepared: Vec<PreparedCycle> =
        views.iter().zip(&placed).map(|(view, (pod, _))| PreparedCycle::new(view, *pod, now, &filters)).collect();
    let mut states: Vec<NodeState> =
        prepared.iter().zip(&placed).map(|(prepared, (_, node))| prepared.node_state(*node)).collect();
    let mut attempts = Vec::with_capacity(candidates.len());
    let mut evicted: Vec<(Unit, Vec<Victim>)> = Vec::new();
    for Candidate { unit, violates } in candidates {
        let violates_pdb = violates.iter().any(|budgets| !budgets.is_empty());
        let blocked = put_back(&unit, &mut states, cluster);
        attempts.push(GroupAttempt {
            pods: unit.pods.clone(),
            together: unit.together,
            violates_pdb,
            stays: blocked.is_none(),
            blocked: blocked.as_ref().and_then(|(index, _)| placed.get(*index)).map(|(pod, _)| *pod),
        });
        if let Some((_, blocks)) = blocked {
            let together = unit.together;
            let victim = |(pod, violates): (&PodIx, &Budgets)| Victim {
                pod: *pod,
                violates: violates.clone(),
                blocks: blocks.clone(),
                together,
            };
            let victims = unit.pods.iter().zip(&violates).map(victim).collect();
            evicted.push((unit, victims));
        }
    }
    let ties = ties(&evicted, &attempts, units, now, features);
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
        ties,
    }
}

/// The units with what their eviction violates, in their order.
fn with_budgets(units: Vec<Unit>, cluster: &Cluster, view: &ClusterView) -> Vec<Candidate> {
    let features = &view.profile.features.preemption;
    let budgets = BudgetIndex::new(cluster, features);
    let of = |pod: &PodIx| VictimBudgets { pod: *pod, violates: budgets.of(cluster.pod(*pod), cluster) };
    let mut pods: Vec<VictimBudgets> = units.iter().flat_map(|unit| &unit.pods).map(of).collect();
    count_violations(&mut pods, cluster, features, &|budget| budget.0 as usize);
    let mut pods = pods.into_iter();
    let candidate = |unit: Unit| {
        let violates = pods.by_ref().take(unit.pods.len()).map(|pod| pod.violates).collect();
        Candidate { unit, violates }
    };
    units.into_iter().map(candidate).collect()
}

/// Why a pod of the group does not fit: its place among them, the plugin and its rejection.
type Blocked = (usize, Option<(&'static str, Rejection)>);

/// Puts a unit back, and takes it away again if a pod of the group does not fit beside it.
fn put_back(unit: &Unit, states: &mut [NodeState], cluster: &Cluster) -> Option<Blocked> {
    let pods: SmallVec<[(PodIx, NodeIx); 1]> =
        unit.pods.iter().filter_map(|pod| Some((*pod, cluster.node_of(*pod)?))).collect();
    // The other pods of the group fitted before, and do so still.
    let concerns = |state: &NodeState| pods.iter().any(|(pod, node)| state.depends_on(*pod, *node));
    let mut concerned: SmallVec<[(usize, &mut NodeState); 4]> =
        states.iter_mut().enumerate().filter(|(_, state)| concerns(state)).collect();
    for (_, state) in &mut concerned {
        pods.iter().for_each(|(pod, node)| state.add_pod_on(*pod, *node));
    }
    let (index, (plugin, verdict)) = concerned.iter().find_map(|(index, state)| Some((*index, state.check()?)))?;
    for (_, state) in &mut concerned {
        pods.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
    }
    let blocks = if let Verdict::Rejected(rejection) = verdict { Some((plugin, rejection)) } else { None };
    Some((index, blocks))
}

/// Whether units share everything that orders them, and not their fate.
fn ties(
    evicted: &[(Unit, Vec<Victim>)],
    attempts: &[GroupAttempt],
    units: &Units,
    now: Timestamp,
    features: &crate::profile::history::Preemption,
) -> bool {
    attempts.iter().filter(|attempt| attempt.stays).any(|attempt| {
        let Some(stays) = units.of(&attempt.pods).into_iter().next() else { return false };
        evicted.iter().any(|(unit, _)| importance::units_tie(&stays, unit, now, features))
    })
}
