//! Which configurations a kube-scheduler reads: `apiVersion` by minor, and the fields that only
//! some of them have.
//!
//! Upstream: `pkg/scheduler/apis/config/scheme/scheme.go`, `kube-scheduler/config/*/types.go` (1.12
//! to 1.37).

use serde_json::Value;

use super::error::{ConfigError, ConfigStage};
use crate::SchedulerVersion;

/// `kind` of a scheduler configuration.
pub(super) const KIND: &str = "KubeSchedulerConfiguration";
/// `kind` of its predecessor.
pub(super) const POLICY_KIND: &str = "Policy";

/// A version of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Api {
    /// `v1alpha1`: one profile, whose predicates and priorities are elsewhere.
    V1Alpha1,
    /// `v1alpha2`: profiles and extenders.
    V1Alpha2,
    /// `v1beta1`: arguments of plugins are checked.
    V1Beta1,
    /// `v1beta2`: without the plugins that were replaced by others.
    V1Beta2,
    /// `v1beta3`: the defaults are in `multiPoint`.
    V1Beta3,
    /// `v1`.
    V1,
    /// `Policy` of `v1`: predicates and priorities.
    Policy,
}

/// Each with its name, and the first and last minor that reads it.
const APIS: &[(Api, &str, u16, u16)] = &[
    (Api::V1Alpha1, "kubescheduler.config.k8s.io/v1alpha1", 0, 18),
    (Api::V1Alpha1, "componentconfig/v1alpha1", 0, 12),
    (Api::V1Alpha2, "kubescheduler.config.k8s.io/v1alpha2", 18, 18),
    (Api::V1Beta1, "kubescheduler.config.k8s.io/v1beta1", 19, 22),
    (Api::V1Beta2, "kubescheduler.config.k8s.io/v1beta2", 22, 27),
    (Api::V1Beta3, "kubescheduler.config.k8s.io/v1beta3", 23, 28),
    (Api::V1, "kubescheduler.config.k8s.io/v1", 25, u16::MAX),
    (Api::Policy, "v1", 0, 22),
    (Api::Policy, "kubescheduler.config.k8s.io/v1", 17, 22),
];

impl Api {
    /// The version that `value` claims.
    ///
    /// # Errors
    /// If the scheduler of that version does not read it; names what it reads.
    pub(super) fn of(value: &Value, version: SchedulerVersion) -> Result<Self, ConfigError> {
        for field in ["apiVersion", "kind"] {
            if value.get(field).is_some_and(|value| !value.is_null() && !value.is_string()) {
                let problem = "strict decoding error: is not a string";
                return Err(ConfigError::new(field, problem).at(ConfigStage::Values));
            }
        }
        let [kind, name] = ["kind", "apiVersion"]
            .map(|field| value.get(field).and_then(Value::as_str).unwrap_or_default());
        for (field, value) in [("kind", kind), ("apiVersion", name)] {
            if value.is_empty() {
                let problem = format!("is missing; {}", accepted(version));
                return Err(ConfigError::new(field, problem).at(ConfigStage::Values));
            }
        }

        // Not every version of the configuration is read by every scheduler.
        let row = APIS
            .iter()
            .find(|(api, n, ..)| *n == name && api.kind() == kind && api.is_read_by(n, version));
        row.map(|(api, ..)| *api).ok_or_else(|| {
            let problem = format!(
                "no kind {kind:?} is registered for version {name:?}; {}",
                accepted(version)
            );
            ConfigError::new("apiVersion", problem).at(ConfigStage::Values)
        })
    }

    fn kind(self) -> &'static str {
        if self == Self::Policy { POLICY_KIND } else { KIND }
    }

    fn is_read_by(self, name: &str, version: SchedulerVersion) -> bool {
        let minor = version.nearest_supported().minor;
        APIS.iter().any(|(api, n, first, last)| {
            *api == self && *n == name && (*first..=*last).contains(&minor)
        })
    }

    /// The version's name in messages.
    pub fn name(self) -> &'static str {
        APIS.iter().find(|(api, ..)| *api == self).map_or("", |(_, name, ..)| *name)
    }

    /// Whether unknown fields are errors for the scheduler of that version.
    pub(super) fn is_strict(self, version: SchedulerVersion) -> bool {
        self != Self::V1Alpha1 && version.nearest_supported().minor >= 17
    }
}

/// The newest configuration, other than a Policy, that the scheduler of that version reads.
pub(super) fn newest(version: SchedulerVersion) -> Option<Api> {
    let mut configurations = APIS.iter().rev().filter(|(api, ..)| *api != Api::Policy);
    configurations.find(|(api, name, ..)| api.is_read_by(name, version)).map(|(api, ..)| *api)
}

/// The versions that the scheduler of that version reads, newest first.
fn accepted(version: SchedulerVersion) -> String {
    let read = APIS.iter().rev().filter(|(api, name, ..)| api.is_read_by(name, version));
    let names: Vec<String> = read.map(|(api, name, ..)| format!("{} {name}", api.kind())).collect();
    format!(
        "kube-scheduler {} reads {}",
        version.nearest_supported().minor_text(),
        names.join(", ")
    )
}

/// A field that only some configurations have.
struct Field {
    /// Objects that may have it, `[]` for each entry of a list.
    place: &'static str,
    name: &'static str,
    exists: fn(Api, u16) -> bool,
}

