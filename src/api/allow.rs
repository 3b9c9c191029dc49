//! An HTTP client layer with an allowlist of requests.

use std::task::{Context, Poll};

use futures::future::{Either, Ready, ready};
use http::{Method, Request, Uri};
use tower::{BoxError, Layer, Service};

/// Rejects every request that is not on the allowlist before it is sent.
#[derive(Clone, Copy)]
pub(super) struct AllowLayer {
    /// Whether a request with this method, path and query may be sent.
    pub(super) allows: fn(&Method, &Uri) -> bool,
    /// Why other requests are rejected.
    pub(super) why: &'static str,
}

/// The error for a request that the allowlist rejected.
#[derive(Debug, thiserror::Error)]
#[error("refused to send {method} {path}: {why}")]
pub(super) struct RequestRefused {
    method: Method,
    path: String,
    why: &'static str,
}

impl<S> Layer<S> for AllowLayer {
    type Service = AllowService<S>;
    fn layer(&self, inner: S) -> Self::Service {
        AllowService { inner, layer: *self }
    }
}

/// A client with an [`AllowLayer`].
#[derive(Clone)]
pub(super) struct AllowService<S> {
    inner: S,
    layer: AllowLayer,
}

impl<S, B> Service<Request<B>> for AllowService<S>
where
    S: Service<Request<B>, Error = BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Either<S::Future, Ready<Result<S::Response, BoxError>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (method, path) = (request.method(), request.uri().path());
        if (self.layer.allows)(method, request.uri()) {
            return Either::Left(self.inner.call(request));
        }
        let refused =
            RequestRefused { method: method.clone(), path: path.to_owned(), why: self.layer.why };
        Either::Right(ready(Err(refused.into())))
    }
}
