//! Adds pods that do not exist yet to a cluster: those of manifests, and further replicas of an
//! existing owner.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::admission::{NotAdmitted, PodCharge, PodCharges, QuotaUse};
use super::document::RefusedPod;
use super::plan::PodId;
use super::remark::PlanRemark;
use super::rollout::PodName;
use super::workload::{
    ManifestWorkload, NameUse, foreign_remark, is_known_template, is_of_another_group, object_at,
    object_in,
};
use super::{admission, daemon};
use model::cluster::{Cluster, Pod, PodIx};
use model::notes::SettledBy;

/// The cluster-scoped kinds among those that a decision uses.
const WITHOUT_NAMESPACE: [&str; 11] = [
    "Node",
    "PriorityClass",
    "Namespace",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
    "CSIDriver",
    "VolumeAttachment",
    "DeviceClass",
    "ResourceSlice",
    "DeviceTaintRule",
];

/// Whether objects of this kind are namespaced. A kind that no decision uses is assumed to be.
pub fn has_namespace(kind: &str) -> bool {
    !WITHOUT_NAMESPACE.contains(&kind)
}

/// A pod of a manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPod {
    pub object: Value,
    /// The number of the manifest that creates it.
    pub document: usize,
    /// Whether its controller creates it only in the course of a rollout. No quota counts it: it takes
    /// the place of another pod.
    pub is_later: bool,
}

/// A DaemonSet, whose pods depend on the nodes.
#[derive(Debug, Clone, PartialEq)]
struct Daemon {
    manifest: Value,
    /// The namespace to use if the manifest names none.
    namespace: String,
    document: usize,
}

/// The objects of manifests, grouped by how they are added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HypotheticalPods {
    /// Pods before admission.
    pub pods: Vec<NewPod>,
    /// Manifests of `DaemonSet`s.
    daemons: Vec<Daemon>,
    /// Claims before admission.
    claims: Vec<Value>,
    /// Other objects, which are added to the cluster first.
    pub others: Vec<Value>,
    /// Pods that exist, and one as their template makes it: quotas count them like it.
    existing: Vec<(Vec<PodName>, Value)>,
    /// Remarks about them.
    pub remarks: Vec<PlanRemark>,
}

/// Pods and claims after admission, as the API server would store them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Admitted {
    pub pods: Vec<NewPod>,
    /// Pods that it would reject.
    pub refused: Vec<RefusedPod>,
    pub claims: Vec<Value>,
    /// What quotas count of them, and of pods that leave.
    pub charges: PodCharges,
    /// Remarks about them.
    pub remarks: Vec<PlanRemark>,
    /// What could not be applied to them, so that they may be others.
    pub open: Vec<String>,
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn is_named(object: &Value, namespace: &str, name: &str) -> bool {
    text(object, "/metadata/namespace") == namespace && text(object, "/metadata/name") == name
}

/// Adds the manifest with the number `document`. `namespace` is the default if the manifest names
/// none.
///
/// # Errors
/// What is wrong with the manifest.
pub fn of(
    manifest: &Value,
    document: usize,
    namespace: &str,
    replicas: Option<u32>,
    cluster: &Cluster,
    into: &mut HypotheticalPods,
) -> Result<(), String> {
    if is_of_another_group(manifest) && !is_known_template(manifest) {
        into.remarks.extend(foreign_remark(manifest).map(PlanRemark::from));
        into.others.push(manifest.clone());
        return Ok(());
    }
    let Some(workload) = ManifestWorkload::read(manifest, namespace)? else {
        into.join(manifest.clone(), namespace, cluster);
        return Ok(());
    };
    if workload.is_daemon() {
        if replicas.is_some() {
            return Err(format!(
                "DaemonSet {}: it creates a pod for each of its nodes, however many replicas are asked for",
                workload.name
            ));
        }
        let (manifest, namespace) = (manifest.clone(), namespace.to_owned());
        into.daemons.push(Daemon { manifest, namespace, document });
        return Ok(());
    }
    let joined = &into.pods;
    let taken = |namespace: &str, name: &str| {
        if joined.iter().any(|pod| is_named(&pod.object, namespace, name)) {
            return NameUse::Waits;
        }
        match cluster.find_pod(namespace, name).map(|pod| cluster.pod(pod)) {
            None => NameUse::No,
            Some(pod) if pod.is_waiting() => NameUse::Waits,
            Some(_) => NameUse::Runs,
        }
    };
    let made = workload.pods(replicas, &taken)?;
    for pod in made.pods {
        let (namespace, name) = (text(&pod, "/metadata/namespace"), text(&pod, "/metadata/name"));
        // If a pod is given twice, the later one is used.
        into.pods.retain(|earlier| !is_named(&earlier.object, namespace, name));
        into.pods.push(NewPod { object: pod, document, is_later: false });
    }
    made.others.into_iter().for_each(|object| into.join(object, &workload.namespace, cluster));
    into.remarks.extend(made.remarks);
    Ok(())
}

