//! Topology domains: all pods of a group with a topology constraint go to nodes with the same value
//! of a label.
//!
//! Upstream: `pkg/scheduler/framework/plugins/topologyaware/topology_placement.go`,
//! `pkg/scheduler/schedule_one_podgroup.go` `podGroupSchedulingPlacementAlgorithm` (1.37).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::cycle::{GroupSearch, GroupSearchResult, PlacementAttempt};
use super::messages::PLACEMENTS;
use super::select::Memory;
use super::v1_36;
use crate::framework::cluster_view::ClusterView;
use crate::framework::plugin::MAX_NODE_SCORE;
use crate::framework::requests;
use crate::framework::utilization::percent;
use model::cluster::resources::ResourceKind;
use model::cluster::{Cluster, NodeIx, PodIx, Sym};

/// The result in one topology domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementTrial {
    /// The value of the label; empty if the group has no constraint.
    pub domain: Sym,
    /// Its nodes, by name.
    pub nodes: Arc<[NodeIx]>,
    /// The pods that were placed, with their nodes; empty if too few fit.
    pub placed: Vec<(PodIx, NodeIx)>,
    /// kube-scheduler's text, if too few fit.
    pub message: Option<String>,
    /// The pods that were tried, each with kube-scheduler's message if it does not fit.
    pub messages: Vec<(PodIx, Option<String>)>,
    /// Its score, if several domains are large enough.
    pub score: Option<i64>,
}

/// The result of a group's search for nodes.
pub(super) struct SearchResult {
    /// The attempt that counts.
    pub attempt: PlacementAttempt,
    /// The topology domains that were tried, by name.
    pub placements: Vec<PlacementTrial>,
    /// The domain that was chosen.
    pub chosen: Option<usize>,
    /// Whether the search ends with a different error in another domain.
    pub other_errors: bool,
    /// Whether the first domain is that of the nominated nodes, whose reasons are reported.
    pub begins_with_nominated: bool,
}

impl SearchResult {
    /// A result without domains.
    pub(super) const fn of(attempt: PlacementAttempt) -> Self {
        Self {
            attempt,
            placements: Vec::new(),
            chosen: None,
            other_errors: false,
            begins_with_nominated: false,
        }
    }

    /// Whether the status gives the reasons of an arbitrary domain or node, and those of others
    /// differ.
    pub(super) fn text_may_differ(&self) -> bool {
        self.other_errors
            || self.attempt.names_any_node()
            || (!self.begins_with_nominated
                && differ(&self.placements, self.chosen, |tried| &tried.message))
    }

    /// Whether other nodes tie for some pod, or the scheduler samples nodes or picks a domain at
    /// random.
    pub(super) fn nodes_tie(&self) -> bool {
        self.attempt.trials.iter().any(|trial| trial.result.is_open())
            || has_equals(&self.placements, self.chosen)
    }

    /// Whether another volume ties for some pod.
    pub(super) fn volumes_tie(&self) -> bool {
        self.attempt.trials.iter().any(|trial| !trial.volume_ties.is_empty())
    }
}

/// Whether another domain has the score of the chosen one.
pub(super) fn has_equals(placements: &[PlacementTrial], chosen: Option<usize>) -> bool {
    let score = chosen.and_then(|index| placements.get(index)).and_then(|chosen| chosen.score);
    score.is_some() && placements.iter().filter(|other| other.score == score).count() > 1
}

/// Whether the texts of domains differ when none of them is chosen and kube-scheduler reports an
/// arbitrary one.
pub(super) fn differ<'p, T: PartialEq>(
    placements: &'p [PlacementTrial],
    chosen: Option<usize>,
    text: impl Fn(&'p PlacementTrial) -> T,
) -> bool {
    let mut texts = placements.iter().map(text);
    let first = texts.next();
    chosen.is_none() && texts.any(|text| Some(text) != first)
}

