//! What `simulate` is asked, on which cluster: manifests and edits have joined it.

use serde_json::Value;

use super::SimulateArgs;
use crate::capture::manifest::{self, Manifest};
use crate::cli::GlobalFlags;
use crate::cli::question::Question;
use crate::cli::target::{self, Target};
use crate::error::Error;
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::cluster::notes::Note;
use engine::cluster::pod::{Pod, PodIx};
use engine::decode::decode;
use engine::simulation::hypothetical_pods::{self, Admitted, HypotheticalPods};
use engine::simulation::what_if::{self, WhatIfError};

/// Where what stands in manifests is said to come from, once they are taken together.
const OF_MANIFESTS: &str = "-f";

/// What is asked, on which cluster.
pub(super) struct Scene {
    /// The cluster.
    pub(super) cluster: Cluster,
    /// The pods.
    pub(super) pods: Vec<PodIx>,
    /// What is to be said about them.
    pub(super) notes: Vec<Note>,
}

/// What stands in files.
pub(super) struct Files {
    /// `-f`.
    manifests: Vec<Manifest>,
    /// `--add-node`.
    nodes: Vec<Manifest>,
}

impl Files {
    /// Reads them.
    ///
    /// # Errors
    /// Files that cannot be read, or hold something else.
    pub(super) fn read(args: &SimulateArgs) -> Result<Self, Error> {
        let manifests = read_all(&args.filenames, args.recursive)?;
        Ok(Self { manifests, nodes: read_nodes(&args.edits.add_node)? })
    }

    /// Whether they hold what new pods are made of.
    pub(super) fn have_manifests(&self) -> bool {
        !self.manifests.is_empty()
    }
}

fn read_all(sources: &[String], deep: bool) -> Result<Vec<Manifest>, Error> {
    let lists: Result<Vec<Vec<Manifest>>, Error> = sources.iter().map(|source| manifest::read(source, deep)).collect();
    Ok(lists?.into_iter().flatten().collect())
}

/// The nodes of `--add-node`.
fn read_nodes(sources: &[String]) -> Result<Vec<Manifest>, Error> {
    let nodes = read_all(sources, false)?;
    let other = nodes.iter().find(|m| m.object.get("kind").and_then(Value::as_str) != Some("Node"));
    match other {
        Some(manifest) => Err(Error::input(manifest.origin.clone(), "--add-node takes objects of kind Node alone")),
        None => Ok(nodes),
    }
}

/// The cluster of `question`, which has none afterwards, with all that is typed.
///
/// # Errors
/// What is wrong with a manifest, and what is not there.
pub(super) fn set(
    args: &SimulateArgs,
    targets: &[Target],
    files: &Files,
    question: &mut Question,
    global: &GlobalFlags,
) -> Result<Scene, Error> {
    let edits = args.edits.read(&question.namespace)?;
    let cluster = std::mem::replace(&mut question.cluster, Builder::new().finish());
    let mut hypothetical_pods = HypotheticalPods::default();
    for manifest in &files.manifests {
        hypothetical_pods::of(&manifest.object, &question.namespace, args.replicas, &cluster, &mut hypothetical_pods)
            .map_err(|problem| Error::input(manifest.origin.clone(), problem))?;
    }
    let nodes = files.nodes.iter().map(|manifest| (&manifest.object, manifest.origin.as_str()));
    let others = hypothetical_pods.others.iter().map(|object| (object, OF_MANIFESTS));
    let cluster = join(cluster, nodes.chain(others))?;
    let Admitted { pods, claims, remarks } =
        hypothetical_pods.admit(&cluster).map_err(|problem| Error::input(OF_MANIFESTS, problem))?;
    let mut cluster = join(cluster, claims.iter().chain(&pods).map(|object| (object, OF_MANIFESTS)))?;
    let mut names: Vec<(String, String)> = pods.iter().map(name_in_manifest).collect();
    if files.manifests.is_empty() || !targets.is_empty() {
        names.extend(chosen(args, targets, &mut cluster, question, global)?);
    } else if names.is_empty() {
        let why = remarks.first().map_or("no pod in it, and no workload that makes pods", String::as_str);
        return Err(Error::input(OF_MANIFESTS, why));
    }
    let mut pods: Vec<PodIx> = Vec::new();
    for pod in names.iter().filter_map(|(namespace, name)| cluster.find_pod(namespace, name)) {
        if !pods.contains(&pod) {
            pods.push(pod);
        }
    }
    what_if::apply(&mut cluster, &pods, &edits).map_err(refused)?;
    if let Some(node) = &args.edits.on
        && cluster.find_node(node).is_none()
    {
        return Err(not_found("nodes", node));
    }
    Ok(Scene { cluster, pods, notes: remarks.into_iter().map(|text| Note::warning(OF_MANIFESTS, text)).collect() })
}

