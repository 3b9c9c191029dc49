//! Who may create what, as RBAC has it, and the policies that look at it: kinds that no decision
//! reads. Only what says who can create pods is kept.

use serde::{Deserialize, Deserializer, Serialize};

/// The kinds: name, API group and plural.
pub const KINDS: [(&str, &str, &str); 5] = [
    ("Role", "rbac.authorization.k8s.io", "roles"),
    ("ClusterRole", "rbac.authorization.k8s.io", "clusterroles"),
    ("RoleBinding", "rbac.authorization.k8s.io", "rolebindings"),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io", "clusterrolebindings"),
    ("ValidatingAdmissionPolicy", "admissionregistration.k8s.io", "validatingadmissionpolicies"),
];

/// An object of one of these kinds.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AccessObject {
    pub kind: String,
    pub metadata: AccessName,
    /// Of a role.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub rules: Vec<AccessRule>,
    /// Of a binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_ref: Option<AccessName>,
    /// Of a binding.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub subjects: Vec<AccessName>,
    /// Of a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<PolicySpec>,
}

/// The name of such an object, and the kind of a role that a binding gives, or of who has it.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct AccessName {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    pub name: String,
}

/// What a role allows, or a policy looks at: verbs of the one, operations of the other.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AccessRule {
    #[serde(deserialize_with = "or_default")]
    pub api_groups: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub resources: Vec<String>,
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<String>,
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<String>,
}

/// What a policy looks at.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PolicySpec {
    pub match_constraints: MatchConstraints,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct MatchConstraints {
    #[serde(deserialize_with = "or_default")]
    pub resource_rules: Vec<AccessRule>,
}

/// Go reads null as the absence of a value.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    input: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

impl AccessObject {
    /// The object of this kind, of which `json` is the whole; `None` for another kind, and for one of
    /// the same name in another group.
    pub fn of(kind: &str, json: &str) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Versioned {
            api_version: String,
        }

        let (_, group, _) = KINDS.iter().find(|(name, ..)| *name == kind)?;
        let Versioned { api_version } = serde_json::from_str(json).ok()?;
        let (of_object, _) = api_version.split_once('/')?;
        if of_object == *group { Self::of_list(kind, json) } else { None }
    }

    /// An item of a list of this kind, which does not name it.
    pub fn of_list(kind: &str, json: &str) -> Option<Self> {
        let object: Self = serde_json::from_str(json).ok()?;
        Some(Self { kind: kind.to_owned(), ..object })
    }
}

impl AccessRule {
    /// Whether it is about this resource.
    pub fn is_about(&self, group: &str, resource: &str) -> bool {
        let has = |list: &[String], one: &str| list.iter().any(|item| item == one || item == "*");
        has(&self.api_groups, group) && has(&self.resources, resource)
    }

    /// Whether it allows this.
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|one| one == verb || one == "*")
    }
}
