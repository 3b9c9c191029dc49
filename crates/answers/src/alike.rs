//! Pods that are alike are decided once.

use std::collections::VecDeque;

use engine::cluster::pod::PodIx;
use engine::decision::Explanation;

/// Maximum number of cached explanations; each has a verdict about every node.
const MOST: usize = 32;

/// A cache of the latest explanations, for pods that are alike.
#[derive(Default)]
pub(crate) struct Alike<'v> {
    known: VecDeque<Explanation<'v>>,
    /// Those that are not kept any more.
    spent: Vec<Explanation<'v>>,
}

impl<'v> Alike<'v> {
    /// Takes the explanation of a pod that is like this one, and adapts it to this pod. It still
    /// has what other programs wrote about the other pod.
    pub(crate) fn take(&mut self, pod: PodIx) -> Option<Explanation<'v>> {
        let at = self.known.iter_mut().position(|known| known.decision.passes_on_to(pod))?;
        self.known.remove(at)
    }

    /// Whether a pod is like one of those that are known, as far as the pods alone tell.
    pub(crate) fn may_have(&self, pod: PodIx) -> bool {
        self.known.iter().any(|known| {
            let cluster = known.view.cluster;
            cluster.pod(known.pod).can_stand_for(cluster.pod(pod))
        })
    }

    /// Keeps an explanation for further pods.
    pub(crate) fn keep(&mut self, explanation: Explanation<'v>) -> Option<&Explanation<'v>> {
        self.known.push_front(explanation);
        self.spent.extend(self.known.drain(MOST.min(self.known.len())..));
        self.known.front()
    }

    /// The explanations that are not kept any more. To drop one takes a while.
    pub(crate) fn take_spent(&mut self) -> Vec<Explanation<'v>> {
        std::mem::take(&mut self.spent)
    }
}
