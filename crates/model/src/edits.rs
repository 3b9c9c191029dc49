//! Edits: changes of a cluster in memory, and of the pods in question, before anything is decided.
//! An edit knows its effect and its text.

mod nodes;
mod pods;

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Display;

use serde_json::Value;

use crate::cluster::Cluster;
use crate::cluster::node::Taint;
use crate::cluster::pod::PodIx;
use crate::cluster::template::TaintEffect;
use crate::snapshot::Kind;
use crate::snapshot::pod::Toleration;
pub use nodes::{PlannedNode, UNSCHEDULABLE_TAINT, add_planned, name_of_copy, stays_when_drained};
pub use pods::allow_preemption;

/// An assumed change. The first group changes the pods in question, the second one the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Sets their priority, regardless of their class.
    Priority {
        /// `spec.priority`.
        priority: i32,
    },
    /// Sets their priority class.
    PriorityClass {
        name: String,
    },
    /// Sets whether they preempt.
    PreemptionPolicy {
        /// `Never` or `PreemptLowerPriority`.
        policy: PreemptionPolicy,
    },
    /// Makes them preempt: no scheduling gates, and no policy against it.
    AsIfPreempting,
    /// Sets which scheduler decides about them.
    Scheduler {
        name: String,
    },
    /// Sets their request for a resource; with several containers, that of the one that determines
    /// how much the pod requests.
    Request {
        /// Name of the resource.
        resource: String,
        /// A quantity.
        amount: String,
    },
    /// Adds a toleration.
    Toleration {
        /// The taints that it tolerates.
        taint: TaintPattern,
    },
    /// Adds a label to their node selector.
    NodeSelector {
        key: String,
        value: String,
    },
    RemovePod {
        namespace: String,
        name: String,
    },
    /// Frees resources of a node, as if pods with such requests left it; at most what is requested
    /// there.
    Free {
        node: String,
        /// Quantities by resource; `pods` is a number of pods.
        resources: BTreeMap<String, String>,
    },
    Cordon {
        node: String,
    },
    /// Uncordons a node, which removes the taint of cordoned nodes, too.
    Uncordon {
        node: String,
    },
    /// Cordons a node and removes its pods as `kubectl drain --ignore-daemonsets` does: all but
    /// static ones and those of a `DaemonSet`.
    Drain {
        node: String,
    },
    /// Sets a label of a node.
    LabelNode {
        node: String,
        /// The label's key.
        key: String,
        value: String,
    },
    RemoveTaint {
        node: String,
        taint: TaintPattern,
    },
    /// Removes a node with its pods.
    RemoveNode {
        node: String,
    },
    AddNode {
        /// Its name.
        node: String,
        /// The file with the object.
        file: String,
        object: Box<Value>,
    },
    /// Adds a node like another one: with its labels, taints and resources, and with pods like its
    /// static ones and those of its DaemonSets; without its other pods and its devices.
    AddNodeLike {
        /// The other one.
        node: String,
    },
    /// Sets the disruptions that a budget allows.
    Budget {
        namespace: String,
        name: String,
        /// `status.disruptionsAllowed`.
        allowed: i64,
    },
}

/// `spec.preemptionPolicy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreemptionPolicy {
    /// The pod does not preempt.
    Never,
    /// The pod preempts pods of lower priority.
    PreemptLowerPriority,
}

impl PreemptionPolicy {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "Never",
            Self::PreemptLowerPriority => "PreemptLowerPriority",
        }
    }
}

/// Why an edit cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditError {
    /// The object does not exist.
    NotFound {
        /// Plural resource.
        resource: &'static str,
        /// The name that was given.
        name: String,
    },
    /// The value is invalid.
    Value(String),
}

/// Applies the edits: first those that add nodes, then those of the cluster, and last those of
/// `pods`, the pods in question, which cannot be removed. Indices of pods stay valid.
///
/// # Errors
/// The first edit that cannot be applied.
pub fn apply(cluster: &mut Cluster, pods: &[PodIx], edits: &[Edit]) -> Result<(), EditError> {
    nodes::add(cluster, edits)?;
    let (of_pods, of_cluster): (Vec<&Edit>, Vec<&Edit>) =
        edits.iter().partition(|edit| edit.is_about_pods());
    of_cluster.into_iter().chain(of_pods).try_for_each(|edit| change(edit, cluster, pods))
}

fn change(edit: &Edit, cluster: &mut Cluster, asked: &[PodIx]) -> Result<(), EditError> {
    let mut each = asked.iter().copied();
    match edit {
        Edit::Priority { priority } => {
            each.for_each(|pod| pods::set_priority(cluster, pod, *priority));
        }
        Edit::PriorityClass { name } => {
            each.try_for_each(|pod| pods::set_class(cluster, pod, name))?;
        }
        Edit::PreemptionPolicy { policy } => {
            each.for_each(|pod| pods::set_policy(cluster, pod, *policy));
        }
        Edit::AsIfPreempting => each.for_each(|pod| pods::allow_preemption(cluster, pod)),
        Edit::Scheduler { name } => each.for_each(|pod| pods::set_scheduler(cluster, pod, name)),
        Edit::Request { resource, amount } => {
            each.try_for_each(|pod| pods::set_request(cluster, pod, resource, amount))?;
        }
        Edit::Toleration { taint } => {
            each.for_each(|pod| cluster.add_toleration(pod, &taint.toleration()));
        }
        Edit::NodeSelector { key, value } => {
            each.for_each(|pod| cluster.add_node_selector(pod, key, value));
        }
        Edit::RemovePod { namespace, name } => pods::remove(cluster, namespace, name, asked)?,
        Edit::Budget { namespace, name, allowed } => {
            pods::set_budget(cluster, namespace, name, *allowed)?;
        }
        Edit::Free { node, resources } => nodes::free(cluster, node, resources)?,
        Edit::Cordon { node } => nodes::cordon(cluster, node)?,
        Edit::Uncordon { node } => nodes::uncordon(cluster, node)?,
        Edit::Drain { node } => nodes::drain(cluster, node)?,
        Edit::LabelNode { node, key, value } => nodes::label(cluster, node, key, value)?,
        Edit::RemoveTaint { node, taint } => nodes::remove_taint(cluster, node, taint)?,
        Edit::RemoveNode { node } => nodes::remove(cluster, node)?,
        // These come before all others, see `nodes::add`.
        Edit::AddNode { .. } | Edit::AddNodeLike { .. } => {}
    }
    Ok(())
}

