//! The annotation by which a node asks not to be given the pods of some controllers.
//!
//! Upstream: `pkg/apis/core/v1/helper/helpers.go` `GetAvoidPodsFromNodeAnnotations` (1.21).

use serde::Deserialize;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Avoided {
    prefer_avoid_pods: Vec<Entry>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Entry {
    pod_signature: Signature,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Signature {
    pod_controller: Controller,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Controller {
    kind: String,
    uid: String,
}

/// Kind and UID of each controller that the annotation names; none if it cannot be read.
pub(super) fn controllers(annotation: &str) -> Vec<(String, String)> {
    let avoided: Avoided = serde_json::from_str(annotation).unwrap_or_default();
    let controllers =
        avoided.prefer_avoid_pods.into_iter().map(|entry| entry.pod_signature.pod_controller);
    controllers.map(|controller| (controller.kind, controller.uid)).collect()
}
