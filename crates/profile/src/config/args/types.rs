//! Which versions of the configuration have a type for the arguments of which plugin.
//!
//! Upstream: `kube-scheduler/config/*/register.go`, `types.go` `decodeNestedObjects` (1.19 to
//! 1.37).

use serde_json::Value;

use super::super::api::{self, Api};
use super::super::context::Context;
use super::super::error::{ConfigError, ConfigStage, Problems, unknown_field};

/// Arguments that are newer than their plugin: plugin, field, and the first minor that has it.
const LATER: &[(&str, &str, u16)] = &[
    ("NodeResourcesFit", "scoringStrategy", 22),
    ("PodTopologySpread", "defaultingType", 20),
    ("VolumeBinding", "shape", 22),
    ("InterPodAffinity", "ignorePreferredTermsOfExistingPods", 27),
    ("DynamicResources", "bindingTimeout", 35),
];

/// Whether the version of the configuration has a type for the arguments of `plugin`.
pub(in crate::config) fn exist(plugin: &str, context: &Context) -> bool {
    match plugin {
        "InterPodAffinity" | "NodeResourcesFit" | "PodTopologySpread" | "VolumeBinding" => true,
        "DefaultPreemption" | "NodeAffinity" => context.minor() >= 20,
        "NodeResourcesBalancedAllocation" => context.minor() >= 22,
        "DynamicResources" => context.minor() >= 34,
        "NodeResourcesLeastAllocated"
        | "NodeResourcesMostAllocated"
        | "RequestedToCapacityRatio"
        | "NodeLabel"
        | "ServiceAffinity" => context.api <= Api::V1Beta1,
        _ => false,
    }
}

/// Checks `kind` and `apiVersion` in `value` against the type, and adds fields that are too new to
/// `problems`.
pub(super) fn check(
    plugin: &str,
    value: &Value,
    path: &str,
    context: &Context,
    problems: &mut Problems,
) -> Result<(), ConfigError> {
    // The type is checked before everything else.
    for field in ["apiVersion", "kind"] {
        if value.get(field).is_some_and(|value| !value.is_null() && !value.is_string()) {
            let problem = "strict decoding error: is not a string";
            return Err(
                ConfigError::new(format!("{path}.{field}"), problem).at(ConfigStage::Values)
            );
        }
    }
    for (_, name, _) in LATER
        .iter()
        .filter(|(p, f, since)| *p == plugin && value.get(f).is_some() && context.minor() < *since)
    {
        problems.add(unknown_field(&format!("{path}.{name}")));
    }
    let version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if !version.is_empty() && !api::has_args(version, context.base.version) {
        let problem = format!("no kind \"{plugin}Args\" is registered for version {version:?}");
        return Err(ConfigError::new(format!("{path}.apiVersion"), problem).at(ConfigStage::Values));
    }
    check_kind(plugin, value, path)
}

/// `kind` and `apiVersion` are optional, but must match if present.
fn check_kind(plugin: &str, value: &Value, path: &str) -> Result<(), ConfigError> {
    let said = value.get("kind").and_then(Value::as_str).unwrap_or_default();
    let kind = format!("{plugin}Args");
    if said.is_empty() || said == kind {
        return Ok(());
    }
    let problem = format!(
        "args for plugin {plugin} were not of type {kind}.kubescheduler.config.k8s.io, got {said}"
    );
    Err(ConfigError::new(format!("{path}.kind"), problem).at(ConfigStage::Values))
}
