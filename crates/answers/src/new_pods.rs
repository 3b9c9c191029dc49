//! Adds the objects of manifests, including pods that do not exist yet, to a cluster.

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::Value;

use crate::commands;
use crate::error::AnswerError;
use crate::nodeless;
use crate::origin::InputOrigin;
use engine::cluster::build::Builder;
use engine::cluster::{Cluster, PodIx};
use engine::decode::{WantedWorkload, decode};
use engine::simulation::change::WorkloadChange;
use engine::simulation::change::plan::{
    ChangeSettings, Handled, PlannedChanges, StateBefore, find, identity,
};
use engine::simulation::document::RefusedPod;
use engine::simulation::hypothetical_pods::{self, Admitted, HypotheticalPods, NewPod};
use engine::simulation::remark::PlanRemark;
use engine::simulation::rollout::{PodCharges, PodName, Rollout};
use engine::simulation::workload;

/// An object that does not exist yet, with all its fields, and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The file, or `standard input`.
    pub origin: String,
    /// The first line of its document, starting at 1.
    pub line: usize,
    pub object: Value,
    /// Why the API server refuses it, if it was asked and does.
    pub refusal: Option<String>,
}

/// Adds one more pod like `model`, as its owner `name` would create it, and returns it.
pub(crate) fn add_one_like(
    model: PodIx,
    name: &str,
    cluster: &mut Cluster,
    now: Timestamp,
) -> Option<PodIx> {
    let namespace = cluster.text(cluster.pod(model).namespace).to_owned();
    let added = hypothetical_pods::replicas_of(model, name, 1, cluster, now);
    let name = added.first()?.name.to_string();
    cluster.insert(added);
    cluster.find_pod(&namespace, &name)
}

/// The origin of objects in messages about all manifests together.
pub const OF_MANIFESTS: &str = "-f";

/// A cluster with the objects of manifests.
pub struct Added {
    pub cluster: Cluster,
    /// The pods from the manifests that the API server would create.
    pub pods: Vec<NewPod>,
    /// The pods that it would reject.
    pub refused: Vec<RefusedPod>,
    /// Remarks about them.
    pub remarks: Vec<PlanRemark>,
    /// What could not be applied to them, so that they may be others.
    pub open: Vec<String>,
    /// The manifests of which no pods can be made; nothing is added of them.
    pub unusable: Vec<UnusableManifest>,
    /// What becomes of the workloads of the manifests.
    pub changes: Vec<WorkloadChange>,
    pub rollouts: Vec<Rollout>,
    /// What quotas count of their pods.
    pub charges: PodCharges,
    /// Pods like existing ones that a scale-up makes, by the number of the manifest.
    pub copies: Vec<(PodName, usize)>,
}

/// What manifests are applied to.
#[derive(Debug, Clone, Copy)]
pub enum AppliedTo<'s> {
    /// To nothing: each makes pods beside those that are there.
    Nothing,
    /// To the workloads that are there, at this time.
    Workloads(&'s StateBefore, Timestamp),
}

