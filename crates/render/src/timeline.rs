//! What has happened to a waiting pod and what comes next, on a line; and the pods that are ending for
//! it, each with a bar.

use answers::timeline::{MomentKind, Timeline};
use answers::words;
use jiff::Timestamp;

use crate::page::{Column, Page, Span, Tone};

/// The cells of a bar.
const CELLS: usize = 20;
/// The most pods that are ending with a line of their own.
const ENDING_SHOWN: usize = 3;
/// What stands between two moments.
const THEN: &str = " - ";

/// The timeline, with times of the day in UTC.
pub fn page(timeline: &Timeline) -> Page {
    let mut page = Page::default();
    page.line(0, line(timeline));
    if let Some(message) = timeline.last_message() {
        page.item(2, vec![Span::new(message, Tone::Quiet)]);
    }
    if let Some(why) = &timeline.without_events {
        page.item(2, vec![Span::new(format!("Events could not be read: {why}"), Tone::Quiet)]);
    }
    let mut rows = Vec::new();
    for victim in timeline.ending.iter().take(ENDING_SHOWN) {
        let tone = if victim.kept_by.is_empty() { Tone::Plain } else { Tone::Bad };
        rows.push(vec![
            victim.pod.clone().into(),
            Span::drawn(bar(victim.progress(timeline.now)), tone),
            Span::new(victim.words(timeline.now), tone),
        ]);
    }
    if !rows.is_empty() {
        let columns = [Column::default().pods(20), Column::default(), Column::default().prose(20)];
        page.table(2, columns, rows);
    }
    let more = timeline.ending.len().saturating_sub(ENDING_SHOWN);
    if more > 0 {
        page.quiet(2, format!("and {} that are ending for it", words::count(more, "more pod")));
    }
    page
}

/// All moments, one after the other.
fn line(timeline: &Timeline) -> Vec<Span> {
    let now = timeline.now;
    let mut spans: Vec<Span> = Vec::new();
    for moment in &timeline.moments {
        let mut text = format!("{} {}", time(moment.at, now), moment.words());
        if let Some(last) = moment.last {
            text.push_str(&format!(" (last {})", time(last, now)));
        }
        let tone = match moment.what {
            MomentKind::Created | MomentKind::Marked(_) => Tone::Plain,
            MomentKind::FailedScheduling(_) | MomentKind::Evicted(_) => Tone::Bad,
        };
        spans.extend([Span::new(text, tone), Span::new(THEN, Tone::Quiet)]);
    }
    if let Some(node) = &timeline.nominated {
        spans.extend([format!("nominated to {node}").into(), Span::new(THEN, Tone::Quiet)]);
    }
    spans.push(Span::new(format!("now {}", time(now, now)), Tone::Strong));
    if let Some(next) = &timeline.next {
        let at = time(next.at_latest(now), now);
        let text = format!("retried by {at}, or sooner after a relevant change");
        spans.extend([Span::new(THEN, Tone::Quiet), text.into()]);
    }
    spans
}

/// A time of the day, with the date if that is another one.
fn time(at: Timestamp, now: Timestamp) -> String {
    let is_today = at.strftime("%F").to_string() == now.strftime("%F").to_string();
    at.strftime(if is_today { "%H:%M:%S" } else { "%b %-d %H:%M" }).to_string()
}

/// The part that is over, and the rest.
fn bar(progress: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "from 0 to CELLS"
    )]
    let over = ((progress * CELLS as f64).round() as usize).min(CELLS);
    format!("{}{}", "█".repeat(over), "·".repeat(CELLS - over))
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::page::Paper;
    use answers::timeline::{EndingVictim, Moment, MomentKind, NextRetry, Timeline};

    #[test]
    fn moments_stand_in_a_line_and_ending_pods_below() {
        let at = |text: &str| text.parse().expect("a time");
        let failed = MomentKind::FailedScheduling("0/1 nodes are available".to_owned());
        let timeline = Timeline {
            now: at("2026-01-01T03:00:00Z"),
            moments: vec![
                Moment {
                    at: at("2025-12-31T23:59:00Z"),
                    last: None,
                    count: 1,
                    what: MomentKind::Created,
                },
                Moment {
                    at: at("2026-01-01T02:48:01Z"),
                    last: Some(at("2026-01-01T02:53:00Z")),
                    count: 2,
                    what: failed,
                },
            ],
            nominated: Some("n1".to_owned()),
            next: Some(NextRetry { within: 330, last_attempt: None }),
            ending: vec![
                EndingVictim {
                    pod: "ci/build".to_owned(),
                    due: Some(at("2026-01-01T03:00:15Z")),
                    grace_seconds: 30,
                    kept_by: Vec::new(),
                },
                EndingVictim {
                    pod: "ci/old".to_owned(),
                    due: Some(at("2026-01-01T02:50:00Z")),
                    grace_seconds: 30,
                    kept_by: vec!["finalizer x/keep is still set".to_owned()],
                },
            ],
            without_events: None,
        };
        let text = page(&timeline).print(Paper::PLAIN);
        assert_eq!(
            text.to_string(),
            "Dec 31 23:59 created - 02:48:01 FailedScheduling 2 times or more (last 02:53:00) - \
             nominated to n1 - now 03:00:00 - retried by 03:05:30, or sooner after a relevant change\n\
             \x20 0/1 nodes are available\n\
             \x20 ci/build  ██████████··········  ends within 15s\n\
             \x20 ci/old    ████████████████████  stuck: finalizer x/keep is still set\n"
        );
    }
}
