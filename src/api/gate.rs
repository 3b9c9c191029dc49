//! Lets a client send what it is for, and nothing else.

use std::task::{Context, Poll};

use futures::future::{Either, Ready, ready};
use http::{Method, Request};
use tower::{BoxError, Layer, Service};

/// What is let through, and what is said of the rest.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    /// Whether a request of this method to this path may be sent.
    pub(super) allows: fn(&Method, &str) -> bool,
    /// Why others are not.
    pub(super) why: &'static str,
}

/// A request that was not let through.
#[derive(Debug, thiserror::Error)]
#[error("refused to send {method} {path}: {why}")]
pub(super) struct Refused {
    method: Method,
    path: String,
    why: &'static str,
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;
    fn layer(&self, inner: S) -> Self::Service {
        Gated { inner, gate: *self }
    }
}

/// Refuses what its gate does not let through, before it is sent.
#[derive(Clone)]
pub(super) struct Gated<S> {
    inner: S,
    gate: Gate,
}

impl<S, B> Service<Request<B>> for Gated<S>
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
        if (self.gate.allows)(method, path) {
            return Either::Left(self.inner.call(request));
        }
        let refused = Refused { method: method.clone(), path: path.to_owned(), why: self.gate.why };
        Either::Right(ready(Err(refused.into())))
    }
}
