//! Groups thousands of rejected nodes by their few different causes.

mod holders;
mod labels;
mod requests;
mod spread;
mod tally;
mod volumes;

use indexmap::IndexMap;

use tally::RejectionTally;

use jiff::Timestamp;

use crate::words;
use engine::cluster::system_taint::{NOT_READY, SystemTaint, TaintRole};
use engine::cluster::{Cluster, Node, NodeIx, PodIx, Sym};
use engine::decision::nearest::{Distance, FirstRejections, Nearness, NodeCause, Unmeetable};
use engine::decision::{Decision, Explanation, OutcomeKind};
use engine::dra::Shortage;
use engine::edits::UNSCHEDULABLE_TAINT;
use engine::framework::cluster_view::ClusterView;
use engine::framework::cycle::PreFilter;
use engine::framework::evidence::{
    Contended, Fact, InsufficientResource, Obstruction, RuleOf, Skew,
};
use engine::framework::operands::ResourceId;
use engine::framework::reason::{Quote, ReasonText};
use engine::framework::status::{Reason, Rejection};
pub use tally::{NOT_FOR_DEVICES, NeededAmount};

/// Maximum number of nodes with the pod's volume of which all reasons are said.
const VOLUME_NODES: usize = 2;

/// The nodes that are rejected for the same cause.
#[derive(Debug, Clone)]
pub struct CauseGroup {
    /// The plugin that rejects them.
    pub plugin: &'static str,
    /// The reasons in upstream's words.
    pub reasons: Vec<Quote>,
    /// Explanations, one line each.
    pub details: Vec<String>,
    /// What the explanations omit, one line each.
    pub more_details: Vec<String>,
    /// What must be said with the explanations, even where these are shortened.
    pub remark: Option<&'static str>,
    /// The pods that request most of the cpu, memory or storage that the nearest nodes lack.
    pub held_by: Option<String>,
    /// The other plugins that reject all of these nodes, with their reasons.
    pub also: Vec<String>,
    /// The nodes, by name.
    pub nodes: Vec<NodeIx>,
    /// What the pod requests of a resource that they lack, and what they have of it.
    pub amount: Option<NeededAmount>,
    /// How far the nearest of them is from taking the pod, if the groups are those of a decision.
    pub distance: Option<Distance>,
    tally: RejectionTally,
}

/// Groups rejections by cause, the largest group first. Values that differ between nodes are
/// combined into one line per group.
pub fn group<'r>(
    rejections: impl Iterator<Item = (NodeIx, &'static str, &'r Rejection)>,
    cluster: &Cluster,
) -> Vec<CauseGroup> {
    let rejected = rejections.map(|(node, plugin, rejection)| RejectedNode {
        node,
        plugin,
        reasons: &rejection.reasons,
        also: Vec::new(),
        distance: None,
    });
    let mut groups = group_with(rejected, &[], cluster);
    groups.sort_by(|a, b| b.nodes.len().cmp(&a.nodes.len()).then_with(|| a.nodes.cmp(&b.nodes)));
    groups
}

