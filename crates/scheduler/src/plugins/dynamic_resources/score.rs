//! The score: the earlier the alternatives that a pod's claims get on a node, the higher.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go` `computeScore`
//! (1.37).

use super::filter::Claims;
use super::{DOC, NO_STATE};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::plugin::MAX_NODE_SCORE;
use crate::framework::score::{PreparedScore, Score, normalize_by_max};
use dra::Grant;
use model::cluster::NodeIx;
use model::cluster::devices::{Allocation, Ask, DeviceRequest, ResourceClaim, Want};
use profile::history::DynamicResources;

/// Maximum number of alternatives of a request, and the score of the first. Upstream:
/// `FirstAvailableDeviceRequestMaxSize`.
const MOST_ALTERNATIVES: i64 = 8;

/// The input of Score. Parity: without claims every node scores 0, and likewise if a configuration
/// disables Filter, which finds the devices.
pub(super) fn prepare<'c>(cycle: &Cycle<'c>) -> PreparedScore<'c> {
    let plugins = &cycle.view.profile.plugins;
    if !plugins.pre_filter.contains(&DOC.name) && scores(&cycle.features().dra) {
        return PreparedScore::failed(NO_STATE);
    }
    let filters = plugins.filter.contains(&DOC.name);
    PreparedScore::ready(Alternatives {
        claims: Claims::new(cycle).ok().flatten().filter(|_| filters),
    })
}

/// Whether Score computes anything. Parity: in 1.35 it does so even if no request may list
/// alternatives.
fn scores(features: &DynamicResources) -> bool {
    features.dra_prioritized_list || !features.dra_scores_need_list
}

struct Alternatives<'c> {
    claims: Option<Claims<'c>>,
}

impl Score for Alternatives<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let Some(claims) = &self.claims else { return Ok(0) };
        let features = &claims.cycle.features().dra;
        if claims.allocator.is_none() || !scores(features) {
            return Ok(0);
        }
        let requests =
            claims.special.as_ref().and_then(|s| s.on_node(&claims.cycle, node).ok().flatten());
        if requests.is_none() && claims.user.is_empty() {
            return Ok(0);
        }
        let granted = claims.granted(node.node, requests.as_deref()).unwrap_or_default();
        let all = claims.user.len() + usize::from(claims.special.is_some());
        if !features.dra_scores_held_claims && granted.len() < all {
            let text =
                format!("number of allocations {} is smaller than number of claims", granted.len());
            return Err(StepFailure::Error(text));
        }
        let mut waiting = granted.iter();
        Ok(claims
            .user
            .iter()
            .map(|(_, claim)| match &claim.allocation {
                Some(allocation) => held(claims, claim, allocation),
                None => waiting.next().map_or(0, |granted| chosen(claim, granted)),
            })
            .sum())
    }

    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        Some(normalize_by_max(raw, MAX_NODE_SCORE, false))
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

fn points(alternative: usize) -> i64 {
    MOST_ALTERNATIVES - i64::try_from(alternative).unwrap_or(MOST_ALTERNATIVES)
}

/// Counts each chosen alternative once, however many devices it got.
fn chosen(claim: &ResourceClaim, granted: &Grant) -> i64 {
    sum(claim, |request, want| {
        let mut of_request = granted.devices.iter().filter(|one| one.request == request.name);
        of_request.any(|device| device.alternative == Some(want.name))
    })
}

/// The same for what a claim already holds.
fn held(claims: &Claims, claim: &ResourceClaim, allocation: &Allocation) -> i64 {
    let text = |sym| claims.cycle.cluster().text(sym);
    sum(claim, |request, want| {
        let chosen = (text(request.name), text(want.name));
        allocation.results.iter().any(|r| text(r.request).split_once('/') == Some(chosen))
    })
}

/// The points of the chosen alternatives.
fn sum(claim: &ResourceClaim, is_chosen: impl Fn(&DeviceRequest, &Want) -> bool) -> i64 {
    claim
        .requests
        .iter()
        .map(|request| match &request.ask {
            Ask::FirstAvailable(wants) => {
                let chosen = wants.iter().enumerate().filter(|(_, want)| is_chosen(request, want));
                chosen.map(|(alternative, _)| points(alternative)).sum()
            }
            Ask::Exactly(_) | Ask::Unknown => 0,
        })
        .sum()
}
