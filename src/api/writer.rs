//! The write client. It sends four kinds of requests: an eviction, the deletion of a pod, a patch
//! of a pod's status, and an event; an [`AllowLayer`] rejects all others. It never retries a
//! request: the caller does, after it has read the current state. Only `apply` uses it.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, StatusCode, header};
use hyper_util::client::legacy;
use kube::Client;
use kube::client::{Body, ClientBuilder};

use super::allow::{AllowLayer, RequestRefused};
use super::client::{MAX_ANSWER, requested_wait};
use super::config::Connection;
use super::failure::{self, Peer};
use super::log::{LogLayer, Warnings};
use super::received::text;
use crate::error::Error;

/// A connection to one API server for writes.
pub(crate) struct Writer {
    client: Client,
    timeout: Duration,
    warnings: Warnings,
    peer: Arc<Peer>,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// POST of an Eviction.
    Evict,
    /// DELETE of a pod.
    Delete,
    /// Strategic merge patch of a pod's status.
    PatchCondition,
    /// JSON merge patch of a pod's status.
    PatchStatus,
    /// POST of an Event.
    Record,
}

/// A request that writes.
#[derive(Debug, Clone)]
pub(crate) struct Write<'w> {
    pub verb: Verb,
    pub namespace: &'w str,
    /// Name of the object; an event has its name in the body.
    pub name: &'w str,
    /// Whether it is a dry run. If the body has a field for it, that field is set as well.
    pub dry_run: bool,
    pub body: String,
}

/// A response of the server.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub status: StatusCode,
    /// The value of `Retry-After`.
    pub retry_after: Option<Duration>,
    pub body: String,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// There was no connection: the server did not receive the request.
    NotSent(String),
    /// The request may have been executed, or may still be.
    NoAnswer(String),
}

impl Write<'_> {
    fn method(&self) -> Method {
        match self.verb {
            Verb::Evict | Verb::Record => Method::POST,
            Verb::Delete => Method::DELETE,
            Verb::PatchCondition | Verb::PatchStatus => Method::PATCH,
        }
    }

    fn content_type(&self) -> &'static str {
        match self.verb {
            Verb::Evict | Verb::Delete | Verb::Record => "application/json",
            Verb::PatchCondition => "application/strategic-merge-patch+json",
            Verb::PatchStatus => "application/merge-patch+json",
        }
    }

    /// Path and query. The allowlist rejects a path with an invalid Kubernetes name.
    fn path(&self) -> String {
        let Self { namespace, name, .. } = self;
        let path = match self.verb {
            Verb::Evict => format!("/api/v1/namespaces/{namespace}/pods/{name}/eviction"),
            Verb::Delete => format!("/api/v1/namespaces/{namespace}/pods/{name}"),
            Verb::PatchCondition | Verb::PatchStatus => {
                format!("/api/v1/namespaces/{namespace}/pods/{name}/status")
            }
            Verb::Record => format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events"),
        };
        let manager = match self.verb {
            Verb::PatchCondition | Verb::PatchStatus | Verb::Record => {
                Some("fieldManager=kubectl-preempt")
            }
            Verb::Evict | Verb::Delete => None,
        };
        let query: Vec<&str> =
            self.dry_run.then_some("dryRun=All").into_iter().chain(manager).collect();
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }
}

impl Writer {
    /// `timeout` applies to each request. Must be called inside a tokio runtime.
    pub(crate) fn new(connection: Connection, timeout: Duration) -> Result<Self, Error> {
        let peer = Peer::of(&connection);
        let mut config = connection.config;
        // Otherwise kube retries a request up to 15 times, even after responses that leave open
        // whether it was executed.
        config.default_retry = false;
        let warnings = Warnings::default();
        let builder =
            ClientBuilder::try_from(config).map_err(|e| failure::not_set_up(&e, &peer))?;
        let client =
            builder.with_layer(&LogLayer::new(&peer, &warnings)).with_layer(&WRITES).build();
        Ok(Self { client, timeout, warnings, peer: Arc::new(peer) })
    }

    /// The server's warnings so far, deduplicated.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.all()
    }

    /// Sends a request exactly once.
    pub(crate) async fn send(&self, write: &Write<'_>) -> Result<Reply, Lost> {
        let request = Request::builder()
            .method(write.method())
            .uri(write.path())
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, write.content_type())
            .body(Body::from(write.body.clone().into_bytes()))
            .map_err(|e| Lost::NotSent(format!("the request cannot be written: {e}")))?;
        let exchange = async {
            let response = self.client.send(request).await.map_err(|e| self.lost(&e))?;
            let (status, retry_after) = (response.status(), requested_wait(response.headers()));
            let body = text(response, MAX_ANSWER, &self.peer)
                .await
                .map_err(|e| Lost::NoAnswer(e.to_string()))?;
            Ok(Reply { status, retry_after, body })
        };
        tokio::time::timeout(self.timeout, exchange).await.unwrap_or_else(|_| {
            Err(Lost::NoAnswer(format!(
                "the server {} did not answer within {:?}",
                self.peer.server, self.timeout
            )))
        })
    }

    /// A request was certainly not sent if it failed before there was a connection, or if the
    /// allowlist rejected it.
    fn lost(&self, error: &kube::Error) -> Lost {
        let text = failure::from_kube(error, &self.peer).to_string();
        let mut next = error.source();
        while let Some(cause) = next {
            let unconnected =
                cause.downcast_ref::<legacy::Error>().is_some_and(legacy::Error::is_connect);
            if unconnected || cause.is::<RequestRefused>() {
                return Lost::NotSent(text);
            }
            next = cause.source();
        }
        Lost::NoAnswer(text)
    }
}

