//! Fields with a fixed set of values, such as the effect of a taint. A value that Kubernetes does
//! not have is noted: an API server rejects it, so it is mistyped, or from a newer version than
//! this program knows. Upstream: the enumerations of `api/core/v1/types.go`,
//! `api/storage/v1/types.go`, `api/resource/v1/types.go` and `api/scheduling` (1.37).
//!
//! Operators of selectors are not included: the readers of selectors report those. Neither are
//! effects of device taints, for which unknown values have a meaning.

use std::fmt;

use super::notes::{NoteLog, VALUE};
use super::reader::or_default;
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::devices::DeviceToleration;
use crate::snapshot::pod::{Container, Pod};
use crate::snapshot::storage::Meta;
use crate::snapshot::{Kind, Object, Str};

const PREEMPTION_POLICIES: &[&str] = &["PreemptLowerPriority", "Never"];
const TAINT_EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];
const TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal", "Lt", "Gt"];
const WHEN_UNSATISFIABLE: &[&str] = &["DoNotSchedule", "ScheduleAnyway"];
const INCLUSION_POLICIES: &[&str] = &["Honor", "Ignore"];
const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];
const RESTART_POLICIES: &[&str] = &["Always", "OnFailure", "Never"];
const RESTART_ACTIONS: &[&str] = &["Restart", "RestartAllContainers"];
const POD_PHASES: &[&str] = &["Pending", "Running", "Succeeded", "Failed", "Unknown"];
const CONDITION_STATUSES: &[&str] = &["True", "False", "Unknown"];
const BINDING_MODES: &[&str] = &["Immediate", "WaitForFirstConsumer"];
const ACCESS_MODES: &[&str] =
    &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Filesystem", "Block"];
const CLAIM_PHASES: &[&str] = &["Pending", "Bound", "Lost"];
const VOLUME_PHASES: &[&str] = &["Pending", "Available", "Bound", "Released", "Failed"];
const ALLOCATION_MODES: &[&str] = &["ExactCount", "All"];
const DEVICE_TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal"];
const DEVICE_EFFECTS: &[&str] = &["NoSchedule", "NoExecute", "None"];
/// Maximum number of characters of a value that are shown.
const SHOWN: usize = 40;

/// Notes values of `object` that Kubernetes does not have.
pub(super) fn check(object: &Object, notes: &mut NoteLog) {
    match object {
        Object::Pod(pod) => {
            let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
            Check::new(notes, Kind::Pod, or_default(namespace), name).pod(pod);
        }
        Object::Node(node) => {
            let mut check = Check::new(notes, Kind::Node, "", &node.metadata.name);
            for (i, taint) in node.spec.taints.iter().enumerate() {
                let path = format_args!("spec.taints[{i}].effect");
                check.one_of(TAINT_EFFECTS, &taint.effect, path);
            }
        }
        Object::PriorityClass(class) => {
            let mut check = Check::new(notes, Kind::PriorityClass, "", &class.metadata.name);
            let path = format_args!("preemptionPolicy");
            check.one_of(PREEMPTION_POLICIES, &class.preemption_policy, path);
        }
        Object::PodGroup(group) => {
            let (namespace, name) = (&group.metadata.namespace, &group.metadata.name);
            let mut check = Check::new(notes, Kind::PodGroup, or_default(namespace), name);
            let path = format_args!("spec.preemptionPolicy");
            check.one_of(PREEMPTION_POLICIES, &group.spec.preemption_policy, path);
        }
        Object::CompositePodGroup(group) => {
            let (namespace, name) = (&group.metadata.namespace, &group.metadata.name);
            let mut check = Check::new(notes, Kind::CompositePodGroup, or_default(namespace), name);
            let path = format_args!("spec.preemptionPolicy");
            check.one_of(PREEMPTION_POLICIES, &group.spec.preemption_policy, path);
        }
        Object::StorageClass(class) => {
            let mut check = Check::new(notes, Kind::StorageClass, "", &class.metadata.name);
            let path = format_args!("volumeBindingMode");
            check.one_of(BINDING_MODES, &class.volume_binding_mode, path);
        }
        Object::PersistentVolumeClaim(claim) => {
            let Meta { namespace, name, .. } = &claim.metadata;
            let mut check =
                Check::new(notes, Kind::PersistentVolumeClaim, or_default(namespace), name);
            check.volume(&claim.spec.access_modes, &claim.spec.volume_mode);
            check.one_of(CLAIM_PHASES, &claim.status.phase, format_args!("status.phase"));
        }
        Object::PersistentVolume(volume) => {
            let mut check = Check::new(notes, Kind::PersistentVolume, "", &volume.metadata.name);
            check.volume(&volume.spec.access_modes, &volume.spec.volume_mode);
            check.one_of(VOLUME_PHASES, &volume.status.phase, format_args!("status.phase"));
        }
        Object::ResourceClaim(claim) => {
            let (namespace, name) = (&claim.metadata.namespace, &claim.metadata.name);
            let mut check = Check::new(notes, Kind::ResourceClaim, or_default(namespace), name);
            // The fields are in the request itself (v1beta1), in `exactly`, or in each alternative.
            for (i, request) in claim.spec.devices.requests.iter().enumerate() {
                let at = format_args!("spec.devices.requests[{i}]");
                check.device_request(&request.allocation_mode, &request.tolerations, at);
                if let Some(exact) = &request.exactly {
                    let at = format_args!("spec.devices.requests[{i}].exactly");
                    check.device_request(&exact.allocation_mode, &exact.tolerations, at);
                }
                for (j, exact) in request.first_available.iter().enumerate() {
                    let at = format_args!("spec.devices.requests[{i}].firstAvailable[{j}]");
                    check.device_request(&exact.allocation_mode, &exact.tolerations, at);
                }
            }
        }
        _ => {}
    }
}

