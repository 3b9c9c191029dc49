//! Checks the hazards of a plan. Some victims are removed only with a flag of the user, and some
//! plans are dangerous.

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::options::{ApplyOptions, Mode};
use answers::commands::flag_of;
use answers::competition::sentence;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{BudgetUse, Plan};

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
    let mut lines = Vec::new();
    for victim in &plan.victims {
        let waived = victim.hazards.iter().filter(|h| counts(h, options) && is_waived(h, options));
        lines.extend(waived.map(|hazard| format!("{} {}", victim.pod.full_name(), hazard.text())));
    }
    lines
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
            dangers.push(format!("deletions violate PodDisruptionBudget {}", budget.full_name()));
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
mod tests {
    use super::*;
    use engine::decision::competitors::{
        Competitor, CompetitorCertainty, CompetitorReason, Competitors,
    };
    use engine::simulation::plan::{
        Afterwards, Placement, PlanPreemptor, PlannedVictim, PodId, PreemptorId,
    };

    fn victim(namespace: &str, name: &str, hazards: Vec<Hazard>, after: i64) -> PlannedVictim {
        PlannedVictim {
            pod: PodId {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                uid: format!("u-{name}"),
            },
            resource_version: "1".to_owned(),
            node: "n1".to_owned(),
            priority: 0,
            grace_seconds: 30,
            terminating_until: None,
            owners: Vec::new(),
            budgets: vec![BudgetUse {
                namespace: namespace.to_owned(),
                name: "guard".to_owned(),
                before: after + 1,
                after,
            }],
            hazards,
            afterwards: Afterwards::Unknown,
        }
    }

    fn plan(victims: Vec<PlannedVictim>) -> Plan {
        let pod =
            PodId { namespace: "a".to_owned(), name: "web".to_owned(), uid: "u-web".to_owned() };
        let placed = vec![Placement { pod: pod.clone(), node: "n1".to_owned() }];
        let scheduler = "default-scheduler".to_owned();
        let preemptor = PlanPreemptor { id: PreemptorId::Pod(pod), priority: 100, scheduler };
        Plan { preemptor, placed, tied: Vec::new(), victims, competitors: Competitors::default() }
    }

    #[test]
    fn each_hazard_has_its_flag() {
        let plain = ApplyOptions::default();
        let force = ApplyOptions { force: true, ..ApplyOptions::default() };
        let data = ApplyOptions { delete_emptydir_data: true, ..ApplyOptions::default() };
        let delete = ApplyOptions { mode: Mode::Delete, ..ApplyOptions::default() };
        for (hazard, waived_by) in [
            (Hazard::Mirror, &force),
            (Hazard::Bare, &force),
            (Hazard::EmptyDir, &data),
            (Hazard::SystemCritical("system-node-critical".to_owned()), &force),
            (Hazard::PriorityNotLower, &force),
            (Hazard::Stuck, &force),
            (Hazard::OtherScheduler("mine".to_owned()), &force),
            (Hazard::SeveralBudgets, &delete),
        ] {
            let plan = plan(vec![victim("a", "b", vec![hazard.clone()], 0)]);
            for options in [&plain, &force, &data, &delete] {
                let refused = !refusals(&plan, options).is_empty();
                assert_eq!(refused, !std::ptr::eq(options, waived_by), "{hazard:?} {options:?}");
                let told = !refused && hazard != Hazard::SeveralBudgets;
                assert_eq!(!waived(&plan, options).is_empty(), told, "{hazard:?}");
            }
        }
        let back = plan(vec![victim("a", "b", vec![Hazard::ComesBack], 0)]);
        assert!(refusals(&back, &plain).is_empty() && waived(&back, &plain).len() == 1);
    }

    #[test]
    fn competitors_forbid_the_plan_unless_a_nomination_or_the_flag_waives_them() {
        let competitor = |reason| Competitor {
            namespace: "a".to_owned(),
            name: "king".to_owned(),
            uid: "u-king".to_owned(),
            priority: 5000,
            scheduler: "default-scheduler".to_owned(),
            reason,
            certainty: CompetitorCertainty::MayTake,
        };
        let plain = ApplyOptions::default();
        let nominate = ApplyOptions { nominate: true, ..ApplyOptions::default() };
        let despite = ApplyOptions { yes_despite_competitors: true, ..ApplyOptions::default() };
        for (reason, refused) in [
            (CompetitorReason::HigherPriority, [true, true, false]),
            (CompetitorReason::OtherScheduler, [true, true, false]),
            (CompetitorReason::EqualPriority, [true, false, false]),
            (CompetitorReason::NothingHeld, [true, false, false]),
            (CompetitorReason::Replica, [false, false, false]),
        ] {
            let competitors = Competitors { named: vec![competitor(reason)], total: 1 };
            let plan = Plan { competitors, ..plan(Vec::new()) };
            let found = [&plain, &nominate, &despite].map(|o| !refusals(&plan, o).is_empty());
            assert_eq!(found, refused, "{reason:?}");
        }
    }

    #[test]
    fn killing_at_once_needs_force() {
        let none = plan(Vec::new());
        let kill = ApplyOptions { grace_period: Some(0), ..ApplyOptions::default() };
        assert_eq!(refusals(&none, &kill).len(), 1);
        assert_eq!(refusals(&none, &ApplyOptions { force: true, ..kill }).len(), 0);
    }

    #[test]
    fn dangers_are_named() {
        let plain = ApplyOptions::default();
        let few = plan(vec![victim("a", "b", Vec::new(), 0); 4]);
        assert_eq!(dangers(&few, &plain), [""; 0]);
        let many = plan(vec![victim("a", "b", Vec::new(), 0); 5]);
        assert_eq!(dangers(&many, &plain), ["5 pods are removed"]);
        let violating =
            plan(vec![victim("a", "b", Vec::new(), -1), victim("a", "c", Vec::new(), -2)]);
        assert_eq!(dangers(&violating, &plain), [""; 0], "the server keeps budgets");
        let delete = ApplyOptions { mode: Mode::Delete, ..ApplyOptions::default() };
        assert_eq!(dangers(&violating, &delete), ["deletions violate PodDisruptionBudget a/guard"]);
        let system = plan(vec![victim("kube-system", "dns", Vec::new(), 0)]);
        assert_eq!(dangers(&system, &plain), ["kube-system/dns is in namespace kube-system"]);
        let forced = plan(vec![victim("a", "b", vec![Hazard::Bare], 0)]);
        let force = ApplyOptions { force: true, ..ApplyOptions::default() };
        assert_eq!(dangers(&forced, &force), ["a/b has no controller: it is not recreated"]);
    }
}
