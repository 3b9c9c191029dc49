//! Manual pages, generated from the help texts of the command line.

use std::io;

use clap_mangen::Man;

/// A page for `program` and for each of its commands: file name and text.
///
/// # Errors
/// Only those of a writer to memory.
pub(super) fn pages(program: clap::Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = with_all_help(program.disable_help_subcommand(true));
    program.build();
    let manual = program.get_bin_name().unwrap_or_else(|| program.get_name()).to_owned();
    let mut pages = vec![page(&program, &manual)?];
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages.push(page(command, &manual)?);
    }
    Ok(pages)
}

/// `command` with all of its arguments, and its examples at the end: manual pages have no text
/// before the arguments.
fn with_all_help(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| arg.hide_short_help(false).hide_long_help(false));
    let texts = [command.get_before_help(), command.get_after_long_help()].into_iter().flatten();
    let text = texts.map(ToString::to_string).collect::<Vec<String>>().join("\n\n");
    command.after_long_help(text).mut_subcommands(with_all_help)
}

fn page(command: &clap::Command, manual: &str) -> io::Result<(String, Vec<u8>)> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let man =
        Man::new(command.clone().version(env!("CARGO_PKG_VERSION"))).title(name.to_uppercase());
    let man = man.source(format!("kubectl-preempt {}", env!("CARGO_PKG_VERSION"))).manual(manual);
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((format!("{name}.1"), text))
}
