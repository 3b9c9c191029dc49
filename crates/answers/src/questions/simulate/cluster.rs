//! The cluster that a simulation decides on: the input, with the objects of manifests and the
//! assumptions.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::gate::accepted;
use super::{SimulateRequest, UnreadableFile};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::new_pods::{
    self, Added, AppliedTo, Manifest, OF_MANIFESTS, UnusableManifest, name_in_manifest,
};
use crate::node_name;
use crate::questions::pending::earlier::PodName;
use crate::target::{self, PodFilter, Target};
use crate::words;
use engine::cluster::{Cluster, NodeIx, PodIx, Sym};
use engine::edits::{self, Edit};
use engine::notes::Note;
use engine::simulation::MANIFEST;
use engine::simulation::change::WorkloadChange;
use engine::simulation::change::plan::StateBefore;
use engine::simulation::document::{
    ManifestDocument, ManifestDocuments, RefusedPod, UnreadManifest,
};
use engine::simulation::hypothetical_pods::{self, NewPod};
use engine::simulation::rollout::{PodCharges, Rollout};

/// Why a node cannot be chosen for a pod group.
pub const ON_AND_GROUPS: &str =
    "--on chooses the node of one pod, and kube-scheduler places the pods of a group together";

/// A cluster with the assumed changes, and the pods to decide about.
pub(super) struct WhatIfCluster {
    pub(super) cluster: Cluster,
    /// The pods to decide about.
    pub(super) pods: Vec<PodIx>,
    /// The node that the pods must use.
    pub(super) on: Option<String>,
    /// The nodes whose drain is in question. They are not drained in `cluster`.
    pub(super) drains: Vec<NodeIx>,
    /// Whether one of the pods has scheduling gates.
    pub(super) any_gated: bool,
    pub(super) assumptions: Vec<Edit>,
    /// Notes about the manifests.
    pub(super) notes: Vec<Note>,
    /// The documents of the manifests, with their pods.
    pub(super) documents: ManifestDocuments,
    /// The pods of manifests that the API server would reject.
    pub(super) refused: Vec<RefusedPod>,
    /// The manifests about which nothing is decided.
    pub(super) unread: Vec<UnreadManifest>,
    /// That no pod is meant, in a sentence.
    pub(super) nothing_waits: Option<String>,
    /// What becomes of the workloads of the manifests, and how their pods are replaced.
    pub(super) changes: Vec<WorkloadChange>,
    pub(super) rollouts: Vec<Rollout>,
    /// What quotas count of their pods.
    pub(super) charges: PodCharges,
}

