//! What a cluster shows of cluster-autoscaler besides objects: the text of its status, and the
//! flags that say which pods it acts for.
//!
//! Of its ConfigMap only the key `status` is read, and of the pod's command line only the flags of two
//! lists, [`FLAGS`] and those that are on or off; every other word is dropped while decoding.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use super::Object;
use super::pod::Pod;
use super::program_pod::{ProgramPod, Syntax};

/// Where the program keeps its status unless its flags say otherwise.
pub const STATUS: (&str, &str) = ("kube-system", "cluster-autoscaler-status");
/// The name of the program's pods, images and commands.
pub const PROGRAM: &str = "cluster-autoscaler";
/// Marks the ConfigMap with the status, which may have any name.
const LAST_UPDATED: &str = "cluster-autoscaler.kubernetes.io/last-updated";

/// Labels of its pods, as its charts and manifests write them.
pub const LABELS: [&str; 3] = [
    "app=cluster-autoscaler",
    "app.kubernetes.io/name in (cluster-autoscaler,aws-cluster-autoscaler,azure-cluster-autoscaler,clusterapi-cluster-autoscaler,gce-cluster-autoscaler,magnum-cluster-autoscaler)",
    "k8s-app=cluster-autoscaler",
];

/// Flags that decide which pods it acts for and how many nodes it adds. Upstream:
/// `sigs.k8s.io/cluster-autoscaler` `config/flags/flags.go`.
pub const FLAGS: &[&str] = &[
    "allowed-scheduler-names",
    "bypassed-scheduler-names",
    "cores-total",
    "expander",
    "expendable-pods-priority-cutoff",
    "ignore-taint",
    "max-node-provision-time",
    "max-nodes-total",
    "memory-total",
    "namespace",
    "new-pod-scale-up-delay",
    "nodes",
    "scan-interval",
    "startup-taint",
    "startup-taint-prefix",
    "status-config-map-name",
    "status-taint",
];

/// Those that are on or off.
const SWITCHES: &[&str] = &[
    "capacity-buffer-pod-injection-enabled",
    "capacity-quotas-enabled",
    "enable-provisioning-requests",
];

/// The cluster's cluster-autoscaler, as far as the API shows it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterAutoscaler {
    /// The text of its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why its status could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Its pods, as namespace and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
    /// The values of its flags, by name without dashes, in the order of the command line.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, Vec<String>>,
    /// The version in the tag of its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When this was read, where that may be before the other objects were.
    #[serde(skip)]
    pub read_at: Option<Timestamp>,
}

/// What an object shows about cluster-autoscaler.
#[derive(Debug, Clone)]
pub enum AutoscalerPart {
    /// The text of its status ConfigMap.
    Status(String),
    Pod(AutoscalerPod),
}

impl AutoscalerPart {
    /// What this object, with the complete `json`, shows; `None` for nearly all objects.
    pub fn of(object: &Object<'_>, json: &str) -> Option<Self> {
        match object {
            Object::Pod(pod) => AutoscalerPod::of(pod, json).map(Self::Pod),
            Object::Other(kind) if kind.as_str() == "ConfigMap" => status(json).map(Self::Status),
            _ => None,
        }
    }
}

