//! What a cluster shows of its own kube-scheduler: the flags of its static pod that affect
//! decisions, and one ConfigMap.
//!
//! This is the only place where a command line is decoded, and only of pods in `kube-system` that
//! kubeadm labels as kube-scheduler, be they listed in a cluster or found in a file. Only the flags
//! in [`DECIDING`] are kept; the other words are dropped while decoding. Of OpenShift, whose
//! operator starts the scheduler, a file may have the static pods in a namespace of their own, the
//! `Scheduler` object, whose profile counts, and the ConfigMap that the operator makes of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::Object;
use super::object::group_of;
use super::pod::Pod;
use super::program_pod::{Container, Name, ProgramPod, Syntax};

/// Namespace of the static pods.
pub const NAMESPACE: &str = "kube-system";
/// Labels of the static pods, as kubeadm writes them.
pub const LABELS: &str = "component=kube-scheduler,tier=control-plane";
/// The key of a Policy in the ConfigMap that `--policy-configmap` names.
pub const POLICY_KEY: &str = "policy.cfg";

/// Namespace of OpenShift's static pods.
pub const OPENSHIFT_NAMESPACE: &str = "openshift-kube-scheduler";
/// The label of OpenShift's static pods. Others in the namespace install and watch them.
const OPENSHIFT_LABEL: &str = "app=openshift-kube-scheduler";
/// The container of such a pod that is the scheduler; the others renew its certificates.
const OPENSHIFT_CONTAINER: &str = "kube-scheduler";
/// The ConfigMap of OpenShift's scheduler: namespace, name and key.
const OPENSHIFT_CONFIG: (&str, &str, &str) = (OPENSHIFT_NAMESPACE, "config", "config.yaml");
/// The group and the name of the object that chooses a profile of OpenShift's scheduler.
const OPENSHIFT_SCHEDULER: (&str, &str) = ("config.openshift.io", "cluster");

/// Flags that affect decisions. Upstream: `cmd/kube-scheduler/app/options` (1.12 to 1.37).
pub const DECIDING: &[&str] = &[
    "algorithm-provider",
    "config",
    "feature-gates",
    "hard-pod-affinity-symmetric-weight",
    "policy-config-file",
    "policy-configmap",
    "policy-configmap-namespace",
    "scheduler-name",
];

/// Flags that affect decisions and are on or off.
const SWITCHES: &[&str] = &["use-legacy-policy-config"];

/// Keys under which a configuration is looked for in a ConfigMap of several keys, in this order.
const KEYS: [&str; 5] = [
    "config.yaml",
    "scheduler-config.yaml",
    "kube-scheduler-config.yaml",
    "scheduler-config",
    POLICY_KEY,
];

/// The cluster's scheduler as far as the API shows it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scheduler {
    /// The static pods, by name; the flags are those of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
    /// Whether they are OpenShift's, which are in [`OPENSHIFT_NAMESPACE`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_openshift: bool,
    /// Its flags that affect decisions, by name without dashes. Of a repeated flag the last value
    /// counts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, String>,
    /// The version in the tag of the first one's image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Static pods of another version than the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_versions: Vec<String>,
    /// Static pods that have other flags than the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<String>,
    /// Why the static pods could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// The ConfigMap with its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMap>,
    /// The profile that OpenShift's `Scheduler` object chooses; empty for its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openshift_profile: Option<String>,
}

/// A configuration in a ConfigMap.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMap {
    /// Namespace and name.
    pub name: ConfigMapName,
    /// The key of the ConfigMap.
    pub key: String,
    /// The configuration.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// Namespace and name of a ConfigMap.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigMapName {
    pub namespace: String,
    pub name: String,
}

impl ConfigMapName {
    /// Reads `NAMESPACE/NAME`.
    pub fn parse(text: &str) -> Option<Self> {
        let (namespace, name) = text.split_once('/')?;
        let plain = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
        };
        (plain(namespace) && plain(name))
            .then(|| Self { namespace: namespace.to_owned(), name: name.to_owned() })
    }
}

