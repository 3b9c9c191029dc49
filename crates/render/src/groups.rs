//! Groups thousands of rejected nodes by their few different causes.

mod holders;
mod labels;
mod requests;
mod spread;
mod tally;
mod volumes;

use std::collections::BTreeMap;

use indexmap::IndexMap;

use labels::{Ask, asks};
use tally::Tally;

use super::words;
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::cluster::symbols::Sym;
use engine::decision::nearest::{Distance, Nearness, NodeCause, Unmeetable};
use engine::decision::{Decision, Explanation};
use engine::dra::Shortage;
use engine::framework::cycle::PreFilter;
use engine::framework::reason::Quote;
use engine::framework::status::{Evidence, Rejection};
use engine::framework::storage_evidence::{StorageEvidence, UnboundClaim};
pub(crate) use tally::NOT_FOR_DEVICES;

/// The nodes that are rejected for the same cause.
#[derive(Debug, Clone)]
pub struct Group {
    /// The plugin that rejects them.
    pub plugin: &'static str,
    /// The reasons in upstream's words.
    pub reasons: Vec<Quote>,
    /// Explanations, one line each.
    pub details: Vec<String>,
    /// What the explanations leave out, one line each.
    pub more_details: Vec<String>,
    /// What must be said beside the explanations, even where these are shortened.
    pub remark: Option<&'static str>,
    /// The other plugins that reject all of these nodes, with their reasons.
    pub also: Vec<String>,
    /// The nodes, by name.
    pub nodes: Vec<NodeIx>,
    /// How far the nearest of them is from taking the pod, where the groups are those of a
    /// decision.
    pub distance: Option<Distance>,
    tally: Tally,
}

/// Groups rejections by cause, the largest group first. Values that differ from node to node become
/// one line for the group.
#[must_use]
pub(crate) fn group<'r>(
    rejections: impl Iterator<Item = (NodeIx, &'static str, &'r Rejection)>,
    cluster: &Cluster,
) -> Vec<Group> {
    let mut groups = group_with(rejections, &[], cluster, |_| Beyond::default());
    groups.sort_by(|a, b| b.nodes.len().cmp(&a.nodes.len()).then_with(|| a.nodes.cmp(&b.nodes)));
    groups
}

/// The nodes whose decisive reason is the same, and what else rejects them.
pub(crate) struct FirstCause {
    /// The nodes by that reason.
    pub group: Group,
    /// Resources and plugins that reject some of the nodes, too, with the number of these nodes.
    pub others: IndexMap<String, usize>,
}

