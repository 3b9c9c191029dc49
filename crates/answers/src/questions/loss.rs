//! `simulate --fail`: what happens to the pods of nodes that are gone at once, such as those of a
//! zone or a spot pool, and of other pods because of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use engine::autoscalers::Autoscalers;
use engine::cluster::selector::{Selector, text};
use engine::cluster::system_label::POOLS;
use engine::cluster::{Cluster, NodeIx};
use engine::profile::Profile;
use engine::simulation::removal::changes::one_more;
use engine::simulation::sequence::loss::{Losses, NodesLoss, WorkloadLoss};
use engine::simulation::sequence::{Causes, DrainChange, SimulationSettings};
use rayon::prelude::*;

use super::simulate::add_outlooks;
use super::simulate::gate::causes;
use super::{Basis, Report, Verdict, in_order, node};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::node_name;
use crate::room::label_of;
use crate::words;

/// The label with a node's zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// Maximum number of workloads for which a replica more is tried.
const MOST_REPLICAS: usize = 8;

/// What is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LossRequest {
    /// All of these together: `NODE`, `node/NODE`, `zone/ZONE`, `pool/POOL` or a label selector.
    Together(Vec<String>),
    /// Each of these on its own.
    Each(FailureDomain),
}

impl LossRequest {
    /// What is lost, in words: `each zone`, or what is lost together.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for no words, and for what does not fail as a whole.
    pub fn read(words: &[String]) -> Result<Self, AnswerError> {
        match words {
            [] => {
                Err(AnswerError::usage("say what is lost: a node, zone/NAME, pool/NAME or labels"))
            }
            [each, domain] if each == "each" => {
                let domain = FailureDomain::ALL.into_iter().find(|one| one.noun() == domain);
                let domain =
                    domain.ok_or_else(|| AnswerError::usage("each is node, zone or pool"))?;
                Ok(Self::Each(domain))
            }
            together => Ok(Self::Together(together.to_vec())),
        }
    }
}

/// What fails as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureDomain {
    Node,
    /// The nodes with the same label `topology.kubernetes.io/zone`.
    Zone,
    /// The nodes with the same label of a pool, as autoscalers and clouds set it.
    Pool,
}

impl FailureDomain {
    pub const ALL: [Self; 3] = [Self::Node, Self::Zone, Self::Pool];

    /// What one of them is called.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Zone => "zone",
            Self::Pool => "pool",
        }
    }

    /// The domain of a node, if it is in one.
    fn of(self, node: NodeIx, cluster: &Cluster) -> Option<&str> {
        let domain = match self {
            Self::Node => Some(cluster.node_name(node)),
            Self::Zone => label_of(cluster, node, &[ZONE]),
            Self::Pool => label_of(cluster, node, &POOLS),
        };
        domain.filter(|value| !value.is_empty())
    }

    /// The nodes of each domain, by its name.
    fn all(self, cluster: &Cluster) -> BTreeMap<String, Vec<String>> {
        let mut domains: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for node in cluster.node_indices() {
            if let Some(domain) = self.of(node, cluster) {
                let nodes = domains.entry(domain.to_owned()).or_default();
                nodes.push(cluster.node_name(node).to_owned());
            }
        }
        domains
    }
}

/// What the losses come to.
#[derive(Debug, Clone)]
pub struct LossReport {
    pub basis: Basis,
    /// What is lost each on its own; `None` for one loss.
    pub each: Option<FailureDomain>,
    /// The losses, the worst first.
    pub items: Vec<DomainLoss>,
    /// How many nodes are in no such domain.
    pub outside: usize,
    /// Whether there may be budgets that were not read.
    pub budgets_unknown: bool,
}

/// One loss.
#[derive(Debug, Clone)]
pub struct DomainLoss {
    /// What is lost, such as `zone b`.
    pub name: String,
    pub loss: NodesLoss,
    /// How many of the pods that stay Pending in the first order get a node that an autoscaler adds.
    pub autoscaled: usize,
    /// Replicas that, added first, leave workloads a Ready pod that have none otherwise: each was
    /// played together with those before it. Of several losses it is not looked for.
    pub changes: Vec<DrainChange>,
    /// The lost nodes that are not cordoned yet: no new replica may go there.
    pub to_cordon: Vec<String>,
}

impl LossReport {
    /// `2 of 3 zones can be lost; losing zone b (13 nodes, 120 pods) leaves 3 pods Pending`: the number of
    /// losses that leave no pod without a node, and the worst; or the only one.
    pub fn sentence(&self) -> String {
        let Some(worst) = self.items.first() else { return String::new() };
        if self.each.is_none() && self.items.len() == 1 {
            return worst.sentence();
        }
        let survived = self.items.iter().filter(|item| item.is_survived()).count();
        let all = self.items.len();
        let noun = self.each.map_or("loss", |domain| domain.noun());
        if self.items.iter().all(|item| item.loss.is_survived()) {
            return format!(
                "the loss of any {noun} leaves no pod Pending and none is lost for good"
            );
        }
        format!("{survived} of {} can be lost; {}", words::count(all, noun), worst.sentence())
    }
}

