//! Which workloads of manifests are new, changed or unchanged, and which pods their controllers make
//! and remove for that.

use jiff::Timestamp;
use serde_json::Value;

use super::{ChangeKind, WorkloadChange, immutable, last_applied, means_same, merged, template};
use crate::daemon::{self, Existing};
use crate::hypothetical_pods::{self, HypotheticalPods, NewPod};
use crate::rollout::{OLD, PodName, Rollout, Strategy, pod_name, pods_of};
use crate::workload::ManifestWorkload;
use model::cluster::pod::Readiness;
use model::cluster::{Cluster, PodIx};

/// The kinds whose objects keep their pods, so that a manifest of one may change what is there.
const KINDS: [&str; 7] = [
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "ReplicationController",
    "Job",
    "CronJob",
    "DaemonSet",
];

/// What is known of the state before a change, beside the cluster.
#[derive(Debug, Clone, Default)]
pub struct StateBefore {
    /// Workloads of the cluster with all their fields.
    pub stored: Vec<Value>,
    /// The manifests before the change. What they have and the new ones lack is deleted.
    pub manifests: Vec<Value>,
    /// Whether what was applied before to the namespaces of the manifests, and is not among them, is
    /// deleted.
    pub prune: bool,
}

/// The changes of all manifests.
#[derive(Debug, Clone, Default)]
pub struct PlannedChanges {
    pub changes: Vec<WorkloadChange>,
    pub rollouts: Vec<Rollout>,
    /// Pods like existing ones, by the number of the manifest that makes them.
    pub copies: Vec<(PodName, usize)>,
    /// What is to be known of them.
    pub remarks: Vec<String>,
}

/// What is asked of a manifest.
#[derive(Debug, Clone, Copy)]
pub struct ChangeSettings<'s> {
    /// The namespace to use if the manifest names none.
    pub namespace: &'s str,
    /// How many pods it is to have, whatever it says.
    pub replicas: Option<u32>,
    pub now: Timestamp,
}

/// What remains to be done about a manifest.
#[derive(Debug, Clone, PartialEq)]
pub enum Handled {
    /// Its pods are new ones, as this manifest makes them.
    AsNew(Value),
    /// Everything is planned.
    Planned,
}

/// Kind, namespace and name of an object, which is in `default` if it names no namespace.
pub fn identity<'v>(object: &'v Value, default: &'v str) -> [&'v str; 3] {
    let [kind, namespace, name] = ["/kind", "/metadata/namespace", "/metadata/name"]
        .map(|path| object.pointer(path).and_then(Value::as_str).unwrap_or_default());
    [kind, if namespace.is_empty() { default } else { namespace }, name]
}

/// The last of the objects with this identity.
pub fn find<'v>(objects: &'v [Value], wanted: [&str; 3], default: &str) -> Option<&'v Value> {
    objects.iter().rev().find(|object| identity(object, default) == wanted)
}

/// A workload that exists, and what the manifest makes of it.
struct ExistingWorkload<'w> {
    workload: &'w ManifestWorkload<'w>,
    object: &'w Value,
    pods: Vec<PodName>,
    before: usize,
    after: usize,
    document: usize,
    change: usize,
    /// Whether pods that a scale-up adds have the new template: a ReplicaSet replaces none of its
    /// pods, and knows no other.
    makes_new: bool,
}

