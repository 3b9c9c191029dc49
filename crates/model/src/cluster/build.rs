//! Collects the objects of a source and builds the [`Cluster`]. Broken or incomplete input becomes
//! a note that names object and field; it is never an error.

mod pods;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Cluster;
use super::autoscaling::AutoscalerObjects;
use super::budget::Budget;
use super::composite_group::CompositeGroup;
use super::devices::{self, DeviceClass, Slice, TaintRule};
use super::event::{Event, EventSubject};
use super::gang_workload::{self, GangWorkload};
use super::handling::Handling;
use super::known_values;
use super::limit_range::LimitRange;
use super::node::Node;
use super::notes::{EXPIRED, FIELD, HIDDEN, LEFT_OUT, NOT_USED, NoteLog, UNKNOWN_NODE};
use super::owner::{Owner, PodHindrance};
use super::pod::Pod;
use super::pod::read::PodReader;
use super::pod_controller::{PodAutoscaler, PodController};
use super::pod_group::PodGroup;
use super::priority_class::PriorityClass;
use super::quota::ResourceQuota;
use super::reader::{Identity, ReadContext};
use super::service::Service;
use super::symbols::Sym;
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::autoscaler::{AutoscalerPart, ClusterAutoscaler};
use crate::snapshot::controllers::{ControllerObject, POD_AUTOSCALER};
use crate::snapshot::pod_table::{PodTable, Unusable};
use crate::snapshot::programs::{ProgramPart, Programs};
use crate::snapshot::scheduler::{Scheduler, SchedulerPart};
use crate::snapshot::{DecodeIssue, DecodeIssueKind, Header, Kind, Object, Sink};

/// Collects objects; [`Builder::finish`] builds the cluster.
#[derive(Debug, Default)]
pub struct Builder {
    reader: ReadContext,
    pod_reader: PodReader,
    /// The objects so far, in the order of the input. What the readers hold is moved here at the
    /// end.
    cluster: Cluster,
    /// The pods, which are moved into the cluster at the end.
    pods: Blocks<Pod>,
    /// What autoscalers show in the cluster.
    autoscaling: AutoscalerObjects,
    /// The objects of programs that decide about pods instead of kube-scheduler, or before it.
    handling: Handling,
    /// Kinds that are not read, and how many objects there are of each.
    ignored: BTreeMap<String, usize>,
    objects: usize,
    /// What the input says about kube-scheduler.
    scheduler: Vec<SchedulerPart>,
    /// What the input says about cluster-autoscaler.
    autoscaler: Vec<AutoscalerPart>,
    /// What the input says about the programs that act on pods.
    programs: Vec<ProgramPart>,
    /// The first object that could not be read, and why.
    unread: Option<String>,
}

