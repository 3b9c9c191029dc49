//! Names in the files of `--from`. Any error results in no names.

use std::collections::BTreeMap;

use clap_complete::engine::CompletionCandidate;

use super::cluster::of_nodes;
use super::list::Name;
use super::typed::Typed;
use super::values::ValueSource;
use crate::capture::files;
use answers::{target, words};
use engine::cluster::Cluster;
use engine::cluster::build::Builder;

/// The label of a node that names its zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The names with the prefix `current`.
pub(super) fn candidates(
    values: ValueSource,
    current: &str,
    typed: &Typed,
) -> Vec<CompletionCandidate> {
    let mut builder = Builder::new();
    for source in &typed.from {
        // Standard input belongs to the command itself.
        if source == "-" || files::read_and_tell(source, &mut builder, None).is_err() {
            return Vec::new();
        }
    }
    let cluster = builder.finish();
    let namespace = typed.namespace.as_deref().unwrap_or("default");
    let names = match values {
        ValueSource::Targets | ValueSource::Pods => targets(&cluster, namespace, current),
        ValueSource::Namespaces => namespaces(&cluster),
        ValueSource::Nodes | ValueSource::NodesAnd => of_nodes(values, nodes(&cluster)),
        ValueSource::Domains => {
            let mut domains = of_nodes(values, nodes(&cluster));
            domains.extend(zones(&cluster));
            domains
        }
        ValueSource::Budgets => {
            let own = cluster.budgets.iter();
            let own = own.filter(|budget| cluster.text(budget.namespace) == namespace);
            own.map(|budget| name(format!("{}=", budget.name), String::new())).collect()
        }
        ValueSource::PriorityClasses => {
            let classes = cluster.priority_classes.iter();
            let about = |value: i64| format!("priority {value}");
            classes.map(|class| name(cluster.text(class.name), about(class.value))).collect()
        }
        _ => Vec::new(),
    };
    let names = names.into_iter().filter(|n| n.name.starts_with(current));
    names.map(|n| CompletionCandidate::new(n.name).help(Some(n.about.into()))).collect()
}

fn name(name: impl Into<String>, about: String) -> Name {
    Name { name: name.into(), about }
}

/// Pending pods of the namespace, or all of its pods if none with this prefix is pending; after
/// `TYPE/`, the workloads of that type.
fn targets(cluster: &Cluster, namespace: &str, current: &str) -> Vec<Name> {
    let pods = || {
        let all = cluster.pod_indices().map(|pod| cluster.pod(pod));
        all.filter(|pod| cluster.text(pod.namespace) == namespace)
    };
    if let Some((kind, begun)) = current.split_once('/') {
        let Some(resource) = target::find_resource(kind) else { return Vec::new() };
        if resource.singular == "pod" {
            let pods = targets(cluster, namespace, begun).into_iter();
            return pods.map(|pod| name(format!("{kind}/{}", pod.name), pod.about)).collect();
        }
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for pod in pods() {
            let workload = cluster.workload(pod);
            if workload.kind.eq_ignore_ascii_case(resource.singular) {
                *owners.entry(format!("{kind}/{}", workload.name)).or_default() += 1;
            }
        }
        return owners
            .into_iter()
            .map(|(owner, pods)| name(owner, words::count(pods, "pod")))
            .collect();
    }
    let with_prefix = || pods().filter(|pod| pod.name.starts_with(current));
    let waiting: Vec<Name> = with_prefix()
        .filter(|pod| pod.is_active() && pod.node_name.is_empty())
        .map(|pod| name(&*pod.name, "Pending".to_owned()))
        .collect();
    if waiting.is_empty() {
        return with_prefix().map(|pod| name(&*pod.name, String::new())).collect();
    }
    waiting
}

fn namespaces(cluster: &Cluster) -> Vec<Name> {
    let mut pods: BTreeMap<&str, usize> = BTreeMap::new();
    for namespace in cluster.namespaces.keys() {
        pods.entry(cluster.text(*namespace)).or_default();
    }
    for pod in cluster.pod_indices() {
        *pods.entry(cluster.text(cluster.pod(pod).namespace)).or_default() += 1;
    }
    pods.into_iter().map(|(namespace, pods)| name(namespace, words::count(pods, "pod"))).collect()
}

fn nodes(cluster: &Cluster) -> Vec<Name> {
    let about = |unschedulable: bool| if unschedulable { "cordoned" } else { "" }.to_owned();
    let all = cluster.node_indices().map(|node| cluster.node(node));
    all.map(|node| name(cluster.text(node.name), about(node.unschedulable))).collect()
}

fn zones(cluster: &Cluster) -> Vec<Name> {
    let mut nodes: BTreeMap<String, usize> = BTreeMap::new();
    for node in cluster.node_indices().map(|node| cluster.node(node)) {
        let labels = cluster.labels(node.labels);
        let zone = labels.iter().find(|(key, _)| cluster.text(*key) == ZONE);
        if let Some((_, zone)) = zone {
            *nodes.entry(format!("zone/{}", cluster.text(*zone))).or_default() += 1;
        }
    }
    nodes.into_iter().map(|(zone, nodes)| name(zone, words::count(nodes, "node"))).collect()
}
