//! Stands between the program and the API server and makes things go wrong: the request that a
//! fault waits for is answered by the proxy, cut off before or after it reached the server,
//! answered late, or held until the test has done something. What watches bring may be held back at
//! random, for a while or for ever. Everything else is passed on. The program speaks plain HTTP
//! with it, so that what goes wrong is seen as it is.

use std::io::{BufReader, Read as _, Result, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::Value;

use crate::http::{Api, Message, Tls, connect};
use crate::plane::{PATIENCE, Plane, config};

/// What goes wrong.
pub enum Fault {
    /// The proxy answers; the server is not asked.
    Answer { code: u16, headers: &'static [(&'static str, &'static str)], body: Value },
    /// The connection ends; the server is not asked.
    CutBefore,
    /// The server does what it is asked, and the connection ends without an answer.
    CutAfter,
    /// The server does what it is asked; the answer comes so much later.
    Late(Duration),
    /// Nothing is passed on until the test says so.
    HoldBefore(Hold),
    /// The server does what it is asked; its answer is not passed on until the test says so.
    HoldAfter(Hold),
    /// The server does what it is asked; when the test says so, the connection ends without an
    /// answer.
    LoseAfter(Hold),
}

/// As often as such a request comes, which is at least once.
pub const ALWAYS: usize = usize::MAX;

/// The proxy's side of a [`Gate`].
pub struct Hold {
    reached: Sender<()>,
    released: Mutex<Receiver<()>>,
}

/// The test's side: a place where a request waits.
pub struct Gate {
    reached: Receiver<()>,
    release: Sender<()>,
}

impl Gate {
    fn new() -> (Self, Hold) {
        let (reached, is_reached) = channel();
        let (release, released) = channel();
        (Self { reached: is_reached, release }, Hold { reached, released: Mutex::new(released) })
    }

    /// Waits until the request is there.
    pub fn reached(&self) {
        self.reached.recv_timeout(PATIENCE).expect("a request comes to the gate");
    }

    /// Lets it go on.
    pub fn release(self) {
        let _ = self.release.send(());
    }
}

impl Hold {
    fn wait(&self) {
        // The test may have failed meanwhile; then it does not matter.
        let _ = self.reached.send(());
        let _ = self.released.lock().expect("a receiver").recv_timeout(PATIENCE);
    }
}

/// When a request is seen: on its way to the server, or when the server has answered and the
/// program does not know it yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Before,
    After,
}

/// What sees every request, one at a time. The request, or its answer, waits meanwhile.
type Witness = Box<dyn FnMut(&Seen, Moment) + Send>;

/// Which requests a fault is for: `skip` that match pass, then `times` do not. Those that are only
/// tried never match.
struct Rule {
    method: &'static str,
    part: String,
    skip: usize,
    times: usize,
    used: bool,
    fault: Arc<Fault>,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub body: Value,
}

impl Seen {
    /// Whether the server is only to try.
    pub fn is_dry_run(&self) -> bool {
        self.target.contains("dryRun=All") || self.body.to_string().contains("\"dryRun\":[\"All\"]")
    }

    /// Whether it asks for the end of a pod, or tries that.
    pub fn is_removal(&self) -> bool {
        let evicts = self.method == "POST" && self.target.contains("/eviction");
        evicts || self.method == "DELETE" && self.target.contains("/pods/")
    }

    /// Whether it asks for what happens from now on.
    pub fn is_watch(&self) -> bool {
        self.method == "GET" && self.target.contains("watch=true")
    }

    /// Whether it may change something, as far as the method says.
    pub fn is_write(&self) -> bool {
        self.method != "GET" && !self.target.contains("/selfsubject") && !self.is_dry_run()
    }
}

#[derive(Default)]
struct Shared {
    rules: Mutex<Vec<Rule>>,
    seen: Mutex<Vec<Seen>>,
    witness: Mutex<Option<Witness>>,
    /// Says how long what watches bring is held back, where it is.
    delays: Mutex<Option<Rng>>,
    held_back: AtomicUsize,
    stop: AtomicBool,
}

/// How late a watch is from now on. Nothing overtakes anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delay {
    /// What comes next is so late.
    Of(Duration),
    /// It stays open, and nothing comes any more.
    ForEver,
}

