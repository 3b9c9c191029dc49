//! Boolean flags as in kubectl: `--all-namespaces=true` is `--all-namespaces`, and with `=false`
//! the flag is removed.

use std::ffi::OsString;

use clap::{ArgAction, Command};

use crate::api::flags::parse_bool;

/// `arguments` of `program` without the values of boolean flags. Values other than booleans stay
/// and cause an error.
pub fn taken_off(arguments: Vec<OsString>, program: &Command) -> Vec<OsString> {
    let mut flags_end = false;
    let kept = arguments.into_iter().filter_map(|argument| {
        flags_end |= argument == "--";
        let flag = argument.to_str().and_then(|text| text.strip_prefix("--")?.split_once('='));
        let read = flag.filter(|(name, _)| !flags_end && is_boolean(program, name));
        match read.map(|(name, value)| (name, parse_bool(value))) {
            Some((name, Ok(true))) => Some(format!("--{name}").into()),
            Some((_, Ok(false))) => None,
            Some((_, Err(_))) | None => Some(argument),
        }
    });
    kept.collect()
}

/// Whether a command of `program` has a flag with this name and without values.
fn is_boolean(program: &Command, name: &str) -> bool {
    let own = program.get_arguments();
    let mut all = own.chain(program.get_subcommands().flat_map(Command::get_arguments));
    all.any(|arg| arg.get_long() == Some(name) && matches!(arg.get_action(), ArgAction::SetTrue))
}

#[cfg(test)]
mod tests {
    use super::taken_off;
    use crate::cli::command;

    fn read(line: &str) -> String {
        let words = taken_off(line.split(' ').map(Into::into).collect(), &command());
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn booleans_have_values_as_in_kubectl() {
        assert_eq!(
            read("pending --all-namespaces=true -o wide"),
            "pending --all-namespaces -o wide"
        );
        assert_eq!(read("pending --all-namespaces=false -o wide"), "pending -o wide");
        assert_eq!(read("pending --quiet=t --watch=0"), "pending --quiet");
        for same in [
            "explain --nodes=yes",
            "explain --from=true",
            "explain --as=true",
            "explain -- --nodes=true",
        ] {
            assert_eq!(read(same), same);
        }
    }
}
