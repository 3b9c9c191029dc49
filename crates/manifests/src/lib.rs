//! Checks manifests as strictly as the API server does for `kubectl apply`: a kind that no server
//! has, a value of a wrong type and an unknown field are errors, in kubectl's words where it has
//! some. The types are those of `k8s-openapi`; of the rules beyond them, those are checked that decide
//! about pods.
//!
//! Objects that a server has stored are not checked: it has done so, perhaps in another version.

mod strict;
mod validation;

use k8s_openapi::Resource;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, PodTemplate,
    ReplicationController, ResourceQuota, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::resource::v1::{
    DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::api::storage::v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A kind whose manifests are decoded.
struct Kind {
    api_version: &'static str,
    name: &'static str,
    decode: fn(&Value) -> Result<(), String>,
}

const fn kind<T: Resource + DeserializeOwned>() -> Kind {
    Kind { api_version: T::API_VERSION, name: T::KIND, decode: strict::decode::<T> }
}

/// The kinds that pods are created from, and those that a decision reads. Older versions of them
/// have other fields, and are not decoded.
static KINDS: [Kind; 27] = [
    kind::<Pod>(),
    kind::<PodTemplate>(),
    kind::<Deployment>(),
    kind::<ReplicaSet>(),
    kind::<StatefulSet>(),
    kind::<DaemonSet>(),
    kind::<Job>(),
    kind::<CronJob>(),
    kind::<ReplicationController>(),
    kind::<Node>(),
    kind::<Namespace>(),
    kind::<LimitRange>(),
    kind::<ResourceQuota>(),
    kind::<Service>(),
    kind::<PersistentVolume>(),
    kind::<PersistentVolumeClaim>(),
    kind::<PodDisruptionBudget>(),
    kind::<PriorityClass>(),
    kind::<StorageClass>(),
    kind::<CSIDriver>(),
    kind::<CSINode>(),
    kind::<CSIStorageCapacity>(),
    kind::<VolumeAttachment>(),
    kind::<DeviceClass>(),
    kind::<ResourceClaim>(),
    kind::<ResourceClaimTemplate>(),
    kind::<ResourceSlice>(),
];

/// The groups of Kubernetes whose names have no dot, which a custom kind's group must have.
const DOTLESS_GROUPS: [&str; 6] = ["", "apps", "autoscaling", "batch", "extensions", "policy"];

/// All kinds of the versions whose kinds are created with pods: any other kind in them is a typing
/// error. [`KINDS`] has further ones.
const OTHER_KINDS: [(&str, &[&str]); 4] = [
    (
        "v1",
        &[
            "Binding",
            "ComponentStatus",
            "ConfigMap",
            "Endpoints",
            "Event",
            "Secret",
            "ServiceAccount",
        ],
    ),
    ("apps/v1", &["ControllerRevision"]),
    ("batch/v1", &[]),
    ("policy/v1", &["Eviction"]),
];

/// Numbers of pods.
const COUNTS: [&str; 5] = [
    "spec.replicas",
    "spec.parallelism",
    "spec.completions",
    "spec.jobTemplate.spec.parallelism",
    "spec.jobTemplate.spec.completions",
];

/// Checks an object of a manifest. Custom kinds and older versions of kinds pass.
///
/// # Errors
/// Why the API server, or kubectl before it, would not take the object.
pub fn check(object: &Value) -> Result<(), String> {
    let [api_version, kind] = ["apiVersion", "kind"]
        .map(|field| object.get(field).and_then(Value::as_str).unwrap_or_default());
    if api_version.is_empty() {
        return Err("apiVersion not set".to_owned());
    }
    if api_version.starts_with("kustomize.config.k8s.io/") {
        return Err(format!(
            "no matches for kind \"{kind}\" in version \"{api_version}\": give -f - what kubectl kustomize makes of its folder"
        ));
    }
    let Some(known) = find(api_version, kind) else {
        return if may_exist(api_version, kind) {
            Ok(())
        } else {
            Err(format!("no matches for kind \"{kind}\" in version \"{api_version}\""))
        };
    };
    (known.decode)(object)?;
    // Without this, a negative number would be read as a missing one.
    for field in COUNTS {
        let count = object.pointer(&format!("/{}", field.replace('.', "/")));
        if let Some(negative) = count.and_then(Value::as_i64).filter(|count| *count < 0) {
            return Err(format!(
                "{field}: Invalid value: {negative}: must be greater than or equal to 0"
            ));
        }
    }
    validation::check(object)
}

fn find(api_version: &str, kind: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|known| known.name == kind && known.api_version == api_version)
}

