//! The candidates for an argument: versions are known statically, all other names come from a
//! kubeconfig or a cluster.

use clap_complete::engine::CompletionCandidate;

use super::cluster;
use super::typed::Typed;
use super::values::ValueSource;
use engine::profile::SchedulerVersion;

/// The values with the prefix `current`.
pub(super) fn of(values: ValueSource, current: &str, typed: &Typed) -> Vec<CompletionCandidate> {
    match values {
        ValueSource::Files | ValueSource::Folders | ValueSource::Free => Vec::new(),
        ValueSource::Versions => versions(current),
        _ => cluster::candidates(values, current, typed),
    }
}

/// The newest first, and the one that is not released last, with what it is recorded from.
fn versions(current: &str) -> Vec<CompletionCandidate> {
    let minors = (SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor).rev();
    let known = minors.map(|minor| (format!("1.{minor}"), ""));
    let unreleased =
        (SchedulerVersion::UNRELEASED.minor_text(), SchedulerVersion::RECORDED_PRE_RELEASE);
    let all = known.chain(std::iter::once(unreleased));
    all.filter(|(version, _)| version.starts_with(current))
        .map(|(version, about)| {
            let help = Some(about).filter(|about| !about.is_empty()).map(Into::into);
            CompletionCandidate::new(version).help(help)
        })
        .collect()
}
