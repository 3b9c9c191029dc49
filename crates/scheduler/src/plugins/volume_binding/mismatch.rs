//! Why a volume does not match a claim: what it is, how it is found, its words and its JSON. Volumes
//! are compared with the claim in kube-scheduler's order, and the first difference counts.
//!
//! Upstream: `component-helpers/storage/volume/pv_helpers.go` `FindMatchingVolume` (1.37).

use json::evidence::UnsuitedVolume as UnsuitedVolumeJson;

use crate::framework::asked_label::{condition, condition_json, expression, shown, unmet_json};
use crate::framework::operands::ResourceId;
use crate::framework::plugin::Cycle;
use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::{self, Unmet};
use model::cluster::selector::Selector;
use model::cluster::storage::{ClaimRef, PersistentVolume, VolumeClaim, selects};
use model::cluster::{Cluster, Sym};
use model::words;

/// A volume that does not match a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsuitedVolume {
    pub(super) volume: Sym,
    /// The first mismatch that kube-scheduler finds.
    pub(super) mismatch: VolumeMismatch,
}

/// Why a volume does not match a claim, in the order in which kube-scheduler compares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VolumeMismatch {
    /// It is reserved for a claim that does not exist, or for an earlier one of the same name.
    Reserved {
        /// Namespace of the claim.
        namespace: Sym,
        /// Name of the claim.
        claim: Sym,
    },
    /// It matches, but another claim has it.
    OtherClaim {
        /// Namespace of the claim.
        namespace: Sym,
        /// Name of the claim.
        claim: Sym,
    },
    /// It is too small.
    Size {
        /// Its bytes.
        capacity: i64,
        /// The bytes that the claim asks for.
        wanted: i64,
    },
    /// Its volume mode differs.
    Mode {
        /// Its mode.
        found: Sym,
        /// The claim's mode.
        wanted: Sym,
    },
    /// Its volume attributes class differs.
    AttributesClass {
        /// Its class; empty for none.
        found: Sym,
        /// The claim's class; empty for none.
        wanted: Sym,
    },
    /// It is being deleted.
    Deleting,
    /// Its phase is not Available.
    NotAvailable,
    /// The claim's selector does not match its labels.
    Selector {
        /// The unmet requirements.
        unmet: Box<[Unmet]>,
    },
    /// Its storage class differs.
    Class {
        /// Its class; empty for none.
        found: Sym,
        /// The claim's class.
        wanted: Sym,
    },
    /// It lacks some of the claim's access modes.
    AccessModes {
        /// Its access modes.
        found: Box<[Sym]>,
        /// The access modes that it lacks.
        missing: Box<[Sym]>,
    },
    /// Only some nodes can reach it.
    Unreachable {
        /// Its node requirements, by their first term.
        asks: Box<[NodeRequirement]>,
        /// How many nodes can reach it.
        nodes: usize,
    },
}

/// Which claim a volume belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// None.
    NoClaim,
    /// The claim in question: the volume is reserved for it.
    Claim,
    /// Another one that exists, or that belongs to an earlier pod of a group.
    OtherClaim,
    /// One that does not exist, or an earlier one of the same name.
    GoneClaim,
}

impl Holder {
    pub(super) fn of(volume: &PersistentVolume, claim: &VolumeClaim, cycle: &Cycle) -> Self {
        let reserved = cycle.view.reserved();
        if reserved.is_for(volume, claim) {
            return Self::Claim;
        }
        if reserved.is_free(volume) {
            return Self::NoClaim;
        }
        let Some(ClaimRef { namespace, name, uid }) = &volume.claim else {
            return Self::OtherClaim;
        };
        let of_that_name = cycle.cluster().storage.claim(*namespace, *name);
        let exists = of_that_name
            .is_some_and(|other| uid.is_empty() || other.uid.is_empty() || other.uid == *uid);
        if exists { Self::OtherClaim } else { Self::GoneClaim }
    }
}

