//! Flags that every command takes, besides those of the connection to the cluster (`api::flags`).

use super::color::ColorChoice;

/// Flags of every command.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct GlobalFlags {
    /// If present, the namespace scope for this CLI request
    #[arg(short = 'n', long, value_name = "NAMESPACE", global = true)]
    pub namespace: Option<String>,

    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto, global = true)]
    pub color: ColorChoice,

    /// Write ASCII alone; other characters are shown as \u{...}. The default where the locale is not UTF-8
    #[arg(long, env = "KUBECTL_PREEMPT_ASCII", hide_env_values = true, global = true,
        value_parser = clap::builder::FalseyValueParser::new())]
    pub ascii: bool,

    /// Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the
    /// flag, too, else of PAGER, else less
    #[arg(long, global = true)]
    pub pager: bool,

    /// Say nothing but the answer and errors
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,

    /// Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers
    #[arg(short = 'v', long = "v", value_name = "LEVEL", default_value_t = 0, global = true)]
    pub verbosity: u8,
}
