//! Finds rules by what a user has: a name, a code, or a message of the scheduler.

use super::{RuleKind, RulebookEntry, component};
use scheduler::decision::fit_error::{self, Sections};

/// The prefix of preemption's text for a group.
const GROUP_PREEMPTION: &str = "pod group preemption: ";
/// The prefix of preemption's text for a pod of a group.
const PREEMPTION: &str = "preemption: ";

/// States of pods and containers, as `kubectl get pods` prints them. Names of rules contain some of
/// these words, but the rule is about something else.
const STATES: [&str; 12] = [
    "Completed",
    "ContainerCreating",
    "Error",
    "Failed",
    "NotReady",
    "Pending",
    "Ready",
    "Running",
    "Succeeded",
    "Terminating",
    "Unknown",
    "Waiting",
];

/// Whether `query` is only a state of pods or containers.
pub fn is_state(query: &str) -> bool {
    STATES.iter().any(|state| state.eq_ignore_ascii_case(query.trim()))
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupResult {
    /// No rule has this code or name, or matches the message.
    Nothing,
    /// Rules with this code or name.
    Rules(Vec<RulebookEntry>),
    /// A message, as its parts in order.
    Message(Vec<MessagePart>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePart {
    /// The text, without its count.
    pub text: String,
    /// The number of nodes in front of it, if the message counts nodes.
    pub nodes: Option<usize>,
    /// Whether it belongs to the message's part about preemption.
    pub preemption: bool,
    /// Its meaning; `None` if unknown.
    pub rule: Option<RulebookEntry>,
}

/// Looks up `query`: a code, the name of a plugin in any version, the name of a step, or a message
/// as in a condition, in an event, or in kubectl's output about events.
pub fn lookup(query: &str, rules: &[RulebookEntry]) -> LookupResult {
    // A name or a code comes before a text: a message may begin with a plugin's name.
    let query = query.trim();
    let same = |name: &str| name.eq_ignore_ascii_case(query);
    let named: Vec<RulebookEntry> = rules
        .iter()
        .filter(|r| {
            same(r.code)
                || same(r.name)
                || (!matches!(r.kind, RuleKind::Message | RuleKind::Component)
                    && r.also.iter().any(|a| same(a)))
        })
        .cloned()
        .collect();
    if !named.is_empty() {
        return LookupResult::Rules(named);
    }
    // Other components' messages quote the scheduler's reasons, so theirs are tried first.
    let (message, is_event) = without_event(query);
    if let Some(parts) =
        component::parts(message, |text| Parts { rules, preemption: false }.part(text, None).rule)
    {
        return LookupResult::Message(parts);
    }
    let parts = Parts { rules, preemption: false }.of(message);
    let is_message = is_event || fit_error::sections(message).is_some();
    if is_message || parts.iter().any(|part| part.rule.is_some()) {
        return LookupResult::Message(parts);
    }
    if is_state(query) {
        return LookupResult::Nothing;
    }
    // What nothing else fits may be a part of a name.
    let lower = query.to_lowercase();
    let similar = rules
        .iter()
        .filter(|r| query.chars().count() >= 4 && r.name.to_lowercase().contains(&lower));
    match similar.cloned().collect::<Vec<RulebookEntry>>() {
        none if none.is_empty() => LookupResult::Nothing,
        similar => LookupResult::Rules(similar),
    }
}

/// Splits messages into parts.
struct Parts<'r> {
    rules: &'r [RulebookEntry],
    preemption: bool,
}

impl Parts<'_> {
    fn of(&self, message: &str) -> Vec<MessagePart> {
        let preemption = Self { preemption: true, ..*self };
        if let Some(Sections { body, others, preemption: text, .. }) = fit_error::sections(message)
        {
            let mut parts = match fit_error::reasons(body) {
                Some(reasons) => {
                    reasons.iter().map(|(text, nodes)| self.part(text, Some(*nodes))).collect()
                }
                None => self.list(body),
            };
            parts.extend(self.list(others));
            parts.extend(text.into_iter().flat_map(|text| preemption.of(text)));
            return parts;
        }
        let cuts = [GROUP_PREEMPTION, PREEMPTION].into_iter();
        let cut = cuts
            .filter_map(|cut| message.split_once(cut))
            .find(|(before, _)| before.is_empty() || before.ends_with(", "));
        let Some((before, text)) = cut.filter(|_| !self.preemption) else {
            return self.list(message);
        };
        let mut parts = self.list(before.trim_end_matches(", "));
        parts.extend(preemption.of(text));
        parts
    }

    /// The parts of a text in which commas separate texts but are also part of some: the longest
    /// known ones, and what is between them.
    fn list(&self, text: &str) -> Vec<MessagePart> {
        let text = text.trim();
        let pieces: Vec<&str> = text.split(", ").collect();
        let (mut parts, mut unknown, mut at) = (Vec::new(), Vec::new(), 0);
        while at < pieces.len() {
            let longest = (at + 1..=pieces.len()).rev().find_map(|to| {
                Some((
                    to,
                    self.known(
                        &pieces.get(at..to).map(|some| some.join(", ")).unwrap_or_default(),
                    )?,
                ))
            });
            if let Some((to, part)) = longest {
                parts.extend(self.unknown(&mut unknown));
                parts.push(part);
                at = to;
            } else {
                unknown.extend(pieces.get(at));
                at += 1;
            }
        }
        parts.extend(self.unknown(&mut unknown));
        parts
    }

    fn unknown(&self, pieces: &mut Vec<&str>) -> Option<MessagePart> {
        let text = std::mem::take(pieces).join(", ");
        (!text.is_empty()).then(|| self.part(&text, None))
    }

    /// A part whose meaning is known. A full stop at its end may be its own, or that of the
    /// message, or it was not copied.
    fn known(&self, text: &str) -> Option<MessagePart> {
        let stripped = text.strip_suffix('.').unwrap_or(text);
        let dotted = format!("{stripped}.");
        [text, stripped, &dotted]
            .into_iter()
            .map(|text| self.part(text, None))
            .find(|part| part.rule.is_some())
    }

    fn part(&self, text: &str, nodes: Option<usize>) -> MessagePart {
        let code = super::find(text).map(|message| message.code);
        let rule = self.rules.iter().find(|rule| Some(rule.code) == code).cloned();
        MessagePart { text: text.to_owned(), nodes, preemption: self.preemption, rule }
    }
}

/// The message of an event as printed by `kubectl describe` and `kubectl get events`, without the
/// columns before it, and whether there were any. Columns of describe: type, reason, age (and how
/// often), from; of get: last seen, type, reason, object.
fn without_event(text: &str) -> (&str, bool) {
    let mut rest = text;
    let first = word(rest);
    let listed = is_age(first);
    if listed {
        rest = behind(rest);
    }
    if !["Warning", "Normal"].contains(&word(rest)) {
        return (text, false);
    }
    // Type and reason.
    rest = behind(behind(rest));
    if listed {
        return (behind(rest), true);
    }
    if is_age(word(rest)) {
        rest = behind(rest);
    }
    if word(rest).starts_with("(x") {
        rest = rest.split_once(')').map_or(rest, |(_, rest)| rest.trim_start());
    }
    // The component may be followed by its host.
    if word(rest).ends_with(',') {
        rest = behind(rest);
    }
    (behind(rest), true)
}

fn is_age(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || word == "<unknown>"
}

fn word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn behind(text: &str) -> &str {
    text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start())
}

#[cfg(test)]
mod tests;