impl std::fmt::Display for ConfigMapName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// What an object of a file shows of kube-scheduler.
#[derive(Debug, Clone)]
pub enum SchedulerPart {
    StaticPod(StaticPod),
    /// It has the configuration of OpenShift's scheduler.
    Config(ConfigMap),
    /// It chooses the profile of OpenShift's scheduler.
    OpenShiftProfile(String),
}

impl SchedulerPart {
    /// What this object shows, of which `json` is the whole; `None` for nearly all objects.
    pub fn of(object: &Object<'_>, json: &str) -> Option<Self> {
        match object {
            Object::Pod(pod) => StaticPod::of(pod, json).map(Self::StaticPod),
            Object::Other(kind) if kind.as_str() == "ConfigMap" => {
                openshift_config(json).map(Self::Config)
            }
            Object::Other(kind) if kind.as_str() == "Scheduler" => {
                openshift_profile(json).map(Self::OpenShiftProfile)
            }
            _ => None,
        }
    }
}

/// The configuration in the ConfigMap of OpenShift's scheduler. Other ConfigMaps are not decoded.
fn openshift_config(json: &str) -> Option<ConfigMap> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Whole {
        metadata: Name,
        data: BTreeMap<String, String>,
    }
    let (namespace, name, key) = OPENSHIFT_CONFIG;
    if !json.contains(namespace) {
        return None;
    }
    let mut whole: Whole = serde_json::from_str(json).ok()?;
    if (whole.metadata.namespace.as_str(), whole.metadata.name.as_str()) != (namespace, name) {
        return None;
    }
    let text = whole.data.remove(key)?;
    let name = ConfigMapName { namespace: namespace.to_owned(), name: name.to_owned() };
    Some(ConfigMap { name, key: key.to_owned(), text, unreadable: None })
}

/// The profile that the `Scheduler` object of OpenShift chooses.
fn openshift_profile(json: &str) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Whole {
        api_version: Option<String>,
        metadata: Name,
        spec: Choice,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Choice {
        profile: String,
    }
    let (group, name) = OPENSHIFT_SCHEDULER;
    let whole: Whole = serde_json::from_str(json).ok()?;
    // An item of a typed list does not name its group.
    let is_it = whole.metadata.name == name
        && whole.api_version.is_none_or(|version| group_of(&version) == group);
    is_it.then_some(whole.spec.profile)
}

impl Scheduler {
    /// The scheduler of which objects of a file show these parts, in any order.
    pub fn of_parts(parts: Vec<SchedulerPart>) -> Self {
        let (mut pods, mut config_map, mut openshift_profile) = (Vec::new(), None, None);
        for part in parts {
            match part {
                SchedulerPart::StaticPod(pod) => pods.push(pod),
                SchedulerPart::Config(map) => config_map = Some(map),
                SchedulerPart::OpenShiftProfile(profile) => openshift_profile = Some(profile),
            }
        }
        Self { config_map, openshift_profile, ..Self::of(pods) }
    }

    /// The scheduler of `pods`, which are the static pods in any order.
    pub fn of(mut pods: Vec<StaticPod>) -> Self {
        let is_openshift = pods.iter().any(StaticPod::is_openshift);
        pods.sort_by(|a, b| a.0.name().cmp(b.0.name()));
        // A dump may hold a pod twice.
        pods.dedup_by(|later, earlier| later.0.name() == earlier.0.name());
        let flags = pods.first().map(StaticPod::flags).unwrap_or_default();
        let version = pods.first().and_then(StaticPod::version).map(str::to_owned);
        let (mut differing, mut other_versions) = (Vec::new(), Vec::new());
        for pod in &pods {
            if pod.flags() != flags {
                differing.push(pod.0.name().to_owned());
            }
            if pod.version() != version.as_deref() {
                other_versions.push(pod.0.name().to_owned());
            }
        }
        let pods = pods.iter().map(|pod| pod.0.name().to_owned()).collect();
        Self { pods, is_openshift, flags, version, other_versions, differing, ..Self::default() }
    }

