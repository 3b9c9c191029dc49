//! Converts storage objects of the API to [`Storage`]. An unreadable field is noted and counts as
//! absent.

use super::{
    Attachment, BindingMode, ClaimRef, CsiDriver, CsiNode, PersistentVolume, Storage,
    StorageCapacity, StorageClass, Topology, VolumeClaim, VolumeSource,
};
use crate::cluster::in_tree::{Provisioner, Sources};
use crate::cluster::node_selector::{NodeSelector, read_term};
use crate::cluster::notes::{QUANTITY, SELECTOR};
use crate::cluster::quantity::{self, Quantity};
use crate::cluster::reader::{ReadContext, given_twice, or_default};
use crate::cluster::selector::{Selector, is_label_key, is_label_value};
use crate::cluster::symbols::Sym;
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::pod::NodeSelectorTerm;
use crate::snapshot::storage as wire;
use crate::snapshot::{Kind, Map, Str};

/// `spec.volumeMode`; absent as `Filesystem`.
fn volume_mode(mode: &Str, r: &mut ReadContext) -> Sym {
    r.intern(if mode.is_empty() { "Filesystem" } else { mode })
}

/// A quantity; an invalid one is noted and counts as absent.
fn quantity(
    about: &Subject,
    field: &str,
    text: Option<&str>,
    r: &mut ReadContext,
) -> Option<Quantity> {
    let text = text?;
    let quantity = Quantity::parse(text);
    if let Some(problem) = quantity::problem(quantity, "absent") {
        let note = Note::warning(&QUANTITY, format!("{field} `{text}` {problem}"));
        r.note(
            about.clone(),
            if quantity.is_err() {
                note.lacking(Some(about.kind()), ObjectPart::Field)
            } else {
                note
            },
        );
    }
    quantity.ok()
}

fn note_given_twice(about: Subject, r: &mut ReadContext) {
    r.note(about, given_twice());
}

fn node_selector(terms: Option<&[NodeSelectorTerm]>, r: &mut ReadContext) -> Option<NodeSelector> {
    terms.map(|terms| terms.iter().map(|t| read_term(t, &mut r.symbols)).collect())
}

impl Storage {
    pub(in crate::cluster) fn add_claim(
        &mut self,
        wire: &wire::PersistentVolumeClaim,
        r: &mut ReadContext,
    ) {
        let (meta, spec) = (&wire.metadata, &wire.spec);
        if r.is_nameless(Kind::PersistentVolumeClaim, &meta.name) {
            return;
        }
        let about =
            Subject::object(Kind::PersistentVolumeClaim, or_default(&meta.namespace), &meta.name);
        let selector = spec.selector.as_ref().map(|s| Selector::read(Some(s), &mut r.symbols));
        if let Some(Err(e)) = &selector {
            let text = format!("spec.selector cannot be parsed, so the scheduler fails on it: {e}");
            r.note(about.clone(), Note::warning(&SELECTOR, text));
        }
        // The annotation, which came before the field, still counts before it.
        let annotated_class = meta.annotations.get(wire::BETA_STORAGE_CLASS);
        let claim = VolumeClaim {
            namespace: r.namespace(&meta.namespace),
            name: r.intern(&meta.name),
            uid: Box::from(meta.uid.as_str()),
            controller: meta
                .owner_references
                .iter()
                .find(|o| o.controller)
                .map(|o| Box::from(o.uid.as_str())),
            class: r
                .intern(annotated_class.or(spec.storage_class_name.as_deref()).unwrap_or_default()),
            spec_class: spec.storage_class_name.as_ref().map(|class| r.intern(class)),
            volume_name: r.intern(&spec.volume_name),
            bind_completed: meta.annotations.get(wire::BIND_COMPLETED).is_some(),
            selected_node: meta.annotations.get(wire::SELECTED_NODE).map(|n| r.intern(n)),
            lost: wire.status.phase.as_str() == "Lost",
            deleting: !meta.deletion_timestamp.is_empty(),
            access_modes: r.intern_all(&spec.access_modes),
            request: quantity(
                &about,
                "spec.resources.requests[storage]",
                spec.resources.requests.get("storage"),
                r,
            ),
            mode: volume_mode(&spec.volume_mode, r),
            attributes_class: r.intern(&spec.volume_attributes_class_name),
            selector,
        };
        if self.claims.insert((claim.namespace, claim.name), claim).is_some() {
            note_given_twice(about, r);
        }
    }

