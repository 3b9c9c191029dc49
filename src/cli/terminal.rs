//! What a stream may show: colours, by the flag, then `KUBECTL_PREEMPT_COLOR`, then the conventions
//! of the environment (`NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`), then whether it is a terminal;
//! and characters other than ASCII, by the flag or the locale.

use std::io::IsTerminal;

/// `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On terminals, unless the environment says otherwise.
    #[default]
    Auto,
    /// Also into pipes and files.
    Always,
    /// Not at all.
    Never,
}

/// Whether standard output is coloured.
pub fn stdout(choice: ColorChoice) -> bool {
    decide(choice, |name| std::env::var(name).ok(), std::io::stdout().is_terminal())
}

/// Whether standard error is coloured.
pub fn stderr(choice: ColorChoice) -> bool {
    decide(choice, |name| std::env::var(name).ok(), std::io::stderr().is_terminal())
}

fn decide(choice: ColorChoice, env: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => return true,
        ColorChoice::Never => return false,
        ColorChoice::Auto => {}
    }
    match env("KUBECTL_PREEMPT_COLOR").as_deref() {
        Some("always") => return true,
        Some("never") => return false,
        _ => {}
    }
    // As in kubectl, an empty value counts as well.
    if env("NO_COLOR").is_some() {
        return false;
    }
    if ["CLICOLOR_FORCE", "FORCE_COLOR"]
        .iter()
        .any(|name| env(name).is_some_and(|v| !v.is_empty() && v != "0"))
    {
        return true;
    }
    terminal && env("CLICOLOR").as_deref() != Some("0") && env("TERM").as_deref() != Some("dumb")
}

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
    use super::{ColorChoice, decide, utf8};

    #[test]
    fn flag_then_environment_then_terminal() {
        let auto = |vars: &[(&str, &str)], terminal| {
            decide(
                ColorChoice::Auto,
                |n| vars.iter().find(|(k, _)| *k == n).map(|(_, v)| (*v).to_owned()),
                terminal,
            )
        };
        for (vars, terminal, expected) in [
            (&[][..], true, true),
            (&[], false, false),
            (&[("NO_COLOR", "")], true, false),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true, false),
            (&[("CLICOLOR_FORCE", "1")], false, true),
            (&[("CLICOLOR_FORCE", "0")], false, false),
            (&[("CLICOLOR", "0")], true, false),
            (&[("TERM", "dumb")], true, false),
            (&[("KUBECTL_PREEMPT_COLOR", "always"), ("NO_COLOR", "1")], false, true),
            (&[("KUBECTL_PREEMPT_COLOR", "never")], true, false),
        ] {
            assert_eq!(auto(vars, terminal), expected, "{vars:?}");
        }
        assert!(decide(ColorChoice::Always, |_| Some("1".into()), false));
        assert!(!decide(ColorChoice::Never, |_| None, true));
    }

    #[test]
    fn first_locale_that_is_set_decides() {
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
