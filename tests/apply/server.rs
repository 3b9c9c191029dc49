//! The API server: HTTP on the loopback interface over the [`Model`], with the answers of a 1.37.1
//! server. Before each request a hook may change the cluster and return a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use engine::simulation::plan::{Plan, PodId};
use engine::snapshot::Kind;
use kubectl_preempt::apply::PreemptorStatus;
use serde_json::{Value, json};

use super::model::{Model, NAMESPACE, Pod, State};
use super::{lists, planner};

#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// Whether the server lets lists be watched.
    pub lists_watched: bool,
    /// Whether it is the first request of a decision: its first probe, or, where no kind is probed
    /// because lists are watched and have few objects, the search for the scheduler's pods, with
    /// which the first reading begins, too.
    pub begins_reading: bool,
}

impl Request {
    pub fn has(&self, query: &str) -> bool {
        self.query.split('&').any(|q| q == query)
    }

    /// The value that its field selector wants of a field.
    pub fn field(&self, field: &str) -> Option<&str> {
        let selector = self.query.split('&').find_map(|q| q.strip_prefix("fieldSelector="))?;
        selector.split("%2C").find_map(|part| part.strip_prefix(field)?.strip_prefix("%3D"))
    }

    pub fn is_removal(&self) -> bool {
        self.method == "DELETE" || self.path.ends_with("/eviction")
    }

    pub fn is_write(&self) -> bool {
        self.method != "GET" && !self.path.ends_with("reviews")
    }

    pub fn is_dry(&self) -> bool {
        let said = [&self.body["dryRun"], &self.body["deleteOptions"]["dryRun"]];
        let in_body = said.iter().any(|dry| **dry == json!(["All"]));
        let in_query = self.has("dryRun=All");
        if self.is_removal() {
            assert_eq!(in_body, in_query, "both or neither: {self:?}");
        }
        in_body || in_query
    }

    pub fn pod_name(&self) -> Option<&str> {
        let rest = self.path.strip_prefix(&format!("/api/v1/namespaces/{NAMESPACE}/pods/"))?;
        Some(rest.split('/').next().unwrap())
    }

    /// The kind of write, by the name that the journal has for it.
    pub fn label(&self) -> &'static str {
        match (self.method.as_str(), self.path.rsplit('/').next().unwrap()) {
            ("POST", "eviction") => "evict",
            ("DELETE", _) => "delete",
            ("PATCH", "status") if self.body["status"]["conditions"][0]["$patch"] == "delete" => {
                "clearCondition"
            }
            ("PATCH", "status") if !self.body["status"]["conditions"].is_null() => "condition",
            ("PATCH", "status") => "nominate",
            ("POST", "events") => "event",
            other => panic!("a write that nobody may send: {other:?}"),
        }
    }
}

/// What goes wrong with a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The request is not carried out; this is the answer.
    Instead(Answer),
    /// The request is carried out; this is the answer.
    After(Answer),
    /// The request is not carried out; the connection is cut.
    CutBefore,
    /// The request is carried out; the connection is cut.
    CutAfter,
    /// The connection is cut; the request is carried out after this time.
    Late(Duration),
    /// The answer takes this long.
    Delay(Duration),
    /// The answer is the state before this many changes.
    Stale(usize),
    /// A watch ends after this many steps.
    Short(u32),
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub retry_after: Option<u64>,
    pub body: String,
}

impl Answer {
    pub fn ok(body: &Value) -> Self {
        Self { status: 200, retry_after: None, body: body.to_string() }
    }

    pub fn text(status: u16, body: &str) -> Self {
        Self { status, retry_after: None, body: body.to_owned() }
    }

