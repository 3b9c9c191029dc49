//! `VolumeRestrictions`: disks that pods cannot share, and claims that only one pod may use.

mod disks;
mod doubts;
mod evidence;
mod messages;
mod wanted_disks;

use std::collections::BTreeMap;

use crate::framework::claims;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{Evidence, Grounds};
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::quoted;
use crate::framework::status::{Code, FilterVerdict, Rejection};
use disks::{Disks, DisksAlone};
use evidence::ClaimInUse;
use model::cluster::pod_volume::PodVolume;
use model::cluster::{NodeIx, Pod, PodIx, Sym};
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
    messages: messages::ALL,
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
                    messages::CLAIM_IN_USE_OLD.reason(),
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
            &messages::CLAIM_IN_USE
        } else {
            &messages::CLAIM_IN_USE_OLD
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

#[cfg(test)]
mod tests;
