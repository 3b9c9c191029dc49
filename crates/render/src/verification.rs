//! The result of `kubectl preempt verify` as text: a summary, a row per pod, and both messages
//! where they differ.

use jiff::Timestamp;

use super::notes;
use super::page::{Column, Page, Span, Tone};
use answers::extent::Extent;
use answers::origin::Origin;
use answers::words;
use engine::cluster::Cluster;
use engine::decision::verify::{Verification, VerificationResult};
use engine::notes::Note;

/// The page about a list of comparisons with these `rules`, and the `notes` that say which of them
/// are unknown. A list that is cut keeps the comparisons that differ.
pub fn page(
    found: &[Verification],
    cluster: &Cluster,
    notes: &[Note],
    origin: &Origin,
    rules: &str,
    extent: Extent,
) -> Page {
    let mut page = Page::default();
    if found.is_empty() {
        return page;
    }
    let counts = VerificationResult::ALL.map(|verdict| {
        let number = found.iter().filter(|f| f.verdict == verdict).count();
        format!("{number} {}", verdict.text())
    });
    page.line(0, vec![Span::new(counts.join(", "), Tone::Strong)]);
    page.quiet(0, origin.line(rules));

    // A row for each pod, then both messages where they differ.
    let shown = shown(found, extent);
    let rows = shown.iter().map(|f| {
        let result = Span::new(f.verdict.text(), tone(f.verdict));
        let what = if f.what.is_empty() { "-".to_owned() } else { f.what.clone() };
        vec![cluster.pod_name(f.pod).into(), result, what.into()]
    });
    let columns =
        [Column::new("POD").names(40), Column::new("RESULT"), Column::new("WHAT").prose(20)];
    page.table(0, columns, rows.collect());
    page.left_out(0, found.len() - shown.len(), "pod");
    for one in shown {
        if matches!(one.verdict, VerificationResult::Stale | VerificationResult::Different) {
            details(&mut page, one, cluster, origin.as_of);
        }
    }
    notes::add(&mut page, notes, extent.is_whole());
    page
}

/// The comparisons that are shown, in their order.
fn shown(found: &[Verification], extent: Extent) -> Vec<&Verification> {
    let mut by_verdict: Vec<usize> = (0..found.len()).collect();
    by_verdict.sort_by_key(|at| found.get(*at).map(|one| unexpectedness(one.verdict)));
    by_verdict.truncate(extent.shown(found.len()));
    by_verdict.sort_unstable();
    by_verdict.into_iter().filter_map(|at| found.get(at)).collect()
}

/// The rank in a list that is cut: what nothing explains comes first.
fn unexpectedness(verdict: VerificationResult) -> u8 {
    match verdict {
        VerificationResult::Different => 0,
        VerificationResult::Stale => 1,
        VerificationResult::NoMessage => 2,
        VerificationResult::Equal => 3,
    }
}

fn tone(verdict: VerificationResult) -> Tone {
    match verdict {
        VerificationResult::Equal => Tone::Good,
        VerificationResult::Stale => Tone::Plain,
        VerificationResult::Different => Tone::Bad,
        VerificationResult::NoMessage => Tone::Quiet,
    }
}

fn details(page: &mut Page, found: &Verification, cluster: &Cluster, now: Timestamp) {
    page.section(cluster.pod_name(found.pod));
    let written = found.written.clone().unwrap_or_default();
    let computed =
        found.computed.clone().unwrap_or_else(|| "(it fits; nothing is written)".to_owned());
    for (sign, text) in [("- condition  ", written), ("+ now        ", computed)] {
        page.line(2, vec![Span::new(sign, Tone::Strong), text.into()]);
    }

    // Then what may explain the difference.
    let since = found.since.map(|since| now.as_second() - since.as_second());
    let head = since.map_or("Unschedulable".to_owned(), |seconds| {
        format!("Unschedulable for {}", words::age(seconds))
    });
    let evidence = if found.evidence.is_empty() {
        "nothing visible explains the difference (deleted objects leave no trace)".to_owned()
    } else {
        format!("since then: {}", found.evidence.join("; "))
    };
    page.line(2, vec![Span::new(format!("{head}; "), Tone::Quiet), evidence.into()]);
    if let Some(versions) = found.writers() {
        let text = format!("the condition has the wording of kube-scheduler {versions}");
        page.line(2, vec![text.into()]);
    }
    if found.unsure {
        let text = "part of what decides is not modelled or could not be read; ";
        let spans = vec![
            Span::new(text, Tone::Bad),
            Span::command("explain", Tone::Bad),
            Span::new(" names it", Tone::Bad),
        ];
        page.line(2, spans);
    }
}
