//! `explain`: what kube-scheduler decides about each pod, or about a group of pods as a whole, why,
//! and who acts next. Pods that are alike share the report of the first of them.

use std::ops::ControlFlow;

use super::{Basis, Cut, Report, Verdict};
use crate::ahead::{Ahead, Work};
use crate::autoscaling::{self, AutoscalerLines};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::node_name;
use crate::pod_report::PodReport;
use crate::questions::pending::PendingRow;
use crate::questions::verify::try_other_versions;
use crate::reporter::{ReportDepth, Reporter, deciders};
use crate::silence::SeenSchedulers;
use crate::target::{self, Target};
use crate::who_acts::WhoActs;
use crate::workload::{self, MissingPods, WorkloadReport};
use engine::autoscalers::{Autoscalers, Detail};
use engine::cluster::gang_workload::parts;
use engine::cluster::pod::PodIx;
use engine::cluster::{Cluster, NodeIx};
use engine::decision::group::GroupVerdict;
use engine::decision::sampling::Starts;
use engine::framework::cluster_view::ClusterView;
use engine::groups::answer::GroupAnswer;
use engine::groups::made::MadeOf;
use engine::simulation::competitors::PendingKinds;
use engine::simulation::sequence::queue_order;

/// Limit, over all pods, of the nodes for which what takes long is done for each of several pods: every
/// version is checked whether it writes the text of the condition, and plans get a certificate.
const FEW_VERDICTS: usize = 500;

/// Which pods or groups are explained, and what is computed besides the reasons.
#[derive(Debug, Clone, Default)]
pub struct ExplainRequest {
    /// Pods, owners or groups; without any, every pending pod.
    pub targets: Vec<Target>,
    /// Whether the pending pods are those of all namespaces.
    pub all_namespaces: bool,
    /// The nodes at which the scheduler may start to look for feasible ones, if it is asked what it
    /// may pick itself.
    pub starts: Option<Starts>,
    /// Whether to look for remedies.
    pub remedies: bool,
    /// The node about which it is asked why the pods do not get it.
    pub why_not: Option<String>,
}

/// What a request means in an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExplainSubject {
    /// Groups, which kube-scheduler schedules as a whole: [`explain_groups`] reports on them.
    Groups,
    /// Workloads that exist and have no pods: [`WorkloadReport`] says why.
    Workloads(Vec<MissingPods>),
    /// Pods, each of which it decides about alone: [`explain_each`] reports on them.
    Pods {
        pods: Vec<PodIx>,
        /// Why groups were named and it decides about each of their pods alone.
        groups_are_off: Option<&'static str>,
    },
}

/// The end of a list of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainEnd<B> {
    /// The worst verdict; uncertain if the list may lack a pod.
    pub verdict: Verdict,
    /// Where the list was cut off.
    pub cut: Option<Cut>,
    /// With what its receiver broke it off.
    pub broken_off: Option<B>,
}

/// The answer about groups.
#[derive(Debug)]
pub struct GroupReport<'v> {
    pub basis: Basis,
    pub groups: Vec<GroupAnswer<'v>>,
    /// The Workloads that were named, each with what is made of it.
    pub workloads: Vec<MadeOf<'v>>,
    /// Whether only trees of groups were named.
    pub of_trees: bool,
    /// Whether one thing was named, and not a list.
    pub one: bool,
}

/// The reports about pods.
#[derive(Clone)]
pub struct PodReports<'v> {
    pub basis: Basis,
    pub pods: Vec<PodReport<'v>>,
    /// Whether one pod was named, and not a list.
    pub one: bool,
    verdict: Verdict,
}

/// The whole answer.
pub enum ExplainReport<'v> {
    Groups(GroupReport<'v>),
    Workloads(WorkloadReport),
    Pods(PodReports<'v>),
}

/// What is made of reports while they are handed on.
pub struct Drawing<'d, 'v, T> {
    /// Draws one. Several threads do so at once.
    pub draw: &'d (dyn Fn(&PodReport<'v>) -> T + Sync),
    /// Maximum number of reports that are drawn ahead of the list.
    pub most: usize,
}

