//! Converts pods of the API to [`Pod`]. Pods of one workload share a template and resource
//! requests, which are checked once.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    ContainerExit, DisruptionTarget, OwnerRef, PendingResize, Phase, Pod, PodEnd, Qos, RareFields,
    Readiness, ResourceVersion, ScheduledCondition, WaitingContainer,
};
use crate::cluster::notes::{QUANTITY, SELECTOR, TIME};
use crate::cluster::reader::{ReadContext, or_default};
use crate::cluster::resource_requests::ResourceRequests;
use crate::cluster::symbols::{Interner, PoolIx, Sym};
use crate::cluster::template::Template;
use crate::cluster::{pod_volume, quantity};
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::meta::{MIRROR, ObjectMeta};
use crate::snapshot::{Kind, Str, pod as wire};

/// Problems with a template or with resource requests, not yet attributed to a pod.
type Problems = Vec<Note>;

/// Reads pods, and keeps what they share.
#[derive(Debug, Default)]
pub(in crate::cluster) struct PodReader {
    pub(in crate::cluster) templates: Interner<Template>,
    pub(in crate::cluster) resource_requests: Interner<ResourceRequests>,
    template_problems: BTreeMap<PoolIx, Problems>,
    request_problems: BTreeMap<PoolIx, Problems>,
}

impl PodReader {
    /// A reader that knows the templates and resource requests of a cluster.
    pub(in crate::cluster) fn with(
        templates: Interner<Template>,
        resource_requests: Interner<ResourceRequests>,
    ) -> Self {
        Self { templates, resource_requests, ..Self::default() }
    }

    /// Reads a pod; `None` if it has no name.
    pub(in crate::cluster) fn read(
        &mut self,
        wire: &wire::Pod,
        reader: &mut ReadContext,
    ) -> Option<Pod> {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        if reader.is_nameless(Kind::Pod, &meta.name) {
            return None;
        }
        let labels = reader.labels(&meta.labels);
        let template = self.template(wire, reader);
        let resource_requests = self.resource_requests(wire, reader);
        self.note_problems(meta, template, resource_requests, reader);
        let start_time = time(meta, "status.startTime", &status.start_time, reader);
        let created = time(meta, "metadata.creationTimestamp", &meta.creation_timestamp, reader);
        let deletion = deletion_time(meta, reader);
        // Nothing asks for the finalizers of a pod that is not being deleted.
        let finalizers =
            if deletion.is_some() { reader.intern_all(&meta.finalizers) } else { Box::default() };
        let controller = OwnerRef::read(&meta.owner_references, reader);
        let grace_seconds =
            meta.deletion_grace_period_seconds.or(spec.termination_grace_period_seconds);
        let namespace = reader.namespace(&meta.namespace);
        let claims = pod_volume::claims(spec, &mut reader.symbols);
        let node_name = reader.intern(&spec.node_name);
        let nominated_node = reader.intern(&status.nominated_node_name);
        let rare = RareFields {
            claims,
            deletion,
            finalizers,
            disruption: disruption(&status.conditions),
            end: end(status),
            annotations: annotations(meta, reader),
            resource_claims: (status.resource_claim_statuses.iter())
                .map(|s| {
                    (
                        reader.intern(&s.name),
                        s.resource_claim_name.as_ref().map(|c| reader.intern(c)),
                    )
                })
                .collect(),
            scheduled_condition: if spec.node_name.is_empty() {
                scheduled_condition(&status.conditions)
            } else {
                None
            },
            waiting: waiting(wire),
            resize: resize(&status.conditions),
        };
        Some(Pod {
            namespace,
            name: Box::from(meta.name.as_str()),
            uid: Box::from(meta.uid.as_str()),
            resource_version: ResourceVersion::from(meta.resource_version.as_str()),
            labels,
            template,
            resource_requests,
            priority: spec.priority.unwrap_or(0),
            node_name,
            nominated_node,
            phase: match status.phase.as_str() {
                "Succeeded" => Phase::Succeeded,
                "Failed" => Phase::Failed,
                _ => Phase::Active,
            },
            readiness: readiness(status),
            qos: Qos::read(&status.qos_class),
            start_time,
            created,
            controller,
            mirror: meta.annotations.get(MIRROR).is_some_and(|value| !value.is_empty()),
            grace_seconds: grace_seconds.unwrap_or(30),
            rare: rare.boxed(),
        })
    }

