//! The report as JSON. The comments on its fields are the descriptions in the published schema.

use schemars::JsonSchema;
use serde::Serialize;

use super::report::{ClusterReport, Finding, MissingRole, Report};
use super::requirement::{Ability, Requirement, Weight};
use crate::api::server_info::{Health, Identity};
use engine::snapshot::API_VERSION;

/// What the commands may do on a cluster, and what is missing.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Doctor")]
pub struct JsonDoctor {
    api_version: &'static str,
    kind: &'static str,
    /// What it comes to, in one sentence.
    verdict: String,
    /// Version of this program.
    version: &'static str,
    connection: JsonConnection,
    /// Why the cluster could not be asked; then there is no `server` and nothing is known of permissions.
    unreachable: Option<String>,
    server: Option<JsonServer>,
    user: Option<JsonUser>,
    /// What works, by what it needs.
    abilities: Vec<JsonAbility>,
    /// Every permission that something needs, with the server's answer; one entry for each use.
    permissions: Vec<JsonPermission>,
    /// Roles with just what is missing.
    missing: Vec<JsonGap>,
    /// What to do next.
    hints: Vec<String>,
    /// What the server warned of.
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorConnection")]
struct JsonConnection {
    kubeconfig: Vec<String>,
    context: Option<String>,
    server: String,
    proxy: Option<String>,
    /// User entry of the kubeconfig.
    user: Option<String>,
    /// The user that is impersonated.
    acting_as: Option<String>,
    /// The namespace about which permissions to evict were asked; all if null.
    namespace: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorServer")]
struct JsonServer {
    /// `gitVersion`, if it says.
    version: Option<String>,
    /// Minor of the scheduler whose rules are used.
    rules: String,
    /// Whether these are those of the server's version.
    rules_are_exact: bool,
    /// `Ready`, `NotReady` or `Unknown`.
    health: &'static str,
    /// The checks that fail, or why it is not known.
    health_details: Vec<String>,
    /// How long it took to answer about its health.
    latency_millis: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorUser")]
struct JsonUser {
    /// As the server authenticated it; null if it does not say.
    name: Option<String>,
    groups: Vec<String>,
    /// Why it does not say.
    unknown: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorAbility")]
struct JsonAbility {
    /// `Read`, `SchedulerConfig`, `Evict`, `Record`, `Delete` or `Nominate`.
    name: &'static str,
    /// The commands and flags that it is.
    commands: &'static str,
    /// `Works`, `Partly`, `Unknown` or `No`.
    standing: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorPermission")]
struct JsonPermission {
    /// The ability that needs it.
    ability: &'static str,
    verb: &'static str,
    group: &'static str,
    /// Plural, with the subresource behind a slash.
    resource: String,
    /// The namespace that was asked about; all if null.
    namespace: Option<String>,
    /// Whether the ability is none without it.
    essential: bool,
    /// `Allowed`, `Denied`, `Forbidden` (no further role helps), `Unknown` or `NotServed`.
    answer: &'static str,
    /// The authorizer's reason, or why it is not known.
    reason: String,
    /// What is lost without it.
    without: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorGap")]
struct JsonGap {
    /// The ClusterRole of deploy/rbac.yaml that it is a part of.
    part_of: &'static str,
    name: String,
    rules: Vec<JsonRule>,
    /// The ClusterRole as YAML.
    manifest: String,
    /// The command that binds it.
    binding: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DoctorRule")]
struct JsonRule {
    api_groups: [&'static str; 1],
    resources: Vec<String>,
    verbs: Vec<&'static str>,
}

impl JsonDoctor {
    /// The JSON of `report`.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        let cluster = report.cluster.as_ref().ok();
        let connection = &report.connection;
        let victims = connection.namespace.as_deref();
        Self {
            api_version: API_VERSION,
            kind: "Doctor",
            verdict: report.verdict(),
            version: report.version,
            connection: JsonConnection {
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
                .map(|cluster| cluster.findings().iter().map(|finding| permission(finding, victims)).collect())
                .unwrap_or_default(),
            missing: cluster
                .map(|cluster| cluster.missing_roles(victims).iter().map(missing_role).collect())
                .unwrap_or_default(),
            hints: report.hints(),
            warnings: cluster.map(|cluster| cluster.warnings.clone()).unwrap_or_default(),
        }
    }
}

fn server(cluster: &ClusterReport) -> JsonServer {
    let (health, health_details) = match &cluster.health {
        Health::Ready => ("Ready", Vec::new()),
        Health::NotReady(checks) => ("NotReady", checks.clone()),
        Health::Unknown(why) => ("Unknown", vec![why.clone()]),
    };
    JsonServer {
        version: cluster.version.clone(),
        rules: cluster.rules.minor.clone(),
        rules_are_exact: cluster.rules.exact,
        health,
        health_details,
        latency_millis: cluster.millis,
    }
}

fn user(cluster: &ClusterReport) -> JsonUser {
    match &cluster.identity {
        Identity::Known { user, groups, .. } => {
            JsonUser { name: Some(user.clone()), groups: groups.clone(), unknown: None }
        }
        Identity::Unknown(why) => JsonUser { name: None, groups: Vec::new(), unknown: Some(why.clone()) },
    }
}

fn abilities(cluster: &ClusterReport) -> Vec<JsonAbility> {
    let one = |ability: Ability| JsonAbility {
        name: ability.name(),
        commands: ability.commands(),
        standing: cluster.availability(ability).name(),
    };
    Ability::ALL.map(one).into()
}

fn permission(finding: &Finding, victims: Option<&str>) -> JsonPermission {
    let Requirement { ability, permission, weight, without } = finding.requirement;
    JsonPermission {
        ability: ability.name(),
        verb: permission.verb,
        group: permission.group,
        resource: permission.rule_resource(),
        namespace: ability.role().namespace(victims).map(str::to_owned),
        essential: weight == Weight::Essential,
        answer: finding.answer.name(),
        reason: finding.answer.reason().to_owned(),
        without,
    }
}

fn missing_role(missing: &MissingRole) -> JsonGap {
    JsonGap {
        part_of: missing.role.name(),
        name: missing.name.clone(),
        rules: missing
            .rules
            .iter()
            .map(|rule| JsonRule {
                api_groups: [rule.group],
                resources: rule.resources.clone(),
                verbs: rule.verbs.clone(),
            })
            .collect(),
        manifest: missing.yaml(),
        binding: missing.binding.clone(),
    }
}