impl GroupSearch<'_> {
    /// Places one pod after the other.
    fn place_all(&self, view: &ClusterView, memory: &mut Memory) -> PlacementAttempt {
        if view.profile.features.pod_groups.gangs_end_early {
            self.place_until_decided(view, memory)
        } else {
            v1_36::place_all(self, view, memory)
        }
    }

    /// Searches nodes for the pods: within one topology domain, if the group is limited to one.
    /// Parity: placed pods lose their nominations for later searches.
    pub(super) fn run(&self, view: &mut ClusterView, memory: &mut Memory) -> SearchResult {
        let features = &view.profile.features;
        let mut found = if features.pod_groups.group_placements {
            let first = features.pod_groups.group_nominations_first;
            in_domains(self, first, view, memory)
        } else {
            let attempt = self.place_all(view, memory);
            attempt.placed().for_each(|(pod, _)| view.forget_nomination(pod));
            SearchResult::of(attempt)
        };
        let nothing_new = found.attempt.placed().next().is_none();
        if found.attempt.status == GroupSearchResult::Fits
            && nothing_new
            && features.pod_groups.gangs_end_early
        {
            found.attempt.status = GroupSearchResult::nothing_new(features);
        }
        found
    }
}

/// A topology domain that was tried, with its result.
pub(super) struct TriedDomain {
    /// The reported result.
    pub trial: PlacementTrial,
    /// The search in it.
    pub attempt: PlacementAttempt,
}

impl TriedDomain {
    /// Whether enough pods fit.
    fn fits(&self) -> bool {
        self.trial.message.is_none()
    }
}

/// Searches every topology domain, and takes the best one in which enough pods fit. With
/// `nominated_first` that is the domain to which the pods are nominated, if they fit there.
pub(super) fn in_domains(
    search: &GroupSearch,
    nominated_first: bool,
    view: &mut ClusterView,
    memory: &mut Memory,
) -> SearchResult {
    let cluster = view.cluster;
    let key = cluster.pod_group(search.group).topology_key;
    let domains = if key.is_empty() {
        everywhere(view)
    } else {
        match domain_of_running(search.running, key, view) {
            Ok(required) => domains(key, required, view),
            Err(error) => {
                let error = format!("cannot determine domain for already scheduled pods: {error}");
                return SearchResult::of(PlacementAttempt::of(GroupSearchResult::Failed(error)));
            }
        }
    };
    if domains.is_empty() {
        return SearchResult::of(PlacementAttempt::of(GroupSearchResult::no_domain()));
    }

    let mut domains: Vec<PlacementDomain> = domains.into_values().collect();
    let nominated =
        nominated_first.then(|| nominated_domain(search.members, &domains, cluster)).flatten();
    if let Some(first) = nominated.and_then(|index| domains.get_mut(..=index)) {
        first.rotate_right(1);
    }
    let limit = most_domains(&domains, view);

    // Each domain is searched independently of the others.
    let mut tried: Vec<TriedDomain> = Vec::with_capacity(domains.len());
    let count = domains.len();
    let mut remaining = domains.into_iter();
    while let Some(PlacementDomain { name, nodes }) = remaining.next() {
        let nodes: Arc<[NodeIx]> = nodes.into();
        let attempt = search.place_all(&view.within(Arc::clone(&nodes)), memory);
        attempt.placed().for_each(|(pod, _)| view.forget_nomination(pod));
        if let GroupSearchResult::Failed(_) = attempt.status {
            // Parity: domains come in the order of a map, and the first error ends the search.
            let other_errors = remaining.any(|domain| {
                let other = search.place_all(&view.within(domain.nodes.into()), memory).status;
                matches!(other, GroupSearchResult::Failed(_)) && other != attempt.status
            });
            return SearchResult { other_errors, ..SearchResult::of(attempt) };
        }
        let fits = attempt.status == GroupSearchResult::Fits || attempt.awaits_victims;
        let is_nominated = nominated.is_some() && tried.is_empty();
        let in_vain = is_nominated && fits && attempt.placed().next().is_none();
        let message = if in_vain { Some(NOTHING_NOMINATED.to_owned()) } else { None };
        let trial = PlacementTrial {
            domain: name,
            nodes,
            placed: if fits { attempt.placed().collect() } else { Vec::new() },
            message: message.or_else(|| (!fits).then(|| attempt.status.text())),
            messages: attempt
                .trials
                .iter()
                .map(|trial| (trial.pod, trial.message.clone()))
                .collect(),
            score: None,
        };
        tried.push(TriedDomain { trial, attempt });
        // A group that fits where it is nominated goes nowhere else.
        if is_nominated && fits && !in_vain {
            break;
        }
    }
    score(&mut tried, search.running.len(), view);
    let all = AllDomains { count, limit, begins_with_nominated: nominated.is_some() };
    take_best(tried, all, view, memory)
}

