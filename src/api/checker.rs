//! The client that has the API server check objects. It sends dry runs alone: an [`AllowLayer`]
//! rejects every other request, so that nothing is stored.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, StatusCode, Uri, header};
use kube::Client;
use kube::client::{Body, ClientBuilder};
use serde::Deserialize;

use super::allow::AllowLayer;
use super::client::MAX_ANSWER;
use super::config::Connection;
use super::failure::{self, Peer};
use super::log::{LogLayer, Warnings};
use super::received::text;
use super::url::encode;
use crate::error::Error;

/// The part of the query that keeps a request from changing anything.
pub(crate) const DRY_RUN: &str = "dryRun=All";

/// How long an answer may take: webhooks have up to 30 seconds each.
const SERVER_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to one API server for dry runs.
pub(crate) struct Checker {
    client: Client,
    timeout: Duration,
    peer: Arc<Peer>,
}

/// What the server says of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Checked {
    Taken,
    /// It refuses the object, for this reason.
    Refused(String),
    /// It does not say, for this reason.
    Unknown(String),
}

impl Checker {
    /// `timeout` applies to each request. Must be called inside a tokio runtime.
    pub(crate) fn new(connection: Connection, timeout: Option<Duration>) -> Result<Self, Error> {
        let peer = Peer::of(&connection);
        let builder = ClientBuilder::try_from(connection.config)
            .map_err(|e| failure::not_set_up(&e, &peer))?;
        let layer = LogLayer::new(&peer, &Warnings::default());
        let client = builder.with_layer(&layer).with_layer(&CHECKS).build();
        let timeout = timeout.filter(|timeout| !timeout.is_zero()).unwrap_or(SERVER_TIMEOUT);
        Ok(Self { client, timeout, peer: Arc::new(peer) })
    }

    /// Has the server create an object in a dry run, in the collection at `path`, or apply it if one of
    /// its `name` exists.
    pub(crate) async fn check(&self, path: &str, name: Option<&str>, body: String) -> Checked {
        let created = self.send(Method::POST, path, "application/json", DRY_RUN, &body).await;
        let (status, answer) = match (created, name) {
            (Ok((StatusCode::CONFLICT, _)), Some(name)) => {
                // Conflicts with other managers are those of an apply that takes the fields over.
                let query = format!("{DRY_RUN}&fieldManager=kubectl-preempt&force=true");
                let path = format!("{path}/{}", encode(name));
                let content = "application/apply-patch+yaml";
                match self.send(Method::PATCH, &path, content, &query, &body).await {
                    Ok((StatusCode::UNPROCESSABLE_ENTITY, answer)) => return judge_merged(&answer),
                    Ok(answered) => answered,
                    Err(problem) => return Checked::Unknown(problem),
                }
            }
            (Ok(answered), _) => answered,
            (Err(problem), _) => return Checked::Unknown(problem),
        };
        judge(status, &answer)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        content: &str,
        query: &str,
        body: &str,
    ) -> Result<(StatusCode, String), String> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{path}?{query}"))
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, content)
            .body(Body::from(body.as_bytes().to_vec()))
            .map_err(|error| error.to_string())?;
        let exchange = async {
            let response = self.client.send(request).await;
            let response =
                response.map_err(|error| failure::from_kube(&error, &self.peer).to_string())?;
            let status = response.status();
            let body = text(response, MAX_ANSWER, &self.peer).await;
            body.map(|body| (status, body)).map_err(|error| error.to_string())
        };
        tokio::time::timeout(self.timeout, exchange)
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {:?}", self.timeout)))
    }
}

/// The answer of a request that failed.
#[derive(Deserialize)]
struct Status {
    message: String,
}

fn message(body: &str) -> Option<String> {
    serde_json::from_str::<Status>(body).ok().map(|status| status.message)
}

/// What it means that the server finds an object invalid which is merged with one that exists. This apply
/// keeps fields of other managers, which `kubectl apply` may remove: only a field that may never change is a
/// refusal in any case.
fn judge_merged(body: &str) -> Checked {
    let message = message(body).unwrap_or_default();
    if message.contains("field is immutable") {
        return Checked::Refused(message);
    }
    Checked::Unknown(format!(
        "a server-side apply is refused, which keeps fields that kubectl apply may remove: {message}"
    ))
}