impl PlannedChanges {
    /// Plans what a manifest changes.
    ///
    /// # Errors
    /// What is wrong with the manifest, or why the API server does not take the change.
    pub fn add(
        &mut self,
        manifest: &Value,
        document: usize,
        state: &StateBefore,
        settings: ChangeSettings,
        cluster: &mut Cluster,
        into: &mut HypotheticalPods,
    ) -> Result<Handled, String> {
        let ChangeSettings { namespace, replicas, now } = settings;
        let [kind, of, name] = identity(manifest, namespace);
        let is_new_name = name.is_empty();
        if kind == "Pod" && replicas.is_none() {
            return self.bare_pod(manifest, document, [kind, of, name], state, cluster);
        }
        let is_foreign = ManifestWorkload::read(manifest, namespace)?.is_none_or(|w| w.is_foreign);
        if !KINDS.contains(&kind) || is_foreign {
            return Ok(Handled::AsNew(manifest.clone()));
        }

        // What is there: the object itself, the state before, or pods that name it as their owner.
        let pods = pods_of(kind, of, name, cluster);
        let stored = find(&state.stored, [kind, of, name], namespace);
        let earlier = find(&state.manifests, [kind, of, name], namespace);
        let controller = cluster.pod_controller(kind, of, name);
        let wanted_before = controller.and_then(|one| one.wanted);
        let exists = stored.is_some() || controller.is_some() || !pods.is_empty();
        let mut change = WorkloadChange {
            document: Some(document),
            unready: pods.iter().filter(|pod| is_unready(**pod, cluster)).count(),
            ..WorkloadChange::of([kind, of, name], ChangeKind::New)
        };
        if is_new_name || !exists {
            self.changes.push(change);
            return Ok(Handled::AsNew(manifest.clone()));
        }

        // What the API server makes of both.
        let base = stored.or(earlier);
        let last = earlier.cloned().or_else(|| stored.and_then(last_applied));
        let object = match base {
            Some(base) => merged(base, manifest, last.as_ref()),
            None => manifest.clone(),
        };
        if let Some(problem) = base.and_then(|base| immutable(base, &object)) {
            return Err(problem);
        }
        let Some(workload) = ManifestWorkload::read(&object, namespace)? else {
            return Ok(Handled::AsNew(manifest.clone()));
        };
        let base_workload = base.map(|base| ManifestWorkload::read(base, namespace));
        let before = match base_workload.transpose()?.flatten() {
            Some(base) => base.replicas() as usize,
            None => wanted_before.and_then(|n| usize::try_from(n).ok()).unwrap_or(pods.len()),
        };
        // A manifest without a number leaves it to who has set it.
        let says_number = base.is_some()
            || ["/spec/replicas", "/spec/parallelism"].iter().any(|p| object.pointer(p).is_some());
        let after = match replicas {
            Some(replicas) => replicas as usize,
            None if says_number => workload.replicas() as usize,
            None => before,
        };
        let is_changed =
            base.is_none_or(|base| !means_same(template(base), template(&object))) && kind != "Job";
        change.is_template_known = base.is_some() || kind == "Job";
        (change.before, change.after) = (before, after);
        let strategy = Strategy::of(&object, after);
        let replaces = is_changed
            && !(["ReplicaSet", "ReplicationController"].contains(&kind)
                || strategy == Strategy::Keep && kind != "CronJob");
        change.what = match (replaces, kind) {
            (true, _) => ChangeKind::RolledOut,
            (false, "DaemonSet" | "CronJob") => ChangeKind::Unchanged,
            (false, _) if before == after => ChangeKind::Unchanged,
            (false, _) => ChangeKind::Scaled,
        };
        if is_changed && !replaces {
            self.remarks.push(format!(
                "{} keeps its pods, of the old template: its controller replaces none by itself",
                change.object()
            ));
        }
        let what = change.what;
        self.changes.push(change);
        match (what, kind) {
            (ChangeKind::Unchanged, _) => return Ok(Handled::Planned),
            // The pods of its next Job.
            (_, "CronJob") => return Ok(Handled::AsNew(object.clone())),
            _ => {}
        }
        let names = pods.iter().map(|pod| pod_name(*pod, cluster)).collect();
        let existing = ExistingWorkload {
            workload: &workload,
            object: &object,
            pods: names,
            before,
            after,
            document,
            change: self.changes.len() - 1,
            makes_new: is_changed && kind != "Deployment",
        };
        match kind {
            "StatefulSet" => self.ordinals(&existing, is_changed, cluster, into)?,
            "DaemonSet" => self.per_node(&existing, strategy, cluster, into)?,
            _ => self.replicas(&existing, replaces, strategy, now, cluster, into)?,
        }
        if let (Some(base), Some(rollout)) = (base, self.rollouts.last()) {
            into.add_existing(base, namespace, [&rollout.old[..], &rollout.more].concat());
        }
        Ok(Handled::Planned)
    }

