//! `--listen`: serves the metrics of the list over HTTP as long as `--watch` keeps it up to date.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use http::uri::Authority;
use http::{Method, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::api::runtime;
use crate::error::Error;
use render::exposition::OPENMETRICS;
use render::safe::Printable;

/// The most connections at a time. A further one ends the oldest: an answer takes a moment, so that
/// one has not asked anything.
const CONNECTIONS: usize = 128;
/// The longest that a connection may take for its one request and the answer.
const LONGEST_CONNECTION: Duration = Duration::from_secs(5);
/// The most bytes of a request's head. The smallest number that hyper takes is 8 KiB.
const LARGEST_HEAD: usize = 16 << 10;
/// The wait after a connection that could not be accepted.
const ACCEPT_WAIT: Duration = Duration::from_millis(100);

/// The server. It ends when this is dropped.
pub(super) struct MetricsServer {
    published: Arc<Mutex<Published>>,
    _stop: oneshot::Sender<()>,
}

/// Which values of `Host` are answered. A web page that has its own name resolve to this machine
/// (DNS rebinding) sends its name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    /// Addresses, `localhost` and these names.
    Known(Arc<[String]>),
    /// Every name: where other machines may read the metrics, they use names that are not known
    /// here, such as that of a Service.
    Any,
}

impl Hosts {
    /// `names` are those of `--listen-host`.
    fn of(address: SocketAddr, names: &[String]) -> Self {
        if names.is_empty() && !is_local(address.ip()) {
            Self::Any
        } else {
            Self::Known(names.into())
        }
    }

    fn accept<B>(&self, request: &http::Request<B>) -> bool {
        let Self::Known(names) = self else { return true };
        let mut hosts = request.headers().get_all(header::HOST).iter();
        hosts.all(|host| host.to_str().is_ok_and(|host| is_known(host, names)))
            && request.uri().authority().is_none_or(|host| is_known(host.as_str(), names))
    }
}

/// Whether a host with an optional port is an address, `localhost` or one of `names`.
fn is_known(host: &str, names: &[String]) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_matches(['[', ']']);
    let is = |known: &str| name.trim_end_matches('.').eq_ignore_ascii_case(known);
    name.parse::<IpAddr>().is_ok() || is("localhost") || names.iter().any(|known| is(known))
}

fn is_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => ip.is_loopback(),
    }
}

/// What is served.
#[derive(Default)]
struct Published {
    /// The metrics of the last list; `None` before the first.
    metrics: Option<String>,
    /// Whether the cluster can be read.
    connected: bool,
}

/// Reads `--listen-host`: a name without a port.
///
/// # Errors
/// A text that is no name of a host.
pub(super) fn parse_host(text: &str) -> Result<String, String> {
    let name = text.trim_end_matches('.');
    match text.parse::<Authority>() {
        Ok(authority) if authority.host() == text && !name.is_empty() => Ok(name.to_owned()),
        Ok(_) | Err(_) => Err("use the name alone, such as metrics.example".to_owned()),
    }
}

/// Reads `--listen`: a port of this machine, or an address with a port.
///
/// # Errors
/// A text that is neither.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    if let Some(port) = text.strip_prefix("localhost:").and_then(|port| port.parse().ok()) {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    text.parse().map_err(|_| "use PORT or ADDRESS:PORT, such as 9187 or 127.0.0.1:9187".to_owned())
}

/// Refuses addresses at which other machines reach the server, unless that is wanted.
///
/// # Errors
/// [`Error::Usage`] for an address that is not of the loopback interface.
pub(super) fn check_address(address: SocketAddr, allow_remote: bool) -> Result<(), Error> {
    if is_local(address.ip()) || allow_remote {
        return Ok(());
    }
    let problem = format!("--listen {address}: other machines could read the metrics there");
    Err(Error::usage_hint(
        problem,
        "--allow-remote says that they may; there is neither TLS nor a login",
    ))
}

