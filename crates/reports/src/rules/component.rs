//! What other components write about pods, as rules: the kubelet when it rejects or ends a pod,
//! cluster-autoscaler and Karpenter when they add a node or do not, other schedulers and plugins when
//! they hold a pod.

use super::{BLANK, MessagePart, RuleKind, RulebookEntry};
use profile::span::VersionSpan;
use scheduler::decision::fit_error;
use scheduler::framework::reason::Obstacle;

/// What a component writes, with its meaning.
struct ComponentText {
    code: &'static str,
    /// The component that writes it.
    by: &'static str,
    /// The reason of the event or of the pod's status, with [`BLANK`] for variable parts; empty if
    /// it has no reason of its own.
    reason: &'static str,
    /// The messages, with [`BLANK`] for variable parts.
    texts: &'static [&'static str],
    meaning: &'static str,
    preemption: &'static str,
    remedy: &'static str,
    obstacle: Obstacle,
    source: &'static str,
}

const KUBELET: &str = "kubelet";
const CLUSTER_AUTOSCALER: &str = "cluster-autoscaler";
const KARPENTER: &str = "Karpenter";
const API_SERVER: &str = "kube-apiserver";
const SCHEDULER: &str = "kube-scheduler";
const TAINT_EVICTION: &str = "taint-eviction-controller";
const KOORDINATOR: &str = "Koordinator";
const SCHEDULER_PLUGINS: &str = "scheduler-plugins";
const VOLCANO: &str = "Volcano";
const YUNIKORN: &str = "YuniKorn";
const KUEUE: &str = "Kueue";

/// The prefix of the kubelet's reason for rejecting a pod.
const REJECTED: &str = "Pod was rejected: ";
/// The prefix of a list of node group counts with reasons.
const NOT_TRIGGERED: &str = "pod didn't trigger scale-up: ";
/// The prefix of the errors of Karpenter's node pools.
const FAILED: &str = "Failed to schedule pod, ";

const BOUND: &str =
    "Takes no part: the pod was bound already, and the kubelet makes room for critical pods alone.";
const NO_POD: &str = "Takes no part: there is no pod yet.";
const ITS_OWN: &str =
    "Does not help: kube-scheduler evicts nothing for it, and that program has rules of its own.";
const NO_NODE: &str =
    "Comes first: kube-scheduler found no pod to evict before a new node was considered.";

const PREDICATES: &str = "pkg/kubelet/lifecycle/predicate.go (1.37)";
const SKIPPED: &str = "https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.36.1/cluster-autoscaler/core/scaleup/orchestrator/skippedreasons.go";
const EVENTS: &str = "https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.36.1/cluster-autoscaler/processors/status/eventing_scale_up_processor.go";
const SCHEDULING: &str = "https://github.com/kubernetes-sigs/karpenter/tree/v1.14.1/pkg/controllers/provisioning/scheduling";

