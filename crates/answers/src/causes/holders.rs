//! Which pods hold what the pod needs: host ports, disks, devices, and domains of anti-affinity.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use indexmap::IndexMap;

use crate::words;
use engine::cluster::{Cluster, NodeIx, PodIx, Sym};
use engine::framework::cluster_view::ClusterView;
use engine::framework::evidence::{Contended, InUse, RuleOf};
use engine::framework::operands::ResourceId;

/// Maximum number of holders that a line names.
pub(super) const NAMED: usize = 3;
/// Maximum number of domains that a line names.
const DOMAINS_NAMED: usize = 2;

#[derive(Debug, Clone, Copy)]
pub(super) struct HoldingPod {
    /// The node; `None` if the text concerns a single node.
    pub(super) node: Option<NodeIx>,
    pub(super) has: InUse,
}

/// The pods that hold a port or disk on some nodes.
pub(super) fn contended(what: Contended, holders: &[HoldingPod], cluster: &Cluster) -> String {
    let subject = match what {
        Contended::Port(port) => format!("host port {}", port.text(cluster)),
        Contended::Disk(volume) => format!("the disk of volume {}", cluster.text(volume)),
    };
    if let Some(owner) = common_owner(holders, cluster) {
        return format!("{subject} is in use by the pods of {owner}");
    }

    // A port may be held under another address: 0.0.0.0 conflicts with each of a node.
    if let [holder] = holders
        && let Some(used) = port_instead(what, holder, cluster)
    {
        return format!(
            "{subject}: {used} is in use{}",
            by(&[holder_name(holder, false, cluster)])
        );
    }
    let names: Vec<String> = holders
        .iter()
        .map(|holder| {
            let name = holder_name(holder, holders.len() > 1, cluster);
            match port_instead(what, holder, cluster) {
                Some(used) => format!("{name} as {used}"),
                None => name,
            }
        })
        .collect();
    format!("{subject} is in use{}", by(&names))
}

/// The port that a pod holds, if it is not the contended one itself.
fn port_instead(what: Contended, holder: &HoldingPod, cluster: &Cluster) -> Option<String> {
    match (what, holder.has.port) {
        (Contended::Port(wanted), Some(used)) if used != wanted => Some(used.text(cluster)),
        _ => None,
    }
}

/// A line per holder, if there are more than the text names.
pub(super) fn contended_in_full(holders: &[HoldingPod], cluster: &Cluster) -> Vec<String> {
    if holders.len() <= NAMED && common_owner(holders, cluster).is_none() {
        return Vec::new();
    }
    let of_node = |holder: &HoldingPod| {
        let node = holder.node.map(|node| cluster.node_name(node)).unwrap_or_default();
        Some(format!("{node}: {}", cluster.pod_name(holder.has.pod?)))
    };
    holders.iter().filter_map(of_node).collect()
}

fn by(names: &[String]) -> String {
    let known: Vec<&String> = names.iter().filter(|name| !name.is_empty()).collect();
    if known.is_empty() { String::new() } else { format!(" by {}", words::list(&known, NAMED)) }
}

fn holder_name(holder: &HoldingPod, with_node: bool, cluster: &Cluster) -> String {
    let name = holder.has.pod.map(|pod| cluster.pod_name(pod)).unwrap_or_default();
    match holder.node {
        Some(node) if with_node => format!("{name} ({})", cluster.node_name(node)),
        _ => name,
    }
}

/// The common controller of several holders, if any.
fn common_owner(holders: &[HoldingPod], cluster: &Cluster) -> Option<String> {
    let owner = |holder: &HoldingPod| {
        let pod = cluster.pod(holder.has.pod?);
        let controller = pod.controller?;
        let (kind, name) = (cluster.text(controller.kind), cluster.text(controller.name));
        Some(format!("{kind} {}/{name}", cluster.text(pod.namespace)))
    };
    let first = owner(holders.first().filter(|_| holders.len() > NAMED)?)?;
    holders.iter().all(|holder| owner(holder).as_ref() == Some(&first)).then_some(first)
}

/// The pods that request the most of a resource on that of the nodes on which most of it is free:
/// `most on n1 is held by ai/llm (4)`; `None` if none does.
pub(super) fn most_on_nearest(
    resource: ResourceId,
    nodes: &[NodeIx],
    view: &ClusterView,
) -> Option<String> {
    // Quantities may be as large as 64 bits hold, and their sum wraps as the scheduler's does.
    let free = |node: NodeIx| {
        let allocatable = resource.of(&view.cluster.node(node).allocatable);
        allocatable.saturating_sub(resource.of(view.requested_on(node)))
    };
    let nearest = nodes.iter().copied().max_by_key(|node| (free(*node), Reverse(*node)))?;
    let held = most_of(resource, &[nearest], view)?;
    let one_node = nodes.len() == 1;
    Some(if one_node { held } else { format!("on {} {held}", view.cluster.node_name(nearest)) })
}