/// Whether a text is a Kubernetes name, and so a single path segment.
fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    !text.is_empty() && text.chars().all(allowed) && text.contains(|c: char| c != '.')
}

/// Whether a request is an eviction, the deletion of a pod, a patch of a pod's status or an event.
fn is_allowed(method: &Method, path: &str) -> bool {
    let steps: Vec<&str> = path.split('/').collect();
    let expected = match steps.as_slice() {
        ["", "api", "v1", "namespaces", namespace, "pods", name, rest @ ..]
            if is_name(namespace) && is_name(name) =>
        {
            match rest {
                [] => Method::DELETE,
                ["eviction"] => Method::POST,
                ["status"] => Method::PATCH,
                _ => return false,
            }
        }
        ["", "apis", "events.k8s.io", "v1", "namespaces", namespace, "events"]
            if is_name(namespace) =>
        {
            Method::POST
        }
        _ => return false,
    };
    *method == expected
}

/// The requests that this client sends.
const WRITES: AllowLayer = AllowLayer {
    allows: |method, uri| is_allowed(method, uri.path()),
    why: "apply has no need for it",
};

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::ready;
    use tower::{BoxError, Layer as _, Service as _};

    use super::*;

    const PODS: &str = "/api/v1/namespaces/a/pods";

    #[test]
    fn four_paths_are_written_to() {
        let allowed = [
            (Method::POST, format!("{PODS}/b/eviction")),
            (Method::DELETE, format!("{PODS}/b")),
            (Method::PATCH, format!("{PODS}/b/status")),
            (Method::POST, "/apis/events.k8s.io/v1/namespaces/a/events".to_owned()),
        ];
        let methods = [
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
            Method::OPTIONS,
        ];
        for (right, path) in &allowed {
            for method in &methods {
                assert_eq!(is_allowed(method, path), method == right, "{method} {path}");
            }
        }
    }

    #[test]
    fn collections_other_kinds_and_odd_names_are_refused() {
        for path in [
            PODS.to_owned(),
            format!("{PODS}/"),
            format!("{PODS}/.."),
            format!("{PODS}/b/"),
            format!("{PODS}/b/exec"),
            format!("{PODS}/b/status/x"),
            format!("{PODS}/b%2fc"),
            "/api/v1/namespaces/a".to_owned(),
            "/api/v1/nodes/b".to_owned(),
            "/api/v1/namespaces/../pods/b".to_owned(),
            "/x/api/v1/namespaces/a/pods/b".to_owned(),
            "/apis/apps/v1/namespaces/a/deployments/b".to_owned(),
        ] {
            for method in [Method::POST, Method::PATCH, Method::DELETE] {
                assert!(!is_allowed(&method, &path), "{method} {path}");
            }
        }
    }

    #[test]
    fn each_request_is_one_that_the_layer_lets_through() {
        for verb in
            [Verb::Evict, Verb::Delete, Verb::PatchCondition, Verb::PatchStatus, Verb::Record]
        {
            let write =
                Write { verb, namespace: "a", name: "b", dry_run: true, body: String::new() };
            let (path, query) =
                write.path().split_once('?').map(|(p, q)| (p.to_owned(), q.to_owned())).unwrap();
            assert!(is_allowed(&write.method(), &path), "{verb:?}");
            assert!(query.starts_with("dryRun=All"), "{verb:?}");
            let write =
                Write { verb, namespace: "a", name: "b/exec", dry_run: false, body: String::new() };
            let odd = is_allowed(&write.method(), write.path().split('?').next().unwrap());
            assert_eq!(
                odd,
                verb == Verb::Record,
                "{verb:?}: the name of an event is not in its path"
            );
        }
    }

    #[test]
    fn the_layer_refuses_before_the_wire() {
        let wire = tower::service_fn(|_: Request<()>| ready(Ok::<_, BoxError>(())));
        let mut service = WRITES.layer(wire);
        let request = Request::builder().method("DELETE").uri("/api/v1/nodes/n").body(()).unwrap();
        let error = service.call(request).now_or_never().unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "refused to send DELETE /api/v1/nodes/n: apply has no need for it"
        );
    }
}
