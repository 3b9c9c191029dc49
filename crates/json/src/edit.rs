//! Assumed changes: the `assumptions` of a simulation, and what remedies consist of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An assumed change. The first group changes the pods in question, the second one the cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum Edit {
    /// Sets their priority, regardless of their class.
    Priority {
        /// `spec.priority`.
        priority: i32,
    },
    /// Sets their priority class.
    PriorityClass {
        /// Its name.
        name: String,
    },
    /// Sets whether they preempt.
    PreemptionPolicy {
        /// `Never` or `PreemptLowerPriority`.
        policy: PreemptionPolicy,
    },
    /// Has them preempt: they have no scheduling gates, and no policy against it.
    AsIfPreempting,
    /// Has another scheduler decide about them.
    Scheduler {
        /// Its name.
        name: String,
    },
    /// Sets their request for a resource: of several containers, that of the one that decides how
    /// much the pod requests.
    Request {
        /// Name of the resource.
        resource: String,
        /// A quantity.
        amount: String,
    },
    /// Adds a toleration.
    Toleration {
        /// The taints that it tolerates.
        #[serde(flatten)]
        taint: TaintPattern,
    },
    /// Adds a label to their node selector.
    NodeSelector {
        /// Its key.
        key: String,
        /// Its value.
        value: String,
    },
    /// Removes a pod.
    RemovePod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// Frees resources of a node, as if pods that request so much left it; at most what is
    /// requested there.
    Free {
        /// The node.
        node: String,
        /// Quantities by resource; `pods` is a number of pods.
        resources: BTreeMap<String, String>,
    },
    /// Cordons a node.
    Cordon {
        /// The node.
        node: String,
    },
    /// Uncordons a node, which removes the taint of cordoned nodes, too.
    Uncordon {
        /// The node.
        node: String,
    },
    /// Cordons a node and removes its pods as `kubectl drain --ignore-daemonsets` does: all but
    /// static ones and those of a `DaemonSet`.
    Drain {
        /// The node.
        node: String,
    },
    /// Gives a node a label, or another value of it.
    LabelNode {
        /// The node.
        node: String,
        /// The label's key.
        key: String,
        /// Its value.
        value: String,
    },
    /// Removes taints of a node.
    RemoveTaint {
        /// The node.
        node: String,
        /// The taints.
        #[serde(flatten)]
        taint: TaintPattern,
    },
    /// Removes a node with its pods.
    RemoveNode {
        /// The node.
        node: String,
    },
    /// Adds a node.
    AddNode {
        /// Its name.
        node: String,
        /// The file with the object.
        file: String,
    },
    /// Adds a node like another one: with its labels, taints and resources, and with pods like its
    /// static ones and those of its DaemonSets; without its other pods and its devices.
    AddNodeLike {
        /// The other one.
        node: String,
    },
    /// Sets the disruptions that a budget allows.
    Budget {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// `status.disruptionsAllowed`.
        allowed: i64,
    },
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// Taints of a key, with any value or one, and any effect or one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaintPattern {
    /// The key.
    pub key: String,
    /// The value; absent: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The effect; absent: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// Effect of a taint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Effect {
    /// Rejects pods that do not tolerate the taint.
    NoSchedule,
    /// Lowers the score of the node for pods that do not tolerate the taint.
    PreferNoSchedule,
    /// Rejects pods that do not tolerate the taint, and evicts them.
    NoExecute,
    /// An effect that the scheduler does not know.
    Unknown,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// `spec.preemptionPolicy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PreemptionPolicy {
    /// The pod does not preempt.
    Never,
    /// The pod preempts pods of lower priority.
    PreemptLowerPriority,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}