    /// A pod without a controller. One that has a node stays as it is: it counts already, and the API
    /// server lets nothing change that would move it.
    fn bare_pod(
        &mut self,
        manifest: &Value,
        document: usize,
        id: [&str; 3],
        state: &StateBefore,
        cluster: &Cluster,
    ) -> Result<Handled, String> {
        let [_, of, name] = id;
        let existing = cluster.find_pod(of, name).filter(|pod| !cluster.pod(*pod).is_waiting());
        let stored = find(&state.stored, id, of);
        let (Some(_), Some(stored)) = (existing, stored) else {
            return Ok(Handled::AsNew(manifest.clone()));
        };
        let merged = merged(stored, manifest, last_applied(stored).as_ref());
        if let Some(problem) = immutable(stored, &merged) {
            return Err(problem);
        }
        let change = WorkloadChange::of(id, ChangeKind::Unchanged);
        self.changes.push(WorkloadChange {
            document: Some(document),
            before: 1,
            after: 1,
            ..change
        });
        Ok(Handled::Planned)
    }

    /// A Deployment, or a controller that only changes the number of its pods.
    fn replicas(
        &mut self,
        existing: &ExistingWorkload,
        replaces: bool,
        strategy: Strategy,
        now: Timestamp,
        cluster: &mut Cluster,
        into: &mut HypotheticalPods,
    ) -> Result<(), String> {
        let ExistingWorkload { workload, pods, before, after, document, .. } = existing;
        let (before, after) = (*before, *after);
        // A scale-up makes pods like those that are there, before any is replaced.
        let missing = after.saturating_sub(before);
        let mut more: Vec<PodName> = Vec::new();
        if let Some((of, model)) = pods.first().filter(|_| missing > 0 && !existing.makes_new)
            && let Some(model) = cluster.find_pod(of, model)
        {
            let number = u32::try_from(missing).unwrap_or(u32::MAX);
            let prefix = format!("{}-more", workload.name);
            let copies = hypothetical_pods::replicas_of(model, &prefix, number, cluster, now);
            more = copies.iter().map(|pod| (of.clone(), pod.name.to_string())).collect();
            cluster.insert(copies);
            self.copies.extend(more.iter().map(|name| (name.clone(), *document)));
        }
        let count = if replaces { after } else { missing - more.len().min(missing) };
        let names: Vec<String> =
            (0..count).map(|index| format!("{}-new-{index}", workload.name)).collect();
        let new = Self::made(existing, &names, cluster, into)?;
        if replaces {
            into.others.extend(workload.selecting_owner());
        }
        let strategy = if replaces { strategy } else { Strategy::Keep };
        self.push(existing, strategy, pods.clone(), more, new, false);
        Ok(())
    }

    /// A StatefulSet: the ordinals that are added come first, from the lowest; then those that are
    /// replaced, from the highest.
    fn ordinals(
        &mut self,
        existing: &ExistingWorkload,
        is_changed: bool,
        cluster: &mut Cluster,
        into: &mut HypotheticalPods,
    ) -> Result<(), String> {
        let ExistingWorkload { workload, object, pods, before, after, .. } = existing;
        let (before, after) = (*before, *after);
        let start = object.pointer("/spec/ordinals/start").and_then(Value::as_u64).unwrap_or(0);
        let start = usize::try_from(start).unwrap_or_default();
        let strategy = Strategy::of(object, after);
        let partition = match strategy {
            Strategy::Ordinals { partition, .. } if is_changed => start.saturating_add(partition),
            _ => usize::MAX,
        };
        let named = |ordinal: usize| format!("{}-{ordinal}", workload.name);
        let is_there = |name: &str| pods.iter().any(|(_, other)| other == name);
        let mut names: Vec<String> = Vec::new();
        names.extend((start + before..start + after).map(named).filter(|name| !is_there(name)));
        let mut renamed: Vec<(String, String, String)> = Vec::new();
        for ordinal in (start..start + before.min(after)).rev().filter(|one| *one >= partition) {
            let name = named(ordinal);
            if is_there(&name) {
                renamed.push((workload.namespace.clone(), name.clone(), format!("{name}{OLD}")));
                names.push(name);
            }
        }
        cluster.rename_pods(&renamed);
        let new = Self::made(existing, &names, cluster, into)?;
        let mut old = pods.clone();
        old.sort_by_key(|(_, name)| name.rsplit('-').next().and_then(|n| n.parse::<usize>().ok()));
        for (_, name) in &mut old {
            if renamed.iter().any(|(_, before, _)| before == name) {
                name.push_str(OLD);
            }
        }
        let policy = object.pointer("/spec/podManagementPolicy").and_then(Value::as_str);
        let strategy = match strategy {
            Strategy::Ordinals { .. } => strategy,
            _ => Strategy::Ordinals { partition, max_unavailable: 1 },
        };
        self.push(existing, strategy, old, Vec::new(), new, policy != Some("Parallel"));
        Ok(())
    }