    /// A rejection.
    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        Self::with_details(code, reason, message, &json!({}))
    }

    pub fn with_details(code: u16, reason: &str, message: &str, details: &Value) -> Self {
        let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "details": details, "code": code});
        Self { status: code, retry_after: None, body: body.to_string() }
    }

    fn done(code: u16) -> Self {
        let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": code});
        Self { status: code, retry_after: None, body: body.to_string() }
    }

    fn not_found(name: &str) -> Self {
        let details = json!({"name": name, "kind": "pods"});
        Self::with_details(404, "NotFound", &format!("pods {name:?} not found"), &details)
    }
}

/// A write that arrived and was no dry run.
#[derive(Debug, Clone)]
pub struct Arrived {
    pub label: &'static str,
    pub name: String,
    /// The UID of the pod, if the write was carried out.
    pub accepted: Option<String>,
    /// Whether the client got the answer that it was carried out.
    pub told: bool,
    /// What is wrong with a removal that was carried out.
    pub wrong: Option<String>,
}

type Hook = dyn FnMut(&Request, &mut Model) -> Option<Fault> + Send;

/// The model and the writes to it.
pub struct FakeCluster {
    pub model: Model,
    pub hook: Box<Hook>,
    /// The confirmed plan, against which removals are checked.
    pub plan: Option<Plan>,
    pub writes: Vec<Arrived>,
    pub requests: Vec<Request>,
    /// Verb and resource of permissions that the user lacks.
    pub denied: Vec<(&'static str, &'static str)>,
    /// How long the server is down, from the next connection on.
    pub away: Arc<Mutex<Option<Duration>>>,
    /// Requests that have arrived and are not carried out yet, but for watches.
    in_progress: Arc<()>,
    /// Whether lists may be watched.
    pub lists_watched: bool,
    /// Whether watches of lists bring a bookmark with each change of the cluster.
    pub bookmarks: bool,
    /// The watches of lists that are held back, by path. Lists and reads of single pods show
    /// everything meanwhile.
    pub silent: BTreeMap<&'static str, Silence>,
    /// The kinds that the decision that is being made has probed.
    probed: BTreeSet<String>,
    /// What the program has to know: everything as it was when its decision began or later, when it
    /// listed or probed pods, and the pods that get room as they were when a victim was last looked
    /// at, or they themselves.
    shown: Option<State>,
}

/// How a watch is held back.
#[derive(Debug, Clone, Copy)]
pub struct Silence {
    /// Until when; `None`: for ever.
    pub until: Option<Instant>,
    /// Whether bookmarks come meanwhile, of the version to which the watch has come.
    pub bookmarks: bool,
}

impl Silence {
    pub const FOR_EVER: Self = Self { until: None, bookmarks: false };

    pub fn lasts(self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

pub struct Server {
    pub address: SocketAddr,
    pub view: Arc<Mutex<FakeCluster>>,
    ended: Arc<AtomicBool>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Unblocks the listener.
        let _ = TcpStream::connect(self.address);
    }
}

impl Server {
    pub fn start(
        model: Model,
        hook: impl FnMut(&Request, &mut Model) -> Option<Fault> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let view = FakeCluster {
            model,
            hook: Box::new(hook),
            plan: None,
            writes: Vec::new(),
            requests: Vec::new(),
            denied: Vec::new(),
            away: Arc::default(),
            in_progress: Arc::default(),
            lists_watched: false,
            bookmarks: false,
            silent: BTreeMap::new(),
            probed: BTreeSet::new(),
            shown: None,
        };
        let (view, ended) = (Arc::new(Mutex::new(view)), Arc::new(AtomicBool::new(false)));
        let (shared, end) = (view.clone(), ended.clone());
        let away = view.lock().unwrap().away.clone();
        let in_progress = view.lock().unwrap().in_progress.clone();
        thread::spawn(move || {
            let mut listener = listener;
            loop {
                let Ok((stream, _)) = listener.accept() else { continue };
                if end.load(Ordering::Relaxed) {
                    return;
                }
                let time = away.lock().unwrap().take();
                if let Some(time) = time {
                    drop((stream, listener));
                    thread::sleep(time);
                    listener = TcpListener::bind(address).unwrap();
                    continue;
                }
                let (view, end, one) = (shared.clone(), end.clone(), in_progress.clone());
                thread::spawn(move || serve(&stream, &view, &end, one));
            }
        });
        Self { address, view, ended }
    }

