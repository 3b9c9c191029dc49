//! What autoscalers do about a pod for which kube-scheduler has no node: a value that a report
//! fills in. kube-scheduler always decides first, and without it.

/// An autoscaler that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAutoscaler {
    pub kind: AutoscalerKind,
    /// Its version according to its image.
    pub version: Option<String>,
    /// How old its last sign of life is, in seconds.
    pub status_age: Option<i64>,
    /// What stops it from acting for any pod.
    pub stalled: Option<Stalled>,
}

/// A program that adds nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AutoscalerKind {
    ClusterAutoscaler,
    Karpenter,
    /// Karpenter as EKS runs it.
    EksAutoMode,
    /// Karpenter as AKS runs it.
    AksNodeAutoProvisioning,
    /// CAST AI, of which only its pods are known here.
    CastAi,
    /// Spot Ocean, of which only its pods are known here.
    SpotOcean,
}

/// Why an autoscaler acts for no pod at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stalled {
    /// It has not written its status for longer than it should.
    Silent,
    /// None of its pods is Ready; the first of them.
    NotReady(String),
    Starting,
    /// Too many nodes are not ready.
    Unhealthy,
    /// Its status cannot be read.
    BrokenStatus(String),
    /// The cluster has reached its maximum number of nodes.
    MaxNodes(i64),
    /// It has no pool that can grow.
    NoPool,
}

/// What autoscalers will do for a pod that needs a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoscalingVerdict {
    /// A node is on its way for the pod.
    Coming,
    /// An autoscaler tried, and failed.
    Failed,
    /// An autoscaler counts on a node that is there, on which the pod does not fit.
    CountsOnNode,
    /// Every autoscaler has answered that it adds no node.
    Refused,
    /// No autoscaler looks at the pod.
    NotLooking,
    /// None has answered, and a new node like an existing one would take the pod.
    WouldCome,
    /// None has answered, and a group or pool may be able to grow for the pod.
    MayCome,
    /// No group or pool can grow for it.
    Cannot,
    /// The input does not show it.
    Unknown,
}

impl AutoscalingVerdict {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Coming => "coming",
            Self::Failed => "failed",
            Self::CountsOnNode => "countsOnNode",
            Self::Refused => "refused",
            Self::NotLooking => "notLooking",
            Self::WouldCome => "wouldCome",
            Self::MayCome => "mayCome",
            Self::Cannot => "cannot",
            Self::Unknown => "unknown",
        }
    }

    /// Who acts next for a pod that kube-scheduler does not place. An autoscaler that has failed
    /// tries again: Karpenter at once, cluster-autoscaler once its backoff is over.
    const fn actor(self) -> NextActor {
        match self {
            Self::Coming | Self::WouldCome | Self::MayCome | Self::Failed => NextActor::Autoscaler,
            Self::CountsOnNode | Self::Refused | Self::NotLooking | Self::Cannot => {
                NextActor::NoOne
            }
            Self::Unknown => NextActor::NotKnown,
        }
    }

    /// Whether an autoscaler adds a node for the pod, or would add one like an existing node, which
    /// takes it. A group or pool that merely may get a node is not enough: what its nodes are like
    /// is not known.
    pub const fn adds_node(self) -> bool {
        matches!(self, Self::Coming | Self::WouldCome)
    }

    /// Whether an autoscaler adds or may add a node for the pod.
    pub const fn may_add_node(self) -> bool {
        matches!(self, Self::Coming | Self::WouldCome | Self::MayCome)
    }
}

/// Who acts next for a pod that kube-scheduler does not place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextActor {
    Autoscaler,
    NoOne,
    NotKnown,
}

impl NextActor {
    /// As tables and JSON have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Autoscaler => "autoscaler",
            Self::NoOne => "nobody",
            Self::NotKnown => "not known",
        }
    }
}

/// What autoscalers will do, and whether anybody acts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextStep {
    pub verdict: AutoscalingVerdict,
    pub actor: NextActor,
}

impl NextStep {
    /// Autoscalers do not look at the pod.
    pub(super) const NOT_LOOKING: Self =
        Self { verdict: AutoscalingVerdict::NotLooking, actor: NextActor::NoOne };

