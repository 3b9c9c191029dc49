//! `pluginConfig[].args`: one type per plugin that has any.
//!
//! Upstream: `kube-scheduler/config/v1/types_pluginargs.go`,
//! `pkg/scheduler/apis/config/validation/validation_pluginargs.go` (1.37).

use serde_json::Value;

use super::wire::{Unused, strict};
use super::{ConfigError, strict as decode};
use crate::profile::args::{
    AddedAffinity, DefaultConstraint, FitScoring, FitStrategy, NodeExpression, NodeTermSpec, PluginArgs, ShapePoint,
    WeightedResource,
};

strict! {
    struct Fit {
        api_version: String,
        kind: String,
        ignored_resources: Vec<String>,
        ignored_resource_groups: Vec<String>,
        scoring_strategy: Option<Strategy>,
    }

    struct Strategy {
        r#type: String,
        resources: Vec<Resource>,
        requested_to_capacity_ratio: Option<Ratio>,
    }

    struct Ratio {
        shape: Vec<Point>,
    }

    struct Resource {
        name: String,
        weight: i64,
    }

    struct Point {
        utilization: i64,
        score: i64,
    }

    struct Balanced {
        api_version: String,
        kind: String,
        resources: Vec<Resource>,
    }

    struct InterPod {
        api_version: String,
        kind: String,
        hard_pod_affinity_weight: Option<i64>,
        ignore_preferred_terms_of_existing_pods: bool,
    }

    struct Spread {
        api_version: String,
        kind: String,
        default_constraints: Vec<Constraint>,
        defaulting_type: String,
    }

    struct Constraint {
        max_skew: i64,
        topology_key: String,
        when_unsatisfiable: String,
        label_selector: Unused,
        min_domains: Option<i64>,
        node_affinity_policy: String,
        node_taints_policy: String,
        match_label_keys: Unused,
    }

    struct NodeAffinity {
        api_version: String,
        kind: String,
        added_affinity: Option<Affinity>,
    }

    struct Affinity {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Option<Selector>,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<Preferred>,
    }

    struct Selector {
        node_selector_terms: Vec<Term>,
    }

    struct Preferred {
        weight: i64,
        preference: Term,
    }

    struct Term {
        match_expressions: Vec<Expression>,
        match_fields: Vec<Expression>,
    }

    struct Expression {
        key: String,
        operator: String,
        values: Vec<String>,
    }

    struct Preemption {
        api_version: String,
        kind: String,
        min_candidate_nodes_percentage: Option<i64>,
        min_candidate_nodes_absolute: Option<i64>,
    }

    struct Volumes {
        api_version: String,
        kind: String,
        bind_timeout_seconds: Option<i64>,
        shape: Option<Vec<Point>>,
    }

    struct Devices {
        api_version: String,
        kind: String,
        filter_timeout: Unused,
        binding_timeout: Unused,
    }
}

/// Reads the arguments of `plugin` into `args`; those of plugins that are not the scheduler's own are left alone.
pub(super) fn read(plugin: &str, value: &Value, path: &str, args: &mut PluginArgs) -> Result<(), ConfigError> {
    let at = |field: &str| format!("{path}.{field}");
    match plugin {
        "NodeResourcesFit" => {
            let fit: Fit = decode(value, path)?;
            for (index, group) in fit.ignored_resource_groups.iter().enumerate() {
                if group.contains('/') {
                    let path = at(&format!("ignoredResourceGroups[{index}]"));
                    return Err(ConfigError::invalid(path, group, "resource group name can't contain '/'"));
                }
            }
            (args.ignored_resources, args.ignored_resource_groups) =
                (fit.ignored_resources, fit.ignored_resource_groups);
            if let Some(strategy) = fit.scoring_strategy {
                args.fit_scoring = read_strategy(strategy, &at("scoringStrategy"))?;
            }
        }
        "NodeResourcesBalancedAllocation" => {
            let balanced: Balanced = decode(value, path)?;
            let resources = read_resources(balanced.resources, &at("resources"))?;
            if let Some(index) = resources.iter().position(|r| r.weight != 1) {
                return Err(ConfigError::invalid(at(&format!("resources[{index}].weight")), 0, "must be 1"));
            }
            args.balanced_resources = resources;
        }
        "InterPodAffinity" => {
            let inter_pod: InterPod = decode(value, path)?;
            let weight = inter_pod.hard_pod_affinity_weight.unwrap_or(1);
            in_range(weight, 0, 100, at("hardPodAffinityWeight"))?;
            args.hard_pod_affinity_weight = weight;
            args.ignore_preferred_terms_of_existing_pods = inter_pod.ignore_preferred_terms_of_existing_pods;
        }
        "PodTopologySpread" => args.default_constraints = read_spread(decode(value, path)?, path)?,
        "NodeAffinity" => {
            let affinity: NodeAffinity = decode(value, path)?;
            args.added_affinity = affinity.added_affinity.map(read_affinity).unwrap_or_default();
        }
        "DefaultPreemption" => read_preemption(&decode(value, path)?, path, args)?,
        "VolumeBinding" => {
            let volumes: Volumes = decode(value, path)?;
            if let Some(shape) = volumes.shape {
                args.volume_binding_shape = read_shape(&shape, &at("shape"))?;
            }
        }
        "DynamicResources" => drop(decode::<Devices>(value, path)?),
        _ => {}
    }
    Ok(())
}