static TEXTS: &[ComponentText] = &[
    ComponentText {
        code: "PRE-801",
        by: KUBELET,
        reason: "OutOf{}",
        texts: &["Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}"],
        meaning: "The kubelet refused the pod: by its own count the node has too little of this resource. kube-scheduler's \
                  count was behind, or pods were bound to the node without it.",
        preemption: BOUND,
        remedy: "delete the failed pod, so that its controller makes another one; if it happens again, look for static \
                 pods, for pods with spec.nodeName, and for a second scheduler",
        obstacle: Obstacle::Room,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-802",
        by: KUBELET,
        reason: "NodeAffinity",
        texts: &["Predicate NodeAffinity failed{}"],
        meaning: "The kubelet refused the pod: the node no longer has the labels that the pod's node selector or node \
                  affinity asks for, or had none yet when its kubelet started.",
        preemption: BOUND,
        remedy: "delete the failed pod; set the label again if the node should keep it",
        obstacle: Obstacle::NodeLabels,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-803",
        by: KUBELET,
        reason: "TaintToleration",
        texts: &["Predicate TaintToleration failed{}"],
        meaning: "The kubelet refused a static pod: the node has a NoExecute taint that the pod does not tolerate.",
        preemption: BOUND,
        remedy: "add the toleration to the pod's manifest on the node, or remove the taint",
        obstacle: Obstacle::Toleration,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-804",
        by: KUBELET,
        reason: "NodePorts",
        texts: &["Predicate NodePorts failed{}"],
        meaning: "The kubelet refused the pod: another pod on the node has one of its host ports.",
        preemption: BOUND,
        remedy: "delete the failed pod; avoid hostPort where a Service will do",
        obstacle: Obstacle::Room,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-805",
        by: KUBELET,
        reason: "NodeName",
        texts: &["Predicate NodeName failed{}"],
        meaning: "The kubelet refused the pod: its spec.nodeName names another node.",
        preemption: BOUND,
        remedy: "delete the failed pod; look for two nodes with the same name",
        obstacle: Obstacle::Pod,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-806",
        by: KUBELET,
        reason: "UnexpectedAdmissionError",
        texts: &[
            "Allocate failed due to {}, which is unexpected",
            "Update plugin resources failed due to {}, which is unexpected.",
            "Unexpected error while attempting to recover from admission failure: {}",
        ],
        meaning: "The kubelet could not give the pod its devices or CPUs: most often a device plugin was restarting, or a \
                  device became unhealthy after kube-scheduler had counted it.",
        preemption: BOUND,
        remedy: "delete the failed pod; look at the device plugin on the node and at the node's allocatable devices",
        obstacle: Obstacle::Devices,
        source: "pkg/kubelet/cm/admission/errors.go (1.37)",
    },
    ComponentText {
        code: "PRE-807",
        by: KUBELET,
        reason: "TopologyAffinityError",
        texts: &["Resources cannot be allocated with Topology locality"],
        meaning: "The kubelet refused the pod: no NUMA node has all of its CPUs, memory and devices together, as the node's \
                  topology manager policy wants. kube-scheduler does not know of NUMA nodes.",
        preemption: BOUND,
        remedy: "let the pod ask for less, choose a node with larger NUMA nodes, or relax the policy of the node",
        obstacle: Obstacle::Room,
        source: "pkg/kubelet/cm/topologymanager/topology_manager.go (1.37)",
    },
    ComponentText {
        code: "PRE-808",
        by: KUBELET,
        reason: "SMTAlignmentError",
        texts: &["SMT Alignment Error: {}"],
        meaning: "The kubelet refused the pod: its CPUs are no whole physical cores, as the node's CPU manager wants.",
        preemption: BOUND,
        remedy: "request a multiple of the threads of a core, mostly 2",
        obstacle: Obstacle::Pod,
        source: "pkg/kubelet/cm/cpumanager/policy_static.go (1.37)",
    },
    ComponentText {
        code: "PRE-809",
        by: KUBELET,
        reason: "NodeShutdown",
        texts: &["Pod was rejected as the node is shutting down."],
        meaning: "The kubelet refused the pod: the node is shutting down.",
        preemption: BOUND,
        remedy: "wait until a controller has replaced the pod elsewhere",
        obstacle: Obstacle::Wait,
        source: "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go (1.37)",
    },
    ComponentText {
        code: "PRE-810",
        by: KUBELET,
        reason: "Terminated",
        texts: &["Pod was terminated in response to imminent node shutdown."],
        meaning: "The kubelet ended the pod: the node was shutting down. No pod preempted it.",
        preemption: "Takes no part: no pod needed the room.",
        remedy: "wait until a controller has replaced the pod elsewhere",
        obstacle: Obstacle::Wait,
        source: "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go (1.37)",
    },
    ComponentText {
        code: "PRE-811",
        by: KUBELET,
        reason: "Preempting",
        texts: &[
            "Preempted in order to admit critical pod",
            "Pod was preempted by Kubelet to accommodate a critical pod.",
        ],
        meaning: "The kubelet ended the pod to make room for a critical pod that was bound to the node already, such as a \
                  static pod. kube-scheduler had no part in it.",
        preemption: "Is the kubelet's own: it ignores PodDisruptionBudgets, and takes pods that are not critical.",
        remedy: "reserve room for static and critical pods (systemReserved, kubeReserved), or give the pod a critical class",
        obstacle: Obstacle::Room,
        source: "pkg/kubelet/preemption/preemption.go (1.37)",
    },
    ComponentText {
        code: "PRE-812",
        by: KUBELET,
        reason: "Evicted",
        texts: &[
            "The node was low on resource: {}",
            "The node had condition: {}",
            "Pod ephemeral local storage usage exceeds the total limit of containers {}",
            "Usage of EmptyDir volume {} exceeds the limit {}",
            "Container {} exceeded its local ephemeral storage limit {}",
        ],
        meaning: "The kubelet ended the pod because the node ran low on memory, disk or processes, or because the pod used \
                  more local storage than its limit. No pod preempted it.",
        preemption: "Takes no part: what counts here is use, not requests.",
        remedy: "request what the pod really uses, and limit its local storage",
        obstacle: Obstacle::Room,
        source: "pkg/kubelet/eviction/helpers.go (1.37)",
    },
    ComponentText {
        code: "PRE-813",
        by: KUBELET,
        reason: "InvalidNodeInfo",
        texts: &["Kubelet cannot get node info."],
        meaning: "The kubelet refused the pod: it could not read its own node from the API server.",
        preemption: BOUND,
        remedy: "delete the failed pod; look at the connection between the node and the API server",
        obstacle: Obstacle::None,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-814",
        by: KUBELET,
        reason: "PodOSSelectorNodeLabelDoesNotMatch",
        texts: &["Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"],
        meaning: "The kubelet refused the pod: it selects nodes of another operating system.",
        preemption: BOUND,
        remedy: "delete the failed pod; look for what sets its spec.nodeName, or the label kubernetes.io/os of the node",
        obstacle: Obstacle::NodeLabels,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-815",
        by: KUBELET,
        reason: "PodOSNotSupported",
        texts: &["Failed to admit pod as the OS field doesn't match node OS"],
        meaning: "The kubelet refused the pod: its spec.os.name is another operating system. kube-scheduler does not look \
                  at that field.",
        preemption: BOUND,
        remedy: "select kubernetes.io/os in the pod as well, and delete the failed pod",
        obstacle: Obstacle::NodeLabels,
        source: PREDICATES,
    },
    ComponentText {
        code: "PRE-821",
        by: CLUSTER_AUTOSCALER,
        reason: "TriggeredScaleUp",
        texts: &["pod triggered scale-up: {}"],
        meaning: "A node group grows for the pod: each group is named with its size before and after, and its maximum.",
        preemption: NO_NODE,
        remedy: "wait for the node, usually a few minutes",
        obstacle: Obstacle::Wait,
        source: EVENTS,
    },
    ComponentText {
        code: "PRE-822",
        by: CLUSTER_AUTOSCALER,
        reason: "NotTriggerScaleUp",
        texts: &["pod didn't trigger scale-up{}"],
        meaning: "No node comes for the pod: each number is a count of node groups, with the reason for which a new node of \
                  these groups would not take it. Without reasons, no group was considered.",
        preemption: NO_NODE,
        remedy: "read the reasons: those of kube-scheduler mean the same here, for a new node",
        obstacle: Obstacle::None,
        source: EVENTS,
    },
    ComponentText {
        code: "PRE-823",
        by: CLUSTER_AUTOSCALER,
        reason: "",
        texts: &["max node group size reached"],
        meaning: "The node group is at its maximum.",
        preemption: NO_NODE,
        remedy: "raise the maximum of the node group",
        obstacle: Obstacle::Room,
        source: SKIPPED,
    },
    ComponentText {
        code: "PRE-824",
        by: CLUSTER_AUTOSCALER,
        reason: "",
        texts: &["in backoff after failed scale-up"],
        meaning: "Adding a node to this group failed lately, so it is not tried again yet: at first for 5 minutes, at most for 30.",
        preemption: NO_NODE,
        remedy: "look at the cloud's quota and stock; the ConfigMap cluster-autoscaler-status has the error",
        obstacle: Obstacle::Wait,
        source: SKIPPED,
    },
    ComponentText {
        code: "PRE-825",
        by: CLUSTER_AUTOSCALER,
        reason: "",
        texts: &["not ready for scale-up"],
        meaning: "Too many nodes of the group are not ready, so it does not grow.",
        preemption: NO_NODE,
        remedy: "repair or remove the nodes that are not ready",
        obstacle: Obstacle::Wait,
        source: SKIPPED,
    },
    ComponentText {
        code: "PRE-826",
        by: CLUSTER_AUTOSCALER,
        reason: "",
        texts: &["max cluster {} limit reached", "exceeded quota: \"{}\", resources: {}"],
        meaning: "A limit of cores, memory or GPUs of the whole cluster is reached.",
        preemption: NO_NODE,
        remedy: "raise --cores-total, --memory-total, --gpu-total or the CapacityQuota",
        obstacle: Obstacle::Room,
        source: SKIPPED,
    },
    ComponentText {
        code: "PRE-827",
        by: CLUSTER_AUTOSCALER,
        reason: "",
        texts: &["max total nodes in cluster reached"],
        meaning: "The cluster has as many nodes as --max-nodes-total allows.",
        preemption: NO_NODE,
        remedy: "raise --max-nodes-total",
        obstacle: Obstacle::Room,
        source: EVENTS,
    },
    ComponentText {
        code: "PRE-828",
        by: CLUSTER_AUTOSCALER,
        reason: "FailedScaleUp",
        texts: &["Node scale up in zones {} associated with this pod failed: {}"],
        meaning: "GKE tried to add a node for the pod, and the cloud refused: for a quota, for want of machines or addresses.",
        preemption: NO_NODE,
        remedy: "read the cause: raise the quota, or allow other zones or machine types",
        obstacle: Obstacle::Room,
        source: EVENTS,
    },
    ComponentText {
        code: "PRE-829",
        by: CLUSTER_AUTOSCALER,
        reason: "ScaleDown",
        texts: &["deleting pod for node scale down"],
        meaning: "The pod was evicted because its node was hardly used and is removed. No pod preempted it.",
        preemption: "Takes no part: no pod needed the room.",
        remedy: "set the annotation cluster-autoscaler.kubernetes.io/safe-to-evict to false if the pod must stay",
        obstacle: Obstacle::None,
        source: "https://github.com/kubernetes/autoscaler/tree/cluster-autoscaler-1.36.1/cluster-autoscaler/core/scaledown/actuation",
    },
    ComponentText {
        code: "PRE-831",
        by: API_SERVER,
        reason: "SchedulingGated",
        texts: &["Scheduling is blocked due to non-empty scheduling gates"],
        meaning: "The pod was created with scheduling gates. kube-scheduler ignores it until whatever set them, such as \
                  Kueue, removes them all.",
        preemption: "Takes no part: the pod gets no scheduling cycle.",
        remedy: "look at spec.schedulingGates for who set them; explain says what that program waits for",
        obstacle: Obstacle::Pod,
        source: "pkg/registry/core/pod/strategy.go (1.37)",
    },
    ComponentText {
        code: "PRE-832",
        by: SCHEDULER,
        reason: "",
        texts: &["running PreBind plugin \"VolumeBinding\": binding volumes: {}"],
        meaning: "kube-scheduler had found a node, and the volumes of the pod's claims were not made or bound in time \
                  (10 minutes by default) or the attempt failed. The pod goes back to the queue.",
        preemption: "Takes no part: a node had room.",
        remedy: "look at the events of the claims and at the provisioner of their storage class",
        obstacle: Obstacle::Volume,
        source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
    },
    ComponentText {
        code: "PRE-833",
        by: TAINT_EVICTION,
        reason: "TaintManagerEviction",
        texts: &["Marking for deletion Pod {}"],
        meaning: "The pod is deleted because its node has a NoExecute taint that it does not tolerate, or no longer. No pod \
                  preempted it.",
        preemption: "Takes no part: no pod needed the room.",
        remedy: "repair the node, or tolerate the taint; tolerationSeconds says how long the pod stays",
        obstacle: Obstacle::Toleration,
        source: "pkg/controller/tainteviction/taint_eviction.go (1.37)",
    },
    ComponentText {
        code: "PRE-834",
        by: API_SERVER,
        reason: "",
        texts: &["{}exceeded quota: {}, requested: {}, used: {}, limited: {}"],
        meaning: "The API server did not create the pod: with it the namespace would use more than its ResourceQuota allows. There is no pod to schedule; its controller tries again.",
        preemption: NO_POD,
        remedy: "raise the ResourceQuota, or lower the requests or replicas of what is in the namespace",
        obstacle: Obstacle::Room,
        source: "plugin/pkg/admission/resourcequota/controller.go (1.37)",
    },
    ComponentText {
        code: "PRE-841",
        by: KARPENTER,
        reason: "Nominated",
        texts: &["Pod should schedule on: {}"],
        meaning: "Karpenter has a node for the pod, or makes one. It is not status.nominatedNodeName: kube-scheduler decides \
                  by itself once the node is there.",
        preemption: NO_NODE,
        remedy: "wait for the NodeClaim to be ready",
        obstacle: Obstacle::Wait,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-842",
        by: KARPENTER,
        reason: "",
        texts: &["Failed to schedule pod, {}"],
        meaning: "Karpenter makes no node for the pod: there is an error for each NodePool, in the order of their weights.",
        preemption: NO_NODE,
        remedy: "read the errors: one NodePool that takes the pod is enough",
        obstacle: Obstacle::None,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-843",
        by: KARPENTER,
        reason: "",
        texts: &[
            "all available instance types exceed limits for nodepool{}",
            "node limits have been exhausted for nodepool{}",
        ],
        meaning: "One more node would exceed the limits of the NodePool.",
        preemption: NO_NODE,
        remedy: "raise spec.limits of the NodePool",
        obstacle: Obstacle::Room,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-844",
        by: KARPENTER,
        reason: "",
        texts: &["did not tolerate {}"],
        meaning: "Nodes of the NodePool have a taint that the pod does not tolerate.",
        preemption: NO_NODE,
        remedy: "add the toleration, or use a NodePool without the taint",
        obstacle: Obstacle::Toleration,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-845",
        by: KARPENTER,
        reason: "",
        texts: &["incompatible requirements, {}", "incompatible volume requirements, {}"],
        meaning: "The pod's node selector, affinity or volumes ask for labels that nodes of the NodePool cannot have.",
        preemption: NO_NODE,
        remedy: "change the pod's selector, or allow the value in the requirements of a NodePool",
        obstacle: Obstacle::NodeLabels,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-846",
        by: KARPENTER,
        reason: "",
        texts: &["no instance type {}"],
        meaning: "No instance type of the NodePool is large enough, meets all requirements and is on offer in a zone that the pod allows.",
        preemption: NO_NODE,
        remedy: "request less, or allow more instance types, zones or capacity types",
        obstacle: Obstacle::Room,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-847",
        by: KARPENTER,
        reason: "",
        texts: &["nodepool requirements filtered out all available instance types{}"],
        meaning: "The requirements of the NodePool leave no instance type.",
        preemption: NO_NODE,
        remedy: "relax the requirements of the NodePool",
        obstacle: Obstacle::NodeLabels,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-848",
        by: KARPENTER,
        reason: "",
        texts: &["unsatisfiable topology constraint for {}"],
        meaning: "A new node in a domain that the NodePool allows would violate a spread constraint or (anti-)affinity of the pod.",
        preemption: NO_NODE,
        remedy: "relax the constraint, or allow further zones in the NodePool",
        obstacle: Obstacle::Spread,
        source: SCHEDULING,
    },
    ComponentText {
        code: "PRE-849",
        by: KARPENTER,
        reason: "",
        texts: &["Evicted pod: {}"],
        meaning: "Karpenter evicted the pod to remove or replace its node. No pod preempted it.",
        preemption: "Takes no part: no pod needed the room.",
        remedy: "set the annotation karpenter.sh/do-not-disrupt if the pod must stay; it does not stop kube-scheduler",
        obstacle: Obstacle::None,
        source: "https://github.com/kubernetes-sigs/karpenter/tree/v1.14.1/pkg/controllers/node/termination",
    },
    ComponentText {
        code: "PRE-851",
        by: KOORDINATOR,
        reason: "",
        texts: &[
            "{}Insufficient quotas{}quotaName: {}",
            "{}Insufficient non-preemptible quotas{}",
            "Insufficient quotas{}",
        ],
        meaning: "The pod's ElasticQuota has too little left of a resource. No node is looked at before it has.",
        preemption: ITS_OWN,
        remedy: "raise the quota, or end other pods of it",
        obstacle: Obstacle::Room,
        source: "https://github.com/koordinator-sh/koordinator/tree/master/pkg/scheduler/plugins/elasticquota",
    },
    ComponentText {
        code: "PRE-852",
        by: KOORDINATOR,
        reason: "",
        texts: &[
            "{}GangGroup \"{}\" gets rejected due to {}",
            "{}Gang \"{}\" gets rejected due to {}",
        ],
        meaning: "A member of the gang fits on no node, so none of them is placed.",
        preemption: ITS_OWN,
        remedy: "look at the member that the text names",
        obstacle: Obstacle::Wait,
        source: "https://github.com/koordinator-sh/koordinator/tree/master/pkg/scheduler/plugins/coscheduling",
    },
    ComponentText {
        code: "PRE-853",
        by: SCHEDULER_PLUGINS,
        reason: "",
        texts: &[
            "{}cannot find enough sibling pods, current pods number: {}, minMember of group: {}",
        ],
        meaning: "Fewer pods of the PodGroup exist than must run together. No node is looked at before they do.",
        preemption: ITS_OWN,
        remedy: "create the missing pods, or lower minMember of the PodGroup",
        obstacle: Obstacle::Wait,
        source: "https://github.com/kubernetes-sigs/scheduler-plugins/tree/v0.33.5/pkg/coscheduling",
    },
    ComponentText {
        code: "PRE-854",
        by: SCHEDULER_PLUGINS,
        reason: "",
        texts: &["{} is rejected in PreFilter because {}ElasticQuota {}"],
        meaning: "With the pod, its namespace would use more than its ElasticQuota allows, or all of them more than is guaranteed.",
        preemption: ITS_OWN,
        remedy: "raise the ElasticQuota, or end other pods of the namespace",
        obstacle: Obstacle::Room,
        source: "https://github.com/kubernetes-sigs/scheduler-plugins/tree/v0.33.5/pkg/capacityscheduling",
    },
    ComponentText {
        code: "PRE-855",
        by: VOLCANO,
        reason: "",
        texts: &["queue resource quota insufficient: {}"],
        meaning: "The queue has too little left for what the PodGroup wants at least, so the group is not let in.",
        preemption: ITS_OWN,
        remedy: "raise the capability of the Queue, or end other work in it",
        obstacle: Obstacle::Room,
        source: "https://github.com/volcano-sh/volcano/tree/master/pkg/scheduler/plugins/capacity",
    },
    ComponentText {
        code: "PRE-856",
        by: VOLCANO,
        reason: "",
        texts: &["{} tasks in gang unschedulable: {}"],
        meaning: "Fewer pods of the PodGroup find a node than must run together.",
        preemption: ITS_OWN,
        remedy: "read the counts behind it; lower minAvailable, or add room",
        obstacle: Obstacle::Wait,
        source: "https://github.com/volcano-sh/volcano/tree/master/pkg/scheduler/api",
    },
    ComponentText {
        code: "PRE-857",
        by: YUNIKORN,
        reason: "",
        texts: &[
            "{} is skipped from scheduling because the queue quota has been exceed",
            "{} is pending for the requested resources become available",
        ],
        meaning: "The queue of the application has no quota left, or no node has room. With the first text autoscalers pass over the pod.",
        preemption: ITS_OWN,
        remedy: "raise the quota of the queue in yunikorn-configs, or end other applications in it",
        obstacle: Obstacle::Wait,
        source: "https://github.com/apache/yunikorn-k8shim/tree/master/pkg/cache",
    },
    ComponentText {
        code: "PRE-858",
        by: KUEUE,
        reason: "",
        texts: &["couldn't assign flavors to pod set {}"],
        meaning: "No flavor of the ClusterQueue has room for the Workload, or suits its pods.",
        preemption: ITS_OWN,
        remedy: "raise the quota of the ClusterQueue, or wait for other Workloads in it",
        obstacle: Obstacle::Room,
        source: "https://github.com/kubernetes-sigs/kueue/tree/main/pkg/scheduler/flavorassigner",
    },
];

