//! What moving pods together would gain: moves with which one more copy fits, repeated, each played
//! through.

use super::HeadroomSettings;
use super::copies::{self, PriorityRow};
use crate::{suggest, victims};
use model::cluster::{Cluster, NodeIx, PodIx};

/// Maximum number of copies gained by moves.
const MOST_GAINED: usize = 8;
/// With more copies than this, or in a cluster with more pods and nodes (a node counts as ten),
/// nothing is moved: placing all of them takes too long.
const MOST_COPIES: usize = 500;
const MOST_SIZE: usize = 60_000;

/// The gain from moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defragmentation {
    /// How many more copies fit.
    pub gains: usize,
    /// How many pods move for them.
    pub moves: usize,
    /// Whether the search stopped at its maximum: more moves may gain more.
    pub may_go_on: bool,
}

/// Moves pods so that one more copy fits with those `placed`, as often as possible. `None` if it is
/// not tried.
pub(super) fn of(
    cluster: &Cluster,
    model: PodIx,
    row: &PriorityRow,
    placed: &[NodeIx],
    settings: HeadroomSettings,
) -> Option<Defragmentation> {
    let size = cluster.pods.len() + 10 * cluster.nodes.len();
    if placed.len() > MOST_COPIES || size > MOST_SIZE {
        return None;
    }
    let mut cluster = cluster.clone();
    let copies = copies::add(&mut cluster, model, placed.len() + MOST_GAINED, settings.now);
    copies::prepare(&mut cluster, &copies, row);
    copies::never_preempt(&mut cluster, &copies);
    let (there, more) = copies.split_at_checked(placed.len())?;
    for (copy, node) in there.iter().zip(placed) {
        cluster.bind(*copy, *node);
    }

    let mut defragmentation = Defragmentation { gains: 0, moves: 0, may_go_on: true };
    for copy in more {
        let settings = suggest::SuggestSettings { profile: settings.profile, now: settings.now };
        let Some(play) = suggest::play_for(&cluster, *copy, settings) else {
            defragmentation.may_go_on = false;
            break;
        };
        let budgets = victims::protecting(&cluster, &settings.profile.features);
        for step in &play.steps {
            for budget in budgets.of(cluster.pod(step.pod), &cluster) {
                let left = cluster.budget(budget).allowed - 1;
                cluster.set_disruptions_allowed(budget, left.max(0));
            }
        }
        for step in &play.steps {
            cluster.restart(step.pod, settings.now);
            cluster.bind(step.pod, step.to);
        }
        cluster.bind(*copy, play.node);
        defragmentation.gains += 1;
        defragmentation.moves += play.steps.len();
    }
    Some(defragmentation)
}
