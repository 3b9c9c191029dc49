//! Node selectors and tolerations of a pod, which several plugins match against nodes.
//!
//! Upstream: `api/core/v1/toleration.go`, `component-helpers/scheduling/corev1` (1.37).

use indexmap::IndexSet;

use super::node::Taint;
use super::node_selector::{NodeFacts, has_all};
use super::symbols::{Sym, Symbols};
use super::template::{Effect, Template, Toleration, TolerationOperator};

/// Up to this many taints are compared with all tolerations; nodes have fewer.
const FEW: usize = 32;

impl Template {
    /// Whether `nodeSelector` and required node affinity select the node.
    #[must_use]
    pub fn selects(&self, node: NodeFacts, symbols: &Symbols) -> bool {
        self.node_selector.as_ref().is_none_or(|pairs| has_all(node.labels, pairs))
            && self
                .node_affinity
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|t| t.matches(node, symbols)))
    }

    /// The first taint with effect `NoSchedule` or `NoExecute` that the pod does not tolerate.
    /// `comparison`: whether the operators Lt and Gt are enabled.
    #[must_use]
    pub fn untolerated<'t>(
        &self,
        taints: &'t [Taint],
        symbols: &Symbols,
        comparison: bool,
    ) -> Option<&'t Taint> {
        if taints.len() <= FEW {
            return taints
                .iter()
                .filter(|t| t.repels())
                .find(|taint| !self.tolerates(taint, symbols, comparison));
        }
        // Comparing every taint with every toleration would take quadratic time.
        let plain = |t: &&Toleration| {
            matches!(t.operator, TolerationOperator::Equal | TolerationOperator::Exists)
        };
        let (plain, compared): (Vec<&Toleration>, Vec<_>) =
            self.tolerations.iter().partition(plain);
        let known: IndexSet<_, foldhash::fast::RandomState> = plain
            .into_iter()
            .map(|t| {
                (t.key, t.effect, (t.operator == TolerationOperator::Equal).then_some(t.value))
            })
            .collect();
        let tolerated = |taint: &Taint| {
            [taint.key, Sym::EMPTY].into_iter().any(|key| {
                let effects = [None, Some(taint.effect)];
                effects.into_iter().any(|e| {
                    [None, Some(taint.value)].into_iter().any(|v| known.contains(&(key, e, v)))
                })
            }) || compared.iter().any(|t| {
                t.tolerates(Some(taint.key), taint.value, taint.effect, symbols, comparison)
            })
        };
        taints.iter().filter(|t| t.repels()).find(|taint| !tolerated(taint))
    }

    /// Whether any toleration tolerates the taint.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint, symbols: &Symbols, comparison: bool) -> bool {
        let by = |t: &Toleration| {
            t.tolerates(Some(taint.key), taint.value, taint.effect, symbols, comparison)
        };
        self.tolerations.iter().any(by)
    }
}

impl Toleration {
    /// Whether it tolerates a taint; `key` is `None` for a key that no object of the cluster uses.
    #[must_use]
    pub fn tolerates(
        &self,
        key: Option<Sym>,
        value: Sym,
        effect: Effect,
        symbols: &Symbols,
        comparison: bool,
    ) -> bool {
        if self.effect.is_some_and(|e| e != effect)
            || (!self.key.is_empty() && Some(self.key) != key)
        {
            return false;
        }
        let numbers = || {
            comparison
                .then(|| Some((integer(symbols.text(value))?, integer(symbols.text(self.value))?)))
        };
        match self.operator {
            TolerationOperator::Equal => self.value == value,
            TolerationOperator::Exists => true,
            TolerationOperator::Lt => numbers().flatten().is_some_and(|(taint, own)| taint < own),
            TolerationOperator::Gt => numbers().flatten().is_some_and(|(taint, own)| taint > own),
            TolerationOperator::Unknown => false,
        }
    }
}

/// A canonical decimal integer: no plus sign, no leading zeros.
fn integer(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests;
