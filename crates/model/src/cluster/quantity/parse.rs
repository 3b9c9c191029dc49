//! Reading the text of a quantity.

use go::QuantitySuffix;

use super::{Format, NANO, Quantity, QuantityError, Representation, WRAP};

/// With larger exponents, no digit is in range.
const MAX_EXPONENT: i32 = 60;

/// See [`Quantity::parse`].
pub(super) fn parse(text: &str) -> Result<Quantity, QuantityError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QuantityError::Empty);
    }
    if text == "null" {
        return Ok(Quantity::ZERO);
    }
    let (negative, body) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let whole_len = body.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = body.split_at(whole_len);
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("", rest),
    };
    let suffix = QuantitySuffix::parse(suffix).ok_or(QuantityError::Malformed)?;
    let format = match suffix {
        QuantitySuffix::Binary(_) => Format::Binary,
        QuantitySuffix::Decimal(_) => Format::Decimal,
        QuantitySuffix::Exponent(_) => Format::Exponent,
    };
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let magnitude = match suffix {
        QuantitySuffix::Decimal(exponent) | QuantitySuffix::Exponent(exponent) => {
            decimal_nano(whole, fraction, exponent)
        }
        QuantitySuffix::Binary(bits) => {
            binary_nano(whole, fraction, bits).min(i128::from(i64::MAX) * NANO)
        }
    };
    let nano = if negative { -magnitude } else { magnitude };
    let beyond = match suffix {
        QuantitySuffix::Decimal(exponent) | QuantitySuffix::Exponent(exponent)
            if magnitude == i128::MAX =>
        {
            wrapped(whole, fraction, exponent)
        }
        _ => 0,
    };
    let beyond = if negative { (WRAP - beyond) % WRAP } else { beyond };
    let quantity = Quantity { nano, beyond, held: Representation::Decimal, format };
    let held = match suffix {
        // Too large for the type here; upstream has as many digits as the text.
        QuantitySuffix::Decimal(exponent) | QuantitySuffix::Exponent(exponent)
            if magnitude == i128::MAX =>
        {
            if whole.len() + fraction.len() <= 18 {
                Representation::Scaled(exponent.min(MAX_EXPONENT))
            } else {
                Representation::Decimal
            }
        }
        _ => quantity.canonical().held(),
    };
    Ok(Quantity { held, ..quantity })
}

/// `whole.fraction * 10^exponent` in units of 10^-9, rounded up; saturates.
fn decimal_nano(whole: &str, fraction: &str, exponent: i32) -> i128 {
    let Some(digits) = digits(whole, fraction) else { return i128::MAX };
    if digits == 0 {
        return 0;
    }
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let shift =
        exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT).saturating_add(9).saturating_sub(places);
    match (u32::try_from(shift), u32::try_from(shift.saturating_neg())) {
        (Ok(up), _) => {
            10i128.checked_pow(up).and_then(|p| digits.checked_mul(p)).unwrap_or(i128::MAX)
        }
        (_, Ok(down)) => 10i128.checked_pow(down).map_or(1, |p| div_up(digits, p)),
        _ => i128::MAX,
    }
}

/// `whole.fraction * 10^exponent` in units of 10^-9, modulo [`WRAP`]; digits below that are
/// dropped.
fn wrapped(whole: &str, fraction: &str, exponent: i32) -> i128 {
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let shift =
        exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT).saturating_add(9).saturating_sub(places);
    let zeros = usize::try_from(shift).unwrap_or(0);
    let dropped = usize::try_from(shift.saturating_neg()).unwrap_or(0);
    let digits = whole.bytes().chain(fraction.bytes());
    let kept = digits.take((whole.len() + fraction.len()).saturating_sub(dropped));
    let all = kept.chain(std::iter::repeat_n(b'0', zeros));
    all.fold(0, |value, digit| (value * 10 + i128::from(digit - b'0')) % WRAP)
}

/// `whole.fraction * 2^bits` in units of 10^-9, rounded up; saturates.
fn binary_nano(whole: &str, fraction: &str, bits: u32) -> i128 {
    let unit = 1i128 << bits;
    let whole = whole.parse::<i128>().or_else(|e| if whole.is_empty() { Ok(0) } else { Err(e) });
    let Some(whole) =
        whole.ok().and_then(|w| w.checked_mul(unit)).and_then(|w| w.checked_mul(NANO))
    else {
        return i128::MAX;
    };
    // 18 digits of a fraction are enough to round 10^-9 of 2^60 correctly.
    let kept = fraction.get(..fraction.len().min(18)).unwrap_or_default();
    let Ok(numerator) = kept.parse::<i128>() else { return whole };
    let more = i128::from(fraction.len() > kept.len());
    let denominator = 10i128.pow(u32::try_from(kept.len()).unwrap_or(0));
    // Split so that the product stays within 128 bits: numerator * 2^bits < 2^120, times 10^9 would
    // not.
    let product = (numerator + more) * unit;
    let (quotient, remainder) = (product / denominator, product % denominator);
    whole
        .saturating_add(quotient.saturating_mul(NANO))
        .saturating_add(div_up(remainder * NANO, denominator))
}

fn digits(whole: &str, fraction: &str) -> Option<i128> {
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Some(value)
}

fn div_up(numerator: i128, denominator: i128) -> i128 {
    numerator / denominator + i128::from(numerator % denominator != 0)
}
