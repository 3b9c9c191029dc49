//! Links into the documentation.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::rules::{self, BLANK, RuleKind, RulebookEntry};

use super::page::{Span, Tone};

const RULEBOOK: &str = "https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/rules.md";

/// The addresses of the rules by their codes.
static ADDRESSES: LazyLock<BTreeMap<&str, String>> =
    LazyLock::new(|| rules::all().iter().map(|rule| (rule.code, address(rule))).collect());

/// The address that explains a code; that of the whole rulebook if the code is unknown.
pub fn of(code: &str) -> &'static str {
    ADDRESSES.get(code).map_or(RULEBOOK, String::as_str)
}

/// The name of a plugin, with a link to its explanation if it is known.
pub fn plugin(name: &str, tone: Tone) -> Span {
    static PLUGINS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
        let all = rules::all();
        let plugins =
            all.iter().filter(|rule| matches!(rule.kind, RuleKind::Filter | RuleKind::Score));
        // A plugin that filters and scores is linked to its filter, which comes first.
        plugins.rev().map(|rule| (rule.name, of(rule.code))).collect()
    });
    let span = Span::new(name, tone);
    match PLUGINS.get(name) {
        Some(address) => span.linked(address),
        None => span,
    }
}

/// The name of a rule, with dots for the variable parts.
pub fn name(rule: &RulebookEntry) -> String {
    if matches!(rule.kind, RuleKind::Message | RuleKind::Component) {
        rule.name.replace(BLANK, "…")
    } else {
        rule.name.to_owned()
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
    use super::{of, plugin};
    use crate::page::{Page, Paper, Tone};

    #[test]
    fn a_code_has_the_anchor_of_its_heading() {
        assert!(of("PRE-101").ends_with("/docs/rules.md#pre-101-nodename"), "{}", of("PRE-101"));
        assert!(
            of("PRE-206").ends_with("#pre-206-nodes-had-untolerated-taints"),
            "{}",
            of("PRE-206")
        );
        assert!(of("PRE-000").ends_with("/docs/rules.md"));
    }

    #[test]
    fn plugins_that_are_known_have_links() {
        let printed = |name| {
            let mut page = Page::default();
            page.line(0, vec![plugin(name, Tone::Plain)]);
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
