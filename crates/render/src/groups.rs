//! Groups thousands of rejected nodes by their few different causes.

mod labels;
mod spread;

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use labels::{Ask, asks};

use super::scale::Scale;
use super::words;
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::cluster::pod::PodIx;
use engine::cluster::symbols::Sym;
use engine::decision::Explanation;
use engine::dra::Shortage;
use engine::framework::reason::Quote;
use engine::framework::status::{
    Code, DeviceHolder, Evidence, Rejection, RequestOrigin, RequestPart, ResourceId, StorageEvidence,
};

/// The nodes that are rejected for the same cause.
#[derive(Debug, Clone)]
pub struct Group {
    /// The plugin that rejects them.
    pub plugin: &'static str,
    /// The reasons in upstream's words.
    pub reasons: Vec<Quote>,
    /// Explanations, one line each.
    pub details: Vec<String>,
    /// The other plugins that reject all of these nodes, with their reasons.
    pub also: Vec<String>,
    /// The nodes, by name.
    pub nodes: Vec<NodeIx>,
    spans: IndexMap<ResourceId, LargestFree>,
    /// What the pod asks of the nodes' labels.
    asks: Vec<Asked>,
    /// The domains of the nodes in a spread constraint, with their matching pods.
    domains: IndexMap<Sym, i64>,
    /// What the domains are compared with, as text.
    fewest: String,
}

/// Something that the pod asks of the labels of all nodes of a group.
#[derive(Debug, Clone)]
struct Asked {
    ask: Ask,
    /// What the nodes have instead, and how many have it.
    found: IndexMap<Option<Sym>, usize>,
}

/// The largest free amount of a resource on any node of a group.
#[derive(Debug, Clone)]
struct LargestFree {
    requested: i64,
    parts: Option<Arc<[RequestPart]>>,
    most_free: i64,
    most_allocatable: i64,
}

/// Groups rejections by cause, the largest group first. Values that differ from node to node become one line for the
/// group.
#[must_use]
pub(crate) fn group<'r>(
    rejections: impl Iterator<Item = (NodeIx, &'static str, &'r Rejection)>,
    cluster: &Cluster,
) -> Vec<Group> {
    let mut groups = group_with(rejections, cluster, |_| Vec::new());
    groups.sort_by(|a, b| b.nodes.len().cmp(&a.nodes.len()).then_with(|| a.nodes.cmp(&b.nodes)));
    groups
}

/// The nodes whose first reason is the same, and what else rejects them.
pub(crate) struct FirstCause {
    /// The nodes by their first reason.
    pub group: Group,
    /// Resources and plugins that reject some of the nodes, too, with the number of these nodes.
    pub others: IndexMap<String, usize>,
    /// Whether nothing else rejects any of the nodes, and evicting pods may remove the cause.
    pub close: bool,
}

/// Groups the rejections of a decision by the first reason alone: most nodes first, but those that are closest to taking the
/// pod before them if these are the minority.
#[must_use]
pub(crate) fn by_first_reason(decision: &Explanation) -> Vec<FirstCause> {
    let cluster = decision.view.cluster;
    let first = |rejection: &Rejection| Rejection {
        code: rejection.code,
        reasons: rejection.reasons.iter().take(1).cloned().collect(),
    };
    let firsts: Vec<_> = decision.rejections().map(|(node, plugin, all)| (node, plugin, first(all))).collect();
    let all: BTreeMap<NodeIx, &Rejection> = decision.rejections().map(|(node, _, all)| (node, all)).collect();
    let groups = group(firsts.iter().map(|(node, plugin, rejection)| (*node, *plugin, rejection)), cluster);
    let cause = |group: Group| {
        let mut others: IndexMap<String, usize> = IndexMap::new();
        let rejections = || group.nodes.iter().filter_map(|node| all.get(node));
        for reason in rejections().flat_map(|rejection| rejection.reasons.iter().skip(1)) {
            if let Evidence::Resource { resource, .. } = &reason.evidence {
                *others.entry(resource.name(cluster).to_owned()).or_default() += 1;
            }
        }
        for node in &group.nodes {
            for (plugin, _) in decision.also_refused(*node).unwrap_or_default() {
                *others.entry((*plugin).to_owned()).or_default() += 1;
            }
        }
        let resolvable = rejections().all(|rejection| rejection.code == Code::Unschedulable);
        FirstCause { close: others.is_empty() && resolvable, group, others }
    };
    let mut causes: Vec<FirstCause> = groups.into_iter().map(cause).collect();
    let close: usize = causes.iter().filter(|cause| cause.close).map(|cause| cause.group.nodes.len()).sum();
    if close * 2 < firsts.len() {
        causes.sort_by_key(|cause| !cause.close);
    }
    causes
}