    /// Waits until every request that was sent is carried out, also if nobody waits for its answer.
    pub fn settle(&self) {
        // Connections are taken in their order: when this one is, the earlier ones are.
        let mut last = TcpStream::connect(self.address).unwrap();
        last.shutdown(Shutdown::Write).unwrap();
        let _ = last.read(&mut [0]);
        let in_progress = self.view.lock().unwrap().in_progress.clone();
        // The view, the listener and this.
        while Arc::strong_count(&in_progress) > 3 {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn serve(stream: &TcpStream, view: &Arc<Mutex<FakeCluster>>, end: &AtomicBool, one: Arc<()>) {
    let Some(mut request) = read(stream) else { return };
    let mut guard = view.lock().unwrap();
    request.lists_watched = guard.lists_watched;
    request.begins_reading = guard.begins_reading(&request);
    guard.requests.push(request.clone());
    let FakeCluster { model, hook, .. } = &mut *guard;
    let fault = hook(&request, model);
    if let Some(Fault::Delay(time)) = fault {
        drop(guard);
        thread::sleep(time);
        guard = view.lock().unwrap();
    }
    if request.has("watch=true") && request.field("metadata.name").is_none() {
        let allowed = guard.lists_watched;
        drop((guard, one));
        if !allowed {
            return write(stream, &Answer::status(403, "Forbidden", "lists may not be watched"));
        }
        return lists::watch(stream, &request, view, end, fault);
    }
    if request.has("watch=true") {
        drop((guard, one));
        watch(stream, &request, view, end, fault);
        return;
    }
    let answer = match fault {
        None | Some(Fault::Delay(_) | Fault::Short(_)) => Some(guard.answer(&request, None, true)),
        Some(Fault::Stale(ago)) => Some(guard.answer(&request, Some(ago), true)),
        Some(Fault::Instead(answer)) => {
            guard.arrived(&request);
            Some(answer)
        }
        Some(Fault::CutBefore) => {
            guard.arrived(&request);
            None
        }
        Some(Fault::After(answer)) => {
            guard.answer(&request, None, false);
            Some(answer)
        }
        Some(Fault::CutAfter) => {
            guard.answer(&request, None, false);
            None
        }
        Some(Fault::Late(time)) => {
            guard.arrived(&request);
            late(request, time, &guard, view, one.clone());
            None
        }
    };
    drop(guard);
    if let Some(answer) = answer {
        write(stream, &answer);
    }
}

/// Carries a request out later. Whether it was right to send it is checked now.
fn late(
    request: Request,
    time: Duration,
    now: &FakeCluster,
    view: &Arc<Mutex<FakeCluster>>,
    one: Arc<()>,
) {
    let wrong = if request.is_removal() { now.wrong_removal(&request) } else { None };
    let view = view.clone();
    thread::spawn(move || {
        thread::sleep(time);
        let mut view = view.lock().unwrap();
        let before = view.writes.len();
        view.answer(&request, None, false);
        // It is counted once.
        let later = view.writes.drain(before..).next_back();
        if let Some(Arrived { accepted: Some(uid), .. }) = later {
            let (label, name) =
                (request.label(), request.pod_name().unwrap_or_default().to_owned());
            let first = view
                .writes
                .iter_mut()
                .find(|w| (w.label, &w.name, &w.accepted) == (label, &name, &None));
            if let Some(first) = first {
                first.accepted = Some(uid);
                first.wrong = wrong;
            }
        }
        drop(one);
    });
}

pub fn write(mut stream: &TcpStream, answer: &Answer) {
    let wait = answer
        .retry_after
        .map_or_else(String::new, |seconds| format!("Retry-After: {seconds}\r\n"));
    let head = format!(
        "HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{wait}\r\n",
        answer.status,
        answer.body.len()
    );
    // The client may have closed the connection.
    let _ = stream.write_all(format!("{head}{}", answer.body).as_bytes());
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, l)| l.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Some(Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body,
        lists_watched: false,
        begins_reading: false,
    })
}

impl FakeCluster {
    fn answer(&mut self, request: &Request, ago: Option<usize>, told: bool) -> Answer {
        if request.is_write() && !request.is_dry() {
            return self.write(request, told);
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", _) => self.get(request, ago),
            ("POST", path) if path.ends_with("/selfsubjectaccessreviews") => self.access(request),
            ("POST", path) if path.ends_with("/selfsubjectreviews") => Answer {
                status: 201,
                ..Answer::ok(&json!({"kind": "SelfSubjectReview", "status": {"userInfo": {
                    "username": "jane", "uid": "u-jane", "groups": ["devs", "system:authenticated"]}}}))
            },
            _ if request.is_removal() => self.remove(request, true).0,
            other => panic!("nobody may send {other:?}"),
        }
    }

