//! Whether a cluster can be reached, and which commands have the permissions that they need: the
//! single table of permissions ([`requirement`]), the effect of the server's answers on each
//! ability, the missing roles ([`role`]), and the next actions. Sends no requests: the plugin does.

pub mod access;
pub mod requirement;
pub mod role;

use engine::snapshot::Kind;

use crate::verdict::Verdict;
use crate::words;
use access::{AccessDecision, Identity, Permission, ServerHealth};
use requirement::{Ability, Necessity, PermissionRequirement, Role, all};

/// Maximum number of permissions in a clause.
const NAMED: usize = 3;

/// The result of one examination.
#[derive(Debug, Clone)]
pub struct DoctorReport {
    pub version: &'static str,
    /// How the program is called: `kubectl preempt`.
    pub program: &'static str,
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
    pub rules: Vec<role::RoleRule>,
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
        let mut findings = Vec::new();
        for requirement in all() {
            let mut answers = self.answers.iter();
            if let Some((_, answer)) = answers.find(|(asked, _)| *asked == requirement.permission) {
                findings.push(PermissionFinding { requirement, answer });
            }
        }
        findings
    }

    /// Whether an ability can be used, by its permissions and those of the abilities it depends on.
    pub fn availability(&self, ability: Ability) -> Availability {
        let findings = self.findings();
        let of_ability = findings.iter().filter(|f| f.requirement.ability == ability);
        let own = availability(of_ability.map(|f| (f.requirement.weight, f.is_met())));
        match ability.builds_on() {
            // What a plan needs is of no use if the cluster cannot be read.
            [Ability::Read] if self.availability(Ability::Read) == Availability::No => {
                Availability::No
            }
            [] | [_] => own,
            // An option of one of several abilities.
            bases => {
                let bases: Vec<Availability> =
                    bases.iter().map(|base| self.availability(*base)).collect();
                if bases.contains(&Availability::Works) || bases.contains(&Availability::Partly) {
                    own
                } else if bases.contains(&Availability::Unknown) && own != Availability::No {
                    Availability::Unknown
                } else {
                    Availability::No
                }
            }
        }
    }

    /// Why an ability cannot be used, or not wholly, in a clause; `None` if it can.
    pub fn why(&self, ability: Ability) -> Option<String> {
        let (mut lacks, mut unknown) = (Vec::new(), Vec::new());
        for finding in self.findings() {
            let permission = finding.requirement.permission;
            match finding.is_met() {
                _ if finding.requirement.ability != ability => {}
                Some(true) => {}
                Some(false) => lacks.push(permission.to_string()),
                None => unknown.push(permission.to_string()),
            }
        }
        if !lacks.is_empty() {
            return Some(format!("may not {}", words::list(&lacks, NAMED)));
        }
        if !unknown.is_empty() {
            let unknown = words::list(&unknown, NAMED);
            return Some(format!("the server does not say whether it may {unknown}"));
        }
        let works = self.availability(ability) == Availability::Works;
        (!works).then(|| "needs what does not work above".to_owned())
    }

    /// The resources that this cluster does not serve and that are not needed. Most clusters have few
    /// of the extensions, so those are left out.
    pub fn not_served(&self) -> Vec<String> {
        let mut names = Vec::new();
        for finding in self.findings() {
            let PermissionRequirement { ability, permission, .. } = finding.requirement;
            if finding.is_absent() && ability != Ability::WhoActs {
                names.push(permission.full_resource());
            }
        }
        names
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
        let mut roles = Vec::new();
        for wanted in Role::ALL {
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
            if !rules.is_empty() {
                roles.push(MissingRole { role: wanted, name, rules, binding });
            }
        }
        roles
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
            && match kind {
                Some(kind) => kind.may_be_absent(),
                // A workload of another program.
                None => {
                    self.requirement.ability == Ability::Workloads && permission.group.contains('.')
                }
            }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Every permission is granted.
    Works,
    /// Only optional permissions are missing.
    Partly,
    /// A permission is undecided, and the others do not settle it.
    Unknown,
    /// An essential permission is missing.
    No,
}

impl Availability {
    /// The value as shown to users.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Works => "yes",
            Self::Partly => "partly",
            Self::Unknown => "unknown",
            Self::No => "no",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Works => "Works",
            Self::Partly => "Partly",
            Self::Unknown => "Unknown",
            Self::No => "No",
        }
    }
}

