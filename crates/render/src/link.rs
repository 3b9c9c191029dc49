//! Links into the documentation.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::rules::{self, Rule};

/// The rulebook.
const RULEBOOK: &str = "https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/rules.md";

/// The addresses of the rules by their codes.
static ADDRESSES: LazyLock<BTreeMap<&str, String>> =
    LazyLock::new(|| rules::all().iter().map(|rule| (rule.code, address(rule))).collect());

/// The address of what a code means; of the whole rulebook if there is no such code.
#[must_use]
pub fn of(code: &str) -> &'static str {
    ADDRESSES.get(code).map_or(RULEBOOK, String::as_str)
}

fn address(rule: &Rule) -> String {
    format!("{RULEBOOK}#{}", slug(&format!("{} {}", rule.code, super::rules::name(rule))))
}

/// The anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_code_has_the_anchor_of_its_heading() {
        assert!(of("PRE-101").ends_with("/docs/rules.md#pre-101-nodename"), "{}", of("PRE-101"));
        assert!(of("PRE-206").ends_with("#pre-206-nodes-had-untolerated-taints"), "{}", of("PRE-206"));
        assert!(of("PRE-000").ends_with("/docs/rules.md"));
    }
}
