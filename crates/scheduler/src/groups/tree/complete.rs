//! The final status of every group of a tree: a group that got what it needs takes over the status
//! of its parent if the parent did not.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `completeCompositePodGroupAlgorithmResultMap`
//! (1.37).

use std::collections::BTreeMap;

use super::Tree;
use super::search::Results;
use crate::groups::cycle::GroupSearchResult;
use model::cluster::AnyGroup;

/// The final status of a group of a tree.
#[derive(Debug, Clone)]
pub(super) struct EffectiveStatus {
    /// The search result of the group, or of the ancestor that decides.
    pub status: GroupSearchResult,
    /// Whether it was taken over from an ancestor, so that the results of the group's own pods do
    /// not count.
    pub inherited: bool,
    /// The group whose status it is.
    of: AnyGroup,
}

pub(super) type EffectiveStatuses = BTreeMap<AnyGroup, EffectiveStatus>;

/// The status of each group.
pub(super) fn effective_statuses(tree: &Tree, results: &Results) -> EffectiveStatuses {
    let mut statuses = BTreeMap::new();
    add(AnyGroup::Groups(tree.root), None, tree, results, &mut statuses);
    statuses
}

/// Adds the status of a group and of those below it.
fn add(
    group: AnyGroup,
    above: Option<&EffectiveStatus>,
    tree: &Tree,
    results: &Results,
    statuses: &mut EffectiveStatuses,
) {
    // What a group got is lost if its parent got too little, so its own status counts only if it
    // failed on its own.
    let above_fits = above.is_none_or(|above| above.status == GroupSearchResult::Fits);
    let own = results.status(group).filter(|own| above_fits || **own != GroupSearchResult::Fits);
    let status = match (own, above) {
        (Some(status), _) => {
            EffectiveStatus { status: status.clone(), inherited: false, of: group }
        }
        (None, Some(above)) => EffectiveStatus { inherited: true, ..above.clone() },
        (None, None) => return,
    };
    if let AnyGroup::Groups(ix) = group {
        for child in tree.inside(ix) {
            add(*child, Some(&status), tree, results, statuses);
        }
    }
    statuses.insert(group, status);
}

/// How many groups share this group's status. Parity: PostFilter's text is appended once for each
/// of them.
pub(super) fn sharing(status: &EffectiveStatus, statuses: &EffectiveStatuses) -> usize {
    statuses.values().filter(|other| other.of == status.of).count()
}
