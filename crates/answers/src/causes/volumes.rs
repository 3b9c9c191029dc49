//! Why a pod's claims have no volume on nodes: `pv-1 has app=slave-02, the selector asks for
//! app=slave02`.

#[cfg(test)]
mod tests;

use super::labels::shown;
use crate::words;
use engine::cluster::node_selector::NodeRequirement;
use engine::cluster::node_selector::unmet::Unmet;
use engine::cluster::selector::Selector;
use engine::cluster::{Cluster, Sym};
use engine::framework::asked_label::{condition, expression};
use engine::framework::operands::ResourceId;
use engine::framework::storage_evidence::{
    HostedVolume, SelectedBy, StorageOffer, StorageOffers, StorageSpace, UnboundCause,
    UnboundClaim, UnsuitedVolume, VolumeLimit, VolumeMismatch,
};

/// Maximum number of volumes, places or classes that a line names.
const NAMED: usize = 2;
/// The annotation that assigns a claim to a node.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// Why a claim is not bound, with the closest volumes.
pub(super) fn unbound(claim: &UnboundClaim, cluster: &Cluster) -> String {
    let (name, class) = (cluster.text(claim.claim), cluster.text(claim.class));
    let volumes = closest(claim, cluster);
    let and_volumes = if volumes.is_empty() { String::new() } else { format!("; {volumes}") };
    match claim.cause {
        UnboundCause::ByHand if volumes.is_empty() => {
            let free = if claim.volumes.of_other_claims > 0 { "free volume" } else { "volume" };
            format!("claim {name}: there is no {free} of class {class}, and nothing provisions one")
        }
        UnboundCause::ByHand => {
            format!("claim {name}: {volumes}; nothing provisions volumes of class {class}")
        }
        UnboundCause::OtherTopology => {
            format!(
                "claim {name}: class {class} provisions only {}{and_volumes}",
                topologies(claim.class, cluster)
            )
        }
        UnboundCause::NoClass => format!("claim {name} has no storage class{and_volumes}"),
        UnboundCause::ClassMissing => {
            let names = cluster.storage.class_names(&cluster.symbols);
            let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
            let others = match names.len() {
                0 => String::new(),
                1 => format!(" (there is {})", names.join("")),
                _ => format!(" (there are {})", words::list(&names, NAMED + 1)),
            };
            format!(
                "claim {name} asks for storage class {class}, which does not exist{others}{and_volumes}"
            )
        }
        UnboundCause::AtOnce { provisioner } => {
            let provisioner = cluster.text(provisioner);
            format!(
                "claim {name} is not bound: {provisioner} has made no volume for it (class {class}){and_volumes}"
            )
        }
        UnboundCause::NamesVolume { volume, exists: true } => {
            format!("claim {name} names volume {} and is not bound to it yet", cluster.text(volume))
        }
        UnboundCause::NamesVolume { volume, exists: false } => {
            format!("claim {name} names volume {}, which does not exist", cluster.text(volume))
        }
        UnboundCause::ForNode { node, exists, by } => {
            let gone = if exists { "" } else { ", which does not exist" };
            let node = cluster.text(node);
            match by {
                SelectedBy::Annotation => {
                    format!(
                        "claim {name} is pinned to node {node}{gone} (annotation {SELECTED_NODE})"
                    )
                }
                SelectedBy::EarlierPod => {
                    format!("claim {name} gets its volume on node {node}, for a pod placed before")
                }
            }
        }
    }
}

/// A line per volume that [`unbound`] does not name; empty if it names all.
pub(super) fn unbound_in_full(claim: &UnboundClaim, cluster: &Cluster) -> Vec<String> {
    let volumes = &claim.volumes;
    if volumes.unsuited.len() + volumes.more <= NAMED {
        return Vec::new();
    }
    let mut lines: Vec<String> =
        volumes.unsuited.iter().map(|volume| unsuited(volume, claim, cluster)).collect();
    if volumes.more > 0 {
        lines.push(format!("{} do not suit either", words::count(volumes.more, "more volume")));
    }
    lines
}

/// The closest volumes for a claim, and how many others there are; empty if there are none.
fn closest(claim: &UnboundClaim, cluster: &Cluster) -> String {
    let volumes = &claim.volumes;
    let mut parts: Vec<String> = Vec::new();
    if !claim.taken.is_empty() {
        parts.push("the volumes there that suit it go to other claims of the pod".to_owned());
    }
    let not_taken = volumes.unsuited.iter().filter(|volume| !claim.taken.contains(&volume.volume));
    let named: Vec<String> =
        not_taken.take(NAMED).map(|volume| unsuited(volume, claim, cluster)).collect();
    let more =
        (volumes.unsuited.len() + volumes.more).saturating_sub(named.len() + claim.taken.len());
    parts.extend(named);
    if more > 0 {
        let verb = if more == 1 { "does" } else { "do" };
        parts.push(format!("{} {verb} not suit it either", words::count(more, "more volume")));
    }
    if volumes.of_other_claims > 0 && !parts.is_empty() {
        let verb = if volumes.of_other_claims == 1 { "belongs" } else { "belong" };
        parts.push(format!(
            "{} {verb} to other claims",
            words::group_digits(volumes.of_other_claims)
        ));
    }
    parts.join("; ")
}

