//! Ranges of versions.

use std::fmt;

use super::history::HISTORY;
use super::{Features, SchedulerVersion};

/// Versions of kube-scheduler, as far as they are known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionSpan {
    /// The first; [`SchedulerVersion::OLDEST`] stands for that or any earlier one.
    pub since: Option<SchedulerVersion>,
    /// The first without it again.
    pub gone: Option<SchedulerVersion>,
}

impl VersionSpan {
    /// All versions.
    pub const ALWAYS: Self = Self { since: Some(SchedulerVersion::OLDEST), gone: None };

    /// A release and all after it.
    #[must_use]
    pub const fn since(minor: u16, patch: u16) -> Self {
        Self { since: Some(SchedulerVersion::new(minor, patch)), gone: None }
    }

    /// Of these, those before a release.
    #[must_use]
    pub const fn before(self, minor: u16, patch: u16) -> Self {
        Self { gone: Some(SchedulerVersion::new(minor, patch)), ..self }
    }

    /// The versions for which `holds`; what comes and goes several times counts from the first to the last.
    pub fn of(holds: impl Fn(SchedulerVersion) -> bool) -> Self {
        let versions = releases();
        let since = versions.iter().copied().find(|v| holds(*v));
        let last = versions.iter().rposition(|v| holds(*v));
        Self { since, gone: last.and_then(|last| versions.get(last + 1)).copied() }
    }

    /// The versions whose rows of the history table meet all `conditions`.
    #[must_use]
    pub fn of_rows(conditions: &[fn(&Features) -> bool]) -> Self {
        Self::of(|version| {
            let features = Features::of(version);
            conditions.iter().all(|condition| condition(&features))
        })
    }
}

/// Every release in which anything changes, and the first of each minor.
fn releases() -> Vec<SchedulerVersion> {
    let minors = SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor;
    let mut all: Vec<SchedulerVersion> = minors.map(|minor| SchedulerVersion::new(minor, 0)).collect();
    let changes = HISTORY.iter().flat_map(|row| row.changes).map(|change| change.since);
    all.extend(changes.filter(|v| (SchedulerVersion::OLDEST..=SchedulerVersion::ALPHA).contains(v)));
    all.sort_unstable();
    all.dedup();
    all
}

impl VersionSpan {
    /// [`Self::since`] as text: `1.34`.
    #[must_use]
    pub fn since_text(self) -> Option<String> {
        self.since.map(SchedulerVersion::release_text)
    }

    /// [`Self::gone`] as text.
    #[must_use]
    pub fn gone_text(self) -> Option<String> {
        self.gone.map(SchedulerVersion::release_text)
    }
}

impl fmt::Display for VersionSpan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let early = self.since.is_some_and(|since| since <= SchedulerVersion::OLDEST);
        match (self.since, self.gone) {
            (None, _) => f.write_str("no version that is known"),
            (Some(_), None) if early => write!(f, "since {} or before", SchedulerVersion::OLDEST.release_text()),
            (Some(since), None) => write!(f, "since {}", since.release_text()),
            (Some(_), Some(gone)) if early => write!(f, "before {}", gone.release_text()),
            (Some(since), Some(gone)) => write!(f, "{} to before {}", since.release_text(), gone.release_text()),
        }
    }
}
