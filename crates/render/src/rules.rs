//! The rulebook as text: an index of all rules, or some of them in full.

use super::page::{Page, Span, Tone};
use engine::profile::change;
use engine::rules::{BLANK, Rule, RuleKind};

/// The index of `rules`, with a table for each kind.
#[must_use]
pub fn index(rules: &[Rule]) -> Page {
    let mut page = Page::default();
    for kind in RuleKind::ALL {
        let rows: Vec<Vec<Span>> = rules.iter().filter(|r| r.kind == kind).map(row).collect();
        if rows.is_empty() {
            continue;
        }
        if kind != RuleKind::Filter {
            page.gap();
        }
        page.heading(title(kind));
        page.table(2, vec!["CODE", "NAME", "VERSIONS"], rows);
    }
    page.gap();
    page.line(
        0,
        vec!["kubectl preempt rules NAME, CODE or MESSAGE tells what it means; so does a whole pasted message.".into()],
    );
    page
}

fn row(rule: &Rule) -> Vec<Span> {
    vec![rule.code.into(), name(rule).into(), rule.span.to_string().into()]
}

/// The name of a rule, with dots for the variable parts.
#[must_use]
pub fn name(rule: &Rule) -> String {
    if rule.kind == RuleKind::Message { rule.name.replace(BLANK, "…") } else { rule.name.to_owned() }
}

/// The title of a kind of rules.
#[must_use]
pub const fn title(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Filter => "Filters: which nodes refuse a pod",
        RuleKind::Score => "Scores: which of the nodes that are left is taken",
        RuleKind::Step => "Preemption, step by step",
        RuleKind::Message => "Messages, as they stand in the pod's condition and events",
    }
}

/// `rules` in full, one after the other.
#[must_use]
pub fn page(rules: &[Rule]) -> Page {
    let mut page = Page::default();
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        page.line(0, vec![Span::new(rule.code, Tone::Strong), "  ".into(), Span::new(name(rule), Tone::Strong)]);
        page.line(2, vec![rule.meaning.into()]);
        for (name, text) in facts(rule) {
            page.line(2, vec![Span::new(name, Tone::Quiet), ": ".into(), text.into()]);
        }
    }
    page
}

/// The facts about a rule besides its meaning, each with a label.
#[must_use]
pub fn facts(rule: &Rule) -> Vec<(&'static str, String)> {
    let also = match rule.kind {
        RuleKind::Message => "said by",
        RuleKind::Filter | RuleKind::Score | RuleKind::Step => "also called",
    };
    let mut facts = vec![("what it is", rule.kind.name().to_owned())];
    if !rule.also.is_empty() {
        facts.push((also, rule.also.join(", ")));
    }
    facts.push(("preemption", rule.preemption.to_owned()));
    facts.extend(rule.remedy.map(|remedy| ("what would help", remedy.to_owned())));
    facts.push(("versions", rule.span.to_string()));
    facts.push(("upstream", change::link(rule.source).unwrap_or_else(|| rule.source.to_owned())));
    facts
}
