//! The client that reads. An [`AllowLayer`] refuses every request but GETs and access reviews, so that it cannot write.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::{Body, ClientBuilder};

use super::allow::AllowLayer;
use super::config::Connection;
use super::failure::{self, Peer};
use super::log::{LogLayer, Warnings};
use crate::error::Error;

pub(crate) use super::answer::Answer;

/// How often a request is repeated if the server answers with `Retry-After`.
const MAX_RETRIES: u32 = 10;
/// The longest `Retry-After` that is waited for.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The most bytes of an answer that is no list of a kind, after decompression.
pub(crate) const MAX_ANSWER: usize = 256 << 20;
/// After so long, it is said which answer is waited for.
const SLOW: Duration = Duration::from_secs(10);
/// The longest line of a watch, in bytes. No object is larger.
const MAX_LINE: usize = 1 << 24;
/// Accepts a table of rows as kubectl shows them, or the objects if the server makes no tables.
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
/// Resources whose POST changes nothing.
const REVIEWS: [&str; 3] = ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];

/// A connection to one API server, for reading.
#[derive(Clone)]
pub(crate) struct Reader {
    client: Client,
    timeout: Option<Duration>,
    warnings: Warnings,
    /// The server and the user, for errors.
    pub peer: Arc<Peer>,
}

impl Reader {
    /// A client for `connection`. `timeout` is for each request; zero means none. Must be called inside a tokio runtime.
    pub(crate) fn new(connection: Connection, timeout: Option<Duration>) -> Result<Self, Error> {
        let peer = Peer::of(&connection);
        let warnings = Warnings::default();
        let builder = ClientBuilder::try_from(connection.config).map_err(|e| failure::not_set_up(&e, &peer))?;
        let client = builder.with_layer(&LogLayer::new(&peer, &warnings)).with_layer(&READS).build();
        let timeout = timeout.filter(|t| !t.is_zero());
        Ok(Self { client, timeout, warnings, peer: Arc::new(peer) })
    }

    /// The server's warnings so far, each once.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.all()
    }

    /// GETs `path`, again after the time that the server may ask for with `Retry-After`.
    pub(crate) async fn get(&self, path: &str) -> Result<Answer, Error> {
        self.with_retries(path, MAX_ANSWER, || (Request::get(path), Body::empty())).await
    }

    /// GETs a list or a page of it, of at most `limit` bytes after decompression.
    pub(crate) async fn list(&self, path: &str, limit: usize) -> Result<Answer, Error> {
        self.with_retries(path, limit, || (Request::get(path), Body::empty())).await
    }

    /// GETs the list at `path` as a table of a few cells per object, which is much smaller than the objects.
    pub(crate) async fn table(&self, path: &str) -> Result<Answer, Error> {
        let request = || (Request::get(path).header(header::ACCEPT, TABLE), Body::empty());
        self.with_retries(path, MAX_ANSWER, request).await
    }

    /// POSTs `review`, the JSON of an access review, to `path`. It changes nothing, so it is repeated as a GET is.
    pub(crate) async fn review(&self, path: &str, review: &str) -> Result<Answer, Error> {
        let request = || {
            let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
            (request, Body::from(review.as_bytes().to_vec()))
        };
        self.with_retries(path, MAX_ANSWER, request).await
    }

    /// Sends `request`, again as long as the server answers with `Retry-After`, up to [`MAX_RETRIES`] times.
    async fn with_retries(
        &self,
        path: &str,
        limit: usize,
        request: impl Fn() -> (http::request::Builder, Body),
    ) -> Result<Answer, Error> {
        let mut tries = 0;
        loop {
            let (builder, body) = request();
            let (answer, wait) = self.exchange(path, limit, builder, body).await?;
            match wait {
                Some(wait) if tries < MAX_RETRIES => tokio::time::sleep(wait).await,
                Some(_) | None => return Ok(answer),
            }
            tries += 1;
        }
    }

    /// GETs `path`, whose answer is a stream of lines, as for a watch. The timeout is for the start of the answer. The request
    /// is not repeated.
    pub(crate) async fn lines(&self, path: &str) -> Result<Result<Lines, Answer>, Error> {
        let request = Request::get(path)
            .header(header::ACCEPT, "application/json")
            .body(Body::empty())
            .map_err(|e| Error::Cluster { problem: format!("{path:?} is not a path: {e}"), hint: None })?;
        let sent = said_if_slow(self.client.send(request), &Method::GET, path, &self.peer);
        let response = match self.timeout {
            Some(timeout) => tokio::time::timeout(timeout, sent)
                .await
                .map_err(|_| failure::timed_out(&Method::GET, path, timeout, &self.peer))?,
            None => sent.await,
        };
        let response = response.map_err(|e| failure::from_kube(&e, &self.peer))?;
        let status = response.status();
        if status == StatusCode::OK {
            let (body, peer, path) = (response.into_body(), self.peer.clone(), path.to_owned());
            return Ok(Ok(Lines { body, peer, path, rest: Vec::new() }));
        }
        Ok(Err(Answer { status, body: text(response, MAX_ANSWER, &self.peer).await? }))
    }

    /// One request and its whole answer, within the timeout, and the time that the server asks to wait.
    async fn exchange(
        &self,
        path: &str,
        limit: usize,
        request: http::request::Builder,
        body: Body,
    ) -> Result<(Answer, Option<Duration>), Error> {
        let asks = request.headers_ref().is_some_and(|headers| headers.contains_key(header::ACCEPT));
        let request = if asks { request } else { request.header(header::ACCEPT, "application/json") };
        let request = request
            .body(body)
            .map_err(|e| Error::Cluster { problem: format!("{path:?} is not a path: {e}"), hint: None })?;
        let method = request.method().clone();
        let exchange = async {
            let response = self.client.send(request).await.map_err(|e| failure::from_kube(&e, &self.peer))?;
            let wait = retry_after(response.status(), response.headers());
            let status = response.status();
            let body = text(response, limit, &self.peer).await?;
            Ok((Answer { status, body }, wait))
        };
        let exchange = said_if_slow(exchange, &method, path, &self.peer);
        match self.timeout {
            Some(timeout) => tokio::time::timeout(timeout, exchange)
                .await
                .unwrap_or_else(|_| Err(failure::timed_out(&method, path, timeout, &self.peer))),
            None => exchange.await,
        }
    }
}

