//! `DynamicResources`: the pod's claims have devices that the node can use, or devices there can be
//! allocated to them.
//!
//! Evicting pods does not free devices in the scheduler's simulation: a claim keeps what it holds.

mod claims;
mod doubts;
mod evidence;
mod extended;
mod filter;
pub mod group_claims;
mod messages;
mod reserve;
mod score;

use std::collections::BTreeSet;

use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::message::PostFilterStatus;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::pre_filter::FixedVerdict;
use crate::framework::reason::Message;
use crate::framework::reserved::Reserved;
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{FilterVerdict, Rejection};
pub use claims::needed_devices;
use evidence::ClaimsElsewhere;
use extended::Special;
use filter::{Claims, PreFilterRejection};
use model::cluster::devices::ClaimIx;
use model::cluster::{Cluster, NodeIx, Pod, PodIx};
use profile::Profile;

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

impl Signer for DynamicResources {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        !cycle.template.claims.is_empty()
    }

    fn sees_alike(&self, _: &Cycle, _: &Pod) -> bool {
        true
    }
}

impl Plugin for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        if !cycle.features().dra.dynamic_resources {
            return Prepared::Skip;
        }
        match Claims::new(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => Prepared::ready(claims),
            Err(PreFilterRejection::Pod(text)) => Prepared::Reject(Rejection::unresolvable(text)),
            Err(PreFilterRejection::Cycle(error)) => Prepared::Failed(error),
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(NO_STATE)
    }

    fn filter_without_pre_filter<'c>(&self, cycle: &Cycle<'c>) -> Option<Box<dyn Filter + 'c>> {
        let is_off = !cycle.features().dra.dynamic_resources;
        is_off.then(|| Box::new(FixedVerdict(FilterVerdict::Fits)) as Box<dyn Filter>)
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
pub fn held_back(view: &ClusterView, pod: PodIx) -> Option<String> {
    if !view.profile.plugins.pre_enqueue.contains(&DOC.name) {
        return None;
    }
    claims::of_pod(view.cluster, pod, &view.profile.features.dra)
        .err()
        .map(|text| text.render(view.cluster).into_owned())
}

/// The text about a group with a claim that is no longer reserved. It ends PostFilter, so
/// DefaultPreemption does not run.
pub const UNRESERVED: &str = "ResourceClaim unreserved for PodGroup";

/// Its name in kube-scheduler.
pub const NAME: &str = DOC.name;

/// Whether its PreFilter ran for a pod and stored what its PostFilter reads: it does that first,
/// even if it rejects the pod.
pub fn has_state(pre_filter: &PreFilter, profile: &Profile) -> bool {
    let order = &profile.plugins.pre_filter;
    let Some(own) = order.iter().position(|plugin| *plugin == NAME) else { return false };
    match pre_filter {
        PreFilter::Rejected { last, .. } => {
            order.iter().position(|plugin| plugin == last).is_some_and(|at| own <= at)
        }
        PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => true,
    }
}

/// PostFilter, for a pod whose nodes were rejected like this, if they were filtered.
pub(crate) fn post_filter(
    cycle: &Cycle,
    pre_filter: &PreFilter,
    rejections: &[&Rejection],
) -> PostFilterStatus {
    let features = &cycle.features().dra;
    let rejects = |message: &'static Message| {
        PostFilterStatus::Rejects(features.dra_post_filter_text.then(|| message.text.to_owned()))
    };
    if !features.dynamic_resources {
        return PostFilterStatus::Rejects(None);
    }
    if features.dra_post_filter && !has_state(pre_filter, cycle.view.profile) {
        // Parity: it reads the state first, even of a pod without claims.
        return PostFilterStatus::Ends(NO_STATE.to_owned());
    }
    let Ok(Some(claims)) = Claims::new(cycle) else {
        return rejects(&messages::NOTHING_TO_DEALLOCATE);
    };
    if let Some(text) = given_back(&claims, rejections.iter().copied()) {
        return PostFilterStatus::Rejects(Some(text.to_owned()));
    }
    if features.dra_group_claims
        && features.dra_post_filter_text
        && group_claims::unreserves_for(cycle.ix, cycle.cluster())
    {
        return PostFilterStatus::Ends(UNRESERVED.to_owned());
    }
    rejects(&messages::STILL_NOT_SCHEDULABLE)
}

/// Whether PostFilter of DynamicResources gives up a claim of the pod.
pub fn gives_back(cycle: &Cycle, verdicts: &[NodeVerdict]) -> bool {
    Claims::new(cycle).is_ok_and(|claims| {
        claims.is_some_and(|claims| {
            given_back(&claims, verdicts.iter().filter_map(NodeVerdict::rejection)).is_some()
        })
    })
}

/// The claims of which PostFilter gives up one at each attempt, for a pod that no node takes and whose
/// nodes got these verdicts. The scheduler tries the pod again without it.
pub fn given_up(cycle: &Cycle, verdicts: &[NodeVerdict]) -> BTreeSet<ClaimIx> {
    let runs = cycle.view.profile.plugins.post_filter.contains(&NAME);
    if !runs || !cycle.features().dra.dynamic_resources {
        return BTreeSet::new();
    }
    let rejections = verdicts.iter().filter_map(NodeVerdict::rejection);
    let unavailable: BTreeSet<ClaimIx> = deallocatable(cycle, rejections).collect();
    // Its own claim of an earlier attempt goes only if no other one does.
    let rejects =
        |verdict| matches!(verdict, &NodeVerdict::Filtered { plugin, .. } if plugin == NAME);
    if unavailable.is_empty()
        && verdicts.iter().any(rejects)
        && Special::of_pod(cycle, false).is_some()
    {
        return extended::left_over(cycle).collect();
    }
    unavailable
}

/// The claim that PostFilter gives up: it deallocates one that is not available on some node and
/// that no other pod uses, or deletes its own.
fn given_back<'r>(
    claims: &Claims,
    rejections: impl Iterator<Item = &'r Rejection>,
) -> Option<&'static str> {
    if deallocatable(&claims.cycle, rejections).next().is_some() {
        return Some(messages::DEALLOCATED.text);
    }
    claims
        .special
        .as_ref()
        .is_some_and(Special::is_left_over)
        .then_some(messages::SPECIAL_DELETED.text)
}

/// The claims that are not available on some node and that no other pod uses.
fn deallocatable<'r>(
    cycle: &Cycle,
    rejections: impl Iterator<Item = &'r Rejection>,
) -> impl Iterator<Item = ClaimIx> {
    let (cluster, user) = (cycle.cluster(), cycle.cluster().claim_user(cycle.ix));
    unavailable(rejections).copied().filter(move |claim| is_free_but_for(*claim, &user, cluster))
}

/// Whether a claim is reserved for nobody, or only for this pod or group.
fn is_free_but_for(claim: ClaimIx, user: &str, cluster: &Cluster) -> bool {
    let claim = cluster.devices.get(claim);
    claim.is_some_and(|claim| claim.reserved_for.iter().all(|holder| **holder == *user))
}

/// The claims whose devices some node cannot use.
fn unavailable<'r>(
    rejections: impl Iterator<Item = &'r Rejection>,
) -> impl Iterator<Item = &'r ClaimIx> {
    let first = rejections.filter_map(|rejection| rejection.reasons.first());
    let evidence = first.filter_map(|reason| reason.evidence.as_ref());
    evidence
        .filter_map(|evidence| evidence.get())
        .flat_map(|elsewhere: &ClaimsElsewhere| &elsewhere.claims)
}

#[cfg(test)]
mod tests;