impl ExplainRequest {
    /// The node of [`Self::why_not`].
    fn why_not_node(&self, cluster: &Cluster) -> Option<Result<NodeIx, AnswerError>> {
        self.why_not.as_deref().map(|name| node_name::find(name, cluster))
    }

    /// What is asked about in `input`.
    ///
    /// # Errors
    /// [`AnswerError::NotFound`] for a target or node that is not in the cluster, [`AnswerError::Input`]
    /// for files that lack the nodes.
    pub fn subject(&self, input: &LoadedInput) -> Result<ExplainSubject, AnswerError> {
        self.why_not_node(&input.cluster).transpose()?;
        let names_groups = target::name_groups(&self.targets);
        if names_groups && groups_are_on(input, &self.targets) {
            return Ok(ExplainSubject::Groups);
        }
        if let Some(workloads) = workloads_without_pods(input, &self.targets) {
            return Ok(ExplainSubject::Workloads(workloads));
        }
        Ok(ExplainSubject::Pods {
            pods: input.choose(&self.targets, self.all_namespaces)?,
            groups_are_off: names_groups.then(|| why_alone(input)),
        })
    }
}

/// What is known of `targets` if they are workloads that exist and none of them has a pod.
fn workloads_without_pods(input: &LoadedInput, targets: &[Target]) -> Option<Vec<MissingPods>> {
    let mut workloads = Vec::with_capacity(targets.len());
    for target in targets {
        if target.kind == "Pod" || target.is_group() || input.find(target).is_ok() {
            return None;
        }
        workloads.push(workload::without_pods(target, input)?);
    }
    (!workloads.is_empty()).then_some(workloads)
}

impl Report for GroupReport<'_> {
    /// Whether every group gets its nodes.
    fn verdict(&self) -> Verdict {
        use GroupVerdict::{Cannot, Error, NoPriority};
        let cannot = self.groups.iter().any(|answer| {
            matches!(answer.summary().verdict, Cannot(_) | Error(_) | NoPriority(..))
        });
        Verdict::new(!cannot, self.groups.iter().any(GroupAnswer::is_unsure))
    }
}

impl Report for PodReports<'_> {
    /// Whether every pod gets a node.
    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// The whole answer, for whoever does not write it pod by pod.
///
/// # Errors
/// Targets that are not in the cluster, and files that lack the nodes.
pub fn explain<'v>(
    input: &'v LoadedInput,
    views: &'v [ClusterView<'v>],
    request: &ExplainRequest,
) -> Result<ExplainReport<'v>, AnswerError> {
    let chosen = match request.subject(input)? {
        ExplainSubject::Groups => {
            return Ok(ExplainReport::Groups(explain_groups(input, views, request)?));
        }
        ExplainSubject::Workloads(workloads) => {
            return Ok(ExplainReport::Workloads(WorkloadReport::new(input, workloads)));
        }
        ExplainSubject::Pods { pods, .. } => pods,
    };
    let mut pods = Vec::new();
    let drawing = Drawing { draw: &PodReport::clone, most: usize::MAX };
    let end = explain_each(input, views, &chosen, request, &mut || true, &drawing, &mut |report| {
        pods.push(report);
        ControlFlow::<()>::Continue(())
    });
    let (basis, one) = (Basis::of(input), request.targets.len() == 1);
    Ok(ExplainReport::Pods(PodReports { basis, pods, one, verdict: end.verdict }))
}

