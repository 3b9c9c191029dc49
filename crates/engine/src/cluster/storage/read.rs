//! Storage objects of the API to [`Storage`]. What cannot be read becomes a note, and counts as absent.

use super::{
    Attachment, BindingMode, Capacity, Claim, ClaimRef, CsiDriver, CsiNode, PersistentVolume, Source, Storage,
    StorageClass, Topology,
};
use crate::cluster::build::{Notes, quantity_problem};
use crate::cluster::in_tree::{Provisioner, Sources};
use crate::cluster::node_selector::{NodeSelector, read_term};
use crate::cluster::notes::{Note, subject};
use crate::cluster::quantity::Quantity;
use crate::cluster::selector::{Selector, is_label_key, is_label_value};
use crate::cluster::symbols::{Sym, Symbols};
use crate::snapshot::pod::NodeSelectorTerm;
use crate::snapshot::storage as wire;
use crate::snapshot::{Map, Str};

/// What reading adds to besides the storage itself.
pub(in crate::cluster) struct Reading<'b> {
    /// Strings.
    pub(in crate::cluster) symbols: &'b mut Symbols,
    /// What was wrong.
    pub(in crate::cluster) notes: &'b mut Notes,
}

impl Reading<'_> {
    fn sym(&mut self, text: &str) -> Sym {
        self.symbols.intern(text)
    }

    fn syms(&mut self, texts: &[Str]) -> Box<[Sym]> {
        texts.iter().map(|t| self.symbols.intern(t)).collect()
    }

    fn or_filesystem(&mut self, mode: &Str) -> Sym {
        self.sym(if mode.is_empty() { "Filesystem" } else { mode })
    }

    fn quantity(&mut self, about: &str, field: &str, text: Option<&str>) -> Option<Quantity> {
        let text = text?;
        let quantity = Quantity::parse(text);
        if let Some(problem) = quantity_problem(quantity, "absent") {
            self.notes.add("quantities", Note::warning(about, format!("{field} `{text}` {problem}")));
        }
        quantity.ok()
    }

    fn twice(&mut self, about: String) {
        self.notes.add("storage given twice", Note::warning(about, "is given twice; the later one is used"));
    }

    /// A name without which nobody can refer to the object.
    fn is_nameless(&mut self, kind: &str, name: &Str) -> bool {
        if name.is_empty() {
            self.notes.add("objects without a name", Note::warning(subject(kind, "", ""), "left out"));
        }
        name.is_empty()
    }

    fn affinity(&mut self, terms: Option<&[NodeSelectorTerm]>) -> Option<NodeSelector> {
        terms.map(|terms| terms.iter().map(|t| read_term(t, self.symbols)).collect())
    }
}

fn or_default<'s>(namespace: &'s Str) -> &'s str {
    if namespace.is_empty() { "default" } else { namespace }
}

impl Storage {
    pub(in crate::cluster) fn add_claim(&mut self, wire: &wire::PersistentVolumeClaim, mut reading: Reading) {
        let (meta, spec, r) = (&wire.metadata, &wire.spec, &mut reading);
        if r.is_nameless("PersistentVolumeClaim", &meta.name) {
            return;
        }
        let about = subject("PersistentVolumeClaim", or_default(&meta.namespace), &meta.name);
        let selector = spec.selector.as_ref().map(|s| Selector::read(Some(s), r.symbols).map_err(Box::from));
        if let Some(Err(e)) = &selector {
            let text = format!("spec.selector cannot be parsed, so the scheduler fails on it: {e}");
            r.notes.add("selectors", Note::warning(about.clone(), text));
        }
        let claim = Claim {
            namespace: r.sym(or_default(&meta.namespace)),
            name: r.sym(&meta.name),
            uid: Box::from(meta.uid.as_str()),
            controller: meta.owner_references.iter().find(|o| o.controller).map(|o| Box::from(o.uid.as_str())),
            class: r.sym(meta.annotations.get(wire::BETA_STORAGE_CLASS).unwrap_or(&spec.storage_class_name)),
            spec_class: r.sym(&spec.storage_class_name),
            volume_name: r.sym(&spec.volume_name),
            bind_completed: meta.annotations.get(wire::BIND_COMPLETED).is_some(),
            selected_node: meta.annotations.get(wire::SELECTED_NODE).map(|n| r.sym(n)),
            lost: wire.status.phase.as_str() == "Lost",
            deleting: !meta.deletion_timestamp.is_empty(),
            access_modes: r.syms(&spec.access_modes),
            request: r.quantity(&about, "spec.resources.requests[storage]", spec.resources.requests.get("storage")),
            mode: r.or_filesystem(&spec.volume_mode),
            attributes_class: r.sym(&spec.volume_attributes_class_name),
            selector,
        };
        if self.claims.insert((claim.namespace, claim.name), claim).is_some() {
            r.twice(about);
        }
    }

