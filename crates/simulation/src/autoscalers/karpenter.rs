//! Which pods Karpenter looks at, what each of its pools can do for a pod, and how far a node is
//! that it makes.
//!
//! Upstream: `sigs.k8s.io/karpenter` `pkg/utils/pod/scheduling.go`,
//! `pkg/controllers/provisioning/provisioner.go`,
//! `pkg/controllers/provisioning/scheduling/scheduler.go` (1.14.1).

use jiff::Timestamp;

use super::outlook::{AutoscalerKind, Can, ExclusionCause, GrowthObstacle, seconds};
use super::trial::{Company, NodeTrialResult, NodeTrials};
use model::cluster::autoscaling::karpenter::{NodeClaim, NodePool, POOL_LABEL};
use model::cluster::autoscaling::parts::{Amounts, ObjectCondition};
use model::cluster::node::Taint;
use model::cluster::node_selector::NodeTerm;
use model::cluster::pod_volume::PodVolume;
use model::cluster::resources::{ResourceKind, Resources};
use model::cluster::storage::BindingMode;
use model::cluster::{Cluster, NodeIx, Pod, PodIx, Quantity, Sym};
use model::edits::PlannedNode;
use model::snapshot::Kind;

use super::requirements::{Conflict, Doubt, Requirements};

/// The resource of a limit that counts nodes.
const NODES: &str = "nodes";

/// A pool, prepared for asking about pods.
pub(super) struct PreparedPool<'c> {
    pub(super) facts: &'c NodePool,
    pub(super) name: &'c str,
    pub(super) of: AutoscalerKind,
    requirements: Requirements<'c>,
    class_group: &'c str,
    /// What rules it out, or is in doubt, for every pod.
    state: Vec<GrowthObstacle>,
    /// Whether it can get a node for any pod.
    can: Can,
}

/// What a pool can do for a pod, before anything is tried.
pub(super) struct Judged {
    pub(super) can: Can,
    pub(super) causes: Vec<GrowthObstacle>,
}

impl<'c> PreparedPool<'c> {
    /// The pools in the order in which Karpenter tries them: by weight, then by name, both
    /// descending.
    pub(super) fn all(cluster: &'c Cluster, of: impl Fn(&NodePool) -> AutoscalerKind) -> Vec<Self> {
        let facts = &cluster.autoscaling;
        let mut pools: Vec<&NodePool> = facts.pools.iter().collect();
        pools.sort_by(|a, b| {
            b.weight.cmp(&a.weight).then_with(|| cluster.text(b.name).cmp(cluster.text(a.name)))
        });
        pools.into_iter().map(|pool| Self::of(pool, of(pool), cluster)).collect()
    }

    fn of(pool: &'c NodePool, of: AutoscalerKind, cluster: &'c Cluster) -> Self {
        let name = cluster.text(pool.name);
        let (can, state) = state(pool, cluster);
        Self {
            facts: pool,
            name,
            of,
            requirements: Requirements::of_pool(
                name,
                &pool.labels,
                &pool.requirements,
                &cluster.symbols,
            ),
            class_group: cluster.text(pool.class.group),
            state,
            can,
        }
    }

    /// Whether a new node may be like one of these labels: those of a pool that was changed need not
    /// meet its requirements any more.
    pub(super) fn allows(&self, labels: &[(Sym, Sym)], cluster: &Cluster) -> bool {
        labels
            .iter()
            .all(|(key, value)| self.requirements.allow(cluster.text(*key), cluster.text(*value)))
    }

    /// Whether Karpenter counts it at all.
    pub(super) fn is_dynamic(&self) -> bool {
        !self.state.iter().any(|cause| {
            matches!(
                cause,
                GrowthObstacle::Static | GrowthObstacle::Terminating | GrowthObstacle::NotReady(_)
            )
        })
    }

