//! The default page of `explain`: answers of one screen each, however large the cluster.
//!
//! In this order: the verdict; the victims and why this node; why nodes are rejected; what would
//! help; the notes that matter; where to read more. Everything else is on the page of `-o wide`
//! ([`super::text`]).

mod causes;
mod help;
mod placement;
mod section;

use engine::cluster::pod::PodIx;
use engine::decision::Decision;
use engine::notes::Severity;
use jiff::Timestamp;

use super::link;
use super::page::Drawn;
use super::page::{Column, Page, Sign, Span, Tone};
use super::text;
use answers::extent::Extent;
use answers::headline::{standing, verdict_and_next};
use answers::origin::Origin;
use answers::pod_report::PodReport;
use answers::questions::explain::PodReports;
use answers::questions::pending::{Pending, PendingRow};
use answers::words;
use section::{ScreenSection, SectionRow, share};

/// Minimum number of lines of an answer on a terminal of 100 columns: those of the smallest
/// terminal.
pub const SCREEN: usize = 24;
/// Maximum number of replicas that are named.
const NAMED: usize = 10;
/// The lines outside of the sections: the verdict, what it is based on, an empty line, and where to
/// read more.
const FRAME: usize = 7;
/// Minimum number of rows for each section that needs them: why this node, who acts next, what the
/// scheduler may pick, why nodes are rejected, why evictions do not help, what would help, the
/// notes.
const LEAST: [usize; 7] = [3, 3, 2, 2, 2, 2, 2];

/// A screen of each pod, or all that is known of it.
impl Drawn for PodReports<'_> {
    fn page(&self, extent: Extent) -> Page {
        let origin = &self.basis.origin;
        if !extent.is_whole() {
            return page(&self.pods, origin, false, 0);
        }
        let mut whole = Page::default();
        for report in &self.pods {
            whole.append(text::page(report, origin));
        }
        whole
    }
}

/// The page about pods, see [`Answers`].
#[must_use]
pub fn page(decisions: &[PodReport], origin: &Origin, nodes: bool, lines: usize) -> Page {
    let drawer = AnswerDrawer::new(decisions.len(), origin, nodes, lines);
    let mut answers = Answers::default();
    decisions.iter().for_each(|decision| answers.add(drawer.draw(decision)));
    answers.page()
}

/// Draws answers about pods, each from its decision alone.
#[derive(Debug, Clone, Copy)]
pub struct AnswerDrawer<'o> {
    origin: &'o Origin,
    /// Whether there is a row per node.
    nodes: bool,
    /// The lines of each answer.
    lines: usize,
    /// Whether there may be a summary of several.
    several: bool,
}

/// The answer about one pod.
#[derive(Debug)]
pub struct DrawnAnswer {
    answer: Answer,
    /// The pod in short, if there is more than one.
    row: Option<PendingRow>,
    /// What the decision is based on.
    based_on: String,
}

impl<'o> AnswerDrawer<'o> {
    /// For this many pods, with a row per node if `nodes`. A single answer takes as many `lines` as
    /// the terminal has, if these are more than [`SCREEN`].
    #[must_use]
    pub fn new(pods: usize, origin: &'o Origin, nodes: bool, lines: usize) -> Self {
        let lines = if pods == 1 { lines.max(SCREEN) } else { SCREEN };
        Self { origin, nodes, lines, several: pods > 1 }
    }

    #[must_use]
    pub fn draw(&self, decision: &PodReport) -> DrawnAnswer {
        DrawnAnswer {
            answer: Answer::new(decision, self.origin, self.nodes, self.lines),
            row: self.several.then(|| PendingRow::of(decision)),
            based_on: self.origin.text(std::slice::from_ref(decision)),
        }
    }
}

/// The answers about pods, which are drawn one by one: no decision has to be kept until the last
/// one is made. Replicas of an owner that get the same answer share it.
#[derive(Debug, Default)]
pub struct Answers {
    drawn: Vec<Answer>,
    /// All pods in short, if there is more than one.
    pending: Pending,
    /// What the decisions are based on.
    based_on: String,
}

