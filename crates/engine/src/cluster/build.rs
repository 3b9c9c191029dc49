//! Collects the objects that a source gives, and makes the [`Cluster`] of them. Input that is broken or incomplete
//! becomes a note that names object and field; it is never an error.

use std::collections::BTreeMap;

use super::Cluster;
use super::budget::Budget;
use super::devices::{self, DeviceClass, Slice, TaintRule};
use super::limit_range::LimitRange;
use super::node::Node;
use super::notes::{Note, NoteLog, subject};
use super::owner::Owner;
use super::pod::Pod;
use super::pod::read::PodReader;
use super::priority_class::PriorityClass;
use super::reader::Reader;
use super::service::Service;
use super::symbols::{Sym, Symbols};
use crate::snapshot::{Flaw, Header, Kind, Object, Sink};

/// Collects objects; [`Builder::finish`] makes the cluster.
#[derive(Debug, Default)]
pub struct Builder {
    reader: Reader,
    pod_reader: PodReader,
    /// The objects so far, in the order of the input. What the readers hold is moved here at the end.
    cluster: Cluster,
    /// Kinds that are not read, and how many objects there are of each.
    ignored: BTreeMap<String, usize>,
    objects: usize,
}

impl Sink for Builder {
    fn object(&mut self, object: Object<'_>) {
        self.objects += 1;
        let (reader, cluster) = (&mut self.reader, &mut self.cluster);
        match object {
            Object::Node(node) => cluster.nodes.extend(Node::read(&node, reader)),
            Object::Pod(pod) => cluster.pods.extend(self.pod_reader.read(&pod, reader)),
            Object::PodDisruptionBudget(budget) => cluster.budgets.push(Budget::read(&budget, reader)),
            Object::PriorityClass(class) => cluster.priority_classes.push(PriorityClass::read(&class, reader)),
            Object::Namespace(namespace) => {
                let labels = reader.labels(&namespace.metadata.labels);
                cluster.namespaces.insert(reader.intern(&namespace.metadata.name), labels);
            }
            Object::DeviceClass(class) => cluster.devices.classes.push(DeviceClass::read(&class, reader)),
            Object::ResourceClaim(claim) => cluster.devices.claims.push(devices::Claim::read(&claim, reader)),
            Object::ResourceSlice(slice) => cluster.devices.slices.push(Slice::read(&slice, reader)),
            Object::DeviceTaintRule(rule) => cluster.devices.taint_rules.push(TaintRule::read(&rule, reader)),
            Object::PersistentVolumeClaim(claim) => cluster.storage.add_claim(&claim, reader),
            Object::PersistentVolume(volume) => cluster.storage.add_volume(&volume, reader),
            Object::StorageClass(class) => cluster.storage.add_class(&class, reader),
            Object::CsiNode(node) => cluster.storage.add_csi_node(&node, reader),
            Object::CsiDriver(driver) => cluster.storage.add_driver(&driver, reader),
            Object::CsiStorageCapacity(capacity) => cluster.storage.add_capacity(&capacity, reader),
            Object::VolumeAttachment(attachment) => cluster.storage.add_attachment(&attachment, reader),
            Object::ReplicaSet(owner) => cluster.owners.push(Owner::read(Kind::ReplicaSet, &owner, reader)),
            Object::StatefulSet(owner) => cluster.owners.push(Owner::read(Kind::StatefulSet, &owner, reader)),
            Object::Job(owner) => cluster.owners.push(Owner::read(Kind::Job, &owner, reader)),
            Object::ReplicationController(owner) => {
                cluster.owners.push(Owner::read_replication_controller(&owner, reader));
            }
            Object::Service(service) => cluster.services.extend(Service::read(&service, reader)),
            Object::LimitRange(range) => cluster.limit_ranges.push(LimitRange::read(&range, reader)),
            Object::Other(kind) => *self.ignored.entry(kind.to_string()).or_default() += 1,
        }
    }

    fn flaw(&mut self, flaw: Flaw) {
        let text = if flaw.field.is_empty() {
            flaw.problem
        } else {
            format!("field `{}` is read as absent: {}", flaw.field, flaw.problem)
        };
        self.reader.note("fields of the wrong type", Note::warning(flaw.subject, text));
    }

    fn header(&mut self, header: Header) {
        self.cluster.header = header;
    }
}

