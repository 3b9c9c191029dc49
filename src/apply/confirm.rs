//! Checks that the plan is still valid, and asks the user to confirm it.
//!
//! The cluster is read and the complete decision is made again: before the confirmation it must
//! give the same plan, and afterwards a plan for the same nodes. A harmless plan requires a `y`; a
//! dangerous one requires the name of the context.

use crate::apply::executor::{Executor, PlanChange, StepResult, StopReason, between_plans};
use crate::apply::hazards;
use crate::apply::journal::JournalEvent;
use crate::apply::options::Mode;
use crate::apply::planner::PreemptorStatus;
use engine::simulation::plan::{BudgetUse, Placement, Plan, PodId};

/// Returns `None` if the plan is valid, else the status of a preemptor that needs no removal.
pub(in crate::apply) async fn check(
    executor: &mut Executor<'_>,
) -> StepResult<Option<PreemptorStatus>> {
    let plan = match plan_anew(executor).await? {
        Ok(plan) if plan.victims.is_empty() => {
            return Ok(Some(PreemptorStatus::Fits(
                plan.nodes().into_iter().map(str::to_owned).collect(),
            )));
        }
        Ok(plan) => plan,
        Err(status) => return Ok(Some(status)),
    };
    if !executor.plan.is_same(&plan) {
        return Err(StopReason::PlanChanged(between_plans(&executor.plan, &plan)));
    }
    check_still_confirmed(executor, &plan)?;
    // The user was shown this order of the victims.
    let order: Vec<PodId> = executor.plan.victims.iter().map(|victim| victim.pod.clone()).collect();
    executor.plan = *plan;
    executor.plan.victims.sort_by_key(|victim| order.iter().position(|pod| *pod == victim.pod));
    Ok(None)
}

/// Checks that the scheduler would still select the nodes that the user confirmed. Which victims
/// are still needed is decided before each removal. Returns `None` if so, else the status of a
/// preemptor that needs no removal.
pub(in crate::apply) async fn check_node(
    executor: &mut Executor<'_>,
) -> StepResult<Option<PreemptorStatus>> {
    let plan = match plan_anew(executor).await? {
        Ok(plan) => plan,
        Err(status) => return Ok(Some(status)),
    };
    let agreed = &executor.plan.placed;
    let ties = |placement: &Placement| plan.tied.contains(&placement.node);
    if plan.placed != *agreed && !agreed.iter().all(ties) {
        return Err(StopReason::PlanChanged(between_plans(&executor.plan, &plan)));
    }
    if executor.plan.is_same(&plan) {
        check_still_confirmed(executor, &plan)?;
        // The scheduler places a pod group in a cluster without any pod of lower priority, so its
        // plan may have more victims than necessary if all others stay.
        if plan.preemptor.id.pod().is_some() {
            executor.confirm_plan();
        }
    }
    Ok(None)
}

async fn plan_anew(executor: &mut Executor<'_>) -> StepResult<Result<Box<Plan>, PreemptorStatus>> {
    let preemptor = executor.plan.preemptor.id.clone();
    executor.decide_plan(move |planner| planner.plan(&preemptor)).await
}

/// Asks, unless `--yes` is set, and records the confirmation.
pub(in crate::apply) async fn confirm(executor: &mut Executor<'_>) -> StepResult<()> {
    let dangers = hazards::dangers(&executor.plan, &executor.session.options);
    let unreserved = executor.session.options.unreserved();
    let warnings: Vec<&str> = dangers.iter().chain(&unreserved).map(String::as_str).collect();
    announce(executor, &warnings);
    if let Some(text) = unreserved {
        executor.record(JournalEvent::Warned(text));
    }
    if !executor.session.options.yes {
        ask_once(executor, &dangers).await?;
    }
    let violated_budgets =
        hazards::violated(&executor.plan).into_iter().map(BudgetUse::full_name).collect();
    executor.record(JournalEvent::Confirmed { violated_budgets });
    Ok(())
}