/// The reason for a group that fits in the domain of its nominated nodes, but none of whose waiting
/// pods does.
const NOTHING_NOMINATED: &str = "nominated placement is feasible but no pending pod was scheduled";

/// The domain with nodes to which these pods are nominated; `None` if there are several.
fn nominated_domain(
    members: &[PodIx],
    domains: &[PlacementDomain],
    cluster: &Cluster,
) -> Option<usize> {
    let nodes = members.iter().map(|pod| cluster.pod(*pod).nominated_node);
    let nodes: Vec<NodeIx> =
        nodes.filter_map(|name| cluster.find_node(cluster.text(name))).collect();
    let mut with_nominated = (0..domains.len()).filter(|index| {
        let domain = domains.get(*index);
        domain.is_some_and(|domain| domain.nodes.iter().any(|node| nodes.contains(node)))
    });
    let first = with_nominated.next()?;
    with_nominated.next().is_none().then_some(first)
}

/// After how many domains in which enough pods fit the search ends.
///
/// Upstream: `pkg/scheduler/algorithm_podgroup.go` `numFeasiblePlacementsToFind` (1.38).
pub(super) fn most_domains(domains: &[PlacementDomain], view: &ClusterView) -> usize {
    if !view.profile.features.pod_groups.group_domains_sampled {
        return domains.len();
    }
    // By default all domains of a small cluster, and a tenth of them at 5,000 nodes.
    let nodes: usize = domains.iter().map(|domain| domain.nodes.len()).sum();
    let by_size = 100_usize.saturating_sub(nodes * 9 / 500).max(5);
    let configured = view.profile.percentage_of_placements_to_score.filter(|share| *share > 0);
    let share = configured.and_then(|share| usize::try_from(share).ok()).unwrap_or(by_size);
    (domains.len() * share / 100).max(1)
}

/// A topology domain.
pub(super) struct PlacementDomain {
    /// The value of the label; empty for all nodes.
    pub name: Sym,
    /// Its nodes, by name.
    pub nodes: Vec<NodeIx>,
}

/// Topology domains by name.
pub(super) type PlacementDomains<'c> = BTreeMap<&'c str, PlacementDomain>;

/// A single domain of all nodes that the search is limited to.
pub(super) fn everywhere<'c>(view: &ClusterView<'c>) -> PlacementDomains<'c> {
    let nodes = view.cluster.node_indices().filter(|node| view.is_in_placement(*node)).collect();
    BTreeMap::from([("", PlacementDomain { name: Sym::EMPTY, nodes })])
}

/// The domains of the label `key`, or only the `required` one.
pub(super) fn domains<'c>(
    key: Sym,
    required: Option<Sym>,
    view: &ClusterView<'c>,
) -> PlacementDomains<'c> {
    let mut domains = PlacementDomains::new();
    for node in view.cluster.node_indices().filter(|node| view.is_in_placement(*node)) {
        let Some(name) = view.node_label(node, key) else { continue };
        if name.is_empty() && view.profile.features.pod_groups.group_domains_sampled {
            continue;
        }
        if required.is_none_or(|required| required == name) {
            let domain = domains.entry(view.cluster.text(name));
            domain.or_insert_with(|| PlacementDomain { name, nodes: Vec::new() }).nodes.push(node);
        }
    }
    domains
}

/// The domains that a search may try.
#[derive(Debug, Clone, Copy)]
pub(super) struct AllDomains {
    pub count: usize,
    /// After how many in which enough pods fit it ends, see [`most_domains`].
    pub limit: usize,
    /// Whether the first is that of the nominated nodes.
    pub begins_with_nominated: bool,
}

