//! Preemption for a group: one plan for all its pods. Everything of lower priority is removed, the
//! pods are placed, and whatever still fits is reprieved.
//!
//! Upstream: `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37). There is no choice
//! between plans: the pods are placed by score alone, as if nothing of lower priority existed; since
//! 1.38 on the nodes with the least to evict (`groups/ranks.rs`).

mod members;
pub mod possible;
mod reprieve;

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::cycle::{GroupSearch, GroupSearchResult, Trial};
use super::messages::{CLAIMS_RETURNED, FOUND, GROUP_CLAIM_RETURNED, NO_VICTIMS, ONGOING};
use super::ranks::NodeRanks;
use super::select::Memory;
use crate::decision::group::Hindrance;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::NodeVerdict;
use crate::framework::message::{PostFilterStatus, PostFilterTexts};
use crate::framework::node_order;
use crate::framework::plugin::Cycle;
use crate::plugins::dynamic_resources;
use crate::plugins::dynamic_resources::group_claims::{self, GivenUp};
use crate::preemption;
use crate::preemption::dry_run::{DryRunContext, Victim};
use crate::preemption::eligibility::NEVER;
use crate::preemption::units::{EvictionUnit, Units};
pub use members::GroupAttempt;
pub(super) use members::{TriedUnit, ties};
use model::cluster::{Cluster, NodeIx, PodGroup, PodIx};
use possible::PossibleVictims;
pub(super) use reprieve::budget_orders;

/// The prefix of every text of group preemption.
const PREFIX: &str = "pod group preemption: ";

