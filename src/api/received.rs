//! Responses in transit, with limits of size and time.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use tokio::time::Instant;

use super::HttpAnswer;
use super::awaited::{self, Awaited};
use super::failure::{self, Peer};
use crate::error::Error;
use engine::snapshot::status_as_json;

/// A wait longer than this is logged.
const SLOW: Duration = Duration::from_secs(10);
/// How long a server may be silent, unless `--request-timeout` says otherwise: slightly more than the
/// time after which an API server itself gives up on a request.
pub(crate) const SILENCE: Duration = Duration::from_secs(65);
/// The media type of objects in protobuf.
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// A response whose status has arrived and whose body follows.
pub(crate) struct Received {
    pub status: StatusCode,
    pub is_protobuf: bool,
    body: Limited,
    wait: Wait,
}

impl Received {
    pub(super) fn new(response: Response<Body>, limit: usize, mut wait: Wait) -> Self {
        wait.has_begun = true;
        let media_type =
            response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_protobuf = media_type
            .and_then(|text| text.split(';').next())
            .is_some_and(|text| text.trim() == PROTOBUF);
        Self {
            status: response.status(),
            is_protobuf,
            body: Limited::new(response, limit, wait.peer.clone()),
            wait,
        }
    }

    /// The next bytes of the body, after decompression; `None` at its end.
    pub(crate) async fn next(
        &mut self,
    ) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Error> {
        self.wait.until(self.body.next()).await?
    }

    /// Waits for something other than the server; this time does not count towards the timeout.
    pub(crate) async fn meanwhile<T>(&mut self, other: impl Future<Output = T>) -> T {
        let since = Instant::now();
        let done = other.await;
        self.wait.extend(since.elapsed());
        done
    }

    /// The complete response.
    pub(crate) async fn answer(mut self) -> Result<HttpAnswer, Error> {
        // Part by part: each may take as long as the server may be silent.
        let mut body = Vec::with_capacity(self.body.expected.min(1 << 26));
        while let Some(data) = self.next().await? {
            body.extend_from_slice(&data);
        }
        let text =
            if self.is_protobuf { status_as_json(&body) } else { String::from_utf8(body).ok() };
        let body = text.ok_or_else(|| not_text(&self.body.peer))?;
        // A list may contain any text, but an error message must not contain a secret.
        let body =
            if self.status == StatusCode::OK { body } else { self.body.peer.secrets.mask(body) };
        Ok(HttpAnswer { status: self.status, body })
    }
}

/// The body as text of at most `limit` bytes, with secrets masked.
pub(super) async fn text(
    response: Response<Body>,
    limit: usize,
    peer: &Arc<Peer>,
) -> Result<String, Error> {
    let body = Limited::new(response, limit, peer.clone()).bytes().await?;
    let text = String::from_utf8(body).map_err(|_| not_text(peer))?;
    Ok(peer.secrets.mask(text))
}

fn not_text(peer: &Peer) -> Error {
    failure::not_kubernetes(peer, "its answer is not text")
}

/// A body with a size limit, after decompression.
struct Limited {
    body: Body,
    expected: usize,
    limit: usize,
    left: usize,
    peer: Arc<Peer>,
}

impl Limited {
    fn new(response: Response<Body>, limit: usize, peer: Arc<Peer>) -> Self {
        let expected = response
            .headers()
            .get(header::CONTENT_LENGTH)
            .and_then(|l| l.to_str().ok()?.parse().ok());
        Self {
            body: response.into_body(),
            expected: expected.unwrap_or(0),
            limit,
            left: limit,
            peer,
        }
    }

    async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Error> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|e| failure::from_kube(&e, &self.peer))?;
            let Ok(data) = frame.into_data() else { continue };
            let left = self.left.checked_sub(data.len());
            self.left = left.ok_or_else(|| failure::too_large(self.limit, &self.peer))?;
            return Ok(Some(data));
        }
        Ok(None)
    }

    /// The rest of the body.
    async fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::with_capacity(self.expected.min(1 << 26));
        while let Some(data) = self.next().await? {
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    }
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// This long for the whole answer, connection and handshake included.
    Whole(Duration),
    /// This long for its beginning, and for each part of its body.
    Silence(Duration),
    Endless,
}

impl Patience {
    /// The patience that a value of `--request-timeout` asks for; zero means endless.
    pub(crate) fn of(request_timeout: Option<Duration>) -> Self {
        match request_timeout {
            None => Self::Silence(SILENCE),
            Some(Duration::ZERO) => Self::Endless,
            Some(timeout) => Self::Whole(timeout),
        }
    }
}

/// The wait for one response: its time limit, and one log line if it is slow.
pub(super) struct Wait {
    method: Method,
    path: String,
    patience: Patience,
    /// When the whole response must have arrived.
    end: Option<Instant>,
    /// Whether the status has arrived.
    has_begun: bool,
    slow: Option<Instant>,
    peer: Arc<Peer>,
}

