//! Storage: claims, volumes, storage classes, CSI nodes and drivers, capacities and attachments,
//! looked up by name.

pub(super) mod read;

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::in_tree::{InTreeVolume, Provisioner};
use super::node_selector::{NodeSelector, NodeTerm};
use super::quantity::Quantity;
use super::selector::issues::SelectorIssues;
use super::selector::{Labels, Selector, label};
use super::symbols::{Sym, Symbols};
use crate::snapshot::Kind;

/// A PersistentVolumeClaim.
#[derive(Debug, Clone)]
pub struct VolumeClaim {
    pub namespace: Sym,
    pub name: Sym,
    pub uid: Box<str>,
    /// UID of its controller: the pod, if it belongs to an ephemeral volume.
    pub controller: Option<Box<str>>,
    /// Storage class: of the beta annotation, else of the spec; empty for none.
    pub class: Sym,
    /// `spec.storageClassName`.
    pub spec_class: Option<Sym>,
    /// `spec.volumeName`; empty while it has none.
    pub volume_name: Sym,
    /// Whether its binding is complete.
    pub bind_completed: bool,
    /// The node for which it is being provisioned.
    pub selected_node: Option<Sym>,
    /// Whether `status.phase` is Lost: its volume no longer exists.
    pub lost: bool,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// `spec.accessModes`.
    pub access_modes: Box<[Sym]>,
    /// Bytes requested.
    pub request: Option<Quantity>,
    /// `spec.volumeMode`, defaulted.
    pub mode: Sym,
    /// `spec.volumeAttributesClassName`; empty for none.
    pub attributes_class: Sym,
    /// `spec.selector`, or why it cannot be parsed.
    pub selector: Option<Result<Selector, SelectorIssues>>,
}

impl VolumeClaim {
    pub fn is_bound(&self) -> bool {
        !self.volume_name.is_empty() && self.bind_completed
    }
}

/// A PersistentVolume.
#[derive(Debug, Clone)]
pub struct PersistentVolume {
    pub name: Sym,
    pub labels: Labels,
    /// Storage class: of the beta annotation, else of the spec; empty for none.
    pub class: Sym,
    /// `spec.storageClassName`.
    pub spec_class: Sym,
    /// The claim that it is reserved for or bound to.
    pub claim: Option<ClaimRef>,
    /// Whether `status.phase` is Available.
    pub available: bool,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// `spec.accessModes`.
    pub access_modes: Box<[Sym]>,
    /// Bytes; absent as 0.
    pub capacity: Quantity,
    /// `spec.volumeMode`, defaulted.
    pub mode: Sym,
    /// `spec.volumeAttributesClassName`; empty for none.
    pub attributes_class: Sym,
    /// Required node affinity; `None` for any node.
    pub affinity: Option<NodeSelector>,
    pub source: VolumeSource,
}

/// `spec.claimRef` of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRef {
    pub namespace: Sym,
    pub name: Sym,
    /// UID; empty for any.
    pub uid: Box<str>,
}

#[derive(Debug, Clone)]
pub enum VolumeSource {
    /// A CSI driver's volume.
    Csi {
        driver: Sym,
        /// Its name for the volume.
        handle: Sym,
    },
    /// A volume of an in-tree plugin that may be migrated to a CSI driver.
    InTree {
        /// Its translation for the CSI driver.
        volume: InTreeVolume,
        /// Its node affinity with the topology keys of the driver.
        affinity: Option<NodeSelector>,
    },
    /// Anything else.
    Other,
}

impl PersistentVolume {
    /// Whether it is reserved for or bound to `claim`.
    pub fn is_for(&self, claim: &VolumeClaim) -> bool {
        self.claim.as_ref().is_some_and(|r| {
            r.name == claim.name
                && r.namespace == claim.namespace
                && (r.uid.is_empty() || r.uid == claim.uid)
        })
    }

    /// The hosts that its affinity lists by hostname label, over all terms; empty if no term lists
    /// any.
    pub fn hosts(&self) -> BTreeSet<Sym> {
        self.affinity.iter().flatten().filter_map(NodeTerm::hosts).flatten().collect()
    }
}

/// Whether a node with `labels` is among those that a volume's affinity selects.
///
/// Upstream: `component-helpers/storage/volume/helpers.go` `CheckNodeAffinity` (1.37).
pub fn selects(affinity: Option<&NodeSelector>, labels: &[(Sym, Sym)], symbols: &Symbols) -> bool {
    affinity.is_none_or(|terms| terms.iter().any(|term| term.matches_labels(labels, symbols)))
}

