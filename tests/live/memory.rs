//! The memory of commands that decide again and again, on a cluster that changes.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use testing::share;

use self::world::{Size, World};
use super::{Home, kubeconfig, server};

#[expect(dead_code, clippy::cast_precision_loss, reason = "a benchmark uses the rest")]
#[path = "../../benches/watch/world.rs"]
mod world;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(300);
/// What a program may grow by after its first decisions. The clusters of all further ones are
/// several times as large.
const MOST: u64 = 12 << 20;

/// A program that is ended with its test.
struct Running {
    child: Child,
    _home: Home,
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(world: &World, arguments: &[&str]) -> (Running, BufReader<ChildStdout>) {
    let home = Home::empty();
    // With an authority of its own, the client does not load those of the system for each of its
    // connections.
    let authority = rcgen::generate_simple_self_signed(["nobody".to_owned()]).unwrap();
    home.write("ca.pem", &authority.cert.pem());
    home.write(
        "config",
        &kubeconfig(&world.url(), ", certificate-authority: ca.pem", "token: secret"),
    );
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .env_clear()
        .env("KUBECONFIG", home.path("config"))
        .env("HOME", home.folder.path())
        .args(arguments);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (Running { child, _home: home }, out)
}

/// The resident memory of a process in bytes; `None` after its end.
fn resident(run: &Running) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/status", run.child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// 60 victims with every change, whose clusters after the first decisions are together larger
/// than [`MOST`]; 200 in the long run.
#[test]
fn apply_of_many_victims_keeps_its_memory() {
    let victims = share::of(60, 200);
    let world = World::start(Size { nodes: 20, victims, padding: 0 });
    let arguments =
        ["simulate", "web", "-n", "shop", "--apply", "--yes", "-q", "-o", "json", "--timeout=290s"];
    let (mut run, out) = start(&world, &arguments);
    let result = thread::spawn(move || serde_json::from_reader(out));
    let (start, mut first, mut most) = (Instant::now(), None, 0);
    while run.child.try_wait().unwrap().is_none() {
        // There is a decision before each eviction.
        if let Some(bytes) = resident(&run).filter(|_| world.counts().evictions >= 20) {
            first.get_or_insert(bytes);
            most = most.max(bytes);
        }
        assert!(start.elapsed() < PATIENCE, "after {} evictions", world.counts().evictions);
        thread::sleep(Duration::from_millis(10));
    }
    let result: serde_json::Value = result.join().unwrap().unwrap();
    assert_eq!(
        (&result["outcome"], world.counts().evictions),
        (&"Applied".into(), victims),
        "{result:#}"
    );
    let grown = most - first.unwrap();
    assert!(grown < MOST, "{} KiB in {} decisions", grown >> 10, victims - 20);
}

#[test]
fn pending_watched_in_order_keeps_its_memory() {
    let world = World::start(Size { nodes: share::of(60, 100), victims: 0, padding: 0 });
    let (run, out) = start(&world, &["pending", "-A", "-w", "--in-order", "--no-headers", "-q"]);
    let mut lines = out.lines();
    let mut until = |priority: i64| {
        lines
            .find(|line| {
                line.as_ref().unwrap().split_whitespace().any(|cell| cell == priority.to_string())
            })
            .unwrap()
    };
    world.wait_for_watch();
    let mut first = None;
    let decisions = share::of(26, 40);
    for number in 0..decisions {
        world.put_waiting("mark", 3000 + number);
        until(3000 + number).unwrap();
        if number == 9 {
            first = resident(&run);
        }
    }
    let grown = resident(&run).unwrap().saturating_sub(first.unwrap());
    assert!(grown < MOST, "{} KiB in {} decisions", grown >> 10, decisions - 10);
}
