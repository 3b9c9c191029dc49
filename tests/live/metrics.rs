//! `kubectl preempt pending --watch --listen`: what is served, to whom, and until when.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::pending::{PATIENCE, Scene, Watching, pod};
use crate::cli::metrics::{Sample, read, value};

/// The program, watching and listening; and where.
fn listening(scene: &Scene, more: &[&str]) -> (Watching, SocketAddr) {
    let watching = Watching::start(scene, &[&["--listen", "0"], more].concat());
    let said = watching.said();
    let address = said.strip_prefix("metrics at http://").and_then(|s| s.strip_suffix("/metrics"));
    let address: SocketAddr = address.expect(&said).parse().unwrap();
    assert!(address.ip().is_loopback() && address.port() > 0, "{address}");
    (watching, address)
}

/// What is answered to these bytes, until the connection is closed.
fn answer(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // Who is hung up on may not be able to send all of it.
    let _ = stream.write_all(request.as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn get(address: SocketAddr, path: &str) -> (u16, String, String) {
    let text = answer(address, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    let (head, body) = text.split_once("\r\n\r\n").expect(&text);
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), body.to_owned())
}

/// The samples once `wanted` holds.
fn samples_when(address: SocketAddr, wanted: impl Fn(&[Sample]) -> bool) -> Vec<Sample> {
    let since = Instant::now();
    loop {
        let (status, _, body) = get(address, "/metrics");
        if status == 200 {
            let samples = read(&body).unwrap();
            if wanted(&samples) {
                return samples;
            }
        }
        assert!(since.elapsed() < PATIENCE, "{status} {body}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn pods(samples: &[Sample], verdict: &str) -> Option<f64> {
    value(samples, "kubectl_preempt_pending_pods", &[("verdict", verdict)])
}

#[test]
fn metrics_follow_the_cluster_and_say_when_it_is_lost() {
    let scene = Scene::default();
    scene.put(&pod("huge", 9, "64", None));
    let (watching, address) = listening(&scene, &["-o", "openmetrics"]);
    let samples = samples_when(address, |samples| pods(samples, "blocked") == Some(1.0));
    assert_eq!(pods(&samples, "fits"), Some(0.0));
    assert_eq!(value(&samples, "kubectl_preempt_pending_connected", &[]), Some(1.0));
    let (status, head, _) = get(address, "/metrics");
    let media = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert!(status == 200 && head.contains(media), "{head}");
    assert_eq!(get(address, "/healthz").0, 200);

    scene.wait_for_watchers();
    scene.put(&pod("web", 5, "1", None));
    samples_when(address, |samples| pods(samples, "fits") == Some(1.0));

    // The last list is served on, and says that it is old.
    scene.change(|cluster| cluster.down = true);
    scene.forget();
    let connected = |samples: &[Sample]| value(samples, "kubectl_preempt_pending_connected", &[]);
    let samples = samples_when(address, |samples| connected(samples) == Some(0.0));
    assert_eq!(pods(&samples, "fits"), Some(1.0));
    assert_eq!(get(address, "/healthz").0, 503);
    assert!(watching.said().contains("trying again"));
    scene.change(|cluster| cluster.down = false);
    samples_when(address, |samples| connected(samples) == Some(1.0));
    assert_eq!(watching.said(), "connected again");

    // Nothing is printed besides, and the port is free once the command has ended.
    assert_eq!(watching.out.try_iter().collect::<Vec<String>>(), Vec::<String>::new());
    assert_eq!(watching.end("-TERM"), Some(143));
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn the_list_is_printed_beside_the_metrics() {
    let scene = Scene::default();
    scene.put(&pod("huge", 9, "64", None));
    let (watching, address) = listening(&scene, &["--no-headers"]);
    assert_eq!(watching.line()[0], "huge");
    samples_when(address, |samples| pods(samples, "blocked") == Some(1.0));
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn clients_that_are_slow_many_or_speak_something_else_are_hung_up_on() {
    let scene = Scene::default();
    let (watching, address) = listening(&scene, &["-o", "openmetrics"]);
    samples_when(address, |_| true);
    for (request, expected) in [
        ("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", "405"),
        ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        ("GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("GET /../metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("nonsense\r\n\r\n", "400"),
        (&format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(100_000)), "431"),
    ] {
        let answer = answer(address, request);
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert_eq!(status, expected, "{request:.60} {answer}");
    }

    let head = answer(address, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (head, body) = head.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 ") && body.is_empty(), "{head} {body}");
    assert!(head.to_lowercase().contains("\r\ncontent-length: "), "{head}");

    // More than are served at a time say nothing: the next one does not wait for them. The time of
    // one of them is the time of a batch of them.
    let idle: Vec<TcpStream> = (0..400).map(|_| TcpStream::connect(address).unwrap()).collect();
    let since = Instant::now();
    samples_when(address, |_| true);
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    drop(idle);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let scene = Scene::default();
    let (watching, address) = listening(&scene, &[]);
    let second = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
        .args(["pending", "-w", "--listen", &address.to_string()])
        .output()
        .unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.starts_with(&format!("error: --listen {address}: cannot listen: ")), "{said}");
    assert_eq!(watching.end("-INT"), Some(130));
}