impl Answers {
    /// Adds the answer about a pod.
    pub fn add(&mut self, drawn: DrawnAnswer) {
        if self.drawn.is_empty() {
            self.based_on = drawn.based_on;
        }
        self.pending.rows.extend(drawn.row);
        let mut answer = drawn.answer;
        match self.drawn.iter_mut().find(|known| known.is_same(&answer)) {
            Some(known) => known.pods.append(&mut answer.pods),
            None => self.drawn.push(answer),
        }
    }

    /// The page with all of them.
    #[must_use]
    pub fn page(self) -> Page {
        let mut page = Page::default();
        let several = self.drawn.len() > 1;
        if several {
            page.line(0, vec![Span::new(self.pending.summary(), Tone::Strong)]);
            page.quiet(2, self.based_on.as_str());
        }
        for answer in self.drawn {
            if several {
                page.gap();
            }
            page.verdict((answer.sign, answer.tone), answer.title());
            // All answers are based on the same, so it is said once.
            if !several {
                page.quiet(2, self.based_on.as_str());
            }
            if answer.pods.len() > 1 {
                let names: Vec<&str> = answer.pods.iter().map(|pod| pod.name.as_str()).collect();
                let names = words::list(&names, NAMED);
                page.line(2, vec![format!("Pods, each decided alone: {names}").into()]);
            }
            page.append(answer.body);
            page.append(answer.more);
        }
        page
    }
}

/// The answer about one pod, or about several with the same answer.
#[derive(Debug, Clone)]
struct Answer {
    sign: Sign,
    tone: Tone,
    /// The verdict, without the pod.
    verdict: String,
    /// The pods that it applies to.
    pods: Vec<Asked>,
    /// The sections.
    body: Page,
    /// Where to read more; it names the first of the pods.
    more: Page,
}

impl Answer {
    fn new(decision: &PodReport, origin: &Origin, nodes: bool, lines: usize) -> Self {
        let (sign, tone) = Sign::of(standing(decision));
        let doubt = if decision.is_unsure() { " (not certain: see the notes)" } else { "" };
        let pods = vec![Asked::new(decision, origin.as_of)];
        // A sign, the pod and a colon come before the verdict.
        let head = title(&pods).chars().count() + doubt.chars().count() + 4;
        let mut body = body(decision, lines);
        if nodes {
            body.append(text::nodes(decision));
        }
        Self {
            sign,
            tone,
            verdict: verdict_and_next(decision, head) + doubt,
            pods,
            body,
            more: help::more(decision),
        }
    }

    fn title(&self) -> String {
        format!("{}: {}", title(&self.pods), self.verdict)
    }

    /// Whether the pods of another answer are replicas of the same owner, and get the same answer.
    fn is_same(&self, other: &Self) -> bool {
        let replicas =
            self.pods.iter().zip(&other.pods).all(|(one, other)| one.is_replica_of(other));
        replicas && (&self.verdict, &self.body) == (&other.verdict, &other.body)
    }
}

/// A pod in question.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    pod: PodIx,
    /// Its name without the namespace.
    name: String,
    namespace: String,
    priority: i32,
    /// Kind and name of its controller.
    owner: Option<(String, String)>,
    /// How many seconds it has been pending, if it is.
    pending: Option<i64>,
}

impl Asked {
    /// The pod of a decision.
    fn new(decision: &Decision, now: Timestamp) -> Self {
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let created = pod.created.filter(|_| pod.is_waiting());
        Self {
            pod: decision.pod,
            name: pod.name.to_string(),
            namespace: cluster.text(pod.namespace).to_owned(),
            priority: pod.priority,
            owner: pod.controller.map(|owner| {
                (cluster.text(owner.kind).to_owned(), cluster.text(owner.name).to_owned())
            }),
            pending: created.map(|created| now.as_second() - created.as_second()),
        }
    }

    fn is_replica_of(&self, other: &Self) -> bool {
        self.owner.is_some()
            && (&self.owner, &self.namespace, self.priority)
                == (&other.owner, &other.namespace, other.priority)
    }
}

