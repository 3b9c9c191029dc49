//! Checks the hazards of a plan. Some victims are removed only with a flag of the user, and some
//! plans are dangerous.

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::options::{ApplyOptions, Mode};
use answers::commands::flag_of;
use answers::competition::sentence;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{BudgetUse, Plan, PlannedVictim};

/// A plan with this many victims or more is dangerous.
const MANY: usize = 5;
/// The namespace of the control plane's pods.
const SYSTEM: &str = "kube-system";

/// Checks that no hazard forbids the plan.
pub(in crate::apply) fn check(executor: &Executor<'_>) -> StepResult<()> {
    let refusals = refusals(&executor.plan, &executor.session.options);
    if refusals.is_empty() { Ok(()) } else { Err(StopReason::Hazards(refusals)) }
}

/// Whether a hazard applies in this mode: the server does not check budgets of deletions.
fn counts(hazard: &Hazard, options: &ApplyOptions) -> bool {
    options.mode == Mode::Evict || *hazard != Hazard::SeveralBudgets
}

/// Whether a flag of the user waives the hazard.
fn is_waived(hazard: &Hazard, options: &ApplyOptions) -> bool {
    match hazard {
        Hazard::EmptyDir => options.delete_emptydir_data,
        // The server never accepts such an eviction.
        Hazard::SeveralBudgets => false,
        // These hazards are only printed.
        Hazard::ComesBack | Hazard::Guarded(_) => true,
        Hazard::Mirror
        | Hazard::Bare
        | Hazard::SystemCritical(_)
        | Hazard::PriorityNotLower
        | Hazard::Stuck
        | Hazard::OtherScheduler(_) => options.force,
    }
}

/// The hazards that forbid the plan, one line each, with the flag that waives it.
pub(super) fn refusals(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    let mut lines = Vec::new();
    for victim in &plan.victims {
        for hazard in victim.hazards.iter().filter(|h| counts(h, options) && !is_waived(h, options))
        {
            let flag = if *hazard == Hazard::SeveralBudgets {
                Some("--mode=delete")
            } else {
                hazard.waived_by().map(flag_of)
            };
            let way_out = flag.map_or_else(String::new, |flag| format!(" (use {flag})"));
            lines.push(format!("{} {}{way_out}", victim.pod.full_name(), hazard.text()));
        }
    }
    lines.extend(competitors(plan, options));
    if options.grace_period == Some(0) && !options.force {
        lines
            .push("--grace-period=0 kills pods without letting them stop (use --force)".to_owned());
    }
    lines
}

/// The pending pods that may take the room although it is reserved as far as the flags do, one line
/// each.
fn competitors(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    if options.yes_despite_competitors {
        return Vec::new();
    }
    let nodes = plan.nodes().join(", ");
    let mut lines = Vec::new();
    for competitor in plan.competitors.contested() {
        let nomination = competitor.reason.ends_with_nomination();
        if nomination && options.nominate {
            continue;
        }
        let flags = if nomination { "--nominate or " } else { "" };
        let sentence = sentence(competitor, &nodes);
        lines.push(format!("{sentence} (use {flags}--yes-despite-competitors)"));
    }
    lines
}

/// The hazards that do not forbid the plan, one line each.
fn waived(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    let of = |victim: &PlannedVictim| -> Vec<String> {
        let waived = victim.hazards.iter().filter(|h| counts(h, options) && is_waived(h, options));
        waived.map(|hazard| format!("{} {}", victim.pod.full_name(), hazard.text())).collect()
    };
    plan.victims.iter().flat_map(of).collect()
}

/// The budgets that the plan violates, deduplicated, ordered by name.
pub(super) fn violated(plan: &Plan) -> Vec<&BudgetUse> {
    let mut violated: Vec<&BudgetUse> = plan
        .victims
        .iter()
        .flat_map(|v| &v.budgets)
        .filter(|budget| budget.is_violated())
        .collect();
    violated.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    violated.dedup_by(|a, b| (&a.namespace, &a.name) == (&b.namespace, &b.name));
    violated
}

/// Why the plan is dangerous; empty if it is not.
pub(super) fn dangers(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    let mut dangers = Vec::new();
    if plan.victims.len() >= MANY {
        dangers.push(format!("{} pods are removed", plan.victims.len()));
    }
    if options.mode == Mode::Delete {
        for budget in violated(plan) {
            dangers.push(format!(
                "deletions violate PodDisruptionBudget {}/{}",
                budget.namespace, budget.name
            ));
        }
    }
    let system = plan.victims.iter().filter(|victim| victim.pod.namespace == SYSTEM);
    dangers.extend(
        system.map(|victim| format!("{} is in namespace {SYSTEM}", victim.pod.full_name())),
    );
    dangers.extend(waived(plan, options));
    dangers
}

#[cfg(test)]
mod tests;