/// What an answer means. Webhooks that take no dry run, and a busy server, say nothing of the object.
fn judge(status: StatusCode, body: &str) -> Checked {
    if status.is_success() {
        return Checked::Taken;
    }
    let message = message(body).unwrap_or_else(|| status.to_string());
    let is_about_object = status.is_client_error()
        && ![
            StatusCode::UNAUTHORIZED,
            StatusCode::REQUEST_TIMEOUT,
            // Somebody else has written the object meanwhile.
            StatusCode::CONFLICT,
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ]
        .contains(&status)
        && !message.contains("does not support dry run");
    if is_about_object { Checked::Refused(message) } else { Checked::Unknown(message) }
}

/// The API groups of Kubernetes itself. Those of others may be served by an aggregated API server, which
/// may not know dry runs and store the object.
const OWN_GROUPS: [&str; 17] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apps",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

/// Whether an API version is one of Kubernetes itself, such as `v1` or `apps/v1`.
pub(crate) fn is_own(version: &str) -> bool {
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let is_version = version.starts_with('v') && version.bytes().all(|b| b.is_ascii_alphanumeric());
    is_version && (group.is_empty() || OWN_GROUPS.contains(&group))
}

/// Whether a request is a dry run that creates or applies an object of Kubernetes' own API groups.
fn is_dry_run(method: &Method, uri: &Uri) -> bool {
    let mut parts = uri.path().split('/').skip(1);
    let is_known = match (parts.next(), parts.next(), parts.next()) {
        (Some("api"), Some(version), Some(_)) => is_own(version),
        (Some("apis"), Some(group), Some(version)) => is_own(&format!("{group}/{version}")),
        _ => false,
    };
    let is_dry =
        is_known && uri.query().is_some_and(|query| query.split('&').any(|part| part == DRY_RUN));
    is_dry && [Method::POST, Method::PATCH].contains(method)
}

/// The requests that this client sends.
const CHECKS: AllowLayer = AllowLayer { allows: is_dry_run, why: "only dry runs are sent" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dry_runs_are_sent() {
        let path = "/apis/apps/v1/namespaces/a/deployments/b";
        let foreign = "/apis/metrics.example.com/v1/namespaces/a/loads?dryRun=All";
        assert!(!is_dry_run(&Method::POST, &foreign.parse().unwrap()));
        for (method, query, is_sent) in [
            (Method::PATCH, "?dryRun=All&force=true", true),
            (Method::POST, "?dryRun=All", true),
            (Method::PATCH, "", false),
            (Method::PATCH, "?dryRun=", false),
            (Method::PATCH, "?xdryRun=All", false),
            (Method::DELETE, "?dryRun=All", false),
            (Method::PUT, "?dryRun=All", false),
        ] {
            let uri: Uri = format!("{path}{query}").parse().unwrap();
            assert_eq!(is_dry_run(&method, &uri), is_sent, "{method} {uri}");
        }
    }

    #[test]
    fn an_object_that_is_invalid_once_it_is_merged_may_be_valid_for_kubectl() {
        let says = |message: &str| judge_merged(&format!(r#"{{"message":"{message}"}}"#));
        assert!(matches!(says("spec.selector: field is immutable"), Checked::Refused(_)));
        let strategy = "spec.strategy.rollingUpdate: Forbidden: may not be specified";
        assert!(matches!(says(strategy), Checked::Unknown(why) if why.ends_with(strategy)));
    }

    #[test]
    fn answers_about_the_object_refuse_it() {
        let says = |status: u16, message: &str| {
            let body = format!(r#"{{"kind":"Status","message":"{message}"}}"#);
            judge(StatusCode::from_u16(status).unwrap(), &body)
        };
        assert_eq!(says(200, ""), Checked::Taken);
        for status in [400, 403, 404, 422] {
            assert_eq!(says(status, "no"), Checked::Refused("no".to_owned()), "{status}");
        }
        for status in [401, 409, 429, 500, 503] {
            assert_eq!(says(status, "no"), Checked::Unknown("no".to_owned()), "{status}");
        }
        let webhook = r"admission webhook x does not support dry run";
        assert_eq!(says(400, webhook), Checked::Unknown(webhook.to_owned()));
    }
}
