//! Objects to [`Cluster`]. Broken or missing input becomes a note that names object and field, never a failure.

mod avoid;
mod devices;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::budget::Budget;
use super::devices::Devices;
use super::node::{Node, Taint};
use super::notes::{Note, subject};
use super::pod::{OwnerRef, Phase, Pod, PoolIx, Qos, ScheduledCondition};
use super::pod_volume;
use super::quantity::{Quantity, QuantityError};
use super::resources::{ResourceKind, Resources};
use super::selector::{Labels, Selector};
use super::shape::Shape;
use super::storage::Storage;
use super::storage::read::Reading;
use super::symbols::{Pool, Sym, Symbols};
use super::template::{Effect, Template};
use super::{Cluster, LimitRange, Owner, PriorityClass, Service};
use crate::snapshot::meta::ObjectMeta;
use crate::snapshot::{Flaw, Header, Map, Object, Sink, Str, node as wire_node, others as wire, pod as wire_pod};

/// Notes of one sort that are kept one by one; the rest is counted.
const NOTES_OF_A_SORT: usize = 20;

/// Collects objects; [`Builder::finish`] makes the cluster.
#[derive(Debug, Default)]
pub struct Builder {
    symbols: Symbols,
    label_sets: Pool<Labels>,
    templates: Pool<Template>,
    shapes: Pool<Shape>,
    shape_flaws: BTreeMap<usize, Vec<(&'static str, String)>>,
    template_flaws: BTreeMap<usize, Vec<(&'static str, String)>>,
    quantities: indexmap::IndexMap<Sym, Result<Quantity, QuantityError>, foldhash::fast::RandomState>,
    nodes: Vec<Node>,
    pods: Vec<Pod>,
    budgets: Vec<Budget>,
    priority_classes: Vec<PriorityClass>,
    namespaces: BTreeMap<Sym, PoolIx>,
    storage: Storage,
    devices: Devices,
    owners: Vec<Owner>,
    services: Vec<Service>,
    limit_ranges: Vec<LimitRange>,
    ignored: BTreeMap<String, usize>,
    notes: Notes,
    header: Header,
    objects: usize,
}

/// Notes so far; of each sort only the first few, then a count.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kept: Vec<Note>,
    sorts: BTreeMap<&'static str, (usize, String)>,
}

impl Notes {
    pub(super) fn add(&mut self, sort: &'static str, note: Note) {
        let entry = self.sorts.entry(sort).or_default();
        entry.0 += 1;
        if entry.0 <= NOTES_OF_A_SORT {
            self.kept.push(note);
        } else {
            entry.1 = note.subject;
        }
    }

    fn finish(mut self) -> Vec<Note> {
        for (sort, (count, last)) in self.sorts {
            if count > NOTES_OF_A_SORT {
                let more = count - NOTES_OF_A_SORT;
                self.kept.push(Note::warning("input", format!("{sort}: {more} more, the last is {last}")));
            }
        }
        self.kept
    }
}

impl Sink for Builder {
    fn object(&mut self, object: Object<'_>) {
        self.objects += 1;
        match object {
            Object::Node(node) => self.node(&node),
            Object::Pod(pod) => self.pod(&pod),
            Object::PodDisruptionBudget(budget) => self.budget(&budget),
            Object::PriorityClass(class) => self.priority_classes.push(PriorityClass {
                name: self.symbols.intern(&class.metadata.name),
                value: class.value,
                global_default: class.global_default,
                never_preempts: class.preemption_policy.as_str() == "Never",
            }),
            Object::Namespace(namespace) => {
                let labels = self.labels(&namespace.metadata.labels);
                let name = self.symbols.intern(&namespace.metadata.name);
                self.namespaces.insert(name, labels);
            }
            Object::DeviceClass(class) => self.device_class(&class),
            Object::ResourceClaim(claim) => self.claim(&claim),
            Object::ResourceSlice(slice) => self.slice(&slice),
            Object::DeviceTaintRule(rule) => self.taint_rule(&rule),
            Object::PersistentVolumeClaim(claim) => self.read_storage(|s, r| s.add_claim(&claim, r)),
            Object::PersistentVolume(volume) => self.read_storage(|s, r| s.add_volume(&volume, r)),
            Object::StorageClass(class) => self.read_storage(|s, r| s.add_class(&class, r)),
            Object::CsiNode(node) => self.read_storage(|s, r| s.add_csi_node(&node, r)),
            Object::CsiDriver(driver) => self.read_storage(|s, r| s.add_driver(&driver, r)),
            Object::CsiStorageCapacity(capacity) => self.read_storage(|s, r| s.add_capacity(&capacity, r)),
            Object::VolumeAttachment(attachment) => self.read_storage(|s, r| s.add_attachment(&attachment, r)),
            Object::ReplicaSet(owner) => self.owner("ReplicaSet", &owner),
            Object::StatefulSet(owner) => self.owner("StatefulSet", &owner),
            Object::Job(owner) => self.owner("Job", &owner),
            Object::ReplicationController(owner) => self.replication_controller(&owner),
            Object::Service(service) => self.service(&service),
            Object::LimitRange(range) => self.limit_range(&range),
            Object::Other(kind) => *self.ignored.entry(kind.to_string()).or_default() += 1,
        }
    }

