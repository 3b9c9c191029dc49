//! Proposes what may help, from the obstacles on the nodes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::super::Decision;
use super::super::lingering;
use super::super::nearest::{Against, Distance, Unmeetable};
use super::obstacles::{self, Obstacles};
use super::trial::RemedyTrials;
use super::victims::{self, remove};
use super::{Proposal, RemedyKind};
use crate::framework::cycle::{PreFilter, PreparedCycle};
use crate::framework::evidence::{InsufficientResource, RejectedOn};
use crate::framework::operands::ResourceId;
use crate::framework::status::FilterVerdict;
use crate::plugins;
use model::cluster::Cluster;
use model::cluster::node::{NodeIx, Taint};
use model::cluster::pod::PodIx;
use model::cluster::resources::ResourceKind;
use model::cluster::system_taint::{SystemTaint, TaintRole};
use model::edits::{Edit, TaintPattern, stays_when_drained};

/// Maximum number of nodes for which the same is proposed.
const NODES_TRIED: usize = 3;
/// Memory is requested in whole mebibytes.
const MEBIBYTE: i64 = 1 << 20;
/// Large amounts of memory are requested in whole gibibytes.
const GIBIBYTE: i64 = 1 << 30;

/// The age up to which a node that is not ready counts as still starting.
const YOUNG: SignedDuration = SignedDuration::from_mins(10);

/// A node and the pod's obstacles there.
struct Place {
    node: NodeIx,
    name: String,
    obstacles: Obstacles,
    distance: Distance,
}

impl Place {
    fn of(
        node: NodeIx,
        decision: &Decision,
        prepared: &PreparedCycle,
        unmeetable: &[Unmeetable],
    ) -> Self {
        let refusals = prepared.refusals(node);
        let rejections = refusals.iter().filter_map(|(plugin, verdict)| match verdict {
            FilterVerdict::Rejected(rejection) => Some(Against::of(plugin, rejection)),
            FilterVerdict::Fits | FilterVerdict::Failed(_) => None,
        });
        let against: Vec<Against> = rejections.flatten().collect();
        let cluster = decision.view.cluster;
        Self {
            node,
            name: cluster.node_name(node).to_owned(),
            distance: decision.distance(node, &against, unmeetable),
            obstacles: Obstacles::of(prepared, node, &refusals),
        }
    }
}

/// All proposals, the least disruptive first, and within a kind the nearest nodes first.
pub(super) fn all(trials: &mut RemedyTrials) -> Vec<Proposal> {
    let decision = trials.decision;
    let cluster = decision.view.cluster;
    let own = cluster.pod(decision.pod).priority;
    let plugins = plugins::filters(&decision.profile().plugins);
    let prepared = PreparedCycle::new(decision.view, decision.pod, decision.now, &plugins);
    if let PreFilter::Rejected { rejection, .. } = decision.pre_filter() {
        let mut obstacles = Obstacles::default();
        for reason in &rejection.reasons {
            match &reason.evidence {
                Some(evidence) => obstacles.add(&**evidence, &prepared, NodeIx(0)),
                None => obstacles.fixed = true,
            }
        }
        let mut proposals: Vec<Proposal> =
            holders(&obstacles, None, own, cluster).into_iter().collect();
        for pod in &obstacles.holders {
            proposals.extend(old_pod(*pod, None, decision));
        }
        return proposals;
    }
    let nodes = obstacles::promising(decision);
    let unmeetable = decision.unmeetable_at_first();
    let mut places: Vec<Place> =
        nodes.iter().map(|node| Place::of(*node, decision, &prepared, &unmeetable)).collect();
    places.sort_by_key(|place| (place.distance, place.obstacles.share(), place.node));

    let mut proposals = waits(&places, cluster, decision.now);
    proposals.extend(stuck(&places, cluster, decision.now));
    proposals.extend(old_pods(&places, decision));
    proposals.extend(uncordoned(&places));
    proposals.extend(once_ready(&places, cluster, decision.now));
    proposals.extend(new_nodes(&places, decision));
    proposals.extend(lower_requests(&places, decision.pod, cluster));
    proposals.extend(labels(&places, decision));
    proposals.extend(tolerations(&places));
    proposals.extend(freed(&places, cluster));
    let open = places.iter().filter(|place| place.obstacles.is_open()).take(NODES_TRIED);
    proposals.extend(open.filter_map(|place| holders(&place.obstacles, Some(place), own, cluster)));
    proposals.extend(device_holders(&places, own, cluster));
    proposals.extend(victims::proposals(trials, &nodes));
    proposals.extend(untainted(&places));
    proposals.sort_by_key(|proposal| proposal.kind);
    let mut seen = Vec::new();
    proposals.retain(|proposal| {
        let is_new = !seen.contains(&proposal.edits);
        seen.push(proposal.edits.clone());
        is_new
    });
    proposals
}