    /// What it can do for a pod, judged by labels, taints and limits.
    pub(super) fn judge(
        &self,
        pod: &Pod,
        wishes: &[Requirements<'c>],
        cluster: &Cluster,
    ) -> Judged {
        let mut judged = Judged { can: self.can, causes: self.state.clone() };
        let template = cluster.template(pod);
        if !template.claims.is_empty() {
            judged.causes.push(GrowthObstacle::ResourceClaims);
        }

        // A taint that only makes the node less preferred is tolerated in the end.
        if let Some(taint) = template.untolerated(&self.facts.taints, &cluster.symbols, true) {
            judged.can = Can::No;
            let taint = taint.effect.taint(taint.key, taint.value, cluster);
            judged.causes.push(GrowthObstacle::Taint(taint));
        }

        // Each alternative of the node affinity is tried in turn, so one that suits is enough.
        let mut first: Option<Vec<GrowthObstacle>> = None;
        for wanted in wishes {
            let (conflicts, doubts) = self.requirements.compare(wanted, self.class_group);
            if conflicts.is_empty() {
                let doubts = doubts.into_iter().map(|unclear| doubt(&unclear));
                judged.causes.extend(doubts);
                if let Some(key) = self.requirements.unknown {
                    judged.causes.push(GrowthObstacle::UnknownOperator(key.to_owned()));
                }
                return judged;
            }
            first.get_or_insert_with(|| conflicts.into_iter().map(conflict).collect());
        }
        judged.can = Can::No;
        judged.causes.extend(first.unwrap_or_default());
        judged
    }
}

/// What a pod wants of a node's labels, one for each alternative of its node affinity that Karpenter
/// can read.
pub(super) fn wishes<'c>(pod: &Pod, cluster: &'c Cluster) -> Vec<Requirements<'c>> {
    let template = cluster.template(pod);
    let selector = template.node_selector.as_deref().unwrap_or_default();
    alternatives(template.node_affinity.as_deref())
        .into_iter()
        .filter_map(|term| Requirements::of_pod(selector, term, &cluster.symbols))
        .collect()
}

/// The alternatives of a required node affinity; one without conditions if there is none.
fn alternatives(terms: Option<&[NodeTerm]>) -> Vec<Option<&NodeTerm>> {
    match terms {
        None | Some([]) => vec![None],
        Some(terms) => terms.iter().map(Some).collect(),
    }
}

fn conflict(conflict: Conflict) -> GrowthObstacle {
    match conflict {
        Conflict::Values { key, wanted, given } => {
            GrowthObstacle::Requirement { key: key.to_owned(), pod: wanted, pool: given }
        }
        Conflict::Undefined(key) => GrowthObstacle::NoSuchLabel(key.to_owned()),
    }
}

fn doubt(doubt: &Doubt) -> GrowthObstacle {
    match doubt {
        Doubt::Provider(key) => GrowthObstacle::ProviderLabel((*key).to_owned()),
        Doubt::MinValues(key) => GrowthObstacle::MinValues((*key).to_owned()),
        Doubt::MinValuesOfTypes(key) => GrowthObstacle::MinValuesOfTypes((*key).to_owned()),
    }
}

/// What rules a pool out for every pod, or brings it near to a limit.
fn state(pool: &NodePool, cluster: &Cluster) -> (Can, Vec<GrowthObstacle>) {
    let mut causes = Vec::new();
    if pool.is_static {
        causes.push(GrowthObstacle::Static);
    }
    if pool.is_terminating {
        causes.push(GrowthObstacle::Terminating);
    }
    if let Some(condition) = ObjectCondition::find(&pool.conditions, "Ready", &cluster.symbols)
        && cluster.text(condition.status) != "True"
    {
        // The condition summarizes others; the failing one has the reason.
        let failing = pool.conditions.iter().find(|part| {
            cluster.text(part.status) == "False"
                && cluster.text(part.kind) != "Ready"
                && cluster.text(part.kind) != "NodeRegistrationHealthy"
        });
        let reason = cluster.text(failing.unwrap_or(condition).reason);
        causes.push(GrowthObstacle::NotReady(reason.to_owned()));
    }
    let mut can = if causes.is_empty() { Can::May } else { Can::No };
    for (resource, limit) in &pool.limits {
        let cause = near_limit(pool, *resource, *limit, cluster);
        match &cause {
            Some(GrowthObstacle::TooLittleLeft { .. }) => can = can.max(Can::AtLimit),
            Some(_) => can = Can::No,
            None => {}
        }
        causes.extend(cause);
    }
    (can, causes)
}