impl DomainLoss {
    /// `losing zone b (13 nodes, 120 pods) leaves 3 pods Pending (up to 5 by timing), 2 of them until
    /// an autoscaler adds a node; 4 pods are preempted; 2 workloads have no Ready pod meanwhile`.
    pub fn sentence(&self) -> String {
        let loss = &self.loss;
        let lost = words::count(loss.lost(), "pod");
        let what = match loss.nodes.len() {
            1 => format!("losing {} ({lost})", self.name),
            nodes => format!("losing {} ({}, {lost})", self.name, words::count(nodes, "node")),
        };
        let (pending, preempted) = (loss.pending, loss.preempted);
        let mut parts = vec![match (pending.most, pending.fewest) {
            (0, _) => "leaves no pod Pending".to_owned(),
            (most, 0) if loss.unknown > 0 => {
                format!("leaves up to {} Pending", words::count(most, "pod"))
            }
            (most, fewest) if loss.unknown > 0 => {
                let fewest = words::count(fewest, "pod");
                format!("leaves {fewest} Pending (up to {})", words::group_digits(most))
            }
            (most, 0) => format!("leaves up to {} Pending by timing", words::count(most, "pod")),
            (most, fewest) if most == fewest => {
                format!("leaves {} Pending", words::count(most, "pod"))
            }
            (most, fewest) => format!(
                "leaves {} Pending (up to {} by timing)",
                words::count(fewest, "pod"),
                words::group_digits(most)
            ),
        }];
        if self.autoscaled > 0 {
            let all = self.autoscaled >= pending.most;
            let which = if all { "until".to_owned() } else { format!("{} until", self.autoscaled) };
            if let Some(first) = parts.first_mut() {
                first.push_str(&format!(", {which} an autoscaler adds a node"));
            }
        }
        match loss.unknown {
            0 => {}
            1 => parts.push("whether 1 pod gets a node is not known".to_owned()),
            pods => parts.push(format!(
                "whether {} pods get a node is not known",
                words::group_digits(pods)
            )),
        }
        match (preempted.fewest, preempted.most) {
            (_, 0) => {}
            (fewest, most) if fewest == most => parts.push(preempts(most, "")),
            (_, most) => parts.push(preempts(most, "up to ")),
        }
        match loss.gone() {
            0 => {}
            1 => parts.push("1 pod is lost for good".to_owned()),
            gone => parts.push(format!("{} pods are lost for good", words::group_digits(gone))),
        }
        match loss.down() {
            0 => {}
            1 => parts.push("1 workload has no Ready pod meanwhile".to_owned()),
            down => parts.push(format!(
                "{} workloads have no Ready pod meanwhile",
                words::group_digits(down)
            )),
        }
        parts.extend(pending_anyway(loss.pending_anyway, loss.is_anyway_open));
        format!("{what} {}", parts.join("; "))
    }

    /// Whether every pod that is lost comes back: on the nodes that are left, or on one that an
    /// autoscaler adds.
    fn is_survived(&self) -> bool {
        matches!(self.harm(), [0, ..])
    }

    /// How many pods no controller and no node that is there or comes brings back, then what else
    /// hurts.
    fn harm(&self) -> [usize; 6] {
        let loss = &self.loss;
        let without_node = loss.pending.most.saturating_sub(self.autoscaled);
        [
            without_node + loss.gone(),
            loss.pending.most,
            loss.down(),
            loss.lost(),
            loss.pending.fewest,
            loss.preempted.most,
        ]
    }
}

/// `1 more pod would be Pending without the loss, too`, of the first order of several that differ.
pub fn pending_anyway(pods: usize, differs: bool) -> Option<String> {
    let order = if differs { "in the first order, " } else { "" };
    let more = match pods {
        0 => return None,
        1 => "1 more pod".to_owned(),
        pods => format!("{} more pods", words::group_digits(pods)),
    };
    Some(format!("{order}{more} would be Pending without the loss, too"))
}

fn preempts(pods: usize, up_to: &str) -> String {
    match pods {
        1 => format!("{up_to}1 pod is preempted"),
        pods => format!("{up_to}{} pods are preempted", words::group_digits(pods)),
    }
}

impl Report for LossReport {
    /// Whether every loss is survived.
    fn verdict(&self) -> Verdict {
        let survives = self.items.iter().all(DomainLoss::is_survived);
        let is_unsure = self.budgets_unknown || self.items.iter().any(|one| one.loss.is_unsure());
        Verdict::new(survives, is_unsure)
    }