/// `volumeBindingMode`: when the claims of a class are bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingMode {
    /// Absent; only objects that no API server has defaulted have this.
    Unset,
    /// When the claim is created.
    Immediate,
    /// When a pod that uses the claim is scheduled.
    WaitForFirstConsumer,
}

/// A StorageClass.
#[derive(Debug, Clone)]
pub struct StorageClass {
    pub name: Sym,
    /// What provisions its volumes.
    pub provisioner: Provisioner,
    /// `provisioner`, unchanged.
    pub provisioner_name: Sym,
    /// When claims are bound.
    pub mode: BindingMode,
    /// `allowedTopologies`: where it provisions; empty for anywhere.
    pub topologies: Box<[Topology]>,
    /// Whether new claims that name no class get it.
    pub is_default: bool,
}

/// An alternative of `allowedTopologies`: label keys and allowed values. `None` is invalid and
/// never matches.
pub type Topology = Option<Box<[(Sym, Box<[Sym]>)]>>;

impl StorageClass {
    /// Whether it provisions for a node with `labels`.
    pub fn provisions_for(&self, labels: &[(Sym, Sym)]) -> bool {
        self.topologies.is_empty()
            || self.topologies.iter().any(|term| {
                term.as_ref().is_some_and(|t| {
                    !t.is_empty()
                        && t.iter().all(|(key, values)| {
                            label(labels, *key).is_some_and(|v| values.contains(&v))
                        })
                })
            })
    }
}

/// A CSINode.
#[derive(Debug, Clone, Default)]
pub struct CsiNode {
    /// Drivers, and the limit of volumes of each; `None`: no limit.
    pub drivers: Box<[(Sym, Option<i64>)]>,
    /// In-tree plugins that are migrated to a CSI driver.
    pub migrated: Box<[Sym]>,
}

/// A CSIDriver.
#[derive(Debug, Clone, Copy)]
pub struct CsiDriver {
    /// `spec.storageCapacity`: whether it publishes `CSIStorageCapacity` objects.
    pub storage_capacity: bool,
    /// Whether nodes without the driver reject pods that use it.
    pub prevents_if_missing: bool,
}

/// A CSIStorageCapacity.
#[derive(Debug, Clone)]
pub struct StorageCapacity {
    pub class: Sym,
    /// Nodes that can access it; an invalid selector selects none.
    pub nodes: Selector,
    /// Bytes that are available.
    pub capacity: Option<Quantity>,
    /// Bytes of the largest volume that can be provisioned.
    pub largest: Option<Quantity>,
}

impl StorageCapacity {
    /// Maximum volume size, if stated.
    pub fn maximum(&self) -> Option<Quantity> {
        self.largest.or(self.capacity)
    }

    /// The same in bytes.
    pub fn limit(&self) -> Option<i64> {
        self.maximum().map(Quantity::value)
    }
}

/// A VolumeAttachment.
#[derive(Debug, Clone, Copy)]
pub struct Attachment {
    /// The CSI driver.
    pub attacher: Sym,
    pub volume: Sym,
}

/// Objects by their names. There can be as many as pods.
type Named<K, V> = IndexMap<K, V, foldhash::fast::RandomState>;

/// All storage of a cluster.
#[derive(Debug, Clone, Default)]
pub struct Storage {
    claims: Named<(Sym, Sym), VolumeClaim>,
    volumes: Named<Sym, PersistentVolume>,
    classes: Named<Sym, StorageClass>,
    csi_nodes: Named<Sym, CsiNode>,
    drivers: Named<Sym, CsiDriver>,
    capacities: Named<(Sym, Sym), StorageCapacity>,
    attachments: Named<Sym, Vec<Attachment>>,
}

impl Storage {
    pub fn claim(&self, namespace: Sym, name: Sym) -> Option<&VolumeClaim> {
        self.claims.get(&(namespace, name))
    }

    pub fn volume(&self, name: Sym) -> Option<&PersistentVolume> {
        self.volumes.get(&name)
    }

    /// The volumes of a class, by name. The scheduler iterates over them in random order.
    pub fn volumes_of_class(&self, class: Sym, symbols: &Symbols) -> Vec<&PersistentVolume> {
        let mut volumes: Vec<_> = self.volumes.values().filter(|v| v.class == class).collect();
        volumes.sort_by_key(|v| symbols.text(v.name));
        volumes
    }

