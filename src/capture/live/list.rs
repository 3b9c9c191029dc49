//! Downloads lists: page after page, several kinds at once, pods last. Each kind has a channel, and only a few pages fit into
//! it, so that pages do not pile up before the decoder.

use std::collections::BTreeSet;
use std::fmt;

use futures::StreamExt as _;
use http::StatusCode;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use tokio::sync::mpsc::Sender;

use crate::api::client::Reader;
use crate::api::failure;
use crate::api::url::encode;
use crate::error::Error;
use engine::snapshot::Kind;

/// Kinds that are read at the same time; each takes a connection.
const PARALLEL: usize = 4;
/// Bytes that the objects of a page may have on average, more than etcd takes of one; and the least and most of one answer.
const OBJECT_BYTES: usize = 2 << 20;
const LEAST_BYTES: usize = 256 << 20;
const MOST_BYTES: usize = 4 << 30;
/// The most objects that the pages of a list may have been asked for, ten times those of the largest clusters.
const MAX_OBJECTS: usize = 10_000_000;
/// Selects pods that have not finished. Finished ones use no resources, and a cluster with many jobs has many of them.
pub(super) const UNFINISHED_PODS: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// What is received while one kind's list is downloaded.
pub(super) enum ListEvent {
    /// A page.
    Page {
        /// JSON.
        body: String,
        /// Path of the list, without the query.
        path: String,
    },
    /// The list has expired on the server. The following pages are all of it again.
    Restarted,
    /// The user may not list this kind, or the server does not serve it: the server's message.
    Unreadable(String),
    /// The download has failed.
    Failed(Error),
}

/// How lists are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    /// Objects per page; `None`: all at once.
    pub(super) chunk: Option<usize>,
    /// Whether pods that have finished are read, too.
    pub(super) finished_pods: bool,
}

/// Downloads all kinds, each into its channel.
pub(super) async fn download(reader: &Reader, paging: Paging, channels: Vec<(Kind, Sender<ListEvent>)>) {
    let (pods, others): (Vec<_>, Vec<_>) = channels.into_iter().partition(|(kind, _)| *kind == Kind::Pod);
    for group in [others, pods] {
        let downloads = group.into_iter().map(|(kind, channel)| one(reader, kind, paging, channel));
        futures::stream::iter(downloads).buffer_unordered(PARALLEL).collect::<()>().await;
    }
}

async fn one(reader: &Reader, kind: Kind, paging: Paging, channel: Sender<ListEvent>) {
    if let Err(error) = first_version_served(reader, kind, paging, &channel).await {
        // Sending fails if the receiver has stopped reading.
        let _ = channel.send(ListEvent::Failed(error)).await;
    }
}

/// Tries the API versions of a kind, newest first.
async fn first_version_served(
    reader: &Reader,
    kind: Kind,
    paging: Paging,
    channel: &Sender<ListEvent>,
) -> Result<(), Error> {
    let mut not_found = None;
    for version in kind.versions() {
        match pages(reader, kind, paging, &path(kind, version), channel).await? {
            Outcome::Ended => return Ok(()),
            Outcome::NotServed(message) => not_found = Some(message),
        }
    }
    match not_found {
        Some(message) if !kind.may_be_absent() => {
            let _ = channel.send(ListEvent::Unreadable(message)).await;
        }
        Some(_) | None => {}
    }
    Ok(())
}

enum Outcome {
    /// The list is complete, or may not be read, or the receiver has stopped reading.
    Ended,
    /// The server does not serve this version: its message.
    NotServed(String),
}

async fn pages(
    reader: &Reader,
    kind: Kind,
    Paging { chunk: mut limit, finished_pods }: Paging,
    path: &str,
    channel: &Sender<ListEvent>,
) -> Result<Outcome, Error> {
    let (mut token, mut seen) = (String::new(), Tokens::default());
    let unfinished = kind == Kind::Pod && !finished_pods;
    loop {
        let answer = reader.list(&with_query(path, unfinished, limit, &token), most_bytes(limit)).await?;
        let event = match answer.status {
            StatusCode::OK => {
                let next = continue_token(&answer.body);
                if !next.is_empty() && !seen.is_new(&next, limit) {
                    return Err(failure::not_kubernetes(&reader.peer, &format!("the pages of {path} do not end")));
                }
                token = next;
                ListEvent::Page { body: answer.body, path: path.to_owned() }
            }
            StatusCode::GONE if limit.is_some() && !token.is_empty() => {
                (limit, token) = (None, String::new());
                if channel.send(ListEvent::Restarted).await.is_err() {
                    return Ok(Outcome::Ended);
                }
                continue;
            }
            StatusCode::NOT_FOUND if token.is_empty() && !kind.is_essential() => {
                return Ok(Outcome::NotServed(failure::server_message(&answer)));
            }
            StatusCode::FORBIDDEN if !kind.is_essential() => {
                token.clear();
                ListEvent::Unreadable(failure::server_message(&answer))
            }
            _ => return Err(failure::from_answer(&answer, Some(kind), &reader.peer)),
        };
        if channel.send(event).await.is_err() || token.is_empty() {
            return Ok(Outcome::Ended);
        }
    }
}

