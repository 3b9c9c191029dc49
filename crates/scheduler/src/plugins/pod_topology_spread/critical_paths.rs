//! The two domains with the fewest matching pods, as far as the scheduler tracks them.
//!
//! Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go` `criticalPaths`
//! (1.37).

use smallvec::{SmallVec, smallvec};

use super::{Changes, Counted};
use crate::framework::operands::{ClosedBy, ClosedNode, EmptiestDomain, Fewest};
use crate::framework::plugin::Cycle;
use model::cluster::{NodeIx, Sym};

/// The count of a domain that is not known yet.
const UNKNOWN: i64 = i32::MAX as i64;

/// How many pairs of domains are followed. With more it is unknown what the scheduler finds.
const MOST_PAIRS: usize = 64;

/// A domain and its number of matching pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Path {
    /// The domain; `None` for any of those that have had equally few pods from the start.
    domain: Option<Sym>,
    count: i64,
}

/// Two domains, the one with fewer pods first.
type Pair = [Path; 2];

/// Two domains and the number of matching pods in each.
///
/// Parity: nothing is kept about the other domains. Once pods were added to both of these, another
/// domain may have fewer without the scheduler noticing. That takes changes in two domains, and so
/// pods on several nodes. If several domains start with equally few pods, the order of a map
/// decides which two are kept: every pair is followed.
#[derive(Debug, Clone)]
pub(super) struct CriticalPaths {
    /// Pairs that may be kept, without duplicates.
    pairs: SmallVec<[Pair; 4]>,
    /// How many domains that started with the fewest pods have not changed since.
    unchanged: usize,
    /// How many matching pods these have.
    fewest: i64,
    /// Whether some pairs are not followed.
    incomplete: bool,
}

impl CriticalPaths {
    /// For domains with these numbers of matching pods.
    pub(super) fn of(counts: impl Iterator<Item = (Sym, i64)> + Clone) -> Self {
        let unknown = Path { domain: Some(Sym::EMPTY), count: UNKNOWN };
        let mut pair = [unknown; 2];
        for (domain, count) in counts.clone() {
            update(&mut pair, domain, count);
        }
        let fewest = pair[1].count;
        let unchanged = counts.filter(|(_, count)| *count == fewest).count();
        if unchanged > 1 {
            pair.iter_mut().filter(|path| path.count == fewest).for_each(|path| path.domain = None);
        }
        Self { pairs: smallvec![pair], unchanged, fewest, incomplete: false }
    }

    /// The minimum number of matching pods.
    pub(super) fn minimum(&self) -> i64 {
        self.pairs.first().map_or(UNKNOWN, |[first, _]| first.count)
    }

    /// Every number that the scheduler may take for the minimum; `None` if unknown.
    pub(super) fn minima(&self) -> Option<impl Iterator<Item = i64>> {
        (!self.incomplete).then(|| self.pairs.iter().map(|[first, _]| first.count))
    }

    /// Records how many matching pods a domain has now. If this is its first change, `before` is
    /// its previous number.
    pub(super) fn update(&mut self, domain: Sym, count: i64, before: Option<i64>) {
        if before == Some(self.fewest) && self.has_any_of_several() {
            self.name(domain);
        }
        for pair in &mut self.pairs {
            update(pair, domain, count);
        }
        if self.pairs.len() > 1 {
            self.forget_doubles();
        }
    }

    fn has_any_of_several(&self) -> bool {
        self.pairs.iter().flatten().any(|path| path.domain.is_none())
    }

    /// A domain that had as few pods as others changes: it may or may not be one of a pair.
    fn name(&mut self, domain: Sym) {
        self.unchanged = self.unchanged.saturating_sub(1);
        let mut pairs = SmallVec::new();
        for pair in &self.pairs {
            let any = |at: &usize| pair.get(*at).is_some_and(|path| path.domain.is_none());
            if (0..2).filter(any).count() <= self.unchanged {
                pairs.push(*pair);
            }
            for at in (0..2).filter(any) {
                let mut named = *pair;
                if let Some(path) = named.get_mut(at) {
                    path.domain = Some(domain);
                }
                pairs.push(named);
            }
        }
        self.pairs = pairs;
    }

    fn forget_doubles(&mut self) {
        let mut kept: SmallVec<[Pair; 4]> = SmallVec::new();
        for pair in &self.pairs {
            if !kept.contains(pair) {
                kept.push(*pair);
            }
        }
        self.incomplete |= kept.len() > MOST_PAIRS;
        kept.truncate(MOST_PAIRS);
        self.pairs = kept;
    }
}

fn update([first, second]: &mut Pair, domain: Sym, count: i64) {
    let changed = Path { domain: Some(domain), count };
    if first.domain == changed.domain {
        first.count = count;
    } else if second.domain == changed.domain {
        second.count = count;
    } else if count < first.count {
        (*second, *first) = (*first, changed);
    } else if count < second.count {
        *second = changed;
    }
    if first.count > second.count {
        std::mem::swap(first, second);
    }
}