/// Terminating pods on a node that only lacks resources. A pod that is overdue may stay for ever,
/// so it does not count.
fn waits(places: &[Place], cluster: &Cluster, now: Timestamp) -> Vec<Proposal> {
    let open = places.iter().filter(|place| place.obstacles.is_open());
    open.filter_map(|place| {
        let pods = cluster
            .pods_on(place.node)
            .iter()
            .copied()
            .filter(|pod| cluster.pod(*pod).deletion.is_some_and(|due| due >= now));
        let edits: Vec<Edit> = pods.map(|pod| remove(pod, cluster)).collect();
        (!edits.is_empty()).then(|| Proposal {
            kind: RemedyKind::Wait,
            edits,
            node: Some(place.name.clone()),
        })
    })
    .take(NODES_TRIED)
    .collect()
}

/// Terminating pods that should be gone already, on a node that only lacks resources. Evicting them
/// once more does not help.
fn stuck(places: &[Place], cluster: &Cluster, now: Timestamp) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for place in places.iter().filter(|place| place.obstacles.is_open()) {
        let mut edits = Vec::new();
        for pod in cluster.pods_on(place.node) {
            edits.extend(lingering::of(*pod, cluster, now).map(|_| remove(*pod, cluster)));
        }
        if !edits.is_empty() {
            let node = Some(place.name.clone());
            proposals.push(Proposal { kind: RemedyKind::EndStuckPod, edits, node });
        }
    }
    proposals.truncate(NODES_TRIED);
    proposals
}

/// Pods of the same Deployment's old ReplicaSets, on nodes that only lack what they hold. A rolling
/// update that may not go below the wanted number of pods ends an old pod only once the new one is
/// ready, which waits for what the old one holds.
fn old_pods(places: &[Place], decision: &Decision) -> Vec<Proposal> {
    let cluster = decision.view.cluster;
    let mut proposals = Vec::new();
    for place in places.iter().filter(|place| place.obstacles.is_open()) {
        for pod in cluster.pods_on(place.node) {
            proposals.extend(old_pod(*pod, Some(place), decision));
        }
        if proposals.len() >= NODES_TRIED {
            break;
        }
    }
    proposals.truncate(NODES_TRIED);
    proposals
}

/// The deletion of `ix`, if it is an older pod of the same Deployment and of another ReplicaSet.
fn old_pod(ix: PodIx, place: Option<&Place>, decision: &Decision) -> Option<Proposal> {
    let cluster = decision.view.cluster;
    let (old, new) = (cluster.pod(ix), cluster.pod(decision.pod));
    let (of_old, of_new) = (old.controller?, new.controller?);
    let is_alike = old.namespace == new.namespace
        && of_old.kind == of_new.kind
        && of_old.name != of_new.name
        && !old.is_terminating()
        && old.priority <= new.priority
        && old.created <= new.created;
    if !is_alike {
        return None;
    }
    let workload = cluster.workload(new);
    (workload.kind == "Deployment" && cluster.workload(old) == workload).then(|| Proposal {
        kind: RemedyKind::ReplaceOldPod,
        edits: vec![remove(ix, cluster)],
        node: place.map(|place| place.name.clone()),
    })
}