/// Groups the rejections of a pod by cause, each node by the first filter that rejects it. First come
/// the nodes that are the nearest to taking the pod.
pub fn of_first_filters(
    rejections: &[(NodeIx, &'static str, &Rejection)],
    pod: PodIx,
    view: &ClusterView,
) -> Vec<CauseGroup> {
    let found = FirstRejections::new(view, pod, rejections);
    let rejected = rejections.iter().map(|(node, plugin, rejection)| RejectedNode {
        node: *node,
        plugin,
        reasons: &rejection.reasons,
        also: Vec::new(),
        distance: found.distances.get(node).copied(),
    });
    let mut groups = group_with(rejected, &found.unmeetable, view.cluster);
    nearest_first(&mut groups);
    groups
}

/// The nodes whose decisive reason is the same, and what else rejects them.
pub struct FirstCause {
    /// The nodes by that reason.
    pub group: CauseGroup,
    /// Resources and plugins that reject some of the nodes, too, with the number of these nodes.
    pub others: IndexMap<String, usize>,
}

/// Groups the rejections of a decision by one reason per node, see
/// [`crate::pod_report::PodReport::first_causes`]. Returns also how far the nodes are from taking
/// the pod.
pub(crate) fn first_causes(decision: &Explanation) -> (NodeDistances, Vec<FirstCause>) {
    let cluster = decision.view.cluster;
    let unmeetable = decision.unmeetable();
    let causes = decision.node_causes(&unmeetable);
    let rejected = causes.iter().map(|cause| RejectedNode {
        node: cause.node,
        plugin: cause.plugin,
        reasons: std::slice::from_ref(cause.reason),
        also: Vec::new(),
        distance: Some(cause.distance),
    });
    let mut groups = group_with(rejected, &unmeetable, cluster);
    order_and_complete(&mut groups, &causes, decision);
    join_volumes(&mut groups, &causes, cluster);
    let mut first_causes = Vec::with_capacity(groups.len());
    for group in groups {
        let mut others: IndexMap<String, usize> = IndexMap::new();
        for node in &group.nodes {
            // The causes are in the order of their nodes.
            let at = causes.binary_search_by_key(node, |cause| cause.node).ok();
            let Some(cause) = at.and_then(|at| causes.get(at)) else { continue };
            for name in other_names(cause, cluster) {
                *others.entry(name).or_default() += 1;
            }
        }
        first_causes.push(FirstCause { group, others });
    }
    (NodeDistances::new(unmeetable.clone(), &causes), first_causes)
}

/// The reasons of a plugin against a node.
fn reasons_of<'d>(cause: &NodeCause<'d>, plugin: &str) -> Vec<&'d Reason> {
    let own = Some(cause.reason).filter(|_| cause.plugin == plugin);
    let others = cause.others.iter().filter(|(of, _)| *of == plugin);
    own.into_iter().chain(others.map(|(_, reason)| *reason)).collect()
}

/// Joins what is said of nodes that cannot reach the pod's volume with what is said of the few that
/// can: the pod can run only there.
fn join_volumes(groups: &mut [CauseGroup], causes: &[NodeCause], cluster: &Cluster) {
    for plugin in ["VolumeBinding", "VolumeZone"] {
        let reasons = causes.iter().flat_map(|cause| reasons_of(cause, plugin));
        let elsewhere = reasons.into_iter().find_map(|reason| {
            let facts = reason.evidence.as_deref()?.facts(cluster);
            facts.into_iter().find_map(|fact| match fact {
                Fact::Label(asked) => Some(asked.text),
                _ => None,
            })
        });
        let homes: Vec<&NodeCause> =
            causes.iter().filter(|cause| reasons_of(cause, plugin).is_empty()).collect();
        let Some(elsewhere) = elsewhere.filter(|_| (1..=VOLUME_NODES).contains(&homes.len()))
        else {
            continue;
        };
        for group in groups.iter_mut() {
            if group.nodes.iter().all(|node| homes.iter().any(|home| home.node == *node)) {
                group.details.push(elsewhere.clone());
            } else if group.plugin == plugin {
                for home in &homes {
                    let reasons = std::iter::once(home.reason)
                        .chain(home.others.iter().map(|(_, reason)| *reason));
                    let mut texts: Vec<String> = Vec::new();
                    for reason in reasons {
                        let text = operands(reason, cluster)
                            .unwrap_or_else(|| reason.text.render(cluster).into_owned());
                        if !texts.contains(&text) {
                            texts.push(text);
                        }
                    }
                    let node = cluster.node_name(home.node);
                    group.details.push(format!("{node} rejects it, too: {}", texts.join(" and ")));
                }
            }
        }
    }
}

/// How far the nodes that reject a pod are from taking it.
pub(crate) struct NodeDistances {
    unmeetable: Vec<Unmeetable>,
    /// In the order of the nodes.
    distances: Vec<(NodeIx, Distance)>,
}

impl NodeDistances {
    fn new(unmeetable: Vec<Unmeetable>, causes: &[NodeCause]) -> Self {
        let distances = causes.iter().map(|cause| (cause.node, cause.distance)).collect();
        Self { unmeetable, distances }
    }

    pub(crate) fn find(decision: &Explanation) -> Self {
        let unmeetable = decision.unmeetable();
        let causes = decision.node_causes(&unmeetable);
        Self::new(unmeetable.clone(), &causes)
    }

    fn of(&self, node: NodeIx) -> Option<Distance> {
        let at = self.distances.binary_search_by_key(&node, |(known, _)| *known).ok()?;
        self.distances.get(at).map(|(_, distance)| *distance)
    }
}

