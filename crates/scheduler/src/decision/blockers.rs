//! What would reject the preemptor if a victim stayed. A dry run finds out only that something
//! does, because most victims on thousands of nodes are never shown.

use std::collections::BTreeMap;

use super::Decision;
use crate::framework::cycle::PreparedCycle;
use crate::plugins;
use crate::preemption::dry_run::{self, Blocker, Candidate, DryRunContext};
use model::cluster::pod::PodIx;

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
        let mut found = dry_run::blocks(&self.prepared, candidate, &self.context);
        found.retain(|pod, _| candidate.evicts(*pod));
        found
    }
}