/// Checks that `plan`, which has the confirmed victims, is not more dangerous than the plan that
/// the user confirmed.
pub(in crate::apply) fn check_still_confirmed(
    executor: &Executor<'_>,
    plan: &Plan,
) -> StepResult<()> {
    let Some(confirmation) = executor.journal().confirmation() else { return Ok(()) };
    let options = &executor.session.options;
    let mut changes: Vec<PlanChange> =
        hazards::refusals(plan, options).into_iter().map(PlanChange::Hazard).collect();
    if options.mode == Mode::Delete {
        // The server does not check budgets in this mode.
        let violated = hazards::violated(plan).into_iter().map(BudgetUse::full_name);
        let new = violated.filter(|budget| !confirmation.violated_budgets.contains(budget));
        changes.extend(new.map(PlanChange::ViolatedBudget));
    }
    if changes.is_empty() { Ok(()) } else { Err(StopReason::PlanChanged(changes)) }
}

/// Checks that a confirmation is possible at all.
pub(in crate::apply) fn check_possible(executor: &Executor<'_>) -> StepResult<()> {
    let options = &executor.session.options;
    let violated = budgets_violated_by_deletion(executor);
    if options.yes && !violated.is_empty() && !options.force {
        return Err(StopReason::ForceRequired(violated));
    }
    if !options.yes && !executor.can_ask() {
        return Err(StopReason::CannotAsk);
    }
    Ok(())
}

/// The violated budgets that the server does not enforce.
fn budgets_violated_by_deletion(executor: &Executor<'_>) -> Vec<String> {
    match executor.session.options.mode {
        Mode::Delete => {
            hazards::violated(&executor.plan).into_iter().map(BudgetUse::full_name).collect()
        }
        Mode::Evict => Vec::new(),
    }
}

/// Asks once, below a list of the dangers.
async fn ask_once(executor: &mut Executor<'_>, dangers: &[String]) -> StepResult<()> {
    if dangers.is_empty() {
        return ask(executor, "Do you want to continue? (y/N): ", None).await;
    }
    let name = cluster_name(executor);
    let question = format!("This is dangerous. Type {name} to continue: ");
    ask(executor, &question, Some(&name)).await
}

/// Asks a question; `word` is the expected input, if it is not `y`.
async fn ask(executor: &mut Executor<'_>, question: &str, word: Option<&str>) -> StepResult<()> {
    let answer = executor.ask(question).await?;
    let answer = answer.trim();
    let agreed = match word {
        Some(word) => answer == word,
        None => answer.eq_ignore_ascii_case("y"),
    };
    if agreed { Ok(()) } else { Err(StopReason::Declined) }
}

/// The name of the context, else the address of the server.
fn cluster_name(executor: &Executor<'_>) -> String {
    let context = executor.journal().header().context.clone();
    context.unwrap_or_else(|| executor.session.reader.peer.server.clone())
}

/// Prints the planned removals in the form of `kubectl delete --interactive`.
fn announce(executor: &mut Executor<'_>, warnings: &[&str]) {
    let verb = executor.session.options.mode.name();
    let victims = executor.victims_to_remove();
    let id = &executor.plan.preemptor.id;
    let nodes = executor.plan.nodes();
    let alone = executor.plan.victims.iter().all(|victim| nodes == [victim.node.as_str()]);
    let from = if alone { format!(" from node {}", nodes.join(", ")) } else { String::new() };
    let mut lines = vec![format!(
        "You are about to {verb} the following {} pod(s){from} for {} {}:",
        victims.len(),
        id.resource(),
        id.full_name()
    )];
    // A victim that is already terminating is part of the plan, but not of what is confirmed.
    let planned = executor.plan.victims.iter().filter(|victim| victim.terminating_until.is_none());
    lines.extend(planned.map(|victim| {
        let on = if alone { String::new() } else { format!(" on node {}", victim.node) };
        format!("  pod/{} -n {}{on}", victim.pod.name, victim.pod.namespace)
    }));
    let terminating =
        executor.plan.victims.iter().filter(|victim| victim.terminating_until.is_some());
    lines.extend(terminating.map(|victim| {
        format!("  (pod/{} -n {} is terminating already)", victim.pod.name, victim.pod.namespace)
    }));
    if executor.session.options.mode == Mode::Evict {
        lines.extend(hazards::violated(&executor.plan).into_iter().map(|budget| {
            format!(
                "PodDisruptionBudget {} does not allow all of them now: evictions wait for it",
                budget.full_name()
            )
        }));
    }
    lines.extend(warnings.iter().map(|warning| format!("Warning: {warning}")));
    lines.push("This cannot be undone.".to_owned());
    for line in lines {
        executor.say_always(&line);
    }
}
