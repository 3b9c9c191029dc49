//! An API server of a few lines: answers what a test tells it to, and remembers what it was asked.
//! It takes reads and access reviews; any other request is rejected, and the test fails.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

/// What was asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    /// Empty but for a review.
    pub body: String,
}

/// Resources that are created to ask a question.
const REVIEWS: [&str; 3] =
    ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];

impl Request {
    /// Whether it changes nothing.
    pub fn is_read(&self) -> bool {
        let (group, resource) = self.path.rsplit_once('/').unwrap_or_default();
        let review = [
            "/apis/authorization.k8s.io/v1",
            "/apis/authentication.k8s.io/v1",
            "/apis/authentication.k8s.io/v1beta1",
            "/apis/authentication.k8s.io/v1alpha1",
        ]
        .contains(&group)
            && REVIEWS.contains(&resource);
        match self.method.as_str() {
            "GET" => true,
            "POST" => review && self.query.is_empty(),
            _ => false,
        }
    }

    /// All values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
            .collect()
    }

    pub fn has(&self, query: &str) -> bool {
        self.query.split('&').any(|q| q == query)
    }
}

/// The streams in which nothing comes; they are open as long as the test process lives.
static SILENT: Mutex<Vec<Sender<String>>> = Mutex::new(Vec::new());

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// What follows the body, until the sender is gone.
    pub stream: Option<Receiver<String>>,
}

impl Answer {
    pub fn ok(body: impl Into<String>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into(), stream: None }
    }

    pub fn created(body: &serde_json::Value) -> Self {
        Self { status: 201, headers: Vec::new(), body: body.to_string(), stream: None }
    }

    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        let body = serde_json::json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "code": code});
        Self { status: code, headers: Vec::new(), body: body.to_string(), stream: None }
    }

    /// A response that stays open, as that of a watch.
    pub fn stream(stream: Receiver<String>) -> Self {
        Self { stream: Some(stream), ..Self::ok("") }
    }

    /// A response that stays open, without data.
    pub fn silent() -> Self {
        let (sender, stream) = mpsc::channel();
        SILENT.lock().unwrap().push(sender);
        Self::stream(stream)
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

type Handler = dyn Fn(&Request) -> Option<Answer> + Send + Sync;

/// The server; it lives as long as the test process.
pub struct Server {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves what `handler` answers, and [`default_answer`] where it answers nothing.
    pub fn start(handler: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self::start_writable(move |request| if request.is_read() { handler(request) } else { None })
    }

    /// The same, with a handler that may take writes.
    pub fn start_writable(
        handler: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (requests, handler): (_, Arc<Handler>) = (seen.clone(), Arc::new(handler));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (requests, handler) = (requests.clone(), handler.clone());
                thread::spawn(move || serve(&stream, &requests, &*handler));
            }
        });
        Self { address, seen }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything asked so far. Nobody may ever have tried to write.
    pub fn requests(&self) -> Vec<Request> {
        let seen = self.seen.lock().unwrap().clone();
        for request in &seen {
            assert!(request.is_read(), "{request:?}");
        }
        seen
    }

    /// All of them, also of those who write.
    pub fn all(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// The writes that were rejected.
    pub fn writes(&self) -> Vec<Request> {
        self.seen.lock().unwrap().iter().filter(|request| !request.is_read()).cloned().collect()
    }

    pub fn count(&self, path: &str) -> usize {
        self.requests().iter().filter(|r| r.path == path).count()
    }
}

fn serve(mut stream: &TcpStream, requests: &Mutex<Vec<Request>>, handler: &Handler) {
    let Some(request) = read(stream) else {
        // As Go's server answers a TLS handshake.
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        return;
    };
    requests.lock().unwrap().push(request.clone());
    let answer = handler(&request).unwrap_or_else(|| {
        if request.is_read() {
            default_answer(&request)
        } else {
            Answer::status(405, "MethodNotAllowed", "read only")
        }
    });
    let mut head = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", answer.status);
    if answer.stream.is_none() {
        head.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
    }
    for (name, value) in &answer.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    // The client may have gone away.
    let _ = stream.write_all(format!("{head}\r\n{}", answer.body).as_bytes());
    for more in answer.stream.into_iter().flatten() {
        if stream.write_all(more.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = reader.by_ref().lines();
    let first = lines.next()?.ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = Vec::new();
    for line in lines {
        let line = line.ok()?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut request = Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: String::new(),
    };
    let length = request.header("content-length").first().and_then(|l| l.parse().ok()).unwrap_or(0);
    reader.take(length).read_to_string(&mut request.body).ok()?;
    Some(request)
}

/// A small cluster: one node, one pod, nothing else; no device classes. Everything is allowed.
fn default_answer(request: &Request) -> Answer {
    if request.has("watch=true") {
        // Nothing happens, and the watch does not end, either.
        return Answer::silent();
    }
    match request.path.as_str() {
        "/version" => Answer::ok(r#"{"major":"1","minor":"37","gitVersion":"v1.37.1"}"#),
        "/readyz" => Answer::ok("ok"),
        path if path.ends_with("/selfsubjectaccessreviews") => {
            review(true, "RBAC: allowed by ClusterRoleBinding \"all\"")
        }
        path if path.ends_with("/selfsubjectreviews") => Answer::created(
            &serde_json::json!({"status": {"userInfo": {"username": "jane", "groups": ["system:authenticated"]}}}),
        ),
        "/api/v1/nodes" => list("NodeList", &["n1"], "10", ""),
        "/api/v1/pods" => list("PodList", &["p1"], "20", ""),
        path if path.contains("deviceclasses") => {
            Answer::status(404, "NotFound", "the server could not find the requested resource")
        }
        _ => list("List", &[], "30", ""),
    }
}

/// The answer to an access review, as a server of 1.37 gives it.
pub fn review(allowed: bool, reason: &str) -> Answer {
    let mut status = serde_json::json!({"allowed": allowed});
    if !reason.is_empty() {
        status["reason"] = reason.into();
    }
    Answer::created(
        &serde_json::json!({"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
        "metadata": {}, "spec": {}, "status": status}),
    )
}

/// A list of objects with these names.
pub fn list(kind: &str, names: &[&str], version: &str, token: &str) -> Answer {
    let items: Vec<_> = names
        .iter()
        .map(|n| serde_json::json!({"metadata": {"name": n, "uid": format!("u-{n}")}, "x-unknown": [{"y": 1}]}))
        .collect();
    Answer::ok(
        serde_json::json!({"kind": kind, "apiVersion": "v1",
            "metadata": {"resourceVersion": version, "continue": token, "remainingItemCount": 1}, "items": items})
        .to_string(),
    )
}
