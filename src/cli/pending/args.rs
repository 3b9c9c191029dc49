//! The flags of `pending`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::ValueEnum;

use super::listener;
use crate::api::flags;
use crate::cli::input::InputArgs;
use crate::cli::printing::{self, Format};
use crate::error::Error;
use answers::questions::pending::{DecisionSequence, GroupRows, PendingRequest};
use render::jsonpath::PathTemplate;

const EXAMPLES: &str = "\
Examples:
  # Which pods of the cluster are pending, and what blocks each of them?
  kubectl preempt pending -A

  # How many of them fit if they are placed in queue order?
  kubectl preempt pending -A --in-order

  # The oldest first, with columns of my own
  kubectl preempt pending -A --sort-by .created -o custom-columns=POD:.name,WHY:.cause.details";

/// List pending pods: whether they fit, what blocks them, and what they wait for
///
/// Each pod is decided alone, on the current cluster, unless --in-order is given. The highest
/// priority comes first, then the oldest pod, as in the scheduler's queue. Pods of one owner that
/// get the same answer are one row, with their number and the age of the oldest; so are the pods of
/// a group that is scheduled as a whole. -o wide has a row for each pod.
///
/// CAUSE is what blocks the pod on the nodes closest to taking it, and on how many of them; a
/// terminal that is too narrow for it gets NEEDS and HAVE. NODE is where the pod goes, or would be
/// nominated to (+2: or to one of 2 more). VICTIMS are the pods that it would preempt
/// there (1-2: the number is open). A question mark after the verdict means that the answer is not
/// certain; the notes say why.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to list")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct PendingArgs {
    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Place the pods one after the other, in queue order
    ///
    /// Each pod sees where the earlier ones went, and which pods they preempted. A pod that may go
    /// to several nodes goes to the first that is listed.
    #[arg(long, conflicts_with = "call_extenders")]
    pub in_order: bool,

    /// Update the list as the cluster changes
    ///
    /// On a terminal the list is kept up to date, and ? shows the keys: a wide one has the answer about
    /// the selected pod beside the list, a tall one what has happened to it below. In a pipe, rows that
    /// change are added.
    #[arg(short = 'w', long, conflicts_with_all = ["from", "now"], help_heading = "Output")]
    pub watch: bool,

    /// With --watch: how often to list a kind that may not be watched, e.g. 5s or 1m
    #[arg(long, value_name = "DURATION", value_parser = flags::parse_timeout, help_heading = "Output", hide_short_help = true)]
    pub interval: Option<Duration>,

    /// With --watch: serve metrics at this port of 127.0.0.1, or at ADDRESS:PORT
    ///
    /// GET /metrics answers with what -o openmetrics prints, GET /healthz with 200 while the
    /// cluster can be read. Without TLS and login; it ends with the command.
    #[arg(long, value_name = "PORT|ADDRESS:PORT", value_parser = listener::parse_address, help_heading = "Output",
          hide_short_help = true)]
    pub listen: Option<SocketAddr>,

    /// With --listen: a further name under which it may be asked; repeatable
    ///
    /// At a loopback address requests for an address and for localhost are answered. With this flag
    /// requests for other names are refused at every address.
    #[arg(long, value_name = "NAME", value_parser = listener::parse_host, help_heading = "Output",
          hide_short_help = true)]
    pub listen_host: Vec<String>,

    /// With --listen: also at an address that other machines reach
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub allow_remote: bool,

    /// text, wide, json, yaml, html, name, openmetrics, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// Columns are those of kubectl, over the items of `-o json`. openmetrics counts the pods
    /// without naming one, for the textfile collector of a node exporter; with --listen nothing is
    /// printed then.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<PendingFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<PendingFormat>,

    /// Sort by this path of an item of -o json, e.g. .created
    #[arg(long, value_name = "JSONPATH", value_parser = PathTemplate::parse, conflicts_with = "watch",
          help_heading = "Output")]
    pub sort_by: Option<PathTemplate>,

    /// Show which pods an upgrade or another configuration changes
    ///
    /// As explain --compare without names: decides as each of these versions of kube-scheduler
    /// does, lists the pods that change, and what makes the difference. Instead of a version: a file
    /// with a configuration, or with priority classes and PDBs; a feature gate as
    /// NAME=BOOL; or now, for what decides today. What the scheduler refuses is an error in its words.
    #[arg(long, value_name = "VERSION|FILE|NAME=BOOL|now,...", value_delimiter = ',',
          conflicts_with_all = ["watch", "in_order", "sort_by", "no_headers", "scheduler_version"], hide_short_help = true)]
    pub compare: Vec<String>,

    /// With --compare: also running pods, as if recreated
    #[arg(long, requires = "compare", hide_short_help = true)]
    pub running: bool,

    /// With --compare: place the running pods again, in the order of their start
    ///
    /// Each scheduler places all of them, one after the other, without evictions and scoring every
    /// node. Stay do pods of DaemonSets and other schedulers, static and terminating ones, members
    /// of groups and, without -A, pods of other namespaces. Shows how many go elsewhere and which
    /// plugin decides, how they spread over zones, and the room that is left in one piece.
    #[arg(long, requires = "compare", hide_short_help = true)]
    pub replay: bool,

    /// Print only rows, without column headings and counts
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,
}

impl PendingArgs {
    /// Checks that the flags about watching go together.
    ///
    /// # Errors
    /// [`Error::Usage`] names the flags that do not.
    pub(super) fn check(&self) -> Result<(), Error> {
        match (self.watch, self.listen) {
            (false, Some(_)) => return Err(Error::usage("--listen needs --watch")),
            (_, None) if self.allow_remote => {
                return Err(Error::usage("--allow-remote needs --listen"));
            }
            (_, None) if !self.listen_host.is_empty() => {
                return Err(Error::usage("--listen-host needs --listen"));
            }
            (true, Some(address)) => listener::check_address(address, self.allow_remote)?,
            (_, None) => {}
        }
        if !self.watch && self.interval.is_some() {
            return Err(Error::usage("--interval needs --watch"));
        }
        if self.watch && matches!(self.output, Format::Kubectl(_) | Format::Html) {
            return Err(Error::usage(
                "-o html, custom-columns and jsonpath do not go with --watch",
            ));
        }
        if self.watch
            && self.listen.is_none()
            && self.output == Format::Own(PendingFormat::Openmetrics)
        {
            return Err(Error::usage_hint(
                "-o openmetrics prints the metrics once",
                "--watch --listen PORT serves them",
            ));
        }
        Ok(())
    }

    /// What is asked, with checked values.
    pub(super) fn request(&self) -> PendingRequest {
        PendingRequest {
            all_namespaces: self.all_namespaces,
            sequence: if self.in_order {
                DecisionSequence::InOrder
            } else {
                DecisionSequence::Alone
            },
            groups: if self.output == Format::Wide {
                GroupRows::Apart
            } else {
                GroupRows::Together
            },
        }
    }
}

/// The formats of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PendingFormat {
    /// `pod/NAME`, one per line.
    Name,
    /// Counts of the pods as metrics.
    #[value(alias = "prometheus")]
    Openmetrics,
}
