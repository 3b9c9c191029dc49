//! All that was found out, as a value that renderers draw.

use super::ability::{self, Standing};
use super::permission::{Answer, Permission};
use super::requirement::{Ability, Requirement, Role, Weight, all};
use super::role;
use engine::snapshot::Kind;

/// What `kubectl preempt doctor` found out.
#[derive(Debug, Clone)]
pub struct Report {
    /// Our own version.
    pub version: &'static str,
    /// Where we looked.
    pub place: Place,
    /// What the cluster said, or why it could not be asked.
    pub cluster: Result<Told, Unreachable>,
    /// What the kubeconfig and the connection give reason to warn of.
    pub cautions: Vec<String>,
}

/// The connection, as kubeconfig and flags have it.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// Kubeconfig files that were read.
    pub kubeconfig: Vec<String>,
    /// Context, if one was used.
    pub context: Option<String>,
    /// Address of the API server.
    pub server: String,
    /// Proxy before it.
    pub proxy: Option<String>,
    /// User entry of the kubeconfig.
    pub user: Option<String>,
    /// Whom the user is made to act as.
    pub acting_as: Option<String>,
    /// The namespace in which victims may be evicted; all if `None`.
    pub namespace: Option<String>,
}

/// Why there is nothing to say about the cluster.
#[derive(Debug, Clone)]
pub struct Unreachable {
    /// What was tried and what came back.
    pub problem: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What the cluster said.
#[derive(Debug, Clone)]
pub struct Told {
    /// Its `gitVersion`, if it says.
    pub version: Option<String>,
    /// Whose rules are used for that version.
    pub rules: Rules,
    /// Whether it is ready to serve.
    pub health: Health,
    /// How long it took to answer that, in milliseconds.
    pub millis: u64,
    /// Who we are to it.
    pub identity: Identity,
    /// Every permission that something needs, each once.
    pub answers: Vec<(Permission, Answer)>,
    /// What it warned of.
    pub warnings: Vec<String>,
}

/// The scheduler whose rules are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Its minor.
    pub minor: String,
    /// Whether they are those of the cluster's own version.
    pub exact: bool,
    /// What there is to say about them; empty if nothing.
    pub remark: String,
}

/// What the server says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It is ready.
    Ready,
    /// It is not; the checks that fail, or what it answered.
    NotReady(Vec<String>),
    /// It does not say; why.
    Unknown(String),
}

/// Who we are to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// As it authenticated us.
    Known {
        /// User name.
        user: String,
        /// UID; empty for none.
        uid: String,
        /// Groups.
        groups: Vec<String>,
    },
    /// It does not say; why.
    Unknown(String),
}

/// A requirement and what the server says about it.
#[derive(Debug, Clone, Copy)]
pub struct Finding<'r> {
    /// What is needed, and for what.
    pub requirement: Requirement,
    /// What the server says.
    pub answer: &'r Answer,
}

/// A role that would grant what is missing, and nothing else.
#[derive(Debug, Clone)]
pub struct Gap {
    /// Which role it is a part of.
    pub role: Role,
    /// Name of the ClusterRole.
    pub name: String,
    /// Its rules.
    pub rules: Vec<role::Rule>,
    /// The command that binds it.
    pub binding: String,
}

impl Gap {
    /// The ClusterRole.
    #[must_use]
    pub fn yaml(&self) -> String {
        role::yaml(&self.name, &self.rules)
    }
}

impl Told {
    /// Every requirement with its answer, in the order of the table.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding<'_>> {
        let answer = |permission: &Permission| self.answers.iter().find(|(asked, _)| asked == permission);
        all()
            .into_iter()
            .filter_map(|requirement| {
                answer(&requirement.permission).map(|(_, answer)| Finding { requirement, answer })
            })
            .collect()
    }

    /// How an ability stands.
    #[must_use]
    pub fn standing(&self, ability: Ability) -> Standing {
        let findings = self.findings();
        let of = |ability| findings.iter().filter(move |f| f.requirement.ability == ability);
        let own = ability::standing(of(ability).map(|f| (f.requirement.weight, f.is_met())));
        match ability {
            // There is no plan without reading.
            Ability::Evict | Ability::Delete | Ability::Watch if self.standing(Ability::Read) == Standing::No => {
                Standing::No
            }
            Ability::Read | Ability::SchedulerConfig | Ability::Evict | Ability::Delete | Ability::Watch => own,
            // An addition to either.
            Ability::Record | Ability::Nominate => {
                let base = [Ability::Evict, Ability::Delete].map(|base| self.standing(base));
                if base.contains(&Standing::Works) || base.contains(&Standing::Partly) {
                    own
                } else if base.contains(&Standing::Unknown) && own != Standing::No {
                    Standing::Unknown
                } else {
                    Standing::No
                }
            }
        }
    }

    /// Who is to be bound to a missing role.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match &self.identity {
            Identity::Known { user, .. } => Some(user),
            Identity::Unknown(_) => None,
        }
    }

    /// The roles that are missing, the most needed first; for apply in `namespace` or everywhere.
    #[must_use]
    pub fn gaps(&self, namespace: Option<&str>) -> Vec<Gap> {
        let findings = self.findings();
        let gap = |wanted: Role| {
            let missing: Vec<Permission> = findings
                .iter()
                .filter(|f| f.requirement.ability.role() == wanted && matches!(f.answer, Answer::Denied(_)))
                .map(|f| f.requirement.permission)
                .collect();
            let (rules, place) = (role::rules(&missing), wanted.place(namespace));
            let name = role::name_of_gap(wanted, &rules, self.user(), place);
            let binding = role::binding(&name, self.user(), place);
            (!rules.is_empty()).then_some(Gap { role: wanted, name, rules, binding })
        };
        Role::ALL.into_iter().filter_map(gap).collect()
    }
}

impl Finding<'_> {
    /// Whether it is there, or not needed; `None` if the server would not say.
    #[must_use]
    pub fn is_met(&self) -> Option<bool> {
        match self.answer {
            Answer::Allowed(_) => Some(true),
            Answer::Denied(_) | Answer::Forbidden(_) => Some(false),
            Answer::Unknown(_) => None,
            Answer::NotServed => Some(self.is_absent()),
        }
    }

    /// Whether the server has no such thing and so nothing of it is missing.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        let permission = self.requirement.permission;
        let kind =
            Kind::ALL.into_iter().find(|kind| kind.group() == permission.group && kind.plural() == permission.resource);
        *self.answer == Answer::NotServed
            && self.requirement.weight == Weight::Counts
            && kind.is_some_and(Kind::may_be_absent)
    }
}
