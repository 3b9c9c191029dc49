//! Which nodes are potential candidates for a dry run, and how many candidates the scheduler itself
//! looks for.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `findCandidates`,
//! `default_preemption.go` `calculateNumCandidates` (1.37).

use jiff::Timestamp;

use super::dry_run::{self, Candidate, DryRun, DryRunContext};
use super::eligibility::{self, Ineligible};
use super::importance::StepDoc;
use super::potential_victims::by_index;
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

/// The dry run on the nominated node with only these terminating pods as victims. `None` if the pod
/// does not fit there even without them, or does not wait for any.
pub(super) fn find(
    prepared: &PreparedCycle,
    verdicts: &[NodeVerdict],
    ineligible: &Ineligible,
    now: Timestamp,
) -> Option<Candidate> {
    let node = eligibility::nominated(prepared).filter(|_| !ineligible.terminating.is_empty())?;
    // Only such a cause ends with a pod.
    if !verdicts.get(node.0 as usize)?.is_resolvable() {
        return None;
    }
    let context = DryRunContext::new(prepared.cycle.view, now);
    match dry_run::of_pods(prepared, node, &ineligible.terminating, &context, &by_index) {
        DryRun::Candidate(candidate) => {
            Some(candidate).filter(|candidate| !candidate.victims.is_empty())
        }
        DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::sample_size;
    use crate::testing::{at, decide, features, node, objects, pod};
    use profile::PluginArgs;

    #[test]
    fn the_scheduler_is_content_with_a_tenth_of_the_nodes_but_at_least_a_hundred() {
        for (potential, want) in [
            (0, 0),
            (1, 1),
            (100, 100),
            (101, 100),
            (1000, 100),
            (1009, 100),
            (1010, 101),
            (5000, 500),
        ] {
            assert_eq!(
                sample_size(potential, &PluginArgs::default(), &features("1.20").preemption),
                want,
                "{potential} nodes"
            );
        }
    }

    #[test]
    fn up_to_1_19_every_node_is_tried() {
        assert_eq!(sample_size(5000, &PluginArgs::default(), &features("1.19").preemption), 5000);
    }

    #[test]
    fn only_nodes_that_evictions_may_help_are_tried() {
        let not_helpful = "Preemption is not helpful for scheduling";
        let incoming = || pod("p").cpu("1").priority(10);
        for (row, node, want) in [
            ("too little is free", node("n").cpu("1"), "victims v, violations 0"),
            ("too little is there at all", node("n").cpu("500m"), not_helpful),
            ("cordoned", node("n").cpu("1").cordoned(), not_helpful),
            ("tainted", node("n").cpu("1").taint("k", "", "NoExecute"), not_helpful),
        ] {
            let objects = objects![node, pod("v").cpu("1").on("n"), incoming()];
            assert_eq!(decide(objects, "p").dry_run("n"), want, "{row}");
        }
    }

    #[test]
    fn nodes_that_pre_filter_excluded_are_not_tried() {
        let term =
            json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]});
        let answer = decide(
            objects![
                node("m").cpu("1"),
                node("n").cpu("1"),
                pod("u").cpu("1").on("m"),
                pod("v").cpu("1").on("n"),
                pod("p").cpu("1").priority(10).node_term(term)
            ],
            "p",
        );
        assert_eq!(answer.dry_run("m"), "Preemption is not helpful for scheduling");
        assert_eq!(answer.dry_run("n"), "victims v, violations 0");
    }

    #[test]
    fn a_request_beyond_the_node_was_tried_up_to_1_33() {
        let objects =
            objects![node("n").cpu("1"), pod("v").cpu("1").on("n"), pod("p").cpu("2").priority(10)];
        assert_eq!(at("1.33").decide(objects.clone(), "p").dry_run("n"), "Insufficient cpu");
        assert_eq!(
            at("1.34").decide(objects, "p").dry_run("n"),
            "Preemption is not helpful for scheduling"
        );
    }

    #[test]
    fn a_pod_rejected_as_a_whole_has_no_candidates() {
        let bad = json!({"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}});
        let objects = objects![
            node("n"),
            pod("v").on("n"),
            pod("p").priority(10).affinity("podAffinity", bad)
        ];
        assert_eq!(
            at("1.33").decide(objects.clone(), "p").dry_run("n"),
            "Preemption is not helpful for scheduling"
        );
        let answer = at("1.34").decide(objects, "p");
        assert_eq!(answer.preemption, None, "since 1.34 preemption is not even asked");
    }
}
