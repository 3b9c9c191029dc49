//! A remedy in words.

use std::collections::BTreeMap;

use super::super::Decision;
use super::super::lingering::{self, LingersBy};
use super::{Proposal, RemedyKind};
use crate::framework::operands::ResourceId;
use model::cluster::Cluster;
use model::cluster::resource_requests::{Container, RequestPlace};
use model::cluster::resources::ResourceKind;
use model::cluster::system_label::MACHINES;
use model::cluster::system_taint::SystemTaint;
use model::edits::Edit;
use model::words;

/// Maximum number of pods that are named.
const PODS_NAMED: usize = 3;

/// The type of a node's machine, if a label says it.
fn machine<'c>(node: &str, cluster: &'c Cluster) -> Option<&'c str> {
    cluster.first_label(cluster.node(cluster.find_node(node)?).labels, &MACHINES)
}

/// What to do, in the imperative.
pub(super) fn summary(proposal: &Proposal, decision: &Decision) -> String {
    let pods: Vec<(&String, &String)> = proposal
        .edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::RemovePod { namespace, name } => Some((namespace, name)),
            _ => None,
        })
        .collect();
    let mut phrases: Vec<String> = Vec::new();
    if matches!(proposal.kind, RemedyKind::AwaitNode | RemedyKind::RepairNode) {
        return once_ready(proposal);
    }
    if proposal.kind == RemedyKind::EndStuckPod {
        return stuck(&pods, decision);
    }
    if !pods.is_empty() {
        phrases.push(removal(&pods, proposal.kind, decision));
    }
    phrases.extend(proposal.edits.iter().filter_map(|edit| phrase(edit, decision)));
    phrases.join(" and ")
}

/// What a node loses once it is ready, and what sets it: `once n1 has no taint KEY (set by the
/// cloud controller)`.
fn once_ready(proposal: &Proposal) -> String {
    let (mut node, mut taints, mut reasons) = ("", Vec::new(), Vec::new());
    for edit in &proposal.edits {
        let Edit::RemoveTaint { node: of, taint } = edit else { continue };
        node = of;
        taints.push(format!("no taint {taint}"));
        reasons.extend(SystemTaint::of(&taint.key).map(|system| system.why));
    }
    reasons.dedup();
    let (taints, reasons) = (taints.join(" and "), reasons.join("; "));
    if proposal.kind == RemedyKind::RepairNode {
        return format!("repair {node}, until it has {taints} ({reasons})");
    }
    format!("once {node} has {taints} ({reasons})")
}

/// What ends pods that should be gone already: `force-delete a/b, 30m overdue, or repair the kubelet
/// of n1`.
fn stuck(pods: &[(&String, &String)], decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let mut phrases: Vec<String> = Vec::new();
    for (namespace, name) in pods {
        let stuck = cluster.find_pod(namespace, name);
        let stuck = stuck.and_then(|pod| lingering::of(pod, cluster, decision.now));
        let Some(stuck) = stuck else { continue };
        let overdue = words::age(stuck.overdue);
        let finalizers = stuck.by.iter().find_map(|by| match by {
            LingersBy::Finalizers(names) => Some(names),
            LingersBy::NodeGone | LingersBy::SilentKubelet | LingersBy::GracePeriod(_) => None,
        });
        phrases.push(if let Some(names) = finalizers {
            let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
            let names = words::list(&names, PODS_NAMED);
            format!("have {names} removed from the finalizers of {namespace}/{name}, {overdue} overdue")
        } else {
            let node = cluster.text(cluster.pod(stuck.pod).node_name);
            format!(
                "force-delete {namespace}/{name}, {overdue} overdue, or repair the kubelet of {node}"
            )
        });
    }
    words::list(&phrases, PODS_NAMED)
}