impl WhatIfCluster {
    /// Applies the assumptions to the cluster of `input`, and before them those about `new_nodes`.
    ///
    /// # Errors
    /// What is wrong with a manifest, and names of objects that are not in the cluster.
    pub(super) fn build(
        request: &SimulateRequest,
        input: LoadedInput,
        new_nodes: &[Edit],
    ) -> Result<Self, AnswerError> {
        let SimulateRequest { targets, manifests, replicas, .. } = request;
        let groups_are_on = input.profiles().any(|profile| profile.features.pod_groups.pod_groups);
        let schedulers: Vec<String> =
            input.profiles().map(|profile| profile.scheduler_name.clone()).collect();
        let LoadedInput { mut cluster, place, namespace, selector, now, flags, originals, .. } =
            input;
        let state = StateBefore {
            stored: originals.map(|originals| originals.workloads).unwrap_or_default(),
            manifests: manifests.before.iter().map(|one| one.object.clone()).collect(),
            prune: manifests.prune,
        };

        // Nodes come first: DaemonSets among the manifests create pods for them.
        let mut assumptions: Vec<Edit> = manifests.nodes.iter().map(added_node).collect();
        assumptions.extend_from_slice(new_nodes);
        edits::apply(&mut cluster, &[], &assumptions)?;
        let mut edits: Vec<Edit> = Vec::with_capacity(request.edits.len());
        for edit in &request.edits {
            edits.push(node_name::in_full(in_namespace(edit.clone(), &namespace), &cluster));
        }

        // Then the objects of the manifests, and last their pods after admission.
        let applied_to = AppliedTo::Workloads(&state, now);
        let added =
            new_pods::add(cluster, &manifests.objects, &namespace, *replicas, &place, applied_to)?;
        let Added { mut cluster, pods: mut new_pods, refused, remarks, open, unusable, .. } = added;
        let (changes, rollouts, charges) = (added.changes, added.rollouts, added.charges);
        let mut documents = documents(&manifests.objects, &namespace, &new_pods, &cluster);
        for ((namespace, name), document) in &added.copies {
            documents.add_pod(namespace, name, None, *document);
        }
        // These come once their controller makes them.
        new_pods.retain(|pod| !pod.is_later);

        // A gate reports what cannot be read and judges everything else; without one, that is an
        // error.
        let mut unread = Vec::new();
        for manifest in unusable {
            if request.gate.is_none() {
                return Err(manifest.error(&manifests.objects));
            }
            let UnusableManifest { document, problem } = manifest;
            unread.push(UnreadManifest { document, column: None, problem });
        }
        for file in manifests.unreadable.iter().cloned() {
            let UnreadableFile { origin, line, column, problem } = file;
            let document = documents.add_unread(origin, line);
            unread.push(UnreadManifest { document, column, problem });
        }

        // The pods to decide about: those of the manifests, and those that are named. They have
        // names until then, because indices change when replicas are added.
        let mut names = Vec::with_capacity(new_pods.len());
        for pod in &new_pods {
            let (namespace, name) = name_in_manifest(&pod.object);
            names.push(PodName { namespace, name });
        }
        let mut nothing_waits = None;
        if request.is_about_drain {
            // No pod is chosen: the decisions are about the replacements of the drained pods.
        } else if manifests.are_none() || !targets.is_empty() {
            let filter = PodFilter {
                namespace: &namespace,
                all_namespaces: request.all_namespaces,
                selector: &selector,
            };
            let chosen = chosen(*replicas, targets, filter, &mut cluster, now)
                .map_err(|error| error.about(&flags))?;
            if targets.is_empty() && chosen.is_empty() {
                nothing_waits = Some(filter.nothing_waits());
            }
            names.extend(chosen);
        } else if new_pods.is_empty()
            && refused.is_empty()
            && changes.is_empty()
            && request.gate.is_none()
        {
            let why = new_pods::without_pods(&remarks);
            return Err(AnswerError::input(OF_MANIFESTS, why));
        }
        let mut pods: Vec<PodIx> = Vec::with_capacity(names.len());
        for PodName { namespace, name } in &names {
            pods.extend(cluster.find_pod(namespace, name));
        }
        let mut seen = BTreeSet::new();
        pods.retain(|pod| seen.insert(*pod));
        if groups_are_on && add_members(&mut pods, &cluster) && request.on.is_some() {
            return Err(AnswerError::usage(ON_AND_GROUPS));
        }

        // A plan for a node requires pods that may preempt, so --on assumes that they may.
        let (mut any_gated, mut any_never_preempts) = (false, false);
        for pod in &pods {
            let template = cluster.template(cluster.pod(*pod));
            any_gated |= !template.gates.is_empty();
            any_never_preempts |= template.never_preempts;
        }
        let says_preemption =
            |edit: &Edit| matches!(edit, Edit::PreemptionPolicy { .. } | Edit::AsIfPreempting);
        let preemption_is_given = edits.iter().any(says_preemption);
        if request.on.is_some() && (any_gated || any_never_preempts) && !preemption_is_given {
            edits.push(Edit::AsIfPreempting);
        }

        // Who asks what kube-scheduler would do means that it decides, whatever the pod names.
        let taken_over = if edits.contains(&Edit::AsIfPreempting) {
            take_over(&pods, &schedulers, &mut cluster)?
        } else {
            None
        };

        let drains = apply_edits(request, &edits, &pods, &mut cluster)?;
        assumptions.extend(edits);
        assumptions.extend(taken_over);
        // Only now, because an edit may have added the node.
        let mut on = None;
        if let Some(node) = &request.on {
            on = Some(cluster.node_name(node_name::find(node, &cluster)?).to_owned());
        }

        let mut notes = Vec::with_capacity(open.len() + remarks.len());
        for text in open {
            notes.push(Note::error(&MANIFEST, format!("{OF_MANIFESTS}: {text}")));
        }
        notes.extend(not_asked(&manifests.not_asked));
        notes.extend(remarks.into_iter().map(|remark| remark.warning(&MANIFEST, OF_MANIFESTS)));
        Ok(Self {
            cluster,
            pods,
            on,
            drains,
            any_gated,
            assumptions,
            notes,
            documents,
            refused,
            unread,
            nothing_waits,
            changes,
            rollouts,
            charges,
        })
    }
}

