//! Why nodes are rejected, and why evictions do not help: a row per cause.

use super::section::{ScreenSection, SectionRow};
use crate::link;
use crate::page::{Column, Span, Tone};
use answers::causes::{self, FirstCause};
use answers::view_model::ViewModel;
use answers::words;
use engine::decision::OutcomeKind;
use engine::framework::reason::Quote;
use engine::preemption::{CANNOT_HELP, NOT_HELPFUL, PreemptionReport};

/// Minimum width to which causes are shortened.
const LEAST: usize = 30;
/// Maximum number of pods that are named.
const PODS_NAMED: usize = 2;

/// Why nodes are rejected; `None` if no node is.
pub(super) fn rejections(model: &ViewModel) -> Option<ScreenSection> {
    let (decision, cluster) = (model.decision, model.cluster());
    let mut found = Vec::new();
    let mut remark = None;
    // Before nodes are filtered, a plugin may reject the pod everywhere, or leave nodes out.
    if let Some(group) = causes::of_pre_filter(decision) {
        let (nodes, code) = (cluster.nodes.len(), code(&group.reasons));
        found.push(CauseRow { nodes, text: group.cause(), code });
    } else {
        let causes = &decision.first_causes().causes;
        remark = causes.iter().find_map(|cause| cause.group.remark);
        found.extend(causes.iter().map(|cause| row(model, cause)));
        let excluded = decision.excluded_by_pre_filter().len();
        if excluded > 0 {
            let quote = model.excluded();
            let why = causes::narrowing(decision);
            let text = if why.is_empty() { quote.text } else { why.join("; ") };
            let code = quote.message.map(|message| message.code);
            found.push(CauseRow { nodes: excluded, text, code });
        }
    }
    if found.is_empty() {
        return None;
    }
    let nodes: usize = found.iter().map(|row| row.nodes).sum();
    let title = match decision.kind() {
        OutcomeKind::Schedulable => "Nodes that do not fit",
        _ => "Why no node fits",
    };
    Some(ScreenSection {
        foot: model.own_nomination().into_iter().chain(reserved(model)).map(Span::from).collect(),
        unshortened: remark.map(Span::from).into_iter().collect(),
        ..table(format!("{title} ({})", words::group_digits(nodes)), found)
    })
}

/// Why preemption is not tried or does not help; `None` if it helps or is not needed.
pub(super) fn no_evictions(model: &ViewModel) -> Option<ScreenSection> {
    let decision = model.decision;
    let report = decision.preemption().filter(|_| decision.kind() != OutcomeKind::Preempt)?;
    if let Some(why) = model.untried() {
        return Some(not_tried(model, report, &why));
    }

    // The nodes whose dry run found no candidate, those where it failed, and those on which
    // nothing was tried, because evictions cannot help there.
    let mut found = Vec::new();
    for mut group in causes::group(report.rejections(), model.cluster()) {
        model.after_evictions(&mut group);
        let (nodes, code) = (group.nodes.len(), code(&group.reasons));
        found.push(CauseRow { nodes, text: group.cause(), code });
    }
    for run in report.dry_runs.values() {
        if let Some(failure) = run.failure() {
            found.push(CauseRow { nodes: 1, text: failure.text().to_owned(), code: None });
        }
    }
    let nodes = report.not_tried(model.cluster()).len();
    if nodes > 0 {
        let text = CANNOT_HELP.to_owned();
        found.push(CauseRow { nodes, text, code: Some(NOT_HELPFUL.code) });
    }
    (!found.is_empty()).then(|| table("Why evicting pods does not help".to_owned(), found))
}

/// The section about a pod that may not preempt, with the pods that it waits for.
fn not_tried(model: &ViewModel, report: &PreemptionReport, why: &str) -> ScreenSection {
    let mut section = ScreenSection::new(format!("Preemption is not tried: {why}"));
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

/// Nodes that reject the pod for the same cause.
struct CauseRow {
    nodes: usize,
    text: String,
    /// The code of the first reason.
    code: Option<&'static str>,
}

fn table(head: String, found: Vec<CauseRow>) -> ScreenSection {
    let width = found.iter().map(|row| words::group_digits(row.nodes).len()).max();
    let width = width.unwrap_or_default();
    let mut rows = Vec::with_capacity(found.len());
    for CauseRow { nodes, text, code } in found {
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

fn row(model: &ViewModel, cause: &FirstCause) -> CauseRow {
    let FirstCause { group, others } = cause;
    let mut text = group.cause();
    if let [node] = group.nodes.as_slice() {
        text.push_str(&format!(" ({})", model.node(*node)));
    }
    if !others.is_empty() {
        let mut also = Vec::new();
        for (name, nodes) in others {
            also.push(if *nodes == group.nodes.len() {
                name.clone()
            } else {
                format!("{name} on {}", words::group_digits(*nodes))
            });
        }
        text.push_str(&format!("; also {}", also.join(", ")));
    }
    CauseRow { nodes: group.nodes.len(), text, code: code(&group.reasons) }
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
