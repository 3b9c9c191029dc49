//! The permissions of a user.

use serde::{Deserialize, Serialize};

use crate::{ApiVersion, Text, kind};

/// `doctor`: what the commands may do on a cluster, and what is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Doctor {
    pub api_version: ApiVersion,
    pub kind: kind::Doctor,
    /// What it comes to, in one sentence.
    pub verdict: String,
    /// Version of this program.
    pub version: Text,
    pub connection: Connection,
    /// Why the cluster could not be asked; then there is no `server` and nothing is known of
    /// permissions.
    pub unreachable: Option<String>,
    pub server: Option<Server>,
    pub user: Option<User>,
    /// What works, by what it needs.
    pub abilities: Vec<Ability>,
    /// Every permission that something needs, with the server's answer; one entry for each use.
    pub permissions: Vec<Permission>,
    /// Roles with just what is missing.
    pub missing: Vec<Gap>,
    /// What to do next.
    pub hints: Vec<String>,
    /// What the server warned of.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorConnection"))]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    pub kubeconfig: Vec<String>,
    pub context: Option<String>,
    pub server: String,
    pub proxy: Option<String>,
    /// User entry of the kubeconfig.
    pub user: Option<String>,
    /// The user that is impersonated.
    pub acting_as: Option<String>,
    /// The namespace about which permissions to evict were asked; all if null.
    pub namespace: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorServer"))]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// `gitVersion`, if it says.
    pub version: Option<String>,
    /// Minor of the scheduler whose rules are used.
    pub rules: String,
    /// Whether these are those of the server's version.
    pub rules_are_exact: bool,
    /// `Ready`, `NotReady` or `Unknown`.
    pub health: Text,
    /// The checks that fail, or why it is not known.
    pub health_details: Vec<String>,
    /// How long it took to answer about its health.
    pub latency_millis: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorUser"))]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// As the server authenticated it; null if it does not say.
    pub name: Option<String>,
    pub groups: Vec<String>,
    /// Why it does not say.
    pub unknown: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorAbility"))]
#[serde(rename_all = "camelCase")]
pub struct Ability {
    /// `Read`, `SchedulerConfig`, `Evict`, `Record`, `Delete` or `Nominate`.
    pub name: Text,
    /// The commands and flags that it is.
    pub commands: Text,
    /// `Works`, `Partly`, `Unknown` or `No`.
    pub standing: Text,
    /// Why it does not work, or not wholly, in a clause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorPermission"))]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    /// The ability that needs it.
    pub ability: Text,
    pub verb: Text,
    pub group: Text,
    /// Plural, with the subresource behind a slash.
    pub resource: String,
    /// The namespace that was asked about; all if null.
    pub namespace: Option<String>,
    /// Whether the ability is none without it.
    pub essential: bool,
    /// `Allowed`, `Denied`, `Forbidden` (no further role helps), `Unknown` or `NotServed`.
    pub answer: Text,
    /// The authorizer's reason, or why it is not known.
    pub reason: String,
    /// What is lost without it.
    pub without: Text,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorGap"))]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// The ClusterRole of deploy/rbac.yaml that it is a part of.
    pub part_of: Text,
    pub name: String,
    pub rules: Vec<Rule>,
    /// The ClusterRole as YAML.
    pub manifest: String,
    /// The command that binds it.
    pub binding: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DoctorRule"))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub api_groups: [Text; 1],
    pub resources: Vec<String>,
    pub verbs: Vec<Text>,
}
