//! The order in which the scheduler iterates over nodes: round robin over the zones, and within a
//! zone in the order in which the nodes were added to its cache.
//!
//! Upstream: `pkg/scheduler/backend/cache/node_tree.go` (1.37). The API does not show when nodes
//! were added. When the scheduler starts, they are added by name (in random order from 1.35 on);
//! that order is assumed here.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `numFeasibleNodesToFind`, `hasScoring` (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cluster_view::ClusterView;
use model::cluster::{NodeIx, Sym};
use profile::Profile;
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
pub(crate) fn by_zone(view: &ClusterView) -> Arc<[NodeIx]> {
    match &view.known_nodes {
        Some(known) => known.order(view, || order(view)),
        None => order(view),
    }
}

fn order(view: &ClusterView) -> Arc<[NodeIx]> {
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

/// Smaller clusters are filtered completely; in larger ones, at least this many feasible nodes are
/// looked for.
const AT_LEAST: usize = 100;
/// Maximum share of the nodes, in percent, before the size of the cluster lowers it.
const LARGEST_SHARE: usize = 50;
/// The share drops by one percent per this many nodes.
const NODES_PER_PERCENT: usize = 125;
/// Minimum share, in percent.
const SMALLEST_SHARE: usize = 5;

/// The number of feasible nodes after which the scheduler of `profile` stops filtering, out of
/// `nodes` nodes.
pub(crate) fn enough(profile: &Profile, nodes: usize) -> usize {
    if takes_first(profile) {
        return nodes.min(1);
    }
    if nodes < AT_LEAST {
        return nodes;
    }
    let share = match profile.percentage_of_nodes_to_score {
        Some(percent) if percent > 0 => usize::try_from(percent).unwrap_or(100).min(100),
        _ if profile.features.cycle.nodes_to_score_adapt => {
            LARGEST_SHARE.saturating_sub(nodes / NODES_PER_PERCENT).max(SMALLEST_SHARE)
        }
        _ => LARGEST_SHARE,
    };
    (nodes * share / 100).max(AT_LEAST)
}

/// Whether the scheduler takes the first feasible node because it ranks none.
pub(crate) fn takes_first(profile: &Profile) -> bool {
    profile.features.cycle.first_node_without_scores && !scores(profile)
}

/// Whether feasible nodes are ranked: the profile has score plugins, or extenders that filter or
/// score.
fn scores(profile: &Profile) -> bool {
    let stranger =
        profile.plugins.out_of_tree.iter().any(|plugin| plugin.points.contains(&"score"));
    let asks = profile
        .extenders
        .iter()
        .any(|e| !(e.filter_verb.is_empty() && e.prioritize_verb.is_empty()));
    !profile.plugins.score.is_empty() || stranger || asks
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
        by_zone(&view).iter().map(|ix| cluster.node_name(*ix)).collect::<Vec<_>>().join("")
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

#[cfg(test)]
mod nodes_to_find_tests {
    use super::enough;
    use profile::{Profile, SchedulerVersion, VersionSource};

    fn profile(version: &str, percent: Option<i64>) -> Profile {
        let version = SchedulerVersion::parse(version).expect("a version");
        Profile {
            percentage_of_nodes_to_score: percent,
            ..Profile::new(version, VersionSource::Flag)
        }
    }

    #[test]
    fn percentage_and_cluster_size_decide_nodes_to_find() {
        for (version, percent, nodes, want) in [
            ("1.37", None, 0, 0),
            ("1.37", None, 99, 99),
            ("1.37", Some(1), 99, 99),
            ("1.37", None, 100, 100),
            ("1.37", Some(10), 120, 100),
            ("1.37", None, 250, 120),
            ("1.37", Some(0), 250, 120),
            ("1.37", Some(30), 1000, 300),
            ("1.37", Some(100), 1000, 1000),
            ("1.37", None, 5000, 500),
            ("1.37", None, 6000, 300),
            ("1.14", None, 250, 120),
            ("1.13", None, 250, 125),
            ("1.13", Some(0), 5000, 2500),
            ("1.12", Some(30), 1000, 300),
            ("1.12", None, 99, 99),
        ] {
            assert_eq!(
                enough(&profile(version, percent), nodes),
                want,
                "{version} {percent:?} {nodes}"
            );
        }
    }

    #[test]
    fn without_scores_the_first_will_do() {
        for (version, nodes, want) in
            [("1.29", 7, 7), ("1.30", 7, 1), ("1.37", 5000, 1), ("1.37", 0, 0)]
        {
            let mut profile = profile(version, None);
            profile.plugins.score.clear();
            assert_eq!(enough(&profile, nodes), want, "{version} {nodes}");
        }
    }
}
