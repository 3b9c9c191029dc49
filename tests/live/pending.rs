//! `kubectl preempt pending --watch`: a cluster that changes, a connection that is lost, a terminal
//! that is given back.

use std::io::{BufRead as _, BufReader, Read};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use serde_json::{Value, json};
use testing::{assert_ends, assert_has, assert_lacks};

use crate::live::server::{Answer, Request, Server};
use crate::live::terminal::Session;
use crate::live::{Home, kubeconfig};
use crate::scripts;

/// Longer than anything here takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// What a server has and does; tests change it while it runs.
#[derive(Default)]
pub struct FakeCluster {
    pods: Vec<Value>,
    /// `resourceVersion` of the last change.
    version: u64,
    /// The changes of pods, as events, by their versions. A server forgets them.
    changes: Vec<(u64, String)>,
    /// The watches of pods that run.
    watchers: Vec<Sender<String>>,
    /// The pod that has changed last.
    changed: Value,
    /// Nothing is served any more.
    pub(super) down: bool,
    /// Nothing is answered, until it is taken back.
    hangs: bool,
    /// Watching is not allowed.
    blind: bool,
    /// How many watches of pods end as soon as they have begun.
    short: usize,
    /// What is answered at other paths, besides the small cluster.
    more: Vec<(&'static str, Value)>,
}

#[derive(Clone, Default)]
pub struct Scene(Arc<Mutex<FakeCluster>>);

impl Scene {
    pub fn serve(&self) -> Server {
        let scene = self.clone();
        Server::start(move |request| scene.answer(request))
    }

