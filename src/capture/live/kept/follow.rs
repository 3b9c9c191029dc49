//! Keeps one kind up to date with consecutive watches: the first starts at the version of the list,
//! each further one at the last version of its predecessor. The kind is listed again only if the
//! server no longer has that version.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::time::{Instant, sleep, timeout};

use super::event::WatchEvent;
use super::objects::{self, Bounds};
use super::state::Contents;
use super::{Keeper, KeptObjects};
use crate::api::client::{HttpAnswer, StreamLines};
use crate::api::failure;
use crate::api::url::encode;
use crate::capture::live::list::UNFINISHED_PODS;
use crate::error::Error;
use engine::snapshot::Kind;

/// Duration of a watch in seconds.
const WATCH_SECONDS: u64 = 300;
/// Maximum time without a line. Servers send a bookmark every minute, so the connection is dead.
const SILENCE: Duration = Duration::from_secs(100);
/// A watch that ends sooner counts as a failure: a server that closes each at once would get
/// requests constantly.
const SHORTEST_WATCH: Duration = Duration::from_secs(10);
/// Maximum delay after failures, in seconds.
const MAX_WAIT_SECONDS: u64 = 30;

enum WatchEnd {
    /// After its duration, or closed by the server.
    Over,
    /// The kind was listed again meanwhile, and its versions do not show which events that list
    /// already contained.
    Replaced,
    /// The server no longer has the start version.
    TooOld,
    /// Watching this kind is not permitted or not possible; the server's message. Or the stream
    /// exceeds the bounds.
    NotWatched(String),
}

/// Watches `kind` as long as possible.
pub(super) async fn follow(keeper: Arc<Keeper>, kind: Kind) {
    let mut failures = 0u32;
    loop {
        let since = Instant::now();
        let ended = watch(&keeper, kind).await;
        keeper.state.watch_ended(kind);
        let mut list_again = false;
        match ended {
            // The server is well: the next watch starts at once.
            Ok(WatchEnd::Replaced) => continue,
            Ok(WatchEnd::Over) => failures = failures_after(since.elapsed(), failures),
            Ok(WatchEnd::TooOld) => {
                failures = failures_after(since.elapsed(), failures);
                list_again = true;
            }
            Ok(WatchEnd::NotWatched(why)) => return keeper.state.not_watched(kind, why),
            Err(error) => {
                failures = failures.saturating_add(1);
                keeper.connector.renew().await;
                keeper.state.failed(kind, &error.to_string());
            }
        }
        sleep(wait(failures)).await;
        if list_again {
            let lists = keeper.clone();
            let listed = tokio::task::spawn_blocking(move || lists.list(&[kind])).await;
            if let Ok(Err(error)) = listed {
                failures = failures.saturating_add(1);
                keeper.state.failed(kind, &error.to_string());
            }
        }
    }
}

/// Number of consecutive failures, after a watch that ended without an error.
fn failures_after(lasted: Duration, failures: u32) -> u32 {
    if lasted < SHORTEST_WATCH { failures.saturating_add(1) } else { 0 }
}

/// The delay before the next watch: none after a watch of normal duration.
fn wait(failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => Duration::ZERO,
        Some(more) => {
            Duration::from_secs(wait_seconds(more)) + Duration::from_millis(fastrand::u64(0..500))
        }
    }
}

fn wait_seconds(more: u32) -> u64 {
    (1u64 << more.min(6)).min(MAX_WAIT_SECONDS)
}

/// Runs one watch from the current version until it ends.
async fn watch(keeper: &Keeper, kind: Kind) -> Result<WatchEnd, Error> {
    let reader = keeper.connector.reader().await?;
    let (from, listed) = {
        let contents = keeper.state.lock();
        contents
            .kinds
            .get(&kind)
            .map_or_else(Default::default, |kept| (kept.version.clone(), kept.listed))
    };
    let mut not_served = None;
    for version in kind.versions() {
        let begun = reader.lines(&query(&kind.list_path(version), kind, &from)).await?;
        match begun {
            Ok(lines) => return events(keeper, kind, listed, lines).await,
            Err(answer) if answer.status == StatusCode::GONE => return Ok(WatchEnd::TooOld),
            Err(answer) if answer.status == StatusCode::NOT_FOUND => not_served = Some(answer),
            Err(answer) if is_refusal(&answer) => {
                return Ok(WatchEnd::NotWatched(failure::server_message(&answer)));
            }
            Err(answer) => return Err(failure::from_answer(&answer, Some(kind), &reader.peer)),
        }
    }
    Ok(WatchEnd::NotWatched(not_served.as_ref().map(failure::server_message).unwrap_or_default()))
}