    pub(in crate::cluster) fn add_volume(
        &mut self,
        wire: &wire::PersistentVolume,
        r: &mut ReadContext,
    ) {
        let (meta, spec) = (&wire.metadata, &wire.spec);
        if r.is_nameless(Kind::PersistentVolume, &meta.name) {
            return;
        }
        let about = Subject::object(Kind::PersistentVolume, "", &meta.name);
        // Volumes have no other kind of node affinity.
        let required = spec.node_affinity.as_ref().and_then(|a| a.required.as_ref());
        let volume = PersistentVolume {
            name: r.intern(&meta.name),
            labels: r.pairs(&meta.labels),
            class: r.intern(
                meta.annotations.get(wire::BETA_STORAGE_CLASS).unwrap_or(&spec.storage_class_name),
            ),
            spec_class: r.intern(&spec.storage_class_name),
            claim: spec.claim_ref.as_ref().map(|c| ClaimRef {
                namespace: r.intern(&c.namespace),
                name: r.intern(&c.name),
                uid: Box::from(c.uid.as_str()),
            }),
            available: wire.status.phase.as_str() == "Available",
            deleting: !meta.deletion_timestamp.is_empty(),
            access_modes: r.intern_all(&spec.access_modes),
            capacity: quantity(&about, "spec.capacity[storage]", spec.capacity.get("storage"), r)
                .unwrap_or_default(),
            mode: volume_mode(&spec.volume_mode, r),
            attributes_class: r.intern(&spec.volume_attributes_class_name),
            affinity: node_selector(required.map(|s| s.node_selector_terms.as_slice()), r),
            source: source(spec, &meta.labels, r),
        };
        if self.volumes.insert(volume.name, volume).is_some() {
            note_given_twice(about, r);
        }
    }

    pub(in crate::cluster) fn add_class(&mut self, wire: &wire::StorageClass, r: &mut ReadContext) {
        let meta = &wire.metadata;
        if r.is_nameless(Kind::StorageClass, &meta.name) {
            return;
        }
        let class = StorageClass {
            name: r.intern(&meta.name),
            provisioner: Provisioner::read(&wire.provisioner, &mut r.symbols),
            provisioner_name: r.intern(&wire.provisioner),
            mode: match wire.volume_binding_mode.as_str() {
                "" => BindingMode::Unset,
                "WaitForFirstConsumer" => BindingMode::WaitForFirstConsumer,
                _ => BindingMode::Immediate,
            },
            topologies: wire.allowed_topologies.iter().map(|t| topology(t, r)).collect(),
            is_default: wire::DEFAULT_CLASS
                .iter()
                .any(|key| meta.annotations.get(key) == Some("true")),
        };
        if self.classes.insert(class.name, class).is_some() {
            note_given_twice(Subject::object(Kind::StorageClass, "", &meta.name), r);
        }
    }

    pub(in crate::cluster) fn add_csi_node(&mut self, wire: &wire::CsiNode, r: &mut ReadContext) {
        let meta = &wire.metadata;
        if r.is_nameless(Kind::CsiNode, &meta.name) {
            return;
        }
        let migrated = meta.annotations.get(wire::MIGRATED_PLUGINS).unwrap_or_default();
        let drivers = wire.spec.drivers.iter();
        let csi_node = CsiNode {
            drivers: drivers
                .map(|d| (r.intern(&d.name), d.allocatable.and_then(|a| a.count)))
                .collect(),
            migrated: migrated.split(',').filter(|p| !p.is_empty()).map(|p| r.intern(p)).collect(),
        };
        if self.csi_nodes.insert(r.intern(&meta.name), csi_node).is_some() {
            note_given_twice(Subject::object(Kind::CsiNode, "", &meta.name), r);
        }
    }

