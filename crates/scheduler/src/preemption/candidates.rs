//! Which nodes are potential candidates for a dry run, and how many candidates the scheduler itself
//! looks for.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `findCandidates`,
//! `default_preemption.go` `calculateNumCandidates` (1.37).

use super::step::StepDoc;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::reason::When;
use model::cluster::node::NodeIx;
use profile::PluginArgs;
use profile::history::{ExcludedNodes, Preemption};

/// Which nodes are tried.
pub(super) static POTENTIAL: StepDoc = StepDoc {
    code: "PRE-402",
    name: "potential nodes",
    meaning: "Only nodes whose refusal an eviction may lift are tried: those refused with code Unschedulable, not \
              UnschedulableAndUnresolvable.",
    when: When::Always,
    source: "pkg/scheduler/framework/preemption/preemption.go (1.37)",
};

/// How many candidates are looked for.
pub(super) static SAMPLE: StepDoc = StepDoc {
    code: "PRE-407",
    name: "candidate sample",
    meaning: "The scheduler stops looking once it has enough candidates, 100 or 10 % of the potential nodes, whichever is more, from a random start: which nodes it finds is random.",
    when: When::Rows(&[|f| f.preemption.preemption_samples]),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// Nodes on which evicting pods may help, by name.
pub(crate) fn potential(prepared: &PreparedCycle, verdicts: &[NodeVerdict]) -> Vec<NodeIx> {
    let features = prepared.cycle.features();
    // Where PreFilter rejects the pod, no node is filtered, and its code counts for all of them.
    let may_lift_pre_filter = match &prepared.pre_filter {
        PreFilter::Rejected { rejection, .. } => {
            features.cycle.pre_filter_refusal_forgotten || rejection.is_resolvable()
        }
        _ => false,
    };
    let mut potential = Vec::new();
    for (node, verdict) in prepared.cycle.cluster().node_indices().zip(verdicts) {
        let may_help = match verdict {
            NodeVerdict::Filtered { .. } => verdict.is_resolvable(),
            NodeVerdict::NotTried => may_lift_pre_filter,
            NodeVerdict::ExcludedByPreFilter => {
                features.cycle.excluded_nodes == ExcludedNodes::Potential
            }
            NodeVerdict::Feasible | NodeVerdict::Failed(_) => false,
        };
        if may_help {
            potential.push(node);
        }
    }
    potential
}

/// The number of candidates after which the scheduler stops, out of `potential` nodes.
pub(crate) fn sample_size(potential: usize, args: &PluginArgs, features: &Preemption) -> usize {
    if !features.preemption_samples {
        return potential;
    }
    let size = |n: i64| usize::try_from(n).unwrap_or(0);
    let share = potential * size(args.min_candidate_nodes_percentage) / 100;
    share.max(size(args.min_candidate_nodes_absolute)).min(potential)
}

#[cfg(test)]
mod tests;
