//! Who may evict whom, as text: a row for each class, namespace or subject.

use engine::matrix::{MatrixKey, MatrixRow, PreemptionMatrix};

use crate::notes;
use crate::page::{Column, Page, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::questions::risk::RiskReport;
use answers::words;

/// Maximum number of names in a cell.
const NAMED: usize = 3;

pub(super) fn add(page: &mut Page, found: &PreemptionMatrix, report: &RiskReport, extent: Extent) {
    page.heading(summary(found));
    page.based_on(0, &report.basis);
    let shown = extent.shown(found.rows.len());
    let named = extent.named(NAMED);
    let table = found.rows.iter().take(shown).map(|row| cells(row, found.key, named)).collect();
    let mut columns = match found.key {
        MatrixKey::Class => vec![Column::new("CLASS").names(20), Column::new("PRIORITY")],
        MatrixKey::Namespace => {
            vec![Column::new("NAMESPACE").names(20), Column::new("HIGHEST CLASS").names(12)]
        }
        MatrixKey::Subject => vec![
            Column::new("SUBJECT").names(24),
            Column::new("HIGHEST CLASS").names(12),
            Column::new("IN").names(12).dropped(2),
            Column::new("THROUGH").names(12).dropped(3),
        ],
    };
    columns.push(Column::new("MAY EVICT"));
    columns.push(Column::new("OF").prose(20).dropped(1));
    if found.key != MatrixKey::Subject {
        columns.push(Column::new("NOW"));
    }
    if !found.rows.is_empty() {
        page.table(0, columns, table);
    }
    page.left_out_but(0, found.rows.len() - shown, found.key.name(), ALL_SHOWS_IT);
    for sentence in report.open_questions() {
        page.warning(sentence);
    }
    notes::add(page, &report.risk.notes, extent.is_whole());
}

/// `12 of 40 running pods can be evicted: 3 of 5 classes have pods that may`.
fn summary(found: &PreemptionMatrix) -> String {
    if found.key == MatrixKey::Subject && !found.access_is_read {
        return "Which subjects can create pods is not known".to_owned();
    }
    let may = found.rows.iter().filter(|row| row.reach > 0).count();
    format!(
        "{} of {} can be evicted, by pods of {may} of {}",
        words::group_digits(found.reachable),
        words::count(found.running, "running pod"),
        words::count(found.rows.len(), found.key.name())
    )
}

fn priority(row: &MatrixRow) -> String {
    row.priority.map_or_else(|| "-".to_owned(), |priority| priority.to_string())
}

fn cells(row: &MatrixRow, key: MatrixKey, named: usize) -> Vec<Span> {
    let mut cells: Vec<Span> = vec![row.name.as_str().into()];
    match key {
        MatrixKey::Class => cells.push(priority(row).into()),
        MatrixKey::Namespace | MatrixKey::Subject => {
            cells.push(row.class.clone().unwrap_or_else(|| priority(row)).into());
        }
    }
    if key == MatrixKey::Subject {
        let spaces = row.namespaces.as_ref().map(|all| all.iter().cloned().collect::<Vec<_>>());
        let spaces =
            spaces.map_or_else(|| "all namespaces".to_owned(), |all| words::list(&all, named));
        let through: Vec<&str> = row.through.iter().copied().collect();
        cells.push(spaces.into());
        cells.push(words::list(&through, named).into());
    }
    let victims: Vec<String> =
        row.victims.iter().map(|(name, pods)| format!("{name} ({pods})")).collect();
    let tone = if row.reach > 0 { Tone::Bad } else { Tone::Good };
    cells.push(Span::new(words::group_digits(row.reach), tone));
    cells.push(if victims.is_empty() { "-".into() } else { words::list(&victims, named).into() });
    if key != MatrixKey::Subject {
        cells.push(if row.now == 0 { "-".into() } else { row.now.to_string().into() });
    }
    cells
}
