//! What is kept of a cluster: lists are read once, watches go on from their versions, and what a
//! watch does not show is listed.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::cluster::build::Builder;
use engine::snapshot::Kind;
use kubectl_preempt::capture::live::ReadScope;
use kubectl_preempt::capture::live::kept::{KeptCluster, KeptEvent};
use serde_json::{Value, json};

use crate::live::server::{Answer, Request, Server};
use crate::live::{Home, Seen, flags};

const PATIENCE: Duration = Duration::from_secs(60);
/// How long watches are waited for.
const WATCH_PATIENCE: Duration = Duration::from_secs(3);
const KINDS: [Kind; 3] = [Kind::Node, Kind::PodDisruptionBudget, Kind::Pod];

/// The server's pods, and what each watch of them does.
#[derive(Default)]
struct Pods {
    names: Vec<&'static str>,
    version: u64,
    /// What the watches answer, one after the other; those after the last run on without an event.
    watches: Vec<Answer>,
    /// Watches that run.
    running: Vec<Sender<String>>,
}

#[derive(Clone, Default)]
struct Script(Arc<Mutex<Pods>>);

impl Script {
    fn new(names: &[&'static str], version: u64, watches: Vec<Answer>) -> Self {
        let mut watches = watches;
        watches.reverse();
        Self(Arc::new(Mutex::new(Pods {
            names: names.to_vec(),
            version,
            watches,
            running: Vec::new(),
        })))
    }

    fn answer(&self, request: &Request) -> Option<Answer> {
        if request.path != "/api/v1/pods" {
            return None;
        }
        let mut pods = self.0.lock().unwrap();
        if request.has("watch=true") {
            if let Some(answer) = pods.watches.pop() {
                return Some(answer);
            }
            let (sender, stream) = mpsc::channel();
            pods.running.push(sender);
            return Some(Answer::stream(stream));
        }
        let items: Vec<Value> = pods.names.iter().map(|name| pod(name, pods.version)).collect();
        let metadata = json!({"resourceVersion": pods.version.to_string()});
        Some(Answer::ok(
            json!({"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items})
                .to_string(),
        ))
    }

    /// The cluster has these pods now, and no watch says so.
    fn set(&self, names: &[&'static str], version: u64) {
        let mut pods = self.0.lock().unwrap();
        (pods.names, pods.version) = (names.to_vec(), version);
    }
}

fn pod(name: &str, version: u64) -> Value {
    json!({"metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"),
        "resourceVersion": version.to_string()}, "spec": {"nodeName": "n1"},
        "status": {"containerStatuses": [{"name": "c", "restartCount": 0}]}})
}

fn event(kind: &str, object: &Value) -> String {
    json!({"type": kind, "object": object}).to_string() + "\n"
}

/// A watch that ends after these events.
fn ended(events: &[String]) -> Answer {
    Answer::ok(events.concat())
}

struct Kept {
    cluster: KeptCluster,
    events: Receiver<KeptEvent>,
    server: Server,
    /// Has the kubeconfig that new watches read.
    _home: Home,
}

fn keep(script: &Script) -> Kept {
    keep_with(script, |_| {})
}

fn keep_with(script: &Script, change: impl FnOnce(&mut ReadScope)) -> Kept {
    let answers = script.clone();
    let server = Server::start(move |request| answers.answer(request));
    let home = Home::new(&server, "token: secret");
    let (sender, events) = mpsc::channel();
    // The test may have ended.
    let notify = Box::new(move |event| drop(sender.send(event)));
    let mut scope = ReadScope::of(&KINDS);
    change(&mut scope);
    let cluster =
        KeptCluster::open(&home.env(), &flags(""), &scope, false, &mut |_| {}, notify).unwrap();
    assert_eq!(events.recv_timeout(PATIENCE), Ok(KeptEvent::LoggedIn));
    Kept { cluster, events, server, _home: home }
}

impl Kept {
    fn next(&self) -> KeptEvent {
        self.events.recv_timeout(PATIENCE).expect("an event")
    }

    /// The names of the pods, and the version of their list.
    fn pods(&self) -> (Vec<String>, String) {
        let mut seen = Seen::default();
        self.cluster.read(&mut seen);
        let names = seen.objects.iter().filter_map(|name| name.strip_prefix("Pod/"));
        (names.map(str::to_owned).collect(), seen.header.resource_versions["pods"].clone())
    }

    /// Waits until exactly these pods are kept.
    fn until(&self, names: &[&str]) {
        while self.pods().0 != names {
            assert_eq!(self.next(), KeptEvent::Changed);
        }
    }

    /// The versions from which pods were watched.
    fn watched_from(&self) -> Vec<String> {
        let requests = self.server.requests();
        let watches = requests.iter().filter(|r| r.path == "/api/v1/pods" && r.has("watch=true"));
        let from = |r: &Request| {
            r.query.split('&').find_map(|q| q.strip_prefix("resourceVersion=").map(str::to_owned))
        };
        watches.map(|request| from(request).unwrap()).collect()
    }

    fn lists_of_pods(&self) -> usize {
        let requests = self.server.requests();
        requests.iter().filter(|r| r.path == "/api/v1/pods" && !r.has("watch=true")).count()
    }
}

#[test]
fn events_change_what_is_kept() {
    let first = ended(&[
        event("ADDED", &pod("c", 8)),
        event("DELETED", &pod("a", 9)),
        event("BOOKMARK", &json!({"kind": "Pod", "metadata": {"resourceVersion": "12"}})),
    ]);
    let kept = keep(&Script::new(&["a", "b"], 7, vec![first]));
    kept.until(&["b", "c"]);
    kept.cluster.settle();
    // The watch has ended, and the next continues from the bookmark.
    while kept.watched_from().len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        (kept.watched_from(), kept.lists_of_pods()),
        (vec!["7".to_owned(), "12".to_owned()], 1)
    );
    assert_eq!(kept.pods(), (vec!["b".to_owned(), "c".to_owned()], "12".to_owned()));
}

#[test]
fn change_without_effect_on_decisions_is_not_reported() {
    let mut beat = pod("a", 8);
    beat["status"]["containerStatuses"][0]["restartCount"] = 1.into();
    beat["metadata"]["managedFields"] = json!([{"manager": "kubelet"}]);
    let kept = keep(&Script::new(&["a"], 7, vec![ended(&[event("MODIFIED", &beat)])]));
    while kept.pods().1 != "8" {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(kept.events.try_iter().collect::<Vec<_>>(), []);
}

#[test]
fn a_version_that_the_server_has_forgotten_is_listed_again() {
    for gone in [
        Answer::status(410, "Expired", "too old resource version: 7 (9)"),
        ended(&[
            json!({"type": "ERROR", "object": {"kind": "Status", "code": 410}}).to_string() + "\n"
        ]),
    ] {
        let script = Script::new(&["a", "b"], 7, vec![gone]);
        let kept = keep(&script);
        script.set(&["b", "d"], 20);
        kept.until(&["b", "d"]);
        while kept.watched_from().len() < 2 {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(
            (kept.watched_from(), kept.lists_of_pods()),
            (vec!["7".to_owned(), "20".to_owned()], 2)
        );
    }
}

#[test]
fn a_kind_that_may_not_be_watched_is_listed_when_it_is_asked_for() {
    let script = Script::new(&["a"], 7, vec![Answer::status(403, "Forbidden", "no watching")]);
    let kept = keep(&script);
    assert_eq!(kept.next(), KeptEvent::NotWatched(Kind::Pod, "no watching".to_owned()));
    script.set(&["a", "b"], 8);
    assert_eq!(kept.pods().0, ["a"]);
    kept.cluster.settle();
    kept.cluster.list_unwatched().unwrap();
    assert_eq!(
        (kept.pods().0, kept.cluster.not_watched()),
        (vec!["a".to_owned(), "b".to_owned()], vec![Kind::Pod])
    );
    assert_eq!(
        (kept.lists_of_pods(), kept.server.count("/api/v1/nodes")),
        (2, 2),
        "nodes: a list and a watch"
    );
    // One of several servers lags behind.
    script.set(&["a"], 7);
    let error = kept.cluster.list_unwatched().unwrap_err();
    assert_eq!(error.to_string(), "the server showed an older state of pods than before");
    assert_eq!(kept.pods().0, ["a", "b"]);
}

#[test]
fn a_kind_of_few_objects_is_listed_and_its_watch_goes_on() {
    let script = Script::new(&["a", "b"], 7, Vec::new());
    // A watch that is waited for would take all of the time of the test.
    let kept = keep_with(&script, |scope| scope.patience = PATIENCE * 10);
    kept.cluster.settle();
    let lists = kept.lists_of_pods();
    script.set(&["b", "e"], 11);
    kept.cluster.catch_up().unwrap();
    assert_eq!(kept.pods(), (vec!["b".to_owned(), "e".to_owned()], "11".to_owned()));
    assert_eq!(kept.lists_of_pods(), lists + 1);
    // The watch says late what the list has shown, among it the end of an earlier pod of this name,
    // and then something new.
    let running = script.0.lock().unwrap().running.remove(0);
    for event in [
        event("DELETED", &pod("a", 9)),
        event("DELETED", &pod("e", 10)),
        event("BOOKMARK", &json!({"kind": "Pod", "metadata": {"resourceVersion": "10"}})),
        event("ADDED", &pod("f", 12)),
    ] {
        running.send(event).unwrap();
    }
    kept.until(&["b", "e", "f"]);
    assert_eq!((kept.watched_from(), kept.pods().1), (vec!["7".to_owned()], "12".to_owned()));
}

#[test]
fn a_watch_of_many_objects_is_waited_for_and_the_kind_is_listed_if_it_is_late() {
    let script = Script::new(&["a", "b", "c"], 7, Vec::new());
    let kept = keep_with(&script, |scope| (scope.chunk, scope.patience) = (4, WATCH_PATIENCE));
    kept.cluster.settle();
    let lists = kept.lists_of_pods();
    kept.cluster.catch_up().unwrap();
    assert_eq!(
        kept.lists_of_pods(),
        lists + 1,
        "a list of one pod: nothing has changed since the first list"
    );
    // It is deleted, and the watch says so a moment later.
    script.set(&["b", "c"], 9);
    let running = script.0.lock().unwrap().running.remove(0);
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        running.send(event("DELETED", &pod("a", 9))).unwrap();
        running
    });
    kept.cluster.catch_up().unwrap();
    assert_eq!(
        (kept.pods().0, kept.lists_of_pods()),
        (vec!["b".to_owned(), "c".to_owned()], lists + 2)
    );
    // Another comes, and the watch never says so, whatever bookmarks it brings.
    let running = late.join().unwrap();
    script.set(&["b", "c", "e"], 11);
    running
        .send(event("BOOKMARK", &json!({"kind": "Pod", "metadata": {"resourceVersion": "10"}})))
        .unwrap();
    kept.cluster.catch_up().unwrap();
    assert_eq!(
        (kept.pods().0, kept.lists_of_pods()),
        (["b", "c", "e"].map(str::to_owned).to_vec(), lists + 4)
    );
    // The next time it is waited for less long.
    script.set(&["b", "c"], 12);
    let since = Instant::now();
    kept.cluster.catch_up().unwrap();
    assert!(since.elapsed() < WATCH_PATIENCE, "{:?}", since.elapsed());
    assert_eq!(
        (kept.pods().0, kept.lists_of_pods()),
        (vec!["b".to_owned(), "c".to_owned()], lists + 6)
    );
    running.send(event("ADDED", &pod("f", 13))).unwrap();
    kept.until(&["b", "c", "f"]);
    assert_eq!(kept.watched_from(), ["7"]);
}

#[test]
fn a_failure_is_reported_once_and_its_end_too() {
    let broken = [
        "no event\n",
        "{\"type\":\"ERROR\",\"object\":{\"code\":500,\"message\":\"etcd is gone\"}}\n",
    ];
    for line in broken {
        let kept = keep(&Script::new(&["a"], 7, vec![ended(&[line.to_owned()])]));
        let KeptEvent::Disconnected(why) = kept.next() else { panic!("{line}") };
        assert!(why.starts_with("the watch of pods has failed: "), "{why}");
        assert_eq!(kept.next(), KeptEvent::Connected);
    }
}

#[test]
fn a_thousand_events_are_one_report_until_what_is_kept_is_read() {
    let events: Vec<String> =
        (8..1008).map(|version| event("ADDED", &pod(&format!("p{version}"), version))).collect();
    let kept = keep(&Script::new(&["a"], 7, vec![ended(&events)]));
    let mut reports = 0;
    while kept.server.requests().is_empty() || kept.watched_from().len() < 2 {
        reports += kept.events.try_iter().filter(|event| *event == KeptEvent::Changed).count();
        std::thread::sleep(Duration::from_millis(20));
    }
    reports += kept.events.try_iter().filter(|event| *event == KeptEvent::Changed).count();
    assert_eq!((reports, kept.pods().0.len()), (1, 1001));
}

#[test]
fn extensions_are_listed_with_what_has_no_watch_and_are_not_watched() {
    const POOLS: &str = "/apis/karpenter.sh/v1/nodepools";
    let names = Arc::new(Mutex::new(vec!["general"]));
    let answers = names.clone();
    let server = Server::start(move |request| {
        let pool = |name: &&str| json!({"metadata": {"name": name}});
        let list = |items: Vec<Value>| {
            json!({"kind": "NodePoolList", "apiVersion":
            "karpenter.sh/v1", "metadata": {"resourceVersion": "9"}, "items": items})
        };
        match request.path.as_str() {
            "/apis" => Some(Answer::ok(r#"{"groups":[{"name":"karpenter.sh"}]}"#)),
            POOLS => {
                let items = answers.lock().unwrap().iter().map(pool).collect();
                Some(Answer::ok(list(items).to_string()))
            }
            path if path.ends_with("/configmaps/cluster-autoscaler-status") => {
                let map = json!({"metadata": {"namespace": "kube-system",
                    "name": "cluster-autoscaler-status"}, "data": {"status": "time: now"}});
                Some(Answer::ok(map.to_string()))
            }
            _ => None,
        }
    });
    let home = Home::new(&server, "token: secret");
    let scope = ReadScope { extensions: true, ..ReadScope::of(&KINDS) };
    let (sender, events) = mpsc::channel();
    let notify = Box::new(move |event| drop(sender.send(event)));
    let kept =
        KeptCluster::open(&home.env(), &flags(""), &scope, false, &mut |_| {}, notify).unwrap();
    let read = || {
        let mut builder = Builder::new();
        kept.read(&mut builder);
        let cluster = builder.finish();
        (cluster.autoscaling.pools.len(), cluster.header.autoscaler.clone())
    };
    let (pools, shown) = read();
    assert_eq!((pools, shown.and_then(|shown| shown.read_at).is_some()), (1, true));

    // A watched kind that is listed again says nothing of them; the list of what has no watch does.
    *names.lock().unwrap() = vec!["general", "gpu"];
    kept.catch_up().unwrap();
    let (pools, shown) = read();
    assert_eq!(pools, 1);
    assert_eq!(shown.and_then(|shown| shown.status).as_deref(), Some("time: now"));
    while events.try_recv().is_ok() {}
    kept.list_unwatched().unwrap();
    assert_eq!(read().0, 2);
    assert!(events.try_iter().any(|event| event == KeptEvent::Changed));
    assert!(!server.requests().iter().any(|r| r.path == POOLS && r.has("watch=true")));
}
