//! What keeps a claim from its devices on a node, told from the devices themselves: a search that failed has no single
//! reason, but often one request shows it.

use super::pools::PoolState;
use super::requests::{CheckedRequest, RequestChecker};
use super::{Allocator, Unallocated, taints};
use crate::cluster::node::NodeIx;
use crate::cluster::symbols::Sym;

/// A request that cannot be satisfied on a node, and what becomes of the node's devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Index of the claim.
    pub claim: usize,
    /// The request.
    pub request: Sym,
    /// Devices asked for.
    pub wanted: usize,
    /// Devices of the node in usable pools.
    pub devices: usize,
    /// Of these: selected by class and request.
    pub selected: usize,
    /// Of these: held by claims.
    pub held: usize,
    /// Of the others: repelling by a taint.
    pub tainted: usize,
}

/// The first request that has too few devices even alone. `None`: each could be satisfied, not all together.
pub(super) fn shortage<'c>(
    allocator: &'c Allocator<'c>,
    node: NodeIx,
    claims: &'c [Unallocated<'c>],
) -> Option<Shortage> {
    let (cluster, features) = (allocator.cluster, allocator.features);
    let facts = cluster.node_facts(cluster.node(node));
    let mut pools = allocator.pools.of_node(cluster, features, facts).ok()?;
    pools.retain(|p| p.state == PoolState::Usable || (p.state == PoolState::Incomplete && !features.dra_whole_pools));
    let mut requests = RequestChecker::new(allocator, claims, facts);
    let checked_requests = requests.check(&pools).ok()?;
    let places: Vec<_> = pools.iter().flat_map(super::pools::DevicePool::places).collect();
    let mut count = |at, checked: &CheckedRequest, request| {
        let mut shortage = Shortage {
            claim: 0,
            request,
            wanted: checked.count.max(1),
            devices: places.len(),
            selected: 0,
            held: 0,
            tainted: 0,
        };
        for place in &places {
            if !requests.is_selectable(at, checked, place).unwrap_or(false) {
                continue;
            }
            shortage.selected += 1;
            if allocator.in_use.is_whole(place.id) && checked.want.admin_access != Some(true) {
                shortage.held += 1;
            } else if taints::repelling(allocator, checked.want, place.id, place.device).is_some() {
                shortage.tainted += 1;
            }
        }
        shortage
    };
    for (claim, list) in checked_requests.iter().enumerate() {
        for (number, alternatives) in list.iter().enumerate() {
            let counted: Vec<Shortage> = alternatives
                .options
                .iter()
                .enumerate()
                .map(|(alternative, checked)| count((claim, number, alternative), checked, alternatives.request))
                .collect();
            let is_short = |s: &Shortage| s.selected - s.held - s.tainted < s.wanted;
            if let Some(first) = counted.first().filter(|_| counted.iter().all(is_short)) {
                return Some(Shortage { claim, ..*first });
            }
        }
    }
    None
}
