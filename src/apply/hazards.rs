//! Which victims are not touched without the user's word for it, and which plans are dangerous.

use super::{ApplyOptions, Mode};
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{BudgetUse, Plan, PlannedVictim};

/// From this many victims on a plan is dangerous.
const MANY: usize = 5;
/// What lives here keeps the cluster running.
const SYSTEM: &str = "kube-system";

/// Whether a hazard is one in this mode: a deletion does not ask budgets.
fn counts(hazard: &Hazard, options: &ApplyOptions) -> bool {
    options.mode == Mode::Evict || *hazard != Hazard::SeveralBudgets
}

/// Whether the user has said that it does not matter.
fn is_waived(hazard: &Hazard, options: &ApplyOptions) -> bool {
    match hazard {
        Hazard::EmptyDir => options.delete_emptydir_data,
        // No word of the user makes the server accept such an eviction.
        Hazard::SeveralBudgets => false,
        // Only told.
        Hazard::ComesBack => true,
        Hazard::Mirror
        | Hazard::Bare
        | Hazard::SystemCritical(_)
        | Hazard::PriorityNotLower
        | Hazard::Stuck
        | Hazard::OtherScheduler(_) => options.force,
    }
}

/// What forbids the plan, one line each, with the flag that waives it.
pub(super) fn refusals(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    let mut lines = Vec::new();
    for victim in &plan.victims {
        for hazard in victim.hazards.iter().filter(|h| counts(h, options) && !is_waived(h, options)) {
            let flag = if *hazard == Hazard::SeveralBudgets { Some("--mode=delete") } else { hazard.waived_by() };
            let way_out = flag.map_or_else(String::new, |flag| format!(" (use {flag})"));
            lines.push(format!("{} {}{way_out}", victim.pod.full_name(), hazard.text()));
        }
    }
    if options.grace_period == Some(0) && !options.force {
        lines.push("--grace-period=0 kills without asking to stop (use --force)".to_owned());
    }
    lines
}

/// Hazards that do not stop it, one line each.
pub(super) fn waived(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    let of = |victim: &PlannedVictim| -> Vec<String> {
        let waived = victim.hazards.iter().filter(|h| counts(h, options) && is_waived(h, options));
        waived.map(|hazard| format!("{} {}", victim.pod.full_name(), hazard.text())).collect()
    };
    plan.victims.iter().flat_map(of).collect()
}

/// The budgets that the plan violates, each once, by name.
pub(super) fn violated(plan: &Plan) -> Vec<&BudgetUse> {
    let mut violated: Vec<&BudgetUse> =
        plan.victims.iter().flat_map(|v| &v.budgets).filter(|budget| budget.is_violated()).collect();
    violated.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    violated.dedup_by(|a, b| (&a.namespace, &a.name) == (&b.namespace, &b.name));
    violated
}

/// Why the plan is dangerous; nothing if it is not.
pub(super) fn dangers(plan: &Plan, options: &ApplyOptions) -> Vec<String> {
    let mut dangers = Vec::new();
    if plan.victims.len() >= MANY {
        dangers.push(format!("{} pods have to go", plan.victims.len()));
    }
    for budget in violated(plan) {
        dangers.push(format!("PodDisruptionBudget {}/{} is violated", budget.namespace, budget.name));
    }
    let system = plan.victims.iter().filter(|victim| victim.pod.namespace == SYSTEM);
    dangers.extend(system.map(|victim| format!("{} is in namespace {SYSTEM}", victim.pod.full_name())));
    dangers.extend(waived(plan, options));
    dangers
}

#[cfg(test)]
mod tests;
