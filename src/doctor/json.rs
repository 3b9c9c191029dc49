//! What `kubectl preempt doctor` found out, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::doctor::report::{Finding, Gap, Health, Identity, Report, Told};
use crate::doctor::requirement::{Ability, Requirement, Weight};
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
    /// Whom the user is made to act as.
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
    /// The output type of a report.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        let told = report.cluster.as_ref().ok();
        let place = &report.place;
        let victims = place.namespace.as_deref();
        Self {
            api_version: API_VERSION,
            kind: "Doctor",
            verdict: report.verdict(),
            version: report.version,
            connection: JsonConnection {
                kubeconfig: place.kubeconfig.clone(),
                context: place.context.clone(),
                server: place.server.clone(),
                proxy: place.proxy.clone(),
                user: place.user.clone(),
                acting_as: place.acting_as.clone(),
                namespace: place.namespace.clone(),
            },
            unreachable: report.cluster.as_ref().err().map(|e| e.problem.clone()),
            server: told.map(server),
            user: told.map(user),
            abilities: told.map(abilities).unwrap_or_default(),
            permissions: told
                .map(|told| told.findings().iter().map(|finding| permission(finding, victims)).collect())
                .unwrap_or_default(),
            missing: told.map(|told| told.gaps(victims).iter().map(gap).collect()).unwrap_or_default(),
            hints: report.hints(),
            warnings: told.map(|told| told.warnings.clone()).unwrap_or_default(),
        }
    }
}

fn server(told: &Told) -> JsonServer {
    let (health, health_details) = match &told.health {
        Health::Ready => ("Ready", Vec::new()),
        Health::NotReady(checks) => ("NotReady", checks.clone()),
        Health::Unknown(why) => ("Unknown", vec![why.clone()]),
    };
    JsonServer {
        version: told.version.clone(),
        rules: told.rules.minor.clone(),
        rules_are_exact: told.rules.exact,
        health,
        health_details,
        latency_millis: told.millis,
    }
}

fn user(told: &Told) -> JsonUser {
    match &told.identity {
        Identity::Known { user, groups, .. } => {
            JsonUser { name: Some(user.clone()), groups: groups.clone(), unknown: None }
        }
        Identity::Unknown(why) => JsonUser { name: None, groups: Vec::new(), unknown: Some(why.clone()) },
    }
}

fn abilities(told: &Told) -> Vec<JsonAbility> {
    let one = |ability: Ability| JsonAbility {
        name: ability.name(),
        commands: ability.commands(),
        standing: told.standing(ability).name(),
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
        namespace: ability.role().place(victims).map(str::to_owned),
        essential: weight == Weight::Essential,
        answer: finding.answer.name(),
        reason: finding.answer.reason().to_owned(),
        without,
    }
}

fn gap(gap: &Gap) -> JsonGap {
    JsonGap {
        part_of: gap.role.name(),
        name: gap.name.clone(),
        rules: gap
            .rules
            .iter()
            .map(|rule| JsonRule {
                api_groups: [rule.group],
                resources: rule.resources.clone(),
                verbs: rule.verbs.clone(),
            })
            .collect(),
        manifest: gap.yaml(),
        binding: gap.binding.clone(),
    }
}