/// Reports on each of `pods`, in the order of the scheduler's queue: each report is drawn as soon as
/// it is made, and handed to `each` until that breaks, because it has a verdict about every node.
/// Before each pod, `goes_on` is asked whether the list does.
pub fn explain_each<'v, T: Send, B>(
    input: &LoadedInput,
    views: &'v [ClusterView<'v>],
    pods: &[PodIx],
    request: &ExplainRequest,
    goes_on: &mut dyn FnMut() -> bool,
    drawing: &Drawing<'_, 'v, T>,
    each: &mut dyn FnMut(T) -> ControlFlow<B>,
) -> ExplainEnd<B> {
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let competitors = PendingKinds::new(views, input.now, |_| false);
    let few_verdicts = input.cluster.nodes.len() * pods.len() <= FEW_VERDICTS;
    let depth = ReportDepth {
        in_detail: true,
        // Each takes as long as a hundred decisions.
        certificate: pods.len() == 1 || few_verdicts,
        starts: request.starts,
        remedies: request.remedies,
        why_not: request.why_not_node(&input.cluster).and_then(Result::ok),
        autoscalers: Detail::Remedies,
    };
    let (autoscalers, competitors) = (autoscalers.as_ref(), competitors.as_ref());
    let schedulers = &SeenSchedulers::new(&input.cluster, input.now, input.is_dated);
    let reporter = Reporter { input, views, depth, autoscalers, competitors, schedulers };
    let explainer = Explainer { reporter, draw: drawing.draw };
    let mut deciders = deciders(input, views);
    let pods = queue_order(pods, &input.cluster);
    let may_lack_pods = request.targets.is_empty() && input.may_lack_pods();
    let mut verdict = Verdict::new(true, may_lack_pods);
    let mut decided = 0;

    // Few verdicts: each version decides about all pods at once, so that its view of the cluster is
    // built only once.
    if few_verdicts {
        let asked = pods.iter().take_while(|_| goes_on());
        let mut reports: Vec<PodReport> = asked
            .inspect(|_| decided += 1)
            .filter_map(|pod| explainer.reporter.report_with(*pod, &mut deciders))
            .collect();
        let alone = reports.iter_mut().filter(|one| one.membership.is_none());
        let mut conditions: Vec<_> =
            alone.filter_map(|one| one.explanation.condition.as_mut()).collect();
        try_other_versions(&mut conditions, input);
        let broken_off = reports.iter().try_for_each(|report| {
            verdict = verdict.max(report.verdict());
            each((drawing.draw)(report))
        });
        let cut = Cut::of_pods(decided, pods.len());
        return ExplainEnd { verdict, cut, broken_off: broken_off.break_value() };
    }

    let broken_off = rayon::in_place_scope(|scope| {
        let mut ahead = Ahead::new(&explainer, scope, input, views, &pods, |_| false, drawing.most);
        for pod in &pods {
            if !goes_on() {
                break;
            }
            decided += 1;
            let answer = ahead.answer(*pod, || explainer.reporter.report_with(*pod, &mut deciders));
            if let Some((own, drawn)) = answer {
                verdict = verdict.max(own);
                each(drawn)?;
            }
        }
        ControlFlow::Continue(())
    });
    let cut = Cut::of_pods(decided, pods.len());
    ExplainEnd { verdict, cut, broken_off: broken_off.break_value() }
}

/// Who acts next, as the row of the pod in `pending` has it; `None` where no autoscaler was found,
/// and for the members of a group.
#[must_use]
pub fn who_acts(report: &PodReport) -> Option<WhoActs> {
    let is_asked = report.has_autoscalers && report.membership.is_none();
    if is_asked { PendingRow::of(report).who_acts() } else { None }
}

/// What was found of autoscalers, what they answered, and what is concluded of it. With `all`, every
/// group and pool and the full texts.
#[must_use]
pub fn next_steps(report: &PodReport, all: bool) -> Option<AutoscalerLines> {
    Some(autoscaling::lines(report.next_step()?, who_acts(report)?, all))
}

/// The report about one pod.
pub fn explain_pod<'v>(
    input: &LoadedInput,
    views: &'v [ClusterView<'v>],
    pod: PodIx,
    request: &ExplainRequest,
) -> Option<PodReport<'v>> {
    let drawing = Drawing { draw: &PodReport::clone, most: usize::MAX };
    let once = &mut |report| ControlFlow::Break(report);
    explain_each(input, views, &[pod], request, &mut || true, &drawing, once).broken_off
}