/// The cluster with more objects in it, each with where it comes from. A large one is put in order anew only if there are any.
fn join<'o>(cluster: Cluster, objects: impl Iterator<Item = (&'o Value, &'o str)>) -> Result<Cluster, Error> {
    let mut objects = objects.peekable();
    if objects.peek().is_none() {
        return Ok(cluster);
    }
    let mut builder = Builder::reopen(cluster);
    for (object, origin) in objects {
        decode(&object.to_string(), origin, &mut builder)?;
    }
    Ok(builder.finish())
}

/// The pods that `targets` mean, by namespace and name. An owner none of whose pods waits gets one more, or as many as were
/// asked for.
fn chosen(
    args: &SimulateArgs,
    targets: &[Target],
    cluster: &mut Cluster,
    question: &Question,
    global: &GlobalFlags,
) -> Result<Vec<(String, String)>, Error> {
    let full_name = |pod: &Pod, cluster: &Cluster| (cluster.text(pod.namespace).to_owned(), pod.name.to_string());
    let mut names = Vec::new();
    let mut there: Vec<Target> = Vec::new();
    let mut seen: Vec<&Target> = Vec::new();
    for target in targets {
        if seen.contains(&target) {
            continue;
        }
        seen.push(target);
        let found = target::find(target, &question.namespace, cluster)?;
        let wait = found.iter().any(|pod| target::is_waiting(cluster.pod(*pod)));
        match target.kind {
            "Pod" => found.iter().try_for_each(|pod| still_waits(*pod, cluster))?,
            "DaemonSet" if !wait || args.replicas.is_some() => return Err(no_more(&target.name)),
            _ => {}
        }
        match found.first().filter(|_| target.kind != "Pod" && (!wait || args.replicas.is_some())) {
            Some(model) => {
                let number = args.replicas.unwrap_or(1);
                let added = hypothetical_pods::replicas_of(*model, &target.name, number, cluster, question.now);
                names.extend(added.iter().map(|pod| full_name(pod, cluster)));
                cluster.insert(added);
            }
            None => there.push(target.clone()),
        }
    }
    if !there.is_empty() || targets.is_empty() {
        let pods = target::choose(&there, args.all_namespaces, question, cluster, global)?;
        names.extend(pods.into_iter().map(|pod| full_name(cluster.pod(pod), cluster)));
    }
    Ok(names)
}

/// A pod that is somewhere already, or nowhere any more, is not planned for.
fn still_waits(pod: PodIx, cluster: &Cluster) -> Result<(), Error> {
    let (name, pod) = (cluster.pod_name(pod), cluster.pod(pod));
    if target::is_waiting(pod) {
        return Ok(());
    }
    let problem = if pod.is_active() {
        format!("pod {name} is on node {} already: there is nothing to plan for it", cluster.text(pod.node_name))
    } else {
        format!("pod {name} has finished: there is nothing to plan for it")
    };
    let hint = "to ask about another one like it, name its owner, such as deploy/web, or give its manifest with -f";
    Err(Error::Usage { problem, hint: Some(hint.to_owned()) })
}

fn no_more(name: &str) -> Error {
    Error::Usage {
        problem: format!("daemonset {name} has no more pods than nodes: one more makes no sense"),
        hint: Some("its manifest with -f is about the pods that it would make on further nodes".to_owned()),
    }
}

fn name_in_manifest(pod: &Value) -> (String, String) {
    let field = |path| pod.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    (field("/metadata/namespace"), field("/metadata/name"))
}

fn refused(refusal: WhatIfError) -> Error {
    match refusal {
        WhatIfError::NotFound { resource, name } => not_found(resource, &name),
        WhatIfError::Value(problem) => Error::usage(problem),
    }
}

fn not_found(resource: &str, name: &str) -> Error {
    Error::NotFound { resource: resource.to_owned(), name: name.to_owned(), hint: None }
}
