//! A layer of an HTTP client that logs requests (`-v 6`) and headers (`-v 8`), and keeps the
//! server's warnings, which kube drops.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use http::header::{self, HeaderName};
use http::{HeaderMap, Request, Response};
use tower::{Layer, Service};

use super::failure::Peer;
use super::secrets::Secrets;

/// Headers with credentials, which are never logged.
const SECRET: [HeaderName; 5] = [
    header::AUTHORIZATION,
    header::PROXY_AUTHORIZATION,
    header::COOKIE,
    header::SET_COOKIE,
    header::WWW_AUTHENTICATE,
];

/// The warnings of a server, deduplicated, in the order of their first appearance.
#[derive(Clone, Default)]
pub(super) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn collect(&self, headers: &HeaderMap, secrets: &Secrets) {
        for value in headers.get_all(header::WARNING) {
            let Some(text) = value.to_str().ok().and_then(warning_text) else { continue };
            let text = secrets.mask(text);
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !known.contains(&text) {
                known.push(text);
            }
        }
    }
}

/// The text of `299 - "text"`; Kubernetes uses no other code.
fn warning_text(value: &str) -> Option<String> {
    let quoted = value.strip_prefix("299 ")?.split_once(' ')?.1.trim().strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(chars.next()?),
            c => text.push(c),
        }
    }
}

/// Logs requests and responses, and collects warnings.
#[derive(Clone)]
pub(super) struct LogLayer {
    server: Arc<str>,
    warnings: Warnings,
    secrets: Secrets,
}

impl LogLayer {
    /// Logs requests to `peer` and appends the warnings to `warnings`.
    pub(super) fn new(peer: &Peer, warnings: &Warnings) -> Self {
        Self {
            server: peer.server.as_str().into(),
            warnings: warnings.clone(),
            secrets: peer.secrets.clone(),
        }
    }
}

impl<S> Layer<S> for LogLayer {
    type Service = LogService<S>;
    fn layer(&self, inner: S) -> Self::Service {
        LogService { inner, layer: self.clone() }
    }
}

/// A client with a [`LogLayer`]. Credentials are added below this layer, so it never has them.
#[derive(Clone)]
pub(super) struct LogService<S> {
    inner: S,
    layer: LogLayer,
}

impl<S, A, B> Service<Request<A>> for LogService<S>
where
    S: Service<Request<A>, Response = Response<B>>,
    S::Error: std::fmt::Display,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = futures::future::BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let LogLayer { server, warnings, secrets } = self.layer.clone();
        let what = format!("{} {server}{}", request.method(), request.uri());
        log_headers("request", request.headers(), &secrets);
        let since = Instant::now();
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            let millis = since.elapsed().as_millis();
            match &answer {
                Ok(response) => {
                    log::debug!("{what} {} in {millis} ms", response.status());
                    log_headers("response", response.headers(), &secrets);
                    warnings.collect(response.headers(), &secrets);
                }
                Err(error) => log::debug!("{what} failed after {millis} ms: {error}"),
            }
            answer
        })
    }
}

/// Logs headers, except those with credentials.
fn log_headers(of: &str, headers: &HeaderMap, secrets: &Secrets) {
    if !log::log_enabled!(log::Level::Trace) {
        return;
    }
    for (name, value) in headers.iter().filter(|(name, _)| !SECRET.contains(name)) {
        let value = secrets.mask(String::from_utf8_lossy(value.as_bytes()).into_owned());
        log::trace!("{of} {name}: {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_read_and_kept_once() {
        let mut headers = HeaderMap::new();
        for value in [
            r#"299 - "a \"b\" c""#,
            r#"299 - "a \"b\" c""#,
            r#"299 - "d" "Sat, 21 Nov 2026""#,
            "199 x",
            "299 - \"open",
        ] {
            headers.append(header::WARNING, value.parse().unwrap());
        }
        let warnings = Warnings::default();
        warnings.collect(&headers, &Secrets::default());
        assert_eq!(*warnings.0.lock().unwrap(), [r#"a "b" c"#, "d"]);
    }
}
