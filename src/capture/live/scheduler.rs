//! The cluster's scheduler as visible through the API: the flags of its static pods, and the
//! ConfigMap with its configuration.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::client::{HttpAnswer, Reader};
use crate::api::failure;
use crate::api::url::encode;
use crate::error::Error;
use engine::snapshot::programs::ProgramState;
use engine::snapshot::scheduler::config_key;
use engine::snapshot::scheduler::{
    ConfigMap, ConfigMapName, LABELS, NAMESPACE, POLICY_KEY, Scheduler, StaticPod,
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct StaticPods {
    items: Vec<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    data: BTreeMap<String, String>,
}

/// Reads the static pods, and the ConfigMap `asked` for with `--scheduler-configmap`, or the one
/// that the pods' flags name. Returns also how the containers of these pods do.
///
/// # Errors
/// When the cluster cannot be reached, or the ConfigMap of `--scheduler-configmap` cannot be read.
pub(super) async fn find(
    reader: &Reader,
    asked: Option<&ConfigMapName>,
) -> Result<(Scheduler, Vec<ProgramState>), Error> {
    let (mut scheduler, states) = static_pods(reader).await?;
    scheduler.config_map = match (asked, scheduler.policy_config_map()) {
        (Some(name), _) => Some(asked_for(reader, name).await?),
        (None, Some(name)) => Some(named_by_flags(reader, name).await?),
        (None, None) => None,
    };
    Ok((scheduler, states))
}

async fn static_pods(reader: &Reader) -> Result<(Scheduler, Vec<ProgramState>), Error> {
    let path = format!("/api/v1/namespaces/{NAMESPACE}/pods?labelSelector={}", encode(LABELS));
    let answer = reader.get(&path).await?;
    let unreadable = |why: String| {
        let scheduler = Scheduler { unreadable: Some(why), ..Scheduler::default() };
        Ok((scheduler, Vec::new()))
    };
    if answer.status != StatusCode::OK {
        return unreadable(failure::server_message(&answer));
    }
    let Ok(list) = serde_json::from_str::<StaticPods>(&answer.body) else {
        return unreadable("the answer is no list of pods".to_owned());
    };
    let pods: serde_json::Result<Vec<StaticPod>> =
        list.items.iter().map(|item| serde_json::from_str(item.get())).collect();
    let states = list.items.iter().filter_map(|item| ProgramState::read(item.get()));
    match pods {
        Ok(pods) => Ok((Scheduler::of(pods), states.collect())),
        Err(_) => unreadable("the answer is no list of pods".to_owned()),
    }
}

async fn get(reader: &Reader, name: &ConfigMapName) -> Result<HttpAnswer, Error> {
    reader
        .get(&format!(
            "/api/v1/namespaces/{}/configmaps/{}",
            encode(&name.namespace),
            encode(&name.name)
        ))
        .await
}

/// The ConfigMap of `--scheduler-configmap`. It is an error if it cannot be read.
async fn asked_for(reader: &Reader, name: &ConfigMapName) -> Result<ConfigMap, Error> {
    let answer = get(reader, name).await?;
    match answer.status {
        StatusCode::OK => {}
        StatusCode::FORBIDDEN => {
            let hint = format!(
                "--scheduler-configmap needs the verb get on configmaps of namespace {}; or save it and pass the file \
                 with --scheduler-config",
                name.namespace
            );
            return Err(failure::forbidden(&failure::server_message(&answer), hint));
        }
        StatusCode::NOT_FOUND => {
            let message = failure::server_message(&answer);
            return Err(Error::Cluster {
                problem: format!("Error from server (NotFound): {message}"),
                hint: Some("--scheduler-configmap takes NAMESPACE/NAME of a ConfigMap".to_owned()),
            });
        }
        _ => return Err(failure::from_answer(&answer, None, &reader.peer)),
    }
    let unreadable =
        |problem: String| Error::Input { origin: format!("ConfigMap {name}"), problem };
    let mut map = serde_json::from_str::<Data>(&answer.body)
        .map_err(|_| failure::not_kubernetes(&reader.peer, &format!("ConfigMap {name} is none")))?;
    let key = config_key(&map.data).map_err(unreadable)?.to_owned();
    let text = map.data.remove(&key).unwrap_or_default();
    Ok(ConfigMap { name: name.clone(), key, text, unreadable: None })
}

/// The ConfigMap named by the scheduler's flags. If it cannot be read, its field `unreadable`
/// contains the reason.
async fn named_by_flags(reader: &Reader, name: ConfigMapName) -> Result<ConfigMap, Error> {
    let answer = get(reader, &name).await?;
    let found = if answer.status == StatusCode::OK {
        let map: Data = serde_json::from_str(&answer.body).unwrap_or_default();
        let missing = || format!("missing policy config map value at key {POLICY_KEY:?}");
        map.data.get(POLICY_KEY).cloned().ok_or_else(missing)
    } else {
        Err(failure::server_message(&answer))
    };
    let (text, unreadable) = match found {
        Ok(text) => (text, None),
        Err(reason) => (String::new(), Some(reason)),
    };
    Ok(ConfigMap { name, key: POLICY_KEY.to_owned(), text, unreadable })
}