    /// The step for pods that all need a node, from those for each: nodes that come for some of them
    /// alone do not help.
    pub(super) fn of_all(steps: impl IntoIterator<Item = Self>) -> Option<Self> {
        steps.into_iter().max_by_key(|step| match step.verdict {
            AutoscalingVerdict::Coming => 0,
            AutoscalingVerdict::WouldCome => 1,
            AutoscalingVerdict::MayCome => 2,
            AutoscalingVerdict::Unknown => 3,
            AutoscalingVerdict::NotLooking => 4,
            AutoscalingVerdict::Refused => 5,
            AutoscalingVerdict::CountsOnNode => 6,
            AutoscalingVerdict::Failed => 7,
            AutoscalingVerdict::Cannot => 8,
        })
    }
}

/// What autoscalers do about a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoscalingOutlook {
    /// The autoscalers that were found.
    pub found: Vec<FoundAutoscaler>,
    /// What they will do.
    pub verdict: AutoscalingVerdict,
    /// Why each autoscaler that ignores the pod does so.
    pub excluded: Vec<Exclusion>,
    /// Their answers, newest first.
    pub answers: Vec<AutoscalerAnswer>,
    /// What each group and pool can do, in the order in which they are tried.
    pub pools: Vec<PoolAnswer>,
    /// The node that is on its way.
    pub coming: Option<ComingNode>,
    /// Why a node that an autoscaler tried to add does not come.
    pub failure: Option<String>,
    /// A node that an autoscaler has meant for the pod, and that does not take it.
    pub arrived: Option<ArrivedNode>,
    /// A node on which the pod of another scheduler fits by kube-scheduler's filters, as an
    /// autoscaler will find.
    pub fits_on: Option<String>,
    /// Where an autoscaler's answer is another one than what is concluded from the cluster. The
    /// answer counts.
    pub contradictions: Vec<Contradiction>,
    /// What would let a node come.
    pub remedies: Vec<PoolRemedy>,
    /// For how many seconds the pod has been marked unschedulable; `None` if it is not.
    pub marked_for: Option<i64>,
    /// Kinds that could not be read although the answer depends on them.
    pub unread: Vec<String>,
    /// Buffers whose capacity any pod may take, as namespace and name.
    pub buffers: Vec<String>,
    /// `NodeOverlays` that give nodes a resource which the pod requests. To which sizes these apply,
    /// the cloud alone knows.
    pub overlays: Vec<String>,
}

/// An autoscaler that ignores a pod, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    pub by: AutoscalerKind,
    pub cause: ExclusionCause,
}

/// Why an autoscaler ignores a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExclusionCause {
    /// kube-scheduler places it.
    Placed,
    /// It is nominated, or will be: preemption frees a node for it.
    Nominated,
    /// It is nominated to a node that does not exist, or where it does not fit and no pod is
    /// leaving.
    StuckNomination(String),
    /// It is not marked unschedulable yet.
    NotMarked,
    /// It has scheduling gates.
    Gated,
    /// It is being deleted.
    Deleting,
    /// Its priority is below the cutoff.
    Expendable(i64),
    /// A DaemonSet controls it.
    DaemonSet,
    /// It is a static pod.
    Mirror,
    /// Its `schedulerName` is not one that the autoscaler acts for.
    Scheduler(String),
    /// It is younger than the autoscaler's delay, in seconds.
    TooYoung(i64),
    /// It does not ask for a Karpenter node.
    OptsOut,
    /// It selects nodes by name.
    NodeByName,
    /// A claim for a volume keeps it from every new node: what is wrong with it.
    Volume(String),
    /// It has resource claims, which the autoscaler does not support.
    Claims,
    /// It uses the nodes of a `ProvisioningRequest`.
    LeftToRequest {
        /// Namespace and name.
        request: String,
        /// Its state.
        state: RequestState,
    },
}

/// The state of a `ProvisioningRequest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestState {
    /// It does not exist.
    Missing,
    /// It may exist: such objects were not read.
    NotRead,
    /// Nothing has been said about it.
    Waiting,
    /// It is accepted; its nodes are not there yet.
    Accepted,
    /// Its nodes exist and are reserved for its pods.
    Provisioned,
    /// Its nodes exist but are no longer reserved for its pods.
    Expired,
    /// Its nodes have been taken away.
    Revoked,
    /// It has failed: the reason.
    Failed(String),
}

