//! The final status of every group of a tree: a group that got what it needs takes over the status
//! of its parent if the parent did not.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `completeCompositePodGroupAlgorithmResultMap`
//! (1.37).

use std::collections::BTreeMap;

use super::Tree;
use super::search::Results;
use crate::framework::cluster_view::ClusterView;
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
pub(super) fn effective_statuses(
    tree: &Tree,
    results: &Results,
    view: &ClusterView,
) -> EffectiveStatuses {
    let mut statuses = BTreeMap::new();
    if view.profile.features.pod_groups.groups_checked_together {
        add_named(AnyGroup::Groups(tree.root), None, tree, results, view, &mut statuses);
        return statuses;
    }
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

/// Adds the status of a group and of those below it since 1.38: a group that cannot have what it got
/// names the nearest ancestor that failed. `failed` is that ancestor.
fn add_named(
    group: AnyGroup,
    failed: Option<(AnyGroup, &GroupSearchResult)>,
    tree: &Tree,
    results: &Results,
    view: &ClusterView,
    statuses: &mut EffectiveStatuses,
) {
    let own = results.status(group);
    // An error of an ancestor counts more than a failure of the group's own.
    let is_error = |status: &GroupSearchResult| matches!(status, GroupSearchResult::Failed(_));
    let keeps = own.filter(|own| match failed {
        None => true,
        Some((_, above)) => **own != GroupSearchResult::Fits && (is_error(own) || !is_error(above)),
    });
    let status = match (keeps, failed) {
        (Some(own), _) => own.clone(),
        (None, Some((ancestor, above))) => {
            let (_, name) = view.cluster.names_of(ancestor);
            let name = go::quoted(view.cluster.text(name));
            if is_error(above) {
                let error = format!("ancestor composite pod group {name} encountered an error");
                GroupSearchResult::Failed(error)
            } else {
                let reason = format!("ancestor composite pod group {name} is unschedulable");
                GroupSearchResult::unfit_for(reason)
            }
        }
        (None, None) => return,
    };
    let own_failure = keeps.filter(|own| **own != GroupSearchResult::Fits);
    let failed = own_failure.map(|own| (group, own)).or(failed);
    if let AnyGroup::Groups(ix) = group {
        for child in tree.inside(ix) {
            add_named(*child, failed, tree, results, view, statuses);
        }
    }
    statuses.insert(group, EffectiveStatus { status, inherited: false, of: group });
}

/// How many groups share this group's status. Parity: PostFilter's text is appended once for each
/// of them.
pub(super) fn sharing(status: &EffectiveStatus, statuses: &EffectiveStatuses) -> usize {
    statuses.values().filter(|other| other.of == status.of).count()
}
