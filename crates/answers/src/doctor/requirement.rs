//! The single table of the permissions that the commands need. `doctor` requests access reviews for
//! them, `deploy/rbac.yaml` grants them and docs/RBAC.md lists them; a test compares the three.

use engine::snapshot::controllers::KINDS;
use engine::snapshot::{BuiltIn, Extension, Kind, scheduler};

use super::access::Permission;

/// Something that the commands can do on a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ability {
    /// Every command that reads.
    Read,
    /// Reading the scheduler's configuration from a ConfigMap.
    SchedulerConfig,
    /// Evicting the victims of a plan.
    Evict,
    /// Writing Events about what was done.
    Record,
    /// Deleting the victims of a plan, as kube-scheduler does.
    Delete,
    /// Setting `status.nominatedNodeName` of the preemptor.
    Nominate,
    /// Keeping the input up to date, for `pending --watch` and the decisions before each eviction.
    Watch,
    /// Reading what happened to pods that were evicted.
    Events,
    /// Reading what autoscalers and queues say about pending pods.
    WhoActs,
    /// Reading the workloads whose pods are not created.
    Workloads,
    /// Reading the status of cluster-autoscaler from its ConfigMap.
    AutoscalerStatus,
    /// Reading the Leases of schedulers and controllers.
    Leases,
    /// Having the API server check manifests in dry runs.
    CheckManifests,
}

/// A ClusterRole: permissions that are granted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// For the commands that read.
    Reader,
    /// For `--scheduler-configmap`.
    SchedulerConfig,
    /// For evicting the victims of a plan.
    Applier,
    /// For deleting them as kube-scheduler does, without regard to disruption budgets.
    ApplierExtra,
    /// For `simulate -f --dry-run=server`.
    Checker,
}

/// How necessary a permission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Necessity {
    /// The ability does not work without it.
    Essential,
    /// The ability works without it, in part.
    Optional,
}

/// One permission that an ability needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionRequirement {
    pub ability: Ability,
    pub permission: Permission,
    pub weight: Necessity,
    /// What is lost without it.
    pub without: &'static str,
}

impl Ability {
    /// All abilities, the most used first.
    pub const ALL: [Self; 13] = [
        Self::Read,
        Self::SchedulerConfig,
        Self::Evict,
        Self::Record,
        Self::Delete,
        Self::Nominate,
        Self::Watch,
        Self::Events,
        Self::WhoActs,
        Self::Workloads,
        Self::AutoscalerStatus,
        Self::Leases,
        Self::CheckManifests,
    ];

    /// The abilities of which it needs one.
    pub const fn builds_on(self) -> &'static [Self] {
        match self {
            Self::Read | Self::SchedulerConfig => &[],
            // Options of evicting or deleting.
            Self::Record | Self::Nominate => &[Self::Evict, Self::Delete],
            Self::Evict
            | Self::Delete
            | Self::Watch
            | Self::Events
            | Self::WhoActs
            | Self::Workloads
            | Self::AutoscalerStatus
            | Self::Leases
            | Self::CheckManifests => &[Self::Read],
        }
    }

    /// The commands and flags that need it.
    pub const fn commands(self) -> &'static str {
        match self {
            Self::Read => {
                "explain, pending, verify, snapshot, simulate, node, audit, risk, headroom, suggest"
            }
            Self::SchedulerConfig => "--scheduler-configmap",
            Self::Evict => "simulate --apply",
            Self::Record => "simulate --apply --record",
            Self::Delete => "simulate --apply --mode=delete",
            Self::Nominate => "simulate --apply --nominate",
            Self::Watch => "pending --watch, simulate --apply",
            Self::Events => "why-evicted, node, explain podgroup",
            Self::WhoActs => "who acts next in explain, pending, simulate",
            Self::Workloads => "workloads without pods in explain, pending",
            Self::AutoscalerStatus => "what cluster-autoscaler can add",
            Self::Leases => "whether schedulers and controllers run",
            Self::CheckManifests => "simulate -f --dry-run=server",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::SchedulerConfig => "SchedulerConfig",
            Self::Evict => "Evict",
            Self::Record => "Record",
            Self::Delete => "Delete",
            Self::Nominate => "Nominate",
            Self::Watch => "Watch",
            Self::Events => "Events",
            Self::WhoActs => "WhoActs",
            Self::Workloads => "Workloads",
            Self::AutoscalerStatus => "AutoscalerStatus",
            Self::Leases => "Leases",
            Self::CheckManifests => "CheckManifests",
        }
    }

    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::Read | Self::Watch | Self::Events | Self::WhoActs | Self::Workloads => {
                Role::Reader
            }
            Self::SchedulerConfig | Self::AutoscalerStatus | Self::Leases => Role::SchedulerConfig,
            Self::Evict | Self::Record => Role::Applier,
            Self::Delete | Self::Nominate => Role::ApplierExtra,
            Self::CheckManifests => Role::Checker,
        }
    }
}

