//! The what-if flags of `simulate`: assumed changes of pods and cluster.

use std::collections::BTreeMap;

use crate::error::Error;
use engine::cluster::quantity::Quantity;
use engine::edits::{Edit, PreemptionPolicy, TaintPattern};

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
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let lists = [
            &self.requests,
            &self.toleration,
            &self.node_selector,
            &self.add_node,
            &self.add_node_like,
            &self.remove_pod,
            &self.free,
            &self.cordon,
            &self.uncordon,
            &self.drain,
            &self.label_node,
            &self.remove_taint,
            &self.remove_node,
            &self.pdb,
        ];
        self.priority.is_none()
            && self.preemption_policy.is_none()
            && lists.iter().all(|list| list.is_empty())
    }

    /// The changes, except for the nodes of `--add-node`. `namespace` applies to objects named
    /// without one.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid value.
    pub fn read(&self, namespace: &str) -> Result<Vec<Edit>, Error> {
        let mut edits = self.of_pods()?;
        let node = |edit: fn(String) -> Edit| move |node: &String| edit(node.clone());
        edits.extend(self.add_node_like.iter().map(node(|node| Edit::AddNodeLike { node })));
        for pod in &self.remove_pod {
            let (namespace, name) = namespaced(pod, namespace)
                .ok_or_else(|| wrong("--remove-pod", pod, "[NAMESPACE/]NAME"))?;
            edits.push(Edit::RemovePod { namespace, name });
        }
        for freed in &self.free {
            edits.push(read_free(freed)?);
        }
        edits.extend(self.cordon.iter().map(node(|node| Edit::Cordon { node })));
        edits.extend(self.drain.iter().map(node(|node| Edit::Drain { node })));
        edits.extend(self.uncordon.iter().map(node(|node| Edit::Uncordon { node })));
        for label in &self.label_node {
            edits.push(read_node_label(label)?);
        }
        for taint in &self.remove_taint {
            edits.push(read_removed_taint(taint)?);
        }
        edits.extend(self.remove_node.iter().map(node(|node| Edit::RemoveNode { node })));
        for budget in &self.pdb {
            let parsed = pair(budget).and_then(|(name, number)| {
                Some((namespaced(&name, namespace)?, number.parse::<u32>().ok()?))
            });
            let ((namespace, name), allowed) =
                parsed.ok_or_else(|| wrong("--pdb", budget, "[NAMESPACE/]NAME=N"))?;
            edits.push(Edit::Budget { namespace, name, allowed: allowed.into() });
        }
        Ok(edits)
    }

    /// The changes of the pods in question.
    fn of_pods(&self) -> Result<Vec<Edit>, Error> {
        let mut edits = Vec::new();
        if let Some(priority) = &self.priority {
            edits.push(read_priority(priority)?);
        }
        if let Some(policy) = &self.preemption_policy {
            let all = [PreemptionPolicy::PreemptLowerPriority, PreemptionPolicy::Never];
            let policy = all.into_iter().find(|known| known.name() == policy);
            edits.extend(policy.map(|policy| Edit::PreemptionPolicy { policy }));
        }
        if self.as_if_preempting {
            edits.push(Edit::AsIfPreempting);
        }
        for request in &self.requests {
            edits.push(read_request(request)?);
        }
        for toleration in &self.toleration {
            edits.push(Edit::Toleration {
                taint: read_taint("--toleration", toleration, toleration, "")?,
            });
        }
        for label in &self.node_selector {
            let (key, value) =
                pair(label).ok_or_else(|| wrong("--node-selector", label, "KEY=VALUE"))?;
            edits.push(Edit::NodeSelector { key, value });
        }
        Ok(edits)
    }
}

fn wrong(flag: &str, value: &str, form: &str) -> Error {
    Error::usage(format!("{flag} `{value}`: use {form}"))
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
fn read_priority(text: &str) -> Result<Edit, Error> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(priority) => Ok(Edit::Priority { priority }),
        Err(_) if is_number => Err(Error::usage(format!(
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

fn read_request(text: &str) -> Result<Edit, Error> {
    let (resource, amount) =
        pair(text).ok_or_else(|| wrong("--requests", text, "RESOURCE=AMOUNT, such as cpu=500m"))?;
    check_amount("--requests", text, &resource, &amount)?;
    Ok(Edit::Request { resource, amount })
}

fn read_free(text: &str) -> Result<Edit, Error> {
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
            return Err(Error::usage(format!("--free `{text}`: {resource} is given twice")));
        }
    }
    Ok(Edit::Free { node: node.to_owned(), resources })
}

/// Validates an amount of a resource that pods can request.
fn check_amount(flag: &str, text: &str, resource: &str, amount: &str) -> Result<(), Error> {
    let known = ["cpu", "memory", "ephemeral-storage"].contains(&resource)
        || resource.starts_with("hugepages-")
        || resource.contains('/');
    if !known {
        return Err(Error::Usage {
            problem: format!("{flag} `{text}`: `{resource}` is not a resource that a pod can request"),
            hint: Some(
                "use cpu, memory, ephemeral-storage, hugepages-SIZE or a full name such as nvidia.com/gpu".into(),
            ),
        });
    }
    let quantity =
        Quantity::parse(amount).map_err(|e| Error::usage(format!("{flag} `{text}`: {e}")))?;
    if quantity.is_negative() {
        return Err(Error::usage(format!("{flag} `{text}`: a request cannot be negative")));
    }
    if resource.contains('/') && quantity.as_units().is_none() {
        return Err(Error::usage(format!("{flag} `{text}`: use a whole number")));
    }
    Ok(())
}

fn read_node_label(text: &str) -> Result<Edit, Error> {
    let parts = text.split_once(':').filter(|(node, _)| !node.is_empty());
    let parts = parts.and_then(|(node, label)| Some((node.to_owned(), pair(label)?)));
    let (node, (key, value)) =
        parts.ok_or_else(|| wrong("--label-node", text, "NODE:KEY=VALUE"))?;
    Ok(Edit::LabelNode { node, key, value })
}

fn read_removed_taint(text: &str) -> Result<Edit, Error> {
    let (node, taint) =
        text.split_once(':').filter(|(node, _)| !node.is_empty()).unwrap_or((text, ""));
    Ok(Edit::RemoveTaint {
        node: node.to_owned(),
        taint: read_taint("--remove-taint", text, taint, "NODE:")?,
    })
}

/// A taint in the syntax of kubectl taint: `key=value:effect`, `key:effect`, `key=value`, `key`.
fn read_taint(flag: &str, text: &str, taint: &str, before: &str) -> Result<TaintPattern, Error> {
    let form = format!(
        "{before}KEY[=VALUE][:EFFECT], EFFECT being NoSchedule, PreferNoSchedule or NoExecute"
    );
    TaintPattern::parse(taint).ok_or_else(|| wrong(flag, text, &form))
}

#[cfg(test)]
mod tests;
