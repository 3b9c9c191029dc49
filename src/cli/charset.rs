//! Whether the output is limited to ASCII: with the flag, or in a locale other than UTF-8.

/// Whether the flag or the locale of this process requires ASCII.
pub fn is_ascii(flag: bool) -> bool {
    flag || !utf8(cfg!(windows), |name| std::env::var(name).ok())
}

/// As in POSIX, the first of these variables that is set decides. If none is set, as in most
/// containers, UTF-8 is assumed, like kubectl does.
fn utf8(windows: bool, env: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(env).find(|value| !value.is_empty());
    let Some(locale) = locale.filter(|_| !windows) else { return true };
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::utf8;

    #[test]
    fn the_first_that_is_set_decides() {
        let of = |vars: &[(&str, &str)]| {
            utf8(false, |n| vars.iter().find(|(k, _)| *k == n).map(|(_, v)| (*v).to_owned()))
        };
        for (vars, expected) in [
            (&[][..], true),
            (&[("LANG", "")], true),
            (&[("LANG", "C.UTF-8")], true),
            (&[("LANG", "de_CH.utf8")], true),
            (&[("LANG", "C")], false),
            (&[("LANG", "de_CH.ISO-8859-1")], false),
            (&[("LC_ALL", "C"), ("LANG", "C.UTF-8")], false),
            (&[("LC_ALL", ""), ("LC_CTYPE", "POSIX"), ("LANG", "C.UTF-8")], false),
            (&[("LC_CTYPE", "en_US.UTF-8"), ("LANG", "C")], true),
        ] {
            assert_eq!(of(vars), expected, "{vars:?}");
        }
        assert!(utf8(true, |_| Some("C".to_owned())));
    }
}
