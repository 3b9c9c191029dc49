//! The two domains with the fewest matching pods, as far as the scheduler keeps track of them.
//!
//! Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go` `criticalPaths` (1.37).

use crate::cluster::symbols::Sym;

/// Matching pods of a domain that is not known yet.
const UNKNOWN: i64 = i32::MAX as i64;

/// Two domains and how many matching pods each has, the one with fewer first.
///
/// Parity: of the other domains nothing is kept. Once pods came to both of these, another domain may have fewer, and the
/// scheduler does not notice. That takes changes in two domains, so it takes pods on several nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct CriticalPaths([(Sym, i64); 2]);

impl Default for CriticalPaths {
    fn default() -> Self {
        Self([(Sym::EMPTY, UNKNOWN); 2])
    }
}

impl CriticalPaths {
    /// The fewest matching pods.
    pub(super) const fn minimum(&self) -> i64 {
        self.0[0].1
    }

    /// Takes note of how many matching pods a domain has now.
    pub(super) fn update(&mut self, domain: Sym, count: i64) {
        let [first, second] = &mut self.0;
        if domain == first.0 {
            first.1 = count;
        } else if domain == second.0 {
            second.1 = count;
        } else if count < first.1 {
            (*second, *first) = (*first, (domain, count));
        } else if count < second.1 {
            *second = (domain, count);
        }
        if first.1 > second.1 {
            std::mem::swap(first, second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CriticalPaths;
    use crate::cluster::symbols::Symbols;

    #[test]
    fn a_third_domain_is_forgotten() {
        let mut symbols = Symbols::default();
        let mut paths = CriticalPaths::default();
        let domains = ["a", "b", "c"].map(|name| symbols.intern(name));
        for (domain, count) in domains.into_iter().zip([3, 1, 2]) {
            paths.update(domain, count);
        }
        assert_eq!(paths.minimum(), 1, "of b");
        paths.update(domains[1], 5);
        assert_eq!(paths.minimum(), 2, "of c");
        paths.update(domains[2], 7);
        assert_eq!(paths.minimum(), 5, "of b, though a has 3");
        paths.update(domains[0], 2);
        assert_eq!(paths.minimum(), 2, "of a, now that it changed");
    }
}
