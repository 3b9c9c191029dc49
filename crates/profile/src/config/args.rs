//! `pluginConfig[].args`: one type per plugin that has any.
//!
//! Upstream: `kube-scheduler/config/v1/types_pluginargs.go`,
//! `pkg/scheduler/apis/config/validation/validation_pluginargs.go` (1.37; the removed scoring
//! plugins: 1.22).

mod constraints;
mod types;

use std::time;

use serde_json::Value;

use super::api;
use super::context::Context;
use super::error::{ConfigError, ConfigStage, Problems, decode};
use super::node_terms;
use super::wire::{self, Duration, strict};
use model::labels::is_label_key;

use crate::args::{
    AddedAffinity, FitScoring, FitStrategy, NodeExpression, NodeTermSpec, PluginArgs, ShapePoint,
    WeightedResource,
};

pub(super) use types::exist;

/// From this release on a ratio is rejected if the strategy has a different type.
const RATIO_BY_TYPE: u16 = 36;

/// The gate for `filterTimeout`.
const FILTER_TIMEOUT: &str = "DRASchedulerFilterTimeout";

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
        requested_to_capacity_ratio: Option<Curved>,
    }

    struct Curved {
        shape: Vec<Point>,
    }

    struct Ratio {
        shape: Vec<Point>,
        resources: Vec<Resource>,
    }

    struct Resource {
        name: String,
        weight: i64,
    }

    struct Point {
        utilization: i32,
        score: i32,
    }

    struct Balanced {
        api_version: String,
        kind: String,
        resources: Vec<Resource>,
    }

    struct InterPod {
        api_version: String,
        kind: String,
        hard_pod_affinity_weight: Option<i32>,
        ignore_preferred_terms_of_existing_pods: bool,
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
        weight: i32,
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
        min_candidate_nodes_percentage: Option<i32>,
        min_candidate_nodes_absolute: Option<i32>,
    }

    struct Volumes {
        api_version: String,
        kind: String,
        bind_timeout_seconds: Option<i64>,
        shape: Option<Vec<Point>>,
    }

    struct Weights {
        api_version: String,
        kind: String,
        resources: Vec<Resource>,
    }

    struct Curve {
        api_version: String,
        kind: String,
        shape: Vec<Point>,
        resources: Vec<Resource>,
    }

    struct LegacyLabelArgs {
        api_version: String,
        kind: String,
        present_labels: Vec<String>,
        absent_labels: Vec<String>,
        present_labels_preference: Vec<String>,
        absent_labels_preference: Vec<String>,
        affinity_labels: Vec<String>,
        anti_affinity_labels_preference: Vec<String>,
    }

    struct Devices {
        api_version: String,
        kind: String,
        filter_timeout: Option<Duration>,
        binding_timeout: Option<Duration>,
    }
}

/// Reads the arguments of `plugin` into `args`. If the configuration has no type for them, nothing
/// reads them.
///
/// # Errors
/// The first problem, apart from unknown fields, which are added to `problems`.
pub(super) fn read(
    plugin: &str,
    value: &Value,
    path: &str,
    context: &Context,
    args: &mut PluginArgs,
    problems: &mut Problems,
) -> Result<(), ConfigError> {
    if !types::exist(plugin, context) {
        return Ok(());
    }
    // No arguments mean the defaults.
    let nothing = Value::Object(serde_json::Map::new());
    let value = if value.is_null() { &nothing } else { value };
    types::check(plugin, value, path, context, problems)?;
    match plugin {
        "NodeResourcesFit" => {
            let fit = decode(value, path, problems)?;
            // Parity: the plugin itself validates them when it is created.
            read_fit(fit, path, context, args).map_err(|error| error.at(ConfigStage::Start))?;
        }
        "NodeResourcesBalancedAllocation" => {
            read_balanced(decode(value, path, problems)?, path, args)?;
        }
        "InterPodAffinity" => read_inter_pod(&decode(value, path, problems)?, path, args)?,
        "PodTopologySpread" => {
            args.default_constraints = constraints::read(value, path, context, problems)?;
        }
        "NodeAffinity" => {
            let affinity: NodeAffinity = decode(value, path, problems)?;
            args.added_affinity = affinity.added_affinity.map(read_affinity).unwrap_or_default();
            node_terms::check(&args.added_affinity, &format!("{path}.addedAffinity"))?;
        }
        "DefaultPreemption" => read_preemption(&decode(value, path, problems)?, path, args)?,
        "VolumeBinding" => {
            read_volume_binding(&decode(value, path, problems)?, path, context, args)?;
        }
        "DynamicResources" => {
            // The binding timeout is the first that the scheduler decodes.
            for field in ["bindingTimeout", "filterTimeout"] {
                if let Some(error) = api::wrong_duration(value, path, field)
                    && !value[field].is_null()
                {
                    return Err(error);
                }
            }
            read_devices(&decode(value, path, problems)?, path, context, args)?;
        }
        _ => read_gone(plugin, value, path, args, problems)?,
    }
    Ok(())
}