/// Whether some server has a kind that is not in [`KINDS`].
fn may_exist(api_version: &str, kind: &str) -> bool {
    let others = OTHER_KINDS.iter().find(|(version, _)| *version == api_version);
    if let Some((_, others)) = others {
        // A list without items is left as it is.
        let item = kind.strip_suffix("List").unwrap_or(kind);
        return kind == "List" || others.contains(&item) || find(api_version, item).is_some();
    }
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    group.contains('.') || DOTLESS_GROUPS.contains(&group)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(spec: &Value) -> Value {
        let mut spec = spec.clone();
        spec["selector"] = json!({"matchLabels": {"app": "web"}});
        let template = spec.get("template").cloned().unwrap_or_else(|| json!({}));
        spec["template"] = template;
        spec["template"]["metadata"]["labels"]["app"] = "web".into();
        if spec["template"].get("spec").is_none() {
            spec["template"]["spec"] = json!({"containers": [{"name": "c"}]});
        }
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    }

    fn pod(spec: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec})
    }

    #[track_caller]
    fn problem(object: &Value) -> String {
        check(object).expect_err("a problem")
    }

    #[test]
    fn manifest_that_the_api_server_accepts_passes() {
        let spec = json!({"replicas": 3.0, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "template": {"metadata": {"creationTimestamp": null, "labels": {"b": null}},
                "spec": {"nodeSelector": null, "terminationGracePeriodSeconds": null, "containers": [
                    {"name": "c", "env": null, "resources": {"requests": {"cpu": 1, "memory": "1Gi", "a/b": 0.5, "c": null}}}]}}});
        assert_eq!(check(&deployment(&spec)), Ok(()));
        let stored = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "uid": "u",
            "creationTimestamp": "2026-07-01T10:00:00Z", "managedFields": [{"manager": "kubectl", "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:containers": {"k:{\"name\":\"c\"}": {".": {}}}}}}]},
            "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled",
                "status": "False", "lastTransitionTime": "2026-07-01T10:00:00Z"}]}});
        assert_eq!(check(&stored), Ok(()));
    }

    #[test]
    fn value_of_a_wrong_type_is_named_with_its_field() {
        for (object, expected) in [
            (
                deployment(&json!({"replicas": "3"})),
                "spec.replicas: expected a whole number of 32 bits, found \"3\"",
            ),
            (
                deployment(&json!({"replicas": 3_000_000_000_i64})),
                "spec.replicas: expected a whole number of 32 bits, found 3000000000",
            ),
            (
                pod(&json!({"containers": [{"name": "c", "env": [{"name": "A", "value": 5}]}]})),
                "spec.containers[0].env[0].value: expected text, found 5",
            ),
            (
                pod(&json!({"containers": {"name": "c"}})),
                "spec.containers: expected a list, found an object",
            ),
            (pod(&json!(["c"])), "spec: expected an object, found a list"),
            (
                pod(&json!({"hostNetwork": "yes"})),
                "spec.hostNetwork: expected true or false, found \"yes\"",
            ),
            (
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a/b": true}}}),
                "metadata.labels[a/b]: expected text, found true",
            ),
        ] {
            assert_eq!(problem(&object), expected);
        }
        let time =
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"creationTimestamp": "now"}});
        assert!(problem(&time).starts_with("metadata.creationTimestamp: "), "{}", problem(&time));
        let surge = deployment(&json!({"strategy": {"rollingUpdate": {"maxSurge": 1.5}}}));
        assert!(problem(&surge).starts_with("spec.strategy.rollingUpdate.maxSurge: "));
    }

    #[test]
    fn unknown_fields_are_named_together() {
        assert_eq!(problem(&deployment(&json!({"replica": 3}))), "unknown field \"spec.replica\"");
        let containers = json!([{"name": "c", "resource": {}}, {"name": "d", "Image": "i"}]);
        let problem =
            problem(&pod(&json!({"containers": containers, "tolerations": [{"keys": "a"}]})));
        for field in
            ["spec.containers[0].resource", "spec.containers[1].Image", "spec.tolerations[0].keys"]
        {
            assert!(problem.contains(&format!("unknown field \"{field}\"")), "{problem}");
        }
        // Up to 1.30.
        let claim = json!({"name": "gpu", "source": {"resourceClaimTemplateName": "gpu"}});
        assert_eq!(
            check(&pod(&json!({"containers": [{"name": "c"}], "resourceClaims": [claim]}))),
            Ok(())
        );
    }

    #[test]
    fn negative_number_of_pods_is_invalid() {
        assert_eq!(
            problem(&deployment(&json!({"replicas": -1}))),
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
        );
    }

    #[test]
    fn rules_that_decide_about_pods_are_checked() {
        let with = |field: &str, value: Value| {
            let mut spec = json!({"containers": [{"name": "c"}]});
            spec[field] = value;
            deployment(&json!({"template": {"spec": spec}}))
        };
        let container = |fields: Value| {
            let mut container = fields;
            container["name"] = "c".into();
            with("containers", json!([container]))
        };
        let resources = |requests: Value, limits: Value| {
            container(json!({"resources": {"requests": requests, "limits": limits}}))
        };
        let mut other_labels = deployment(&json!({}));
        other_labels["spec"]["selector"]["matchLabels"]["app"] = "api".into();
        let mut no_selector = deployment(&json!({}));
        no_selector["spec"]["selector"] = Value::Null;
        let rolling = |surge: i64, unavailable: i64| {
            deployment(
                &json!({"strategy": {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}),
            )
        };
        let taint = |fields: Value| with("tolerations", json!([fields]));
        let term = |operator: &str, values: Value| {
            with(
                "affinity",
                json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": operator, "values": values}]}]}}}),
            )
        };
        for (object, field) in [
            (other_labels, Some("spec.template.metadata.labels: `selector` does not match")),
            (no_selector, Some("spec.selector: Required value")),
            (
                resources(json!({"cpu": "10m"}), json!({"cpu": "5m"})),
                Some("spec.template.spec.containers[0].resources.requests[cpu]"),
            ),
            (resources(json!({"cpu": "1"}), json!({"cpu": "1000m"})), None),
            (
                resources(json!({"cpu": "1e3x"}), json!({})),
                Some("spec.template.spec.containers[0].resources.requests[cpu]"),
            ),
            (
                resources(json!({"memory": "-1Gi"}), json!({})),
                Some("spec.template.spec.containers[0].resources.requests[memory]"),
            ),
            (
                resources(json!({"nvidia.com/gpu": 1}), json!({})),
                Some("spec.template.spec.containers[0].resources.limits"),
            ),
            (resources(json!({"nvidia.com/gpu": 1}), json!({"nvidia.com/gpu": 1})), None),
            (with("nodeName", json!("n1")), Some("spec.template.spec.nodeName")),
            (with("priority", json!(5)), Some("spec.template.spec.priority")),
            (with("priorityClassName", json!("high")), None),
            (with("restartPolicy", json!("Never")), Some("spec.template.spec.restartPolicy")),
            (
                with("preemptionPolicy", json!("Always")),
                Some("spec.template.spec.preemptionPolicy"),
            ),
            (
                container(json!({"volumeMounts": [{"name": "v", "mountPath": "/v"}]})),
                Some("spec.template.spec.containers[0].volumeMounts[0].name"),
            ),
            (
                container(json!({"ports": [{"containerPort": 70_000}]})),
                Some("spec.template.spec.containers[0].ports[0]"),
            ),
            (rolling(0, 0), Some("spec.strategy.rollingUpdate.maxUnavailable")),
            (rolling(1, 0), None),
            (
                taint(json!({"key": "a", "operator": "Exists", "value": "b"})),
                Some("spec.template.spec.tolerations[0].operator"),
            ),
            (taint(json!({"operator": "Exists"})), None),
            (
                taint(json!({"key": "a", "effect": "NoScedule"})),
                Some("spec.template.spec.tolerations[0].effect"),
            ),
            (term("In", json!([])), Some("spec.template.spec.affinity.nodeAffinity")),
            (term("Exists", json!([])), None),
            (term("Gt", json!(["5"])), None),
            (
                with(
                    "topologySpreadConstraints",
                    json!([{"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]),
                ),
                Some("spec.template.spec.topologySpreadConstraints[0].maxSkew"),
            ),
        ] {
            let said = check(&object).err();
            assert_eq!(said.is_some(), field.is_some(), "{object}: {said:?}");
            let said = said.unwrap_or_default();
            assert!(said.starts_with(field.unwrap_or_default()), "{said}");
        }
        let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
            "spec": {"minAvailable": 1, "maxUnavailable": 1}});
        assert!(problem(&budget).starts_with("spec: minAvailable and maxUnavailable"));
    }

    #[test]
    fn kind_that_no_server_has_is_an_error() {
        let object =
            |version: &str, kind: &str| check(&json!({"apiVersion": version, "kind": kind}));
        for (version, kind) in [
            ("apps/v1", "Deploymnt"),
            ("v1", "Deployment"),
            ("v1", "pod"),
            ("app/v1", "Deployment"),
            ("batch/v1", "Cronjob"),
        ] {
            let expected = format!("no matches for kind \"{kind}\" in version \"{version}\"");
            assert_eq!(object(version, kind), Err(expected));
        }
        for (version, kind) in [
            ("v1", "ConfigMap"),
            ("v1", "List"),
            ("apps/v1", "DeploymentList"),
            ("policy/v1beta1", "PodDisruptionBudget"),
            ("extensions/v1beta1", "Deployment"),
            ("argoproj.io/v1alpha1", "Rollout"),
            ("networking.k8s.io/v1", "Ingress"),
        ] {
            assert_eq!(object(version, kind), Ok(()), "{version} {kind}");
        }
        assert_eq!(check(&json!({"kind": "Pod"})), Err("apiVersion not set".to_owned()));
    }
}
