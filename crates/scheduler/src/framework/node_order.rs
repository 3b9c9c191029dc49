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
mod tests {
    use serde_json::Value;

    use super::by_zone;
    use crate::framework::cluster_view::ClusterView;
    use crate::testing::{cluster, node};
    use profile::{Profile, SchedulerVersion, VersionSource};

    const BETA: &str = "failure-domain.beta.kubernetes.io/zone";
    const STABLE: &str = "topology.kubernetes.io/zone";

    /// The order of nodes a, b, c, … with these labels.
    fn order(version: &str, zones: &[(&str, &str)]) -> String {
        let named = ["a", "b", "c", "d", "e", "f"].iter().zip(zones);
        let nodes: Vec<Value> =
            named.map(|(name, (key, zone))| node(name).label(key, zone).into()).collect();
        let (cluster, version) =
            (cluster(nodes), SchedulerVersion::parse(version).expect("a version"));
        let profile = Profile::new(version, VersionSource::Flag);
        let view = ClusterView::new(&cluster, &profile);
        by_zone(&view).into_iter().map(|ix| cluster.node_name(ix)).collect::<Vec<_>>().join("")
    }

    #[test]
    fn zones_take_turns() {
        for (row, zones, want) in [
            ("no zones", vec![("x", ""); 3], "abc"),
            ("one zone", vec![(STABLE, "z"); 3], "abc"),
            (
                "two of a size",
                vec![(STABLE, "y"), (STABLE, "y"), (STABLE, "x"), (STABLE, "x")],
                "acbd",
            ),
            (
                "one runs out",
                vec![(STABLE, "y"), (STABLE, "x"), (STABLE, "y"), (STABLE, "y")],
                "abcd",
            ),
            (
                "without a zone is a zone",
                vec![(STABLE, "y"), (STABLE, "y"), ("x", ""), ("x", "")],
                "acbd",
            ),
            (
                "one place for both labels",
                vec![(STABLE, "y"), (BETA, "y"), (STABLE, "x"), (BETA, "x")],
                "acbd",
            ),
        ] {
            assert_eq!(order("1.37", &zones), want, "{row}");
        }
    }

    #[test]
    fn stable_labels_count_since_1_17() {
        let zones = [(STABLE, "y"), (STABLE, "y"), (STABLE, "x")];
        assert_eq!(
            (order("1.16", &zones), order("1.17", &zones)),
            ("abc".to_owned(), "acb".to_owned())
        );
    }
}
