//! Finds rules by what a user has: a name, a code, or a message of the scheduler.

use super::{Rule, RuleKind};

/// The separators between the reasons of a message.
const SEPARATORS: [&str; 3] = [", ", ". ", ": "];

/// Finds the rules for `query`: a code, the name of a plugin in any version, the name of a step, or a whole message of
/// the scheduler with its counts. Empty if nothing has this code or name, or is named in the message.
#[must_use]
pub fn lookup(query: &str, rules: &[Rule]) -> Vec<Rule> {
    let query = query.trim();
    let same = |name: &str| name.eq_ignore_ascii_case(query);
    let named: Vec<Rule> = rules
        .iter()
        .filter(|r| same(r.code) || same(r.name) || (r.kind != RuleKind::Message && r.also.iter().any(|a| same(a))))
        .cloned()
        .collect();
    if !named.is_empty() {
        return named;
    }
    let codes: Vec<&str> = pieces(query).into_iter().filter_map(super::find).map(|m| m.code).collect();
    let mut of_text: Vec<Rule> = rules.iter().filter(|r| codes.contains(&r.code)).cloned().collect();
    if of_text.is_empty() && query.chars().count() >= 4 {
        let lower = query.to_lowercase();
        of_text = rules.iter().filter(|r| r.name.to_lowercase().contains(&lower)).cloned().collect();
    }
    of_text
}

/// The possible reasons in `text`: the whole text and the parts between separators, without leading counts. Reasons may
/// contain separators, so adjacent parts are also tried together, the longest first.
fn pieces(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut ends = vec![text.len()];
    for separator in SEPARATORS {
        for (at, _) in text.match_indices(separator) {
            starts.push(at + separator.len());
            // Some reasons end with a full stop.
            ends.extend([at, at + 1]);
        }
    }
    ends.push(text.trim_end_matches('.').len());
    starts.sort_unstable();
    ends.sort_unstable();
    let uncounted =
        |piece: &'_ str| piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().len();
    let mut found: Vec<&str> = Vec::new();
    for start in starts {
        for end in ends.iter().rev() {
            let Some(piece) = text.get(start..*end) else { continue };
            let piece = piece.get(uncounted(piece)..).unwrap_or(piece);
            if super::find(piece).is_some() {
                found.push(piece);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::lookup;

    fn codes(query: &str) -> Vec<&'static str> {
        lookup(query, &super::super::all()).into_iter().map(|r| r.code).collect()
    }

    #[test]
    fn a_rule_is_found_by_code_name_old_name_and_text() {
        assert_eq!(codes("pre-101"), ["PRE-101"]);
        assert_eq!(codes("tainttoleration"), ["PRE-103", "PRE-103"], "it filters and scores");
        assert_eq!(codes("PodFitsHostPorts"), ["PRE-105"]);
        assert_eq!(codes("No preemption victims found for incoming pod"), ["PRE-302"]);
        assert_eq!(codes("victims found"), ["PRE-302", "PRE-303"]);
    }

    #[test]
    fn a_pasted_message_is_taken_apart() {
        let pasted = "0/5 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 4 Insufficient cpu. \
                      preemption: 0/5 nodes are available: 2 Preemption is not helpful for scheduling, 3 No preemption \
                      victims found for incoming pod.";
        let found = codes(pasted);
        for code in ["PRE-201", "PRE-202", "PRE-206", "PRE-301", "PRE-302"] {
            assert!(found.contains(&code), "{code} in {found:?}");
        }
    }

    #[test]
    fn what_is_unknown_finds_nothing() {
        assert!(codes("TaintTolerration").is_empty());
    }
}