impl MetricsServer {
    /// Starts to serve at `address`, in a thread of its own, requests for `names`. Returns where,
    /// which differs from `address` if its port is 0.
    ///
    /// # Errors
    /// An address that cannot be used.
    pub(super) fn start(
        address: SocketAddr,
        names: &[String],
    ) -> Result<(Self, SocketAddr), Error> {
        let hosts = Hosts::of(address, names);
        let refused = |e: std::io::Error| {
            Error::input(format!("--listen {address}"), format!("cannot listen: {e}"))
        };
        let listener = std::net::TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let bound = listener.local_addr().map_err(refused)?;
        let runtime = runtime::start("serve metrics")?;
        let published = Arc::new(Mutex::new(Published::default()));
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&published);
        thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = serve(listener, served, hosts) => {}
                    _ = stopped => {}
                }
            });
        });
        Ok((Self { published, _stop: stop }, bound))
    }

    /// Serves these metrics from now on.
    pub(super) fn publish(&self, metrics: &Printable, connected: bool) {
        let mut published = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        *published = Published { metrics: Some(metrics.to_string()), connected };
    }
}

/// Accepts connections, a limited number at a time, each for one request.
async fn serve(listener: TcpListener, published: Arc<Mutex<Published>>, hosts: Hosts) {
    let mut connections: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Such as too many open files: connections that end free some.
            tokio::time::sleep(ACCEPT_WAIT).await;
            continue;
        };
        connections.retain(|connection| !connection.is_finished());
        if connections.len() >= CONNECTIONS
            && let Some(oldest) = connections.pop_front()
        {
            oldest.abort();
        }
        let (published, hosts) = (Arc::clone(&published), hosts.clone());
        let connection = tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let answer = answer(&request, &published, &hosts);
                async move { Ok::<_, Infallible>(answer) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(LONGEST_CONNECTION)
                .max_buf_size(LARGEST_HEAD)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), answer);
            // A client that is too slow or speaks another protocol is hung up on.
            let _ = tokio::time::timeout(LONGEST_CONNECTION, connection).await;
        });
        connections.push_back(connection.abort_handle());
    }
}

