//! The Events about one pod, read when somebody looks at it: Events as a whole are many, change all the
//! time and decide nothing.

use std::time::Duration;

use http::StatusCode;
use tokio::sync::oneshot;

use super::{Keeper, KeptCluster};
use crate::api::failure;
use crate::api::url::encode;
use crate::capture::live::interrupted;
use crate::capture::live::list::bad_page;
use crate::error::Error;
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::decode;
use engine::snapshot::Kind;

/// How long they are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

impl KeptCluster {
    /// The Events about the pod with this UID, as `kubectl describe` asks for them: a cluster that has
    /// nothing else.
    ///
    /// # Errors
    /// When they may not or cannot be read within a short time.
    pub fn events_about(&self, namespace: &str, uid: &str) -> Result<Cluster, Error> {
        let (namespace, selector) =
            (encode(namespace), encode(&format!("involvedObject.uid={uid}")));
        let path = format!("/api/v1/namespaces/{namespace}/events?fieldSelector={selector}");
        let keeper = self.keeper.clone();
        let (sender, answer) = oneshot::channel();
        self.runtime.spawn(async move {
            let read = tokio::time::timeout(PATIENCE, read(&keeper, &path)).await;
            // The receiver waits for it.
            let _ = sender.send(read.unwrap_or_else(|_| Err(interrupted())));
        });
        answer.blocking_recv().unwrap_or_else(|_| Err(interrupted()))
    }
}

async fn read(keeper: &Keeper, path: &str) -> Result<Cluster, Error> {
    let reader = keeper.connector.reader().await?;
    let answer = reader.get(path).await?;
    if answer.status != StatusCode::OK {
        return Err(failure::from_answer(&answer, Some(Kind::Event), &reader.peer));
    }
    let mut builder = Builder::new();
    decode::decode_list(&answer.body, Kind::Event, path, &mut builder)
        .map_err(|e| bad_page(&e, &reader.peer))?;
    Ok(builder.finish())
}