/// The check of one object.
struct Check<'c> {
    notes: &'c mut NoteLog,
    kind: Kind,
    namespace: &'c str,
    name: &'c str,
}

impl<'c> Check<'c> {
    fn new(notes: &'c mut NoteLog, kind: Kind, namespace: &'c str, name: &'c str) -> Self {
        Self { notes, kind, namespace, name }
    }

    /// Notes `value`, of the field at `path`, unless it is one of `known`. An empty value counts as
    /// absent.
    fn one_of(&mut self, values: &[&str], value: &Str, path: fmt::Arguments) {
        if value.is_empty() || values.contains(&value.as_str()) {
            return;
        }
        let path = path.to_string();
        let part = ObjectPart::of(self.kind, &path);
        let shown: String = value.chars().take(SHOWN).collect();
        let more = if shown.len() < value.len() { "…" } else { "" };
        let text = format!(
            "field `{path}` is `{shown}{more}`, but Kubernetes has only {} there",
            values.join(", ")
        );
        let subject = Subject::object(self.kind, self.namespace, self.name);
        self.notes.add(Some(subject), Note::warning(&VALUE, text).lacking(Some(self.kind), part));
    }

    fn pod(&mut self, pod: &Pod) {
        let (spec, status) = (&pod.spec, &pod.status);
        let path = format_args!("spec.preemptionPolicy");
        self.one_of(PREEMPTION_POLICIES, &spec.preemption_policy, path);
        for (i, toleration) in spec.tolerations.iter().enumerate() {
            let path = format_args!("spec.tolerations[{i}].operator");
            self.one_of(TOLERATION_OPERATORS, &toleration.operator, path);
            let path = format_args!("spec.tolerations[{i}].effect");
            self.one_of(TAINT_EFFECTS, &toleration.effect, path);
        }
        for (i, constraint) in spec.topology_spread_constraints.iter().enumerate() {
            let path = format_args!("spec.topologySpreadConstraints[{i}].whenUnsatisfiable");
            self.one_of(WHEN_UNSATISFIABLE, &constraint.when_unsatisfiable, path);
            let path = format_args!("spec.topologySpreadConstraints[{i}].nodeAffinityPolicy");
            self.one_of(INCLUSION_POLICIES, &constraint.node_affinity_policy, path);
            let path = format_args!("spec.topologySpreadConstraints[{i}].nodeTaintsPolicy");
            self.one_of(INCLUSION_POLICIES, &constraint.node_taints_policy, path);
        }
        self.containers(&spec.containers, "containers");
        self.containers(&spec.init_containers, "initContainers");
        self.one_of(POD_PHASES, &status.phase, format_args!("status.phase"));
        for (i, condition) in status.conditions.iter().enumerate() {
            let path = format_args!("status.conditions[{i}].status");
            self.one_of(CONDITION_STATUSES, &condition.status, path);
        }
    }

