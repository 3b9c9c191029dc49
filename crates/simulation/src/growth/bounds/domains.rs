//! Limits of pods that are alike which hold for whole domains of nodes, such as zones: a spread
//! constraint, and anti-affinity among themselves.
//!
//! With a spread constraint that counts the pods themselves, the last pod of a domain came when the
//! domain had at most `maxSkew` more than the emptiest one. Counts only grow while no pod leaves. So
//! in the end every domain that got a pod has at most `maxSkew` more than the emptiest one, whatever
//! the order. The fewest new nodes are looked for for each count of the emptiest domain.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{AFFINITY, Bound, BoundReason, Class, Demand, SPREAD};
use model::cluster::selector::label;
use model::cluster::{NodeIx, PodIx, Sym};
use scheduler::decision::prepare;
use scheduler::plugins::inter_pod_affinity::keys_apart;
use scheduler::plugins::pod_topology_spread::{self, SpreadLimit};

/// The nodes with the same value of a label, and those without it each by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DomainKey {
    Value(Sym),
    Node(NodeIx),
}

/// How many pods of a class the nodes of a domain take, whatever the limit says.
#[derive(Debug, Clone, Copy, Default)]
struct Domain {
    /// All nodes that are there.
    there: usize,
    /// One new node.
    per_node: usize,
    /// Whether each new node is such a domain of its own.
    is_each_node: bool,
    /// Pods that count there already.
    matching: usize,
    /// Whether it counts from the start, without new nodes.
    is_lasting: bool,
}

/// How many pods of the class a domain has to take, and may take.
#[derive(Debug, Clone, Copy)]
struct Share {
    fewest: usize,
    most: usize,
}

/// The bounds of the limits of a class.
pub(super) fn of_class(class: &Class, kinds: &[usize], demand: &Demand) -> Vec<Bound> {
    let Some(first) = class.pods.first() else { return Vec::new() };
    let cycle = prepare(class.view, *first, demand.now).cycle;
    let (pods, first) = (class.pods.len(), demand.cluster.pod_name(*first));
    let per_node = class.fresh.iter().copied().max().unwrap_or_default();
    let mut bounds = Vec::new();
    if class.filters.keeps_apart {
        for key in keys_apart(&cycle) {
            let Some(at_least) = apart(class, key, demand) else { continue };
            let (key, first) = (demand.cluster.text(key).to_owned(), first.clone());
            let (constraint, kinds) = (AFFINITY.to_owned(), kinds.to_vec());
            let why = BoundReason::Apart { pods, first, key, per_node };
            bounds.push(Bound { kinds, at_least, constraint, why });
        }
    }
    if class.filters.spreads && !demand.evictions {
        for limit in pod_topology_spread::limits(&cycle) {
            let Some(at_least) = spread(class, &limit, demand) else { continue };
            let (key, max_skew) = (limit.topology_key, limit.max_skew);
            let (key, first) = (demand.cluster.text(key).to_owned(), first.clone());
            let (constraint, kinds) = (SPREAD.to_owned(), kinds.to_vec());
            let why = BoundReason::Spread { pods, first, key, max_skew, per_node };
            bounds.push(Bound { kinds, at_least, constraint, why });
        }
    }
    bounds
}

/// The fewest new nodes if no value of `key` takes two pods.
fn apart(class: &Class, key: Sym, demand: &Demand) -> Option<usize> {
    let cluster = demand.cluster;
    let domains = domains(class, demand, |node| {
        let value = label(cluster.labels(cluster.node(node).labels), key);
        Some(value.map_or(DomainKey::Node(node), DomainKey::Value))
    });
    let shares = domains.keys().map(|key| match key {
        DomainKey::Value(_) => Share { fewest: 0, most: 1 },
        DomainKey::Node(_) => Share { fewest: 0, most: usize::MAX },
    });
    fewest_nodes(domains.values().zip(shares), class.pods.len())
}

