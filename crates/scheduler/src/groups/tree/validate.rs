//! What all pods of a tree must have in common; otherwise the cycle ends with an error.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `validatePodGroup` (1.37).

use std::collections::BTreeSet;

use super::Tree;
use crate::framework::cluster_view::ClusterView;
use crate::groups::validate::{Shared, differs};
use model::cluster::{AnyGroup, PodIx};

impl Tree {
    /// The errors with which the cycle may end; empty if the pods have in common what they must.
    /// Parity: the scheduler checks the groups with waiting pods in any order, and after them the
    /// running pods of each group, in any order.
    pub(super) fn errors(&self, view: &ClusterView) -> BTreeSet<String> {
        let root = self.facts(view.cluster);
        let groups: Vec<&[PodIx]> = self
            .leaves(AnyGroup::Groups(self.root))
            .filter_map(|ix| Some(self.members.get(&ix)?.waiting.as_slice()))
            .filter(|waiting| !waiting.is_empty())
            .collect();
        let running: Vec<Vec<PodIx>> = self
            .leaves(AnyGroup::Groups(self.root))
            .map(|ix| self.running(AnyGroup::Pods(ix)))
            .collect();
        let mut errors = BTreeSet::new();
        for own in &groups {
            // The first pod of the group that is checked first is the one to which all are
            // compared.
            let Some(first) = own.first() else { continue };
            let shared = Shared {
                first: *first,
                priority: root.priority(),
                never_preempts: root.never_preempts,
            };
            if let Some(error) = first_difference(own, &shared, view) {
                errors.insert(error);
                continue;
            }
            // Then the other groups with waiting pods, in any order.
            let others: BTreeSet<String> =
                groups.iter().filter_map(|other| first_difference(other, &shared, view)).collect();
            if !others.is_empty() {
                errors.extend(others);
                continue;
            }
            // Then the running pods of the first group that has a different one.
            for pods in &running {
                let differences: BTreeSet<String> =
                    pods.iter().filter_map(|pod| differs(*pod, &shared, view)).collect();
                if !differences.is_empty() {
                    errors.extend(differences);
                    break;
                }
            }
        }
        errors
    }
}

/// The difference of the first pod that differs; the pods of one group are checked in their order.
fn first_difference(pods: &[PodIx], shared: &Shared, view: &ClusterView) -> Option<String> {
    pods.iter().find_map(|pod| differs(*pod, shared, view))
}