/// The answer to a request. Nothing but its host, method and path is looked at. hyper leaves out the
/// body of an answer to HEAD.
fn answer<B>(
    request: &http::Request<B>,
    published: &Mutex<Published>,
    hosts: &Hosts,
) -> Response<Full<Bytes>> {
    if !hosts.accept(request) {
        let line = "only an address, localhost or a name of --listen-host is accepted as host";
        return plain(StatusCode::FORBIDDEN, line);
    }
    let path = request.uri().path();
    if path != "/metrics" && path != "/healthz" {
        return plain(StatusCode::NOT_FOUND, "there is /metrics and /healthz");
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD");
        answer.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    let published = published.lock().unwrap_or_else(PoisonError::into_inner);
    match (path, &published.metrics) {
        (_, None) => plain(StatusCode::SERVICE_UNAVAILABLE, "the cluster has not been read yet"),
        ("/metrics", Some(metrics)) => text(StatusCode::OK, OPENMETRICS, metrics.clone()),
        (_, Some(_)) if published.connected => plain(StatusCode::OK, "ok"),
        (_, Some(_)) => plain(StatusCode::SERVICE_UNAVAILABLE, "the cluster cannot be read"),
    }
}

fn plain(status: StatusCode, line: &str) -> Response<Full<Bytes>> {
    text(status, "text/plain; charset=utf-8", format!("{line}\n"))
}

fn text(status: StatusCode, media_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let media_type = header::HeaderValue::from_static(media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: Method, path: &str, published: Published) -> u16 {
        let request = http::Request::builder().method(method).uri(path).body(()).unwrap();
        let hosts = Hosts::Known([].into());
        answer(&request, &Mutex::new(published), &hosts).status().as_u16()
    }

    #[test]
    fn only_get_and_head_of_two_paths_are_answered() {
        let read = || Published { metrics: Some("# EOF\n".to_owned()), connected: true };
        for (method, path, expected) in [
            (Method::GET, "/metrics", 200),
            (Method::GET, "/metrics?x=1", 200),
            (Method::GET, "/healthz", 200),
            (Method::HEAD, "/metrics", 200),
            (Method::POST, "/healthz", 405),
            (Method::GET, "/", 404),
            (Method::DELETE, "/metrics/", 404),
        ] {
            assert_eq!(status(method.clone(), path, read()), expected, "{method} {path}");
        }
    }

    #[test]
    fn name_that_may_be_a_strangers_is_refused_at_a_loopback_address_and_beside_given_names() {
        let published =
            Mutex::new(Published { metrics: Some("# EOF\n".to_owned()), connected: true });
        for (host, at_loopback) in [
            (Some("localhost:9187"), 200),
            (Some("LOCALHOST"), 200),
            (Some("127.0.0.1:9187"), 200),
            (Some("[::1]:9187"), 200),
            (Some("10.1.2.3"), 200),
            (None, 200),
            (Some("evil.example:9187"), 403),
            (Some("localhost.evil.example"), 403),
            (Some("pending.monitoring.svc:9187"), 403),
            (Some("a b"), 403),
            (Some(""), 403),
        ] {
            let mut request = http::Request::builder().uri("/metrics");
            if let Some(host) = host {
                request = request.header(header::HOST, host);
            }
            let request = request.body(()).unwrap();
            let named = if host.is_some_and(|host| host.starts_with("pending.")) {
                200
            } else {
                at_loopback
            };
            for (address, names, expected) in [
                ("127.0.0.1:9187", &[][..], at_loopback),
                ("[::1]:9187", &[], at_loopback),
                ("0.0.0.0:9187", &[], 200),
                ("10.1.2.3:9187", &[], 200),
                ("127.0.0.1:9187", &["Pending.monitoring.svc"], named),
                ("0.0.0.0:9187", &["Pending.monitoring.svc"], named),
            ] {
                let names: Vec<String> = names.iter().copied().map(str::to_owned).collect();
                let hosts = Hosts::of(address.parse().unwrap(), &names);
                let status = answer(&request, &published, &hosts).status();
                assert_eq!(status.as_u16(), expected, "{host:?} at {address} of {names:?}");
            }
        }
    }

    #[test]
    fn host_is_a_name_without_a_port() {
        assert_eq!(parse_host("metrics.example."), Ok("metrics.example".to_owned()));
        for text in ["", ".", "metrics:80", "user@metrics", "http://metrics", "a b"] {
            assert!(parse_host(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn health_is_bad_before_the_first_list_and_while_the_cluster_is_lost() {
        assert_eq!(status(Method::GET, "/metrics", Published::default()), 503);
        assert_eq!(status(Method::GET, "/healthz", Published::default()), 503);
        let lost = || Published { metrics: Some(String::new()), connected: false };
        assert_eq!(status(Method::GET, "/healthz", lost()), 503);
        assert_eq!(status(Method::GET, "/metrics", lost()), 200, "the last list is served on");
    }

    #[test]
    fn addresses_are_a_port_or_an_address_with_one() {
        for (text, expected) in [
            ("9187", Some("127.0.0.1:9187")),
            ("localhost:80", Some("127.0.0.1:80")),
            ("[::1]:80", Some("[::1]:80")),
            ("0.0.0.0:80", Some("0.0.0.0:80")),
            ("127.0.0.1", None),
            ("host:80", None),
            ("70000", None),
            ("", None),
        ] {
            let address = parse_address(text).ok().map(|address| address.to_string());
            assert_eq!(address.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn only_loopback_is_listened_at_unless_more_is_wanted() {
        for (address, is_local) in [
            ("127.0.0.1:0", true),
            ("127.9.9.9:0", true),
            ("[::1]:0", true),
            ("0.0.0.0:0", false),
            ("[::]:0", false),
            ("10.0.0.1:0", false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(check_address(address, false).is_ok(), is_local, "{address}");
            assert!(check_address(address, true).is_ok(), "{address}");
        }
    }
}
