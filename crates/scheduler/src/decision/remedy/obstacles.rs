//! What keeps the pod off a node: the rejections of all filters, grouped by what can be done about
//! them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::Decision;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::evidence::{Evidence, InsufficientResource, Obstruction, RejectedOn};
use crate::framework::operands::DeviceHolder;
use crate::framework::plugin::Cycle;
use crate::framework::status::FilterVerdict;
use dra::Shortage;
use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::pod::PodIx;
use model::cluster::symbols::Sym;
use model::cluster::system_label::is_set_by_program;
use model::cluster::system_taint::{SystemTaint, TaintRole};
use model::edits::{TaintPattern, stays_when_drained};

/// Maximum number of taints on a node that a remedy tolerates or removes.
const MOST_TAINTS: usize = 16;

/// Maximum number of nodes considered per class of obstacle.
const MOST_OF_A_CLASS: usize = 16;

/// The missing amount as a share of the node's allocatable, in thousandths.
fn share(lack: &InsufficientResource) -> i64 {
    lack.missing().saturating_mul(1000).checked_div(lack.allocatable.max(1)).unwrap_or(i64::MAX)
}

/// What keeps the pod off one node.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Obstacles {
    /// The node is cordoned.
    pub(super) cordoned: bool,
    /// Untolerated taints that people set to reserve nodes.
    pub(super) taints: Vec<TaintPattern>,
    /// Keys of taints on a node that is still starting or not healthy. They go away once it is
    /// healthy; a pod that got past them earlier would not start.
    pub(super) state: Vec<String>,
    /// The node belongs to the control plane: application pods do not belong there.
    pub(super) reserved: bool,
    /// The node is about to be removed. A new one of its kind is not.
    pub(super) leaving: bool,
    /// Labels that the pod asks for, that the node lacks, and that people set.
    pub(super) labels: Vec<(Sym, Sym)>,
    /// Resources that the node has too little of.
    pub(super) lacks: Vec<InsufficientResource>,
    /// Pods that hold what the pod needs (a port, a disk, a claim), or whose rules keep it away.
    pub(super) holders: Vec<PodIx>,
    /// The fewest pods that hold as many devices as the pod lacks.
    pub(super) device_holders: Vec<PodIx>,
    /// Too many pods or volumes: some must leave.
    pub(super) crowded: bool,
    /// Something that no edit changes.
    pub(super) fixed: bool,
}

