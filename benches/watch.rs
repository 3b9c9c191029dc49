//! What `pending --watch` and `simulate --apply` ask of an API server, and how soon a change is
//! shown, at 1,000 nodes and 30,000 pods: one table.
//!
//! `cargo bench --bench watch` measures the program, or the one of `-- --now FILE`; `-- --before
//! FILE` another one beside it, `-- --write` puts the table into benches/PERFORMANCE.md. The server is one of
//! our own making, on loopback: its answers are ready when they are asked for, uncompressed JSON,
//! so that the times are those of the program and of the wire.

#![allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::allow_attributes,
    dead_code,
    missing_docs,
    reason = "a program of the developers, not a part of the product"
)]

#[path = "../tests/live/server.rs"]
mod server;
#[path = "watch/world.rs"]
mod world;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use world::{Counts, Size, World};

/// Nodes, each with 30 pods; with `--quick` a tenth of them.
const NODES: usize = 1000;
/// Changes whose way to the list is measured.
const MARKS: usize = 10;
/// Other Events per second.
const RATES: [u64; 2] = [25, 1000];
const PATIENCE: Duration = Duration::from_secs(300);
/// What surrounds the table in the document.
const MARKERS: [&str; 2] =
    ["<!-- written by `cargo bench --bench watch -- --write` -->\n", "<!-- end -->\n"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named =
        |flag: &str| arguments.iter().position(|a| a == flag).and_then(|at| arguments.get(at + 1));
    let own = env!("CARGO_BIN_EXE_kubectl-preempt").to_owned();
    let mut programs = vec![("now", PathBuf::from(named("--now").unwrap_or(&own)))];
    if let Some(before) = named("--before") {
        programs.insert(0, ("before", PathBuf::from(before)));
    }
    let nodes =
        if arguments.iter().any(|argument| argument == "--quick") { NODES / 10 } else { NODES };
    let mut table =
        "| | program | GETs | of them watches | received | shown after, median | at most | processor time | memory |\n\
                     | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for rate in RATES {
        for (name, program) in &programs {
            table.push_str(&pending(name, program, rate, nodes));
        }
    }
    for (name, program) in &programs {
        table.push_str(&apply(name, program, nodes));
    }
    println!("{table}");
    if arguments.iter().any(|argument| argument == "--write") {
        write(&table);
    }
}

fn write(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/PERFORMANCE.md");
    let text = fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once(MARKERS[0]).unwrap();
    let (_, tail) = rest.split_once(MARKERS[1]).unwrap();
    fs::write(&path, format!("{head}{}{table}{}{tail}", MARKERS[0], MARKERS[1])).unwrap();
}

/// A cluster with four victims and pods of 6 KB.
fn size(nodes: usize) -> Size {
    Size { nodes, victims: 4, padding: 5500 }
}

/// A running program.
struct Run {
    child: Child,
    lines: Receiver<String>,
    folder: tempfile::TempDir,
}

fn start(program: &Path, world: &World, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let config = serde_json::json!({"apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": world.url()}}], "users": [{"name": "u", "user": {"token": "t"}}]});
    let path = folder.path().join("config");
    fs::write(&path, config.to_string()).unwrap();
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("KUBECONFIG", &path).env("HOME", folder.path());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let (sender, lines) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        out.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)))
    });
    Run { child, lines, folder }
}

impl Run {
    /// Waits for a line with this text.
    fn until(&self, text: &str) {
        let start = Instant::now();
        loop {
            let line =
                self.lines.recv_timeout(PATIENCE.saturating_sub(start.elapsed())).expect("a line");
            if line.contains(text) {
                return;
            }
        }
    }

    /// Seconds of processor time and most MiB of memory so far.
    fn costs(&self) -> (f64, u64) {
        let of =
            |file: &str| fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap();
        let stat = of("stat");
        let fields: Vec<u64> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        let status = of("status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
        // In ticks of a hundredth of a second.
        ((fields[11] + fields[12]) as f64 / 100.0, kib >> 10)
    }
}

/// `pending --watch` while so many events come every second, and now and then a pod that waits.
fn pending(name: &str, program: &Path, rate: u64, nodes: usize) -> String {
    let world = World::start(size(nodes));
    let mut run = start(program, &world, &["pending", "-A", "-w", "--no-headers", "-q"]);
    run.until("web");
    world.wait_for_watch();
    let stop = Arc::new(AtomicBool::new(false));
    let (events, stopped) = (world.clone(), stop.clone());
    let storm = thread::spawn(move || {
        let start = Instant::now();
        let mut sent = 0;
        while !stopped.load(Ordering::Relaxed) {
            let due = start.elapsed().as_millis() as u64 * rate / 1000;
            (sent..due).for_each(|number| events.touch(number));
            sent = due.max(sent);
            thread::sleep(Duration::from_millis(5));
        }
    });
    let (before, began, cost) = (world.counts(), Instant::now(), run.costs().0);
    let mut times: Vec<Duration> = (0..MARKS)
        .map(|number| {
            thread::sleep(Duration::from_millis(1000 + 137 * number as u64));
            let name = format!("mark-{number}");
            world.put_waiting(&name, 10);
            let start = Instant::now();
            run.until(&name);
            start.elapsed()
        })
        .collect();
    let (counts, lasted, (cpu, memory)) =
        (world.counts().since(before), began.elapsed().as_secs_f64(), run.costs());
    stop.store(true, Ordering::Relaxed);
    storm.join().unwrap();
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    times.sort();
    let share = (cpu - cost) / lasted * 100.0;
    let minute = 60.0 / lasted;
    format!(
        "| `pending -A -w`, {rate} events/s, a minute | {name} | {:.0} | {:.0} | {:.0} MiB | {:.2} s | {:.2} s | {share:.0} % | {memory} MiB |\n",
        counts.gets as f64 * minute,
        counts.watches as f64 * minute,
        counts.mib() * minute,
        times[MARKS / 2].as_secs_f64(),
        times[MARKS - 1].as_secs_f64(),
    )
}

/// `simulate --apply` with four victims.
fn apply(name: &str, program: &Path, nodes: usize) -> String {
    let world = World::start(size(nodes));
    let start_time = Instant::now();
    let arguments = [
        "simulate",
        "web",
        "-n",
        "shop",
        "--apply",
        "--yes",
        "-q",
        "-o",
        "json",
        "--timeout",
        "300s",
    ];
    let mut run = start(program, &world, &arguments);
    let mut costs = (0.0, 0);
    while run.child.try_wait().unwrap().is_none() {
        costs = run.costs_if_there().unwrap_or(costs);
        thread::sleep(Duration::from_millis(10));
        assert!(start_time.elapsed() < PATIENCE, "the program does not end");
    }
    let took = start_time.elapsed().as_secs_f64();
    let text: String = run.lines.iter().collect();
    let result: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(result["outcome"], "Applied", "{result:#}");
    let Counts { gets, watches, .. } = world.counts();
    format!(
        "| `simulate --apply`, 4 victims, {took:.1} s | {name} | {gets} | {watches} | {:.0} MiB | | | {:.1} s | {} MiB |\n",
        world.counts().mib(),
        costs.0,
        costs.1
    )
}

impl Run {
    /// The same as [`Self::costs`], unless the program has ended.
    fn costs_if_there(&self) -> Option<(f64, u64)> {
        let alive = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        alive.contains("VmHWM:").then(|| self.costs())
    }
}