impl RequestState {
    /// The state as a clause about the request, to follow a comma.
    pub fn clause(&self) -> String {
        match self {
            Self::Missing => "which does not exist".to_owned(),
            Self::NotRead => "which was not read".to_owned(),
            Self::Waiting => "which is not accepted yet".to_owned(),
            Self::Accepted => "which is accepted and has no nodes yet".to_owned(),
            Self::Provisioned => "whose nodes are there".to_owned(),
            Self::Expired => "whose booking has expired".to_owned(),
            Self::Revoked => "whose capacity was revoked".to_owned(),
            Self::Failed(reason) => format!("which failed ({reason})"),
        }
    }
}

impl ExclusionCause {
    /// The cause as a clause about the pod.
    pub fn clause(&self) -> String {
        match self {
            Self::Placed => "kube-scheduler places it".to_owned(),
            Self::Nominated => "it is nominated".to_owned(),
            Self::StuckNomination(node) => format!("nominatedNodeName={node} is set"),
            Self::NotMarked => "it is not marked Unschedulable".to_owned(),
            Self::Gated => "it has scheduling gates".to_owned(),
            Self::Deleting => "it is being deleted".to_owned(),
            Self::Expendable(cutoff) => {
                format!("its priority is below {cutoff}, so it is expendable")
            }
            Self::DaemonSet => "a DaemonSet controls it".to_owned(),
            Self::Mirror => "it is a static pod".to_owned(),
            Self::Scheduler(name) => format!("it does not act for scheduler {name}"),
            Self::TooYoung(delay) => format!("it waits {delay}s before it acts for a new pod"),
            Self::OptsOut => "it asks for no node of Karpenter".to_owned(),
            Self::NodeByName => "it selects nodes by name (matchFields)".to_owned(),
            Self::Volume(fault) => fault.clone(),
            Self::Claims => "it has resource claims".to_owned(),
            Self::LeftToRequest { request, state } => {
                format!("it is for the nodes of ProvisioningRequest {request}, {}", state.clause())
            }
        }
    }

    /// Whether the cause ends soon without action.
    pub const fn passes(&self) -> bool {
        matches!(self, Self::NotMarked | Self::TooYoung(_))
    }
}

/// An answer of an autoscaler that is not what is concluded from the cluster: it knows more, such as
/// flags and sizes that the cluster does not show, or something has changed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Whose answer.
    pub by: AutoscalerKind,
    /// The Event's reason.
    pub reason: String,
    /// How many seconds ago it was given.
    pub age: Option<i64>,
    pub concluded: Conclusion,
}

/// What is concluded from the cluster about a pod's wish for a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// The autoscaler does not look at the pod.
    Passes(ExclusionCause),
    /// A node like an existing one takes the pod.
    WouldTake {
        /// The group or pool.
        pool: String,
        node: String,
    },
    /// The group or pool cannot get a node for the pod.
    CannotTake {
        /// The group or pool.
        pool: String,
        /// Why.
        cause: GrowthObstacle,
    },
}

impl Contradiction {
    /// The conclusion, as a clause to follow `although`.
    pub fn clause(&self) -> String {
        match &self.concluded {
            Conclusion::Passes(cause) => cause.clause(),
            Conclusion::WouldTake { pool, node } => {
                let pool = self.by.pool_text(pool);
                format!("a node like {node} of {pool} would take the pod")
            }
            Conclusion::CannotTake { pool, cause } => {
                let pool = self.by.pool_text(pool);
                format!("{pool} cannot get a node for it: {}", cause.clause())
            }
        }
    }
}

/// An answer of an autoscaler, from an Event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoscalerAnswer {
    /// The autoscaler that gave it.
    pub by: AutoscalerKind,
    /// The Event's reason.
    pub reason: String,
    /// The Event's text, which the cluster wrote.
    pub text: String,
    /// How many seconds ago it was given.
    pub age: Option<i64>,
    /// Whether it was given before the pod was last marked unschedulable, or before its groups came
    /// into another state.
    pub is_stale: bool,
    /// Its content.
    pub says: Says,
}

/// The content of an autoscaler's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// These groups grow.
    Grows(Vec<Growth>),
    /// The pod should get this claim or node.
    Nominated {
        /// The claim, if it is named.
        claim: Option<String>,
        /// The node, if it is named.
        node: Option<String>,
    },
    /// It adds no node, for these causes.
    Refuses(Vec<AutoscalerRefusal>),
    /// It tried and failed, for these causes.
    Failed(Vec<String>),
    /// It leaves the pod to a `ProvisioningRequest`.
    LeftToRequest(String),
    /// A text that is not known here.
    Unknown,
}

