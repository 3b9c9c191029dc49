//! `VolumeBinding`: the pod's claims are bound to volumes that the node can use, or can be bound
//! there.

mod claims;
mod doubts;
mod evidence;
mod find;
mod mismatch;
mod score;
mod unbound;

use crate::framework::claims::{CLAIM_DELETED, CLAIM_NOT_FOUND, FOREIGN_CLAIM};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::reserved::Reserved;
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{Code, FilterVerdict, Rejection};
use claims::{ClaimProblem, Sorted};
use find::{Binder, Offer};
use model::cluster::{NodeIx, Pod};

pub struct VolumeBinding;

/// The error of Filter and of scoring where PreFilter did not run.
const NO_STATE: &str = "not found";

static DOC: RuleDoc = RuleDoc {
    name: "VolumeBinding",
    code: "PRE-109",
    summary: "The node can use the volumes of bound claims, and has volumes or room for the others.",
    preemption: "Never helps: evicting a pod frees no volume.",
    scores: Some(
        "Prefers nodes whose storage fits the claims best, where StorageCapacityScoring is on.",
    ),
    messages: ALL,
    retried_on: Some(
        "a claim, volume or another storage object changes, a node is added or its labels change",
    ),
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

impl Signer for VolumeBinding {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.has_volumes_of(other)
    }
}

impl Plugin for VolumeBinding {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        match Sorted::of(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => {
                let only = claims.hosts(cycle);
                Prepared::Ready { only, filter: Box::new(Bindable(Binder::new(cycle, claims))) }
            }
            Err(ClaimProblem::Failed(error)) => Prepared::Failed(error),
            Err(ClaimProblem::Refused(text, evidence)) => {
                Prepared::Reject(Rejection::new(Code::UnschedulableAndUnresolvable, text, evidence))
            }
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(NO_STATE)
    }

    fn reserve(&self, cycle: &Cycle, node: NodeIx, reserved: &mut Reserved) -> Result<(), String> {
        let filters = cycle.view.profile.plugins.filter.contains(&DOC.name);
        let Ok(Some(claims)) = Sorted::of(cycle) else { return Ok(()) };
        if claims.waits()
            && filters
            && let Offer::Bindings(bindings) = Binder::new(cycle, claims).find(node)
        {
            bindings.matched.iter().for_each(|(claim, volume)| reserved.bind(volume, claim));
            bindings.made.iter().for_each(|(claim, _)| reserved.make(claim, node));
            reserved.volume_ties.extend(bindings.volume_ties);
        }
        Ok(())
    }
}

impl ScorePlugin for VolumeBinding {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare(cycle)
    }
}

struct Bindable<'c>(Binder<'c>);

impl Filter for Bindable<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        match self.0.find(node.node) {
            Offer::Bindings(_) => FilterVerdict::Fits,
            Offer::Refused(reasons) => FilterVerdict::Rejected(Rejection {
                code: Code::UnschedulableAndUnresolvable,
                reasons,
            }),
            Offer::Failed(error) => FilterVerdict::Failed(error.into()),
        }
    }

    fn reads_pods(&self) -> bool {
        false
    }
}

/// All of them.
static ALL: &[&Message] = &[
    &NODE_CONFLICT,
    &NODE_CONFLICT_OLD,
    &BIND_CONFLICT,
    &NOT_ENOUGH_SPACE,
    &VOLUME_MISSING,
    &VOLUME_MISSING_OLD,
    &UNBOUND,
    &CLAIM_LOST,
    &CLAIM_AWAITED,
    &FOREIGN_CLAIM_OLD,
    &CLAIM_NOT_FOUND,
    &CLAIM_DELETED,
    &FOREIGN_CLAIM,
];

static NODE_CONFLICT: Message = Message {
    code: "PRE-233",
    text: "node(s) didn't match PersistentVolume's node affinity",
    meaning: "A volume of the pod can be reached only from other nodes, such as a disk of another zone or a local disk.",
    preemption: "Never: evicting a pod moves no volume.",
    remedy: "make room on the nodes that reach the volume, or move the data",
    obstacle: Obstacle::Volume,
    when: When::Rows(&[|f| f.volume_binding.volume_affinity_text]),
    source: "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.37)",
};

static NODE_CONFLICT_OLD: Message = Message {
    code: "PRE-234",
    text: "node(s) had volume node affinity conflict",
    when: When::Rows(&[|f| !f.volume_binding.volume_affinity_text]),
    source: "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.32)",
    ..NODE_CONFLICT
};

static BIND_CONFLICT: Message = Message {
    code: "PRE-235",
    text: "node(s) didn't find available persistent volumes to bind",
    meaning: "A claim of the pod waits for its first pod, and there is neither a free volume that suits it on this node nor a provisioner that can make one here.",
    preemption: "Never: evicting a pod frees no volume.",
    remedy: "add a PersistentVolume that suits the claim, or use a StorageClass that provisions",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.37)",
};

static NOT_ENOUGH_SPACE: Message = Message {
    code: "PRE-236",
    text: "node(s) did not have enough free storage",
    meaning: "The storage that this node reaches has too little capacity left for a claim (CSIStorageCapacity).",
    preemption: "Never: evicting a pod frees no volume.",
    remedy: "free storage there, or ask for a smaller volume",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.37)",
};

static VOLUME_MISSING: Message = Message {
    code: "PRE-237",
    text: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    meaning: "A claim of the pod is bound to a PersistentVolume that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "restore the PersistentVolume, or create the claim again",
    obstacle: Obstacle::Volume,
    when: When::Rows(&[|f| f.volume_binding.missing_volumes_text]),
    source: "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.37)",
};

static VOLUME_MISSING_OLD: Message = Message {
    code: "PRE-238",
    text: "pvc(s) bound to non-existent pv(s)",
    when: When::Rows(&[|f| !f.volume_binding.missing_volumes_text]),
    source: "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.22)",
    ..VOLUME_MISSING
};

static UNBOUND: Message = Message {
    code: "PRE-239",
    text: "pod has unbound immediate PersistentVolumeClaims",
    meaning: "A claim of the pod is not bound yet, and its StorageClass binds at once: the scheduler waits for the provisioner.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "see kubectl describe pvc: does the StorageClass exist, does its provisioner run",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

static CLAIM_LOST: Message = Message {
    code: "PRE-242",
    text: "persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
    meaning: "A claim of the pod has lost its PersistentVolume.",
    when: When::Rows(&[|f| f.volume_binding.lost_claims_refused]),
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
    ..VOLUME_MISSING
};

static CLAIM_AWAITED: Message = Message {
    code: "PRE-243",
    text: "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
    meaning: "The claim of a generic ephemeral volume has not been created yet.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "make sure that kube-controller-manager runs; a quota may refuse the claim",
    obstacle: Obstacle::Wait,
    when: When::Rows(&[|f| f.volume_binding.ephemeral_claims_explained]),
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

static FOREIGN_CLAIM_OLD: Message = Message {
    code: "PRE-263",
    text: "persistentvolumeclaim \"{}\" was not created for the pod",
    meaning: "A claim that has the name of the pod's generic ephemeral volume belongs to something else.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "delete or rename the claim that has the name, so that one can be made for the pod",
    obstacle: Obstacle::Volume,
    when: When::Rows(&[|f| !f.volume_binding.ephemeral_claims_explained]),
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.22)",
};

#[cfg(test)]
mod tests;