/// The largest requests that fit on a node which only lacks resources, for every set of resources.
fn lower_requests(places: &[Place], pod: PodIx, cluster: &Cluster) -> Vec<Proposal> {
    let mut best: BTreeMap<Vec<String>, (i64, Proposal)> = BTreeMap::new();
    for place in places.iter().filter(|place| place.obstacles.is_only_lack()) {
        let lacks = &place.obstacles.lacks;
        let offers: Option<Vec<(i64, Edit)>> =
            lacks.iter().map(|lack| smaller(lack, pod, cluster)).collect();
        let Some(offers) = offers else { continue };
        let share = offers.iter().map(|(share, _)| *share).min().unwrap_or(0);
        let names = lacks.iter().map(|lack| lack.resource.name(cluster).to_owned()).collect();
        let edits = offers.into_iter().map(|(_, edit)| edit).collect();
        let proposal =
            Proposal { kind: RemedyKind::LowerRequest, edits, node: Some(place.name.clone()) };
        if best.get(&names).is_none_or(|(least, _)| *least < share) {
            best.insert(names, (share, proposal));
        }
    }
    // Lowering more requests is worth it only if each is lowered less.
    let mut proposals: Vec<&(i64, Proposal)> = best
        .iter()
        .filter(|(names, (share, _))| {
            !best.iter().any(|(fewer, (better, _))| {
                fewer.len() < names.len()
                    && better >= share
                    && fewer.iter().all(|name| names.contains(name))
            })
        })
        .map(|(_, proposal)| proposal)
        .collect();
    proposals.sort_by_key(|(share, proposal)| (proposal.edits.len(), -*share));
    proposals.into_iter().map(|(_, proposal)| proposal.clone()).collect()
}

/// The request that the free amount satisfies, as written in the manifest, with the free share of
/// the pod's request in millionths. `None` if no container can request so little, because others
/// and the overhead take more, or if it is less than half.
fn smaller(lack: &InsufficientResource, pod: PodIx, cluster: &Cluster) -> Option<(i64, Edit)> {
    if lack.resource == ResourceId::Pods {
        return None;
    }
    let name = lack.resource.name(cluster);
    let (written, kind) =
        (cluster.deciding_request(pod, cluster.symbols.get(name)?)?, ResourceKind::of(name));
    // The overhead and the other containers stay: the whole shortfall is taken from this one
    // request.
    let amount = kind.count(written.amount).saturating_sub(lack.missing());
    let amount = match lack.resource {
        ResourceId::Memory | ResourceId::EphemeralStorage if amount > MEBIBYTE => {
            let coarse = amount - amount % unit_of(amount);
            if coarse < kind.count(written.least) { amount - amount % MEBIBYTE } else { coarse }
        }
        _ => amount,
    };
    // Below half of what was asked for, it is no longer the same workload.
    let is_too_little = amount.saturating_mul(2) < kind.count(written.amount);
    if amount <= 0 || is_too_little || amount < kind.count(written.least) {
        return None;
    }
    let share = i128::from(lack.free()) * 1_000_000 / i128::from(lack.requested.max(1));
    let edit =
        Edit::Request { resource: name.to_owned(), amount: lack.resource.amount(amount, cluster) };
    Some((i64::try_from(share).unwrap_or(i64::MAX), edit))
}

