//! One search for nodes for all pods of a tree: the groups are tried one after the other, and each
//! sees where the pods of the earlier ones went, unless those got too little.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go`
//! `compositePodGroupSchedulingPlacementAlgorithm`, `compositePodGroupSchedulingDefaultAlgorithm`
//! (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::Tree;
use crate::framework::cluster_view::ClusterView;
use crate::groups::cycle::{
    GroupSearch, GroupSearchResult, Looked, PlacementAttempt, Trial, assume_and_reserve, shortfall,
};
use crate::groups::placements::{
    self, AllDomains, PlacementDomain, PlacementDomains, PlacementTrial, SearchResult, TriedDomain,
};
use crate::groups::select::Memory;
use model::cluster::{AnyGroup, CompositeIx, GroupIx, NodeIx, PodIx, Sym};

/// The input of a tree's cycle.
pub(in crate::groups) struct TreeSearch<'t> {
    pub tree: &'t Tree,
    /// The pods to place, by group.
    pub waiting: BTreeMap<GroupIx, Vec<PodIx>>,
    /// The instant of the decision.
    pub now: Timestamp,
}

/// The results for the groups of a tree; groups after the one that ends the search are missing.
#[derive(Default)]
pub(in crate::groups) struct Results {
    pub pods: BTreeMap<GroupIx, SearchResult>,
    /// For the composite groups, which have no pods of their own.
    pub groups: BTreeMap<CompositeIx, GroupsFound>,
    /// The pods of the group whose error ends the cycle; nothing else is known about the tree then.
    pub failed: Option<(GroupIx, Vec<Trial>)>,
}

/// The result for a composite group.
pub(in crate::groups) struct GroupsFound {
    /// The result, with its topology domains.
    pub found: SearchResult,
    /// How many of its children get what they need.
    pub fitting: usize,
    /// Whether no domain is large enough, and the results of pods and groups differ between
    /// domains.
    pub differ: bool,
}

/// The result for the children of a composite group.
struct Inside {
    /// The status of the composite group.
    status: GroupSearchResult,
    /// How many of its children get what they need.
    fitting: usize,
    /// Whether a pod was placed.
    places_any: bool,
}

/// A topology domain of a composite group that was tried, with the view in which its pods are
/// placed.
struct TriedInside<'c> {
    inside: Inside,
    results: Results,
    view: ClusterView<'c>,
}

impl Results {
    /// The status of a group; `None` if it was not tried.
    pub(super) fn status(&self, group: AnyGroup) -> Option<&GroupSearchResult> {
        match group {
            AnyGroup::Pods(ix) => self.pods.get(&ix).map(|result| &result.attempt.status),
            AnyGroup::Groups(ix) => self.groups.get(&ix).map(|groups| &groups.found.attempt.status),
        }
    }

    pub(super) fn fits(&self, group: AnyGroup) -> bool {
        self.status(group) == Some(&GroupSearchResult::Fits)
    }

    fn add(&mut self, other: Self) {
        self.pods.extend(other.pods);
        self.groups.extend(other.groups);
    }

    /// What the search shows if nothing is placed in the end: the status and the pods of each
    /// group.
    fn visible(&self) -> Vec<VisibleResult<'_>> {
        let mut visible = Vec::new();
        for (ix, result) in &self.pods {
            let pods = result.attempt.trials.iter().map(|trial| VisiblePod {
                pod: trial.pod,
                message: trial.message.as_deref(),
                node: trial.node(),
            });
            let (group, status) = (AnyGroup::Pods(*ix), &result.attempt.status);
            visible.push(VisibleResult { group, status, pods: pods.collect() });
        }
        for (ix, groups) in &self.groups {
            let (group, status) = (AnyGroup::Groups(*ix), &groups.found.attempt.status);
            visible.push(VisibleResult { group, status, pods: Vec::new() });
        }
        visible
    }
}

/// What the search shows for a group.
#[derive(PartialEq)]
struct VisibleResult<'r> {
    group: AnyGroup,
    status: &'r GroupSearchResult,
    pods: Vec<VisiblePod<'r>>,
}

/// What the search shows for a pod that was tried.
#[derive(PartialEq)]
struct VisiblePod<'r> {
    pod: PodIx,
    message: Option<&'r str>,
    /// The node, if it fits.
    node: Option<NodeIx>,
}

impl<'t> TreeSearch<'t> {
    /// The search for the waiting pods of a tree, without those being deleted.
    pub(in crate::groups) fn new(tree: &'t Tree, view: &ClusterView, now: Timestamp) -> Self {
        let waiting = tree.members.iter().map(|(ix, members)| {
            (
                *ix,
                members
                    .waiting
                    .iter()
                    .copied()
                    .filter(|pod| !view.cluster.pod(*pod).is_terminating())
                    .collect::<Vec<_>>(),
            )
        });
        Self { tree, waiting: waiting.collect(), now }
    }
}

