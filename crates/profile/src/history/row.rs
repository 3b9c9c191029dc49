//! What a row of the history table is, and the macro `history!` that declares the rows of one part
//! of the scheduler.

use std::collections::BTreeMap;

use crate::version::SchedulerVersion;

/// The gates that `--feature-gates` sets to another value than the version's default, by name.
pub type Overrides = BTreeMap<&'static str, bool>;

/// The first version in which the meaning of alpha gates is known.
const ALPHA_GATES_KNOWN: SchedulerVersion = SchedulerVersion::new(33, 0);

/// A row of the struct `P` of one part.
#[derive(Debug)]
pub(super) struct PartRow<P: 'static> {
    pub plugin: &'static str,
    pub field: &'static str,
    pub gate: Option<&'static str>,
    pub summary: &'static str,
    pub changes: &'static [VersionChange],
    /// The value, if it is a flag.
    pub flag: fn(&P) -> Option<bool>,
    /// The value as text.
    pub text: fn(&P) -> String,
    /// Whether two structs have the same value.
    pub same: fn(&P, &P) -> bool,
    /// Copies the value from the first struct to the second.
    pub copy: fn(&P, &mut P),
}

/// A version that changes the value of a row.
#[derive(Debug, Clone, Copy)]
pub struct VersionChange {
    pub since: SchedulerVersion,
    /// Whether [`Self::summary`] begins or ceases to hold.
    pub begins: bool,
    /// What holds, or held before.
    pub summary: &'static str,
    /// Where upstream says so.
    pub source: &'static str,
}

/// The scheduler for which rows are evaluated.
pub(super) struct At<'g> {
    pub version: SchedulerVersion,
    /// The feature gates that are set explicitly.
    pub gates: &'g Overrides,
}

impl At<'_> {
    /// The value of a row after these changes: that of the last one that applies.
    pub(super) fn value<T: Copy + Default>(&self, changes: &[(SchedulerVersion, T)]) -> T {
        let made = changes.iter().filter(|(since, _)| *since <= self.version);
        made.max_by_key(|(since, _)| *since).map(|(_, value)| *value).unwrap_or_default()
    }

    /// The value of a flag after these changes; a feature gate may override it.
    pub(super) fn flag(&self, gate: Option<&str>, changes: &[(SchedulerVersion, bool)]) -> bool {
        let is_known = knows(self.version, changes.iter().map(|(since, _)| *since));
        let set = gate.filter(|_| is_known).and_then(|gate| self.gates.get(gate));
        set.copied().unwrap_or_else(|| self.value(changes))
    }
}

/// Whether the effect of setting a row's gate in `version` is known. Before the row's first change
/// the gate may mean something else; alpha gates are known as they were from 1.33 on.
pub(super) fn knows(
    version: SchedulerVersion,
    mut changes: impl Iterator<Item = SchedulerVersion>,
) -> bool {
    version >= ALPHA_GATES_KNOWN || changes.any(|since| since <= version)
}

/// Declares the struct of one part of the scheduler, a field per row, and its `ROWS`.
///
/// `flags` are rows that are on or off: what holds while they are on, the field, the feature gate
/// if one decides it, the upstream source, and the versions that switch them. `values` are rows of
/// another type: their subject, the field and its type, and for each value the version that
/// introduces it, what holds then, and the upstream source.
macro_rules! history {
    (
        $(#[doc = $about:literal])*
        $name:ident for $plugin:literal;
        flags { $(
            $(#[doc = $summary:literal])+
            $flag:ident $(gate $gate:literal)? from $source:literal
            { $(($minor:literal, $patch:literal) => $on:literal),+ $(,)? }
        )* }
        $(values { $(
            $(#[doc = $subject:literal])+
            $value:ident: $type:ty {
                $($(($since:literal, $since_patch:literal)),+ => $new:expr, $new_summary:literal, from $from:literal;)+
            }
        )+ })?
    ) => {
        use $crate::history::row::{At, PartRow, VersionChange};
        use $crate::version::SchedulerVersion;

        $(#[doc = $about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $summary])+ pub $flag: bool,)*
            $($($(#[doc = $subject])+ pub $value: $type,)+)?
        }

        impl $name {
            pub(in $crate::history) fn at(at: &At) -> Self {
                Self {
                    $($flag: at.flag(history!(@gate $($gate)?), &[$((SchedulerVersion::new($minor, $patch), $on)),+]),)*
                    $($($value: at.value(&[$($((SchedulerVersion::new($since, $since_patch), $new)),+),+]),)+)?
                }
            }
        }

        pub(in $crate::history) const ROWS: &[PartRow<$name>] = &[
            $(PartRow {
                gate: history!(@gate $($gate)?),
                summary: concat!($($summary),+),
                changes: history!(@changes [$($summary),+] $source, $($minor, $patch, $on;)+),
                ..history!(@row $plugin $flag, |part| Some(part.$flag))
            },)*
            $($(PartRow {
                gate: None,
                summary: concat!($($subject),+),
                changes: &[$($(VersionChange {
                    since: SchedulerVersion::new($since, $since_patch),
                    begins: true,
                    summary: $new_summary,
                    source: $from,
                }),+),+],
                ..history!(@row $plugin $value, |_| None)
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
    (@row $plugin:literal $field:ident, $flag:expr) => {
        PartRow {
            plugin: $plugin,
            field: stringify!($field),
            gate: None,
            summary: "",
            changes: &[],
            flag: $flag,
            text: |part| format!("{:?}", part.$field),
            same: |a, b| a.$field == b.$field,
            copy: |from, to| to.$field = from.$field,
        }
    };
}

pub(super) use history;
