//! Why nodes are rejected, and why evictions do not help: a row per cause.

use super::section::{Row, Section};
use crate::groups::{self, FirstCause};
use crate::link;
use crate::page::{Column, Span, Tone};
use crate::view_model::ViewModel;
use crate::words;
use engine::decision::OutcomeKind;
use engine::framework::reason::Quote;
use engine::preemption::NOT_HELPFUL;

/// Minimum width to which causes are shortened.
const LEAST: usize = 30;
/// Maximum number of pods that are named.
const PODS_NAMED: usize = 2;

/// Why nodes are rejected; `None` if no node is.
pub(super) fn rejections(model: &ViewModel) -> Option<Section> {
    let (decision, cluster) = (model.decision, model.cluster());
    let mut found: Vec<(usize, String, Option<&'static str>)> = Vec::new();
    let mut remark = None;
    if let Some(group) = groups::of_pre_filter(decision) {
        found.push((cluster.nodes.len(), group.cause(), code(&group.reasons)));
    } else {
        let causes = &groups::by_first_reason(decision).0;
        remark = causes.iter().find_map(|cause| cause.group.remark);
        found.extend(causes.iter().map(|cause| row(model, cause)));
        let excluded = decision.excluded_by_pre_filter().len();
        if excluded > 0 {
            let quote = model.excluded();
            let why = groups::narrowing(decision);
            let text = if why.is_empty() { quote.text } else { why.join("; ") };
            found.push((excluded, text, quote.message.map(|message| message.code)));
        }
    }
    if found.is_empty() {
        return None;
    }
    let nodes: usize = found.iter().map(|(nodes, ..)| nodes).sum();
    let title = match decision.kind() {
        OutcomeKind::Schedulable => "Nodes that do not fit",
        _ => "Why no node fits",
    };
    Some(Section {
        foot: model.own_nomination().into_iter().chain(reserved(model)).map(Span::from).collect(),
        unshortened: remark.map(Span::from).into_iter().collect(),
        ..table(format!("{title} ({})", words::group_digits(nodes)), found)
    })
}

/// Why preemption is not tried or does not help; `None` if it helps or is not needed.
pub(super) fn no_evictions(model: &ViewModel) -> Option<Section> {
    let (decision, cluster) = (model.decision, model.cluster());
    let report = decision.preemption().filter(|_| decision.kind() != OutcomeKind::Preempt)?;
    if let Some(why) = model.untried() {
        let code = report.ineligible.as_ref().map(|ineligible| ineligible.reason.code);
        let mut section = Section::new(format!("Preemption is not tried: {why}"));
        section.head.extend(
            code.map(|code| Span::new(format!("  {code}"), Tone::Quiet).linked(link::of(code))),
        );
        let leaving = report.ineligible.iter().flat_map(|ineligible| &ineligible.terminating);
        let leaving: Vec<String> =
            leaving.map(|pod| format!("{}{}", cluster.pod_name(*pod), model.due(*pod))).collect();
        let have = if leaving.len() == 1 { "has" } else { "have" };
        let waits = || {
            format!("waiting until {} {have} terminated", words::list(&leaving, PODS_NAMED)).into()
        };
        return Some(Section {
            foot: (!leaving.is_empty()).then(waits).into_iter().collect(),
            ..section
        });
    }
    let mut found: Vec<(usize, String, Option<&'static str>)> = Vec::new();
    for mut group in groups::group(report.rejections(), cluster) {
        model.after_evictions(&mut group);
        found.push((group.nodes.len(), group.cause(), code(&group.reasons)));
    }
    found.extend(
        report
            .dry_runs
            .values()
            .filter_map(|run| Some((1, run.failure()?.text().to_owned(), None))),
    );
    let untried = cluster.nodes.len() - report.dry_runs.len();
    if untried > 0 {
        found.push((untried, "evicting pods cannot help there".to_owned(), Some(NOT_HELPFUL.code)));
    }
    (!found.is_empty()).then(|| table("Why evicting pods does not help".to_owned(), found))
}

fn table(head: String, found: Vec<(usize, String, Option<&'static str>)>) -> Section {
    let width =
        found.iter().map(|(nodes, ..)| words::group_digits(*nodes).len()).max().unwrap_or_default();
    let row = |(nodes, text, code): (usize, String, Option<&'static str>)| Row {
        cells: vec![
            Span::new(format!("{:>width$}", words::group_digits(nodes)), Tone::Strong),
            text.into(),
            code.map(|code| Span::new(code, Tone::Quiet).linked(link::of(code)))
                .unwrap_or_default(),
        ],
        weight: nodes,
    };
    Section {
        columns: vec![Column::default(), Column::default().prose(LEAST), Column::default()],
        rows: found.into_iter().map(row).collect(),
        noun: "node",
        ..Section::new(head)
    }
}

fn row(model: &ViewModel, cause: &FirstCause) -> (usize, String, Option<&'static str>) {
    let FirstCause { group, others } = cause;
    let mut text = group.cause();
    if let [node] = group.nodes.as_slice() {
        text.push_str(&format!(" ({})", model.node(*node)));
    }
    if !others.is_empty() {
        let other = |(name, nodes): (&String, &usize)| {
            if *nodes == group.nodes.len() {
                name.clone()
            } else {
                format!("{name} on {}", words::group_digits(*nodes))
            }
        };
        text.push_str(&format!(
            "; also {}",
            others.iter().map(other).collect::<Vec<_>>().join(", ")
        ));
    }
    (group.nodes.len(), text, code(&group.reasons))
}

fn code(quotes: &[Quote]) -> Option<&'static str> {
    quotes.first()?.message.map(|message| message.code)
}

/// Nodes on which resources are reserved for pods that are nominated to them.
fn reserved(model: &ViewModel) -> Option<String> {
    let nodes = model.reserved();
    let (node, pods) = nodes.first()?;
    let others = match nodes.len() - 1 {
        0 => String::new(),
        n => format!(", and {} for others", words::count(n, "node")),
    };
    Some(format!(
        "{} is reserved for {}, nominated to it{others}",
        model.node(*node),
        words::list(pods, PODS_NAMED)
    ))
}
