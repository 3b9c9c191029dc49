//! Node affinity in a configuration, checked as the scheduler parses it.
//!
//! Upstream: `component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go` `NewNodeSelector`,
//! `NewPreferredSchedulingTerms`, `apimachinery/pkg/labels/selector.go` `NewRequirement` (1.37).

use model::labels::{is_label_key, is_label_value};

use super::error::ConfigError;
use crate::args::{AddedAffinity, NodeExpression, NodeTermSpec};

/// Checks `addedAffinity` at `path`.
pub(super) fn check(affinity: &AddedAffinity, path: &str) -> Result<(), ConfigError> {
    let required =
        format!("{path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    for (index, term) in affinity.required.iter().flatten().enumerate() {
        check_term(term, &format!("{required}[{index}]"))?;
    }
    let preferred = format!("{path}.preferredDuringSchedulingIgnoredDuringExecution");
    for (index, (weight, term)) in affinity.preferred.iter().enumerate() {
        // Parity: a term without weight is not checked.
        if *weight != 0 {
            check_term(term, &format!("{preferred}[{index}]"))?;
        }
    }
    Ok(())
}

fn check_term(term: &NodeTermSpec, path: &str) -> Result<(), ConfigError> {
    for (index, expression) in term.expressions.iter().enumerate() {
        check_expression(expression, &format!("{path}.matchExpressions[{index}]"))?;
    }
    for (index, field) in term.fields.iter().enumerate() {
        check_field(field, &format!("{path}.matchFields[{index}]"))?;
    }
    Ok(())
}

fn check_expression(expression: &NodeExpression, path: &str) -> Result<(), ConfigError> {
    let NodeExpression { key, operator, values } = expression;
    let supported = ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"];
    if !supported.contains(&operator.as_str()) {
        return Err(ConfigError::unsupported(format!("{path}.operator"), operator, &supported));
    }
    if !is_label_key(key) {
        let problem = "must be a label key such as example.com/name";
        return Err(ConfigError::invalid(format!("{path}.key"), key, problem));
    }

    // Each operator takes a number of values of its own.
    let wrong_number = match operator.as_str() {
        "In" | "NotIn" if values.is_empty() => {
            Some("for 'in', 'notin' operators, values set can't be empty")
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            Some("values set must be empty for exists and does not exist")
        }
        "Gt" | "Lt" if values.len() != 1 => {
            Some("for 'Gt', 'Lt' operators, exactly one value is required")
        }
        _ => None,
    };
    if let Some(problem) = wrong_number {
        return Err(ConfigError::invalid(format!("{path}.values"), values, problem));
    }

    for (index, value) in values.iter().enumerate() {
        let at = format!("{path}.values[{index}]");
        if matches!(operator.as_str(), "Gt" | "Lt") && value.parse::<i64>().is_err() {
            let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
            return Err(ConfigError::invalid(at, value, problem));
        }
        if !is_label_value(value) {
            return Err(ConfigError::invalid(
                format!("{at}[{key}]"),
                value,
                "must be a label value",
            ));
        }
    }
    Ok(())
}

/// Parity: the name of the field is not checked.
fn check_field(field: &NodeExpression, path: &str) -> Result<(), ConfigError> {
    let supported = ["In", "NotIn"];
    if !supported.contains(&field.operator.as_str()) {
        return Err(ConfigError::unsupported(
            format!("{path}.operator"),
            &field.operator,
            &supported,
        ));
    }
    if field.values.len() != 1 {
        return Err(ConfigError::invalid(
            format!("{path}.values"),
            &field.values,
            "must have one element",
        ));
    }
    Ok(())
}
