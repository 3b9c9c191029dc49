//! Consistent reads of single pods, without `resourceVersion`, so that they are not served from a
//! cache.

use std::collections::BTreeMap;

use http::StatusCode;
use jiff::Timestamp;
use k8s_openapi::Resource as _;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta, Status};
use serde::Deserialize;

use crate::api::client::{HttpAnswer, Reader};
use crate::api::failure;
use crate::api::url::encode;
use engine::object_only;
use engine::simulation::plan::PodId;

/// Page size of a list, the same as kubectl's.
const PAGE: usize = 500;

/// The nomination in the fields of a manager.
const NOMINATION: &str = "/f:status/f:nominatedNodeName";

/// The fields of a pod that apply uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) struct PodView {
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// `metadata.creationTimestamp`.
    pub created: Option<Timestamp>,
    /// `metadata.deletionTimestamp`, if it is terminating.
    pub deletion: Option<Timestamp>,
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
            if serde_json::from_str::<Kind>(&answer.body).is_ok_and(|s| s.kind == Status::KIND) =>
        {
            Ok(None)
        }
        _ => Err(read_error(&answer)),
    }
}

#[derive(Deserialize)]
struct Kind {
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
        for pod in list.items {
            let view = PodView::of(pod).ok_or_else(no_list)?;
            found.insert(view.uid.clone(), view);
        }
        token = list.metadata.continue_.unwrap_or_default();
        if token.is_empty() {
            break;
        }
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
    PodView::of(serde_json::from_str(json).ok()?)
}

/// The decoded fields of a pod. The rest of it, which k8s-openapi's own type has, is not needed.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(in crate::apply) struct WirePod {
    metadata: ObjectMeta,
    #[serde(default)]
    spec: WireSpec,
    #[serde(default)]
    status: WireStatus,
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
    metadata: ListMeta,
    items: Vec<WirePod>,
}

object_only!(decode WirePod);
object_only!(decode WireSpec);
object_only!(decode WireStatus);

impl PodView {
    /// `None` for a pod without a UID, which no server has.
    pub(in crate::apply) fn of(pod: WirePod) -> Option<Self> {
        let text = |text: Option<String>| text.filter(|t| !t.is_empty());
        let WirePod { metadata, spec, status } = pod;
        let managers = metadata.managed_fields.unwrap_or_default();
        let nominated_by = managers.into_iter().find(|manager| {
            let fields = manager.fields_v1.as_ref();
            fields.is_some_and(|fields| fields.0.pointer(NOMINATION).is_some())
        });
        Some(Self {
            uid: text(metadata.uid)?,
            resource_version: metadata.resource_version.unwrap_or_default(),
            created: metadata.creation_timestamp.map(|time| time.0),
            deletion: metadata.deletion_timestamp.map(|time| time.0),
            node: text(spec.node_name),
            finished: status
                .phase
                .filter(|phase| ["Succeeded", "Failed"].contains(&phase.as_str())),
            nominated: text(status.nominated_node_name),
            nominated_by: nominated_by.and_then(|manager| manager.manager),
        })
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