    pub(in crate::cluster) fn add_volume(&mut self, wire: &wire::PersistentVolume, mut reading: Reading) {
        let (meta, spec, r) = (&wire.metadata, &wire.spec, &mut reading);
        if r.is_nameless("PersistentVolume", &meta.name) {
            return;
        }
        let about = subject("PersistentVolume", "", &meta.name);
        let mut labels: Vec<_> = meta.labels.iter().map(|(k, v)| (r.sym(k), r.sym(v))).collect();
        labels.sort_unstable();
        let required = spec.node_affinity.as_ref().and_then(|a| a.required.as_ref());
        let volume = PersistentVolume {
            name: r.sym(&meta.name),
            labels: labels.into_boxed_slice(),
            class: r.sym(meta.annotations.get(wire::BETA_STORAGE_CLASS).unwrap_or(&spec.storage_class_name)),
            spec_class: r.sym(&spec.storage_class_name),
            claim: spec.claim_ref.as_ref().map(|c| ClaimRef {
                namespace: r.sym(&c.namespace),
                name: r.sym(&c.name),
                uid: Box::from(c.uid.as_str()),
            }),
            available: wire.status.phase.as_str() == "Available",
            deleting: !meta.deletion_timestamp.is_empty(),
            access_modes: r.syms(&spec.access_modes),
            capacity: r.quantity(&about, "spec.capacity[storage]", spec.capacity.get("storage")).unwrap_or_default(),
            mode: r.or_filesystem(&spec.volume_mode),
            attributes_class: r.sym(&spec.volume_attributes_class_name),
            affinity: r.affinity(required.map(|s| s.node_selector_terms.as_slice())),
            source: source(spec, &meta.labels, r),
        };
        if self.volumes.insert(volume.name, volume).is_some() {
            r.twice(about);
        }
    }

    pub(in crate::cluster) fn add_class(&mut self, wire: &wire::StorageClass, mut reading: Reading) {
        let (meta, r) = (&wire.metadata, &mut reading);
        if r.is_nameless("StorageClass", &meta.name) {
            return;
        }
        let class = StorageClass {
            name: r.sym(&meta.name),
            provisioner: Provisioner::read(&wire.provisioner, r.symbols),
            provisioner_name: r.sym(&wire.provisioner),
            mode: match wire.volume_binding_mode.as_str() {
                "" => BindingMode::Unset,
                "WaitForFirstConsumer" => BindingMode::WaitForFirstConsumer,
                _ => BindingMode::Immediate,
            },
            topologies: wire.allowed_topologies.iter().map(|t| topology(t, r)).collect(),
            is_default: wire::DEFAULT_CLASS.iter().any(|key| meta.annotations.get(key) == Some("true")),
        };
        if self.classes.insert(class.name, class).is_some() {
            r.twice(subject("StorageClass", "", &meta.name));
        }
    }

    pub(in crate::cluster) fn add_csi_node(&mut self, wire: &wire::CsiNode, mut reading: Reading) {
        let (meta, r) = (&wire.metadata, &mut reading);
        if r.is_nameless("CSINode", &meta.name) {
            return;
        }
        let migrated = meta.annotations.get(wire::MIGRATED_PLUGINS).unwrap_or_default();
        let drivers = wire.spec.drivers.iter();
        let csi_node = CsiNode {
            drivers: drivers.map(|d| (r.sym(&d.name), d.allocatable.and_then(|a| a.count))).collect(),
            migrated: migrated.split(',').filter(|p| !p.is_empty()).map(|p| r.sym(p)).collect(),
        };
        if self.csi_nodes.insert(r.sym(&meta.name), csi_node).is_some() {
            r.twice(subject("CSINode", "", &meta.name));
        }
    }

