//! Why a claim is not bound: what provisions no volume for it, and which volumes do not match it.

use std::sync::Arc;

use json::evidence::{
    Evidence as JsonEvidence, LabelValues, NamedObject, UnboundClaim as UnboundClaimJson,
};

use super::mismatch::{Holder, UnsuitedVolume, VolumeMismatch, bytes, missing_modes};
use crate::framework::evidence::{Evidence, Fact, InWords, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::Cycle;
use model::cluster::storage::{StorageClass, VolumeClaim};
use model::cluster::{Cluster, Sym};
use model::words;

/// Maximum number of volumes that are kept of each kind.
const MOST_VOLUMES: usize = 10;
/// Maximum number of volumes or classes that a sentence names.
const NAMED: usize = 2;
/// The provisioner of classes whose volumes are created by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// The annotation that assigns a claim to a node.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// Claims that are not bound and cannot be bound on the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbound {
    pub(super) claims: Box<[UnboundClaim]>,
}

/// A claim that is not bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnboundClaim {
    /// Name of the claim.
    pub(super) claim: Sym,
    /// Its storage class; empty for none.
    pub(super) class: Sym,
    /// The bytes that it asks for.
    pub(super) wanted: i64,
    /// Why no new volume is provisioned.
    pub(super) cause: UnboundCause,
    /// The existing volumes, on any node.
    pub(super) volumes: Arc<SearchedVolumes>,
    /// Volumes that suit it on the node but go to other claims of the pod.
    pub(super) taken: Box<[Sym]>,
}

/// Why no volume is provisioned for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnboundCause {
    NoClass,
    /// Its storage class does not exist.
    ClassMissing,
    /// Nothing provisions volumes of its class.
    ByHand,
    /// Its class provisions immediately, whether or not a pod needs the volume, and that has not
    /// happened yet.
    AtOnce {
        provisioner: Sym,
    },
    /// Its class provisions no volumes for the node (`allowedTopologies`).
    OtherTopology,
    /// `spec.volumeName` names a volume to which the claim is not bound yet.
    NamesVolume {
        volume: Sym,
        exists: bool,
    },
    /// Its volume is provisioned for another node.
    ForNode {
        node: Sym,
        exists: bool,
        by: SelectedBy,
    },
}

impl UnboundCause {
    /// Its name in JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NoClass => "NoStorageClass",
            Self::ClassMissing => "StorageClassMissing",
            Self::ByHand => "NoProvisioner",
            Self::AtOnce { .. } => "Immediate",
            Self::OtherTopology => "AllowedTopologies",
            Self::NamesVolume { .. } => "VolumeName",
            Self::ForNode { .. } => "SelectedNode",
        }
    }
}

/// What selected the node for which a volume is provisioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectedBy {
    /// The annotation `volume.kubernetes.io/selected-node` of the claim.
    Annotation,
    /// A pod that was placed before and also uses the claim.
    EarlierPod,
}

/// The volumes that were considered for a claim, whatever the node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SearchedVolumes {
    /// Those that match it and can be reached from every node, up to a limit.
    pub(super) matching: Box<[Sym]>,
    /// The other available ones, the closest match first, up to a limit.
    pub(super) unsuited: Box<[UnsuitedVolume]>,
    /// How many more of these there are.
    pub(super) more: usize,
    /// How many volumes of the class belong to other claims that exist.
    pub(super) of_other_claims: usize,
}

/// Whether nothing provisions volumes of a class.
pub(super) fn is_by_hand(class: &StorageClass, cycle: &Cycle) -> bool {
    class.provisioner_name.is_empty()
        || cycle.cluster().text(class.provisioner_name) == NO_PROVISIONER
}

/// A claim without a matching volume on some node, and without anything that provisions one there.
pub(super) fn on_a_node(
    claim: &VolumeClaim,
    class: &StorageClass,
    volumes: Arc<SearchedVolumes>,
    taken: Box<[Sym]>,
    cycle: &Cycle,
) -> UnboundClaim {
    let cause =
        if is_by_hand(class, cycle) { UnboundCause::ByHand } else { UnboundCause::OtherTopology };
    UnboundClaim { volumes, taken, ..of(claim, cause) }
}

