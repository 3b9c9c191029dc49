//! Assumptions as text: the values of the what-if flags of `simulate`, and of the page's fields.

use std::collections::BTreeMap;
use std::fmt::Display;

pub use crate::commands::WhatIf;
use crate::error::AnswerError;
use engine::cluster::quantity::Quantity;
use engine::edits::{Edit, PreemptionPolicy, TaintPattern};

/// Parses one value as an edit. `namespace` is that of objects named without one; it may be empty,
/// until it is known.
///
/// # Errors
/// [`AnswerError::Usage`] for an invalid value.
pub fn read(what_if: WhatIf, value: &str, namespace: &str) -> Result<Edit, AnswerError> {
    match what_if {
        WhatIf::Priority => read_priority(value),
        WhatIf::PreemptionPolicy => {
            let all = [PreemptionPolicy::PreemptLowerPriority, PreemptionPolicy::Never];
            let policy = all.into_iter().find(|known| known.name() == value);
            let policy =
                policy.ok_or_else(|| wrong(what_if, value, "PreemptLowerPriority or Never"))?;
            Ok(Edit::PreemptionPolicy { policy })
        }
        WhatIf::Requests => read_request(value),
        WhatIf::Toleration => {
            Ok(Edit::Toleration { taint: read_taint(what_if, value, value, "")? })
        }
        WhatIf::NodeSelector => {
            let (key, value) = pair(value).ok_or_else(|| wrong(what_if, value, "KEY=VALUE"))?;
            Ok(Edit::NodeSelector { key, value })
        }
        WhatIf::AddNodeLike => Ok(Edit::AddNodeLike { node: value.to_owned() }),
        WhatIf::RemovePod => {
            let (namespace, name) = namespaced(value, namespace)
                .ok_or_else(|| wrong(what_if, value, "[NAMESPACE/]NAME"))?;
            Ok(Edit::RemovePod { namespace, name })
        }
        WhatIf::Free => read_free(value),
        WhatIf::Cordon => Ok(Edit::Cordon { node: value.to_owned() }),
        WhatIf::Drain => Ok(Edit::Drain { node: value.to_owned() }),
        WhatIf::Uncordon => Ok(Edit::Uncordon { node: value.to_owned() }),
        WhatIf::LabelNode => read_node_label(value),
        WhatIf::RemoveTaint => read_removed_taint(value),
        WhatIf::RemoveNode => Ok(Edit::RemoveNode { node: value.to_owned() }),
        WhatIf::Pdb => {
            let parsed = pair(value).and_then(|(name, number)| {
                Some((namespaced(&name, namespace)?, number.parse::<u32>().ok()?))
            });
            let ((namespace, name), allowed) =
                parsed.ok_or_else(|| wrong(what_if, value, "[NAMESPACE/]NAME=N"))?;
            Ok(Edit::Budget { namespace, name, allowed: allowed.into() })
        }
    }
}

fn wrong(what_if: WhatIf, value: &str, form: &str) -> AnswerError {
    problem(what_if, value, format_args!("use {form}"))
}

fn problem(what_if: WhatIf, value: &str, problem: impl Display) -> AnswerError {
    AnswerError::usage(format!("{} `{value}`: {problem}", what_if.flag()))
}

/// `KEY=VALUE`.
fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    (!key.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

/// `[NAMESPACE/]NAME`.
fn namespaced(text: &str, namespace: &str) -> Option<(String, String)> {
    let named = text.split_once('/');
    let (namespace, name) = named.unwrap_or((namespace, text));
    let is_one = named.is_none_or(|(namespace, _)| !namespace.is_empty());
    (is_one && !name.is_empty() && !name.contains('/'))
        .then(|| (namespace.to_owned(), name.to_owned()))
}

/// A number is a priority, anything else a class.
fn read_priority(text: &str) -> Result<Edit, AnswerError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(priority) => Ok(Edit::Priority { priority }),
        Err(_) if is_number => {
            let range = format!("a priority lies between {} and {}", i32::MIN, i32::MAX);
            Err(problem(WhatIf::Priority, text, range))
        }
        Err(_) if text.is_empty() => {
            Err(wrong(WhatIf::Priority, text, "a number or the name of a PriorityClass"))
        }
        Err(_) => Ok(Edit::PriorityClass { name: text.to_owned() }),
    }
}

