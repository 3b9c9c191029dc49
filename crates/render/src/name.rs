//! `-o name`: the objects of a decision, one `type/name` per line, for `xargs kubectl get`.

use std::collections::BTreeSet;

use super::escape::visible;
use super::facts::Facts;

/// The victims on the nodes that the scheduler may pick, without namespaces, as kubectl writes names; the nodes, if
/// there are no victims. Without duplicates, in the order of the decisions.
#[must_use]
pub fn lines(decisions: &[Facts]) -> String {
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    for facts in decisions {
        let victims =
            facts.winners().flat_map(|c| &c.victims).map(|v| format!("pod/{}", facts.cluster().pod(v.pod).name));
        let mut lines: Vec<String> = victims.collect();
        if lines.is_empty() {
            lines = facts.decision.selected.iter().map(|node| format!("node/{}", facts.node(*node))).collect();
        }
        for line in lines.into_iter().filter(|line| seen.insert(line.clone())) {
            out.push_str(&visible(&line));
            out.push('\n');
        }
    }
    out
}