    fn access(&self, request: &Request) -> Answer {
        let asked = &request.body["spec"]["resourceAttributes"];
        let text = |field: &str| asked[field].as_str().unwrap_or_default();
        let sub = text("subresource");
        let resource = if sub.is_empty() {
            text("resource").to_owned()
        } else {
            format!("{}/{sub}", text("resource"))
        };
        let allowed =
            !self.denied.iter().any(|(verb, what)| *verb == text("verb") && *what == resource);
        Answer {
            status: 201,
            ..Answer::ok(
                &json!({"kind": "SelfSubjectAccessReview", "status": {"allowed": allowed}}),
            )
        }
    }

    fn begins_reading(&mut self, request: &Request) -> bool {
        if request.has("limit=1") {
            // A kind is probed once in each decision.
            let begins = self.probed.is_empty() || self.probed.contains(&request.path);
            if begins {
                self.probed.clear();
            }
            self.probed.insert(request.path.clone());
            return begins;
        }
        if request.path == "/api/v1/namespaces/kube-system/pods" {
            let probed = !std::mem::take(&mut self.probed).is_empty();
            return self.lists_watched && !probed;
        }
        false
    }

    /// Takes note of what a read has to show.
    fn show(&mut self, request: &Request) {
        let now = &self.model.now;
        if request.begins_reading || request.path == "/api/v1/pods" {
            self.shown = Some(now.clone());
        }
        let Some(shown) = &mut self.shown else { return };
        let gets_room = |pod: &Pod| ["web", "train"].contains(&pod.app.as_str());
        // A victim is looked at right before its removal, and after it the pods that get its room:
        // together as a list, or each alone. (A victim that is leaving is followed meanwhile, which
        // is no look.)
        let read = request.pod_name().and_then(|name| now.named(name));
        let looks_at_victim = read.is_some_and(|pod| !gets_room(pod) && pod.leaving.is_none());
        let lists = request.path == format!("/api/v1/namespaces/{NAMESPACE}/pods");
        let is_shown = |pod: &Pod| {
            gets_room(pod)
                && (looks_at_victim || lists || request.pod_name() == Some(pod.name.as_str()))
        };
        shown.pods.retain(|pod| !is_shown(pod));
        shown.pods.extend(now.pods.iter().filter(|pod| is_shown(pod)).cloned());
    }

