//! Assumptions as text: what the what-if flags of `simulate` take, and the fields of the page.

use std::collections::BTreeMap;

use crate::error::AnswerError;
use engine::cluster::quantity::Quantity;
use engine::edits::{Edit, PreemptionPolicy, TaintPattern};

/// An assumption, named by its flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhatIf {
    /// `--priority`.
    Priority,
    /// `--preemption-policy`.
    PreemptionPolicy,
    /// `--requests`, of one resource.
    Requests,
    /// `--toleration`.
    Toleration,
    /// `--node-selector`, of one label.
    NodeSelector,
    /// `--add-node-like`.
    AddNodeLike,
    /// `--remove-pod`.
    RemovePod,
    /// `--free`.
    Free,
    /// `--cordon`.
    Cordon,
    /// `--drain`.
    Drain,
    /// `--uncordon`.
    Uncordon,
    /// `--label-node`.
    LabelNode,
    /// `--remove-taint`.
    RemoveTaint,
    /// `--remove-node`.
    RemoveNode,
    /// `--pdb`.
    Pdb,
}

impl WhatIf {
    /// All of them, in the order in which `simulate` applies them.
    pub const ALL: [Self; 15] = [
        Self::Priority,
        Self::PreemptionPolicy,
        Self::Requests,
        Self::Toleration,
        Self::NodeSelector,
        Self::AddNodeLike,
        Self::RemovePod,
        Self::Free,
        Self::Cordon,
        Self::Drain,
        Self::Uncordon,
        Self::LabelNode,
        Self::RemoveTaint,
        Self::RemoveNode,
        Self::Pdb,
    ];

    /// Its flag.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Priority => "--priority",
            Self::PreemptionPolicy => "--preemption-policy",
            Self::Requests => "--requests",
            Self::Toleration => "--toleration",
            Self::NodeSelector => "--node-selector",
            Self::AddNodeLike => "--add-node-like",
            Self::RemovePod => "--remove-pod",
            Self::Free => "--free",
            Self::Cordon => "--cordon",
            Self::Drain => "--drain",
            Self::Uncordon => "--uncordon",
            Self::LabelNode => "--label-node",
            Self::RemoveTaint => "--remove-taint",
            Self::RemoveNode => "--remove-node",
            Self::Pdb => "--pdb",
        }
    }

    /// Whether its flag takes several values, with commas between them.
    #[must_use]
    pub const fn takes_a_list(self) -> bool {
        match self {
            Self::Requests
            | Self::NodeSelector
            | Self::AddNodeLike
            | Self::Cordon
            | Self::Drain
            | Self::Uncordon
            | Self::RemoveNode => true,
            Self::Priority
            | Self::PreemptionPolicy
            | Self::Toleration
            | Self::RemovePod
            | Self::Free
            | Self::LabelNode
            | Self::RemoveTaint
            | Self::Pdb => false,
        }
    }

    /// Parses one value as an edit. `namespace` is that of objects named without one.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for an invalid value.
    pub fn read(self, value: &str, namespace: &str) -> Result<Edit, AnswerError> {
        let node = || value.to_owned();
        match self {
            Self::Priority => read_priority(value),
            Self::PreemptionPolicy => {
                let all = [PreemptionPolicy::PreemptLowerPriority, PreemptionPolicy::Never];
                let policy = all.into_iter().find(|known| known.name() == value);
                let policy = policy
                    .ok_or_else(|| wrong(self.flag(), value, "PreemptLowerPriority or Never"))?;
                Ok(Edit::PreemptionPolicy { policy })
            }
            Self::Requests => read_request(value),
            Self::Toleration => {
                Ok(Edit::Toleration { taint: read_taint(self.flag(), value, value, "")? })
            }
            Self::NodeSelector => {
                let (key, value) =
                    pair(value).ok_or_else(|| wrong(self.flag(), value, "KEY=VALUE"))?;
                Ok(Edit::NodeSelector { key, value })
            }
            Self::AddNodeLike => Ok(Edit::AddNodeLike { node: node() }),
            Self::RemovePod => {
                let (namespace, name) = namespaced(value, namespace)
                    .ok_or_else(|| wrong(self.flag(), value, "[NAMESPACE/]NAME"))?;
                Ok(Edit::RemovePod { namespace, name })
            }
            Self::Free => read_free(value),
            Self::Cordon => Ok(Edit::Cordon { node: node() }),
            Self::Drain => Ok(Edit::Drain { node: node() }),
            Self::Uncordon => Ok(Edit::Uncordon { node: node() }),
            Self::LabelNode => read_node_label(value),
            Self::RemoveTaint => read_removed_taint(value),
            Self::RemoveNode => Ok(Edit::RemoveNode { node: node() }),
            Self::Pdb => {
                let parsed = pair(value).and_then(|(name, number)| {
                    Some((namespaced(&name, namespace)?, number.parse::<u32>().ok()?))
                });
                let ((namespace, name), allowed) =
                    parsed.ok_or_else(|| wrong(self.flag(), value, "[NAMESPACE/]NAME=N"))?;
                Ok(Edit::Budget { namespace, name, allowed: allowed.into() })
            }
        }
    }
}

