//! A constraint of the incoming pod, its own or a default one.
//!
//! Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/common.go`,
//! `pkg/scheduler/framework/plugins/helper/spread.go` (1.37).

use std::sync::{Arc, OnceLock};

use crate::framework::cluster_view::NodeInfo;
use crate::framework::default_selector::default_selector;
use crate::framework::plugin::Cycle;
use crate::framework::selector_error::selector_error;
use model::cluster::selector::{Selector, label};
use model::cluster::symbols::PoolIx;
use model::cluster::template::SpreadConstraint;
use model::cluster::{NodeIx, Pod, Sym};

/// `maxSkew` that every pod without constraints of its own gets, by topology key.
/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/plugin.go` (1.37).
const SYSTEM_DEFAULTS: [(Sym, i64); 2] = [(Sym::HOSTNAME, 3), (Sym::ZONE, 5)];

/// Which pods count in which domains.
pub(super) struct Constraint {
    pub(super) topology_key: Sym,
    pub(super) max_skew: i64,
    pub(super) min_domains: i64,
    /// 1 if the incoming pod matches its own constraint.
    pub(super) incoming: i64,
    honors_affinity: bool,
    honors_taints: bool,
    selector: Selector,
    /// By label set: whether pods with it match; found when a pod is first counted.
    matching: OnceLock<Arc<Vec<bool>>>,
    /// What is counted on each node, where decisions remember it.
    known: OnceLock<Option<Arc<Vec<i64>>>>,
}

/// Whether a label set is one of those that match.
fn is_in(matching: &[bool], labels: PoolIx) -> bool {
    matching.get(labels.0 as usize).copied().unwrap_or(false)
}

impl Constraint {
    pub(super) fn new(spec: &SpreadConstraint, cycle: &Cycle) -> Result<Self, String> {
        let own = cycle.cluster().labels(cycle.pod.labels);
        let keys = if cycle.features().pod_topology_spread.spread_match_label_keys {
            &*spec.match_label_keys
        } else {
            &[]
        };
        let pairs: Vec<(Sym, Sym)> =
            keys.iter().filter_map(|key| Some((*key, label(own, *key)?))).collect();
        let selector =
            spec.selector.as_ref().map_err(|issues| selector_error(issues, cycle.features()))?;
        let constraint = Self::selecting(selector.and_labels(&pairs), cycle).shaped_as(spec);
        let min_domains = if cycle.features().pod_topology_spread.spread_min_domains {
            constraint.min_domains
        } else {
            1
        };
        Ok(Self { min_domains, ..constraint })
    }

    fn selecting(selector: Selector, cycle: &Cycle) -> Self {
        let cluster = cycle.cluster();
        Self {
            topology_key: Sym::EMPTY,
            max_skew: 1,
            min_domains: 1,
            incoming: i64::from(selector.matches(cluster.labels(cycle.pod.labels))),
            honors_affinity: true,
            honors_taints: false,
            selector,
            matching: OnceLock::new(),
            known: OnceLock::new(),
        }
    }

    /// The constraints of a pod that has none: they spread the pods of its services and controllers
    /// over hosts and zones, unless the profile configures others.
    pub(super) fn defaults(cycle: &Cycle, hard: bool) -> Vec<Self> {
        let configured = cycle.view.added_affinity.default_constraints.as_ref();
        let selector = || Some(default_selector(cycle)).filter(|s| !s.is_everything());
        let Some(constraints) = configured else {
            let there = !hard && cycle.features().pod_topology_spread.spread_system_defaults;
            let Some(selector) = selector().filter(|_| there) else { return Vec::new() };
            return SYSTEM_DEFAULTS
                .map(|(topology_key, max_skew)| Self {
                    topology_key,
                    max_skew,
                    ..Self::selecting(selector.clone(), cycle)
                })
                .into();
        };
        let wanted: Vec<&SpreadConstraint> =
            constraints.iter().filter(|c| c.hard == hard).collect();
        let Some(selector) = selector().filter(|_| !wanted.is_empty()) else { return Vec::new() };
        wanted
            .into_iter()
            .map(|spec| Self::selecting(selector.clone(), cycle).shaped_as(spec))
            .collect()
    }

    fn shaped_as(self, spec: &SpreadConstraint) -> Self {
        Self {
            topology_key: spec.topology_key,
            max_skew: spec.max_skew,
            min_domains: spec.min_domains,
            honors_affinity: spec.honors_affinity,
            honors_taints: spec.honors_taints,
            ..self
        }
    }

    pub(super) fn selects(&self, pod: &Pod, cycle: &Cycle) -> bool {
        is_in(self.matching(cycle), pod.labels)
    }

    fn matching(&self, cycle: &Cycle) -> &[bool] {
        self.matching.get_or_init(|| cycle.view.label_sets_matching(&self.selector))
    }

    /// Whether the node's pods are counted.
    pub(super) fn includes(&self, cycle: &Cycle, node: NodeIx) -> bool {
        let cluster = cycle.cluster();
        let template = cycle.template;
        let policies = cycle.features().pod_topology_spread.spread_node_inclusion;
        let (by_affinity, by_taints) =
            (self.honors_affinity || !policies, self.honors_taints && policies);
        let by_affinity = by_affinity && template.limits_nodes();
        (!by_affinity || template.selects(cluster.node_facts(cluster.node(node)), &cluster.symbols))
            && (!by_taints
                || template
                    .untolerated(
                        &cluster.node(node).taints,
                        &cluster.symbols,
                        cycle.features().tolerations.toleration_comparison,
                    )
                    .is_none())
    }

    /// Matching pods of the pod's namespace on every node, where decisions remember them.
    pub(super) fn known_counts(&self, cycle: &Cycle) -> Option<&Arc<Vec<i64>>> {
        let counts = self.known.get_or_init(|| {
            let known = cycle.view.known_nodes.as_ref()?;
            known.selected(cycle.view, cycle.pod.namespace, &self.selector, |infos| {
                infos.iter().map(|info| self.count_anew(cycle, info)).collect()
            })
        });
        counts.as_ref()
    }

    /// Matching pods of the pod's namespace on a node of the view, without terminating ones.
    pub(super) fn count(&self, cycle: &Cycle, info: &NodeInfo) -> i64 {
        let known = self.known_counts(cycle).filter(|_| !info.bare);
        let known = known.and_then(|counts| counts.get(info.node.0 as usize));
        known.map_or_else(|| self.count_anew(cycle, info), |count| *count)
    }

    fn count_anew(&self, cycle: &Cycle, info: &NodeInfo) -> i64 {
        // Parity: `labelSelector: {}` counts nothing up to 1.37 (kubernetes/kubernetes#141339).
        if self.selector.is_everything()
            && !cycle.features().pod_topology_spread.spread_counts_everything
        {
            return 0;
        }
        let matching = self.matching(cycle);
        let counted = info.labels_of_pods(cycle.cluster()).iter().filter(|(namespace, labels)| {
            *namespace == cycle.pod.namespace && is_in(matching, *labels)
        });
        i64::try_from(counted.count()).unwrap_or(i64::MAX)
    }
}
