//! Errors of the connection to a cluster: one line and a hint. kubectl's words where it has some.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use http::StatusCode;
use hyper_util::client::legacy;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;

use super::HttpAnswer;
use super::awaited::Waits;
use super::config::Connection;
use super::secrets::Secrets;
use crate::error::Error;
use crate::program;
use engine::snapshot::Kind;

/// The longest part of a server's answer that is quoted, in characters.
const MAX_QUOTE: usize = 300;

/// The server that is connected to, and the user.
#[derive(Debug, Default)]
pub(crate) struct Peer {
    /// Host and port of the API server.
    pub server: String,
    /// Proxy before it, without its password.
    pub proxy: Option<String>,
    /// User entry of the kubeconfig.
    pub user: Option<String>,
    pub waits: Waits,
    /// What must not be shown of its answers.
    pub secrets: Secrets,
}

impl Peer {
    /// Server, proxy and user of a connection.
    pub(crate) fn of(connection: &Connection) -> Self {
        let address = |uri: &http::Uri| match (uri.host().unwrap_or_default(), uri.port()) {
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_owned(),
        };
        Self {
            server: address(&connection.config.cluster_url),
            proxy: connection.config.proxy_url.as_ref().map(address),
            user: connection.user.clone(),
            waits: connection.waits.clone(),
            secrets: Secrets::of(&connection.config.auth_info),
        }
    }
}

/// The error for a request without a response, or a client that could not be built.
pub(crate) fn from_kube(e: &kube::Error, peer: &Peer) -> Error {
    // What a connection is made of fails with other kinds, but for TLS, which has errors of its own.
    let is_damaged =
        matches!(io_kind(e), Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput));
    if is_damaged && !errors(e).any(<dyn StdError>::is::<rustls::Error>) {
        return damaged(&last(&chain(e)), peer);
    }
    explain(e, peer)
}

/// The compressed body of an answer cannot be unpacked.
fn damaged(cause: &str, peer: &Peer) -> Error {
    Error::Cluster {
        problem: format!(
            "the answer of the server {} is damaged: what it compressed with gzip cannot be unpacked: {cause}",
            peer.server
        ),
        hint: Some(
            "does a proxy in between change answers? --disable-compression asks for them uncompressed"
                .to_owned(),
        ),
    }
}

/// The kind of the innermost error of a read or write.
fn io_kind(e: &(dyn StdError + 'static)) -> Option<io::ErrorKind> {
    errors(e).filter_map(|e| e.downcast_ref::<io::Error>()).last().map(io::Error::kind)
}

/// The error of a failed connection, with a hint.
fn explain(e: &(dyn StdError + 'static), peer: &Peer) -> Error {
    let server = &peer.server;
    let cause = last(&chain(e));
    let is_unconnected =
        errors(e).filter_map(|e| e.downcast_ref::<legacy::Error>()).any(legacy::Error::is_connect);
    let io = io_kind(e);
    let tls = errors(e).find_map(|e| e.downcast_ref::<rustls::Error>()).and_then(tls);

    // The most specific cause comes first: what TLS says, then a proxy, which hides what is behind
    // it, then what the system says.
    let (problem, hint) = if let Some(TlsProblem { what, hint }) = tls {
        (format!("Unable to connect to the server {server}: {what}"), hint)
    } else if let Some(proxy) = peer.proxy.as_ref().filter(|_| is_unconnected) {
        (
            format!("cannot reach the server {server} through the proxy {proxy}: {cause}"),
            "check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY",
        )
    } else if io == Some(io::ErrorKind::ConnectionRefused) {
        (
            format!(
                "The connection to the server {server} was refused - did you specify the right host or port?"
            ),
            "is the cluster running? kubectl config view --minify shows the address in use",
        )
    } else if errors(e).any(|e| e.to_string() == NO_SUCH_HOST) {
        (
            format!("Unable to connect to the server: no such host: {}", host_of(server)),
            "check the server's name in the kubeconfig, the network and the VPN",
        )
    } else if is_unconnected && io == Some(io::ErrorKind::UnexpectedEof) {
        (
            format!(
                "Unable to connect to the server {server}: it closed the connection during the TLS handshake"
            ),
            "is this the port of an API server, and does it speak TLS?",
        )
    } else {
        (
            format!("Unable to connect to the server {server}: {cause}"),
            "does kubectl version reach it?",
        )
    };
    Error::Cluster { problem, hint: Some(hint.to_owned()) }
}

/// What hyper says of a name that has no address: it has no kind for it.
const NO_SUCH_HOST: &str = "dns error";

/// Why TLS failed, in plain words.
struct TlsProblem {
    what: String,
    hint: &'static str,
}

/// `None` for what has no plainer words than its own.
fn tls(e: &rustls::Error) -> Option<TlsProblem> {
    use rustls::{AlertDescription, CertificateError, InvalidMessage};
    let (what, hint) = match e {
        rustls::Error::InvalidCertificate(problem) => match problem {
            CertificateError::UnknownIssuer => (
                "its certificate is signed by an unknown authority",
                "give the authority with --certificate-authority or certificate-authority-data in the kubeconfig",
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
                "its certificate has expired",
                "renew the server's certificate; check this machine's clock",
            ),
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                ("its certificate is not valid yet", "check this machine's clock")
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                (
                    "its certificate is for another name",
                    "give the name in it with --tls-server-name",
                )
            }
            // Among others, that of an authority, and one of X.509 version 1.
            other => {
                return Some(TlsProblem {
                    what: format!("its certificate is of a kind that is not accepted: {other}"),
                    hint: "issue it as X.509 version 3 for a server, signed by an authority; until then, --insecure-skip-tls-verify",
                });
            }
        },
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            ("it speaks no TLS", "write its address with http:// if it really is to be used so")
        }
        rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateExpired
            | AlertDescription::UnknownCA,
        ) => (
            "it wants a client certificate that it trusts",
            "renew the one of the kubeconfig user, or give --client-certificate and --client-key",
        ),
        _ => return None,
    };
    Some(TlsProblem { what: what.to_owned(), hint })
}