    fn containers(&mut self, containers: &[Container], list: &str) {
        for (i, container) in containers.iter().enumerate() {
            let path = format_args!("spec.{list}[{i}].restartPolicy");
            self.one_of(RESTART_POLICIES, &container.restart_policy, path);
            for (j, rule) in container.restart_policy_rules.iter().enumerate() {
                let path = format_args!("spec.{list}[{i}].restartPolicyRules[{j}].action");
                self.one_of(RESTART_ACTIONS, &rule.action, path);
            }
            for (j, port) in container.ports.iter().enumerate() {
                let path = format_args!("spec.{list}[{i}].ports[{j}].protocol");
                self.one_of(PROTOCOLS, &port.protocol, path);
            }
        }
    }

    fn volume(&mut self, access_modes: &[Str], mode: &Str) {
        for (i, access_mode) in access_modes.iter().enumerate() {
            self.one_of(ACCESS_MODES, access_mode, format_args!("spec.accessModes[{i}]"));
        }
        self.one_of(VOLUME_MODES, mode, format_args!("spec.volumeMode"));
    }

    /// Checks the fields of a request for devices; `at` is its path.
    fn device_request(&mut self, mode: &Str, tolerations: &[DeviceToleration], at: fmt::Arguments) {
        self.one_of(ALLOCATION_MODES, mode, format_args!("{at}.allocationMode"));
        for (i, toleration) in tolerations.iter().enumerate() {
            let path = format_args!("{at}.tolerations[{i}].operator");
            self.one_of(DEVICE_TOLERATION_OPERATORS, &toleration.operator, path);
            let path = format_args!("{at}.tolerations[{i}].effect");
            self.one_of(DEVICE_EFFECTS, &toleration.effect, path);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::cluster::notes::VALUE;
    use crate::decode::read_cluster;

    /// The notes about values of an object.
    fn notes(object: &Value) -> Vec<String> {
        let cluster = read_cluster(&object.to_string(), "a file").expect("an object");
        let notes = cluster.notes.iter().filter(|note| *note.doc == VALUE);
        notes
            .inspect(|note| assert!(!note.lacks.is_empty(), "{}", note.text))
            .map(|note| note.text.clone())
            .collect()
    }

    /// An object of that kind with a value at a path, of which numbers are places in lists.
    fn object(api_version: &str, kind: &str, path: &str, value: Value) -> Value {
        let at = |inner: Value, step: &str| match step.parse::<usize>() {
            Ok(_) => json!([inner]),
            Err(_) => json!({ step: inner }),
        };
        let mut object = path.rsplit('/').fold(value, at);
        let head = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "o"}});
        object
            .as_object_mut()
            .expect("an object")
            .extend(head.as_object().cloned().unwrap_or_default());
        object
    }

    /// The path as a note has it: `spec.taints[0]` of `spec/taints/0`.
    fn field(path: &str) -> String {
        let step = |step: &str| {
            if step.parse::<usize>().is_ok() { format!("[{step}]") } else { format!(".{step}") }
        };
        path.split('/').map(step).collect::<String>().trim_start_matches('.').to_owned()
    }

    #[test]
    fn a_value_that_kubernetes_does_not_have_is_noted_and_lacks() {
        for (api_version, kind, path) in [
            ("v1", "Node", "spec/taints/0/effect"),
            ("v1", "Pod", "spec/preemptionPolicy"),
            ("v1", "Pod", "spec/tolerations/0/operator"),
            ("v1", "Pod", "spec/tolerations/0/effect"),
            ("v1", "Pod", "spec/topologySpreadConstraints/0/whenUnsatisfiable"),
            ("v1", "Pod", "spec/topologySpreadConstraints/0/nodeAffinityPolicy"),
            ("v1", "Pod", "spec/topologySpreadConstraints/0/nodeTaintsPolicy"),
            ("v1", "Pod", "spec/containers/0/ports/0/protocol"),
            ("v1", "Pod", "spec/initContainers/0/restartPolicy"),
            ("v1", "Pod", "spec/containers/0/restartPolicyRules/0/action"),
            ("v1", "Pod", "status/phase"),
            ("v1", "Pod", "status/conditions/0/status"),
            ("scheduling.k8s.io/v1", "PriorityClass", "preemptionPolicy"),
            ("scheduling.k8s.io/v1beta1", "PodGroup", "spec/preemptionPolicy"),
            ("scheduling.k8s.io/v1alpha3", "CompositePodGroup", "spec/preemptionPolicy"),
            ("storage.k8s.io/v1", "StorageClass", "volumeBindingMode"),
            ("v1", "PersistentVolumeClaim", "spec/accessModes/0"),
            ("v1", "PersistentVolumeClaim", "spec/volumeMode"),
            ("v1", "PersistentVolumeClaim", "status/phase"),
            ("v1", "PersistentVolume", "spec/accessModes/0"),
            ("v1", "PersistentVolume", "spec/volumeMode"),
            ("v1", "PersistentVolume", "status/phase"),
            (
                "resource.k8s.io/v1",
                "ResourceClaim",
                "spec/devices/requests/0/exactly/allocationMode",
            ),
            (
                "resource.k8s.io/v1",
                "ResourceClaim",
                "spec/devices/requests/0/firstAvailable/0/tolerations/0/operator",
            ),
            (
                "resource.k8s.io/v1beta1",
                "ResourceClaim",
                "spec/devices/requests/0/tolerations/0/effect",
            ),
        ] {
            let told = notes(&object(api_version, kind, path, json!("Sometimes")));
            let begin = format!("field `{}` is `Sometimes`, but Kubernetes has only ", field(path));
            assert!(
                told.len() == 1 && told.iter().all(|text| text.starts_with(&begin)),
                "{kind} {path}: {told:?}"
            );
            let known = told.concat();
            let known = known
                .strip_prefix(&begin)
                .and_then(|rest| rest.strip_suffix(" there"))
                .expect("the values");
            for value in known.split(", ").chain([""]) {
                assert_eq!(
                    notes(&object(api_version, kind, path, json!(value))),
                    Vec::<String>::new(),
                    "{kind} {path}"
                );
            }
        }
    }

    #[test]
    fn unknown_effects_of_device_taints_have_a_meaning() {
        let slice = object(
            "resource.k8s.io/v1",
            "ResourceSlice",
            "spec/devices/0/taints/0/effect",
            json!("Sometimes"),
        );
        assert_eq!(notes(&slice), Vec::<String>::new());
    }

    #[test]
    fn a_long_value_is_cut() {
        let node = object("v1", "Node", "spec/taints/0/effect", json!("x".repeat(100_000)));
        assert!(notes(&node).iter().all(|text| text.len() < 200));
    }

    #[test]
    fn a_disruption_mode_that_kubernetes_does_not_have_is_read_as_absent() {
        for mode in [json!("Sometimes"), json!({"sometimes": {}})] {
            let group =
                object("scheduling.k8s.io/v1beta1", "PodGroup", "spec/disruptionMode", mode);
            let cluster = read_cluster(&group.to_string(), "a file").expect("a group");
            let texts: Vec<&str> = cluster.notes.iter().map(|note| note.text.as_str()).collect();
            let want = "field `spec.disruptionMode` is read as absent: expected an object with `single` or `all`, \
                        or the text `Pod` or `PodGroup`, found \"Sometimes\"";
            assert_eq!(texts.len(), 1, "{texts:?}");
            assert!(texts.iter().all(|text| text.eq_ignore_ascii_case(want)), "{texts:?}");
        }
    }
}
