//! `explain --compare`: how do several versions of kube-scheduler decide about the same pods, and which
//! rules make the difference?

use engine::decision::compare::{Comparison, compare as compare_pod};
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};

use super::{Basis, Beside, ListRemarks, Report, Verdict};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::pod_report::decision_verdict;
use crate::scheduler::SchedulerChoice;
use crate::target::Target;

/// Which pods are compared. The versions are those of the views.
#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    /// Pods or owners; without any, every pending pod.
    pub targets: Vec<Target>,
    /// Whether the pending pods are those of all namespaces.
    pub all_namespaces: bool,
}

/// The decisions of each version about each pod.
#[derive(Debug)]
pub struct CompareReport<'v> {
    pub basis: Basis,
    pub comparisons: Vec<Comparison<'v>>,
    /// Whether one pod was named, and not a list.
    pub one: bool,
    remarks: ListRemarks,
}

impl CompareReport<'_> {
    /// The comparison of the pod that was named alone.
    pub fn only(&self) -> Option<&Comparison<'_>> {
        match self.comparisons.as_slice() {
            [one] if self.one => Some(one),
            _ => None,
        }
    }
}

impl Report for CompareReport<'_> {
    /// Whether every pod gets a node in each of the versions.
    fn verdict(&self) -> Verdict {
        let decisions = self.comparisons.iter().flat_map(|comparison| &comparison.decisions);
        decisions.map(decision_verdict).max().unwrap_or(Verdict::Yes)
    }

    fn beside(&self) -> Beside {
        self.remarks.beside()
    }
}

/// The versions with these names.
///
/// # Errors
/// [`AnswerError::Usage`] for fewer than two, duplicates, invalid ones, and those whose rules are not
/// known.
pub fn versions(names: &[String]) -> Result<Vec<SchedulerVersion>, AnswerError> {
    let (oldest, newest) =
        (SchedulerVersion::OLDEST.minor_text(), SchedulerVersion::NEWEST.minor_text());
    let mut versions = Vec::with_capacity(names.len());
    for name in names {
        let Some(version) = SchedulerVersion::parse(name) else {
            return Err(AnswerError::usage_hint(
                format!("--compare: `{name}` is not a version of kube-scheduler"),
                "write versions as 1.37 or 1.37.1, with commas between them",
            ));
        };
        if version.nearest_supported() != version {
            return Err(AnswerError::usage_hint(
                format!("--compare: the rules of kube-scheduler {version} are not known"),
                format!("rules are known for {oldest} to {newest}"),
            ));
        }
        if versions.contains(&version) {
            return Err(AnswerError::usage(format!("--compare: {version} is named twice")));
        }
        versions.push(version);
    }
    if versions.len() < 2 {
        return Err(AnswerError::usage_hint(
            "--compare needs two versions or more",
            format!("write them as --compare {oldest},{newest}"),
        ));
    }
    Ok(versions)
}

/// Adds the version to its error, since the other versions may not have it.
pub fn refused_by(version: SchedulerVersion, error: AnswerError) -> AnswerError {
    match error {
        AnswerError::Usage { problem, hint } => AnswerError::Usage {
            problem: format!("kube-scheduler {version} refuses: {problem}"),
            hint,
        },
        AnswerError::Input { origin, problem } => AnswerError::Input {
            origin,
            problem: format!("kube-scheduler {version} refuses: {problem}"),
        },
        other @ AnswerError::NotFound { .. } => other,
    }
}

/// Decides about each pod once per version, and passes the report to `take`: it borrows what each
/// version makes of the cluster.
///
/// # Errors
/// A version that does not accept its feature gates or configuration, targets that are not in the
/// cluster, and files that lack the nodes.
pub fn compare<T>(
    input: &LoadedInput,
    choice: &SchedulerChoice,
    versions: &[SchedulerVersion],
    request: &CompareRequest,
    take: impl FnOnce(CompareReport<'_>) -> T,
) -> Result<T, AnswerError> {
    let mut schedulers: Vec<Vec<Profile>> = Vec::with_capacity(versions.len());
    for version in versions {
        let profiles = choice.profiles(*version, VersionSource::Flag, &input.cluster);
        schedulers.push(profiles.map_err(|error| refused_by(*version, error))?);
    }
    let pods = input.choose(&request.targets, request.all_namespaces)?;

    // The cluster as the profiles of each version see it; a pod has the same place in each.
    let mut versions: Vec<Vec<ClusterView>> = Vec::with_capacity(schedulers.len());
    for profiles in &schedulers {
        let views = profiles.iter().map(|profile| ClusterView::new(&input.cluster, profile));
        versions.push(views.collect());
    }
    let mut comparisons = Vec::with_capacity(pods.len());
    for pod in &pods {
        let own = input.view_of(*pod);
        let views: Vec<&ClusterView> = versions.iter().filter_map(|views| views.get(own)).collect();
        comparisons.push(compare_pod(&views, *pod, input.now));
    }
    Ok(take(CompareReport {
        basis: Basis::of(input),
        comparisons,
        one: request.targets.len() == 1,
        remarks: ListRemarks::of(&pods, &request.targets, request.all_namespaces, input),
    }))
}