/// A group that grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    pub group: String,
    /// Its size before.
    pub from: i64,
    /// Its size afterwards.
    pub to: i64,
    /// Its maximum size.
    pub max: Option<i64>,
}

/// One cause of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoscalerRefusal {
    /// The number of groups it applies to, if the answer counts them.
    pub groups: Option<u64>,
    /// The pool, if it is named.
    pub pool: Option<String>,
    /// The cause, in the autoscaler's words.
    pub cause: String,
}

/// What a group or pool can do for a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolAnswer {
    pub name: String,
    /// The autoscaler that it belongs to.
    pub of: AutoscalerKind,
    /// Whether it can grow.
    pub can: Can,
    /// Why it cannot, or what is uncertain.
    pub causes: Vec<GrowthObstacle>,
    /// An existing node that a new one would resemble, and which would take the pod.
    pub precedent: Option<String>,
}

/// Whether a group or pool can get a node that takes the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Can {
    /// A new node like an existing one takes the pod.
    Would,
    /// Labels, taints and limits allow it; only the cloud knows the sizes.
    May,
    /// Nothing shows what a new node of it is like.
    NotKnown,
    /// What is left below its limit is less than the smallest node that it has had.
    AtLimit,
    /// It cannot.
    No,
}

impl Can {
    /// Whether a node that takes the pod would or may come.
    pub const fn is_hopeful(self) -> bool {
        matches!(self, Self::Would | Self::May)
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Would => "would",
            Self::May => "may",
            Self::NotKnown => "notKnown",
            Self::AtLimit => "limit",
            Self::No => "no",
        }
    }
}

/// Why a group or pool cannot grow for a pod, or what is uncertain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrowthObstacle {
    /// The pool has a fixed number of nodes.
    Static,
    /// It is being deleted.
    Terminating,
    /// It is not ready: the reason of its condition.
    NotReady(String),
    /// It has reached its maximum number of nodes.
    NodesLimit {
        /// The maximum.
        limit: String,
    },
    /// Its nodes use up its limit of a resource.
    UsedUp {
        resource: String,
        limit: String,
        /// The sum over its nodes.
        used: String,
    },
    /// What is left below the limit is less than its smallest node so far provides.
    TooLittleLeft {
        resource: String,
        limit: String,
        /// The sum over its nodes.
        used: String,
        /// What the smallest node provides.
        smallest: String,
    },
    /// A taint that the pod does not tolerate.
    Taint(String),
    /// The pod and the pool require different values of a label.
    Requirement {
        /// The label.
        key: String,
        /// What the pod requires.
        pod: String,
        /// What the pool offers.
        pool: String,
    },
    /// The pod requires a label that the pool does not set.
    NoSuchLabel(String),
    /// The pod requires a label that the pool does not name, but its provider may set.
    ProviderLabel(String),
    /// Fewer values are left than the pool's `minValues`.
    MinValues(String),
    /// The pool wants several values of this label among the instance types that are left.
    MinValuesOfTypes(String),
    /// The cloud had no instance for the pool's last claim.
    NoCapacity {
        claim: String,
        /// The Event's reason.
        reason: String,
        /// How many seconds ago.
        age: i64,
    },
    /// The pod has resource claims, for which only some settings add a node.
    ResourceClaims,
    /// A volume claim of the pod keeps it from every node.
    Volume(String),
    /// Nodes are on their way, and what they have is not known.
    Underway(i64),
    /// Nodes are on their way that would take the pod, unless other pods come first.
    Shared(i64),
    /// The pool has limits, and nodes for other pods may use up what is left of them.
    SharedLimit,
    /// Nodes are missing that cluster-autoscaler has not asked for since it started.
    Unrequested(i64),
    /// It has no ready node to judge by.
    NoNode,
    /// The cluster has DaemonSets, and the node that a new one is like has none of their pods.
    NoDaemons(String),
    /// A starting node has a taint that new nodes may lose.
    StartupTaint { node: String, taint: String },
    /// A new node, as its annotations describe it, would reject the pod, for these reasons.
    TemplateRejects { cpu: String, reasons: Vec<String> },
    /// A requirement of the pool has an operator that is not known here.
    UnknownOperator(String),
    /// The group is at its maximum.
    Full {
        size: i64,
        /// Its maximum.
        max: i64,
    },
    /// The group is in backoff after a failed attempt.
    Backoff {
        /// The code of the failure.
        code: String,
        /// Its text.
        message: String,
    },
    /// The group is unhealthy and does not grow.
    Unhealthy,
    /// The cluster has reached its maximum number of nodes.
    MaxNodes(i64),
    /// A quota allows no more nodes.
    Quota {
        /// The quota.
        name: String,
        resource: String,
        limit: String,
        /// The amount in use.
        used: String,
    },
    /// All nodes together have as much of a resource as a flag allows.
    Total {
        resource: &'static str,
        limit: String,
        /// The amount in use.
        used: String,
    },
    /// A node like this one would reject the pod, for these reasons.
    Rejects {
        node: String,
        /// The reasons, in kube-scheduler's words.
        reasons: Vec<String>,
    },
    /// Not tried: another pod may take the new node first, or trials ran out.
    NotTried,
}

