//! Next steps of an agent: the commands that an answer names, as calls of tools.

use serde_json::{Map, Value, json};

use super::arguments;
use render::escape::visible;

/// A call of a tool that an answer suggests.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    pub tool: String,
    pub arguments: Map<String, Value>,
}

/// The commands that are tools: the command, the tool, and the argument for what the command names.
const TOOLS: [(&str, &str, &str); 11] = [
    ("explain", "pod_explain", "pod"),
    ("pending", "pods_pending", ""),
    ("simulate", "placement_simulate", "pod"),
    ("risk", "pods_risk", "targets"),
    ("why-evicted", "evictions_explain", "pod"),
    ("node", "nodes_removable", "nodes"),
    ("suggest", "changes_suggest", "pods"),
    ("headroom", "headroom_count", "pod"),
    ("audit", "cluster_audit", ""),
    ("verify", "messages_verify", "pods"),
    ("rules", "rules_explain", "query"),
];

impl ToolCall {
    /// The call that answers what the command answers. `None` if no tool does.
    pub(super) fn of(command: &[String]) -> Option<Self> {
        let (name, words) = command.split_first()?;
        let (_, tool, subject) = TOOLS.into_iter().find(|(command, ..)| command == name)?;
        let schemas = arguments::schemas().ok()?;
        let properties = schemas.get(tool)?.get("properties")?;
        let mut call = Self { tool: tool.to_owned(), arguments: Map::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let argument = match word.strip_prefix("--") {
                _ if word == "-n" => "namespace".to_owned(),
                Some(flag) => flag.replace('-', "_"),
                None => {
                    call.add(subject, properties.get(subject)?, word)?;
                    continue;
                }
            };
            let property = properties.get(&argument)?;
            let is_switch = property["type"] == "boolean";
            let value = if is_switch { "true" } else { words.next()?.as_str() };
            call.add(&argument, property, value)?;
        }
        Some(call)
    }

    /// Adds a value to an argument with this schema. `None` for one that cannot take it.
    fn add(&mut self, argument: &str, property: &Value, value: &str) -> Option<()> {
        let kinds = property["type"].as_array().cloned();
        let kinds = kinds.unwrap_or_else(|| vec![property["type"].clone()]);
        let is = |kind: &str| kinds.iter().any(|one| one == kind);
        if is("array") {
            let items = self.arguments.entry(argument).or_insert_with(|| Value::Array(Vec::new()));
            items.as_array_mut()?.push(value.into());
            return Some(());
        }
        let value = if is("string") { value.into() } else { serde_json::from_str(value).ok()? };
        // A second value for the same argument would replace the first.
        self.arguments.insert(argument.to_owned(), value).is_none().then_some(())
    }

    /// The call as JSON, with names as every answer writes them.
    pub(super) fn json(&self) -> Value {
        let mut arguments = self.arguments.clone();
        arguments.values_mut().for_each(escape);
        json!({"tool": self.tool, "arguments": arguments})
    }

    /// The call as a sentence has it: `pod_explain {"pod":"web"}`.
    pub(super) fn text(&self) -> String {
        let arguments = Value::Object(self.arguments.clone());
        if self.arguments.is_empty() {
            self.tool.clone()
        } else {
            format!("{} {arguments}", self.tool)
        }
    }
}

/// Escapes the invisible characters of a text, or of the texts of a list.
fn escape(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible(text),
        Value::Array(items) => items.iter_mut().for_each(escape),
        _ => {}
    }
}

/// The words of a command that was quoted for a shell by `answers::words::arguments`.
pub(super) fn unquoted(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted, mut is_escaped) = (String::new(), false, false);
    for c in command.chars() {
        match c {
            _ if is_escaped => {
                word.push(c);
                is_escaped = false;
            }
            '\\' if !is_quoted => is_escaped = true,
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Replaces the commands that show remedies, which are arguments, by calls of tools.
pub(super) fn checks_to_calls(answer: &mut Value) {
    match answer {
        Value::Array(items) => items.iter_mut().for_each(checks_to_calls),
        Value::Object(fields) => {
            for (name, value) in fields {
                let command: Option<Vec<String>> = match name.as_str() {
                    "check" => serde_json::from_value(value.clone()).ok(),
                    _ => None,
                };
                match command.and_then(|command| ToolCall::of(&command)) {
                    Some(call) => *value = call.json(),
                    None => checks_to_calls(value),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_answers_are_calls_of_tools() {
        for (command, call) in [
            (
                "explain web-1 -n shop",
                json!({"tool": "pod_explain", "arguments": {"pod": "web-1", "namespace": "shop"}}),
            ),
            ("node a b", json!({"tool": "nodes_removable", "arguments": {"nodes": ["a", "b"]}})),
            (
                "simulate web-1 -n shop --depth 0 --requests cpu=1 --requests memory=1Gi",
                json!({"tool": "placement_simulate", "arguments": {"pod": "web-1", "namespace": "shop",
                    "depth": 0, "requests": ["cpu=1", "memory=1Gi"]}}),
            ),
            (
                "rules 'it'\\''s a message'",
                json!({"tool": "rules_explain", "arguments": {"query": "it's a message"}}),
            ),
            ("risk", json!({"tool": "pods_risk", "arguments": {}})),
        ] {
            let found = ToolCall::of(&unquoted(command)).unwrap();
            assert_eq!(found.json(), call, "{command}");
        }
        for command in ["doctor --rbac", "snapshot", "simulate web-1 --apply", "explain a b", ""] {
            assert_eq!(ToolCall::of(&unquoted(command)), None, "{command}");
        }
    }
}
