//! Which pods cluster-autoscaler looks at, which groups it scales, and which nodes these have.
//!
//! Upstream: `sigs.k8s.io/cluster-autoscaler` `pkg/core/static_autoscaler.go`,
//! `pkg/core/podlistprocessor`, `pkg/utils/kubernetes/listers.go`,
//! `pkg/core/scaleup/orchestrator/orchestrator.go` (33c3f97b), and the tags since 1.29.

use jiff::Timestamp;

use super::outlook::{Can, ExclusionCause, GrowthObstacle, RequestState, Stalled};
use model::cluster::autoscaling::cluster_autoscaler::{
    MachineGroup, MachineTemplate, ProvisioningRequest,
};
use model::cluster::autoscaling::karpenter::POOL_LABEL;
use model::cluster::node::Taint;
use model::cluster::pod::annotations;
use model::cluster::system_taint::{NOT_READY, TaintRole};
use model::cluster::{Cluster, Node, NodeIx, Pod, Quantity};
use model::snapshot::Kind;
use model::snapshot::autoscaler::ClusterAutoscaler;

use super::karpenter::amount;
use super::membership;
use super::status::{AutoscalerStatus, ReportedGroup, ScaleUp};

/// The priority below which a pod is expendable unless a flag says otherwise.
const CUTOFF: i64 = -10;
/// The time without a status after which it may not run: it writes one every 10 s.
const SILENCE: i64 = 60;

/// The nanoseconds of a second, in which Go has durations.
const NANOS: i64 = 1_000_000_000;

/// The bytes in which its limit of memory is given.
const GIBI: i64 = 1 << 30;

/// How long it waits for a node at most, unless a flag says otherwise.
const PROVISION_TIME: i64 = 15 * 60;

/// The taint of a node that it removes.
const LEAVES: &str = "ToBeDeletedByClusterAutoscaler";

/// Taints of a group's node that a new one does not have.
///
/// Upstream: `pkg/utils/taints/taints.go` `SanitizeTaints` (33c3f97b).
const LEFT_OUT: [&str; 13] = [
    LEAVES,
    "DeletionCandidateOfClusterAutoscaler",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/pid-pressure",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cloudprovider.kubernetes.io/shutdown",
    "cloud.google.com/impending-node-termination",
    "NodeWithImpairedVolumes",
];

/// The beginnings of the keys of such taints.
const LEFT_OUT_PREFIXES: [&str; 3] = [
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "status-taint.cluster-autoscaler.kubernetes.io/",
];

/// What its flags and version say, with their defaults.
#[derive(Debug, Clone)]
pub(super) struct AutoscalerSettings {
    pub(super) cutoff: i64,
    pub(super) max_nodes: Option<i64>,
    /// The most cores and bytes that all nodes may have together, by the names of the resources.
    most: [(&'static str, Option<i64>); 2],
    allowed: Vec<String>,
    bypassed: Vec<String>,
    /// The delay for new pods, in seconds.
    delay: i64,
    /// How often it looks, in seconds.
    scan: i64,
    /// Whether it leaves pods that name a request to that.
    leaves_to_requests: bool,
    /// How long it waits for a node at most, in seconds.
    pub(super) provision_time: i64,
    /// Keys of taints that new nodes lose, and their beginnings, as its flags have them.
    startup_taints: Vec<String>,
    startup_prefixes: Vec<String>,
    /// Whether its command line is shown.
    shows_flags: bool,
    /// Major, minor and patch; those of the cluster where its own are not known.
    version: Option<(u32, u32, u32)>,
}

/// The command line of cluster-autoscaler, as far as the input shows it.
struct Flags<'c>(Option<&'c ClusterAutoscaler>);

impl Flags<'_> {
    /// The last value of a flag, which counts.
    fn last(&self, name: &str) -> Option<&str> {
        self.0?.flags.get(name)?.last().map(String::as_str)
    }

    /// All values of flags that may be repeated.
    fn all(&self, names: &[&str]) -> Vec<String> {
        let flags = self.0.map(|shown| &shown.flags);
        let values = names.iter().filter_map(|name| flags?.get(*name)).flatten();
        values.cloned().collect()
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.last(name)?.parse().ok()
    }