    fn flaw(&mut self, flaw: Flaw) {
        let text = if flaw.field.is_empty() {
            flaw.problem
        } else {
            format!("field `{}` is read as absent: {}", flaw.field, flaw.problem)
        };
        self.notes.add("fields of the wrong type", Note::warning(flaw.subject, text));
    }

    fn header(&mut self, header: Header) {
        self.header = header;
    }
}

impl Builder {
    /// An empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A cluster taken apart again, so that more objects can be added to it. Of an object that is given again the later
    /// one is used.
    #[must_use]
    pub fn reopen(cluster: Cluster) -> Self {
        Self {
            symbols: cluster.symbols,
            label_sets: cluster.label_sets,
            templates: cluster.templates,
            shapes: cluster.shapes,
            quantities: cluster.quantities.into_iter().map(|(text, quantity)| (text, Ok(quantity))).collect(),
            nodes: cluster.nodes,
            pods: cluster.pods,
            budgets: cluster.budgets,
            priority_classes: cluster.priority_classes,
            namespaces: cluster.namespaces,
            storage: cluster.storage,
            devices: cluster.devices,
            owners: cluster.owners,
            services: cluster.services,
            limit_ranges: cluster.limit_ranges,
            header: cluster.header,
            notes: Notes { kept: cluster.notes, sorts: BTreeMap::new() },
            ..Self::default()
        }
    }

    /// Orders what was collected, and ties pods to nodes.
    #[must_use]
    pub fn finish(mut self) -> Cluster {
        self.sort_nodes();
        self.sort_pods();
        self.sort_devices();
        self.sort_others();
        self.note_ignored();
        let mut cluster = Cluster {
            symbols: self.symbols,
            label_sets: self.label_sets,
            templates: self.templates,
            shapes: self.shapes,
            quantities: self.quantities.into_iter().filter_map(|(k, v)| v.ok().map(|v| (k, v))).collect(),
            nodes: self.nodes,
            pods: self.pods,
            pods_on: Vec::new(),
            budgets: self.budgets,
            priority_classes: self.priority_classes,
            namespaces: self.namespaces,
            storage: self.storage,
            devices: self.devices,
            owners: self.owners,
            services: self.services,
            limit_ranges: self.limit_ranges,
            header: self.header,
            notes: Vec::new(),
        };
        cluster.assign(|subject, text| self.notes.add("pods on unknown nodes", Note::info(subject, text)));
        cluster.notes = self.notes.finish();
        cluster
    }

    /// How many objects came in.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects
    }

    fn sort_nodes(&mut self) {
        let symbols = &self.symbols;
        self.nodes.sort_by(|a, b| symbols.text(a.name).cmp(symbols.text(b.name)));
        let (nodes, notes) = (std::mem::take(&mut self.nodes), &mut self.notes);
        self.nodes = keep_last(
            nodes,
            |a, b| a.name == b.name,
            |node| {
                notes.add("nodes given twice", twice(subject("Node", "", symbols.text(node.name))));
            },
        );
    }

    fn sort_pods(&mut self) {
        let symbols = &self.symbols;
        let key = |pod: &Pod| pod.namespace;
        self.pods.sort_by(|a, b| {
            // Equal numbers are equal texts; only different namespaces need a look at the text.
            let namespaces = if key(a) == key(b) {
                std::cmp::Ordering::Equal
            } else {
                symbols.text(key(a)).cmp(symbols.text(key(b)))
            };
            namespaces.then_with(|| a.name.cmp(&b.name))
        });
        let (pods, notes) = (std::mem::take(&mut self.pods), &mut self.notes);
        self.pods = keep_last(
            pods,
            |a, b| a.namespace == b.namespace && a.name == b.name,
            |pod| {
                notes.add("pods given twice", twice(subject("Pod", symbols.text(pod.namespace), &pod.name)));
            },
        );
    }

