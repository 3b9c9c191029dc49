//! `kubectl preempt version`: this program's version, and the versions of kube-scheduler that it
//! knows. It reads no cluster.

use json::version::{Schedulers, Version};
use json::{ApiVersion, kind};

use super::flags::GlobalFlags;
use super::output;
use super::printing::{self, Format, NoFormat};
use engine::profile::SchedulerVersion;
use render::safe::Printable;

const EXAMPLES: &str = "\
Examples:
  # Which version is this, and which versions of kube-scheduler does it know?
  kubectl preempt version

  # The same for scripts
  kubectl preempt version -o json";

/// Print the version of this program, and the versions of kube-scheduler that it knows
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Output")]
pub struct VersionArgs {
    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats_without_page(), default_value = "text",
          hide_possible_values = true, hide_default_value = true)]
    pub output: Format<NoFormat>,

    /// What `kubectl version` takes; nothing else is printed here anyway.
    #[arg(long, hide = true)]
    pub client: bool,
}

/// Prints it.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(args: &VersionArgs, global: &GlobalFlags) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let [oldest, newest, alpha] =
        [SchedulerVersion::OLDEST, SchedulerVersion::NEWEST, SchedulerVersion::UNRELEASED]
            .map(SchedulerVersion::minor_text);
    let json = Version {
        api_version: ApiVersion::default(),
        kind: kind::Version::default(),
        version: version.into(),
        schedulers: Schedulers {
            oldest,
            newest,
            alpha,
            recorded_from: SchedulerVersion::RECORDED_PRE_RELEASE.to_owned(),
        },
    };
    let data = args.output.data(|| json, true, output::paper(global))?;
    output::print(&data.unwrap_or_else(|| {
        Printable::new(format!(
            "kubectl-preempt {version}\ndecides as kube-scheduler {}\n",
            SchedulerVersion::known_text()
        ))
    }))
}
