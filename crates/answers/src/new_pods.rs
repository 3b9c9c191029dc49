//! Adds the objects of manifests, including pods that do not exist yet, to a cluster.

use jiff::Timestamp;
use serde_json::Value;

use crate::commands;
use crate::error::AnswerError;
use crate::nodeless;
use crate::origin::InputOrigin;
use engine::cluster::build::Builder;
use engine::cluster::{Cluster, PodIx};
use engine::decode::{WholeObject, decode, whole_objects};
use engine::simulation::document::RefusedPod;
use engine::simulation::hypothetical_pods::{self, Admitted, HypotheticalPods, NewPod};
use engine::simulation::remark::PlanRemark;

/// An object that does not exist yet, with all its fields, and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The file, or `standard input`.
    pub origin: String,
    /// The first line of its document, starting at 1.
    pub line: usize,
    pub object: Value,
}

impl Manifest {
    /// The objects of a text in JSON or YAML: one or several documents, or lists.
    ///
    /// # Errors
    /// [`AnswerError::Input`] for anything else.
    pub fn read(text: &str, origin: &str) -> Result<Vec<Self>, AnswerError> {
        let objects = whole_objects(text, origin)
            .map_err(|error| AnswerError::input(error.origin, error.problem))?;
        let mut manifests = Vec::with_capacity(objects.len());
        for WholeObject { object, line } in objects {
            manifests.push(Self { origin: origin.to_owned(), line, object });
        }
        Ok(manifests)
    }
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
        let origin = manifests.get(self.document).map(|manifest| manifest.origin.clone());
        AnswerError::input(origin.unwrap_or_default(), self.problem)
    }
}

/// Adds the objects of manifests to a cluster that was read at `place`, and finally their pods,
/// after admission.
///
/// # Errors
/// What is wrong with the manifests together, and files that lack the nodes.
pub fn add(
    cluster: Cluster,
    manifests: &[Manifest],
    namespace: &str,
    replicas: Option<u32>,
    place: &InputOrigin,
) -> Result<Added, AnswerError> {
    let (mut hypothetical_pods, mut unusable) = (HypotheticalPods::default(), Vec::new());
    for (document, manifest) in manifests.iter().enumerate() {
        let added = hypothetical_pods::of(
            &manifest.object,
            document,
            namespace,
            replicas,
            &cluster,
            &mut hypothetical_pods,
        );
        if let Err(problem) = added {
            unusable.push(UnusableManifest { document, problem });
        }
    }

    // Everything else comes before the pods: admission reads priority classes, quotas and claims.
    let cluster = join(cluster, &hypothetical_pods.others, OF_MANIFESTS)?;
    if let Some(files) = place.files() {
        nodeless::check(&cluster, &files)?;
    }
    let Admitted { pods, refused, claims, remarks, open } = hypothetical_pods
        .admit(&cluster)
        .map_err(|problem| AnswerError::input(OF_MANIFESTS, problem))?;
    let objects = claims.iter().chain(pods.iter().map(|pod| &pod.object));
    let cluster = join(cluster, objects, OF_MANIFESTS)?;
    Ok(Added { cluster, pods, refused, remarks, open, unusable })
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
fn join<'o>(
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
