//! A node whose kubelet does not report, or is not ready: since when, and when its pods leave.
//!
//! Upstream: `pkg/controller/nodelifecycle`, `pkg/controller/tainteviction` (1.37).

use jiff::{SignedDuration, Timestamp};

use engine::cluster::system_taint::NOT_READY;
use engine::cluster::template::{TaintEffect, TolerationOperator};
use engine::cluster::{Cluster, Node, NodeIx, Pod, Sym};

use crate::words;

/// The labels that make a zone of its nodes.
const ZONE: [&str; 2] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];
/// `--large-cluster-size-threshold`: in a smaller zone of which most nodes are not ready, eviction
/// stops.
const LARGE_ZONE: usize = 50;
/// `--unhealthy-zone-threshold`.
const UNHEALTHY_SHARE: f64 = 0.55;

/// A node that is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSilence {
    /// A clause: `node n1 has not reported for 8d`.
    pub clause: String,
    /// Why its pods are not evicted, if the taint that evicts them is missing: a sentence without a
    /// full stop.
    pub not_evicting: Option<String>,
    node: NodeIx,
}

/// What there is to say of a node that is not ready; `None` for any other node.
pub fn silence(cluster: &Cluster, ix: NodeIx, now: Timestamp) -> Option<NodeSilence> {
    let node = cluster.node(ix);
    let ready = node.ready.as_deref();
    let status = ready.map_or("", |ready| cluster.text(ready.status));
    let is_unreachable = status == "Unknown" || node.is_silent(cluster);
    if !is_unreachable && (status.is_empty() || status == "True") {
        return None;
    }
    let name = cluster.node_name(ix);
    let age = ready.and_then(|ready| ready.since).map(|since| {
        let age = words::age(now.as_second() - since.as_second());
        if is_unreachable { format!(" for {age}") } else { format!(" since {age}") }
    });
    let age = age.unwrap_or_default();
    let clause = if is_unreachable {
        format!("the kubelet of node {name} has not reported{age}")
    } else {
        let said = ready.map_or("", |ready| &ready.message);
        let said = if said.is_empty() { String::new() } else { format!(": {}", super::cut(said)) };
        format!("node {name} is not ready{}{said}", age.replace(" since ", " for "))
    };
    let evicts = node.taints.iter().any(|taint| {
        taint.effect == TaintEffect::NoExecute && NOT_READY.contains(&cluster.text(taint.key))
    });
    let not_evicting = (!evicts).then(|| why_no_taint(cluster, node, name));
    Some(NodeSilence { clause, not_evicting, node: ix })
}

impl NodeSilence {
    /// When the pod leaves, or why it does not: a sentence without a full stop.
    pub fn of_pod(&self, cluster: &Cluster, pod: &Pod, now: Timestamp) -> String {
        if pod.is_terminating() {
            return "It is being deleted, and stays until its kubelet reports again, or the node is deleted or gets \
                    the taint node.kubernetes.io/out-of-service"
                .to_owned();
        }
        if let Some(why) = &self.not_evicting {
            return format!("It is not evicted: {why}");
        }
        let node = cluster.node(self.node);
        match tolerated(cluster, pod, node) {
            Tolerated::No => "It does not tolerate the NoExecute taint of the node, so it is evicted at once; if it stays, \
                              does kube-controller-manager run?"
                .to_owned(),
            Tolerated::ForEver => {
                "It is not evicted: it tolerates the NoExecute taint of the node for ever".to_owned()
            }
            Tolerated::Seconds(seconds) => {
                let due = node
                    .evicts_since
                    .and_then(|since| since.checked_add(SignedDuration::from_secs(seconds)).ok());
                let left = due.map(|due| due.as_second() - now.as_second());
                match left {
                    Some(left) if left > 0 => format!(
                        "It is evicted in {}: it tolerates the NoExecute taint of the node for {seconds} s",
                        words::age(left)
                    ),
                    Some(left) => format!(
                        "It should have been evicted {} ago (it tolerates the NoExecute taint for {seconds} s): does \
                         kube-controller-manager run?",
                        words::age(-left)
                    ),
                    None => format!(
                        "It is evicted once the node has had the NoExecute taint for {seconds} s, which it tolerates"
                    ),
                }
            }
        }
    }
}

/// For how long a pod tolerates the `NoExecute` taints of its node.
enum Tolerated {
    No,
    ForEver,
    Seconds(i64),
}

/// Upstream: `getMinTolerationTime` and `GetMatchingTolerations`: the shortest time counts, and
/// tolerations without one count only alone.
fn tolerated(cluster: &Cluster, pod: &Pod, node: &Node) -> Tolerated {
    let template = cluster.template(pod);
    let mut shortest: Option<i64> = None;
    for taint in node.taints.iter().filter(|taint| taint.effect == TaintEffect::NoExecute) {
        let used = template.tolerations.iter().find(|toleration| {
            toleration.effect.is_none_or(|effect| effect == taint.effect)
                && (toleration.key.is_empty() || toleration.key == taint.key)
                && (toleration.operator == TolerationOperator::Exists
                    || toleration.value == taint.value)
        });
        match used {
            None => return Tolerated::No,
            Some(toleration) => {
                let seconds = toleration.seconds.map(|seconds| seconds.max(0));
                shortest = [shortest, seconds].into_iter().flatten().min();
            }
        }
    }
    shortest.map_or(Tolerated::ForEver, Tolerated::Seconds)
}

fn zone_of(node: &Node, cluster: &Cluster) -> [Option<Sym>; 2] {
    ZONE.map(|key| {
        let mut labels = cluster.labels(node.labels).iter();
        labels.find(|(own, _)| cluster.text(*own) == key).map(|(_, value)| *value)
    })
}

fn is_ready(node: &Node, cluster: &Cluster) -> bool {
    node.ready.as_deref().is_some_and(|ready| cluster.text(ready.status) == "True")
}

/// Why the control plane has not set the taint that evicts.
fn why_no_taint(cluster: &Cluster, node: &Node, name: &str) -> String {
    let others: Vec<String> = node
        .taints
        .iter()
        .filter(|taint| NOT_READY.contains(&cluster.text(taint.key)))
        .map(|taint| format!("{}:{}", cluster.text(taint.key), taint.effect.name()))
        .collect();
    let has = if others.is_empty() {
        format!("{name} has none")
    } else {
        format!("{name} has only {}", others.join(", "))
    };
    let zone = zone_of(node, cluster);
    let of_zone: Vec<_> =
        cluster.nodes.iter().filter(|other| zone_of(other, cluster) == zone).collect();
    let ill = of_zone.iter().filter(|other| !is_ready(other, cluster)).count();
    #[expect(clippy::cast_precision_loss, reason = "a share of nodes")]
    let is_unhealthy = ill > 2 && ill as f64 / of_zone.len() as f64 >= UNHEALTHY_SHARE;
    let why = if !cluster.nodes.iter().any(|node| is_ready(node, cluster)) {
        "no node of the cluster is Ready, and then the control plane evicts nothing".to_owned()
    } else if is_unhealthy && of_zone.len() <= LARGE_ZONE {
        format!(
            "{ill} of the {} nodes of its zone are not Ready, and then the control plane stops evicting there",
            of_zone.len()
        )
    } else {
        format!(
            "{ill} of {} nodes of its zone {} not Ready, so the node lifecycle controller of kube-controller-manager \
             should have set it: does it run?",
            of_zone.len(),
            if ill == 1 { "is" } else { "are" }
        )
    };
    format!("only a NoExecute taint evicts, and {has}; {why}")
}
