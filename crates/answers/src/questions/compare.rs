//! `--compare`: how do several versions or configurations of kube-scheduler decide about the same
//! pods, and which rules make the difference? Where it is asked for, also about running pods, as if each were
//! recreated.

pub mod effects;

use engine::cluster::pod::Readiness;
use engine::cluster::{Budget, BudgetIx, Cluster, PodIx};
use engine::decision::compare::{Comparison, DecisionEffect, Difference, compare as compare_pod};
use engine::decision::{Decision, decide};
use engine::edits::{self, Edit};
use engine::framework::cluster_view::ClusterView;
use engine::profile::change::Change;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::simulation::replay::{self, Replay};
use serde_json::Value;

use super::{Basis, Beside, ListRemarks, Report, Verdict};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::new_pods::{self, Manifest, name_in_manifest};
use crate::pod_report::decision_verdict;
use crate::scheduler::{ConfigSource, SchedulerChoice, read_version};
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
    /// Whether running pods are placed again, one after the other.
    pub replay: bool,
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
    /// The running pods placed again, one after the other, if that was asked.
    pub replay: Option<Replay>,
    /// What each scheduler is called.
    pub sides: Vec<String>,
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

/// One of the schedulers that are compared, and what is changed for it.
#[derive(Debug, Clone, Default)]
pub struct ComparedSide {
    /// What it is called; `None` for its version.
    pub label: Option<String>,
    /// Its configuration and gates.
    pub choice: SchedulerChoice,
    /// A further gate, as `NAME=true`, that makes it another scheduler.
    pub gate: Option<String>,
    /// Its version; `None` for that of the cluster.
    pub version: Option<SchedulerVersion>,
    /// Priority classes and budgets that take the place of those that are there.
    pub objects: Vec<Manifest>,
}

impl ComparedSide {
    /// Versions with the same configuration and gates.
    pub fn of_versions(choice: &SchedulerChoice, versions: &[SchedulerVersion]) -> Vec<Self> {
        let side = |version: &SchedulerVersion| Self {
            choice: choice.clone(),
            version: Some(*version),
            ..Self::default()
        };
        versions.iter().map(side).collect()
    }

    /// The schedulers with these names: a version, a gate such as `NAME=true`, or `now`. `add` adds
    /// what another name stands for.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for fewer than two, and for versions whose rules are not known; those of
    /// `add`.
    pub fn named<E: From<AnswerError>>(
        names: &[String],
        choice: &SchedulerChoice,
        add: impl Fn(&mut Self, &str) -> Result<(), E>,
    ) -> Result<Vec<Self>, E> {
        let is_version = |name: &String| SchedulerVersion::parse(name).is_some();
        if names.iter().all(is_version) {
            return Ok(Self::of_versions(choice, &versions(names)?));
        }
        let mut sides = Vec::with_capacity(names.len());
        for name in names {
            let mut side =
                Self { label: Some(name.clone()), choice: choice.clone(), ..Self::default() };
            if is_version(name) {
                side.version = Some(read_version("--compare", name)?);
            } else if name.ends_with("=true") || name.ends_with("=false") {
                side.gate = Some(name.clone());
            } else if name != "now" {
                add(&mut side, name)?;
            }
            sides.push(side);
        }
        if sides.len() < 2 {
            let other = names.iter().find(|name| *name != "now").map_or("1.37", String::as_str);
            return Err(E::from(AnswerError::usage_hint(
                "a comparison needs two schedulers or more",
                format!("compare it with what decides now: now,{other}"),
            )));
        }
        Ok(sides)
    }

    /// Takes the configuration of kube-scheduler that a text is. Returns whether it is one.
    pub fn take_configuration(&mut self, text: &str, origin: &str) -> bool {
        let config = ConfigSource::read(text, origin).ok();
        let Some(config) = config.filter(ConfigSource::is_configuration) else { return false };
        self.choice.config = Some(config);
        self.choice.config_map = None;
        true
    }

    /// Its label, or its version.
    fn name(&self) -> String {
        let version = || self.version.map(|version| version.to_string()).unwrap_or_default();
        self.label.clone().unwrap_or_else(version)
    }

    /// The profiles of its scheduler.
    fn profiles(&self, input: &LoadedInput) -> Result<Vec<Profile>, AnswerError> {
        let (version, from) = match self.version {
            Some(version) => (version, VersionSource::Flag),
            None => (input.profile.version, input.profile.source),
        };
        let mut choice = self.choice.clone();
        choice.feature_gates.extend(self.gate.clone());
        let profiles = choice.profiles(version, from, &input.cluster);
        let mut profiles = profiles.map_err(|error| match (self.version, error) {
            (Some(version), error) => refused_by(version, error),
            (None, AnswerError::Usage { problem, .. }) if self.gate.is_some() => {
                AnswerError::usage_hint(
                    format!("--compare: {problem}"),
                    format!(
                        "a gate is NAME=true or NAME=false, of those of kube-scheduler {version}"
                    ),
                )
            }
            (None, error) => error,
        })?;
        profiles.iter_mut().for_each(|profile| profile.label.clone_from(&self.label));
        Ok(profiles)
    }

