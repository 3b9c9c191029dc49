//! What is written besides the answer: warnings, progress, the log.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use testing::assert_has;

use crate::live::Home;
use crate::live::pending::{PATIENCE, terminal_of};
use crate::live::server::{Answer, Request, Server};

fn cluster(request: &Request) -> Option<Answer> {
    let items = match request.path.as_str() {
        "/api/v1/nodes" => {
            json!([{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}])
        }
        "/api/v1/pods" => json!([{"metadata": {"name": "web", "namespace": "shop"},
            "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}}]),
        _ => return None,
    };
    let answer = Answer::ok(json!({"kind": "List", "metadata": {}, "items": items}).to_string());
    Some(
        answer.with("Warning", "299 - \"old \\\"thing\\\"\"").with("Set-Cookie", "session=hunter2"),
    )
}

/// What the terminal of a run has got so far.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl Shown {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    /// Waits until it has got `what`.
    fn until(&self, what: &str) {
        let since = Instant::now();
        while !self.text().contains(what) {
            assert!(since.elapsed() < PATIENCE, "{what:?} does not come: {:?}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

pub(super) fn command(home: &Home, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .env_clear()
        .env("KUBECONFIG", home.path("config"))
        .env("HOME", home.folder.path())
        .env("TERM", "xterm");
    command.args(arguments);
    command
}

fn told(home: &Home, arguments: &[&str]) -> String {
    let output = command(home, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn warnings_come_once_and_in_colour_where_there_is_some() {
    let home = Home::new(&Server::start(cluster), "token: secret");
    assert_eq!(told(&home, &["explain", "web"]), "Warning: old \"thing\"\n");
    let colored = told(&home, &["explain", "web", "--color", "always"]);
    assert_has(&colored, "\u{1b}[33m");
    assert_has(&colored, "Warning:");
    assert_has(&colored, "old \"thing\"\n");
    assert_eq!(told(&home, &["explain", "web", "-q"]), "");
}

#[test]
fn the_log_says_more_with_each_level_and_never_a_secret() {
    let server = Server::start(cluster);
    let home = Home::new(&server, "token: hunter2");
    let lines = |level: &str| {
        let text = told(&home, &["explain", "web", "-q", "-v", level]);
        assert!(!text.contains("hunter2"), "{level}: {text}");
        text
    };
    assert_eq!(lines("0"), "");
    let connected = format!("server {}/ (context main), namespace shop, user me\n", server.url());
    let one = lines("1");
    assert!(one.ends_with(&connected) && one.lines().count() == 1, "{one}");
    let four = lines("4");
    assert!(four.contains("read 1 nodes\n") && !four.contains("GET"), "{four}");
    let six = lines("6");
    let request = format!("GET {}/api/v1/nodes?limit=2000 200 OK in ", server.address);
    assert!(six.contains(&request) && !six.contains("request accept"), "{six}");
    assert!(six.lines().all(|line| !line.contains("GET") || line.ends_with(" ms")), "{six}");
    let eight = lines("8");
    assert_has(&eight, "request accept: application/json\n");
    assert_has(&eight, "response warning: ");
}

/// What a run leaves on a terminal that is its standard error, also in `shown` meanwhile.
fn on_terminal(home: &Home, arguments: &[&str], term: &str, shown: &Shown) -> String {
    let (mut ours, theirs) = terminal_of(10, 80);
    let mut child = command(home, arguments)
        .env("TERM", term)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    let text = shown.clone();
    let reader = thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = ours.read(&mut buffer) {
            text.0.lock().unwrap().extend_from_slice(&buffer[..n]);
        }
    });
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
    shown.text()
}

#[test]
fn long_read_shows_progress_that_is_removed_before_warnings() {
    // The pods come once the progress is on the screen.
    let shown = Shown::default();
    let seen = shown.clone();
    let server = Server::start(move |request| {
        if request.path == "/api/v1/pods" {
            // A slow machine reads one object in a second, and says `1 object/s`.
            seen.until("page, ");
        }
        cluster(request)
    });
    let text =
        on_terminal(&Home::new(&server, "token: secret"), &["explain", "web"], "xterm", &shown);
    let last = text.rfind("reading ").unwrap();
    let cleared = text.rfind("\u{1b}[2K").unwrap();
    let warning = text.find("Warning:").unwrap();
    assert!(last < cleared && cleared < warning, "{text:?}");
}

#[test]
fn long_read_shows_no_progress_where_none_is_wanted_or_can_be_drawn() {
    let server = Server::start(|request| {
        if request.path == "/api/v1/pods" {
            thread::sleep(Duration::from_millis(1500));
        }
        cluster(request)
    });
    let home = Home::new(&server, "token: secret");
    let quiet = on_terminal(&home, &["explain", "web", "-q"], "xterm", &Shown::default());
    assert_eq!(quiet, "");
    let dumb = on_terminal(&home, &["explain", "web"], "dumb", &Shown::default());
    assert!(!dumb.contains("reading") && dumb.contains("Warning:"), "{dumb:?}");
    assert_eq!(told(&home, &["explain", "web"]), "Warning: old \"thing\"\n", "a pipe");
}