const fn field(place: &'static str, name: &'static str, exists: fn(Api, u16) -> bool) -> Field {
    Field { place, name, exists }
}

const PLUGINS: &str = "profiles[].plugins";

/// Fields that exist only in some versions; all others exist in every version.
const FIELDS: &[Field] = &[
    field("", "schedulerName", |api, _| api == Api::V1Alpha1),
    field("", "algorithmSource", |api, _| api == Api::V1Alpha1),
    field("", "hardPodAffinitySymmetricWeight", |api, _| {
        matches!(api, Api::V1Alpha1 | Api::Policy)
    }),
    field("", "plugins", |api, _| api == Api::V1Alpha1),
    field("", "pluginConfig", |api, _| api == Api::V1Alpha1),
    field("", "disablePreemption", |api, _| api <= Api::V1Alpha2),
    field("", "bindTimeoutSeconds", |api, _| api <= Api::V1Alpha2),
    field("", "profiles", |api, _| api >= Api::V1Alpha2),
    field("", "extenders", |api, _| api >= Api::V1Alpha2),
    field("leaderElection", "lockObjectNamespace", |api, _| api == Api::V1Alpha1),
    field("leaderElection", "lockObjectName", |api, _| api == Api::V1Alpha1),
    field("", "healthzBindAddress", |api, _| api <= Api::V1Beta2),
    field("", "metricsBindAddress", |api, _| api <= Api::V1Beta2),
    field("", "parallelism", |_, minor| minor >= 20),
    field("", "delayCacheUntilActive", |api, minor| api == Api::V1 && minor >= 28),
    field("profiles[]", "percentageOfNodesToScore", |api, minor| api == Api::V1 && minor >= 26),
    field(PLUGINS, "unreserve", |api, _| api == Api::V1Alpha2),
    field(PLUGINS, "postFilter", |api, _| api >= Api::V1Beta1),
    field(PLUGINS, "multiPoint", |_, minor| minor >= 23),
    field(PLUGINS, "preEnqueue", |_, minor| minor >= 26),
    field(PLUGINS, "placementGenerate", |_, minor| minor >= 36),
    field(PLUGINS, "placementScore", |_, minor| minor >= 36),
    field(PLUGINS, "podGroupPostFilter", |_, minor| minor >= 37),
    field(PLUGINS, "placementFeasible", |_, minor| minor >= 38),
    field("", "percentageOfPlacementsToScore", |_, minor| minor >= 38),
    field("profiles[]", "percentageOfPlacementsToScore", |_, minor| minor >= 38),
    field("extenders[]", "enableHTTPS", |api, _| api >= Api::V1Beta1 && api != Api::Policy),
    field("extenders[]", "enableHttps", |api, _| api == Api::V1Alpha2 || api == Api::Policy),
];

/// The path of a field that this version does not have.
pub(super) fn foreign_field(value: &Value, api: Api, version: SchedulerVersion) -> Option<String> {
    let minor = version.nearest_supported().minor;
    let absent = FIELDS.iter().filter(|field| !(field.exists)(api, minor));
    absent.into_iter().find_map(|field| {
        let mut objects = vec![(String::new(), value)];
        for step in field.place.split('.').filter(|step| !step.is_empty()) {
            objects = objects
                .into_iter()
                .flat_map(|(path, object)| children(&path, object, step))
                .collect();
        }
        let (path, _) = objects.into_iter().find(|(_, object)| object.get(field.name).is_some())?;
        Some(join(&path, field.name))
    })
}

/// Durations, with the objects that contain them.
const DURATIONS: &[(&str, &str)] = &[
    ("extenders[]", "httpTimeout"),
    ("leaderElection", "leaseDuration"),
    ("leaderElection", "renewDeadline"),
    ("leaderElection", "retryPeriod"),
];

/// The first duration that is not text. Parity: Go decodes each from its own text and stops there,
/// whatever it has found before.
pub(super) fn wrong_duration(value: &Value, path: &str, name: &str) -> Option<ConfigError> {
    let duration = value.get(name).filter(|duration| !duration.is_string())?;
    let problem = match duration {
        Value::Null => "time: invalid duration \"\"",
        _ => "is not a duration such as 5s",
    };
    Some(
        ConfigError::new(join(path, name), format!("strict decoding error: {problem}"))
            .at(ConfigStage::Values),
    )
}

/// The first duration in a file that is not text.
pub(super) fn first_wrong_duration(value: &Value) -> Option<ConfigError> {
    DURATIONS.iter().find_map(|(place, name)| {
        let objects = children("", value, place);
        objects.into_iter().find_map(|(path, object)| wrong_duration(object, &path, name))
    })
}

/// Whether plugin arguments may also be of this version.
pub(super) fn has_args(name: &str, version: SchedulerVersion) -> bool {
    let minor = version.nearest_supported().minor;
    APIS.iter().any(|(api, n, first, last)| {
        api.kind() == KIND && *n == name && (*first..=*last).contains(&minor)
    })
}

fn children<'v>(path: &str, object: &'v Value, step: &str) -> Vec<(String, &'v Value)> {
    let (name, is_list) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
    let Some(child) = object.get(name) else { return Vec::new() };
    let path = join(path, name);
    match (child.as_array(), is_list) {
        (Some(list), true) => {
            list.iter().enumerate().map(|(index, v)| (format!("{path}[{index}]"), v)).collect()
        }
        (None, false) => vec![(path, child)],
        _ => Vec::new(),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests;
