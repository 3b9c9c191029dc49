//! Downloads lists: page after page, several kinds at once, pods last. Each kind has a channel, and only a few pages fit into
//! it, so that pages do not pile up before the decoder.

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
/// Selects pods that have not finished. Finished ones use no resources, and a cluster with many jobs has many of them.
const UNFINISHED_PODS: &str = "status.phase!=Succeeded,status.phase!=Failed";

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

/// Downloads all kinds, each into its channel, in pages of `chunk` objects or all at once.
pub(super) async fn download(reader: &Reader, chunk: Option<usize>, channels: Vec<(Kind, Sender<ListEvent>)>) {
    let (pods, others): (Vec<_>, Vec<_>) = channels.into_iter().partition(|(kind, _)| *kind == Kind::Pod);
    for group in [others, pods] {
        let downloads = group.into_iter().map(|(kind, channel)| one(reader, kind, chunk, channel));
        futures::stream::iter(downloads).buffer_unordered(PARALLEL).collect::<()>().await;
    }
}

async fn one(reader: &Reader, kind: Kind, chunk: Option<usize>, channel: Sender<ListEvent>) {
    if let Err(error) = first_version_served(reader, kind, chunk, &channel).await {
        // Sending fails if the receiver has stopped reading.
        let _ = channel.send(ListEvent::Failed(error)).await;
    }
}

/// Tries the API versions of a kind, newest first.
async fn first_version_served(
    reader: &Reader,
    kind: Kind,
    chunk: Option<usize>,
    channel: &Sender<ListEvent>,
) -> Result<(), Error> {
    let mut not_found = None;
    for version in kind.versions() {
        match pages(reader, kind, chunk, &path(kind, version), channel).await? {
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
    mut limit: Option<usize>,
    path: &str,
    channel: &Sender<ListEvent>,
) -> Result<Outcome, Error> {
    let mut token = String::new();
    loop {
        let answer = reader.get(&with_query(path, kind, limit, &token)).await?;
        let event = match answer.status {
            StatusCode::OK => {
                let next = continue_token(&answer.body);
                if !next.is_empty() && next == token {
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

fn path(kind: Kind, version: &str) -> String {
    match kind.group() {
        "" => format!("/api/{version}/{}", kind.plural()),
        group => format!("/apis/{group}/{version}/{}", kind.plural()),
    }
}

fn with_query(path: &str, kind: Kind, limit: Option<usize>, token: &str) -> String {
    let mut query = Vec::new();
    if let Some(limit) = limit {
        query.push(format!("limit={limit}"));
    }
    if !token.is_empty() {
        query.push(format!("continue={}", encode(token)));
    }
    if kind == Kind::Pod {
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
    fn queries_are_encoded() {
        assert_eq!(with_query("/api/v1/nodes", Kind::Node, Some(500), ""), "/api/v1/nodes?limit=500");
        assert_eq!(with_query("/api/v1/nodes", Kind::Node, None, "a+/="), "/api/v1/nodes?continue=a%2B%2F%3D");
        assert_eq!(with_query("/api/v1/nodes", Kind::Node, None, ""), "/api/v1/nodes");
        let pods = with_query("/api/v1/pods", Kind::Pod, Some(5), "");
        assert_eq!(pods, "/api/v1/pods?limit=5&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed");
    }
}
