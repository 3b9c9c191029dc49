//! The result of `kubectl preempt doctor` as a value: `text` and `json` render it.

use super::availability::{self, Availability};
use super::requirement::{Ability, Necessity, PermissionRequirement, Role, all};
use super::role;
use crate::api::access::{AccessDecision, Permission};
use crate::api::server_info::{Identity, ServerHealth};
use engine::snapshot::Kind;

/// The result of one examination.
#[derive(Debug, Clone)]
pub struct DoctorReport {
    pub version: &'static str,
    pub connection: ConnectionInfo,
    /// The server's responses, or why there are none.
    pub cluster: Result<ClusterReport, Unreachable>,
    /// Warnings about the kubeconfig and the connection.
    pub cautions: Vec<String>,
}

/// The connection according to kubeconfig and flags.
#[derive(Debug, Clone, Default)]
pub struct ConnectionInfo {
    /// Kubeconfig files that were read.
    pub kubeconfig: Vec<String>,
    /// Context, if one was used.
    pub context: Option<String>,
    pub server: String,
    /// Proxy through which the server is reached.
    pub proxy: Option<String>,
    /// User entry of the kubeconfig.
    pub user: Option<String>,
    /// The impersonated user.
    pub acting_as: Option<String>,
    /// The namespace in which victims may be evicted; all if `None`.
    pub namespace: Option<String>,
}

/// Why nothing is known about the cluster.
#[derive(Debug, Clone)]
pub struct Unreachable {
    /// The request and the error.
    pub problem: String,
    pub hint: Option<String>,
}

/// The server's responses.
#[derive(Debug, Clone)]
pub struct ClusterReport {
    /// `gitVersion`, if reported.
    pub version: Option<String>,
    /// The scheduler whose rules are used for that version.
    pub rules: SchedulerRules,
    /// Whether it is ready to serve requests.
    pub health: ServerHealth,
    /// Latency of the health check in milliseconds.
    pub millis: u64,
    /// The user as whom the server authenticates the requests.
    pub identity: Identity,
    /// Every permission of the table, deduplicated, with the server's decision.
    pub answers: Vec<(Permission, AccessDecision)>,
    /// The server's warnings.
    pub warnings: Vec<String>,
}

/// The scheduler whose rules are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchedulerRules {
    pub minor: String,
    /// Whether this is the version of the cluster.
    pub exact: bool,
    /// Why it is another version, or how well it is known; empty without a remark.
    pub remark: String,
}

/// A requirement and the server's decision about its permission.
#[derive(Debug, Clone, Copy)]
pub struct PermissionFinding<'r> {
    pub requirement: PermissionRequirement,
    pub answer: &'r AccessDecision,
}

/// A ClusterRole with exactly the missing permissions.
#[derive(Debug, Clone)]
pub struct MissingRole {
    /// The role of the manifest that grants these permissions as well.
    pub role: Role,
    pub name: String,
    pub(super) rules: Vec<role::RoleRule>,
    /// The command that binds it.
    pub binding: String,
}

impl MissingRole {
    /// The manifest of the ClusterRole.
    pub fn yaml(&self) -> String {
        role::yaml(&self.name, &self.rules)
    }
}

impl ClusterReport {
    /// Every requirement with its decision, in the order of the table.
    pub fn findings(&self) -> Vec<PermissionFinding<'_>> {
        let answer =
            |permission: &Permission| self.answers.iter().find(|(asked, _)| asked == permission);
        all()
            .into_iter()
            .filter_map(|requirement| {
                answer(&requirement.permission)
                    .map(|(_, answer)| PermissionFinding { requirement, answer })
            })
            .collect()
    }

    /// Whether an ability can be used, by its permissions and those of the abilities it depends on.
    pub fn availability(&self, ability: Ability) -> Availability {
        let findings = self.findings();
        let of = |ability| findings.iter().filter(move |f| f.requirement.ability == ability);
        let own =
            availability::availability(of(ability).map(|f| (f.requirement.weight, f.is_met())));
        match ability {
            // A plan requires that the cluster can be read.
            Ability::Evict
            | Ability::Delete
            | Ability::Watch
            | Ability::Events
            | Ability::WhoActs
            | Ability::AutoscalerStatus
                if self.availability(Ability::Read) == Availability::No =>
            {
                Availability::No
            }
            Ability::Read
            | Ability::SchedulerConfig
            | Ability::Evict
            | Ability::Delete
            | Ability::Watch
            | Ability::Events
            | Ability::WhoActs
            | Ability::AutoscalerStatus => own,
            // Each of these is an option of evicting or deleting.
            Ability::Record | Ability::Nominate => {
                let base = [Ability::Evict, Ability::Delete].map(|base| self.availability(base));
                if base.contains(&Availability::Works) || base.contains(&Availability::Partly) {
                    own
                } else if base.contains(&Availability::Unknown) && own != Availability::No {
                    Availability::Unknown
                } else {
                    Availability::No
                }
            }
        }
    }

    /// The user to whom a missing role is bound, if the server reports the user.
    pub fn user(&self) -> Option<&str> {
        match &self.identity {
            Identity::Known { user, .. } => Some(user),
            Identity::Unknown(_) => None,
        }
    }

    /// The missing roles, the most important first; those for apply in `namespace`, or in all
    /// namespaces.
    pub fn missing_roles(&self, namespace: Option<&str>) -> Vec<MissingRole> {
        let findings = self.findings();
        let missing_role = |wanted: Role| {
            let missing: Vec<Permission> = findings
                .iter()
                .filter(|f| {
                    f.requirement.ability.role() == wanted
                        && matches!(f.answer, AccessDecision::Denied(_))
                })
                .map(|f| f.requirement.permission)
                .collect();
            let (rules, scope) = (role::rules(&missing), wanted.namespace(namespace));
            let name = role::name_of_missing(wanted, &rules, self.user(), scope);
            let binding = role::binding(&name, self.user(), scope);
            (!rules.is_empty()).then_some(MissingRole { role: wanted, name, rules, binding })
        };
        Role::ALL.into_iter().filter_map(missing_role).collect()
    }
}

impl PermissionFinding<'_> {
    /// Whether the permission is granted or not needed; `None` if the server did not decide.
    pub fn is_met(&self) -> Option<bool> {
        match self.answer {
            AccessDecision::Allowed(_) => Some(true),
            AccessDecision::Denied(_) | AccessDecision::Forbidden(_) => Some(false),
            AccessDecision::Unknown(_) => None,
            AccessDecision::NotServed => Some(self.is_absent()),
        }
    }

    /// Whether the server does not serve the resource and the scheduler works without it.
    pub fn is_absent(&self) -> bool {
        let permission = self.requirement.permission;
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| kind.group() == permission.group && kind.plural() == permission.resource);
        *self.answer == AccessDecision::NotServed
            && self.requirement.weight == Necessity::Optional
            && kind.is_some_and(Kind::may_be_absent)
    }
}
