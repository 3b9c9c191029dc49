//! Preemption for a group in 1.36: everything of lower priority is removed, and added back as long
//! as all pods of the group still fit somewhere.
//!
//! Upstream: `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.36).

use std::collections::BTreeMap;

use crate::framework::cluster_view::ClusterView;
use crate::groups::cycle::{GroupSearch, GroupSearchResult};
use crate::groups::messages::{CONSTRAINED_GROUP, NO_VICTIMS, NOT_REGISTERED};
use crate::groups::preemption::{
    GroupAttempt, GroupPlan, GroupPreemption, GroupPreemptionVerdict, TriedUnit, budget_orders,
    forget, potential_victims, ties,
};
use crate::groups::select::Memory;
use crate::preemption;
use crate::preemption::budgets::{BudgetIndex, Budgets};
use crate::preemption::dry_run::Victim;
use crate::preemption::eligibility::NEVER;
use crate::preemption::importance;
use crate::preemption::units::{EvictionUnit, Units};
use model::cluster::{BudgetIx, Cluster, NodeIx, PodIx};
use profile::history::{Preemption, VictimOrder};

/// The result of PostFilter.
pub(super) struct PostFilterResult {
    pub report: Option<GroupPreemption>,
    /// Whether victims have to leave first.
    pub awaits: bool,
    /// The text that it appends to the reasons of the group, or the error.
    text: Result<Option<String>, String>,
}

impl PostFilterResult {
    fn no(verdict: GroupPreemptionVerdict, text: &str) -> Self {
        let report = GroupPreemption::of(verdict, text.to_owned(), 0);
        Self { report: Some(report), awaits: false, text: Ok(Some(text.to_owned())) }
    }

    /// The status of the group afterwards.
    pub(super) fn after(&self, status: GroupSearchResult) -> GroupSearchResult {
        match (&self.text, status) {
            (Err(error), _) => GroupSearchResult::Failed(error.clone()),
            (Ok(Some(text)), GroupSearchResult::Unfit { prefixed, no_domain, mut reasons }) => {
                reasons.push(text.clone());
                GroupSearchResult::Unfit { prefixed, no_domain, reasons }
            }
            (Ok(_), status) => status,
        }
    }
}

/// Runs preemption for a group with too few fitting pods.
pub(super) fn run(view: &ClusterView, search: &GroupSearch) -> PostFilterResult {
    let cluster = view.cluster;
    let group = cluster.pod_group(search.group);
    if !view.profile.plugins.pod_group_post_filter.contains(&preemption::NAME) {
        return PostFilterResult {
            report: None,
            awaits: false,
            text: Ok(Some(NOT_REGISTERED.text.to_owned())),
        };
    }
    if !group.topology_key.is_empty() {
        return PostFilterResult {
            report: None,
            awaits: false,
            text: Ok(Some(CONSTRAINED_GROUP.text.to_owned())),
        };
    }
    if search.members.iter().any(|pod| cluster.template(cluster.pod(*pod)).never_preempts) {
        return PostFilterResult::no(GroupPreemptionVerdict::Never, NEVER.text);
    }
    let units = units(cluster);
    let potential = potential_victims(group, &units, view);
    if potential.is_empty() {
        return PostFilterResult::no(GroupPreemptionVerdict::NothingToEvict, NO_VICTIMS.text);
    }
    let count = potential.iter().map(|unit| unit.pods.len()).sum();
    match plan(view, search, potential, &units) {
        Ok(plan) => {
            let report =
                GroupPreemption::of(GroupPreemptionVerdict::Evicts(plan), String::new(), count);
            PostFilterResult { report: Some(report), awaits: true, text: Ok(None) }
        }
        Err(GroupSearchResult::Failed(error)) => {
            let report = GroupPreemption::of(
                GroupPreemptionVerdict::Failed(error.clone()),
                error.clone(),
                count,
            );
            PostFilterResult { report: Some(report), awaits: false, text: Err(error) }
        }
        Err(status) => {
            PostFilterResult::no(GroupPreemptionVerdict::NotHelpful(status.text()), &status.text())
        }
    }
}

/// What is evicted as one.
pub(super) fn units(cluster: &Cluster) -> Units<'_> {
    Units::of_groups(cluster, false, false)
}

/// Makes the plan in which only these units may be evicted.
///
/// # Errors
/// The result of the search, if too few pods fit without them.
pub(super) fn plan(
    view: &ClusterView,
    search: &GroupSearch,
    potential: Vec<EvictionUnit>,
    units: &Units,
) -> Result<GroupPlan, GroupSearchResult> {
    let alone = GroupSearch { post_filters: false, ..*search };
    let mut view = view.clone();
    view.forget_images();
    potential.iter().for_each(|unit| forget(unit, &mut view));
    let mut memory = Memory::default();
    let result = alone.run(&mut view, &mut memory);
    match result.attempt.status {
        GroupSearchResult::Fits => {
            let mut plan = reprieve(&mut view, &alone, potential, units, &mut memory);
            plan.nodes_tie |= result.nodes_tie();
            plan.volumes_tie |= result.volumes_tie();
            Ok(plan)
        }
        status => Err(status),
    }
}

