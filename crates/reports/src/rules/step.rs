//! The steps of preemption as rules, in the order in which the scheduler takes them.

use super::{RuleKind, RulebookEntry};
use profile::span::VersionSpan;
use scheduler::preemption::STEPS;
use scheduler::preemption::pick_node::CRITERIA;

/// The source of the criteria.
const EVALUATOR: &str = "pkg/scheduler/framework/preemption/preemption.go (1.37)";

pub(super) fn rules() -> Vec<RulebookEntry> {
    let steps = STEPS
        .iter()
        .map(|step| rule(step.code, step.name, step.meaning, step.when.span(), step.source));
    let criteria = CRITERIA.iter().map(|criterion| {
        let span = VersionSpan::of(|profile| criterion.exists_in(&profile.features.preemption));
        rule(criterion.code, criterion.name, criterion.meaning, span, EVALUATOR)
    });
    steps.chain(criteria).collect()
}

fn rule(
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    span: VersionSpan,
    source: &'static str,
) -> RulebookEntry {
    let preemption = "Is a part of it.";
    RulebookEntry {
        code,
        kind: RuleKind::Step,
        name,
        also: Vec::new(),
        meaning,
        preemption,
        remedy: None,
        obstacle: None,
        span,
        source,
    }
}