/// Groups the rejections of a decision by one reason for each node: a request that no node could
/// ever meet, or else the scheduler's first. First come the nodes that are the nearest to taking
/// the pod, and of equally near ones most nodes.
#[must_use]
pub(crate) fn by_first_reason(decision: &Explanation) -> Vec<FirstCause> {
    let cluster = decision.view.cluster;
    let unmeetable = decision.unmeetable();
    let causes: BTreeMap<NodeIx, NodeCause> =
        decision.node_causes(&unmeetable).into_iter().map(|cause| (cause.node, cause)).collect();
    let decisive: Vec<(NodeIx, &'static str, Rejection)> = causes
        .values()
        .map(|cause| {
            let rejection = Rejection {
                code: cause.code,
                reasons: std::iter::once(cause.reason.clone()).collect(),
            };
            (cause.node, cause.plugin, rejection)
        })
        .collect();
    let rejections = decisive.iter().map(|(node, plugin, rejection)| (*node, *plugin, rejection));
    let mut groups = group_with(rejections, &unmeetable, cluster, |node| Beyond {
        also: Vec::new(),
        distance: causes.get(&node).map(|cause| cause.distance),
    });
    nearest_first(&mut groups);
    let with_others = |group: Group| {
        let mut others: IndexMap<String, usize> = IndexMap::new();
        for cause in group.nodes.iter().filter_map(|node| causes.get(node)) {
            for name in other_names(cause, cluster) {
                *others.entry(name).or_default() += 1;
            }
        }
        FirstCause { group, others }
    };
    groups.into_iter().map(with_others).collect()
}

/// What else rejects a node: resources of the same plugin, and other plugins.
fn other_names(cause: &NodeCause, cluster: &Cluster) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (plugin, reason) in &cause.others {
        let name = match &reason.evidence {
            Evidence::Resource { resource, .. } if *plugin == cause.plugin => {
                resource.name(cluster)
            }
            _ if *plugin == cause.plugin => continue,
            _ => plugin,
        };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Groups the rejections of a decision by all plugins that reject the nodes. First come the nodes
/// that are the nearest to taking the pod.
#[must_use]
pub(crate) fn closest_first(decision: &Explanation) -> Vec<Group> {
    let cluster = decision.view.cluster;
    let unmeetable = decision.unmeetable();
    let distances: BTreeMap<NodeIx, Distance> = decision
        .node_causes(&unmeetable)
        .into_iter()
        .map(|cause| (cause.node, cause.distance))
        .collect();
    let also = |node: NodeIx| {
        let others = decision.also_refused(node).unwrap_or_default().iter();
        others
            .map(|(plugin, rejection)| {
                format!("{plugin} ({})", rejection.texts(cluster).join(", "))
            })
            .collect()
    };
    let mut groups = group_with(decision.rejections(), &unmeetable, cluster, |node| Beyond {
        also: also(node),
        distance: distances.get(&node).copied(),
    });
    nearest_first(&mut groups);
    groups
}

/// Orders groups as [`engine::decision::nearest`] says: the nearest nodes first, and of equally
/// near ones the most.
fn nearest_first(groups: &mut [Group]) {
    groups.sort_by(|a, b| {
        let size = b.nodes.len().cmp(&a.nodes.len());
        a.distance.cmp(&b.distance).then(size).then_with(|| a.nodes.cmp(&b.nodes))
    });
}

/// What is known of a node beyond the rejection by which it is grouped.
#[derive(Default)]
struct Beyond {
    /// The other plugins that reject it, with their reasons.
    also: Vec<String>,
    /// How far it is from taking the pod.
    distance: Option<Distance>,
}

fn group_with<'r>(
    rejections: impl Iterator<Item = (NodeIx, &'static str, &'r Rejection)>,
    unmeetable: &[Unmeetable],
    cluster: &Cluster,
    beyond: impl Fn(NodeIx) -> Beyond,
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
        nearness: Option<Nearness>,
    }
    let mut groups: IndexMap<Key, Group> = IndexMap::new();
    for (node, plugin, rejection) in rejections {
        let Beyond { also, distance } = beyond(node);
        let reasons = rejection.quotes(cluster);
        // Up to 1.23 a reason may name the node, which makes it no other cause.
        let name = cluster.text(cluster.node(node).name);
        let same = rejection.reasons.iter().map(|reason| reason.text.on_any_node(name, cluster));
        let asks: Vec<Ask> =
            rejection.reasons.iter().flat_map(|reason| asks(&reason.evidence, cluster)).collect();
        let key = Key {
            plugin,
            reasons: same.zip(reasons.iter().map(Quote::code)).collect(),
            causes: rejection
                .reasons
                .iter()
                .filter_map(|reason| subject(&reason.evidence, cluster))
                .collect(),
            asks: asks.iter().map(|ask| ask.text.clone()).collect(),
            also: also.clone(),
            // A request that no node could meet is one cause, whatever else is against the nodes.
            nearness: distance
                .filter(|distance| !distance.is_unmeetable())
                .map(|distance| distance.nearness),
        };
        let group = groups
            .entry(key)
            .or_insert_with(|| Group::new(plugin, reasons, rejection, also, cluster));
        group.nodes.push(node);
        group.distance = match group.distance {
            Some(known) => distance.map(|distance| distance.min(known)),
            None => distance,
        };
        group.tally.add(node, rejection, &asks, cluster);
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.iter_mut().for_each(|group| group.close(unmeetable, cluster));
    groups
}

/// Why PreFilter rejects the pod on every node, as a group of all nodes; `None` if it does not.
#[must_use]
pub(crate) fn of_pre_filter(decision: &Decision) -> Option<Group> {
    let PreFilter::Rejected { plugin, rejection, .. } = decision.pre_filter() else { return None };
    let cluster = decision.view.cluster;
    let mut group = Group::new(plugin, rejection.quotes(cluster), rejection, Vec::new(), cluster);
    group.nodes = cluster.node_indices().collect();
    group.close(&[], cluster);
    Some(group)
}

/// Why PreFilter leaves only some nodes, one line per plugin that says so.
#[must_use]
pub(crate) fn narrowing(decision: &Decision) -> Vec<String> {
    let PreFilter::SomeNodes { evidence, .. } = decision.pre_filter() else { return Vec::new() };
    evidence.iter().filter_map(|evidence| cause(evidence, decision.view.cluster)).collect()
}

impl Group {
    /// A group without nodes, for which this rejection stands.
    fn new(
        plugin: &'static str,
        reasons: Vec<Quote>,
        rejection: &Rejection,
        also: Vec<String>,
        cluster: &Cluster,
    ) -> Self {
        Self {
            plugin,
            reasons,
            details: rejection
                .reasons
                .iter()
                .filter_map(|reason| cause(&reason.evidence, cluster))
                .collect(),
            more_details: rejection
                .reasons
                .iter()
                .flat_map(|reason| in_full(&reason.evidence, cluster))
                .collect(),
            remark: None,
            also,
            nodes: Vec::new(),
            distance: None,
            tally: Tally::default(),
        }
    }

    /// Words what was gathered of all nodes.
    fn close(&mut self, unmeetable: &[Unmeetable], cluster: &Cluster) {
        self.details.extend(self.tally.lines(unmeetable, cluster));
        self.more_details.extend(self.tally.in_full(cluster));
        self.remark = self.tally.remark();
    }

    /// The explanations with what must be said beside them.
    pub(crate) fn details_and_remark(&self) -> Vec<String> {
        self.details.iter().cloned().chain(self.remark.map(str::to_owned)).collect()
    }

    /// How near the nodes are to taking the pod, where the groups are those of a decision.
    pub(crate) fn nearness(&self) -> Option<Nearness> {
        self.distance.map(|distance| distance.nearness)
    }

    /// The cause in a line: the explanations, else upstream's words.
    pub(crate) fn cause(&self) -> String {
        if !self.details.is_empty() {
            return self.details.join("; ");
        }
        let texts: Vec<&str> = self.reasons.iter().map(|quote| quote.text.as_str()).collect();
        texts.join("; ")
    }
}

/// What tells a cause from others: its text, or what the values of different nodes are about.
fn subject(evidence: &Evidence, cluster: &Cluster) -> Option<String> {
    let text = |sym: Sym| cluster.text(sym);
    Some(match evidence {
        Evidence::Port { wanted, .. } => wanted.text(cluster),
        Evidence::AntiAffinity { key, .. } => format!("own {}", text(*key)),
        Evidence::ExistingAntiAffinity { key, .. } => format!("of others {}", text(*key)),
        Evidence::Storage(StorageEvidence::Disk { volume, .. }) => text(*volume).to_owned(),
        Evidence::Storage(StorageEvidence::VolumeLimit(limit)) => {
            limit.driver.name(cluster).to_owned()
        }
        Evidence::Storage(StorageEvidence::StorageSpace(space)) => text(space.claim).to_owned(),
        Evidence::Storage(StorageEvidence::Unbound(claims)) => {
            let of_claim = |unbound: &UnboundClaim| {
                format!(
                    "{} {} {}",
                    text(unbound.claim),
                    unbound.cause.name(),
                    unbound.taken.is_empty()
                )
            };
            claims.iter().map(of_claim).collect()
        }
        other => return cause(other, cluster),
    })
}

/// The cause of a rejection as text; `None` if [`Tally::lines`] describes it with its values, or if
/// upstream's words are enough.
fn cause(evidence: &Evidence, cluster: &Cluster) -> Option<String> {
    let text = |sym| cluster.text(sym);
    Some(match evidence {
        Evidence::NodeName { wanted } => format!("spec.nodeName asks for {}", text(*wanted)),
        Evidence::Cordoned => "cordoned".to_owned(),
        Evidence::Taint { key, value, effect } => {
            format!("untolerated taint {}", effect.taint(*key, *value, cluster))
        }
        Evidence::NodeAffinity { terms, unmet } if unmet.is_empty() => match terms {
            1 => "the only term of required node affinity can select no node".to_owned(),
            _ => format!(
                "none of {} of required node affinity can select a node",
                words::count(*terms, "term")
            ),
        },
        Evidence::VolumeElsewhere { claim, volume, unmet } if unmet.is_empty() => {
            let (claim, volume) = (text(*claim), text(*volume));
            format!(
                "claim {claim} is bound to volume {volume}, whose node affinity can select no node"
            )
        }
        // A line of its own says what the nodes have, or upstream's words are enough.
        Evidence::None
        | Evidence::TimedOut
        | Evidence::Resource { .. }
        | Evidence::NodeSelector { .. }
        | Evidence::NodeAffinity { .. }
        | Evidence::VolumeElsewhere { .. }
        | Evidence::Port { .. }
        | Evidence::AntiAffinity { .. }
        | Evidence::ExistingAntiAffinity { .. } => return None,
        Evidence::MissingLabel { key } => format!("the node has no label {}", text(*key)),
        Evidence::Spread { key, max_skew, .. } => {
            format!("spread over {}: one pod more would exceed maxSkew {max_skew}", text(*key))
        }
        Evidence::Affinity { key, .. } => {
            format!("the node's {} has no pod that matches the pod's affinity", text(*key))
        }
        Evidence::MissingDrivers { drivers } => {
            let names: Vec<&str> = drivers.iter().map(|driver| text(*driver)).collect();
            let driver = if names.len() == 1 { "CSI driver" } else { "CSI drivers" };
            format!("the node does not run {driver} {}", words::list(&names, 3))
        }
        Evidence::Storage(storage) => return storage_cause(storage, cluster),
        Evidence::Feature { name } => format!("the node does not declare feature {name}"),
        Evidence::Devices { claim, shortage, .. } => devices(*claim, shortage.as_deref(), cluster),
        Evidence::ClaimElsewhere { claims } => {
            let names: Vec<&str> = claims
                .iter()
                .filter_map(|ix| cluster.devices.get(*ix))
                .map(|c| text(c.name))
                .collect();
            format!("the node cannot use the devices of claim {}", words::list(&names, 3))
        }
    })
}

/// Why no devices can be allocated to a claim, without the numbers that differ between nodes.
fn devices(claim: Option<Sym>, shortage: Option<&Shortage>, cluster: &Cluster) -> String {
    let whose = claim
        .map_or_else(|| "extended resources".to_owned(), |c| format!("claim {}", cluster.text(c)));
    let Some(shortage) = shortage else {
        return "no choice of devices satisfies all claims together".to_owned();
    };
    let request = match cluster.text(shortage.request) {
        "" => whose,
        name => format!("{whose}, request {name}"),
    };
    let free = shortage.selected - shortage.held - shortage.tainted;
    match shortage {
        Shortage { devices: 0, .. } => format!("{request}: the node has no devices"),
        Shortage { selected: 0, .. } => format!("{request}: no device of the node matches"),
        Shortage { tainted: 0, .. } if free == 0 => {
            format!("{request}: all matching devices are in use")
        }
        Shortage { held: 0, .. } if free == 0 => {
            format!("{request}: all matching devices are tainted")
        }
        _ if free == 0 => format!("{request}: all matching devices are in use or tainted"),
        _ => format!("{request}: too few devices are free"),
    }
}

/// The part of [`cause`] for storage.
fn storage_cause(evidence: &StorageEvidence, cluster: &Cluster) -> Option<String> {
    let text = |sym: Sym| cluster.text(sym);
    Some(match evidence {
        StorageEvidence::ClaimInUse { claim, pod } => {
            let holder = cluster.pod(*pod);
            let place = match text(holder.node_name) {
                "" => String::new(),
                node => format!(" on {node}"),
            };
            format!(
                "claim {} is used by {}{place}, and only one pod may use it",
                text(*claim),
                cluster.pod_name(*pod)
            )
        }
        StorageEvidence::VolumeGone { claim, volume } => {
            format!(
                "claim {} is bound to volume {}, which does not exist",
                text(*claim),
                text(*volume)
            )
        }
        StorageEvidence::Unbound(claims) => {
            let claims: Vec<String> =
                claims.iter().map(|claim| volumes::unbound(claim, cluster)).collect();
            claims.join("; ")
        }
        StorageEvidence::OnHosts(hosted) => volumes::on_hosts(hosted, cluster),
        // A line of its own says what the nodes have, or who holds it.
        StorageEvidence::VolumeZone { .. }
        | StorageEvidence::Disk { .. }
        | StorageEvidence::VolumeLimit(_)
        | StorageEvidence::StorageSpace(_) => return None,
    })
}

/// What [`cause`] leaves out, one line each.
fn in_full(evidence: &Evidence, cluster: &Cluster) -> Vec<String> {
    match evidence {
        Evidence::Storage(StorageEvidence::Unbound(claims)) => {
            claims.iter().flat_map(|claim| volumes::unbound_in_full(claim, cluster)).collect()
        }
        _ => Vec::new(),
    }
}

/// The values behind the rejection of one node, as text.
#[must_use]
pub(crate) fn operands(evidence: &Evidence, cluster: &Cluster) -> Option<String> {
    let text = |sym| cluster.text(sym);
    let asks: Vec<String> =
        asks(evidence, cluster).iter().map(|ask| ask.on_node(cluster)).collect();
    if !asks.is_empty() {
        return Some(asks.join("; "));
    }
    match evidence {
        Evidence::Resource { resource, requested: sum, used, allocatable, parts } => {
            let name = resource.name(cluster);
            let [used, allocatable] =
                [used, allocatable].map(|value| resource.amount(*value, cluster));
            let requested = requests::requested(*resource, *sum, parts.as_deref(), cluster);
            Some(format!("{name}: requests {requested}, {used} of {allocatable} already requested"))
        }
        Evidence::Spread { key, domain, matching, minimum, incoming, max_skew, fewest } => {
            Some(format!(
                "{}={}: {matching} matching + {incoming} - {minimum} in the emptiest domain > maxSkew {max_skew}; {}",
                text(*key),
                text(*domain),
                spread::fewest(*fewest, *minimum, cluster)
            ))
        }
        Evidence::Devices { shortage: Some(shortage), .. } => {
            let Shortage { wanted, devices, selected, held, tainted, .. } = &**shortage;
            let tainted = if *tainted > 0 { format!(", {tainted} tainted") } else { String::new() };
            let holders = Tally::of_node(evidence, cluster).device_holders(cluster);
            let holders = holders
                .map(|holders| format!("; {holders}; {NOT_FOR_DEVICES}"))
                .unwrap_or_default();
            cause(evidence, cluster).map(|cause| {
                format!(
                    "{cause} (wants {wanted}; of {devices} on the node {selected} match, {held} in use{tainted}){holders}"
                )
            })
        }
        other => {
            let lines = Tally::of_node(other, cluster).held(cluster);
            cause(other, cluster).or_else(|| (!lines.is_empty()).then(|| lines.join("; ")))
        }
    }
}