fn read_balanced(raw: Balanced, path: &str, args: &mut PluginArgs) -> Result<(), ConfigError> {
    let path = format!("{path}.resources");
    let resources = read_resources(raw.resources, &path)?;
    check_once(&resources, &path)?;
    for (index, resource) in resources.iter().enumerate() {
        if resource.weight != 1 {
            let path = format!("{path}[{index}].weight");
            return Err(ConfigError::invalid(path, resource.weight, "must be 1"));
        }
    }
    args.balanced_resources = resources;
    Ok(())
}

fn read_inter_pod(raw: &InterPod, path: &str, args: &mut PluginArgs) -> Result<(), ConfigError> {
    let weight = raw.hard_pod_affinity_weight.map_or(1, i64::from);
    check_hard_weight(weight, &format!("{path}.hardPodAffinityWeight"))?;
    args.hard_pod_affinity_weight = weight;
    args.ignore_preferred_terms_of_existing_pods = raw.ignore_preferred_terms_of_existing_pods;
    Ok(())
}

fn read_volume_binding(
    raw: &Volumes,
    path: &str,
    context: &Context,
    args: &mut PluginArgs,
) -> Result<(), ConfigError> {
    if raw.bind_timeout_seconds.is_some_and(|seconds| seconds < 0) {
        return Err(ConfigError::invalid(
            format!("{path}.bindTimeoutSeconds"),
            raw.bind_timeout_seconds,
            "invalid BindTimeoutSeconds, should not be a negative value",
        ));
    }
    let Some(shape) = &raw.shape else { return Ok(()) };
    let path = format!("{path}.shape");
    check_shape_gate(&path, context)?;
    // No points mean the defaults.
    if !shape.is_empty() {
        args.volume_binding_shape = read_shape(shape, &path)?;
    }
    Ok(())
}

/// Parity: a field without effect, since its gate is off, is rejected.
fn read_devices(
    raw: &Devices,
    path: &str,
    context: &Context,
    args: &mut PluginArgs,
) -> Result<(), ConfigError> {
    let features = &context.base.features.dra;

    // A text that is no duration is found when it is decoded, before the gate of the field is
    // checked, and a duration out of range after that.
    if let Some(timeout) = raw.filter_timeout.as_ref().and_then(|timeout| timeout.0.as_deref()) {
        let path = format!("{path}.filterTimeout");
        let nanos = wire::nanos(timeout, &path)?;
        if context.base.gates.get(FILTER_TIMEOUT) == Some(&false) {
            return Err(ConfigError::new(
                path,
                "Forbidden: DRASchedulingFilterTimeout feature gate is disabled",
            ));
        }
        if nanos < 0 {
            return Err(ConfigError::invalid(
                path,
                wire::duration_text(nanos),
                "must be zero or positive",
            ));
        }
    }
    if let Some(timeout) = raw.binding_timeout.as_ref().and_then(|timeout| timeout.0.as_deref()) {
        let path = format!("{path}.bindingTimeout");
        let nanos = wire::nanos(timeout, &path)?;
        if !(features.dra_binding_conditions && features.dra_device_status) {
            let problem = "Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled";
            return Err(ConfigError::new(path, problem));
        }
        if nanos < 1_000_000_000 {
            return Err(ConfigError::invalid(
                path,
                wire::duration_text(nanos),
                "must be at least 1 second",
            ));
        }
        args.binding_timeout = time::Duration::from_nanos(nanos.unsigned_abs());
    }
    Ok(())
}