/// A claim whose volume is provisioned for `node`, which is not the node being filtered.
pub(super) fn for_node(claim: &VolumeClaim, node: Sym, cycle: &Cycle) -> UnboundClaim {
    let exists = cycle.cluster().find_node(cycle.cluster().text(node)).is_some();
    let is_annotated = claim.selected_node == Some(node);
    let by = if is_annotated { SelectedBy::Annotation } else { SelectedBy::EarlierPod };
    of(claim, UnboundCause::ForNode { node, exists, by })
}

/// A claim that should be bound before any pod that uses it is scheduled.
pub(super) fn at_once(claim: &VolumeClaim, cycle: &Cycle) -> UnboundClaim {
    let storage = &cycle.cluster().storage;
    if !claim.volume_name.is_empty() {
        let (volume, exists) = (claim.volume_name, storage.volume(claim.volume_name).is_some());
        return of(claim, UnboundCause::NamesVolume { volume, exists });
    }
    let cause = match storage.class(claim.class) {
        _ if claim.class.is_empty() => UnboundCause::NoClass,
        None => UnboundCause::ClassMissing,
        Some(class) if is_by_hand(class, cycle) => UnboundCause::ByHand,
        Some(class) => UnboundCause::AtOnce { provisioner: class.provisioner_name },
    };
    UnboundClaim { volumes: Arc::new(searched(claim, claim.class, cycle)), ..of(claim, cause) }
}

fn of(claim: &VolumeClaim, cause: UnboundCause) -> UnboundClaim {
    UnboundClaim {
        claim: claim.name,
        class: claim.class,
        wanted: claim.request.unwrap_or_default().value(),
        cause,
        volumes: Arc::default(),
        taken: Box::default(),
    }
}

/// Which volumes match a claim that gets the volumes of `class`, and why the others do not. Volumes
/// of other classes are included if their class is the only mismatch.
pub(super) fn searched(claim: &VolumeClaim, class: Sym, cycle: &Cycle) -> SearchedVolumes {
    let cluster = cycle.cluster();
    let (mut matching, mut unsuited) = (Vec::new(), Vec::new());
    let mut taken: Vec<UnsuitedVolume> = Vec::new();
    let mut of_other_claims = 0;
    for volume in cluster.storage.volumes(&cluster.symbols) {
        let holder = Holder::of(volume, claim, cycle);
        if holder == Holder::OtherClaim {
            // One that would suit is named, since it is often the one that was meant.
            match VolumeMismatch::of_other_claim(volume, claim, cycle) {
                Some(mismatch) => taken.push(UnsuitedVolume { volume: volume.name, mismatch }),
                None => of_other_claims += usize::from(volume.class == class),
            }
            continue;
        }
        let Some(mismatch) = VolumeMismatch::find(volume, claim, &holder, cycle) else {
            matching.push(volume.name);
            continue;
        };
        let is_class_alone = matches!(mismatch, VolumeMismatch::Class { .. })
            && missing_modes(volume, claim).is_empty();
        if volume.class == class || is_class_alone {
            unsuited.push(UnsuitedVolume { volume: volume.name, mismatch });
        }
    }
    unsuited.sort_by_key(|volume| std::cmp::Reverse(volume.mismatch.checks_passed()));
    let more = unsuited.len().saturating_sub(MOST_VOLUMES);
    unsuited.truncate(MOST_VOLUMES);
    // Only for the volumes that are kept, since it checks every node.
    unsuited.retain_mut(|unsuited| {
        let matches = unsuited.mismatch.count_nodes(unsuited.volume, cluster);
        matching.extend(matches.then_some(unsuited.volume));
        !matches
    });
    matching.truncate(MOST_VOLUMES);
    // In a large class most volumes suit and have a claim: one is named where there is no other.
    let named = usize::from(matching.is_empty() && unsuited.is_empty());
    of_other_claims += taken.len().saturating_sub(named);
    unsuited.extend(taken.into_iter().take(named));
    SearchedVolumes { matching: matching.into(), unsuited: unsuited.into(), more, of_other_claims }
}