/// Takes the domain with the highest score. If too few pods fit in any, the result gives the reasons
/// of one of them: the first, if it is that of the nominated nodes.
pub(super) fn take_best(
    tried: Vec<TriedDomain>,
    all: AllDomains,
    view: &ClusterView,
    memory: &mut Memory,
) -> SearchResult {
    let AllDomains { count, limit, begins_with_nominated } = all;
    // Parity: domains come in a random order, and the search ends once enough of them fit.
    memory.choices.is_unlisted |= tried.iter().filter(|domain| domain.fits()).count() > limit;

    // Parity: ties are broken at random; the first domain by name is the one that is shown.
    let fitting = tried.iter().enumerate().filter(|(_, domain)| domain.fits());
    let best = fitting.max_by_key(|(index, domain)| (domain.trial.score, Reverse(*index)));
    let chosen = best.map(|(shown, best)| {
        let equals = tried
            .iter()
            .enumerate()
            .filter(|(_, domain)| domain.fits() && domain.trial.score == best.trial.score);
        let equals: Vec<usize> = equals.map(|(index, _)| index).collect();
        let placed = tried.iter().flat_map(|domain| domain.trial.placed.iter().copied()).collect();
        memory.choose_domain(shown, &equals, placed)
    });

    // The result is the attempt in the chosen domain, or in the first one as a representative.
    let reported = chosen.unwrap_or_else(|| {
        if count > 1 {
            memory.fits_nowhere();
        }
        let options = if begins_with_nominated { vec![0] } else { texts(&tried) };
        memory.choose_domain(0, &options, Vec::new())
    });
    let last = tried.len().saturating_sub(1);
    let (placements, mut attempts): (Vec<PlacementTrial>, Vec<PlacementAttempt>) =
        tried.into_iter().map(|domain| (domain.trial, domain.attempt)).unzip();
    let mut attempt = attempts.swap_remove(reported.min(last));
    if chosen.is_none() {
        let reported = placements.get(reported).and_then(|tried| tried.message.clone());
        let first = match attempt.status {
            GroupSearchResult::Fits => reported.unwrap_or_default(),
            _ => cause(&attempt.status),
        };
        let text = PLACEMENTS.with([&count.to_string(), &first]).render(view.cluster).into_owned();
        let features = &view.profile.features;
        attempt.status = if features.pod_groups.gangs_end_early {
            GroupSearchResult::unfit(vec![text], features)
        } else {
            GroupSearchResult::unfit_for(text)
        };
    }
    SearchResult { attempt, placements, chosen, other_errors: false, begins_with_nominated }
}

/// For each different text about the group or its pods the first domain that has it.
fn texts(tried: &[TriedDomain]) -> Vec<usize> {
    let text = |domain: &TriedDomain| (domain.trial.message.clone(), domain.trial.messages.clone());
    let mut firsts: Vec<usize> = Vec::new();
    for (index, domain) in tried.iter().enumerate() {
        let same = firsts.iter().filter_map(|first| tried.get(*first));
        if !same.into_iter().any(|other| text(other) == text(domain)) {
            firsts.push(index);
        }
    }
    firsts
}

/// Upstream's `AsError` of a status: the error that was set, if any, hides the reasons.
fn cause(status: &GroupSearchResult) -> String {
    match status {
        GroupSearchResult::Unfit { prefixed: true, .. } => {
            super::messages::UNSCHEDULABLE.text.to_owned()
        }
        _ => status.text(),
    }
}

/// The domain of the group's running pods, if there are any.
pub(super) fn domain_of_running(
    running: &[PodIx],
    key: Sym,
    view: &ClusterView,
) -> Result<Option<Sym>, String> {
    let cluster = view.cluster;
    let mut found: Option<Sym> = None;
    for pod in running {
        let name = cluster.pod_name(*pod);
        let Some(node) = cluster.node_of(*pod) else {
            let node = cluster.text(cluster.pod(*pod).node_name);
            return Err(format!(
                "getting node for pod {name}: nodeinfo not found for node name {node:?}"
            ));
        };
        let domain = view
            .node_label(node, key)
            .ok_or_else(|| format!("no topology domain found for pod {name}"))?;
        let is_strict = view.profile.features.pod_groups.group_domains_sampled;
        if is_strict && domain.is_empty() {
            return Err(format!("empty topology domain found for pod {name}"));
        }
        if let Some(other) = found.filter(|other| !other.is_empty() && *other != domain) {
            let (other, domain) = (cluster.text(other), cluster.text(domain));
            let (other, domain) = if is_strict {
                (go::quoted(other), go::quoted(domain))
            } else {
                (other.to_owned(), domain.to_owned())
            };
            return Err(format!("more than 1 domain found for pod group: {other}, {domain}"));
        }
        found = Some(domain);
    }
    Ok(found)
}

