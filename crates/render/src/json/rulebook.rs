//! The rulebook as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::framework::reason::Obstacle;
use engine::profile::change;
use engine::rules::{MessagePart, Rule};
use engine::snapshot::API_VERSION;

/// The output type of `rules`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RuleList")]
pub struct JsonRules {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<JsonRule>,
    /// The parts of the message that was given, in its order; absent if it was something else. `items` are their rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<JsonPart>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MessagePart")]
struct JsonPart {
    text: String,
    /// The number of nodes that it counts, where the message counts nodes.
    nodes: Option<usize>,
    /// Whether it belongs to what the message says of preemption.
    preemption: bool,
    /// The code of its rule; null if the text is not known.
    code: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Rule")]
struct JsonRule {
    /// Stable: `PRE-nnn`.
    code: &'static str,
    kind: &'static str,
    /// The name of a plugin or step, or the text of a message, `{}` for what differs.
    name: &'static str,
    /// Other names; of a message, who says it.
    also: Vec<&'static str>,
    meaning: &'static str,
    /// Whether evicting pods can help.
    preemption: &'static str,
    remedy: Option<&'static str>,
    /// Of a message, what stands in the way of the pod: `Room`, `Toleration`, `Cordon`, `NodeLabels`, `Volume`, `Spread`,
    /// `PodAffinity`, `Devices`, `Wait`, `Pod` or `None`.
    obstacle: Option<&'static str>,
    /// The first release that has it, as far as they are known.
    since: Option<String>,
    /// The first release without it again.
    gone: Option<String>,
    /// Upstream's source.
    link: Option<String>,
}

impl JsonRules {
    /// The output type of some rules.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        Self { api_version: API_VERSION, kind: "RuleList", items: rules.iter().map(item).collect(), parts: None }
    }

    /// The output type of a message.
    #[must_use]
    pub fn of_message(parts: &[MessagePart]) -> Self {
        let mut rules: Vec<&Rule> = Vec::new();
        for rule in parts.iter().filter_map(|part| part.rule.as_ref()) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let part = |part: &MessagePart| JsonPart {
            text: part.text.clone(),
            nodes: part.nodes,
            preemption: part.preemption,
            code: part.rule.as_ref().map(|rule| rule.code),
        };
        let items = rules.into_iter().map(item).collect();
        Self { api_version: API_VERSION, kind: "RuleList", items, parts: Some(parts.iter().map(part).collect()) }
    }
}

fn item(rule: &Rule) -> JsonRule {
    JsonRule {
        code: rule.code,
        kind: rule.kind.name(),
        name: rule.name,
        also: rule.also.clone(),
        meaning: rule.meaning,
        preemption: rule.preemption,
        remedy: rule.remedy,
        obstacle: rule.obstacle.map(Obstacle::name),
        since: rule.span.since_text(),
        gone: rule.span.gone_text(),
        link: change::link(rule.source),
    }
}
