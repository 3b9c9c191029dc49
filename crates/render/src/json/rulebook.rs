//! The rulebook as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::profile::change;
use engine::rules::Rule;
use engine::snapshot::API_VERSION;

/// The output type of `rules`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RuleList")]
pub struct JsonRules {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<JsonRule>,
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
        Self { api_version: API_VERSION, kind: "RuleList", items: rules.iter().map(item).collect() }
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
        since: rule.span.since_text(),
        gone: rule.span.gone_text(),
        link: change::link(rule.source),
    }
}