    fn get(&mut self, request: &Request, ago: Option<usize>) -> Answer {
        // Time passes, but not while the program takes its last look at a victim.
        let stays = |name: &str| {
            self.model
                .now
                .named(name)
                .is_some_and(|pod| pod.node.is_some() && pod.leaving.is_none())
        };
        if request.begins_reading || request.pod_name().is_some_and(|name| !stays(name)) {
            self.model.step();
        }
        let before = &self.model.before;
        let past = ago
            .and_then(|ago| before.len().checked_sub(ago))
            .and_then(|at| before.get(at))
            .cloned();
        self.show(request);
        let state = past.as_ref().unwrap_or(&self.model.now);
        let list = |kind: &str, items: Vec<Value>| {
            let version = state.version.to_string();
            let of = if kind == "PodDisruptionBudgetList" { "policy/v1" } else { "v1" };
            Answer::ok(
                &json!({"kind": kind, "apiVersion": of, "metadata": {"resourceVersion": version}, "items": items}),
            )
        };
        if let Some(items) = lists::items(state, request) {
            return list("List", items);
        }
        match request.path.as_str() {
            "/version" => {
                Answer::ok(&json!({"major": "1", "minor": "37", "gitVersion": "v1.37.1"}))
            }
            // It serves no extensions.
            "/apis" => Answer::ok(&json!({"kind": "APIGroupList", "groups": []})),
            "/apis/scheduling.k8s.io/v1/priorityclasses" | "/api/v1/namespaces" => {
                list("List", Vec::new())
            }
            path if path.contains("/kube-system/") => list("PodList", Vec::new()),
            path if path.ends_with("/poddisruptionbudgets") => {
                let chosen =
                    |name: &str| request.has(&format!("fieldSelector=metadata.name%3D{name}"));
                let budgets = state.budgets.iter().filter(|budget| chosen(&budget.name));
                list("PodDisruptionBudgetList", budgets.map(super::model::Budget::json).collect())
            }
            // The cluster has nothing of what else a decision reads.
            path if Kind::ALL.iter().any(|kind| path.ends_with(&format!("/{}", kind.plural()))) => {
                list("List", Vec::new())
            }
            path => match request.pod_name() {
                Some(name) => state
                    .named(name)
                    .map_or_else(|| Answer::not_found(name), |pod| Answer::ok(&pod.json())),
                None => panic!("GET {path}"),
            },
        }
    }

    /// Records a write that was not carried out.
    fn arrived(&mut self, request: &Request) {
        if request.is_write() && !request.is_dry() {
            let name = request.pod_name().unwrap_or_default().to_owned();
            self.writes.push(Arrived {
                label: request.label(),
                name,
                accepted: None,
                told: false,
                wrong: None,
            });
        }
    }

    fn write(&mut self, request: &Request, told: bool) -> Answer {
        self.arrived(request);
        let label = request.label();
        let wrong = if request.is_removal() { self.wrong_removal(request) } else { None };
        let (answer, accepted) = match label {
            "evict" | "delete" => self.remove(request, false),
            "condition" | "clearCondition" | "nominate" => self.patch(request),
            _ => (
                Answer { status: 201, ..Answer::ok(&json!({"kind": "Event"})) },
                Some(String::new()),
            ),
        };
        let write = self.writes.last_mut().unwrap();
        write.told = told;
        if accepted.is_some() {
            write.wrong = wrong;
        }
        write.accepted = accepted;
        answer
    }

    /// What is wrong with a removal that arrives now: it has no UID, or is not needed in the
    /// current state. A pod that is not needed in the current state, but is in the one that the
    /// program has to know, is no fault of the program: that is a race that no client can win.
    /// Nothing is let through by that which a silent watch has hidden: `shown` is the truth, not
    /// what the program makes of it, and the hooks change the cluster before it is taken. What is
    /// left are kubelets and the scheduler of the model, which go on while a pod is followed, and
    /// pods that slip away.
    fn wrong_removal(&self, request: &Request) -> Option<String> {
        let wrong = self.wrong_in(&self.model.now, request)?;
        match &self.shown {
            Some(shown) => self.wrong_in(shown, request),
            None => Some(wrong),
        }
    }

