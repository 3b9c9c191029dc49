use super::FEW;
use crate::cluster::node::Taint;
use crate::cluster::symbols::{Sym, Symbols};
use crate::cluster::template::{TaintEffect, Template, Toleration, TolerationOperator};
use crate::snapshot::pod as wire;

/// Whether a toleration of key `k` with `operator` and `own` value tolerates the taint `k=taint`.
fn tolerates(operator: TolerationOperator, own: &str, taint: &str, gate: bool) -> bool {
    let mut symbols = Symbols::default();
    let (key, own, taint) = (symbols.intern("k"), symbols.intern(own), symbols.intern(taint));
    let toleration = Toleration { key, operator, value: own, effect: None };
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
        };
        assert_eq!(toleration.tolerates(None, none, TaintEffect::NoExecute, &symbols, false), want);
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
                for effect in [None, Some(TaintEffect::NoSchedule), Some(TaintEffect::NoExecute)] {
                    let toleration = Toleration { key: toleration_key, operator, value, effect };
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
