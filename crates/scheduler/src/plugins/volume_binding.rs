//! `VolumeBinding`: the pod's claims are bound to volumes that the node can use, or can be bound
//! there.

mod claims;
mod doubts;
mod evidence;
mod find;
mod messages;
mod mismatch;
mod offers;
mod score;
mod unbound;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reserved::Reserved;
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{Code, FilterVerdict, Rejection};
use model::cluster::{NodeIx, Pod};

use claims::{ClaimProblem, Sorted};
use find::{Binder, Offer};

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
    messages: messages::ALL,
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

#[cfg(test)]
mod tests;