impl Builder {
    /// An empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that starts with the objects of `cluster`. Of an object that is given again the later one is used.
    #[must_use]
    pub fn reopen(mut cluster: Cluster) -> Self {
        let quantities = std::mem::take(&mut cluster.quantities);
        let reader = Reader {
            symbols: std::mem::take(&mut cluster.symbols),
            label_sets: std::mem::take(&mut cluster.label_sets),
            quantities: quantities.into_iter().map(|(text, quantity)| (text, Ok(quantity))).collect(),
            notes: NoteLog::with(std::mem::take(&mut cluster.notes)),
        };
        let pod_reader =
            PodReader::with(std::mem::take(&mut cluster.templates), std::mem::take(&mut cluster.resource_requests));
        Self { reader, pod_reader, cluster, ..Self::default() }
    }

    /// Orders the objects, and assigns pods to nodes.
    #[must_use]
    pub fn finish(self) -> Cluster {
        let Self { mut reader, pod_reader, mut cluster, ignored, .. } = self;
        sort_nodes_and_pods(&mut cluster, &mut reader);
        cluster.devices.sort(&mut reader);
        sort_others(&mut cluster, &mut reader);
        note_ignored(&ignored, &mut reader.notes);
        let Reader { symbols, label_sets, quantities, mut notes } = reader;
        cluster.symbols = symbols;
        cluster.label_sets = label_sets;
        cluster.quantities = quantities.into_iter().filter_map(|(text, q)| q.ok().map(|q| (text, q))).collect();
        cluster.templates = pod_reader.templates;
        cluster.resource_requests = pod_reader.resource_requests;
        cluster.assign(|subject, text| notes.add("pods on unknown nodes", Note::info(subject, text)));
        cluster.notes = notes.finish();
        cluster
    }

    /// How many objects came in.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects
    }
}

fn sort_nodes_and_pods(cluster: &mut Cluster, reader: &mut Reader) {
    reader.sort_unique(
        &mut cluster.nodes,
        "nodes given twice",
        |a, b, s| s.text(a.name).cmp(s.text(b.name)),
        |node, s| subject(Kind::Node.name(), "", s.text(node.name)),
    );
    reader.sort_unique(
        &mut cluster.pods,
        "pods given twice",
        |a: &Pod, b: &Pod, s| by_text(a.namespace, b.namespace, s).then_with(|| a.name.cmp(&b.name)),
        |pod, s| subject(Kind::Pod.name(), s.text(pod.namespace), &pod.name),
    );
}

/// Compares texts, which are only looked up if they differ.
fn by_text(a: Sym, b: Sym, symbols: &Symbols) -> std::cmp::Ordering {
    if a == b { std::cmp::Ordering::Equal } else { symbols.text(a).cmp(symbols.text(b)) }
}

fn sort_others(cluster: &mut Cluster, reader: &mut Reader) {
    const CATEGORY: &str = "objects given twice";
    reader.sort_unique(
        &mut cluster.budgets,
        CATEGORY,
        |a, b, s| by_text(a.namespace, b.namespace, s).then_with(|| a.name.cmp(&b.name)),
        |budget, s| subject(Kind::PodDisruptionBudget.name(), s.text(budget.namespace), &budget.name),
    );
    reader.sort_unique(
        &mut cluster.limit_ranges,
        CATEGORY,
        |a, b, s| by_text(a.namespace, b.namespace, s).then_with(|| by_text(a.name, b.name, s)),
        |range, s| subject(Kind::LimitRange.name(), s.text(range.namespace), s.text(range.name)),
    );
    reader.sort_unique(
        &mut cluster.priority_classes,
        CATEGORY,
        |a, b, s| by_text(a.name, b.name, s),
        |class, s| subject(Kind::PriorityClass.name(), "", s.text(class.name)),
    );
    reader.sort_unique(
        &mut cluster.owners,
        CATEGORY,
        |a, b, s| {
            let names = || by_text(a.namespace, b.namespace, s).then_with(|| by_text(a.name, b.name, s));
            by_text(a.kind, b.kind, s).then_with(names)
        },
        |owner, s| subject(s.text(owner.kind), s.text(owner.namespace), s.text(owner.name)),
    );
}

fn note_ignored(ignored: &BTreeMap<String, usize>, notes: &mut NoteLog) {
    if ignored.is_empty() {
        return;
    }
    let name = |kind: &str| if kind.is_empty() { "no kind".to_owned() } else { kind.to_owned() };
    let kinds: Vec<String> = ignored.iter().map(|(kind, count)| format!("{} ({count})", name(kind))).collect();
    notes.add("kinds", Note::info("input", format!("not used in the decision: {}", kinds.join(", "))));
}