/// Plugins that were replaced by scoring strategies of `NodeResourcesFit`, and those that were
/// removed without replacement.
fn read_gone(
    plugin: &str,
    value: &Value,
    path: &str,
    args: &mut PluginArgs,
    problems: &mut Problems,
) -> Result<(), ConfigError> {
    let resources = format!("{path}.resources");
    match plugin {
        "NodeResourcesLeastAllocated" => {
            let weights: Weights = decode(value, path, problems)?;
            args.least_allocated.resources = read_resources(weights.resources, &resources)?;
        }
        "NodeResourcesMostAllocated" => {
            let weights: Weights = decode(value, path, problems)?;
            args.most_allocated.resources = read_resources(weights.resources, &resources)?;
        }
        "RequestedToCapacityRatio" => {
            let curve: Curve = decode(value, path, problems)?;
            args.capacity_ratio = read_curve(&curve.shape, &curve.resources, path)?;
        }
        "NodeLabel" | "ServiceAffinity" => drop(decode::<LegacyLabelArgs>(value, path, problems)?),
        _ => {}
    }
    Ok(())
}

fn check_once(resources: &[WeightedResource], path: &str) -> Result<(), ConfigError> {
    for (index, resource) in resources.iter().enumerate() {
        if resources.iter().take(index).any(|earlier| earlier.name == resource.name) {
            let problem = format!("Duplicate value: {:?}", resource.name);
            return Err(ConfigError::new(format!("{path}[{index}].name"), problem));
        }
    }
    Ok(())
}

fn check_shape_gate(path: &str, context: &Context) -> Result<(), ConfigError> {
    if context.base.features.volume_binding.storage_capacity_scoring {
        return Ok(());
    }
    let gate =
        if context.minor() < 33 { "VolumeCapacityPriority" } else { "StorageCapacityScoring" };
    let problem = format!("unexpected field `shape`, remove it or turn on the feature gate {gate}");
    Err(ConfigError::new(path, format!("Invalid value: {problem}")))
}

/// Checks the weight of a required term of a running pod.
pub(super) fn check_hard_weight(weight: i64, path: &str) -> Result<(), ConfigError> {
    in_range(weight, 0, 100, path.to_owned())
}

fn read_fit(
    fit: Fit,
    path: &str,
    context: &Context,
    args: &mut PluginArgs,
) -> Result<(), ConfigError> {
    // What is ignored is the name of a resource, or the part of it before the slash.
    for (index, name) in fit.ignored_resources.iter().enumerate() {
        if !is_label_key(name) {
            let path = format!("{path}.ignoredResources[{index}]");
            return Err(ConfigError::invalid(
                path,
                name,
                "must be a qualified name such as example.com/resource",
            ));
        }
    }
    for (index, group) in fit.ignored_resource_groups.iter().enumerate() {
        let path = format!("{path}.ignoredResourceGroups[{index}]");
        if group.contains('/') {
            return Err(ConfigError::invalid(path, group, "resource group name can't contain '/'"));
        }
        if !is_label_key(group) {
            return Err(ConfigError::invalid(
                path,
                group,
                "must be a qualified name such as example.com",
            ));
        }
    }
    (args.ignored_resources, args.ignored_resource_groups) =
        (fit.ignored_resources, fit.ignored_resource_groups);
    if let Some(strategy) = fit.scoring_strategy {
        args.fit_scoring = read_strategy(strategy, &format!("{path}.scoringStrategy"), context)?;
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
    let percentage =
        raw.min_candidate_nodes_percentage.map_or(args.min_candidate_nodes_percentage, i64::from);
    let absolute =
        raw.min_candidate_nodes_absolute.map_or(args.min_candidate_nodes_absolute, i64::from);
    in_range(percentage, 0, 100, format!("{path}.minCandidateNodesPercentage"))?;
    if absolute < 0 {
        let path = format!("{path}.minCandidateNodesAbsolute");
        return Err(ConfigError::invalid(path, absolute, "not in valid range [0, inf)"));
    }
    if percentage == 0 && absolute == 0 {
        let problem = "cannot be zero at the same time as minCandidateNodesAbsolute";
        return Err(ConfigError::invalid(
            format!("{path}.minCandidateNodesPercentage"),
            0,
            problem,
        ));
    }
    (args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute) =
        (percentage, absolute);
    Ok(())
}

fn read_strategy(raw: Strategy, path: &str, context: &Context) -> Result<FitScoring, ConfigError> {
    let mut ratio = raw.requested_to_capacity_ratio;
    if context.minor() < RATIO_BY_TYPE && raw.r#type != "RequestedToCapacityRatio" {
        // Parity: a shape is validated even if nothing reads it.
        if let Some(ratio) = ratio.take() {
            read_shape(&ratio.shape, &format!("{path}.shape"))?;
        }
    }
    let strategy = match (raw.r#type.as_str(), &ratio) {
        ("LeastAllocated", None) => FitStrategy::LeastAllocated,
        ("MostAllocated", None) => FitStrategy::MostAllocated,
        ("RequestedToCapacityRatio", Some(ratio)) => {
            let field = if context.minor() < RATIO_BY_TYPE {
                "shape"
            } else {
                "requestedToCapacityRatio.shape"
            };
            let path = format!("{path}.{field}");
            FitStrategy::RequestedToCapacityRatio(read_shape(&ratio.shape, &path)?)
        }
        ("RequestedToCapacityRatio", None) => {
            let problem = "Required value: must be specified when type is RequestedToCapacityRatio";
            return Err(ConfigError::new(format!("{path}.requestedToCapacityRatio"), problem));
        }
        ("LeastAllocated" | "MostAllocated", Some(_)) => {
            let problem = "Forbidden: must be nil when type is not RequestedToCapacityRatio";
            return Err(ConfigError::new(format!("{path}.requestedToCapacityRatio"), problem));
        }
        (other, _) => {
            let strategies = r#""LeastAllocated", "MostAllocated", "RequestedToCapacityRatio""#;
            let problem = format!("Unsupported value: {other:?}: supported values: {strategies}");
            return Err(ConfigError::new(format!("{path}.type"), problem));
        }
    };
    Ok(FitScoring {
        strategy,
        resources: read_resources(raw.resources, &format!("{path}.resources"))?,
    })
}