fn read_request(text: &str) -> Result<Edit, AnswerError> {
    let (resource, amount) = pair(text)
        .ok_or_else(|| wrong(WhatIf::Requests, text, "RESOURCE=AMOUNT, such as cpu=500m"))?;
    check_amount(WhatIf::Requests, text, &resource, &amount)?;
    Ok(Edit::Request { resource, amount })
}

fn read_free(text: &str) -> Result<Edit, AnswerError> {
    let form = || wrong(WhatIf::Free, text, "NODE:RESOURCE=AMOUNT,..., such as n1:cpu=500m");
    let (node, amounts) =
        text.split_once(':').filter(|(node, _)| !node.is_empty()).ok_or_else(form)?;
    let mut resources = BTreeMap::new();
    for amount in amounts.split(',') {
        let (resource, amount) = pair(amount).ok_or_else(form)?;
        if resource != "pods" {
            check_amount(WhatIf::Free, text, &resource, &amount)?;
        } else if amount.parse::<u32>().is_err() {
            return Err(wrong(WhatIf::Free, text, "a whole number of pods"));
        }
        if resources.insert(resource.clone(), amount).is_some() {
            return Err(problem(WhatIf::Free, text, format_args!("{resource} is given twice")));
        }
    }
    Ok(Edit::Free { node: node.to_owned(), resources })
}

/// Validates an amount of a resource that pods can request.
fn check_amount(
    what_if: WhatIf,
    text: &str,
    resource: &str,
    amount: &str,
) -> Result<(), AnswerError> {
    let known = ["cpu", "memory", "ephemeral-storage"].contains(&resource)
        || resource.starts_with("hugepages-")
        || resource.contains('/');
    if !known {
        let flag = what_if.flag();
        return Err(AnswerError::usage_hint(
            format!("{flag} `{text}`: `{resource}` is not a resource that a pod can request"),
            "use cpu, memory, ephemeral-storage, hugepages-SIZE or a full name such as nvidia.com/gpu",
        ));
    }
    let quantity = Quantity::parse(amount).map_err(|e| problem(what_if, text, e))?;
    if quantity.is_negative() {
        return Err(problem(what_if, text, "a request cannot be negative"));
    }
    if resource.contains('/') && quantity.as_units().is_none() {
        return Err(problem(what_if, text, "use a whole number"));
    }
    Ok(())
}

fn read_node_label(text: &str) -> Result<Edit, AnswerError> {
    let parts = text.split_once(':').filter(|(node, _)| !node.is_empty());
    let parts = parts.and_then(|(node, label)| Some((node.to_owned(), pair(label)?)));
    let (node, (key, value)) =
        parts.ok_or_else(|| wrong(WhatIf::LabelNode, text, "NODE:KEY=VALUE"))?;
    Ok(Edit::LabelNode { node, key, value })
}

fn read_removed_taint(text: &str) -> Result<Edit, AnswerError> {
    let (node, taint) =
        text.split_once(':').filter(|(node, _)| !node.is_empty()).unwrap_or((text, ""));
    Ok(Edit::RemoveTaint {
        node: node.to_owned(),
        taint: read_taint(WhatIf::RemoveTaint, text, taint, "NODE:")?,
    })
}

/// A taint in the syntax of kubectl taint: `key=value:effect`, `key:effect`, `key=value`, `key`.
fn read_taint(
    what_if: WhatIf,
    text: &str,
    taint: &str,
    before: &str,
) -> Result<TaintPattern, AnswerError> {
    let form = format!(
        "{before}KEY[=VALUE][:EFFECT], EFFECT being NoSchedule, PreferNoSchedule or NoExecute"
    );
    TaintPattern::parse(taint).ok_or_else(|| wrong(what_if, text, &form))
}
