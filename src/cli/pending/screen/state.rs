//! What a person has chosen on the screen of `--watch`: a row, a filter, an order, a question about a
//! pod. Without a terminal, so that keys can be tested.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use answers::questions::pending::{PendingRow, PendingVerdict};
use answers::timeline::Timeline;
use engine::simulation::plan::PodId;
use render::page::Paper;
use render::pending::{self, Layout};
use render::safe::Printable;

/// What follows from a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::pending) enum KeyAction {
    Nothing,
    /// The screen changes.
    Draw,
    /// The program ends.
    Quit,
    /// The program ends as after SIGINT.
    Interrupt,
    /// The program is stopped until the shell continues it.
    Suspend,
    /// The screen is cleared and drawn from nothing.
    Clear,
}

/// A question about a pod of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::pending) struct PodQuestion {
    pub pod: PodId,
    pub kind: QuestionKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::pending) enum QuestionKind {
    /// What is decided about it, and what has happened to it?
    Explain,
    /// Can the node that the scheduler picks for it be drained? `None` if it picks none.
    Node(Option<String>),
    /// How many more like it fit?
    Headroom,
    /// What would help all pods of the list together, whichever pod is selected?
    Changes,
}

/// A question whose answer is to be drawn on so much space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::pending) struct WantedAnswer {
    pub question: PodQuestion,
    pub space: AnswerSpace,
}

/// The space for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli::pending) struct AnswerSpace {
    pub paper: Paper,
    /// The lines of an answer that is made to fit.
    pub lines: usize,
}

/// The answer to a question.
#[derive(Debug, Clone)]
pub(in crate::cli::pending) struct DrawnPodAnswer {
    pub text: Printable,
    /// What has happened to the pod, if its decision is explained.
    pub timeline: Option<Timeline>,
}

/// What follows from a key as long as there is no list.
pub(in crate::cli::pending) fn key_before_list(key: KeyEvent) -> KeyAction {
    match (key.modifiers.contains(KeyModifiers::CONTROL), key.code) {
        (true, code) => with_control(code),
        (false, KeyCode::Char('q')) => KeyAction::Quit,
        (false, _) => KeyAction::Nothing,
    }
}

fn with_control(code: KeyCode) -> KeyAction {
    match code {
        KeyCode::Char('c') => KeyAction::Interrupt,
        KeyCode::Char('z') => KeyAction::Suspend,
        KeyCode::Char('l') => KeyAction::Clear,
        _ => KeyAction::Nothing,
    }
}

fn pod_of(row: &PendingRow) -> PodId {
    PodId { namespace: row.namespace.clone(), name: row.name.clone(), uid: row.uid.clone() }
}

/// The next of the verdicts that rows have; `None`: all of them.
fn next_verdict(now: Option<PendingVerdict>, rows: &[PendingRow]) -> Option<PendingVerdict> {
    let there = |verdict: &PendingVerdict| rows.iter().any(|row| row.verdict == *verdict);
    let mut verdicts = PendingVerdict::ALL.into_iter().filter(there);
    match now {
        Some(now) => verdicts.skip_while(|verdict| *verdict != now).nth(1),
        None => verdicts.next(),
    }
}

/// The order of the rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum QueueOrder {
    /// As the scheduler's queue.
    #[default]
    Queue,
    /// The oldest first.
    Age,
    /// By namespace and name.
    Name,
}

impl QueueOrder {
    const fn next(self) -> Self {
        match self {
            Self::Queue => Self::Age,
            Self::Age => Self::Name,
            Self::Name => Self::Queue,
        }
    }

    /// Its name.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Queue => "queue order",
            Self::Age => "age",
            Self::Name => "name",
        }
    }
}

/// An answer that covers the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Detail {
    pub question: PodQuestion,
    /// The first line that is shown.
    pub top: usize,
}

