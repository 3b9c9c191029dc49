//! Booleans in text.

/// `strconv.ParseBool`; `None` is its error.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_bool;

    #[test]
    fn few_spellings_are_booleans() {
        for (text, value) in [
            ("1", Some(true)),
            ("True", Some(true)),
            ("F", Some(false)),
            ("tRUE", None),
            ("yes", None),
        ] {
            assert_eq!(parse_bool(text), value, "{text}");
        }
    }
}
