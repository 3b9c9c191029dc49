//! An edit in words.

use std::collections::BTreeMap;

use super::Edit;

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