impl ComponentText {
    /// Whether `text` is one of its messages, or its reason.
    fn is(&self, text: &str) -> bool {
        let text = text.strip_prefix(REJECTED).unwrap_or(text);
        let is_reason =
            !self.reason.is_empty() && !text.contains(' ') && has_form(text, self.reason);
        is_reason || self.texts.iter().any(|pattern| has_form(text, pattern))
    }

    fn rule(&self) -> RulebookEntry {
        let name = if self.reason.is_empty() {
            self.texts.first().copied().unwrap_or_default()
        } else {
            self.reason
        };
        RulebookEntry {
            code: self.code,
            kind: RuleKind::Component,
            name,
            also: vec![self.by],
            meaning: self.meaning,
            preemption: self.preemption,
            remedy: Some(self.remedy),
            obstacle: Some(self.obstacle),
            span: VersionSpan::ALWAYS,
            source: self.source,
        }
    }
}

/// Whether `text` matches `pattern` with something in each of its blanks.
fn has_form(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split(BLANK);
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() || rest == "." };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// All of them as rules, by code.
pub(super) fn rules() -> impl Iterator<Item = RulebookEntry> {
    TEXTS.iter().map(ComponentText::rule)
}

fn find(text: &str) -> Option<RulebookEntry> {
    TEXTS.iter().find(|component_text| component_text.is(text)).map(ComponentText::rule)
}

