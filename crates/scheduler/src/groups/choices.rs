//! The choices that kube-scheduler leaves open during the cycle of a group: which of several nodes
//! with the same score a pod gets, and which of several topology domains. Each run of the cycle
//! takes one path through them; running it once per path finds every possible result.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` (1.37): nodes are filtered in parallel, and of those
//! with the best score the first that was found is taken.

use std::collections::BTreeSet;

use model::cluster::{Cluster, NodeIx, PodIx};

/// What a later part of the cycle can see of the earlier ones. Paths that reach the same state
/// continue alike, so only one of them is followed into the choices behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CycleState {
    /// How many searches have begun; there is one per topology domain, and those of preemption.
    pub search: usize,
    /// The pod to place; `None` for a choice between domains.
    pub pod: Option<PodIx>,
    /// The pods placed in this search, each represented by the first that is like it.
    pub placed: Vec<(PodIx, NodeIx)>,
    /// The last node taken, and the nodes with the scores that the next pod may share.
    pub shared: (Option<NodeIx>, Vec<(NodeIx, i64)>),
    /// What the earlier searches of a tree did; empty for a group without parents, whose searches
    /// do not see each other.
    pub earlier: Earlier,
}

/// What a group of a tree can see of the groups that were searched before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Earlier {
    /// Each placed pod, represented by the first of its search that is like it, with the number of
    /// the search; without the node where only the loss of its nomination is left to be seen.
    pub placed: Vec<(usize, PodIx, Option<NodeIx>)>,
    /// Each topology domain that was taken, by index, with the number of the last search before it.
    pub domains: Vec<(usize, usize)>,
}

impl Earlier {
    /// Forgets where the pods went: preemption places all of them anew.
    pub(super) fn forget_nodes(&mut self) {
        self.placed.iter_mut().for_each(|(.., node)| *node = None);
        self.placed.sort_unstable();
    }
}

/// A choice that a run has made.
#[derive(Debug)]
struct Choice {
    /// The option that was taken; 0 is the one that is shown.
    taken: usize,
    /// How many there are.
    options: usize,
}

/// The choices of a run, and what earlier runs have seen.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// The options to take first; behind them the first option is taken.
    path: Vec<usize>,
    made: Vec<Choice>,
    /// The states from which other options have been or will be followed.
    seen: BTreeSet<CycleState>,
    /// Whether the scheduler may do what no path has: it samples nodes.
    pub is_sampled: bool,
    /// Whether it may do so because it samples topology domains, or ranks nodes by budgets that it
    /// walks in an order that the API does not show (1.38).
    pub is_unlisted: bool,
}

impl Choices {
    /// Takes one of the options; the first path takes `shown`.
    pub(super) fn choose<T: Copy + PartialEq>(
        &mut self,
        shown: T,
        options: &[T],
        state: impl FnOnce() -> CycleState,
    ) -> T {
        if options.len() < 2 {
            return shown;
        }
        let prescribed = self.path.get(self.made.len()).copied();
        if prescribed.is_none() && !self.seen.insert(state()) {
            return shown;
        }
        let taken = prescribed.unwrap_or(0);
        self.made.push(Choice { taken, options: options.len() });
        let mut others = options.iter().filter(|option| **option != shown);
        taken.checked_sub(1).and_then(|at| others.nth(at)).copied().unwrap_or(shown)
    }

    /// Goes on to the next path; returns whether there is one.
    pub(super) fn next_path(&mut self) -> bool {
        // The last choice with an option that was not taken yet; what follows it starts anew.
        while let Some(Choice { taken, options }) = self.made.pop() {
            if taken + 1 < options {
                self.path = self.made.iter().map(|choice| choice.taken).collect();
                self.path.push(taken + 1);
                self.made.clear();
                return true;
            }
        }
        false
    }
}

/// Whether two pods of a group have the same requests, so that they may swap places.
pub(super) fn alike(a: PodIx, b: PodIx, cluster: &Cluster) -> bool {
    let what = |pod: PodIx| {
        let pod = cluster.pod(pod);
        (pod.priority, pod.template, pod.resource_requests, &pod.claims, &pod.resource_claims)
    };
    what(a) == what(b)
}

#[cfg(test)]
mod tests {
    use super::{Choices, CycleState, Earlier};
    use model::cluster::{NodeIx, PodIx};

    /// All results of placing `pods` pods on `nodes` nodes of which each takes one.
    fn results(pods: u32, nodes: u32, alike: bool) -> Vec<Vec<u32>> {
        let (mut choices, mut results) = (Choices::default(), Vec::new());
        loop {
            let mut placed: Vec<(PodIx, NodeIx)> = Vec::new();
            for pod in 0..pods {
                let free: Vec<NodeIx> = (0..nodes)
                    .map(NodeIx)
                    .filter(|node| placed.iter().all(|(_, taken)| taken != node))
                    .collect();
                let taken = choices.choose(free[0], &free, || CycleState {
                    search: 1,
                    pod: Some(PodIx(pod)),
                    placed: {
                        let mut placed = placed.clone();
                        placed.sort_unstable();
                        placed
                    },
                    shared: (None, Vec::new()),
                    earlier: Earlier::default(),
                });
                placed.push((PodIx(if alike { 0 } else { pod }), taken));
            }
            results.push(placed.iter().map(|(_, node)| node.0).collect());
            if !choices.next_path() {
                return results;
            }
        }
    }

    #[test]
    fn paths_lead_to_every_result() {
        assert_eq!(results(1, 3, false), [[0], [1], [2]]);
        assert_eq!(results(2, 3, false), [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
        assert_eq!(results(0, 3, false), [[]] as [[u32; 0]; 1]);
    }

    #[test]
    fn paths_that_meet_are_followed_once() {
        let mut sets: Vec<Vec<u32>> = results(3, 6, true);
        let runs = sets.len();
        sets.iter_mut().for_each(|set| set.sort_unstable());
        sets.sort();
        sets.dedup();
        assert_eq!(sets.len(), 20, "every set of 3 of 6 nodes");
        assert!(runs < 6 * 5 * 4, "{runs} runs");
    }
}
