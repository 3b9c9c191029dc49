//! Pods that are alike are decided once.

use std::collections::{BTreeMap, VecDeque};

use crate::pod_report::PodReport;
use engine::cluster::Cluster;
use engine::cluster::pod::{Pod, PodIx};
use engine::cluster::symbols::{PoolIx, Sym};

/// Maximum number of cached explanations; each has a verdict about every node.
const MOST: usize = 32;

/// A cache of the latest explanations, for pods that are alike and come later in a list.
pub(crate) struct Alike<'v> {
    /// The pods of the list that have no answer yet, by what pods that are alike have in common.
    later: BTreeMap<Common, usize>,
    known: VecDeque<PodReport<'v>>,
}

/// What pods that are alike have in common, besides what few pods have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Common {
    namespace: Sym,
    labels: PoolIx,
    template: PoolIx,
    resource_requests: PoolIx,
    priority: i32,
}

impl Common {
    const fn of(pod: &Pod) -> Self {
        let Pod { namespace, labels, template, resource_requests, priority, .. } = *pod;
        Self { namespace, labels, template, resource_requests, priority }
    }
}

impl<'v> Alike<'v> {
    /// Nothing is known of the pods of a list.
    pub(crate) fn new(pods: &[PodIx], cluster: &Cluster) -> Self {
        let mut later = BTreeMap::new();
        for pod in pods {
            *later.entry(Common::of(cluster.pod(*pod))).or_default() += 1;
        }
        Self { later, known: VecDeque::new() }
    }

    /// Begins with a pod of the list. Returns whether later ones may need what is found out about
    /// it.
    pub(crate) fn begin(&mut self, pod: PodIx, cluster: &Cluster) -> bool {
        let Some(later) = self.later.get_mut(&Common::of(cluster.pod(pod))) else {
            return false;
        };
        *later = later.saturating_sub(1);
        *later > 0
    }

    /// Takes the explanation of a pod that is like this one, and adapts it to this pod. It still
    /// has what other programs wrote about the other pod.
    pub(crate) fn take(&mut self, pod: PodIx) -> Option<PodReport<'v>> {
        let at =
            self.known.iter_mut().position(|known| known.explanation.decision.passes_on_to(pod))?;
        self.known.remove(at)
    }

    /// Keeps an explanation for further pods. Returns those that are not kept any more.
    pub(crate) fn keep(&mut self, report: PodReport<'v>) -> Vec<PodReport<'v>> {
        self.known.push_front(report);
        self.known.drain(MOST.min(self.known.len())..).collect()
    }
}