    fn per_node(
        &mut self,
        existing: &ExistingWorkload,
        strategy: Strategy,
        cluster: &Cluster,
        into: &mut HypotheticalPods,
    ) -> Result<(), String> {
        let made = daemon::pods_beside(existing.workload, cluster, Existing::Leave)?;
        let mut new: Vec<PodName> = Vec::new();
        for object in made.pods {
            let [_, namespace, name] = identity(&object, "");
            new.push((namespace.to_owned(), name.to_owned()));
            into.pods.push(NewPod { object, document: existing.document, is_later: true });
        }
        // Percentages are of the nodes that are to have a pod.
        let strategy = match strategy {
            Strategy::PerNode { .. } => Strategy::of(existing.object, new.len()),
            other => other,
        };
        if let Some(change) = self.changes.get_mut(existing.change) {
            (change.before, change.after) = (existing.pods.len(), new.len());
        }
        self.push(existing, strategy, existing.pods.clone(), Vec::new(), new, false);
        Ok(())
    }

    /// Makes pods from the template, which are created later.
    fn made(
        existing: &ExistingWorkload,
        names: &[String],
        cluster: &Cluster,
        into: &mut HypotheticalPods,
    ) -> Result<Vec<PodName>, String> {
        let ExistingWorkload { workload, document, .. } = existing;
        let made = workload.named_pods(names)?;
        for object in made.pods {
            into.pods.push(NewPod { object, document: *document, is_later: true });
        }
        for object in made.others {
            into.join(object, &workload.namespace, cluster);
        }
        Ok(names.iter().map(|name| (workload.namespace.clone(), name.clone())).collect())
    }

    fn push(
        &mut self,
        existing: &ExistingWorkload,
        strategy: Strategy,
        old: Vec<PodName>,
        more: Vec<PodName>,
        new: Vec<PodName>,
        one_by_one: bool,
    ) {
        let wanted = match strategy {
            Strategy::PerNode { .. } => new.len(),
            _ => existing.after,
        };
        let change = existing.change;
        self.rollouts.push(Rollout { change, strategy, wanted, old, more, new, one_by_one });
    }

    /// Plans the deletion of what the state before has and the manifests do not.
    pub fn add_deletions(
        &mut self,
        manifests: &[&Value],
        state: &StateBefore,
        namespace: &str,
        cluster: &Cluster,
        into: &mut HypotheticalPods,
    ) {
        let kept: Vec<[&str; 3]> =
            manifests.iter().map(|object| identity(object, namespace)).collect();
        let pruned = state.stored.iter().filter(|object| {
            let [_, of, _] = identity(object, namespace);
            state.prune
                && last_applied(object).is_some()
                && kept.iter().any(|[_, own, _]| *own == of)
        });
        for object in state.manifests.iter().chain(pruned) {
            let [kind, of, name] = identity(object, namespace);
            let is_planned = self.changes.iter().any(|change| {
                [change.kind.as_str(), &change.namespace, &change.name] == [kind, of, name]
            });
            let makes_pods = kind == "Pod" || KINDS.contains(&kind);
            if !makes_pods || kept.contains(&[kind, of, name]) || is_planned {
                continue;
            }
            let pods = pods_of(kind, of, name, cluster);
            let names: Vec<PodName> = pods.iter().map(|pod| pod_name(*pod, cluster)).collect();
            into.add_existing(object, namespace, names.clone());
            self.rollouts.push(Rollout {
                change: self.changes.len(),
                strategy: Strategy::Delete,
                wanted: 0,
                old: names,
                more: Vec::new(),
                new: Vec::new(),
                one_by_one: false,
            });
            self.changes.push(WorkloadChange {
                before: pods.len(),
                ..WorkloadChange::of([kind, of, name], ChangeKind::Gone)
            });
        }
    }
}

fn is_unready(pod: PodIx, cluster: &Cluster) -> bool {
    cluster.pod(pod).readiness != Readiness::Ready
}
