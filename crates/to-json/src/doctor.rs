//! The report as JSON.

use json::doctor::{
    Ability as JsonAbility, Connection, Doctor, Gap, Permission, Rule, Server, User,
};
use json::{ApiVersion, Text, kind};

use answers::doctor::access::{Identity, ServerHealth};
use answers::doctor::requirement::{Ability, Necessity, PermissionRequirement};
use answers::doctor::{ClusterReport, DoctorReport, MissingRole, PermissionFinding};

/// The JSON of `report`.
pub fn doctor(report: &DoctorReport) -> Doctor {
    let cluster = report.cluster.as_ref().ok();
    let connection = &report.connection;
    let victims = connection.namespace.as_deref();
    Doctor {
        api_version: ApiVersion::default(),
        kind: kind::Doctor::default(),
        verdict: report.verdict(),
        version: report.version.into(),
        connection: Connection {
            kubeconfig: connection.kubeconfig.clone(),
            context: connection.context.clone(),
            server: connection.server.clone(),
            proxy: connection.proxy.clone(),
            user: connection.user.clone(),
            acting_as: connection.acting_as.clone(),
            namespace: connection.namespace.clone(),
        },
        unreachable: report.cluster.as_ref().err().map(|e| e.problem.clone()),
        server: cluster.map(server),
        user: cluster.map(user),
        abilities: cluster.map(abilities).unwrap_or_default(),
        permissions: cluster
            .map(|cluster| {
                cluster.findings().iter().map(|finding| permission(finding, victims)).collect()
            })
            .unwrap_or_default(),
        missing: cluster
            .map(|cluster| cluster.missing_roles(victims).iter().map(missing_role).collect())
            .unwrap_or_default(),
        hints: report.hints(),
        warnings: cluster.map(|cluster| cluster.warnings.clone()).unwrap_or_default(),
    }
}

fn server(cluster: &ClusterReport) -> Server {
    let (health, health_details) = match &cluster.health {
        ServerHealth::Ready => ("Ready", Vec::new()),
        ServerHealth::NotReady(checks) => ("NotReady", checks.clone()),
        ServerHealth::Unknown(why) => ("Unknown", vec![why.clone()]),
    };
    Server {
        version: cluster.version.clone(),
        rules: cluster.rules.minor.clone(),
        rules_are_exact: cluster.rules.exact,
        health: health.into(),
        health_details,
        latency_millis: cluster.millis,
    }
}

fn user(cluster: &ClusterReport) -> User {
    match &cluster.identity {
        Identity::Known { user, groups, .. } => {
            User { name: Some(user.clone()), groups: groups.clone(), unknown: None }
        }
        Identity::Unknown(why) => {
            User { name: None, groups: Vec::new(), unknown: Some(why.clone()) }
        }
    }
}

fn abilities(cluster: &ClusterReport) -> Vec<JsonAbility> {
    let one = |ability: Ability| JsonAbility {
        name: ability.name().into(),
        commands: ability.commands().into(),
        standing: cluster.availability(ability).name().into(),
        why: cluster.why(ability),
    };
    Ability::ALL.map(one).into()
}

fn permission(finding: &PermissionFinding, victims: Option<&str>) -> Permission {
    let PermissionRequirement { ability, permission, weight, without } = finding.requirement;
    Permission {
        ability: ability.name().into(),
        verb: permission.verb.into(),
        group: permission.group.into(),
        resource: permission.rule_resource(),
        namespace: ability.role().namespace(victims).map(str::to_owned),
        essential: weight == Necessity::Essential,
        answer: finding.answer.name().into(),
        reason: finding.answer.reason().to_owned(),
        without: without.into(),
    }
}

fn missing_role(missing: &MissingRole) -> Gap {
    Gap {
        part_of: missing.role.name().into(),
        name: missing.name.clone(),
        rules: missing
            .rules
            .iter()
            .map(|rule| Rule {
                api_groups: [rule.group.into()],
                resources: rule.resources.clone(),
                verbs: rule.verbs.iter().map(|verb| Text::from(*verb)).collect(),
            })
            .collect(),
        manifest: missing.yaml(),
        binding: missing.binding.clone(),
    }
}
