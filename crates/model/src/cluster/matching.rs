//! Node selectors and tolerations of a pod, which several plugins match against nodes.
//!
//! Upstream: `api/core/v1/toleration.go`, `component-helpers/scheduling/corev1` (1.37).

use indexmap::IndexSet;

use super::node::Taint;
use super::node_selector::{NodeFacts, has_all};
use super::symbols::{Sym, Symbols};
use super::template::{TaintEffect, Template, Toleration, TolerationOperator};

/// Up to this many taints are compared with all tolerations; nodes have fewer.
const FEW: usize = 32;

impl Template {
    /// Whether `nodeSelector` and required node affinity select the node.
    pub fn selects(&self, node: NodeFacts, symbols: &Symbols) -> bool {
        self.node_selector.as_ref().is_none_or(|pairs| has_all(node.labels, pairs))
            && self
                .node_affinity
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|t| t.matches(node, symbols)))
    }

    /// The first taint with effect `NoSchedule` or `NoExecute` that the pod does not tolerate.
    /// `comparison`: whether the operators Lt and Gt are enabled.
    pub fn untolerated<'t>(
        &self,
        taints: &'t [Taint],
        symbols: &Symbols,
        comparison: bool,
    ) -> Option<&'t Taint> {
        // Comparing every taint with every toleration takes quadratic time, which only matters for
        // hostile objects. For those, the tolerations that compare for equality are looked up.
        let index = (taints.len() > FEW).then(|| TolerationIndex::new(&self.tolerations));
        for taint in taints {
            if !taint.repels() {
                continue;
            }
            let is_tolerated = match &index {
                Some(index) => index.tolerates(taint, symbols, comparison),
                None => self.tolerates(taint, symbols, comparison),
            };
            if !is_tolerated {
                return Some(taint);
            }
        }
        None
    }

    /// Whether any toleration tolerates the taint.
    pub fn tolerates(&self, taint: &Taint, symbols: &Symbols, comparison: bool) -> bool {
        self.tolerations
            .iter()
            .any(|t| t.tolerates(Some(taint.key), taint.value, taint.effect, symbols, comparison))
    }
}

/// The tolerations of a pod, those that compare for equality by what they compare.
struct TolerationIndex<'p> {
    known: IndexSet<ToleratedTaint, foldhash::fast::RandomState>,
    /// Those that compare numbers.
    compared: Vec<&'p Toleration>,
}

/// The operands of a toleration: an empty key matches any key, an absent effect or value any effect
/// or value.
#[derive(PartialEq, Eq, Hash)]
struct ToleratedTaint {
    key: Sym,
    effect: Option<TaintEffect>,
    value: Option<Sym>,
}

impl<'p> TolerationIndex<'p> {
    fn new(tolerations: &'p [Toleration]) -> Self {
        let mut index = Self { known: IndexSet::default(), compared: Vec::new() };
        for toleration in tolerations {
            let Toleration { key, effect, .. } = *toleration;
            let value = match toleration.operator {
                TolerationOperator::Equal => Some(toleration.value),
                TolerationOperator::Exists => None,
                TolerationOperator::Lt | TolerationOperator::Gt | TolerationOperator::Unknown => {
                    index.compared.push(toleration);
                    continue;
                }
            };
            index.known.insert(ToleratedTaint { key, effect, value });
        }
        index
    }

    fn tolerates(&self, taint: &Taint, symbols: &Symbols, comparison: bool) -> bool {
        for key in [taint.key, Sym::EMPTY] {
            for effect in [None, Some(taint.effect)] {
                for value in [None, Some(taint.value)] {
                    if self.known.contains(&ToleratedTaint { key, effect, value }) {
                        return true;
                    }
                }
            }
        }
        self.compared
            .iter()
            .any(|t| t.tolerates(Some(taint.key), taint.value, taint.effect, symbols, comparison))
    }
}

impl Toleration {
    /// Whether it tolerates a taint; `key` is `None` for a key that no object of the cluster uses.
    pub fn tolerates(
        &self,
        key: Option<Sym>,
        value: Sym,
        effect: TaintEffect,
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
