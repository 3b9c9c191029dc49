//! Large files that are no Kubernetes objects, beside some: they are skipped, and nothing is built
//! of them.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{NOW, folder, list, node, pod};

/// Bytes of a foreign file. Built of values, each of them takes more than [`MOST`].
const SIZE: usize = 6 << 20;
/// Memory that the program may write to: what it takes for a small input, and 1.3 times the file.
const MOST: usize = (32 << 20) + SIZE * 13 / 10;

/// As often as it fits.
fn repeated(unit: &str) -> String {
    unit.repeat(SIZE / unit.len())
}

/// The peak of a run's own memory, and what it wrote to standard error. Pages of the program's file
/// do not count: how many of them are resident is up to the machine.
#[cfg(target_os = "linux")]
fn peak(arguments: &[&str]) -> (usize, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        thread::sleep(Duration::from_millis(2));
    }
    (peak, String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn large_foreign_file_is_passed_over_within_its_memory() {
    let objects = list(&[node("n1"), pod("web-1")]);
    for (name, text) in [
        ("numbers.json", format!(r#"{{"a":[{}0]}}"#, repeated("0,"))),
        ("array.json", format!("[{}0]", repeated("0,"))),
        ("data.json", format!(r#"{{"data":[{}{{}}]}}"#, repeated(r#"{"a":1,"b":[{}]},"#))),
        ("text.json", format!(r#"{{"a":"{}"}}"#, repeated("x"))),
        ("deep.json", repeated(r#"{"a":"#)),
        ("logs.ndjson", repeated("{\"level\":\"info\",\"msg\":\"x\"}\n")),
        ("numbers.yaml", format!("a:\n{}", repeated("- 0\n"))),
        ("brackets.yaml", format!("a: [{}0]\n", repeated("0, "))),
        ("documents.yaml", repeated("---\na: 1\n")),
        ("text.yaml", format!("a: |\n{}", repeated("  xxxxxxxxxxxxxxxxxxxxxxxx\n"))),
        ("rules.yaml", format!("rules:\n{}", repeated("- kind: alert\n  metadata: {}\n"))),
    ] {
        let files = folder(&[("objects.json", objects.as_bytes()), (name, text.as_bytes())]);
        let from = files.path().to_str().unwrap();
        let (peak, err) = peak(&["pending", "-A", "--from", from, "--now", NOW]);
        assert_eq!(err, format!("Warning: 1 file is no Kubernetes object: {name}\n"));
        assert!(peak < MOST, "{name}: {} MiB", peak >> 20);
    }
}
