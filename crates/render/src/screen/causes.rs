//! Why nodes are rejected, and why evictions do not help: a row per cause.

use super::section::{ScreenSection, SectionRow};
use crate::link;
use crate::page::{Column, Span, Tone};
use answers::pod_report::{CauseLine, PodReport};
use answers::words;
use engine::decision::OutcomeKind;
use engine::preemption::PreemptionReport;

/// Minimum width to which causes are shortened.
const LEAST: usize = 30;
/// Maximum number of pods that are named.
const PODS_NAMED: usize = 2;

/// Why nodes are rejected; `None` if no node is.
pub(super) fn rejections(report: &PodReport) -> Option<ScreenSection> {
    let found = report.rejection_lines();
    if found.is_empty() {
        return None;
    }
    let nodes: usize = found.iter().map(|line| line.nodes).sum();
    let title = match report.kind() {
        OutcomeKind::Schedulable => "Nodes that do not fit",
        _ => "Why no node fits",
    };
    let remark = report.first_causes().iter().find_map(|cause| cause.group.remark);
    Some(ScreenSection {
        foot: report.own_nomination().into_iter().chain(reserved(report)).map(Span::from).collect(),
        unshortened: remark.map(Span::from).into_iter().collect(),
        ..table(format!("{title} ({})", words::group_digits(nodes)), found)
    })
}

/// Why preemption is not tried or does not help; `None` if it helps or is not needed.
pub(super) fn no_evictions(report: &PodReport) -> Option<ScreenSection> {
    let preemption = report.preemption().filter(|_| report.kind() != OutcomeKind::Preempt)?;
    if let Some(why) = report.untried() {
        return Some(not_tried(report, preemption, &why));
    }
    let found = report.no_eviction_lines();
    (!found.is_empty()).then(|| table("Why evicting pods does not help".to_owned(), found))
}

/// The section about a pod that may not preempt, with the pods that it waits for.
fn not_tried(model: &PodReport, report: &PreemptionReport, why: &str) -> ScreenSection {
    let mut section = ScreenSection::new(why.to_owned());
    let Some(ineligible) = &report.ineligible else { return section };
    let code = ineligible.reason.code;
    section.head.push(Span::new(format!("  {code}"), Tone::Quiet).linked(link::of(code)));
    let mut leaving = Vec::new();
    for pod in &ineligible.terminating {
        leaving.push(format!("{}{}", model.cluster().pod_name(*pod), model.due(*pod)));
    }
    if !leaving.is_empty() {
        let have = if leaving.len() == 1 { "has" } else { "have" };
        let pods = words::list(&leaving, PODS_NAMED);
        section.foot = vec![format!("waiting until {pods} {have} terminated").into()];
    }
    section
}

fn table(head: String, found: Vec<CauseLine>) -> ScreenSection {
    let width = found.iter().map(|row| words::group_digits(row.nodes).len()).max();
    let width = width.unwrap_or_default();
    let mut rows = Vec::with_capacity(found.len());
    for CauseLine { nodes, text, code } in found {
        let number = Span::new(format!("{:>width$}", words::group_digits(nodes)), Tone::Strong);
        let code = match code {
            Some(code) => Span::new(code, Tone::Quiet).linked(link::of(code)),
            None => Span::default(),
        };
        rows.push(SectionRow { cells: vec![number, text.into(), code], weight: nodes });
    }
    ScreenSection {
        columns: vec![Column::default(), Column::default().prose(LEAST), Column::default()],
        rows,
        noun: "node",
        ..ScreenSection::new(head)
    }
}

/// Nodes on which resources are reserved for pods that are nominated to them.
fn reserved(model: &PodReport) -> Option<String> {
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