fn wrong(flag: &str, value: &str, form: &str) -> AnswerError {
    AnswerError::usage(format!("{flag} `{value}`: use {form}"))
}

/// `KEY=VALUE`.
fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    (!key.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

/// `[NAMESPACE/]NAME`.
fn namespaced(text: &str, namespace: &str) -> Option<(String, String)> {
    let (namespace, name) = text.split_once('/').unwrap_or((namespace, text));
    let is_one = !namespace.is_empty() && !name.is_empty() && !name.contains('/');
    is_one.then(|| (namespace.to_owned(), name.to_owned()))
}

/// A number is a priority, anything else a class.
fn read_priority(text: &str) -> Result<Edit, AnswerError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(priority) => Ok(Edit::Priority { priority }),
        Err(_) if is_number => Err(AnswerError::usage(format!(
            "--priority `{text}`: a priority lies between {} and {}",
            i32::MIN,
            i32::MAX
        ))),
        Err(_) if text.is_empty() => {
            Err(wrong("--priority", text, "a number or the name of a PriorityClass"))
        }
        Err(_) => Ok(Edit::PriorityClass { name: text.to_owned() }),
    }
}

fn read_request(text: &str) -> Result<Edit, AnswerError> {
    let (resource, amount) =
        pair(text).ok_or_else(|| wrong("--requests", text, "RESOURCE=AMOUNT, such as cpu=500m"))?;
    check_amount("--requests", text, &resource, &amount)?;
    Ok(Edit::Request { resource, amount })
}

fn read_free(text: &str) -> Result<Edit, AnswerError> {
    let form = || wrong("--free", text, "NODE:RESOURCE=AMOUNT,..., such as n1:cpu=500m");
    let (node, amounts) =
        text.split_once(':').filter(|(node, _)| !node.is_empty()).ok_or_else(form)?;
    let mut resources = BTreeMap::new();
    for amount in amounts.split(',') {
        let (resource, amount) = pair(amount).ok_or_else(form)?;
        if resource != "pods" {
            check_amount("--free", text, &resource, &amount)?;
        } else if amount.parse::<u32>().is_err() {
            return Err(wrong("--free", text, "a whole number of pods"));
        }
        if resources.insert(resource.clone(), amount).is_some() {
            return Err(AnswerError::usage(format!("--free `{text}`: {resource} is given twice")));
        }
    }
    Ok(Edit::Free { node: node.to_owned(), resources })
}

/// Validates an amount of a resource that pods can request.
fn check_amount(flag: &str, text: &str, resource: &str, amount: &str) -> Result<(), AnswerError> {
    let known = ["cpu", "memory", "ephemeral-storage"].contains(&resource)
        || resource.starts_with("hugepages-")
        || resource.contains('/');
    if !known {
        return Err(AnswerError::Usage {
            problem: format!("{flag} `{text}`: `{resource}` is not a resource that a pod can request"),
            hint: Some(
                "use cpu, memory, ephemeral-storage, hugepages-SIZE or a full name such as nvidia.com/gpu".into(),
            ),
        });
    }
    let quantity =
        Quantity::parse(amount).map_err(|e| AnswerError::usage(format!("{flag} `{text}`: {e}")))?;
    if quantity.is_negative() {
        return Err(AnswerError::usage(format!("{flag} `{text}`: a request cannot be negative")));
    }
    if resource.contains('/') && quantity.as_units().is_none() {
        return Err(AnswerError::usage(format!("{flag} `{text}`: use a whole number")));
    }
    Ok(())
}

fn read_node_label(text: &str) -> Result<Edit, AnswerError> {
    let parts = text.split_once(':').filter(|(node, _)| !node.is_empty());
    let parts = parts.and_then(|(node, label)| Some((node.to_owned(), pair(label)?)));
    let (node, (key, value)) =
        parts.ok_or_else(|| wrong("--label-node", text, "NODE:KEY=VALUE"))?;
    Ok(Edit::LabelNode { node, key, value })
}

fn read_removed_taint(text: &str) -> Result<Edit, AnswerError> {
    let (node, taint) =
        text.split_once(':').filter(|(node, _)| !node.is_empty()).unwrap_or((text, ""));
    Ok(Edit::RemoveTaint {
        node: node.to_owned(),
        taint: read_taint("--remove-taint", text, taint, "NODE:")?,
    })
}

/// A taint in the syntax of kubectl taint: `key=value:effect`, `key:effect`, `key=value`, `key`.
fn read_taint(
    flag: &str,
    text: &str,
    taint: &str,
    before: &str,
) -> Result<TaintPattern, AnswerError> {
    let form = format!(
        "{before}KEY[=VALUE][:EFFECT], EFFECT being NoSchedule, PreferNoSchedule or NoExecute"
    );
    TaintPattern::parse(taint).ok_or_else(|| wrong(flag, text, &form))
}