/// What else rejects a node: resources of the same plugin, and other plugins.
fn other_names(cause: &NodeCause, cluster: &Cluster) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (plugin, reason) in &cause.others {
        let name = match reason.lack() {
            Some(lack) if *plugin == cause.plugin => lack.resource.name(cluster),
            None if *plugin == cause.plugin => continue,
            Some(_) | None => plugin,
        };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The other plugins that reject a node, with their reasons.
fn also_rejected_by(node: NodeIx, decision: &Explanation) -> Vec<String> {
    let cluster = decision.view.cluster;
    let others = decision.also_refused(node).unwrap_or_default().iter();
    others
        .map(|(plugin, rejection)| format!("{plugin} ({})", rejection.texts(cluster).join(", ")))
        .collect()
}

/// Groups the rejections of a decision by all plugins that reject the nodes, the nodes nearest to
/// taking the pod first.
pub(crate) fn closest_causes(decision: &Explanation, distances: &NodeDistances) -> Vec<CauseGroup> {
    let cluster = decision.view.cluster;
    let rejected = decision.rejections().map(|(node, plugin, rejection)| RejectedNode {
        node,
        plugin,
        reasons: &rejection.reasons,
        also: also_rejected_by(node, decision),
        distance: distances.of(node),
    });
    let mut groups = group_with(rejected, &distances.unmeetable, cluster);
    order_and_complete(&mut groups, &decision.node_causes(&distances.unmeetable), decision);
    groups
}

/// Sorts groups, the nearest nodes first, and adds who holds what these lack and since when they are
/// as they are.
fn order_and_complete(groups: &mut [CauseGroup], causes: &[NodeCause], decision: &Explanation) {
    nearest_first(groups);
    // Nothing but the pods on the nearest nodes can make room: the victims of a preemption are named
    // elsewhere.
    let holders_matter = decision.kind() == OutcomeKind::Unschedulable;
    for (at, group) in groups.iter_mut().enumerate() {
        group.add_holders(at == 0 && holders_matter, decision.view);
        group.add_duration(causes, decision.now, decision.view.cluster);
    }
}

/// When the node stopped being Ready, if the taint with this key says that it is not. Kubernetes
/// records when a taint was added only for those that evict pods.
fn not_ready_since(node: &Node, key: Sym, cluster: &Cluster) -> Option<Timestamp> {
    let ready = node.ready.as_deref().filter(|ready| cluster.text(ready.status) != "True")?;
    NOT_READY.contains(&cluster.text(key)).then_some(ready.since)?
}

/// Sorts groups by [`engine::decision::nearest`]: the nearest nodes first; among equally near ones,
/// the most nodes.
fn nearest_first(groups: &mut [CauseGroup]) {
    groups.sort_by(|a, b| {
        let size = b.nodes.len().cmp(&a.nodes.len());
        a.distance.cmp(&b.distance).then(size).then_with(|| a.nodes.cmp(&b.nodes))
    });
}

/// A node that rejects a pod, with what it is grouped by.
struct RejectedNode<'r> {
    node: NodeIx,
    plugin: &'static str,
    /// The reasons of the plugin.
    reasons: &'r [Reason],
    /// The other plugins that reject it, with their reasons.
    also: Vec<String>,
    /// How far it is from taking the pod.
    distance: Option<Distance>,
}

