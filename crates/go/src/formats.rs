//! Format strings without operands.

/// The largest width or precision; a larger one ends the format.
const MOST: usize = 1_000_000;

/// The text of `fmt.Errorf(format)`, where `format` comes from elsewhere and each of its verbs
/// lacks an operand.
pub fn formatted_without_operands(format: &str) -> String {
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some((literal, verb)) = rest.split_once('%') {
        out.push_str(literal);
        rest = one_verb(verb, &mut out);
    }
    out.push_str(rest);
    out
}

/// Formats the verb after a percent sign, and returns the rest of the text.
fn one_verb<'t>(text: &'t str, out: &mut String) -> &'t str {
    let mut rest = text.trim_start_matches(['#', '0', '+', '-', ' ']);
    let mut good_index = true;
    let mut after_index = false;

    // A width, a number or the index of an operand and a star.
    index(&mut rest, &mut good_index, &mut after_index);
    if let Some(behind) = rest.strip_prefix('*') {
        rest = behind;
        out.push_str("%!(BADWIDTH)");
        after_index = false;
    } else if number(&mut rest) && after_index {
        good_index = false;
    }

    // A precision, likewise, and then the index of the verb's operand.
    if let Some(behind) = rest.strip_prefix('.') {
        rest = behind;
        if after_index {
            good_index = false;
        }
        index(&mut rest, &mut good_index, &mut after_index);
        if let Some(behind) = rest.strip_prefix('*') {
            rest = behind;
            out.push_str("%!(BADPREC)");
            after_index = false;
        } else {
            number(&mut rest);
        }
    }
    if !after_index {
        index(&mut rest, &mut good_index, &mut after_index);
    }

    let mut letters = rest.chars();
    let Some(verb) = letters.next() else {
        out.push_str("%!(NOVERB)");
        return "";
    };
    match verb {
        '%' => out.push('%'),
        _ if good_index => out.extend(["%!", verb.encode_utf8(&mut [0; 4]), "(MISSING)"]),
        _ => out.extend(["%!", verb.encode_utf8(&mut [0; 4]), "(BADINDEX)"]),
    }
    letters.as_str()
}

/// Parses an argument index such as `[1]`, for which there is no operand.
fn index(rest: &mut &str, good: &mut bool, is_number: &mut bool) {
    *is_number = false;
    let Some(inside) = rest.strip_prefix('[') else { return };
    *good = false;
    let Some((digits, behind)) = inside.split_once(']') else {
        // Parity: of an unterminated index, Go consumes only the bracket.
        *rest = inside;
        return;
    };
    let mut number_of = digits;
    *is_number = number(&mut number_of) && number_of.is_empty();
    *rest = behind;
}

/// Parses a number, and returns whether there was one. A number that is too large consumes the
/// rest.
fn number(rest: &mut &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(digits);
    let mut value = 0_usize;
    for digit in number.bytes() {
        if value > MOST {
            *rest = "";
            return false;
        }
        value = value * 10 + usize::from(digit - b'0');
    }
    *rest = behind;
    digits > 0
}

#[cfg(test)]
mod tests {
    use super::formatted_without_operands;

    #[test]
    fn verbs_without_operands_print_missing() {
        for (format, text) in [
            ("node is full", "node is full"),
            ("90% full", "90%!f(MISSING)ull"),
            ("100%", "100%!(NOVERB)"),
            ("100%%", "100%"),
            ("%d of %s", "%!d(MISSING) of %!s(MISSING)"),
            ("%5.2f%", "%!f(MISSING)%!(NOVERB)"),
            ("%[1]d", "%!d(BADINDEX)"),
            ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
            ("%.*d", "%!(BADPREC)%!d(MISSING)"),
            ("%é", "%!é(MISSING)"),
            ("%99999999d", "%!(NOVERB)"),
            ("%-+# 07s|", "%!s(MISSING)|"),
            ("%[x]d", "%!d(BADINDEX)"),
        ] {
            assert_eq!(formatted_without_operands(format), text, "{format}");
        }
    }
}