    pub(in crate::cluster) fn add_driver(&mut self, wire: &wire::CsiDriver, r: &mut ReadContext) {
        let meta = &wire.metadata;
        if r.is_nameless(Kind::CsiDriver, &meta.name) {
            return;
        }
        let driver = CsiDriver {
            storage_capacity: wire.spec.storage_capacity == Some(true),
            prevents_if_missing: wire.spec.prevent_pod_scheduling_if_missing == Some(true),
        };
        if self.drivers.insert(r.intern(&meta.name), driver).is_some() {
            note_given_twice(Subject::object(Kind::CsiDriver, "", &meta.name), r);
        }
    }

    pub(in crate::cluster) fn add_capacity(
        &mut self,
        wire: &wire::CsiStorageCapacity,
        r: &mut ReadContext,
    ) {
        let meta = &wire.metadata;
        let about =
            Subject::object(Kind::CsiStorageCapacity, or_default(&meta.namespace), &meta.name);
        let nodes =
            Selector::read(wire.node_topology.as_ref(), &mut r.symbols).unwrap_or_else(|e| {
                let text =
                    format!("nodeTopology cannot be parsed, so the scheduler ignores it: {e}");
                r.note(about.clone(), Note::warning(&SELECTOR, text));
                Selector::Nothing
            });
        let capacity = StorageCapacity {
            class: r.intern(&wire.storage_class_name),
            nodes,
            capacity: quantity(
                &about,
                "capacity",
                wire.capacity.as_ref().map(|amount| amount.as_str()),
                r,
            ),
            largest: quantity(
                &about,
                "maximumVolumeSize",
                wire.maximum_volume_size.as_ref().map(|amount| amount.as_str()),
                r,
            ),
        };
        let key = (r.namespace(&meta.namespace), r.intern(&meta.name));
        if self.capacities.insert(key, capacity).is_some() {
            note_given_twice(about, r);
        }
    }

    /// Parity: the scheduler ignores attachments without a driver or without a volume.
    pub(in crate::cluster) fn add_attachment(
        &mut self,
        wire: &wire::VolumeAttachment,
        r: &mut ReadContext,
    ) {
        let spec = &wire.spec;
        let volume = &spec.source.persistent_volume_name;
        if spec.attacher.is_empty() || volume.is_empty() {
            return;
        }
        let attachment =
            Attachment { attacher: r.intern(&spec.attacher), volume: r.intern(volume) };
        self.attachments.entry(r.intern(&spec.node_name)).or_default().push(attachment);
    }
}

fn source(spec: &wire::VolumeSpec, labels: &Map, r: &mut ReadContext) -> VolumeSource {
    if let Some(csi) = &spec.csi {
        return VolumeSource::Csi {
            driver: r.intern(&csi.driver),
            handle: r.intern(&csi.volume_handle),
        };
    }
    let sources = Sources {
        gce: spec.gce_persistent_disk.as_ref(),
        aws: spec.aws_elastic_block_store.as_ref(),
        azure: spec.azure_disk.as_ref(),
        cinder: spec.cinder.as_ref(),
        portworx: spec.portworx_volume.as_ref(),
    };
    let Some(volume) = sources.translate(labels, &mut r.symbols) else {
        return VolumeSource::Other;
    };
    let required = spec.node_affinity.as_ref().and_then(|a| a.required.as_ref());
    let terms = sources.translate_affinity(labels, required.map(|s| s.node_selector_terms.clone()));
    VolumeSource::InTree { volume, affinity: node_selector(terms.as_deref(), r) }
}

/// Upstream: `pkg/apis/core/v1/helper/helpers.go` `TopologySelectorRequirementsAsSelector` (1.37).
fn topology(wire: &wire::TopologyTerm, r: &mut ReadContext) -> Topology {
    let is_usable = wire.match_label_expressions.iter().all(|e| {
        is_label_key(&e.key) && !e.values.is_empty() && e.values.iter().all(|v| is_label_value(v))
    });
    if !is_usable {
        return None;
    }
    Some(
        wire.match_label_expressions
            .iter()
            .map(|e| (r.symbols.intern_label_key(&e.key), r.intern_all(&e.values)))
            .collect(),
    )
}