impl TreeSearch<'_> {
    /// Searches nodes for the pods. Parity: placed pods lose their nominations for later searches.
    pub(in crate::groups) fn run(&self, view: &mut ClusterView, memory: &mut Memory) -> Results {
        let mut results = Results::default();
        let mut inner = view.clone();
        let root = AnyGroup::Groups(self.tree.root);
        let places_any = self.place(root, &mut inner, &mut results, memory);
        view.forget_as(&inner);
        // A root that has what it needs without a new pod is not scheduled.
        if let Some(groups) = results.groups.get_mut(&self.tree.root)
            && groups.found.attempt.status == GroupSearchResult::Fits
            && !places_any
        {
            groups.found.attempt.status = GroupSearchResult::nothing_new(&view.profile.features);
        }
        results
    }

    /// Places the pods of a group, if it gets what it needs. Returns whether a pod was placed.
    fn place(
        &self,
        group: AnyGroup,
        view: &mut ClusterView,
        results: &mut Results,
        memory: &mut Memory,
    ) -> bool {
        match group {
            AnyGroup::Pods(ix) => self.place_pods(ix, view, results, memory),
            AnyGroup::Groups(ix) => self.place_groups(ix, view, results, memory),
        }
    }

    fn place_pods(
        &self,
        group: GroupIx,
        view: &mut ClusterView,
        results: &mut Results,
        memory: &mut Memory,
    ) -> bool {
        let members = self.waiting.get(&group).map_or(&[][..], Vec::as_slice);
        let running = self.tree.running(AnyGroup::Pods(group));
        let search =
            GroupSearch { group, members, running: &running, now: self.now, post_filters: false };
        let result = placements::in_domains(&search, false, view, memory);
        let chosen = result.chosen.and_then(|index| result.placements.get(index));
        let mut places_any = false;
        // Later groups see the pods on their nodes only if enough of them fit.
        if let Some(chosen) = chosen.filter(|_| result.attempt.status == GroupSearchResult::Fits) {
            let mut inner = view.within(Arc::clone(&chosen.nodes));
            for (pod, node) in result.attempt.placed() {
                assume_and_reserve(pod, node, &mut inner, self.now);
                places_any = true;
            }
            *view = inner.within_that_of(view);
        }
        if let GroupSearchResult::Failed(_) = result.attempt.status {
            results.failed = Some((group, result.attempt.trials.clone()));
        }
        results.pods.insert(group, result);
        places_any
    }

    /// Searches every topology domain, and takes the best one in which enough children get what
    /// they need.
    fn place_groups(
        &self,
        group: CompositeIx,
        view: &mut ClusterView,
        results: &mut Results,
        memory: &mut Memory,
    ) -> bool {
        let mut end = |status: GroupSearchResult, differ: bool| {
            let found = SearchResult::of(PlacementAttempt::of(status));
            results.groups.insert(group, GroupsFound { found, fitting: 0, differ });
            false
        };
        let running = self.tree.running(AnyGroup::Groups(group));
        let domains = match domains(group, &running, view) {
            Ok(domains) if domains.is_empty() => {
                return end(GroupSearchResult::no_domain(), false);
            }
            Ok(domains) => domains,
            Err(error) => {
                let error = format!("cannot determine domain for already scheduled pods: {error}");
                return end(GroupSearchResult::Failed(error), false);
            }
        };
        let count = domains.len();

        // Each domain is searched independently of the others.
        let mut tried: Vec<TriedDomain> = Vec::with_capacity(domains.len());
        let mut tried_inside: Vec<TriedInside> = Vec::with_capacity(domains.len());
        let domains: Vec<PlacementDomain> = domains.into_values().collect();
        let limit = placements::most_domains(&domains, view);
        for PlacementDomain { name, nodes } in domains {
            let nodes: Arc<[NodeIx]> = nodes.into();
            let mut inner = view.within(Arc::clone(&nodes));
            let mut found = Results::default();
            let inside = self.place_inside(group, &mut inner, &mut found, memory);
            view.forget_as(&inner);
            if let GroupSearchResult::Failed(_) = inside.status {
                end(inside.status, count > 1);
                results.failed = found.failed.take();
                // Since 1.38 the groups below keep what they reported until then.
                if view.profile.features.pod_groups.groups_checked_together {
                    results.add(found);
                }
                return false;
            }
            let trial = self.placement_trial(group, name, nodes, &inside.status, &found);
            tried.push(TriedDomain { trial, attempt: PlacementAttempt::of(inside.status.clone()) });
            tried_inside.push(TriedInside { inside, results: found, view: inner });
        }
        placements::score(&mut tried, running.len(), view);
        let found = placements::take_best(
            tried,
            AllDomains { count, limit, begins_with_nominated: false },
            view,
            memory,
        );

        // Only the pods in the chosen domain stay for the groups that follow.
        let differ = found.chosen.is_none() && differ(&tried_inside);
        let index = found.chosen.unwrap_or(0).min(tried_inside.len().saturating_sub(1));
        let best = tried_inside.swap_remove(index);
        let places_any = found.chosen.is_some() && best.inside.places_any;
        if found.chosen.is_some() {
            *view = best.view.within_that_of(view);
        }
        results.add(best.results);
        results.groups.insert(group, GroupsFound { found, fitting: best.inside.fitting, differ });
        places_any
    }

    /// The result in a topology domain of a composite group.
    fn placement_trial(
        &self,
        group: CompositeIx,
        domain: Sym,
        nodes: Arc<[NodeIx]>,
        status: &GroupSearchResult,
        results: &Results,
    ) -> PlacementTrial {
        let fits = *status == GroupSearchResult::Fits;
        let mut placed = Vec::new();
        for leaf in self
            .tree
            .leaves(AnyGroup::Groups(group))
            .filter(|leaf| fits && self.is_kept(*leaf, group, results))
        {
            placed.extend(
                results.pods.get(&leaf).into_iter().flat_map(|result| result.attempt.placed()),
            );
        }
        let trials = results.pods.values().flat_map(|result| &result.attempt.trials);
        PlacementTrial {
            domain,
            nodes,
            placed,
            message: (!fits).then(|| status.text()),
            messages: trials.map(|trial| (trial.pod, trial.message.clone())).collect(),
            score: None,
        }
    }

    /// Tries the children of a composite group, until it is clear that too few get what they need.
    fn place_inside(
        &self,
        group: CompositeIx,
        view: &mut ClusterView,
        results: &mut Results,
        memory: &mut Memory,
    ) -> Inside {
        let children = self.tree.inside(group);
        let min_count = view.cluster.composite_group(group).min_count.unwrap_or(1);
        let mut looked = Looked { scheduled: 0, unschedulable: 0, remaining: children.len() };
        let mut places_any = false;
        let before = view.clone();
        let mut lack = shortfall(min_count, looked, view);
        for child in children {
            if lack.is_some() {
                break;
            }
            places_any |= self.place(*child, view, results, memory);
            if let Some(GroupSearchResult::Failed(error)) = results.status(*child) {
                let error = child_error(group, *child, error, view);
                return Inside {
                    status: GroupSearchResult::Failed(error),
                    fitting: looked.scheduled,
                    places_any: false,
                };
            }
            looked.remaining -= 1;
            if results.fits(*child) {
                looked.scheduled += 1;
            } else {
                looked.unschedulable += 1;
            }
            lack = shortfall(min_count, looked, view);
        }
        let fitting = looked.scheduled;
        let Some(reason) = lack else {
            return Inside { status: GroupSearchResult::Fits, fitting, places_any };
        };
        // Placed pods do not stay; nominations that were dropped on the way stay dropped.
        let lost = std::mem::replace(view, before);
        view.forget_as(&lost);
        // Parity: this reason is written without the usual prefix.
        let status = GroupSearchResult::unfit_for(reason);
        Inside { status, fitting, places_any: false }
    }

    /// Whether placed pods of a group stay, from the point of view of an ancestor.
    pub(super) fn is_kept(&self, group: GroupIx, above: CompositeIx, results: &Results) -> bool {
        let path = self.path(AnyGroup::Groups(above), group);
        path.into_iter().skip(1).all(|group| results.fits(group))
    }

    /// The groups from `from` down to a group of pods.
    pub(super) fn path(&self, from: AnyGroup, to: GroupIx) -> Vec<AnyGroup> {
        if from == AnyGroup::Pods(to) {
            return vec![from];
        }
        let AnyGroup::Groups(ix) = from else { return Vec::new() };
        let below = self
            .tree
            .inside(ix)
            .iter()
            .map(|child| self.path(*child, to))
            .find(|path| !path.is_empty());
        below.map_or_else(Vec::new, |below| std::iter::once(from).chain(below).collect())
    }
}

/// The error of a composite group whose child ends with one.
fn child_error(group: CompositeIx, child: AnyGroup, error: &str, view: &ClusterView) -> String {
    if !view.profile.features.pod_groups.groups_checked_together {
        return format!("composite pod group evaluation failed due to child error: {error}");
    }
    let name = |group: AnyGroup| go::quoted(view.cluster.text(view.cluster.names_of(group).1));
    let (group, child) = (name(AnyGroup::Groups(group)), name(child));
    format!("composite pod group {group} evaluation failed due to child {child} error: {error}")
}

/// The topology domains of a composite group with running pods; all nodes if it is not limited to
/// one.
fn domains<'c>(
    group: CompositeIx,
    running: &[PodIx],
    view: &ClusterView<'c>,
) -> Result<PlacementDomains<'c>, String> {
    let key = view.cluster.composite_group(group).topology_key;
    if key.is_empty() {
        return Ok(placements::everywhere(view));
    }
    Ok(placements::domains(key, placements::domain_of_running(running, key, view)?, view))
}

/// Whether another domain shows a different result than the first.
fn differ(tried: &[TriedInside]) -> bool {
    let mut all = tried.iter().map(|tried| tried.results.visible());
    let first = all.next();
    all.any(|other| Some(other) != first)
}
