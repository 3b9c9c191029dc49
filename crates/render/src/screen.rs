//! The default page of `explain`: answers of one screen each, however large the cluster.
//!
//! In this order: the verdict; the victims and why this node; why nodes are rejected; what would
//! help; the notes that matter; where to read more. Everything else is on the page of `-o wide`
//! ([`super::text`]).

pub(crate) mod bars;
mod causes;
mod help;
mod placement;
mod section;

use engine::cluster::pod::PodIx;
use engine::decision::Decision;
use engine::notes::Severity;
use jiff::Timestamp;

use super::link;
use super::page::{Column, Page, Sign, Span, Tone};
use super::page::{Drawn, Paper};
use super::text;
use answers::extent::Extent;
use answers::headline::{standing, verdict_and_next};
use answers::node_name::NodeNames;
use answers::origin::Origin;
use answers::pod_report::PodReport;
use answers::questions::explain::PodReports;
use answers::questions::pending::{Pending, PendingRow};
use answers::room::RoomOnNodes;
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
/// The same around an answer with bars, with the heading of the bars and that of their columns.
const FRAME_WITH_BARS: usize = 8;
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

/// The most bars.
const MOST_BARS: usize = 12;

/// How the nodes are drawn as bars.
#[derive(Debug, Clone, Copy)]
pub enum BarsWanted {
    No,
    /// In a pipe, where lines are not counted.
    Yes,
    /// On a terminal: the whole answer takes at most so many lines on this paper.
    Fitted {
        paper: Paper,
        lines: usize,
    },
}

/// Draws answers about pods, each from its decision alone.
#[derive(Debug, Clone, Copy)]
pub struct AnswerDrawer<'o> {
    origin: &'o Origin,
    /// Whether there is a row per node.
    nodes: bool,
    /// The lines of each answer.
    lines: usize,
    bars: BarsWanted,
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
    /// How the nodes are named.
    nodes: NodeNames,
}

impl<'o> AnswerDrawer<'o> {
    /// For this many pods, with a row per node if `nodes`. A single answer takes as many `lines` as
    /// the terminal has, if these are more than [`SCREEN`].
    #[must_use]
    pub fn new(pods: usize, origin: &'o Origin, nodes: bool, lines: usize) -> Self {
        let lines = if pods == 1 { lines.max(SCREEN) } else { SCREEN };
        Self { origin, nodes, lines, bars: BarsWanted::No, several: pods > 1 }
    }

    /// The same with the nodes drawn as bars.
    #[must_use]
    pub fn with_bars(self, bars: BarsWanted) -> Self {
        Self { bars, ..self }
    }

    #[must_use]
    pub fn draw(&self, decision: &PodReport) -> DrawnAnswer {
        DrawnAnswer {
            answer: self.answer(decision),
            row: self.several.then(|| PendingRow::of(decision)),
            based_on: self.origin.text(std::slice::from_ref(decision)),
            nodes: self.origin.nodes.clone(),
        }
    }

    /// The answer. On a terminal it gets as many lines as its first line leaves on the screen.
    fn answer(&self, decision: &PodReport) -> Answer {
        let rooms = match self.bars {
            BarsWanted::No => None,
            BarsWanted::Yes | BarsWanted::Fitted { .. } => decision.room_on_nodes(),
        };
        let Some(rooms) = rooms else {
            return Answer::new(decision, self.origin, self.nodes, body(decision, self.lines));
        };
        let drawn = |lines: usize, tightness: Tightness| {
            let body = body_with_bars(decision, &rooms, lines, tightness);
            let mut answer = Answer::new(decision, self.origin, self.nodes, body);
            answer.has_strip = true;
            if tightness > Tightness::Loose {
                answer.body = answer.body.without_gaps();
                answer.more = answer.more.without_gaps();
            }
            answer
        };
        let BarsWanted::Fitted { paper, lines: most } = self.bars else {
            return drawn(SCREEN * 2, Tightness::Loose);
        };
        // Lines that wrap count as often as they do, so what turns out too long is drawn again with
        // fewer rows, and then more tightly.
        let based_on = self.origin.text(std::slice::from_ref(decision));
        let mut tightest = None;
        for tightness in Tightness::ALL {
            let mut lines = most;
            loop {
                let answer = drawn(lines, tightness);
                let answers = Answers {
                    drawn: vec![answer.clone()],
                    based_on: based_on.clone(),
                    nodes: self.origin.nodes.clone(),
                    ..Answers::default()
                };
                let taken = answers.page().print(paper).to_string().lines().count();
                if taken <= most || self.nodes {
                    return answer;
                }
                tightest = Some(answer);
                if lines == 0 {
                    break;
                }
                lines = lines.saturating_sub(taken - most);
            }
        }
        tightest.unwrap_or_else(|| drawn(0, Tightness::Tightest))
    }
}

/// How the sections are put onto a small screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Loose,
    /// Remedies share a line, and no lines are empty.
    Tight,
    /// Each section has fewer rows, and remarks are left to `-o wide`.
    Tightest,
}

