use super::{Quantity, QuantityError};
use proptest::prelude::*;

fn q(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn value_rounds_away_from_zero() {
    for (text, value, milli) in [
        ("0", 0, 0),
        ("1", 1, 1000),
        ("1.5", 2, 1500),
        ("100.4m", 1, 101),
        ("0.1m", 1, 1),
        ("-1.5", -2, -1500),
        ("0.5Gi", 536_870_912, 536_870_912_000),
        ("1.1Ki", 1127, 1_126_400),
        ("1e3", 1000, 1_000_000),
        ("1E3", 1000, 1_000_000),
        ("1E", 1_000_000_000_000_000_000, 0),
        ("2k", 2000, 2_000_000),
        ("1n", 1, 1),
        ("0.1n", 1, 1),
        ("7u", 1, 1),
        ("1e-3", 1, 1),
        ("12E-3", 1, 12),
    ] {
        assert_eq!((q(text).value(), q(text).milli_value()), (value, milli), "{text}");
    }
}

#[test]
fn odd_spellings_that_upstream_takes() {
    for (text, value) in [
        (".5", 1),
        ("1.", 1),
        ("1.G", 1_000_000_000),
        ("+1", 1),
        ("+", 0),
        (".", 0),
        ("m", 0),
        ("Ki", 0),
        (" 3 ", 3),
        ("null", 0),
    ] {
        assert_eq!(q(text).value(), value, "{text}");
    }
}

#[test]
fn not_quantities() {
    for text in ["1Gx", "K", "1K", "1mi", "1k5", "1e", "1.2.3", "--1", "1 Gi", "abc", "0x10", "1e1.5", "1EE", "١"] {
        assert_eq!(Quantity::parse(text), Err(QuantityError::Malformed), "{text}");
    }
    assert_eq!(Quantity::parse("  "), Err(QuantityError::Empty));
}

#[test]
fn huge_values_overflow_as_upstream() {
    // Fast representation: an overflow is 0. Binary suffixes are capped.
    assert_eq!(q("10E").value(), 0);
    assert_eq!(q("10P").milli_value(), 0);
    assert_eq!(q("9P").milli_value(), 9_000_000_000_000_000_000);
    assert_eq!(q("16Ei").value(), i64::MAX);
    assert_eq!(q("99999999999999999999999999999999999999999999Gi").value(), i64::MAX);
    // Arbitrary precision: the low 64 bits.
    assert_eq!(q("18446744073709551617").value(), 1);
    assert!(q("1e50").is_huge() && q("10E").is_huge() && !q("8Gi").is_huge());
    assert_eq!(q("1e-50").value(), 1);
    assert_eq!(q("0e99999999").value(), 0);
}

#[test]
fn sums_are_rounded_once() {
    assert_eq!((q("0.5m") + q("0.5m")).milli_value(), 1);
    assert_eq!((q("0.4") + q("0.4") + q("0.4")).value(), 2);
}

proptest! {
    #[test]
    fn whole_numbers_read_back(n in -1_000_000_000_000i64..1_000_000_000_000) {
        prop_assert_eq!(q(&n.to_string()).value(), n);
        prop_assert_eq!(q(&format!("{n}m")).milli_value(), n);
    }

    #[test]
    fn binary_is_a_power_of_1024(n in 0i64..4096, p in 0usize..5) {
        let suffix = ["", "Ki", "Mi", "Gi", "Ti"][p];
        prop_assert_eq!(q(&format!("{n}{suffix}")).value(), n << (10 * p));
    }

    #[test]
    fn value_is_the_ceiling_of_milli(n in 0i64..10_000_000) {
        let text = format!("{n}m");
        prop_assert_eq!(q(&text).value(), (n + 999) / 1000);
    }

    #[test]
    fn order_follows_the_number(a in 0u32..100_000, b in 0u32..100_000) {
        prop_assert_eq!(q(&format!("{a}m")).cmp(&q(&format!("{b}m"))), a.cmp(&b));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,24}") {
        let _ = Quantity::parse(&text);
    }

    #[test]
    fn anything_in_the_grammar_is_read(text in "[+-]?[0-9]{0,40}(\\.[0-9]{0,40})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,4})?") {
        prop_assume!(!text.trim().is_empty());
        let quantity = Quantity::parse(&text);
        prop_assert!(quantity.is_ok(), "{}", text);
        let _ = quantity.map(|q| (q.value(), q.milli_value()));
    }
}