impl Obstacles {
    /// The obstacles on `node`, from the rejections of all its filters.
    pub(super) fn of(
        prepared: &PreparedCycle,
        node: NodeIx,
        refusals: &[(&'static str, FilterVerdict)],
    ) -> Self {
        let mut obstacles = Self::default();
        for (_, verdict) in refusals {
            match verdict {
                FilterVerdict::Rejected(rejection) => {
                    // Skip uninformative reasons if there are others.
                    let mut evidence = rejection.evidence().peekable();
                    obstacles.fixed |= evidence.peek().is_none();
                    evidence.for_each(|evidence| obstacles.add(&**evidence, prepared, node));
                }
                FilterVerdict::Failed(_) => obstacles.fixed = true,
                FilterVerdict::Fits => {}
            }
        }
        obstacles
    }

    /// Adds the obstacle of a rejection of the pod or of one node.
    pub(super) fn add(&mut self, evidence: &dyn Evidence, prepared: &PreparedCycle, node: NodeIx) {
        match evidence.obstruction() {
            Obstruction::Cordon => {
                let cycle = &prepared.cycle;
                let here = RejectedOn { view: cycle.view, pod: cycle.ix, node };
                self.cordoned = true;
                self.reserved |= here.is_reserved();
            }
            Obstruction::Taint(_) => self.add_taints(prepared, node),
            Obstruction::Lack(lack) => self.lacks.push(lack.clone()),
            Obstruction::Pods(pods) => pods.iter().for_each(|pod| self.add_holder(*pod)),
            Obstruction::Crowd => self.crowded = true,
            Obstruction::Devices { shortage, holders } => {
                self.crowded = true;
                self.device_holders =
                    shortage.map(|of| fewest(holders, of, &prepared.cycle)).unwrap_or_default();
            }
            Obstruction::Pairs(pairs) => {
                for pair in pairs {
                    self.add_label(pair.key, pair.value, pair.found, prepared);
                }
            }
            Obstruction::Expressions(unmet) => {
                self.fixed |= unmet.is_empty();
                for condition in unmet {
                    match (condition, condition.any_of().first()) {
                        (Unmet::Label { requirement, found }, Some(value)) => {
                            self.add_label(requirement.key(), *value, *found, prepared);
                        }
                        _ => self.fixed = true,
                    }
                }
            }
            Obstruction::Fixed => self.fixed = true,
        }
    }

    /// Adds a label that the node would need. A label that a program sets, or that a person has set
    /// to another value, is a fact about the node that must not be overwritten.
    fn add_label(&mut self, key: Sym, value: Sym, found: Option<Sym>, prepared: &PreparedCycle) {
        if found.is_some() || is_set_by_program(prepared.cycle.cluster().text(key)) {
            self.fixed = true;
        } else if !self.labels.contains(&(key, value)) {
            self.labels.push((key, value));
        }
    }

    fn add_holder(&mut self, pod: PodIx) {
        if !self.holders.contains(&pod) {
            self.holders.push(pod);
        }
    }

    /// Adds all taints of the node that the pod does not tolerate; the filter names only the first.
    /// A node with more than [`MOST_TAINTS`] is skipped.
    fn add_taints(&mut self, prepared: &PreparedCycle, node: NodeIx) {
        let cycle = &prepared.cycle;
        let cluster = cycle.cluster();
        let here = RejectedOn { view: cycle.view, pod: cycle.ix, node };
        self.reserved |= here.is_reserved();
        for taint in here.untolerated_taints() {
            match taint.system(cluster).map(|system| system.role) {
                Some(TaintRole::Cordoned) => self.cordoned = true,
                Some(TaintRole::Starting | TaintRole::Ill) => {
                    let key = cluster.text(taint.key).to_owned();
                    if !self.state.contains(&key) {
                        self.state.push(key);
                    }
                }
                Some(TaintRole::Leaving) => self.leaving = true,
                Some(TaintRole::ControlPlane) | None if self.taints.len() == MOST_TAINTS => {
                    self.fixed = true;
                    return;
                }
                // A pod that asks for the control plane has to tolerate its taint.
                Some(TaintRole::ControlPlane) | None => {
                    self.taints.push(TaintPattern::of(taint, cluster));
                }
            }
        }
    }

    /// Whether nothing but missing resources keeps the pod off the node.
    pub(super) fn is_open(&self) -> bool {
        !self.fixed
            && !self.reserved
            && !self.leaving
            && !self.cordoned
            && self.taints.is_empty()
            && self.labels.is_empty()
            && self.state.is_empty()
    }

    /// Whether the node has enough resources, and is only closed.
    fn has_room(&self) -> bool {
        let Self { lacks, holders, device_holders, crowded, .. } = self;
        !self.fixed
            && lacks.is_empty()
            && holders.is_empty()
            && device_holders.is_empty()
            && !crowded
    }

    /// Whether the cordon is the only obstacle.
    pub(super) fn is_only_cordoned(&self) -> bool {
        self.has_room()
            && self.cordoned
            && !self.reserved
            && !self.leaving
            && self.taints.is_empty()
            && self.labels.is_empty()
            && self.state.is_empty()
    }

    /// Whether starting up or being unhealthy is the only obstacle.
    pub(super) fn is_only_unready(&self) -> bool {
        self.has_room()
            && !self.state.is_empty()
            && !self.reserved
            && !self.leaving
            && !self.cordoned
            && self.taints.is_empty()
            && self.labels.is_empty()
    }

    /// Whether missing labels that people set are the only obstacle.
    pub(super) fn is_only_unlabelled(&self) -> bool {
        self.has_room()
            && !self.labels.is_empty()
            && !self.reserved
            && !self.leaving
            && !self.cordoned
            && self.taints.is_empty()
            && self.state.is_empty()
    }

    /// Whether taints that reserve the node are the only obstacle.
    pub(super) fn is_only_tainted(&self) -> bool {
        self.has_room()
            && !self.taints.is_empty()
            && self.labels.is_empty()
            && !self.reserved
            && !self.leaving
            && !self.cordoned
            && self.state.is_empty()
    }

    /// Whether a program set one of the taints to tolerate: such a taint is not removed.
    pub(super) fn taints_of_programs(&self) -> bool {
        self.taints.iter().any(|taint| SystemTaint::of(&taint.key).is_some())
    }

    /// Whether people intended the node for such pods, judging by taints and labels.
    pub(super) fn is_for_the_pod(&self) -> bool {
        self.taints.is_empty() && self.labels.is_empty()
    }

    /// Whether the node is healthy and in service.
    pub(super) fn is_healthy(&self) -> bool {
        !self.cordoned && !self.leaving && self.state.is_empty()
    }

    /// Whether missing resources are the only obstacle.
    pub(super) fn is_only_lack(&self) -> bool {
        self.is_open() && self.holders.is_empty() && !self.crowded && !self.lacks.is_empty()
    }

    /// Whether the empty node would be large enough.
    pub(super) fn is_enough_when_empty(&self) -> bool {
        self.lacks.iter().all(InsufficientResource::is_enough_when_empty)
    }

    /// The largest missing share of a resource, in thousandths of the node's allocatable.
    pub(super) fn share(&self) -> i64 {
        self.lacks.iter().map(share).max().unwrap_or(0)
    }
}

/// The fewest pods that may be evicted and together hold as many devices as are missing, the least
/// important of those; empty if all of them together hold too few.
fn fewest(holders: &[DeviceHolder], shortage: &Shortage, cycle: &Cycle) -> Vec<PodIx> {
    let cluster = cycle.cluster();
    let free = shortage.selected.saturating_sub(shortage.held + shortage.tainted);
    let missing = shortage.wanted.saturating_sub(free);
    if missing == 0 {
        return Vec::new();
    }
    let mut evictable: Vec<(i32, DeviceHolder)> = Vec::new();
    for holder in holders {
        let pod = cluster.pod(holder.pod);
        let stays = stays_when_drained(pod, cluster) || pod.is_terminating();
        if pod.priority <= cycle.pod.priority && !stays {
            evictable.push((pod.priority, *holder));
        }
    }

    // Those that hold the most are the fewest.
    let largest_first = |most_important: i32| {
        let mut chosen: Vec<(i32, DeviceHolder)> =
            evictable.iter().filter(|(priority, _)| *priority <= most_important).copied().collect();
        chosen.sort_by_key(|(priority, holder)| (Reverse(holder.devices), *priority, holder.pod));
        let mut sum = 0;
        let enough = chosen.iter().position(|(_, holder)| {
            sum += holder.devices;
            sum >= missing
        });
        enough.map(|last| {
            let pods = chosen.iter().take(last + 1);
            pods.map(|(_, holder)| holder.pod).collect::<Vec<PodIx>>()
        })
    };
    let Some(all) = largest_first(cycle.pod.priority) else { return Vec::new() };

    // As few may do without the most important pods.
    let mut priorities: Vec<i32> = evictable.iter().map(|(priority, _)| *priority).collect();
    priorities.sort_unstable();
    priorities.dedup();
    let mut choices = priorities.into_iter().filter_map(largest_first);
    choices.find(|pods| pods.len() == all.len()).unwrap_or(all)
}

/// The nodes to consider: per class of first rejection, those nearest to taking the pod.
pub(super) fn promising(decision: &Decision) -> Vec<NodeIx> {
    let cluster = decision.view.cluster;
    let mut classes: BTreeMap<(u8, String), Vec<(i64, NodeIx)>> = BTreeMap::new();
    for (node, verdict) in cluster.node_indices().zip(decision.nodes()) {
        let NodeVerdict::Filtered { rejection, .. } = verdict else { continue };
        let Some(first) = rejection.reasons.first() else { continue };
        let (class, distance) = class(first.evidence.as_deref(), rejection.reasons.len(), cluster);
        classes.entry(class).or_default().push((distance, node));
    }
    let mut nodes: Vec<NodeIx> = Vec::new();
    for mut of_class in classes.into_values() {
        of_class.sort_unstable();
        nodes.extend(of_class.iter().take(MOST_OF_A_CLASS).map(|(_, node)| *node));
    }
    nodes.sort_unstable();
    nodes
}

/// The class of a rejection, and how far the node is from taking the pod, judged by its first
/// rejection.
fn class(
    evidence: Option<&dyn Evidence>,
    reasons: usize,
    cluster: &Cluster,
) -> ((u8, String), i64) {
    let reasons = i64::try_from(reasons).unwrap_or(i64::MAX);
    match evidence.map(|evidence| evidence.obstruction()) {
        Some(Obstruction::Lack(lack)) => {
            let (class, distance) = if lack.is_enough_when_empty() {
                (0, share(lack))
            } else {
                (1, lack.free().saturating_neg())
            };
            let resource = lack.resource.name(cluster).to_owned();
            ((class, resource), distance.saturating_add(reasons * 1000))
        }
        Some(Obstruction::Cordon) => ((2, String::new()), 0),
        Some(Obstruction::Taint(taint)) => ((3, taint.text(cluster)), 0),
        Some(Obstruction::Devices { shortage: Some(shortage), .. }) => {
            let missing = shortage
                .wanted
                .saturating_sub(shortage.selected - shortage.held - shortage.tainted);
            ((5, String::new()), i64::try_from(missing).unwrap_or(i64::MAX))
        }
        Some(
            Obstruction::Devices { shortage: None, .. }
            | Obstruction::Pods(_)
            | Obstruction::Crowd
            | Obstruction::Pairs(_)
            | Obstruction::Expressions(_)
            | Obstruction::Fixed,
        )
        | None => ((4, String::new()), reasons),
    }
}
