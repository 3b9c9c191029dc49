//! `VolumeRestrictions`: disks that pods cannot share, and claims that only one pod may use.
//!
//! Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go`
//! `satisfyVolumeConflicts` (1.37).

use std::collections::BTreeMap;

use crate::framework::claims;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::evidence::{
    Contended, Evidence, Fact, Grounds, InUse, Nearness, Obstruction, RejectedOn,
};
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When, quoted};
use crate::framework::status::{Code, FilterVerdict, Rejection};
use json::evidence::Evidence as JsonEvidence;
use model::cluster::pod_volume::{Disk, DiskKey, Inline, PodVolume};
use model::cluster::{Cluster, Kind, NodeIx, Pod, PodIx, Sym};
use profile::Features;

/// The access mode of a claim that only one pod may use.
const ONE_POD: &str = "ReadWriteOncePod";

pub struct VolumeRestrictions;

static DOC: RuleDoc = RuleDoc {
    name: "VolumeRestrictions",
    code: "PRE-107",
    summary: "No pod on the node uses a GCE, EBS, iSCSI or RBD disk that cannot be shared, and no pod in the cluster uses a ReadWriteOncePod claim of the pod.",
    preemption: "Helps: evicting the pod that holds the disk or claim frees it.",
    scores: None,
    messages: ALL,
    retried_on: Some("a node or claim is added, a pod is deleted"),
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.37)",
};

impl Signer for VolumeRestrictions {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.has_volumes_of(other)
    }
}

impl Plugin for VolumeRestrictions {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let (cluster, features) = (cycle.cluster(), cycle.features());
        let mut one_pod_claims = Vec::new();
        let one_pod = cluster.symbols.get(ONE_POD);
        for volume in cluster.volumes_of(cycle.pod) {
            match volume {
                PodVolume::Claim(used)
                    if !used.ephemeral && features.volume_restrictions.read_write_once_pod =>
                {
                    match used.claim {
                        None => {
                            let text = claims::CLAIM_NOT_FOUND.with([&quoted(&used.name)]);
                            return Prepared::Reject(Rejection::unresolvable(text));
                        }
                        Some(claim)
                            if one_pod.is_some_and(|mode| claim.access_modes.contains(&mode)) =>
                        {
                            one_pod_claims.push(claim.name);
                        }
                        Some(_) => {}
                    }
                }
                PodVolume::Inline(_) | PodVolume::Claim(_) => {}
            }
        }
        let users = users(cycle, &one_pod_claims);
        let mut restrictions =
            Restrictions { cycle: *cycle, disks: Disks::of(cycle), claims: one_pod_claims, users };
        if !features.volume_restrictions.claims_in_use_by_node {
            if !restrictions.users.is_empty() {
                let code = Code::UnschedulableAndUnresolvable;
                return Prepared::Reject(Rejection::new(
                    code,
                    CLAIM_IN_USE_OLD.reason(),
                    restrictions.in_use(),
                ));
            }
            restrictions.claims.clear();
        }
        let skips = features.volume_restrictions.volume_restrictions_skips
            || restrictions.claims.is_empty();
        if skips && restrictions.disks.is_empty() && restrictions.users.is_empty() {
            return Prepared::Skip;
        }
        Prepared::ready(restrictions)
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"cannot read "PreFilterVolumeRestrictions" from cycleState"#)
    }

    fn filter_without_pre_filter<'c>(&self, cycle: &Cycle<'c>) -> Option<Box<dyn Filter + 'c>> {
        let rule = &cycle.features().volume_restrictions;
        let reads_state = rule.read_write_once_pod && rule.claims_in_use_by_node;
        let error = self.error_without_pre_filter().filter(|_| reads_state);
        Some(Box::new(DisksAlone { disks: Disks::of(cycle), error }))
    }

    fn error_without_extension_state(
        &self,
        skipped: bool,
        features: &Features,
    ) -> Option<&'static str> {
        let counts = features.volume_restrictions.read_write_once_pod
            && features.volume_restrictions.claims_in_use_by_node;
        let there = counts && (!skipped || features.volume_restrictions.volume_restrictions_skips);
        self.error_without_pre_filter().filter(|_| there)
    }
}

/// Which of the claims a pod on any node uses, each with the first such pod.
fn users(cycle: &Cycle, claims: &[Sym]) -> BTreeMap<Sym, PodIx> {
    let mut users = BTreeMap::new();
    if claims.is_empty() {
        return users;
    }
    for pod in cycle.view.infos_of_claims().iter().flat_map(|info| &info.pods) {
        let other = cycle.cluster().pod(*pod);
        if other.namespace == cycle.pod.namespace {
            for claim in other.claims.iter().filter(|c| claims.contains(c)) {
                users.entry(*claim).or_insert(*pod);
            }
        }
    }
    users
}

