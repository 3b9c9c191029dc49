//! An API server for a cluster of many nodes with 30 pods each: lists in pages, watches of pods,
//! evictions.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::{Answer, Request, Server};

const PODS_PER_NODE: usize = 30;

/// How large the cluster is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub nodes: usize,
    /// Victims on the first node, in addition to its other pods. `web` needs the room of all of
    /// them.
    pub victims: usize,
    /// Bytes of environment and the like of each pod.
    pub padding: usize,
}

/// What was asked, and how many bytes of objects were sent.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    pub gets: usize,
    pub watches: usize,
    pub evictions: usize,
    bytes: usize,
}

impl Counts {
    pub fn since(self, before: Self) -> Self {
        Self {
            gets: self.gets - before.gets,
            watches: self.watches - before.watches,
            evictions: self.evictions - before.evictions,
            bytes: self.bytes - before.bytes,
        }
    }

    pub fn mib(self) -> f64 {
        self.bytes as f64 / f64::from(1 << 20)
    }
}

struct Contents {
    size: Size,
    nodes: Vec<String>,
    pods: BTreeMap<String, String>,
    version: u64,
    /// Events of pods, by version.
    events: Vec<(u64, String)>,
    watchers: Vec<Sender<String>>,
    /// The watches of single pods, which receive no events.
    silent: Vec<Sender<String>>,
    counts: Counts,
}

#[derive(Clone)]
pub struct World {
    contents: Arc<Mutex<Contents>>,
    server: Arc<Server>,
}

fn node_name(number: usize) -> String {
    format!("node-{number:04}")
}

impl Size {
    fn pod(
        self,
        name: &str,
        node: Option<&str>,
        cpu: &str,
        priority: i64,
        version: u64,
        generation: u64,
    ) -> String {
        let mut pod = json!({"metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"),
            "resourceVersion": version.to_string(), "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app": name.split('-').next(), "generation": generation.to_string()},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u-rs", "controller": true}]},
        "spec": {"schedulerName": "default-scheduler", "priority": priority, "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "c", "image": "registry.example/app:1", "resources": {"requests": {"cpu": cpu, "memory": "100Mi"}},
                "env": [{"name": "TEXT", "value": "x".repeat(self.padding)}]}]},
        "status": {"phase": "Pending"}});
        if let Some(node) = node {
            pod["spec"]["nodeName"] = node.into();
            pod["status"] = json!({"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "conditions": [
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]});
        }
        pod.to_string()
    }

    /// The processors that `web` asks for.
    fn of_web(self) -> String {
        (self.victims + 1).to_string()
    }

    /// Those of the first node: what `web` asks for, and a tenth for each pod that is no victim.
    fn first_node(self) -> String {
        let others = PODS_PER_NODE.saturating_sub(self.victims);
        format!("{}m", 1000 * (self.victims + 1) + 100 * others)
    }
}

impl World {
    pub fn start(size: Size) -> Self {
        let mut contents = Contents {
            size,
            nodes: Vec::new(),
            pods: BTreeMap::new(),
            version: 1,
            events: Vec::new(),
            watchers: Vec::new(),
            silent: Vec::new(),
            counts: Counts::default(),
        };
        for number in 0..size.nodes {
            let name = node_name(number);
            let cpu = if number == 0 { size.first_node() } else { "8".to_owned() };
            let node = json!({"metadata": {"name": name, "uid": format!("u-{name}"), "resourceVersion": "1",
                    "labels": {"kubernetes.io/hostname": name}},
                "status": {"allocatable": {"cpu": cpu, "memory": "32Gi", "pods": "300"},
                    "images": [{"names": ["registry.example/app:1"], "sizeBytes": 1}]}});
            contents.nodes.push(node.to_string());
            let victims = if number == 0 { size.victims } else { 0 };
            for index in 0..PODS_PER_NODE.max(victims) {
                let victim = index < victims;
                let pod_name =
                    if victim { format!("low-{index}") } else { format!("p{number}-{index}") };
                let (cpu, priority) = match (number, victim) {
                    (_, true) => ("1", 1),
                    (0, false) => ("100m", 2000),
                    _ => ("200m", 2000),
                };
                let json = size.pod(&pod_name, Some(&name), cpu, priority, 1, 0);
                contents.pods.insert(pod_name, json);
            }
        }
        contents.pods.insert("web".to_owned(), size.pod("web", None, &size.of_web(), 1000, 1, 0));
        let contents = Arc::new(Mutex::new(contents));
        let shared = contents.clone();
        let server = Server::start_writable(move |request| answer(&shared, request));
        Self { contents, server: Arc::new(server) }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap()
    }

    pub fn counts(&self) -> Counts {
        self.lock().counts
    }

    pub fn wait_for_watch(&self) {
        while self.lock().watchers.is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Changes some pod; every fourth change is one that a decision reads.
    pub fn touch(&self, number: u64) {
        let mut contents = self.lock();
        let (node, index) =
            (1 + number as usize * 7 % (contents.nodes.len() - 1), number as usize % PODS_PER_NODE);
        let version = contents.version + 1;
        let generation = if number.is_multiple_of(4) { version } else { 0 };
        let name = format!("p{node}-{index}");
        let json =
            contents.size.pod(&name, Some(&node_name(node)), "200m", 2000, version, generation);
        contents.put(&name, "MODIFIED", json);
    }

    /// Adds a pod that waits, or changes it.
    pub fn put_waiting(&self, name: &str, priority: i64) {
        let mut contents = self.lock();
        let json = contents.size.pod(name, None, "64", priority, contents.version + 1, 0);
        contents.put(name, "ADDED", json);
    }
}

impl Contents {
    fn put(&mut self, name: &str, kind: &str, json: String) {
        self.tell(kind, &json);
        self.pods.insert(name.to_owned(), json);
    }