    pub(in crate::cluster) fn add_driver(&mut self, wire: &wire::CsiDriver, mut reading: Reading) {
        let (meta, r) = (&wire.metadata, &mut reading);
        if r.is_nameless("CSIDriver", &meta.name) {
            return;
        }
        let driver = CsiDriver {
            storage_capacity: wire.spec.storage_capacity == Some(true),
            prevents_if_missing: wire.spec.prevent_pod_scheduling_if_missing == Some(true),
        };
        if self.drivers.insert(r.sym(&meta.name), driver).is_some() {
            r.twice(subject("CSIDriver", "", &meta.name));
        }
    }

    pub(in crate::cluster) fn add_capacity(&mut self, wire: &wire::CsiStorageCapacity, mut reading: Reading) {
        let (meta, r) = (&wire.metadata, &mut reading);
        let about = subject("CSIStorageCapacity", or_default(&meta.namespace), &meta.name);
        let nodes = Selector::read(wire.node_topology.as_ref(), r.symbols).unwrap_or_else(|e| {
            let text = format!("nodeTopology cannot be parsed, so the scheduler passes it over: {e}");
            r.notes.add("selectors", Note::warning(about.clone(), text));
            Selector::Nothing
        });
        let capacity = Capacity {
            class: r.sym(&wire.storage_class_name),
            nodes,
            capacity: r.quantity(&about, "capacity", wire.capacity.as_deref()),
            largest: r.quantity(&about, "maximumVolumeSize", wire.maximum_volume_size.as_deref()),
        };
        let key = (r.sym(or_default(&meta.namespace)), r.sym(&meta.name));
        if self.capacities.insert(key, capacity).is_some() {
            r.twice(about);
        }
    }

    /// Attachments without a driver or without a volume are passed over, as the scheduler does.
    pub(in crate::cluster) fn add_attachment(&mut self, wire: &wire::VolumeAttachment, mut reading: Reading) {
        let (spec, r) = (&wire.spec, &mut reading);
        let volume = &spec.source.persistent_volume_name;
        if spec.attacher.is_empty() || volume.is_empty() {
            return;
        }
        let attachment = Attachment { attacher: r.sym(&spec.attacher), volume: r.sym(volume) };
        self.attachments.entry(r.sym(&spec.node_name)).or_default().push(attachment);
    }
}

fn source(spec: &wire::VolumeSpec, labels: &Map, r: &mut Reading) -> Source {
    if let Some(csi) = &spec.csi {
        return Source::Csi { driver: r.sym(&csi.driver), handle: r.sym(&csi.volume_handle) };
    }
    let sources = Sources {
        gce: spec.gce_persistent_disk.as_ref(),
        aws: spec.aws_elastic_block_store.as_ref(),
        azure: spec.azure_disk.as_ref(),
        cinder: spec.cinder.as_ref(),
        portworx: spec.portworx_volume.as_ref(),
    };
    let Some(volume) = sources.translate(labels, r.symbols) else { return Source::Other };
    let required = spec.node_affinity.as_ref().and_then(|a| a.required.as_ref());
    let terms = sources.translate_affinity(labels, required.map(|s| s.node_selector_terms.clone()));
    Source::InTree { volume, affinity: r.affinity(terms.as_deref()) }
}

/// Upstream: `pkg/apis/core/v1/helper/helpers.go` `TopologySelectorRequirementsAsSelector` (1.37).
fn topology(wire: &wire::TopologyTerm, r: &mut Reading) -> Topology {
    let usable = |e: &&wire::TopologyRequirement| {
        is_label_key(&e.key) && !e.values.is_empty() && e.values.iter().all(|v| is_label_value(v))
    };
    if !wire.match_label_expressions.iter().all(|e| usable(&e)) {
        return None;
    }
    Some(wire.match_label_expressions.iter().map(|e| (r.sym(&e.key), r.syms(&e.values))).collect())
}