impl Tightness {
    const ALL: [Self; 3] = [Self::Loose, Self::Tight, Self::Tightest];

    /// Minimum number of bars, and of rows for each section: why this node, who acts next, what the
    /// scheduler may pick, what would help, the notes.
    const fn least(self) -> [usize; 6] {
        match self {
            Self::Loose | Self::Tight => [4, 3, 2, 2, 3, 1],
            Self::Tightest => [2, 2, 1, 1, 1, 1],
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
    /// How the nodes are named.
    nodes: NodeNames,
}

impl Answers {
    /// Adds the answer about a pod.
    pub fn add(&mut self, drawn: DrawnAnswer) {
        if self.drawn.is_empty() {
            self.based_on = drawn.based_on;
            self.nodes = drawn.nodes;
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
            page.based_on_text(2, self.based_on.as_str(), &self.nodes);
        }
        for answer in self.drawn {
            if several {
                page.gap();
            }
            page.verdict((answer.sign, answer.tone), answer.title());
            // All answers are based on the same, so it is said once.
            if answer.has_strip && !several {
                // The heading of the strip has the ending of the names.
                page.quiet(2, self.based_on.as_str());
                page.name_nodes(&self.nodes);
            } else if !several {
                page.based_on_text(2, self.based_on.as_str(), &self.nodes);
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
    /// Whether the nodes are drawn.
    has_strip: bool,
}

impl Answer {
    fn new(decision: &PodReport, origin: &Origin, nodes: bool, mut body: Page) -> Self {
        let (sign, tone) = Sign::of(standing(decision));
        let doubt = if decision.is_unsure() { " (not certain: see the notes)" } else { "" };
        let pods = vec![Asked::new(decision, origin.as_of)];
        // A sign, the pod and a colon come before the verdict.
        let head = title(&pods).chars().count() + doubt.chars().count() + 4;
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
            has_strip: false,
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
    let first = [nobody_schedules(model), holder(model), placement::why_not(model)];
    let frames: usize = sections.iter().chain(&first).flatten().map(ScreenSection::frame).sum();
    let needs =
        sections.each_ref().map(|section| section.as_ref().map_or(0, |section| section.rows.len()));
    let shares = share(lines.saturating_sub(FRAME + frames), needs, LEAST);
    let mut page = Page::default();
    for section in first.into_iter().flatten() {
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

/// All sections with the nodes drawn, cut to this many lines.
fn body_with_bars(
    model: &PodReport,
    rooms: &RoomOnNodes,
    lines: usize,
    tightness: Tightness,
) -> Page {
    let remedies = help::remedies(model).filter(|_| model.sampling.is_none());
    let (in_rows, in_line) = match tightness {
        Tightness::Loose => (remedies.map(ScreenSection::numbered), None),
        Tightness::Tight | Tightness::Tightest => (None, remedies),
    };
    let mut sections = [
        placement::evicts(model).or_else(|| placement::scores(model)),
        help::next_steps(model),
        placement::as_scheduled(model),
        in_rows,
        notes(model),
    ];
    if tightness == Tightness::Tightest {
        // Why this of several equal nodes is what can be missed first.
        sections.iter_mut().flatten().for_each(|section| section.foot.truncate(1));
    }
    let first = [nobody_schedules(model), holder(model), placement::why_not(model)];

    // The rows that fit are shared between the bars and the sections, which follow one another without
    // an empty line: their headings stand out.
    let frames: usize = sections.iter().flatten().map(|section| section.frame() - 1).sum();
    let first_frames: usize = first.iter().flatten().map(ScreenSection::frame).sum();
    let line = usize::from(in_line.is_some());
    let fixed = FRAME_WITH_BARS + bars::strip_lines(rooms) + frames + first_frames + line;
    let mut needs = [rooms.nodes.len().min(MOST_BARS); 6];
    for (need, section) in needs.iter_mut().skip(1).zip(&sections) {
        *need = section.as_ref().map_or(0, |section| section.rows.len());
    }
    let mut room = lines.saturating_sub(fixed);
    let shares = share(room, needs, tightness.least());
    room = room.saturating_sub(shares.iter().sum());

    let mut page = Page::default();
    for section in first.into_iter().flatten() {
        page.gap();
        section.draw(&mut page, 0);
    }
    page.gap();
    bars::strip(rooms, &mut page);
    let [bars, shares @ ..] = shares;
    bars::bars(model, rooms, bars).draw(&mut page, usize::MAX);
    // The causes say again what the bars show, with the rules: they come in where everything fits.
    let causes =
        causes::no_evictions(model).or_else(|| placement::still_pending(model)).into_iter();
    for section in causes::rejections(model).into_iter().chain(causes) {
        let lines = section.frame() - 1 + section.rows.len();
        if lines <= room {
            room -= lines;
            section.draw(&mut page, usize::MAX);
        }
    }
    for (section, rows) in sections.into_iter().zip(shares) {
        if let Some(section) = section {
            section.draw(&mut page, rows);
        }
    }
    if let Some(remedies) = in_line {
        remedies.draw_in_line(&mut page);
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