/// The result of preemption for a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupPreemption {
    pub verdict: GroupPreemptionVerdict,
    /// kube-scheduler's text.
    pub message: String,
    /// How many pods have a lower priority.
    pub potential: usize,
    /// Whether the text gives the reasons of an arbitrary topology domain or node, and those of
    /// others differ.
    pub text_may_differ: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum GroupPreemptionVerdict {
    /// Its pods or the group have preemptionPolicy Never.
    Never,
    /// These pods are terminating because of an earlier preemption.
    Ongoing(Vec<PodIx>),
    /// Nothing has a lower priority.
    NothingToEvict,
    /// Too few pods fit even without everything of lower priority; the scheduler's text.
    NotHelpful(String),
    /// Evicting these pods helps.
    Evicts(GroupPlan),
    /// An error.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one order that the API does not show")]
pub struct GroupPlan {
    /// Where the pods of the group go, in their order.
    pub placed: Vec<(PodIx, NodeIx)>,
    /// The pods to evict, in the scheduler's order.
    pub victims: Vec<Victim>,
    /// How many of them violate a budget.
    pub violations: usize,
    /// Everything of lower priority, in the order in which reprieving it was tried.
    pub attempts: Vec<GroupAttempt>,
    /// What may be evicted once the pods are placed so, for each order of budgets that matters; any
    /// one of these sets.
    pub possible: Vec<PossibleVictims>,
    /// Whether these are all that may be evicted.
    pub possible_complete: bool,
    /// Whether another node ties for a pod, or the scheduler samples nodes.
    pub nodes_tie: bool,
    /// Whether another volume ties for a pod.
    pub volumes_tie: bool,
    /// Whether units tie in every ordering criterion although only some are evicted.
    pub units_tie: bool,
    /// Whether the victims depend on which of the topology domains with the fewest pods
    /// kube-scheduler tracks.
    pub domains_tie: bool,
    /// Whether another order of the budgets leads to other victims.
    pub other_victims: bool,
    /// Whether another order of the budgets changes the number of violations.
    pub other_violations: bool,
}

/// The result of PostFilter.
pub(super) struct GroupPostFilterResult {
    /// The result of preemption, if the profile runs it.
    pub report: Option<GroupPreemption>,
    /// What is appended to the reasons of the group; an error replaces them.
    texts: Result<PostFilterTexts, String>,
}

impl GroupPostFilterResult {
    /// Adds the status of the next plugin; returns whether no further plugin runs.
    fn add(&mut self, plugin: &str, status: Result<PostFilterStatus, String>) -> bool {
        match (status, &mut self.texts) {
            (Ok(status), Ok(texts)) => texts.add(status),
            (Err(error), texts) => {
                *texts = Err(format!("error in {plugin:?} PodGroupPostFilter plugins: {error}"));
            }
            (Ok(_), Err(_)) => {}
        }
        self.texts.as_ref().map_or(true, PostFilterTexts::ended)
    }

    /// The status of the group after PostFilter.
    pub(super) fn after(&self, status: &GroupSearchResult) -> GroupSearchResult {
        match (status, &self.texts) {
            (GroupSearchResult::Unfit { prefixed, no_domain, reasons }, Ok(texts)) => {
                let reasons = reasons.iter().cloned().chain([texts.text()]).collect();
                GroupSearchResult::Unfit { prefixed: *prefixed, no_domain: *no_domain, reasons }
            }
            (_, Err(error)) => GroupSearchResult::Failed(error.clone()),
            (status, Ok(_)) => status.clone(),
        }
    }
}

/// Runs PostFilter for a group with too few fitting pods.
pub(super) fn run(
    view: &ClusterView,
    search: &GroupSearch,
    trials: &[Trial],
    memory: &mut Memory,
) -> GroupPostFilterResult {
    run_plugins(view, search, || claims_status(view, search, trials), memory)
}

/// Runs PostFilter for the groups of a tree, for which DynamicResources does nothing.
pub(super) fn run_for_tree(
    view: &ClusterView,
    preemptor: &dyn GroupPreemptor,
    memory: &mut Memory,
) -> GroupPostFilterResult {
    run_plugins(view, preemptor, || Ok(PostFilterStatus::Rejects(None)), memory)
}

/// Runs PostFilter of the plugins in the order of the profile; `claims` is that of
/// DynamicResources.
fn run_plugins(
    view: &ClusterView,
    preemptor: &dyn GroupPreemptor,
    claims: impl Fn() -> Result<PostFilterStatus, String>,
    memory: &mut Memory,
) -> GroupPostFilterResult {
    let mut found = GroupPostFilterResult { report: None, texts: Ok(PostFilterTexts::default()) };
    for plugin in &view.profile.plugins.pod_group_post_filter {
        let status = match *plugin {
            dynamic_resources::NAME => claims(),
            preemption::NAME => {
                let report = preempt(view, preemptor, memory);
                let status = eviction_status(&report, view);
                found.report = Some(report);
                status
            }
            _ => continue,
        };
        if found.add(plugin, status) {
            break;
        }
    }
    found
}

/// The status of DefaultPreemption for this result.
fn eviction_status(
    report: &GroupPreemption,
    view: &ClusterView,
) -> Result<PostFilterStatus, String> {
    let text = format!("{PREFIX}{}", report.message);
    match report.verdict {
        GroupPreemptionVerdict::Ongoing(_) | GroupPreemptionVerdict::Evicts(_) => {
            Ok(PostFilterStatus::Ends(text))
        }
        GroupPreemptionVerdict::NothingToEvict
            if !view.profile.features.pod_groups.group_cause_alone =>
        {
            Ok(PostFilterStatus::Ends(text))
        }
        GroupPreemptionVerdict::NothingToEvict
        | GroupPreemptionVerdict::Never
        | GroupPreemptionVerdict::NotHelpful(_) => Ok(PostFilterStatus::Rejects(Some(text))),
        GroupPreemptionVerdict::Failed(_) => Err(text),
    }
}

/// The status of DynamicResources.
fn claims_status(
    view: &ClusterView,
    search: &GroupSearch,
    trials: &[Trial],
) -> Result<PostFilterStatus, String> {
    let features = &view.profile.features;
    // The plugin does nothing for groups with constraints.
    let placed =
        features.pod_groups.group_placements && view.cluster.pod_group(search.group).is_constrained;
    if !features.dra.dynamic_resources || placed {
        return Ok(PostFilterStatus::Rejects(None));
    }
    if !trials.iter().any(|trial| prepares_devices(trial, view)) {
        // Parity: the plugin reads what its PreFilter stored for the group.
        return Err("not found".to_owned());
    }
    let text = claims_text(view, search, trials)?.to_owned();
    Ok(if text == dynamic_resources::UNRESERVED {
        PostFilterStatus::Ends(text)
    } else {
        PostFilterStatus::Rejects(Some(text))
    })
}

/// What DynamicResources says about the claims of the pods and those of the group.
fn claims_text(
    view: &ClusterView,
    search: &GroupSearch,
    trials: &[Trial],
) -> Result<&'static str, String> {
    let prepared: Vec<&Trial> =
        trials.iter().filter(|trial| prepares_devices(trial, view)).collect();
    let (Some(first), true) = (search.members.first(), view.profile.features.dra.dra_group_claims)
    else {
        return Ok(CLAIMS_RETURNED.text);
    };
    let all_give_back = prepared.iter().all(|trial| {
        dynamic_resources::gives_back(&Cycle::of(view, trial.pod, search.now), &trial.nodes)
    });
    if all_give_back || !search.running.is_empty() {
        return Ok(CLAIMS_RETURNED.text);
    }
    let tried: Vec<&[NodeVerdict]> = prepared.iter().map(|trial| &*trial.nodes).collect();
    let group = view.cluster.pod_group(search.group);
    Ok(match group_claims::of_group(group, *first, &tried, view.cluster)? {
        Some(GivenUp::Devices) => GROUP_CLAIM_RETURNED.text,
        Some(GivenUp::Reservation) => dynamic_resources::UNRESERVED,
        None => CLAIMS_RETURNED.text,
    })
}