impl GrowthObstacle {
    /// The cause as a clause about the group or pool.
    pub fn clause(&self) -> String {
        match self {
            Self::Static => "has a fixed number of nodes".to_owned(),
            Self::Terminating => "is being deleted".to_owned(),
            Self::NotReady(reason) if reason.is_empty() => "is not ready".to_owned(),
            Self::NotReady(reason) => format!("is not ready ({reason})"),
            Self::NodesLimit { limit } => format!("has all of its {limit} nodes"),
            Self::UsedUp { resource, limit, used } => {
                format!("limit {resource} {limit}, {used} used")
            }
            Self::TooLittleLeft { resource, limit, used, smallest } => {
                format!(
                    "limit {resource} {limit}, {used} used; its smallest node so far has {smallest}"
                )
            }
            Self::Taint(taint) => format!("taint {taint}"),
            Self::Requirement { key, pod, pool } => {
                format!("{key}: the pod wants {pod}, the pool gives {pool}")
            }
            Self::NoSuchLabel(key) => format!("gives no label {key}"),
            Self::ProviderLabel(key) => format!("its provider may give label {key}"),
            Self::MinValues(key) => format!("the pod leaves too few values of {key} (minValues)"),
            Self::MinValuesOfTypes(key) => {
                format!(
                    "it wants several values of {key} (minValues); which the cloud has is not known"
                )
            }
            Self::NoCapacity { claim, reason, age } => {
                format!("{reason} for nodeclaim/{claim} {} ago", seconds(*age))
            }
            Self::ResourceClaims => {
                "the pod has resource claims, for which a node comes with some settings only"
                    .to_owned()
            }
            Self::Volume(fault) => fault.clone(),
            Self::Underway(1) => "1 node is on its way; what it has is not known".to_owned(),
            Self::Underway(n) => format!("{n} nodes are on their way; what they have is not known"),
            Self::Shared(1) => "1 node is on its way, which other pods may fill".to_owned(),
            Self::Shared(n) => format!("{n} nodes are on their way, which other pods may fill"),
            Self::SharedLimit => {
                "other pods that wait may use up what is left of its limits".to_owned()
            }
            Self::Unrequested(n) => {
                format!("its target is {n} above its nodes, and no scale-up of it is under way")
            }
            Self::NoNode => {
                "no ready node here is known to be of it, so what a new one is like is not shown"
                    .to_owned()
            }
            Self::NoDaemons(node) => {
                format!("{node} has no pods of DaemonSets, which take some room of a new node")
            }
            Self::StartupTaint { node, taint } => {
                format!("{node} has taint {taint}, which counts unless --startup-taint names it")
            }
            Self::TemplateRejects { cpu, reasons } => {
                let reasons = reasons.join(", ");
                format!("a new node of {cpu} cpu, by its annotations, would reject it: {reasons}")
            }
            Self::UnknownOperator(key) => {
                format!("its requirement on {key} has an operator that is not known")
            }
            Self::Full { size, max } => format!("at its maximum ({size} of {max})"),
            Self::Backoff { code, message } if code.is_empty() && message.is_empty() => {
                "waits after a failed scale-up".to_owned()
            }
            Self::Backoff { code, message } if message.is_empty() => {
                format!("waits after a failed scale-up ({code})")
            }
            Self::Backoff { code, message } => {
                format!("waits after a failed scale-up ({code}: {message})")
            }
            Self::Unhealthy => "is not ready for scale-up".to_owned(),
            Self::MaxNodes(max) => format!("the cluster has all of its {max} nodes"),
            Self::Quota { name, resource, limit, used } => {
                format!(
                    "CapacityQuota {name} allows no further node ({resource} {used} of {limit})"
                )
            }
            Self::Total { resource, limit, used } => {
                let flag = total_flag(resource);
                format!("--{flag} allows no further node ({resource} {used} of {limit})")
            }
            Self::Rejects { node, reasons } => {
                format!("a node like {node} would reject it: {}", reasons.join(", "))
            }
            Self::NotTried => "not tried".to_owned(),
        }
    }
}

