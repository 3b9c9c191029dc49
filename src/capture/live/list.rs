//! Downloads lists: page by page, several kinds concurrently, pods last. The received part of a
//! page is passed on in batches of objects, each kind's through its own channel (`channel`).

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt as _;
use http::StatusCode;

use super::channel::{ListEvent, Sender};
use super::intake::{Intake, Listed};
use crate::api::client::{JSON, Reader};
use crate::api::failure::{self, Peer};
use crate::api::received::Received;
use crate::api::url::encode;
use crate::error::Error;
use engine::decode::{DecodeError, Items, ListPage, WireEncoding};
use engine::snapshot::Kind;

/// Number of kinds read concurrently; each takes a connection.
const PARALLEL: usize = 4;
/// Average size limit of the objects in a page, larger than etcd's limit of one object; and the
/// lower and upper size limit of a response.
const OBJECT_BYTES: usize = 2 << 20;
const LEAST_BYTES: usize = 256 << 20;
const MOST_BYTES: usize = 4 << 30;
/// Accepts objects as protobuf, or as JSON if the server has no protobuf.
const PROTOBUF_OR_JSON: &str = "application/vnd.kubernetes.protobuf,application/json";
/// Total time for which the server is kept waiting while it sends a page. API servers close a
/// response after a minute.
const PATIENCE: Duration = Duration::from_secs(10);
/// Limit of the objects that the pages of a list were requested for, ten times the size of the
/// largest clusters.
const MAX_OBJECTS: usize = 10_000_000;
/// Maximum number of consecutive pages without an object. An API server fills a page before it
/// sends it, even if a selector filters objects (upstream: `etcd3/store.go`, `GetList`), but a
/// proxy may not.
const MAX_EMPTY_PAGES: usize = 100;
/// Selects pods that have not finished. Finished pods use no resources, and clusters with many jobs
/// have many of them.
pub(super) const UNFINISHED_PODS: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// How lists are requested.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    /// Page size; `None` requests each list without pagination.
    pub chunk: Option<usize>,
    pub finished_pods: bool,
    /// Whether complete nodes and pods are needed as JSON.
    pub whole_objects: bool,
    /// Field selectors of the Events that are read; `None` reads all Events.
    pub event_selectors: Option<Vec<String>>,
    /// The namespace that is read where all of them are forbidden, if an answer in part is wanted.
    pub in_part: Option<String>,
}

impl Listing {
    /// Whether this kind may be requested as protobuf, for which the fields of the newest version
    /// are known. It costs the server less than half the time of JSON.
    fn accepts_protobuf(&self, kind: Kind, version: &str) -> bool {
        let newest = kind.versions().first() == Some(&version);
        kind.has_protobuf() && newest && !(self.whole_objects && kind.is_essential())
    }
}

/// Downloads all kinds, each into its channel.
pub(super) async fn download(reader: &Reader, listing: &Listing, channels: Vec<(Kind, Sender)>) {
    let intake = Intake::default();
    let (pods, others): (Vec<_>, Vec<_>) =
        channels.into_iter().partition(|(kind, _)| *kind == Kind::Pod);
    for group in [others, pods] {
        let downloads =
            group.into_iter().map(|(kind, channel)| one(reader, kind, listing, &intake, channel));
        futures::stream::iter(downloads).buffer_unordered(PARALLEL).collect::<()>().await;
    }
}

async fn one(reader: &Reader, kind: Kind, listing: &Listing, intake: &Intake, channel: Sender) {
    let read = match &listing.event_selectors {
        Some(selectors) if kind == Kind::Event => {
            selected_events(reader, selectors, listing, intake, &channel).await
        }
        _ => first_version_served(reader, kind, listing, intake, &channel).await,
    };
    if let Err(error) = read {
        channel.send(ListEvent::Failed(error));
    }
}

/// Reads the Events that match one of the selectors, one list each.
async fn selected_events(
    reader: &Reader,
    selectors: &[String],
    listing: &Listing,
    intake: &Intake,
    channel: &Sender,
) -> Result<(), Error> {
    for selector in selectors {
        let path = Kind::Event.list_path("v1");
        let list = List {
            reader,
            kind: Kind::Event,
            path,
            selector: Some(selector.clone()),
            accept: JSON,
            intake,
            channel,
            in_part: listing.in_part.clone(),
            is_part: false,
        };
        if let Outcome::NotServed(message) = list.pages(listing.chunk).await? {
            channel.send(ListEvent::Unreadable(message));
            break;
        }
    }
    Ok(())
}

/// Tries the API versions of a kind, newest first.
async fn first_version_served(
    reader: &Reader,
    kind: Kind,
    listing: &Listing,
    intake: &Intake,
    channel: &Sender,
) -> Result<(), Error> {
    let mut not_found = None;
    for version in kind.versions() {
        let accept = if listing.accepts_protobuf(kind, version) { PROTOBUF_OR_JSON } else { JSON };
        let unfinished = kind == Kind::Pod && !listing.finished_pods;
        let selector = unfinished.then(|| UNFINISHED_PODS.to_owned());
        let path = kind.list_path(version);
        let in_part = listing.in_part.clone();
        let list =
            List { reader, kind, path, selector, accept, intake, channel, in_part, is_part: false };
        match list.pages(listing.chunk).await? {
            Outcome::Ended => return Ok(()),
            Outcome::NotServed(message) => not_found = Some(message),
        }
    }
    match not_found {
        Some(message) if !kind.may_be_absent() => channel.send(ListEvent::Unreadable(message)),
        Some(_) | None => {}
    }
    Ok(())
}