impl Sink for Builder {
    fn object(&mut self, object: Object<'_>) {
        self.objects += 1;
        let (reader, cluster) = (&mut self.reader, &mut self.cluster);
        known_values::check(&object, &mut reader.notes);
        cluster.extensions.extend(object.kind().filter(|kind| kind.is_custom()));
        match object {
            Object::Node(node) => {
                cluster.nodes.own().extend(Node::read(&node, reader).map(Arc::new));
            }
            Object::Pod(pod) => {
                // The status shows that a gate is on, even if the pod itself is not read.
                cluster.devices.node_allocatable |=
                    !pod.status.node_allocatable_resource_claim_statuses.is_empty();
                if let Some(pod) = self.pod_reader.read(&pod, reader) {
                    self.pods.push(pod);
                }
            }
            Object::PodDisruptionBudget(budget) => {
                cluster.budgets.push(Budget::read(&budget, reader));
            }
            Object::PriorityClass(class) => {
                cluster.priority_classes.push(PriorityClass::read(&class, reader));
            }
            Object::Namespace(namespace) => {
                let labels = reader.labels(&namespace.metadata.labels);
                cluster.namespaces.insert(reader.intern(&namespace.metadata.name), labels);
            }
            Object::DeviceClass(class) => {
                cluster.devices.classes.push(DeviceClass::read(&class, reader));
            }
            Object::ResourceClaim(claim) => {
                cluster.devices.claims.push(devices::ResourceClaim::read(&claim, reader));
            }
            Object::ResourceSlice(slice) => {
                cluster.devices.node_allocatable |= Slice::is_node_allocatable(&slice);
                cluster.devices.slices.push(Slice::read(&slice, reader));
            }
            Object::DeviceTaintRule(rule) => {
                cluster.devices.taint_rules.push(TaintRule::read(&rule, reader));
            }
            Object::PersistentVolumeClaim(claim) => cluster.storage.add_claim(&claim, reader),
            Object::PersistentVolume(volume) => cluster.storage.add_volume(&volume, reader),
            Object::StorageClass(class) => cluster.storage.add_class(&class, reader),
            Object::CsiNode(node) => cluster.storage.add_csi_node(&node, reader),
            Object::CsiDriver(driver) => cluster.storage.add_driver(&driver, reader),
            Object::CsiStorageCapacity(capacity) => cluster.storage.add_capacity(&capacity, reader),
            Object::VolumeAttachment(attachment) => {
                cluster.storage.add_attachment(&attachment, reader);
            }
            Object::ReplicaSet(set) => {
                let selector = set.spec.selector.as_ref();
                let hindrance = PodHindrance::of_replica_set(&set.status);
                let owner = Owner::read(Kind::ReplicaSet, &set.metadata, selector, reader);
                cluster.pod_controllers.push(PodController::of_replica_set(&set, reader));
                cluster.owners.push(Owner { hindrance, ..owner });
            }
            Object::StatefulSet(set) => {
                let selector = set.spec.selector.as_ref();
                cluster.pod_controllers.push(PodController::of_stateful_set(&set, reader));
                cluster.owners.push(Owner::read(
                    Kind::StatefulSet,
                    &set.metadata,
                    selector,
                    reader,
                ));
            }
            Object::Job(job) => {
                let selector = job.spec.selector.as_ref();
                let owner = Owner::read(Kind::Job, &job.metadata, selector, reader);
                cluster.pod_controllers.push(PodController::of_job(&job, reader));
                cluster.owners.push(Owner { hindrance: PodHindrance::of_job(&job), ..owner });
            }
            Object::ReplicationController(owner) => {
                cluster.owners.push(Owner::read_replication_controller(&owner, reader));
            }
            Object::Service(service) => cluster.services.extend(Service::read(&service, reader)),
            Object::PodGroup(group) => cluster.pod_groups.push(PodGroup::read(&group, reader)),
            Object::Workload(workload) => {
                cluster.workloads.push(GangWorkload::read(&workload, reader));
            }
            Object::CompositePodGroup(group) => {
                cluster.composite_groups.push(CompositeGroup::read(&group, reader));
            }
            Object::LimitRange(range) => {
                cluster.limit_ranges.push(LimitRange::read(&range, reader));
            }
            Object::ResourceQuota(quota) => {
                cluster.quotas.push(ResourceQuota::read(&quota, reader));
            }
            Object::Event(event) => match Event::read(&event, reader) {
                Some(EventSubject::OfPods(event))
                    if reader.symbols.text(event.object.kind) == "Node" =>
                {
                    cluster.node_events.push(event);
                }
                Some(EventSubject::OfPods(event)) => cluster.events.push(event),
                Some(EventSubject::OfStart(event)) => cluster.start_events.push(event),
                Some(EventSubject::OfScheduling(event)) => cluster.scheduling_events.push(event),
                Some(EventSubject::ByAutoscaler(event)) => self.autoscaling.events.push(event),
                Some(EventSubject::ByHandler(event)) => self.handling.events.push(event),
                None => {}
            },
            Object::Autoscaler(object) => self.autoscaling.add(&object, reader),
            Object::Queue(kind, queue) => self.handling.add_queue(kind, &queue, reader),
            Object::Work(kind, work) => self.handling.add_work(kind, &work, reader),
            Object::Other(kind) => *self.ignored.entry(kind.to_string()).or_default() += 1,
        }
    }

    fn pods(&mut self, pods: &PodTable<'_>) -> Result<(), Unusable> {
        self.add_pods(pods)
    }

    fn issue(&mut self, issue: DecodeIssue) {
        if let (DecodeIssueKind::LeftOut, Some(object)) = (issue.kind, &issue.object) {
            self.unread.get_or_insert_with(|| format!("{object}: {}", issue.problem));
        }
        let (doc, text) = match issue.kind {
            // Snapshots of older versions of this program have everything in one text.
            DecodeIssueKind::Field if issue.field.is_empty() => (&FIELD, issue.problem),
            DecodeIssueKind::Field => {
                (&FIELD, format!("field `{}` is read as absent: {}", issue.field, issue.problem))
            }
            DecodeIssueKind::Expired => (&EXPIRED, issue.problem),
            DecodeIssueKind::Hidden => (&HIDDEN, issue.problem),
            DecodeIssueKind::LeftOut if issue.problem.is_empty() => {
                (&LEFT_OUT, LEFT_OUT.name.to_owned())
            }
            DecodeIssueKind::LeftOut => {
                (&LEFT_OUT, format!("{}: {}", LEFT_OUT.name, issue.problem))
            }
        };
        let object = issue
            .object
            .and_then(|object| {
                Some(Subject::object(
                    Kind::find(None, &object.kind)?,
                    &object.namespace,
                    &object.name,
                ))
            })
            .or_else(|| Kind::find_resource(&issue.subject).map(Subject::Kind));
        let text = if object.is_none() && !issue.subject.is_empty() {
            format!("{}: {text}", issue.subject)
        } else {
            text
        };
        let kind = object.as_ref().map(Subject::kind);
        let part = match (issue.kind, kind) {
            (DecodeIssueKind::Field | DecodeIssueKind::Hidden, Some(kind)) => {
                ObjectPart::of(kind, &issue.field)
            }
            (_, None) | (DecodeIssueKind::LeftOut | DecodeIssueKind::Expired, _) => {
                ObjectPart::Object
            }
        };
        self.reader.notes.add(object, Note::warning(doc, text).lacking(kind, part));
    }