/// That the API server was not asked about objects.
fn not_asked(objects: &[String]) -> Option<Note> {
    const NAMED: usize = 3;
    let named = words::list(objects, NAMED);
    let text = format!("{OF_MANIFESTS}: the API server was not asked about {named}");
    (!objects.is_empty()).then(|| Note::warning(&MANIFEST, text))
}

/// Gives the pods of other schedulers to the first profile of kube-scheduler. Returns what was
/// assumed, if there are any.
fn take_over(
    pods: &[PodIx],
    schedulers: &[String],
    cluster: &mut Cluster,
) -> Result<Option<Edit>, AnswerError> {
    let mut others = pods.to_vec();
    others.retain(|pod| {
        let name = cluster.text(cluster.template(cluster.pod(*pod)).scheduler_name);
        !schedulers.iter().any(|own| own == name)
    });
    let Some(name) = schedulers.first().filter(|_| !others.is_empty()) else { return Ok(None) };
    let edit = Edit::Scheduler { name: name.clone() };
    edits::apply(cluster, &others, std::slice::from_ref(&edit))?;
    Ok(Some(edit))
}

/// Applies the what-if flags to the cluster. Returns the nodes that are to be drained: their drain
/// is no edit here, because the simulation carries it out.
fn apply_edits(
    request: &SimulateRequest,
    edits: &[Edit],
    pods: &[PodIx],
    cluster: &mut Cluster,
) -> Result<Vec<NodeIx>, AnswerError> {
    if !request.is_about_drain {
        edits::apply(cluster, pods, edits)
            .map_err(|refusal| node_name::impossible(refusal, cluster))?;
        return Ok(Vec::new());
    }
    let mut others = edits.to_vec();
    others.retain(|edit| !matches!(edit, Edit::Drain { .. }));
    edits::apply(cluster, pods, &others)
        .map_err(|refusal| node_name::impossible(refusal, cluster))?;
    let mut drains = Vec::new();
    for edit in edits {
        if let Edit::Drain { node } = edit {
            drains.push(node_name::find(node, cluster)?);
        }
    }
    drains.dedup();
    Ok(drains)
}

/// The documents of `manifests`, with their pods and groups.
fn documents(
    manifests: &[Manifest],
    namespace: &str,
    pods: &[NewPod],
    cluster: &Cluster,
) -> ManifestDocuments {
    let documents = manifests.iter().map(|manifest| document(manifest, namespace));
    let mut documents = ManifestDocuments::new(documents.collect());
    for pod in pods {
        let (namespace, name) = name_in_manifest(&pod.object);
        let index = cluster.find_pod(&namespace, &name);
        let group = index.and_then(|pod| cluster.named_group(pod));
        let group = group.map(|(_, group)| cluster.text(group));
        documents.add_pod(&namespace, &name, group, pod.document);
    }
    documents
}

/// The identity and location of the object of `manifest`; `namespace` is for objects that name
/// none.
fn document(manifest: &Manifest, namespace: &str) -> ManifestDocument {
    let kind = text_of(manifest, "/kind").unwrap_or_default();
    let name = text_of(manifest, "/metadata/name");
    let name = name.or_else(|| text_of(manifest, "/metadata/generateName"));
    let namespace = if hypothetical_pods::has_namespace(kind) {
        text_of(manifest, "/metadata/namespace").unwrap_or(namespace)
    } else {
        ""
    };
    ManifestDocument {
        file: manifest.origin.clone(),
        line: manifest.line,
        namespace: namespace.to_owned(),
        kind: kind.to_owned(),
        name: name.unwrap_or_default().to_owned(),
        accepts: accepted(&manifest.object),
        is_suspended: ["CronJob", "Job"].contains(&kind)
            && manifest.object.pointer("/spec/suspend") == Some(&serde_json::Value::Bool(true)),
    }
}

