//! `NodeResourcesBalancedAllocation`: prefers nodes whose cpu and memory are used equally.

use crate::dra::Selectors;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::delegated;
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::plugin::{Cycle, MAX_NODE_SCORE, RuleDoc, Signer};
use crate::framework::requests;
use crate::framework::score::{PreparedScore, Score, ScorePlugin};
use crate::framework::utilization::{RequestCounting, Scored, Usage};
use model::cluster::devices::CLASS_RESOURCE_PREFIX;
use model::cluster::resources::is_extended;
use model::cluster::{NodeIx, Pod};
use profile::history::BalanceScore;

pub struct NodeResourcesBalancedAllocation;

static DOC: RuleDoc = RuleDoc {
    name: "NodeResourcesBalancedAllocation",
    code: "PRE-131",
    summary: "Prefers nodes whose resources are equally full with the pod; since 1.36, nodes whose balance the pod improves.",
    preemption: "Does not take part: it only scores.",
    scores: None,
    messages: &[],
    retried_on: None,
    source: "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.37)",
};

impl Signer for NodeResourcesBalancedAllocation {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        delegated::leaves_to_devices(cycle)
    }

    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.view.incoming(cycle.pod) == cycle.view.incoming(other)
    }
}

impl ScorePlugin for NodeResourcesBalancedAllocation {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        let balance = Balance::new(cycle);
        if balance.scored.wants_nothing() {
            PreparedScore::Skip
        } else if looks_up_devices(cycle) {
            PreparedScore::Failed(StepFailure::Crash(Crash::NoDevicesToScore))
        } else {
            PreparedScore::ready(balance)
        }
    }

    fn prepare_without_pre_score<'c>(
        &self,
        cycle: &Cycle<'c>,
        nodes: &[NodeIx],
    ) -> PreparedScore<'c> {
        if cycle.features().node_resources_balanced_allocation.balance_score_skips {
            return self.prepare(cycle, nodes);
        }
        PreparedScore::ready(Balance::new(cycle))
    }
}

/// Whether the scheduler looks up the DeviceClass of a scored resource in a version that cannot.
///
/// Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go`
/// `getDRAPreScoredParams` (1.35).
fn looks_up_devices(cycle: &Cycle) -> bool {
    let features = cycle.features();
    let looks = features.dra.dra_extended_resources
        && features.node_resources_balanced_allocation.balance_device_lookup_crashes;
    let mut names =
        cycle.view.profile.args.balanced_resources.iter().map(|resource| &*resource.name);
    looks && names.any(|name| is_extended(name) || name.starts_with(CLASS_RESOURCE_PREFIX))
}

struct Balance<'c> {
    scored: Scored<'c>,
    cycle: Cycle<'c>,
}

impl<'c> Balance<'c> {
    fn new(cycle: &Cycle<'c>) -> Self {
        let features = cycle.features();
        let resource_requests = cycle.cluster().resource_requests.get(cycle.pod.resource_requests);
        // Parity: what the kubelet reports counts even for the incoming pod.
        let wanted = if features.requests.score_overhead_in_thousandths {
            cycle.view.footprint(cycle.pod).clone()
        } else {
            resource_requests
                .map(|s| requests::scored_by_balance(s, cycle.cluster(), &features.requests))
                .unwrap_or_default()
        };
        let counting = if features.requests.balance_as_asked {
            RequestCounting::AsAsked
        } else {
            RequestCounting::WithDefaults
        };
        // Parity: upstream gives only NodeResourcesFit the means to evaluate selectors.
        let selectors = Selectors::Unreadable;
        let scored = Scored::new(
            cycle,
            &cycle.view.profile.args.balanced_resources,
            wanted,
            counting,
            selectors,
        );
        Self { scored, cycle: *cycle }
    }
}

impl Score for Balance<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let (usages, how) = (
            self.scored.on(node)?,
            self.cycle.features().node_resources_balanced_allocation.balance_score,
        );
        if how == BalanceScore::Difference {
            return Ok(closeness(&usages, self.cycle.max_score()));
        }
        let with = evenness(usages.iter().map(|u| fraction(u.requested, u)));
        if how == BalanceScore::Deviation {
            return Ok(with);
        }
        let without = evenness(usages.iter().map(|u| fraction(u.used, u)));
        let half = MAX_NODE_SCORE / 2;
        Ok(half + (half + with - without) / 2)
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn fraction(of: i64, usage: &Usage) -> f64 {
    (of as f64 / usage.allocatable as f64).min(1.0)
}

/// The maximum score if cpu and memory are equally used, reduced by their difference; 0 if one of
/// them is exhausted.
#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn closeness(usages: &[Usage], best: i64) -> i64 {
    let mut fractions: Vec<f64> = Vec::with_capacity(usages.len());
    for Usage { requested, allocatable, .. } in usages {
        let is_full = *allocatable == 0;
        fractions.push(if is_full { 1.0 } else { *requested as f64 / *allocatable as f64 });
    }
    match fractions.as_slice() {
        [one, other] if *one < 1.0 && *other < 1.0 => {
            ((1.0 - (one - other).abs()) * best as f64) as i64
        }
        _ => 0,
    }
}

/// 100 if all fractions are equal, reduced by their standard deviation.
#[expect(clippy::cast_precision_loss, reason = "a handful of resources")]
fn evenness(fractions: impl Iterator<Item = f64>) -> i64 {
    let fractions: Vec<f64> = fractions.collect();
    let deviation = match fractions.as_slice() {
        [] | [_] => 0.0,
        [one, other] => ((one - other) / 2.0).abs(),
        all => {
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let squares: f64 = all.iter().map(|f| (f - mean) * (f - mean)).sum();
            (squares / all.len() as f64).sqrt()
        }
    };
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}

#[cfg(test)]
mod tests;
