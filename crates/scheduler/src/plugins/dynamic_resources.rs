//! `DynamicResources`: the pod's claims have devices that the node can use, or can get them there.
//!
//! Evicting pods does not free devices in the scheduler's simulation: what a claim holds, it keeps.

mod claims;
mod doubts;
mod extended;
mod filter;
pub mod group_claims;
mod holders;
mod messages;
mod reserve;
mod score;

use extended::Special;
use filter::{Claims, Refusal};

use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::plugin::{Cycle, Plugin, Prepared, RuleDoc};
use crate::framework::reason::Message;
use crate::framework::reserved::Reserved;
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{Evidence, Rejection};
use model::cluster::devices::ClaimIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use profile::Profile;

/// The plugin.
pub struct DynamicResources;

/// The error of every later point where a configuration disables PreFilter.
const NO_STATE: &str = "not found";

static DOC: RuleDoc = RuleDoc {
    name: "DynamicResources",
    code: "PRE-113",
    summary: "Every claim of the pod holds devices that the node can use, or can get them on the node.",
    preemption: "Never helps: evicting a pod does not free the devices of its claims in the scheduler's simulation.",
    scores: Some("Prefers nodes that can serve the earlier, better alternatives of a claim."),
    messages: messages::ALL,
    retried_on: Some("a claim, DeviceClass or ResourceSlice changes, a node is added or changes"),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

impl Plugin for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        match Claims::new(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => Prepared::ready(claims),
            Err(Refusal::Pod(text)) => Prepared::Reject(Rejection::unresolvable(text)),
            Err(Refusal::Cycle(error)) => Prepared::Failed(error),
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(NO_STATE)
    }

    fn reserve(&self, cycle: &Cycle, node: NodeIx, reserved: &mut Reserved) -> Result<(), String> {
        match Claims::new(cycle) {
            Ok(Some(claims)) => claims.reserve(node, reserved),
            Ok(None) | Err(_) => Ok(()),
        }
    }
}

impl ScorePlugin for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare(cycle)
    }
}

/// PreEnqueue: why the pod does not enter the active queue, if one of its claims does not exist.
#[must_use]
pub fn held_back(view: &ClusterView, pod: PodIx) -> Option<String> {
    if !view.profile.plugins.pre_enqueue.contains(&DOC.name) {
        return None;
    }
    claims::of_pod(view.cluster, pod, &view.profile.features.dra)
        .err()
        .map(|text| text.render(view.cluster).into_owned())
}

/// What it says of a group of which a claim is no longer reserved, which ends PostFilter: DefaultPreemption does not run.
pub const UNRESERVED: &str = "ResourceClaim unreserved for PodGroup";

/// Its name in kube-scheduler.
pub const NAME: &str = DOC.name;

/// Whether its PreFilter ran for a pod and left what its PostFilter reads.
#[must_use]
pub fn has_state(pre_filter: &PreFilter, profile: &Profile) -> bool {
    let stopped = matches!(pre_filter, PreFilter::Rejected { plugin, .. } if *plugin != NAME);
    !stopped && profile.plugins.pre_filter.contains(&NAME)
}

/// PostFilter of DynamicResources, which runs before that of DefaultPreemption.
#[must_use]
pub fn post_filter(cycle: &Cycle, verdicts: &[NodeVerdict]) -> Option<&'static str> {
    let features = &cycle.features().dra;
    if !features.dynamic_resources {
        return None;
    }
    let silent = |message: &'static Message| features.dra_post_filter_text.then_some(message.text);
    let Ok(Some(claims)) = Claims::new(cycle) else { return silent(&messages::NOTHING_TO_DEALLOCATE) };
    if let Some(text) = given_back(&claims, verdicts) {
        return Some(text);
    }
    if features.dra_group_claims
        && features.dra_post_filter_text
        && group_claims::unreserves_for(cycle.ix, cycle.cluster())
    {
        return Some(UNRESERVED);
    }
    silent(&messages::STILL_NOT_SCHEDULABLE)
}

/// Whether PostFilter of DynamicResources gives back a claim of the pod.
#[must_use]
pub fn gives_back(cycle: &Cycle, verdicts: &[NodeVerdict]) -> bool {
    Claims::new(cycle).is_ok_and(|claims| claims.is_some_and(|claims| given_back(&claims, verdicts).is_some()))
}

/// It deallocates a claim that is not available on some node and that no other pod uses, or deletes its own.
fn given_back(claims: &Claims, verdicts: &[NodeVerdict]) -> Option<&'static str> {
    let cycle = &claims.cycle;
    let is_free = |ix: &ClaimIx| {
        cycle.cluster().devices.get(*ix).is_some_and(|claim| match &*claim.reserved_for {
            [] => true,
            [only] => **only == *cycle.pod.uid,
            _ => false,
        })
    };
    if unavailable(verdicts).any(is_free) {
        return Some(messages::DEALLOCATED.text);
    }
    claims.special.as_ref().is_some_and(Special::is_left_over).then_some(messages::SPECIAL_DELETED.text)
}

/// The claims whose devices some node cannot use.
fn unavailable(verdicts: &[NodeVerdict]) -> impl Iterator<Item = &ClaimIx> {
    let evidence = verdicts.iter().filter_map(|v| match v {
        NodeVerdict::Filtered { rejection, .. } => rejection.reasons.first().map(|r| &r.evidence),
        _ => None,
    });
    let claims = evidence.filter_map(|e| match e {
        Evidence::ClaimElsewhere { claims } => Some(claims),
        _ => None,
    });
    claims.flatten()
}

#[cfg(test)]
mod tests;