    fn answer(&self, request: &Request) -> Option<Answer> {
        while self.0.lock().unwrap().hangs {
            thread::sleep(Duration::from_millis(20));
        }
        let mut view = self.0.lock().unwrap();
        if view.down {
            return Some(Answer::status(500, "InternalError", "etcd is\u{1b}[31m gone"));
        }
        if request.has("watch=true") {
            return view.watch(request);
        }
        let items = match request.path.as_str() {
            "/api/v1/nodes" => {
                vec![
                    json!({"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}),
                ]
            }
            "/api/v1/pods" => view.pods.clone(),
            path => {
                let more = view.more.iter().find(|(known, _)| *known == path);
                return more.map(|(_, answer)| Answer::ok(answer.to_string()));
            }
        };
        let list = json!({"kind": "List", "apiVersion": "v1",
            "metadata": {"resourceVersion": view.version.to_string()}, "items": items});
        Some(Answer::ok(list.to_string()))
    }

    pub fn change(&self, change: impl FnOnce(&mut FakeCluster)) {
        change(&mut self.0.lock().unwrap());
    }

    /// Puts `pod` there, and tells who watches.
    pub fn put(&self, pod: &Value) {
        self.change(|view| {
            view.pods.retain(|known| known["metadata"]["name"] != pod["metadata"]["name"]);
            view.tell("MODIFIED", pod.clone());
            let pod = view.changed.clone();
            view.pods.push(pod);
        });
    }

    /// The server forgets the changes so far, and the watches end.
    pub(super) fn forget(&self) {
        self.change(|view| {
            view.changes.clear();
            view.watchers.clear();
        });
    }

    pub(super) fn wait_for_watchers(&self) {
        let since = Instant::now();
        while self.0.lock().unwrap().watchers.is_empty() {
            assert!(since.elapsed() < PATIENCE, "nobody watches");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl FakeCluster {
    /// A change of a pod.
    fn tell(&mut self, kind: &str, mut pod: Value) {
        self.version += 1;
        pod["metadata"]["resourceVersion"] = self.version.to_string().into();
        let event = json!({"type": kind, "object": pod}).to_string() + "\n";
        self.watchers.retain(|watcher| watcher.send(event.clone()).is_ok());
        self.changes.push((self.version, event));
        self.changed = pod;
    }

    fn watch(&mut self, request: &Request) -> Option<Answer> {
        let (sender, stream) = mpsc::channel();
        let of_pods = request.path == "/api/v1/pods";
        if self.blind && (of_pods || request.path == "/api/v1/nodes") {
            return Some(Answer::status(403, "Forbidden", "no watching"));
        }
        if !of_pods {
            return None;
        }
        let from =
            request.query.split('&').find_map(|q| q.strip_prefix("resourceVersion=")).unwrap();
        let from: u64 = from.parse().unwrap();
        let known = self.changes.first().map_or(self.version + 1, |(version, _)| *version);
        if from + 1 < known {
            return Some(Answer::status(410, "Expired", "too old resource version"));
        }
        for (_, event) in self.changes.iter().filter(|(version, _)| *version > from) {
            sender.send(event.clone()).unwrap();
        }
        match self.short.checked_sub(1) {
            Some(left) => self.short = left,
            None => self.watchers.push(sender),
        }
        Some(Answer::stream(stream))
    }
}

pub(super) fn pod(name: &str, priority: i32, cpu: &str, node: Option<&str>) -> Value {
    let mut pod = json!({"metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}")},
        "spec": {"priority": priority, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
        "status": {"phase": "Pending"}});
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
    }
    pod
}

/// The program, watching.
pub(super) struct Watching {
    child: Child,
    pub(super) out: Receiver<String>,
    err: Receiver<String>,
    server: Server,
    _home: Home,
}

impl Watching {
    pub(super) fn start(scene: &Scene, more: &[&str]) -> Self {
        let server = scene.serve();
        let home = Home::new(&server, "token: secret");
        let mut child =
            command(&home, more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { child, out, err, server, _home: home }
    }

    pub(super) fn line(&self) -> Vec<String> {
        let line = self.out.recv_timeout(PATIENCE).expect("a line");
        line.split("  ")
            .filter(|cell| !cell.is_empty())
            .map(|cell| cell.trim().to_owned())
            .collect()
    }

    pub(super) fn said(&self) -> String {
        self.err.recv_timeout(PATIENCE).expect("a line of standard error")
    }

    /// How often pods were listed.
    fn lists(&self) -> usize {
        self.server
            .requests()
            .iter()
            .filter(|r| r.path == "/api/v1/pods" && !r.has("watch=true"))
            .count()
    }

    pub(super) fn end(mut self, signal: &str) -> Option<i32> {
        send(signal, &self.child);
        let code = self.child.wait().unwrap().code();
        assert_eq!(self.err.try_iter().collect::<Vec<_>>(), Vec::<String>::new());
        code
    }
}

fn command(home: &Home, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .env_clear()
        .env("KUBECONFIG", home.path("config"))
        .env("HOME", home.folder.path())
        .env("TERM", "xterm");
    command.args(["pending", "-w"]).args(more);
    command
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[test]
fn rows_that_change_are_added() {
    let scene = Scene::default();
    scene.put(&pod("web", 5, "1", None));
    scene.put(&pod("huge", 9, "64", None));
    let watching = Watching::start(&scene, &[]);
    assert_eq!(watching.line()[..4], ["NAME", "PRIORITY", "AGE", "VERDICT"]);
    assert_eq!(watching.line()[..4], ["huge", "9", "<unknown>", "blocked"]);
    assert_eq!(watching.line()[..4], ["web", "5", "<unknown>", "fits"]);
    scene.wait_for_watchers();
    scene.put(&pod("web", 5, "1", Some("n1")));
    assert_eq!(watching.line(), ["web", "5", "<unknown>", "placed", "-", "n1", "-", "-"]);
    scene.put(&pod("new", 1, "2", None));
    assert_eq!(watching.line()[..4], ["new", "1", "<unknown>", "fits"]);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn who_acts_is_a_column_from_the_time_when_an_autoscaler_is_found() {
    let scene = Scene::default();
    let mut stuck = pod("huge", 9, "64", None);
    stuck["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
    scene.put(&stuck);
    let groups = json!({"kind": "APIGroupList", "groups": [{"name": "karpenter.sh"}]});
    let pool = json!({"metadata": {"name": "general"}, "spec": {"template": {"spec": {"nodeClassRef":
        {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let list = json!({"kind": "NodePoolList", "apiVersion": "karpenter.sh/v1",
        "metadata": {"resourceVersion": "9"}, "items": [pool]});
    scene.change(|view| {
        view.more = vec![("/apis", groups), ("/apis/karpenter.sh/v1/nodepools", list)];
    });
    let watching = Watching::start(&scene, &[]);
    assert_eq!(watching.line()[3..5], ["VERDICT", "WHO ACTS"]);
    assert_eq!(watching.line()[3..5], ["blocked", "autoscaler"]);
    scene.wait_for_watchers();

    // They are not read again for every pod that comes.
    scene.put(&pod("new", 1, "2", None));
    assert_eq!(watching.line()[3..5], ["fits", "scheduler"]);
    assert_eq!(watching.server.count("/apis/karpenter.sh/v1/nodepools"), 1);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn workloads_without_pods_are_below_the_rows_of_a_watch() {
    let scene = Scene::default();
    let list = |items: Value| json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": items});
    let web = json!({"metadata": {"name": "web", "namespace": "shop", "uid": "u", "generation": 1},
        "spec": {"replicas": 1}, "status": {"observedGeneration": 1, "conditions": [
            {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message":
                "pods \"web-x\" is forbidden: exceeded quota: team, requested: cpu=2, used: cpu=9, limited: cpu=10"}]}});
    scene.put(&pod("huge", 9, "64", None));
    scene.change(|view| {
        view.more = vec![
            ("/apis", json!({"kind": "APIGroupList", "groups": [{"name": "apps"}]})),
            ("/apis/apps/v1/deployments", list(json!([web]))),
        ];
    });
    let watching = Watching::start(&scene, &["--no-headers"]);
    assert_eq!(watching.line()[0], "huge");
    let mut said: Vec<String> = Vec::new();
    while said.len() < 4 && !said.concat().contains("deployment/web") {
        said.push(watching.line().join(" "));
    }
    assert_has(&said.concat(), "ResourceQuota team refuses them: cpu: 9 of 10 used, 2 asked");
    // What has not changed is not said again.
    scene.put(&pod("other", 9, "64", None));
    assert_eq!(watching.line()[0], "other");
    assert_eq!(watching.end("-INT"), Some(130));
}

/// What extensions show has no watch; it is listed with what may not be watched, here every second.
#[test]
fn change_of_a_node_pool_changes_who_acts_with_the_next_list() {
    const POOLS: &str = "/apis/karpenter.sh/v1/nodepools";
    let pools = |limit: &str, version: &str| {
        let pool = json!({"metadata": {"name": "general"}, "spec": {"limits": {"nodes": limit},
            "template": {"spec": {"nodeClassRef": {"group": "karpenter.k8s.aws",
                "kind": "EC2NodeClass", "name": "default"}}}},
            "status": {"nodes": 3, "resources": {"nodes": "3"},
                "conditions": [{"type": "Ready", "status": "True"}]}});
        json!({"kind": "NodePoolList", "apiVersion": "karpenter.sh/v1",
            "metadata": {"resourceVersion": version}, "items": [pool]})
    };
    let groups = || json!({"kind": "APIGroupList", "groups": [{"name": "karpenter.sh"}]});
    let scene = Scene::default();
    let mut stuck = pod("huge", 9, "64", None);
    stuck["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
    scene.put(&stuck);
    scene.change(|view| {
        view.blind = true;
        view.more = vec![("/apis", groups()), (POOLS, pools("3", "9"))];
    });
    let watching = Watching::start(&scene, &["--interval", "1s", "--no-headers"]);
    assert!(watching.said().starts_with("Warning: cannot be watched"));
    assert_eq!(watching.line()[3..5], ["blocked", "nobody"]);
    scene.change(|view| view.more = vec![("/apis", groups()), (POOLS, pools("4", "10"))]);
    assert_eq!(watching.line()[3..5], ["blocked", "autoscaler"]);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn a_change_lists_nothing_and_comes_also_after_a_watch_that_ended_at_once() {
    let scene = Scene::default();
    scene.change(|view| view.short = 1);
    let watching = Watching::start(&scene, &["--no-headers"]);
    scene.wait_for_watchers();
    for name in ["a", "b", "c"] {
        scene.put(&pod(name, 1, "1", None));
        assert_eq!(watching.line()[0], name);
    }
    assert_eq!(watching.lists(), 1);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn expired_watch_is_followed_by_one_list() {
    let scene = Scene::default();
    scene.put(&pod("web", 5, "1", None));
    let watching = Watching::start(&scene, &["--no-headers"]);
    assert_eq!(watching.line()[0], "web");
    scene.wait_for_watchers();
    scene.change(|view| view.watchers.clear());
    scene.put(&pod("new", 1, "1", None));
    scene.forget();
    assert_eq!(watching.line()[0], "new");
    assert_eq!(watching.lists(), 2);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn in_order_a_pipe_gets_the_rows_of_the_list() {
    let replica = |name: &str, node| {
        let mut pod = pod(name, 5, "3", node);
        pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": true}]);
        pod
    };
    let scene = Scene::default();
    ["a", "b", "c"].into_iter().for_each(|name| scene.put(&replica(name, None)));
    let watching = Watching::start(&scene, &["--in-order", "--no-headers"]);
    for (name, verdict) in [("a", "fits"), ("ReplicaSet/web (2 pods)", "blocked")] {
        assert_eq!(watching.line()[..4], [name, "5", "<unknown>", verdict]);
    }
    scene.wait_for_watchers();
    scene.put(&pod("first", 9, "2", None));
    assert_eq!(watching.line()[..4], ["first", "9", "<unknown>", "fits"]);
    assert_eq!(watching.line()[..4], ["ReplicaSet/web (3 pods)", "5", "<unknown>", "blocked"]);
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn json_comes_whole_with_every_change() {
    let scene = Scene::default();
    scene.put(&pod("web", 5, "1", None));
    let watching = Watching::start(&scene, &["-o", "json"]);
    let read = || {
        let mut text = String::new();
        loop {
            text.push_str(&watching.out.recv_timeout(PATIENCE).expect("a line"));
            if let Ok(list) = serde_json::from_str::<Value>(&text) {
                return list["items"].as_array().unwrap().len();
            }
        }
    };
    assert_eq!(read(), 1);
    scene.wait_for_watchers();
    scene.put(&pod("new", 1, "2", None));
    assert_eq!(read(), 2);
    assert_eq!(watching.end("-TERM"), Some(143));
}

#[test]
fn without_permission_to_watch_lists_are_polled_with_one_warning() {
    let scene = Scene::default();
    scene.put(&pod("web", 5, "1", None));
    scene.change(|view| view.blind = true);
    let watching = Watching::start(&scene, &["--interval", "1s", "--no-headers"]);
    assert_eq!(watching.line()[0], "web");
    assert_eq!(
        watching.said(),
        "Warning: cannot be watched, read now and then instead: no watching"
    );
    for name in ["a", "b"] {
        scene.put(&pod(name, 1, "1", None));
        assert_eq!(watching.line()[0], name);
    }
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn lost_connection_is_reported_and_restored() {
    let scene = Scene::default();
    scene.put(&pod("web", 5, "1", None));
    let watching = Watching::start(&scene, &["--no-headers"]);
    assert_eq!(watching.line()[0], "web");
    scene.wait_for_watchers();
    scene.change(|view| {
        view.down = true;
        view.watchers.clear();
    });
    let said = watching.said();
    assert!(
        said.starts_with("Warning: ")
            && said.ends_with("; trying again")
            && !said.contains('\u{1b}'),
        "{said}"
    );
    scene.put(&pod("new", 1, "1", None));
    scene.change(|view| view.down = false);
    // The server may have been asked for different things while it was down.
    while watching.said() != "connected again" {}
    assert_eq!(watching.line()[0], "new");
    assert_eq!(watching.end("-INT"), Some(130));
}

#[test]
fn failing_first_list_is_an_error() {
    let scene = Scene::default();
    scene.change(|view| view.down = true);
    let server = scene.serve();
    let home = Home::new(&server, "token: secret");
    let output = command(&home, &[]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{err}");
    assert!(err.starts_with("error: ") && !err.contains('\u{1b}'), "{err}");
}

#[test]
fn closed_output_ends_the_watch() {
    let scene = Scene::default();
    scene.put(&pod("web", 5, "1", None));
    let watching = Watching::start(&scene, &["--no-headers"]);
    assert_eq!(watching.line()[0], "web");
    let Watching { mut child, out, _home, .. } = watching;
    drop(out);
    scene.wait_for_watchers();
    // The first line after that is read away by the thread that reads for us; the next finds the
    // pipe closed.
    let since = Instant::now();
    let mut number = 0;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(since.elapsed() < PATIENCE);
        number += 1;
        scene.put(&pod(&format!("p{number}"), 1, "1", None));
        thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(status.code(), Some(0));
}

/// A terminal of this size.
pub fn terminal_of(rows: u16, columns: u16) -> (fs::File, OwnedFd) {
    let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&ours).unwrap();
    rustix::pty::unlockpt(&ours).unwrap();
    let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
    let theirs = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let size =
        rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&ours, size).unwrap();
    (ours.into(), theirs)
}

/// Twenty pods that no node takes, and the program on a terminal of ten lines.
fn on_terminal() -> (Scene, Home, Session) {
    on_terminal_with(&[], (10, 100))
}

/// The same with more arguments, and of another size.
fn on_terminal_with(more: &[&str], size: (u16, u16)) -> (Scene, Home, Session) {
    let scene = Scene::default();
    let home = Home::new(&scene.serve(), "token: secret");
    (0..20).for_each(|i| scene.put(&pod(&format!("web-{i:02}"), i, "64", None)));
    let arguments = [&["-n", "shop"], more].concat();
    let session = Session::start(&mut command(&home, &arguments), size);
    session.until("Enter explain");
    (scene, home, session)
}

#[test]
fn a_terminal_is_given_back() {
    for (end, code) in [("-INT", 130), ("-HUP", 129), ("q", 0), ("ctrl-c", 130)] {
        println!("{end}");
        let (scene, _home, mut session) = on_terminal();
        assert!(session.is_alternate() && session.hides_cursor());
        let text = session.text();
        assert_has(&text, "20 pending, each decided alone: 20 blocked");
        assert_has(&text, "web-19");
        assert_lacks(&text, "web-00");
        scene.wait_for_watchers();
        scene.put(&pod("small", 99, "1", None));
        session.until("21 pending, each decided alone: 1 fits now");
        scene.change(|view| {
            view.down = true;
            view.watchers.clear();
        });
        session.until("trying again");
        match end {
            "q" => session.press("q"),
            "ctrl-c" => session.type_text("\u{3}"),
            signal => session.signal(signal),
        }
        assert_eq!(session.end().code(), Some(code), "{end}: {}", session.text());
        // What the program has written last may not have been read yet.
        session.wait(end, |session| !session.is_alternate() && !session.hides_cursor());
        assert_eq!(
            session.text().trim(),
            "",
            "nothing is written but the screen, and no key is echoed"
        );
    }
}

#[test]
fn until_the_first_list_is_there_the_screen_says_that_it_is_read() {
    let scene = Scene::default();
    scene.change(|view| view.hangs = true);
    let server = scene.serve();
    let home = Home::new(&server, "token: secret");
    scene.put(&pod("web", 5, "64", None));
    let mut session = Session::start(&mut command(&home, &["-n", "shop"]), (10, 100));
    session.until("Reading the cluster...");
    assert!(session.is_alternate() && session.hides_cursor());
    session.press("/s\rx");
    session.until("no answer from the server since ");
    let text = session.text();
    let [.., note, keys] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(note.ends_with(" (GET /version)") && keys.trim_end().ends_with(" | q quit"), "{text}");
    assert!(!text.contains("/sx"), "no key is echoed: {text}");
    scene.change(|view| view.hangs = false);
    session.until("1 pending: 1 blocked");
    session.until("/ filter, s sort (queue order)");
    assert_lacks(&session.text(), "no answer");
    session.quit();
    assert_eq!(session.text().trim(), "");
}

#[test]
fn a_first_list_that_fails_gives_the_terminal_back_before_the_error() {
    let scene = Scene::default();
    scene.change(|view| view.hangs = true);
    let server = scene.serve();
    let home = Home::new(&server, "token: secret");
    let mut session = Session::start(&mut command(&home, &[]), (10, 100));
    session.until("Reading the cluster...");
    scene.change(|view| (view.down, view.hangs) = (true, false));
    assert_eq!(session.end().code(), Some(2));
    session.until("error: ");
    assert!(
        !session.is_alternate() && !session.hides_cursor() && !session.text().contains("Reading")
    );
    // Before the list, `q` and Ctrl-C end the program.
    for (key, code) in [("q", 0), ("\u{3}", 130)] {
        scene.change(|view| (view.down, view.hangs) = (false, true));
        let mut session = Session::start(&mut command(&home, &[]), (10, 100));
        session.until("Reading the cluster...");
        session.type_text(key);
        assert_eq!(session.end().code(), Some(code), "{}", session.text());
        scene.change(|view| view.hangs = false);
    }
}

#[test]
fn a_login_asks_before_the_screen_and_never_on_it() {
    let scene = Scene::default();
    let server = scene.serve();
    let home = Home::new(&server, "");
    // What it gives has expired, so that it runs again for the watches.
    let script = r#"#!/bin/sh
case "$KUBERNETES_EXEC_INFO" in
*'"interactive":true'*) printf 'Password: ' >&2; read word; [ "$word" = open ] || exit 3 ;;
*) read key && echo "took $key" >&2; echo 'the login is renewed' >&2 ;;
esac
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
  "status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}}'
"#;
    scripts::write(&home.path("login"), script);
    let user = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: IfAvailable}";
    home.write("config", &kubeconfig(&server.url(), "", user));
    scene.put(&pod("web", 5, "64", None));
    let mut session = Session::start(&mut command(&home, &["-n", "shop"]), (10, 100));
    session.until("Password: ");
    assert!(!session.is_alternate());
    session.type_text("open\n");
    session.until("1 pending: 1 blocked");
    session.until("login: the login is renewed");
    let text = session.text();
    assert!(
        session.is_alternate() && !text.contains("took") && !text.contains("Password"),
        "{text}"
    );
    session.press("s");
    session.until("s sort (age)");
    session.quit();
    session.wait("the log", |session| {
        !session.is_alternate() && session.text().contains("login: the login is renewed")
    });
}

#[test]
fn unresponsive_server_is_reported_until_it_responds() {
    let (scene, _home, mut session) = on_terminal();
    scene.wait_for_watchers();
    // The watch ends, and the next one gets no response.
    scene.change(|view| {
        view.hangs = true;
        view.watchers.clear();
    });
    session.until("no answer from the server since ");
    assert_has(&session.text(), "(GET /api/v1/pods)");
    scene.change(|view| view.hangs = false);
    session.wait("an answer", |session| !session.text().contains("no answer from the server"));
    session.quit();
}

#[test]
fn keys_scroll_filter_sort_and_explain() {
    let (_scene, _home, mut session) = on_terminal();
    session.press("\u{1b}[F");
    session.until("web-00");
    assert_lacks(&session.text(), "web-19");
    session.press("\r");
    session.until("shop/web-00");
    session.until("Esc back");
    session.press("\u{1b}");
    session.until("Enter explain");
    session.press("\u{1b}[H");
    session.until("web-19");
    session.press("s");
    session.until("sort (age)");
    session.press("/web-07");
    session.until("filter: web-07_");
    session.press("\r");
    session.until("filter (web-07)");
    session.until("1 of 20 pending, each decided alone: 1 blocked");
    assert_lacks(&session.text(), "web-19");
    session.press("\u{1b}");
    session.until("20 pending, each decided alone: 20 blocked");
    session.resize((32, 100));
    session.until("web-00");
    session.until("web-19");
    session.quit();
}

#[test]
fn a_wide_terminal_shows_the_answer_beside_the_list_and_the_events_below() {
    let event = json!({"metadata": {"name": "e", "namespace": "shop"}, "reason": "FailedScheduling",
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-1", "uid": "u-web-1"},
        "message": "0/1 nodes are available: 1 Insufficient cpu.", "eventTime": "2026-01-01T00:00:01Z",
        "series": {"count": 3, "lastObservedTime": "2026-01-01T00:00:09Z"}});
    let events = json!({"kind": "EventList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [event]});
    let scene = Scene::default();
    scene.change(|view| view.more = vec![("/api/v1/namespaces/shop/events", events)]);
    let home = Home::new(&scene.serve(), "token: secret");
    for (name, priority, cpu) in [("web-0", 9, "5"), ("web-1", 8, "64"), ("small", 7, "1")] {
        scene.put(&pod(name, priority, cpu, None));
    }
    let mut session = Session::start(&mut command(&home, &["-n", "shop"]), (30, 130));
    session.until("| ✗ shop/web-0 (priority 9): no node fits");
    session.until("now ");
    assert_lacks(&session.text(), "FailedScheduling");
    // The selection moves, and with it the answer and what has happened.
    session.press("j");
    session.until("| ✗ shop/web-1 ");
    session.until("Jan 1 00:00 FailedScheduling 3 times or more (last Jan 1 00:00) - now ");
    session.until("  0/1 nodes are available: 1 Insufficient cpu.");
    assert_has(&session.text(), " retried by ");
    let (whole, partly) = session.reversed_rows();
    assert_eq!((whole.len(), partly.len()), (0, 1), "the answer is not reversed");
    session.press("v");
    session.until("1 of 3 pending, each decided alone: 1 fits now");
    session.until("| ✓ shop/small");
    session.press("n");
    session.until("n1");
    session.until("Esc back");
    session.press("h");
    session.until("shop/small: 4 more fit now");
    // What helps all of them at once is the answer of suggest.
    session.press("a");
    session.until("3 pending pods: 1 fit without a change, 2 do not");
    session.press("?");
    session.until("how many more pods like it fit?");
    session.press("x");
    session.until("Esc back");
    session.press("\u{1b}");
    session.until("Enter explain, / filter, s sort (queue order), ? help");
    session.press("\u{1b}");
    session.until("3 pending, each decided alone: 1 fits now, 2 blocked");
    session.until("No single action tried places a pod that does not fit");
    session.press("g");
    session.until("| ✗ shop/web-0 ");
    session.press("\r");
    session.until("Esc back");
    session.until("What would help");
    session.resize((24, 100));
    session.press("\u{1b}");
    session.until("Enter explain, /");
    assert_lacks(&session.text(), "| ✗");
    session.quit();
}

#[test]
fn the_log_is_not_written_over_the_screen() {
    let (scene, _home, mut session) = on_terminal();
    scene.wait_for_watchers();
    scene.change(|view| {
        view.watchers.iter().for_each(|watcher| watcher.send(r#"{"type":"#.to_owned()).unwrap());
    });
    session.until("waiting for more than 10s for ");
    session.type_text("\u{c}");
    session.until("20 pending");
    session.until("Enter explain");
    let text = session.text();
    let [.., note, keys] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(
        note.starts_with("waiting for more than 10s for ") && keys.contains("q quit"),
        "{text}"
    );
    session.quit();
    session.wait("the log, at the end", |session| {
        !session.is_alternate() && session.text().starts_with("waiting for more than 10s for ")
    });
}

#[test]
fn pod_deleted_while_it_is_explained_is_reported_as_gone() {
    let (scene, _home, mut session) = on_terminal();
    session.press("\r");
    session.until("Esc back");
    scene.wait_for_watchers();
    scene.put(&pod("web-19", 19, "64", Some("n1")));
    session.until("shop/web-19 does not wait for a node any more: it is on node n1.");
    session.quit();
}

#[test]
fn the_program_can_be_stopped_and_continued() {
    let (_scene, _home, mut session) = on_terminal();
    session.type_text("\u{1a}");
    session.wait("the terminal", |session| !session.is_alternate());
    assert!(!session.hides_cursor());
    // It may not have stopped yet.
    let since = Instant::now();
    while !session.text().contains("20 pending") {
        assert!(since.elapsed() < PATIENCE, "{}", session.text());
        session.signal("-CONT");
        thread::sleep(Duration::from_millis(50));
    }
    session.quit();
}

#[test]
fn chosen_row_is_reversed_over_the_whole_width() {
    for color in ["always", "never"] {
        let (_scene, _home, mut session) = on_terminal_with(&["--color", color], (10, 100));
        let row_of = |session: &Session, name: &str| {
            session.rows().iter().position(|row| row.starts_with(name)).unwrap()
        };
        for (keys, name) in [("", "web-19"), ("j", "web-18"), ("\u{1b}[B", "web-17")] {
            session.press(keys);
            let only = |session: &Session| (vec![row_of(session, name)], Vec::new());
            session.wait(name, |session| session.reversed_rows() == only(session));
        }
        session.press("\r");
        session.until("Esc back");
        assert_eq!(session.reversed_rows(), (Vec::new(), Vec::new()), "a page has no such row");
        session.quit();
    }
}

#[test]
fn what_is_longer_than_the_screen_is_cut_at_its_edge() {
    for (more, columns) in [(&[][..], 30), (&["-o", "wide"][..], 44)] {
        let (_scene, _home, mut session) = on_terminal_with(more, (10, columns));
        let rows = session.rows();
        assert!(rows[0].starts_with("20 pending, each decided alone"), "{rows:#?}");
        assert_has(&rows[9], " | Enter explain");
        assert!(rows.iter().any(|row| row.starts_with("web-19")), "{rows:#?}");
        assert!(!session.has_wrapped_row() && !session.wraps_lines(), "{rows:#?}");

        // On a screen of two lines there is one for the list, without its headings.
        session.resize((2, columns));
        session.wait("two lines", |session| session.rows()[1].contains(" | Enter explain"));
        assert!(!session.has_wrapped_row(), "{:#?}", session.rows());
        session.resize((12, 110));
        session.until("s sort (queue order), ? help, q quit");
        session.until("web-17");
        session.quit();
    }
}

#[test]
fn lines_wrap_again_where_the_terminal_is_given_back() {
    let (_scene, _home, mut session) = on_terminal();
    assert!(session.is_alternate() && session.hides_cursor() && !session.wraps_lines());
    let is_given_back = |session: &Session| {
        !session.is_alternate() && !session.hides_cursor() && session.wraps_lines()
    };
    session.type_text("\u{1a}");
    session.wait("the terminal of the shell", is_given_back);
    let since = Instant::now();
    while !session.is_alternate() {
        assert!(since.elapsed() < PATIENCE, "{}", session.text());
        session.signal("-CONT");
        thread::sleep(Duration::from_millis(50));
    }
    session.wait("the screen", |session| session.hides_cursor() && !session.wraps_lines());
    session.quit();
    session.wait("the terminal at the end", is_given_back);
}

#[test]
fn endless_event_is_reported() {
    let scene = Scene::default();
    scene.change(|view| view.pods = vec![pod("web", 5, "1", None)]);
    let watching = Watching::start(&scene, &["--no-headers"]);
    assert_eq!(watching.line()[0], "web");
    scene.wait_for_watchers();
    scene.change(|view| {
        view.watchers.iter().for_each(|watcher| watcher.send(r#"{"type":"#.to_owned()).unwrap());
    });
    let said = watching.said();
    assert_has(&said, "waiting for more than 10s for ");
    assert_ends(&said, " to answer GET /api/v1/pods");
    assert_eq!(watching.end("-INT"), Some(130));
}
