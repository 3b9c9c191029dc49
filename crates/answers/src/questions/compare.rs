//! `explain --compare`: how do several versions of kube-scheduler decide about the same pods, and which
//! rules make the difference? Where it is asked for, also about running pods, as if each were
//! recreated.

use engine::cluster::{Cluster, PodIx};
use engine::decision::compare::{Comparison, DecisionEffect, compare as compare_pod};
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;
use engine::profile::change::Change;
use engine::profile::{Profile, SchedulerVersion, VersionSource};

use super::{Basis, Beside, ListRemarks, Report, Verdict};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::pod_report::decision_verdict;
use crate::scheduler::SchedulerChoice;
use crate::target::{self, Target};

/// Which pods are compared. The versions are those of the views.
#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    /// Pods or owners; without any, every pending pod.
    pub targets: Vec<Target>,
    /// Whether the pending pods are those of all namespaces.
    pub all_namespaces: bool,
    /// Whether running pods are decided about, too, each as if it were recreated.
    pub running: bool,
}

/// A rule that makes a difference, and for how many pods.
#[derive(Debug)]
pub struct EffectiveRule {
    pub change: Change,
    pub pods: usize,
}

/// The decisions of each version about each pod.
#[derive(Debug)]
pub struct CompareReport<'v> {
    pub basis: Basis,
    pub comparisons: Vec<Comparison<'v>>,
    /// Of running pods, each as if it were recreated: those that the versions place differently, or
    /// all if pods were named.
    pub recreated: Vec<Comparison<'v>>,
    /// The number of running pods that were decided about; `None` if they were not asked about.
    pub running: Option<usize>,
    /// Whether one pod was named, and not a list.
    pub one: bool,
    remarks: ListRemarks,
}

impl CompareReport<'_> {
    /// The comparison of the pod that was named alone.
    pub fn only(&self) -> Option<&Comparison<'_>> {
        match (self.comparisons.as_slice(), self.recreated.as_slice()) {
            ([one], []) | ([], [one]) if self.one => Some(one),
            _ => None,
        }
    }
}

/// The rules that make a difference for some pod, the one that matters to most of them first.
pub fn effective_rules<'c>(
    comparisons: impl IntoIterator<Item = &'c Comparison<'c>>,
) -> Vec<EffectiveRule> {
    let mut rules: Vec<EffectiveRule> = Vec::new();
    for comparison in comparisons {
        // Of several pairs of versions, a rule counts once for the pod.
        let mut counted: Vec<(&str, SchedulerVersion)> = Vec::new();
        for cause in comparison.differences.iter().flat_map(|difference| &difference.causes) {
            let change = cause.change;
            let name = (change.row.field, change.about.since);
            if counted.contains(&name) {
                continue;
            }
            counted.push(name);
            let is_same = |rule: &&mut EffectiveRule| {
                (rule.change.row.field, rule.change.about.since) == name
            };
            match rules.iter_mut().find(is_same) {
                Some(rule) => rule.pods += 1,
                None => rules.push(EffectiveRule { change, pods: 1 }),
            }
        }
    }
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.pods));
    rules
}

impl Report for CompareReport<'_> {
    /// Whether every pod gets a node in each of the versions.
    fn verdict(&self) -> Verdict {
        let comparisons = self.comparisons.iter().chain(&self.recreated);
        let decisions = comparisons.flat_map(|comparison| &comparison.decisions);
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
    let mut pods = input.choose(&request.targets, request.all_namespaces)?;
    let running = take_running(&mut pods, input, request);
    let asked: Vec<PodIx> = pods.iter().chain(running.iter().flatten()).copied().collect();

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

    // A running pod is decided about in a cluster of its own, where it waits. Such a cluster is only
    // kept where the versions differ.
    let mut clusters: Vec<(Cluster, PodIx)> = Vec::new();
    for pod in running.iter().flatten() {
        let mut cluster = input.cluster.clone();
        cluster.restart(*pod, input.now);
        let own = input.view_of(*pod);
        if !request.targets.is_empty()
            || is_placed_differently(&cluster, &schedulers, own, *pod, input)
        {
            clusters.push((cluster, *pod));
        }
    }
    let recreated_views: Vec<Vec<ClusterView>> = clusters
        .iter()
        .map(|(cluster, pod)| {
            let own = input.view_of(*pod);
            let profiles = schedulers.iter().filter_map(|profiles| profiles.get(own));
            profiles.map(|profile| ClusterView::new(cluster, profile)).collect()
        })
        .collect();
    let recreated = clusters.iter().zip(&recreated_views).map(|((_, pod), views)| {
        let views: Vec<&ClusterView> = views.iter().collect();
        compare_pod(&views, *pod, input.now)
    });
    Ok(take(CompareReport {
        basis: Basis::of(input),
        comparisons,
        recreated: recreated.collect(),
        running: running.as_ref().map(Vec::len),
        one: request.targets.len() == 1,
        remarks: ListRemarks::of(&asked, &request.targets, request.all_namespaces, input),
    }))
}

/// The running pods that are asked about, which are taken out of `pods`; `None` if none are.
fn take_running(
    pods: &mut Vec<PodIx>,
    input: &LoadedInput,
    request: &CompareRequest,
) -> Option<Vec<PodIx>> {
    if !request.running {
        return None;
    }
    let mut running = if request.targets.is_empty() {
        target::running(input.pod_filter(request.all_namespaces), &input.cluster)
    } else {
        let named = pods.iter().copied();
        named.filter(|pod| input.cluster.pod(*pod).is_running()).collect()
    };
    // Kubelets run static pods without a scheduler, and what is being deleted is not recreated as is.
    running.retain(|pod| {
        let pod = input.cluster.pod(*pod);
        !pod.mirror && pod.deletion.is_none()
    });
    pods.retain(|pod| !running.contains(pod));
    Some(running)
}

/// Whether some version puts the pod on other nodes, or evicts others for it, than another one.
fn is_placed_differently(
    cluster: &Cluster,
    schedulers: &[Vec<Profile>],
    own: usize,
    pod: PodIx,
    input: &LoadedInput,
) -> bool {
    let profiles = schedulers.iter().filter_map(|profiles| profiles.get(own));
    let mut effects = profiles.map(|profile| {
        let view = ClusterView::new(cluster, profile);
        DecisionEffect::of(&decide(&view, pod, input.now))
    });
    let first = effects.next();
    effects.any(|effect| Some(effect) != first)
}
