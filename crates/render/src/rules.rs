//! The rulebook as text: an index of all rules, or some of them in full; and links into its page in
//! the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::page::{Column, Page, Span, Tone};
use answers::words;
use engine::profile::change;
use engine::rules::{self, BLANK, MessagePart, RuleKind, RulebookEntry};

const RULEBOOK: &str = "https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/rules.md";

/// The index of `rules`, with a table for each kind.
pub fn index(rules: &[RulebookEntry]) -> Page {
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
    let address = link(rule.code);
    vec![
        Span::from(rule.code).linked(address),
        Span::from(name(rule)).linked(address),
        versions.into(),
    ]
}

/// The name of a rule, with dots for the variable parts.
pub fn name(rule: &RulebookEntry) -> String {
    if matches!(rule.kind, RuleKind::Message | RuleKind::Component) {
        rule.name.replace(BLANK, "…")
    } else {
        rule.name.to_owned()
    }
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
pub fn page(rules: &[RulebookEntry]) -> Page {
    let mut page = Page::default();
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        page.line(
            0,
            vec![
                Span::new(rule.code, Tone::Strong).linked(link(rule.code)),
                "  ".into(),
                Span::new(name(rule), Tone::Strong),
            ],
        );
        page.line(2, vec![rule.meaning.into()]);
        add_facts(&mut page, rule);
    }
    page
}

/// A user's message, part by part. A rule that several parts share is shown once.
pub fn message(parts: &[MessagePart]) -> Page {
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

/// The addresses of the rules by their codes.
static ADDRESSES: LazyLock<BTreeMap<&str, String>> =
    LazyLock::new(|| rules::all().iter().map(|rule| (rule.code, address(rule))).collect());

/// The address that explains a code; that of the whole rulebook if the code is unknown.
pub(crate) fn link(code: &str) -> &'static str {
    ADDRESSES.get(code).map_or(RULEBOOK, String::as_str)
}

/// The name of a plugin, with a link to its explanation if it is known.
pub(crate) fn plugin_link(name: &str, tone: Tone) -> Span {
    static PLUGINS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
        let all = rules::all();
        let plugins =
            all.iter().filter(|rule| matches!(rule.kind, RuleKind::Filter | RuleKind::Score));
        // A plugin that filters and scores is linked to its filter, which comes first.
        plugins.rev().map(|rule| (rule.name, link(rule.code))).collect()
    });
    let span = Span::new(name, tone);
    match PLUGINS.get(name) {
        Some(address) => span.linked(address),
        None => span,
    }
}

fn address(rule: &RulebookEntry) -> String {
    format!("{RULEBOOK}#{}", slug(&format!("{} {}", rule.code, name(rule))))
}

/// The anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{link, plugin_link};
    use crate::page::{Page, Paper, Tone};

    #[test]
    fn a_code_has_the_anchor_of_its_heading() {
        assert!(
            link("PRE-101").ends_with("/docs/rules.md#pre-101-nodename"),
            "{}",
            link("PRE-101")
        );
        assert!(
            link("PRE-206").ends_with("#pre-206-nodes-had-untolerated-taints"),
            "{}",
            link("PRE-206")
        );
        assert!(link("PRE-000").ends_with("/docs/rules.md"));
    }

    #[test]
    fn plugins_that_are_known_have_links() {
        let printed = |name| {
            let mut page = Page::default();
            page.line(0, vec![plugin_link(name, Tone::Plain)]);
            page.print(Paper { links: true, ..Paper::PLAIN }).to_string()
        };
        assert!(
            printed("TaintToleration").contains("/docs/rules.md#pre-103-tainttoleration\u{1b}")
        );
        assert!(
            printed("ImageLocality").contains("-imagelocality\u{1b}"),
            "{}",
            printed("ImageLocality")
        );
        assert_eq!(printed("OfACompany"), "OfACompany\n");
    }
}
