//! What is free in total, and how much of it is in pieces large enough for a copy.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::HeadroomSettings;
use super::copies::Asker;
use super::count::{Leaving, fill};
use model::cluster::{NodeIx, PodIx};
use scheduler::decision::prepare;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::PreparedCycle;
use scheduler::framework::operands::ResourceId;
use scheduler::framework::status::FilterVerdict;

/// The free resources for copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces {
    /// How many copies the free resources of these nodes would hold if they were contiguous; `None`
    /// for a pod that requests nothing.
    pub in_sum: Option<usize>,
    /// The nodes that take a copy, or would after the movable pods leave.
    pub nodes: usize,
    /// What is free on these nodes.
    pub resources: Vec<FreeResource>,
    /// The resource that runs out first.
    pub scarcest: Option<String>,
    /// The conclusion.
    pub state: PiecesState,
}

/// Whether resources are missing or merely fragmented.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PiecesState {
    /// Copies fit, and hardly more would if everything free were contiguous.
    #[default]
    Room,
    /// Noticeably more would fit if everything free were contiguous.
    Fragmented,
    /// Not one more would fit, however the free resources were arranged.
    Full,
}

/// A resource that a copy requests, on the nodes that may take one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeResource {
    pub resource: String,
    /// What a copy requests.
    pub requested: String,
    /// What is free in total.
    pub free: String,
    /// The largest piece, on one node.
    pub largest: String,
}

/// What a pod requests, in the order in which the scheduler checks it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// The resources with their amounts, none of them 0.
    pub requests: Vec<(ResourceId, i64)>,
}

impl Shape {
    /// The requests of a waiting pod.
    pub fn of(view: &ClusterView, pod: PodIx) -> Self {
        let wanted = view.incoming(view.cluster.pod(pod));
        let of_node = [ResourceId::Cpu, ResourceId::Memory, ResourceId::EphemeralStorage];
        let scalars = wanted.scalars.iter().map(|(name, _)| ResourceId::Scalar(*name));
        let all = of_node.into_iter().chain(scalars);
        let amounts = all.map(|resource| (resource, resource.of(&wanted)));
        Self { requests: amounts.filter(|(_, amount)| *amount > 0).collect() }
    }
}

/// The amount of a resource that neither running nor nominated pods request on a node.
pub(super) fn free_on(view: &ClusterView, node: NodeIx, asks: PodIx, resource: ResourceId) -> i64 {
    let facts = view.cluster.node(node);
    let used = facts.used(view.requested_on(node));
    let nominated = view.nominated_pods(node, asks);
    let nominated: i64 = nominated.map(|pod| resource.of(view.requested_by(pod))).sum();
    resource.of(&facts.allocatable).saturating_sub(resource.of(&used)).saturating_sub(nominated)
}

/// The insufficient resources if they are the only reason of a node's rejection; else `None`.
pub(super) fn lacks_of(prepared: &PreparedCycle, node: NodeIx) -> Option<BTreeSet<String>> {
    let mut lacks = BTreeSet::new();
    for (_, verdict) in prepared.refusals(node) {
        let FilterVerdict::Rejected(rejection) = verdict else { return None };
        for reason in &rejection.reasons {
            let lack = reason.lack()?;
            if lack.requested > lack.allocatable {
                return None;
            }
            lacks.insert(lack.resource.name(prepared.cycle.cluster()).to_owned());
        }
    }
    Some(lacks)
}

/// The free resources for copies, `placed` of which fit.
pub(super) fn of(
    view: &ClusterView,
    asker: &Asker,
    shape: &Shape,
    placed: usize,
    now: Timestamp,
) -> Pieces {
    let settings = HeadroomSettings { profile: view.profile, now };
    let mut most = usize::MAX;
    let filled = fill(view, asker.never, asker.copy, Leaving::Movable, settings);
    let nodes: Vec<NodeIx> = if let Some(filled) = filled {
        most = filled.iter().map(|(_, copies)| copies).sum();
        filled.iter().filter(|(_, copies)| *copies > 0).map(|(node, _)| *node).collect()
    } else {
        // If copies depend on each other, a node may take one if it lacks nothing but resources.
        let prepared = prepare(view, asker.never, now);
        view.cluster.node_indices().filter(|node| lacks_of(&prepared, *node).is_some()).collect()
    };

    let mut pieces = Pieces { nodes: nodes.len(), ..Pieces::default() };
    for (resource, requested) in &shape.requests {
        let (mut free, mut largest) = (0i64, 0);
        for node in &nodes {
            let here = free_on(view, *node, asker.never, *resource).max(0);
            free = free.saturating_add(here);
            largest = largest.max(here);
        }
        let enough_for = usize::try_from(free / requested).unwrap_or(usize::MAX);
        if pieces.in_sum.is_none_or(|fewest| enough_for < fewest) {
            pieces.in_sum = Some(enough_for);
            pieces.scarcest = Some(resource.name(view.cluster).to_owned());
        }
        let text = |value| resource.amount(value, view.cluster);
        pieces.resources.push(FreeResource {
            resource: resource.name(view.cluster).to_owned(),
            requested: text(*requested),
            free: text(free),
            largest: text(largest),
        });
    }
    pieces.in_sum = pieces.in_sum.map(|enough_for| enough_for.min(most).max(placed));
    pieces.state = match pieces.in_sum {
        Some(0) => PiecesState::Full,
        None if placed == 0 => PiecesState::Full,
        // Some rest is always left over; a tenth is tolerated.
        Some(in_sum) if in_sum - placed > in_sum / 10 => PiecesState::Fragmented,
        Some(_) | None => PiecesState::Room,
    };
    pieces
}
