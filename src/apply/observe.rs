//! Follows one pod: a watch where that is allowed, else a look now and then.

use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;
use tokio::sync::mpsc::Sender;
use tokio::time::{sleep, timeout};

use super::pace::Pace;
use super::pods::{self, Look, PodView, Unread, WirePod};
use crate::api::client::{Lines, Reader};
use engine::simulation::plan::PodId;

/// What is seen of a pod.
#[derive(Debug)]
pub(super) enum Seen {
    /// The pod.
    Here(PodView),
    /// It is gone, or another one has its name. Nothing else will be seen.
    Gone,
    /// It may not be looked at. Nothing else will be seen.
    Denied(String),
    /// It cannot be looked at just now.
    Troubled(String),
}

/// How a watch went.
enum Watched {
    /// The pod is gone.
    Gone,
    /// It ended; as if nothing had happened, or with trouble.
    Ended(Option<String>),
    /// It may not be watched.
    Forbidden,
    /// Nobody listens any more.
    Unheard,
}

/// Tells `news` what becomes of `pod`, until it is gone or nobody listens. `who` comes with each message.
pub(super) async fn follow(reader: Reader, pace: Pace, pod: PodId, who: usize, news: Sender<(usize, Seen)>) {
    let (mut failed, mut denied, mut watching) = (0, 0, true);
    loop {
        let wait = match pods::look(&reader, &pod).await {
            Ok(Look::Gone) => {
                // Nobody may listen any more.
                let _ = news.send((who, Seen::Gone)).await;
                return;
            }
            Ok(Look::Here(view)) => {
                (failed, denied) = (0, 0);
                let version = view.resource_version.clone();
                if news.send((who, Seen::Here(view))).await.is_err() {
                    return;
                }
                if watching {
                    match watch(&reader, &pace, &pod, &version, who, &news).await {
                        Watched::Gone | Watched::Unheard => return,
                        // The pod is looked at again before it is watched again.
                        Watched::Ended(None) => pace.retry / 4,
                        Watched::Ended(Some(text)) => {
                            let _ = news.send((who, Seen::Troubled(text))).await;
                            pace.retry
                        }
                        Watched::Forbidden => {
                            watching = false;
                            pace.poll
                        }
                    }
                } else {
                    pace.poll
                }
            }
            // A server that has just started knows nobody's roles for a moment.
            Err(Unread::Denied(_)) if denied < pace.attempts => {
                denied += 1;
                pace.backoff(denied - 1)
            }
            Err(Unread::Denied(text)) => {
                let _ = news.send((who, Seen::Denied(text))).await;
                return;
            }
            Err(Unread::Now(text)) => {
                if news.send((who, Seen::Troubled(text))).await.is_err() {
                    return;
                }
                (failed, denied) = (failed + 1, 0);
                pace.backoff(failed - 1)
            }
        };
        sleep(pace.jittered(wait, fastrand::u64(..))).await;
    }
}

#[derive(Deserialize)]
struct Event<'e> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: Option<&'e serde_json::value::RawValue>,
}

async fn watch(
    reader: &Reader,
    pace: &Pace,
    pod: &PodId,
    version: &str,
    who: usize,
    news: &Sender<(usize, Seen)>,
) -> Watched {
    let seconds = pace.watch.as_secs().max(1);
    let path = format!(
        "/api/v1/namespaces/{}/pods?watch=true&fieldSelector=metadata.name%3D{}&resourceVersion={version}&timeoutSeconds={seconds}",
        pod.namespace, pod.name
    );
    let mut lines = match reader.lines(&path).await {
        Ok(Ok(lines)) => lines,
        Ok(Err(answer)) if answer.status == StatusCode::FORBIDDEN => return Watched::Forbidden,
        // The version is too old, or the server is busy: the next look tells.
        Ok(Err(answer)) => return Watched::Ended(Some(format!("watch: {}", answer.status))),
        Err(error) => return Watched::Ended(Some(error.to_string())),
    };
    // A connection that has died without a word must not keep us.
    let limit = Duration::from_secs(seconds.saturating_add(10));
    let events = events(&mut lines, pod, who, news);
    timeout(limit, events).await.unwrap_or(Watched::Ended(None))
}

async fn events(lines: &mut Lines, pod: &PodId, who: usize, news: &Sender<(usize, Seen)>) -> Watched {
    loop {
        let line = match lines.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return Watched::Ended(None),
            Err(error) => return Watched::Ended(Some(error.to_string())),
        };
        let Ok(event) = serde_json::from_str::<Event>(&line) else { return Watched::Ended(None) };
        let Some(object) = event.object else { return Watched::Ended(None) };
        match event.kind.as_str() {
            "ADDED" | "MODIFIED" | "DELETED" => {
                let Ok(wire) = serde_json::from_str::<WirePod>(object.get()) else { return Watched::Ended(None) };
                let view = PodView::of(wire);
                if event.kind == "DELETED" || view.uid != pod.uid {
                    // An event that is late must not make a pod disappear: the next look decides.
                    return gone(who, &view, pod, news).await;
                }
                if news.send((who, Seen::Here(view))).await.is_err() {
                    return Watched::Unheard;
                }
            }
            "BOOKMARK" => {}
            // An error, as 410 for a version that is too old.
            _ => return Watched::Ended(None),
        }
    }
}

/// The pod itself was deleted; of another one of its name, only a look can tell.
async fn gone(who: usize, view: &PodView, pod: &PodId, news: &Sender<(usize, Seen)>) -> Watched {
    if view.uid != pod.uid {
        return Watched::Ended(None);
    }
    let _ = news.send((who, Seen::Gone)).await;
    Watched::Gone
}
