//! InterPodAffinity: required affinity and anti-affinity between pods, in both directions.

mod before_1_14;
mod evidence;
mod required;
mod score;
mod term;

use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::{Cycle, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::score::{PreparedScore, ScorePlugin, no_state};
use crate::framework::selector_error::unparsed_terms;
use crate::framework::status::Rejection;
use before_1_14::PodByPod;
use model::cluster::selector::Selector;
use model::cluster::template::AffinityTerm;
use model::cluster::{Kind, NodeIx, Pod, Sym, Template};
use model::notes::Severity;
use profile::Features;
use profile::history::AffinityReasons;
use required::Affinities;
use term::OwnTerm;

pub struct InterPodAffinity;

static DOC: RuleDoc = RuleDoc {
    name: "InterPodAffinity",
    code: "PRE-112",
    summary: "Required pod affinity and anti-affinity hold, the pod's own and that of the pods already running.",
    preemption: "Helps against anti-affinity to pods on the node itself; never for a missing affinity partner.",
    scores: Some(
        "Prefers domains by the weights of preferred pod affinity and anti-affinity, of the pod and of those already running.",
    ),
    messages: ALL,
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
        if let Some(errors) = unparsed_terms(cycle) {
            return Prepared::Reject(Rejection::unresolvable(UNREADABLE.with([&errors])));
        }
        let rule = Affinities::new(cycle);
        if cycle.features().cycle.gone_nodes_kept
            && cycle.cluster().pods_on_gone_nodes().next().is_some()
        {
            return Prepared::ready(PodByPod::new(rule));
        }
        let nothing = rule.existing.is_empty() && !rule.has_terms() && !rule.looks_at_nodes();
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

/// All of them.
static ALL: &[&Message] =
    &[&GENERAL, &GENERAL_RULES, &AFFINITY, &ANTI_AFFINITY, &EXISTING_ANTI_AFFINITY, &UNREADABLE];

static GENERAL: Message = Message {
    code: "PRE-223",
    text: "node(s) didn't match pod affinity/anti-affinity",
    meaning: "A required pod affinity or anti-affinity, of this pod or of one that runs already, does not hold; the reason next to it says which.",
    preemption: "Depends on the reason next to it.",
    remedy: "see the reason next to it",
    obstacle: Obstacle::PodAffinity,
    when: When::Rows(&[|f| {
        f.inter_pod_affinity.affinity_reasons == AffinityReasons::GeneralAndOwn
    }]),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)",
};

static GENERAL_RULES: Message = Message {
    code: "PRE-224",
    text: "node(s) didn't match pod affinity/anti-affinity rules",
    when: When::Rows(&[|f| f.inter_pod_affinity.affinity_reasons == AffinityReasons::RulesAndOwn]),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.21)",
    ..GENERAL
};

static AFFINITY: Message = Message {
    code: "PRE-225",
    text: "node(s) didn't match pod affinity rules",
    meaning: "The node's domain runs no pod that matches this pod's required pod affinity.",
    preemption: "Never: no eviction starts such a pod.",
    remedy: "make sure that pods which match the affinity run there, or change the affinity",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

static ANTI_AFFINITY: Message = Message {
    code: "PRE-226",
    text: "node(s) didn't match pod anti-affinity rules",
    meaning: "The node's domain runs a pod that matches this pod's required pod anti-affinity.",
    preemption: "Helps if evicting pods of lower priority on the node removes them all from the domain; pods of other nodes are not evicted.",
    remedy: "add nodes in domains without such pods, or change the anti-affinity",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

static EXISTING_ANTI_AFFINITY: Message = Message {
    code: "PRE-227",
    text: "node(s) didn't satisfy existing pods anti-affinity rules",
    meaning: "A pod that runs in the node's domain has a required anti-affinity which this pod's labels match.",
    preemption: "Helps if those pods run on the node itself and have a lower priority.",
    remedy: "add nodes in domains without such pods, or change their anti-affinity or this pod's labels",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

static UNREADABLE: Message = Message {
    code: "PRE-270",
    text: "parsing pod: {}",
    meaning: "A term of the pod's affinity or anti-affinity cannot be read.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "correct the pod's affinity",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

impl Doubts for InterPodAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let reads_selectors =
            context.cycle.features().inter_pod_affinity.affinity_namespace_selector;
        // The terms of existing pods count too: anti-affinity rejects nodes, preferred terms change
        // scores.
        let effect =
            "terms of pod (anti-)affinity select namespaces by labels, which are not known";
        (kind == Kind::Namespace
            && reads_selectors
            && context.cycle.cluster().templates.iter().any(selects_namespaces))
        .then_some(Reliance::partial(Severity::Error, effect))
    }
}

/// The topology keys by which the pod of a cycle keeps apart from pods like itself: no domain takes
/// two of them.
pub fn keys_apart(cycle: &Cycle) -> Vec<Sym> {
    let terms = cycle.template.anti_affinity.iter().flatten();
    let own = terms.filter(|term| OwnTerm::new(term, cycle).matches(cycle.pod));
    own.map(|term| term.topology_key).filter(|key| !key.is_empty()).collect()
}

/// Whether any term of pod (anti-)affinity in a template selects namespaces by label.
fn selects_namespaces(template: &Template) -> bool {
    let required = [&template.affinity, &template.anti_affinity];
    let preferred = [&template.preferred_affinity, &template.preferred_anti_affinity];
    required.into_iter().flatten().flat_map(|terms| terms.iter()).any(by_label)
        || preferred
            .into_iter()
            .flatten()
            .flat_map(|terms| terms.iter())
            .any(|weighted| by_label(&weighted.term))
}

/// Whether a term selects namespaces by label. `{}` selects every namespace, so labels do not
/// matter.
fn by_label(term: &AffinityTerm) -> bool {
    term.namespace_selector != Selector::Nothing && !term.namespace_selector.is_everything()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod doubts_tests {
    use serde_json::{Value, json};

    use crate::testing::{node, objects, pod, without};

    /// A term of affinity that selects namespaces.
    fn term(selector: Value) -> Value {
        let mut term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}});
        term["namespaceSelector"] = selector;
        term
    }

    #[test]
    fn namespaces_matter_where_their_labels_are_selected() {
        let labels = || json!({"matchLabels": {"team": "x"}});
        for (version, incoming, other, expected) in [
            ("1.37", pod("p"), pod("q").on("n"), "info"),
            ("1.37", pod("p").affinity("podAffinity", term(labels())), pod("q").on("n"), "error"),
            (
                "1.37",
                pod("p"),
                pod("q").on("n").affinity("podAntiAffinity", term(labels())),
                "error",
            ),
            (
                "1.37",
                pod("p"),
                pod("q").on("n").affinity("podAntiAffinity", term(json!({}))),
                "info",
            ),
            ("1.37", pod("p"), pod("q").on("n").away("zone", "app", "a"), "info"),
            (
                "1.20",
                pod("p"),
                pod("q").on("n").affinity("podAntiAffinity", term(labels())),
                "info",
            ),
        ] {
            let objects = objects![node("n"), incoming.label("app", "a"), other];
            assert_eq!(without(version, "namespaces", objects), expected, "{version}");
        }
    }
}