/// The fewest new nodes if the class keeps to a spread constraint. `None` if other pods may come to
/// count, or counted ones may leave.
fn spread(class: &Class, limit: &SpreadLimit, demand: &Demand) -> Option<usize> {
    let cluster = demand.cluster;
    let own: BTreeSet<PodIx> = class.pods.iter().copied().collect();
    let may_change = limit.selected.iter().filter(|pod| !own.contains(pod)).any(|pod| {
        let facts = cluster.pod(*pod);
        let node = cluster.node_of(*pod);
        facts.is_active()
            && !facts.is_terminating()
            && node.is_none_or(|node| demand.fresh.contains(&node) || demand.leaving.contains(pod))
    });
    if may_change {
        return None;
    }

    // A node without a label of the constraints takes none of the pods.
    let on = |node: NodeIx| limit.nodes.get(node.0 as usize).copied().flatten();
    let mut domains = domains(class, demand, |node| Some(DomainKey::Value(on(node)?.domain)));
    for node in cluster.node_indices() {
        let Some(counted) = on(node) else { continue };
        let Some(domain) = domains.get_mut(&DomainKey::Value(counted.domain)) else { continue };
        domain.matching += usize::try_from(counted.matching).unwrap_or_default();
        domain.is_lasting |= counted.is_eligible && !demand.fresh.contains(&node);
    }
    let max_skew = usize::try_from(limit.max_skew).ok()?;
    let lasting = || domains.values().filter(|domain| domain.is_lasting);

    // The emptiest domain has at least what it has now, and at most what is left if all have as many.
    let mut best: Option<usize> = None;
    for emptiest in lasting().map(|domain| domain.matching).min()?.. {
        let missing = |domain: &Domain| emptiest.saturating_sub(domain.matching);
        let is_too_full = |domain: &Domain| missing(domain) > domain.there && domain.per_node == 0;
        if lasting().map(missing).sum::<usize>() > class.pods.len() || lasting().any(is_too_full) {
            break;
        }
        let shares = domains.values().map(|domain| Share {
            fewest: if domain.is_lasting { missing(domain) } else { 0 },
            most: (emptiest + max_skew).saturating_sub(domain.matching),
        });
        let nodes = fewest_nodes(domains.values().zip(shares), class.pods.len());
        best = best.into_iter().chain(nodes).min();
    }
    best
}

/// The domains of all nodes. A node without a domain takes no pod.
fn domains(
    class: &Class,
    demand: &Demand,
    domain_of: impl Fn(NodeIx) -> Option<DomainKey>,
) -> BTreeMap<DomainKey, Domain> {
    let mut domains: BTreeMap<DomainKey, Domain> = BTreeMap::new();
    for node in demand.cluster.node_indices().filter(|node| !demand.fresh.contains(node)) {
        if let Some(key) = domain_of(node) {
            domains.entry(key).or_default();
        }
    }
    for (node, room) in &class.there {
        if let Some(domain) = domain_of(*node).and_then(|key| domains.get_mut(&key)) {
            domain.there += room;
        }
    }
    for (node, room) in demand.fresh.iter().zip(&class.fresh) {
        if let Some(key) = domain_of(*node) {
            let new = Domain { is_each_node: true, ..Domain::default() };
            let domain = domains.entry(key).or_insert(new);
            domain.per_node = domain.per_node.max(*room);
        }
    }
    domains
}

/// The fewest new nodes with which the domains take all pods, each as many as its share allows.
/// `None` if no number is enough.
fn fewest_nodes<'d>(
    shares: impl Iterator<Item = (&'d Domain, Share)>,
    pods: usize,
) -> Option<usize> {
    let (mut nodes, mut room) = (0_usize, 0_usize);
    // What further nodes add, and how many add that.
    let mut further: Vec<(usize, usize)> = Vec::new();
    for (domain, Share { fewest, most }) in shares {
        if domain.is_each_node {
            further.push((domain.per_node.min(most), usize::MAX));
            continue;
        }
        // The nodes that the domain needs in any case may have room for more pods.
        let missing = fewest.saturating_sub(domain.there);
        let needed = if missing == 0 { 0 } else { missing.div_ceil(domain.per_node.max(1)) };
        let takes = (domain.there + needed * domain.per_node).min(most);
        if takes < fewest {
            return None;
        }
        (nodes, room) = (nodes + needed, room + takes);
        if domain.per_node > 0 {
            let left = most.min(pods).saturating_sub(takes);
            further.push((domain.per_node, left / domain.per_node));
            further.push((left % domain.per_node, 1));
        }
    }
    let mut missing = pods.saturating_sub(room);
    further.sort_unstable_by_key(|(adds, _)| Reverse(*adds));
    for (adds, times) in further.into_iter().filter(|(adds, _)| *adds > 0) {
        let used = missing.div_ceil(adds).min(times);
        nodes += used;
        missing = missing.saturating_sub(used.saturating_mul(adds));
    }
    (missing == 0).then_some(nodes)
}