fn set_default_namespace(object: &mut Value, namespace: &str) {
    let Some(meta) = object_at(object, "metadata") else { return };
    let own = meta.entry("namespace").or_insert_with(|| namespace.into());
    if own.as_str().is_none_or(str::is_empty) {
        *own = namespace.into();
    }
}

fn has_budget(cluster: &Cluster, namespace: &str, name: &str) -> bool {
    let mut budgets = cluster.budgets.iter();
    budgets.any(|budget| *budget.name == *name && cluster.text(budget.namespace) == namespace)
}

fn has_claim(cluster: &Cluster, namespace: &str, name: &str) -> bool {
    let key = cluster.symbols.get(namespace).zip(cluster.symbols.get(name));
    key.is_some_and(|(namespace, name)| cluster.storage.claim(namespace, name).is_some())
}

fn has_volume(cluster: &Cluster, name: &str) -> bool {
    let name = cluster.symbols.get(name);
    name.is_some_and(|name| cluster.storage.volume(name).is_some())
}

impl HypotheticalPods {
    /// Adds an object that creates no pods. Fields that a controller sets are not in a manifest:
    /// they are guessed for a new object, and kept for one that is already in the cluster.
    pub(crate) fn join(&mut self, mut object: Value, namespace: &str, cluster: &Cluster) {
        let kind = text(&object, "/kind").to_owned();
        if has_namespace(&kind) {
            set_default_namespace(&mut object, namespace);
        }
        let (namespace, name) = (
            text(&object, "/metadata/namespace").to_owned(),
            text(&object, "/metadata/name").to_owned(),
        );
        match kind.as_str() {
            "PodDisruptionBudget" if object.pointer("/status/disruptionsAllowed").is_none() => {
                if has_budget(cluster, &namespace, &name) {
                    let text = format!(
                        "PodDisruptionBudget {namespace}/{name} already exists: that one is used"
                    );
                    self.remarks.push(text.into());
                    return;
                }
                let text = format!(
                    "PodDisruptionBudget {namespace}/{name} has no status yet: it counts as allowing no disruption"
                );
                self.remarks.push(PlanRemark::settled_by(text, SettledBy::AllowedDisruptions));
            }
            "PersistentVolumeClaim" => {
                if !has_claim(cluster, &namespace, &name) {
                    self.claims.push(object);
                }
                return;
            }
            "PersistentVolume" => {
                if has_volume(cluster, &name) {
                    return;
                }
                if object.pointer("/status/phase").is_none()
                    && object.pointer("/spec/claimRef").is_none_or(Value::is_null)
                {
                    object_at(&mut object, "status")
                        .map(|status| status.insert("phase".to_owned(), "Available".into()));
                }
            }
            "ResourceQuota" if object.pointer("/status/hard").is_none() => {
                let text = format!(
                    "ResourceQuota {namespace}/{name} has no status yet: what pods request that run in its namespace is counted, and not their limits"
                );
                self.remarks.push(text.into());
            }
            // Upstream: `pkg/apis/core/v1/defaults.go` `SetDefaults_Namespace` (1.37).
            "Namespace" => {
                if let Some(labels) =
                    object_at(&mut object, "metadata").and_then(|meta| object_in(meta, "labels"))
                {
                    labels.insert("kubernetes.io/metadata.name".to_owned(), json!(name));
                }
            }
            _ => {}
        }
        self.others.push(object);
    }

