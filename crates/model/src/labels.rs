//! The grammar of the keys and values of labels.

/// Maximum length of the name in a label key, and of a label value, in bytes.
pub const MAX_NAME: usize = 63;

/// Maximum length of the prefix of a label key, in bytes.
pub const MAX_PREFIX: usize = 253;

/// Whether `key` is a label key: an optional DNS prefix, a slash, and a name of up to 63
/// characters.
pub fn is_label_key(key: &str) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    is_name(name, MAX_NAME) && prefix.is_none_or(|prefix| is_subdomain(prefix, MAX_PREFIX))
}

/// Whether `value` may be the value of a label.
pub fn is_label_value(value: &str) -> bool {
    value.is_empty() || is_name(value, MAX_NAME)
}

/// Whether `text` has only characters allowed in label names and values, and at most `max` bytes.
pub fn is_name(text: &str, max: usize) -> bool {
    let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    text.len() <= max
        && edge(text.bytes().next())
        && edge(text.bytes().next_back())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Whether `text` is a DNS subdomain of at most `max` bytes, as prefixes of label keys and most
/// object names are.
pub fn is_subdomain(text: &str, max: usize) -> bool {
    let lower = |label: &str| {
        label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    text.len() <= max && text.split('.').all(|label| is_name(label, max) && lower(label))
}
