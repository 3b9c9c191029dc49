//! An edit in words, and as arguments of `simulate`.

use std::collections::BTreeMap;

use super::Edit;

impl Edit {
    /// What is assumed: `cpu=500m`, `worker-3 cordoned`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Priority { priority } => format!("priority={priority}"),
            Self::PriorityClass { name } => format!("priority class {name}"),
            Self::PreemptionPolicy { policy } => format!("preemptionPolicy={}", policy.name()),
            Self::AsIfPreempting => "no scheduling gates and preemptionPolicy=PreemptLowerPriority".to_owned(),
            Self::Request { resource, amount } => format!("{resource}={amount}"),
            Self::Toleration { taint } => format!("{taint} tolerated"),
            Self::NodeSelector { key, value } => format!("node selector {key}={value}"),
            Self::RemovePod { namespace, name } => format!("pod {namespace}/{name} removed"),
            Self::Free { node, resources } => format!("{} freed on {node}", pairs(resources)),
            Self::Cordon { node } => format!("{node} cordoned"),
            Self::Uncordon { node } => format!("{node} uncordoned"),
            Self::Drain { node } => format!("{node} drained"),
            Self::RemoveTaint { node, taint } => format!("taint {taint} removed from {node}"),
            Self::RemoveNode { node } => format!("{node} removed"),
            Self::AddNode { node, .. } => format!("{node} added"),
            Self::AddNodeLike { node } => format!("a node like {node} added"),
            Self::Budget { namespace, name, allowed } => format!("budget {namespace}/{name} allows {allowed}"),
        }
    }

    /// The arguments of `simulate` that make this edit.
    #[must_use]
    pub fn argv(&self) -> Vec<String> {
        let (flag, value) = match self {
            Self::Priority { priority } => ("--priority", priority.to_string()),
            Self::PriorityClass { name } => ("--priority", name.clone()),
            Self::PreemptionPolicy { policy } => ("--preemption-policy", policy.name().to_owned()),
            Self::AsIfPreempting => return vec!["--as-if-preempting".to_owned()],
            Self::Request { resource, amount } => ("--requests", format!("{resource}={amount}")),
            Self::Toleration { taint } => ("--toleration", taint.to_string()),
            Self::NodeSelector { key, value } => ("--node-selector", format!("{key}={value}")),
            Self::RemovePod { namespace, name } => ("--remove-pod", format!("{namespace}/{name}")),
            Self::Free { node, resources } => ("--free", format!("{node}:{}", pairs(resources))),
            Self::Cordon { node } => ("--cordon", node.clone()),
            Self::Uncordon { node } => ("--uncordon", node.clone()),
            Self::Drain { node } => ("--drain", node.clone()),
            Self::RemoveTaint { node, taint } => ("--remove-taint", format!("{node}:{taint}")),
            Self::RemoveNode { node } => ("--remove-node", node.clone()),
            Self::AddNode { file, .. } => ("--add-node", file.clone()),
            Self::AddNodeLike { node } => ("--add-node-like", node.clone()),
            Self::Budget { namespace, name, allowed } => ("--pdb", format!("{namespace}/{name}={allowed}")),
        };
        vec![flag.to_owned(), value]
    }
}

/// `cpu=250m,memory=1Gi`.
#[must_use]
pub fn pairs(resources: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = resources.iter().map(|(resource, amount)| format!("{resource}={amount}")).collect();
    pairs.join(",")
}