/// Why a volume does not match a claim.
fn unsuited(volume: &UnsuitedVolume, claim: &UnboundClaim, cluster: &Cluster) -> String {
    let text = |sym: Sym| cluster.text(sym);
    let list = |names: &[Sym]| {
        words::list(&names.iter().map(|name| text(*name)).collect::<Vec<_>>(), usize::MAX)
    };
    let none = |name: Sym| if name.is_empty() { "none" } else { text(name) };
    let name = text(volume.volume);
    match &volume.mismatch {
        VolumeMismatch::Reserved { namespace, claim } => {
            format!(
                "{name} is still reserved for claim {}/{}, which is gone",
                text(*namespace),
                text(*claim)
            )
        }
        VolumeMismatch::Size { capacity } => {
            format!(
                "{name} has {}, the claim wants {}",
                bytes(*capacity, cluster),
                bytes(claim.wanted, cluster)
            )
        }
        VolumeMismatch::Mode { found, wanted } => {
            format!("{name} has volumeMode {}, the claim wants {}", text(*found), text(*wanted))
        }
        VolumeMismatch::AttributesClass { found, wanted } => {
            format!(
                "{name} has volumeAttributesClassName {}, the claim wants {}",
                none(*found),
                none(*wanted)
            )
        }
        VolumeMismatch::Deleting => format!("{name} is being deleted"),
        VolumeMismatch::NotAvailable => format!("{name} is not Available"),
        VolumeMismatch::Selector { unmet } => format!("{name} {}", labels_lack(unmet, cluster)),
        VolumeMismatch::Class { found } if found.is_empty() => format!("{name} has no class"),
        VolumeMismatch::Class { found } => format!("{name} is of class {}", text(*found)),
        VolumeMismatch::AccessModes { found, missing } => {
            format!("{name} allows {}, not {}", list(found), list(missing))
        }
        VolumeMismatch::Unreachable { asks, nodes } => {
            let gone = if *nodes == 0 { ", which no node has" } else { "" };
            match &**asks {
                [] => format!("{name} can be reached from no node"),
                asks => format!("{name} is only {}{gone}", place(asks, cluster)),
            }
        }
    }
}

/// Where a volume is, by its node requirements: `on host w3`, `with zone=a`.
fn place(asks: &[NodeRequirement], cluster: &Cluster) -> String {
    match asks {
        [only] if only.key() == Sym::HOSTNAME && only.any_of().len() == 1 => {
            format!(
                "on host {}",
                only.any_of().iter().map(|host| cluster.text(*host)).collect::<String>()
            )
        }
        asks => {
            let asks: Vec<String> = asks.iter().map(|ask| condition(ask, cluster)).collect();
            format!("reachable with {}", words::list(&asks, usize::MAX))
        }
    }
}

/// Which requirements of a selector the labels of a volume do not meet.
fn labels_lack(unmet: &[Unmet], cluster: &Cluster) -> String {
    let of_one = |unmet: &Unmet| {
        let key = unmet.key(cluster);
        let has = match unmet.found() {
            Some(found) => format!("has {key}={}", shown(found, cluster)),
            None => format!("lacks label {key}"),
        };
        let wanted = match unmet.any_of() {
            [value] => format!("{key}={}", shown(*value, cluster)),
            _ => expression(unmet, cluster),
        };
        format!("{has}, the selector asks for {wanted}")
    };
    unmet.iter().map(of_one).collect::<Vec<_>>().join(", and ")
}

/// Where a class provisions: `with zone=a`, and whether any such node exists.
fn topologies(class: Sym, cluster: &Cluster) -> String {
    let Some(class) = cluster.storage.class(class) else { return "elsewhere".to_owned() };
    let label = |(key, values): &(Sym, Box<[Sym]>)| {
        let values: Vec<&str> = values.iter().map(|value| cluster.text(*value)).collect();
        match values.as_slice() {
            [value] => format!("{}={value}", cluster.text(*key)),
            values => format!("{} In [{}]", cluster.text(*key), values.join(", ")),
        }
    };
    let alternatives: Vec<String> = class
        .topologies
        .iter()
        .flatten()
        .map(|labels| labels.iter().map(label).collect::<Vec<_>>().join(" and "))
        .collect();
    let reached =
        cluster.nodes.iter().any(|node| class.provisions_for(cluster.labels(node.labels)));
    let gone = if reached { "" } else { ", which no node has" };
    match alternatives.as_slice() {
        [] => "where its allowedTopologies say, which cannot be read".to_owned(),
        alternatives => format!("with {}{gone}", alternatives.join(" or ")),
    }
}

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

/// Which hosts have the volumes of bound claims, and whether such nodes exist.
pub(super) fn on_hosts(volumes: &[HostedVolume], cluster: &Cluster) -> String {
    let of_volume = |volume: &HostedVolume| {
        let hosts: Vec<&str> = volume.hosts.iter().map(|host| cluster.text(*host)).collect();
        let (host, is_there) =
            if hosts.len() == 1 { ("host", "that") } else { ("hosts", "such a") };
        let is_host =
            |label: &(Sym, Sym)| label.0 == Sym::HOSTNAME && volume.hosts.contains(&label.1);
        let exists =
            cluster.nodes.iter().any(|node| cluster.labels(node.labels).iter().any(is_host));
        let gone =
            if exists { String::new() } else { format!(": no node has {is_there} hostname") };
        let (claim, name) = (cluster.text(volume.claim), cluster.text(volume.volume));
        format!(
            "volume {name} (claim {claim}) is only on {host} {}{gone}",
            words::list(&hosts, NAMED + 1)
        )
    };
    volumes.iter().map(of_volume).collect::<Vec<_>>().join("; ")
}

fn bytes(bytes: i64, cluster: &Cluster) -> String {
    ResourceId::EphemeralStorage.amount(bytes, cluster)
}
