//! The comparison of several pods: a row for each pod that some schedulers decide differently.

use super::super::page::{Column, Page, Span, Tone};
use super::aspects::only_texts;
use super::{aspects, name};
use answers::headline::doubt;
use answers::words;
use engine::decision::compare::{Comparison, DecisionEffect, Difference};
use engine::decision::{CycleErrorKind, Decision, OutcomeKind};

/// The page about several pods: a row for each pod that some schedulers decide differently.
pub fn list(comparisons: &[Comparison]) -> Page {
    let mut page = Page::default();
    let mut rows = Vec::new();
    for comparison in comparisons {
        for (pair, difference) in comparison.decisions.windows(2).zip(&comparison.differences) {
            if let [from, to] = pair
                && !difference.aspects.is_empty()
            {
                rows.push(row(from, to, difference));
            }
        }
    }
    if !rows.is_empty() {
        let columns = [
            Column::new("POD").names(40),
            Column::new("VERSIONS"),
            Column::new("WHAT CHANGES").prose(24),
            Column::new("RULES").names(16).dropped(1),
        ];
        page.table(0, columns, rows);
        page.gap();
    }

    let differing: Vec<&Comparison> =
        comparisons.iter().filter(|comparison| !comparison.same()).collect();
    let changing = differing.iter().filter(|comparison| changes_effect(comparison)).count();
    let others = match differing.len() - changing {
        0 => String::new(),
        1 => "; of 1 only what is said differs".to_owned(),
        others => format!("; of {others} only what is said differs"),
    };
    let pods = words::count(comparisons.len(), "pod");
    let text = format!("{changing} of {pods} would be scheduled differently{others}");
    let decisions = comparisons.iter().flat_map(|comparison| &comparison.decisions);
    let unsure = doubt(decisions.flat_map(|decision| &decision.notes));
    let stop = if unsure.is_empty() { "" } else { "." };
    page.line(0, vec![Span::new(format!("{text}{stop}{unsure}"), Tone::Strong)]);
    if !differing.is_empty() {
        page.line(
            0,
            vec![
                Span::new("name one pod to see why; ", Tone::Quiet),
                Span::command("rules NAME", Tone::Quiet),
                Span::new(" explains a rule", Tone::Quiet),
            ],
        );
    }
    page
}

/// What changes for a pod from one scheduler to the next.
fn row(from: &Decision, to: &Decision, difference: &Difference) -> Vec<Span> {
    let (was, is) = (DecisionEffect::of(from), DecisionEffect::of(to));
    let (was_in_brief, is_in_brief) = (brief(&was, from), brief(&is, to));
    let what = if was != is {
        if was_in_brief == is_in_brief {
            format!("{is_in_brief}, but not the same")
        } else {
            format!("{was_in_brief} -> {is_in_brief}")
        }
    } else if only_texts(&difference.aspects) {
        "the message differs".to_owned()
    } else {
        format!("as before, but for {}", aspects(&difference.aspects))
    };
    let mut rules: Vec<&str> =
        difference.causes.iter().map(|cause| cause.change.row.plugin).collect();
    rules.dedup();
    vec![
        from.view.cluster.pod_name(from.pod).into(),
        format!("{} -> {}", name(from.profile()), name(to.profile())).into(),
        Span::new(what, if was == is { Tone::Plain } else { Tone::Bad }),
        Span::new(rules.join(", "), Tone::Quiet),
    ]
}

/// Whether the schedulers' decisions about the pod have different effects.
fn changes_effect(comparison: &Comparison) -> bool {
    let effects: Vec<DecisionEffect> =
        comparison.decisions.iter().map(DecisionEffect::of).collect();
    effects.windows(2).any(|pair| matches!(pair, [one, next] if one != next))
}

/// A short text of an effect, for a row of the list.
fn brief(effect: &DecisionEffect, decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let nodes: Vec<&str> = effect.nodes.keys().map(|n| cluster.node_name(*n)).collect();
    match effect.outcome {
        OutcomeKind::NotInQueue => "not tried".to_owned(),
        OutcomeKind::Error(CycleErrorKind::Crash) => "crashes".to_owned(),
        OutcomeKind::Error(CycleErrorKind::CycleError | CycleErrorKind::Timeout) => {
            "ends with an error".to_owned()
        }
        OutcomeKind::Unschedulable => "stays pending".to_owned(),
        OutcomeKind::Schedulable => format!("fits on {}", words::list(&nodes, 2)),
        OutcomeKind::Preempt => {
            let victims = effect.nodes.values().next().map_or(0, Vec::len);
            format!("evicts {} on {}", words::count(victims, "pod"), words::list(&nodes, 2))
        }
    }
}
