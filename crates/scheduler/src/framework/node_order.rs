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

/// Region and zone of a node; `None` if it has neither label. Up to 1.16 only the beta labels
/// count.
///
/// Upstream: `component-helpers/node/topology/helpers.go` `GetZoneKey` (1.22).
#[must_use]
pub(crate) fn zone(view: &ClusterView, node: NodeIx) -> Option<(Sym, Sym)> {
    let symbols = &view.cluster.symbols;
    let label = |key: &str| view.node_label(node, symbols.get(key)?);
    let stable = |key: &str| {
        label(key).filter(|_| {
            view.profile.features.default_plugins.plugin_lists != PluginLists::Predicates
        })
    };
    let of = |beta, ga| label(beta).or_else(|| stable(ga)).unwrap_or_default();
    let region = of("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
    let zone = of("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
    (!(region.is_empty() && zone.is_empty())).then_some((region, zone))
}

/// All nodes: the first node of every zone, then the second node of every zone that has one, and so
/// on. Zones are in the order of their first nodes; nodes without a zone form one zone.
#[must_use]
pub(crate) fn by_zone(view: &ClusterView) -> Vec<NodeIx> {
    let mut zones: BTreeMap<Option<(Sym, Sym)>, (NodeIx, usize)> = BTreeMap::new();
    let mut order: Vec<(usize, NodeIx, NodeIx)> = Vec::with_capacity(view.infos().len());
    for node in view.cluster.node_indices() {
        let (first, members) = zones.entry(zone(view, node)).or_insert((node, 0));
        order.push((*members, *first, node));
        *members += 1;
    }
    order.sort_unstable();
    order.into_iter().map(|(.., node)| node).collect()
}

#[cfg(test)]
mod tests;