    /// The volumes of all classes, by name.
    pub fn volumes(&self, symbols: &Symbols) -> Vec<&PersistentVolume> {
        let mut volumes: Vec<_> = self.volumes.values().collect();
        volumes.sort_by_key(|v| symbols.text(v.name));
        volumes
    }

    pub fn class(&self, name: Sym) -> Option<&StorageClass> {
        self.classes.get(&name)
    }

    /// The default classes, by name.
    pub fn default_classes(&self, symbols: &Symbols) -> Vec<Sym> {
        let mut names: Vec<Sym> = self
            .classes
            .values()
            .filter(|class| class.is_default)
            .map(|class| class.name)
            .collect();
        names.sort_by_key(|name| symbols.text(*name));
        names
    }

    /// Adds an unbound claim with the spec of `model`, unless a claim of that name exists.
    pub(super) fn add_claim_like(&mut self, namespace: Sym, model: Sym, name: Sym) {
        let Some(model) = self.claims.get(&(namespace, model)).cloned() else { return };
        self.claims.entry((namespace, name)).or_insert_with(|| VolumeClaim {
            name,
            uid: Box::default(),
            controller: None,
            volume_name: Sym::EMPTY,
            bind_completed: false,
            selected_node: None,
            lost: false,
            deleting: false,
            ..model
        });
    }

    /// Binds a volume to a claim, by its namespace and name.
    pub fn bind(&mut self, volume: Sym, claim: (Sym, Sym)) {
        let (namespace, name) = claim;
        let (Some(volume), Some(claim)) =
            (self.volumes.get_mut(&volume), self.claims.get_mut(&claim))
        else {
            return;
        };
        volume.claim = Some(ClaimRef { namespace, name, uid: claim.uid.clone() });
        volume.available = false;
        claim.volume_name = volume.name;
        claim.bind_completed = true;
    }

    /// Selects the node for which the volume of a claim is provisioned, by the claim's namespace and
    /// name.
    pub fn select_node(&mut self, claim: (Sym, Sym), node: Sym) {
        if let Some(claim) = self.claims.get_mut(&claim) {
            claim.selected_node = Some(node);
        }
    }

    /// Adds a CSINode for node `name` that copies the one of `model`, if that exists.
    pub(crate) fn add_csi_node_like(&mut self, model: Sym, name: Sym) {
        if let Some(csi_node) = self.csi_nodes.get(&model).cloned() {
            self.csi_nodes.insert(name, csi_node);
        }
    }

    /// The CSINode of that name.
    pub fn csi_node(&self, node: Sym) -> Option<&CsiNode> {
        self.csi_nodes.get(&node)
    }

    pub fn driver(&self, name: Sym) -> Option<&CsiDriver> {
        self.drivers.get(&name)
    }

    /// The `CSIStorageCapacity` objects of a class, by namespace and name. The scheduler iterates
    /// over them in random order.
    pub fn capacities_of_class(&self, class: Sym, symbols: &Symbols) -> Vec<&StorageCapacity> {
        let mut capacities: Vec<_> =
            self.capacities.iter().filter(|(_, c)| c.class == class).collect();
        capacities
            .sort_by_key(|((namespace, name), _)| (symbols.text(*namespace), symbols.text(*name)));
        capacities.into_iter().map(|(_, capacity)| capacity).collect()
    }

    /// The names of all classes, in order.
    pub fn class_names(&self, symbols: &Symbols) -> Vec<Sym> {
        let mut names: Vec<Sym> = self.classes.keys().copied().collect();
        names.sort_by_key(|name| symbols.text(*name));
        names
    }

    /// Volumes attached to the node of that name.
    pub fn attachments(&self, node: Sym) -> &[Attachment] {
        self.attachments.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Whether any CSINode limits the volumes of a driver.
    pub fn has_limits(&self) -> bool {
        self.csi_nodes.values().flat_map(|node| &node.drivers).any(|(_, limit)| limit.is_some())
    }

    /// Whether there is no object of a kind of storage.
    pub(super) fn has_none(&self, kind: Kind) -> bool {
        let kinds = [
            (Kind::PersistentVolumeClaim, self.claims.is_empty()),
            (Kind::PersistentVolume, self.volumes.is_empty()),
            (Kind::StorageClass, self.classes.is_empty()),
            (Kind::CsiNode, self.csi_nodes.is_empty()),
            (Kind::CsiDriver, self.drivers.is_empty()),
            (Kind::CsiStorageCapacity, self.capacities.is_empty()),
            (Kind::VolumeAttachment, self.attachments.is_empty()),
        ];
        kinds.into_iter().any(|(of, none)| of == kind && none)
    }
}