fn group_with<'r>(
    rejected: impl Iterator<Item = RejectedNode<'r>>,
    unmeetable: &[Unmeetable],
    cluster: &Cluster,
) -> Vec<CauseGroup> {
    /// What the nodes of a group have in common.
    #[derive(PartialEq, Eq, Hash)]
    struct Key {
        plugin: &'static str,
        /// Texts and codes, without the name of the node.
        reasons: Vec<(String, Option<&'static str>)>,
        /// The subjects of the causes, in order.
        subjects: Vec<Subject>,
        also: Vec<String>,
        standing: Option<(bool, Nearness)>,
    }
    /// Nodes with the same lacks are in the same group: these differ in nothing but amounts.
    #[derive(PartialEq, Eq, Hash)]
    struct SameLacks<'r> {
        plugin: &'static str,
        texts: Vec<&'r ReasonText>,
        standing: Option<(bool, Nearness)>,
    }
    let mut groups: IndexMap<Key, CauseGroup> = IndexMap::new();
    let mut of_lacks: IndexMap<SameLacks, usize> = IndexMap::new();
    for RejectedNode { node, plugin, reasons, also, distance } in rejected {
        // A request that no node could meet is one cause, regardless of other reasons.
        let standing = distance
            .filter(|distance| !distance.is_unmeetable())
            .map(|distance| (distance.excluded, distance.nearness));
        // Thousands of nodes lack the same resources: their key is put into words only once.
        let lacks: Option<Vec<Fact>> =
            reasons.iter().map(|reason| Some(Fact::Lack(reason.lack()?))).collect();
        let same_lacks = lacks.as_ref().filter(|_| also.is_empty()).map(|_| SameLacks {
            plugin,
            texts: reasons.iter().map(|reason| &reason.text).collect(),
            standing,
        });
        if let (Some(same), Some(lacks)) = (&same_lacks, &lacks)
            && let Some((_, group)) = of_lacks.get(same).and_then(|at| groups.get_index_mut(*at))
        {
            group.add(node, distance, lacks, cluster);
            continue;
        }
        let quotes: Vec<Quote> = reasons.iter().map(|reason| reason.text.quote(cluster)).collect();
        // Up to 1.23 a reason may contain the name of the node, which does not make it a different
        // cause.
        let name = cluster.node_name(node);
        let same = reasons.iter().map(|reason| reason.text.on_any_node(name, cluster));
        let facts = facts(reasons, cluster);
        let key = Key {
            plugin,
            reasons: same.zip(quotes.iter().map(Quote::code)).collect(),
            subjects: facts.iter().filter_map(|fact| subject(fact, cluster)).collect(),
            also: also.clone(),
            standing,
        };
        let entry = groups.entry(key);
        of_lacks.extend(same_lacks.map(|same| (same, entry.index())));
        let group = entry.or_insert_with(|| CauseGroup::new(plugin, quotes, &facts, also, cluster));
        group.add(node, distance, &facts, cluster);
    }
    let mut groups: Vec<CauseGroup> = groups.into_values().collect();
    groups.iter_mut().for_each(|group| group.close(unmeetable, cluster));
    groups
}

/// Why PreFilter rejects the pod on every node, as a group of all nodes; `None` if it does not.
pub fn of_pre_filter(decision: &Decision) -> Option<CauseGroup> {
    let PreFilter::Rejected { plugin, rejection, .. } = decision.pre_filter() else { return None };
    let cluster = decision.view.cluster;
    let mut group = CauseGroup::new(
        plugin,
        rejection.quotes(cluster),
        &facts(&rejection.reasons, cluster),
        Vec::new(),
        cluster,
    );
    group.nodes = cluster.node_indices().collect();
    group.close(&[], cluster);
    Some(group)
}

/// Why PreFilter allows only some nodes, one line per plugin that explains it.
pub fn narrowing(decision: &Decision) -> Vec<String> {
    let PreFilter::SomeNodes { evidence, .. } = decision.pre_filter() else { return Vec::new() };
    let cluster = decision.view.cluster;
    let facts = evidence.iter().flat_map(|evidence| evidence.facts(cluster));
    facts.filter_map(|fact| cause(&fact, cluster)).collect()
}

impl CauseGroup {
    /// A group without nodes, represented by this rejection.
    fn new(
        plugin: &'static str,
        reasons: Vec<Quote>,
        facts: &[Fact],
        also: Vec<String>,
        cluster: &Cluster,
    ) -> Self {
        Self {
            plugin,
            reasons,
            details: facts.iter().filter_map(|fact| cause(fact, cluster)).collect(),
            more_details: facts.iter().flat_map(|fact| in_full(fact, cluster)).collect(),
            remark: None,
            held_by: None,
            also,
            nodes: Vec::new(),
            amount: None,
            distance: None,
            tally: RejectionTally::default(),
        }
    }

    /// Adds a node that is rejected for this cause.
    fn add(&mut self, node: NodeIx, distance: Option<Distance>, facts: &[Fact], cluster: &Cluster) {
        self.nodes.push(node);
        self.distance = match self.distance {
            Some(known) => distance.map(|distance| distance.min(known)),
            None => distance,
        };
        self.tally.add(node, facts, cluster);
    }

    /// Puts the values collected over all nodes into words.
    fn close(&mut self, unmeetable: &[Unmeetable], cluster: &Cluster) {
        self.details.extend(self.tally.lines(unmeetable, cluster));
        self.more_details.extend(self.tally.in_full(cluster));
        self.remark = self.tally.remark();
        self.amount = self.tally.amounts(unmeetable, cluster);
    }

