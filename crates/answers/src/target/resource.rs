//! The resource types of arguments, with kubectl's names.

/// A kind that an argument can name.
#[derive(Debug)]
pub struct Resource {
    /// `Deployment`.
    pub(super) kind: &'static str,
    /// API group; empty for core.
    group: &'static str,
    pub singular: &'static str,
    /// The plural name, as in paths.
    pub(super) plural: &'static str,
    /// kubectl's short name, or one of the project; empty if there is none.
    short: &'static str,
    /// The versions that may be served, newest first.
    versions: &'static [&'static str],
}

/// The kinds that an argument can name: pods, their owners and their groups.
pub(super) const RESOURCES: [Resource; 13] = [
    resource("Pod", "", "pod", "pods", "po"),
    resource("Deployment", "apps", "deployment", "deployments", "deploy"),
    resource("ReplicaSet", "apps", "replicaset", "replicasets", "rs"),
    resource("StatefulSet", "apps", "statefulset", "statefulsets", "sts"),
    resource("DaemonSet", "apps", "daemonset", "daemonsets", "ds"),
    resource("ReplicationController", "", "replicationcontroller", "replicationcontrollers", "rc"),
    resource("Job", "batch", "job", "jobs", ""),
    resource("CronJob", "batch", "cronjob", "cronjobs", "cj"),
    Resource {
        versions: &["v1alpha1"],
        ..resource("Job", "batch.volcano.sh", "vcjob", "jobs", "vj")
    },
    Resource {
        versions: &["v1alpha2"],
        ..resource("JobSet", "jobset.x-k8s.io", "jobset", "jobsets", "")
    },
    Resource {
        versions: GROUPS,
        ..resource("PodGroup", "scheduling.k8s.io", "podgroup", "podgroups", "pg")
    },
    Resource {
        versions: COMPOSITES,
        ..resource(
            "CompositePodGroup",
            "scheduling.k8s.io",
            "compositepodgroup",
            "compositepodgroups",
            "",
        )
    },
    Resource {
        versions: WORKLOADS,
        ..resource("Workload", "scheduling.k8s.io", "workload", "workloads", "")
    },
];

const GROUPS: &[&str] = &["v1", "v1beta1", "v1alpha2"];
const COMPOSITES: &[&str] = &["v1", "v1beta1", "v1alpha3"];
const WORKLOADS: &[&str] = &["v1", "v1beta1", "v1alpha2", "v1alpha1"];

const fn resource(
    kind: &'static str,
    group: &'static str,
    singular: &'static str,
    plural: &'static str,
    short: &'static str,
) -> Resource {
    Resource { kind, group, singular, plural, short, versions: &["v1"] }
}

impl Resource {
    /// The name with its group, as in kubectl: `deployments.apps`.
    pub(super) fn full_name(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_owned()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// The list paths in a namespace, one for each version that may be served.
    pub fn paths(&self, namespace: &str) -> impl Iterator<Item = String> {
        self.versions.iter().map(move |version| {
            let api = if self.group.is_empty() {
                format!("/api/{version}")
            } else {
                format!("/apis/{}/{version}", self.group)
            };
            format!("{api}/namespaces/{namespace}/{}", self.plural)
        })
    }

    /// Whether `name`, in lower case, is a name of this kind.
    fn is_called(&self, name: &str) -> bool {
        let (name, group) = name.split_once('.').unwrap_or((name, ""));
        let long = name == self.singular || name == self.plural;
        if group.is_empty() {
            long || !name.is_empty() && name == self.short
        } else {
            long && group == self.group
        }
    }
}

/// The list of types in hints.
pub(super) const TYPES: &str =
    "pod, deploy, rs, sts, ds, rc, job, cronjob, jobset, podgroup, compositepodgroup or workload";

/// Types of kubectl that have no pods of their own, by the names that people write.
const WITHOUT_PODS: &[&str] = &[
    "all",
    "cm",
    "configmap",
    "configmaps",
    "crd",
    "ep",
    "endpoints",
    "ev",
    "event",
    "events",
    "hpa",
    "ing",
    "ingress",
    "ingresses",
    "netpol",
    "no",
    "node",
    "nodes",
    "ns",
    "namespace",
    "namespaces",
    "pc",
    "pdb",
    "pv",
    "persistentvolume",
    "persistentvolumes",
    "pvc",
    "persistentvolumeclaim",
    "persistentvolumeclaims",
    "quota",
    "sa",
    "sc",
    "secret",
    "secrets",
    "svc",
    "service",
    "services",
    "serviceaccount",
    "serviceaccounts",
];

/// Whether kubectl knows a type by this name that has no pods.
pub(super) fn is_without_pods(name: &str) -> bool {
    WITHOUT_PODS.contains(&name.to_lowercase().as_str())
}

/// The kind with this name.
pub fn find_resource(name: &str) -> Option<&'static Resource> {
    let name = name.to_lowercase();
    RESOURCES.iter().find(|resource| resource.is_called(&name))
}

pub fn resources() -> impl Iterator<Item = &'static Resource> {
    RESOURCES.iter()
}