/// Whether PreFilter of DynamicResources ran for a pod.
fn prepares_devices(trial: &Trial, view: &ClusterView) -> bool {
    dynamic_resources::has_state(&trial.pre_filter, view.profile) && view.nodes_in_placement() > 0
}

/// Whether the group may not preempt.
fn never_preempts(preemptor: &dyn GroupPreemptor, view: &ClusterView) -> bool {
    let features = &view.profile.features.pod_groups;
    match preemptor.never_preempts(view.cluster).filter(|_| features.group_policy) {
        Some(never) => return never,
        None if features.group_policy && !features.groups_checked_together => return false,
        None => {}
    }
    preemptor
        .members()
        .iter()
        .any(|pod| view.cluster.template(view.cluster.pod(*pod)).never_preempts)
}

/// Makes the plan of a group that may preempt, or returns why there is none.
fn preempt(
    view: &ClusterView,
    preemptor: &dyn GroupPreemptor,
    memory: &mut Memory,
) -> GroupPreemption {
    let cluster = view.cluster;
    let context = DryRunContext::new(view, preemptor.now());
    let units = &context.units;
    let looks_up_later = view.profile.features.pod_groups.group_nodes_ranked;
    if let Some(error) = missing_node(units, view).filter(|_| !looks_up_later) {
        return GroupPreemption::of(GroupPreemptionVerdict::Failed(error.clone()), error, 0);
    }
    // The victims of an earlier preemption free resources once they are gone, so nothing more is
    // evicted until then.
    let leaving = leaving_victims(preemptor, units, view);
    let awaits_first = view.profile.features.pod_groups.group_awaits_first && !leaving.is_empty();
    if !awaits_first && never_preempts(preemptor, view) {
        return GroupPreemption::of(GroupPreemptionVerdict::Never, NEVER.text.to_owned(), 0);
    }
    if !leaving.is_empty() {
        return GroupPreemption::of(
            GroupPreemptionVerdict::Ongoing(leaving),
            ONGOING.text.to_owned(),
            0,
        );
    }
    let potential = lower_units(preemptor.priority(cluster), units, view);
    if potential.is_empty() {
        return GroupPreemption::of(
            GroupPreemptionVerdict::NothingToEvict,
            NO_VICTIMS.text.to_owned(),
            0,
        );
    }
    let count = potential.iter().map(|unit| unit.pods.len()).sum();
    if let Some(error) = missing_victim(&potential, units, view).filter(|_| looks_up_later) {
        return GroupPreemption::of(GroupPreemptionVerdict::Failed(error.clone()), error, count);
    }
    match plan(&context, preemptor, potential, memory) {
        Ok(plan) => {
            let message =
                FOUND.with([&plan.victims.len().to_string()]).render(cluster).into_owned();
            GroupPreemption::of(GroupPreemptionVerdict::Evicts(plan), message, count)
        }
        Err(NoPlan { status, text_may_differ }) => {
            let text = status.text();
            let verdict = match status {
                GroupSearchResult::Failed(_) => GroupPreemptionVerdict::Failed(text.clone()),
                GroupSearchResult::Fits | GroupSearchResult::Unfit { .. } => {
                    GroupPreemptionVerdict::NotHelpful(text.clone())
                }
            };
            GroupPreemption { text_may_differ, ..GroupPreemption::of(verdict, text, count) }
        }
    }
}