enum Outcome {
    /// The list is complete or denied, or the receiver was dropped.
    Ended,
    /// The server does not serve this version; its message.
    NotServed(String),
}

/// A list that is being downloaded.
struct List<'l> {
    reader: &'l Reader,
    kind: Kind,
    path: String,
    /// Field selector of the list.
    selector: Option<String>,
    accept: &'static str,
    /// What was read of all lists.
    intake: &'l Intake,
    channel: &'l Sender,
    /// As that of [`Listing`]; `None` once the namespace is read.
    in_part: Option<String>,
    /// Whether it is that of one namespace.
    is_part: bool,
}

impl List<'_> {
    async fn pages(mut self, mut limit: Option<usize>) -> Result<Outcome, Error> {
        let (reader, kind) = (self.reader, self.kind);
        let (mut token, mut seen) = (String::new(), Pages::default());
        let mut listed = Listed::default();
        let may_read_one_namespace = self.in_part.is_some();
        while self.channel.has_room().await {
            let query = with_query(&self.path, self.selector.as_deref(), limit, &token);
            let answer = match reader.list(&query, most_bytes(limit), self.accept).await? {
                Ok(received) => {
                    let page = self.page(received, &mut listed).await?;
                    token = page.continue_token;
                    if !token.is_empty() && !seen.go_on(&token, page.is_empty, limit) {
                        let problem = format!("the pages of {} do not end", self.path);
                        return Err(failure::not_kubernetes(&reader.peer, &problem));
                    }
                    if token.is_empty() {
                        break;
                    }
                    continue;
                }
                Err(answer) => answer,
            };
            match answer.status {
                StatusCode::GONE if limit.is_some() && !token.is_empty() => {
                    (limit, token) = (None, String::new());
                    self.channel.send(ListEvent::Restarted);
                }
                // A proxy that does not support a list of media types.
                StatusCode::NOT_ACCEPTABLE if self.accept != JSON => self.accept = JSON,
                StatusCode::NOT_FOUND if token.is_empty() && !kind.is_essential() => {
                    return Ok(Outcome::NotServed(failure::server_message(&answer)));
                }
                // Whoever may not read all namespaces may read one.
                StatusCode::FORBIDDEN
                    if token.is_empty() && kind.is_namespaced() && self.in_part.is_some() =>
                {
                    self.channel.send(ListEvent::Unreadable(failure::server_message(&answer)));
                    let namespace = self.in_part.take().unwrap_or_default();
                    self.path = in_namespace(&self.path, kind, &namespace);
                    self.is_part = true;
                }
                // Another program answers for its own kinds, and may be down.
                status
                    if status == StatusCode::FORBIDDEN
                        && (!kind.is_essential()
                            || may_read_one_namespace && !self.is_no_pod())
                        || status.is_server_error() && kind.is_custom() =>
                {
                    self.channel.send(ListEvent::Unreadable(failure::server_message(&answer)));
                    break;
                }
                _ => return Err(failure::from_answer(&answer, Some(kind), &reader.peer)),
            }
        }
        Ok(Outcome::Ended)
    }

    /// Whether not even the pods of one namespace are read: then there is nothing to speak of.
    fn is_no_pod(&self) -> bool {
        self.kind == Kind::Pod && self.is_part
    }

    /// Passes on a page while it is received.
    async fn page(&self, mut received: Received, listed: &mut Listed) -> Result<PageRead, Error> {
        let peer = &self.reader.peer;
        let bad = |e: DecodeError| bad_page(&e, peer);
        let encoding =
            if received.is_protobuf { WireEncoding::Protobuf } else { WireEncoding::Json };
        let mut page = ListPage::new(self.kind, encoding, &self.path);
        let (mut patience, mut is_empty) = (PATIENCE, true);
        while let Some(bytes) = received.next().await? {
            let items = page.push(&bytes).map_err(bad)?;
            let objects = items.as_ref().map_or(0, Items::len);
            self.count(objects, bytes.len(), listed)?;
            if let Some(items) = items {
                is_empty &= items.is_empty();
                received.meanwhile(self.channel.send_items(items, &mut patience)).await;
            }
        }
        let (items, meta) = page.finish().map_err(bad)?;
        if !meta.is_named() {
            return Err(not_a_list(&self.path, self.kind, peer));
        }
        self.count(items.len(), 0, listed)?;
        is_empty &= items.is_empty();
        self.channel.send_items(items, &mut patience).await;
        // A list of some Events is not a list of its kind.
        let is_whole = !self.is_part && (self.kind != Kind::Event || self.selector.is_none());
        let resource_version = if is_whole { meta.resource_version } else { String::new() };
        self.channel.send(ListEvent::PageEnd { resource_version });
        Ok(PageRead { is_empty, continue_token: meta.continue_token })
    }
}

