//! What do the scheduler's plugins, steps and messages mean? It reads no cluster.

use engine::rules::{self, LookupResult, MessagePart, RuleKind, RulebookEntry};

use super::{Report, Verdict, in_order};
use crate::error::{AnswerError, CommandHint, Hint};
use crate::similar::{did_you_mean, similar_names};

/// What is asked about.
#[derive(Debug, Clone, Default)]
pub struct RulesRequest {
    /// A plugin, a step, a code or a message; empty for all rules.
    pub query: String,
}

/// The rules, or what the parts of a message mean.
#[derive(Debug, Clone)]
pub enum RulesReport {
    /// All rules, in the order of the rulebook.
    All(Vec<RulebookEntry>),
    /// Those with the name or code.
    Named(Vec<RulebookEntry>),
    /// The parts of a message.
    Message(Vec<MessagePart>),
}

impl Report for RulesReport {
    fn verdict(&self) -> Verdict {
        Verdict::Yes
    }

    fn reorder(&mut self, order: &[usize]) {
        match self {
            Self::All(rules) | Self::Named(rules) => *rules = in_order(rules, order),
            // The parts of a message have an order of their own.
            Self::Message(_) => {}
        }
    }
}

impl RulesReport {
    /// The rules, each once.
    pub fn rules(&self) -> Vec<&RulebookEntry> {
        match self {
            Self::All(rules) | Self::Named(rules) => rules.iter().collect(),
            Self::Message(parts) => {
                let mut rules: Vec<&RulebookEntry> = Vec::new();
                for rule in parts.iter().filter_map(|part| part.rule.as_ref()) {
                    if !rules.contains(&rule) {
                        rules.push(rule);
                    }
                }
                rules
            }
        }
    }
}

/// Looks the rules up.
///
/// # Errors
/// [`AnswerError::Usage`] if there is no such rule, with the names that may have been meant.
pub fn rules(request: &RulesRequest) -> Result<RulesReport, AnswerError> {
    let all = rules::all();
    let query = &request.query;
    if query.trim().is_empty() {
        return Ok(RulesReport::All(all));
    }
    match rules::lookup(query, &all) {
        LookupResult::Rules(some) => Ok(RulesReport::Named(some)),
        LookupResult::Message(parts) => Ok(RulesReport::Message(parts)),
        LookupResult::Nothing => Err(unknown(query, &all)),
    }
}

fn unknown(query: &str, all: &[RulebookEntry]) -> AnswerError {
    if rules::is_state(query) {
        let commands = vec![
            CommandHint::new(&["explain", "POD"], "says why a pod waits"),
            CommandHint::new(&["why-evicted", "POD"], "says how one ended"),
        ];
        let problem = format!("`{query}` is a state of pods or containers, not a rule");
        return AnswerError::usage_hint(problem, commands);
    }
    let problem = format!("no plugin, step, code or message is called `{query}`");
    let number = format!("PRE-{query}");
    let before = match all.iter().find(|rule| rule.code == number) {
        Some(rule) => did_you_mean(&[rule.code]),
        None => did_you_mean(&similar(query, all)),
    };
    let commands = vec![CommandHint::new(&["rules"], "lists all")];
    AnswerError::usage_hint(problem, Hint::Commands { before, commands })
}

/// The names that are similar to `query`, the most similar first.
fn similar(query: &str, rules: &[RulebookEntry]) -> Vec<&'static str> {
    let named = rules.iter().filter(|rule| rule.kind != RuleKind::Message);
    similar_names(query, named.map(|rule| rule.name))
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn similar_names_are_suggested() {
        assert_eq!(similar("TaintTolerration", &engine::rules::all()), ["TaintToleration"]);
    }
}
