//! Decodes string and bytes literals.
//!
//! Upstream: cel-go `parser/unescape.go`.

/// Decodes a literal with its quotes; `bytes` for a bytes literal, given without its prefix.
pub(crate) fn unquote(literal: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    let literal = literal.replace("\r\n", "\n").replace('\r', "\n");
    let raw = literal.starts_with(['r', 'R']);
    let quoted = if raw { literal.get(1..).unwrap_or_default() } else { &literal };
    let inner = strip(quoted).ok_or("unable to unescape string")?;
    if raw || !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c == '\\' { escape(&mut rest, bytes, &mut out)? } else { push(&mut out, c) }
    }
    Ok(out)
}

fn strip(quoted: &str) -> Option<&str> {
    for quote in ["'''", "\"\"\"", "'", "\""] {
        if quoted.len() >= 2 * quote.len()
            && let Some(inner) =
                quoted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
        {
            return Some(inner);
        }
    }
    None
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend(c.encode_utf8(&mut [0; 4]).bytes());
}

fn escape(rest: &mut std::str::Chars, bytes: bool, out: &mut Vec<u8>) -> Result<(), &'static str> {
    const UNABLE: &str = "unable to unescape string";
    let c = rest.next().ok_or("unable to unescape string, found '\\' as last character")?;
    let digits = match c {
        'x' | 'X' => 2,
        'u' if !bytes => 4,
        'U' if !bytes => 8,
        '0'..='3' => 0,
        _ => {
            let plain = match c {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                '\\' | '\'' | '"' | '`' | '?' => c,
                _ => return Err(UNABLE),
            };
            push(out, plain);
            return Ok(());
        }
    };
    let mut code = if digits == 0 { c.to_digit(8).ok_or(UNABLE)? } else { 0 };
    let (radix, count) = if digits == 0 { (8, 2) } else { (16, digits) };
    for _ in 0..count {
        let digit = rest.next().and_then(|c| c.to_digit(radix)).ok_or(UNABLE)?;
        code = code.wrapping_mul(radix) + digit;
    }
    if bytes {
        out.push(u8::try_from(code).map_err(|_| UNABLE)?);
    } else {
        push(out, char::from_u32(code).ok_or("invalid unicode code point")?);
    }
    Ok(())
}