struct Restrictions<'c> {
    cycle: Cycle<'c>,
    disks: Disks<'c>,
    /// Claims of the pod that only one pod may use.
    claims: Vec<Sym>,
    /// Which of them are in use, with the pod that uses each.
    users: BTreeMap<Sym, PodIx>,
}

impl Restrictions<'_> {
    /// `uses` is how often the claims count as used. Parity: a claim in use anywhere rejects every
    /// node.
    fn check_with(&self, node: &NodeInfo, uses: i64) -> FilterVerdict {
        if let Some(rejected) = self.disks.reject(node) {
            return rejected;
        }
        if uses <= 0 {
            return FilterVerdict::Fits;
        }
        let text = if self.cycle.features().volume_restrictions.claim_in_use_on_any_node {
            &CLAIM_IN_USE
        } else {
            &CLAIM_IN_USE_OLD
        };
        FilterVerdict::reject(Code::Unschedulable, text.reason(), self.in_use())
    }

    /// The first claim that is in use.
    fn in_use(&self) -> Grounds {
        let mut claims = self.claims.iter();
        claims
            .find_map(|claim| ClaimInUse { claim: *claim, pod: *self.users.get(claim)? }.grounds())
    }

    fn uses(&self) -> i64 {
        i64::try_from(self.users.len()).unwrap_or(i64::MAX)
    }
}

impl Filter for Restrictions<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.check_with(node, self.uses())
    }

    fn extension_state<'f>(&'f self, _: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        Some(Box::new(Uses { rule: self, uses: self.uses() }))
    }
}

/// How often the claims count as used while pods are added and removed.
struct Uses<'f, 'c> {
    rule: &'f Restrictions<'c>,
    uses: i64,
}

impl Uses<'_, '_> {
    /// Parity: upstream compares only names, so a claim of the same name in another namespace
    /// counts too; and it counts volumes, not claims.
    fn of(&self, pod: PodIx) -> i64 {
        let pod = self.rule.cycle.cluster().pod(pod);
        let uses = pod.claims.iter().filter(|claim| self.rule.claims.contains(claim)).count();
        i64::try_from(uses).unwrap_or(i64::MAX)
    }
}

impl ExtensionState for Uses<'_, '_> {
    fn add_pod(&mut self, pod: PodIx, _: NodeIx) {
        self.uses += self.of(pod);
    }

    fn remove_pod(&mut self, pod: PodIx, _: NodeIx) {
        self.uses -= self.of(pod);
    }

    fn depends_on(&self, pod: PodIx, _: NodeIx) -> bool {
        self.of(pod) > 0
    }

    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.rule.check_with(node, self.uses)
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self { rule: self.rule, uses: self.uses })
    }
}

/// All of them.
static ALL: &[&Message] = &[&NO_DISK, &CLAIM_IN_USE, &CLAIM_IN_USE_OLD, &claims::CLAIM_NOT_FOUND];

static NO_DISK: Message = Message {
    code: "PRE-228",
    text: "node(s) had no available disk",
    meaning: "A pod on the node uses the same GCE, EBS, iSCSI or RBD disk in a mode that cannot be shared.",
    preemption: "Helps: evicting the pod that holds the disk frees it.",
    remedy: "stop the other pod, or mount the disk read-only in both",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.37)",
};

static CLAIM_IN_USE: Message = Message {
    code: "PRE-229",
    text: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    meaning: "Another pod uses a ReadWriteOncePod claim of this pod, and only one pod may.",
    preemption: "Helps: evicting the pod that uses the claim frees it.",
    remedy: "stop the pod that uses the claim, or use another access mode",
    obstacle: Obstacle::Volume,
    when: When::Rows(&[|f| f.volume_restrictions.claim_in_use_on_any_node]),
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.37)",
};

static CLAIM_IN_USE_OLD: Message = Message {
    code: "PRE-230",
    text: "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
    meaning: "A pod uses a ReadWriteOncePod claim of this pod, and only one pod may.",
    when: When::Rows(&[
        |f| !f.volume_restrictions.claim_in_use_on_any_node,
        |f| f.volume_restrictions.read_write_once_pod,
    ]),
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.33)",
    ..CLAIM_IN_USE
};

impl Doubts for VolumeRestrictions {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        if kind == Kind::PersistentVolumeClaim { context.reliance_of_volumes(kind) } else { None }
    }
}

/// A pod on the node uses a disk that cannot be shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskInUse {
    /// Name of the incoming pod's volume.
    volume: Sym,
    /// The other pod.
    pod: PodIx,
}