/// The parts of a message of another component: its statement, and each of the reasons that it
/// lists. `None` if it is not such a message.
pub(super) fn parts(
    message: &str,
    of_scheduler: impl Fn(&str) -> Option<RulebookEntry>,
) -> Option<Vec<MessagePart>> {
    let message = message.trim();
    let first = find(message)?;
    let rule_of = |text: &str| find(text).or_else(|| of_scheduler(text));
    if let Some(reasons) = message.strip_prefix(NOT_TRIGGERED) {
        let mut parts = vec![part(NOT_TRIGGERED.trim_end_matches(": "), Some(first))];
        match fit_error::reasons(reasons) {
            Some(reasons) => {
                parts.extend(reasons.iter().map(|(reason, _)| part(reason, rule_of(reason))));
            }
            None => parts.extend((!reasons.is_empty()).then(|| part(reasons, rule_of(reasons)))),
        }
        return Some(parts);
    }
    if let Some(errors) = message.strip_prefix(FAILED) {
        let mut parts = vec![part(FAILED.trim_end_matches(", "), Some(first))];
        parts.extend(errors_of(errors).into_iter().map(|error| {
            // Up to 1.4 the NodePool comes before the cause.
            let cause = error
                .split_once("daemonset overhead={")
                .and_then(|(_, rest)| rest.split_once("}, "));
            let cause = cause.map_or(error, |(_, cause)| cause);
            part(error, rule_of(cause))
        }));
        return Some(parts);
    }
    Some(vec![part(message, Some(first))])
}

