//! What would help, when the pod is retried, and where to read more.

use engine::decision::remedy::{Remedy, RemedyKind};
use engine::decision::{Explanation, OutcomeKind};
use engine::framework::reason::Obstacle;

use super::section::{Row, Section};
use crate::page::{Column, Page, Span, Tone};
use crate::view_model::{RejectionCause, ViewModel};
use crate::{autoscaling, remedies, words};

/// Changes that were tried and give the pod a node; `None` if there was nothing to try. For a pod
/// that preempts: changes that avoid the evictions.
pub(super) fn remedies(decision: &Explanation) -> Option<Section> {
    let found = decision.remedies.as_ref().filter(|remedies| remedies.proposed > 0)?;
    let preempts = decision.kind() == OutcomeKind::Preempt;
    let rows: Vec<Row> = telling(decision)
        .map(|remedy| Row { cells: vec![remedies::line(remedy).into()], weight: 1 })
        .collect();
    let tried = remedies::tried(found);
    let head = match (rows.is_empty(), preempts) {
        (true, true) => return None,
        (true, false) => format!("Nothing that was tried helps ({tried})"),
        (false, true) => "To avoid the evictions (checked)".to_owned(),
        (false, false) => "What would help (checked)".to_owned(),
    };
    Some(Section {
        columns: vec![Column::default().prose(30)],
        rows,
        noun: "way",
        ..Section::new(head)
    })
}

/// Who acts next, if an autoscaler was found.
pub(super) fn next_steps(decision: &Explanation) -> Option<Section> {
    let lines = autoscaling::lines(decision.autoscaling.as_deref()?, false);
    let row = |line: String| Row { cells: vec![line.into()], weight: 1 };
    Some(Section {
        columns: vec![Column::default().prose(30)],
        rows: lines.lines.into_iter().map(row).collect(),
        noun: "line",
        ..Section::new(lines.head)
    })
}

/// The remedies; for a pod that preempts, those without an eviction.
fn telling<'d>(decision: &'d Explanation) -> impl Iterator<Item = &'d Remedy> {
    let preempts = decision.kind() == OutcomeKind::Preempt;
    let found = decision.remedies.iter().flat_map(|remedies| &remedies.found);
    found.filter(move |remedy| !preempts || !evicts(remedy.kind))
}

fn evicts(kind: RemedyKind) -> bool {
    match kind {
        RemedyKind::EvictPods
        | RemedyKind::AllowPreemption
        | RemedyKind::RaisePriority
        | RemedyKind::EvictEqualOrHigher => true,
        RemedyKind::Wait
        | RemedyKind::LowerRequest
        | RemedyKind::LabelNode
        | RemedyKind::Tolerate
        | RemedyKind::AddNode
        | RemedyKind::FreeResources
        | RemedyKind::Uncordon
        | RemedyKind::AwaitNode
        | RemedyKind::RepairNode
        | RemedyKind::RemoveTaint => false,
    }
}

/// The command that answers the next question about a pod that is scheduled alone: what makes it
/// fit without evictions, or how many more of it fit.
fn next_question(model: &ViewModel) -> Option<String> {
    let decision = model.decision;
    if decision.membership.is_some() || decision.permit.is_some() {
        return None;
    }
    let command = match decision.kind() {
        OutcomeKind::Preempt | OutcomeKind::Unschedulable => "suggest",
        OutcomeKind::Schedulable => "headroom",
        OutcomeKind::NotInQueue | OutcomeKind::Error(_) => return None,
    };
    let pod = model.cluster().pod(decision.pod);
    let namespace = model.cluster().text(pod.namespace).to_owned();
    let words = [command.to_owned(), pod.name.to_string(), "-n".to_owned(), namespace];
    Some(remedies::arguments(&words))
}

/// The last lines: when the pod is retried, and the commands that show more.
pub(super) fn more(model: &ViewModel) -> Page {
    let mut page = Page::default();
    page.gap();
    let stays = matches!(model.decision.kind(), OutcomeKind::Unschedulable | OutcomeKind::Error(_));
    if let Some(waiting) = model.decision.waiting().filter(|_| stays) {
        let latest = waiting.flush.map_or_else(String::new, |seconds| {
            format!(", at least every {}", words::count(seconds as usize / 60, "minute"))
        });
        page.item(
            0,
            vec![Span::new(
                format!("Retried when something relevant changes{latest}"),
                Tone::Quiet,
            )],
        );
    }
    let mut commands: Vec<Span> = vec!["-o wide".into()];
    if let Some(membership) = &model.decision.membership {
        let text = |sym| model.cluster().text(sym);
        let (name, namespace) = (text(membership.group.name), text(membership.group.namespace));
        let arguments = format!("explain podgroup/{name} -n {namespace}");
        commands.insert(0, Span::command(arguments, Tone::Plain));
    }
    if let Some(permit) = &model.decision.permit {
        let text = |sym| model.cluster().text(sym);
        let namespace = text(model.cluster().pod(model.decision.pod).namespace);
        let arguments = format!("explain podgroup/{} -n {namespace}", text(permit.group));
        commands.insert(0, Span::command(arguments, Tone::Plain));
    }
    let code =
        model.causes().iter().flat_map(|cause| &cause.reasons).find_map(|reason| reason.message);
    let rule = code.map(|message| format!("rules {}", message.code));
    commands.extend(rule.map(|arguments| Span::command(arguments, Tone::Plain)));
    // If cordons are the main cause, a node is often being drained without success.
    let is_cordon = |cause: &&RejectionCause| {
        let mut messages = cause.reasons.iter().filter_map(|reason| reason.message);
        messages.any(|message| message.obstacle == Obstacle::Cordon)
    };
    let cordoned = model.causes().first().filter(is_cordon).filter(|_| stays);
    if let Some(node) = cordoned.and_then(|cause| cause.nodes.first()) {
        let name = model.cluster().text(model.cluster().node(*node).name);
        commands.push(Span::command(format!("node {name}"), Tone::Plain));
    }
    let remedy = telling(model.decision).next().map(|remedy| remedies::arguments(&remedy.check));
    let next = remedy.into_iter().chain(next_question(model));
    commands.extend(next.map(|arguments| Span::command(arguments, Tone::Plain)));
    page.choices(Span::new("More: ", Tone::Quiet), commands);
    page
}
