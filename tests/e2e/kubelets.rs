//! The kubelets of all nodes, as far as scheduling can tell: bound pods run and get ready, deleted
//! ones end. They watch, so they also remember what became of every pod.

use std::collections::BTreeMap;
use std::io::{BufRead as _, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::http::Api;

/// What became of a pod.
#[derive(Debug, Clone, Default)]
pub struct Life {
    pub namespace: String,
    pub name: String,
    /// Where it was bound to; empty when it was not.
    pub node: String,
    /// What the scheduler wrote when it refused it: each message once, in order.
    pub messages: Vec<String>,
    /// The reason of the first of them.
    pub reason: Option<String>,
    /// Every nomination it has had.
    pub nominations: Vec<String>,
    /// The first reason of its `DisruptionTarget` condition.
    pub disrupted: Option<String>,
    /// It was seen without a node.
    waited: bool,
    /// It has been told to end.
    pub terminating: bool,
    /// Since when.
    ends_since: Option<Instant>,
    /// It is no more.
    pub gone: bool,
}

/// All of them, in a thread.
pub struct Kubelets {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    lives: Mutex<BTreeMap<String, Life>>,
    /// Whether deleted pods end. If not, they take their time.
    finish: AtomicBool,
    /// How long they take, in milliseconds.
    linger: AtomicU64,
    stop: AtomicBool,
}

impl Kubelets {
    pub fn start(admin: Api) -> Self {
        let shared = Arc::new(Shared {
            lives: Mutex::default(),
            finish: AtomicBool::new(true),
            linger: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        });
        let theirs = shared.clone();
        let thread = std::thread::spawn(move || {
            while !theirs.stop.load(Ordering::Relaxed) {
                // The API server may be away; then there is nothing to do.
                let _ = theirs.work(&admin);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        Self { shared, thread: Some(thread) }
    }

    /// Whether pods that are deleted end at once, or take their time.
    pub fn finish(&self, finish: bool) {
        self.shared.finish.store(finish, Ordering::Relaxed);
    }

    /// How long pods take to end once they are deleted.
    pub fn linger(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).expect("a short time");
        self.shared.linger.store(millis, Ordering::Relaxed);
    }

    /// Every pod that was seen, by its uid.
    pub fn lives(&self) -> BTreeMap<String, Life> {
        self.shared.lives.lock().expect("lives").clone()
    }

    /// What became of the pod with this uid, as far as is known.
    pub fn life(&self, uid: &str) -> Life {
        self.shared.life(uid)
    }
}

impl Drop for Kubelets {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    /// Watches until the server ends it.
    fn work(&self, admin: &Api) -> std::io::Result<()> {
        let list = admin.send("GET", "/api/v1/pods", None)?.1;
        let pods = list["items"].as_array().cloned().unwrap_or_default();
        self.forget_all_but(&pods);
        for pod in &pods {
            self.see(pod, false);
            self.act(admin, pod)?;
        }
        let since = list["metadata"]["resourceVersion"].as_str().unwrap_or("0");
        let path = format!("/api/v1/pods?watch=1&resourceVersion={since}");
        let mut events = admin.watch(&path, Duration::from_millis(20))?;
        let mut line = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            match events.read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) => {
                    let event: Value = serde_json::from_slice(&line)?;
                    line.clear();
                    if event["type"] == "ERROR" {
                        break;
                    }
                    self.see(&event["object"], event["type"] == "DELETED");
                    self.act(admin, &event["object"])?;
                }
                // No event was complete; `line` keeps its beginning.
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error),
            }
            self.end_pods(admin)?;
        }
        Ok(())
    }

    fn life(&self, uid: &str) -> Life {
        self.lives.lock().expect("lives").get(uid).cloned().unwrap_or_default()
    }

    fn forget_all_but(&self, pods: &[Value]) {
        for (uid, life) in self.lives.lock().expect("lives").iter_mut() {
            life.gone |= !pods.iter().any(|pod| pod["metadata"]["uid"] == uid.as_str());
        }
    }

    fn see(&self, pod: &Value, gone: bool) {
        let meta = &pod["metadata"];
        let mut lives = self.lives.lock().expect("lives");
        let life = lives.entry(string(&meta["uid"])).or_default();
        (life.namespace, life.name) = (string(&meta["namespace"]), string(&meta["name"]));
        life.node = string(&pod["spec"]["nodeName"]);
        life.waited |= life.node.is_empty();
        if meta["deletionTimestamp"].is_string() {
            life.terminating = true;
            life.ends_since.get_or_insert_with(Instant::now);
        }
        life.gone |= gone;
        note(&mut life.nominations, string(&pod["status"]["nominatedNodeName"]));
        for condition in pod["status"]["conditions"].as_array().into_iter().flatten() {
            match condition["type"].as_str() {
                Some("PodScheduled") => {
                    note(&mut life.messages, string(&condition["message"]));
                    if !life.messages.is_empty() {
                        life.reason.get_or_insert_with(|| string(&condition["reason"]));
                    }
                }
                Some("DisruptionTarget") => {
                    life.disrupted.get_or_insert_with(|| string(&condition["reason"]));
                }
                _ => {}
            }
        }
    }

    /// A pod that has been bound runs. What was created on a node gets its status from whoever created
    /// it.
    fn act(&self, admin: &Api, pod: &Value) -> std::io::Result<()> {
        let meta = &pod["metadata"];
        let bound = pod["spec"]["nodeName"].is_string() && pod["status"]["phase"] == "Pending";
        if bound
            && !meta["deletionTimestamp"].is_string()
            && self.life(&string(&meta["uid"])).waited
        {
            admin.send(
                "PATCH",
                &format!("{}/status", path(&meta["namespace"], &meta["name"])),
                Some(&running(0)),
            )?;
        }
        Ok(())
    }

    fn end_pods(&self, admin: &Api) -> std::io::Result<()> {
        if !self.finish.load(Ordering::Relaxed) {
            return Ok(());
        }
        let linger = Duration::from_millis(self.linger.load(Ordering::Relaxed));
        let ending: Vec<(String, Life)> = {
            let lives = self.lives.lock().expect("lives");
            lives
                .iter()
                .filter(|(_, l)| !l.gone && l.ends_since.is_some_and(|at| at.elapsed() >= linger))
                .map(|(uid, l)| (uid.clone(), l.clone()))
                .collect()
        };
        for (uid, life) in ending {
            let body = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": uid}});
            let (code, _) = admin.send(
                "DELETE",
                &path(&json!(life.namespace), &json!(life.name)),
                Some(&body),
            )?;
            // Gone, or another of that name.
            if [200, 404, 409].contains(&code) {
                self.lives.lock().expect("lives").entry(uid).or_default().gone = true;
            }
        }
        Ok(())
    }
}

/// The status of a pod that has been running for `minutes`.
pub fn running(minutes: i64) -> Value {
    let start =
        Timestamp::from_second(Timestamp::now().as_second() - minutes * 60).expect("a time");
    let yes = |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": start.to_string()});
    json!({"status": {"phase": "Running", "startTime": start.to_string(),
        "conditions": [yes("PodScheduled"), yes("Initialized"), yes("ContainersReady"), yes("Ready")]}})
}

fn path(namespace: &Value, name: &Value) -> String {
    format!("/api/v1/namespaces/{}/pods/{}", string(namespace), string(name))
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn note(list: &mut Vec<String>, text: String) {
    if !text.is_empty() && list.last() != Some(&text) {
        list.push(text);
    }
}