    /// Namespace of its static pods.
    pub const fn namespace(&self) -> &'static str {
        if self.is_openshift { OPENSHIFT_NAMESPACE } else { NAMESPACE }
    }

    /// The ConfigMap that its flags name.
    pub fn policy_config_map(&self) -> Option<ConfigMapName> {
        let flag =
            |name: &str| self.flags.get(name).map(String::as_str).filter(|value| !value.is_empty());
        if flag("use-legacy-policy-config") == Some("true") {
            return None;
        }
        let namespace = flag("policy-configmap-namespace").unwrap_or(NAMESPACE).to_owned();
        Some(ConfigMapName { namespace, name: flag("policy-configmap")?.to_owned() })
    }
}

/// The key under which a ConfigMap holds the configuration: its only one, or a usual name.
///
/// # Errors
/// When there is none, or several and none has a usual name.
pub fn config_key(data: &BTreeMap<String, String>) -> Result<&str, String> {
    let keys: Vec<&str> = data.keys().map(String::as_str).collect();
    match keys.as_slice() {
        [] => Err("it has no data".to_owned()),
        [only] => Ok(only),
        several => {
            KEYS.iter().find_map(|key| several.iter().find(|k| *k == key)).copied().ok_or_else(
                || {
                    format!(
                        "which of its keys is meant? {}; {} would be taken",
                        several.join(", "),
                        KEYS.join(", ")
                    )
                },
            )
        }
    }
}

/// A static pod of the scheduler: its name, its flags and its image, nothing else.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(transparent)]
pub struct StaticPod(ProgramPod<Words>);

impl StaticPod {
    /// The static pod of the scheduler that this object is, of which `json` is the whole; `None`
    /// for any other pod, and for one of a snapshot, which has no command lines.
    pub fn of(pod: &Pod, json: &str) -> Option<Self> {
        let labels = &pod.metadata.labels;
        let has = |label: &str| {
            let (key, value) = label.split_once('=').unwrap_or((label, ""));
            labels.iter().any(|(k, v)| k == key && v == value)
        };
        let is_it = match pod.metadata.namespace.as_str() {
            NAMESPACE => LABELS.split(',').all(has),
            OPENSHIFT_NAMESPACE => has(OPENSHIFT_LABEL),
            _ => false,
        };
        if !is_it {
            return None;
        }
        let found: Self = serde_json::from_str(json).ok()?;
        let is_shown = found.lines().next().is_some();
        is_shown.then_some(found)
    }

    fn is_openshift(&self) -> bool {
        self.0.namespace() == OPENSHIFT_NAMESPACE
    }

    /// The command lines of the scheduler.
    fn lines(&self) -> impl Iterator<Item = &Words> {
        let containers = self.0.containers().iter();
        containers
            .filter(move |one| !self.is_openshift() || one.name == OPENSHIFT_CONTAINER)
            .flat_map(Container::lines)
    }

    /// The version in the tag of its image, if that is one of Kubernetes. Tags of OpenShift's images
    /// are versions of OpenShift.
    fn version(&self) -> Option<&str> {
        if self.is_openshift() {
            return None;
        }
        self.0.tag_of(&["kube-scheduler", "kubernetes", "hyperkube"])
    }

    fn flags(&self) -> BTreeMap<String, String> {
        self.lines().flat_map(|words| words.0.clone()).collect()
    }
}

/// The flags of a command line that affect decisions.
#[derive(Debug, Default, Clone)]
struct Words(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let syntax = Syntax { kept: DECIDING, switches: SWITCHES };
        syntax.read(deserializer, |_| ()).map(Self)
    }
}

#[cfg(test)]
mod tests;