/// Whether another order of the running pods, which the API does not show, gives a different error
/// than the order of their names.
pub(super) fn names_any(running: &[PodIx], key: Sym, view: &ClusterView) -> bool {
    let pairs = running.iter().flat_map(|a| running.iter().map(move |b| [*a, *b]));
    let mut errors = pairs.filter_map(|pair| domain_of_running(&pair, key, view).err());
    let first = errors.next();
    !key.is_empty()
        && view.profile.features.pod_groups.group_placements
        && errors.any(|other| Some(other) != first)
}

impl PlacementTrial {
    /// How many pods of the group would run, with as many that run already.
    fn pods(&self, running: usize) -> i64 {
        i64::try_from(running + self.placed.len()).unwrap_or(i64::MAX)
    }
}

/// Scores the domains in which enough pods fit, if there are several: by the share of pods placed,
/// and by the utilization of the domain.
///
/// Upstream: `pkg/scheduler/framework/plugins/podgrouppodscount/podgrouppodscount.go`,
/// `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go` `scorePlacement` (1.37).
pub(super) fn score(tried: &mut [TriedDomain], running: usize, view: &ClusterView) {
    // A single domain wins without a score.
    if tried.iter().filter(|domain| domain.fits()).count() < 2 {
        return;
    }
    let fitting = tried.iter().filter(|domain| domain.fits());
    let most = fitting.map(|domain| domain.trial.pods(running)).max().unwrap_or(0);
    for domain in tried.iter_mut().filter(|domain| domain.fits()) {
        let pods = domain.trial.pods(running);
        let share = pods.saturating_mul(MAX_NODE_SCORE).checked_div(most).unwrap_or(0);
        domain.trial.score = Some(share + utilization(&domain.trial, view));
    }
}

/// The utilization of a domain with the pods of the group.
fn utilization(trial: &PlacementTrial, view: &ClusterView) -> i64 {
    let (mut score, mut weights) = (0_i64, 0_i64);
    for resource in &view.profile.args.fit_scoring.resources {
        let kind = ResourceKind::of(&resource.name);
        let Some(name) = view.cluster.symbols.get(&resource.name) else { continue };
        let mut requested = 0_i64;
        for (pod, _) in &trial.placed {
            requested += scored_request(*pod, kind, name, view);
        }
        // A node without the resource does not count, nor does any node if no pod of the group
        // requests a scalar resource.
        let mut allocatable = 0_i64;
        for node in trial.nodes.iter() {
            let own = view.node(*node).allocatable.amount(kind, name);
            if (requested == 0 && kind == ResourceKind::Scalar) || own == 0 {
                continue;
            }
            allocatable = allocatable.wrapping_add(own);
            for pod in &view.info(*node).pods {
                requested = requested.wrapping_add(scored_request(*pod, kind, name, view));
            }
        }
        if allocatable != 0 {
            score += percent(requested, allocatable) * resource.weight;
            weights += resource.weight;
        }
    }
    score.checked_div(weights).unwrap_or(0)
}

/// What a pod requests of a resource in scores, which count cpu and memory of containers without
/// requests by a default.
fn scored_request(pod: PodIx, kind: ResourceKind, name: Sym, view: &ClusterView) -> i64 {
    let (cluster, pod) = (view.cluster, view.cluster.pod(pod));
    if !matches!(kind, ResourceKind::Cpu | ResourceKind::Memory) {
        return view.footprint(pod).amount(kind, name);
    }
    let Some(requests) = cluster.resource_requests.get(pod.resource_requests) else { return 0 };
    let features = &view.profile.features.requests;
    let (cpu, memory) = requests::non_zero_footprint(requests, cluster, features);
    if kind == ResourceKind::Cpu { cpu } else { memory }
}