/// The client could not be built: unusable credentials or certificates.
pub(crate) fn not_set_up(e: &kube::Error, peer: &Peer) -> Error {
    let user = peer.user.as_ref().map_or_else(String::new, |user| format!(" of user {user:?}"));
    Error::Cluster {
        problem: format!("cannot set up the connection to {}: {}", peer.server, last(&chain(e))),
        hint: Some(format!("check certificates and credentials{user} in the kubeconfig")),
    }
}

/// No response to `request` in time, or no connection for it. A proxy that does not connect looks
/// the same.
pub(crate) fn timed_out(request: &str, timeout: Duration, peer: &Peer) -> Error {
    let through =
        peer.proxy.as_ref().map_or_else(String::new, |p| format!(" through the proxy {p}"));
    Error::Cluster {
        problem: format!(
            "the server {}{through} did not answer {request} within {timeout:?}",
            peer.server
        ),
        hint: Some("raise --request-timeout; 0 waits for ever".to_owned()),
    }
}

/// The response to `request` began, and then nothing came for this time.
pub(crate) fn fell_silent(request: &str, time: Duration, peer: &Peer) -> Error {
    Error::Cluster {
        problem: format!(
            "the server {} stopped in its answer to {request}: nothing for {time:?}",
            peer.server
        ),
        hint: Some("raise --request-timeout; 0 waits for ever".to_owned()),
    }
}

/// Reading the cluster took too long, although each response may have arrived in time.
pub(crate) fn too_slow(deadline: Duration, peer: &Peer) -> Error {
    // What is left of a longer time has nanoseconds.
    let deadline = Duration::from_millis(u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX));
    Error::Cluster {
        problem: format!("the server {} did not send everything within {deadline:?}", peer.server),
        hint: Some(
            "is the network slow? save a snapshot near the server, and read it with --from"
                .to_owned(),
        ),
    }
}

/// The server warned, and `--warnings-as-errors` is set; `first` is the first of `count` warnings.
pub(crate) fn warned(first: &str, count: usize) -> Error {
    let plural = if count == 1 { "" } else { "s" };
    Error::Cluster {
        problem: format!("{count} warning{plural} received: {first}"),
        hint: Some("--warnings-as-errors makes a server's warning an error".to_owned()),
    }
}

/// The response is not that of an API server.
pub(crate) fn not_kubernetes(peer: &Peer, what: &str) -> Error {
    Error::Cluster {
        problem: format!(
            "the server {} does not answer as a Kubernetes API server: {what}",
            peer.server
        ),
        hint: Some("is its address right, and is no login page or proxy in between?".to_owned()),
    }
}

/// A response that exceeds the size limit.
pub(crate) fn too_large(limit: usize, peer: &Peer) -> Error {
    not_kubernetes(peer, &format!("its answer has more than {} MiB", limit >> 20))
}

/// The server's own message in an error response, in one line.
pub(crate) fn server_message(answer: &HttpAnswer) -> String {
    let status: Status = serde_json::from_str(&answer.body).unwrap_or_default();
    let text = status.message.filter(|text| !text.is_empty());
    let text = text.as_deref().unwrap_or(&answer.body);
    let line = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("no message");
    line.chars().take(MAX_QUOTE).collect()
}

/// The error for a response that the command requires.
pub(crate) fn from_answer(answer: &HttpAnswer, kind: Option<Kind>, peer: &Peer) -> Error {
    let message = server_message(answer);
    let resource = kind.map_or("version", Kind::plural);
    let (problem, hint) = match answer.status {
        StatusCode::UNAUTHORIZED => (
            "You must be logged in to the server (Unauthorized)".to_owned(),
            match &peer.user {
                Some(user) => format!(
                    "the credentials of user {user:?} are missing, wrong or expired: log in again"
                ),
                None => "give credentials: --token, --context or --user".to_owned(),
            },
        ),
        StatusCode::FORBIDDEN => {
            let hint = format!(
                "reading the cluster needs the verb list on {resource} of all namespaces: {} prints the ClusterRole \
                 that is missing; or read a file of somebody who has it with --from",
                program::command("doctor")
            );
            return forbidden(&message, hint);
        }
        StatusCode::NOT_FOUND => {
            return not_kubernetes(peer, &format!("there are no {resource} ({message})"));
        }
        status if status.is_redirection() => {
            return not_kubernetes(peer, &format!("it answers {status}"));
        }
        status => (
            format!(
                "Error from server ({}) when listing {resource}: {message}",
                reason(answer, status)
            ),
            "try again; kubectl get --raw '/readyz?verbose' shows how the server is".to_owned(),
        ),
    };
    Error::Cluster { problem, hint: Some(hint) }
}

