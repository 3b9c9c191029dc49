//! InterPodAffinity: required affinity and anti-affinity between pods, in both directions.

mod before_1_14;
mod domains;
mod doubts;
mod evidence;
mod messages;
mod required;
mod score;
mod term;

use before_1_14::PodByPod;
use required::Affinities;

use crate::framework::message;
use crate::framework::plugin::{Cycle, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::score::{PreparedScore, ScorePlugin, no_state};
use crate::framework::selector_error::selector_error;
use crate::framework::status::Rejection;
use model::cluster::{NodeIx, Pod};
use profile::Features;

pub struct InterPodAffinity;

static DOC: RuleDoc = RuleDoc {
    name: "InterPodAffinity",
    code: "PRE-112",
    summary: "Required pod affinity and anti-affinity hold, the pod's own and that of the pods already running.",
    preemption: "Helps against anti-affinity to pods on the node itself; never for a missing affinity partner.",
    scores: Some(
        "Prefers domains by the weights of preferred pod affinity and anti-affinity, of the pod and of those already running.",
    ),
    messages: messages::ALL,
    retried_on: Some(
        "a pod is added, deleted or changes its labels, a node is added or its labels change",
    ),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

impl Signer for InterPodAffinity {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        cycle.template.may_have_affinity()
    }

    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.view.profile.args.ignore_preferred_terms_of_existing_pods
            || cycle.pod.labels == other.labels
    }
}

impl Plugin for InterPodAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let template = cycle.template;
        let errors: Vec<String> = [
            ("requiredAffinityTerms", template.affinity.as_ref().err()),
            ("requiredAntiAffinityTerms", template.anti_affinity.as_ref().err()),
            ("preferredAffinityTerms", template.preferred_affinity.as_ref().err()),
            ("preferredAntiAffinityTerms", template.preferred_anti_affinity.as_ref().err()),
        ]
        .into_iter()
        .filter_map(|(list, error)| {
            Some(format!("{list}: {}", selector_error(error?, cycle.features())))
        })
        .collect();
        if let Some(errors) = message::aggregate(&errors) {
            return Prepared::Reject(Rejection::unresolvable(messages::UNREADABLE.with([&errors])));
        }
        let rule = Affinities::new(cycle);
        if cycle.features().cycle.gone_nodes_kept
            && cycle.cluster().pods_on_gone_nodes().next().is_some()
        {
            return Prepared::ready(PodByPod::new(rule));
        }
        let no_terms = rule.affinity_terms.is_empty() && rule.anti_terms.is_empty();
        let nothing = rule.existing.is_empty() && no_terms && !rule.looks_at_nodes();
        // Parity: AddPod of a skipped plugin is not called for nominated pods, whose anti-affinity
        // is then ignored.
        if nothing && cycle.features().inter_pod_affinity.affinity_skips {
            return Prepared::Skip;
        }
        Prepared::ready(rule)
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"error reading "PreFilterInterPodAffinity" from cycleState: not found"#)
    }

    fn error_without_extension_state(
        &self,
        skipped: bool,
        features: &Features,
    ) -> Option<&'static str> {
        self.error_without_pre_filter()
            .filter(|_| !skipped || features.inter_pod_affinity.affinity_skips)
    }
}

impl ScorePlugin for InterPodAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare(cycle)
    }

    fn error_without_pre_score(&self, name: &str, cycle: &Cycle) -> Option<String> {
        Some(no_state("failed to read", name, cycle))
    }
}

#[cfg(test)]
mod tests;