impl Evidence for Unbound {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        self.claims
            .iter()
            .map(|unbound| JsonEvidence::Claim {
                claim: cluster.text(unbound.claim).to_owned(),
                volume: None,
                unmet: Vec::new(),
                hosts: Vec::new(),
                unbound: Some(unbound.json(cluster)),
            })
            .collect()
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Values {
            about: self
                .claims
                .iter()
                .map(|unbound| {
                    let (claim, cause) = (cluster.text(unbound.claim), unbound.cause.name());
                    format!("{claim} {cause} {}", unbound.taken.is_empty())
                })
                .collect::<Vec<_>>()
                .concat(),
            values: self,
        }]
    }
}

impl InWords for Unbound {
    fn sentence(&self, cluster: &Cluster) -> String {
        let claims: Vec<String> = self.claims.iter().map(|claim| claim.text(cluster)).collect();
        claims.join("; ")
    }

    fn in_full(&self, cluster: &Cluster) -> Vec<String> {
        self.claims.iter().flat_map(|claim| claim.volumes_in_full(cluster)).collect()
    }
}

impl UnboundClaim {
    /// Why the claim is not bound, with the closest volumes.
    fn text(&self, cluster: &Cluster) -> String {
        let (name, class) = (cluster.text(self.claim), cluster.text(self.class));
        let volumes = self.closest(cluster);
        let and_volumes = if volumes.is_empty() { String::new() } else { format!("; {volumes}") };
        match self.cause {
            UnboundCause::ByHand if volumes.is_empty() => {
                let free = if self.volumes.of_other_claims > 0 { "free volume" } else { "volume" };
                format!(
                    "claim {name}: there is no {free} of class {class}, and nothing provisions one"
                )
            }
            UnboundCause::ByHand => {
                format!("claim {name}: {volumes}; nothing provisions volumes of class {class}")
            }
            UnboundCause::OtherTopology => {
                let topologies = topologies(self.class, cluster);
                format!("claim {name}: class {class} provisions only {topologies}{and_volumes}")
            }
            UnboundCause::NoClass => format!("claim {name} has no storage class{and_volumes}"),
            UnboundCause::ClassMissing => {
                let others = other_classes(cluster);
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
            UnboundCause::NamesVolume { volume, exists } => {
                let volume = cluster.text(volume);
                let what =
                    if exists { " and is not bound to it yet" } else { ", which does not exist" };
                format!("claim {name} names volume {volume}{what}")
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
                        format!(
                            "claim {name} gets its volume on node {node}, for a pod placed before"
                        )
                    }
                }
            }
        }
    }

    /// The closest volumes, and how many others there are; empty if there are none.
    fn closest(&self, cluster: &Cluster) -> String {
        let volumes = &self.volumes;
        let is_free = |volume: Sym| !self.taken.contains(&volume);
        let mut parts: Vec<String> = Vec::new();
        if !self.taken.is_empty() {
            parts.push("the volumes there that suit it go to other claims of the pod".to_owned());
        }
        // A volume that matches is bound to the claim by another controller, or soon.
        let matching = volumes.matching.iter().filter(|volume| is_free(**volume)).take(NAMED);
        for volume in matching {
            parts.push(format!(
                "{} suits it, but the claim is not bound to it yet",
                cluster.text(*volume)
            ));
        }
        let mut named = 0;
        for unsuited in volumes.unsuited.iter().filter(|volume| is_free(volume.volume)).take(NAMED)
        {
            parts.push(unsuited.text(cluster));
            named += 1;
        }
        let unsuited_taken = volumes.unsuited.iter().filter(|volume| !is_free(volume.volume));
        let more = volumes.unsuited.len() + volumes.more - named - unsuited_taken.count();
        if more > 0 {
            let verb = if more == 1 { "does" } else { "do" };
            parts.push(format!("{} {verb} not suit it either", words::count(more, "more volume")));
        }
        if volumes.of_other_claims > 0 && !parts.is_empty() {
            let verb = if volumes.of_other_claims == 1 { "belongs" } else { "belong" };
            let number = words::group_digits(volumes.of_other_claims);
            parts.push(format!("{number} {verb} to other claims"));
        }
        parts.join("; ")
    }

    /// A line per volume, unless [`Self::text`] names all that do not suit.
    fn volumes_in_full(&self, cluster: &Cluster) -> Vec<String> {
        let SearchedVolumes { unsuited, more, .. } = &*self.volumes;
        if unsuited.len() + more <= NAMED {
            return Vec::new();
        }
        let mut lines: Vec<String> = unsuited.iter().map(|volume| volume.text(cluster)).collect();
        if *more > 0 {
            lines.push(format!("{} do not suit either", words::count(*more, "more volume")));
        }
        lines
    }

    fn json(&self, cluster: &Cluster) -> UnboundClaimJson {
        let text = |sym: Sym| cluster.text(sym).to_owned();
        let Self { claim: _, class, wanted, cause, volumes, taken } = self;
        let mut json = UnboundClaimJson {
            storage_class: (!class.is_empty()).then(|| text(*class)),
            wanted: bytes(*wanted, cluster),
            cause: cause.name().into(),
            volumes: volumes.unsuited.iter().map(|volume| volume.json(cluster)).collect(),
            more_volumes: volumes.more,
            volumes_of_other_claims: volumes.of_other_claims,
            taken: taken.iter().map(|volume| text(*volume)).collect(),
            matching: volumes.matching.iter().map(|volume| text(*volume)).collect(),
            ..UnboundClaimJson::default()
        };
        match cause {
            UnboundCause::AtOnce { provisioner } => json.provisioner = Some(text(*provisioner)),
            UnboundCause::NamesVolume { volume, exists } => {
                json.names_volume = Some(NamedObject { name: text(*volume), exists: *exists });
            }
            UnboundCause::ForNode { node, exists, by } => {
                json.selected_node = Some(NamedObject { name: text(*node), exists: *exists });
                json.by_annotation = Some(*by == SelectedBy::Annotation);
            }
            UnboundCause::OtherTopology => {
                json.allowed_topologies = topologies_json(*class, cluster);
            }
            UnboundCause::NoClass | UnboundCause::ClassMissing | UnboundCause::ByHand => {}
        }
        json
    }
}