/// The pods that request the most of a resource on some nodes: `held by ai/llm (4)`, with the node
/// where there are several; `None` if none does.
pub(super) fn most_of(
    resource: ResourceId,
    nodes: &[NodeIx],
    view: &ClusterView,
) -> Option<String> {
    let cluster = view.cluster;
    let mut pods: Vec<(i64, NodeIx, PodIx)> = Vec::new();
    for node in nodes {
        for pod in cluster.pods_on(*node) {
            let amount = resource.of(view.requested_by(*pod));
            if amount > 0 && cluster.pod(*pod).is_active() {
                pods.push((amount, *node, *pod));
            }
        }
    }
    pods.sort_by_key(|(amount, node, pod)| (Reverse(*amount), *node, *pod));
    let mut names: Vec<String> = Vec::new();
    for (amount, node, pod) in pods.iter().take(NAMED) {
        let amount = resource.amount(*amount, cluster);
        let place = match nodes {
            [_] => String::new(),
            _ => format!(" on {}", cluster.node_name(*node)),
        };
        names.push(format!("{} ({amount}{place})", cluster.pod_name(*pod)));
    }
    if pods.len() > NAMED {
        names.push(format!("{} more", words::group_digits(pods.len() - NAMED)));
    }
    (!names.is_empty()).then(|| format!("held by {}", words::list(&names, usize::MAX)))
}

/// A rule about anti-affinity, by its topology key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct AntiAffinityRule {
    pub(super) of: RuleOf,
    pub(super) key: Sym,
}

/// The pods in a domain that the pod must avoid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opponents {
    /// One of them.
    pub(super) pod: Option<PodIx>,
    /// Their number.
    pub(super) pods: i64,
}

impl Opponents {
    /// `shop/web-1 is in a`, `shop/web-1 and 2 more are in a`.
    fn are_in(self, place: &str, cluster: &Cluster) -> String {
        let pods = usize::try_from(self.pods).unwrap_or(0);
        match (self.pod, pods.saturating_sub(1)) {
            (None, _) => format!("{} in {place}", words::count(pods, "pod")),
            (Some(pod), 0) => format!("{} is in {place}", cluster.pod_name(pod)),
            (Some(pod), more) => {
                format!(
                    "{} and {} more are in {place}",
                    cluster.pod_name(pod),
                    words::group_digits(more)
                )
            }
        }
    }
}

/// The pods that the pod must avoid, whose rule that is, and where they are.
pub(super) fn anti_affinity(
    rule: AntiAffinityRule,
    domains: &IndexMap<Sym, Opponents>,
    cluster: &Cluster,
) -> String {
    let key = cluster.text(rule.key);
    let whose = match rule.of {
        RuleOf::Pod => "the pod's own anti-affinity",
        RuleOf::Others => "another pod's anti-affinity",
    };
    if domains.len() == 1 {
        let places = domains.iter().map(|(domain, pods)| {
            pods.are_in(&format!("{key}={}", cluster.text(*domain)), cluster)
        });
        return format!("{whose}: {}", places.collect::<String>());
    }
    let named = domains.iter().take(DOMAINS_NAMED);
    let mut parts: Vec<String> =
        named.map(|(domain, pods)| pods.are_in(cluster.text(*domain), cluster)).collect();
    let more = domains.len().saturating_sub(DOMAINS_NAMED);
    if more > 0 {
        parts.push(format!("such pods are in {}", words::count(more, "more domain")));
    }
    format!("{whose} over {key}: {}", parts.join(", "))
}

/// A line per domain, if there are more than the text names.
pub(super) fn anti_affinity_in_full(
    domains: &IndexMap<Sym, Opponents>,
    cluster: &Cluster,
) -> Vec<String> {
    if domains.len() <= DOMAINS_NAMED {
        return Vec::new();
    }
    domains.iter().map(|(domain, pods)| pods.are_in(cluster.text(*domain), cluster)).collect()
}

/// The pods that hold the devices that the pod needs, the least important first, each with their
/// number.
pub(super) fn devices(
    holders: &IndexMap<PodIx, usize>,
    most_named: usize,
    cluster: &Cluster,
) -> String {
    let mut pods: Vec<(PodIx, usize)> =
        holders.iter().map(|(pod, devices)| (*pod, *devices)).collect();
    pods.sort_by_key(|(pod, _)| (cluster.pod(*pod).priority, *pod));
    let name = |(pod, devices): &(PodIx, usize)| {
        format!("{} (priority {}: {devices})", cluster.pod_name(*pod), cluster.pod(*pod).priority)
    };
    let names: Vec<String> = pods.iter().map(name).collect();
    format!("held by {}", words::list(&names, most_named))
}
