//! What can be checked on the page without a browser; `tests/html` opens it in one.

use super::hash;

#[test]
fn hashes_are_what_browsers_compute() {
    // `printf '' | openssl dgst -sha256 -binary | base64`, and of other lengths.
    for (text, expected) in [
        ("", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
        ("abc", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    ] {
        assert_eq!(hash(text), expected);
    }
}
