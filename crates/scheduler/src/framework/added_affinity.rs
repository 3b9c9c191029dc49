//! The affinity and the spread constraints that a profile adds to every pod, resolved against the
//! strings of one cluster.

use model::cluster::Cluster;
use model::cluster::node_selector::{NodeSelector, NodeTerm, PlainRequirement, plain_term};
use model::cluster::selector::Selector;
use model::cluster::symbols::Symbols;
use model::cluster::template::{SpreadConstraint, Weighted};
use profile::PluginArgs;
use profile::args::{NodeExpression, NodeTermSpec};

/// Affinity terms and default spread constraints of a profile.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfileAffinity {
    /// Required node affinity of every pod, in addition to its own.
    pub required_nodes: Option<NodeSelector>,
    /// Preferred node affinity of every pod, in addition to its own.
    pub preferred_nodes: Box<[Weighted<NodeTerm>]>,
    /// Spread constraints of pods that define none; `None` selects the scheduler's own defaults.
    /// Their selector is empty: PodTopologySpread fills it in for each pod.
    pub default_constraints: Option<Box<[SpreadConstraint]>>,
}

impl ProfileAffinity {
    /// Resolves the terms of `args`. A string that no object of the cluster uses matches nothing.
    pub fn new(cluster: &Cluster, args: &PluginArgs) -> Self {
        let affinity = &args.added_affinity;
        if affinity.required.is_none()
            && affinity.preferred.is_empty()
            && args.default_constraints.is_none()
        {
            return Self::default();
        }
        let symbols = &mut cluster.symbols.clone();
        let required = affinity
            .required
            .as_ref()
            .map(|terms| terms.iter().map(|t| term(t, symbols)).collect());
        let preferred = affinity
            .preferred
            .iter()
            .map(|(weight, t)| Weighted { weight: *weight, term: term(t, symbols) })
            .collect();
        let constraints = args.default_constraints.as_ref().map(|constraints| {
            constraints
                .iter()
                .map(|c| SpreadConstraint {
                    topology_key: symbols.intern(&c.topology_key),
                    hard: c.hard,
                    max_skew: c.max_skew,
                    min_domains: c.min_domains,
                    selector: Ok(Selector::Nothing),
                    match_label_keys: Box::default(),
                    honors_affinity: c.honors_affinity,
                    honors_taints: c.honors_taints,
                })
                .collect()
        });
        Self {
            required_nodes: required,
            preferred_nodes: preferred,
            default_constraints: constraints,
        }
    }
}

fn term(spec: &NodeTermSpec, symbols: &mut Symbols) -> NodeTerm {
    fn plain(list: &[NodeExpression]) -> Vec<PlainRequirement<'_>> {
        let text = String::as_str;
        list.iter()
            .map(|e| (text(&e.key), text(&e.operator), e.values.iter().map(text).collect()))
            .collect()
    }
    plain_term(&plain(&spec.expressions), &plain(&spec.fields), symbols)
}
