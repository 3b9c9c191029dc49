//! Parts of a URL.

/// Percent-encodes a value of the query or a segment of the path.
pub(crate) fn encode(value: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(encode).collect()
}
