//! Consistent reads of single pods, without `resourceVersion`, so that they are not served from a
//! cache.

use std::collections::BTreeMap;

use http::StatusCode;
use jiff::Timestamp;
use serde::Deserialize;

use crate::api::client::{HttpAnswer, Reader};
use crate::api::failure;
use crate::api::url::encode;
use engine::object_only;
use engine::simulation::plan::PodId;

/// Page size of a list, the same as kubectl's.
const PAGE: usize = 500;

/// The fields of a pod that apply uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) struct PodView {
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// `metadata.creationTimestamp`, if it is a valid time.
    pub created: Option<Timestamp>,
    /// `metadata.deletionTimestamp`, if it is terminating.
    pub deletion: Option<String>,
    /// `spec.nodeName`.
    pub node: Option<String>,
    /// The phase of a pod that has finished: `Succeeded` or `Failed`.
    pub finished: Option<String>,
    /// `status.nominatedNodeName`.
    pub nominated: Option<String>,
    /// The field manager that set it, if known.
    pub nominated_by: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) enum ReadError {
    /// A later read may succeed.
    Temporary(String),
    /// The server denies the read.
    Denied(String),
}

/// The result of reading a pod by its UID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) enum PodLookup {
    Found(PodView),
    /// No pod, or another pod with its name.
    Gone,
}

impl PodLookup {
    /// Whether the pod is gone or terminating.
    pub(in crate::apply) fn is_leaving(&self) -> bool {
        match self {
            Self::Found(pod) => pod.deletion.is_some(),
            Self::Gone => true,
        }
    }

    /// Whether the pod has no node yet.
    pub(in crate::apply) fn is_waiting(&self) -> bool {
        match self {
            Self::Found(pod) => {
                pod.deletion.is_none() && pod.node.is_none() && pod.finished.is_none()
            }
            Self::Gone => false,
        }
    }
}

/// The body of a GET of `path`; `None` for a 404 of the API server.
pub(in crate::apply) async fn get(
    reader: &Reader,
    path: &str,
) -> Result<Option<String>, ReadError> {
    let answer = reader.get(path).await.map_err(|e| ReadError::Temporary(e.to_string()))?;
    match answer.status {
        StatusCode::OK => Ok(Some(answer.body)),
        StatusCode::NOT_FOUND
            if serde_json::from_str::<Status>(&answer.body).is_ok_and(|s| s.kind == "Status") =>
        {
            Ok(None)
        }
        _ => Err(read_error(&answer)),
    }
}

#[derive(Deserialize)]
struct Status {
    kind: String,
}

fn read_error(answer: &HttpAnswer) -> ReadError {
    let text =
        format!("Error from server ({}): {}", answer.status, failure::server_message(answer));
    let again = answer.status.is_server_error() || [408, 429].contains(&answer.status.as_u16());
    if again { ReadError::Temporary(text) } else { ReadError::Denied(text) }
}

/// Reads the pod with that UID.
pub(in crate::apply) async fn look_up(
    reader: &Reader,
    pod: &PodId,
) -> Result<PodLookup, ReadError> {
    let Some(body) = get(reader, &path(pod)).await? else { return Ok(PodLookup::Gone) };
    let view = view(&body)
        .ok_or_else(|| ReadError::Temporary("the server's answer is no pod".to_owned()))?;
    Ok(if view.uid == pod.uid { PodLookup::Found(view) } else { PodLookup::Gone })
}

