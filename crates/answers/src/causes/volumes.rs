//! How much storage and how many volumes nodes have for a pod, over all nodes of a group.

#[cfg(test)]
mod tests;

use crate::words;
use engine::cluster::Cluster;
use engine::cluster::node_selector::NodeRequirement;
use engine::cluster::selector::Selector;
use engine::framework::asked_label::condition;
use engine::framework::operands::ResourceId;
use engine::framework::storage_evidence::{StorageOffer, StorageOffers, StorageSpace, VolumeLimit};

/// Maximum number of places that a line names.
const NAMED: usize = 2;

/// The storage for a claim on some nodes, and elsewhere.
#[derive(Debug, Clone)]
pub(super) struct SpaceSpan {
    space: StorageSpace,
    /// Whether the nodes have different amounts.
    differs: bool,
}

impl SpaceSpan {
    pub(super) fn new(space: &StorageSpace) -> Self {
        Self { space: space.clone(), differs: false }
    }

    /// Adds what another node can reach.
    pub(super) fn add(&mut self, space: &StorageSpace) {
        self.differs |= self.space.here != space.here;
        self.space.here = self.space.here.max(space.here);
    }

    /// What the claim requests, what the nodes can reach, and which storage elsewhere would be
    /// enough.
    pub(super) fn text(&self, cluster: &Cluster) -> String {
        let StorageSpace { claim, class, wanted, here, offers } = &self.space;
        let at_most = if self.differs { "at most " } else { "" };
        let here = match here {
            Some(here) => format!("{at_most}{} there", bytes(*here, cluster)),
            None => "no CSIStorageCapacity covers it there".to_owned(),
        };

        // Storage elsewhere that is enough is what helps; else the largest shows what is missing.
        let enough: Vec<&StorageOffer> =
            offers.largest.iter().filter(|offer| offer.room >= *wanted).collect();
        let mut parts = vec![here];
        for offer in enough.iter().take(NAMED) {
            parts.push(offered(offer, cluster));
        }
        let more = enough.len().saturating_sub(NAMED);
        if more > 0 {
            parts.push(format!("as much in {}", words::count(more, "more place")));
        }
        if enough.is_empty() {
            parts.extend(
                offers.largest.first().map(|offer| format!("at most {}", offered(offer, cluster))),
            );
        }
        let (claim, class) = (cluster.text(*claim), cluster.text(*class));
        format!(
            "claim {claim} wants {} of storage class {class}: {}",
            bytes(*wanted, cluster),
            parts.join(", ")
        )
    }

    /// A line per offer that the text does not name.
    pub(super) fn in_full(&self, cluster: &Cluster) -> Vec<String> {
        let StorageOffers { largest, more } = &*self.space.offers;
        // The largest come first, and the text names at least one.
        let enough = largest.iter().filter(|offer| offer.room >= self.space.wanted).count();
        let unnamed = largest.iter().skip(enough.clamp(1, NAMED));
        let mut lines: Vec<String> =
            unnamed.map(|offer| format!("also {}", offered(offer, cluster))).collect();
        if *more > 0 {
            lines.push(format!("also as much or less in {}", words::count(*more, "more place")));
        }
        lines
    }
}

/// `12Ti with kubernetes.io/hostname=s8, which no node has`.
fn offered(offer: &StorageOffer, cluster: &Cluster) -> String {
    let room = bytes(offer.room, cluster);
    match &offer.topology {
        Selector::Nothing => format!("{room} reached from no node (no nodeTopology)"),
        Selector::All(requirements) if requirements.is_empty() => format!("{room} on every node"),
        Selector::All(requirements) => {
            let place: Vec<String> = requirements
                .iter()
                .map(|requirement| condition(&NodeRequirement::Label(requirement.clone()), cluster))
                .collect();
            let gone = if offer.nodes == 0 { ", which no node has" } else { "" };
            format!("{room} with {}{gone}", words::list(&place, usize::MAX))
        }
    }
}

/// The limits and counts of a driver's volumes on nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct LimitSpan {
    least: VolumeLimit,
    most: VolumeLimit,
}

impl LimitSpan {
    pub(super) const fn new(limit: VolumeLimit) -> Self {
        Self { least: limit, most: limit }
    }

    /// Adds another node.
    pub(super) fn add(&mut self, limit: VolumeLimit) {
        let (least, most) = (&mut self.least, &mut self.most);
        (least.limit, most.limit) = (least.limit.min(limit.limit), most.limit.max(limit.limit));
        (least.attached, most.attached) =
            (least.attached.min(limit.attached), most.attached.max(limit.attached));
        (least.wanted, most.wanted) =
            (least.wanted.min(limit.wanted), most.wanted.max(limit.wanted));
    }

    /// `driver ebs.csi.aws.com: 17 more, 16 at most, 3 in use`.
    pub(super) fn text(&self, cluster: &Cluster) -> String {
        let range = |least: i64, most: i64| {
            if least == most { most.to_string() } else { format!("{least} to {most}") }
        };
        let Self { least, most } = self;
        format!(
            "driver {}: {} more, {} at most, {} in use",
            least.driver.name(cluster),
            range(least.wanted, most.wanted),
            range(least.limit, most.limit),
            range(least.attached, most.attached)
        )
    }
}

fn bytes(bytes: i64, cluster: &Cluster) -> String {
    ResourceId::EphemeralStorage.amount(bytes, cluster)
}