/// A manifest of which no pods can be made.
pub struct UnusableManifest {
    /// Its index in the list of manifests.
    pub document: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl UnusableManifest {
    pub fn error(self, manifests: &[Manifest]) -> AnswerError {
        let Some(manifest) = manifests.get(self.document) else {
            return AnswerError::input("", self.problem);
        };
        let problem = format!("line {}: {}", manifest.line, self.problem);
        AnswerError::input(manifest.origin.clone(), problem)
    }
}

/// Adds the objects of manifests to a cluster that was read at `place`, and finally their pods,
/// after admission.
///
/// # Errors
/// What is wrong with the manifests together, and files that lack the nodes.
pub fn add(
    mut cluster: Cluster,
    manifests: &[Manifest],
    namespace: &str,
    replicas: Option<u32>,
    place: &InputOrigin,
    applied_to: AppliedTo,
) -> Result<Added, AnswerError> {
    let (mut hypothetical_pods, mut unusable) = (HypotheticalPods::default(), Vec::new());
    let mut planned = PlannedChanges::default();
    let bounds: Vec<PodNumbers> = (manifests.iter())
        .filter_map(|manifest| PodNumbers::read(&manifest.object, namespace))
        .collect();
    for (document, manifest) in manifests.iter().enumerate() {
        if let Some(why) = skipped(&manifest.object) {
            hypothetical_pods.remarks.push(why.into());
            continue;
        }
        if let Some(problem) = missing_namespace(manifest, manifests, namespace, &cluster) {
            unusable.push(UnusableManifest { document, problem });
            continue;
        }
        if let Some(why) = &manifest.refusal {
            let problem = format!("the API server refuses it: {why}");
            unusable.push(UnusableManifest { document, problem });
            continue;
        }
        let growth = PodNumbers::read(&manifest.object, namespace).map(|numbers| numbers.remark());
        hypothetical_pods.remarks.extend(growth.map(PlanRemark::from));
        let into = &mut hypothetical_pods;
        // The number that an autoscaler brings the pods to, unless the question names another.
        let object = match applied_to {
            AppliedTo::Workloads(state, _) if replicas.is_none() => {
                kept_between(&manifest.object, &bounds, &state.stored, namespace)
            }
            _ => Cow::Borrowed(&manifest.object),
        };
        let handled = match applied_to {
            AppliedTo::Nothing => Ok(Handled::AsNew(object.into_owned())),
            AppliedTo::Workloads(state, now) => {
                let settings = ChangeSettings { namespace, replicas, now };
                planned.add(&object, document, state, settings, &mut cluster, into)
            }
        };
        let added = handled.and_then(|handled| match handled {
            Handled::AsNew(object) => {
                hypothetical_pods::of(&object, document, namespace, replicas, &cluster, into)
            }
            Handled::Planned => Ok(()),
        });
        if let Err(problem) = added {
            unusable.push(UnusableManifest { document, problem });
        }
    }
    if let AppliedTo::Workloads(state, _) = applied_to {
        let objects: Vec<&Value> = manifests.iter().map(|manifest| &manifest.object).collect();
        planned.add_deletions(&objects, state, namespace, &cluster, &mut hypothetical_pods);
    }
    let PlannedChanges { changes, rollouts, copies, remarks: of_changes } = planned;
    hypothetical_pods.remarks.extend(of_changes.into_iter().map(PlanRemark::from));

    // Everything else comes before the pods: admission reads priority classes, quotas and claims.
    let cluster = join(cluster, &hypothetical_pods.others, OF_MANIFESTS)?;
    if let Some(files) = place.files() {
        nodeless::check(&cluster, &files)?;
    }
    let Admitted { pods, refused, claims, charges, remarks, open } = hypothetical_pods
        .admit(&cluster)
        .map_err(|problem| AnswerError::input(OF_MANIFESTS, problem))?;
    let objects = claims.iter().chain(pods.iter().map(|pod| &pod.object));
    let cluster = join(cluster, objects, OF_MANIFESTS)?;
    Ok(Added {
        cluster,
        pods,
        refused,
        remarks,
        open,
        unusable,
        changes,
        rollouts,
        charges,
        copies,
    })
}

/// When no change creates an object, by the name of its hook in helm and in Argo CD.
const OTHER_HOOKS: [(&str, &str); 11] = [
    ("test", "only helm test creates it"),
    ("test-success", "only helm test creates it"),
    ("test-failure", "only helm test creates it"),
    ("pre-delete", "only helm uninstall creates it"),
    ("post-delete", "only helm uninstall creates it"),
    ("pre-rollback", "only helm rollback creates it"),
    ("post-rollback", "only helm rollback creates it"),
    ("PreDelete", "Argo CD creates it when the application is deleted"),
    ("PostDelete", "Argo CD creates it when the application is deleted"),
    ("SyncFail", "Argo CD creates it after a failed sync"),
    ("Skip", "Argo CD creates it never"),
];

/// Why an object is not created with the others, if it is not: every hook that it is for comes at
/// another time.
fn skipped(object: &Value) -> Option<String> {
    let annotations = object.pointer("/metadata/annotations")?;
    let hooks = ["helm.sh/hook", "argocd.argoproj.io/hook"];
    let hooks = hooks.into_iter().find_map(|key| annotations.get(key)?.as_str())?;
    let mut why = None;
    for hook in hooks.split(',') {
        let (_, when) = OTHER_HOOKS.iter().find(|(name, _)| *name == hook.trim())?;
        why = why.or(Some(when));
    }
    let (_, name) = name_in_manifest(object);
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    Some(format!("{kind} {name} is passed over: {}", why?))
}

/// That the namespace of a manifest that makes pods does not exist. One of which the input has no
/// object counts as missing if it has objects of others.
fn missing_namespace(
    manifest: &Manifest,
    manifests: &[Manifest],
    default: &str,
    cluster: &Cluster,
) -> Option<String> {
    let kind = manifest.object.get("kind").and_then(Value::as_str).unwrap_or_default();
    let (own, _) = name_in_manifest(&manifest.object);
    let namespace = if own.is_empty() { default } else { &own };
    if !workload::KINDS.contains(&kind) || namespace == "default" || cluster.namespaces.is_empty() {
        return None;
    }
    let is_read = cluster.symbols.get(namespace).is_some_and(|name| {
        cluster.namespaces.contains_key(&name)
            || cluster.pods.iter().any(|pod| pod.namespace == name)
    });
    let is_made = manifests.iter().any(|other| {
        let kind = other.object.get("kind").and_then(Value::as_str);
        kind == Some("Namespace") && name_in_manifest(&other.object).1 == *namespace
    });
    (!is_read && !is_made).then(|| {
        format!(
            "metadata.namespace: namespaces \"{namespace}\" not found: create it first, or add its manifest to -f"
        )
    })
}

/// Between which numbers an autoscaler of pods keeps those of a workload.
struct PodNumbers<'m> {
    autoscaler: &'m str,
    /// Kind, namespace and name of the workload.
    of: [&'m str; 3],
    least: u64,
    most: u64,
}

impl<'m> PodNumbers<'m> {
    /// Those of a `HorizontalPodAutoscaler`, which is in `namespace` if it names none.
    fn read(object: &'m Value, namespace: &'m str) -> Option<Self> {
        let [of_object, of, autoscaler] = identity(object, namespace);
        if of_object != "HorizontalPodAutoscaler" {
            return None;
        }
        let [kind, name] = ["/spec/scaleTargetRef/kind", "/spec/scaleTargetRef/name"]
            .map(|path| object.pointer(path).and_then(Value::as_str).unwrap_or_default());
        let [least, most] = ["/spec/minReplicas", "/spec/maxReplicas"]
            .map(|path| object.pointer(path).and_then(Value::as_u64));
        let least = least.unwrap_or(1);
        let most = most.filter(|most| *most >= least)?;
        Some(Self { autoscaler, of: [kind, of, name], least, most })
    }