/// The pod, or the owner of several pods, with priority and waiting time.
fn title(pods: &[Asked]) -> String {
    let Some(first) = pods.first() else { return String::new() };
    let times = pods.iter().filter_map(|pod| pod.pending);
    let waits = match (times.clone().min(), times.max()) {
        (Some(least), Some(most)) if words::age(least) != words::age(most) => {
            format!(", pending {} to {}", words::age(least), words::age(most))
        }
        (Some(age), _) => format!(", pending {}", words::age(age)),
        (None, _) => String::new(),
    };
    match &first.owner {
        Some((kind, name)) if pods.len() > 1 => {
            let number = words::count(pods.len(), "pod");
            format!(
                "{kind} {}/{name} ({number}, priority {}{waits})",
                first.namespace, first.priority
            )
        }
        _ => format!("{}/{} (priority {}{waits})", first.namespace, first.name, first.priority),
    }
}

/// All sections, cut to one screen of this many lines.
pub(crate) fn body(model: &PodReport, lines: usize) -> Page {
    let sections = [
        placement::evicts(model).or_else(|| placement::scores(model)),
        help::next_steps(model),
        placement::as_scheduled(model),
        causes::rejections(model),
        causes::no_evictions(model).or_else(|| placement::still_pending(model)),
        // Whoever asks which nodes may be picked gets these; `-o wide` has both.
        help::remedies(model).filter(|_| model.sampling.is_none()),
        notes(model),
    ];

    // The rows that fit on the screen are shared between the sections; who holds the pod is never
    // cut.
    let (held, unscheduled) = (holder(model), nobody_schedules(model));
    let first = [&unscheduled, &held].into_iter().flatten();
    let frames: usize = sections.iter().flatten().chain(first).map(ScreenSection::frame).sum();
    let needs =
        sections.each_ref().map(|section| section.as_ref().map_or(0, |section| section.rows.len()));
    let shares = share(lines.saturating_sub(FRAME + frames), needs, LEAST);
    let mut page = Page::default();
    for section in [unscheduled, held].into_iter().flatten() {
        page.gap();
        section.draw(&mut page, 0);
    }
    for (section, rows) in sections.into_iter().zip(shares) {
        if let Some(section) = section {
            page.gap();
            section.draw(&mut page, rows);
        }
    }
    page
}

/// What is known of the scheduler, if nobody seems to schedule the pod.
fn nobody_schedules(model: &PodReport) -> Option<ScreenSection> {
    let silence = model.silence.as_ref()?;
    let foot = silence.lines().into_iter().map(Span::from).collect();
    Some(ScreenSection { foot, ..ScreenSection::new(silence.head()) })
}

/// What another program that holds the pod says.
fn holder(model: &PodReport) -> Option<ScreenSection> {
    let found = answers::holder::words(model)?;
    let foot = found.lines.into_iter().map(Span::from).collect();
    Some(ScreenSection { foot, ..ScreenSection::new(found.head) })
}

/// The notes that affect the answer or its certainty, and a condition with a different message.
fn notes(model: &PodReport) -> Option<ScreenSection> {
    let mut rows = Vec::new();
    for note in model.notes.iter().filter(|note| note.severity != Severity::Info) {
        let head = Span::new(
            format!("{}: {}", note.severity.name(), answers::notes::brief(note)),
            Tone::Bad,
        );
        let code = Span::new(note.doc.code, Tone::Quiet).linked(link::of(note.doc.code));
        rows.push(SectionRow { cells: vec![head, code], weight: 1 });
    }
    if let Some(other) = model.other_condition() {
        rows.push(SectionRow { cells: vec![other.in_short.into()], weight: 1 });
    }
    let columns = vec![Column::default().prose(30), Column::default()];
    (!rows.is_empty()).then(|| ScreenSection {
        columns,
        rows,
        noun: "note",
        ..ScreenSection::default()
    })
}

#[cfg(test)]
mod tests;
