//! The dry run on one node with given victims, for a plan that is being carried out.

use super::Decision;
use crate::framework::cycle::PreparedCycle;
use crate::plugins;
use crate::preemption::by_index;
use crate::preemption::dry_run::{self, DryRun, DryRunContext};
use model::cluster::{NodeIx, PodIx};

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