/// A text of the object, unless it is empty.
fn text_of<'m>(manifest: &'m Manifest, pointer: &str) -> Option<&'m str> {
    manifest.object.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

/// Adds the other pending pods of the groups of `pods`, which are scheduled together. Returns
/// whether there are groups.
fn add_members(pods: &mut Vec<PodIx>, cluster: &Cluster) -> bool {
    let groups: BTreeSet<(Sym, Sym)> =
        pods.iter().filter_map(|pod| cluster.named_group(*pod)).collect();
    let known: BTreeSet<PodIx> = pods.iter().copied().collect();
    for pod in cluster.pod_indices() {
        let is_member = cluster.named_group(pod).is_some_and(|group| groups.contains(&group));
        if is_member && cluster.pod(pod).is_waiting() && !known.contains(&pod) {
            pods.push(pod);
        }
    }
    !groups.is_empty()
}

/// The edit of an object that is named without a namespace, in this one.
fn in_namespace(mut edit: Edit, default: &str) -> Edit {
    if let Edit::RemovePod { namespace, .. } | Edit::Budget { namespace, .. } = &mut edit
        && namespace.is_empty()
    {
        default.clone_into(namespace);
    }
    edit
}

/// The pods that `targets` name, or that `filter` selects. An owner without a pending pod gets
/// `replicas` more pods, by default one.
fn chosen(
    replicas: Option<u32>,
    targets: &[Target],
    filter: PodFilter<'_>,
    cluster: &mut Cluster,
    now: Timestamp,
) -> Result<Vec<PodName>, AnswerError> {
    let mut names = Vec::new();
    let mut existing: Vec<Target> = Vec::new();
    let mut seen: Vec<&Target> = Vec::new();
    for target in targets {
        if seen.contains(&target) {
            continue;
        }
        seen.push(target);
        let found = target::find(target, filter.namespace, cluster)?;
        let any_waits = found.iter().any(|pod| cluster.pod(*pod).is_waiting());
        let wants_more = !any_waits || replicas.is_some();
        match target.kind {
            "Pod" => found.iter().try_for_each(|pod| check_waits(*pod, cluster))?,
            "DaemonSet" if wants_more => return Err(no_more(&target.name)),
            _ => {}
        }
        match found.first() {
            Some(model) if wants_more && target.kind != "Pod" => {
                let number = replicas.unwrap_or(1);
                let added =
                    hypothetical_pods::replicas_of(*model, &target.name, number, cluster, now);
                names.extend(added.iter().map(|pod| PodName::of(pod, cluster)));
                cluster.insert(added);
            }
            Some(_) | None => existing.push(target.clone()),
        }
    }
    if !existing.is_empty() || targets.is_empty() {
        let pods = target::choose(&existing, filter, cluster)?;
        names.extend(pods.into_iter().map(|pod| PodName::of(cluster.pod(pod), cluster)));
    }
    Ok(names)
}

/// Rejects a pod that is bound or has finished.
fn check_waits(pod: PodIx, cluster: &Cluster) -> Result<(), AnswerError> {
    let (name, pod) = (cluster.pod_name(pod), cluster.pod(pod));
    if pod.is_waiting() {
        return Ok(());
    }
    let problem = if pod.is_active() {
        format!(
            "pod {name} is on node {} already: there is nothing to plan for it",
            cluster.text(pod.node_name)
        )
    } else {
        format!("pod {name} has finished: there is nothing to plan for it")
    };
    let hint = "to ask about another one like it, name its owner, such as deploy/web, or give its manifest with -f";
    Err(AnswerError::usage_hint(problem, hint))
}

fn no_more(name: &str) -> AnswerError {
    AnswerError::usage_hint(
        format!("daemonset {name} has no more pods than nodes: one more makes no sense"),
        "give its manifest with -f to ask about the pods that it would make on further nodes",
    )
}

/// The edit that adds a node of `--add-node`.
fn added_node(manifest: &Manifest) -> Edit {
    let (_, node) = name_in_manifest(&manifest.object);
    Edit::AddNode { node, file: manifest.origin.clone(), object: Box::new(manifest.object.clone()) }
}