    /// The end of a range such as `0:16`.
    fn most(&self, name: &str) -> Option<i64> {
        self.last(name)?.rsplit_once(':')?.1.parse().ok()
    }

    fn seconds(&self, name: &str) -> Option<i64> {
        Some(go::parse_duration(self.last(name)?)? / NANOS)
    }

    fn list(&self, name: &str) -> Vec<String> {
        let names = self.last(name).unwrap_or_default().split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

impl AutoscalerSettings {
    pub(super) fn of(cluster: &Cluster) -> Self {
        let header = &cluster.header;
        let shown = header.autoscaler.as_ref();
        let flags = Flags(shown);
        let openshift = cluster.autoscaling.openshift;
        let version = shown.and_then(|shown| shown.version.as_deref());
        Self {
            cutoff: flags
                .number("expendable-pods-priority-cutoff")
                .or(openshift.and_then(|settings| settings.priority_threshold))
                .unwrap_or(CUTOFF),
            max_nodes: flags
                .number("max-nodes-total")
                .or(openshift.and_then(|settings| settings.max_nodes))
                .filter(|most| *most > 0),
            most: [
                ("cpu", flags.most("cores-total")),
                ("memory", flags.most("memory-total").and_then(|most| most.checked_mul(GIBI))),
            ],
            allowed: flags.list("allowed-scheduler-names"),
            bypassed: flags.list("bypassed-scheduler-names"),
            delay: flags.seconds("new-pod-scale-up-delay").unwrap_or(0),
            scan: flags.seconds("scan-interval").unwrap_or(10),
            // Where its command line is not shown, such as on GKE, the pod's annotation is believed.
            leaves_to_requests: shown.is_none_or(|shown| shown.pods.is_empty())
                || flags.last("enable-provisioning-requests") == Some("true"),
            provision_time: flags.seconds("max-node-provision-time").unwrap_or(PROVISION_TIME),
            startup_taints: flags.all(&["startup-taint", "status-taint", "ignore-taint"]),
            startup_prefixes: flags.all(&["startup-taint-prefix"]),
            shows_flags: shown.is_some_and(|shown| !shown.pods.is_empty()),
            version: version.or(header.server_version.as_deref()).and_then(version_of),
        }
    }

    /// After how many seconds without a new status it counts as gone.
    pub(super) fn silence(&self) -> i64 {
        SILENCE.max(self.scan.saturating_mul(3))
    }

    /// Whether a nomination counts although its node does not exist: since 1.36.
    pub(super) fn keeps_any_nomination(&self) -> bool {
        self.is_since_36()
    }

    /// Whether only nodes that it has asked for since it started count as on their way: since 1.36.
    fn counts_only_requested(&self) -> bool {
        self.is_since_36()
    }

    fn is_since_36(&self) -> bool {
        self.version.is_none_or(|version| version >= (1, 36, 0))
    }

    /// Whether pods that never preempt are no expendable ones, as in a few patch releases.
    fn spares_pods_that_never_preempt(&self) -> bool {
        self.version.is_some_and(|version| match version {
            (1, 30, patch) => patch <= 4,
            (1, 31, patch) => patch <= 2,
            (1, 32, patch) => patch <= 1,
            (1, 33, patch) => patch == 0,
            _ => false,
        })
    }

    /// The taints of a new node like this one.
    pub(super) fn taints_of_new(&self, node: &Node, cluster: &Cluster) -> Vec<Taint> {
        let taints = node.taints.iter().filter(|taint| {
            let key = cluster.text(taint.key);
            !LEFT_OUT.contains(&key)
                && !LEFT_OUT_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
                && !self.startup_taints.iter().any(|own| own == key)
                && !self.startup_prefixes.iter().any(|prefix| key.starts_with(prefix.as_str()))
        });
        taints.cloned().collect()
    }

    /// The taint of a node that is starting, which new nodes may lose by a flag that is not shown.
    pub(super) fn taint_in_doubt(&self, taints: &[Taint], cluster: &Cluster) -> Option<String> {
        if self.shows_flags {
            return None;
        }
        let starting = taints.iter().find(|taint| {
            taint.system(cluster).is_some_and(|system| system.role == TaintRole::Starting)
        });
        starting.map(|taint| taint.effect.taint(taint.key, taint.value, cluster))
    }

    /// Whether it neither adds nodes for a pod nor counts what the pod takes.
    pub(super) fn is_expendable(&self, pod: &Pod, cluster: &Cluster) -> bool {
        let spared = cluster.template(pod).never_preempts && self.spares_pods_that_never_preempt();
        i64::from(pod.priority) < self.cutoff && !spared
    }

    /// Why it does not look at a pod, apart from a preemption that makes room.
    pub(super) fn exclusion(
        &self,
        pod: &Pod,
        cluster: &Cluster,
        now: Timestamp,
    ) -> Option<ExclusionCause> {
        let template = cluster.template(pod);
        let name = cluster.text(template.scheduler_name);
        if !self.allowed.is_empty() && !self.allowed.iter().any(|allowed| allowed == name) {
            return Some(ExclusionCause::Scheduler(name.to_owned()));
        }
        if self.is_expendable(pod, cluster) {
            return Some(ExclusionCause::Expendable(self.cutoff));
        }
        let controller = pod.controller.map(|owner| cluster.text(owner.kind));
        if controller == Some("DaemonSet") {
            return Some(ExclusionCause::DaemonSet);
        }
        if pod.mirror {
            return Some(ExclusionCause::Mirror);
        }
        if let Some(cause) = request_of(pod, cluster).filter(|_| self.leaves_to_requests) {
            return Some(cause);
        }
        // The pod's own delay counts where it is longer than that of the flag.
        let own = cluster.annotation(pod, annotations::SCALE_UP_DELAY).and_then(go::parse_duration);
        let delay = self.delay.max(own.map_or(0, |nanos| nanos / NANOS));
        let age = pod.created.map(|created| now.as_second() - created.as_second());
        (age.is_some_and(|age| delay > 0 && age < delay)).then_some(ExclusionCause::TooYoung(delay))
    }

    /// Whether it acts for a pod that no scheduler has marked yet.
    pub(super) fn needs_no_mark(&self, pod: &Pod, cluster: &Cluster) -> bool {
        let name = cluster.text(cluster.template(pod).scheduler_name);
        self.bypassed.iter().any(|bypassed| bypassed == name)
    }
}

/// The request for whose nodes a pod is.
fn request_of(pod: &Pod, cluster: &Cluster) -> Option<ExclusionCause> {
    let keys = [annotations::PROVISIONING_REQUEST, annotations::PROVISIONING_REQUEST_BEFORE];
    let mut named = keys.into_iter().filter_map(|key| cluster.annotation(pod, key));
    let name = named.find(|name| !name.is_empty())?;
    let request =
        cluster.autoscaling.requests.iter().find(|request| {
            request.namespace == pod.namespace && cluster.text(request.name) == name
        });
    let state = match request {
        Some(request) => state_of(request, cluster),
        None if is_read(Kind::ProvisioningRequest, cluster) => RequestState::Missing,
        None => RequestState::NotRead,
    };
    let request = format!("{}/{name}", cluster.text(pod.namespace));
    Some(ExclusionCause::LeftToRequest { request, state })
}

/// Whether the input would have an object of a kind if it existed.
fn is_read(kind: Kind, cluster: &Cluster) -> bool {
    let is_refused = cluster.unread(kind).is_some();
    !is_refused && !cluster.may_lack(kind)
}

/// The state of a request. Upstream: `provisioningrequest/apis/v1/types.go` (1.36).
fn state_of(request: &ProvisioningRequest, cluster: &Cluster) -> RequestState {
    let is_true = |kind: &str| {
        request.conditions.iter().find(|condition| {
            cluster.text(condition.kind) == kind && cluster.text(condition.status) == "True"
        })
    };
    if let Some(failed) = is_true("Failed") {
        return RequestState::Failed(cluster.text(failed.reason).to_owned());
    }
    let states = [
        ("CapacityRevoked", RequestState::Revoked),
        ("BookingExpired", RequestState::Expired),
        ("Provisioned", RequestState::Provisioned),
        ("Accepted", RequestState::Accepted),
    ];
    let reached = states.into_iter().find(|(kind, _)| is_true(kind).is_some());
    reached.map_or(RequestState::Waiting, |(_, state)| state)
}

/// Reads `v1.33.0-gke.1` or `1.33`.
fn version_of(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.trim_start_matches('v').split(['.', '-', '+']);
    let mut next = || parts.next().and_then(|part| part.parse().ok());
    Some((next()?, next()?, next().unwrap_or(0)))
}

/// A group of nodes, with those that are known to be its own.
pub(super) struct GroupState {
    /// The provider's name.
    pub(super) name: String,
    /// Its nodes.
    pub(super) nodes: Vec<NodeIx>,
    /// Whether its nodes are known, so that a new one is like them.
    pub(super) can: Can,
    /// What rules it out for every pod.
    pub(super) state: Vec<GrowthObstacle>,
    /// Whether it is growing, according to its status.
    pub(super) is_growing: bool,
    /// How many nodes are on their way.
    pub(super) coming: i64,
    /// How many of them have registered.
    not_started: i64,
    /// How many nodes are missing that it does not count on.
    pub(super) unrequested: i64,
    /// Since when.
    pub(super) growing_since: Option<Timestamp>,
    /// What a new node is like while it has none, by the annotations of its machine group.
    pub(super) template: Option<MachineTemplate>,
}

impl GroupState {
    /// How many nodes count that are in no list of nodes yet.
    fn unseen(&self) -> i64 {
        self.coming.saturating_sub(self.not_started).max(0)
    }
}

/// What its status says of the program itself.
pub(super) fn stalled(
    status: Option<&AutoscalerStatus>,
    settings: &AutoscalerSettings,
    groups: &[GroupState],
    cluster: &Cluster,
    now: Timestamp,
) -> Option<Stalled> {
    match status {
        Some(AutoscalerStatus::Broken(problem)) => {
            return Some(Stalled::BrokenStatus(problem.clone()));
        }
        Some(AutoscalerStatus::Read(report)) => {
            // It may have written another status since this one was read.
            let read_at = cluster.header.autoscaler.as_ref().and_then(|shown| shown.read_at);
            let seen = read_at.map_or(now, |at| at.min(now));
            let age = report.time.map(|time| seen.as_second() - time.as_second());
            if age.is_some_and(|age| age > settings.silence()) {
                return Some(Stalled::Silent);
            }
            if report.is_starting {
                return Some(Stalled::Starting);
            }
            if report.is_unhealthy {
                return Some(Stalled::Unhealthy);
            }
        }
        None => {}
    }
    // Nodes that are not ready and those on their way count as well once it looks for room.
    let max = settings.max_nodes?;
    let all = i64::try_from(cluster.nodes.len()).unwrap_or(i64::MAX);
    let unseen: i64 = groups.iter().map(GroupState::unseen).sum();
    (all.saturating_add(unseen) >= max).then_some(Stalled::MaxNodes(max))
}

/// Whether new nodes may be like a node: it is ready, not cordoned and not leaving.
pub(super) fn is_model(node: &Node, cluster: &Cluster) -> bool {
    !node.unschedulable
        && is_ready(node, cluster)
        && !node.taints.iter().any(|taint| cluster.text(taint.key) == LEAVES)
}

/// Whether a node has no taint for starting or unhealthy nodes.
pub(super) fn is_ready(node: &Node, cluster: &Cluster) -> bool {
    !node.taints.iter().any(|taint| NOT_READY.contains(&cluster.text(taint.key)))
}

/// The groups: those of the status, or without one those of machine groups that are scaled.
pub(super) fn groups(
    status: Option<&AutoscalerStatus>,
    settings: &AutoscalerSettings,
    cluster: &Cluster,
) -> Vec<GroupState> {
    let mut groups: Vec<GroupState> = match status {
        Some(AutoscalerStatus::Read(report)) => {
            report.groups.iter().map(|group| of_status(group, settings)).collect()
        }
        _ => cluster
            .autoscaling
            .machine_groups
            .iter()
            .filter_map(|g| of_machines(g, cluster))
            .collect(),
    };
    for machines in &cluster.autoscaling.machine_groups {
        let name = machine_group_name(machines, cluster);
        if let Some(group) = groups.iter_mut().find(|group| group.name == name) {
            group.template.clone_from(&machines.template);
        }
    }
    join_nodes(&mut groups, cluster);
    let used = settings.most.map(|(resource, most)| {
        let used = most.map_or(0, |_| total(resource, &groups, cluster));
        (resource, most, used)
    });
    // Nodes on their way of which nothing is known may use up what is left.
    let unsized_nodes: i64 = (groups.iter().filter(|group| group.nodes.is_empty()))
        .map(GroupState::unseen)
        .fold(0, i64::saturating_add);
    let is_limited = settings.most.iter().any(|(_, most)| most.is_some());
    for group in &mut groups {
        if is_limited && unsized_nodes > 0 && group.can == Can::May {
            group.can = Can::NotKnown;
            group.state.push(GrowthObstacle::Underway(unsized_nodes));
        }
        let quota = full_quota(group, cluster).or_else(|| full_total(group, &used, cluster));
        if quota.is_some() {
            group.can = Can::No;
        }
        group.state.extend(quota);
    }
    groups
}

fn of_status(group: &ReportedGroup, settings: &AutoscalerSettings) -> GroupState {
    let mut state = Vec::new();
    if let (true, Some(max)) = (group.is_full(), group.max) {
        state.push(GrowthObstacle::Full { size: group.target, max });
    }
    match &group.scale_up {
        ScaleUp::Backoff { code, message } => {
            state.push(GrowthObstacle::Backoff { code: code.clone(), message: message.clone() });
        }
        ScaleUp::Unhealthy => state.push(GrowthObstacle::Unhealthy),
        ScaleUp::Idle | ScaleUp::InProgress => {}
    }
    let is_growing = group.scale_up == ScaleUp::InProgress;
    let counts = is_growing || !settings.counts_only_requested();
    let missing = group.missing();
    GroupState {
        name: group.name.clone(),
        nodes: Vec::new(),
        can: if state.is_empty() { Can::May } else { Can::No },
        state,
        is_growing,
        coming: if counts { missing } else { 0 },
        not_started: group.not_started,
        unrequested: if counts { 0 } else { missing },
        growing_since: group.since.filter(|_| is_growing),
        template: None,
    }
}

/// The name under which cluster-autoscaler knows a machine group.
fn machine_group_name(group: &MachineGroup, cluster: &Cluster) -> String {
    let (namespace, name) = (cluster.text(group.namespace), cluster.text(group.name));
    format!("{}/{namespace}/{name}", group.kind.name())
}

/// A machine group, if it is scaled.
fn of_machines(group: &MachineGroup, cluster: &Cluster) -> Option<GroupState> {
    let of_openshift = cluster.autoscaling.machine_autoscalers.iter().find(|scaler| {
        group.kind == Kind::OpenShiftMachineSet
            && (scaler.namespace, scaler.target) == (group.namespace, group.name)
    });
    let max = of_openshift.map(|scaler| scaler.max).or(group.max)?;
    let size = group.replicas.unwrap_or(1);
    let state = if size >= max { vec![GrowthObstacle::Full { size, max }] } else { Vec::new() };
    Some(GroupState {
        name: machine_group_name(group, cluster),
        nodes: Vec::new(),
        can: if state.is_empty() { Can::May } else { Can::No },
        state,
        is_growing: false,
        coming: 0,
        not_started: 0,
        unrequested: 0,
        growing_since: None,
        template: None,
    })
}

/// Gives each node to its group.
fn join_nodes(groups: &mut [GroupState], cluster: &Cluster) {
    let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let pool = cluster.symbols.get(POOL_LABEL);
    for ix in cluster.node_indices() {
        let node = cluster.node(ix);
        // A node of Karpenter is in no group of cluster-autoscaler.
        if cluster.labels(node.labels).iter().any(|(key, _)| Some(*key) == pool) {
            continue;
        }
        if let Some(group) =
            membership::group_of(node, &names, cluster).and_then(|group| groups.get_mut(group))
        {
            group.nodes.push(ix);
        }
    }
}

/// The quota that allows no further node like those of a group. What a node has is not read, only
/// what pods can have of it: a quota that this exceeds, the node exceeds all the more.
fn full_quota(group: &GroupState, cluster: &Cluster) -> Option<GrowthObstacle> {
    let node = cluster.node(*group.nodes.first()?);
    let labels = cluster.labels(node.labels);
    cluster.autoscaling.quotas.iter().find_map(|quota| {
        let valid = quota.conditions.iter().find(|condition| {
            cluster.text(condition.kind) == "cluster-autoscaler.kubernetes.io/valid"
        });
        if valid.is_none_or(|condition| cluster.text(condition.status) != "True") {
            return None;
        }
        let selects = quota.is_of_all
            || quota.selector.as_ref().is_some_and(|selector| selector.matches(labels));
        if !selects {
            return None;
        }
        quota.limits.iter().find_map(|(resource, limit)| {
            let one = match cluster.text(*resource) {
                "nodes" => Quantity::from_units(1),
                "cpu" => Quantity::from_milli(node.allocatable.milli_cpu),
                "memory" => Quantity::from_units(node.allocatable.memory),
                _ => return None,
            };
            let used = amount(&quota.used, *resource)?;
            (used + one > *limit).then(|| GrowthObstacle::Quota {
                name: cluster.text(quota.name).to_owned(),
                resource: cluster.text(*resource).to_owned(),
                limit: limit.to_string(),
                used: used.to_string(),
            })
        })
    })
}

/// How much of a resource a node has, as the limits of all nodes count it. Only what pods can have
/// of it is read; of cores, a part counts as one.
fn counted(resource: &str, node: &Node) -> i64 {
    match resource {
        "cpu" => node.allocatable.milli_cpu.saturating_add(999) / 1000,
        _ => node.allocatable.memory,
    }
}

/// How much of a resource all nodes have, with those on their way.
fn total(resource: &str, groups: &[GroupState], cluster: &Cluster) -> i64 {
    let of_nodes = cluster.nodes.iter().map(|node| counted(resource, node));
    let of_unseen = groups.iter().filter_map(|group| {
        let like = cluster.node(*group.nodes.first()?);
        Some(group.unseen().saturating_mul(counted(resource, like)))
    });
    of_nodes.chain(of_unseen).fold(0, i64::saturating_add)
}

/// The flag that allows no further node like those of a group.
fn full_total(
    group: &GroupState,
    used: &[(&'static str, Option<i64>, i64); 2],
    cluster: &Cluster,
) -> Option<GrowthObstacle> {
    let like = group.nodes.first().map(|ix| cluster.node(*ix));
    used.iter().find_map(|(resource, most, used)| {
        // Even the smallest node has something.
        let one = like.map_or(1, |node| counted(resource, node));
        let most = (*most)?;
        (used.saturating_add(one) > most).then(|| {
            let (limit, used) = match *resource {
                "cpu" => (most.to_string(), used.to_string()),
                _ => (format!("{}Gi", most / GIBI), format!("{}Gi", used / GIBI)),
            };
            GrowthObstacle::Total { resource, limit, used }
        })
    })
}

/// Whether node pools may be made that are in no list: GKE's auto-provisioning and Autopilot.
pub(super) fn may_create_groups(cluster: &Cluster) -> bool {
    cluster.nodes.iter().any(|node| {
        cluster.text(node.name).starts_with("gk3-")
            || cluster
                .labels(node.labels)
                .iter()
                .any(|(key, _)| cluster.text(*key) == "cloud.google.com/gke-provisioning")
    }) || cluster.autoscaling.compute_classes.iter().any(|class| class.creates_pools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_an_image_or_server_is_read() {
        assert_eq!(version_of("v1.33.0"), Some((1, 33, 0)));
        assert_eq!(version_of("v1.32.4-gke.1106006"), Some((1, 32, 4)));
        assert_eq!(version_of("1.36"), Some((1, 36, 0)));
        assert_eq!(version_of("latest"), None);
    }
}