    fn sort_others(&mut self) {
        let (symbols, notes) = (&self.symbols, &mut self.notes);
        let mut note = |kind: &str, namespace: &str, name: &str| {
            notes.add("objects given twice", twice(subject(kind, namespace, name)));
        };
        self.budgets.sort_by(|a, b| (symbols.text(a.namespace), &a.name).cmp(&(symbols.text(b.namespace), &b.name)));
        self.budgets = keep_last(
            std::mem::take(&mut self.budgets),
            |a, b| a.namespace == b.namespace && a.name == b.name,
            |budget| note("PodDisruptionBudget", symbols.text(budget.namespace), &budget.name),
        );
        self.limit_ranges.sort_by_key(|r| (symbols.text(r.namespace), symbols.text(r.name)));
        self.limit_ranges = keep_last(
            std::mem::take(&mut self.limit_ranges),
            |a, b| a.namespace == b.namespace && a.name == b.name,
            |range| note("LimitRange", symbols.text(range.namespace), symbols.text(range.name)),
        );
        self.priority_classes.sort_by_key(|class| symbols.text(class.name));
        self.priority_classes = keep_last(
            std::mem::take(&mut self.priority_classes),
            |a, b| a.name == b.name,
            |class| note("PriorityClass", "", symbols.text(class.name)),
        );
        self.owners.sort_by_key(|o| (symbols.text(o.kind), symbols.text(o.namespace), symbols.text(o.name)));
        self.owners = keep_last(
            std::mem::take(&mut self.owners),
            |a, b| (a.kind, a.namespace, a.name) == (b.kind, b.namespace, b.name),
            |owner| note(symbols.text(owner.kind), symbols.text(owner.namespace), symbols.text(owner.name)),
        );
    }

    fn note_ignored(&mut self) {
        if self.ignored.is_empty() {
            return;
        }
        let kinds: Vec<String> = self
            .ignored
            .iter()
            .map(|(kind, n)| format!("{} ({n})", if kind.is_empty() { "no kind" } else { kind }))
            .collect();
        self.notes.add("kinds", Note::info("input", format!("not used in the decision: {}", kinds.join(", "))));
    }

    fn labels(&mut self, map: &Map) -> PoolIx {
        let labels = self.label_pairs(map);
        pool_ix(self.label_sets.intern(labels).0)
    }

    fn node(&mut self, wire: &wire_node::Node) {
        let name = &wire.metadata.name;
        if name.is_empty() {
            self.notes.add("objects without a name", Note::warning("Node (without a name)", "left out"));
            return;
        }
        let labels = self.labels(&wire.metadata.labels);
        let mut allocatable = Resources::default();
        let mut allocatable_pods = 0;
        for (resource, text) in wire.status.allocatable.iter() {
            let kind = ResourceKind::of(resource);
            let text = self.symbols.intern(text);
            let quantity = self.quantity(text);
            if let Some(problem) = quantity_problem(quantity, "0") {
                let problem = format!("status.allocatable[{resource}] `{}` {problem}", self.symbols.text(text));
                self.notes.add("quantities", Note::warning(subject("Node", "", name), problem));
            }
            let amount = quantity.map_or(0, |quantity| kind.count(quantity));
            if kind == ResourceKind::Pods {
                allocatable_pods = amount;
            }
            let resource = self.symbols.intern(resource);
            allocatable.add(kind, resource, amount);
        }
        let images = self.images(wire);
        let avoids = self.avoids(wire);
        self.nodes.push(Node {
            name: self.symbols.intern(name),
            labels,
            unschedulable: wire.spec.unschedulable,
            taints: wire
                .spec
                .taints
                .iter()
                .map(|t| Taint {
                    key: self.symbols.intern(&t.key),
                    value: self.symbols.intern(&t.value),
                    effect: Effect::read(&t.effect).unwrap_or(Effect::Unknown),
                })
                .collect(),
            avoids,
            allocatable,
            allocatable_pods,
            declared_features: wire.status.declared_features.iter().map(|f| self.symbols.intern(f)).collect(),
            created: wire.metadata.creation_timestamp.parse().ok(),
            tainted: wire.spec.taints.iter().filter_map(|t| t.time_added.parse().ok()).max(),
            images,
        });
    }