    fn header(&mut self, header: Header) {
        for object in header.programs.iter().flat_map(|programs| &programs.controllers) {
            self.controller(object);
        }
        self.cluster.header = header;
    }

    fn scheduler(&mut self, part: SchedulerPart) {
        self.scheduler.push(part);
    }

    fn autoscaler(&mut self, part: AutoscalerPart) {
        self.autoscaler.push(part);
    }

    fn program(&mut self, part: ProgramPart) {
        match part {
            ProgramPart::Controller(object) => self.controller(&object),
            part => self.programs.push(part),
        }
    }

    fn list(&mut self, kind: Kind) {
        self.cluster.listed.insert(kind);
    }
}

impl Builder {
    /// Adds a controller of pods, or what scales one.
    fn controller(&mut self, object: &ControllerObject) {
        if object.kind == POD_AUTOSCALER.kind {
            let autoscaler = PodAutoscaler::read(object, &mut self.reader);
            self.cluster.pod_autoscalers.extend(autoscaler);
        } else {
            let controller = PodController::of_other(object, &mut self.reader);
            self.cluster.pod_controllers.push(controller);
        }
    }

    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that starts with the objects of `cluster`. If an object is given again, the later
    /// one is used.
    pub fn reopen(mut cluster: Cluster) -> Self {
        let quantities = std::mem::take(&mut cluster.quantities);
        // Pods are assigned again, since a node may have been added.
        cluster.notes.retain(|note| *note.doc != super::notes::UNKNOWN_NODE);
        let reader = ReadContext {
            symbols: std::mem::take(&mut cluster.symbols),
            label_sets: std::mem::take(&mut cluster.label_sets),
            images: std::mem::take(&mut cluster.images),
            quantities: quantities
                .into_iter()
                .map(|(text, quantity)| (text, Ok(quantity)))
                .collect(),
            notes: NoteLog::with(std::mem::take(&mut cluster.notes)),
        };
        let pod_reader = PodReader::with(
            std::mem::take(&mut cluster.templates),
            std::mem::take(&mut cluster.resource_requests),
        );
        let autoscaling = Arc::unwrap_or_clone(std::mem::take(&mut cluster.autoscaling));
        let handling = Arc::unwrap_or_clone(std::mem::take(&mut cluster.handling));
        Self { reader, pod_reader, cluster, autoscaling, handling, ..Self::default() }
    }

    /// Sorts the objects, and assigns pods to nodes.
    #[must_use]
    pub fn finish(self) -> Cluster {
        let Self {
            mut reader,
            pod_reader,
            mut cluster,
            mut autoscaling,
            pods,
            mut handling,
            ignored,
            scheduler,
            autoscaler,
            programs,
            ..
        } = self;
        pods.move_to(cluster.pods.own());
        // What a snapshot says about the programs counts before what their pods show.
        if cluster.header.scheduler.is_none() && !scheduler.is_empty() {
            cluster.header.scheduler = Some(Scheduler::of_parts(scheduler));
        }
        if cluster.header.autoscaler.is_none() && !autoscaler.is_empty() {
            cluster.header.autoscaler = Some(ClusterAutoscaler::of_parts(autoscaler));
        }
        if cluster.header.programs.is_none() && !programs.is_empty() {
            cluster.header.programs = Some(Programs::of_parts(programs));
        }
        // Everything is sorted, so that no answer depends on the order of the input.
        sort_nodes_and_pods(&mut cluster, &mut reader);
        autoscaling.daemon_sets += ignored.get("DaemonSet").copied().unwrap_or_default();
        autoscaling.sort(&mut reader);
        cluster.autoscaling = Arc::new(autoscaling);
        handling.sort(&mut reader);
        cluster.handling = Arc::new(handling);
        cluster.devices.sort(&mut reader);
        let group =
            |pod: &Pod| Some((pod.namespace, pod_reader.templates.get(pod.template)?.group));
        let named: BTreeSet<(Sym, Sym)> =
            cluster.pods.iter().filter_map(group).filter(|(_, group)| !group.is_empty()).collect();
        gang_workload::add_parts(&mut cluster, &named, &reader);
        sort_others(&mut cluster, &mut reader);
        note_ignored(&ignored, &mut reader.notes);
        // Only now are all texts interned and all pods in their places.
        let ReadContext { symbols, label_sets, images, quantities, mut notes } = reader;
        cluster.symbols = symbols;
        cluster.label_sets = label_sets;
        cluster.images = images;
        cluster.quantities =
            quantities.into_iter().filter_map(|(text, q)| q.ok().map(|q| (text, q))).collect();
        cluster.templates = pod_reader.templates;
        cluster.resource_requests = pod_reader.resource_requests;
        cluster.assign(|pod, text| notes.add(Some(pod), Note::info(&UNKNOWN_NODE, text)));
        cluster.notes = notes.finish();
        cluster
    }

