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

/// The heading of the flags that every command has and that have no other one.
const GLOBAL: &str = "Global options";

fn page(command: &clap::Command, manual: &str) -> io::Result<(String, Vec<u8>)> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let headed = |arg: clap::Arg| match arg.get_help_heading() {
        None if arg.is_global_set() => arg.help_heading(GLOBAL),
        _ => arg,
    };
    let command = command.clone().version(env!("CARGO_PKG_VERSION")).mut_args(headed);
    let man = Man::new(command.clone()).title(name.to_uppercase());
    let man = man.source(format!("kubectl-preempt {}", env!("CARGO_PKG_VERSION"))).manual(manual);
    let mut text = Vec::new();
    man.render(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();

    // The first lines name the flags of this command alone.
    let own =
        command.clone().mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    let all = synopsis(command)?;
    let own = format!("{} [{}]\n", synopsis(own)?.trim_end(), GLOBAL.to_uppercase());
    assert!(text.contains(&all), "{name} has a synopsis");
    Ok((format!("{name}.1"), text.replace(&all, &own).into_bytes()))
}

/// The section with the flags in short.
fn synopsis(command: clap::Command) -> io::Result<String> {
    let mut text = Vec::new();
    Man::new(command).render_synopsis_section(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(text.find(".SH SYNOPSIS").map_or_else(String::new, |at| text[at..].to_owned()))
}