/// The flag of cluster-autoscaler that limits a resource of all nodes together.
pub(super) fn total_flag(resource: &str) -> &'static str {
    if resource == "cpu" { "cores-total" } else { "memory-total" }
}

/// A node that is on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComingNode {
    /// The autoscaler that creates it.
    pub by: AutoscalerKind,
    /// Its claim, node or group: `nodeclaim/general-x7k`, `group asg-a 3→4`.
    pub what: String,
    /// The pool, if it is known.
    pub pool: Option<String>,
    /// Its progress, as a clause: `registered 20s ago, waits for taint …`.
    pub state: String,
}

/// A node that an autoscaler has meant for the pod, and that does not take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrivedNode {
    pub by: AutoscalerKind,
    pub node: String,
    /// Why the pod does not fit there, in kube-scheduler's words.
    pub reasons: Vec<String>,
    /// Whether it came for the pod, so that another one may come; else the autoscaler counts on a
    /// node that was there before.
    pub is_new: bool,
}

/// What would let a group or pool grow for the pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolRemedy {
    /// The group or pool.
    pub pool: String,
    /// What to do.
    pub summary: String,
    /// Whether it was tried with a copy of an existing node, which then takes the pod.
    pub is_tried: bool,
}

impl AutoscalerKind {
    pub const ALL: [Self; 6] = [
        Self::ClusterAutoscaler,
        Self::Karpenter,
        Self::EksAutoMode,
        Self::AksNodeAutoProvisioning,
        Self::CastAi,
        Self::SpotOcean,
    ];

    /// How the names of its pods begin, if it is known by them alone.
    pub const fn pod_prefixes(self) -> &'static [&'static str] {
        match self {
            Self::CastAi => &["castai-cluster-controller-", "castai-agent-"],
            Self::SpotOcean => &[
                "spotinst-kubernetes-cluster-controller-",
                "ocean-controller-",
                "ocean-kubernetes-controller-",
            ],
            _ => &[],
        }
    }

    /// How the names of its own pods begin where it runs in the cluster.
    pub(super) const fn program(self) -> Option<&'static str> {
        match self {
            Self::ClusterAutoscaler => Some("cluster-autoscaler-"),
            Self::Karpenter => Some("karpenter-"),
            Self::EksAutoMode | Self::AksNodeAutoProvisioning | Self::CastAi | Self::SpotOcean => {
                None
            }
        }
    }

    /// The name under which it writes Events; `None` if it has none of its own.
    pub const fn event_component(self) -> Option<&'static str> {
        match self {
            Self::ClusterAutoscaler => Some("cluster-autoscaler"),
            Self::Karpenter => Some("karpenter"),
            Self::EksAutoMode => Some("eks-auto-mode/compute"),
            Self::AksNodeAutoProvisioning | Self::CastAi | Self::SpotOcean => None,
        }
    }

    /// The API group of the classes of its pools, where a cloud runs it.
    pub const fn class_group(self) -> Option<&'static str> {
        match self {
            Self::ClusterAutoscaler | Self::Karpenter | Self::CastAi | Self::SpotOcean => None,
            Self::EksAutoMode => Some("eks.amazonaws.com"),
            Self::AksNodeAutoProvisioning => Some("karpenter.azure.com"),
        }
    }

    /// Whether Events under its name are those of `kind`: AKS writes under Karpenter's name.
    pub fn writes_for(self, kind: Self) -> bool {
        self == kind || self == Self::Karpenter && kind == Self::AksNodeAutoProvisioning
    }

    /// Its name for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::ClusterAutoscaler => "cluster-autoscaler",
            Self::Karpenter => "Karpenter",
            Self::EksAutoMode => "EKS Auto Mode",
            Self::AksNodeAutoProvisioning => "AKS node auto-provisioning",
            Self::CastAi => "CAST AI",
            Self::SpotOcean => "Spot Ocean",
        }
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClusterAutoscaler => "cluster-autoscaler",
            Self::Karpenter => "karpenter",
            Self::EksAutoMode => "eks-auto-mode",
            Self::AksNodeAutoProvisioning => "aks-nap",
            Self::CastAi => "cast-ai",
            Self::SpotOcean => "spot-ocean",
        }
    }

    /// One of its groups or pools, by its noun and the name that people know.
    pub fn pool_text(self, name: &str) -> String {
        format!("{} {}", self.pool_noun(), known_name(name))
    }

    /// Its word for a set of alike nodes.
    pub const fn pool_noun(self) -> &'static str {
        match self {
            Self::ClusterAutoscaler => "group",
            _ => "NodePool",
        }
    }
}