fn part(text: &str, rule: Option<RulebookEntry>) -> MessagePart {
    MessagePart { text: text.to_owned(), nodes: None, preemption: false, rule }
}

/// Karpenter's errors: semicolons in brackets are not separators.
fn errors_of(text: &str) -> Vec<&str> {
    let (mut errors, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                errors.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    errors.extend(text.get(start..));
    errors.into_iter().map(str::trim).filter(|error| !error.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{LookupResult, all, lookup};

    /// The codes of a message's parts, or of the rules with a name.
    fn codes(query: &str) -> Vec<String> {
        let code = |rule: Option<super::RulebookEntry>| {
            rule.map_or("unknown", |rule| rule.code).to_owned()
        };
        match lookup(query, &all()) {
            LookupResult::Nothing => Vec::new(),
            LookupResult::Rules(rules) => rules.into_iter().map(|rule| code(Some(rule))).collect(),
            LookupResult::Message(parts) => parts.into_iter().map(|part| code(part.rule)).collect(),
        }
    }

    #[test]
    fn texts_of_the_kubelet_are_explained() {
        for (query, want) in [
            ("OutOfcpu", &["PRE-801"][..]),
            ("OutOfnvidia.com/gpu", &["PRE-801"]),
            (
                "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 3900, capacity: 4000",
                &["PRE-801"],
            ),
            ("NodeAffinity", &["PRE-104", "PRE-104", "PRE-802"]),
            (
                "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
                &["PRE-802"],
            ),
            ("UnexpectedAdmissionError", &["PRE-806"]),
            (
                "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. \
                 Requested: 1, Available: 0, which is unexpected",
                &["PRE-806"],
            ),
            ("Pod was terminated in response to imminent node shutdown.", &["PRE-810"]),
            (
                "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ",
                &["PRE-812"],
            ),
        ] {
            assert_eq!(codes(query), want, "{query}");
        }
    }

    #[test]
    fn texts_of_autoscalers_are_explained_reason_by_reason() {
        for (query, want) in [
            (
                "pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached, 1 in backoff after failed scale-up",
                &["PRE-822", "PRE-201", "PRE-823", "PRE-824"][..],
            ),
            (
                "Normal NotTriggerScaleUp 3m cluster-autoscaler pod didn't trigger scale-up: 1 Insufficient memory",
                &["PRE-822", "PRE-202"],
            ),
            ("pod didn't trigger scale-up: ", &["PRE-822"]),
            ("pod didn't trigger scale-up (it wouldn't fit if a new node is added)", &["PRE-822"]),
            (
                "pod didn't trigger scale-up: max total nodes in cluster reached",
                &["PRE-822", "PRE-827"],
            ),
            ("TriggeredScaleUp", &["PRE-821"]),
            ("pod triggered scale-up: [{pool-a 3->4 (max: 10)}]", &["PRE-821"]),
            ("Pod should schedule on: nodeclaim/default-x7k2p", &["PRE-841"]),
            (
                "Failed to schedule pod, incompatible with nodepool \"gpu\", daemonset overhead={\"cpu\":\"150m\"}, did not \
                 tolerate nvidia.com/gpu=true:NoSchedule; all available instance types exceed limits for nodepool: \"general\"",
                &["PRE-842", "PRE-844", "PRE-843"],
            ),
            (
                "Failed to schedule pod, did not tolerate taint (taint=a=b:NoSchedule) (NodePool=x; y); no instance type has \
                 enough resources, requirements=a In [b]",
                &["PRE-842", "PRE-844", "PRE-846"],
            ),
        ] {
            assert_eq!(codes(query), want, "{query}");
        }
    }

    #[test]
    fn texts_of_other_programs_are_explained_with_and_without_the_count_of_nodes() {
        for (query, want) in [
            (
                "Error creating: pods \"web-1\" is forbidden: exceeded quota: compute, requested: cpu=2, used: cpu=9, limited: cpu=10",
                "PRE-834",
            ),
            (
                "exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10",
                "PRE-834",
            ),
            ("exceeded quota: \"cluster-wide\", resources: cpu", "PRE-826"),
            (
                "0/2 nodes are available: Insufficient quotas [[cpu]], quotaName: q, runtime: cpu:4, used: cpu:4, pod's request: cpu:1, exceedDimensions: [cpu].",
                "PRE-851",
            ),
            ("Insufficient quotas, quotaName: q, runtime: cpu:4", "PRE-851"),
            ("Insufficient quotas [[cpu]]", "PRE-851"),
            (
                "0/2 nodes are available: pre-filter pod web cannot find enough sibling pods, current pods number: 1, minMember of group: 3.",
                "PRE-853",
            ),
            ("queue resource quota insufficient: insufficient cpu", "PRE-855"),
            (
                "Task a/b is skipped from scheduling because the queue quota has been exceed",
                "PRE-857",
            ),
        ] {
            assert_eq!(codes(query), [want], "{query}");
        }
    }

    #[test]
    fn messages_of_the_scheduler_stay_its_own() {
        assert_eq!(codes("0/1 nodes are available: 1 Insufficient cpu."), ["PRE-201"]);
        assert_eq!(codes("Insufficient cpu"), ["PRE-201"]);
    }
}
