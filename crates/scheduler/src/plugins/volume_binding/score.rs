//! Prefers nodes whose storage would be used the least.
//!
//! Upstream: `pkg/scheduler/framework/plugins/volumebinding/{volume_binding,scorer}.go` (1.37).

use std::collections::BTreeMap;

use super::claims::{ClaimProblem, Sorted};
use super::find::{Binder, Bindings, Offer, bytes};
use super::{DOC, NO_STATE};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::plugin::Cycle;
use crate::framework::score::{PreparedScore, Score};
use crate::framework::utilization::{on_curve, percent};
use model::cluster::{NodeIx, Sym};
use profile::args::ShapePoint;

/// PreScore.
pub(super) fn prepare<'c>(cycle: &Cycle<'c>) -> PreparedScore<'c> {
    if !cycle.features().volume_binding.storage_capacity_scoring {
        return PreparedScore::Skip;
    }
    let plugins = &cycle.view.profile.plugins;
    if !plugins.pre_filter.contains(&DOC.name) {
        return PreparedScore::failed(NO_STATE);
    }
    // Score uses the results of Filter; without them there is nothing to score.
    let filters = plugins.filter.contains(&DOC.name);
    // Parity: pods without claims are scored too; every node gets 0.
    match Sorted::of(cycle) {
        Ok(claims) => PreparedScore::ready(CapacityScore {
            binder: claims.filter(|_| filters).map(|claims| Binder::new(cycle, claims)),
            curve: &cycle.view.profile.args.volume_binding_shape,
        }),
        Err(ClaimProblem::Failed(error)) => PreparedScore::failed(error),
        Err(ClaimProblem::Refused(..)) => PreparedScore::Skip,
    }
}

/// The binder of the pod's claims, if it has any and Filter ran.
struct CapacityScore<'c> {
    binder: Option<Binder<'c>>,
    curve: &'c [ShapePoint],
}

impl Score for CapacityScore<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        match self.binder.as_ref().map(|binder| binder.find(node.node)) {
            None | Some(Offer::Refused(_)) => Ok(0),
            Some(Offer::Failed(error)) => Err(StepFailure::Error(error)),
            Some(Offer::Bindings(bindings)) => {
                score(&bindings, self.curve).map_err(StepFailure::Crash)
            }
        }
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

/// Bytes of a storage class: requested and available.
#[derive(Default)]
struct Use {
    wanted: i64,
    there_are: i64,
}

/// The mean over storage classes of the score that the curve gives their utilization; by default,
/// the free share in percent. If some claims can be bound to existing volumes, only those volumes
/// count.
fn score(bindings: &Bindings, curve: &[ShapePoint]) -> Result<i64, Crash> {
    let mut classes: BTreeMap<Sym, Use> = BTreeMap::new();
    for (claim, volume) in &bindings.matched {
        let class = classes.entry(volume.spec_class).or_default();
        class.wanted = class.wanted.wrapping_add(bytes(claim.request));
        class.there_are = class.there_are.wrapping_add(volume.capacity.value());
    }
    if bindings.matched.is_empty() {
        for (claim, pool) in
            bindings.made.iter().filter_map(|(claim, pool)| Some((claim, (*pool)?)))
        {
            // Parity: claims are grouped by the class of their spec, even those whose class is only
            // in the annotation.
            let class = classes.entry(claim.spec_class.ok_or(Crash::NoClassToScore)?).or_default();
            class.wanted = class.wanted.wrapping_add(bytes(claim.request));
            // The pool is the same for all claims of a class, so it counts once.
            class.there_are = pool.capacity.ok_or(Crash::NoCapacityToScore)?.value();
        }
    }
    let Ok(count @ 1..) = i64::try_from(classes.len()) else { return Ok(0) };
    let sum: i64 =
        classes.values().map(|class| on_curve(curve, percent(class.wanted, class.there_are))).sum();
    // Halves round up.
    Ok((2 * sum + count) / (2 * count))
}
