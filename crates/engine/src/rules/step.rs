//! The steps of preemption as rules, in the order in which the scheduler takes them.

use super::{Rule, RuleKind};
use crate::preemption::pick_node::CRITERIA;
use crate::profile::Features;
use crate::profile::span::VersionSpan;

struct PreemptionStep {
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    when: &'static [fn(&Features) -> bool],
    source: &'static str,
}

const POLICY: &str = "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)";
const EVALUATOR: &str = "pkg/scheduler/framework/preemption/preemption.go (1.37)";

static STEPS: &[PreemptionStep] = &[
    PreemptionStep {
        code: "PRE-401",
        name: "eligibility",
        meaning: "A pod with preemptionPolicy Never, or whose nominated node still has a victim of lower priority on its way out, \
                  does not preempt.",
        when: &[],
        source: POLICY,
    },
    PreemptionStep {
        code: "PRE-402",
        name: "potential nodes",
        meaning: "Only nodes whose refusal an eviction may lift are tried: those refused with code Unschedulable, not \
                  UnschedulableAndUnresolvable.",
        when: &[],
        source: EVALUATOR,
    },
    PreemptionStep {
        code: "PRE-403",
        name: "dry run",
        meaning: "On each potential node every pod of lower priority is taken away; if the pod does not fit even then, the node \
                  is no candidate.",
        when: &[],
        source: POLICY,
    },
    PreemptionStep {
        code: "PRE-404",
        name: "importance",
        meaning: "Pods that were taken away are sorted: higher priority first, then the one that started earlier.",
        when: &[],
        source: "pkg/scheduler/util/utils.go (1.37)",
    },
    PreemptionStep {
        code: "PRE-405",
        name: "budgets",
        meaning: "Pods whose eviction would violate a PodDisruptionBudget are set apart: they are brought back first, but \
                  evicted all the same if there is no other way.",
        when: &[],
        source: POLICY,
    },
    PreemptionStep {
        code: "PRE-406",
        name: "reprieve",
        meaning: "One by one, the most important first, pods are brought back; one that the pod still fits beside is spared, any \
                  other is a victim.",
        when: &[],
        source: POLICY,
    },
    PreemptionStep {
        code: "PRE-407",
        name: "candidate sample",
        meaning: "The scheduler stops looking once it has enough candidates, 100 or 10 % of the potential nodes, whichever is more, from \
                  a random start: which nodes those are is chance.",
        when: &[|f| f.preemption.preemption_samples],
        source: POLICY,
    },
    PreemptionStep {
        code: "PRE-408",
        name: "nomination",
        meaning: "The chosen node is written into status.nominatedNodeName and its room kept for the pod; the pod itself is tried \
                  again when the victims are gone, and may go elsewhere.",
        when: &[],
        source: EVALUATOR,
    },
    PreemptionStep {
        code: "PRE-409",
        name: "eviction",
        meaning: "Victims get condition DisruptionTarget and are deleted with their own grace period; no budget is asked again.",
        when: &[],
        source: "pkg/scheduler/framework/preemption/executor.go (1.37)",
    },
];

/// The codes of the tie-break criteria, by their names.
const CRITERION_CODES: &[(&str, &str, &str)] = &[
    ("nobody to evict", "PRE-421", "A node where nobody has to go after all is taken at once."),
    ("fewest PDB violations", "PRE-422", "Nodes on which the fewest victims violate a budget stay in."),
    (
        "lowest priority of the most important victim",
        "PRE-423",
        "Nodes whose most important victim has the lowest priority stay in.",
    ),
    (
        "smallest sum of victim priorities (+2^31 each)",
        "PRE-424",
        "Nodes with the smallest sum of the victims' priorities stay in; each counts 2^31 more than it is, so that one victim \
         more always costs more.",
    ),
    ("fewest victims", "PRE-425", "Nodes with the fewest victims stay in."),
    (
        "latest start of the longest-running victim of highest priority",
        "PRE-426",
        "The node wins whose longest-running victim of the highest priority started last; nodes that are still tied are taken \
         at random.",
    ),
];

pub(super) fn rules() -> Vec<Rule> {
    let steps =
        STEPS.iter().map(|step| rule(step.code, step.name, step.meaning, VersionSpan::of_rows(step.when), step.source));
    let criteria = CRITERIA.iter().filter_map(|criterion| {
        let (name, code, meaning) = CRITERION_CODES.iter().find(|(name, ..)| *name == criterion.name)?;
        Some(rule(
            code,
            name,
            meaning,
            VersionSpan::of(|version| criterion.exists_in(&Features::of(version).preemption)),
            EVALUATOR,
        ))
    });
    steps.chain(criteria).collect()
}

fn rule(
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    span: VersionSpan,
    source: &'static str,
) -> Rule {
    let preemption = "Is a part of it.";
    Rule { code, kind: RuleKind::Step, name, also: Vec::new(), meaning, preemption, remedy: None, span, source }
}