    /// Says which pods hold the most of what the nodes lack: of devices and other extended resources
    /// in any case, and of cpu, memory and storage on the node with the most of it free, if
    /// `of_every_resource` is set.
    fn add_holders(&mut self, of_every_resource: bool, view: &ClusterView) {
        for resource in self.tally.held_resources().collect::<Vec<_>>() {
            if matches!(resource, ResourceId::Scalar(_)) {
                self.details.extend(holders::most_of(resource, &self.nodes, view));
            } else if of_every_resource {
                // Of many nodes one says little, and a list of causes has no room for it.
                let most = holders::most_on_nearest(resource, &self.nodes, view);
                if self.nodes.len() > holders::NAMED {
                    self.more_details.extend(most);
                } else if self.held_by.is_none() {
                    self.held_by = most;
                }
            }
        }
    }

    /// Says since when the nodes are cordoned or have a taint that describes their state, if that is
    /// known of all of them.
    fn add_duration(&mut self, causes: &[NodeCause], now: Timestamp, cluster: &Cluster) {
        let first = self.nodes.first();
        let cause = first.and_then(|node| causes.iter().find(|cause| cause.node == *node));
        let cause = cause.filter(|cause| cause.plugin == self.plugin);
        let obstruction =
            cause.and_then(|cause| Some(cause.reason.evidence.as_ref()?.obstruction()));
        let key = match obstruction {
            Some(Obstruction::Cordon) => cluster.symbols.get(UNSCHEDULABLE_TAINT),
            Some(Obstruction::Taint(taint)) => SystemTaint::of(cluster.text(taint.key))
                .filter(|system| system.role != TaintRole::ControlPlane)
                .map(|_| taint.key),
            _ => None,
        };
        let Some((key, detail)) = key.zip(self.details.first_mut()) else { return };
        let (mut shortest, mut longest) = (i64::MAX, 0);
        for node in &self.nodes {
            let node = cluster.node(*node);
            let since = node.tainted_since(key).or_else(|| not_ready_since(node, key, cluster));
            let Some(since) = since else { return };
            let seconds = now.as_second() - since.as_second();
            (shortest, longest) = (shortest.min(seconds), longest.max(seconds));
        }
        if shortest < 0 {
            return;
        }
        let (shortest, longest) = (words::age(shortest), words::age(longest));
        detail.push_str(&if shortest == longest {
            format!(" for {longest}")
        } else {
            format!(" for {shortest} to {longest}")
        });
    }

    /// The explanations, with what must be said with them.
    pub fn details_and_remark(&self) -> Vec<String> {
        self.details.iter().cloned().chain(self.remark.map(str::to_owned)).collect()
    }

    /// How near the nodes are to taking the pod, if the groups are those of a decision.
    pub fn nearness(&self) -> Option<Nearness> {
        self.distance.map(|distance| distance.nearness)
    }

    /// The cause in a line: the explanations, else upstream's words.
    pub fn cause(&self) -> String {
        if !self.details.is_empty() {
            let parts: Vec<&str> =
                self.details.iter().chain(&self.held_by).map(String::as_str).collect();
            return parts.join("; ");
        }
        let texts: Vec<&str> = self.reasons.iter().map(|quote| quote.text.as_str()).collect();
        texts.join("; ")
    }
}

/// The evidence for the reasons of a rejection.
fn facts<'r>(reasons: &'r [Reason], cluster: &Cluster) -> Vec<Fact<'r>> {
    let evidence = reasons.iter().filter_map(|reason| reason.evidence.as_ref());
    evidence.flat_map(|evidence| evidence.facts(cluster)).collect()
}

/// What distinguishes a cause from others: its text, the label asked for, or the subject of values
/// that differ between nodes.
#[derive(PartialEq, Eq, Hash)]
enum Subject {
    Cause(String),
    Asked(String),
}

