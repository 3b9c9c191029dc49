//! How many feasible nodes the scheduler looks for before it stops filtering.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `numFeasibleNodesToFind`, `hasScoring` (1.37).

use profile::Profile;

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
