//! Base64 as Go's JSON reads and writes bytes.

/// Decodes it, with padding, and with line breaks anywhere.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut data = Vec::with_capacity(digits.len() / 4 * 3);
    let last = (digits.len() / 4).saturating_sub(1);
    for (index, group) in digits.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && index != last) {
            return None;
        }
        let mut bits = 0_u32;
        for byte in group {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => 0,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        data.extend_from_slice(bytes.get(..3 - padding)?);
    }
    // An equals sign within a group, and not at its end, is no padding.
    let inner = digits.iter().rev().skip_while(|byte| **byte == b'=').any(|byte| *byte == b'=');
    (!inner).then_some(data)
}

/// Encodes it.
pub(super) fn encode(data: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(data.len().div_ceil(3) * 4);
    for group in data.chunks(3) {
        let byte = |index: usize| group.get(index).map_or(0, |byte| u32::from(*byte));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * place) & 63) as usize).filter(|_| place <= group.len());
            text.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for data in [&b""[..], b"a", b"ab", b"abc", b"abcd", &[0, 255, 128, 7, 9]] {
            assert_eq!(decode(&encode(data)).as_deref(), Some(data));
        }
        assert_eq!(encode(b"ab"), "YWI=");
        assert_eq!(decode("YW\nI=").as_deref(), Some(&b"ab"[..]));
    }

    #[test]
    fn broken_text_is_refused() {
        for text in
            ["a", "ab", "abc", "abcde", "a===", "====", "YQ==YQ==", "Y=Q=", "a b=", "not base64!", "YQ=="[..3].as_ref()]
        {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