    /// The cluster with its objects. Pods with a class that it changes get the priority that they
    /// would have if they were created again.
    fn changed(&self, cluster: &Cluster) -> Result<Option<Cluster>, AnswerError> {
        let Some(first) = self.objects.first() else { return Ok(None) };
        let (mut classes, mut budgets) = (Vec::new(), Vec::new());
        for manifest in &self.objects {
            let kind = manifest.object.get("kind").and_then(Value::as_str).unwrap_or_default();
            let (namespace, name) = name_in_manifest(&manifest.object);
            match kind {
                "PriorityClass" => classes.push(name),
                "PodDisruptionBudget" if manifest.object.get("status").is_none() => {
                    budgets.push((manifest, namespace, name));
                }
                "PodDisruptionBudget" => {}
                _ => {
                    return Err(AnswerError::input(
                        manifest.origin.clone(),
                        format!(
                            "{kind} {name} is no configuration of kube-scheduler, PriorityClass or PodDisruptionBudget"
                        ),
                    ));
                }
            }
        }
        let objects = self.objects.iter().map(|manifest| &manifest.object);
        let before = cluster;
        let mut cluster = new_pods::join(before.clone(), objects, &first.origin)?;
        for (manifest, namespace, name) in budgets {
            if !count_budget(before, &mut cluster, &namespace, &name) {
                return Err(AnswerError::input(
                    manifest.origin.clone(),
                    format!(
                        "PodDisruptionBudget {name} has no status, and how many of its pods must be healthy is not known"
                    ),
                ));
            }
        }
        for name in classes {
            let of_class = |pod: &PodIx| {
                let template = cluster.template(cluster.pod(*pod));
                cluster.text(template.priority_class) == name
            };
            let pods: Vec<PodIx> = cluster.pod_indices().filter(of_class).collect();
            edits::apply(&mut cluster, &pods, &[Edit::PriorityClass { name }])?;
        }
        Ok(Some(cluster))
    }
}

/// Gives a budget of a manifest, which has no status, the one that its controller would write: that
/// of the budget that it replaces where their specs are the same, or else by what that one counts or
/// by the pods that it selects. Returns whether it is known how many must be healthy.
fn count_budget(before: &Cluster, cluster: &mut Cluster, namespace: &str, name: &str) -> bool {
    let namespace = if namespace.is_empty() { "default" } else { namespace };
    let is_it = |cluster: &Cluster, budget: &Budget| {
        *budget.name == *name && cluster.text(budget.namespace) == namespace
    };
    let Some(at) = cluster.budgets.iter().position(|budget| is_it(cluster, budget)) else {
        return false;
    };
    let Some(budget) = cluster.budgets.get(at) else { return false };
    let replaced = before.budgets.iter().find(|budget| is_it(before, budget));
    let replaced = replaced.filter(|old| old.selector == budget.selector);

    let mut counted = budget.clone();
    let health = &mut counted.health;
    if let Some(old) = replaced {
        *health = old.health;
        counted.sync_error.clone_from(&old.sync_error);
        counted.disrupted.clone_from(&old.disrupted);
    } else {
        let pods = cluster.pods.iter().filter(|pod| {
            pod.is_active()
                && pod.namespace == budget.namespace
                && budget.selector.matches(cluster.labels(pod.labels))
        });
        (health.current, health.expected) = (0, 0);
        for pod in pods {
            let is_healthy = pod.readiness == Readiness::Ready && !pod.is_terminating();
            health.expected += 1;
            health.current += i64::from(is_healthy);
        }
    }
    let Some(desired) = budget.limit.desired(health.expected) else { return false };
    health.desired = desired;
    health.is_observed = true;
    let stays = replaced.filter(|old| old.limit == budget.limit).map(|old| old.allowed);
    let index = BudgetIx(u32::try_from(at).unwrap_or(u32::MAX));
    cluster.change_budget(index, |budget| *budget = counted);
    if let Some(allowed) = stays {
        cluster.set_disruptions_allowed(index, allowed);
    }
    true
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
    compare_sides(input, &ComparedSide::of_versions(choice, versions), request, take)
}