/// The status in a ConfigMap of cluster-autoscaler; `None` for other ConfigMaps, which are dropped.
pub fn status(json: &str) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Whole {
        metadata: Meta,
        data: Data,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Meta {
        namespace: String,
        name: String,
        annotations: Option<Annotations>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Annotations {
        #[serde(rename = "cluster-autoscaler.kubernetes.io/last-updated")]
        last_updated: Option<String>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Data {
        status: Option<String>,
    }
    if !json.contains(STATUS.1) && !json.contains(LAST_UPDATED) {
        return None;
    }
    let whole: Whole = serde_json::from_str(json).ok()?;
    let meta = whole.metadata;
    let is_updated = meta.annotations.is_some_and(|annotations| annotations.last_updated.is_some());
    let is_named = (meta.namespace.as_str(), meta.name.as_str()) == STATUS;
    whole.data.status.filter(|_| is_named || is_updated)
}

impl ClusterAutoscaler {
    /// Combines the parts that the objects of a file show, in any order. Replicas have the same
    /// flags, so those of the first pod by name are used.
    pub fn of_parts(parts: Vec<AutoscalerPart>) -> Self {
        let (mut autoscaler, mut pods) = (Self::default(), Vec::new());
        for part in parts {
            match part {
                AutoscalerPart::Status(text) => autoscaler.status = Some(text),
                AutoscalerPart::Pod(pod) => pods.push(pod),
            }
        }
        autoscaler.with_pods(pods)
    }

    /// With these pods of it.
    #[must_use]
    pub fn with_pods(mut self, mut pods: Vec<AutoscalerPod>) -> Self {
        pods.sort_by_key(AutoscalerPod::name);
        pods.dedup_by_key(|pod| pod.name());
        self.flags = pods.first().map(AutoscalerPod::flags).unwrap_or_default();
        self.version = pods.first().and_then(AutoscalerPod::version).map(str::to_owned);
        self.pods = pods.iter().map(AutoscalerPod::name).collect();
        self
    }
}

/// A pod of cluster-autoscaler: its name, its flags and its image, nothing else.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(transparent)]
pub struct AutoscalerPod(ProgramPod<Words>);

impl AutoscalerPod {
    /// The pod of cluster-autoscaler that this object is, of which `json` is the whole; `None` for
    /// any other pod, and for one of a snapshot, which has no command lines.
    pub fn of(pod: &Pod, json: &str) -> Option<Self> {
        if !pod.metadata.name.contains(PROGRAM) {
            return None;
        }
        let found: Self = serde_json::from_str(json).ok()?;
        found.runs_it().then_some(found)
    }

    /// Whether a container runs the program.
    pub fn runs_it(&self) -> bool {
        self.0.containers().iter().any(|container| {
            let has_line = container.lines().next().is_some();
            let is_image = container.image.as_deref().is_some_and(|image| image.contains(PROGRAM));
            has_line && (is_image || container.lines().any(|line| line.names_it))
        })
    }

    fn name(&self) -> String {
        self.0.full_name()
    }

    /// The version in the tag of its image.
    fn version(&self) -> Option<&str> {
        self.0.tag_of(&[PROGRAM])
    }

    fn flags(&self) -> BTreeMap<String, Vec<String>> {
        let mut flags: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in self.0.lines().flat_map(|line| &line.flags) {
            flags.entry(name.clone()).or_default().push(value.clone());
        }
        flags
    }
}

/// A command line: its flags that are kept, and whether a word names the program.
#[derive(Debug, Default, Clone)]
struct Words {
    flags: Vec<(String, String)>,
    names_it: bool,
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let mut names_it = false;
        let syntax = Syntax { kept: FLAGS, switches: SWITCHES };
        let flags =
            syntax.read(input, |word| names_it |= word.rsplit('/').next() == Some(PROGRAM))?;
        Ok(Self { flags, names_it })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(json: &str) -> AutoscalerPod {
        serde_json::from_str(json).expect("a pod")
    }

    #[test]
    fn command_line_keeps_flags_of_the_list_and_nothing_else() {
        let pod = pod(
            r#"{"metadata":{"namespace":"kube-system","name":"cluster-autoscaler-1"},"spec":{"containers":[{
            "image":"registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0@sha256:0",
            "env":[{"name":"TOKEN","value":"secret"}],
            "command":["./cluster-autoscaler","--cloud-config=/secret","--nodes=1:10:asg-a","--nodes=0:5:asg-b",
                       "--expendable-pods-priority-cutoff","-5","--max-nodes-total=100"]}]}}"#,
        );
        assert!(pod.runs_it());
        let found = ClusterAutoscaler::default().with_pods(vec![pod]);
        let json = serde_json::to_string(&found).expect("JSON");
        assert!(!json.contains("secret"), "{json}");
        assert_eq!(found.version.as_deref(), Some("v1.33.0"));
        assert_eq!(found.flags["nodes"], ["1:10:asg-a", "0:5:asg-b"]);
        assert_eq!(found.flags["max-nodes-total"], ["100"]);
        assert_eq!(found.flags["expendable-pods-priority-cutoff"], ["-5"]);
    }

    #[test]
    fn command_line_flag_with_a_value_takes_the_next_word_and_a_switch_does_not() {
        let pod = pod(
            r#"{"metadata":{"namespace":"ca","name":"cluster-autoscaler-1"},"spec":{"containers":[{
            "image":"local/ca","command":["dumb-init","--","/opt/cluster-autoscaler","-v","4"],
            "args":["--enable-provisioning-requests","--scan_interval","20s","--leader-elect",
                    "--max-nodes-total","--","--cores-total=0:8"]}]}}"#,
        );
        assert!(pod.runs_it());
        let flags = pod.flags();
        let values: Vec<(&str, &str)> =
            flags.iter().map(|(name, all)| (name.as_str(), all[0].as_str())).collect();
        let expected = [
            ("cores-total", "0:8"),
            ("enable-provisioning-requests", "true"),
            ("max-nodes-total", "--"),
            ("scan-interval", "20s"),
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn config_map_of_another_program_is_not_read() {
        let map = r#"{"metadata":{"namespace":"kube-system","name":"other"},
            "data":{"status":"x","note":"cluster-autoscaler-status"}}"#;
        assert_eq!(status(map), None);
        let map = r#"{"metadata":{"namespace":"kube-system","name":"cluster-autoscaler-status"},
            "data":{"status":"x","other":"y"}}"#;
        assert_eq!(status(map).as_deref(), Some("x"));
        let map = r#"{"metadata":{"namespace":"ca","name":"status","annotations":
            {"cluster-autoscaler.kubernetes.io/last-updated":"now"}},"data":{"status":"z"}}"#;
        assert_eq!(status(map).as_deref(), Some("z"));
    }
}