    fn remark(&self) -> String {
        let Self { autoscaler, of: [kind, _, name], least, most } = self;
        format!(
            "HorizontalPodAutoscaler {autoscaler} keeps {kind} {name} between {least} and {most} pods: --replicas {most} tries the most"
        )
    }
}

/// A workload with as many pods as its autoscaler in the manifests lets it have. One with none is left
/// alone, as the autoscaler does.
fn kept_between<'m>(
    object: &'m Value,
    bounds: &[PodNumbers],
    stored: &[Value],
    namespace: &str,
) -> Cow<'m, Value> {
    let id = identity(object, namespace);
    let Some(bound) = bounds.iter().find(|bound| bound.of == id) else {
        return Cow::Borrowed(object);
    };
    let number = |object: &Value| object.pointer("/spec/replicas").and_then(Value::as_u64);
    let before = find(stored, id, namespace);
    let wanted = number(object).or_else(|| before.and_then(number)).unwrap_or(1);
    let kept = wanted.clamp(bound.least, bound.most);
    if wanted == 0 || kept == wanted {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("replicas".to_owned(), kept.into());
    }
    Cow::Owned(object)
}

/// The workloads that manifests may change, and with `prune` all of their namespaces; an empty
/// namespace is that of the input.
pub fn workloads(manifests: &[Manifest], prune: bool) -> Vec<WantedWorkload> {
    let mut wanted: Vec<WantedWorkload> = Vec::new();
    for manifest in manifests {
        let (namespace, name) = name_in_manifest(&manifest.object);
        let kind = manifest.object.get("kind").and_then(Value::as_str).unwrap_or_default();
        let one = if prune {
            WantedWorkload { kind: String::new(), namespace, name: None }
        } else {
            WantedWorkload { kind: kind.to_owned(), namespace, name: Some(name) }
        };
        if !wanted.contains(&one) {
            wanted.push(one);
        }
    }
    wanted
}

/// Why manifests make no pods, if no pod is named either.
pub fn without_pods(remarks: &[PlanRemark]) -> String {
    match remarks.first() {
        Some(first) => {
            first.text.clone() + &first.settled_by.map(commands::settling).unwrap_or_default()
        }
        None => "no pod in it, and no workload that makes pods".to_owned(),
    }
}

/// The cluster with additional objects of this origin. Without additional objects the cluster is
/// not rebuilt, which would take long for a large one.
pub(crate) fn join<'o>(
    cluster: Cluster,
    objects: impl IntoIterator<Item = &'o Value>,
    origin: &str,
) -> Result<Cluster, AnswerError> {
    let mut objects = objects.into_iter().peekable();
    if objects.peek().is_none() {
        return Ok(cluster);
    }
    let mut builder = Builder::reopen(cluster);
    for object in objects {
        decode(&object.to_string(), origin, &mut builder)
            .map_err(|error| AnswerError::input(error.origin, error.problem))?;
    }
    Ok(builder.finish())
}

/// Namespace and name of an object of a manifest; empty if missing.
pub fn name_in_manifest(pod: &Value) -> (String, String) {
    let [namespace, name] = ["/metadata/namespace", "/metadata/name"]
        .map(|path| pod.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned());
    (namespace, name)
}
