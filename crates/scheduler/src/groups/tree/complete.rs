//! What a search means for every group of a tree: a group that got what it needs shares the fate of the one above it, if that did
//! not.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `completeCompositePodGroupAlgorithmResultMap` (1.37).

use std::collections::BTreeMap;

use super::Tree;
use super::search::Results;
use crate::groups::cycle::Status;
use model::cluster::composite_group::AnyGroup;

/// The result for a group of a tree.
#[derive(Debug, Clone)]
pub(super) struct Fate {
    /// How far the search came for it, or for the group above it that decides.
    pub status: Status,
    /// Whether it is that of the group above it, and what was found for its own pods does not count.
    pub inherited: bool,
    /// The group whose status it is.
    of: AnyGroup,
}

/// The result for each group.
pub(super) fn fates(tree: &Tree, results: &Results) -> BTreeMap<AnyGroup, Fate> {
    let mut fates = BTreeMap::new();
    add(AnyGroup::Groups(tree.root), None, tree, results, &mut fates);
    fates
}

fn add(group: AnyGroup, above: Option<&Fate>, tree: &Tree, results: &Results, fates: &mut BTreeMap<AnyGroup, Fate>) {
    let lost = above.filter(|above| above.status != Status::Fits);
    let own = results.status(group).filter(|own| lost.is_none() || **own != Status::Fits);
    let fate = match (own, above) {
        (Some(status), _) => Fate { status: status.clone(), inherited: false, of: group },
        (None, Some(above)) => Fate { inherited: true, ..above.clone() },
        (None, None) => return,
    };
    if let AnyGroup::Groups(ix) = group {
        tree.inside(ix).iter().for_each(|child| add(*child, Some(&fate), tree, results, fates));
    }
    fates.insert(group, fate);
}

/// How many groups share the status of this one. Parity: what PostFilter says is appended to it once for each of them.
pub(super) fn sharing(fate: &Fate, fates: &BTreeMap<AnyGroup, Fate>) -> usize {
    fates.values().filter(|other| other.of == fate.of).count()
}
