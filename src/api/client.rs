//! The read client. An [`AllowLayer`] rejects every request except GETs and access reviews, so this
//! client cannot write.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::{Body, ClientBuilder};

use super::allow::AllowLayer;
use super::awaited::{self, Awaited};
use super::config::Connection;
use super::failure::{self, Peer};
use super::log::{LogLayer, Warnings};
use super::received::{Patience, Received, Wait};
use crate::error::Error;

pub(crate) use super::HttpAnswer;

/// Maximum number of retries after responses with `Retry-After`.
const MAX_RETRIES: u32 = 10;
/// Maximum `Retry-After` that is honoured.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Size limit of a response that is not a list of objects, after decompression: a hundred times what
/// is usual. Its values may take many times as much memory.
pub(super) const MAX_ANSWER: usize = 32 << 20;
/// Size limit of a table, which may have a row for each object of a cluster.
const MAX_TABLE: usize = 256 << 20;
/// Size limit of a line of a watch. No object is larger.
const MAX_LINE: usize = 1 << 24;
/// Accepts objects as JSON.
pub(crate) const JSON: &str = "application/json";
/// Accepts a table of rows as kubectl shows them, or the objects if the server does not support
/// tables.
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
/// Accepts the metadata of objects alone, or the objects if the server cannot leave out the rest.
const METADATA: &str =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";
/// Resources whose POST has no side effects.
const REVIEWS: [&str; 3] =
    ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];

/// A read-only connection to one API server.
#[derive(Clone)]
pub(crate) struct Reader {
    client: Client,
    patience: Patience,
    warnings: Warnings,
    /// The server and the user, for error messages.
    pub peer: Arc<Peer>,
}

impl Reader {
    /// `timeout` is that of `--request-timeout`, for each request: see [`Patience`]. Must be called
    /// inside a tokio runtime.
    pub(crate) fn new(connection: Connection, timeout: Option<Duration>) -> Result<Self, Error> {
        let peer = Peer::of(&connection);
        let warnings = Warnings::default();
        let builder = ClientBuilder::try_from(connection.config)
            .map_err(|e| failure::not_set_up(&e, &peer))?;
        let client =
            builder.with_layer(&LogLayer::new(&peer, &warnings)).with_layer(&READS).build();
        let patience = Patience::of(timeout);
        Ok(Self { client, patience, warnings, peer: Arc::new(peer) })
    }

