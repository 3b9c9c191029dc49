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
mod tests {
    use serde_json::Value;

    use crate::framework::storage_evidence::StorageSpace;
    use crate::testing::{
        Answer, claim, class, csi_driver, decide, node, objects, pod, storage_left,
    };

    const DRIVER: &str = "csi.example.com";

    /// Pod `p`, whose claim wants 4Gi, on nodes of the zones `a` and `b`, beside what storage there is.
    fn ask(storage: Vec<Value>) -> Answer {
        let objects = objects![
            node("a").zone("a"),
            node("b").zone("b"),
            class("fast", DRIVER),
            csi_driver(DRIVER),
            claim("c", "fast").size("4Gi"),
            pod("p").claim("c")
        ];
        decide([objects, storage].concat(), "p")
    }

    fn space<'a>(answer: &'a Answer, node: &str) -> &'a StorageSpace {
        answer.evidence(node)
    }

    #[test]
    fn insufficient_storage_reports_local_and_other_capacity() {
        let answer = ask(objects![
            storage_left("l1", "fast", "1Gi", ("zone", "a")),
            storage_left("l2", "fast", "2Gi", ("zone", "a")),
            storage_left("l3", "fast", "9Gi", ("zone", "z")),
            storage_left("l4", "other", "99Gi", ("zone", "a")),
        ]);
        assert_eq!(
            space(&answer, "a").here,
            Some(2 << 30),
            "the most that one of them has room for"
        );
        assert_eq!(space(&answer, "b").here, None, "nothing covers it");
        assert_eq!(space(&answer, "a").wanted, 4 << 30);
        let offers = &space(&answer, "a").offers;
        let rooms: Vec<(i64, usize)> =
            offers.largest.iter().map(|offer| (offer.room >> 30, offer.nodes)).collect();
        assert_eq!(rooms, [(9, 0), (2, 1), (1, 1)], "the largest first, those of the class alone");
    }

    #[test]
    fn the_largest_volume_limits_an_offer_and_the_list_ends() {
        let limited =
            storage_left("l", "fast", "9Gi", ("zone", "a")).with("/maximumVolumeSize", "3Gi");
        let many = (0..12)
            .map(|n| Value::from(storage_left(&format!("m{n:02}"), "fast", "1Gi", ("zone", "z"))));
        let answer = ask(objects![limited].into_iter().chain(many).collect());
        assert_eq!(space(&answer, "a").here, Some(3 << 30));
        let offers = &space(&answer, "a").offers;
        assert_eq!((offers.largest.len(), offers.more), (10, 3));
    }
}
