//! The largest pod that fits. Arithmetic proposes an amount; decisions about a pod with this
//! amount, and about one that is a unit larger, confirm it.

use super::copies;
use super::pieces::{Shape, free_on, lacks_of};
use super::{Amount, HeadroomSettings};
use model::cluster::{Cluster, PodIx, Quantity};
use model::edits::{self, Edit};
use scheduler::decision::{decide, prepare};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::operands::ResourceId;

/// The scale, in thousandths, of a pod with the same proportions.
const WHOLE: i64 = 1_000;
const MEBIBYTE: i64 = 1 << 20;

/// The largest pod that fits, by one measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargestPod {
    /// The one resource that is increased; `None` if all are, by the same factor.
    pub grown: Option<String>,
    pub requests: Vec<Amount>,
    /// A node on which it fits.
    pub node: String,
}

/// A pod that may be the largest.
struct Proposal {
    grown: Option<ResourceId>,
    /// Its requests, and those of one that is too large.
    fits: Vec<(ResourceId, i64)>,
    too_large: Vec<(ResourceId, i64)>,
}

/// The largest pod by each resource, and the largest of the same proportions.
pub(super) fn of(
    view: &ClusterView,
    asks: PodIx,
    shape: &Shape,
    settings: HeadroomSettings,
) -> Vec<LargestPod> {
    let proposals = proposals(view, asks, shape, settings);
    if proposals.is_empty() {
        return Vec::new();
    }

    // All proposals are tried in one cluster, as waiting pods that nothing depends on.
    let mut cluster = view.cluster.clone();
    let pods = copies::add(&mut cluster, asks, 2 * proposals.len(), settings.now);
    for (proposal, pods) in proposals.iter().zip(pods.chunks_exact(2)) {
        let &[fits, too_large] = pods else { continue };
        if !request(&mut cluster, fits, shape, &proposal.fits)
            || !request(&mut cluster, too_large, shape, &proposal.too_large)
        {
            return Vec::new();
        }
    }
    let tried = ClusterView::new(&cluster, settings.profile);
    let mut largest = Vec::new();
    for (proposal, pods) in proposals.iter().zip(pods.chunks_exact(2)) {
        let &[fits, too_large] = pods else { continue };
        let decision = decide(&tried, fits, settings.now);
        let node = decision.fits().then(|| decision.selected().first().copied()).flatten();
        let Some(node) = node else { continue };
        if decide(&tried, too_large, settings.now).fits() {
            continue;
        }
        let amounts = proposal.fits.iter();
        largest.push(LargestPod {
            grown: proposal.grown.map(|resource| resource.name(&cluster).to_owned()),
            requests: amounts.map(|(id, value)| Amount::of(*id, *value, &cluster)).collect(),
            node: cluster.node_name(node).to_owned(),
        });
    }
    largest
}

fn proposals(
    view: &ClusterView,
    asks: PodIx,
    shape: &Shape,
    settings: HeadroomSettings,
) -> Vec<Proposal> {
    let prepared = prepare(view, asks, settings.now);
    let mut by_resource: Vec<i64> = vec![0; shape.requests.len()];
    let mut factor = 0;
    for node in view.cluster.node_indices() {
        let Some(lacks) = lacks_of(&prepared, node) else { continue };
        // A node that has reached its maximum number of pods takes none of any size.
        if lacks.contains("pods") {
            continue;
        }
        let mut factor_here = i64::MAX;
        for (at, (resource, requested)) in shape.requests.iter().enumerate() {
            let free = free_on(view, node, asks, *resource);
            // One resource can grow on a node that lacks nothing else.
            if let Some(most) = by_resource.get_mut(at)
                && lacks.iter().all(|lack| *lack == resource.name(view.cluster))
            {
                *most = (*most).max(free);
            }
            let times = free.saturating_mul(WHOLE).checked_div(*requested).unwrap_or(0);
            factor_here = factor_here.min(times);
        }
        if !shape.requests.is_empty() {
            factor = factor.max(factor_here);
        }
    }

    let mut proposals = Vec::new();
    for ((grown, _), most) in shape.requests.iter().zip(by_resource) {
        // One that already fits is the largest if nothing beyond it is free.
        if most > 0 {
            proposals.push(Proposal {
                grown: Some(*grown),
                fits: with_amount(&shape.requests, *grown, most),
                too_large: with_amount(&shape.requests, *grown, most.saturating_add(1)),
            });
        }
    }
    if factor > 0 && shape.requests.len() > 1 {
        let scaled = shape
            .requests
            .iter()
            .map(|(id, value)| (*id, rounded(*id, value.saturating_mul(factor) / WHOLE)));
        proposals.push(Proposal {
            grown: None,
            fits: scaled.collect(),
            too_large: grown(&shape.requests, factor + 1),
        });
    }
    proposals
}

/// The requests with another amount of one resource.
fn with_amount(
    requests: &[(ResourceId, i64)],
    resource: ResourceId,
    amount: i64,
) -> Vec<(ResourceId, i64)> {
    let mut changed = requests.to_vec();
    for (id, value) in &mut changed {
        if *id == resource {
            *value = amount;
        }
    }
    changed
}

/// The amounts times `factor` thousandths, rounded up.
fn grown(requests: &[(ResourceId, i64)], factor: i64) -> Vec<(ResourceId, i64)> {
    requests
        .iter()
        .map(|(id, value)| (*id, value.saturating_mul(factor).saturating_add(WHOLE - 1) / WHOLE))
        .collect()
}

/// An amount as people write it: memory in whole mebibytes.
fn rounded(resource: ResourceId, value: i64) -> i64 {
    let in_bytes = matches!(resource, ResourceId::Memory | ResourceId::EphemeralStorage);
    if in_bytes && value > MEBIBYTE { value - value % MEBIBYTE } else { value }
}

/// Changes a pod's total request by changing the request that determines it. Returns whether that
/// is possible: other containers and the overhead stay as they are.
fn request(
    cluster: &mut Cluster,
    pod: PodIx,
    shape: &Shape,
    amounts: &[(ResourceId, i64)],
) -> bool {
    for ((resource, before), (_, wanted)) in shape.requests.iter().zip(amounts) {
        let name = resource.name(cluster).to_owned();
        let Some(symbol) = cluster.symbols.get(&name) else { return false };
        let Some(written) = cluster.deciding_request(pod, symbol) else { return false };
        let own = if *resource == ResourceId::Cpu {
            written.amount.milli_value()
        } else {
            written.amount.value()
        };
        let changed = own.saturating_add(wanted - before);
        if changed < 0 {
            return false;
        }
        let quantity = if *resource == ResourceId::Cpu {
            Quantity::from_milli(changed)
        } else {
            Quantity::from_units(changed)
        };
        if quantity.compare(written.least).is_lt() {
            return false;
        }
        let amount = resource.amount(changed, cluster);
        let edit = Edit::Request { resource: name, amount };
        if edits::apply(cluster, &[pod], &[edit]).is_err() {
            return false;
        }
    }
    true
}
