//! THE table of what the commands need. `doctor` asks for it, `deploy/rbac.yaml` grants it and docs/RBAC.md lists it; a test
//! holds them together.

use super::permission::Permission;
use engine::snapshot::{Kind, scheduler};

/// Something that can be done on a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ability {
    /// Every command that reads.
    Read,
    /// The scheduler's configuration out of a ConfigMap.
    SchedulerConfig,
    /// Evicting the victims of a plan.
    Evict,
    /// Events about what was done.
    Record,
    /// Deleting the victims of a plan, as kube-scheduler does.
    Delete,
    /// Reserving the room for the pod.
    Nominate,
    /// Showing what waits as it changes.
    Watch,
}

/// A set of permissions that is granted as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// For all that read.
    Reader,
    /// For who passes `--scheduler-configmap`.
    SchedulerConfig,
    /// For who evicts.
    Applier,
    /// For who acts as kube-scheduler does, past budgets.
    ApplierExtra,
}

/// How much hangs on a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Without it the ability is none.
    Essential,
    /// Without it something is missing.
    Counts,
}

/// One permission that an ability needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// For what.
    pub ability: Ability,
    /// What is asked for.
    pub permission: Permission,
    /// How much hangs on it.
    pub weight: Weight,
    /// What is lost without it.
    pub without: &'static str,
}

impl Ability {
    /// All of them, the most used first.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::SchedulerConfig, Self::Evict, Self::Record, Self::Delete, Self::Nominate, Self::Watch];

    /// The commands and flags that it is.
    #[must_use]
    pub const fn commands(self) -> &'static str {
        match self {
            Self::Read => "explain, pending, verify, snapshot, simulate",
            Self::SchedulerConfig => "--scheduler-configmap",
            Self::Evict => "simulate --apply",
            Self::Record => "simulate --apply --record",
            Self::Delete => "simulate --apply --mode=delete",
            Self::Nominate => "simulate --apply --nominate",
            Self::Watch => "pending --watch",
        }
    }

    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::SchedulerConfig => "SchedulerConfig",
            Self::Evict => "Evict",
            Self::Record => "Record",
            Self::Delete => "Delete",
            Self::Nominate => "Nominate",
            Self::Watch => "Watch",
        }
    }

    /// The role that grants it.
    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::Read | Self::Watch => Role::Reader,
            Self::SchedulerConfig => Role::SchedulerConfig,
            Self::Evict | Self::Record => Role::Applier,
            Self::Delete | Self::Nominate => Role::ApplierExtra,
        }
    }
}

impl Role {
    /// All of them, in the order of the manifest.
    pub const ALL: [Self; 4] = [Self::Reader, Self::Applier, Self::ApplierExtra, Self::SchedulerConfig];

    /// The name of its ClusterRole.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "kubectl-preempt-reader",
            Self::SchedulerConfig => "kubectl-preempt-scheduler-config",
            Self::Applier => "kubectl-preempt-applier",
            Self::ApplierExtra => "kubectl-preempt-applier-extra",
        }
    }

    /// Whom it is for, for the manifest and the documents.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Reader => "explain, pending, verify, snapshot, simulate and doctor. Reads, and nothing but reads.",
            Self::SchedulerConfig => {
                "--scheduler-configmap, where the scheduler's configuration is in a ConfigMap. Bind it in that namespace."
            }
            Self::Applier => {
                "simulate --apply: evicts pods, within their PodDisruptionBudgets. Bind it together with the reader."
            }
            Self::ApplierExtra => {
                "simulate --apply with --mode=delete or --nominate: what kube-scheduler does, PodDisruptionBudgets or not. \
                 Bind it together with the applier, to few."
            }
        }
    }

    /// The namespace where it is used, all if `None`; `victims` is where pods are to be evicted.
    #[must_use]
    pub const fn place(self, victims: Option<&str>) -> Option<&str> {
        match self {
            Self::Reader => None,
            Self::SchedulerConfig => Some(scheduler::NAMESPACE),
            Self::Applier | Self::ApplierExtra => victims,
        }
    }
}

const fn on(verb: &'static str, group: &'static str, resource: &'static str, subresource: &'static str) -> Permission {
    Permission { verb, group, resource, subresource }
}

