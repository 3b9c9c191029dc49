//! Plugins as rules: their documentation, and the versions in which they run by default.

use super::{RuleKind, RulebookEntry};
use profile::Profile;
use profile::span::VersionSpan;
use scheduler::framework::plugin::RuleDoc;
use scheduler::plugins;

/// All filters, then all scores.
pub(super) fn rules() -> Vec<RulebookEntry> {
    let filters = plugins::ALL.iter().map(|plugin| {
        let doc = plugin.doc();
        RulebookEntry {
            also: plugins::predicates_of(doc.name).collect(),
            meaning: doc.summary,
            preemption: doc.preemption,
            ..rule(doc, RuleKind::Filter, |profile| {
                let slots = plugins::filters(&profile.plugins).filter;
                slots.iter().flat_map(|slot| &slot.rules).any(|rule| rule.doc().name == doc.name)
            })
        }
    });
    let scores = plugins::SCORES.iter().map(|plugin| {
        let doc = plugin.doc();
        RulebookEntry {
            also: plugins::priorities_of(doc.name).collect(),
            ..rule(doc, RuleKind::Score, |profile| {
                plugins::scores(&profile.plugins)
                    .score
                    .iter()
                    .any(|s| s.plugin.doc().name == doc.name)
            })
        }
    });
    filters.chain(scores).collect()
}

fn rule(doc: &'static RuleDoc, kind: RuleKind, runs: impl Fn(&Profile) -> bool) -> RulebookEntry {
    RulebookEntry {
        code: doc.code,
        kind,
        name: doc.name,
        also: Vec::new(),
        meaning: doc.scores.unwrap_or(doc.summary),
        preemption: "Does not take part: scores come after the filters.",
        remedy: None,
        obstacle: None,
        span: VersionSpan::of(runs),
        source: doc.source,
    }
}