    fn template(&mut self, wire: &wire::Pod, reader: &mut ReadContext) -> PoolIx {
        let template = Template::read(&wire.spec, &mut reader.symbols);
        let (index, is_new) = self.templates.intern(template);
        if is_new && let Some(template) = self.templates.get(index) {
            let problems = template_problems(template);
            if !problems.is_empty() {
                self.template_problems.insert(index, problems);
            }
        }
        index
    }

    fn resource_requests(&mut self, wire: &wire::Pod, reader: &mut ReadContext) -> PoolIx {
        let resource_requests = ResourceRequests::read(wire, &mut reader.symbols);
        let (index, is_new) = self.resource_requests.intern(resource_requests);
        if is_new && let Some(resource_requests) = self.resource_requests.get(index) {
            let problems = quantity_problems(resource_requests, reader);
            if !problems.is_empty() {
                self.request_problems.insert(index, problems);
            }
        }
        index
    }

    fn note_problems(
        &self,
        meta: &ObjectMeta,
        template: PoolIx,
        resource_requests: PoolIx,
        reader: &mut ReadContext,
    ) {
        let of_requests = self.request_problems.get(&resource_requests);
        let of_template = self.template_problems.get(&template);
        for note in of_requests.into_iter().chain(of_template).flatten() {
            reader.note(about(meta), note.clone());
        }
    }
}

/// Invalid selectors of a template.
fn template_problems(template: &Template) -> Problems {
    let mut problems: Vec<(&str, String)> = Vec::new();
    let required = [
        ("spec.affinity.podAffinity", &template.affinity),
        ("spec.affinity.podAntiAffinity", &template.anti_affinity),
    ];
    problems.extend(
        required.into_iter().filter_map(|(f, t)| t.as_ref().err().map(|e| (f, e.to_string()))),
    );
    let preferred = [&template.preferred_affinity, &template.preferred_anti_affinity];
    problems.extend(
        preferred
            .into_iter()
            .filter_map(|t| Some(("spec.affinity", t.as_ref().err()?.to_string()))),
    );
    let spread = template.spread.iter().filter_map(|c| c.selector.as_ref().err());
    problems
        .extend(spread.map(|e| ("spec.topologySpreadConstraints[].labelSelector", e.to_string())));
    problems
        .into_iter()
        .map(|(field, problem)| {
            Note::warning(&SELECTOR, format!("{field} cannot be parsed: {problem}"))
        })
        .collect()
}

/// Quantities of resource requests that are not used as written.
fn quantity_problems(resource_requests: &ResourceRequests, reader: &mut ReadContext) -> Problems {
    let mut problems = Vec::new();
    for (field, list) in resource_requests.lists() {
        for (name, text) in list {
            let quantity = reader.quantity(*text);
            if let Some(problem) = quantity::problem(quantity, "absent") {
                let (name, text) = (reader.symbols.text(*name), reader.symbols.text(*text));
                let note = Note::warning(&QUANTITY, format!("{field}[{name}] `{text}` {problem}"));
                problems.push(if quantity.is_err() {
                    note.lacking(Some(Kind::Pod), ObjectPart::Field)
                } else {
                    note
                });
            }
        }
    }
    problems
}

fn about(meta: &ObjectMeta) -> Subject {
    Subject::object(Kind::Pod, or_default(&meta.namespace), &meta.name)
}

/// An RFC 3339 time; an invalid one is noted and counts as absent.
fn time(meta: &ObjectMeta, field: &str, text: &Str, reader: &mut ReadContext) -> Option<Timestamp> {
    if text.is_empty() {
        return None;
    }
    let time = text.parse();
    if time.is_err() {
        let problem =
            format!("{field} `{}` is read as absent: not an RFC 3339 time", text.as_str());
        reader.note(
            about(meta),
            Note::warning(&TIME, problem)
                .lacking(Some(Kind::Pod), ObjectPart::of(Kind::Pod, field)),
        );
    }
    time.ok()
}

/// When a pod's grace period ends. A pod with an invalid time still counts as being deleted.
fn deletion_time(meta: &ObjectMeta, reader: &mut ReadContext) -> Option<Timestamp> {
    let text = &meta.deletion_timestamp;
    let time = time(meta, "metadata.deletionTimestamp", text, reader);
    if text.is_empty() { None } else { time.or(Some(Timestamp::UNIX_EPOCH)) }
}

