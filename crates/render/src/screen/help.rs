//! What would help, when the pod is retried, and where to read more.

use engine::decision::OutcomeKind;

use super::section::{ScreenSection, SectionRow};
use crate::link;
use crate::page::{Column, Page, Span, Tone};
use answers::commands::{group_command, next_commands};
use answers::pod_report::PodReport;
use answers::questions::explain;
use answers::remedies::telling;
use answers::{remedies, words};

/// Changes that were tried and give the pod a node; `None` if there was nothing to try. For a pod
/// that preempts: changes that avoid the evictions.
pub(super) fn remedies(decision: &PodReport) -> Option<ScreenSection> {
    let found = decision.remedies.as_ref().filter(|remedies| remedies.proposed > 0)?;
    let preempts = decision.kind() == OutcomeKind::Preempt;
    let rows: Vec<SectionRow> = telling(decision)
        .map(|remedy| SectionRow { cells: vec![remedies::line(remedy).into()], weight: 1 })
        .collect();
    let tried = remedies::tried(found);
    let head = match (rows.is_empty(), preempts) {
        (true, true) => return None,
        (true, false) => format!("Nothing that was tried helps ({tried})"),
        (false, true) => "To avoid the evictions (checked)".to_owned(),
        (false, false) => "What would help (checked)".to_owned(),
    };
    Some(ScreenSection {
        columns: vec![Column::default().prose(30)],
        rows,
        noun: "way",
        ..ScreenSection::new(head)
    })
}

/// Who acts next, if an autoscaler was found.
pub(super) fn next_steps(decision: &PodReport) -> Option<ScreenSection> {
    let lines = explain::next_steps(decision, false)?;
    let mut rows = Vec::new();
    for line in lines.lines {
        rows.push(SectionRow { cells: vec![line.into()], weight: 1 });
    }
    Some(ScreenSection {
        columns: vec![Column::default().prose(30)],
        rows,
        noun: "line",
        ..ScreenSection::new(lines.head)
    })
}

/// The last lines: when the pod is retried, and the commands that show more.
pub(super) fn more(model: &PodReport) -> Page {
    let mut page = Page::default();
    page.gap();
    let stays = matches!(model.kind(), OutcomeKind::Unschedulable | OutcomeKind::Error(_));
    if let Some(waiting) = model.waiting().filter(|_| stays) {
        let latest = waiting.flush.map_or_else(String::new, |seconds| {
            format!(", at least every {}", words::count(seconds as usize / 60, "minute"))
        });
        let text = format!("Retried when something relevant changes{latest}");
        page.item(0, vec![Span::new(text, Tone::Quiet)]);
    }

    // The group comes before its pod.
    let command = |words: Vec<String>| {
        let span = Span::command(words::arguments(&words), Tone::Plain);
        match words.as_slice() {
            [rules, code, ..] if rules == "rules" => span.linked(link::of(code)),
            _ => span,
        }
    };
    let mut commands: Vec<Span> = group_command(model).map(command).into_iter().collect();
    commands.push("-o wide".into());
    commands.extend(next_commands(model).into_iter().map(command));
    page.choices(Span::new("More: ", Tone::Quiet), commands);
    page
}
