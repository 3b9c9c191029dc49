//! What a row of the history table is, and the macro `history!` that declares the rows of one part of the scheduler.

use super::Features;
use crate::profile::gates::Overrides;
use crate::profile::version::SchedulerVersion;

/// From this version on the meaning of alpha gates is known, too.
const ALPHA_GATES_KNOWN: SchedulerVersion = SchedulerVersion::new(33, 0);

/// One row of the table: a value that depends on the version.
///
/// Most rows are flags. A row of another type stands for several flags that are one fact, such as a text that was worded
/// in four ways.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The plugin whose rule reads it, or the part of the scheduler.
    pub plugin: &'static str,
    /// Name of its field; no two rows have the same.
    pub field: &'static str,
    /// Feature gate, for a flag that a gate decides.
    pub gate: Option<&'static str>,
    /// What holds where the flag is on; of another value, what it is about.
    pub summary: &'static str,
    /// From which version on it has another value. Before the first one a flag is off, and any other value the default of
    /// its type.
    pub changes: &'static [VersionChange],
    pub(super) flag: fn(&Features) -> Option<bool>,
    pub(super) text: fn(&Features) -> String,
    pub(super) same: fn(&Features, &Features) -> bool,
    pub(super) copy: fn(&Features, &mut Features),
}

/// A version from which on a row has another value.
#[derive(Debug, Clone, Copy)]
pub struct VersionChange {
    /// The version.
    pub since: SchedulerVersion,
    /// Whether [`Self::summary`] begins to hold, or ends.
    pub begins: bool,
    /// What holds, or held before.
    pub summary: &'static str,
    /// Where upstream says so.
    pub source: &'static str,
}

impl Row {
    /// Whether the row says what setting its gate in `version` does.
    #[must_use]
    pub fn knows(&self, version: SchedulerVersion) -> bool {
        knows(version, self.changes.iter().map(|change| change.since))
    }

    /// Its value in `version`, if it is a flag.
    #[must_use]
    pub fn at(&self, version: SchedulerVersion) -> Option<bool> {
        self.of(&Features::of(version))
    }

    /// Its value among `features`, if it is a flag.
    #[must_use]
    pub fn of(&self, features: &Features) -> Option<bool> {
        (self.flag)(features)
    }

    /// Its value among `features`, as text.
    #[must_use]
    pub fn text(&self, features: &Features) -> String {
        (self.text)(features)
    }

    /// Whether `a` and `b` have the same value.
    #[must_use]
    pub fn same(&self, a: &Features, b: &Features) -> bool {
        (self.same)(a, b)
    }

    /// Gives `to` the value that `from` has.
    pub fn copy(&self, from: &Features, to: &mut Features) {
        (self.copy)(from, to);
    }
}

/// A scheduler whose rows are to be set.
pub(super) struct At<'g> {
    /// Its version.
    pub version: SchedulerVersion,
    /// Its feature gates, as far as they are set.
    pub gates: &'g Overrides,
}

impl At<'_> {
    /// The value of a row with these changes: that of the last one.
    pub(super) fn value<T: Copy + Default>(&self, changes: &[(SchedulerVersion, T)]) -> T {
        let made = changes.iter().filter(|(since, _)| *since <= self.version);
        made.max_by_key(|(since, _)| *since).map(|(_, value)| *value).unwrap_or_default()
    }

    /// The value of a flag with these changes, which `gate` may decide.
    pub(super) fn flag(&self, gate: Option<&str>, changes: &[(SchedulerVersion, bool)]) -> bool {
        let known = knows(self.version, changes.iter().map(|(since, _)| *since));
        let set = gate.filter(|_| known).and_then(|gate| self.gates.get(gate));
        set.copied().unwrap_or_else(|| self.value(changes))
    }
}

/// Whether it is known what setting the gate of a row does in `version`. Before the row's first change the gate may mean
/// something else; alpha gates are known as they were from 1.33 on.
fn knows(version: SchedulerVersion, mut changes: impl Iterator<Item = SchedulerVersion>) -> bool {
    version >= ALPHA_GATES_KNOWN || changes.any(|since| since <= version)
}

/// Declares the struct of one part of the scheduler, a field per row, and its `ROWS`.
///
/// `flags` are rows that are on or off: what holds where they are on, the field, a feature gate if one decides it, where
/// upstream says so, and the versions from which on they are on or off. `values` are rows of another type: what they are
/// about, the field and its type, and for each value from which versions on a scheduler has it, what holds then, and where
/// upstream says so.
macro_rules! history {
    (
        $(#[doc = $about:literal])+
        $name:ident of $part:ident for $plugin:literal;
        flags { $(
            $(#[doc = $summary:literal])+
            $flag:ident $(gate $gate:literal)? from $source:literal
            { $(($minor:literal, $patch:literal) => $on:literal),+ $(,)? }
        )* }
        $(values { $(
            $(#[doc = $subject:literal])+
            $value:ident: $type:ty {
                $($(($since:literal, $since_patch:literal)),+ => $new:expr, $told:literal, from $from:literal;)+
            }
        )+ })?
    ) => {
        use $crate::profile::history::row::{At, Row, VersionChange};
        use $crate::profile::version::SchedulerVersion;

        $(#[doc = $about])+
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $summary])+ pub $flag: bool,)*
            $($($(#[doc = $subject])+ pub $value: $type,)+)?
        }

        impl $name {
            pub(in $crate::profile::history) fn at(at: &At) -> Self {
                Self {
                    $($flag: at.flag(history!(@gate $($gate)?), &[$((SchedulerVersion::new($minor, $patch), $on)),+]),)*
                    $($($value: at.value(&[$($((SchedulerVersion::new($since, $since_patch), $new)),+),+]),)+)?
                }
            }
        }

        /// Its rows.
        pub(in $crate::profile::history) const ROWS: &[Row] = &[
            $(Row {
                gate: history!(@gate $($gate)?),
                summary: concat!($($summary),+),
                changes: history!(@changes [$($summary),+] $source, $($minor, $patch, $on;)+),
                ..history!(@row $plugin $part $flag, |features| Some(features.$part.$flag))
            },)*
            $($(Row {
                gate: None,
                summary: concat!($($subject),+),
                changes: &[$($(VersionChange {
                    since: SchedulerVersion::new($since, $since_patch),
                    begins: true,
                    summary: $told,
                    source: $from,
                }),+),+],
                ..history!(@row $plugin $part $value, |_| None)
            },)+)?
        ];
    };
    (@changes $summary:tt $source:literal, $($minor:literal, $patch:literal, $begins:literal;)+) => {
        &[$(VersionChange {
            since: SchedulerVersion::new($minor, $patch),
            begins: $begins,
            summary: history!(@text $summary),
            source: $source,
        }),+]
    };
    (@text [$($line:literal),+]) => { concat!($($line),+) };
    (@gate) => { None };
    (@gate $gate:literal) => { Some($gate) };
    (@row $plugin:literal $part:ident $field:ident, $flag:expr) => {
        Row {
            plugin: $plugin,
            field: stringify!($field),
            gate: None,
            summary: "",
            changes: &[],
            flag: $flag,
            text: |features| format!("{:?}", features.$part.$field),
            same: |a, b| a.$part.$field == b.$part.$field,
            copy: |from, to| to.$part.$field = from.$part.$field,
        }
    };
}

pub(super) use history;
