//! Which nodes are potential candidates for a dry run, and how many candidates the scheduler itself
//! looks for.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `findCandidates`,
//! `default_preemption.go` `calculateNumCandidates` (1.37).

use super::step::StepDoc;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::reason::When;
use crate::framework::status::Code;
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
    let pre_filter_code = match &prepared.pre_filter {
        PreFilter::Rejected { .. } if features.cycle.pre_filter_refusal_forgotten => {
            Some(Code::Unschedulable)
        }
        PreFilter::Rejected { rejection, .. } => Some(rejection.code),
        _ => None,
    };
    let helps = |verdict: &NodeVerdict| match verdict {
        NodeVerdict::Filtered { rejection, .. } => rejection.code == Code::Unschedulable,
        NodeVerdict::NotTried => pre_filter_code == Some(Code::Unschedulable),
        NodeVerdict::ExcludedByPreFilter => {
            features.cycle.excluded_nodes == ExcludedNodes::Potential
        }
        NodeVerdict::Feasible | NodeVerdict::Failed(_) => false,
    };
    let nodes = prepared.cycle.cluster().node_indices();
    nodes.zip(verdicts).filter(|(_, verdict)| helps(verdict)).map(|(node, _)| node).collect()
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
