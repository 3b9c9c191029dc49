//! Observes one pod: with a watch if permitted, else by polling.

use std::time::Duration;

use http::StatusCode;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::WatchEvent;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout};

use super::pods::{self, PodLookup, PodView, ReadError};
use crate::api::client::{Reader, StreamLines};
use crate::apply::options::WaitTimes;
use engine::simulation::plan::PodId;

#[derive(Debug)]
pub(in crate::apply) enum Observation {
    /// The current pod.
    Found(PodView),
    /// It is gone, or another pod has its name. The last observation.
    Gone,
    /// The server denies reading it for now, as one does that has just started.
    NotNow(String),
    /// The server denies reading it. The last observation.
    Denied(String),
    /// It cannot be read for now.
    Failed(String),
}

enum WatchEnd {
    Gone,
    /// It ended normally, or with this error.
    Closed(Option<String>),
    Forbidden,
    /// The receiver is gone.
    Unused,
}

/// Sends every observation of `pod` to `sender`, with `tag`, until the pod is gone or the receiver
/// is dropped.
pub(in crate::apply) async fn follow(
    reader: Reader,
    times: WaitTimes,
    pod: PodId,
    tag: usize,
    sender: Sender<(usize, Observation)>,
) {
    let (mut failed, mut denied, mut watching, mut short) = (0, 0, true, 0);
    loop {
        let wait = match pods::look_up(&reader, &pod).await {
            Ok(PodLookup::Gone) => {
                // The receiver may be gone.
                let _ = sender.send((tag, Observation::Gone)).await;
                return;
            }
            Ok(PodLookup::Found(view)) => {
                (failed, denied) = (0, 0);
                let version = view.resource_version.clone();
                if sender.send((tag, Observation::Found(view))).await.is_err() {
                    return;
                }
                if watching {
                    let since = Instant::now();
                    let end = watch(&reader, &times, &pod, &version, tag, &sender).await;
                    short = if since.elapsed() < times.watch / 4 { short + 1 } else { 0 };
                    match end {
                        WatchEnd::Gone | WatchEnd::Unused => return,
                        // The pod is read again before it is watched again.
                        WatchEnd::Closed(None) => before_next_watch(&times, short),
                        WatchEnd::Closed(Some(text)) => {
                            let _ = sender.send((tag, Observation::Failed(text))).await;
                            times.backoff(short.saturating_sub(1))
                        }
                        WatchEnd::Forbidden => {
                            watching = false;
                            times.poll
                        }
                    }
                } else {
                    times.poll
                }
            }
            // A server that has just started denies everything until it has read the roles.
            Err(ReadError::Denied(text)) if denied < times.attempts => {
                if sender.send((tag, Observation::NotNow(text))).await.is_err() {
                    return;
                }
                denied += 1;
                times.backoff(denied - 1)
            }
            Err(ReadError::Denied(text)) => {
                let _ = sender.send((tag, Observation::Denied(text))).await;
                return;
            }
            Err(ReadError::Temporary(text)) => {
                if sender.send((tag, Observation::Failed(text))).await.is_err() {
                    return;
                }
                (failed, denied) = (failed + 1, 0);
                times.backoff(failed - 1)
            }
        };
        sleep(times.jittered(wait, fastrand::u64(..))).await;
    }
}

/// The delay after a watch that ended without an error, the last of `short` watches that ended too
/// soon. One may have a version that is too old; without a delay, a server that closes each at once
/// would get many requests a second.
fn before_next_watch(times: &WaitTimes, short: u32) -> Duration {
    short.checked_sub(2).map_or(times.retry / 4, |failed| times.backoff(failed))
}

async fn watch(
    reader: &Reader,
    times: &WaitTimes,
    pod: &PodId,
    version: &str,
    tag: usize,
    sender: &Sender<(usize, Observation)>,
) -> WatchEnd {
    let seconds = times.watch.as_secs().max(1);
    let path = format!(
        "/api/v1/namespaces/{}/pods?watch=true&fieldSelector=metadata.name%3D{}&resourceVersion={version}&timeoutSeconds={seconds}",
        pod.namespace, pod.name
    );
    let mut lines = match reader.lines(&path).await {
        Ok(Ok(lines)) => lines,
        Ok(Err(answer)) if answer.status == StatusCode::FORBIDDEN => return WatchEnd::Forbidden,
        // The version is too old, or the server is overloaded: the next read returns the pod.
        Ok(Err(answer)) => return WatchEnd::Closed(Some(format!("watch: {}", answer.status))),
        Err(error) => return WatchEnd::Closed(Some(error.to_string())),
    };
    // A connection may break without an error.
    let limit = Duration::from_secs(seconds.saturating_add(10));
    let events = events(&mut lines, pod, tag, sender);
    timeout(limit, events).await.unwrap_or(WatchEnd::Closed(None))
}

async fn events(
    lines: &mut StreamLines,
    pod: &PodId,
    tag: usize,
    sender: &Sender<(usize, Observation)>,
) -> WatchEnd {
    loop {
        let line = match lines.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return WatchEnd::Closed(None),
            Err(error) => return WatchEnd::Closed(Some(error.to_string())),
        };
        let (view, is_deleted) = match serde_json::from_str(&line) {
            Ok(WatchEvent::Added(wire) | WatchEvent::Modified(wire)) => (PodView::of(wire), false),
            Ok(WatchEvent::Deleted(wire)) => (PodView::of(wire), true),
            Ok(WatchEvent::Bookmark { .. }) => continue,
            // An error, such as 410 for a version that is too old, or no event at all.
            Ok(WatchEvent::ErrorStatus(_) | WatchEvent::ErrorOther(_)) | Err(_) => {
                return WatchEnd::Closed(None);
            }
        };
        let Some(view) = view else { return WatchEnd::Closed(None) };
        if is_deleted || view.uid != pod.uid {
            // A late event may be about an earlier pod with this name: then the next read decides.
            return gone(tag, &view, pod, sender).await;
        }
        if sender.send((tag, Observation::Found(view))).await.is_err() {
            return WatchEnd::Unused;
        }
    }
}

/// Handles a deletion event for the pod's name, which may belong to another pod.
async fn gone(
    tag: usize,
    view: &PodView,
    pod: &PodId,
    sender: &Sender<(usize, Observation)>,
) -> WatchEnd {
    if view.uid != pod.uid {
        return WatchEnd::Closed(None);
    }
    let _ = sender.send((tag, Observation::Gone)).await;
    WatchEnd::Gone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watches_that_end_at_once_are_started_again_more_and_more_slowly() {
        let times = WaitTimes::default();
        let waits: Vec<u128> =
            (0..9).map(|short| before_next_watch(&times, short).as_millis()).collect();
        assert_eq!(waits, [125, 125, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    }
}