    /// Parity: of an image listed twice the first size counts.
    fn images(&mut self, wire: &wire_node::Node) -> Box<[(Sym, i64)]> {
        let sized = wire.status.images.iter().flat_map(|i| i.names.iter().map(|name| (name, i.size_bytes)));
        let mut images: Vec<_> = sized.map(|(name, size)| (self.symbols.intern(name), size)).collect();
        images.sort_by_key(|(name, _)| *name);
        images.dedup_by_key(|(name, _)| *name);
        images.into_boxed_slice()
    }

    fn quantity(&mut self, text: Sym) -> Result<Quantity, QuantityError> {
        let symbols = &self.symbols;
        *self.quantities.entry(text).or_insert_with(|| Quantity::parse(symbols.text(text)))
    }

    fn pod(&mut self, wire: &wire_pod::Pod) {
        let meta = &wire.metadata;
        if meta.name.is_empty() {
            self.notes.add("objects without a name", Note::warning("Pod (without a name)", "left out"));
            return;
        }
        let namespace = if meta.namespace.is_empty() { "default" } else { &meta.namespace };
        let labels = self.labels(&meta.labels);
        let template = self.template(wire);
        let shape = self.shape(wire);
        self.note_pod_flaws(namespace, meta, template, shape);
        let mut time = |field: &'static str, text: &Str| self.time(namespace, meta, field, text);
        let start_time = time("status.startTime", &wire.status.start_time);
        let created = time("metadata.creationTimestamp", &meta.creation_timestamp);
        let deletion = time("metadata.deletionTimestamp", &meta.deletion_timestamp);
        let disruption = wire.status.conditions.iter().find(|c| c.kind.as_str() == "DisruptionTarget");
        let scheduled_condition = if wire.spec.node_name.is_empty() { scheduled_condition(wire) } else { None };
        let controller = self.controller(meta);
        self.pods.push(Pod {
            namespace: self.symbols.intern(namespace),
            name: Box::from(meta.name.as_str()),
            uid: Box::from(meta.uid.as_str()),
            resource_version: Box::from(meta.resource_version.as_str()),
            labels,
            template: pool_ix(template),
            claims: pod_volume::claims(&wire.spec, &mut self.symbols),
            shape: pool_ix(shape),
            priority: wire.spec.priority.unwrap_or(0),
            node_name: self.symbols.intern(&wire.spec.node_name),
            nominated_node: self.symbols.intern(&wire.status.nominated_node_name),
            phase: match wire.status.phase.as_str() {
                "Succeeded" => Phase::Succeeded,
                "Failed" => Phase::Failed,
                _ => Phase::Active,
            },
            qos: Qos::read(&wire.status.qos_class),
            start_time,
            created,
            deletion,
            disrupted_by_scheduler: disruption
                .is_some_and(|c| c.status.as_str() == "True" && c.reason.as_str() == "PreemptionByScheduler"),
            controller,
            resource_claims: (wire.status.resource_claim_statuses.iter())
                .map(|s| (self.symbols.intern(&s.name), s.resource_claim_name.as_ref().map(|c| self.symbols.intern(c))))
                .collect(),
            grace_seconds: meta
                .deletion_grace_period_seconds
                .or(wire.spec.termination_grace_period_seconds)
                .unwrap_or(30),
            scheduled_condition,
        });
    }

    fn time(&mut self, namespace: &str, meta: &ObjectMeta, field: &str, text: &Str) -> Option<Timestamp> {
        if text.is_empty() {
            return None;
        }
        text.parse().map_or_else(
            |_| {
                let problem = format!("{field} `{}` is read as absent: not an RFC 3339 time", text.as_str());
                self.notes.add("times", Note::warning(subject("Pod", namespace, &meta.name), problem));
                // A pod that is being deleted at an unreadable time is still being deleted.
                (field == "metadata.deletionTimestamp").then_some(Timestamp::UNIX_EPOCH)
            },
            Some,
        )
    }

