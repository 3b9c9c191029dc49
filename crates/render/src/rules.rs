//! The rulebook as text: an index of all rules, or some of them in full.

use std::collections::BTreeSet;

use super::link;
use super::page::{Column, Drawn, Page, Span, Tone};
use answers::extent::Extent;
use answers::questions::rules::RulesReport;
use answers::words;
use engine::profile::change;
use engine::rules::{MessagePart, RuleKind, RulebookEntry};

/// The page about rules: all of them as an index, unless in full.
impl Drawn for RulesReport {
    fn page(&self, extent: Extent) -> Page {
        match self {
            RulesReport::All(rules) if !extent.is_whole() => index(rules),
            RulesReport::All(rules) | RulesReport::Named(rules) => in_full(rules),
            RulesReport::Message(parts) => message(parts),
        }
    }
}

/// The index of `rules`, with a table for each kind.
fn index(rules: &[RulebookEntry]) -> Page {
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
        let columns = [
            Column::new("CODE"),
            Column::new("NAME").prose(30),
            Column::new("VERSIONS").dropped(1),
        ];
        page.table(2, columns, rows);
    }
    page.gap();
    page.line(
        0,
        vec![
            Span::command("rules NAME, CODE or MESSAGE", Tone::Plain),
            " explains one; paste a whole message to have each part explained.".into(),
        ],
    );
    page
}

fn row(rule: &RulebookEntry) -> Vec<Span> {
    let versions = if matches!(rule.kind, RuleKind::Note | RuleKind::Component) {
        String::new()
    } else {
        rule.span.to_string()
    };
    let address = link::of(rule.code);
    vec![
        Span::from(rule.code).linked(address),
        Span::from(link::name(rule)).linked(address),
        versions.into(),
    ]
}

pub const fn title(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Filter => "Filters: which nodes reject a pod",
        RuleKind::Score => "Scores: which of the remaining nodes is picked",
        RuleKind::Step => "Preemption, step by step",
        RuleKind::Message => "Messages, as they stand in the pod's condition and events",
        RuleKind::Component => "Texts of the kubelet, cluster-autoscaler and Karpenter about pods",
        RuleKind::Note => "Notes: how far an answer of this program can be relied on",
    }
}

/// `rules` in full, one after the other.
fn in_full(rules: &[RulebookEntry]) -> Page {
    let mut page = Page::default();
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        page.line(
            0,
            vec![
                Span::new(rule.code, Tone::Strong).linked(link::of(rule.code)),
                "  ".into(),
                Span::new(link::name(rule), Tone::Strong),
            ],
        );
        page.line(2, vec![rule.meaning.into()]);
        add_facts(&mut page, rule);
    }
    page
}

/// A user's message, part by part. A rule that several parts share is shown once.
fn message(parts: &[MessagePart]) -> Page {
    let mut page = Page::default();
    let mut shown = BTreeSet::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        let preemption = if part.preemption { "preemption: " } else { "" };
        let nodes = part
            .nodes
            .map_or_else(String::new, |nodes| format!("{}: ", words::count(nodes, "node")));
        page.line(0, vec![Span::new(format!("{preemption}{nodes}{}", part.text), Tone::Strong)]);
        match &part.rule {
            None => page.line(2, vec!["this text is not known here".into()]),
            Some(rule) if shown.insert(rule.code) => {
                page.line(2, vec![rule.code.into(), ": ".into(), rule.meaning.into()]);
                add_facts(&mut page, rule);
            }
            Some(rule) => page.line(2, vec![rule.code.into(), ": see above".into()]),
        }
    }
    page
}

fn add_facts(page: &mut Page, rule: &RulebookEntry) {
    for (name, text) in facts(rule) {
        page.line(2, vec![Span::new(name, Tone::Quiet), ": ".into(), text.into()]);
    }
}

/// What is known about a rule besides its meaning, each item with a label.
pub fn facts(rule: &RulebookEntry) -> Vec<(&'static str, String)> {
    let also = match rule.kind {
        RuleKind::Message | RuleKind::Component => "reported by",
        RuleKind::Filter | RuleKind::Score | RuleKind::Step | RuleKind::Note => "also called",
    };
    let mut facts = vec![("type", rule.kind.name().to_owned())];
    if !rule.also.is_empty() {
        facts.push((also, rule.also.join(", ")));
    }
    if rule.kind == RuleKind::Note {
        return facts;
    }
    facts.push(("preemption", rule.preemption.to_owned()));
    facts.extend(rule.remedy.map(|remedy| ("what would help", remedy.to_owned())));
    if rule.kind != RuleKind::Component {
        facts.push(("versions", rule.span.to_string()));
    }
    facts.push(("upstream", change::link(rule.source).unwrap_or_else(|| rule.source.to_owned())));
    facts
}