/// The availability from requirements with their weights; `None` means that it is unknown whether
/// one is met.
fn availability(requirements: impl Iterator<Item = (Necessity, Option<bool>)>) -> Availability {
    let (mut missing, mut unknown, mut in_doubt) = (false, false, false);
    for (weight, met) in requirements {
        match (weight, met) {
            (Necessity::Essential, Some(false)) => return Availability::No,
            (Necessity::Optional, Some(false)) => missing = true,
            (Necessity::Essential, None) => in_doubt = true,
            (Necessity::Optional, None) => unknown = true,
            (Necessity::Essential | Necessity::Optional, Some(true)) => {}
        }
    }
    if missing && !in_doubt {
        Availability::Partly
    } else if in_doubt || unknown {
        Availability::Unknown
    } else {
        Availability::Works
    }
}

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

    /// How far the cluster may be read; `None` if it could not be asked.
    pub fn reads(&self) -> Option<Verdict> {
        let cluster = self.cluster.as_ref().ok()?;
        Some(match cluster.availability(Ability::Read) {
            Availability::Works => Verdict::Yes,
            Availability::Partly | Availability::Unknown => Verdict::Uncertain,
            Availability::No => Verdict::No,
        })
    }

    /// Whether every command that reads works.
    pub fn is_well(&self) -> bool {
        self.reads() == Some(Verdict::Yes)
            && self
                .cluster
                .as_ref()
                .is_ok_and(|cluster| !matches!(cluster.health, ServerHealth::NotReady(_)))
    }

    /// The next actions, the most urgent first.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        match &self.cluster {
            Err(unreachable) => hints.extend(unreachable.hint.clone()),
            Ok(cluster) => self.cluster_hints(cluster, &mut hints),
        }
        hints.extend(self.cautions.iter().cloned());
        hints
    }

    /// A command of this program.
    fn command(&self, arguments: &str) -> String {
        format!("{} {arguments}", self.program)
    }

    /// What to do about the answers of a server, the most urgent first.
    fn cluster_hints(&self, cluster: &ClusterReport, hints: &mut Vec<String>) {
        let namespace = self.connection.namespace.as_deref();
        let findings = cluster.findings();

        // What is wrong with the server or the connection comes before what a role can mend.
        if matches!(cluster.health, ServerHealth::NotReady(_)) {
            hints.push(
                "the server is not ready: kubectl get --raw '/readyz?verbose' shows why".to_owned(),
            );
        }
        if cluster.availability(Ability::Read) != Availability::Works {
            hints.push(
                format!(
                    "without these permissions, use --from FILE with a file that somebody else saved with {}",
                    self.command("snapshot")
                ),
            );
        }
        if cluster.availability(Ability::Evict) == Availability::No && namespace.is_none() {
            hints.push(format!(
                "you may be allowed to evict pods of one namespace: {}",
                self.command("doctor -n NAMESPACE")
            ));
        }
        let forbidden = findings.iter().find(|f| matches!(f.answer, AccessDecision::Forbidden(_)));
        if let Some(finding) = forbidden {
            let text = format!(
                "an authorizer forbids {}: no further role helps",
                finding.requirement.permission
            );
            hints.push(text);
        }
        if findings.iter().any(|f| matches!(f.answer, AccessDecision::Unknown(_))) {
            hints.push(format!(
                "where the server does not say, try {}: it names what it could not read",
                self.command("explain")
            ));
        }
        let optional = [Role::ApplierExtra, Role::SchedulerConfig, Role::Checker];
        if cluster.missing_roles(namespace).iter().any(|missing| optional.contains(&missing.role)) {
            hints.push(
                self.command("doctor -o wide shows every permission, --rbac prints all roles"),
            );
        }
    }
}

fn reading(cluster: &ClusterReport) -> String {
    let findings = cluster.findings();
    let lists: Vec<&PermissionFinding> =
        findings.iter().filter(|f| f.requirement.ability == Ability::Read).collect();
    let denied = lists.iter().filter(|f| f.is_met() == Some(false)).count();
    let total = lists.len();
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

#[cfg(test)]
mod tests;
