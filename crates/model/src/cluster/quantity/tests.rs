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

/// What 1.38.0-alpha.2 makes of amounts after they were stored.
#[test]
fn too_large_is_the_largest_number_since_1_38() {
    for (text, value, milli) in [
        ("10P", 10_000_000_000_000_000, i64::MAX),
        ("18446744073709551616", i64::MAX, i64::MAX),
        ("9223372036854775808", i64::MAX, i64::MAX),
        ("9223372036854775807", i64::MAX, i64::MAX),
        ("1E", 1_000_000_000_000_000_000, i64::MAX),
        ("1e99", i64::MAX, i64::MAX),
        ("-1e99", i64::MIN, i64::MIN),
        ("12345678901234567890123", i64::MAX, i64::MAX),
        ("9223372036854775807m", 9_223_372_036_854_776, i64::MAX),
        ("9223372036854775808m", 9_223_372_036_854_776, i64::MAX),
        ("1e-20", 1, 1),
        ("-0.5", -1, -500),
        ("-1.5m", -1, -2),
    ] {
        assert_eq!(
            (q(text).saturated_value(), q(text).saturated_milli_value()),
            (value, milli),
            "{text}"
        );
    }
}

#[test]
fn unusual_quantities_parse_as_upstream() {
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
    for text in [
        "1Gx", "K", "1K", "1mi", "1k5", "1e", "1.2.3", "--1", "1 Gi", "abc", "0x10", "1e1.5",
        "1EE", "١",
    ] {
        assert_eq!(Quantity::parse(text), Err(QuantityError::Malformed), "{text}");
    }
    assert_eq!(Quantity::parse("  "), Err(QuantityError::Empty));
}

#[test]
fn amounts_are_written_as_the_api_server_writes_them() {
    for (text, want) in [
        ("0Gi", "0"),
        ("0.5Gi", "512Mi"),
        ("1536Ki", "1536Ki"),
        ("2048Ki", "2Mi"),
        ("1000Ki", "1000Ki"),
        ("1.5Ki", "1536"),
        ("0.5Ki", "512"),
        ("0.1Ki", "102400m"),
        ("1.0001Ki", "1024102400u"),
        ("0.1", "100m"),
        ("1000m", "1"),
        ("-1500m", "-1500m"),
        ("12000", "12k"),
        ("123456789", "123456789"),
        ("10000000k", "10G"),
        ("12e6", "12e6"),
        ("1200e4", "12e6"),
        ("18446744073709551616", "18446744073709551616"),
        ("16Ei", "9223372036854775807"),
        ("0.1n", "1n"),
    ] {
        assert_eq!(q(text).to_string(), want, "{text}");
        assert_eq!(q(want).to_string(), want);
    }
}

#[test]
fn overflowing_quantities_wrap_or_are_zero() {
    // The product of 10_000_000_000_000_001 and 1000, and so on, as a 64-bit integer.
    for (text, value, milli) in [
        ("10000000000000001", 10_000_000_000_000_001, -8_446_744_073_709_550_616),
        ("10000000000001k", 10_000_000_000_001_000, -8_446_744_073_708_551_616),
        ("10000000001M", 10_000_000_001_000_000, -8_446_744_072_709_551_616),
        ("10000000001G", -8_446_744_072_709_551_616, 0),
        ("-10000000001G", 8_446_744_072_709_551_616, 0),
        ("10000001T", 0, 0),
        ("10000000000000000000", 0, 0),
        ("20000000000000000001", 1_553_255_926_290_448_385, 3_729_424_098_846_049_256),
    ] {
        assert_eq!((q(text).value(), q(text).milli_value()), (value, milli), "{text}");
    }
}

#[test]
fn sums_that_overflow_keep_their_low_bits() {
    let sum = q("9000P") + q("9000P");
    assert_eq!(sum.value(), 0, "still a multiple of 10^15");
    assert_eq!(
        (q("9000000000000001M") + q("9000000000000001M")).value(),
        -4_022_215_940_520_377_216
    );
    assert_eq!((Quantity::from_units(i64::MAX) + Quantity::from_units(2)).value(), i64::MIN + 1);
    assert_eq!(
        (Quantity::from_milli(i64::MAX) + Quantity::from_milli(2)).milli_value(),
        i64::MIN + 1
    );
    assert_eq!((q("9000P") - q("8999P")).value(), 1_000_000_000_000_000);
}

#[test]
fn amounts_of_any_size_keep_their_low_bits_in_sums() {
    for (one, other, value) in [
        ("1e30", "0", 0),
        ("1e30", "12e6", 5_076_944_270_317_263_616),
        ("1e30", "0.5", 5_076_944_270_305_263_617),
        ("1e33", "100", 4_089_650_035_136_921_700),
        ("1e40", "3", -5_047_021_154_770_878_461),
    ] {
        assert_eq!((q(one) + q(other)).value(), value, "{one} + {other}");
    }
    assert_eq!((q("1e30") + q("12e6")).milli_value(), 4_089_650_047_136_921_600);
}

#[test]
fn huge_values_overflow_as_upstream() {
    // Fast representation: some overflows are 0. Binary suffixes are capped.
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
