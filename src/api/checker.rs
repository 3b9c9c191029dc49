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

    /// Has the server apply an object in a dry run, or create it at `path` if it has no name yet.
    pub(crate) async fn check(&self, path: &str, is_named: bool, body: String) -> Checked {
        let (method, content, query) = if is_named {
            // Conflicts with other managers are those of an apply that takes the fields over.
            let query = format!("{DRY_RUN}&fieldManager=kubectl-preempt&force=true");
            (Method::PATCH, "application/apply-patch+yaml", query)
        } else {
            (Method::POST, "application/json", DRY_RUN.to_owned())
        };
        let request = Request::builder()
            .method(method)
            .uri(format!("{path}?{query}"))
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, content)
            .body(Body::from(body.into_bytes()));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Checked::Unknown(error.to_string()),
        };
        let exchange = async {
            let response = self.client.send(request).await;
            let response =
                response.map_err(|error| failure::from_kube(&error, &self.peer).to_string())?;
            let status = response.status();
            let body = text(response, MAX_ANSWER, &self.peer).await;
            body.map(|body| judge(status, &body)).map_err(|error| error.to_string())
        };
        match tokio::time::timeout(self.timeout, exchange).await {
            Ok(Ok(checked)) => checked,
            Ok(Err(problem)) => Checked::Unknown(problem),
            Err(_) => Checked::Unknown(format!("no answer within {:?}", self.timeout)),
        }
    }
}

/// What an answer means. Webhooks that take no dry run, and a busy server, say nothing of the object.
fn judge(status: StatusCode, body: &str) -> Checked {
    #[derive(Deserialize)]
    struct Status {
        message: String,
    }
    if status.is_success() {
        return Checked::Taken;
    }
    let message =
        serde_json::from_str::<Status>(body).map_or_else(|_| status.to_string(), |s| s.message);
    let is_about_object = status.is_client_error()
        && ![
            StatusCode::UNAUTHORIZED,
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ]
        .contains(&status)
        && !message.contains("does not support dry run");
    if is_about_object { Checked::Refused(message) } else { Checked::Unknown(message) }
}

/// Whether a request is a dry run that creates or applies an object.
fn is_dry_run(method: &Method, uri: &Uri) -> bool {
    let is_dry = uri.query().is_some_and(|query| query.split('&').any(|part| part == DRY_RUN));
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
    fn answers_about_the_object_refuse_it() {
        let says = |status: u16, message: &str| {
            let body = format!(r#"{{"kind":"Status","message":"{message}"}}"#);
            judge(StatusCode::from_u16(status).unwrap(), &body)
        };
        assert_eq!(says(200, ""), Checked::Taken);
        for status in [400, 403, 404, 409, 422] {
            assert_eq!(says(status, "no"), Checked::Refused("no".to_owned()), "{status}");
        }
        for status in [401, 429, 500, 503] {
            assert_eq!(says(status, "no"), Checked::Unknown("no".to_owned()), "{status}");
        }
        let webhook = r"admission webhook x does not support dry run";
        assert_eq!(says(400, webhook), Checked::Unknown(webhook.to_owned()));
    }
}
