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

    /// Whether it has any of these.
    pub fn limits_nodes(&self) -> bool {
        self.node_selector.is_some() || self.node_affinity.is_some()
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
mod tests {
    use super::FEW;
    use crate::cluster::node::Taint;
    use crate::cluster::symbols::{Sym, Symbols};
    use crate::cluster::template::{TaintEffect, Template, Toleration, TolerationOperator};
    use crate::snapshot::pod as wire;

    /// Whether a toleration of key `k` with `operator` and `own` value tolerates the taint `k=taint`.
    fn tolerates(operator: TolerationOperator, own: &str, taint: &str, gate: bool) -> bool {
        let mut symbols = Symbols::default();
        let (key, own, taint) = (symbols.intern("k"), symbols.intern(own), symbols.intern(taint));
        let toleration = Toleration { key, operator, value: own, effect: None, seconds: None };
        toleration.tolerates(Some(key), taint, TaintEffect::NoSchedule, &symbols, gate)
    }

    #[test]
    fn comparisons_of_integers() {
        use TolerationOperator::{Gt, Lt};
        for (operator, own, taint, want) in [
            (Lt, "10", "9", true),
            (Lt, "10", "10", false),
            (Lt, "10", "11", false),
            (Gt, "10", "11", true),
            (Gt, "10", "10", false),
            (Gt, "10", "9", false),
            (Gt, "-5", "-4", true),
            (Lt, "0", "-1", true),
            (Lt, "9223372036854775807", "9223372036854775806", true),
        ] {
            assert_eq!(tolerates(operator, own, taint, true), want, "{taint} {operator:?} {own}");
            assert!(
                !tolerates(operator, own, taint, false),
                "without the gate: {taint} {operator:?} {own}"
            );
        }
    }

    #[test]
    fn comparisons_want_canonical_integers_on_both_sides() {
        for odd in ["", "x", "+9", "09", " 9", "9.0", "-0", "9223372036854775808"] {
            assert!(!tolerates(TolerationOperator::Lt, "10", odd, true), "taint {odd:?}");
            assert!(!tolerates(TolerationOperator::Gt, odd, "10", true), "toleration {odd:?}");
        }
    }

    #[test]
    fn a_key_that_nothing_uses_is_tolerated_by_keyless_tolerations_alone() {
        let mut symbols = Symbols::default();
        let (key, none) = (symbols.intern("k"), symbols.intern(""));
        for (own, want) in [(key, false), (none, true)] {
            let toleration = Toleration {
                key: own,
                operator: TolerationOperator::Exists,
                value: none,
                effect: None,
                seconds: None,
            };
            assert_eq!(
                toleration.tolerates(None, none, TaintEffect::NoExecute, &symbols, false),
                want
            );
        }
    }

    #[test]
    fn many_taints_are_tolerated_as_few_are() {
        use TolerationOperator::{Equal, Exists, Lt, Unknown};
        let mut symbols = Symbols::default();
        let (key, other, five, six) =
            (symbols.intern("k"), symbols.intern("o"), symbols.intern("5"), symbols.intern("6"));
        let mut template = Template::read(&wire::PodSpec::default(), &mut symbols);
        let taint = Taint { key, value: five, effect: TaintEffect::NoSchedule };
        let many: Vec<Taint> = vec![taint; FEW + 1];
        for toleration_key in [key, other, Sym::EMPTY] {
            for operator in [Equal, Exists, Lt, Unknown] {
                for value in [five, six, Sym::EMPTY] {
                    for effect in
                        [None, Some(TaintEffect::NoSchedule), Some(TaintEffect::NoExecute)]
                    {
                        let toleration = Toleration {
                            key: toleration_key,
                            operator,
                            value,
                            effect,
                            seconds: None,
                        };
                        let want = toleration.tolerates(
                            Some(key),
                            five,
                            TaintEffect::NoSchedule,
                            &symbols,
                            true,
                        );
                        template.tolerations = Box::new([toleration.clone()]);
                        assert_eq!(
                            template.untolerated(&many, &symbols, true).is_none(),
                            want,
                            "{toleration:?}"
                        );
                    }
                }
            }
        }
    }
}