impl List<'_> {
    /// Counts what was received.
    fn count(&self, objects: usize, bytes: usize, listed: &mut Listed) -> Result<(), Error> {
        let (peer, path) = (&self.reader.peer, &self.path);
        listed
            .count(objects, bytes)
            .map_err(|problem| failure::not_kubernetes(peer, &format!("GET {path}: {problem}")))?;
        self.intake.count(objects, bytes).map_err(|problem| Error::Cluster {
            problem: format!("the server {}: GET {path}: {problem}", peer.server),
            hint: Some(
                "if the cluster is that large, save it with `kubectl get -o json` and read the file with --from"
                    .to_owned(),
            ),
        })
    }
}

/// The error for a response that is not a page of a list.
pub(super) fn bad_page(error: &DecodeError, peer: &Peer) -> Error {
    failure::not_kubernetes(peer, &format!("GET {}: {}", error.origin, error.problem))
}

/// The error for a response with `items` of an unknown kind.
pub(super) fn not_a_list(path: &str, kind: Kind, peer: &Peer) -> Error {
    failure::not_kubernetes(
        peer,
        &format!("GET {path}: the answer does not say that it is a list of {}", kind.plural()),
    )
}

/// The size limit of a response to a request for this many objects.
fn most_bytes(limit: Option<usize>) -> usize {
    limit.map_or(MOST_BYTES, |objects| {
        objects.saturating_mul(OBJECT_BYTES).clamp(LEAST_BYTES, MOST_BYTES)
    })
}

/// Facts about a processed page.
struct PageRead {
    is_empty: bool,
    /// The token of the next page; empty after the last.
    continue_token: String,
}

/// The pages of a list so far.
#[derive(Default)]
struct Pages {
    /// Their tokens as digests, because a server may make tokens long.
    tokens: BTreeSet<[u8; 20]>,
    /// Number of consecutive empty pages at the end.
    empty: usize,
}

impl Pages {
    /// Whether the next page should be read: its token is new, the object limit (with `limit`
    /// objects per page) is not exceeded, and there were not too many consecutive empty pages.
    fn go_on(&mut self, token: &str, is_empty: bool, limit: Option<usize>) -> bool {
        let most = MAX_OBJECTS / limit.unwrap_or(1).max(1);
        self.empty = if is_empty { self.empty + 1 } else { 0 };
        let is_new = self.tokens.insert(sha1_smol::Sha1::from(token).digest().bytes());
        is_new && self.tokens.len() <= most.max(1) && self.empty < MAX_EMPTY_PAGES
    }
}

/// The path of a list of all namespaces, for one of them.
fn in_namespace(path: &str, kind: Kind, namespace: &str) -> String {
    let plural = kind.plural();
    let base = path.strip_suffix(plural).unwrap_or(path);
    format!("{base}namespaces/{}/{plural}", encode(namespace))
}

fn with_query(path: &str, selector: Option<&str>, limit: Option<usize>, token: &str) -> String {
    let mut query = Vec::new();
    if let Some(limit) = limit {
        query.push(format!("limit={limit}"));
    }
    if !token.is_empty() {
        query.push(format!("continue={}", encode(token)));
    }
    if let Some(selector) = selector {
        query.push(format!("fieldSelector={}", encode(selector)));
    }
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_end_when_a_token_comes_again_or_no_cluster_has_so_many_objects() {
        let mut pages = Pages::default();
        assert!(pages.go_on("a", false, Some(500)) && pages.go_on("b", false, Some(500)));
        assert!(!pages.go_on("a", false, Some(500)), "not only the last token counts");
        for (row, limit, empty, most) in [
            ("a million pods have 2,000", 500, (|_| false) as fn(usize) -> bool, 20_000),
            ("without a limit there is one", usize::MAX, |_| false, 1),
            ("empty ones", 500, |_| true, 99),
            ("empty ones after others", 500, |page| page >= 1000, 1099),
            ("empty ones between others", 500, |page| page % 100 > 0, 20_000),
        ] {
            let mut pages = Pages::default();
            let read =
                (0..30_000).find(|page| !pages.go_on(&page.to_string(), empty(*page), Some(limit)));
            assert_eq!(read, Some(most), "{row}");
        }
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
        assert_eq!(with_query("/api/v1/nodes", None, Some(500), ""), "/api/v1/nodes?limit=500");
        assert_eq!(
            with_query("/api/v1/nodes", None, None, "a+/="),
            "/api/v1/nodes?continue=a%2B%2F%3D"
        );
        assert_eq!(with_query("/api/v1/nodes", None, None, ""), "/api/v1/nodes");
        let pods = with_query("/api/v1/pods", Some(UNFINISHED_PODS), Some(5), "");
        assert_eq!(
            pods,
            "/api/v1/pods?limit=5&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"
        );
    }
}