/// The labels that the pod asks for, on the nearest nodes with no other obstacle. Where the pod
/// selects some node already, such nodes are a pool, and what makes the pool need not show in others.
fn labels(places: &[Place], decision: &Decision) -> Vec<Proposal> {
    let cluster = decision.view.cluster;
    let selects_some = cluster
        .node_indices()
        .any(|node| !RejectedOn { view: decision.view, pod: decision.pod, node }.is_unselected());
    if selects_some {
        return Vec::new();
    }
    let mut proposals = Vec::new();
    for place in places.iter().filter(|place| place.obstacles.is_only_unlabelled()) {
        let mut edits = Vec::new();
        for (key, value) in &place.obstacles.labels {
            edits.push(Edit::LabelNode {
                node: place.name.clone(),
                key: cluster.text(*key).to_owned(),
                value: cluster.text(*value).to_owned(),
            });
        }
        proposals.push(Proposal {
            kind: RemedyKind::LabelNode,
            edits,
            node: Some(place.name.clone()),
        });
    }
    proposals.truncate(NODES_TRIED);
    proposals
}

/// Tolerations for nodes where only taints are against the pod, those that open the most nodes
/// first.
fn tolerations(places: &[Place]) -> Vec<Proposal> {
    let mut groups: Vec<(&Vec<TaintPattern>, usize, &Place)> = Vec::new();
    for place in places.iter().filter(|place| place.obstacles.is_only_tainted()) {
        match groups.iter_mut().find(|(taints, ..)| **taints == place.obstacles.taints) {
            Some((_, nodes, _)) => *nodes += 1,
            None => groups.push((&place.obstacles.taints, 1, place)),
        }
    }
    groups.sort_by_key(|(taints, nodes, place)| {
        (taints.len(), std::cmp::Reverse(*nodes), place.node)
    });
    groups
        .iter()
        .take(NODES_TRIED)
        .map(|(taints, _, place)| Proposal {
            kind: RemedyKind::Tolerate,
            edits: taints.iter().map(|taint| Edit::Toleration { taint: taint.clone() }).collect(),
            node: Some(place.name.clone()),
        })
        .collect()
}

/// Nodes like those of the nearest pool that are full, one of each size. Where there are healthy
/// ones, a node that is cordoned, ill, leaving or of the control plane is no model. A node with a
/// start-up taint never is one: whoever removes the taint has not done so there, and a new node
/// would have it as well.
fn new_nodes(places: &[Place], decision: &Decision) -> Vec<Proposal> {
    let cluster = decision.view.cluster;
    let mut models: Vec<&Place> = Vec::new();
    for place in places {
        let obstacles = &place.obstacles;
        let is_closed_for_good =
            obstacles.fixed || obstacles.reserved || !obstacles.is_for_the_pod();
        let is_closed_for_good = is_closed_for_good || is_starting(&obstacles.state);
        if !is_closed_for_good && obstacles.is_enough_when_empty() {
            models.push(place);
        }
    }
    let is_good = |place: &&Place| {
        place.obstacles.is_healthy() && !cluster.node(place.node).is_control_plane(cluster)
    };
    if models.iter().any(is_good) {
        models.retain(is_good);
    }
    // The nearest node of each size is the one to copy.
    let mut sizes: BTreeSet<NodeSize> = BTreeSet::new();
    models.retain(|place| sizes.insert(size(place.node, cluster)));
    models.sort_by_key(|place| (place.distance.nearness, size(place.node, cluster), place.node));
    let mut nodes: Vec<NodeIx> = models.iter().map(|place| place.node).collect();
    if nodes.is_empty() {
        nodes = suitable_kinds(decision);
    }
    let proposals = nodes.iter().take(NODES_TRIED).map(|node| Proposal {
        kind: RemedyKind::AddNode,
        edits: vec![Edit::AddNodeLike { node: cluster.node_name(*node).to_owned() }],
        node: None,
    });
    proposals.collect()
}

/// Whether one of these taints is set until a new node is set up.
fn is_starting(taints: &[String]) -> bool {
    let mut roles = taints.iter().filter_map(|key| SystemTaint::of(key));
    roles.any(|system| system.role == TaintRole::Starting)
}

