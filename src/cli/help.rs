//! The structure of every help text: purpose, examples, usage, flags in groups, and references.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

use crate::exit::Exit;
use render::program::ProgramName;

const DOCUMENTATION: &str = concat!("Documentation: ", env!("CARGO_PKG_REPOSITORY"), "#readme");

const GLOBAL: &str =
    "Use \"kubectl preempt options\" for flags of every command, e.g. -n and --context.";

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";
/// For commands without flags of their own.
const TEMPLATE_WITHOUT_FLAGS: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}{after-help}";

/// `program` with help texts in this structure. As in kubectl, only `options` shows the flags of
/// every command.
pub fn shape(program: Command) -> Command {
    let flag =
        |id, short, help, action| Arg::new(id).short(short).long(id).help(help).action(action);
    let help = flag("help", 'h', "Print help: -h in short, --help in full", ArgAction::Help)
        .global(true)
        .help_heading(None);
    let version = flag("version", 'V', "Print the version of this program", ArgAction::Version);
    let program = program.disable_help_flag(true).disable_version_flag(true).args([help, version]);
    // Not `hide`: manual pages and completion include all flags.
    let program = program.mut_args(|arg| arg.hide_short_help(true).hide_long_help(true));
    let more = "Use \"kubectl preempt COMMAND --help\" for examples and flags of a command.";
    shape_one(program, more).mut_subcommands(|command| {
        let codes = if Exit::help(command.get_name()).is_some() { " and exit codes" } else { "" };
        let more =
            format!("Use \"kubectl preempt {} --help\" for all flags{codes}.", command.get_name());
        shape_one(command, &more)
    })
}

/// `command` with the name of `program` instead of the plugin's, in its own name and in each text.
pub fn named(command: Command, program: ProgramName) -> Command {
    if program == ProgramName::PLUGIN {
        return command;
    }
    with_texts_of(command.name(program.file()).bin_name(program.typed()), program)
}

/// `command` with the name of `program` in its texts, and in those of its subcommands and
/// arguments.
fn with_texts_of(mut command: Command, program: ProgramName) -> Command {
    let text = |text: Option<&StyledStr>| text.map(|text| program.named(&text.to_string()));
    if let Some(about) = text(command.get_about()) {
        command = command.about(about);
    }
    if let Some(about) = text(command.get_long_about()) {
        command = command.long_about(about);
    }
    if let Some(before) = text(command.get_before_help()) {
        command = command.before_help(before);
    }
    if let Some(after) = text(command.get_after_help()) {
        command = command.after_help(after);
    }
    if let Some(after) = text(command.get_after_long_help()) {
        command = command.after_long_help(after);
    }
    // The same for its flags, which have a short and a long text, and then for its subcommands.
    let command = command.mut_args(|mut arg| {
        if let Some(help) = text(arg.get_help()) {
            arg = arg.help(help);
        }
        if let Some(help) = text(arg.get_long_help()) {
            arg = arg.long_help(help);
        }
        arg
    });
    command.mut_subcommands(|command| with_texts_of(command, program))
}

/// `command` with its help in this structure. `more` says where the short help continues.
fn shape_one(command: Command, more: &str) -> Command {
    let own = command.get_arguments().any(|arg| !arg.is_hide_long_help_set());
    let own = own || command.has_subcommands();
    let template = if own { TEMPLATE } else { TEMPLATE_WITHOUT_FLAGS };
    let own_text =
        command.get_after_long_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let short = if own { format!("{more}\n{GLOBAL}") } else { GLOBAL.to_owned() };
    let codes =
        Exit::help(command.get_name()).map(|codes| format!("{codes}\n\n")).unwrap_or_default();
    let long = format!("{own_text}{codes}{DOCUMENTATION}\n{GLOBAL}");
    command
        .help_template(template)
        .after_help(short)
        .after_long_help(StyledStr::from(long))
        .args_override_self(true)
}