/// Too few pods fit even without everything of lower priority.
pub(super) struct NoPlan {
    status: GroupSearchResult,
    /// Whether the status gives the reasons of an arbitrary topology domain, and those of others
    /// differ.
    text_may_differ: bool,
}

/// Makes the one plan in which only these units may be evicted.
///
/// # Errors
/// If too few pods fit without them.
pub(super) fn plan(
    context: &DryRunContext,
    preemptor: &dyn GroupPreemptor,
    mut potential: Vec<EvictionUnit>,
    memory: &mut Memory,
) -> Result<GroupPlan, NoPlan> {
    // Place the pods as if nothing of lower priority were there. If too few fit even then, no
    // eviction helps.
    let mut emptied = context.view.clone();
    emptied.forget_images();
    for unit in &potential {
        forget(unit, &mut emptied);
    }
    context.sort(&mut potential);
    if context.view.profile.features.pod_groups.group_nodes_ranked {
        let (violating, are_open) = reprieve::violating(context, &potential);
        let members = preemptor.members();
        let ranks = NodeRanks::new(context.view.cluster, &potential, &violating, members);
        memory.rank(ranks, are_open);
    }
    let placements = preemptor.place(&mut emptied, memory);
    if placements.status != GroupSearchResult::Fits {
        let PodPlacements { status, text_may_differ, .. } = placements;
        return Err(NoPlan { status, text_may_differ });
    }

    // Then reprieve whatever still fits beside them, without moving them again.
    let plan = reprieve::run(context, &emptied, &placements, &potential);
    Ok(GroupPlan { nodes_tie: placements.nodes_tie, volumes_tie: placements.volumes_tie, ..plan })
}

/// Removes the pods of a unit from their nodes.
pub(super) fn forget(unit: &EvictionUnit, view: &mut ClusterView) {
    for pod in &unit.pods {
        if let Some(node) = view.cluster.node_of(*pod) {
            view.forget(*pod, node);
        }
    }
}

/// Parity: preemption fails if a group that is disrupted as a whole has a pod on a node that does
/// not exist.
fn missing_node(units: &Units, view: &ClusterView) -> Option<String> {
    let cluster = view.cluster;
    let gone = cluster
        .pods_on_gone_nodes()
        .find(|pod| units.evicts_together(*pod).is_some_and(|group| units.is_on_nodes(group)))?;
    let node = cluster.text(cluster.pod(gone).node_name);
    Some(format!(
        "failed to create domain: failed to get node info for node {node:?} from snapshot: nodeinfo not found for node name {node:?}"
    ))
}

/// Parity: since 1.38 that is an error only of groups that may be evicted.
fn missing_victim(potential: &[EvictionUnit], units: &Units, view: &ClusterView) -> Option<String> {
    let cluster = view.cluster;
    let gone = cluster.pods_on_gone_nodes().find(|pod| {
        let group = units.evicts_together(*pod);
        group.is_some() && potential.iter().any(|unit| unit.together == group)
    })?;
    let node = cluster.text(cluster.pod(gone).node_name);
    Some(format!("node {node:?} not found in the snapshot"))
}

/// The terminating victims of an earlier preemption, on the nodes to which pods of the group are
/// nominated.
fn leaving_victims(
    preemptor: &dyn GroupPreemptor,
    units: &Units,
    view: &ClusterView,
) -> Vec<PodIx> {
    let cluster = view.cluster;
    let mut nodes: Vec<NodeIx> = preemptor
        .members()
        .into_iter()
        .map(|pod| cluster.pod(pod).nominated_node)
        .filter(|node| !node.is_empty())
        .filter_map(|node| cluster.find_node(cluster.text(node)))
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    let priority = preemptor.priority(cluster);
    let on_nodes = nodes.into_iter().flat_map(|node| cluster.pods_on(node)).copied();
    on_nodes
        .filter(|pod| {
            let pod = cluster.pod(*pod);
            pod.is_terminating()
                && pod.is_disrupted_by_scheduler()
                && units.priority(pod) < priority
        })
        .collect()
}

