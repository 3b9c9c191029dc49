//! The candidates for an argument: versions are known statically, all other names come from a
//! kubeconfig or a cluster.

use clap_complete::engine::CompletionCandidate;

use super::cluster;
use super::from_files;
use super::typed::Typed;
use super::values::ValueSource;
use engine::profile::SchedulerVersion;

/// The values with the prefix `current`.
pub(super) fn of(values: ValueSource, current: &str, typed: &Typed) -> Vec<CompletionCandidate> {
    match values {
        ValueSource::Files | ValueSource::Folders | ValueSource::Free => Vec::new(),
        ValueSource::Versions => versions(current),
        ValueSource::Rules => rules(current, RuleName::Any),
        ValueSource::Codes => rules(current, RuleName::Code),
        ValueSource::Contexts | ValueSource::Clusters | ValueSource::Users => {
            cluster::candidates(values, current, typed)
        }
        // Whoever asks about a file means the names in it.
        _ if !typed.from.is_empty() => from_files::candidates(values, current, typed),
        _ => cluster::candidates(values, current, typed),
    }
}

/// What is offered of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleName {
    Code,
    /// Its code, or its name if it is one word.
    Any,
}

/// The rules, by code and by name.
fn rules(current: &str, wanted: RuleName) -> Vec<CompletionCandidate> {
    let mut found = Vec::new();
    for rule in engine::rules::all() {
        let is_word = wanted == RuleName::Any && !rule.name.contains(' ');
        for name in [Some(rule.code), is_word.then_some(rule.name)].into_iter().flatten() {
            if name.starts_with(current) {
                found.push(CompletionCandidate::new(name).help(Some(rule.meaning.into())));
            }
        }
    }
    found
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