/// Reports on the groups that `request` names.
///
/// # Errors
/// [`AnswerError::NotFound`] for a group that neither exists nor is named by a pod.
pub fn explain_groups<'v>(
    input: &'v LoadedInput,
    views: &'v [ClusterView<'v>],
    request: &ExplainRequest,
) -> Result<GroupReport<'v>, AnswerError> {
    input.check_nodes()?;
    let mut groups: Vec<GroupAnswer> = Vec::new();
    let mut workloads: Vec<MadeOf> = Vec::new();
    let by_parts = by_parts(input);
    let cluster = &input.cluster;
    for target in &request.targets {
        let of_workload = (target.kind == "Workload")
            .then(|| MadeOf::find(cluster, &input.namespace, &target.name, by_parts))
            .flatten();
        let names = target::groups(target, &input.namespace, cluster, by_parts);
        let known = groups.len();
        groups.extend(
            names
                .into_iter()
                .filter_map(|name| explain_group(input, views, &input.namespace, name)),
        );
        if groups.len() == known && of_workload.is_none() {
            return Err(target::not_found(target, &input.namespace, cluster).about(&input.flags));
        }
        workloads.extend(of_workload);
    }
    if request.remedies {
        groups.iter_mut().for_each(GroupAnswer::seek_alternative);
    }
    Ok(GroupReport {
        basis: Basis::of(input),
        one: request.targets.len() == 1 && groups.len() == 1 && workloads.is_empty(),
        of_trees: request.targets.iter().all(Target::is_composite),
        groups,
        workloads,
    })
}

/// The answer about a group, by the profile of its pods; `None` if there is no such group.
pub fn explain_group<'v>(
    input: &LoadedInput,
    views: &'v [ClusterView<'v>],
    namespace: &str,
    name: &str,
) -> Option<GroupAnswer<'v>> {
    let cluster = &input.cluster;
    let first = cluster.pod_indices().find(|pod| {
        let facts = cluster.pod(*pod);
        let group = cluster.text(cluster.template(facts).group);
        facts.is_waiting() && group == name && cluster.text(facts.namespace) == namespace
    });
    let view = views.get(first.map_or(0, |pod| input.view_of(pod)))?;
    GroupAnswer::find(view, namespace, name, input.now)
}

/// Whether kube-scheduler supports pod groups, and the targets are of the kind that it supports.
fn groups_are_on(input: &LoadedInput, targets: &[Target]) -> bool {
    let features = &input.profile.features.pod_groups;
    let mut groups = targets.iter().filter(|target| target.kind == "PodGroup");
    (features.as_a_whole() || features.one_by_one())
        && groups.all(|group| parts(&group.name).is_some() == by_parts(input))
}

/// Why it decides about each pod alone.
fn why_alone(input: &LoadedInput) -> &'static str {
    let features = &input.profile.features.pod_groups;
    match (features.pod_groups, features.group_cycle) {
        (false, _) => "the gate GenericWorkload is off",
        (true, true) => "this version does not read spec.workloadRef of pods",
        (true, false) if features.gangs => "this version does not read PodGroups",
        (true, false) => "the gate GangScheduling is off",
    }
}

/// Whether the scheduler reads groups as parts of Workloads, as in 1.35.
fn by_parts(input: &LoadedInput) -> bool {
    !input.profile.features.pod_groups.group_cycle
}

/// Makes the report about a pod, and draws it.
struct Explainer<'e, 'v, T> {
    reporter: Reporter<'e, 'v>,
    draw: &'e (dyn Fn(&PodReport<'v>) -> T + Sync),
}

impl<'v, T: Send> Work<'v> for Explainer<'_, 'v, T> {
    type Drawn = (Verdict, T);

    fn explain(&self, pod: PodIx) -> Option<PodReport<'v>> {
        self.reporter.report(pod)
    }

    fn adapt(&self, like: PodReport<'v>) -> PodReport<'v> {
        self.reporter.adapt(like)
    }

    fn draw(&self, report: &PodReport<'v>) -> (Verdict, T) {
        (report.verdict(), (self.draw)(report))
    }
}