/// How the pod ended, according to its status. Absent for most pods, so it takes no memory there.
fn end(status: &wire::PodStatus) -> Option<Box<PodEnd>> {
    let has_failed = status.phase.as_str() == "Failed";
    if !has_failed && status.reason.is_empty() && disruption(&status.conditions).is_none() {
        return None;
    }
    let mut exits = Vec::new();
    for container in status.init_container_statuses.iter().chain(&status.container_statuses) {
        if let Some(terminated) = &container.state.terminated {
            exits.push(ContainerExit {
                container: Box::from(container.name.as_str()),
                code: terminated.exit_code,
                reason: Box::from(terminated.reason.as_str()),
            });
        }
    }
    Some(Box::new(PodEnd {
        reason: Box::from(status.reason.as_str()),
        message: Box::from(status.message.as_str()),
        exits: exits.into(),
    }))
}

/// The containers that wait, of a pod that is on a node and has not ended.
fn waiting(wire: &wire::Pod) -> Box<[WaitingContainer]> {
    let (spec, status) = (&wire.spec, &wire.status);
    if spec.node_name.is_empty() || matches!(status.phase.as_str(), "Succeeded" | "Failed") {
        return Box::default();
    }
    let containers = || spec.init_containers.iter().chain(&spec.containers);
    let mut waiting = Vec::new();
    for status in status.init_container_statuses.iter().chain(&status.container_statuses) {
        if let Some(state) = &status.state.waiting {
            let container = containers().find(|container| container.name == status.name);
            waiting.push(WaitingContainer {
                container: Box::from(status.name.as_str()),
                reason: Box::from(state.reason.as_str()),
                message: Box::from(state.message.as_str()),
                image: Box::from(container.map_or("", |container| container.image.as_str())),
            });
        }
    }
    waiting.into()
}

/// The resize that is deferred, infeasible, or fails.
fn resize(conditions: &[wire::Condition]) -> Option<Box<PendingResize>> {
    let condition = conditions.iter().find(|condition| {
        let is_error = condition.reason.as_str() == "Error";
        condition.status.as_str() == "True"
            && match condition.kind.as_str() {
                "PodResizePending" => true,
                "PodResizeInProgress" => is_error,
                _ => false,
            }
    })?;
    Some(Box::new(PendingResize {
        reason: Box::from(condition.reason.as_str()),
        message: Box::from(condition.message.as_str()),
        since: condition.last_transition_time.parse().ok(),
    }))
}

/// The first `DisruptionTarget` condition, if that is True.
fn disruption(conditions: &[wire::Condition]) -> Option<Box<DisruptionTarget>> {
    let first = conditions.iter().find(|c| c.kind.as_str() == "DisruptionTarget");
    let condition = first.filter(|c| c.status.as_str() == "True")?;
    Some(Box::new(DisruptionTarget {
        reason: Box::from(condition.reason.as_str()),
        message: Box::from(condition.message.as_str()),
        since: condition.last_transition_time.parse().ok(),
    }))
}

/// Upstream: `pkg/api/v1/pod/util.go` `IsPodReady` (1.37): the condition alone counts.
fn readiness(status: &wire::PodStatus) -> Readiness {
    let ready = status.conditions.iter().find(|condition| condition.kind.as_str() == "Ready");
    if status.phase.as_str() == "Pending" {
        Readiness::Pending
    } else if ready.is_some_and(|condition| condition.status.as_str() == "True") {
        Readiness::Ready
    } else {
        Readiness::NotReady
    }
}

/// The annotations that are read, besides that of a mirror pod.
fn annotations(meta: &ObjectMeta, reader: &mut ReadContext) -> Box<[(Sym, Sym)]> {
    let others = meta.annotations.0.iter().filter(|(key, _)| *key != MIRROR);
    others.map(|(key, value)| (reader.intern(key), reader.intern(value))).collect()
}

/// The `PodScheduled` condition, if it is False.
fn scheduled_condition(conditions: &[wire::Condition]) -> Option<Box<ScheduledCondition>> {
    let condition = conditions
        .iter()
        .find(|c| c.kind.as_str() == "PodScheduled" && c.status.as_str() == "False")?;
    Some(Box::new(ScheduledCondition {
        reason: Box::from(condition.reason.as_str()),
        message: Box::from(condition.message.as_str()),
        since: condition.last_transition_time.parse().ok(),
    }))
}