impl Role {
    /// All roles, in the order of the manifest.
    pub const ALL: [Self; 5] =
        [Self::Reader, Self::Applier, Self::ApplierExtra, Self::SchedulerConfig, Self::Checker];

    /// The name of its ClusterRole.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "kubectl-preempt-reader",
            Self::SchedulerConfig => "kubectl-preempt-scheduler-config",
            Self::Applier => "kubectl-preempt-applier",
            Self::ApplierExtra => "kubectl-preempt-applier-extra",
            Self::Checker => "kubectl-preempt-checker",
        }
    }

    /// The purpose of the role, for the manifest and the documentation.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Reader => {
                "explain, pending, verify, snapshot, simulate, node, audit, risk, headroom, suggest, why-evicted and doctor. Read-only."
            }
            Self::SchedulerConfig => {
                "--scheduler-configmap, where the scheduler's configuration is in a ConfigMap, the status of cluster-autoscaler, and whether schedulers run. Bind it in that namespace."
            }
            Self::Applier => {
                "simulate --apply: evicts pods, within their PodDisruptionBudgets. Bind it together with the reader."
            }
            Self::ApplierExtra => {
                "simulate --apply with --mode=delete or --nominate: removes pods as kube-scheduler does, which may violate \
                 PodDisruptionBudgets. Bind it together with the applier, to few users."
            }
            Self::Checker => {
                "simulate -f with --dry-run=server: has the API server check manifests. Kubernetes has no permission for dry runs \
                 alone: whoever has this one may change the objects, too."
            }
        }
    }

    /// The namespace in which its permissions are used (`None`: all). `victims` is the namespace in
    /// which pods are evicted.
    #[must_use]
    pub const fn namespace(self, victims: Option<&str>) -> Option<&str> {
        match self {
            Self::Reader => None,
            Self::SchedulerConfig => Some(scheduler::NAMESPACE),
            Self::Applier | Self::ApplierExtra | Self::Checker => victims,
        }
    }
}

const fn on(
    verb: &'static str,
    group: &'static str,
    resource: &'static str,
    subresource: &'static str,
) -> Permission {
    Permission { verb, group, resource, subresource }
}

const GET_PODS: Permission = on("get", "", "pods", "");
const WATCH_PODS: Permission = on("watch", "", "pods", "");
const PATCH_STATUS: Permission = on("patch", "", "pods", "status");
const GET_CONFIG_MAPS: Permission = on("get", "", "configmaps", "");
const LIST_LEASES: Permission = on("list", "coordination.k8s.io", "leases", "");
const EVICT: Permission = on("create", "", "pods", "eviction");
const DELETE_PODS: Permission = on("delete", "", "pods", "");
const CREATE_EVENTS: Permission = on("create", "events.k8s.io", "events", "");

const NO_GET: &str =
    "it is not known whether a pod is gone, or whether a request without an answer was carried out";
const NO_WATCH: &str = "waiting asks every few seconds instead of watching";
const NO_NEWS: &str =
    "it is listed every few seconds and before each eviction, instead of being watched";

/// The permissions other than listing and watching every kind.
const BESIDES: [(Ability, Permission, Necessity, &str); 12] = {
    use Ability::{AutoscalerStatus, Delete, Evict, Leases, Nominate, Record, SchedulerConfig};
    use Necessity::{Essential, Optional};
    [
        (
            SchedulerConfig,
            GET_CONFIG_MAPS,
            Essential,
            "the ConfigMap cannot be read; --scheduler-config takes a file",
        ),
        (
            AutoscalerStatus,
            GET_CONFIG_MAPS,
            Optional,
            "the sizes and limits of cluster-autoscaler's groups are not known",
        ),
        (
            Leases,
            LIST_LEASES,
            Optional,
            "whether anybody schedules a pod that no scheduler has looked at is known in part",
        ),
        (Evict, EVICT, Essential, "no pod can be evicted"),
        (Evict, GET_PODS, Essential, NO_GET),
        (Evict, WATCH_PODS, Optional, NO_WATCH),
        (Record, CREATE_EVENTS, Essential, "no Events are written about what was done"),
        (
            Delete,
            DELETE_PODS,
            Essential,
            "no pod can be deleted; evicting them is another permission",
        ),
        (Delete, GET_PODS, Essential, NO_GET),
        (Delete, WATCH_PODS, Optional, NO_WATCH),
        (
            Delete,
            PATCH_STATUS,
            Optional,
            "victims get no DisruptionTarget condition, which Jobs act on",
        ),
        (Nominate, PATCH_STATUS, Essential, "the room cannot be reserved for the pod"),
    ]
};

/// The resources of the objects that the API server checks; others can be checked, too.
const CHECKED: [(&str, &str); 8] = [
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
];

