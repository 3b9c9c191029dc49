//! Why pods were evicted, as text. Only what some source says is stated; the rest is called
//! unknown.

use engine::cluster::pod::ContainerExit;
use engine::disruption::rerun::{Neighbour, Rerun};
use engine::disruption::{EvictionCause, EvidenceSource, PodState, RecordedPreemptor};
use engine::simulation::plan::PodId;
use jiff::Timestamp;

use crate::page::{Column, Drawn, Page, Span, Tone};
use answers::extent::Extent;
use answers::questions::evictions::cause::pod;
use answers::questions::evictions::{EvictionAnswer, EvictionsReport};
use answers::words;

/// Maximum number of names in a sentence.
const NAMED: usize = 6;

/// The answers: a row for each of several pods, or in full all that is known of each.
impl Drawn for EvictionsReport {
    fn page(&self, extent: Extent) -> Page {
        let (answers, now) = (&self.items, self.basis.now());
        let mut page = Page::default();
        if !extent.is_whole() && answers.len() > 1 {
            table(&mut page, answers, now);
            page.gap();
        } else {
            for answer in answers {
                one(&mut page, answer, now);
                page.gap();
            }
        }
        if answers.is_empty() {
            page.heading("No evictions found.");
            page.line(
                0,
                vec![
                    "Events are kept for one hour by default; ".into(),
                    Span::command("snapshot", Tone::Plain),
                    " keeps what decisions need.".into(),
                ],
            );
        }
        if let Some(gap) = &self.gap {
            page.line(0, vec![Span::new("Not known: ", Tone::Bad), gap.text().into()]);
        }
        page.based_on(0, &self.basis);
        page
    }
}

/// A row for each pod, and of how many something is not known.
fn table(page: &mut Page, answers: &[EvictionAnswer], now: Timestamp) {
    let columns = [
        Column::new("POD").pods(24),
        Column::new("AGO"),
        Column::new("NODE").nodes(14).dropped(2),
        Column::new("PRIORITY").dropped(1),
        Column::new("WHY").prose(28),
    ];
    page.table(0, columns, answers.iter().map(|answer| row(answer, now)).collect());
    let open = answers.iter().filter(|answer| !answer.is_known()).count();
    if open > 0 {
        let of = words::count(open, "pod");
        let text = format!("something about {of}: -o wide says what, and what says so of each");
        page.line(0, vec![Span::new("Not known: ", Tone::Bad), text.into()]);
    }
}

fn row(answer: &EvictionAnswer, now: Timestamp) -> Vec<Span> {
    let found = &answer.found;
    let ago = found.time.map(|time| words::age(now.as_second() - time.as_second()));
    let priority = found.priority.map(|priority| priority.to_string());
    let mut row: Vec<Span> = vec![found.pod.full_name().into()];
    for known in [ago, found.node.clone(), priority] {
        row.push(known.unwrap_or_else(|| "-".to_owned()).into());
    }
    row.push(Span::new(answer.headline(), Tone::Bad));
    row
}