impl Evidence for DiskInUse {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Pods(std::slice::from_ref(&self.pod))
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let volume = cluster.text(self.volume).to_owned();
        vec![JsonEvidence::Disk { volume, used_by: cluster.pod_name(self.pod) }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        let (what, pod) = (Contended::Disk(self.volume), Some(self.pod));
        vec![Fact::InUse(InUse { what, pod, port: None })]
    }
}

/// A claim that only one pod may use is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimInUse {
    /// Name of the claim.
    claim: Sym,
    pod: PodIx,
}

impl Evidence for ClaimInUse {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Pods(std::slice::from_ref(&self.pod))
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let claim = cluster.text(self.claim).to_owned();
        vec![JsonEvidence::ClaimInUse { claim, used_by: cluster.pod_name(self.pod) }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let (claim, holder) = (cluster.text(self.claim), cluster.pod_name(self.pod));
        let place = match cluster.text(cluster.pod(self.pod).node_name) {
            "" => String::new(),
            node => format!(" on {node}"),
        };
        vec![Fact::Words(format!(
            "claim {claim} is used by {holder}{place}, and only one pod may use it"
        ))]
    }
}

/// Among the disks with one key, the first read-only one and the first writable one.
#[derive(Default)]
struct First {
    read: Option<usize>,
    written: Option<usize>,
}

/// The disks of a pod, by their keys.
#[derive(Default)]
struct WantedDisks(BTreeMap<DiskKey, First>);

impl WantedDisks {
    /// Adds the disk with this index; indices must ascend.
    fn add(&mut self, disk: &Disk, index: usize) {
        for key in disk.keys() {
            let first = self.0.entry(key).or_default();
            let place =
                if disk.is_shared_by_readers() { &mut first.read } else { &mut first.written };
            place.get_or_insert(index);
        }
    }

    /// The first of them that conflicts with `held` on the same node.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go`
    /// `isVolumeConflict` (1.37).
    fn first_conflict(&self, held: &Disk) -> Option<usize> {
        let only_read = held.is_shared_by_readers();
        held.keys()
            .into_iter()
            .filter_map(|key| {
                let first = self.0.get(&key)?;
                [first.written, first.read.filter(|_| !only_read)].into_iter().flatten().min()
            })
            .min()
    }
}

/// The disks of the pod of a cycle.
struct Disks<'c> {
    cycle: Cycle<'c>,
    /// The names of the pod's volumes that are disks.
    names: Vec<Sym>,
    /// These disks.
    wanted: WantedDisks,
}

impl<'c> Disks<'c> {
    fn of(cycle: &Cycle<'c>) -> Self {
        let (mut names, mut wanted) = (Vec::new(), WantedDisks::default());
        for volume in cycle.cluster().volumes_of(cycle.pod) {
            if let PodVolume::Inline(Inline { name, disk: Some(disk), .. }) = volume {
                wanted.add(disk, names.len());
                names.push(*name);
            }
        }
        Self { cycle: *cycle, names, wanted }
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The rejection of a node on which a pod uses one of them.
    fn reject(&self, node: &NodeInfo) -> Option<FilterVerdict> {
        let evidence = self.conflict(node)?;
        Some(FilterVerdict::reject(Code::Unschedulable, NO_DISK.reason(), evidence.grounds()))
    }

    /// The first disk that a pod on the node uses, and the first such pod.
    fn conflict(&self, node: &NodeInfo) -> Option<DiskInUse> {
        if self.names.is_empty() {
            return None;
        }
        let cluster = self.cycle.cluster();
        let holders = node.pods.iter().flat_map(|pod| {
            cluster.volumes_of(cluster.pod(*pod)).filter_map(move |volume| match volume {
                PodVolume::Inline(Inline { disk: Some(disk), .. }) => Some((*pod, disk)),
                PodVolume::Inline(_) | PodVolume::Claim(_) => None,
            })
        });
        // Among pods with the same disk, `min_by_key` keeps the first.
        let conflicts =
            holders.filter_map(|(pod, disk)| Some((self.wanted.first_conflict(disk)?, pod)));
        let (index, pod) = conflicts.min_by_key(|(index, _)| *index)?;
        let volume = *self.names.get(index)?;
        Some(DiskInUse { volume, pod })
    }
}

/// Filter without its PreFilter: it checks the disks, and then reads what PreFilter would have
/// stored.
struct DisksAlone<'c> {
    disks: Disks<'c>,
    /// The error if it needs that.
    error: Option<&'static str>,
}

impl Filter for DisksAlone<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.disks.reject(node).unwrap_or_else(|| {
            self.error
                .map_or(FilterVerdict::Fits, |error| FilterVerdict::Failed(error.to_owned().into()))
        })
    }
}

#[cfg(test)]
mod tests;
