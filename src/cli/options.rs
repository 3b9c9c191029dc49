//! `kubectl preempt options`: the flags that every command takes, as `kubectl options` lists kubectl's.

use render::safe::Printable;

/// The list of the global flags of `program`.
#[must_use]
pub fn text(program: &clap::Command) -> Printable {
    let global: Vec<clap::Arg> = program.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let list = clap::Command::new("options").disable_help_flag(true).args(global).help_template("{all-args}");
    let help = list.clone().render_long_help();
    Printable::new(format!("The following options can be passed to any command:\n\n{help}\n"))
}
