//! Makes the report about a pod, the same for every question: the decision, what stands in its way
//! on all nodes, who acts next, and which other pods may take the room.

use crate::commands::add_checks;
use crate::input::LoadedInput;
use crate::pod_report::PodReport;
use crate::silence::{SeenSchedulers, silence};
use engine::autoscalers::{Autoscalers, Detail};
use engine::cluster::NodeIx;
use engine::cluster::pod::PodIx;
use engine::decision::sampling::Starts;
use engine::decision::{Decision, Explanation, OutcomeKind};
use engine::framework::cluster_view::ClusterView;
use engine::groups::member::Decider;
use engine::simulation::competitors::PendingKinds;

/// What a report has besides. Each part takes as long as the decision, or longer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportDepth {
    /// Whether every filter runs also if the pod fits somewhere, and its condition is compared.
    pub(crate) in_detail: bool,
    /// Whether a better plan of evictions is looked for.
    pub(crate) certificate: bool,
    /// The nodes at which the scheduler may start, if it is found out what it may pick itself.
    pub(crate) starts: Option<Starts>,
    /// Whether remedies are looked for.
    pub(crate) remedies: bool,
    /// The node about which it is asked why the pod does not get it.
    pub(crate) why_not: Option<NodeIx>,
    /// How much is said of autoscalers.
    pub(crate) autoscalers: Detail,
}

impl ReportDepth {
    /// For a row of a list.
    pub(crate) const ROW: Self = Self {
        in_detail: false,
        certificate: false,
        starts: None,
        remedies: false,
        why_not: None,
        autoscalers: Detail::Verdict,
    };
}

/// Makes reports about the pods of an input.
pub(crate) struct Reporter<'e, 'v> {
    pub(crate) input: &'e LoadedInput,
    pub(crate) views: &'v [ClusterView<'v>],
    pub(crate) depth: ReportDepth,
    pub(crate) autoscalers: Option<&'e Autoscalers<'e>>,
    pub(crate) competitors: Option<&'e PendingKinds<'v>>,
    pub(crate) schedulers: &'e SeenSchedulers<'e>,
}

impl<'v> Reporter<'_, 'v> {
    /// The report about a pod, whatever is known of others.
    pub(crate) fn report(&self, pod: PodIx) -> Option<PodReport<'v>> {
        self.report_with(pod, &mut deciders(self.input, self.views))
    }

    /// The same with deciders that know the groups that were decided before.
    pub(crate) fn report_with(
        &self,
        pod: PodIx,
        deciders: &mut [Decider<'v>],
    ) -> Option<PodReport<'v>> {
        let decider = deciders.get_mut(self.input.view_of(pod))?;
        Some(self.report_on(decider.decide(pod)))
    }

    /// The report about a decision that was made.
    pub(crate) fn report_on(&self, decision: Decision<'v>) -> PodReport<'v> {
        let mut report = self.explained(decision);
        self.add_own(&mut report);
        report
    }

    /// Makes the report that was taken from a pod that is alike that of its own pod. What other
    /// programs wrote about a pod is about that one alone.
    pub(crate) fn adapt(&self, mut like: PodReport<'v>) -> PodReport<'v> {
        if self.depth.in_detail {
            like.explanation.compare_condition();
        }
        self.add_own(&mut like);
        like
    }

    /// Explains a decision as far as it is asked for.
    fn explained(&self, decision: Decision<'v>) -> PodReport<'v> {
        let mut explanation = Explanation::from(decision);
        let fits_nowhere =
            matches!(explanation.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable);
        // What would help a member of a group depends on the others.
        if explanation.membership.is_none() {
            // The first rejection alone does not tell which nodes are nearest.
            if fits_nowhere || self.depth.in_detail {
                explanation.run_other_filters();
            }
            if let Some(starts) = self.depth.starts {
                explanation.enumerate(starts);
            }
            if self.depth.remedies {
                explanation.seek_remedies();
            }
            if self.depth.certificate {
                explanation.certify_plan();
            }
        }
        if self.depth.in_detail {
            explanation.compare_condition();
        }
        let mut report = PodReport::from(explanation);
        report.flags = self.input.flags.clone();
        report
    }

    /// Adds what concerns only this pod.
    fn add_own(&self, report: &mut PodReport) {
        report.seek_autoscaling(self.autoscalers, self.depth.autoscalers);
        report.silence = silence(report, self.schedulers).map(Into::into);
        if report.membership.is_some() {
            return;
        }
        report.why_not = self.depth.why_not;
        if let Some(competitors) = self.competitors {
            report.explanation.competitors = competitors.of_decision(report);
        }
        if report.remedies.is_some() {
            let cluster = &self.input.cluster;
            let pod = cluster.pod(report.pod);
            let words = ["simulate", &pod.name, "-n", cluster.text(pod.namespace)];
            add_checks(&mut report.explanation, &report.flags.command(&words));
        }
    }
}

/// One decider for each of the views of `input`.
#[must_use]
pub(crate) fn deciders<'v>(input: &LoadedInput, views: &'v [ClusterView<'v>]) -> Vec<Decider<'v>> {
    views.iter().map(|view| Decider::new(view, input.now)).collect()
}