    /// The server's warnings so far, deduplicated.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.all()
    }

    /// GETs `path`, with retries after `Retry-After`.
    pub(crate) async fn get(&self, path: &str) -> Result<HttpAnswer, Error> {
        self.answer(path, || (Request::get(path).header(header::ACCEPT, JSON), Body::empty())).await
    }

    /// GETs a list or a page of it, up to `limit` bytes after decompression, in one of the accepted
    /// formats. A status other than 200 is returned, not an error.
    pub(crate) async fn list(
        &self,
        path: &str,
        limit: usize,
        accept: &'static str,
    ) -> Result<Result<Received, HttpAnswer>, Error> {
        let request = || (Request::get(path).header(header::ACCEPT, accept), Body::empty());
        let received = self.with_retries(path, limit, request).await?;
        if received.status == StatusCode::OK {
            Ok(Ok(received))
        } else {
            Ok(Err(received.answer().await?))
        }
    }

    /// GETs the list at `path` as a table of a few cells per object, which is much smaller than the
    /// objects.
    pub(crate) async fn table(&self, path: &str) -> Result<HttpAnswer, Error> {
        let request = || (Request::get(path).header(header::ACCEPT, TABLE), Body::empty());
        self.with_retries(path, MAX_TABLE, request).await?.answer().await
    }

    /// GETs the list at `path` with nothing but the metadata of its objects.
    pub(crate) async fn metadata(&self, path: &str) -> Result<HttpAnswer, Error> {
        let request = || (Request::get(path).header(header::ACCEPT, METADATA), Body::empty());
        self.with_retries(path, MAX_TABLE, request).await?.answer().await
    }

    /// POSTs `review`, an access review in JSON, to `path`. It has no side effects and is retried
    /// like a GET.
    pub(crate) async fn review(&self, path: &str, review: &str) -> Result<HttpAnswer, Error> {
        let request = || {
            let request =
                Request::post(path).header(header::CONTENT_TYPE, JSON).header(header::ACCEPT, JSON);
            (request, Body::from(review.as_bytes().to_vec()))
        };
        self.answer(path, request).await
    }

    /// The complete response to `request`.
    async fn answer(
        &self,
        path: &str,
        request: impl Fn() -> (http::request::Builder, Body),
    ) -> Result<HttpAnswer, Error> {
        self.with_retries(path, MAX_ANSWER, request).await?.answer().await
    }

    /// Sends `request`, and repeats it up to [`MAX_RETRIES`] times while the server answers with
    /// `Retry-After`. The patience is for one attempt including its body.
    async fn with_retries(
        &self,
        path: &str,
        limit: usize,
        request: impl Fn() -> (http::request::Builder, Body),
    ) -> Result<Received, Error> {
        let mut tries = 0;
        loop {
            let (builder, body) = request();
            let request = builder.body(body).map_err(|e| not_a_path(path, &e))?;
            let mut wait = Wait::new(request.method(), path, self.patience, &self.peer);
            let response = wait
                .until(self.client.send(request))
                .await?
                .map_err(|e| failure::from_kube(&e, &self.peer))?;
            match retry_after(response.status(), response.headers()) {
                Some(time) if tries < MAX_RETRIES => tokio::time::sleep(time).await,
                Some(_) | None => {
                    // An error is read as a whole, whatever was asked for.
                    let is_ok = response.status() == StatusCode::OK;
                    let limit = if is_ok { limit } else { limit.min(MAX_ANSWER) };
                    return Ok(Received::new(response, limit, wait));
                }
            }
            tries += 1;
        }
    }

    /// GETs `path`, whose response is a stream of lines, such as a watch. The patience is only
    /// for the start of the response. The request is not retried.
    pub(crate) async fn lines(&self, path: &str) -> Result<Result<StreamLines, HttpAnswer>, Error> {
        let request = Request::get(path)
            .header(header::ACCEPT, JSON)
            .body(Body::empty())
            .map_err(|e| not_a_path(path, &e))?;
        let mut wait = Wait::new(&Method::GET, path, self.patience, &self.peer);
        let response = wait
            .until(self.client.send(request))
            .await?
            .map_err(|e| failure::from_kube(&e, &self.peer))?;
        if response.status() == StatusCode::OK {
            let path = path.split_once('?').map_or(path, |(path, _)| path).to_owned();
            return Ok(Ok(StreamLines {
                body: response.into_body(),
                peer: self.peer.clone(),
                path,
                rest: Vec::new(),
            }));
        }
        Ok(Err(Received::new(response, MAX_ANSWER, wait).answer().await?))
    }
}

fn not_a_path(path: &str, e: &http::Error) -> Error {
    Error::Cluster { problem: format!("{path:?} is not a path: {e}"), hint: None }
}

/// The lines of a stream, such as a watch.
pub(crate) struct StreamLines {
    body: Body,
    peer: Arc<Peer>,
    path: String,
    /// Received bytes of the following lines.
    rest: Vec<u8>,
}