/// Where the minimum comes from; `None` if changes leave open which domain has it.
pub(super) fn fewest(counted: &Counted, changes: &Changes, cycle: &Cycle) -> Option<Fewest> {
    if !counted.has_enough_domains(changes) {
        let (domains, min_domains) = (counted.domains(changes), counted.constraint.min_domains);
        return Some(Fewest::TooFewDomains { domains, min_domains });
    }
    let before = (*counted.emptiest.get_or_init(|| emptiest(counted, cycle)))?;
    if changes.by.is_empty() || counted.count(before.domain, changes) == counted.minimum(changes) {
        return Some(Fewest::Domain(before));
    }
    None
}

/// The domain with the fewest matching pods before anything changes.
fn emptiest(counted: &Counted, cycle: &Cycle) -> Option<EmptiestDomain> {
    let least = *counted.counts.values().min()?;
    let mut domains =
        counted.counts.iter().filter(|(_, count)| **count == least).map(|(domain, _)| *domain);
    let domain = domains.next()?;
    Some(EmptiestDomain { domain, others: domains.count(), closed: closed(domain, counted, cycle) })
}

/// The first node of a domain and what keeps the pod off it, if the pod can go to no node that
/// makes the domain count.
fn closed(domain: Sym, counted: &Counted, cycle: &Cycle) -> Option<ClosedNode> {
    let constraint = &counted.constraint;
    let mut first = None;
    for info in cycle.view.infos() {
        let is_of_domain =
            cycle.view.node_label(info.node, constraint.topology_key) == Some(domain);
        if is_of_domain && constraint.includes(cycle, info.node) {
            let by = closed_by(info.node, cycle)?;
            first.get_or_insert(ClosedNode { node: info.node, by });
        }
    }
    first
}

/// What keeps the pod off a node, as far as labels and taints do.
fn closed_by(node: NodeIx, cycle: &Cycle) -> Option<ClosedBy> {
    let cluster = cycle.cluster();
    let (node, template) = (cluster.node(node), cycle.template);
    if !template.selects(cluster.node_facts(node), &cluster.symbols) {
        return Some(ClosedBy::Labels);
    }
    let comparison = cycle.features().tolerations.toleration_comparison;
    let taint = template.untolerated(&node.taints, &cluster.symbols, comparison);
    let by_taint = taint.map(|taint| ClosedBy::Taint {
        key: taint.key,
        value: taint.value,
        effect: taint.effect,
    });
    by_taint
        .or_else(|| (node.unschedulable && !cycle.tolerates_cordons()).then_some(ClosedBy::Cordon))
}

#[cfg(test)]
mod tests {
    use super::CriticalPaths;
    use model::cluster::Sym;
    use model::cluster::symbols::Symbols;

    fn domains<const N: usize>(names: [&str; N]) -> [Sym; N] {
        let mut symbols = Symbols::default();
        names.map(|name| symbols.intern(name))
    }

    #[test]
    fn a_third_domain_is_forgotten() {
        let [a, b, c] = domains(["a", "b", "c"]);
        let mut paths = CriticalPaths::of([(a, 3), (b, 1), (c, 2)].into_iter());
        assert_eq!(paths.minimum(), 1, "of b");
        paths.update(b, 5, Some(1));
        assert_eq!(paths.minimum(), 2, "of c");
        paths.update(c, 7, Some(2));
        assert_eq!(paths.minimum(), 5, "of b, though a has 3");
        paths.update(a, 2, Some(3));
        assert_eq!(paths.minimum(), 2, "of a, now that it changed");
    }

    #[test]
    fn of_domains_with_as_few_pods_any_two_are_kept() {
        let [a, b, c] = domains(["a", "b", "c"]);
        let minima = |changes: &[(Sym, i64, Option<i64>)], of: &[(Sym, i64)]| {
            let mut paths = CriticalPaths::of(of.iter().copied());
            changes
                .iter()
                .for_each(|(domain, count, before)| paths.update(*domain, *count, *before));
            let mut minima: Vec<i64> = paths.minima().into_iter().flatten().collect();
            minima.sort_unstable();
            minima.dedup();
            minima
        };
        let empty = [(a, 0), (b, 0), (c, 0)];
        assert_eq!(minima(&[], &empty), [0]);
        assert_eq!(minima(&[(a, 2, Some(0))], &empty), [0], "of b or c, or both");
        assert_eq!(
            minima(&[(a, 2, Some(0)), (b, 2, Some(0))], &empty),
            [0, 2],
            "a and b may be all that is kept"
        );
        assert_eq!(
            minima(&[(a, 2, Some(0)), (b, 2, Some(0)), (c, 1, Some(0))], &empty),
            [1],
            "c changed as well"
        );
        assert_eq!(
            minima(&[(a, -1, Some(0)), (a, 0, None)], &empty),
            [0],
            "changes in one domain are always noticed"
        );
        let of_two = [(a, 0), (b, 1), (c, 1)];
        assert_eq!(minima(&[(a, 3, Some(0)), (b, 3, Some(1))], &of_two), [1, 3]);
        assert_eq!(
            minima(&[(a, 3, Some(0)), (b, 3, Some(1))], &[(a, 0), (b, 1)]),
            [3],
            "there are no others"
        );
    }
}