/// All that is known of a pod.
fn one(page: &mut Page, answer: &EvictionAnswer, now: Timestamp) {
    let found = &answer.found;
    let head = Span::new(format!("{}: ", pod(&found.pod)), Tone::Strong);
    page.line(0, vec![head, Span::new(answer.headline(), Tone::Bad)]);
    let mut facts: Vec<String> = Vec::new();
    facts.extend(found.node.as_ref().map(|node| format!("node {node}")));
    facts.extend(found.time.map(|time| {
        format!(
            "{} ({} ago)",
            time.strftime("%Y-%m-%d %H:%M:%S UTC"),
            words::age(now.as_second() - time.as_second())
        )
    }));
    facts.extend(found.priority.map(|priority| format!("priority {priority}")));
    // That nothing is known of a pod is said once.
    let is_unheard_of = found.cause == EvictionCause::Unknown
        && found.sources.is_empty()
        && found.state == PodState::Gone;
    if !is_unheard_of {
        facts.push(state(found.state).to_owned());
        page.line(2, vec![facts.join(", ").into()]);
    }
    if !found.exits.is_empty() {
        let exits: Vec<String> = found.exits.iter().map(exit).collect();
        page.line(2, vec![format!("Containers: {}.", words::list(&exits, NAMED)).into()]);
    }

    // Where no event names the preemptor, the pods that came to the node later may be it.
    if let EvictionCause::Preempted(RecordedPreemptor::NotNamed { since }) = &found.cause
        && !since.is_empty()
    {
        let names: Vec<String> = since.iter().map(PodId::full_name).collect();
        let text = format!(
            "On the node since then, and of higher priority: {}.",
            words::list(&names, NAMED)
        );
        page.line(2, vec![text.into()]);
    }
    match &answer.rerun {
        Some(Ok(rerun)) => decision(page, rerun),
        None if matches!(found.cause, EvictionCause::Preempted(_)) => {
            let text = "--before SNAPSHOT runs the decision again on an earlier snapshot: why this pod, and what would have \
                        spared it.";
            page.quiet(2, text);
        }
        Some(Err(_)) | None => {}
    }

    // Advice needs a cause, and a cause needs a source that says it.
    if let Some(advice) = answer.advice() {
        let mut spans: Vec<Span> = vec![advice.into()];
        if matches!(found.cause, EvictionCause::Preempted(_)) {
            spans.push(" ".into());
            spans.push(Span::command("risk", Tone::Plain));
            spans.push(" shows what can be preempted.".into());
        }
        page.line(2, spans);
    }
    for text in &answer.stays {
        page.line(2, vec![Span::new(text.clone(), Tone::Strong)]);
    }
    for text in answer.unknown().into_iter().filter(|_| !is_unheard_of) {
        page.line(2, vec![Span::new("Not known: ", Tone::Bad), text.into()]);
    }
    for source in &found.sources {
        page.line(2, vec![Span::new("Source: ", Tone::Quiet), Span::quoted(self::source(source))]);
    }
}

fn exit(exit: &ContainerExit) -> String {
    let reason = if exit.reason.is_empty() { String::new() } else { format!(" ({})", exit.reason) };
    format!("{} exited with {}{reason}", exit.container, exit.code)
}

const fn state(state: PodState) -> &'static str {
    match state {
        PodState::Terminating => "it is being deleted",
        PodState::Finished => "finished; the Pod object still exists",
        PodState::There => "still there",
        PodState::Gone => "no longer there",
    }
}

fn decision(page: &mut Page, rerun: &Rerun) {
    let Rerun {
        preemptor,
        outcome,
        node,
        selected,
        victims,
        spared,
        is_victim,
        sparing_priority,
        budget_spares,
        ..
    } = rerun;
    let head = format!("On the snapshot: {} for {}", outcome, neighbour(preemptor));
    let nodes = if selected.is_empty() {
        String::new()
    } else {
        format!(", on {}", words::list(selected, NAMED))
    };
    page.line(2, vec![Span::new(format!("{head}{nodes}."), Tone::Strong)]);

    // Which pods stayed shows the order in which kube-scheduler brings them back.
    if !victims.is_empty() {
        let text = format!(
            "On {node}, kube-scheduler takes away every pod of lower priority, and brings back the most important ones beside \
             which the preemptor still fits. Not brought back: {}.",
            list(victims)
        );
        page.line(2, vec![text.into()]);
        page.line(2, vec![format!("Brought back: {}.", list(spared)).into()]);
    }
    if !is_victim {
        return;
    }
    let priority = format!("A priority of {sparing_priority} or more would have spared it");
    let text = match budget_spares {
        Some(true) => {
            format!("{priority}, and so would a PodDisruptionBudget over pods with its labels.")
        }
        Some(false) => {
            format!("{priority}. A PodDisruptionBudget over pods with its labels would not have.")
        }
        None => format!("{priority}."),
    };
    page.line(2, vec![text.into()]);
}

fn neighbour(pod: &Neighbour) -> String {
    format!("{} (priority {})", pod.name, pod.priority)
}

fn list(pods: &[Neighbour]) -> String {
    words::list(&pods.iter().map(neighbour).collect::<Vec<_>>(), NAMED)
}

fn source(source: &EvidenceSource) -> String {
    match source {
        EvidenceSource::Event { reason, message, component } if component.is_empty() => {
            format!("Event {reason}: {message}")
        }
        EvidenceSource::Event { reason, message, component } => {
            format!("Event {reason} of {component}: {message}")
        }
        EvidenceSource::Condition { reason, message } => {
            format!("condition DisruptionTarget, {reason}: {message}")
        }
        EvidenceSource::Status { reason, message } if message.is_empty() => {
            format!("status.reason {reason}")
        }
        EvidenceSource::Status { reason, message } => {
            format!("status.message, {reason}: {message}")
        }
        EvidenceSource::Deletion => "metadata.deletionTimestamp".to_owned(),
    }
}
