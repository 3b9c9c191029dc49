//! The verdict in one sentence, and the next actions.

use super::availability::Availability;
use super::report::{ClusterReport, DoctorReport, PermissionFinding};
use super::requirement::{Ability, Role};
use crate::api::access::AccessDecision;
use crate::api::server_info::ServerHealth;
use crate::program;

impl DoctorReport {
    /// The verdict in one sentence.
    pub fn verdict(&self) -> String {
        match &self.cluster {
            Err(unreachable) => format!("Nothing works: {}", unreachable.problem),
            Ok(cluster) => format!(
                "{}{}",
                reading(cluster),
                applying(cluster, self.connection.namespace.as_deref())
            ),
        }
    }

    /// Whether every command that reads works.
    pub fn is_well(&self) -> bool {
        self.cluster.as_ref().is_ok_and(|cluster| {
            cluster.availability(Ability::Read) == Availability::Works
                && !matches!(cluster.health, ServerHealth::NotReady(_))
        })
    }

    /// The next actions, the most urgent first.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        match &self.cluster {
            Err(unreachable) => hints.extend(unreachable.hint.clone()),
            Ok(cluster) => cluster_hints(cluster, self.connection.namespace.as_deref(), &mut hints),
        }
        hints.extend(self.cautions.iter().cloned());
        hints
    }
}

fn reading(cluster: &ClusterReport) -> String {
    let findings = cluster.findings();
    let lists = || findings.iter().filter(|f| f.requirement.ability == Ability::Read);
    let (denied, total) = (lists().filter(|f| f.is_met() == Some(false)).count(), lists().count());
    match cluster.availability(Ability::Read) {
        Availability::Works => "Every command that reads works".to_owned(),
        Availability::Partly => format!(
            "Read commands partly work: you cannot list {denied} of {total} types; answers that depend on them are marked \
             (exit code 3)"
        ),
        Availability::Unknown => {
            "The server does not say whether everything that the commands read may be listed"
                .to_owned()
        }
        Availability::No => {
            "Nothing can be read: nodes and pods of all namespaces must be listed".to_owned()
        }
    }
}

fn applying(cluster: &ClusterReport, namespace: Option<&str>) -> String {
    let place = namespace.map_or("all namespaces".to_owned(), |n| format!("namespace {n}"));
    match (cluster.availability(Ability::Evict), cluster.availability(Ability::Read)) {
        (_, Availability::No) => ".".to_owned(),
        (Availability::Works | Availability::Partly, _) => {
            format!("; simulate --apply may evict pods of {place}.")
        }
        (Availability::Unknown, _) => {
            format!("; it does not say whether simulate --apply may evict pods of {place}.")
        }
        (Availability::No, _) => format!("; simulate --apply may not evict pods of {place}."),
    }
}

fn cluster_hints(cluster: &ClusterReport, namespace: Option<&str>, hints: &mut Vec<String>) {
    let findings = cluster.findings();
    let any = |answer: fn(&AccessDecision) -> bool| {
        findings.iter().find(|f: &&PermissionFinding| answer(f.answer))
    };
    if matches!(cluster.health, ServerHealth::NotReady(_)) {
        hints.push(
            "the server is not ready: kubectl get --raw '/readyz?verbose' shows why".to_owned(),
        );
    }
    if cluster.availability(Ability::Read) != Availability::Works {
        hints.push(
            format!(
                "without these permissions, use --from FILE with a file that somebody else saved with {}",
                program::command("snapshot")
            ),
        );
    }
    if cluster.availability(Ability::Evict) == Availability::No && namespace.is_none() {
        hints.push(format!(
            "you may be allowed to evict pods of one namespace: {}",
            program::command("doctor -n NAMESPACE")
        ));
    }
    if let Some(finding) = any(|a| matches!(a, AccessDecision::Forbidden(_))) {
        let text = format!(
            "an authorizer forbids {}: no further role helps",
            finding.requirement.permission
        );
        hints.push(text);
    }
    if any(|a| matches!(a, AccessDecision::Unknown(_))).is_some() {
        hints.push(format!(
            "where the server does not say, try {}: it names what it could not read",
            program::command("explain")
        ));
    }
    let optional = [Role::ApplierExtra, Role::SchedulerConfig];
    if cluster.missing_roles(namespace).iter().any(|missing| optional.contains(&missing.role)) {
        hints.push(program::command(
            "doctor -o wide shows every permission, --rbac prints all roles",
        ));
    }
}
