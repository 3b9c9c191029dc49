//! Base64 as Go's JSON and YAML read and write bytes.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

/// Like Go's, the decoder ignores bits of the last digit that belong to no byte.
const STANDARD: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Decodes base64 with padding, which may have line breaks anywhere; `None` if it is malformed.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    STANDARD.decode(digits).ok()
}

/// Encodes bytes.
pub fn encode_base64(data: &[u8]) -> String {
    STANDARD.encode(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for data in [&b""[..], b"a", b"ab", b"abc", b"abcd", &[0, 255, 128, 7, 9]] {
            assert_eq!(decode_base64(&encode_base64(data)).as_deref(), Some(data));
        }
        assert_eq!(encode_base64(b"ab"), "YWI=");
        assert_eq!(decode_base64("YW\nI=").as_deref(), Some(&b"ab"[..]));
    }

    #[test]
    fn broken_text_is_refused() {
        for text in [
            "a",
            "ab",
            "abc",
            "abcde",
            "a===",
            "====",
            "YQ==YQ==",
            "Y=Q=",
            "a b=",
            "not base64!",
            "YQ=="[..3].as_ref(),
        ] {
            assert_eq!(decode_base64(text), None, "{text}");
        }
    }
}
