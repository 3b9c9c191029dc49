//! What the storage of a class can hold, and where. This is the question when a node has too
//! little.

use crate::framework::plugin::Cycle;
use crate::framework::storage_evidence::{StorageOffer, StorageOffers};
use model::cluster::storage::StorageCapacity;

/// Maximum number of capacities that are kept.
const MOST_OFFERS: usize = 10;

/// What the capacities of a class offer anywhere, the largest first.
pub(super) fn anywhere(capacities: &[&StorageCapacity], cycle: &Cycle) -> StorageOffers {
    let cluster = cycle.cluster();
    let mut sized: Vec<(i64, &StorageCapacity)> =
        capacities.iter().filter_map(|capacity| Some((capacity.limit()?, *capacity))).collect();
    sized.sort_by_key(|(room, _)| std::cmp::Reverse(*room));
    let more = sized.len().saturating_sub(MOST_OFFERS);
    sized.truncate(MOST_OFFERS);
    StorageOffers {
        largest: sized
            .into_iter()
            .map(|(room, capacity)| {
                let reaches = capacity.nodes.clone();
                let nodes = cluster
                    .nodes
                    .iter()
                    .filter(|node| reaches.matches(cluster.labels(node.labels)))
                    .count();
                StorageOffer { room, topology: reaches, nodes }
            })
            .collect(),
        more,
    }
}

#[cfg(test)]
mod tests;
