//! What terms of pod affinity depend on.

use super::{DOC, InterPodAffinity};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::selector::Selector;
use model::cluster::template::AffinityTerm;
use model::cluster::{Kind, Template};
use model::notes::Severity;

impl Doubts for InterPodAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let known = context.cycle.features().inter_pod_affinity.affinity_namespace_selector;
        // The terms of existing pods count too: anti-affinity rejects nodes, preferred terms change
        // scores.
        let effect =
            "terms of pod (anti-)affinity select namespaces by labels, which are not known";
        (kind == Kind::Namespace
            && known
            && context.cycle.cluster().templates.iter().any(selects_namespaces))
        .then_some(Reliance::partial(Severity::Error, effect))
    }
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
mod tests {
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