impl StreamLines {
    /// The next line, with secrets masked; `None` when the server closed the stream. A line may
    /// take arbitrarily long to start; a slow line that has started is reported.
    ///
    /// # Errors
    /// When the connection breaks, or a line exceeds the size limit.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Error> {
        if self.rest.is_empty() {
            let waits = self.peer.waits.clone();
            let _waiting = waits
                .begin(Awaited::Answer(format!("{} {}", Method::GET, self.path)), awaited::NEWS);
            if !self.read_more().await? {
                return Ok(None);
            }
        }
        let mut wait = Wait::new(&Method::GET, &self.path, Patience::Endless, &self.peer);
        wait.until(self.finish_line()).await?
    }

    async fn finish_line(&mut self) -> Result<Option<String>, Error> {
        let mut searched = 0;
        loop {
            let end = self.rest.iter().skip(searched).position(|byte| *byte == b'\n');
            if let Some(end) = end.map(|end| searched + end) {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                return Ok(Some(self.peer.secrets.mask(line)));
            }
            searched = self.rest.len();
            if self.rest.len() > MAX_LINE {
                return Err(failure::not_kubernetes(
                    &self.peer,
                    "a line of its answer does not end",
                ));
            }
            if !self.read_more().await? {
                return Ok(None);
            }
        }
    }

    /// Returns false at the end of the stream.
    async fn read_more(&mut self) -> Result<bool, Error> {
        let Some(frame) = self.body.frame().await else { return Ok(false) };
        let frame = frame.map_err(|e| failure::from_kube(&e, &self.peer))?;
        if let Some(data) = frame.data_ref() {
            self.rest.extend_from_slice(data);
        }
        Ok(true)
    }
}

/// The delay before a retry. As in client-go, only for 429 and 5xx, and only with `Retry-After`.
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    requested_wait(headers)
}

/// The value of `Retry-After`, capped at [`MAX_WAIT`]; the cap is logged.
pub(super) fn requested_wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    let asked = Duration::from_secs(seconds);
    if asked > MAX_WAIT {
        log::warn!(
            "the server asks to wait for {seconds} s before the next try; {MAX_WAIT:?} are waited for"
        );
    }
    Some(asked.min(MAX_WAIT))
}

/// Whether a request has no side effects on the server.
fn is_read(method: &Method, path: &str) -> bool {
    let resource = path.rsplit('/').next().unwrap_or_default();
    *method == Method::GET || *method == Method::POST && REVIEWS.contains(&resource)
}

/// The requests that this client sends.
const READS: AllowLayer =
    AllowLayer { allows: |method, uri| is_read(method, uri.path()), why: "this client only reads" };

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::ready;
    use tower::{BoxError, Layer as _, Service as _};

    use super::*;

    #[test]
    fn only_reads_and_reviews_are_sent() {
        let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        assert!(is_read(&Method::GET, "/api/v1/pods"));
        assert!(is_read(&Method::POST, reviews));
        assert!(!is_read(&Method::PUT, reviews));
        assert!(!is_read(&Method::POST, "/api/v1/namespaces/a/pods/b/eviction"));
        for method in [
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
            Method::OPTIONS,
            Method::HEAD,
        ] {
            assert!(!is_read(&method, "/api/v1/pods"), "{method}");
        }
    }

    #[test]
    fn the_layer_refuses_before_the_wire() {
        let wire = tower::service_fn(|_: Request<()>| ready(Ok::<_, BoxError>(())));
        let mut service = READS.layer(wire);
        let request =
            |method: &str| Request::builder().method(method).uri("/api/v1/pods").body(()).unwrap();
        assert!(service.call(request("GET")).now_or_never().unwrap().is_ok());
        let error = service.call(request("DELETE")).now_or_never().unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "refused to send DELETE /api/v1/pods: this client only reads"
        );
    }

    #[test]
    fn only_a_server_that_names_a_time_is_asked_again() {
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(StatusCode::SERVICE_UNAVAILABLE, &headers), None);
        headers.insert(header::RETRY_AFTER, "3600".parse().unwrap());
        assert_eq!(retry_after(StatusCode::TOO_MANY_REQUESTS, &headers), Some(MAX_WAIT));
        assert_eq!(retry_after(StatusCode::FORBIDDEN, &headers), None);
    }
}
