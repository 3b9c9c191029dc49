//! Reads single workloads of a live cluster with all their fields: those that manifests change.

use futures::StreamExt as _;
use http::StatusCode;
use serde_json::Value;

use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config;
use crate::api::flags::ConnectionFlags;
use crate::api::runtime;
use crate::api::url::encode;
use crate::error::Error;
use engine::decode::WantedWorkload;

/// Number of concurrent requests.
const PARALLEL: usize = 4;

/// The paths of the resources of workloads.
const RESOURCES: [(&str, &str); 8] = [
    ("Pod", "/api/v1/namespaces/{}/pods"),
    ("Deployment", "/apis/apps/v1/namespaces/{}/deployments"),
    ("ReplicaSet", "/apis/apps/v1/namespaces/{}/replicasets"),
    ("StatefulSet", "/apis/apps/v1/namespaces/{}/statefulsets"),
    ("DaemonSet", "/apis/apps/v1/namespaces/{}/daemonsets"),
    ("Job", "/apis/batch/v1/namespaces/{}/jobs"),
    ("CronJob", "/apis/batch/v1/namespaces/{}/cronjobs"),
    ("ReplicationController", "/api/v1/namespaces/{}/replicationcontrollers"),
];

/// Those of the wanted workloads that exist and may be read. What may not be read is missing: the
/// answer says of its pods that their template is not known. Each is listed by its name, because the
/// role of readers lists workloads and gets none.
///
/// # Errors
/// When the cluster cannot be reached.
pub fn read(
    env: &Env,
    flags: &ConnectionFlags,
    wanted: &[WantedWorkload],
) -> Result<Vec<Value>, Error> {
    let connection = config::resolve(flags, env)?;
    let runtime = runtime::start("start reading workloads")?;
    let mut lists: Vec<(&str, String)> = Vec::new();
    for workload in wanted {
        let resource = RESOURCES.iter().find(|(kind, _)| *kind == workload.kind);
        let (Some((kind, resource)), Some(name)) = (resource, &workload.name) else { continue };
        let resource = resource.replace("{}", &encode(&workload.namespace));
        let selector = encode(&format!("metadata.name={name}"));
        lists.push((kind, format!("{resource}?fieldSelector={selector}")));
    }
    let found = runtime.block_on(async {
        let reader = Reader::new(connection, flags.request_timeout)?;
        let answers = futures::stream::iter(&lists).map(|(_, path)| reader.get(path));
        let answers: Vec<_> = answers.buffered(PARALLEL).collect().await;
        let mut found = Vec::new();
        for ((kind, _), answer) in lists.iter().zip(answers) {
            let answer = answer?;
            if answer.status != StatusCode::OK {
                continue;
            }
            let list: Value = serde_json::from_str(&answer.body).unwrap_or_default();
            // The items of a list do not say what they are.
            for item in list.get("items").and_then(Value::as_array).into_iter().flatten() {
                let mut object = item.clone();
                if let Some(fields) = object.as_object_mut() {
                    fields.insert("kind".to_owned(), (*kind).into());
                }
                found.push(object);
            }
        }
        Ok(found)
    });
    // Does not wait for a DNS lookup in flight.
    runtime.shutdown_background();
    found
}
