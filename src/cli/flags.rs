//! Flags of every command, besides those of the connection (`api::flags`).

use std::num::ParseIntError;

use super::terminal::ColorChoice;

/// Flags of every command.
#[derive(Debug, Default, Clone, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct GlobalFlags {
    /// Namespace of the pods (default: that of the kubeconfig context)
    #[arg(short = 'n', long, value_name = "NAMESPACE", global = true)]
    pub namespace: Option<String>,

    /// Use colour: auto (on terminals), always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto, global = true, hide_possible_values = true)]
    pub color: ColorChoice,

    /// Print ASCII only, other characters as \u{...} (default where the locale is not UTF-8)
    #[arg(long, env = "KUBECTL_PREEMPT_ASCII", hide_env_values = true, global = true,
        value_parser = clap::builder::FalseyValueParser::new())]
    pub ascii: bool,

    /// Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less
    ///
    /// KUBECTL_PREEMPT_PAGER works without the flag, too.
    #[arg(long, global = true)]
    pub pager: bool,

    /// Print only the answer and errors
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,

    /// Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers
    #[arg(short = 'v', long = "v", value_name = "LEVEL", default_value_t = 0, global = true, value_parser = parse_level)]
    pub verbosity: u8,

    /// Whether objects are read from files, and no server is asked.
    #[arg(skip)]
    pub reads_files: bool,
}

/// A log level; values above the maximum are clamped, as in kubectl.
fn parse_level(text: &str) -> Result<u8, ParseIntError> {
    text.parse().map(|level: u32| u8::try_from(level).unwrap_or(u8::MAX))
}
