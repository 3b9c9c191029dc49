//! Whole conversations with the server, line by line: what is answered in each revision of the
//! protocol, to requests at the wrong time and to messages that are none.
//!
//! `sessions.txt` has a heading per conversation, then the lines that are sent (`>`), each with its
//! responses (`<`). What is long or differs by release is shortened, see [`shortened`]. Most answers
//! are the official SDK's, so a new release of it may change some. A line that begins with `//` says
//! why.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::golden;

use super::{NOW, PROGRAM, example};

/// A message that is always answered, whatever was said before: it has no `jsonrpc`.
const MARK: &str = r#"{"id": "mark", "method": "mark"}"#;

/// A conversation: what is sent, each with the responses to it.
struct Conversation<'a> {
    title: &'a str,
    exchanges: Vec<Exchange<'a>>,
}

struct Exchange<'a> {
    sent: &'a str,
    answers: Vec<&'a str>,
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(name)
}

fn conversations(text: &str) -> Vec<Conversation<'_>> {
    let mut found: Vec<Conversation<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            found.push(Conversation { title, exchanges: Vec::new() });
        } else if let Some(sent) = line.strip_prefix("> ") {
            let exchange = Exchange { sent, answers: Vec::new() };
            found.last_mut().unwrap().exchanges.push(exchange);
        } else if let Some(answer) = line.strip_prefix("< ") {
            found.last_mut().unwrap().exchanges.last_mut().unwrap().answers.push(answer);
        } else {
            assert!(line.is_empty() || line.starts_with("//"), "{line}");
        }
    }
    found
}

/// What is shortened to three dots: long texts, and the version of this program.
const SHORTENED: [&str; 4] = [
    "/result/instructions",
    "/result/content",
    "/result/serverInfo/version",
    "/result/_meta/io.modelcontextprotocol~1serverInfo/version",
];

/// The response with the names of tools alone, and of a call's answer only what says how it went.
fn shortened(line: &str) -> String {
    let mut message: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let messages = match &mut message {
        Value::Array(batch) => batch.as_mut_slice(),
        single => std::slice::from_mut(single),
    };
    for message in messages {
        if let Some(tools) = message.pointer_mut("/result/tools") {
            let names = tools.as_array().unwrap().iter().map(|tool| tool["name"].clone());
            *tools = names.collect();
        }
        let text = message.pointer("/result/content/0/text").cloned();
        if let Some(structured) = message.pointer_mut("/result/structuredContent") {
            let text = text.expect("a text for clients that know no structured content");
            assert_eq!(text.as_str().unwrap(), structured.to_string());
            let fields = structured.as_object_mut().unwrap();
            fields.retain(|name, _| ["tool", "certain", "error"].contains(&name.as_str()));
        }
        for pointer in SHORTENED {
            if let Some(part) = message.pointer_mut(pointer) {
                *part = json!("...");
            }
        }
    }
    message.to_string()
}

/// Holds a conversation with a server of its own. Returns what was answered otherwise.
fn differences(conversation: &Conversation<'_>) -> Vec<String> {
    let mut server = Command::new(PROGRAM)
        .args(["mcp", "--now", NOW, "--from"])
        .arg(example())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut found = Vec::new();
    for exchange in &conversation.exchanges {
        writeln!(input, "{}", exchange.sent).unwrap();
        let mut answers = Vec::new();
        // The mark is sent after the answers that are expected, because calls are answered when
        // they are done. What comes before its answer is one answer too many.
        while answers.len() < exchange.answers.len() {
            answers.push(shortened(&output.next().expect("an answer").unwrap()));
        }
        writeln!(input, "{MARK}").unwrap();
        loop {
            let line = output.next().expect("the server lives").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == "mark" {
                break;
            }
            answers.push(shortened(&line));
        }
        if answers != exchange.answers {
            found.push(format!(
                "{}\n> {}\n< {}\nexpected\n< {}",
                conversation.title,
                exchange.sent,
                answers.join("\n< "),
                exchange.answers.join("\n< "),
            ));
        }
    }
    drop(input);
    let code = server.wait().unwrap().code();
    if code != Some(0) {
        found.push(format!("{}: ended with {code:?}", conversation.title));
    }
    found
}

#[test]
fn conversations_are_answered_as_recorded() {
    let text = std::fs::read_to_string(path("sessions.txt")).unwrap();
    let conversations = conversations(&text);
    assert!(conversations.len() > 15, "{}", conversations.len());
    let found: Vec<String> = conversations.iter().flat_map(differences).collect();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// What an agent reads before its first call.
#[test]
fn tools_are_described_as_recorded() {
    let mut command = Command::new(PROGRAM);
    let mut raw = super::wrong::Raw::start(command.args(["mcp", "--from"]).arg(example()));
    raw.send(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#);
    let mut tools = raw.next()["result"]["tools"].take();
    let schemas: Value =
        serde_json::from_str(include_str!("../../src/cli/mcp/arguments.json")).unwrap();
    let mut outputs = Vec::new();
    for tool in tools.as_array_mut().unwrap() {
        let name = tool["name"].as_str().unwrap().to_owned();
        let tool = tool.as_object_mut().unwrap();
        assert_eq!(tool.remove("inputSchema").unwrap(), schemas[&name], "{name}");
        outputs.push(tool.remove("outputSchema").unwrap());
    }
    let output = outputs.pop().unwrap();
    assert!(outputs.iter().all(|other| *other == output), "one schema for the answers of all");
    let text = format!("{:#}\n", json!({"tools": tools, "outputSchema": output}));
    golden::check(path("tools.json"), &text);
    raw.end();
}
