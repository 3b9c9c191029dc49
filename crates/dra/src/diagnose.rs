//! Why a claim cannot be allocated on a node. A failed search has no single reason, but often one
//! request alone has too few devices.

use super::pools::{DevicePool, PoolDevice, PoolState, repelling};
use super::requests::{CheckedRequest, RequestChecker, WantPosition};
use super::{Allocator, Unallocated};
use model::cluster::devices::DeviceId;
use model::cluster::{NodeIx, Sym};

/// A request with too few devices on a node, and how many matching devices are in use or tainted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Index of the claim.
    pub claim: usize,
    pub request: Sym,
    /// The number of requested devices.
    pub wanted: usize,
    /// The number of devices of the node in usable pools.
    pub devices: usize,
    /// How many of them both class and request select.
    pub selected: usize,
    /// How many of those are allocated to claims.
    pub held: usize,
    /// How many of the rest have a taint that the request does not tolerate.
    pub tainted: usize,
}

/// The first request that has too few devices on its own, with the devices that it could have if
/// they were not in use. `None` if each request alone could be satisfied, but not all together.
pub(super) fn shortage<'c>(
    allocator: &'c Allocator<'c>,
    node: NodeIx,
    claims: &'c [Unallocated<'c>],
) -> Option<(Shortage, Vec<DeviceId>)> {
    let (cluster, features) = (allocator.cluster, allocator.features);
    let facts = cluster.node_facts(cluster.node(node));
    let mut pools = allocator.pools.of_node(cluster, features, facts).ok()?;
    pools.retain(|pool| match pool.state {
        PoolState::Usable => true,
        PoolState::Incomplete => !features.dra_whole_pools,
        PoolState::Invalid(_) => false,
    });
    let mut requests = RequestChecker::new(allocator, claims, facts);
    let checked_requests = requests.check(&pools).ok()?;
    let places: Vec<PoolDevice> = pools.iter().flat_map(DevicePool::places).collect();

    // A request is short if each of its alternatives is; the first alternative then represents it.
    for (claim, list) in checked_requests.iter().enumerate() {
        for (request, alternatives) in list.iter().enumerate() {
            let mut counted: Vec<CountedRequest> = Vec::with_capacity(alternatives.options.len());
            for (alternative, checked) in alternatives.options.iter().enumerate() {
                let at = WantPosition { claim, request, alternative };
                counted.push(CountedRequest::new(
                    at,
                    alternatives.request,
                    checked,
                    &places,
                    &mut requests,
                ));
            }
            if !counted.is_empty() && counted.iter().all(CountedRequest::is_short) {
                let first = counted.swap_remove(0);
                return Some((first.shortage, first.held));
            }
        }
    }
    None
}

/// An alternative of a request with the devices that it can have.
struct CountedRequest {
    shortage: Shortage,
    /// The devices that it could have if they were not in use.
    held: Vec<DeviceId>,
}

impl CountedRequest {
    fn new(
        at: WantPosition,
        request: Sym,
        checked: &CheckedRequest,
        places: &[PoolDevice],
        requests: &mut RequestChecker,
    ) -> Self {
        let allocator = requests.allocator;
        let (wanted, devices) = (checked.count.max(1), places.len());
        let mut shortage = Shortage {
            claim: at.claim,
            request,
            wanted,
            devices,
            selected: 0,
            held: 0,
            tainted: 0,
        };
        let mut held = Vec::new();
        for place in places {
            if !requests.is_selectable(at, checked, place).unwrap_or(false) {
                continue;
            }
            shortage.selected += 1;
            if allocator.in_use.is_whole(place.id) && checked.want.admin_access != Some(true) {
                shortage.held += 1;
                held.push(place.id);
            } else if repelling(allocator, checked.want, place.id, place.device).is_some() {
                shortage.tainted += 1;
            }
        }
        Self { shortage, held }
    }

    fn is_short(&self) -> bool {
        let Shortage { wanted, selected, held, tainted, .. } = self.shortage;
        selected - held - tainted < wanted
    }
}