/// The most bytes of an answer to a request for so many objects.
fn most_bytes(limit: Option<usize>) -> usize {
    limit.map_or(MOST_BYTES, |objects| objects.saturating_mul(OBJECT_BYTES).clamp(LEAST_BYTES, MOST_BYTES))
}

/// The tokens of the pages of a list so far, as digests, because a server may make them long.
#[derive(Default)]
struct Tokens(BTreeSet<[u8; 20]>);

impl Tokens {
    /// Whether a page after this token can be read: no page has had it, and there have not been too many, each of `limit`
    /// objects.
    fn is_new(&mut self, token: &str, limit: Option<usize>) -> bool {
        let pages = MAX_OBJECTS / limit.unwrap_or(1).max(1);
        self.0.insert(sha1_smol::Sha1::from(token).digest().bytes()) && self.0.len() <= pages.max(1)
    }
}

/// The path of the list of a kind.
pub(super) fn path(kind: Kind, version: &str) -> String {
    match kind.group() {
        "" => format!("/api/{version}/{}", kind.plural()),
        group => format!("/apis/{group}/{version}/{}", kind.plural()),
    }
}

fn with_query(path: &str, unfinished: bool, limit: Option<usize>, token: &str) -> String {
    let mut query = Vec::new();
    if let Some(limit) = limit {
        query.push(format!("limit={limit}"));
    }
    if !token.is_empty() {
        query.push(format!("continue={}", encode(token)));
    }
    if unfinished {
        query.push(format!("fieldSelector={}", encode(UNFINISHED_PODS)));
    }
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

/// The token of the next page, found without decoding the items, so that the next page is requested before this one is decoded.
/// Empty on the last page, and on a page that the decoder will reject.
fn continue_token(body: &str) -> String {
    let mut token = String::new();
    // The visitor returns an error to stop after the metadata.
    let _ = serde_json::Deserializer::from_str(body).deserialize_map(FindToken(&mut token));
    token
}

struct FindToken<'t>(&'t mut String);

impl<'de> Visitor<'de> for FindToken<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "metadata" {
                let metadata = map.next_value::<serde_json::Value>()?;
                let token = metadata.get("continue").and_then(|t| t.as_str());
                token.unwrap_or_default().clone_into(self.0);
                return Err(A::Error::custom("enough"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_found_wherever_the_metadata_stands() {
        assert_eq!(continue_token(r#"{"kind":"PodList","metadata":{"continue":"abc"},"items":[tru"#), "abc");
        assert_eq!(
            continue_token(r#"{"items":[{"metadata":{"continue":"no"}}],"metadata":{"continue":"abc"}}"#),
            "abc"
        );
        for last in [r#"{"metadata":{"resourceVersion":"1"},"items":[]}"#, r#"{"metadata":null}"#, "<html>", "", "[1]"]
        {
            assert_eq!(continue_token(last), "", "{last}");
        }
    }

    #[test]
    fn pages_end_when_a_token_comes_again_or_no_cluster_has_so_many_objects() {
        let mut tokens = Tokens::default();
        assert!(tokens.is_new("a", Some(500)) && tokens.is_new("b", Some(500)));
        assert!(!tokens.is_new("a", Some(500)), "not only the last token counts");
        let pages = |limit: usize| {
            let mut tokens = Tokens::default();
            (0..30_000).find(|page| !tokens.is_new(&page.to_string(), Some(limit))).unwrap_or(0)
        };
        assert_eq!(pages(500), 20_000, "a million pods have 2,000");
        assert_eq!(pages(usize::MAX), 1);
    }

    #[test]
    fn the_limit_of_an_answer_grows_with_what_is_asked_for() {
        assert_eq!(most_bytes(Some(1)), 256 << 20);
        assert_eq!(most_bytes(Some(500)), 1000 << 20);
        assert_eq!(most_bytes(Some(usize::MAX)), 4 << 30);
        assert_eq!(most_bytes(None), 4 << 30);
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(with_query("/api/v1/nodes", false, Some(500), ""), "/api/v1/nodes?limit=500");
        assert_eq!(with_query("/api/v1/nodes", false, None, "a+/="), "/api/v1/nodes?continue=a%2B%2F%3D");
        assert_eq!(with_query("/api/v1/nodes", false, None, ""), "/api/v1/nodes");
        let pods = with_query("/api/v1/pods", true, Some(5), "");
        assert_eq!(pods, "/api/v1/pods?limit=5&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed");
    }
}
