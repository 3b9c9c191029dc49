//! `kubectl preempt options`: the global flags, in the form of `kubectl options`.

use render::safe::Printable;

pub const EXAMPLES: &str = "\
Examples:
  # Which flags does every command take?
  kubectl preempt options

  # Two of them
  kubectl preempt explain web-1 -n shop --context production";

/// The list of the global flags of `program`.
pub fn text(program: &clap::Command) -> Printable {
    let global: Vec<clap::Arg> = program
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .map(|arg| arg.hide_short_help(false).hide_long_help(false))
        .collect();
    let list = clap::Command::new("options")
        .disable_help_flag(true)
        .args(global)
        .help_template("{all-args}");
    let help = list.clone().render_help();
    Printable::new(format!("The following options can be passed to any command:\n\n{help}\n"))
}
