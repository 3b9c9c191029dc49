//! Ranges of versions.

use std::fmt;
use std::sync::LazyLock;

use super::history::HISTORY;
use super::{Features, Profile, SchedulerVersion, VersionSource};

/// The default profile of every release in which anything changes, and of the first of each minor.
/// The rulebook needs each of them once per rule, and they never change, so they are built once.
static RELEASES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let versions = releases().into_iter();
    versions.map(|version| Profile::new(version, VersionSource::Default)).collect()
});

/// A range of kube-scheduler versions, as far as known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionSpan {
    /// The first; [`SchedulerVersion::OLDEST`] means that one or any earlier.
    pub since: Option<SchedulerVersion>,
    /// The first after the range.
    pub gone: Option<SchedulerVersion>,
}

impl VersionSpan {
    pub const ALWAYS: Self = Self { since: Some(SchedulerVersion::OLDEST), gone: None };

    /// A release and all after it.
    pub const fn since(minor: u16, patch: u16) -> Self {
        Self { since: Some(SchedulerVersion::new(minor, patch)), gone: None }
    }

    /// The part of the range before a release.
    #[must_use]
    pub const fn before(self, minor: u16, patch: u16) -> Self {
        Self { gone: Some(SchedulerVersion::new(minor, patch)), ..self }
    }

    /// The versions for whose default profile `holds`; if there are gaps, from the first to the
    /// last.
    pub fn of(holds: impl Fn(&Profile) -> bool) -> Self {
        let since = RELEASES.iter().find(|profile| holds(profile));
        let last = RELEASES.iter().rposition(&holds);
        let gone = last.and_then(|last| RELEASES.get(last + 1));
        Self {
            since: since.map(|profile| profile.version),
            gone: gone.map(|profile| profile.version),
        }
    }

    /// The versions whose rows of the history table meet all `conditions`.
    pub fn of_rows(conditions: &[fn(&Features) -> bool]) -> Self {
        Self::of(|profile| conditions.iter().all(|condition| condition(&profile.features)))
    }
}

/// Every release in which anything changes, and the first of each minor.
fn releases() -> Vec<SchedulerVersion> {
    let minors = SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor;
    let mut all: Vec<SchedulerVersion> =
        minors.map(|minor| SchedulerVersion::new(minor, 0)).collect();
    let changes = HISTORY.iter().flat_map(|row| row.changes).map(|change| change.since);
    all.extend(
        changes.filter(|v| (SchedulerVersion::OLDEST..=SchedulerVersion::UNRELEASED).contains(v)),
    );
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
            (Some(_), None) if early => {
                write!(f, "since {} or before", SchedulerVersion::OLDEST.release_text())
            }
            (Some(since), None) => write!(f, "since {}", since.release_text()),
            (Some(_), Some(gone)) if early => write!(f, "before {}", gone.release_text()),
            (Some(since), Some(gone)) => {
                write!(f, "{} to before {}", since.release_text(), gone.release_text())
            }
        }
    }
}