    fn wrong_in(&self, state: &State, request: &Request) -> Option<String> {
        let options =
            if request.method == "DELETE" { &request.body } else { &request.body["deleteOptions"] };
        let Some(uid) = options["preconditions"]["uid"].as_str() else {
            return Some("no UID".to_owned());
        };
        let plan = self.plan.as_ref()?;
        if !plan.victims.iter().any(|victim| victim.pod.uid == uid) {
            return Some(format!("{uid} is no victim of the plan"));
        }
        if state.pod(uid)?.leaving.is_some() {
            // It is terminating already: nothing changes.
            return None;
        }
        let gone: Vec<PodId> = state
            .pods
            .iter()
            .filter(|pod| self.is_going(&pod.uid, state))
            .map(super::model::Pod::id)
            .collect();
        match planner::still_needed(state, plan, &gone) {
            PreemptorStatus::NeedsEviction(rest)
                if rest.victims.iter().any(|victim| victim.pod.uid == uid) =>
            {
                let deletes = request.method == "DELETE";
                worse(plan, &rest)
                    .filter(|_| deletes)
                    .map(|budget| format!("{uid}: {budget} was not to be violated"))
            }
            other => Some(format!("{uid} need not go: {other:?}")),
        }
    }

    fn is_going(&self, uid: &str, state: &State) -> bool {
        let planned =
            self.plan.iter().flat_map(|plan| &plan.victims).any(|victim| victim.pod.uid == uid);
        planned && state.pod(uid).is_some_and(|pod| pod.leaving.is_some())
    }

    /// Upstream: `pkg/registry/core/pod/storage/eviction.go`.
    fn remove(&mut self, request: &Request, dry: bool) -> (Answer, Option<String>) {
        let evicts = request.method == "POST";
        let name = request.pod_name().unwrap();
        let options = if evicts { &request.body["deleteOptions"] } else { &request.body };
        if evicts {
            assert_eq!(request.body["metadata"]["name"], *name);
            assert_eq!(request.body["apiVersion"], "policy/v1");
        }
        let Some(pod) = self.model.now.named(name).cloned() else {
            return (Answer::not_found(name), None);
        };
        let budgets: Vec<_> =
            self.model.now.budgets.iter().filter(|b| b.app == pod.app).cloned().collect();
        let counts = evicts && pod.leaving.is_none();
        if counts && budgets.len() > 1 {
            let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            return (Answer::status(500, "", text), None);
        }
        let uid = options["preconditions"]["uid"].as_str().unwrap_or_default();
        if uid != pod.uid {
            let text = format!(
                "Operation cannot be fulfilled on Pod {name:?}: the UID in the precondition ({uid}) does not match the \
                 UID in record ({}). The object might have been deleted and then recreated",
                pod.uid
            );
            return (Answer::status(409, "Conflict", &text), None);
        }
        if let Some(budget) = budgets.first().filter(|_| counts) {
            if budget.allowed <= 0 {
                let cause = format!(
                    "The disruption budget {} needs {} healthy pods and has {} currently",
                    budget.name, budget.desired, budget.expected
                );
                let text = "Cannot evict pod as it would violate the pod's disruption budget.";
                let details = json!({"causes": [{"reason": "DisruptionBudget", "message": cause}]});
                return (Answer::with_details(429, "TooManyRequests", text, &details), None);
            }
            if !dry {
                self.model.set_budget(super::model::Budget {
                    allowed: budget.allowed - 1,
                    ..budget.clone()
                });
            }
        }
        if !dry {
            self.model.delete(&pod.uid, options["gracePeriodSeconds"] == 0);
        }
        let answer = if evicts {
            Answer::done(201)
        } else {
            Answer::ok(&self.model.now.pod(&pod.uid).unwrap_or(&pod).json())
        };
        (answer, Some(pod.uid))
    }

