//! The score: the better the alternatives that a pod's claims get on a node, the higher.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go` `computeScore` (1.37).

use std::collections::BTreeSet;

use super::filter::{Claims, Granted};
use super::{DOC, NO_STATE};
use crate::cluster::devices::{Allocation, Ask, Claim};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::Failure;
use crate::framework::plugin::Cycle;
use crate::framework::plugin::MAX_NODE_SCORE;
use crate::framework::score::{PreparedScore, Score, normalize_by_max};
use crate::profile::history::DynamicResources;

/// Most alternatives of a request, and the score of the first. Upstream: `FirstAvailableDeviceRequestMaxSize`.
const MOST_ALTERNATIVES: i64 = 8;

/// What Score reads. Parity: without claims every node has 0, and so it has where a configuration disables Filter, which
/// finds the devices.
pub(super) fn prepare<'c>(cycle: &Cycle<'c>) -> PreparedScore<'c> {
    let plugins = &cycle.view.profile.plugins;
    if !plugins.pre_filter.contains(&DOC.name) && scores(&cycle.features().dra) {
        return PreparedScore::failed(NO_STATE);
    }
    let filters = plugins.filter.contains(&DOC.name);
    PreparedScore::ready(Alternatives { claims: Claims::new(cycle).ok().flatten().filter(|_| filters) })
}

/// Whether Score looks for anything. Parity: in 1.35 it does so even where no request may list alternatives.
fn scores(features: &DynamicResources) -> bool {
    features.dra_prioritized_list || !features.dra_scores_need_list
}

struct Alternatives<'c> {
    claims: Option<Claims<'c>>,
}

impl Score for Alternatives<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, Failure> {
        let Some(claims) = &self.claims else { return Ok(0) };
        let features = &claims.cycle.features().dra;
        if claims.allocator.is_none() || !scores(features) {
            return Ok(0);
        }
        let requests = claims.special.as_ref().and_then(|s| s.on_node(&claims.cycle, node).ok().flatten());
        if requests.is_none() && claims.user.is_empty() {
            return Ok(0);
        }
        let granted: Granted = claims.allocate(node, requests.as_deref()).unwrap_or_default();
        let all = claims.user.len() + usize::from(claims.special.is_some());
        if !features.dra_scores_held_claims && granted.len() < all {
            let text = format!("number of allocations {} is smaller than number of claims", granted.len());
            return Err(Failure::Error(text));
        }
        let mut waiting = granted.iter();
        let of_claim = |(_, claim): &(_, &Claim)| match &claim.allocation {
            Some(allocation) => held(claims, claim, allocation),
            None => waiting.next().map_or(0, |granted| chosen(claim, granted)),
        };
        Ok(claims.user.iter().map(of_claim).sum())
    }

    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        normalize_by_max(raw, MAX_NODE_SCORE, false)
    }
}

fn points(alternative: usize) -> i64 {
    MOST_ALTERNATIVES - i64::try_from(alternative).unwrap_or(MOST_ALTERNATIVES)
}

/// One count per alternative that was chosen, however many devices it got.
fn chosen(claim: &Claim, granted: &[crate::dra::AllocatedDevice]) -> i64 {
    let of_request = |request: &crate::cluster::devices::Request| {
        let devices = granted.iter().filter(|g| g.request == request.name);
        let alternatives: BTreeSet<usize> = devices.filter_map(|g| g.alternative).collect();
        alternatives.into_iter().map(points).sum::<i64>()
    };
    claim.requests.iter().map(of_request).sum()
}

/// The same for what a claim already holds.
fn held(claims: &Claims, claim: &Claim, allocation: &Allocation) -> i64 {
    let text = |sym| claims.cycle.cluster().text(sym);
    let mut sum = 0;
    for request in &claim.requests {
        let Ask::FirstAvailable(wants) = &request.ask else { continue };
        for (alternative, want) in wants.iter().enumerate() {
            let is_chosen = |name: &str| name.split_once('/') == Some((text(request.name), text(want.name)));
            if allocation.results.iter().any(|r| is_chosen(text(r.request))) {
                sum += points(alternative);
            }
        }
    }
    sum
}