/// How near a pool is to one of its limits, if that matters.
fn near_limit(
    pool: &NodePool,
    resource: Sym,
    limit: Quantity,
    cluster: &Cluster,
) -> Option<GrowthObstacle> {
    let name = cluster.text(resource);
    if name == NODES {
        let nodes = Quantity::from_units(nodes_of(pool, cluster));
        return (nodes >= limit).then(|| GrowthObstacle::NodesLimit { limit: limit.to_string() });
    }
    let used = used(pool, resource, cluster);
    // Every node has some cpu and memory; of another resource it may have none.
    let every_node_has_some = matches!(name, "cpu" | "memory");
    if used > limit || used == limit && every_node_has_some {
        return Some(GrowthObstacle::UsedUp {
            resource: name.to_owned(),
            limit: limit.to_string(),
            used: used.to_string(),
        });
    }
    let smallest = claims_of(pool, cluster)
        .filter(|claim| !claim.capacity.is_empty())
        .map(|claim| amount(&claim.capacity, resource).unwrap_or(Quantity::ZERO))
        .min()?;
    (used + smallest > limit).then(|| GrowthObstacle::TooLittleLeft {
        resource: name.to_owned(),
        limit: limit.to_string(),
        used: used.to_string(),
        smallest: smallest.to_string(),
    })
}

/// How much the nodes of a pool have of a resource. Those that go do not count; the pool's status,
/// which lags behind, is used where claims are missing.
fn used(pool: &NodePool, resource: Sym, cluster: &Cluster) -> Quantity {
    let reported = amount(&pool.used, resource).unwrap_or(Quantity::ZERO);
    let (mut all, mut staying) = (Quantity::ZERO, Quantity::ZERO);
    for claim in claims_of(pool, cluster) {
        let capacity = amount(&claim.capacity, resource).unwrap_or(Quantity::ZERO);
        all += capacity;
        if !is_leaving(claim, cluster) {
            staying += capacity;
        }
    }
    if all >= reported { staying } else { reported }
}

/// Whether a claim is being deleted, or its node is.
fn is_leaving(claim: &NodeClaim, cluster: &Cluster) -> bool {
    claim.is_terminating
        || cluster.find_node(cluster.text(claim.node)).is_some_and(|node| {
            let taints = &cluster.node(node).taints;
            taints.iter().any(|taint| cluster.text(taint.key) == "karpenter.sh/disrupted")
        })
}

/// The pods on nodes that go, which Karpenter places together with those that wait.
///
/// Upstream: `pkg/controllers/state/statenode.go` `CurrentlyReschedulablePods` (1.14.1).
pub(super) fn displaced(cluster: &Cluster) -> Vec<PodIx> {
    let leaving = cluster.autoscaling.claims.iter().filter(|claim| is_leaving(claim, cluster));
    let nodes = leaving.filter_map(|claim| cluster.find_node(cluster.text(claim.node)));
    let pods = nodes.flat_map(|node| cluster.pods_on(node).iter().copied());
    pods.filter(|ix| {
        let pod = cluster.pod(*ix);
        pod.is_running() && !pod.is_terminating() && exclusion(pod, cluster).is_none()
    })
    .collect()
}