impl VolumeMismatch {
    /// The first mismatch; `None` if the volume matches the claim on every node.
    /// [`Self::count_nodes`] looks at the nodes.
    pub(super) fn find(
        volume: &PersistentVolume,
        claim: &VolumeClaim,
        holder: &Holder,
        cycle: &Cycle,
    ) -> Option<Self> {
        let features = &cycle.features().volume_binding;
        if *holder == Holder::GoneClaim
            && let Some(ClaimRef { namespace, name, .. }) = &volume.claim
        {
            return Some(Self::Reserved { namespace: *namespace, claim: *name });
        }
        let wanted = claim.request.unwrap_or_default();
        if volume.capacity.compare(wanted).is_lt() {
            let (capacity, wanted) = (volume.capacity.value(), wanted.value());
            return Some(Self::Size { capacity, wanted });
        }
        if volume.mode != claim.mode {
            return Some(Self::Mode { found: volume.mode, wanted: claim.mode });
        }
        let wanted =
            if features.volume_attributes_class { claim.attributes_class } else { Sym::EMPTY };
        if features.volume_attributes_class_known && volume.attributes_class != wanted {
            return Some(Self::AttributesClass { found: volume.attributes_class, wanted });
        }
        if volume.deleting {
            return Some(Self::Deleting);
        }
        // A volume that is reserved for the claim has been chosen for it: only whether the node can
        // reach it is checked.
        if *holder != Holder::Claim {
            if !volume.available && features.volumes_must_be_available {
                return Some(Self::NotAvailable);
            }
            if let Some(Ok(Selector::All(requirements))) = &claim.selector {
                let unmet = unmet::of_labels(requirements, &volume.labels);
                if !unmet.is_empty() {
                    return Some(Self::Selector { unmet });
                }
            }
            if volume.class != claim.class {
                return Some(Self::Class { found: volume.class, wanted: claim.class });
            }
            let missing = missing_modes(volume, claim);
            if !missing.is_empty() {
                return Some(Self::AccessModes { found: volume.access_modes.clone(), missing });
            }
        }
        let affinity = volume.affinity.as_ref()?;
        let first_term = affinity.iter().next();
        let asks = first_term.map(|term| term.label_requirements().into()).unwrap_or_default();
        Some(Self::Unreachable { asks, nodes: 0 })
    }

    /// That another claim has the volume, if it would match this one otherwise.
    pub(super) fn of_other_claim(
        volume: &PersistentVolume,
        claim: &VolumeClaim,
        cycle: &Cycle,
    ) -> Option<Self> {
        let ClaimRef { namespace, name, .. } = volume.claim.as_ref()?;
        let of_kind = Self::find(volume, claim, &Holder::Claim, cycle);
        let is_of_kind = matches!(of_kind, None | Some(Self::Unreachable { .. }));
        let unmet = match &claim.selector {
            Some(Ok(Selector::All(requirements))) => unmet::of_labels(requirements, &volume.labels),
            _ => Box::default(),
        };
        let would_match = is_of_kind
            && volume.class == claim.class
            && unmet.is_empty()
            && missing_modes(volume, claim).is_empty();
        would_match.then_some(Self::OtherClaim { namespace: *namespace, claim: *name })
    }

    /// Counts the nodes that can reach the volume. Returns whether all can, so that it matches.
    pub(super) fn count_nodes(&mut self, volume: Sym, cluster: &Cluster) -> bool {
        let Self::Unreachable { nodes, .. } = self else { return false };
        let Some(volume) = cluster.storage.volume(volume) else { return false };
        let reaches = |labels| selects(volume.affinity.as_ref(), labels, &cluster.symbols);
        *nodes = cluster.nodes.iter().filter(|node| reaches(cluster.labels(node.labels))).count();
        *nodes == cluster.nodes.len()
    }

    /// Its name in JSON.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Reserved { .. } => "Reserved",
            Self::OtherClaim { .. } => "OtherClaim",
            Self::Size { .. } => "Size",
            Self::Mode { .. } => "VolumeMode",
            Self::AttributesClass { .. } => "VolumeAttributesClass",
            Self::Deleting => "Deleting",
            Self::NotAvailable => "NotAvailable",
            Self::Selector { .. } => "Selector",
            Self::Class { .. } => "StorageClass",
            Self::AccessModes { .. } => "AccessModes",
            Self::Unreachable { .. } => "Unreachable",
        }
    }

    /// How many of kube-scheduler's checks the volume passes; more means a closer match.
    pub(super) const fn checks_passed(&self) -> usize {
        match self {
            Self::Reserved { .. } | Self::OtherClaim { .. } => 0,
            Self::Size { .. } => 1,
            Self::Mode { .. } => 2,
            Self::AttributesClass { .. } => 3,
            Self::Deleting => 4,
            Self::NotAvailable => 5,
            Self::Selector { .. } => 6,
            Self::Class { .. } => 7,
            Self::AccessModes { .. } => 8,
            Self::Unreachable { .. } => 9,
        }
    }
}

/// The access modes of a claim that a volume lacks.
pub(super) fn missing_modes(volume: &PersistentVolume, claim: &VolumeClaim) -> Box<[Sym]> {
    claim.access_modes.iter().copied().filter(|mode| !volume.access_modes.contains(mode)).collect()
}