/// Says so if a request takes long: a server may take for ever, byte by byte.
async fn said_if_slow<T>(exchange: impl Future<Output = T>, method: &Method, path: &str, peer: &Peer) -> T {
    let mut exchange = std::pin::pin!(exchange);
    if let Ok(done) = tokio::time::timeout(SLOW, &mut exchange).await {
        return done;
    }
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    tracing::warn!("waiting for more than {SLOW:?} for {} to answer {method} {path}", peer.server);
    exchange.await
}

/// The lines of a stream, such as a watch.
pub(crate) struct Lines {
    body: Body,
    peer: Arc<Peer>,
    path: String,
    /// What has come of the lines that follow.
    rest: Vec<u8>,
}

impl Lines {
    /// The next line; `None` when the server has ended the stream. A line may be long in coming, but that one has begun and does
    /// not end is said.
    ///
    /// # Errors
    /// When the connection breaks, or a line is longer than any object.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Error> {
        if self.rest.is_empty() && !self.read_more().await? {
            return Ok(None);
        }
        let (peer, path) = (self.peer.clone(), self.path.clone());
        said_if_slow(self.finish_line(), &Method::GET, &path, &peer).await
    }

    async fn finish_line(&mut self) -> Result<Option<String>, Error> {
        let mut searched = 0;
        loop {
            let end = self.rest.iter().skip(searched).position(|byte| *byte == b'\n');
            if let Some(end) = end.map(|end| searched + end) {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()));
            }
            searched = self.rest.len();
            if self.rest.len() > MAX_LINE {
                return Err(failure::not_kubernetes(&self.peer, "a line of its answer does not end"));
            }
            if !self.read_more().await? {
                return Ok(None);
            }
        }
    }

    /// Whether there was more to read.
    async fn read_more(&mut self) -> Result<bool, Error> {
        let Some(frame) = self.body.frame().await else { return Ok(false) };
        let frame = frame.map_err(|e| failure::from_kube(&e, &self.peer))?;
        if let Some(data) = frame.data_ref() {
            self.rest.extend_from_slice(data);
        }
        Ok(true)
    }
}

/// Reads the body as text, without a second copy of it. A body of more than `limit` bytes, after decompression, is an error.
pub(super) async fn text(response: Response<Body>, limit: usize, peer: &Peer) -> Result<String, Error> {
    let expected = response.headers().get(header::CONTENT_LENGTH).and_then(|l| l.to_str().ok()?.parse().ok());
    let mut bytes = Vec::with_capacity(expected.unwrap_or(0usize).min(1 << 26));
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| failure::from_kube(&e, peer))?;
        if let Some(data) = frame.data_ref() {
            if data.len() > limit - bytes.len() {
                return Err(failure::too_large(limit, peer));
            }
            bytes.extend_from_slice(data);
        }
    }
    String::from_utf8(bytes).map_err(|_| failure::not_kubernetes(peer, "its answer is not text"))
}

/// The time to wait before a request is repeated. As in client-go, only on 429 and 5xx, and only with `Retry-After`.
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    requested_wait(headers)
}

/// The time of `Retry-After`, at most [`MAX_WAIT`]; that it is shortened is said.
pub(super) fn requested_wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    let asked = Duration::from_secs(seconds);
    if asked > MAX_WAIT {
        tracing::warn!("the server asks to wait for {seconds} s before the next try; {MAX_WAIT:?} are waited for");
    }
    Some(asked.min(MAX_WAIT))
}

/// Whether a request changes nothing on the server.
fn is_read(method: &Method, path: &str) -> bool {
    let resource = path.rsplit('/').next().unwrap_or_default();
    *method == Method::GET || *method == Method::POST && REVIEWS.contains(&resource)
}

/// The requests that this client sends.
const READS: AllowLayer = AllowLayer { allows: is_read, why: "this client only reads" };

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
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS, Method::HEAD] {
            assert!(!is_read(&method, "/api/v1/pods"), "{method}");
        }
    }

    #[test]
    fn the_layer_refuses_before_the_wire() {
        let wire = tower::service_fn(|_: Request<()>| ready(Ok::<_, BoxError>(())));
        let mut service = READS.layer(wire);
        let request = |method: &str| Request::builder().method(method).uri("/api/v1/pods").body(()).unwrap();
        assert!(service.call(request("GET")).now_or_never().unwrap().is_ok());
        let error = service.call(request("DELETE")).now_or_never().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "refused to send DELETE /api/v1/pods: this client only reads");
    }

    #[test]
    fn an_answer_has_a_limit() {
        let answer = |length: usize| Response::new(Body::from(vec![b' '; length]));
        let read = |length| text(answer(length), 64 << 20, &Peer::default()).now_or_never().unwrap();
        assert_eq!(read(64 << 20).unwrap().len(), 64 << 20);
        let error = read((64 << 20) + 1).unwrap_err().to_string();
        assert!(error.ends_with("its answer has more than 64 MiB"), "{error}");
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
