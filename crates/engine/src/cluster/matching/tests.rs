use crate::cluster::symbols::Symbols;
use crate::cluster::template::{Effect, Toleration, TolerationOperator};

/// Whether a toleration of key `k` with `operator` and `own` value tolerates the taint `k=taint`.
fn tolerates(operator: TolerationOperator, own: &str, taint: &str, gate: bool) -> bool {
    let mut symbols = Symbols::default();
    let (key, own, taint) = (symbols.intern("k"), symbols.intern(own), symbols.intern(taint));
    let toleration = Toleration { key, operator, value: own, effect: None };
    toleration.tolerates(Some(key), taint, Effect::NoSchedule, &symbols, gate)
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
        assert!(!tolerates(operator, own, taint, false), "without the gate: {taint} {operator:?} {own}");
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
        let toleration = Toleration { key: own, operator: TolerationOperator::Exists, value: none, effect: None };
        assert_eq!(toleration.tolerates(None, none, Effect::NoExecute, &symbols, false), want);
    }
}