/// What was chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct ScreenState {
    /// Rows are shown that have this text in them.
    pub filter: String,
    /// Whether the filter is being typed.
    pub typing: bool,
    /// Only rows of this verdict are shown.
    pub verdict: Option<PendingVerdict>,
    /// Whether the keys are explained.
    pub helps: bool,
    /// The order.
    pub sort: QueueOrder,
    /// The layout of the table, once it was drawn.
    pub layout: Option<Layout>,
    /// The answer that covers the list.
    pub detail: Option<Detail>,
    /// The space for an answer; `None` if there is none beside or below the list, and none covers it.
    pub space: Option<AnswerSpace>,
    /// The answer that came last.
    answer: Option<(PodQuestion, DrawnPodAnswer)>,
    /// The first row that is shown.
    pub top: usize,
    selected: Option<PodId>,
    /// Where the selected row was last, for when its pod leaves.
    at: usize,
    /// The height of the list or page, in lines.
    pub height: usize,
    /// The height of what stands below the list.
    pub below: usize,
}

impl ScreenState {
    /// The rows that are shown, in their order. Of pods that share a row, it is the first.
    pub(super) fn rows<'r>(&self, all: &'r [PendingRow]) -> Vec<&'r PendingRow> {
        let found = self.found(all);
        match self.layout {
            Some(layout) => pending::firsts(found, layout),
            None => found,
        }
    }

    /// The pods and groups that match the filter, in the order of the screen.
    pub(super) fn found<'r>(&self, all: &'r [PendingRow]) -> Vec<&'r PendingRow> {
        let wanted = self.filter.to_lowercase();
        let matches = |row: &&PendingRow| {
            self.verdict.is_none_or(|verdict| verdict == row.verdict)
                && (wanted.is_empty() || row.searched().to_lowercase().contains(&wanted))
        };
        let mut rows: Vec<&PendingRow> = all.iter().filter(matches).collect();
        match self.sort {
            QueueOrder::Queue => {}
            QueueOrder::Age => rows.sort_by_key(|row| (row.created.is_none(), row.created)),
            QueueOrder::Name => rows.sort_by_key(|row| (&row.namespace, &row.name)),
        }
        rows
    }

    /// The place of the selected row among those that are shown: it stays with its pod while rows
    /// come and go, and where it is if that pod leaves.
    pub(super) fn selected(&self, rows: &[&PendingRow]) -> usize {
        let known =
            self.selected.as_ref().and_then(|pod| rows.iter().position(|row| *pod == pod_of(row)));
        known.unwrap_or_else(|| self.at.min(rows.len().saturating_sub(1)))
    }

    /// Moves the part that is shown, so that it has the selected row, and selects the pod that is
    /// in that row now.
    pub(super) fn follow(&mut self, rows: &[&PendingRow]) {
        let selected = self.selected(rows);
        self.select(selected, rows);
        let last = rows.len().saturating_sub(self.height);
        self.top = self
            .top
            .clamp(selected.saturating_sub(self.height.saturating_sub(1)), selected)
            .min(last);
    }

    fn select(&mut self, at: usize, rows: &[&PendingRow]) {
        self.at = at;
        self.selected = rows.get(at).map(|row| pod_of(row));
    }

    /// Whether not all rows are shown.
    pub(super) fn is_filtered(&self) -> bool {
        self.verdict.is_some() || !self.filter.is_empty()
    }

    /// The question whose answer is shown: what is asked about the selected pod, unless an answer
    /// covers the list.
    pub(super) fn question(&self) -> Option<PodQuestion> {
        match &self.detail {
            Some(detail) => Some(detail.question.clone()),
            None => Some(PodQuestion { pod: self.selected.clone()?, kind: QuestionKind::Explain }),
        }
    }

    /// The answer that is to be drawn.
    pub(super) fn wanted(&self) -> Option<WantedAnswer> {
        Some(WantedAnswer { question: self.question()?, space: self.space? })
    }

    /// The answer to what is asked, once it is there.
    pub(super) fn answer(&self) -> Option<&DrawnPodAnswer> {
        let question = self.question()?;
        self.answer.as_ref().filter(|(of, _)| *of == question).map(|(_, answer)| answer)
    }

    /// An answer has come. The part of it that is shown stays.
    pub(super) fn answered(&mut self, question: PodQuestion, answer: DrawnPodAnswer) {
        if let Some(detail) = self.detail.as_mut().filter(|detail| detail.question == question) {
            detail.top = detail.top.min(answer.text.lines().count().saturating_sub(self.height));
        }
        self.answer = Some((question, answer));
    }

    /// A key was pressed while `all` rows are there.
    pub(super) fn key(&mut self, key: KeyEvent, all: &[PendingRow]) -> KeyAction {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match with_control(key.code) {
                KeyAction::Nothing => self.scroll(key, all),
                action => action,
            };
        }
        if self.typing {
            return self.type_filter(key.code);
        }
        let is_list = self.detail.is_none();
        match key.code {
            KeyCode::Char('q') => return KeyAction::Quit,
            _ if self.helps => self.helps = false,
            KeyCode::Char('?') => self.helps = true,
            KeyCode::Esc if !is_list => self.detail = None,
            KeyCode::Esc => {
                self.filter.clear();
                self.verdict = None;
            }
            KeyCode::Char('/') if is_list => self.typing = true,
            KeyCode::Char('s') if is_list => self.sort = self.sort.next(),
            KeyCode::Char('v') if is_list => self.verdict = next_verdict(self.verdict, all),
            KeyCode::Enter => return self.open(QuestionKind::Explain, all),
            KeyCode::Char('h') => return self.open(QuestionKind::Headroom, all),
            KeyCode::Char('a') => return self.open(QuestionKind::Changes, all),
            KeyCode::Char('n') => return self.open(QuestionKind::Node(None), all),
            _ => return self.scroll(key, all),
        }
        KeyAction::Draw
    }

    /// Covers the list with the answer about its selected row.
    fn open(&mut self, kind: QuestionKind, all: &[PendingRow]) -> KeyAction {
        let rows = self.rows(all);
        let Some(row) = rows.get(self.selected(&rows)) else { return KeyAction::Nothing };
        let kind = match kind {
            QuestionKind::Node(_) => QuestionKind::Node(row.nodes.first().cloned()),
            kind => kind,
        };
        // A pod that has left the list can still be read about.
        let pod = self.detail.take().map_or_else(|| pod_of(row), |detail| detail.question.pod);
        self.detail = Some(Detail { question: PodQuestion { pod, kind }, top: 0 });
        KeyAction::Draw
    }

    fn type_filter(&mut self, code: KeyCode) -> KeyAction {
        match code {
            KeyCode::Enter => self.typing = false,
            KeyCode::Esc => {
                self.typing = false;
                self.filter.clear();
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(c) => self.filter.push(c),
            _ => return KeyAction::Nothing,
        }
        KeyAction::Draw
    }

    /// Moves as `less` and k9s do.
    fn scroll(&mut self, key: KeyEvent, all: &[PendingRow]) -> KeyAction {
        let rows = self.rows(all);
        let (at, count) = match &self.detail {
            Some(detail) => {
                let lines = self.answer().map_or(0, |answer| answer.text.lines().count());
                (detail.top, (lines + 1).saturating_sub(self.height).max(1))
            }
            None => (self.selected(&rows), rows.len()),
        };
        let page = self.height.saturating_sub(1).max(1);
        let half = self.height.div_ceil(2).max(1);
        let to = match (key.modifiers.contains(KeyModifiers::CONTROL), key.code) {
            (true, KeyCode::Char('d')) => at + half,
            (true, KeyCode::Char('u')) => at.saturating_sub(half),
            (true, KeyCode::Char('f')) => at + page,
            (true, KeyCode::Char('b')) => at.saturating_sub(page),
            (true, _) => return KeyAction::Nothing,
            (_, KeyCode::Up | KeyCode::Char('k')) => at.saturating_sub(1),
            (_, KeyCode::Down | KeyCode::Char('j')) => at + 1,
            (_, KeyCode::PageUp) => at.saturating_sub(page),
            (_, KeyCode::PageDown | KeyCode::Char(' ')) => at + page,
            (_, KeyCode::Home | KeyCode::Char('g')) => 0,
            (_, KeyCode::End | KeyCode::Char('G')) => count,
            _ => return KeyAction::Nothing,
        };
        let to = to.min(count.saturating_sub(1));
        match &mut self.detail {
            Some(detail) => detail.top = to,
            None => self.select(to, &rows),
        }
        KeyAction::Draw
    }
}

#[cfg(test)]
mod tests;
