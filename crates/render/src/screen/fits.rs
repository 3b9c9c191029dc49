//! Where a pod that fits is placed, and why it may still be pending.

use super::section::{ScreenSection, SectionRow};
use crate::page::{Column, Span, Tone};
use crate::text::sampling;
use answers::pod_report::PodReport;
use answers::words;

/// Maximum number of nodes whose scores are shown.
const SCORES_SHOWN: usize = 3;

/// Why the scheduler picks the node; `None` if no node was scored.
pub(super) fn scores(model: &PodReport) -> Option<ScreenSection> {
    let table = model.scores()?;
    let mut ranked: Vec<_> = table.nodes.iter().zip(&table.totals).collect();
    ranked.sort_by_key(|(node, total)| (std::cmp::Reverse(**total), **node));
    let best = table.best();
    let rows = ranked.iter().take(SCORES_SHOWN).map(|(node, total)| SectionRow {
        cells: vec![
            Span::new(
                model.node(**node),
                if best.contains(node) { Tone::Good } else { Tone::Plain },
            ),
            total.to_string().into(),
        ],
        weight: 1,
    });
    let tied = match best.len() {
        1 => String::new(),
        several => format!(" ({} tied)", words::count(several, "node")),
    };
    Some(ScreenSection {
        columns: vec![Column::default().names(24), Column::default()],
        rows: rows.collect(),
        noun: "node",
        ..ScreenSection::new(format!("Highest scores{tied}"))
    })
}

/// What a scheduler that samples nodes may pick; `None` if that was not computed.
pub(super) fn as_scheduled(model: &PodReport) -> Option<ScreenSection> {
    let found = model.sampling.as_ref()?;
    let nodes = found.nodes.iter().filter(|_| found.sampled);
    let rows =
        nodes.map(|share| SectionRow { cells: sampling::cells(model, found, share), weight: 1 });
    Some(ScreenSection {
        columns: vec![Column::default().names(24), Column::default(), Column::default().prose(20)],
        rows: rows.collect(),
        noun: "node",
        foot: vec![sampling::summary(found).into()],
        ..ScreenSection::new("What the scheduler itself may pick")
    })
}

/// Why a pod that fits may still be pending; `None` for other pods.
pub(super) fn still_pending(model: &PodReport) -> Option<ScreenSection> {
    let waiting = model.waiting().filter(|_| model.fits())?;
    let row = |text: &String| SectionRow { cells: vec![text.as_str().into()], weight: 1 };
    Some(ScreenSection {
        columns: vec![Column::default().prose(30)],
        rows: waiting.kept_by.iter().map(row).collect(),
        noun: "reason",
        ..ScreenSection::new("Why it may still be pending")
    })
}
