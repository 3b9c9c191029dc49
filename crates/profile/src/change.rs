//! What two schedulers do differently: rows of the history table whose values differ, and where to
//! read about them.

use super::history::{HISTORY, HistoryRow, VersionChange};
use super::version::SchedulerVersion;
use super::{Features, Profile};

/// A row with different values in two schedulers.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub row: &'static HistoryRow,
    /// The difference: the change of the row between the two versions or, if a feature gate that is
    /// set decides, the row's first change.
    pub about: &'static VersionChange,
    /// Whether what [`Self::about`] says holds in the second scheduler; in the first it is the
    /// opposite.
    pub holds: bool,
    /// Whether the difference is due to the version, not to a feature gate.
    pub by_version: bool,
}

/// Rows in which `to` differs from `from`, in the order of the table.
pub fn between(from: &Profile, to: &Profile) -> Vec<Change> {
    let versions = [from, to].map(|profile| profile.version.nearest_supported());
    let (older, newer) = (versions[0].min(versions[1]), versions[0].max(versions[1]));
    let mut changes = Vec::new();
    for row in HISTORY.iter() {
        if row.same(&from.features, &to.features) {
            continue;
        }
        // Without a change between the versions, a gate makes the difference.
        let between =
            row.changes.iter().filter(|change| older < change.since && change.since <= newer);
        let last = between.max_by_key(|change| change.since);
        let Some(about) = last.or(row.changes.first()) else { continue };
        let holds = row.of(&to.features).unwrap_or(versions[0] < versions[1]);
        changes.push(Change { row, about, holds, by_version: last.is_some() });
    }
    changes
}

/// `features` with the values of `other` in the rows of `changes`.
pub fn apply(features: &Features, other: &Features, changes: &[&Change]) -> Features {
    let mut features = features.clone();
    changes.iter().for_each(|change| change.row.copy(other, &mut features));
    features
}

/// The repositories whose issues and pull requests are sources.
const REPOSITORIES: [&str; 2] = ["kubernetes/kubernetes", "kubernetes/enhancements"];
/// Modules that are published from the repository's staging area.
const STAGING: [&str; 4] =
    ["apimachinery/", "component-helpers/", "dynamic-resource-allocation/", "kube-scheduler/"];

/// Where to read about what [`VersionChange::source`] names: an address, or a page of github.com,
/// if it has the form of a pull request, an issue or a file with its minor.
pub fn link(source: &str) -> Option<String> {
    const REPOSITORY: &str = "https://github.com/kubernetes/kubernetes";
    if source.starts_with("https://github.com/") {
        return Some(source.to_owned());
    }
    if let Some((repository, number)) = source.split_once('#') {
        let named =
            REPOSITORIES.contains(&repository) && number.bytes().all(|b| b.is_ascii_digit());
        return named.then(|| format!("https://github.com/{repository}/issues/{number}"));
    }
    let (path, version) = source.strip_suffix(')')?.split_once(" (")?;
    let release = SchedulerVersion::parse(version)?;
    // A release has a tag, a minor a branch.
    let place = if release.patch == u16::MAX {
        format!("release-{version}")
    } else {
        format!("v{version}")
    };
    let staging = if STAGING.iter().any(|module| path.starts_with(module)) {
        "staging/src/k8s.io/"
    } else {
        ""
    };
    Some(format!("{REPOSITORY}/blob/{place}/{staging}{path}"))
}