/// Everything of lower priority, in the scheduler's order of nodes and of their pods.
pub(super) fn potential_victims(
    group: &PodGroup,
    units: &Units,
    view: &ClusterView,
) -> Vec<EvictionUnit> {
    lower_units(group.priority(), units, view)
}

/// The same below the given priority.
pub(super) fn lower_units(priority: i32, units: &Units, view: &ClusterView) -> Vec<EvictionUnit> {
    let pods: Vec<PodIx> = node_order::by_zone(view)
        .iter()
        .flat_map(|node| view.cluster.pods_on(*node))
        .copied()
        .collect();
    units.of(&pods).into_iter().filter(|unit| unit.priority < priority).collect()
}

impl GroupPreemption {
    /// With a text that gives no reasons of topology domains.
    pub(super) const fn of(
        verdict: GroupPreemptionVerdict,
        message: String,
        potential: usize,
    ) -> Self {
        Self { verdict, message, potential, text_may_differ: false }
    }

    /// Why evictions do not help, if they do not.
    pub const fn hindrance(&self) -> Hindrance {
        match &self.verdict {
            GroupPreemptionVerdict::Never => Hindrance::Never,
            GroupPreemptionVerdict::NothingToEvict => Hindrance::NothingToEvict,
            GroupPreemptionVerdict::NotHelpful(_)
            | GroupPreemptionVerdict::Failed(_)
            | GroupPreemptionVerdict::Ongoing(_)
            | GroupPreemptionVerdict::Evicts(_) => Hindrance::NotHelpful,
        }
    }
}

impl GroupPlan {
    /// The planned node of a pod of the group.
    pub fn node_of(&self, pod: PodIx) -> Option<NodeIx> {
        self.placed.iter().find(|(placed, _)| *placed == pod).map(|(_, node)| *node)
    }

    /// The pod of the group that would not fit if the victim stayed.
    pub fn blocked_by(&self, victim: PodIx) -> Option<PodIx> {
        self.attempts.iter().find(|attempt| attempt.pods.contains(&victim))?.blocked
    }
}

/// The preemptor of a group's preemption.
pub(super) trait GroupPreemptor {
    /// The pods to place.
    fn members(&self) -> Vec<PodIx>;

    /// The instant of the decision.
    fn now(&self) -> Timestamp;

    /// The priority below which pods may be evicted.
    fn priority(&self, cluster: &Cluster) -> i32;

    /// Whether its preemption policy is `Never`, if it has one.
    fn never_preempts(&self, cluster: &Cluster) -> Option<bool>;

    /// Searches nodes for the pods.
    fn place(&self, view: &mut ClusterView, memory: &mut Memory) -> PodPlacements;
}

/// Where a search places the pods of a preemptor.
pub(super) struct PodPlacements {
    pub status: GroupSearchResult,
    /// The pods with their nodes, in order.
    pub placed: Vec<(PodIx, NodeIx)>,
    /// Pods that were placed without seeing an earlier one, which was removed again because too few
    /// pods of its group fit: the later and the earlier pod, as indices into `placed`. Parity:
    /// preemption counts both as placed.
    pub unseen: BTreeSet<(usize, usize)>,
    /// Whether other nodes tie for some pod.
    pub nodes_tie: bool,
    /// Whether another volume ties for some pod.
    pub volumes_tie: bool,
    /// Whether the status gives the reasons of an arbitrary topology domain, and those of others
    /// differ.
    pub text_may_differ: bool,
}

impl GroupPreemptor for GroupSearch<'_> {
    fn members(&self) -> Vec<PodIx> {
        self.members.to_vec()
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn priority(&self, cluster: &Cluster) -> i32 {
        cluster.pod_group(self.group).priority()
    }

    fn never_preempts(&self, cluster: &Cluster) -> Option<bool> {
        cluster.pod_group(self.group).never_preempts
    }

    fn place(&self, view: &mut ClusterView, memory: &mut Memory) -> PodPlacements {
        let found = self.run(view, memory);
        PodPlacements {
            nodes_tie: found.nodes_tie(),
            volumes_tie: found.volumes_tie(),
            text_may_differ: found.text_may_differ(),
            placed: found.attempt.placed().collect(),
            unseen: BTreeSet::new(),
            status: found.attempt.status,
        }
    }
}
