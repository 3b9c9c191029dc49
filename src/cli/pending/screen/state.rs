//! What a person has chosen on the screen of `--watch`: a row, a filter, an order, a pod that is
//! explained. Without a terminal, so that keys can be tested.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use answers::questions::pending::PendingRow;
use engine::simulation::plan::PodId;
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
    /// The decision about this pod is wanted.
    Explain(PodId),
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

/// A pod that is explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Detail {
    pub pod: PodId,
    /// The page; `None` until it is there.
    pub text: Option<Printable>,
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
    /// The order.
    pub sort: QueueOrder,
    /// The layout of the table, once it was drawn.
    pub layout: Option<Layout>,
    /// The pod that is explained.
    pub detail: Option<Detail>,
    /// The first row that is shown.
    pub top: usize,
    selected: Option<PodId>,
    /// Where the selected row was last, for when its pod leaves.
    at: usize,
    /// The height of the list or page, in lines.
    pub height: usize,
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
            wanted.is_empty() || row.searched().to_lowercase().contains(&wanted)
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

    /// The page about a pod has come. The part that is shown stays.
    pub(super) fn explained(&mut self, pod: &PodId, text: Printable) {
        if let Some(detail) = self.detail.as_mut().filter(|detail| detail.pod == *pod) {
            detail.top = detail.top.min(text.lines().count().saturating_sub(self.height));
            detail.text = Some(text);
        }
    }

    /// A key was pressed while `all` rows are there.
    pub(super) fn key(&mut self, key: KeyEvent, all: &[PendingRow]) -> KeyAction {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return with_control(key.code);
        }
        if self.typing {
            return self.type_filter(key.code);
        }
        match key.code {
            KeyCode::Char('q') => return KeyAction::Quit,
            KeyCode::Esc if self.detail.is_some() => self.detail = None,
            KeyCode::Esc => self.filter.clear(),
            KeyCode::Char('/') if self.detail.is_none() => self.typing = true,
            KeyCode::Char('s') if self.detail.is_none() => self.sort = self.sort.next(),
            KeyCode::Enter if self.detail.is_none() => {
                let rows = self.rows(all);
                let Some(row) = rows.get(self.selected(&rows)) else { return KeyAction::Nothing };
                let pod = pod_of(row);
                self.detail = Some(Detail { pod: pod.clone(), text: None, top: 0 });
                return KeyAction::Explain(pod);
            }
            code => return self.scroll(code, all),
        }
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

    fn scroll(&mut self, code: KeyCode, all: &[PendingRow]) -> KeyAction {
        let rows = self.rows(all);
        let (at, count) = match &self.detail {
            Some(detail) => {
                let lines = detail.text.as_deref().map_or(0, |text| text.lines().count());
                (detail.top, (lines + 1).saturating_sub(self.height).max(1))
            }
            None => (self.selected(&rows), rows.len()),
        };
        let page = self.height.saturating_sub(1).max(1);
        let to = match code {
            KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => at + 1,
            KeyCode::PageUp => at.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ') => at + page,
            KeyCode::Home => 0,
            KeyCode::End => count,
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
