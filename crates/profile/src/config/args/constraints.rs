//! `PodTopologySpreadArgs`: spread constraints of pods that have none.

use serde_json::Value;

use super::super::api::Api;
use super::super::context::Context;
use super::super::error::{ConfigError, Problems, decode};
use super::super::wire::{Labels, strict};
use crate::args::DefaultConstraint;
use model::labels::is_label_key;

strict! {
    struct Spread {
        api_version: String,
        kind: String,
        default_constraints: Vec<Constraint>,
        defaulting_type: String,
    }

    struct Constraint {
        max_skew: i32,
        topology_key: String,
        when_unsatisfiable: String,
        label_selector: Option<LabelSelector>,
        min_domains: Option<i32>,
        node_affinity_policy: String,
        node_taints_policy: String,
        match_label_keys: Vec<String>,
    }

    struct LabelSelector {
        match_labels: Labels,
        match_expressions: Vec<Requirement>,
    }

    struct Requirement {
        key: String,
        operator: String,
        values: Vec<String>,
    }
}

/// `None` for the scheduler's own default constraints.
pub(super) fn read(
    value: &Value,
    path: &str,
    context: &Context,
    problems: &mut Problems,
) -> Result<Option<Vec<DefaultConstraint>>, ConfigError> {
    let raw: Spread = decode(value, path, problems)?;
    // Until v1beta2, constraints implied `List` without saying so.
    let listed = context.api <= Api::V1Beta1
        && raw.defaulting_type.is_empty()
        && !raw.default_constraints.is_empty();
    let kind = if listed { "List" } else { raw.defaulting_type.as_str() };
    match kind {
        "" | "System" if raw.default_constraints.is_empty() => return Ok(None),
        "" | "System" => {
            let problem = "when .defaultConstraints are not empty";
            return Err(ConfigError::invalid(format!("{path}.defaultingType"), "System", problem));
        }
        "List" => {}
        other => {
            let problem =
                format!("Unsupported value: {other:?}: supported values: \"List\", \"System\"");
            return Err(ConfigError::new(format!("{path}.defaultingType"), problem));
        }
    }
    let mut constraints: Vec<DefaultConstraint> = Vec::with_capacity(raw.default_constraints.len());
    for (index, constraint) in raw.default_constraints.into_iter().enumerate() {
        let path = format!("{path}.defaultConstraints[{index}]");
        let constraint = read_constraint(constraint, &path)?;
        if constraints
            .iter()
            .any(|c| c.topology_key == constraint.topology_key && c.hard == constraint.hard)
        {
            let action = if constraint.hard { "DoNotSchedule" } else { "ScheduleAnyway" };
            let problem = format!("Duplicate value: \"{{{}, {action}}}\"", constraint.topology_key);
            return Err(ConfigError::new(path, problem));
        }
        constraints.push(constraint);
    }
    Ok(Some(constraints))
}

fn read_constraint(raw: Constraint, path: &str) -> Result<DefaultConstraint, ConfigError> {
    let at = |field: &str| format!("{path}.{field}");
    if raw.max_skew <= 0 {
        return Err(ConfigError::invalid(
            at("maxSkew"),
            raw.max_skew,
            "not in valid range (0, inf)",
        ));
    }
    if raw.topology_key.is_empty() {
        return Err(ConfigError::new(at("topologyKey"), "Required value: can not be empty"));
    }
    if !is_label_key(&raw.topology_key) {
        return Err(ConfigError::invalid(
            at("topologyKey"),
            &raw.topology_key,
            "must be a label key",
        ));
    }
    if raw.label_selector.is_some() {
        let problem =
            "Forbidden: constraint must not define a selector, as they deduced for each pod";
        return Err(ConfigError::new(at("labelSelector"), problem));
    }
    let hard = match raw.when_unsatisfiable.as_str() {
        "DoNotSchedule" => true,
        "ScheduleAnyway" => false,
        "" => {
            return Err(ConfigError::new(
                at("whenUnsatisfiable"),
                "Required value: can not be empty",
            ));
        }
        other => {
            let problem = format!(
                "Unsupported value: {other:?}: supported values: \"DoNotSchedule\", \"ScheduleAnyway\""
            );
            return Err(ConfigError::new(at("whenUnsatisfiable"), problem));
        }
    };
    Ok(DefaultConstraint {
        topology_key: raw.topology_key,
        hard,
        max_skew: raw.max_skew.into(),
        min_domains: raw.min_domains.map_or(1, i64::from),
        honors_affinity: raw.node_affinity_policy != "Ignore",
        honors_taints: raw.node_taints_policy == "Honor",
    })
}
