//! What would help, when the pod is retried, and where to read more.

use engine::decision::remedy::{Evicts, Remedy};
use engine::decision::{Explanation, OutcomeKind};
use engine::framework::reason::Obstacle;

use super::section::{ScreenSection, SectionRow};
use crate::page::{Column, Page, Span, Tone};
use answers::origin::Origin;
use answers::view_model::ViewModel;
use answers::{autoscaling, remedies, words};
use engine::cluster::symbols::Sym;

/// Changes that were tried and give the pod a node; `None` if there was nothing to try. For a pod
/// that preempts: changes that avoid the evictions.
pub(super) fn remedies(decision: &Explanation) -> Option<ScreenSection> {
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
pub(super) fn next_steps(decision: &Explanation) -> Option<ScreenSection> {
    let lines = autoscaling::lines(decision.autoscaling.as_deref()?, false);
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

/// The remedies; for a pod that preempts, those without an eviction.
fn telling<'d>(decision: &'d Explanation) -> impl Iterator<Item = &'d Remedy> {
    let preempts = decision.kind() == OutcomeKind::Preempt;
    let found = decision.remedies.iter().flat_map(|remedies| &remedies.found);
    found.filter(move |remedy| !preempts || remedy.kind.evicts() == Evicts::Nothing)
}

/// The command that answers the next question about a pod that is scheduled alone: what makes it
/// fit without evictions, or how many more of it fit.
fn next_question(model: &ViewModel, origin: &Origin) -> Option<String> {
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
    let namespace = model.cluster().text(pod.namespace);
    Some(origin.command([command, &pod.name, "-n", namespace]))
}

/// The last lines: when the pod is retried, and the commands that show more.
pub(super) fn more(model: &ViewModel, origin: &Origin) -> Page {
    let mut page = Page::default();
    page.gap();
    let stays = matches!(model.decision.kind(), OutcomeKind::Unschedulable | OutcomeKind::Error(_));
    if let Some(waiting) = model.decision.waiting().filter(|_| stays) {
        let latest = waiting.flush.map_or_else(String::new, |seconds| {
            format!(", at least every {}", words::count(seconds as usize / 60, "minute"))
        });
        let text = format!("Retried when something relevant changes{latest}");
        page.item(0, vec![Span::new(text, Tone::Quiet)]);
    }

    // A narrow terminal cuts the list at its end, so the most telling commands come first: the
    // group before its pod, and then what explains the first causes.
    let mut commands: Vec<Span> = Vec::new();
    if let Some(permit) = &model.decision.permit {
        let namespace = model.cluster().pod(model.decision.pod).namespace;
        commands.push(explain_group(model, permit.group, namespace, origin));
    }
    if let Some(membership) = &model.decision.membership {
        let group = &membership.group;
        commands.push(explain_group(model, group.name, group.namespace, origin));
    }
    commands.push("-o wide".into());
    if let Some(code) = first_code(model) {
        commands.push(Span::command(format!("rules {code}"), Tone::Plain));
    }
    if let Some(node) = first_cordoned(model).filter(|_| stays) {
        commands.push(Span::command(origin.command(["node", node]), Tone::Plain));
    }
    if let Some(remedy) = telling(model.decision).next() {
        commands.push(Span::command(remedies::arguments(&remedy.check), Tone::Plain));
    }
    if let Some(arguments) = next_question(model, origin) {
        commands.push(Span::command(arguments, Tone::Plain));
    }
    page.choices(Span::new("More: ", Tone::Quiet), commands);
    page
}

/// The command that explains a group.
fn explain_group(model: &ViewModel, name: Sym, namespace: Sym, origin: &Origin) -> Span {
    let (name, namespace) = (model.cluster().text(name), model.cluster().text(namespace));
    let group = format!("podgroup/{name}");
    Span::command(origin.command(["explain", &group, "-n", namespace]), Tone::Plain)
}

/// The code of the first reason that has one.
fn first_code(model: &ViewModel) -> Option<&'static str> {
    for cause in model.causes() {
        for reason in &cause.reasons {
            if let Some(message) = reason.message {
                return Some(message.code);
            }
        }
    }
    None
}

/// The first cordoned node, if cordons are the main cause: then a node is often being drained
/// without success.
fn first_cordoned<'m>(model: &'m ViewModel) -> Option<&'m str> {
    let cause = model.causes().first()?;
    let mut messages = cause.reasons.iter().filter_map(|reason| reason.message);
    if !messages.any(|message| message.obstacle == Obstacle::Cordon) {
        return None;
    }
    let cluster = model.cluster();
    Some(cluster.node_name(*cause.nodes.first()?))
}
