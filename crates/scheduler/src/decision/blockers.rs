//! What would reject the preemptor if a victim stayed. A dry run finds out only that something
//! does, because most victims on thousands of nodes are never shown.

use std::collections::BTreeMap;

use super::Decision;
use crate::framework::cycle::PreparedCycle;
use crate::plugins;
use crate::preemption::by_index;
use crate::preemption::dry_run::{self, Blocker, Candidate, DryRun, DryRunContext};
use model::cluster::{NodeIx, PodIx};

/// Finds out what the victims of a decision block.
pub struct Blockers<'c> {
    prepared: PreparedCycle<'c>,
    context: DryRunContext<'c, 'c>,
}

impl<'c> Blockers<'c> {
    #[must_use]
    pub fn new(decision: &Decision<'c>) -> Self {
        let (view, now) = (decision.view, decision.now);
        let plugins = plugins::filters(&view.profile.plugins);
        Self {
            prepared: PreparedCycle::new(view, decision.pod, now, &plugins),
            context: DryRunContext::new(view, now),
        }
    }

    /// What would reject the pod if a victim of this candidate of the decision stayed, by victim.
    /// Nothing is known of a victim that an extender has named.
    #[must_use]
    pub fn of(&self, candidate: &Candidate) -> BTreeMap<PodIx, Blocker> {
        let mut blockers = dry_run::blocks(&self.prepared, candidate, &self.context);
        blockers.retain(|pod, _| candidate.evicts(*pod));
        blockers
    }
}

impl Decision<'_> {
    /// The dry run on `node` in which only `pods` are potential victims. `None` where preemption
    /// does not try the node, or asks extenders about it. A pod that waits for the victims of an
    /// earlier preemption is treated as if it did not.
    pub fn dry_run_of(&self, node: NodeIx, pods: &[PodIx]) -> Option<DryRun> {
        let report = self.preemption()?;
        let resolvable = self.filters.node(node)?.is_resolvable();
        let waits =
            report.ineligible.as_ref().is_some_and(|ineligible| !ineligible.terminating.is_empty());
        if !resolvable || !(report.tried() || waits) || report.extenders_asked {
            return None;
        }
        let (view, profile) = (self.view, self.profile());
        let prepared =
            PreparedCycle::new(view, self.pod, self.now, &plugins::filters(&profile.plugins));
        let context = DryRunContext::new(view, self.now);
        Some(dry_run::of_pods(&prepared, node, pods, &context, &by_index))
    }
}