/// The familiar name of a group or pool: for GKE's groups, the end of their URL.
pub fn known_name(name: &str) -> &str {
    match name.rsplit_once('/') {
        Some((before, last)) if before.starts_with("https://") && !last.is_empty() => last,
        _ => name,
    }
}

impl AutoscalingOutlook {
    /// The names of the autoscalers that were found, joined by `and`.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.found.iter().map(|autoscaler| autoscaler.kind.text()).collect();
        names.join(" and ")
    }

    /// Whether an autoscaler looks at the pod and has not answered that it adds no node.
    pub fn may_act(&self, kind: AutoscalerKind) -> bool {
        let newest = self.fresh().find(|answer| answer.by.writes_for(kind));
        let has_refused = newest.is_some_and(|answer| matches!(answer.says, Says::Refuses(_)));
        !has_refused && !self.excluded.iter().any(|one| one.by == kind && !one.cause.passes())
    }

    /// Whether what they will do is concluded from the cluster alone, and no Event says it.
    pub(super) fn is_concluded(&self) -> bool {
        let is_so = matches!(
            self.verdict,
            AutoscalingVerdict::WouldCome
                | AutoscalingVerdict::MayCome
                | AutoscalingVerdict::Coming
                | AutoscalingVerdict::Cannot
        );
        is_so && self.fresh().next().is_none()
    }

    /// Whether a group or pool of an autoscaler that may still act may get a node for the pod, or
    /// would, if nothing else came first.
    pub fn may_some(&self) -> bool {
        self.pools.iter().any(|pool| pool.can.is_hopeful() && self.may_act(pool.of))
    }

    /// Who acts next for the pod. Nobody knows that of groups of which nothing is known.
    pub fn next_step(&self) -> NextStep {
        let verdict = self.verdict;
        let is_open =
            verdict == AutoscalingVerdict::MayCome && self.arrived.is_none() && !self.may_some();
        NextStep { verdict, actor: if is_open { NextActor::NotKnown } else { verdict.actor() } }
    }

    /// The answers that were given since the pod was last marked unschedulable, the newest first.
    pub fn fresh(&self) -> impl Iterator<Item = &AutoscalerAnswer> {
        self.answers.iter().filter(|answer| !answer.is_stale)
    }
}

impl Stalled {
    /// As a clause about the autoscaler.
    pub fn clause(&self) -> String {
        match self {
            Self::Silent => "has not written its status for too long; it may not run".to_owned(),
            Self::NotReady(pod) => format!("its pod {pod} is not Ready; it may not run"),
            Self::Starting => "is starting".to_owned(),
            Self::Unhealthy => "does nothing: too many nodes are unready".to_owned(),
            Self::BrokenStatus(problem) => format!("its status cannot be read: {problem}"),
            Self::MaxNodes(max) => format!("the cluster has all of its {max} nodes"),
            Self::NoPool => "no pool can grow".to_owned(),
        }
    }
}

/// A time span in the one or two largest units.
pub(super) fn seconds(seconds: i64) -> String {
    let seconds = seconds.max(0);
    match (seconds / 86_400, seconds / 3_600, seconds / 60) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, minutes) if minutes < 10 && seconds % 60 > 0 => {
            format!("{minutes}m{}s", seconds % 60)
        }
        (0, 0, minutes) => format!("{minutes}m"),
        (0, hours, minutes) if minutes % 60 > 0 && hours < 10 => {
            format!("{hours}h{}m", minutes % 60)
        }
        (0, hours, _) => format!("{hours}h"),
        (days, ..) => format!("{days}d"),
    }
}