/// The error for what the user may not do, with the server's message.
pub(crate) fn forbidden(message: &str, hint: String) -> Error {
    let problem = format!("Error from server (Forbidden): {message}");
    Error::Forbidden { problem, hint: Some(hint) }
}

fn reason(answer: &HttpAnswer, status: StatusCode) -> String {
    let parsed: Status = serde_json::from_str(&answer.body).unwrap_or_default();
    parsed.reason.filter(|reason| !reason.is_empty()).unwrap_or_else(|| status.to_string())
}

/// The messages of the error chain, the outermost first, without duplicates.
fn chain(e: &dyn StdError) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    let mut next = Some(e);
    while let Some(e) = next {
        let message = e.to_string();
        if messages.last() != Some(&message) {
            messages.push(message);
        }
        next = e.source();
    }
    messages
}

fn last(chain: &[String]) -> String {
    let cause = chain.last().map(String::as_str).unwrap_or_default();
    cause.lines().next().unwrap_or_default().chars().take(MAX_QUOTE).collect()
}

/// An error and its causes.
fn errors<'e>(
    e: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(e), |e| cause_of(*e))
}

/// The cause of an error. What an [`io::Error`] wraps is one here, which it is not for `source`.
fn cause_of<'e>(e: &'e (dyn StdError + 'static)) -> Option<&'e (dyn StdError + 'static)> {
    match e.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => e.source(),
    }
}

fn host_of(server: &str) -> &str {
    server.rsplit_once(':').map_or(server, |(host, _)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(error: &(dyn StdError + 'static)) -> (String, String) {
        let peer = Peer { server: "api.example:6443".to_owned(), ..Peer::default() };
        let error = explain(error, &peer);
        (error.to_string(), error.hint().unwrap_or_default().to_owned())
    }

    #[test]
    fn each_failure_has_its_sentence() {
        use rustls::{AlertDescription, CertificateError, OtherError};
        let certificate = |problem| rustls::Error::InvalidCertificate(problem);
        let version_1 = OtherError(std::sync::Arc::new(io::Error::other("UnsupportedCertVersion")));
        for (error, problem, hint) in [
            (
                certificate(CertificateError::UnknownIssuer),
                "unknown authority",
                "--certificate-authority",
            ),
            (
                certificate(CertificateError::Other(version_1)),
                "UnsupportedCertVersion",
                "X.509 version 3",
            ),
            (certificate(CertificateError::Expired), "has expired", "clock"),
            (
                certificate(CertificateError::NotValidForName),
                "for another name",
                "--tls-server-name",
            ),
            (
                rustls::Error::AlertReceived(AlertDescription::CertificateExpired),
                "client certificate that it trusts",
                "--client-key",
            ),
            (
                rustls::Error::AlertReceived(AlertDescription::CertificateRequired),
                "client certificate that it trusts",
                "--client-key",
            ),
            (rustls::Error::DecryptError, "cannot decrypt", "kubectl version"),
        ] {
            // As a connection wraps it.
            let (p, h) = explained(&io::Error::other(io::Error::other(error)));
            assert!(p.starts_with("Unable to connect to the server") && p.contains(problem), "{p}");
            assert!(h.contains(hint), "{p}: {h}");
        }
        let (p, h) = explained(&io::Error::other("dns error"));
        assert_eq!(p, "Unable to connect to the server: no such host: api.example");
        assert!(h.contains("VPN"), "{h}");
    }

    #[test]
    fn damaged_gzip_body_is_named_as_damaged_and_not_as_a_connection() {
        let cause = io::Error::new(io::ErrorKind::InvalidInput, "corrupt deflate stream");
        let peer = Peer { server: "api.example:6443".to_owned(), ..Peer::default() };
        let error = from_kube(&kube::Error::Service(Box::new(cause)), &peer).to_string();
        assert_eq!(
            error,
            "the answer of the server api.example:6443 is damaged: what it compressed with gzip cannot be unpacked: corrupt deflate stream"
        );
    }

    #[test]
    fn an_answer_of_no_api_server_is_quoted_in_one_line() {
        let answer = HttpAnswer {
            status: StatusCode::BAD_GATEWAY,
            body: format!("\n<html>\n{}", "x".repeat(1000)),
        };
        let error = from_answer(&answer, Some(Kind::Node), &Peer::default());
        assert_eq!(
            error.to_string(),
            "Error from server (502 Bad Gateway) when listing nodes: <html>"
        );
    }
}