/// The storage classes that exist, in parentheses.
fn other_classes(cluster: &Cluster) -> String {
    let names = cluster.storage.class_names(&cluster.symbols);
    let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
    match names.len() {
        0 => String::new(),
        1 => format!(" (there is {})", names.join("")),
        _ => format!(" (there are {})", words::list(&names, NAMED + 1)),
    }
}

/// Where a class provisions: `with zone=a`, and whether any such node exists.
fn topologies(class: Sym, cluster: &Cluster) -> String {
    let Some(class) = cluster.storage.class(class) else { return "elsewhere".to_owned() };
    let alternatives: Vec<String> = class
        .topologies
        .iter()
        .flatten()
        .map(|labels| {
            labels
                .iter()
                .map(|(key, values)| {
                    let values: Vec<&str> =
                        values.iter().map(|value| cluster.text(*value)).collect();
                    match values.as_slice() {
                        [value] => format!("{}={value}", cluster.text(*key)),
                        values => format!("{} In [{}]", cluster.text(*key), values.join(", ")),
                    }
                })
                .collect::<Vec<_>>()
                .join(" and ")
        })
        .collect();
    let reached =
        cluster.nodes.iter().any(|node| class.provisions_for(cluster.labels(node.labels)));
    let gone = if reached { "" } else { ", which no node has" };
    match alternatives.as_slice() {
        [] => "where its allowedTopologies say, which cannot be read".to_owned(),
        alternatives => format!("with {}{gone}", alternatives.join(" or ")),
    }
}

/// Where a class provisions volumes. Alternatives that cannot be parsed match nothing and are
/// omitted.
fn topologies_json(class: Sym, cluster: &Cluster) -> Vec<Vec<LabelValues>> {
    let class = cluster.storage.class(class);
    let alternatives = class.into_iter().flat_map(|class| &class.topologies).flatten();
    alternatives
        .map(|labels| {
            labels
                .iter()
                .map(|(key, values)| LabelValues {
                    label: cluster.text(*key).to_owned(),
                    values: values.iter().map(|value| cluster.text(*value).to_owned()).collect(),
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests;
