//! A finding: the object that it is about, and the values behind it.

use super::check::Check;
use crate::risk::preemptors::Preemptor;
use model::cluster::owner::Workload;

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectName {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for a kind that has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl ObjectName {
    /// An object without a namespace.
    pub(super) fn of_cluster(kind: &str, name: &str) -> Self {
        Self { kind: kind.to_owned(), namespace: String::new(), name: name.to_owned() }
    }
}

impl From<&Workload> for ObjectName {
    fn from(workload: &Workload) -> Self {
        Self {
            kind: workload.kind.clone(),
            namespace: workload.namespace.clone(),
            name: workload.name.clone(),
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub object: ObjectName,
    /// The values behind it.
    pub evidence: Evidence,
}

impl Finding {
    /// The check that found it.
    #[must_use]
    pub const fn check(&self) -> Check {
        self.evidence.check()
    }
}

/// The values behind a finding, a variant per check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// [`Check::SeveralBudgets`].
    SeveralBudgets {
        /// The budgets.
        budgets: Vec<String>,
        /// How many running pods they select together.
        pods: usize,
    },
    /// [`Check::BudgetNeverAllows`].
    BudgetNeverAllows {
        /// How many pods its controller counts.
        expected_pods: i64,
        /// How many of them have to stay.
        desired_healthy: i64,
    },
    /// [`Check::BudgetSelectsAll`].
    BudgetSelectsAll {
        /// How many running pods that is.
        pods: usize,
        /// Of how many workloads.
        workloads: usize,
    },
    /// [`Check::BudgetSelectsNothing`].
    BudgetSelectsNothing {
        /// Whether it has no selector, or none that can be parsed.
        without_selector: bool,
    },
    /// [`Check::SeveralGlobalDefaults`].
    SeveralGlobalDefaults {
        /// The other classes that are the default, too.
        others: Vec<String>,
        /// The one that admission uses, which has the lowest value.
        used: String,
    },
    /// [`Check::OlderThanGlobalDefault`].
    OlderThanGlobalDefault {
        /// The pods without a class that have another priority.
        pods: usize,
        /// The default class.
        class: String,
        /// Its value.
        value: i64,
        /// The lowest priority of these pods.
        priority: i32,
    },
    /// [`Check::GlobalDefaultAboveClass`].
    GlobalDefaultAboveClass {
        /// The default class.
        default: String,
        /// Its value.
        default_value: i64,
        /// The value of the class.
        value: i64,
    },
    /// [`Check::UnusedClass`].
    UnusedClass {
        /// Its value.
        value: i64,
    },
    /// [`Check::ClassDiffers`].
    ClassDiffers {
        /// How it differs.
        difference: ClassDifference,
    },
    /// [`Check::PriorityNotOfClass`].
    PriorityNotOfClass {
        /// How many pods.
        pods: usize,
        /// The priority of the first of them.
        priority: i32,
        /// Their class.
        class: String,
        /// Its value.
        value: i64,
    },
    /// [`Check::MissingClass`].
    MissingClass {
        /// How many pods.
        pods: usize,
        /// The class that they name.
        class: String,
        /// The priority of the first of them.
        priority: i32,
    },
    /// [`Check::AddOnPreemptible`].
    AddOnPreemptible {
        /// How many pods.
        pods: usize,
        /// Their lowest priority.
        priority: i32,
        /// What preempts them, the highest first.
        preemptors: Vec<String>,
    },
    /// [`Check::NeverPreempts`].
    NeverPreempts {
        /// How many pods of it wait.
        pods: usize,
        /// The priority of the first of them.
        priority: i32,
        /// The node where preemption would make room for it.
        node: String,
        /// The pods that it would preempt there.
        victims: Vec<String>,
    },
    /// [`Check::BarePod`].
    BarePod {
        /// Its priority.
        priority: i32,
        /// What preempts it, the highest first.
        preemptors: Vec<String>,
    },
    /// [`Check::DaemonSetComesBack`].
    DaemonSetComesBack {
        /// How many pods.
        pods: usize,
        /// Their lowest priority.
        priority: i32,
        /// What preempts them, the highest first.
        preemptors: Vec<String>,
    },
    /// [`Check::NoRequests`].
    NoRequests {
        /// How many pods.
        pods: usize,
        /// Their lowest priority.
        priority: i32,
    },
    /// [`Check::StaleNomination`].
    StaleNomination {
        /// The pod.
        pod: String,
        /// Its priority.
        priority: i32,
        /// The node.
        node: String,
        /// Whether the node exists.
        node_exists: bool,
        /// What the nomination keeps from pods of this priority or lower, as `RESOURCE=AMOUNT`.
        reserves: Vec<String>,
        /// Pods that have what the pod lacks on the node, and that it cannot preempt.
        taken_by: Vec<String>,
    },
    /// [`Check::StuckVictim`].
    StuckVictim {
        /// The pod.
        pod: String,
        /// Its node.
        node: String,
        /// For how many seconds it should have been gone.
        overdue_seconds: i64,
        /// Its grace period in seconds.
        grace_seconds: i64,
        /// What keeps it: `NodeGone`, `SilentKubelet`, `Finalizers` or `GracePeriod`.
        kept_by: Vec<String>,
        /// Its finalizers.
        finalizers: Vec<String>,
        /// The pods that wait for it.
        waiting: Vec<String>,
    },
    /// [`Check::SpreadWithoutDomains`].
    SpreadWithoutDomains {
        /// The label that no node has.
        topology_key: String,
        /// How many nodes there are.
        nodes: usize,
    },
    /// [`Check::SpreadTooFewDomains`].
    SpreadTooFewDomains {
        /// The label.
        topology_key: String,
        /// How many values it has on nodes.
        domains: usize,
        /// `minDomains`.
        min_domains: i64,
        /// `maxSkew`.
        max_skew: i64,
        /// How many pods the constraint counts.
        pods: usize,
    },
}

/// How a priority class differs from that of the same name in another cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassDifference {
    /// The other cluster does not have it.
    OnlyHere {
        /// Its value.
        value: i64,
    },
    /// This cluster does not have it.
    OnlyThere {
        /// Its value there.
        value: i64,
    },
    /// The values differ.
    Value {
        /// In this cluster.
        here: i64,
        /// In the other one.
        there: i64,
    },
    /// Only in one of the clusters its pods preempt.
    PreemptionPolicy {
        /// Whether they do in this cluster.
        preempts_here: bool,
    },
    /// Only in one of the clusters it is the global default.
    GlobalDefault {
        /// Whether it is in this cluster.
        default_here: bool,
    },
}

impl Evidence {
    /// The check that finds it.
    #[must_use]
    pub const fn check(&self) -> Check {
        match self {
            Self::SeveralBudgets { .. } => Check::SeveralBudgets,
            Self::BudgetNeverAllows { .. } => Check::BudgetNeverAllows,
            Self::BudgetSelectsAll { .. } => Check::BudgetSelectsAll,
            Self::BudgetSelectsNothing { .. } => Check::BudgetSelectsNothing,
            Self::SeveralGlobalDefaults { .. } => Check::SeveralGlobalDefaults,
            Self::OlderThanGlobalDefault { .. } => Check::OlderThanGlobalDefault,
            Self::GlobalDefaultAboveClass { .. } => Check::GlobalDefaultAboveClass,
            Self::UnusedClass { .. } => Check::UnusedClass,
            Self::ClassDiffers { .. } => Check::ClassDiffers,
            Self::PriorityNotOfClass { .. } => Check::PriorityNotOfClass,
            Self::MissingClass { .. } => Check::MissingClass,
            Self::AddOnPreemptible { .. } => Check::AddOnPreemptible,
            Self::NeverPreempts { .. } => Check::NeverPreempts,
            Self::BarePod { .. } => Check::BarePod,
            Self::DaemonSetComesBack { .. } => Check::DaemonSetComesBack,
            Self::NoRequests { .. } => Check::NoRequests,
            Self::StaleNomination { .. } => Check::StaleNomination,
            Self::StuckVictim { .. } => Check::StuckVictim,
            Self::SpreadWithoutDomains { .. } => Check::SpreadWithoutDomains,
            Self::SpreadTooFewDomains { .. } => Check::SpreadTooFewDomains,
        }
    }
}

/// What preempts, with its priority: `high (1000)`.
pub(super) fn preemptor(value: i64, preemptor: &Preemptor) -> String {
    match preemptor {
        Preemptor::Class(name) => format!("{name} ({value})"),
        Preemptor::Pods(_) => format!("pods of priority {value}"),
    }
}