fn removal(pods: &[(&String, &String)], kind: RemedyKind, decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let mut names: Vec<String> = pods
        .iter()
        .take(PODS_NAMED)
        .map(|(namespace, name)| {
            let priority_of_pod =
                cluster.find_pod(namespace, name).map(|pod| cluster.pod(pod).priority);
            let priority = priority_of_pod
                .filter(|_| !matches!(kind, RemedyKind::Wait | RemedyKind::ReplaceOldPod))
                .map(|priority| format!(" (priority {priority})"));
            format!("{namespace}/{name}{}", priority.unwrap_or_default())
        })
        .collect();
    let more = pods.len().saturating_sub(names.len());
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let last = names.pop().unwrap_or_default();
    let list = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
    match kind {
        RemedyKind::Wait => {
            format!("wait until {list} {} terminated", if pods.len() == 1 { "has" } else { "have" })
        }
        RemedyKind::ReplaceOldPod => format!(
            "delete {list}, which the rolling update keeps until this pod is ready (strategy Recreate, or maxSurge: 0, avoids that)"
        ),
        _ => format!("evict {list}"),
    }
}

/// The container that holds the request, unless there is only one.
fn place(place: RequestPlace, decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let requests = cluster.resource_requests.get(cluster.pod(decision.pod).resource_requests);
    let Some(requests) = requests else { return String::new() };
    let name = |container: Option<&Container>| {
        container.map_or("", |container| cluster.text(container.name))
    };
    match place {
        RequestPlace::Pod => " in spec.resources".to_owned(),
        RequestPlace::Container(_)
            if requests.containers.len() + requests.init_containers.len() <= 1 =>
        {
            String::new()
        }
        RequestPlace::Container(index) => {
            format!(" in container {}", name(requests.containers.get(index)))
        }
        RequestPlace::InitContainer(index) => {
            let container = requests.init_containers.get(index);
            let kind = if container.is_some_and(|container| container.sidecar) {
                "sidecar"
            } else {
                "init container"
            };
            format!(" in {kind} {}", name(container))
        }
    }
}

/// Amounts of resources with one unit each: `2.91 cpu and 3Gi memory`.
fn amounts(resources: &BTreeMap<String, String>) -> String {
    let mut texts = Vec::with_capacity(resources.len());
    for (resource, amount) in resources {
        texts.push(format!("{} {resource}", words::in_units(resource, amount)));
    }
    texts.join(" and ")
}

fn phrase(edit: &Edit, decision: &Decision) -> Option<String> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    Some(match edit {
        Edit::Priority { priority } => {
            format!("raise its priority from {} to {priority}", pod.priority)
        }
        Edit::PreemptionPolicy { policy } => {
            format!("set its preemptionPolicy to {}", policy.name())
        }
        Edit::Request { resource, amount } => {
            let written = cluster.deciding_request(decision.pod, cluster.symbols.get(resource)?)?;
            let (kind, name) = (ResourceKind::of(resource), cluster.symbols.get(resource)?);
            let id = match kind {
                ResourceKind::Cpu => ResourceId::Cpu,
                ResourceKind::Memory => ResourceId::Memory,
                ResourceKind::EphemeralStorage => ResourceId::EphemeralStorage,
                ResourceKind::Pods | ResourceKind::Scalar | ResourceKind::Ignored => {
                    ResourceId::Scalar(name)
                }
            };
            let now = id.amount(kind.count(written.amount), cluster);
            let [now, amount] =
                [now.as_str(), amount.as_str()].map(|amount| words::in_units(resource, amount));
            format!("lower {resource} from {now} to {amount}{}", place(written.place, decision))
        }
        Edit::Toleration { taint } => format!("tolerate taint {taint}"),
        Edit::Free { node, resources } => format!("free {} on {node}", amounts(resources)),
        Edit::Uncordon { node } => format!("uncordon {node}"),
        Edit::LabelNode { node, key, value } => format!("label {node} with {key}={value}"),
        Edit::RemoveTaint { node, taint } => format!("remove taint {taint} from {node}"),
        Edit::AddNodeLike { node } => match machine(node, cluster) {
            Some(machine) => format!("add one more {machine} (like {node})"),
            None => format!("add one more node like {node}"),
        },
        Edit::RemovePod { .. } => return None,
        Edit::PriorityClass { name } => {
            let value = cluster
                .priority_classes
                .iter()
                .find(|class| cluster.text(class.name) == name)?
                .value;
            format!("give it PriorityClass {name} (priority {value}, now {})", pod.priority)
        }
        Edit::AsIfPreempting
        | Edit::Scheduler { .. }
        | Edit::NodeSelector { .. }
        | Edit::Cordon { .. }
        | Edit::Drain { .. }
        | Edit::RemoveNode { .. }
        | Edit::AddNode { .. }
        | Edit::Budget { .. } => edit.words(),
    })
}
