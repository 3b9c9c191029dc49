//! Counts of pods by topology domain, and how AddPod and RemovePod change them.

use indexmap::IndexMap;
use smallvec::SmallVec;

use model::cluster::{PodIx, Sym};

/// A topology domain: label key and value.
pub(super) type Domain = (Sym, Sym);

/// Matching pods by domain.
#[derive(Default)]
pub(super) struct Domains {
    pub(super) pods: IndexMap<Domain, Vec<PodIx>, foldhash::fast::RandomState>,
}

impl Domains {
    pub(super) fn count(&self, domain: Domain) -> i64 {
        self.pods.get(&domain).map_or(0, |pods| i64::try_from(pods.len()).unwrap_or(i64::MAX))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }
}

/// Which of the three maps a pod counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Affinity,
    Anti,
    Existing,
}

/// The differences that AddPod and RemovePod made to PreFilter's counts.
#[derive(Default, Clone)]
pub(super) struct Changes {
    by: SmallVec<[(Side, Domain, i64); 4]>,
    pub(super) removed: Vec<PodIx>,
    pub(super) added: Vec<PodIx>,
    /// Pods that were added, whether or not PreFilter counted them.
    pub(super) came: Vec<PodIx>,
}

impl Changes {
    pub(super) fn of(&self, side: Side, domain: Domain) -> i64 {
        self.by.iter().filter(|(s, d, _)| *s == side && *d == domain).map(|(.., by)| by).sum()
    }

    pub(super) fn count(&mut self, side: Side, domain: Domain, by: i64) {
        match self.by.iter_mut().find(|(s, d, _)| *s == side && *d == domain) {
            Some((.., sum)) => *sum += by,
            None => self.by.push((side, domain, by)),
        }
    }

    /// Whether no domain has a matching pod left.
    pub(super) fn leaves_none(&self, domains: &Domains, side: Side) -> bool {
        let mut emptied = 0;
        for (_, domain, by) in self.by.iter().filter(|(changed, ..)| *changed == side) {
            let before = domains.count(*domain);
            match (before, before + by) {
                (0, 0) => {}
                // A pod was added to a domain that had none.
                (0, _) => return false,
                (_, 0) => emptied += 1,
                (_, _) => {}
            }
        }
        emptied == domains.pods.len()
    }

    pub(super) fn first_left(&self, domains: &Domains, side: Side, at: Domain) -> Option<PodIx> {
        let before = domains.pods.get(&at).into_iter().flatten();
        let left = before.copied().find(|pod| !self.removed.contains(pod));
        left.or_else(|| self.added.first().copied().filter(|_| self.of(side, at) > 0))
    }
}
