//! What keeps the pod from a node: the refusals of all filters, by what may be done about them.

use std::collections::BTreeMap;

use super::super::Decision;
use crate::dra::Shortage;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::status::{DeviceHolder, Evidence, ResourceId, StorageEvidence, Verdict};
use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::node::Taint;
use model::cluster::pod::PodIx;
use model::edits::{TaintPattern, UNSCHEDULABLE_TAINT};

/// The most taints of a node that a remedy tolerates or removes.
const MOST_TAINTS: usize = 16;
/// The prefixes of taints that tell the state of a node. They come and go with it: to tolerate or to remove them helps
/// nobody.
const STATE_PREFIXES: [&str; 2] = ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"];

/// The most nodes that are looked at of each class of obstacle.
const MOST_OF_A_CLASS: usize = 16;

/// Too little of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lack {
    pub(super) resource: ResourceId,
    pub(super) requested: i64,
    pub(super) used: i64,
    pub(super) allocatable: i64,
}

impl Lack {
    /// What the pod requests beyond what is free.
    pub(super) fn missing(self) -> i64 {
        self.requested.saturating_sub(self.free())
    }

    /// What is free.
    pub(super) fn free(self) -> i64 {
        self.allocatable.saturating_sub(self.used)
    }

    /// Whether the node has enough of it when it is empty.
    pub(super) fn is_enough_when_empty(self) -> bool {
        self.requested <= self.allocatable
    }

    /// The missing part of what the node has, in thousandths.
    fn share(self) -> i64 {
        self.missing().saturating_mul(1000).checked_div(self.allocatable.max(1)).unwrap_or(i64::MAX)
    }
}

/// What keeps the pod from one node.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Obstacles {
    /// The node is cordoned.
    pub(super) cordoned: bool,
    /// Taints that the pod does not tolerate.
    pub(super) taints: Vec<TaintPattern>,
    /// Resources of which there is too little.
    pub(super) lacks: Vec<Lack>,
    /// Pods that hold what the pod needs: a port, a disk, a claim; or that want it elsewhere.
    pub(super) holders: Vec<PodIx>,
    /// The fewest pods, and of these the least important, that hold as many devices as the pod lacks.
    pub(super) device_holders: Vec<PodIx>,
    /// Too many pods or volumes: some have to go.
    pub(super) crowded: bool,
    /// The state of the node, which a new node does not have.
    pub(super) state: bool,
    /// Something that no edit changes.
    pub(super) fixed: bool,
}

impl Obstacles {
    /// The obstacles on `node`.
    pub(super) fn of(prepared: &PreparedCycle, node: NodeIx) -> Self {
        let mut found = Self::default();
        for (_, verdict) in prepared.refusals(node) {
            match verdict {
                Verdict::Rejected(rejection) => {
                    rejection.reasons.iter().for_each(|reason| found.add(&reason.evidence, prepared, node));
                }
                Verdict::Failed(_) => found.fixed = true,
                Verdict::Fits => {}
            }
        }
        found
    }

    /// Adds the obstacle of a rejection of the pod or of one node.
    pub(super) fn add(&mut self, evidence: &Evidence, prepared: &PreparedCycle, node: NodeIx) {
        match evidence {
            Evidence::Cordoned => self.cordoned = true,
            Evidence::Taint { .. } => self.add_taints(prepared, node),
            Evidence::Resource { resource, requested, used, allocatable, .. } => self.lacks.push(Lack {
                resource: *resource,
                requested: *requested,
                used: *used,
                allocatable: *allocatable,
            }),
            Evidence::Port { pod: Some(pod), .. }
            | Evidence::Storage(StorageEvidence::Disk { pod, .. } | StorageEvidence::ClaimInUse { pod, .. })
            | Evidence::AntiAffinity { pod: Some(pod), pods: 1, .. }
            | Evidence::ExistingAntiAffinity { pod: Some(pod), pods: 1, .. } => self.add_holder(*pod),
            Evidence::Spread { .. }
            | Evidence::Port { .. }
            | Evidence::AntiAffinity { .. }
            | Evidence::ExistingAntiAffinity { .. }
            | Evidence::Storage(StorageEvidence::VolumeLimit { .. }) => self.crowded = true,
            Evidence::Devices { shortage, holders, .. } => {
                self.crowded = true;
                self.device_holders = shortage.as_deref().map(|found| enough(holders, found)).unwrap_or_default();
            }
            Evidence::None
            | Evidence::NodeName { .. }
            | Evidence::NodeSelector { .. }
            | Evidence::NodeAffinity { .. }
            | Evidence::MissingLabel { .. }
            | Evidence::Affinity { .. }
            | Evidence::VolumeElsewhere { .. }
            | Evidence::Storage(
                StorageEvidence::Claim { .. }
                | StorageEvidence::StorageSpace { .. }
                | StorageEvidence::VolumeZone { .. },
            )
            | Evidence::ClaimElsewhere { .. }
            | Evidence::MissingDrivers { .. }
            | Evidence::TimedOut
            | Evidence::Feature { .. } => self.fixed = true,
        }
    }

