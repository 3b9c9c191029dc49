//! Whether a list is at least as new as everything read before. With several API servers, one may
//! lag behind, and a decision on its lists would be about an earlier state of the cluster.
//!
//! Resource versions are numbers that are comparable within one resource (KEP-5504). Versions that
//! are not numbers are not compared.

use std::collections::BTreeMap;

/// The newest version that was read, by plural resource.
#[derive(Debug, Clone, Default)]
pub(super) struct Freshness(BTreeMap<String, u64>);

impl Freshness {
    /// Records that `resource` was read at `version`.
    pub(super) fn saw(&mut self, resource: &str, version: &str) {
        let Ok(version) = version.parse::<u64>() else { return };
        let newest = self.0.entry(resource.to_owned()).or_default();
        *newest = version.max(*newest);
    }

    /// The resources whose `versions` are older than an earlier read.
    pub(super) fn older<'v>(&self, versions: &'v BTreeMap<String, String>) -> Vec<&'v str> {
        let is_older = |(resource, version): &(&'v String, &String)| match (
            self.0.get(*resource),
            version.parse::<u64>(),
        ) {
            (Some(newest), Ok(version)) => version < *newest,
            (None, _) | (_, Err(_)) => false,
        };
        versions.iter().filter(is_older).map(|(resource, _)| resource.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_older_is_stale() {
        let mut seen = Freshness::default();
        seen.saw("pods", "10");
        seen.saw("pods", "7");
        seen.saw("nodes", "x");
        let versions = |pods: &str| {
            BTreeMap::from([("pods".to_owned(), pods.to_owned()), ("nodes".into(), "1".into())])
        };
        assert_eq!(seen.older(&versions("9")), ["pods"]);
        assert_eq!(seen.older(&versions("10")), [""; 0]);
        assert_eq!(seen.older(&versions("y")), [""; 0]);
    }
}