fn in_range(value: i64, least: i64, most: i64, path: String) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::invalid(path, value, &format!("not in valid range [{least}, {most}]")))
}

fn read_preemption(raw: &Preemption, path: &str, args: &mut PluginArgs) -> Result<(), ConfigError> {
    let percentage = raw.min_candidate_nodes_percentage.unwrap_or(args.min_candidate_nodes_percentage);
    let absolute = raw.min_candidate_nodes_absolute.unwrap_or(args.min_candidate_nodes_absolute);
    in_range(percentage, 0, 100, format!("{path}.minCandidateNodesPercentage"))?;
    if absolute < 0 {
        let path = format!("{path}.minCandidateNodesAbsolute");
        return Err(ConfigError::invalid(path, absolute, "not in valid range [0, inf)"));
    }
    if percentage == 0 && absolute == 0 {
        let problem = "cannot be zero at the same time as minCandidateNodesAbsolute";
        return Err(ConfigError::invalid(format!("{path}.minCandidateNodesPercentage"), 0, problem));
    }
    (args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute) = (percentage, absolute);
    Ok(())
}

fn read_strategy(raw: Strategy, path: &str) -> Result<FitScoring, ConfigError> {
    let ratio = raw.requested_to_capacity_ratio;
    let strategy = match (raw.r#type.as_str(), &ratio) {
        ("" | "LeastAllocated", None) => FitStrategy::LeastAllocated,
        ("MostAllocated", None) => FitStrategy::MostAllocated,
        ("RequestedToCapacityRatio", Some(ratio)) => {
            let path = format!("{path}.requestedToCapacityRatio.shape");
            FitStrategy::RequestedToCapacityRatio(read_shape(&ratio.shape, &path)?)
        }
        ("RequestedToCapacityRatio", None) => {
            let problem = "Required value: must be specified when type is RequestedToCapacityRatio";
            return Err(ConfigError::new(format!("{path}.requestedToCapacityRatio"), problem));
        }
        ("" | "LeastAllocated" | "MostAllocated", Some(_)) => {
            let problem = "Forbidden: must be nil when type is not RequestedToCapacityRatio";
            return Err(ConfigError::new(format!("{path}.requestedToCapacityRatio"), problem));
        }
        (other, _) => {
            let known = r#""LeastAllocated", "MostAllocated", "RequestedToCapacityRatio""#;
            let problem = format!("Unsupported value: {other:?}: supported values: {known}");
            return Err(ConfigError::new(format!("{path}.type"), problem));
        }
    };
    Ok(FitScoring { strategy, resources: read_resources(raw.resources, &format!("{path}.resources"))? })
}

/// None are cpu and memory; a weight that is left out is 1.
fn read_resources(raw: Vec<Resource>, path: &str) -> Result<Vec<WeightedResource>, ConfigError> {
    if raw.is_empty() {
        return Ok(PluginArgs::default().balanced_resources);
    }
    let mut resources: Vec<WeightedResource> = Vec::with_capacity(raw.len());
    for (index, Resource { name, weight }) in raw.into_iter().enumerate() {
        let weight = if weight == 0 { 1 } else { weight };
        if !(1..=100).contains(&weight) {
            let problem = format!("resource weight of {name} not in valid range (0, 100]");
            return Err(ConfigError::invalid(format!("{path}[{index}].weight"), weight, &problem));
        }
        if resources.iter().any(|earlier| earlier.name == name) {
            return Err(ConfigError::new(format!("{path}[{index}].name"), format!("Duplicate value: {name:?}")));
        }
        resources.push(WeightedResource { name, weight });
    }
    Ok(resources)
}