/// The default is cpu and memory; a missing weight is 1.
fn read_resources(raw: Vec<Resource>, path: &str) -> Result<Vec<WeightedResource>, ConfigError> {
    read_weights(raw, path, 100)
}

fn read_weights(
    raw: Vec<Resource>,
    path: &str,
    most: i64,
) -> Result<Vec<WeightedResource>, ConfigError> {
    if raw.is_empty() {
        return Ok(PluginArgs::default().balanced_resources);
    }
    let mut resources: Vec<WeightedResource> = Vec::with_capacity(raw.len());
    for (index, Resource { name, weight }) in raw.into_iter().enumerate() {
        let weight = if weight == 0 { 1 } else { weight };
        if !(1..=most).contains(&weight) {
            let range =
                if most == i64::MAX { "[1, inf)".to_owned() } else { format!("(0, {most}]") };
            let problem = format!("resource weight of {name} not in valid range {range}");
            return Err(ConfigError::invalid(format!("{path}[{index}].weight"), weight, &problem));
        }
        resources.push(WeightedResource { name, weight });
    }
    Ok(resources)
}

/// A curve and its resources. Weights have no upper limit here.
pub(super) fn read_curve(
    shape: &[Point],
    resources: &[Resource],
    path: &str,
) -> Result<FitScoring, ConfigError> {
    let shape = read_shape(shape, &format!("{path}.shape"))?;
    let resources = read_weights(resources.to_vec(), &format!("{path}.resources"), i64::MAX)?;
    Ok(FitScoring { strategy: FitStrategy::RequestedToCapacityRatio(shape), resources })
}

fn read_shape(raw: &[Point], path: &str) -> Result<Vec<ShapePoint>, ConfigError> {
    if raw.is_empty() {
        return Err(ConfigError::new(path, "Required value: at least one point must be specified"));
    }
    for (index, point) in raw.iter().enumerate() {
        in_range(point.utilization.into(), 0, 100, format!("{path}[{index}].utilization"))?;
        in_range(point.score.into(), 0, 10, format!("{path}[{index}].score"))?;
        if raw.iter().take(index).any(|earlier| earlier.utilization >= point.utilization) {
            let problem = "values must be sorted in increasing order";
            return Err(ConfigError::invalid(
                format!("{path}[{index}].utilization"),
                point.utilization,
                problem,
            ));
        }
    }
    let points = raw.iter().map(|point| ShapePoint {
        utilization: point.utilization.into(),
        score: i64::from(point.score) * 10,
    });
    Ok(points.collect())
}

fn read_affinity(raw: Affinity) -> AddedAffinity {
    AddedAffinity {
        required: raw.required.map(|s| s.node_selector_terms.into_iter().map(read_term).collect()),
        preferred: raw
            .preferred
            .into_iter()
            .map(|p| (p.weight.into(), read_term(p.preference)))
            .collect(),
    }
}

fn read_term(raw: Term) -> NodeTermSpec {
    NodeTermSpec {
        expressions: read_expressions(raw.match_expressions),
        fields: read_expressions(raw.match_fields),
    }
}

fn read_expressions(raw: Vec<Expression>) -> Vec<NodeExpression> {
    raw.into_iter()
        .map(|e| NodeExpression { key: e.key, operator: e.operator, values: e.values })
        .collect()
}
