//! Adds the objects of manifests, including pods that do not exist yet, to a cluster.

use serde_json::Value;

use crate::capture::manifest::{Manifest, ReadManifests};
use crate::error::Error;
use answers::commands;
use answers::nodeless;
use answers::origin::InputOrigin;
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::decode::decode;
use engine::simulation::document::RefusedPod;
use engine::simulation::hypothetical_pods::{self, Admitted, HypotheticalPods, NewPod};
use engine::simulation::remark::PlanRemark;

/// The origin of objects in messages about all manifests together.
pub(super) const OF_MANIFESTS: &str = "-f";

/// A cluster with the objects of manifests.
pub(super) struct Added {
    pub(super) cluster: Cluster,
    /// The pods from the manifests that the API server would create.
    pub(super) pods: Vec<NewPod>,
    /// The pods that it would reject.
    pub(super) refused: Vec<RefusedPod>,
    /// Remarks about them.
    pub(super) remarks: Vec<PlanRemark>,
    /// What could not be applied to them, so that they may be others.
    pub(super) open: Vec<String>,
    /// The manifests of which no pods can be made; nothing is added of them.
    pub(super) unusable: Vec<UnusableManifest>,
}

/// A manifest of which no pods can be made.
pub(super) struct UnusableManifest {
    /// Its index in the list of manifests.
    pub(super) document: usize,
    /// What is wrong with it.
    pub(super) problem: String,
}

impl UnusableManifest {
    pub(super) fn error(self, manifests: &[Manifest]) -> Error {
        let origin = manifests.get(self.document).map(|manifest| manifest.origin.clone());
        Error::input(origin.unwrap_or_default(), self.problem)
    }
}

/// Adds the objects of manifests to a cluster that was read at `place`, and finally their pods,
/// after admission.
///
/// # Errors
/// What is wrong with the manifests together, and files that lack the nodes.
pub(super) fn add(
    cluster: Cluster,
    manifests: &[Manifest],
    namespace: &str,
    replicas: Option<u32>,
    place: &InputOrigin,
) -> Result<Added, Error> {
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
    let cluster = join(cluster, &hypothetical_pods.others, OF_MANIFESTS)?;
    if let Some(files) = place.files() {
        nodeless::check(&cluster, &files)?;
    }
    let Admitted { pods, refused, claims, remarks, open } =
        hypothetical_pods.admit(&cluster).map_err(|problem| Error::input(OF_MANIFESTS, problem))?;
    let objects = claims.iter().chain(pods.iter().map(|pod| &pod.object));
    let cluster = join(cluster, objects, OF_MANIFESTS)?;
    Ok(Added { cluster, pods, refused, remarks, open, unusable })
}

/// Why manifests make no pods, if no pod is named either.
pub(super) fn without_pods(remarks: &[PlanRemark]) -> String {
    match remarks.first() {
        Some(first) => {
            first.text.clone() + &first.settled_by.map(commands::settling).unwrap_or_default()
        }
        None => "no pod in it, and no workload that makes pods".to_owned(),
    }
}

/// The objects of files, and the files that cannot be read.
///
/// # Errors
/// [`Error::Usage`] for what is no file.
pub(super) fn read_each(sources: &[String], deep: bool) -> Result<ReadManifests, Error> {
    let mut manifests = ReadManifests::default();
    for source in sources {
        manifests.add(source, deep)?;
    }
    Ok(manifests)
}

/// The objects of files.
///
/// # Errors
/// Files that cannot be read.
pub(super) fn read_all(sources: &[String], deep: bool) -> Result<Vec<Manifest>, Error> {
    read_each(sources, deep)?.all()
}

/// The cluster with additional objects of this origin. Without additional objects the cluster is
/// not rebuilt, which would take long for a large one.
fn join<'o>(
    cluster: Cluster,
    objects: impl IntoIterator<Item = &'o Value>,
    origin: &str,
) -> Result<Cluster, Error> {
    let mut objects = objects.into_iter().peekable();
    if objects.peek().is_none() {
        return Ok(cluster);
    }
    let mut builder = Builder::reopen(cluster);
    for object in objects {
        decode(&object.to_string(), origin, &mut builder)?;
    }
    Ok(builder.finish())
}

/// Namespace and name of an object of a manifest; empty if missing.
pub(super) fn name_in_manifest(pod: &Value) -> (String, String) {
    let field = |path| pod.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    (field("/metadata/namespace"), field("/metadata/name"))
}