impl Edit {
    /// Whether it changes the pods in question rather than the cluster.
    const fn is_about_pods(&self) -> bool {
        matches!(
            self,
            Self::Priority { .. }
                | Self::PriorityClass { .. }
                | Self::PreemptionPolicy { .. }
                | Self::AsIfPreempting
                | Self::Scheduler { .. }
                | Self::Request { .. }
                | Self::Toleration { .. }
                | Self::NodeSelector { .. }
        )
    }
}

fn missing(kind: Kind, name: &str) -> EditError {
    EditError::NotFound { resource: kind.plural(), name: name.to_owned() }
}

fn invalid_amount(resource: &str, amount: &str, why: impl Display) -> EditError {
    EditError::Value(format!("the amount `{amount}` of {resource} is {why}"))
}

impl Edit {
    /// The assumption: `cpu=500m`, `worker-3 cordoned`.
    pub fn words(&self) -> String {
        match self {
            Self::Priority { priority } => format!("priority={priority}"),
            Self::PriorityClass { name } => format!("priority class {name}"),
            Self::PreemptionPolicy { policy } => format!("preemptionPolicy={}", policy.name()),
            Self::AsIfPreempting => {
                "no scheduling gates and preemptionPolicy=PreemptLowerPriority".to_owned()
            }
            Self::Scheduler { name } => format!("schedulerName={name}"),
            Self::Request { resource, amount } => format!("{resource}={amount}"),
            Self::Toleration { taint } => format!("{taint} tolerated"),
            Self::NodeSelector { key, value } => format!("node selector {key}={value}"),
            Self::RemovePod { namespace, name } => format!("pod {namespace}/{name} removed"),
            Self::Free { node, resources } => format!("{} freed on {node}", pairs(resources)),
            Self::Cordon { node } => format!("{node} cordoned"),
            Self::Uncordon { node } => format!("{node} uncordoned"),
            Self::Drain { node } => format!("{node} drained"),
            Self::LabelNode { node, key, value } => format!("{node} labelled {key}={value}"),
            Self::RemoveTaint { node, taint } => format!("taint {taint} removed from {node}"),
            Self::RemoveNode { node } => format!("{node} removed"),
            Self::AddNode { node, .. } => format!("{node} added"),
            Self::AddNodeLike { node } => {
                format!("a node like {node} added, with its DaemonSet and static pods")
            }
            Self::Budget { namespace, name, allowed } => {
                format!("budget {namespace}/{name} allows {allowed}")
            }
        }
    }
}

/// `cpu=250m,memory=1Gi`.
pub fn pairs(resources: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> =
        resources.iter().map(|(resource, amount)| format!("{resource}={amount}")).collect();
    pairs.join(",")
}

/// A pattern of taints, `KEY[=VALUE][:EFFECT]`, as `kubectl taint` writes them: matches those
/// with a key, with any value or a given one, and any effect or a given one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaintPattern {
    pub key: String,
    /// The value; absent: any.
    pub value: Option<String>,
    /// The effect; absent: any.
    pub effect: Option<TaintEffect>,
}

impl TaintPattern {
    /// Reads `KEY[=VALUE][:EFFECT]`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (taint, effect) = text.split_once(':').unwrap_or((text, ""));
        let effect = TaintEffect::read(effect);
        if effect == Some(TaintEffect::Unknown) || text.ends_with(':') {
            return None;
        }
        let (key, value) = taint
            .split_once('=')
            .map_or((taint, None), |(key, value)| (key, Some(value.to_owned())));
        (!key.is_empty()).then(|| Self { key: key.to_owned(), value, effect })
    }

    /// The pattern of a node's taint.
    pub fn of(taint: &Taint, cluster: &Cluster) -> Self {
        let value = cluster.text(taint.value);
        Self {
            key: cluster.text(taint.key).to_owned(),
            value: (!value.is_empty()).then(|| value.to_owned()),
            effect: (taint.effect != TaintEffect::Unknown).then_some(taint.effect),
        }
    }

    /// Whether the pattern matches `taint`.
    fn matches(&self, taint: &Taint, cluster: &Cluster) -> bool {
        cluster.text(taint.key) == self.key
            && self.value.as_ref().is_none_or(|value| cluster.text(taint.value) == value)
            && self.effect.is_none_or(|effect| effect == taint.effect)
    }

    /// The toleration for these taints.
    fn toleration(&self) -> Toleration<'static> {
        Toleration {
            key: self.key.clone().into(),
            operator: if self.value.is_some() { "Equal" } else { "Exists" }.into(),
            value: self.value.clone().unwrap_or_default().into(),
            effect: self.effect.map_or("", TaintEffect::name).into(),
            toleration_seconds: None,
        }
    }
}

impl fmt::Display for TaintPattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.key)?;
        if let Some(value) = &self.value {
            write!(f, "={value}")?;
        }
        self.effect.map_or(Ok(()), |effect| write!(f, ":{}", effect.name()))
    }
}
