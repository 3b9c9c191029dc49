//! A question is answered alike in every outlet: the JSON of its command is what the server for agents and
//! the page for browsers have, and what the JSON says in words stands on the screen, in Markdown and in
//! HTML. Text and JSON end with the same code.

use serde_json::{Value, json};

use super::outlets::{Contradictions, Input, NOW, Said, items, text};
use crate::cli::page::Browser;
use crate::mcp::Session;

/// A question in the words of each outlet.
struct Question {
    /// The command without its format.
    command: Vec<String>,
    /// The tool and its arguments.
    tool: (&'static str, Value),
    /// The page's question, and what it is about.
    page: Option<(&'static str, String)>,
    /// The paths of what its JSON says in words; through lists, their items are meant.
    words: &'static [&'static str],
    /// The other formats that say the same words.
    formats: &'static [&'static str],
}

/// Every question that can be asked about a cluster, of which `pod` waits and `node` runs pods.
fn questions(pod: Option<(&str, &str)>, node: Option<&str>) -> Vec<Question> {
    let new = |command: &[&str], tool: &'static str, arguments: Value| Question {
        command: command.iter().map(ToString::to_string).collect(),
        tool: (tool, arguments),
        page: None,
        words: &[],
        formats: &[],
    };
    let about = |asked: &'static str, about: &str| Some((asked, about.to_owned()));
    let mut all = vec![
        Question {
            page: about("simulate", ""),
            words: &["text", "counts"],
            ..new(&["simulate", "-A"], "placement_simulate", json!({}))
        },
        Question {
            page: about("nodesNeeded", ""),
            words: &["text"],
            ..new(
                &["simulate", "-A", "--nodes-needed"],
                "placement_simulate",
                json!({"nodes_needed": true}),
            )
        },
        Question {
            page: about("risk", ""),
            words: &["text"],
            ..new(&["risk", "-A"], "pods_risk", json!({}))
        },
        Question {
            page: about("evictions", ""),
            words: &["items.text"],
            ..new(&["why-evicted", "-A"], "evictions_explain", json!({}))
        },
        Question {
            page: about("suggest", ""),
            ..new(&["suggest", "-A"], "changes_suggest", json!({}))
        },
        Question {
            page: about("headroom", "cpu=1"),
            words: &["text"],
            formats: &["html"],
            ..new(&["headroom", "cpu=1"], "headroom_count", json!({"pod": "cpu=1"}))
        },
        Question {
            page: about("audit", ""),
            words: &["items.text"],
            ..new(&["audit"], "cluster_audit", json!({}))
        },
        Question {
            page: about("verify", ""),
            ..new(&["verify", "-A"], "messages_verify", json!({}))
        },
        Question {
            page: about("compare", "1.34,1.37"),
            words: &["text", "counts"],
            ..new(
                &["explain", "-A", "--compare", "1.34,1.37"],
                "versions_compare",
                json!({"versions": ["1.34", "1.37"]}),
            )
        },
        new(&["pending", "-A"], "pods_pending", json!({})),
    ];
    if let Some((namespace, name)) = pod {
        all.push(Question {
            words: &["headline", "remedies.summary", "selected.victims.sets.name"],
            formats: &["markdown", "html"],
            ..new(
                &["explain", name, "-n", namespace],
                "pod_explain",
                json!({"pod": name, "namespace": namespace}),
            )
        });
    }
    if let Some(node) = node {
        all.extend([
            Question {
                page: about("node", node),
                words: &["text", "items.text"],
                ..new(&["node", node], "nodes_removable", json!({"nodes": [node]}))
            },
            Question {
                page: about("loss", node),
                words: &["text", "items.text"],
                ..new(&["simulate", "--fail", node], "node_loss", json!({"fail": [node]}))
            },
            Question {
                words: &["text"],
                ..new(
                    &["simulate", "--drain", node],
                    "placement_simulate",
                    json!({"drain": [node]}),
                )
            },
        ]);
    }
    all
}