/// Whether the watch is forbidden or unknown to the server.
fn is_refusal(answer: &HttpAnswer) -> bool {
    [StatusCode::FORBIDDEN, StatusCode::METHOD_NOT_ALLOWED, StatusCode::NOT_IMPLEMENTED]
        .contains(&answer.status)
}

fn query(path: &str, kind: Kind, from: &str) -> String {
    let selector = if kind == Kind::Pod {
        format!("&fieldSelector={}", encode(UNFINISHED_PODS))
    } else {
        String::new()
    };
    format!(
        "{path}?watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={WATCH_SECONDS}{selector}",
        encode(from)
    )
}

/// Applies the events of a watch to the local state until it ends. `listed` is the kind's list
/// counter at its start.
async fn events(
    keeper: &Keeper,
    kind: Kind,
    listed: u64,
    mut lines: StreamLines,
) -> Result<WatchEnd, Error> {
    keeper.state.watching(kind);
    loop {
        let Ok(line) = timeout(SILENCE, lines.next()).await else { return Ok(WatchEnd::Over) };
        let Some(line) = line? else { return Ok(WatchEnd::Over) };
        let event = decode(keeper, kind, &line);
        let is_current = match event {
            WatchEvent::Put(news) => {
                let mut too_many = false;
                let is_current = keeper.change(kind, listed, |kept| {
                    let changed = kept.put(news);
                    too_many = kept.are_too_many(Bounds::LARGEST);
                    changed
                });
                let too_large = objects::too_large(&keeper.state.lock().kinds, Bounds::LARGEST);
                if too_many || too_large == Some(kind) {
                    let why =
                        format!("its watch brought more {} than any cluster has", kind.plural());
                    return Ok(WatchEnd::NotWatched(why));
                }
                is_current
            }
            WatchEvent::Gone(gone) => keeper.change(kind, listed, |kept| kept.remove(gone)),
            WatchEvent::Bookmark(version) => {
                keeper.change(kind, listed, |kept| kept.came_to(version))
            }
            WatchEvent::TooOld => return Ok(WatchEnd::TooOld),
            WatchEvent::Failed(why) => {
                let problem = format!("the watch of {} has failed: {why}", kind.plural());
                return Err(Error::Cluster { problem, hint: None });
            }
        };
        if !is_current {
            return Ok(WatchEnd::Replaced);
        }
    }
}

/// Decodes a line. Complete nodes and pods are stored if they are needed.
fn decode(keeper: &Keeper, kind: Kind, line: &str) -> WatchEvent {
    if keeper.whole {
        let mut contents = keeper.state.lock();
        let Contents { kinds, originals, .. } = &mut *contents;
        return WatchEvent::decode(kind, line, originals.as_mut(), kinds.get(&kind));
    }
    WatchEvent::decode(kind, line, None, None)
}

impl Keeper {
    /// Changes the objects of `kind`, unless a later list has replaced them. Returns whether it
    /// has.
    fn change(
        &self,
        kind: Kind,
        listed: u64,
        change: impl FnOnce(&mut KeptObjects) -> bool,
    ) -> bool {
        let mut is_current = false;
        self.state.change(|contents| {
            let Some(kept) = contents.kinds.get_mut(&kind) else { return false };
            is_current = kept.listed == listed;
            is_current && change(kept)
        });
        is_current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_that_ends_at_once_is_a_failure() {
        let at_once = |failures| failures_after(Duration::from_millis(20), failures);
        let waits: Vec<u64> = std::iter::successors(Some(1), |failures| Some(at_once(*failures)))
            .map(|failures| wait(failures).as_secs())
            .take(8)
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(wait(failures_after(Duration::from_secs(300), 5)), Duration::ZERO, "it lasted");
    }
}