/// Whether a node of a pool is larger than what is left below one of the pool's limits: a new one
/// of its size is not made.
pub(super) fn exceeds_limits(pool: &NodePool, node: NodeIx, cluster: &Cluster) -> bool {
    let node = cluster.node(node);
    let claim = claims_of(pool, cluster).find(|claim| claim.node == node.name);
    pool.limits.iter().any(|(resource, limit)| {
        // Without its claim, what pods can have of it is the least that it has.
        let size = match (claim.and_then(|claim| amount(&claim.capacity, *resource)), resource) {
            (Some(capacity), _) => capacity,
            (None, resource) => match cluster.text(*resource) {
                "cpu" => Quantity::from_milli(node.allocatable.milli_cpu),
                "memory" => Quantity::from_units(node.allocatable.memory),
                _ => Quantity::ZERO,
            },
        };
        used(pool, *resource, cluster) + size > *limit
    })
}

/// Whether this many nodes of the size of the pool's largest do not fit below one of its limits.
pub(super) fn may_exceed_limits(pool: &NodePool, nodes: i64, cluster: &Cluster) -> bool {
    pool.limits.iter().any(|(resource, limit)| {
        if cluster.text(*resource) == NODES {
            return Quantity::from_units(nodes_of(pool, cluster).saturating_add(nodes)) > *limit;
        }
        let sizes = claims_of(pool, cluster).filter_map(|claim| amount(&claim.capacity, *resource));
        let largest = sizes.max().unwrap_or(*limit);
        let mut all = used(pool, *resource, cluster);
        // A sum above the limit says enough.
        for _ in 0..nodes {
            all += largest;
            if all > *limit {
                return true;
            }
            if largest == Quantity::ZERO {
                return false;
            }
        }
        false
    })
}

pub(super) fn amount(amounts: &Amounts, resource: Sym) -> Option<Quantity> {
    amounts.iter().find(|(name, _)| *name == resource).map(|(_, amount)| *amount)
}

fn claims_of<'c>(pool: &NodePool, cluster: &'c Cluster) -> impl Iterator<Item = &'c NodeClaim> {
    let name = pool.name;
    cluster.autoscaling.claims.iter().filter(move |claim| claim.pool == name)
}

/// The number of nodes of a pool, without those that go: from its claims, or from its status where
/// claims are missing.
fn nodes_of(pool: &NodePool, cluster: &Cluster) -> i64 {
    let counted = pool.used.iter().find(|(name, _)| cluster.text(*name) == NODES);
    let reported = counted.and_then(|(_, nodes)| nodes.as_units()).unwrap_or(0);
    let all = claims_of(pool, cluster).count();
    if usize::try_from(reported).is_ok_and(|reported| all < reported) {
        return reported;
    }
    let staying = claims_of(pool, cluster).filter(|claim| !is_leaving(claim, cluster));
    i64::try_from(staying.count()).unwrap_or(i64::MAX)
}

/// Why Karpenter does not look at a pod, apart from its nomination and its condition.
pub(super) fn exclusion(pod: &Pod, cluster: &Cluster) -> Option<ExclusionCause> {
    let controller = pod.controller.map(|owner| cluster.text(owner.kind));
    if controller == Some("DaemonSet") {
        return Some(ExclusionCause::DaemonSet);
    }
    if pod.mirror || controller == Some("Node") {
        return Some(ExclusionCause::Mirror);
    }
    let template = cluster.template(pod);
    let terms = template.node_affinity.as_deref().unwrap_or_default();
    let names_a_node = terms.iter().any(|term| {
        !term.names.is_empty() || term.parsed.as_ref().is_ok_and(|(_, fields)| !fields.is_empty())
    });
    if names_a_node {
        return Some(ExclusionCause::NodeByName);
    }
    let selector = template.node_selector.as_deref().unwrap_or_default();
    let wanted = Requirements::of_pod(selector, terms.first(), &cluster.symbols)?;
    let opts_out = wanted.get(POOL_LABEL).is_some_and(super::requirements::LabelValues::is_absence);
    if opts_out {
        return Some(ExclusionCause::OptsOut);
    }
    faulty_volume(pod, cluster).map(|fault| ExclusionCause::Volume(fault.text))
}

