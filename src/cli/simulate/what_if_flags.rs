//! The what-if flags of `simulate`: assumed changes of pods and cluster.

use crate::error::Error;
use answers::what_if::{self, WhatIf};
use engine::edits::Edit;

/// The flags as typed.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "What if")]
pub struct WhatIfFlags {
    /// Pretend that the pods have this priority or class
    #[arg(long, value_name = "N|CLASS", allow_negative_numbers = true)]
    pub priority: Option<String>,

    /// Pretend that this is their preemption policy
    ///
    /// PreemptLowerPriority or Never.
    #[arg(long, value_name = "POLICY", value_parser = ["PreemptLowerPriority", "Never"], hide_possible_values = true)]
    pub preemption_policy: Option<String>,

    /// Pretend that the pods may preempt
    ///
    /// Without scheduling gates, and whatever their preemptionPolicy is. --on does this for pods
    /// that may not. With --apply, the victims are evicted by the eviction API.
    #[arg(long)]
    pub as_if_preempting: bool,

    /// Pretend that the container of each pod requests this
    ///
    /// As in its manifest, e.g. cpu=500m,memory=1Gi: the overhead of a RuntimeClass comes on top.
    /// Of several containers it is the one that decides how much the pod requests: the largest of
    /// those that run together, or an init container that requests more. A pod with pod-level
    /// resources requests it itself.
    #[arg(long, value_name = "RESOURCE=AMOUNT,...", value_delimiter = ',')]
    pub requests: Vec<String>,

    /// Pretend that the pods tolerate this taint
    ///
    /// TAINT is `KEY[=VALUE][:EFFECT]`; without an effect any effect, without a value any value.
    #[arg(long, value_name = "TAINT")]
    pub toleration: Vec<String>,

    /// Pretend that the pods also have this node selector
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',')]
    pub node_selector: Vec<String>,

    /// Pretend this node exists: Node objects from FILE
    #[arg(long, value_name = "FILE|-")]
    pub add_node: Vec<String>,

    /// Pretend another node like this one exists
    ///
    /// Without its pods and devices.
    #[arg(long, value_name = "NODE,...", value_delimiter = ',')]
    pub add_node_like: Vec<String>,

    /// Pretend this pod is deleted
    #[arg(long, value_name = "[NAMESPACE/]NAME")]
    pub remove_pod: Vec<String>,

    /// Pretend this much more is free on the node
    ///
    /// Such as n1:cpu=500m,memory=1Gi; pods=1 is room for one more pod.
    #[arg(long, value_name = "NODE:RESOURCE=AMOUNT,...")]
    pub free: Vec<String>,

    /// Pretend these nodes are cordoned
    #[arg(long, value_name = "NODE,...", value_delimiter = ',')]
    pub cordon: Vec<String>,

    /// Pretend these nodes are uncordoned
    #[arg(long, value_name = "NODE,...", value_delimiter = ',')]
    pub uncordon: Vec<String>,

    /// Pretend these nodes are drained
    ///
    /// They are cordoned, and their pods are deleted, except static pods and those of a DaemonSet.
    /// Without POD, -f, -A and -l, the answer describes the drain itself: which pods leave, what
    /// holds them up, and where their replacements go.
    #[arg(long, value_name = "NODE,...", value_delimiter = ',')]
    pub drain: Vec<String>,

    /// Pretend the node has this label
    #[arg(long, value_name = "NODE:KEY=VALUE")]
    pub label_node: Vec<String>,

    /// Pretend this taint is removed from the node
    ///
    /// TAINT is `KEY[=VALUE][:EFFECT]`; without an effect any effect, without a value any value.
    #[arg(long, value_name = "NODE:TAINT")]
    pub remove_taint: Vec<String>,

    /// Pretend these nodes and their pods are deleted
    ///
    /// Without anything else the answer is what happens to these pods, as with --fail.
    #[arg(long, value_name = "NODE,...", value_delimiter = ',')]
    pub remove_node: Vec<String>,

    /// Pretend this budget allows N disruptions
    #[arg(long, value_name = "[NAMESPACE/]NAME=N")]
    pub pdb: Vec<String>,

    /// Plan for this node, whichever the scheduler picks
    #[arg(long, value_name = "NODE")]
    pub on: Option<String>,
}

impl WhatIfFlags {
    /// Whether nothing is changed that a plan for the real cluster could not handle: `--on` selects
    /// a node, and `--as-if-preempting` evicts pods that the scheduler would not preempt.
    pub fn is_empty(&self) -> bool {
        self.add_node.is_empty() && WhatIf::ALL.iter().all(|flag| self.values(*flag).is_empty())
    }

    /// Whether this is assumed, and nothing else.
    pub fn is_only(&self, flag: WhatIf) -> bool {
        let others = WhatIf::ALL.iter().filter(|other| **other != flag);
        !self.values(flag).is_empty()
            && self.add_node.is_empty()
            && self.on.is_none()
            && others.into_iter().all(|other| self.values(*other).is_empty())
    }

    /// The changes, except for the nodes of `--add-node`. `namespace` applies to objects named
    /// without one.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid value.
    pub fn read(&self, namespace: &str) -> Result<Vec<Edit>, Error> {
        let mut edits = Vec::new();
        for flag in WhatIf::ALL {
            for value in self.values(flag) {
                edits.push(what_if::read(flag, value, namespace)?);
            }
            // It comes behind the policy, which it overrides.
            if flag == WhatIf::PreemptionPolicy && self.as_if_preempting {
                edits.push(Edit::AsIfPreempting);
            }
        }
        Ok(edits)
    }

    /// The values that were typed.
    fn values(&self, flag: WhatIf) -> &[String] {
        match flag {
            WhatIf::Priority => self.priority.as_slice(),
            WhatIf::PreemptionPolicy => self.preemption_policy.as_slice(),
            WhatIf::Requests => &self.requests,
            WhatIf::Toleration => &self.toleration,
            WhatIf::NodeSelector => &self.node_selector,
            WhatIf::AddNodeLike => &self.add_node_like,
            WhatIf::RemovePod => &self.remove_pod,
            WhatIf::Free => &self.free,
            WhatIf::Cordon => &self.cordon,
            WhatIf::Drain => &self.drain,
            WhatIf::Uncordon => &self.uncordon,
            WhatIf::LabelNode => &self.label_node,
            WhatIf::RemoveTaint => &self.remove_taint,
            WhatIf::RemoveNode => &self.remove_node,
            WhatIf::Pdb => &self.pdb,
        }
    }
}

#[cfg(test)]
mod tests;