/// Groups the rejections of a decision by all plugins that reject the nodes. First come the nodes that the fewest plugins reject,
/// since they are closest to taking the pod.
#[must_use]
pub(crate) fn closest_first(decision: &Explanation) -> Vec<Group> {
    let cluster = decision.view.cluster;
    let also = |node: NodeIx| {
        let others = decision.also_refused(node).unwrap_or_default().iter();
        others.map(|(plugin, rejection)| format!("{plugin} ({})", rejection.texts(cluster).join(", "))).collect()
    };
    let mut groups = group_with(decision.rejections(), cluster, also);
    groups.sort_by(|a, b| {
        let size = b.nodes.len().cmp(&a.nodes.len());
        a.also.len().cmp(&b.also.len()).then(size).then_with(|| a.nodes.cmp(&b.nodes))
    });
    groups
}

fn group_with<'r>(
    rejections: impl Iterator<Item = (NodeIx, &'static str, &'r Rejection)>,
    cluster: &Cluster,
    also: impl Fn(NodeIx) -> Vec<String>,
) -> Vec<Group> {
    /// What the nodes of a group have in common.
    #[derive(PartialEq, Eq, Hash)]
    struct Key {
        plugin: &'static str,
        /// Texts and codes, without the name of the node.
        reasons: Vec<(String, Option<&'static str>)>,
        causes: Vec<String>,
        asks: Vec<String>,
        also: Vec<String>,
    }
    let mut groups: IndexMap<Key, Group> = IndexMap::new();
    for (node, plugin, rejection) in rejections {
        let also = also(node);
        let reasons = rejection.quotes(cluster);
        let causes: Vec<String> = rejection.reasons.iter().filter_map(|r| cause(&r.evidence, cluster)).collect();
        let asks: Vec<Ask> = rejection.reasons.iter().flat_map(|r| asks(&r.evidence, cluster)).collect();
        // Up to 1.23 a reason may name the node, which makes it no other cause.
        let name = cluster.text(cluster.node(node).name);
        let same = rejection.reasons.iter().map(|reason| reason.text.on_any_node(name, cluster));
        let key = Key {
            plugin,
            reasons: same.zip(reasons.iter().map(Quote::code)).collect(),
            causes: causes.clone(),
            asks: asks.iter().map(|ask| ask.text.clone()).collect(),
            also: also.clone(),
        };
        let group = groups.entry(key).or_insert_with(|| Group {
            plugin,
            reasons,
            // The pod that holds the resource differs from node to node; one of them is named as an example.
            details: causes
                .into_iter()
                .zip(rejection.reasons.iter().map(|r| holder(&r.evidence)).chain(std::iter::repeat(None)))
                .map(|(cause, pod)| pod.map_or(cause.clone(), |p| format!("{cause}, such as {}", cluster.pod_name(p))))
                .chain(rejection.reasons.iter().filter_map(|r| device_holders(&r.evidence, cluster)))
                .collect(),
            also,
            nodes: Vec::new(),
            spans: IndexMap::new(),
            asks: asks.iter().map(|ask| Asked { ask: ask.clone(), found: IndexMap::new() }).collect(),
            domains: IndexMap::new(),
            fewest: String::new(),
        });
        group.nodes.push(node);
        for (asked, ask) in group.asks.iter_mut().zip(&asks) {
            *asked.found.entry(ask.found).or_default() += 1;
        }
        for reason in &rejection.reasons {
            group.widen(&reason.evidence);
            group.add_domain(&reason.evidence, cluster);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        group.details.extend(group.asks.iter().map(|asked| asked.ask.on_nodes(&asked.found, cluster)));
        if !group.domains.is_empty() {
            group.details.push(format!("{}, {}", spread::counts(&group.domains, cluster), group.fewest));
        }
        let nodes = group.nodes.len();
        group.details.extend(group.spans.iter().map(|(resource, span)| room(*resource, span, nodes, cluster)));
    }
    groups
}

impl Group {
    /// The cause in a line: the explanations, else upstream's words.
    pub(crate) fn cause(&self) -> String {
        if !self.details.is_empty() {
            return self.details.join("; ");
        }
        let texts: Vec<&str> = self.reasons.iter().map(|quote| quote.text.as_str()).collect();
        texts.join("; ")
    }

    fn widen(&mut self, evidence: &Evidence) {
        let Evidence::Resource { resource, requested, used, allocatable, parts } = evidence else { return };
        let free = allocatable.saturating_sub(*used);
        let span = self.spans.entry(*resource).or_insert(LargestFree {
            requested: *requested,
            parts: parts.clone(),
            most_free: free,
            most_allocatable: *allocatable,
        });
        span.most_free = span.most_free.max(free);
        span.most_allocatable = span.most_allocatable.max(*allocatable);
    }
}

impl Group {
    fn add_domain(&mut self, evidence: &Evidence, cluster: &Cluster) {
        let Evidence::Spread { domain, matching, minimum, fewest, .. } = evidence else { return };
        self.domains.insert(*domain, *matching);
        if self.fewest.is_empty() {
            self.fewest = spread::fewest(*fewest, *minimum, cluster);
        }
    }
}

fn room(resource: ResourceId, span: &LargestFree, nodes: usize, cluster: &Cluster) -> String {
    let scale = Scale::of(resource, &[span.requested, span.most_allocatable, span.most_free.max(0)], cluster);
    let amount = |value| scale.text(value);
    let name = resource.name(cluster);
    let at_most = if nodes == 1 { "" } else { "at most " };
    if resource == ResourceId::Pods {
        return format!("{at_most}{} pods allowed per node", amount(span.most_allocatable));
    }
    let requested = match span.parts.as_deref() {
        None | Some([]) => amount(span.requested),
        parts => requested(resource, span.requested, parts, cluster),
    };
    let allocatable = amount(span.most_allocatable);
    if span.requested > span.most_allocatable {
        return format!("{name}: requests {requested}, more than an empty node has ({at_most}{allocatable})");
    }
    format!("{name}: requests {requested}, {at_most}{} free of {allocatable}", amount(span.most_free.max(0)))
}

/// What a pod requests, with where it comes from: `3500m = 500m + 3 of overhead (RuntimeClass kata)`.
fn requested(resource: ResourceId, requested: i64, parts: Option<&[RequestPart]>, cluster: &Cluster) -> String {
    let sum = resource.amount(requested, cluster);
    let texts: Vec<String> = parts
        .unwrap_or_default()
        .iter()
        .map(|part| format!("{}{}", resource.amount(part.amount, cluster), origin(&part.origin, cluster)))
        .collect();
    match texts.as_slice() {
        [] => sum,
        // One part that is the whole: its amount is said once.
        [only] => only.clone(),
        parts => format!("{sum} = {}", parts.join(" + ")),
    }
}

fn origin(origin: &RequestOrigin, cluster: &Cluster) -> String {
    match origin {
        RequestOrigin::Containers => String::new(),
        RequestOrigin::Sidecars { names } => {
            let sidecar = if names.len() == 1 { "sidecar" } else { "sidecars" };
            let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
            format!(" of {sidecar} {}", words::list(&names, 3))
        }
        RequestOrigin::InitContainer { name } => format!(" of init container {}", cluster.text(*name)),
        RequestOrigin::PodLevel => " of pod-level resources".to_owned(),
        RequestOrigin::Overhead { runtime_class } if runtime_class.is_empty() => " of overhead".to_owned(),
        RequestOrigin::Overhead { runtime_class } => {
            format!(" of overhead (RuntimeClass {})", cluster.text(*runtime_class))
        }
    }
}

/// The cause of a rejection as text; `None` if [`room`] or [`Ask::on_nodes`] describes it with numbers, or if upstream's words are enough.
fn cause(evidence: &Evidence, cluster: &Cluster) -> Option<String> {
    let text = |sym| cluster.text(sym);
    Some(match evidence {
        Evidence::None | Evidence::TimedOut | Evidence::Resource { .. } => return None,
        Evidence::NodeName { wanted } => format!("spec.nodeName asks for {}", text(*wanted)),
        Evidence::Cordoned => "cordoned".to_owned(),
        Evidence::Taint { key, value, effect } => {
            format!("untolerated taint {}", effect.taint(*key, *value, cluster))
        }
        Evidence::NodeAffinity { terms, unmet } if unmet.is_empty() => match terms {
            1 => "the only term of required node affinity can select no node".to_owned(),
            _ => format!("none of {} of required node affinity can select a node", words::count(*terms, "term")),
        },
        Evidence::VolumeElsewhere { claim, volume, unmet } if unmet.is_empty() => {
            let (claim, volume) = (text(*claim), text(*volume));
            format!("claim {claim} is bound to volume {volume}, whose node affinity can select no node")
        }
        // A line of its own says what the nodes have.
        Evidence::NodeSelector { .. } | Evidence::NodeAffinity { .. } | Evidence::VolumeElsewhere { .. } => {
            return None;
        }
        Evidence::Port { wanted, .. } => format!("host port {} is taken", wanted.text(cluster)),
        Evidence::MissingLabel { key } => format!("the node has no label {}", text(*key)),
        Evidence::Spread { key, max_skew, .. } => {
            format!("spread over {}: one pod more would exceed maxSkew {max_skew}", text(*key))
        }
        Evidence::Affinity { key, .. } => {
            format!("the node's {} has no pod that matches the pod's affinity", text(*key))
        }
        Evidence::AntiAffinity { key, .. } => {
            format!("the pod's anti-affinity matches pods in the node's {}", text(*key))
        }
        Evidence::ExistingAntiAffinity { key, .. } => {
            format!("the anti-affinity of pods in the node's {} matches the pod", text(*key))
        }
        Evidence::MissingDrivers { drivers } => {
            let names: Vec<&str> = drivers.iter().map(|driver| text(*driver)).collect();
            let driver = if names.len() == 1 { "CSI driver" } else { "CSI drivers" };
            format!("the node does not run {driver} {}", words::list(&names, 3))
        }
        Evidence::Storage(storage) => return storage_cause(*storage, cluster),
        Evidence::Feature { name } => format!("the node does not declare feature {name}"),
        Evidence::Devices { claim, shortage, .. } => devices(*claim, shortage.as_deref(), cluster),
        Evidence::ClaimElsewhere { claims } => {
            let names: Vec<&str> =
                claims.iter().filter_map(|ix| cluster.devices.get(*ix)).map(|c| text(c.name)).collect();
            format!("the node cannot use the devices of claim {}", words::list(&names, 3))
        }
    })
}

/// Why no devices can be allocated to a claim, without the numbers that differ between nodes.
fn devices(claim: Option<Sym>, shortage: Option<&Shortage>, cluster: &Cluster) -> String {
    let whose = claim.map_or_else(|| "extended resources".to_owned(), |c| format!("claim {}", cluster.text(c)));
    let Some(shortage) = shortage else { return "no choice of devices satisfies all claims together".to_owned() };
    let request = match cluster.text(shortage.request) {
        "" => whose,
        name => format!("{whose}, request {name}"),
    };
    let free = shortage.selected - shortage.held - shortage.tainted;
    match shortage {
        Shortage { devices: 0, .. } => format!("{request}: the node has no devices"),
        Shortage { selected: 0, .. } => format!("{request}: no device of the node is selected"),
        Shortage { tainted: 0, .. } if free == 0 => format!("{request}: all devices that are selected are in use"),
        Shortage { held: 0, .. } if free == 0 => format!("{request}: all devices that are selected are tainted"),
        _ if free == 0 => format!("{request}: all devices that are selected are in use or tainted"),
        _ => format!("{request}: too few devices are free"),
    }
}

/// The part of [`cause`] for storage.
fn storage_cause(evidence: StorageEvidence, cluster: &Cluster) -> Option<String> {
    let text = |sym| cluster.text(sym);
    Some(match evidence {
        StorageEvidence::Disk { volume, .. } => format!("the disk of volume {} is in use on the node", text(volume)),
        StorageEvidence::ClaimInUse { claim, pod } => {
            format!("claim {} is used by {}, and only one pod may use it", text(claim), cluster.pod_name(pod))
        }
        StorageEvidence::VolumeLimit { driver, wanted, .. } => {
            let more = words::count(usize::try_from(wanted).unwrap_or(0), "more volume");
            format!("no room for {more} of {}", text(driver))
        }
        StorageEvidence::Claim { claim, volume } => match volume {
            Some(volume) => format!("claim {} is bound to volume {}, which does not exist", text(claim), text(volume)),
            None => format!("claim {} is not bound, and no volume or provisioner on the node suits it", text(claim)),
        },
        StorageEvidence::StorageSpace { claim, class, wanted } => {
            let bytes = ResourceId::EphemeralStorage.amount(wanted, cluster);
            format!("claim {} wants {bytes} of storage class {}", text(claim), text(class))
        }
        // A line of its own says where the nodes are.
        StorageEvidence::VolumeZone { .. } => return None,
    })
}

/// The pod that causes the rejection, if there is one.
fn holder(evidence: &Evidence) -> Option<PodIx> {
    match evidence {
        Evidence::AntiAffinity { pod, .. } | Evidence::ExistingAntiAffinity { pod, .. } => *pod,
        Evidence::Storage(StorageEvidence::Disk { pod, .. }) => Some(*pod),
        _ => None,
    }
}

/// The most holders that are named.
const HOLDERS_NAMED: usize = 3;

/// Who holds the devices that the pod wants, as an example for the nodes of a group.
fn device_holders(evidence: &Evidence, cluster: &Cluster) -> Option<String> {
    let Evidence::Devices { holders, .. } = evidence else { return None };
    let name = |holder: &DeviceHolder| {
        let DeviceHolder { pod, devices } = holder;
        format!("{} (priority {}: {devices})", cluster.pod_name(*pod), cluster.pod(*pod).priority)
    };
    let names: Vec<String> = holders.iter().map(name).collect();
    let names = words::list(&names, HOLDERS_NAMED);
    (!holders.is_empty()).then(|| format!("held by {names}, but kube-scheduler does not preempt for devices"))
}

/// The values behind the rejection of one node, as text.
#[must_use]
pub(crate) fn operands(evidence: &Evidence, cluster: &Cluster) -> Option<String> {
    let text = |sym| cluster.text(sym);
    let asks: Vec<String> = asks(evidence, cluster).iter().map(|ask| ask.on_node(cluster)).collect();
    if !asks.is_empty() {
        return Some(asks.join("; "));
    }
    match evidence {
        Evidence::Resource { resource, requested: sum, used, allocatable, parts } => {
            let name = resource.name(cluster);
            let [used, allocatable] = [used, allocatable].map(|value| resource.amount(*value, cluster));
            let requested = requested(*resource, *sum, parts.as_deref(), cluster);
            Some(format!("{name}: requests {requested}, {used} of {allocatable} already requested"))
        }
        Evidence::Port { wanted, used, pod } => {
            let holder = pod.map(|p| format!(" by {}", cluster.pod_name(p))).unwrap_or_default();
            Some(format!("host port {}: {} is in use{holder}", wanted.text(cluster), used.text(cluster)))
        }
        Evidence::Spread { key, domain, matching, minimum, incoming, max_skew, fewest } => Some(format!(
            "{}={}: {matching} matching + {incoming} - {minimum} in the emptiest domain > maxSkew {max_skew}; {}",
            text(*key),
            text(*domain),
            spread::fewest(*fewest, *minimum, cluster)
        )),
        Evidence::Storage(StorageEvidence::VolumeLimit { driver, limit, attached, wanted }) => {
            Some(format!("{}: {wanted} wanted, {attached} of {limit} on the node", text(*driver)))
        }
        Evidence::Devices { shortage: Some(shortage), .. } => {
            let Shortage { wanted, devices, selected, held, tainted, .. } = &**shortage;
            let tainted = if *tainted > 0 { format!(", {tainted} tainted") } else { String::new() };
            cause(evidence, cluster).map(|cause| {
                format!(
                    "{cause} (wants {wanted}; of {devices} on the node {selected} are selected, {held} in use{tainted})"
                )
            })
        }
        other => {
            let by = holder(other).map(|p| format!(", such as {}", cluster.pod_name(p))).unwrap_or_default();
            cause(other, cluster).map(|cause| cause + &by)
        }
    }
}