/// Adds units back, and for each searches nodes for all pods of the group anew.
fn reprieve(
    view: &mut ClusterView,
    search: &GroupSearch,
    mut potential: Vec<EvictionUnit>,
    units: &Units,
    memory: &mut Memory,
) -> GroupPlan {
    let (cluster, now) = (view.cluster, search.now);
    // Parity: the clock is read once per pod without a start time, though not where pods preempt
    // alone.
    let features = &Preemption {
        victim_order: VictimOrder::StartTimeAtOnce,
        ..view.profile.features.preemption.clone()
    };
    importance::sort(&mut potential, cluster, now, features);

    let ReprieveOrder { candidates, other_victims } = reprieve_order(&potential, view, features);

    // Reprieve as many as possible. A unit stays if all pods of the group still find nodes, which
    // may be different ones each time.
    let mut tried: Vec<TriedUnit> = Vec::with_capacity(candidates.len());
    let mut evicted: Vec<EvictionUnit> = Vec::new();
    let mut placed: Vec<(PodIx, NodeIx)> = Vec::new();
    let (mut nodes_tie, mut volumes_tie) = (false, false);
    for PotentialUnit { unit, violates_pdb } in candidates {
        put_back(&unit, view);
        let result = search.run(view, memory);
        nodes_tie |= result.nodes_tie();
        volumes_tie |= result.volumes_tie();
        let stays = result.attempt.status == GroupSearchResult::Fits;
        tried.push(TriedUnit {
            attempt: GroupAttempt {
                pods: unit.pods.clone(),
                together: unit.together,
                violates_pdb,
                stays,
                blocked: None,
            },
            affected: None,
        });
        if stays {
            placed = result.attempt.placed().collect();
        } else {
            forget(&unit, view);
            evicted.push(unit);
        }
    }
    // If no unit stays, the pods get the nodes that they got without all of them.
    if placed.is_empty() {
        placed = search.run(view, memory).attempt.placed().collect();
    }

    // The victims are recorded by importance, and not in the order in which they were tried.
    let units_tie = ties(&tried, units, now, features);
    importance::sort(&mut evicted, cluster, now, features);
    let mut victims: Vec<Victim> = Vec::new();
    for unit in &evicted {
        for pod in &unit.pods {
            victims.push(Victim {
                pod: *pod,
                violates: Budgets::new(),
                blocks: None,
                together: unit.together,
            });
        }
    }
    // Parity: the number of violations is never filled in.
    GroupPlan {
        placed,
        victims,
        violations: 0,
        attempts: tried.into_iter().map(|tried| tried.attempt).collect(),
        possible: Vec::new(),
        possible_complete: false,
        nodes_tie,
        volumes_tie,
        units_tie,
        domains_tie: false,
        other_victims,
        other_violations: false,
    }
}

/// The units in the order in which they are tried.
struct ReprieveOrder {
    candidates: Vec<PotentialUnit>,
    /// Whether another order of a pod's budgets leaves other units in violation, which changes the
    /// victims.
    other_victims: bool,
}

/// Puts the units that would violate a budget first, so that they have the best chance to stay;
/// within both groups the most important comes first, as in `potential`.
fn reprieve_order(
    potential: &[EvictionUnit],
    view: &ClusterView,
    features: &Preemption,
) -> ReprieveOrder {
    let cluster = view.cluster;
    let budgets = BudgetIndex::new(cluster, features);
    let mut candidates =
        with_budgets(potential.to_vec(), cluster, &budgets, &|budget| budget.0 as usize);
    let mut other_victims = false;
    for order in budget_orders(potential, cluster, &budgets) {
        let rank = |budget: BudgetIx| order.get(&budget).copied().unwrap_or_default();
        if with_budgets(potential.to_vec(), cluster, &budgets, &rank) != candidates {
            other_victims = true;
            break;
        }
    }
    candidates.sort_by_key(|candidate| !candidate.violates_pdb);
    ReprieveOrder { candidates, other_victims }
}

/// A unit, and whether its eviction violates a budget.
#[derive(PartialEq)]
struct PotentialUnit {
    unit: EvictionUnit,
    violates_pdb: bool,
}

/// Counts down the budgets, walked in this order. Parity: the first pod of a unit that violates one
/// ends the count of the unit.
fn with_budgets(
    units: Vec<EvictionUnit>,
    cluster: &Cluster,
    budgets: &BudgetIndex,
    order: &dyn Fn(BudgetIx) -> usize,
) -> Vec<PotentialUnit> {
    let mut remaining: BTreeMap<BudgetIx, i64> = BTreeMap::new();
    let mut candidates = Vec::with_capacity(units.len());
    for unit in units {
        let mut violates_pdb = false;
        for pod in &unit.pods {
            let mut walked = budgets.of(cluster.pod(*pod), cluster);
            walked.sort_by_key(|budget| order(*budget));
            violates_pdb = walked.into_iter().any(|budget| {
                let allowed =
                    remaining.entry(budget).or_insert_with(|| cluster.budget(budget).allowed);
                *allowed -= 1;
                *allowed < 0
            });
            if violates_pdb {
                break;
            }
        }
        candidates.push(PotentialUnit { unit, violates_pdb });
    }
    candidates
}

fn put_back(unit: &EvictionUnit, view: &mut ClusterView) {
    for pod in &unit.pods {
        if let Some(node) = view.cluster.node_of(*pod) {
            view.assume(*pod, node);
        }
    }
}