/// The whole table: listing every kind in the order in which a cluster is read, then the other
/// permissions, and watching every kind.
pub fn all() -> Vec<PermissionRequirement> {
    let reads = Kind::ALL.into_iter().map(|kind| PermissionRequirement {
        ability: match kind {
            _ if kind.is_custom() => Ability::WhoActs,
            Kind::Event => Ability::Events,
            _ => Ability::Read,
        },
        permission: on("list", kind.group(), kind.plural(), ""),
        weight: if kind.is_essential() { Necessity::Essential } else { Necessity::Optional },
        without: without(kind),
    });
    let besides = BESIDES.map(|(ability, permission, weight, without)| PermissionRequirement {
        ability,
        permission,
        weight,
        without,
    });
    let workloads = KINDS.into_iter().map(|kind| PermissionRequirement {
        ability: Ability::Workloads,
        permission: on("list", kind.group, kind.plural, ""),
        weight: Necessity::Optional,
        without: "why such a workload has no pods is not known",
    });
    let checks = CHECKED.into_iter().flat_map(|(group, resource)| {
        ["create", "patch"].map(|verb| PermissionRequirement {
            ability: Ability::CheckManifests,
            permission: on(verb, group, resource, ""),
            weight: Necessity::Optional,
            without: "the API server is not asked about such objects; a note says so",
        })
    });
    let watched = Kind::ALL.into_iter().filter(|kind| !kind.is_custom());
    let watches = watched.map(|kind| PermissionRequirement {
        ability: Ability::Watch,
        permission: on("watch", kind.group(), kind.plural(), ""),
        weight: Necessity::Optional,
        without: NO_NEWS,
    });
    reads.chain(workloads).chain(besides).chain(watches).chain(checks).collect()
}

/// Every permission of the table, deduplicated, and the namespace in which it is used (`None`:
/// all). `victims` is the namespace in which pods are evicted.
pub fn questions(victims: Option<&str>) -> Vec<(Permission, Option<String>)> {
    let mut questions: Vec<(Permission, Option<String>)> = Vec::new();
    for PermissionRequirement { ability, permission, .. } in all() {
        if !questions.iter().any(|(asked, _)| *asked == permission) {
            let namespace = ability.role().namespace(victims);
            questions.push((permission, namespace.map(str::to_owned)));
        }
    }
    questions
}

/// The consequence if a kind cannot be listed.
fn without(kind: Kind) -> &'static str {
    let Some(built_in) = kind.built_in() else {
        return match kind.extension() {
            Some(Extension::Karpenter) => "whether Karpenter makes a node for a pod is not known",
            Some(Extension::ClusterAutoscaler) => {
                "whether cluster-autoscaler can add a node is known in part"
            }
            Some(Extension::Handler) | None => {
                "what a pod waits for that another program holds is known in part"
            }
        };
    };
    match built_in {
        BuiltIn::Node => "no answer: the nodes are not known",
        BuiltIn::Pod => "no answer: the pods on each node are not known",
        BuiltIn::PodDisruptionBudget => {
            "violated budgets are not seen: other victims or another node may be chosen"
        }
        BuiltIn::PriorityClass => "names of priority classes are not resolved",
        BuiltIn::Namespace => "namespace selectors of pod (anti-)affinity select nothing",
        BuiltIn::DeviceClass
        | BuiltIn::ResourceClaim
        | BuiltIn::ResourceSlice
        | BuiltIn::DeviceTaintRule => {
            "devices are not known: no certain answer about pods with resource claims"
        }
        BuiltIn::StorageClass
        | BuiltIn::CsiDriver
        | BuiltIn::CsiNode
        | BuiltIn::CsiStorageCapacity
        | BuiltIn::VolumeAttachment
        | BuiltIn::PersistentVolume
        | BuiltIn::PersistentVolumeClaim => "no certain answer about pods with volumes",
        BuiltIn::Service | BuiltIn::ReplicationController | BuiltIn::StatefulSet => {
            "default spreading does not know which pods belong together: another node may score best"
        }
        BuiltIn::ReplicaSet => {
            "deploy/NAME is found by name alone, and default spreading does not know which pods belong together"
        }
        BuiltIn::PodGroup => "whether groups of pods are scheduled as a whole is not known",
        BuiltIn::Workload => {
            "whether kube-scheduler 1.35 holds pods of Workloads is not known, and of later versions no PodGroup is missed that was not made"
        }
        BuiltIn::CompositePodGroup => {
            "no certain answer about groups that belong to groups of groups"
        }
        BuiltIn::Event => "only conditions and the pods that are left tell why a pod was evicted",
        BuiltIn::LimitRange => {
            "simulate -f does not apply the defaults of namespaces, and refuses no pod for their limits"
        }
        BuiltIn::ResourceQuota => {
            "simulate -f does not see which pods a quota refuses, and workloads without pods show the amounts of their Events"
        }
        BuiltIn::Job => {
            "cronjob/NAME is found by name alone, and suspended and failed Jobs do not tell why pods of a group are missing"
        }
    }
}
