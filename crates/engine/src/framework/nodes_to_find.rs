//! How many nodes that take the pod are enough for the scheduler to choose from.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `numFeasibleNodesToFind`, `hasScoring` (1.37).

use crate::profile::Profile;

/// Of fewer nodes all are looked for, of more at least so many.
const AT_LEAST: usize = 100;
/// The share, in percent, that is looked for in a cluster of hardly more than that.
const LARGEST_SHARE: usize = 50;
/// The share goes down by one percent with every so many nodes,
const NODES_PER_PERCENT: usize = 125;
/// but not below this.
const SMALLEST_SHARE: usize = 5;

/// After how many nodes that take the pod the scheduler of `profile` stops looking, when `nodes` are in question.
#[must_use]
pub fn enough(profile: &Profile, nodes: usize) -> usize {
    if profile.features.cycle.first_node_without_scores && !scores(profile) {
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

/// Whether there is anything to choose by: plugins that score, or extenders that filter or score.
fn scores(profile: &Profile) -> bool {
    let stranger = profile.plugins.out_of_tree.iter().any(|plugin| plugin.points.contains(&"score"));
    let asks = profile.extenders.iter().any(|e| !(e.filter_verb.is_empty() && e.prioritize_verb.is_empty()));
    !profile.plugins.score.is_empty() || stranger || asks
}

#[cfg(test)]
mod tests;
