//! Several filters that are asked as one: all of them, and their reasons told together.

use super::plugin::{Filter, Trial};
use super::status::Verdict;
use super::world::NodeInfo;
use crate::cluster::pod::PodIx;

/// One filter out of several.
pub(super) fn all_of<'c>(first: Box<dyn Filter + 'c>, others: Vec<Box<dyn Filter + 'c>>) -> Box<dyn Filter + 'c> {
    Box::new(AllOf(std::iter::once(first).chain(others).collect()))
}

struct AllOf<'c>(Vec<Box<dyn Filter + 'c>>);

impl Filter for AllOf<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        self.0.iter().map(|filter| filter.check(node)).fold(Verdict::Fits, Verdict::and)
    }

    fn trial<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn Trial + 'f>> {
        let members = self.0.iter().map(|filter| (&**filter, filter.trial(node))).collect();
        Some(Box::new(Trials { members }))
    }
}

/// A filter, and its state if it has any.
type Member<'f, 'c> = (&'f (dyn Filter + 'c), Option<Box<dyn Trial + 'f>>);

struct Trials<'f, 'c> {
    members: Vec<Member<'f, 'c>>,
}

impl Trial for Trials<'_, '_> {
    fn add_pod(&mut self, pod: PodIx) {
        self.members.iter_mut().filter_map(|(_, trial)| trial.as_mut()).for_each(|trial| trial.add_pod(pod));
    }

    fn remove_pod(&mut self, pod: PodIx) {
        self.members.iter_mut().filter_map(|(_, trial)| trial.as_mut()).for_each(|trial| trial.remove_pod(pod));
    }

    fn check(&self, node: &NodeInfo) -> Verdict {
        let verdicts = self.members.iter().map(|(filter, trial)| match trial {
            Some(trial) => trial.check(node),
            None => filter.check(node),
        });
        verdicts.fold(Verdict::Fits, Verdict::and)
    }

    fn fork<'t>(&self) -> Box<dyn Trial + 't>
    where
        Self: 't,
    {
        let members = self.members.iter().map(|(filter, trial)| (*filter, trial.as_ref().map(|t| t.fork())));
        Box::new(Trials { members: members.collect() })
    }
}