fn subject(fact: &Fact, cluster: &Cluster) -> Option<Subject> {
    let about = match fact {
        Fact::Label(asked) => return Some(Subject::Asked(asked.text.clone())),
        Fact::InUse(found) => match found.what {
            Contended::Port(wanted) => wanted.text(cluster),
            Contended::Disk(volume) => cluster.text(volume).to_owned(),
        },
        Fact::AntiAffinity(found) => {
            let whose = match found.of {
                RuleOf::Pod => "own",
                RuleOf::Others => "of others",
            };
            format!("{whose} {}", cluster.text(found.key))
        }
        Fact::VolumeLimit(limit) => limit.driver.name(cluster).to_owned(),
        Fact::StorageSpace(space) => cluster.text(space.claim).to_owned(),
        Fact::Values { about, .. } => about.clone(),
        Fact::Words(_) | Fact::Lack(_) | Fact::Skew(_) | Fact::Devices { .. } => {
            cause(fact, cluster)?
        }
    };
    Some(Subject::Cause(about))
}

/// A cause that is the same on all nodes of a group, as text; `None` if [`RejectionTally::lines`] describes
/// it with its values.
fn cause(fact: &Fact, cluster: &Cluster) -> Option<String> {
    match fact {
        Fact::Words(words) => Some(words.clone()),
        Fact::Values { values, .. } => Some(values.sentence(cluster)),
        Fact::Label(_)
        | Fact::Lack(_)
        | Fact::Skew(_)
        | Fact::InUse(_)
        | Fact::AntiAffinity(_)
        | Fact::VolumeLimit(_)
        | Fact::StorageSpace(_)
        | Fact::Devices { .. } => None,
    }
}

/// What [`cause`] omits, one line each.
fn in_full(fact: &Fact, cluster: &Cluster) -> Vec<String> {
    if let Fact::Values { values, .. } = fact { values.in_full(cluster) } else { Vec::new() }
}

/// The values that a reason is based on, as text, for a single node.
pub fn operands(reason: &Reason, cluster: &Cluster) -> Option<String> {
    let facts = reason.evidence.as_deref()?.facts(cluster);
    let causes: Vec<String> = facts.iter().filter_map(|fact| cause(fact, cluster)).collect();
    let mut asked: Vec<String> = Vec::new();
    for fact in &facts {
        match fact {
            Fact::Label(label) => asked.push(labels::on_node(label, cluster)),
            Fact::Lack(lack) => return Some(lack_on_node(lack, cluster)),
            Fact::Skew(skew) => return Some(skew_on_node(skew, cluster)),
            Fact::Devices { shortage: Some(shortage), .. } => {
                let Shortage { wanted, devices, selected, held, tainted, .. } = shortage;
                let cause = causes.join("; ");
                let tainted =
                    if *tainted > 0 { format!(", {tainted} tainted") } else { String::new() };
                let holders = RejectionTally::of_node(&facts, cluster).device_holders(cluster);
                let holders = holders
                    .map(|holders| format!("; {holders}; {NOT_FOR_DEVICES}"))
                    .unwrap_or_default();
                return Some(format!(
                    "{cause} (wants {wanted}; of {devices} on the node {selected} match, {held} in use{tainted}){holders}"
                ));
            }
            Fact::Words(_)
            | Fact::InUse(_)
            | Fact::AntiAffinity(_)
            | Fact::VolumeLimit(_)
            | Fact::StorageSpace(_)
            | Fact::Values { .. }
            | Fact::Devices { shortage: None, .. } => {}
        }
    }
    // Collected values stand in where there is no text.
    let said = [asked, causes].into_iter().find(|texts| !texts.is_empty());
    let said = said.unwrap_or_else(|| RejectionTally::of_node(&facts, cluster).held(cluster));
    (!said.is_empty()).then(|| said.join("; "))
}

fn lack_on_node(lack: &InsufficientResource, cluster: &Cluster) -> String {
    let name = lack.resource.name(cluster);
    let [used, allocatable] =
        [lack.used, lack.allocatable].map(|value| lack.resource.amount(value, cluster));
    let requested =
        requests::requested(lack.resource, lack.requested, lack.parts.as_deref(), cluster);
    format!("{name}: requests {requested}, {used} of {allocatable} already requested")
}

fn skew_on_node(skew: &Skew, cluster: &Cluster) -> String {
    let Skew { matching, minimum, incoming, max_skew, fewest, .. } = *skew;
    format!(
        "{}={}: {matching} matching + {incoming} - {minimum} in the emptiest domain > maxSkew {max_skew}; {}",
        cluster.text(skew.key),
        cluster.text(skew.domain),
        spread::fewest(fewest, minimum, cluster)
    )
}

#[cfg(test)]
mod tests;