    fn tell(&mut self, kind: &str, json: &str) {
        self.version += 1;
        let event = format!("{{\"type\":\"{kind}\",\"object\":{json}}}\n");
        self.counts.bytes += event.len() * self.watchers.len();
        self.watchers.retain(|watcher| watcher.send(event.clone()).is_ok());
        self.events.push((self.version, event));
    }

    /// The victim leaves; after the last, the pod that waits gets its node.
    fn evict(&mut self, name: &str) {
        let Some(json) = self.pods.remove(name) else { return };
        self.counts.evictions += 1;
        let mut gone: Value = serde_json::from_str(&json).unwrap();
        gone["metadata"]["resourceVersion"] = (self.version + 1).to_string().into();
        self.tell("DELETED", &gone.to_string());
        if !self.pods.keys().any(|name| name.starts_with("low-")) {
            let json = self.size.pod(
                "web",
                Some(&node_name(0)),
                &self.size.of_web(),
                1000,
                self.version + 1,
                0,
            );
            self.put("web", "MODIFIED", json);
        }
    }

    fn pods(&self, request: &Request) -> Answer {
        let value = |name: &str| request.query.split('&').find_map(|q| q.strip_prefix(name));
        let limit = value("limit=").map_or(usize::MAX, |limit| limit.parse().unwrap());
        let after =
            value("continue=").map_or(Bound::Unbounded, |token| Bound::Excluded(token.to_owned()));
        let node =
            request.query.split("spec.nodeName%3D").nth(1).and_then(|rest| rest.split('%').next());
        let on = node.map(|node| format!("\"nodeName\":\"{node}\""));
        let mut items = self
            .pods
            .range((after, Bound::Unbounded))
            .filter(|(_, json)| on.as_ref().is_none_or(|on| json.contains(on)));
        let page: Vec<(&String, &String)> = items.by_ref().take(limit).collect();
        let next =
            if items.next().is_some() { page.last().map_or("", |(name, _)| name) } else { "" };
        let items: Vec<&str> = page.iter().map(|(_, json)| json.as_str()).collect();
        Answer::ok(list("PodList", self.version, next, &items))
    }

    fn watch(&mut self, request: &Request) -> Answer {
        let name =
            request.query.split("metadata.name%3D").nth(1).and_then(|rest| rest.split('&').next());
        let from =
            request.query.split('&').find_map(|q| q.strip_prefix("resourceVersion=")).unwrap();
        let from: u64 = from.parse().unwrap();
        let (sender, stream) = mpsc::channel();
        let about =
            |event: &str| name.is_none_or(|name| event.contains(&format!("\"name\":\"{name}\"")));
        for (_, event) in
            self.events.iter().filter(|(version, event)| *version > from && about(event))
        {
            sender.send(event.clone()).unwrap();
        }
        if name.is_none() {
            self.watchers.push(sender);
        } else {
            self.silent.push(sender);
        }
        Answer::stream(stream)
    }
}

fn list(kind: &str, version: u64, next: &str, items: &[&str]) -> String {
    format!(
        "{{\"kind\":\"{kind}\",\"apiVersion\":\"v1\",\"metadata\":{{\"resourceVersion\":\"{version}\",\"continue\":\"{next}\"}},\"items\":[{}]}}",
        items.join(",")
    )
}

fn answer(contents: &Mutex<Contents>, request: &Request) -> Option<Answer> {
    let mut contents = contents.lock().unwrap();
    if request.method == "GET" {
        contents.counts.gets += 1;
        contents.counts.watches += usize::from(request.has("watch=true"));
    }
    let answer = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/api/v1/pods") if request.has("watch=true") => Some(contents.watch(request)),
        ("GET", path)
            if path.starts_with("/api/v1/namespaces/shop/pods") && request.has("watch=true") =>
        {
            Some(contents.watch(request))
        }
        ("GET", "/api/v1/pods") => Some(contents.pods(request)),
        ("GET", "/api/v1/nodes") if !request.has("watch=true") => {
            let wanted = request
                .query
                .split("metadata.name%3D")
                .nth(1)
                .map(|name| format!("\"name\":\"{name}\""));
            let nodes: Vec<&str> = contents.nodes.iter().map(String::as_str).collect();
            let nodes: Vec<&str> = nodes
                .into_iter()
                .filter(|n| wanted.as_ref().is_none_or(|w| n.contains(w.as_str())))
                .collect();
            Some(Answer::ok(list("NodeList", 1, "", &nodes)))
        }
        ("GET", path) => path.strip_prefix("/api/v1/namespaces/shop/pods/").map(|name| {
            match contents.pods.get(name) {
                Some(json) => Answer::ok(json.clone()),
                None => Answer::status(404, "NotFound", &format!("pods {name:?} not found")),
            }
        }),
        ("POST", path) => path.strip_suffix("/eviction").map(|path| {
            if !request.has("dryRun=All") && !request.body.contains("\"dryRun\"") {
                contents.evict(path.rsplit('/').next().unwrap());
            }
            Answer::created(
                &json!({"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}),
            )
        }),
        _ => None,
    };
    if let Some(answer) = &answer {
        contents.counts.bytes += answer.body.len();
    }
    answer
}
