//! Why a claim cannot be allocated on a node. A failed search has no single reason, but often one request alone has too
//! few devices.

use super::pools::PoolState;
use super::requests::{CheckedRequest, RequestChecker};
use super::{Allocator, Unallocated, taints};
use model::cluster::devices::DeviceId;
use model::cluster::node::NodeIx;
use model::cluster::symbols::Sym;

/// A request with too few devices on a node, and how many of its devices match, are in use or are tainted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Index of the claim.
    pub claim: usize,
    /// The request.
    pub request: Sym,
    /// The number of requested devices.
    pub wanted: usize,
    /// The number of devices of the node in usable pools.
    pub devices: usize,
    /// How many of them class and request select.
    pub selected: usize,
    /// How many of those are allocated to claims.
    pub held: usize,
    /// How many of the others have a taint that the request does not tolerate.
    pub tainted: usize,
}

/// The first request that has too few devices on its own. `None` if each request could be satisfied, but not all of
/// them together. With it the devices that it could have if they were not in use.
pub(super) fn shortage<'c>(
    allocator: &'c Allocator<'c>,
    node: NodeIx,
    claims: &'c [Unallocated<'c>],
) -> Option<(Shortage, Vec<DeviceId>)> {
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
        let mut held = Vec::new();
        for place in &places {
            if !requests.is_selectable(at, checked, place).unwrap_or(false) {
                continue;
            }
            shortage.selected += 1;
            if allocator.in_use.is_whole(place.id) && checked.want.admin_access != Some(true) {
                shortage.held += 1;
                held.push(place.id);
            } else if taints::repelling(allocator, checked.want, place.id, place.device).is_some() {
                shortage.tainted += 1;
            }
        }
        (shortage, held)
    };
    for (claim, list) in checked_requests.iter().enumerate() {
        for (number, alternatives) in list.iter().enumerate() {
            let mut counted: Vec<(Shortage, Vec<DeviceId>)> = alternatives
                .options
                .iter()
                .enumerate()
                .map(|(alternative, checked)| count((claim, number, alternative), checked, alternatives.request))
                .collect();
            let is_short = |s: &Shortage| s.selected - s.held - s.tainted < s.wanted;
            if !counted.is_empty() && counted.iter().all(|(shortage, _)| is_short(shortage)) {
                let (first, held) = counted.swap_remove(0);
                return Some((Shortage { claim, ..first }, held));
            }
        }
    }
    None
}
