//! Decisions about pods that differ, which all threads make at once, ahead of the list.

use std::collections::VecDeque;

use rayon::prelude::*;

use crate::alike::Alike;
use crate::input::LoadedInput;
use engine::cluster::pod::PodIx;
use engine::decision::Explanation;
use engine::framework::cluster_view::ClusterView;

/// How many verdicts about nodes are made ahead of the pod that the list has come to.
const VERDICTS_AHEAD: usize = 40_000;
/// Among how many pods of the list those are looked for that differ from it.
const LOOKED_AHEAD: usize = 256;

/// Makes the explanation of a pod, whatever is known of others.
pub(crate) type Make<'m, 'v> = &'m (dyn Fn(PodIx) -> Option<Explanation<'v>> + Sync);

/// The explanations that are made and not taken yet: at most one for each thread.
pub(crate) struct Ahead<'i, 'v> {
    input: &'i LoadedInput,
    views: &'v [ClusterView<'v>],
    /// How many are made at once.
    number: usize,
    made: Vec<Explanation<'v>>,
}

impl<'i, 'v> Ahead<'i, 'v> {
    pub(crate) fn new(input: &'i LoadedInput, views: &'v [ClusterView<'v>]) -> Self {
        let affordable = VERDICTS_AHEAD / input.cluster.nodes.len().max(1);
        let number = rayon::current_num_threads().min(affordable);
        Self { input, views, number, made: Vec::new() }
    }

    /// The explanation of a pod. If it is not made, it is made together with those of pods that
    /// come later and are not alike; `None` where they are made one by one.
    pub(crate) fn take(
        &mut self,
        pod: PodIx,
        waiting: &VecDeque<PodIx>,
        alike: &mut Alike<'v>,
        make: Make<'_, 'v>,
    ) -> Option<Explanation<'v>> {
        if self.number < 2 {
            drop(alike.take_spent());
            return None;
        }
        if !self.made.iter().any(|made| made.pod == pod) {
            let spent = alike.take_spent();
            let pods = self.choose(pod, waiting, alike);
            if pods.len() < 2 {
                return None;
            }
            let (made, ()): (Vec<Explanation>, ()) = rayon::join(
                || pods.par_iter().filter_map(|pod| make(*pod)).collect(),
                || spent.into_par_iter().for_each(drop),
            );
            self.made.extend(made);
        }
        let at = self.made.iter().position(|made| made.pod == pod)?;
        Some(self.made.swap_remove(at))
    }

    /// This pod and the next ones that no known decision, nor one of another of these, may be
    /// about.
    fn choose(&self, first: PodIx, waiting: &VecDeque<PodIx>, alike: &Alike) -> Vec<PodIx> {
        let cluster = &self.input.cluster;
        let mut pods = Vec::with_capacity(self.number);
        for pod in std::iter::once(first).chain(waiting.iter().copied().take(LOOKED_AHEAD)) {
            let Some(view) = self.views.get(self.input.view_of(pod)) else { continue };
            // An extender is asked about one pod after the other, and a group is decided once.
            let is_apart = view.extender_client.is_none()
                && cluster.template(cluster.pod(pod)).group.is_empty();
            let mut chosen = pods.iter().map(|chosen: &PodIx| cluster.pod(*chosen));
            let differs = !chosen.any(|chosen| chosen.can_stand_for(cluster.pod(pod)));
            let is_made = self.made.iter().any(|made| made.pod == pod);
            if is_apart && differs && !is_made && !alike.may_have(pod) {
                pods.push(pod);
            } else if pod == first {
                return pods;
            }
            if pods.len() == self.number {
                break;
            }
        }
        pods
    }
}