    fn patch(&mut self, request: &Request) -> (Answer, Option<String>) {
        let name = request.pod_name().unwrap();
        let Some(pod) = self.model.now.named(name).cloned() else {
            return (Answer::not_found(name), None);
        };
        let (metadata, status) = (&request.body["metadata"], &request.body["status"]);
        if metadata["uid"] != *pod.uid {
            let text = format!(
                "Operation cannot be fulfilled on pods {name:?}: Precondition failed: UID in precondition: {}, UID in \
                 object meta: {}",
                metadata["uid"], pod.uid
            );
            return (Answer::status(409, "Conflict", &text), None);
        }
        if request.label() == "nominate" {
            assert_eq!(
                request.headers.iter().find(|(n, _)| n == "content-type").unwrap().1,
                "application/merge-patch+json"
            );
            if metadata["resourceVersion"].as_str() != Some(&pod.version.to_string()) {
                let text = format!(
                    "Operation cannot be fulfilled on pods {name:?}: the object has been modified"
                );
                return (Answer::status(409, "Conflict", &text), None);
            }
            let node = status["nominatedNodeName"].as_str().filter(|node| !node.is_empty());
            let node = node.map(str::to_owned);
            self.model.change_pod(&pod.uid, |pod| {
                pod.nominated = node.map(|node| (node, "kubectl-preempt".to_owned()));
            });
        } else if request.label() == "clearCondition" {
            self.model.change_pod(&pod.uid, |pod| pod.conditions.clear());
        } else {
            let condition = status["conditions"][0].clone();
            assert_eq!(condition["reason"], "PreemptionByScheduler");
            self.model.change_pod(&pod.uid, |pod| pod.conditions = vec![condition]);
        }
        (Answer::ok(&self.model.now.pod(&pod.uid).unwrap().json()), Some(pod.uid))
    }
}

/// A budget that is violated now and was not when the user confirmed the plan.
fn worse(agreed: &Plan, now: &Plan) -> Option<String> {
    let violated = |plan: &Plan| -> Vec<String> {
        let budgets = plan.victims.iter().flat_map(|victim| &victim.budgets);
        budgets.filter(|budget| budget.is_violated()).map(|budget| budget.name.clone()).collect()
    };
    let before = violated(agreed);
    violated(now).into_iter().find(|budget| !before.contains(budget))
}

/// A watch of one pod: chunks until its timeout.
fn watch(
    mut stream: &TcpStream,
    request: &Request,
    view: &Mutex<FakeCluster>,
    end: &AtomicBool,
    fault: Option<Fault>,
) {
    let mut left = match fault {
        Some(Fault::Instead(answer)) => return write(stream, &answer),
        Some(Fault::CutBefore | Fault::CutAfter | Fault::Late(_)) => return,
        Some(Fault::Short(steps)) => steps,
        _ => u32::MAX,
    };
    let value = |name: &str| {
        request.query.split('&').find_map(|q| q.strip_prefix(name)).unwrap_or_default().to_owned()
    };
    let name = value("fieldSelector=metadata.name%3D");
    let mut version: u64 = value("resourceVersion=").parse().unwrap();
    let until = Instant::now() + Duration::from_secs(value("timeoutSeconds=").parse().unwrap());
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    if stream.write_all(head.as_bytes()).is_err() {
        return;
    }
    while Instant::now() < until && !end.load(Ordering::Relaxed) {
        let news: Vec<String> = {
            let mut view = view.lock().unwrap();
            view.model.step();
            let changes = view
                .model
                .changes
                .iter()
                .filter(|change| change.version > version && change.name == name);
            let news = changes
                .map(|change| json!({"type": change.kind, "object": change.pod}).to_string() + "\n")
                .collect();
            version = version.max(view.model.now.version);
            news
        };
        for line in news {
            if stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).is_err() {
                return;
            }
        }
        if left == 0 {
            return;
        }
        left -= 1;
        thread::sleep(Duration::from_millis(2));
    }
    let _ = stream.write_all(b"0\r\n\r\n");
}
