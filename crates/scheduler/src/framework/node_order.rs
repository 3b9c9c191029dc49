//! The order in which the scheduler iterates over nodes: round robin over the zones, and within a
//! zone in the order in which the nodes were added to its cache.
//!
//! Upstream: `pkg/scheduler/backend/cache/node_tree.go` (1.37). The API does not show when nodes
//! were added. When the scheduler starts, they are added by name (in random order from 1.35 on);
//! that order is assumed here.

use std::collections::BTreeMap;

use super::cluster_view::ClusterView;
use model::cluster::{NodeIx, Sym};
use profile::history::PluginLists;

/// The labels of nodes that name their region and their zone, as far as any object refers to them.
/// Up to 1.16 only the beta labels count.
///
/// Upstream: `component-helpers/node/topology/helpers.go` `GetZoneKey` (1.22).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ZoneLabels {
    region: [Option<Sym>; 2],
    zone: [Option<Sym>; 2],
}

impl ZoneLabels {
    pub(crate) fn new(view: &ClusterView) -> Self {
        let symbols = &view.cluster.symbols;
        let lists = view.profile.features.default_plugins.plugin_lists;
        let stable = |key| symbols.get(key).filter(|_| lists != PluginLists::Predicates);
        Self {
            region: [
                symbols.get("failure-domain.beta.kubernetes.io/region"),
                stable("topology.kubernetes.io/region"),
            ],
            zone: [
                symbols.get("failure-domain.beta.kubernetes.io/zone"),
                stable("topology.kubernetes.io/zone"),
            ],
        }
    }

    /// Region and zone of a node; `None` if it has neither label.
    pub(crate) fn of(&self, node: NodeIx, view: &ClusterView) -> Option<(Sym, Sym)> {
        let first = |keys: [Option<Sym>; 2]| {
            let mut keys = keys.into_iter().flatten();
            keys.find_map(|key| view.node_label(node, key)).unwrap_or_default()
        };
        let (region, zone) = (first(self.region), first(self.zone));
        (!(region.is_empty() && zone.is_empty())).then_some((region, zone))
    }
}

/// All nodes: the first node of every zone, then the second node of every zone that has one, and so
/// on. Zones are in the order of their first nodes; nodes without a zone form one zone.
#[must_use]
pub(crate) fn by_zone(view: &ClusterView) -> Vec<NodeIx> {
    let mut zones: BTreeMap<Option<(Sym, Sym)>, (NodeIx, usize)> = BTreeMap::new();
    let mut order: Vec<(usize, NodeIx, NodeIx)> = Vec::with_capacity(view.infos().len());
    let labels = ZoneLabels::new(view);
    for node in view.cluster.node_indices() {
        let (first, members) = zones.entry(labels.of(node, view)).or_insert((node, 0));
        order.push((*members, *first, node));
        *members += 1;
    }
    order.sort_unstable();
    order.into_iter().map(|(.., node)| node).collect()
}

#[cfg(test)]
mod tests;