    fn reorder(&mut self, order: &[usize]) {
        self.items = in_order(&self.items, order);
    }
}

/// Plays the loss of nodes.
///
/// # Errors
/// Nodes, zones, pools and labels that there are not, and files that lack the nodes.
pub fn loss(input: &LoadedInput, request: &LossRequest) -> Result<LossReport, AnswerError> {
    input.check_nodes()?;
    let cluster = &input.cluster;
    let (each, domains) = match request {
        LossRequest::Together(given) => {
            let nodes = chosen(given, cluster)?;
            let name = match (given.as_slice(), nodes.as_slice()) {
                (_, [only]) => only.clone(),
                ([only], _) => only.replacen('/', " ", 1),
                (_, nodes) => words::count(nodes.len(), "node"),
            };
            (None, vec![(name, nodes)])
        }
        LossRequest::Each(domain) => {
            let domains = domain.all(cluster);
            if domains.is_empty() {
                let noun = domain.noun();
                return Err(AnswerError::usage_hint(
                    format!("no node has the label of a {noun}"),
                    "give labels instead: --fail 'rack=r1'",
                ));
            }
            let named = domains.into_iter().map(|(name, nodes)| match domain {
                FailureDomain::Node => (name, nodes),
                _ => (format!("{} {name}", domain.noun()), nodes),
            });
            (Some(*domain), named.collect())
        }
    };
    let inside: usize = domains.iter().map(|(_, nodes)| nodes.len()).sum();

    // Each loss is played on its own copy of the cluster.
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let losses = Losses::new(cluster, &profiles, input.now, Causes(&causes), each.is_some());
    let mut items: Vec<DomainLoss> = domains
        .into_par_iter()
        .map(|(name, nodes)| {
            let (mut loss, left) = losses.play(&nodes);
            if let Some(autoscalers) = Autoscalers::find(&left, input.now) {
                add_outlooks(&mut loss.steps, &left, &profiles, input.now, &autoscalers);
            }
            let autoscaled = loss.steps.iter().filter(|step| step.gets_new_node()).count();
            DomainLoss { name, loss, autoscaled, changes: Vec::new(), to_cordon: Vec::new() }
        })
        .collect();
    if let (None, [only]) = (each, items.as_mut_slice()) {
        let schedulable = only.loss.nodes.iter().filter(|name| {
            let node = cluster.find_node(name);
            node.is_some_and(|node| !cluster.node(node).unschedulable)
        });
        only.to_cordon = schedulable.cloned().collect();
        only.changes = replicas(only, cluster, &profiles, input);
    }
    if each.is_some() {
        items.sort_by_key(|item| Reverse(item.harm()));
    }
    Ok(LossReport {
        basis: Basis::of(input),
        outside: if each.is_some() { cluster.nodes.len().saturating_sub(inside) } else { 0 },
        each,
        items,
        budgets_unknown: cluster.are_budgets_unknown(),
    })
}

/// The replicas that, added before the loss, leave a Ready pod of workloads which have none otherwise.
fn replicas(
    DomainLoss { loss, to_cordon, .. }: &DomainLoss,
    cluster: &Cluster,
    profiles: &[Profile],
    input: &LoadedInput,
) -> Vec<DrainChange> {
    let settings = SimulationSettings::new(profiles, input.now);
    let (mut before, mut changes) = (cluster.clone(), Vec::new());
    for node in to_cordon.iter().filter_map(|name| cluster.find_node(name)) {
        before.cordon(node, true);
    }
    for down in loss.workloads.iter().filter(|one| one.is_down()).take(MOST_REPLICAS) {
        let mut changed = before.clone();
        let mut pods = BTreeSet::new();
        for pod in cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_running()) {
            let workload = cluster.workload(cluster.pod(pod));
            if (&workload.namespace, &workload.name) == (&down.namespace, &down.name) {
                pods.insert(cluster.pod_name(pod));
            }
        }
        let Some(change) = one_more(&pods, &mut changed, settings) else { continue };
        let losses = Losses::new(&changed, profiles, input.now, Causes(&causes), false);
        let (played, _) = losses.play(&loss.nodes);
        let is_same = |one: &&WorkloadLoss| {
            (&one.namespace, &one.name, &one.owner) == (&down.namespace, &down.name, &down.owner)
        };
        // Its pod must have gone to a node that stays, and take no room that others need.
        let is_up = played.workloads.iter().find(is_same).is_none_or(|one| !one.is_down());
        if is_up && played.pending.most <= loss.pending.most {
            before = changed;
            changes.push(change);
        }
    }
    changes
}