/// What is wrong with a volume claim of a pod, so that no new node helps.
pub(super) struct VolumeFault {
    /// As a clause.
    pub(super) text: String,
    /// Whether kube-scheduler rejects the pod for it on every node, too.
    pub(super) is_for_all: bool,
}

/// The first volume claim for which Karpenter passes over the pod.
///
/// Upstream: `pkg/controllers/provisioning/scheduling/volumetopology.go`
/// `ValidatePersistentVolumeClaims` (1.14.1).
pub(super) fn faulty_volume(pod: &Pod, cluster: &Cluster) -> Option<VolumeFault> {
    let fault = |text: String, is_for_all: bool| Some(VolumeFault { text, is_for_all });
    for volume in cluster.volumes_of(pod) {
        let PodVolume::Claim(of_pod) = volume else { continue };
        let name = &of_pod.name;
        let Some(claim) = of_pod.claim else {
            if cluster.unread(Kind::PersistentVolumeClaim).is_some() {
                continue;
            }
            return fault(format!("claim {name} does not exist"), true);
        };
        if claim.deleting {
            return fault(format!("claim {name} is being deleted"), true);
        }
        if claim.lost {
            return fault(format!("claim {name} has lost its volume"), true);
        }
        if !claim.volume_name.is_empty() {
            if claim.bind_completed {
                continue;
            }
            return fault(format!("claim {name} is not bound to its volume yet"), true);
        }

        // It is unbound: only a class that waits for the pod gets it a volume on a new node.
        let Some(class) = claim.spec_class.filter(|class| !class.is_empty()) else {
            return fault(format!("claim {name} is not bound and names no class"), false);
        };
        let class_name = cluster.text(class);
        match cluster.storage.class(class) {
            None if cluster.unread(Kind::StorageClass).is_some() => {}
            None => {
                let text = format!("class {class_name} of claim {name} does not exist");
                return fault(text, false);
            }
            Some(class) if class.mode == BindingMode::Immediate => {
                let text =
                    format!("claim {name} is not bound, and class {class_name} waits for no node");
                return fault(text, true);
            }
            Some(_) => {}
        }
    }
    None
}

/// How far a claim is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClaimProgress {
    /// It is on its way: a clause.
    Coming(String),
    /// Its node is ready.
    Ready,
    /// The cloud did not give the instance: its message.
    NotLaunched(String),
    /// It is being deleted, or will be: why it has become no node.
    Gone(String),
}

/// How long a claim waits for its instance, and for its node, before Karpenter deletes it.
///
/// Upstream: `pkg/controllers/nodeclaim/lifecycle/liveness.go` (1.14.1).
const LAUNCH_TIME: i64 = 5 * 60;
pub(super) const REGISTRATION_TIME: i64 = 15 * 60;
/// How long its controller may lag behind.
const LAG: i64 = 60;

