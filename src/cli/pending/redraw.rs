//! When the screen of `--watch` is drawn again: soon after a change, and at intervals without one,
//! since it shows ages.

use std::time::{Duration, Instant};

/// The shortest time between two drawings, unless a key is pressed.
const SHORTEST: Duration = Duration::from_millis(250);
/// The longest.
const TICK: Duration = Duration::from_secs(1);

/// When the screen was drawn, and whether something has changed since.
#[derive(Debug, Default)]
pub(super) struct Redraw {
    drawn: Option<Instant>,
    changed: bool,
}

impl Redraw {
    /// Something has changed that the screen shows.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// The screen was drawn.
    pub(super) fn drawn(&mut self, now: Instant) {
        *self = Self { drawn: Some(now), changed: false };
    }

    /// When it is drawn next; `None`: at once, because it never was.
    pub(super) fn next(&self) -> Option<Instant> {
        let wait = if self.changed { SHORTEST } else { TICK };
        self.drawn.map(|drawn| drawn + wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the screen is drawn in ten seconds at this rate of changes.
    fn drawings(changes: u64) -> usize {
        let start = Instant::now();
        let (mut redraw, mut count) = (Redraw::default(), 0);
        for ms in 0..10_000u64 {
            if ms * changes / 1000 != (ms + 1) * changes / 1000 {
                redraw.changed();
            }
            let now = start + Duration::from_millis(ms);
            if redraw.next().is_none_or(|due| due <= now) {
                redraw.drawn(now);
                count += 1;
            }
        }
        count
    }

    #[test]
    fn the_screen_is_drawn_one_to_four_times_a_second_however_much_changes() {
        assert_eq!([0, 2, 25, 1000].map(drawings), [10, 21, 40, 40]);
    }
}