/// The nodes that are named, or that are in a zone, a pool, or have labels; without duplicates.
fn chosen(given: &[String], cluster: &Cluster) -> Result<Vec<String>, AnswerError> {
    let mut nodes: Vec<String> = Vec::new();
    for word in given {
        let here = if let Some(zone) = word.strip_prefix("zone/") {
            of_domain(FailureDomain::Zone, zone, cluster)?
        } else if let Some(pool) = word.strip_prefix("pool/") {
            of_domain(FailureDomain::Pool, pool, cluster)?
        } else if word.contains(['=', '!', '(', ' ']) {
            with_labels(word, cluster)?
        } else {
            node::parse(std::slice::from_ref(word))?
        };
        for name in here {
            let name = cluster.node_name(node_name::find(&name, cluster)?).to_owned();
            if !nodes.contains(&name) {
                nodes.push(name);
            }
        }
    }
    if nodes.is_empty() { Err(AnswerError::usage("--fail names no node")) } else { Ok(nodes) }
}

fn of_domain(
    domain: FailureDomain,
    name: &str,
    cluster: &Cluster,
) -> Result<Vec<String>, AnswerError> {
    let mut domains = domain.all(cluster);
    domains.remove(name).ok_or_else(|| {
        let noun = domain.noun();
        let names: Vec<&String> = domains.keys().collect();
        let hint = if names.is_empty() {
            format!("no node has the label of a {noun}: give labels instead")
        } else {
            format!("there are {}", words::list(&names, 8))
        };
        AnswerError::usage_hint(format!("no node is in {noun} {name}"), hint)
    })
}

fn with_labels(selector: &str, cluster: &Cluster) -> Result<Vec<String>, AnswerError> {
    let wire = text::parse(selector).map_err(|part| {
        AnswerError::usage_hint(
            format!("--fail `{selector}`: `{part}` is not a requirement of a label selector"),
            "use e.g. node/NAME, zone/NAME, pool/NAME or labels such as rack=r1",
        )
    })?;
    // A label that no node has matches none.
    let mut symbols = cluster.symbols.clone();
    let parsed = Selector::read(Some(&wire), &mut symbols)
        .map_err(|issues| AnswerError::usage(format!("--fail `{selector}`: {issues}")))?;
    let nodes = cluster.nodes.iter().filter(|node| parsed.matches(cluster.labels(node.labels)));
    let names: Vec<String> = nodes.map(|node| cluster.text(node.name).to_owned()).collect();
    if names.is_empty() {
        let problem =
            format!("{} has the labels `{selector}`", words::share(0, cluster.nodes.len(), "node"));
        return Err(AnswerError::usage_hint(problem, "kubectl get nodes --show-labels shows them"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use testing::{cluster, node, objects};

    use super::{FailureDomain, chosen};

    #[test]
    fn nodes_are_named_or_chosen_by_zone_pool_and_labels() {
        let zone = "topology.kubernetes.io/zone";
        let cluster = cluster(objects![
            node("n1").label(zone, "a").label("karpenter.sh/nodepool", "spot"),
            node("n2").label(zone, "a").label("rack", "r1"),
            node("n3").label(zone, "b").label("eks.amazonaws.com/nodegroup", "base"),
        ]);
        for (given, want) in [
            ("n1", Ok("n1")),
            ("node/n1", Ok("n1")),
            ("zone/a", Ok("n1 n2")),
            ("pool/base", Ok("n3")),
            ("rack=r1", Ok("n2")),
            ("rack!=r1", Ok("n1 n3")),
            ("zone/c", Err("no node is in zone c")),
            ("pool/x", Err("no node is in pool x")),
            ("rack=r9", Err("none of 3 nodes has the labels `rack=r9`")),
            ("rack=", Err("none of 3 nodes has the labels `rack=`")),
            ("n9", Err("nodes \"n9\" not found")),
            ("pod/n1", Err("`pod/n1` is not a node")),
        ] {
            let nodes = chosen(&[given.to_owned()], &cluster);
            match (nodes, want) {
                (Ok(nodes), Ok(want)) => assert_eq!(nodes.join(" "), want, "{given}"),
                (Err(error), Err(want)) => {
                    assert!(error.to_string().contains(want), "{given}: {error}");
                }
                (nodes, want) => panic!("{given}: {nodes:?} is not {want:?}"),
            }
        }
        let both = chosen(&["zone/a".to_owned(), "n1".to_owned(), "n3".to_owned()], &cluster);
        assert_eq!(both.expect("nodes"), ["n1", "n2", "n3"]);
    }

    #[test]
    fn nodes_without_the_label_are_in_no_domain() {
        let cluster =
            cluster(objects![node("n1").label("topology.kubernetes.io/zone", "a"), node("n2")]);
        assert_eq!(FailureDomain::Zone.all(&cluster).len(), 1);
        assert_eq!(FailureDomain::Pool.all(&cluster).len(), 0);
        assert_eq!(FailureDomain::Node.all(&cluster).len(), 2);
    }
}
