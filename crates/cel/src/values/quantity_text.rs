//! The parts of the text of a quantity.
//!
//! Upstream: `apimachinery/pkg/api/resource/{quantity,suffix}.go`.

use super::quantity::QuantityFormat;

/// Parses a suffix: base, exponent and format.
pub(super) fn interpret(suffix: &str) -> Option<(bool, i32, QuantityFormat)> {
    let binary = |exponent| Some((true, exponent, QuantityFormat::Binary));
    let decimal = |exponent| Some((false, exponent, QuantityFormat::Decimal));
    match suffix {
        "" => decimal(0),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            Some((false, exponent.parse().ok()?, QuantityFormat::DecimalExponent))
        }
    }
}

pub(super) struct Parts<'t> {
    pub negative: bool,
    pub whole: &'t str,
    pub fraction: &'t str,
    pub suffix: &'t str,
}

impl<'t> Parts<'t> {
    pub fn of(text: &'t str) -> Option<Self> {
        let negative = text.starts_with('-');
        let body = text.strip_prefix(['-', '+']).unwrap_or(text);
        let body = body.trim_start_matches('0');
        if body.is_empty() {
            return Some(Self { negative, whole: "0", fraction: "", suffix: "" });
        }
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (mut whole, mut rest) = body.split_at(digits(body));
        if whole.is_empty() {
            whole = "0";
        }
        let mut fraction = "";
        if let Some(behind) = rest.strip_prefix('.') {
            (fraction, rest) = behind.split_at(digits(behind));
        }
        let letters = rest.bytes().take_while(|b| b"eEinumkKMGTP".contains(b)).count();
        let behind = rest.get(letters..)?;
        let behind = behind.strip_prefix(['-', '+']).unwrap_or(behind);
        behind.bytes().all(|b| b.is_ascii_digit()).then_some(Self {
            negative,
            whole,
            fraction,
            suffix: rest,
        })
    }
}