/// Decides about each pod once per scheduler that is compared.
///
/// # Errors
/// As [`compare`], and objects of another kind.
pub fn compare_sides<T>(
    input: &LoadedInput,
    sides: &[ComparedSide],
    request: &CompareRequest,
    take: impl FnOnce(CompareReport<'_>) -> T,
) -> Result<T, AnswerError> {
    if (request.running || request.replay) && sides.iter().any(|side| !side.objects.is_empty()) {
        return Err(AnswerError::usage(
            "--running and --replay compare schedulers: they do not go with PriorityClasses and PodDisruptionBudgets",
        ));
    }
    let mut schedulers: Vec<Vec<Profile>> = Vec::with_capacity(sides.len());
    let mut changed: Vec<Option<Cluster>> = Vec::with_capacity(sides.len());
    for side in sides {
        schedulers.push(side.profiles(input)?);
        changed.push(side.changed(&input.cluster)?);
    }
    let mut pods = input.choose(&request.targets, request.all_namespaces)?;
    let running = take_running(&mut pods, input, request);
    let asked: Vec<PodIx> = pods.iter().chain(running.iter().flatten()).copied().collect();

    // The cluster as the profiles of each scheduler see it; a pod has the same place in each.
    let mut views: Vec<Vec<ClusterView>> = Vec::with_capacity(schedulers.len());
    for (profiles, changed) in schedulers.iter().zip(&changed) {
        let cluster = changed.as_ref().unwrap_or(&input.cluster);
        views.push(profiles.iter().map(|profile| ClusterView::new(cluster, profile)).collect());
    }
    let mut comparisons = Vec::with_capacity(pods.len());
    for pod in &pods {
        let own = views.iter().filter_map(|views| own_view(views, *pod));
        comparisons.push(compare_pod(&own.collect::<Vec<_>>(), *pod, input.now));
    }

    // A running pod is decided about in a cluster of its own, where it waits. Such a cluster is only
    // kept where the schedulers differ.
    let mut clusters: Vec<(Cluster, PodIx)> = Vec::new();
    for pod in running.iter().flatten().filter(|_| request.running) {
        let mut cluster = input.cluster.clone();
        cluster.restart(*pod, input.now);
        if !request.targets.is_empty() || is_placed_differently(&cluster, &schedulers, *pod, input)
        {
            clusters.push((cluster, *pod));
        }
    }
    let recreated_views: Vec<Vec<ClusterView>> = clusters
        .iter()
        .map(|(cluster, pod)| {
            let own = schedulers.iter().filter_map(|profiles| own_profile(profiles, *pod, cluster));
            own.map(|profile| ClusterView::new(cluster, profile)).collect()
        })
        .collect();
    let recreated = clusters.iter().zip(&recreated_views).map(|((_, pod), views)| {
        let views: Vec<&ClusterView> = views.iter().collect();
        compare_pod(&views, *pod, input.now)
    });
    let replay = running.as_ref().filter(|_| request.replay);
    let replay = replay.map(|pods| replay::replay(&input.cluster, pods, &schedulers, input.now));
    Ok(take(CompareReport {
        basis: Basis::of(input),
        sides: sides.iter().map(ComparedSide::name).collect(),
        comparisons,
        recreated: recreated.collect(),
        running: running.as_ref().filter(|_| request.running).map(Vec::len),
        replay,
        one: request.targets.len() == 1,
        remarks: ListRemarks::of(&asked, &request.targets, request.all_namespaces, input),
    }))
}

/// The profile of a pod's scheduler, or the first if none has its name.
fn own_profile<'p>(profiles: &'p [Profile], pod: PodIx, cluster: &Cluster) -> Option<&'p Profile> {
    let name = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
    profiles.iter().find(|profile| profile.scheduler_name == name).or(profiles.first())
}

/// The view of that profile.
fn own_view<'v>(views: &'v [ClusterView<'v>], pod: PodIx) -> Option<&'v ClusterView<'v>> {
    let cluster = views.first()?.cluster;
    let name = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
    views.iter().find(|view| view.profile.scheduler_name == name).or(views.first())
}

/// The plugins that make a difference: those of the rules, or the one that decides between the
/// nodes.
pub fn deciding_plugins(
    from: &Decision,
    to: &Decision,
    difference: &Difference,
) -> Vec<&'static str> {
    let mut plugins: Vec<&'static str> =
        difference.causes.iter().map(|cause| cause.change.row.plugin).collect();
    plugins.dedup();
    let [before, after] = [from, to].map(|decision| decision.selected().first().copied());
    if plugins.is_empty() && before != after {
        let there = before.and_then(|node| replay::against(to, node, after));
        let here = || after.and_then(|node| replay::against(from, node, before));
        plugins.extend(there.or_else(here));
    }
    plugins
}

/// The running pods that are asked about, which are taken out of `pods`; `None` if none are.
fn take_running(
    pods: &mut Vec<PodIx>,
    input: &LoadedInput,
    request: &CompareRequest,
) -> Option<Vec<PodIx>> {
    if !request.running && !request.replay {
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
    pod: PodIx,
    input: &LoadedInput,
) -> bool {
    let profiles = schedulers.iter().filter_map(|profiles| own_profile(profiles, pod, cluster));
    let mut effects = profiles.map(|profile| {
        let view = ClusterView::new(cluster, profile);
        DecisionEffect::of(&decide(&view, pod, input.now))
    });
    let first = effects.next();
    effects.any(|effect| Some(effect) != first)
}