/// CPU, memory, storage and pods of an empty node.
type NodeSize = (i64, i64, i64, i64);

fn size(node: NodeIx, cluster: &Cluster) -> NodeSize {
    let node = cluster.node(node);
    let has = &node.allocatable;
    (has.milli_cpu, has.memory, has.ephemeral_storage, node.allocatable_pods)
}

/// A node of each size that the pod asks for and that is large enough when empty, the smallest
/// first. What keeps the pod off them now, such as pods that it must not be beside, may not be on a
/// new one.
fn suitable_kinds(decision: &Decision) -> Vec<NodeIx> {
    let cluster = decision.view.cluster;
    let template = cluster.template(cluster.pod(decision.pod));
    let wants = decision.view.requested_by(decision.pod);
    let mut sizes: BTreeSet<NodeSize> = BTreeSet::new();
    let mut nodes: Vec<NodeIx> = Vec::new();
    for ix in cluster.node_indices() {
        let node = cluster.node(ix);
        let has = &node.allocatable;
        let is_enough = wants.milli_cpu <= has.milli_cpu
            && wants.memory <= has.memory
            && wants.ephemeral_storage <= has.ephemeral_storage
            && wants
                .scalars
                .iter()
                .all(|(name, amount)| *amount <= has.scalar(*name).unwrap_or_default());
        let here = RejectedOn { view: decision.view, pod: decision.pod, node: ix };
        let is_starting = here.untolerated_taints().any(|taint| {
            taint.system(cluster).is_some_and(|system| system.role == TaintRole::Starting)
        });
        if is_starting || here.is_reserved() {
            continue;
        }
        // A new node has no taints of a passing state.
        let lasting: Vec<Taint> =
            node.taints.iter().filter(|taint| !taint.is_of_state(cluster)).cloned().collect();
        if is_enough
            && template.selects(cluster.node_facts(node), &cluster.symbols)
            && template.untolerated(&lasting, &cluster.symbols, true).is_none()
            && sizes.insert(size(ix, cluster))
        {
            nodes.push(ix);
        }
    }
    nodes.sort_by_key(|ix| (size(*ix, cluster), *ix));
    nodes
}

/// Free resources on the nodes that lack the least.
fn freed(places: &[Place], cluster: &Cluster) -> Vec<Proposal> {
    places
        .iter()
        .filter(|place| place.obstacles.is_only_lack() && place.obstacles.is_enough_when_empty())
        .take(NODES_TRIED)
        .map(|place| Proposal {
            kind: RemedyKind::FreeResources,
            edits: free(place, cluster).into_iter().collect(),
            node: Some(place.name.clone()),
        })
        .collect()
}

/// The unit in which a person would write this many bytes: `53Gi`, not `54270Mi`.
fn unit_of(bytes: i64) -> i64 {
    if bytes >= 10 * GIBIBYTE { GIBIBYTE } else { MEBIBYTE }
}

/// The amount rounded up to the unit in which a person would write it.
fn rounded_up(resource: ResourceId, amount: i64) -> i64 {
    match resource {
        ResourceId::Memory | ResourceId::EphemeralStorage if amount > MEBIBYTE => {
            let unit = unit_of(amount);
            amount.saturating_add(unit - 1) / unit * unit
        }
        _ => amount,
    }
}

/// The edit that frees what the node lacks, if it lacks anything.
fn free(place: &Place, cluster: &Cluster) -> Option<Edit> {
    let resources: BTreeMap<String, String> = place
        .obstacles
        .lacks
        .iter()
        .map(|lack| {
            let missing = rounded_up(lack.resource, lack.missing());
            (lack.resource.name(cluster).to_owned(), lack.resource.amount(missing, cluster))
        })
        .collect();
    (!resources.is_empty()).then(|| Edit::Free { node: place.name.clone(), resources })
}

