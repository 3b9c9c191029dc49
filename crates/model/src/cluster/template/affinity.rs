//! Whether a template has pod affinity.

use super::{AffinityTerm, Template};
use crate::cluster::selector::issues::SelectorIssues;

impl Template {
    /// Whether it has terms of pod affinity or anti-affinity, required or preferred.
    pub fn has_affinity(&self) -> bool {
        let any = |terms: &Result<Box<[AffinityTerm]>, SelectorIssues>| {
            terms.as_ref().is_ok_and(|terms| !terms.is_empty())
        };
        let preferred = [&self.preferred_affinity, &self.preferred_anti_affinity];
        any(&self.affinity)
            || any(&self.anti_affinity)
            || preferred.iter().any(|t| t.as_ref().is_ok_and(|t| !t.is_empty()))
    }

    /// Whether it has such terms, or some that cannot be parsed.
    pub fn may_have_affinity(&self) -> bool {
        let required = [&self.affinity, &self.anti_affinity];
        let preferred = [&self.preferred_affinity, &self.preferred_anti_affinity];
        required.iter().any(|terms| terms.as_ref().map_or(true, |terms| !terms.is_empty()))
            || preferred.iter().any(|terms| terms.as_ref().map_or(true, |terms| !terms.is_empty()))
    }

    pub fn requires_anti_affinity(&self) -> bool {
        self.anti_affinity.as_ref().is_ok_and(|terms| !terms.is_empty())
    }
}
