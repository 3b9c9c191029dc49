//! The rulebook as JSON.

use engine::profile::change;
use engine::rules::{MessagePart, RulebookEntry};
use json::rules::{Part, Rule as JsonRule, RuleList};
use json::{ApiVersion, Text, kind};

/// The JSON of some rules.
pub fn rule_list(rules: &[RulebookEntry]) -> RuleList {
    RuleList {
        api_version: ApiVersion::default(),
        kind: kind::RuleList::default(),
        items: rules.iter().map(item).collect(),
        parts: None,
    }
}

/// The JSON of a message, with the rules of its parts.
pub fn rules_of_message(parts: &[MessagePart]) -> RuleList {
    let mut rules: Vec<&RulebookEntry> = Vec::new();
    for rule in parts.iter().filter_map(|part| part.rule.as_ref()) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let part = |part: &MessagePart| Part {
        text: part.text.clone(),
        nodes: part.nodes,
        preemption: part.preemption,
        code: part.rule.as_ref().map(|rule| rule.code.into()),
    };
    let items = rules.into_iter().map(item).collect();
    RuleList {
        api_version: ApiVersion::default(),
        kind: kind::RuleList::default(),
        items,
        parts: Some(parts.iter().map(part).collect()),
    }
}

fn item(rule: &RulebookEntry) -> JsonRule {
    JsonRule {
        code: rule.code.into(),
        kind: rule.kind.name().into(),
        name: rule.name.into(),
        also: rule.also.iter().map(|name| Text::from(*name)).collect(),
        meaning: rule.meaning.into(),
        preemption: rule.preemption.into(),
        remedy: rule.remedy.map(Text::from),
        obstacle: rule.obstacle.map(|obstacle| obstacle.name().into()),
        since: rule.span.since_text(),
        gone: rule.span.gone_text(),
        link: change::link(rule.source),
    }
}