    fn add_holder(&mut self, pod: PodIx) {
        if !self.holders.contains(&pod) {
            self.holders.push(pod);
        }
    }

    /// The taints of the node that the pod does not tolerate, of which the filter names the first. A node with more than are worth
    /// a remedy stays as it is.
    fn add_taints(&mut self, prepared: &PreparedCycle, node: NodeIx) {
        let cycle = &prepared.cycle;
        let cluster = cycle.cluster();
        let comparison = cycle.features().tolerations.toleration_comparison;
        let tolerated = |taint: &&Taint| cycle.template.tolerates(taint, &cluster.symbols, comparison);
        for taint in cluster.node(node).taints.iter().filter(|taint| taint.repels() && !tolerated(taint)) {
            let key = cluster.text(taint.key);
            if key == UNSCHEDULABLE_TAINT {
                self.cordoned = true;
            } else if STATE_PREFIXES.iter().any(|prefix| key.starts_with(prefix)) {
                self.state = true;
            } else if self.taints.len() == MOST_TAINTS {
                self.fixed = true;
                return;
            } else {
                self.taints.push(TaintPattern::of(taint, cluster));
            }
        }
    }

    /// Whether an edit of the node that is there may remove them.
    pub(super) fn may_be_removed(&self) -> bool {
        !self.fixed && !self.state
    }

    /// Whether nobody keeps the pod off the node: it lacks room alone.
    pub(super) fn is_open(&self) -> bool {
        self.may_be_removed() && !self.cordoned && self.taints.is_empty()
    }

    /// Whether it lacks resources alone.
    pub(super) fn is_only_lack(&self) -> bool {
        self.is_open() && self.holders.is_empty() && !self.crowded && !self.lacks.is_empty()
    }

    /// Whether the node would be large enough if it were empty.
    pub(super) fn is_enough_when_empty(&self) -> bool {
        self.lacks.iter().all(|lack| lack.is_enough_when_empty())
    }

    /// The largest missing part of a resource, in thousandths of what the node has.
    pub(super) fn share(&self) -> i64 {
        self.lacks.iter().map(|lack| lack.share()).max().unwrap_or(0)
    }
}

/// The least important holders that hold as many devices as are missing, without those that are not needed; none if all
/// of them together do not.
fn enough(holders: &[DeviceHolder], shortage: &Shortage) -> Vec<PodIx> {
    let free = shortage.selected.saturating_sub(shortage.held + shortage.tainted);
    let missing = shortage.wanted.saturating_sub(free);
    let mut chosen: Vec<DeviceHolder> = Vec::new();
    let mut sum = 0;
    for holder in holders {
        if sum >= missing {
            break;
        }
        sum += holder.devices;
        chosen.push(*holder);
    }
    if sum < missing {
        return Vec::new();
    }
    // From the most important on, whoever is not needed stays.
    for holder in chosen.clone().iter().rev() {
        if sum - holder.devices >= missing {
            sum -= holder.devices;
            chosen.retain(|other| other != holder);
        }
    }
    chosen.iter().map(|holder| holder.pod).collect()
}

/// The nodes that are looked at: of every class of first refusals those that are the closest to taking the pod.
pub(super) fn promising(decision: &Decision) -> Vec<NodeIx> {
    let cluster = decision.view.cluster;
    let mut classes: BTreeMap<(u8, String), Vec<(i64, NodeIx)>> = BTreeMap::new();
    for (node, verdict) in cluster.node_indices().zip(decision.nodes()) {
        let NodeVerdict::Filtered { rejection, .. } = verdict else { continue };
        let Some(first) = rejection.reasons.first() else { continue };
        let (class, distance) = class(&first.evidence, rejection.reasons.len(), cluster);
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

/// The class of a refusal, and how far the node is from taking the pod, as far as the first refusal tells.
fn class(evidence: &Evidence, reasons: usize, cluster: &Cluster) -> ((u8, String), i64) {
    let reasons = i64::try_from(reasons).unwrap_or(i64::MAX);
    match evidence {
        Evidence::Resource { resource, requested, used, allocatable, .. } => {
            let lack = Lack { resource: *resource, requested: *requested, used: *used, allocatable: *allocatable };
            let (class, distance) =
                if lack.is_enough_when_empty() { (0, lack.share()) } else { (1, lack.free().saturating_neg()) };
            ((class, resource.name(cluster).to_owned()), distance.saturating_add(reasons * 1000))
        }
        Evidence::Cordoned => ((2, String::new()), 0),
        Evidence::Taint { key, value, effect } => ((3, effect.taint(*key, *value, cluster)), 0),
        Evidence::Devices { shortage: Some(shortage), .. } => {
            let missing = shortage.wanted.saturating_sub(shortage.selected - shortage.held - shortage.tainted);
            ((5, String::new()), i64::try_from(missing).unwrap_or(i64::MAX))
        }
        _ => ((4, String::new()), reasons),
    }
}