impl Delay {
    fn any(rng: &mut Rng) -> Self {
        match rng.u32(0..8) {
            0 | 1 => Self::Of(Duration::ZERO),
            2..=4 => Self::Of(Duration::from_millis(rng.u64(50..1500))),
            5 => Self::Of(Duration::from_millis(rng.u64(1500..6000))),
            _ => Self::ForEver,
        }
    }
}

pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Before the API server of `plane`.
    pub fn start(plane: &Plane) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let (theirs, server) = (shared.clone(), plane.admin());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if theirs.stop.load(Ordering::Relaxed) {
                    return;
                }
                let (shared, server) = (theirs.clone(), server.clone());
                // Either side may end a connection at any time.
                std::thread::spawn(move || shared.serve(stream, &server));
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Lets something go wrong with the next request of this method with `part` in its path or
    /// query.
    pub fn fault(&self, method: &'static str, part: &str, fault: Fault) -> &Self {
        self.fault_at(method, part, 0, 1, fault)
    }

    /// The same with `times` requests, after `skip` have passed.
    pub fn fault_at(
        &self,
        method: &'static str,
        part: &str,
        skip: usize,
        times: usize,
        fault: Fault,
    ) -> &Self {
        let rule = Rule {
            method,
            part: part.to_owned(),
            skip,
            times,
            used: false,
            fault: Arc::new(fault),
        };
        self.shared.rules.lock().expect("rules").push(rule);
        self
    }

    /// The next request of this kind waits at the gate before it is passed on.
    pub fn gate_before(&self, method: &'static str, part: &str) -> Gate {
        self.gate(method, part, 0, Fault::HoldBefore)
    }

    /// The answer to the next request of this kind waits at the gate.
    pub fn gate_after(&self, method: &'static str, part: &str) -> Gate {
        self.gate(method, part, 0, Fault::HoldAfter)
    }

    /// A gate of any kind, after `skip` such requests.
    pub fn gate(
        &self,
        method: &'static str,
        part: &str,
        skip: usize,
        kind: fn(Hold) -> Fault,
    ) -> Gate {
        let (gate, hold) = Gate::new();
        self.fault_at(method, part, skip, 1, kind(hold));
        gate
    }

    /// Shows every request from now on to `witness`.
    pub fn show(&self, witness: impl FnMut(&Seen, Moment) + Send + 'static) {
        *self.shared.witness.lock().expect("a witness") = Some(Box::new(witness));
    }

    /// From now on what watches bring comes late or never, as `rng` says. That a watch has begun is
    /// told at once.
    pub fn hold_back_watches(&self, rng: Rng) {
        *self.shared.delays.lock().expect("delays") = Some(rng);
    }

    /// How often something that a watch brought was held back.
    pub fn held_back(&self) -> usize {
        self.shared.held_back.load(Ordering::Relaxed)
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().expect("requests").clone()
    }

    /// How many requests of a method had `part` in their target; those that were only to be tried
    /// do not count.
    pub fn count(&self, method: &str, part: &str) -> usize {
        let counts = |seen: &&Seen| {
            seen.method == method && seen.target.contains(part) && !seen.is_dry_run()
        };
        self.seen().iter().filter(counts).count()
    }

    /// Every fault has happened.
    #[track_caller]
    pub fn used_up(&self) {
        for rule in self.shared.rules.lock().expect("rules").iter() {
            let used = rule.used && [0, ALWAYS].contains(&rule.times);
            assert!(used, "no such request came: {} {}", rule.method, rule.part);
        }
    }

    /// A kubeconfig of `user` that leads here.
    pub fn kubeconfig(&self, plane: &Plane, user: &str) -> PathBuf {
        let path = plane.folder().join(format!("{user}-{}", self.address.port()));
        std::fs::write(&path, config(user, &format!("http://{}", self.address), None))
            .expect("a file");
        path
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // It waits for a connection.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn fault_of(&self, seen: &Seen) -> Option<Arc<Fault>> {
        let mut rules = self.rules.lock().expect("rules");
        let meant = |rule: &&mut Rule| {
            rule.method == seen.method && seen.target.contains(&rule.part) && rule.times > 0
        };
        let rule = rules.iter_mut().find(meant).filter(|_| !seen.is_dry_run())?;
        if rule.skip > 0 {
            rule.skip -= 1;
            return None;
        }
        rule.used = true;
        rule.times -= usize::from(rule.times != ALWAYS);
        Some(rule.fault.clone())
    }

    fn show(&self, seen: &Seen, moment: Moment) {
        if let Some(witness) = self.witness.lock().expect("a witness").as_mut() {
            witness(seen, moment);
        }
    }

    /// Takes one request. The connection then ends: that is said to both sides, so that nobody
    /// sends a second.
    fn serve(&self, mut client: TcpStream, server: &Api) -> Result<()> {
        let Some(mut request) = Message::read(&mut BufReader::new(client.try_clone()?))? else {
            return Ok(());
        };
        let (method, target) = request.target();
        let body = serde_json::from_slice(&request.body).unwrap_or_default();
        let seen = Seen { method: method.into(), target: target.into(), body };
        self.seen.lock().expect("requests").push(seen.clone());
        self.show(&seen, Moment::Before);
        let fault = self.fault_of(&seen);
        match fault.as_deref() {
            Some(Fault::Answer { code, headers, body }) => {
                return answer(&mut client, *code, headers, body);
            }
            Some(Fault::CutBefore) => return client.shutdown(Shutdown::Both),
            Some(Fault::HoldBefore(hold)) => hold.wait(),
            Some(Fault::CutAfter | Fault::Late(_) | Fault::HoldAfter(_) | Fault::LoseAfter(_))
            | None => {}
        }
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("connection"));
        request.headers.push(("Connection".to_owned(), "close".to_owned()));
        let mut upstream = connect(server.address, &server.tls, Duration::from_secs(600))?;
        upstream.write_all(&request.bytes())?;
        upstream.flush()?;
        let delays =
            self.delays.lock().expect("delays").as_mut().filter(|_| seen.is_watch()).map(Rng::fork);
        if let Some(rng) = delays {
            return self.pass_on_late(&seen, &mut upstream, &mut client, rng);
        }
        let mut chunk = vec![0; 1 << 16];
        let mut first = true;
        loop {
            let length = upstream.read(&mut chunk).unwrap_or(0);
            if first {
                // The server has done what it was asked.
                self.show(&seen, Moment::After);
                match fault.as_deref() {
                    Some(Fault::CutAfter) => return client.shutdown(Shutdown::Both),
                    Some(Fault::Late(time)) => std::thread::sleep(*time),
                    Some(Fault::HoldAfter(hold)) => hold.wait(),
                    Some(Fault::LoseAfter(hold)) => {
                        hold.wait();
                        return client.shutdown(Shutdown::Both);
                    }
                    Some(Fault::Answer { .. } | Fault::CutBefore | Fault::HoldBefore(_)) | None => {
                    }
                }
                first = false;
            }
            if length == 0 {
                return client.shutdown(Shutdown::Both);
            }
            client.write_all(&chunk[..length])?;
        }
    }

    /// Passes the answer to a watch on: its head at once, all that follows late, in the order in
    /// which it came.
    fn pass_on_late(
        &self,
        seen: &Seen,
        upstream: &mut Tls,
        client: &mut TcpStream,
        mut rng: Rng,
    ) -> Result<()> {
        let mut chunk = vec![0; 1 << 16];
        let mut head = Vec::new();
        let mut body = loop {
            let length = upstream.read(&mut chunk).unwrap_or(0);
            head.extend_from_slice(&chunk[..length]);
            if let Some(end) = head.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break head.split_off(end + 4);
            }
            if length == 0 {
                return client.shutdown(Shutdown::Both);
            }
        };
        self.show(seen, Moment::After);
        client.write_all(&head)?;
        loop {
            if !body.is_empty() {
                let delay = Delay::any(&mut rng);
                self.held_back
                    .fetch_add(usize::from(delay != Delay::Of(Duration::ZERO)), Ordering::Relaxed);
                self.sleep(delay);
                client.write_all(&body)?;
            }
            let length = upstream.read(&mut chunk).unwrap_or(0);
            if length == 0 {
                return client.shutdown(Shutdown::Both);
            }
            body = chunk[..length].to_vec();
        }
    }

    /// Sleeps so long, or until the proxy ends.
    fn sleep(&self, delay: Delay) {
        let start = Instant::now();
        let is_over = || match delay {
            Delay::Of(time) => start.elapsed() >= time,
            Delay::ForEver => false,
        };
        while !is_over() && !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn answer(client: &mut TcpStream, code: u16, headers: &[(&str, &str)], body: &Value) -> Result<()> {
    // A body that is a string is one that no part of Kubernetes has written.
    let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    let mut head =
        format!("HTTP/1.1 {code} X\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    client.write_all(format!("{head}\r\n{body}").as_bytes())?;
    client.shutdown(Shutdown::Both)
}