fn read_shape(raw: &[Point], path: &str) -> Result<Vec<ShapePoint>, ConfigError> {
    if raw.is_empty() {
        return Err(ConfigError::new(path, "Required value: at least one point must be specified"));
    }
    for (index, point) in raw.iter().enumerate() {
        in_range(point.utilization, 0, 100, format!("{path}[{index}].utilization"))?;
        in_range(point.score, 0, 10, format!("{path}[{index}].score"))?;
        if raw.iter().take(index).any(|earlier| earlier.utilization >= point.utilization) {
            let problem = "values must be sorted in increasing order";
            return Err(ConfigError::invalid(format!("{path}[{index}].utilization"), point.utilization, problem));
        }
    }
    Ok(raw.iter().map(|p| ShapePoint { utilization: p.utilization, score: p.score * 10 }).collect())
}

/// `None` for the constraints that the scheduler itself has as defaults.
fn read_spread(raw: Spread, path: &str) -> Result<Option<Vec<DefaultConstraint>>, ConfigError> {
    match raw.defaulting_type.as_str() {
        "" | "System" if raw.default_constraints.is_empty() => return Ok(None),
        "" | "System" => {
            let problem = "when .defaultConstraints are not empty";
            return Err(ConfigError::invalid(format!("{path}.defaultingType"), "System", problem));
        }
        "List" => {}
        other => {
            let problem = format!("Unsupported value: {other:?}: supported values: \"List\", \"System\"");
            return Err(ConfigError::new(format!("{path}.defaultingType"), problem));
        }
    }
    let mut constraints: Vec<DefaultConstraint> = Vec::with_capacity(raw.default_constraints.len());
    for (index, constraint) in raw.default_constraints.into_iter().enumerate() {
        let path = format!("{path}.defaultConstraints[{index}]");
        let constraint = read_constraint(constraint, &path)?;
        let same = |c: &DefaultConstraint| c.topology_key == constraint.topology_key && c.hard == constraint.hard;
        if constraints.iter().any(same) {
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
        return Err(ConfigError::invalid(at("maxSkew"), raw.max_skew, "not in valid range (0, inf)"));
    }
    if raw.topology_key.is_empty() {
        return Err(ConfigError::new(at("topologyKey"), "Required value: can not be empty"));
    }
    if raw.label_selector.is_some() {
        let problem = "Forbidden: constraint must not define a selector, as they deduced for each pod";
        return Err(ConfigError::new(at("labelSelector"), problem));
    }
    let hard = match raw.when_unsatisfiable.as_str() {
        "DoNotSchedule" => true,
        "ScheduleAnyway" => false,
        "" => return Err(ConfigError::new(at("whenUnsatisfiable"), "Required value: can not be empty")),
        other => {
            let problem =
                format!("Unsupported value: {other:?}: supported values: \"DoNotSchedule\", \"ScheduleAnyway\"");
            return Err(ConfigError::new(at("whenUnsatisfiable"), problem));
        }
    };
    Ok(DefaultConstraint {
        topology_key: raw.topology_key,
        hard,
        max_skew: raw.max_skew,
        min_domains: raw.min_domains.unwrap_or(1),
        honors_affinity: raw.node_affinity_policy != "Ignore",
        honors_taints: raw.node_taints_policy == "Honor",
    })
}

fn read_affinity(raw: Affinity) -> AddedAffinity {
    AddedAffinity {
        required: raw.required.map(|s| s.node_selector_terms.into_iter().map(read_term).collect()),
        preferred: raw.preferred.into_iter().map(|p| (p.weight, read_term(p.preference))).collect(),
    }
}

fn read_term(raw: Term) -> NodeTermSpec {
    let read = |list: Vec<Expression>| -> Vec<NodeExpression> {
        list.into_iter().map(|e| NodeExpression { key: e.key, operator: e.operator, values: e.values }).collect()
    };
    NodeTermSpec { expressions: read(raw.match_expressions), fields: read(raw.match_fields) }
}
