//! Roles: permissions as the rules of a ClusterRole, its manifest, and the command that binds it to
//! a user.

use std::collections::{BTreeMap, BTreeSet};

use super::access::Permission;
use super::requirement::{Role, all};

/// A rule of a role: verbs on resources of one API group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    /// API group; empty for core.
    pub group: &'static str,
    /// Resource names, including subresources such as `pods/eviction`.
    pub resources: Vec<String>,
    pub verbs: Vec<&'static str>,
}

/// The rules that grant exactly `permissions`: resources of one group with the same verbs share a
/// rule.
pub(super) fn rules(permissions: &[Permission]) -> Vec<RoleRule> {
    let mut verbs: BTreeMap<(&'static str, String), BTreeSet<&'static str>> = BTreeMap::new();
    for permission in permissions {
        verbs
            .entry((permission.group, permission.rule_resource()))
            .or_default()
            .insert(permission.verb);
    }
    let mut rules: BTreeMap<(&'static str, Vec<&'static str>), Vec<String>> = BTreeMap::new();
    for ((group, resource), verbs) in verbs {
        rules.entry((group, verbs.into_iter().collect())).or_default().push(resource);
    }
    rules
        .into_iter()
        .map(|((group, verbs), resources)| RoleRule { group, resources, verbs })
        .collect()
}

/// A ClusterRole with these rules.
pub(super) fn yaml(name: &str, rules: &[RoleRule]) -> String {
    let mut text = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: {name}\nrules:\n"
    );
    for rule in rules {
        let group = if rule.group.is_empty() { "\"\"" } else { rule.group };
        text.push_str(&format!("  - apiGroups: [{group}]\n    resources:\n"));
        for resource in &rule.resources {
            text.push_str(&format!("      - {resource}\n"));
        }
        text.push_str(&format!("    verbs: [{}]\n", rule.verbs.join(", ")));
    }
    text
}

/// The name of a ClusterRole with `rules` for `user` in `namespace`. It contains a hash of these,
/// so that creating one such role never replaces another.
pub(super) fn name_of_missing(
    role: Role,
    rules: &[RoleRule],
    user: Option<&str>,
    namespace: Option<&str>,
) -> String {
    let text = format!("{}\n{user:?}\n{namespace:?}", yaml("", rules));
    let hash = sha1_smol::Sha1::from(text).digest().to_string();
    format!("{}-missing-{}", role.name(), hash.get(..8).unwrap_or_default())
}

pub fn granted_by(role: Role) -> Vec<Permission> {
    // Several abilities may need the same permission.
    let mut granted: Vec<Permission> = Vec::new();
    for requirement in all().into_iter().filter(|requirement| requirement.ability.role() == role) {
        if !granted.contains(&requirement.permission) {
            granted.push(requirement.permission);
        }
    }
    granted
}

const HEAD: &str = "\
# What kubectl-preempt needs, each role with the least that does. `PROGRAM doctor` says what of it somebody lacks.
# Written from the table in crates/answers/src/doctor/requirement.rs; `PROGRAM doctor --rbac` prints it.
#
# The roles grant nothing to anybody until they are bound:
#
#   kubectl create clusterrolebinding kubectl-preempt-reader --clusterrole=kubectl-preempt-reader --group=GROUP
#   kubectl create rolebinding kubectl-preempt-applier --clusterrole=kubectl-preempt-applier --group=GROUP -n NAMESPACE
#   kubectl create clusterrolebinding kubectl-preempt-applier --clusterrole=kubectl-preempt-applier --group=GROUP
#   kubectl create rolebinding kubectl-preempt-scheduler-config --clusterrole=kubectl-preempt-scheduler-config \\
#     --group=GROUP -n kube-system
";

/// The content of `deploy/rbac.yaml`, whose head names the program.
pub fn manifest(program: &str) -> String {
    let mut text = HEAD.replace("PROGRAM", program);
    for role in Role::ALL {
        let rules = rules(&granted_by(role));
        text.push_str(&format!("---\n# {}\n{}", role.purpose(), yaml(role.name(), &rules)));
    }
    text
}

/// Namespace and name of the service account that a user name denotes.
fn service_account(user: &str) -> Option<(&str, &str)> {
    user.strip_prefix("system:serviceaccount:")?.split_once(':')
}

/// The command that binds the ClusterRole `name` to `user`, in `namespace` or in all. A user name
/// that a shell or a terminal would interpret is replaced by a placeholder.
pub(super) fn binding(name: &str, user: Option<&str>, namespace: Option<&str>) -> String {
    let subject = match user {
        Some(user) if is_plain(user) => match service_account(user) {
            Some((namespace, name)) => format!("--serviceaccount={namespace}:{name}"),
            None => format!("--user={user}"),
        },
        Some(user) if is_quotable(user) => format!("--user='{user}'"),
        Some(_) | None => "--user=USER".to_owned(),
    };
    let command = match namespace {
        Some(_) => "rolebinding",
        None => "clusterrolebinding",
    };
    let within = match namespace {
        Some(namespace) if is_plain(namespace) => format!(" --namespace={namespace}"),
        Some(_) => " --namespace=NAMESPACE".to_owned(),
        None => String::new(),
    };
    format!("kubectl create {command} {name} --clusterrole={name} {subject}{within}")
}

/// Whether a text means the same to a shell without quotes.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:@/+=,".contains(c))
}

/// Whether single quotes make a text safe.
fn is_quotable(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == ' ' || c.is_ascii_graphic() && c != '\'')
}
