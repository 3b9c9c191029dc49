//! An audit.

use serde::{Deserialize, Serialize};

use crate::common::{Note, Source};
use crate::{ApiVersion, Text, kind};

/// `audit`: an item per finding; `notChecked` has what could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    pub api_version: ApiVersion,
    pub kind: kind::Audit,
    pub source: Source,
    pub summary: Summary,
    /// The most severe first, then by code and object.
    pub items: Vec<Finding>,
    /// What could not be looked at.
    pub not_checked: Vec<Gap>,
    /// Rules of the scheduler that are not known.
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditSummary"))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub error: usize,
    pub warning: usize,
    pub info: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditFinding"))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Stable: `AUD-nnn`.
    pub code: Text,
    /// The name of the check.
    pub check: Check,
    /// `error`, `warning` or `info`.
    pub severity: Text,
    pub object: Object,
    pub evidence: Evidence,
    /// The finding as a sentence.
    pub text: String,
    /// Why it matters.
    pub meaning: Text,
    /// What to do about it.
    pub fix: Text,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditGap"))]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Plural resource; null for an object of which not even the kind could be read.
    pub resource: Option<Text>,
    /// The first 100 objects that could not be read, or not in full: `Pod NAMESPACE/NAME`. Empty
    /// where none of the resource could be read.
    pub objects: Vec<String>,
    /// The checks that were left out: for these objects alone, if there are some.
    pub codes: Vec<Text>,
    pub text: String,
}

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditObject"))]
#[serde(rename_all = "camelCase")]
pub struct Object {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for a kind that has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// The values behind a finding, a variant per check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEvidence"))]
#[serde(tag = "type", rename_all_fields = "camelCase")]
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
    /// [`Check::GlobalDefaultPreempts`].
    GlobalDefaultPreempts {
        /// Its value.
        value: i64,
        /// How many running pods have a lower priority.
        lower: usize,
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
        /// What ends it, as in the `nomination` of a decision.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        ends: String,
        /// Whether autoscalers pass over the pod because of it (`PRE-967`).
        #[serde(default)]
        stops_autoscalers: bool,
    },
    /// [`Check::SilentNode`].
    SilentNode {
        /// How many pods are on the node and have not ended.
        pods: usize,
        /// For how long it is not Ready; absent if that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<i64>,
        /// The taints of the node that the control plane has set for that.
        taints: Vec<String>,
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
    /// [`Check::Unprotected`].
    Unprotected {
        /// How many pods.
        pods: usize,
        /// Their lowest priority.
        priority: i32,
        /// The annotations.
        annotations: Vec<String>,
        /// What preempts them, the highest first.
        preemptors: Vec<String>,
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
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// How a priority class differs from that of the same name in another cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all_fields = "camelCase")]
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
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// What an audit looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Check {
    /// Several budgets select the same pods.
    SeveralBudgets,
    /// A budget allows no disruption even while all of its pods are healthy.
    BudgetNeverAllows,
    /// A budget selects every pod of its namespace.
    BudgetSelectsAll,
    /// A budget selects no pod.
    BudgetSelectsNothing,
    /// Several priority classes are the global default.
    SeveralGlobalDefaults,
    /// Pods without a class have another priority than the global default gives today.
    OlderThanGlobalDefault,
    /// The global default is higher than a class.
    GlobalDefaultAboveClass,
    /// The global default lets every pod that names no class preempt others.
    GlobalDefaultPreempts,
    /// A priority class that no pod has.
    UnusedClass,
    /// A priority class that another cluster has otherwise, or not at all.
    ClassDiffers,
    /// Pods whose priority is not that of their class.
    PriorityNotOfClass,
    /// Pods of a class that does not exist.
    MissingClass,
    /// An add-on that pods of users can preempt.
    AddOnPreemptible,
    /// A pod that may not preempt waits, though preemption would make room for it.
    NeverPreempts,
    /// Pods without a controller, which are not recreated after an eviction.
    BarePod,
    /// Pods of a DaemonSet that can be preempted, and that come back to the same node.
    DaemonSetComesBack,
    /// Pods that request nothing, so that their eviction frees nothing.
    NoRequests,
    /// A pod is nominated to a node on which it does not fit, or that does not exist.
    StaleNomination,
    /// A victim of preemption that should have ended.
    StuckVictim,
    /// A node whose kubelet does not report keeps its pods.
    SilentNode,
    /// Pods that ask not to be evicted by annotations that do not protect from preemption.
    Unprotected,
    /// A topology spread constraint over a label that no node has.
    SpreadWithoutDomains,
    /// A topology spread constraint that has fewer domains than it demands, and more pods than
    /// these take.
    SpreadTooFewDomains,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}
