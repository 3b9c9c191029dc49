//! Several filters that run as one: all of them run, and their reasons are combined.

use super::cluster_view::NodeInfo;
use super::plugin::{ExtensionState, Filter};
use super::status::FilterVerdict;
use model::cluster::{NodeIx, PodIx};

/// Combines filters into one.
pub(super) fn all_of<'c>(
    first: Box<dyn Filter + 'c>,
    others: Vec<Box<dyn Filter + 'c>>,
) -> Box<dyn Filter + 'c> {
    Box::new(AllOf(std::iter::once(first).chain(others).collect()))
}

struct AllOf<'c>(Vec<Box<dyn Filter + 'c>>);

impl Filter for AllOf<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.0.iter().map(|filter| filter.check(node)).fold(FilterVerdict::Fits, FilterVerdict::and)
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let members =
            self.0.iter().map(|filter| (&**filter, filter.extension_state(node))).collect();
        Some(Box::new(MemberStates { members }))
    }
}

/// A filter with its extension state, if it has one.
type Member<'f, 'c> = (&'f (dyn Filter + 'c), Option<Box<dyn ExtensionState + 'f>>);

struct MemberStates<'f, 'c> {
    members: Vec<Member<'f, 'c>>,
}

impl ExtensionState for MemberStates<'_, '_> {
    fn add_pod(&mut self, pod: PodIx, node: NodeIx) {
        self.members
            .iter_mut()
            .filter_map(|(_, state)| state.as_mut())
            .for_each(|state| state.add_pod(pod, node));
    }

    fn remove_pod(&mut self, pod: PodIx, node: NodeIx) {
        self.members
            .iter_mut()
            .filter_map(|(_, state)| state.as_mut())
            .for_each(|state| state.remove_pod(pod, node));
    }

    fn depends_on(&self, pod: PodIx, node: NodeIx) -> bool {
        self.members
            .iter()
            .filter_map(|(_, state)| state.as_ref())
            .any(|state| state.depends_on(pod, node))
    }

    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let verdicts = self.members.iter().map(|(filter, state)| match state {
            Some(state) => state.check(node),
            None => filter.check(node),
        });
        verdicts.fold(FilterVerdict::Fits, FilterVerdict::and)
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        let members =
            self.members.iter().map(|(filter, state)| (*filter, state.as_ref().map(|t| t.fork())));
        Box::new(MemberStates { members: members.collect() })
    }
}