    fn template(&mut self, wire: &wire_pod::Pod) -> usize {
        let template = Template::read(&wire.spec, &mut self.symbols);
        let (index, new) = self.templates.intern(template);
        if new && let Some(template) = self.templates.get(index) {
            let mut flaws = Vec::new();
            let terms = [
                ("spec.affinity.podAffinity", &template.affinity),
                ("spec.affinity.podAntiAffinity", &template.anti_affinity),
            ];
            flaws.extend(terms.into_iter().filter_map(|(f, t)| t.as_ref().err().map(|e| (f, e.to_string()))));
            let preferred = [&template.preferred_affinity, &template.preferred_anti_affinity];
            flaws.extend(preferred.into_iter().filter_map(|t| Some(("spec.affinity", t.as_ref().err()?.to_string()))));
            let spread = template.spread.iter().filter_map(|c| c.selector.as_ref().err());
            flaws.extend(spread.map(|e| ("spec.topologySpreadConstraints[].labelSelector", e.to_string())));
            if !flaws.is_empty() {
                self.template_flaws.insert(index, flaws);
            }
        }
        index
    }

    fn shape(&mut self, wire: &wire_pod::Pod) -> usize {
        let shape = Shape::read(wire, &mut self.symbols);
        let (index, new) = self.shapes.intern(shape);
        if !new {
            return index;
        }
        let texts: Vec<(&'static str, Sym, Sym)> = self
            .shapes
            .get(index)
            .into_iter()
            .flat_map(Shape::lists)
            .flat_map(|(field, list)| list.iter().map(move |(name, text)| (field, *name, *text)))
            .collect();
        let mut flaws = Vec::new();
        for (field, name, text) in texts {
            if let Some(problem) = quantity_problem(self.quantity(text), "absent") {
                let (name, text) = (self.symbols.text(name), self.symbols.text(text));
                flaws.push((field, format!("[{name}] `{text}` {problem}")));
            }
        }
        if !flaws.is_empty() {
            self.shape_flaws.insert(index, flaws);
        }
        index
    }

    fn note_pod_flaws(&mut self, namespace: &str, meta: &ObjectMeta, template: usize, shape: usize) {
        let about = || subject("Pod", namespace, &meta.name);
        for (field, problem) in self.shape_flaws.get(&shape).into_iter().flatten() {
            self.notes.add("quantities", Note::warning(about(), format!("{field}{problem}")));
        }
        for (field, problem) in self.template_flaws.get(&template).into_iter().flatten() {
            self.notes.add("selectors", Note::warning(about(), format!("{field} cannot be parsed: {problem}")));
        }
    }

    fn budget(&mut self, wire: &wire::PodDisruptionBudget) {
        let (namespace, name) = (&wire.metadata.namespace, &wire.metadata.name);
        let selector = Selector::read(wire.spec.selector.as_ref(), &mut self.symbols).unwrap_or_else(|e| {
            let about = subject("PodDisruptionBudget", namespace, name);
            let text = format!("spec.selector cannot be parsed, so the scheduler passes it over: {e}");
            self.notes.add("selectors", Note::warning(about, text));
            Selector::Nothing
        });
        self.budgets.push(Budget {
            namespace: self.symbols.intern(if namespace.is_empty() { "default" } else { namespace }),
            name: Box::from(name.as_str()),
            selector,
            allowed: wire.status.disruptions_allowed,
            disrupted: wire.status.disrupted_pods.iter().map(|(name, _)| Box::from(name)).collect(),
        });
    }

    fn read_storage(&mut self, read: impl FnOnce(&mut Storage, Reading)) {
        read(&mut self.storage, Reading { symbols: &mut self.symbols, notes: &mut self.notes });
    }

    fn controller(&mut self, meta: &ObjectMeta) -> Option<OwnerRef> {
        let owner = meta.owner_references.iter().find(|o| o.controller)?;
        Some(OwnerRef {
            api_version: self.symbols.intern(&owner.api_version),
            kind: self.symbols.intern(&owner.kind),
            name: self.symbols.intern(&owner.name),
            uid: self.symbols.intern(&owner.uid),
        })
    }

    fn avoids(&mut self, wire: &wire_node::Node) -> Box<[(Sym, Sym)]> {
        // What cannot be read is passed over by the scheduler, too.
        let avoided = avoid::controllers(&wire.metadata.annotations.prefer_avoid_pods);
        avoided.iter().map(|(kind, uid)| (self.symbols.intern(kind), self.symbols.intern(uid))).collect()
    }

    fn namespace(&mut self, meta: &ObjectMeta) -> Sym {
        self.symbols.intern(if meta.namespace.is_empty() { "default" } else { &meta.namespace })
    }

    fn owner(&mut self, kind: &str, wire: &wire::Owner) {
        let meta = &wire.metadata;
        // One that cannot be parsed is passed over by the scheduler, as one that is absent.
        let selector = Selector::read(wire.spec.selector.as_ref(), &mut self.symbols).unwrap_or(Selector::Nothing);
        let owner = Owner {
            kind: self.symbols.intern(kind),
            namespace: self.namespace(meta),
            name: self.symbols.intern(&meta.name),
            controller: self.controller(meta),
            selector,
        };
        self.owners.push(owner);
    }

    fn replication_controller(&mut self, wire: &wire::LabelSelecting) {
        let meta = &wire.metadata;
        let pairs = wire.spec.selector.as_ref().map(|map| self.label_pairs(map)).unwrap_or_default();
        let owner = Owner {
            kind: self.symbols.intern("ReplicationController"),
            namespace: self.namespace(meta),
            name: self.symbols.intern(&meta.name),
            controller: self.controller(meta),
            selector: Selector::All(Box::default()).and_labels(&pairs),
        };
        self.owners.push(owner);
    }

    fn service(&mut self, wire: &wire::LabelSelecting) {
        if let Some(map) = &wire.spec.selector {
            let (namespace, selector) = (self.namespace(&wire.metadata), self.label_pairs(map));
            self.services.push(Service { namespace, selector });
        }
    }

    /// Only what is said of containers is read. The API server has stored what follows from the rest; a manifest has not.
    ///
    /// Upstream: `pkg/apis/core/v1/defaults.go` `SetDefaults_LimitRangeItem` (1.37): the largest amount is the default limit,
    /// and that, or else the smallest amount, is the default request, where none is given.
    fn limit_range(&mut self, wire: &wire::LimitRange) {
        let (mut limits, mut requests) = (Map::default(), Map::default());
        for item in wire.spec.limits.iter().filter(|item| item.kind.as_str() == "Container") {
            for list in [&item.max, &item.default] {
                list.0.iter().for_each(|(resource, amount)| limits.insert(resource.clone(), amount.clone()));
            }
            for list in [&item.min, &item.max, &item.default, &item.default_request] {
                list.0.iter().for_each(|(resource, amount)| requests.insert(resource.clone(), amount.clone()));
            }
        }
        let (namespace, name) = (self.namespace(&wire.metadata), self.symbols.intern(&wire.metadata.name));
        let (limits, requests) = (self.label_pairs(&limits), self.label_pairs(&requests));
        self.limit_ranges.push(LimitRange { namespace, name, limits, requests });
    }

    fn label_pairs(&mut self, map: &Map) -> Labels {
        let mut labels: Vec<(Sym, Sym)> =
            map.iter().map(|(k, v)| (self.symbols.intern(k), self.symbols.intern(v))).collect();
        labels.sort_unstable();
        labels.into_boxed_slice()
    }
}

/// Why the scheduler says that the pod is not scheduled.
fn scheduled_condition(wire: &wire_pod::Pod) -> Option<Box<ScheduledCondition>> {
    let refused =
        wire.status.conditions.iter().find(|c| c.kind.as_str() == "PodScheduled" && c.status.as_str() == "False")?;
    Some(Box::new(ScheduledCondition {
        reason: Box::from(refused.reason.as_str()),
        message: Box::from(refused.message.as_str()),
        since: refused.last_transition_time.parse().ok(),
    }))
}

/// What is wrong with a quantity that is not taken as it stands, or not as it was meant.
pub(super) fn quantity_problem(quantity: Result<Quantity, QuantityError>, instead: &str) -> Option<String> {
    match quantity {
        Err(e) => Some(format!("is read as {instead}: {e}")),
        Ok(q) if q.is_negative() => Some("is negative; the API server would refuse it".into()),
        Ok(q) if q.is_huge() => Some("is too large to count; the scheduler's sum overflows".into()),
        Ok(_) => None,
    }
}

fn pool_ix(index: usize) -> PoolIx {
    PoolIx(u32::try_from(index).unwrap_or(u32::MAX))
}

fn twice(subject: String) -> Note {
    Note::warning(subject, "is given twice; the later one is used")
}

/// Of equal neighbours keeps the last, telling `dropped` of each other one.
fn keep_last<T>(items: Vec<T>, same: impl Fn(&T, &T) -> bool, mut dropped: impl FnMut(&T)) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        match kept.last_mut() {
            Some(last) if same(last, &item) => {
                dropped(last);
                *last = item;
            }
            _ => kept.push(item),
        }
    }
    kept
}