const GET_PODS: Permission = on("get", "", "pods", "");
const WATCH_PODS: Permission = on("watch", "", "pods", "");
const WATCH_NODES: Permission = on("watch", "", "nodes", "");
const PATCH_STATUS: Permission = on("patch", "", "pods", "status");
const GET_CONFIG_MAPS: Permission = on("get", "", "configmaps", "");
const EVICT: Permission = on("create", "", "pods", "eviction");
const DELETE_PODS: Permission = on("delete", "", "pods", "");
const CREATE_EVENTS: Permission = on("create", "events.k8s.io", "events", "");

const NO_GET: &str = "whether a pod is gone cannot be seen, nor what became of a request without an answer";
const NO_WATCH: &str = "waiting asks every few seconds instead of watching";
const NO_NEWS: &str = "the cluster is read every few seconds instead of when something changes";

/// What is needed besides the lists of every kind.
const BESIDES: [(Ability, Permission, Weight, &str); 12] = {
    use Ability::{Delete, Evict, Nominate, Record, SchedulerConfig, Watch};
    use Weight::{Counts, Essential};
    [
        (SchedulerConfig, GET_CONFIG_MAPS, Essential, "the ConfigMap cannot be read; --scheduler-config takes a file"),
        (Evict, EVICT, Essential, "no pod can be evicted"),
        (Evict, GET_PODS, Essential, NO_GET),
        (Evict, WATCH_PODS, Counts, NO_WATCH),
        (Record, CREATE_EVENTS, Essential, "no Events are written about what was done"),
        (Delete, DELETE_PODS, Essential, "no pod can be deleted; evicting them is another permission"),
        (Delete, GET_PODS, Essential, NO_GET),
        (Delete, WATCH_PODS, Counts, NO_WATCH),
        (Delete, PATCH_STATUS, Counts, "victims get no DisruptionTarget condition, which Jobs act on"),
        (Nominate, PATCH_STATUS, Essential, "the room cannot be reserved for the pod"),
        (Watch, WATCH_PODS, Counts, NO_NEWS),
        (Watch, WATCH_NODES, Counts, NO_NEWS),
    ]
};

/// The whole table: what reading needs in the order in which a cluster is read, then the rest.
#[must_use]
pub fn all() -> Vec<Requirement> {
    let reads = Kind::ALL.into_iter().map(|kind| Requirement {
        ability: Ability::Read,
        permission: on("list", kind.group(), kind.plural(), ""),
        weight: if kind.is_essential() { Weight::Essential } else { Weight::Counts },
        without: without(kind),
    });
    let besides =
        BESIDES.map(|(ability, permission, weight, without)| Requirement { ability, permission, weight, without });
    reads.chain(besides).collect()
}

/// Every permission of the table once, and the namespace in which it is used; in all if `None`. `victims` is where pods are
/// to be evicted.
#[must_use]
pub fn questions(victims: Option<&str>) -> Vec<(Permission, Option<String>)> {
    let mut questions: Vec<(Permission, Option<String>)> = Vec::new();
    for Requirement { ability, permission, .. } in all() {
        if !questions.iter().any(|(asked, _)| *asked == permission) {
            let place = ability.role().place(victims);
            questions.push((permission, place.map(str::to_owned)));
        }
    }
    questions
}

/// What is lost where a kind cannot be listed.
const fn without(kind: Kind) -> &'static str {
    match kind {
        Kind::Node => "no decision: there is nowhere to place a pod",
        Kind::Pod => "no decision: what runs where is not known",
        Kind::PodDisruptionBudget => "violated budgets are not seen: other victims or another node may be chosen",
        Kind::PriorityClass => "names of priority classes are not resolved",
        Kind::Namespace => "namespace selectors of pod (anti-)affinity select nothing",
        Kind::DeviceClass | Kind::ResourceClaim | Kind::ResourceSlice | Kind::DeviceTaintRule => {
            "nothing is known of devices: pods with resource claims cannot be decided about"
        }
        Kind::StorageClass
        | Kind::CsiDriver
        | Kind::CsiNode
        | Kind::CsiStorageCapacity
        | Kind::VolumeAttachment
        | Kind::PersistentVolume
        | Kind::PersistentVolumeClaim => "pods with volumes cannot be decided about with certainty",
        Kind::Service | Kind::ReplicationController | Kind::StatefulSet => {
            "default spreading does not know which pods belong together: another node may score best"
        }
        Kind::ReplicaSet => {
            "deploy/NAME is found by name alone, and default spreading does not know which pods belong together"
        }
        Kind::LimitRange => "simulate -f does not apply the defaults of namespaces",
        Kind::Job => "cronjob/NAME is found by name alone",
    }
}
