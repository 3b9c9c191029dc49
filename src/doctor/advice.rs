//! The verdict in one sentence, and what to do next.

use super::ability::Standing;
use super::permission::Answer;
use super::report::{Finding, Health, Report, Told};
use super::requirement::{Ability, Role};

impl Report {
    /// What it comes to, in one sentence.
    #[must_use]
    pub fn verdict(&self) -> String {
        match &self.cluster {
            Err(unreachable) => format!("Nothing works: {}", unreachable.problem),
            Ok(told) => format!("{}{}", reading(told), applying(told, self.place.namespace.as_deref())),
        }
    }

    /// Whether all is well for the commands that read.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.cluster.as_ref().is_ok_and(|told| {
            told.standing(Ability::Read) == Standing::Works && !matches!(told.health, Health::NotReady(_))
        })
    }

    /// What to do next, the most urgent first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        match &self.cluster {
            Err(unreachable) => hints.extend(unreachable.hint.clone()),
            Ok(told) => of_cluster(told, self.place.namespace.as_deref(), &mut hints),
        }
        hints.extend(self.cautions.iter().cloned());
        hints
    }
}

fn reading(told: &Told) -> String {
    let findings = told.findings();
    let lists = || findings.iter().filter(|f| f.requirement.ability == Ability::Read);
    let (denied, total) = (lists().filter(|f| f.is_met() == Some(false)).count(), lists().count());
    match told.standing(Ability::Read) {
        Standing::Works => "Every command that reads works".to_owned(),
        Standing::Partly => format!(
            "Commands that read work in part: {denied} of {total} kinds may not be listed, and answers that hang on them \
             are marked (exit code 3)"
        ),
        Standing::Unknown => "The server does not say whether all may be listed that commands read".to_owned(),
        Standing::No => "Nothing can be read: nodes and pods of all namespaces must be listed".to_owned(),
    }
}

fn applying(told: &Told, namespace: Option<&str>) -> String {
    let place = namespace.map_or("all namespaces".to_owned(), |n| format!("namespace {n}"));
    match (told.standing(Ability::Evict), told.standing(Ability::Read)) {
        (_, Standing::No) => ".".to_owned(),
        (Standing::Works | Standing::Partly, _) => format!("; simulate --apply may evict pods of {place}."),
        (Standing::Unknown, _) => format!("; it does not say whether simulate --apply may evict pods of {place}."),
        (Standing::No, _) => format!("; simulate --apply may not evict pods of {place}."),
    }
}

fn of_cluster(told: &Told, namespace: Option<&str>, hints: &mut Vec<String>) {
    let findings = told.findings();
    let any = |answer: fn(&Answer) -> bool| findings.iter().find(|f: &&Finding| answer(f.answer));
    if matches!(told.health, Health::NotReady(_)) {
        hints.push("the server is not ready: kubectl get --raw '/readyz?verbose' shows why".to_owned());
    }
    if told.standing(Ability::Read) != Standing::Works {
        hints.push(
            "without these permissions: --from FILE reads what somebody who has them saved with kubectl preempt snapshot"
                .to_owned(),
        );
    }
    if told.standing(Ability::Evict) == Standing::No && namespace.is_none() {
        hints.push("evicting may be allowed in single namespaces: kubectl preempt doctor -n NAMESPACE".to_owned());
    }
    if let Some(finding) = any(|a| matches!(a, Answer::Forbidden(_))) {
        let text = format!("an authorizer forbids {}: no further role helps", finding.requirement.permission);
        hints.push(text);
    }
    if any(|a| matches!(a, Answer::Unknown(_))).is_some() {
        let text = "where the server does not say, try: kubectl preempt explain names what it could not read";
        hints.push(text.to_owned());
    }
    let optional = [Role::ApplierExtra, Role::SchedulerConfig];
    if told.gaps(namespace).iter().any(|gap| optional.contains(&gap.role)) {
        hints.push("kubectl preempt doctor -o wide shows every permission, --rbac prints all roles".to_owned());
    }
}
