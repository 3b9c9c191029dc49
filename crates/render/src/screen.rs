//! The default page of `explain`: answers of one screen each, whatever the cluster.
//!
//! In this order: the verdict; the pods that are evicted and what chose the node; why nodes are
//! rejected; what helps; the notes that matter; where to read more. Everything else is on the page
//! of `-o wide` ([`super::text`]).

mod causes;
mod evicts;
mod fits;
mod help;
mod replicas;
mod section;

use engine::decision::Explanation;
use engine::notes::Severity;

use super::headline::{sign, verdict_and_next};
use super::origin::Origin;
use super::page::{Column, Page, Sign, Span, Tone};
use super::pending::Pending;
use super::view_model::ViewModel;
use super::{notes, text, words};
use section::{Row, Section, share};

/// The fewest lines of an answer on a terminal of 100 columns: those of the smallest terminal.
pub const SCREEN: usize = 24;
/// The lines outside of the sections: the verdict, what it is based on, an empty line, and where to
/// read more.
const FRAME: usize = 7;
/// The rows that each section gets if it needs them: what chose the node, who acts next, what the scheduler may
/// pick, why nodes are rejected, why evicting pods does not help, what does, the notes.
const LEAST: [usize; 7] = [3, 3, 2, 2, 2, 2, 2];

/// The page about pods, with a row per node if `nodes`. Replicas of an owner that get the same
/// answer share it. A single answer takes as many `lines` as the terminal has, if these are more
/// than [`SCREEN`].
#[must_use]
pub fn page(decisions: &[Explanation], origin: &Origin, nodes: bool, lines: usize) -> Page {
    let mut page = Page::default();
    let lines = if decisions.len() == 1 { lines.max(SCREEN) } else { SCREEN };
    let answer = |decision| Answer::new(decision, origin, nodes, lines);
    let answers = replicas::group(decisions.iter().map(answer).collect());
    let several = answers.len() > 1;
    if several {
        let mut pending = Pending::default();
        decisions.iter().for_each(|decision| pending.add(decision));
        page.line(0, vec![Span::new(pending.summary(), Tone::Strong)]);
        page.line(2, vec![Span::new(origin.text(decisions), Tone::Quiet)]);
    }
    for answer in answers {
        if several {
            page.gap();
        }
        page.line(
            0,
            vec![
                Span::signed(answer.sign, "", answer.tone),
                Span::new(answer.title(), Tone::Strong),
            ],
        );
        if !several {
            page.line(2, vec![Span::new(origin.text(decisions), Tone::Quiet)]);
        }
        if answer.pods.len() > 1 {
            let names: Vec<&str> = answer.pods.iter().map(|pod| pod.name.as_str()).collect();
            page.line(
                2,
                vec![
                    format!("Pods, each decided alone: {}", words::list(&names, replicas::NAMED))
                        .into(),
                ],
            );
        }
        page.append(answer.body);
        page.append(answer.more);
    }
    page
}

/// The answer about one pod, or about several that get the same.
#[derive(Debug, Clone)]
struct Answer {
    sign: Sign,
    tone: Tone,
    /// What happens, without the pod.
    verdict: String,
    /// The pods that it holds for.
    pods: Vec<replicas::Asked>,
    /// The sections.
    body: Page,
    /// Where to read more; it names the first of the pods.
    more: Page,
}

impl Answer {
    fn new(decision: &Explanation, origin: &Origin, nodes: bool, lines: usize) -> Self {
        let model = ViewModel::new(decision, origin.as_of);
        let (sign, tone) = sign(decision);
        let doubt = if decision.is_unsure() { " (not certain: see the notes)" } else { "" };
        let pods = vec![replicas::Asked::new(decision, origin.as_of)];
        // A sign, the pod and a colon stand before the verdict.
        let head = replicas::title(&pods).chars().count() + doubt.chars().count() + 4;
        let mut body = body(&model, lines);
        if nodes {
            body.append(text::nodes(decision, origin.as_of));
        }
        Self {
            sign,
            tone,
            verdict: verdict_and_next(decision, head) + doubt,
            pods,
            body,
            more: help::more(&model),
        }
    }

    fn title(&self) -> String {
        format!("{}: {}", replicas::title(&self.pods), self.verdict)
    }
}

/// All sections, cut to one screen of so many lines.
pub(crate) fn body(model: &ViewModel, lines: usize) -> Page {
    let sections = [
        evicts::evicts(model).or_else(|| fits::scores(model)),
        help::next_steps(model.decision),
        fits::as_scheduled(model),
        causes::rejections(model),
        causes::no_evictions(model).or_else(|| fits::still_pending(model)),
        // Who asks which nodes may be picked gets these; `-o wide` has both.
        help::remedies(model.decision).filter(|_| model.decision.sampling.is_none()),
        notes(model),
    ];
    let held = holder(model);
    let frames: usize = sections.iter().flatten().chain(&held).map(Section::frame).sum();
    let needs =
        sections.each_ref().map(|section| section.as_ref().map_or(0, |section| section.rows.len()));
    let shares = share(lines.saturating_sub(FRAME + frames), needs, LEAST);
    let mut page = Page::default();
    if let Some(held) = held {
        page.gap();
        held.draw(&mut page, 0);
    }
    for (section, rows) in sections.into_iter().zip(shares) {
        if let Some(section) = section {
            page.gap();
            section.draw(&mut page, rows);
        }
    }
    page
}

/// What another program says that holds the pod.
fn holder(model: &ViewModel) -> Option<Section> {
    let found = super::holder::words(model.decision)?;
    Some(Section { foot: found.lines, ..Section::new(found.head) })
}

/// The notes that may change the answer or how far to rely on it, and a condition that says
/// something else.
fn notes(model: &ViewModel) -> Option<Section> {
    let mut rows = Vec::new();
    for note in model.decision.notes.iter().filter(|note| note.severity != Severity::Info) {
        let head =
            Span::new(format!("{}: {}", note.severity.name(), notes::brief(note)), Tone::Bad);
        let code = Span::new(note.doc.code, Tone::Quiet).linked(super::link::of(note.doc.code));
        rows.push(Row { cells: vec![head, code], weight: 1 });
    }
    if let Some((why, _)) = model.other_condition() {
        rows.push(Row { cells: vec![why.into()], weight: 1 });
    }
    let columns = vec![Column::default().prose(30), Column::default()];
    (!rows.is_empty()).then(|| Section { columns, rows, noun: "note", ..Section::default() })
}

#[cfg(test)]
mod tests;
