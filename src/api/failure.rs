//! Errors of the connection to a cluster: one line and a hint. kubectl's words where it has some.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;

use super::answer::HttpAnswer;
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
    let chain = chain(e);
    // What a connection is made of fails with other kinds, but for TLS, which has its own words.
    let is_damaged =
        matches!(io_kind(e), Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput));
    if is_damaged && tls(&chain.join(": ")).is_none() {
        return damaged(&last(&chain), peer);
    }
    let refused = io_kind(e) == Some(io::ErrorKind::ConnectionRefused);
    explain(&chain.join(": "), &last(&chain), refused, peer)
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

/// The error of a failed connection, with a hint. `text` has all messages of the error chain,
/// `cause` the last.
fn explain(text: &str, cause: &str, refused: bool, peer: &Peer) -> Error {
    let server = &peer.server;
    let through_proxy =
        refused || ["tunnel", "proxy", "SOCKS"].iter().any(|word| text.contains(word));
    let (problem, hint) = if let Some(proxy) = peer.proxy.as_ref().filter(|_| through_proxy) {
        (
            format!("cannot reach the server {server} through the proxy {proxy}: {cause}"),
            "check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY",
        )
    } else if refused {
        (
            format!(
                "The connection to the server {server} was refused - did you specify the right host or port?"
            ),
            "is the cluster running? kubectl config view --minify shows the address in use",
        )
    } else if text.contains("dns error") || text.contains("lookup address") {
        (
            format!("Unable to connect to the server: no such host: {}", host_of(server)),
            "check the server's name in the kubeconfig, the network and the VPN",
        )
    } else if let Some((what, hint)) = tls(text) {
        (format!("Unable to connect to the server {server}: {what}"), hint)
    } else {
        (
            format!("Unable to connect to the server {server}: {cause}"),
            "does kubectl version reach it?",
        )
    };
    Error::Cluster { problem, hint: Some(hint.to_owned()) }
}

/// A part of rustls' message, the problem in plain words, and the hint.
const TLS: [(&str, &str, &str); 10] = [
    (
        "UnknownIssuer",
        "its certificate is signed by an unknown authority",
        "give the authority with --certificate-authority or certificate-authority-data in the kubeconfig",
    ),
    (
        "CaUsedAsEndEntity",
        "its certificate is that of an authority, which is not accepted for a server",
        "have it signed by an authority and give that one; until then, --insecure-skip-tls-verify",
    ),
    (
        "UnsupportedCertVersion",
        "its certificate is of X.509 version 1, which is not supported",
        "issue it again as X.509 version 3; until then, --insecure-skip-tls-verify",
    ),
    (
        "certificate expired",
        "its certificate has expired",
        "renew the server's certificate; check this machine's clock",
    ),
    (
        "Expired",
        "its certificate has expired",
        "renew the server's certificate; check this machine's clock",
    ),
    ("NotValidYet", "its certificate is not valid yet", "check this machine's clock"),
    (
        "not valid for name",
        "its certificate is for another name",
        "give the name in it with --tls-server-name",
    ),
    (
        "NotValidForName",
        "its certificate is for another name",
        "give the name in it with --tls-server-name",
    ),
    (
        "tls handshake eof",
        "it closed the connection during the TLS handshake",
        "is this the port of an API server, and does it speak TLS?",
    ),
    (
        "InvalidContentType",
        "it speaks no TLS",
        "write its address with http:// if it really is to be used so",
    ),
];

fn tls(text: &str) -> Option<(&'static str, &'static str)> {
    let known =
        TLS.iter().find(|(mark, _, _)| text.contains(mark)).map(|(_, what, hint)| (*what, *hint));
    let refused = ["CertificateRequired", "BadCertificate", "CertificateExpired", "UnknownCA"];
    known.filter(|_| !text.contains("fatal alert")).or_else(|| {
        let ours = text.contains("fatal alert") && refused.iter().any(|alert| text.contains(alert));
        ours.then_some((
            "it wants a client certificate that it trusts",
            "renew the one of the kubeconfig user, or give --client-certificate and --client-key",
        ))
    })
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

/// The displayed fields of `metav1.Status`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    message: String,
    reason: String,
}

/// The server's own message in an error response, in one line.
pub(crate) fn server_message(answer: &HttpAnswer) -> String {
    let status: Status = serde_json::from_str(&answer.body).unwrap_or_default();
    let text = if status.message.is_empty() { answer.body.as_str() } else { &status.message };
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
        StatusCode::FORBIDDEN => (
            format!("Error from server (Forbidden): {message}"),
            format!(
                "reading the cluster needs the verb list on {resource} of all namespaces: {} prints the ClusterRole \
                     that is missing; or read a file of somebody who has it with --from",
                program::command("doctor")
            ),
        ),
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

fn reason(answer: &HttpAnswer, status: StatusCode) -> String {
    let parsed: Status = serde_json::from_str(&answer.body).unwrap_or_default();
    if parsed.reason.is_empty() { status.to_string() } else { parsed.reason }
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

fn io_kind(e: &(dyn StdError + 'static)) -> Option<io::ErrorKind> {
    let mut next = Some(e);
    let mut kind = None;
    while let Some(e) = next {
        kind = e.downcast_ref::<io::Error>().map(io::Error::kind).or(kind);
        next = e.source();
    }
    kind
}

fn host_of(server: &str) -> &str {
    server.rsplit_once(':').map_or(server, |(host, _)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (String, String) {
        let peer = Peer { server: "api.example:6443".to_owned(), ..Peer::default() };
        let error = explain(text, "the cause", false, &peer);
        (error.to_string(), error.hint().unwrap_or_default().to_owned())
    }

    #[test]
    fn each_failure_has_its_sentence() {
        for (text, problem, hint) in [
            (
                "client error (Connect): dns error: failed to lookup address information",
                "no such host: api.example",
                "VPN",
            ),
            (
                "invalid peer certificate: UnknownIssuer",
                "unknown authority",
                "--certificate-authority",
            ),
            (
                "invalid peer certificate: Other(OtherError(UnsupportedCertVersion))",
                "X.509 version 1",
                "version 3",
            ),
            (
                "invalid peer certificate: certificate expired: verification time",
                "has expired",
                "clock",
            ),
            (
                "invalid peer certificate: certificate not valid for name \"a\"",
                "for another name",
                "--tls-server-name",
            ),
            (
                "received fatal alert: CertificateExpired",
                "client certificate that it trusts",
                "--client-key",
            ),
            (
                "received fatal alert: CertificateRequired",
                "client certificate that it trusts",
                "--client-key",
            ),
            ("something else", "the cause", "kubectl version"),
        ] {
            let (p, h) = told(text);
            assert!(
                p.starts_with("Unable to connect to the server") && p.contains(problem),
                "{text}: {p}"
            );
            assert!(h.contains(hint), "{text}: {h}");
        }
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
