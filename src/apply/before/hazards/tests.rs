use super::*;
use engine::decision::competitors::{
    Competitor, CompetitorCertainty, CompetitorReason, Competitors,
};
use engine::simulation::plan::{Afterwards, Placement, PlanPreemptor, PodId, PreemptorId};

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
    let pod = PodId { namespace: "a".to_owned(), name: "web".to_owned(), uid: "u-web".to_owned() };
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
    let violating = plan(vec![victim("a", "b", Vec::new(), -1), victim("a", "c", Vec::new(), -2)]);
    assert_eq!(dangers(&violating, &plain), [""; 0], "the server keeps budgets");
    let delete = ApplyOptions { mode: Mode::Delete, ..ApplyOptions::default() };
    assert_eq!(dangers(&violating, &delete), ["deletions violate PodDisruptionBudget a/guard"]);
    let system = plan(vec![victim("kube-system", "dns", Vec::new(), 0)]);
    assert_eq!(dangers(&system, &plain), ["kube-system/dns is in namespace kube-system"]);
    let forced = plan(vec![victim("a", "b", vec![Hazard::Bare], 0)]);
    let force = ApplyOptions { force: true, ..ApplyOptions::default() };
    assert_eq!(dangers(&forced, &force), ["a/b has no controller: it is not recreated"]);
}
