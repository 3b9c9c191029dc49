//! The result of `kubectl preempt verify` as text: a summary, a row per pod, and both messages
//! where they differ.

use jiff::Timestamp;

use super::notes;
use super::page::{Column, Drawn, Page, Span, Tone};
use answers::extent::Extent;
use answers::questions::verify::{VerifiedPod, VerifyReport};
use answers::words;
use engine::decision::verify::VerificationResult;

/// The page about comparisons. A list that is cut keeps those that differ.
impl Drawn for VerifyReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = Page::default();
        if self.items.is_empty() {
            return page;
        }
        page.heading(self.sentence());
        page.based_on(0, &self.basis);

        // A row for each pod, then both messages where they differ.
        let shown = self.most_unexpected(extent.shown(self.items.len()));
        let rows = shown.iter().map(|VerifiedPod { id, found }| {
            let result = Span::new(found.verdict.text(), tone(found.verdict));
            let what = if found.what.is_empty() { "-".to_owned() } else { found.what.clone() };
            let short = words::reasons_in_short(&what);
            vec![id.full_name().into(), result, what.into(), short.into()]
        });
        let columns = [
            Column::new("POD").pods(20),
            Column::new("RESULT"),
            Column::new("WHAT").prose(20).in_full(),
            Column::new("WHAT").prose(36).in_short(),
        ];
        page.table(0, columns, rows.collect());
        page.left_out(0, self.items.len() - shown.len(), "pod");
        for one in shown {
            let verdict = one.found.verdict;
            if matches!(verdict, VerificationResult::Stale | VerificationResult::Different) {
                details(&mut page, one, self.basis.now());
            }
        }
        notes::add(&mut page, &self.notes, extent.is_whole());
        page
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

fn details(page: &mut Page, VerifiedPod { id, found }: &VerifiedPod, now: Timestamp) {
    page.section(id.full_name());
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
