//! Looks at single pods. Without `resourceVersion`, so that nothing old is seen.

use http::StatusCode;
use serde::Deserialize;

use crate::api::client::{Answer, Reader};
use crate::api::failure;
use engine::simulation::plan::PodId;

/// A pod, as far as apply looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PodView {
    /// UID.
    pub uid: String,
    /// Version of the object.
    pub resource_version: String,
    /// When it is due to be gone, if it is being deleted.
    pub deletion: Option<String>,
    /// Its node.
    pub node: Option<String>,
    /// The node it is nominated to.
    pub nominated: Option<String>,
    /// Who set that, where it is known.
    pub nominated_by: Option<String>,
}

/// A read that brought nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// It may work later.
    Now(String),
    /// It will not.
    Denied(String),
}

impl Unread {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Now(text) | Self::Denied(text) => text,
        }
    }
}

/// What is where a pod was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// The pod itself.
    Here(PodView),
    /// Nothing, or another pod of its name.
    Gone,
}

impl Look {
    /// Whether the pod is gone, or goes.
    pub(super) fn is_leaving(&self) -> bool {
        match self {
            Self::Here(pod) => pod.deletion.is_some(),
            Self::Gone => true,
        }
    }
}

/// GETs `path`; `None` for 404.
pub(super) async fn get(reader: &Reader, path: &str) -> Result<Option<String>, Unread> {
    let answer = reader.get(path).await.map_err(|e| Unread::Now(e.to_string()))?;
    match answer.status {
        StatusCode::OK => Ok(Some(answer.body)),
        StatusCode::NOT_FOUND if serde_json::from_str::<Status>(&answer.body).is_ok_and(|s| s.kind == "Status") => {
            Ok(None)
        }
        _ => Err(unread(&answer)),
    }
}

#[derive(Deserialize)]
struct Status {
    kind: String,
}

fn unread(answer: &Answer) -> Unread {
    let text = format!("Error from server ({}): {}", answer.status, failure::server_message(answer));
    let again = answer.status.is_server_error() || [408, 429].contains(&answer.status.as_u16());
    if again { Unread::Now(text) } else { Unread::Denied(text) }
}

/// Looks at the pod with that UID.
pub(super) async fn look(reader: &Reader, pod: &PodId) -> Result<Look, Unread> {
    let Some(body) = get(reader, &path(pod)).await? else { return Ok(Look::Gone) };
    let view = view(&body).ok_or_else(|| Unread::Now("the server's answer is no pod".to_owned()))?;
    Ok(if view.uid == pod.uid { Look::Here(view) } else { Look::Gone })
}

/// Path of a pod.
pub(super) fn path(pod: &PodId) -> String {
    format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.name)
}

/// Reads a pod; `None` if it is none.
pub(super) fn view(json: &str) -> Option<PodView> {
    Some(PodView::of(serde_json::from_str(json).ok()?))
}

/// A pod's JSON, as far as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WirePod {
    metadata: WireMeta,
    #[serde(default)]
    spec: WireSpec,
    #[serde(default)]
    status: WireStatus,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMeta {
    uid: String,
    #[serde(default)]
    resource_version: String,
    deletion_timestamp: Option<String>,
    #[serde(default)]
    managed_fields: Vec<WireManager>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireManager {
    manager: String,
    fields_v1: serde_json::Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireSpec {
    node_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireStatus {
    nominated_node_name: Option<String>,
}

impl PodView {
    pub(super) fn of(pod: WirePod) -> Self {
        let text = |text: Option<String>| text.filter(|t| !t.is_empty());
        let owns = |m: &&WireManager| m.fields_v1.pointer("/f:status/f:nominatedNodeName").is_some();
        Self {
            nominated_by: pod.metadata.managed_fields.iter().find(owns).map(|m| m.manager.clone()),
            uid: pod.metadata.uid,
            resource_version: pod.metadata.resource_version,
            deletion: text(pod.metadata.deletion_timestamp),
            node: text(pod.spec.node_name),
            nominated: text(pod.status.nominated_node_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_read_with_who_nominated_it() {
        let pod = r#"{"kind":"Pod","metadata":{"uid":"u","resourceVersion":"7","managedFields":[
            {"manager":"a","fieldsV1":{"f:status":{"f:phase":{}}}},
            {"manager":"b","fieldsV1":{"f:status":{"f:nominatedNodeName":{}}}}]},
            "spec":{"nodeName":""},"status":{"nominatedNodeName":"n1"}}"#;
        let pod = view(pod).unwrap();
        assert_eq!((pod.uid.as_str(), pod.resource_version.as_str(), pod.node), ("u", "7", None));
        assert_eq!((pod.nominated.as_deref(), pod.nominated_by.as_deref()), (Some("n1"), Some("b")));
        assert_eq!(view("{}"), None);
    }
}
