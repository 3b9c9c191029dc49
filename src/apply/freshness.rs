//! Whether a list is as new as what was seen before. An API server behind others may lag; a decision on what it lists
//! would be about a cluster that is no more.
//!
//! Resource versions are numbers that can be compared within one kind (KEP-5504); where they are none, nothing is compared.

use std::collections::BTreeMap;

/// The newest version seen of each kind, by plural resource.
#[derive(Debug, Clone, Default)]
pub(super) struct Freshness(BTreeMap<String, u64>);

impl Freshness {
    /// Something of `resource` was seen at `version`.
    pub(super) fn saw(&mut self, resource: &str, version: &str) {
        let Ok(version) = version.parse::<u64>() else { return };
        let newest = self.0.entry(resource.to_owned()).or_default();
        *newest = version.max(*newest);
    }

    /// The resources of which `versions` are older than what was seen.
    pub(super) fn older<'v>(&self, versions: &'v BTreeMap<String, String>) -> Vec<&'v str> {
        let is_older =
            |(resource, version): &(&'v String, &String)| match (self.0.get(*resource), version.parse::<u64>()) {
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
        let versions =
            |pods: &str| BTreeMap::from([("pods".to_owned(), pods.to_owned()), ("nodes".into(), "1".into())]);
        assert_eq!(seen.older(&versions("9")), ["pods"]);
        assert_eq!(seen.older(&versions("10")), [""; 0]);
        assert_eq!(seen.older(&versions("y")), [""; 0]);
    }
}