/// Reads these pods, which share a namespace, with one list of the pods without a node: a pod that
/// is not in the list is reported as gone.
pub(in crate::apply) async fn look_up_waiting(
    reader: &Reader,
    pods: &[PodId],
) -> Result<Vec<PodLookup>, ReadError> {
    let Some(namespace) = pods.first().map(|pod| &pod.namespace) else { return Ok(Vec::new()) };
    let (mut found, mut token) = (BTreeMap::new(), String::new());
    loop {
        let path = format!(
            "/api/v1/namespaces/{namespace}/pods?fieldSelector={}&limit={PAGE}&continue={}",
            encode("spec.nodeName="),
            encode(&token)
        );
        let no_list = || ReadError::Temporary("the server's answer is no list of pods".to_owned());
        let body = get(reader, &path).await?.ok_or_else(no_list)?;
        let list: WireList = serde_json::from_str(&body).map_err(|_| no_list())?;
        found.extend(list.items.into_iter().map(PodView::of).map(|view| (view.uid.clone(), view)));
        if list.metadata.token.is_empty() {
            break;
        }
        token = list.metadata.token;
    }
    Ok(pods
        .iter()
        .map(|pod| found.remove(&pod.uid).map_or(PodLookup::Gone, PodLookup::Found))
        .collect())
}

fn path(pod: &PodId) -> String {
    format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.name)
}

/// Decodes a pod; `None` if `json` is not a pod.
fn view(json: &str) -> Option<PodView> {
    Some(PodView::of(serde_json::from_str(json).ok()?))
}

/// The decoded fields of a pod.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(in crate::apply) struct WirePod {
    metadata: WireMeta,
    #[serde(default)]
    spec: WireSpec,
    #[serde(default)]
    status: WireStatus,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
struct WireMeta {
    uid: String,
    #[serde(default)]
    resource_version: String,
    creation_timestamp: Option<String>,
    deletion_timestamp: Option<String>,
    #[serde(default)]
    managed_fields: Vec<WireManager>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
struct WireManager {
    manager: String,
    fields_v1: serde_json::Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
struct WireSpec {
    node_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
struct WireStatus {
    nominated_node_name: Option<String>,
    phase: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WireList {
    metadata: WireListMeta,
    items: Vec<WirePod>,
}

#[derive(Debug, Deserialize)]
struct WireListMeta {
    #[serde(rename = "continue", default)]
    token: String,
}

object_only!(decode WirePod);
object_only!(decode WireMeta);
object_only!(decode WireManager);
object_only!(decode WireSpec);
object_only!(decode WireStatus);

impl PodView {
    pub(in crate::apply) fn of(pod: WirePod) -> Self {
        let text = |text: Option<String>| text.filter(|t| !t.is_empty());
        let owns =
            |m: &&WireManager| m.fields_v1.pointer("/f:status/f:nominatedNodeName").is_some();
        Self {
            nominated_by: pod.metadata.managed_fields.iter().find(owns).map(|m| m.manager.clone()),
            uid: pod.metadata.uid,
            resource_version: pod.metadata.resource_version,
            created: pod.metadata.creation_timestamp.and_then(|time| time.parse().ok()),
            deletion: text(pod.metadata.deletion_timestamp),
            node: text(pod.spec.node_name),
            finished: pod
                .status
                .phase
                .filter(|phase| ["Succeeded", "Failed"].contains(&phase.as_str())),
            nominated: text(pod.status.nominated_node_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_decoded_with_the_manager_that_nominated_it() {
        let pod = r#"{"kind":"Pod","metadata":{"uid":"u","resourceVersion":"7","managedFields":[
            {"manager":"a","fieldsV1":{"f:status":{"f:phase":{}}}},
            {"manager":"b","fieldsV1":{"f:status":{"f:nominatedNodeName":{}}}}]},
            "spec":{"nodeName":""},"status":{"nominatedNodeName":"n1"}}"#;
        let pod = view(pod).unwrap();
        assert_eq!((pod.uid.as_str(), pod.resource_version.as_str(), pod.node), ("u", "7", None));
        assert_eq!(
            (pod.nominated.as_deref(), pod.nominated_by.as_deref()),
            (Some("n1"), Some("b"))
        );
        assert_eq!(view("{}"), None);
        assert_eq!(view(r#"{"metadata":["u","7",null,[]]}"#), None);
    }
}