/// Where the outlets contradict each other about an input.
pub(super) fn contradictions(input: &Input, found: &mut Contradictions) {
    let pending = input.ask(&["pending", "-A", "-o", "json"]).json().unwrap_or_default();
    let is_pod = |row: &&Value| row["podGroup"].is_null() && row["name"].is_string();
    let pod = items(&pending).iter().find(is_pod);
    let pod = pod.map(|row| (text(&row["namespace"]), text(&row["name"])));
    let risk = input.ask(&["risk", "-A", "-o", "json"]).json().unwrap_or_default();
    let node = items(&risk).iter().filter_map(|item| item["pods"].as_array()).flatten().next();
    let node = node.map(|pod| text(&pod["node"]));
    let asked = questions(pod, node);
    let agents = ask_agents(input, &asked);
    let mut page = Browser::with(&input.file, NOW);
    for (question, agent) in asked.iter().zip(agents) {
        let command: Vec<&str> = question.command.iter().map(String::as_str).collect();
        let name = command.join(" ");
        let printed = input.ask(&[&command[..], &["-o", "json"]].concat());
        let screen = input.ask(&command);
        found.same(&format!("{name}: exit of text, and of JSON"), screen.code, printed.code);
        let Some(answer) = printed.json() else { continue };
        found.same(&format!("{name}: JSON, and the tool's"), differing(&answer, &agent), "");
        // The page takes no flags.
        if let Some((asked, about)) = question.page.as_ref().filter(|_| input.flags.is_empty()) {
            let on_page = ask_page(&mut page, asked, about);
            found.same(&format!("{name}: JSON, and the page's"), differing(&answer, &on_page), "");
        }
        stands_everywhere(input, question, &answer, &screen, found);
        // Of these the first line says with its sign how the command ends.
        if ["node", "headroom"].contains(&command[0]) || command.contains(&"--fail") {
            let code = match screen.first_line().chars().next() {
                Some('✓') => 0,
                Some('✗') => 1,
                _ => 3,
            };
            found.same(&format!("{name}: sign, and exit"), code, screen.code);
        }
    }
}

/// What the JSON says in words stands in every format that is read.
fn stands_everywhere(
    input: &Input,
    question: &Question,
    answer: &Value,
    screen: &Said,
    found: &mut Contradictions,
) {
    let command: Vec<&str> = question.command.iter().map(String::as_str).collect();
    let mut words = Vec::new();
    for path in question.words {
        said_at(answer, &path.split('.').collect::<Vec<_>>(), &mut words);
    }
    let is_silent = words.is_empty() && question.words.iter().any(|path| !path.contains('.'));
    found.same(&format!("{}: the JSON says nothing in words", command.join(" ")), is_silent, false);
    let mut shown = vec![("wide", input.ask(&[&command[..], &["-o", "wide"]].concat()).text)];
    if screen.text.is_empty() || shown[0].1.is_empty() {
        shown = vec![("text", screen.text.clone())];
    }
    for format in question.formats {
        shown.push((format, input.ask(&[&command[..], &["-o", format]].concat()).text));
    }
    for (format, shown) in shown {
        let shown = plain(&shown);
        for said in &words {
            let stands = shown.contains(&plain(said));
            found.same(&format!("{} -o {format} says {said:?}", command.join(" ")), stands, true);
        }
    }
}

/// The texts at a path.
fn said_at<'v>(value: &'v Value, path: &[&str], said: &mut Vec<&'v str>) {
    match (value, path) {
        (Value::Array(items), _) => items.iter().for_each(|item| said_at(item, path, said)),
        (Value::String(text), []) => said.push(text),
        (Value::Object(fields), [first, rest @ ..]) => {
            if let Some(field) = fields.get(*first) {
                said_at(field, rest, said);
            }
        }
        _ => {}
    }
}

/// A text without what formats add: marks of Markdown, tags and entities of HTML, breaks of lines.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_tag = false;
    for character in text.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            '\\' | '`' | '*' | '\u{2060}' | '\u{200b}' => {}
            _ if character.is_whitespace() => {}
            _ => plain.push(character),
        }
    }
    // A sentence begins with a capital letter where it stands alone.
    let plain = plain.to_lowercase();
    plain.replace("&amp;", "&").replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<")
}

/// The first path at which two answers differ; paths of files, which outlets name in their way, count as equal.
fn differing(one: &Value, other: &Value) -> String {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            for key in keys {
                if key == "check" {
                    continue;
                }
                let (left, right) = (one.get(key), other.get(key));
                let below = differing(left.unwrap_or(&Value::Null), right.unwrap_or(&Value::Null));
                if !below.is_empty() {
                    return format!(".{key}{below}");
                }
            }
            String::new()
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            let mut below = pairs.map(|(at, (one, other))| (at, differing(one, other)));
            let first = below.find(|(_, below)| !below.is_empty());
            first.map(|(at, below)| format!("[{at}]{below}")).unwrap_or_default()
        }
        _ if one == other => String::new(),
        _ => format!(": {one} is not {other}"),
    }
}

/// The values of the full answers of the server for agents.
fn ask_agents(input: &Input, asked: &[Question]) -> Vec<Value> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(async {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        command.arg("mcp").args(input.flags).args(["--now", NOW, "--from"]).arg(&input.file);
        let session = Session::start(&mut command).await;
        let mut answers = Vec::new();
        for question in asked {
            let (tool, mut arguments) = question.tool.clone();
            arguments["detail"] = json!("full");
            arguments["max_rows"] = json!(500);
            let result = session.call(tool, arguments).await;
            answers.push(result.structured_content.unwrap()["values"].clone());
        }
        answers
    })
}

/// The JSON of the page's answer; the answer itself if it has none.
fn ask_page(page: &mut Browser, question: &str, about: &str) -> Value {
    let answer = page.ask(&json!({"ask": "other", "question": question, "about": about}));
    serde_json::from_str(text(&answer["json"])).unwrap_or(answer)
}
