//! Whether a stream is coloured: the flag, then `KUBECTL_PREEMPT_COLOR`, then the conventions of
//! the environment (`NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`), then whether it is a terminal.

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

pub fn stdout(choice: ColorChoice) -> bool {
    decide(choice, |name| std::env::var(name).ok(), std::io::stdout().is_terminal())
}

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

#[cfg(test)]
mod tests {
    use super::{ColorChoice, decide};

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
}