impl ClaimProgress {
    /// How far a claim is, at the time `now`.
    pub(super) fn of(claim: &NodeClaim, cluster: &Cluster, now: Timestamp) -> Self {
        let status = |kind: &str| {
            let condition = ObjectCondition::find(&claim.conditions, kind, &cluster.symbols);
            condition.map(|condition| (cluster.text(condition.status) == "True", condition))
        };
        // Each step has its own time, which begins when its condition is first set.
        let waited_for = |step: Option<(bool, &ObjectCondition)>| {
            let since = step.and_then(|(_, condition)| condition.since).or(claim.created);
            since.map_or(0, |since| now.as_second() - since.as_second())
        };
        let waited = waited_for(status("Registered"));
        let is_registered = status("Registered").is_some_and(|(is_true, _)| is_true);
        if claim.is_terminating {
            return Self::Gone(if is_registered {
                "it is being deleted".to_owned()
            } else {
                format!("it is being deleted: not a node after {}", seconds(waited))
            });
        }
        if !is_registered && waited > REGISTRATION_TIME + LAG {
            return Self::Gone(format!("it is not a node after {}", seconds(waited)));
        }
        let launched = match status("Launched") {
            Some((true, condition)) => condition,
            Some((false, condition))
                if cluster.text(condition.reason) == "AwaitingReconciliation" =>
            {
                let waited = waited_for(status("Launched"));
                if waited > LAUNCH_TIME + LAG {
                    return Self::Gone(format!("no instance after {}", seconds(waited)));
                }
                return Self::Coming(format!("asked for{}", ago(claim.created, now)));
            }
            Some((false, condition)) => {
                // The reason is what fits into a line.
                let (reason, message) = (cluster.text(condition.reason), &*condition.message);
                return Self::NotLaunched(match (reason, message) {
                    (reason, "") => reason.to_owned(),
                    ("", message) => message.to_owned(),
                    (reason, message) if message.starts_with(reason) => message.to_owned(),
                    (reason, message) => format!("{reason}: {message}"),
                });
            }
            None => return Self::Coming(format!("asked for{}", ago(claim.created, now))),
        };
        let Some((true, registered)) = status("Registered") else {
            let since = ago(launched.since, now);
            return Self::Coming(format!("its instance started{since}, it is not yet a node"));
        };
        match status("Initialized") {
            Some((true, _)) => Self::Ready,
            waits => {
                let why = waits.map(|(_, condition)| match cluster.text(condition.reason) {
                    "NodeNotReady" => ", waits to get ready".to_owned(),
                    _ if condition.message.is_empty() => {
                        format!(", waits: {}", cluster.text(condition.reason))
                    }
                    _ => format!(", waits: {}", condition.message),
                });
                Self::Coming(format!(
                    "registered{}{}",
                    ago(registered.since, now),
                    why.unwrap_or_default()
                ))
            }
        }
    }
}

/// Whether the node that a claim becomes takes the pod, beside pods that are meant for it; `None`
/// if what it will have is not known. Its start-up taints are gone by then.
///
/// Upstream: `pkg/controllers/state/statenode.go` (1.14.1).
pub(super) fn room_in(
    claim: &NodeClaim,
    like: Option<NodeIx>,
    company: Company,
    cluster: &Cluster,
    trials: &mut NodeTrials,
) -> Option<NodeTrialResult> {
    if let Some(node) = cluster.find_node(cluster.text(claim.node)) {
        let taints = &cluster.node(node).taints;
        let staying = taints.iter().filter(|taint| !is_of_start(taint, claim, cluster));
        let staying: Vec<Taint> = staying.cloned().collect();
        return Some(trials.started(node, &staying, company));
    }
    if claim.allocatable.is_empty() {
        return None;
    }
    let mut pods = 0;
    let mut allocatable = Resources::default();
    for (name, quantity) in &claim.allocatable {
        let kind = ResourceKind::of(cluster.text(*name));
        let amount = kind.count(*quantity);
        if kind == ResourceKind::Pods {
            pods = amount;
        }
        allocatable.add(kind, *name, amount);
    }
    let plan = PlannedNode {
        name: cluster.text(claim.name).to_owned(),
        labels: cluster.labels(claim.labels).to_vec(),
        taints: claim.taints.to_vec(),
        allocatable,
        pods,
    };
    Some(trials.planned(plan, like, company))
}

fn ago(since: Option<Timestamp>, now: Timestamp) -> String {
    since.map_or_else(String::new, |since| {
        format!(" {} ago", seconds(now.as_second() - since.as_second()))
    })
}

/// Whether a taint goes once the claim's node has started.
fn is_of_start(taint: &Taint, claim: &NodeClaim, cluster: &Cluster) -> bool {
    let key = cluster.text(taint.key);
    let mut own = claim.startup_taints.iter();
    own.any(|own| own.key == taint.key && own.effect == taint.effect)
        || key.starts_with("readiness.k8s.io/")
        || [
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
            "node.cloudprovider.kubernetes.io/uninitialized",
            "karpenter.sh/unregistered",
        ]
        .contains(&key)
}