impl UnsuitedVolume {
    /// `pv-1 has app=slave-02, the selector asks for app=slave02`.
    pub(super) fn text(&self, cluster: &Cluster) -> String {
        let text = |sym: Sym| cluster.text(sym);
        let name = text(self.volume);
        match &self.mismatch {
            VolumeMismatch::Reserved { namespace, claim } => {
                let claim = cluster.full_name(*namespace, *claim);
                format!("{name} is still reserved for claim {claim}, which is gone")
            }
            VolumeMismatch::OtherClaim { namespace, claim } => {
                let claim = cluster.full_name(*namespace, *claim);
                format!("{name} suits it, but belongs to claim {claim}")
            }
            VolumeMismatch::Size { capacity, wanted } => {
                let (capacity, wanted) = (bytes(*capacity, cluster), bytes(*wanted, cluster));
                format!("{name} has {capacity}, the claim wants {wanted}")
            }
            VolumeMismatch::Mode { found, wanted } => {
                let (found, wanted) = (text(*found), text(*wanted));
                format!("{name} has volumeMode {found}, the claim wants {wanted}")
            }
            VolumeMismatch::AttributesClass { found, wanted } => {
                let (found, wanted) = (or_none(*found, cluster), or_none(*wanted, cluster));
                format!("{name} has volumeAttributesClassName {found}, the claim wants {wanted}")
            }
            VolumeMismatch::Deleting => format!("{name} is being deleted"),
            VolumeMismatch::NotAvailable => format!("{name} is not Available"),
            VolumeMismatch::Selector { unmet } => format!("{name} {}", labels_lack(unmet, cluster)),
            VolumeMismatch::Class { found, .. } if found.is_empty() => {
                format!("{name} has no class")
            }
            VolumeMismatch::Class { found, .. } => format!("{name} is of class {}", text(*found)),
            VolumeMismatch::AccessModes { found, missing } => {
                let [found, missing] = [found, missing]
                    .map(|modes| modes.iter().map(|mode| text(*mode)).collect::<Vec<_>>())
                    .map(|modes| words::list(&modes, usize::MAX));
                format!("{name} allows {found}, not {missing}")
            }
            VolumeMismatch::Unreachable { asks, nodes } => {
                let gone = if *nodes == 0 { ", which no node has" } else { "" };
                match &**asks {
                    [] if *nodes > 0 => {
                        format!("{name} can be reached from {} only", words::count(*nodes, "node"))
                    }
                    [] => format!("{name} can be reached from no node"),
                    asks => format!("{name} is only {}{gone}", place(asks, cluster)),
                }
            }
        }
    }

    pub(super) fn json(&self, cluster: &Cluster) -> UnsuitedVolumeJson {
        let text = |sym: Sym| cluster.text(sym).to_owned();
        let list =
            |modes: &[Sym]| modes.iter().map(|mode| text(*mode)).collect::<Vec<_>>().join(",");
        let mut json = UnsuitedVolumeJson {
            volume: text(self.volume),
            reason: self.mismatch.name().into(),
            ..UnsuitedVolumeJson::default()
        };
        let (found, wanted) = match &self.mismatch {
            VolumeMismatch::Reserved { namespace, claim }
            | VolumeMismatch::OtherClaim { namespace, claim } => {
                (Some(cluster.full_name(*namespace, *claim)), None)
            }
            VolumeMismatch::Size { capacity, wanted } => {
                (Some(bytes(*capacity, cluster)), Some(bytes(*wanted, cluster)))
            }
            VolumeMismatch::Mode { found, wanted }
            | VolumeMismatch::AttributesClass { found, wanted }
            | VolumeMismatch::Class { found, wanted } => (Some(text(*found)), Some(text(*wanted))),
            VolumeMismatch::AccessModes { found, missing } => {
                (Some(list(found)), Some(list(missing)))
            }
            VolumeMismatch::Deleting | VolumeMismatch::NotAvailable => (None, None),
            VolumeMismatch::Selector { unmet } => {
                json.unmet = unmet_json(unmet, cluster);
                (None, None)
            }
            VolumeMismatch::Unreachable { asks, nodes } => {
                json.asks = asks.iter().map(|asked| condition_json(asked, cluster)).collect();
                json.nodes = Some(*nodes);
                (None, None)
            }
        };
        UnsuitedVolumeJson { found, wanted, ..json }
    }
}

fn or_none(name: Sym, cluster: &Cluster) -> &str {
    if name.is_empty() { "none" } else { cluster.text(name) }
}

/// Where a volume is, by its node requirements: `on host w3`, `with zone=a`.
fn place(asks: &[NodeRequirement], cluster: &Cluster) -> String {
    match asks {
        [only] if only.key() == Sym::HOSTNAME && only.any_of().len() == 1 => {
            let hosts: String = only.any_of().iter().map(|host| cluster.text(*host)).collect();
            format!("on host {hosts}")
        }
        asks => {
            let asks: Vec<String> = asks.iter().map(|ask| condition(ask, cluster)).collect();
            format!("reachable with {}", words::list(&asks, usize::MAX))
        }
    }
}

/// Which requirements of a selector the labels of a volume do not meet.
fn labels_lack(unmet: &[Unmet], cluster: &Cluster) -> String {
    let mut parts = Vec::new();
    for unmet in unmet {
        let key = unmet.key(cluster);
        let has = match unmet.found() {
            Some(found) => format!("has {key}={}", shown(found, cluster)),
            None => format!("lacks label {key}"),
        };
        let wanted = match unmet.any_of() {
            [value] => format!("{key}={}", shown(*value, cluster)),
            _ => expression(unmet, cluster),
        };
        parts.push(format!("{has}, the selector asks for {wanted}"));
    }
    parts.join(", and ")
}

pub(super) fn bytes(bytes: i64, cluster: &Cluster) -> String {
    ResourceId::EphemeralStorage.amount(bytes, cluster)
}