    /// Adds pods that exist, which the template of `object` has made.
    pub(crate) fn add_existing(&mut self, object: &Value, namespace: &str, names: Vec<PodName>) {
        let workload = ManifestWorkload::read(object, namespace).ok().flatten();
        let pod = match text(object, "/kind") {
            "Pod" => Some(object.clone()),
            _ => workload.and_then(|workload| workload.pod("").ok()),
        };
        self.existing.extend(pod.map(|pod| (names, pod)));
    }

    /// The pods and claims after admission by the API server of `cluster`, to which
    /// [`Self::others`] have been added.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn admit(mut self, cluster: &Cluster) -> Result<Admitted, String> {
        for Daemon { manifest, namespace, document } in &self.daemons {
            let Some(set) = ManifestWorkload::read(manifest, namespace)? else { continue };
            let made = daemon::pods(&set, cluster)?;
            let pods = made.pods.into_iter();
            self.pods.extend(pods.map(|object| NewPod {
                object,
                document: *document,
                is_later: false,
            }));
            self.remarks.extend(made.remarks);
        }
        let (mut remarks, mut open) = (self.remarks, Vec::new());
        let (mut pods, mut refused) = (Vec::new(), Vec::new());
        let (mut quotas, mut charges) = (QuotaUse::default(), PodCharges::new());
        for (names, mut pod) in self.existing {
            // They are there, even if the API server would refuse them now.
            admission::admit(&mut pod, cluster).ok();
            let charge = PodCharge::of(&pod, cluster);
            charges.extend(names.into_iter().map(|name| (name, charge.clone())));
        }
        for mut pod in self.pods {
            // Quotas count the pod as stored, so they are checked last.
            let admitted = admission::admit(&mut pod.object, cluster).and_then(|said| {
                if !pod.is_later {
                    quotas.admit(&pod.object, cluster).map_err(NotAdmitted::Refused)?;
                }
                Ok(said)
            });
            let said = match admitted {
                Ok(said) => said,
                Err(NotAdmitted::Invalid(problem)) => return Err(problem),
                Err(NotAdmitted::Refused(why)) => {
                    let namespace = text(&pod.object, "/metadata/namespace").to_owned();
                    let name = text(&pod.object, "/metadata/name").to_owned();
                    // The controller of a rollout tries in vain to make it.
                    if pod.is_later {
                        charges.insert((namespace, name), PodCharge::refused(why));
                        pods.push(pod);
                        continue;
                    }
                    let id = PodId { namespace, name, uid: String::new() };
                    refused.push(RefusedPod { pod: id, document: pod.document, why });
                    continue;
                }
            };
            said.told.into_iter().for_each(|text| add_once(&mut remarks, text.into()));
            said.open.into_iter().for_each(|text| add_once(&mut open, text));
            if !cluster.quotas.is_empty() {
                let name = ["/metadata/namespace", "/metadata/name"];
                let [namespace, name] = name.map(|path| text(&pod.object, path).to_owned());
                charges.insert((namespace, name), PodCharge::of(&pod.object, cluster));
            }
            pods.push(pod);
        }
        for claim in &mut self.claims {
            if let Some(text) = admission::admit_claim(claim, cluster) {
                add_once(&mut remarks, text.into());
            }
        }
        Ok(Admitted { pods, refused, claims: self.claims, charges, remarks, open })
    }
}

/// Adds what is not in the list yet: pods of one template have the same remarks.
fn add_once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// `number` further replicas of `pod`, as its owner `name` would create them.
pub fn replicas_of(
    pod: PodIx,
    name: &str,
    number: u32,
    cluster: &mut Cluster,
    now: Timestamp,
) -> Vec<Pod> {
    let model = cluster.pod(pod).clone();
    let namespace = cluster.text(model.namespace).to_owned();
    let names = (0u64..).map(|index| format!("{name}-{index}"));
    let free: Vec<String> = names
        .filter(|name| cluster.find_pod(&namespace, name).is_none())
        .take(number as usize)
        .collect();
    let of_a_set = model.controller.is_some_and(|owner| cluster.text(owner.kind) == "StatefulSet");
    free.into_iter()
        .map(|name| {
            let mut new = cluster.copy(pod, now);
            if of_a_set {
                // The names of its claims contain the name of the pod.
                let claims = model.claims.iter();
                new.claims = claims
                    .map(|c| cluster.claim_like(model.namespace, *c, &model.name, &name))
                    .collect();
            }
            new.name = name.into();
            new
        })
        .collect()
}

#[cfg(test)]
mod tests;
