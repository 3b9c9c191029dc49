//! Which versions of the configuration have a type for the arguments of which plugin.
//!
//! Upstream: `kube-scheduler/config/*/register.go`, `types.go` `decodeNestedObjects` (1.19 to 1.37).

use serde_json::Value;

use super::super::api::{self, Api};
use super::super::context::Context;
use super::super::error::{ConfigError, unknown_field};

/// Arguments that came later than their plugin: plugin, field, and the first minor that has it.
const LATER: &[(&str, &str, u16)] = &[
    ("NodeResourcesFit", "scoringStrategy", 22),
    ("PodTopologySpread", "defaultingType", 20),
    ("VolumeBinding", "shape", 22),
    ("InterPodAffinity", "ignorePreferredTermsOfExistingPods", 27),
    ("DynamicResources", "bindingTimeout", 35),
];

/// Whether the version of the configuration has a type for the arguments of `plugin`.
pub(super) fn exist(plugin: &str, context: &Context) -> bool {
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

/// Checks what stands in `value` against the type: fields that came later, and `kind`.
pub(super) fn check(plugin: &str, value: &Value, path: &str, context: &Context) -> Result<(), ConfigError> {
    let foreign = LATER.iter().find(|(p, f, since)| *p == plugin && value.get(f).is_some() && context.minor() < *since);
    if let Some((_, name, _)) = foreign {
        return Err(unknown_field(&format!("{path}.{name}")));
    }
    let version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if !version.is_empty() && !api::has_args(version, context.base.version) {
        let problem = format!("no kind \"{plugin}Args\" is registered for version {version:?}");
        return Err(ConfigError::new(format!("{path}.apiVersion"), problem));
    }
    check_kind(plugin, value, path)
}

/// `kind` and `apiVersion` may be left out; what stands there must fit.
fn check_kind(plugin: &str, value: &Value, path: &str) -> Result<(), ConfigError> {
    let said = value.get("kind").and_then(Value::as_str).unwrap_or_default();
    let kind = format!("{plugin}Args");
    if said.is_empty() || said == kind {
        return Ok(());
    }
    let problem = format!("args for plugin {plugin} were not of type {kind}.kubescheduler.config.k8s.io, got {said}");
    Err(ConfigError::new(format!("{path}.kind"), problem))
}