impl Wait {
    pub(super) fn new(method: &Method, path: &str, patience: Patience, peer: &Arc<Peer>) -> Self {
        let now = Instant::now();
        let end = match patience {
            Patience::Whole(timeout) => now.checked_add(timeout),
            Patience::Silence(_) | Patience::Endless => None,
        };
        Self {
            method: method.clone(),
            path: path.to_owned(),
            patience,
            end,
            has_begun: false,
            slow: Some(now + SLOW),
            peer: peer.clone(),
        }
    }

    /// Waits for the next step.
    ///
    /// # Errors
    /// When the time limit has passed.
    pub(super) async fn until<T>(&mut self, step: impl Future<Output = T>) -> Result<T, Error> {
        let mut step = std::pin::pin!(step);
        let _waiting = self.peer.waits.begin(Awaited::Answer(self.request()), awaited::ANSWER);
        let silent_until = match self.patience {
            Patience::Silence(time) => Instant::now().checked_add(time),
            Patience::Whole(_) | Patience::Endless => None,
        };
        loop {
            let end = self.end.or(silent_until);
            // Wakes up at whichever comes first: the line about a slow answer, or the end.
            let Some(next) = self.slow.into_iter().chain(end).min() else { return Ok(step.await) };
            if let Ok(done) = tokio::time::timeout_at(next, &mut step).await {
                return Ok(done);
            }
            match (end, self.patience) {
                (Some(end), Patience::Whole(time)) if end <= next => {
                    return Err(failure::timed_out(&self.request(), time, &self.peer));
                }
                (Some(end), Patience::Silence(time)) if end <= next => {
                    return Err(if self.has_begun {
                        failure::fell_silent(&self.request(), time, &self.peer)
                    } else {
                        failure::timed_out(&self.request(), time, &self.peer)
                    });
                }
                _ => self.say_slow(),
            }
        }
    }

    /// Without this, a server that sends byte by byte would block silently.
    fn say_slow(&mut self) {
        log::warn!(
            "waiting for more than {SLOW:?} for {} to answer {}",
            self.peer.server,
            self.request()
        );
        self.slow = None;
    }

    /// `GET /api/v1/pods`.
    fn request(&self) -> String {
        let path = self.path.split_once('?').map_or(&*self.path, |(path, _)| path);
        format!("{} {path}", self.method)
    }

    fn extend(&mut self, by: Duration) {
        self.slow = self.slow.map(|slow| slow + by);
        self.end = self.end.map(|end| end + by);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn an_answer_has_a_limit() {
        let answer = |length: usize| Response::new(Body::from(vec![b' '; length]));
        let read = |length| text(answer(length), 64 << 20, &Arc::default()).now_or_never().unwrap();
        assert_eq!(read(64 << 20).unwrap().len(), 64 << 20);
        let error = read((64 << 20) + 1).unwrap_err().to_string();
        assert!(error.ends_with("its answer has more than 64 MiB"), "{error}");
    }

    #[tokio::test]
    async fn the_timeout_is_for_the_answer_and_not_for_the_decoder() {
        let timeout = Duration::from_millis(1);
        let mut wait = Wait::new(
            &Method::GET,
            "/api/v1/pods?limit=5",
            Patience::Whole(timeout),
            &Arc::default(),
        );
        let error = wait.until(std::future::pending::<()>()).await.unwrap_err().to_string();
        assert_eq!(error, "the server  did not answer GET /api/v1/pods within 1ms");
        wait.extend(Duration::from_secs(3600));
        wait.until(tokio::time::sleep(timeout)).await.unwrap();
    }

    #[tokio::test]
    async fn default_patience_is_for_each_silence_and_not_for_the_whole_answer() {
        assert_eq!(Patience::of(None), Patience::Silence(SILENCE));
        assert_eq!(Patience::of(Some(Duration::ZERO)), Patience::Endless);
        let time = Duration::from_secs(1);
        let mut wait =
            Wait::new(&Method::GET, "/api/v1/pods", Patience::Silence(time), &Arc::default());
        for _ in 0..3 {
            wait.until(tokio::time::sleep(time / 2)).await.unwrap();
        }
        wait.patience = Patience::Silence(Duration::from_millis(1));
        let error = wait.until(std::future::pending::<()>()).await.unwrap_err().to_string();
        assert_eq!(error, "the server  did not answer GET /api/v1/pods within 1ms");
        wait.has_begun = true;
        let error = wait.until(std::future::pending::<()>()).await.unwrap_err().to_string();
        assert_eq!(error, "the server  stopped in its answer to GET /api/v1/pods: nothing for 1ms");
    }
}
