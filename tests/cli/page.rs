//! The page for browsers, without a browser: what it answers to each question is what the command
//! prints with `-o json`, byte for byte, and what it refuses is refused in the same words.

use std::io;
use std::path::Path;

use page::{Host, PageSession};
use serde_json::{Value, json};

use super::{EXAMPLE_POD, NOW, example, run};

/// The dropped file.
struct Memory(Vec<u8>);

impl Host for Memory {
    fn read(&self, _: u32, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.0[usize::try_from(offset).unwrap()..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn progress(&self, _: u32, _: u64) {}
}

/// The page, on which a file was dropped.
pub(crate) struct Browser {
    session: PageSession,
    host: Memory,
}

impl Browser {
    pub(crate) fn with(file: &Path, present: &str) -> Self {
        let host = Memory(std::fs::read(file).unwrap());
        let name = file.file_name().unwrap().to_str().unwrap();
        let files = json!([{"path": name, "size": host.0.len()}]);
        let read = json!({"ask": "read", "name": name, "isDirectory": false, "files": files, "present": present});
        let mut browser = Self { session: PageSession::default(), host };
        let answer = browser.ask(&read);
        assert_eq!(answer["answer"], "read", "{}: {answer}", file.display());
        browser
    }

    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        serde_json::from_str(&self.session.ask(&question.to_string(), &self.host)).unwrap()
    }
}

#[test]
fn page_answers_what_the_commands_print() {
    let example = example();
    let mut browser = Browser::with(example.as_ref(), NOW);
    for (question, namespace, about, command) in [
        ("node", "", "worker-3,worker-2", &["node", "worker-3,worker-2"][..]),
        (
            "loss",
            "",
            "worker-3 worker-2",
            &["simulate", "--fail", "worker-3", "--fail", "worker-2"],
        ),
        ("loss", "", "each zone", &["simulate", "--fail-each", "zone"]),
        ("suggest", "", "", &["suggest", "-A"]),
        ("suggest", "shop", EXAMPLE_POD, &["suggest", EXAMPLE_POD, "-n", "shop"]),
        ("headroom", "", "cpu=1,memory=1Gi", &["headroom", "cpu=1,memory=1Gi"]),
        ("headroom", "shop", "deploy/web", &["headroom", "deploy/web", "-n", "shop"]),
        ("risk", "", "", &["risk", "-A"]),
        ("risk", "", "node/worker-1", &["risk", "node/worker-1"]),
        ("audit", "", "", &["audit"]),
        ("simulate", "shop", EXAMPLE_POD, &["simulate", EXAMPLE_POD, "-n", "shop"]),
        ("simulate", "", "", &["simulate", "-A"]),
        ("nodesNeeded", "", "", &["simulate", "-A", "--nodes-needed"]),
        ("verify", "", "", &["verify", "-A"]),
        ("evictions", "", "", &["why-evicted", "-A"]),
        ("compare", "", "1.35,1.37", &["explain", "-A", "--compare", "1.35,1.37"]),
        ("compare", "", "now,1.35", &["pending", "-A", "--compare", "now,1.35"]),
    ] {
        let asked =
            json!({"ask": "other", "question": question, "about": about, "namespace": namespace});
        let answer = browser.ask(&asked);
        let printed = run(&[command, &["--from", &example, "--now", NOW, "-o", "json"]].concat());
        assert_eq!(answer["json"].as_str(), Some(&*printed.out), "{question} {about}: {answer}");
        let html = answer["html"].as_str().unwrap();
        assert!(html.starts_with("<p>") || html.starts_with("<table"), "{question}: {html}");
    }
    let answer = browser.ask(&json!({"ask": "other", "question": "rules", "about": "PRE-302"}));
    assert_eq!(answer["json"].as_str(), Some(&*run(&["rules", "PRE-302", "-o", "json"]).out));
}

#[test]
fn page_refuses_names_that_nothing_has_with_the_near_ones() {
    let mut browser = Browser::with(example().as_ref(), NOW);
    for (question, about, near) in [
        ("node", "worker-33", "nodes \"worker-33\" not found; did you mean one of worker-3"),
        ("node", "", "name a node"),
        ("compare", "1.35", "two versions or more"),
        ("compare", "now,later", "`later` is not a version"),
        ("simulate", "web-6d4cf56db6-q7rt", EXAMPLE_POD),
        ("risk", "node/worker-33", "did you mean one of worker-3"),
        ("suggest", "web-6d4cf56db6-q7rt", EXAMPLE_POD),
        ("rules", "TaintTolerration", "did you mean TaintToleration?"),
    ] {
        let asked = json!({"ask": "other", "question": question, "about": about});
        let answer = browser.ask(&asked);
        assert_eq!(answer["answer"], "error", "{question} {about}: {answer}");
        let problem = answer["problem"].as_str().unwrap();
        assert!(problem.contains(near), "{question} {about}: {problem}");
    }
}