    /// How many objects came in.
    pub fn objects(&self) -> usize {
        self.objects
    }

    /// The first object of a known kind that could not be read, and why: `Pod shop/web: …`.
    pub fn unread(&self) -> Option<&str> {
        self.unread.as_deref()
    }
}

/// A list that grows without being copied. Growing a long vector would keep up to half of it in
/// memory twice.
#[derive(Debug)]
struct Blocks<T>(Vec<Vec<T>>);

/// Number of objects per block.
const BLOCK: usize = 1024;

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Blocks<T> {
    fn push(&mut self, object: T) {
        match self.0.last_mut() {
            Some(block) if block.len() < BLOCK => block.push(object),
            // A short list needs no full block.
            Some(_) => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(object);
                self.0.push(block);
            }
            None => self.0.push(vec![object]),
        }
    }

    /// Adds objects, which become a block of their own.
    fn push_all(&mut self, objects: Vec<T>) {
        self.0.push(objects);
    }

    fn move_to(self, list: &mut Vec<T>) {
        list.reserve_exact(self.0.iter().map(Vec::len).sum());
        self.0.into_iter().for_each(|block| list.extend(block));
    }
}

fn sort_nodes_and_pods(cluster: &mut Cluster, reader: &mut ReadContext) {
    reader.sort_named(cluster.nodes.own(), |o| Identity::of(Kind::Node, Sym::EMPTY, o.name));
    reader.sort_unique(
        cluster.pods.own(),
        |a: &Pod, b: &Pod, symbols| {
            symbols.compare(a.namespace, b.namespace).then_with(|| a.name.cmp(&b.name))
        },
        |pod, symbols| Subject::object(Kind::Pod, symbols.text(pod.namespace), &pod.name),
    );
}

fn sort_others(cluster: &mut Cluster, reader: &mut ReadContext) {
    reader.sort_unique(
        &mut cluster.budgets,
        |a, b, symbols| symbols.compare(a.namespace, b.namespace).then_with(|| a.name.cmp(&b.name)),
        |budget, symbols| {
            let namespace = symbols.text(budget.namespace);
            Subject::object(Kind::PodDisruptionBudget, namespace, &budget.name)
        },
    );
    reader.sort_named(&mut cluster.limit_ranges, |o| {
        Identity::of(Kind::LimitRange, o.namespace, o.name)
    });
    reader.sort_named(&mut cluster.quotas, |o| {
        Identity::of(Kind::ResourceQuota, o.namespace, o.name)
    });
    reader
        .sort_named(&mut cluster.pod_groups, |o| Identity::of(Kind::PodGroup, o.namespace, o.name));
    reader
        .sort_named(&mut cluster.workloads, |o| Identity::of(Kind::Workload, o.namespace, o.name));
    reader.sort_named(&mut cluster.composite_groups, |o| {
        Identity::of(Kind::CompositePodGroup, o.namespace, o.name)
    });
    reader.sort_named(&mut cluster.priority_classes, |o| {
        Identity::of(Kind::PriorityClass, Sym::EMPTY, o.name)
    });
    reader.sort_named(&mut cluster.owners, |o| Identity::of(o.kind, o.namespace, o.name));
    // Of an object that is given twice, the later one counts.
    let symbols = &reader.symbols;
    let key = |one: &PodController| {
        [one.kind, one.namespace, one.name].map(|sym| symbols.text(sym).to_owned())
    };
    cluster.pod_controllers.reverse();
    cluster.pod_controllers.sort_by_cached_key(key);
    cluster.pod_controllers.dedup_by(|later, earlier| key(later) == key(earlier));
}

fn note_ignored(ignored: &BTreeMap<String, usize>, notes: &mut NoteLog) {
    if ignored.is_empty() {
        return;
    }
    let kinds: Vec<String> = ignored
        .iter()
        .map(|(kind, count)| {
            format!(
                "{} ({count})",
                if kind.is_empty() { "no kind".to_owned() } else { kind.to_owned() }
            )
        })
        .collect();
    notes.add(
        None,
        Note::info(
            &NOT_USED,
            format!("in the input and not used in the decision: {}", kinds.join(", ")),
        ),
    );
}
