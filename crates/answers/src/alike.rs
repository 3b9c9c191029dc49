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
}

impl<'v> Alike<'v> {
    /// Takes the explanation of a pod that is like this one, and adapts it to this pod. It still
    /// has what other programs wrote about the other pod.
    pub(crate) fn take(&mut self, pod: PodIx) -> Option<Explanation<'v>> {
        let at = self.known.iter_mut().position(|known| known.decision.passes_on_to(pod))?;
        self.known.remove(at)
    }

    /// Keeps an explanation for further pods.
    pub(crate) fn keep(&mut self, explanation: Explanation<'v>) -> Option<&Explanation<'v>> {
        self.known.push_front(explanation);
        self.known.truncate(MOST);
        self.known.front()
    }
}
