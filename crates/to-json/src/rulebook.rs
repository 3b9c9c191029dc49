//! The rulebook as JSON.

use crate::ToJson;
use answers::questions::rules::RulesReport;
use engine::profile::change;
use engine::rules::{MessagePart, RulebookEntry};
use json::rules::{Part, Rule as JsonRule, RuleList};
use json::{ApiVersion, Text, kind};

/// The JSON of rules, or of a message with the rules of its parts.
impl ToJson for RulesReport {
    type Json = RuleList;

    fn json(&self) -> RuleList {
        RuleList {
            api_version: ApiVersion::default(),
            kind: kind::RuleList::default(),
            items: self.rules().into_iter().map(item).collect(),
            parts: match self {
                RulesReport::All(_) | RulesReport::Named(_) => None,
                RulesReport::Message(parts) => Some(parts.iter().map(part).collect()),
            },
        }
    }
}

fn part(part: &MessagePart) -> Part {
    Part {
        text: part.text.clone(),
        nodes: part.nodes,
        preemption: part.preemption,
        code: part.rule.as_ref().map(|rule| rule.code.into()),
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