/// Evicts pods that hold what the pod needs, on nodes with enough resources. Never evicts a pod of
/// higher priority.
fn holders(
    obstacles: &Obstacles,
    place: Option<&Place>,
    own: i32,
    cluster: &Cluster,
) -> Option<Proposal> {
    let pods: Vec<PodIx> =
        obstacles.holders.iter().chain(&obstacles.device_holders).copied().collect();
    let some_stays = pods.iter().any(|pod| {
        let pod = cluster.pod(*pod);
        stays_when_drained(pod, cluster) || pod.is_terminating()
    });
    if pods.is_empty() || some_stays || !obstacles.is_enough_when_empty() {
        return None;
    }
    let highest = pods
        .iter()
        .map(|pod| cluster.pod(*pod).priority)
        .max()
        .filter(|highest| *highest <= own)?;
    let room = place.and_then(|place| free(place, cluster));
    Some(Proposal {
        kind: if highest < own { RemedyKind::EvictPods } else { RemedyKind::EvictEqualOrHigher },
        edits: pods.iter().map(|pod| remove(*pod, cluster)).chain(room).collect(),
        node: place.map(|place| place.name.clone()),
    })
}

/// Evicts pods that hold devices, for which kube-scheduler does not preempt.
fn device_holders(places: &[Place], own: i32, cluster: &Cluster) -> Vec<Proposal> {
    let mut held: Vec<&Place> = places.iter().filter(|place| place.obstacles.is_open()).collect();
    held.retain(|place| !place.obstacles.device_holders.is_empty());
    held.sort_by_key(|place| {
        let holders = &place.obstacles.device_holders;
        (holders.iter().map(|pod| cluster.pod(*pod).priority).max(), holders.len(), place.node)
    });
    held.iter()
        .take(NODES_TRIED)
        .filter_map(|place| holders(&place.obstacles, Some(place), own, cluster))
        .collect()
}

/// Nodes whose cordon is the only obstacle.
fn uncordoned(places: &[Place]) -> Vec<Proposal> {
    places
        .iter()
        .filter(|place| place.obstacles.is_only_cordoned())
        .take(NODES_TRIED)
        .map(|place| Proposal {
            kind: RemedyKind::Uncordon,
            edits: vec![Edit::Uncordon { node: place.name.clone() }],
            node: Some(place.name.clone()),
        })
        .collect()
}

/// Nodes that would take the pod if they were ready. One that is young, or has a start-up taint,
/// will become ready; others need repair.
fn once_ready(places: &[Place], cluster: &Cluster, now: Timestamp) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for place in places.iter().filter(|place| place.obstacles.is_only_unready()) {
        let keys = &place.obstacles.state;
        let is_young = cluster
            .node(place.node)
            .created
            .is_some_and(|created| now.duration_since(created) < YOUNG);
        proposals.push(Proposal {
            kind: if is_young || is_starting(keys) {
                RemedyKind::AwaitNode
            } else {
                RemedyKind::RepairNode
            },
            edits: keys
                .iter()
                .map(|key| Edit::RemoveTaint {
                    node: place.name.clone(),
                    taint: TaintPattern { key: key.clone(), value: None, effect: None },
                })
                .collect(),
            node: Some(place.name.clone()),
        });
    }
    proposals.truncate(2 * NODES_TRIED);
    proposals
}

/// Removes the taints that reserve a node, where they are the only obstacle.
fn untainted(places: &[Place]) -> Vec<Proposal> {
    places
        .iter()
        .filter(|place| place.obstacles.is_only_tainted() && !place.obstacles.taints_of_programs())
        .take(NODES_TRIED)
        .map(|place| Proposal {
            kind: RemedyKind::RemoveTaint,
            edits: place
                .obstacles
                .taints
                .iter()
                .map(|one| Edit::RemoveTaint { node: place.name.clone(), taint: one.clone() })
                .collect(),
            node: Some(place.name.clone()),
        })
        .collect()
}
