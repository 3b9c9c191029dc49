//! `kubectl preempt audit`: what makes preemption surprising, dangerous or useless in a cluster.

use clap::ValueEnum;

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{self, InputArgs};
use super::output;
use super::printer;
use super::printing::{self, Format, ListArgs, Printing};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::audit::{AuditReport, AuditRequest, audit};
use engine::cluster::Cluster;
use engine::notes::Severity;
use render::audit as drawn;
use render::safe::Printable;

const EXAMPLES: &str = "\
Examples:
  # What is wrong with priorities, budgets and preemption in this cluster?
  kubectl preempt audit

  # The same in CI, as exit code 1 and for code scanning
  kubectl preempt audit --fail-on warning -o sarif > preempt.sarif

  # Do two clusters have the same priority classes?
  kubectl preempt audit --against production.snap";

/// Find what makes preemption surprising, dangerous or useless: budgets, priority classes, pods
///
/// Checks the whole cluster; with -n, shows only findings about that namespace and about objects
/// without one. Each finding has a stable code, the object, the values behind it, and what to do.
/// It is an error if something does not work, a warning if it will surprise somebody, and an info
/// if it is only worth knowing. What cannot be read is not checked, and the answer says so (exit
/// code 3).
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to check")]
pub struct AuditArgs {
    /// Exit with code 1 if something of this severity or above is found
    #[arg(long, value_name = "SEVERITY", value_parser = printer::one_of([Severity::Error, Severity::Warning, Severity::Info], Severity::name))]
    pub fail_on: Option<Severity>,

    /// All namespaces, which is what it checks without -n
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Compare the priority classes with those of another cluster: a file, a directory or a
    /// snapshot
    #[arg(long, value_name = "FILE|DIR")]
    pub against: Option<String>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, sarif, junit, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// text has the first 20 findings of each check, wide every one.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<AuditFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<AuditFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// The formats of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A JUnit report, for CI systems.
    Junit,
}

impl AuditArgs {
    /// What is asked, without the cluster of `--against`.
    fn request(&self, global: &GlobalFlags) -> Result<AuditRequest, Error> {
        if self.input.selector.is_some() {
            return Err(Error::usage("audit looks at the whole cluster: it does not go with -l"));
        }
        Ok(AuditRequest {
            namespace: global.namespace.clone().filter(|_| !self.all_namespaces),
            against: None,
            fail_on: self.fail_on,
        })
    }
}

/// Reads and audits the cluster, and prints the findings.
///
/// # Errors
/// When flags, input or cluster give nothing to audit.
pub fn run(
    args: &AuditArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let mut request = args.request(global)?;
    let mut options = args.input.check()?;
    options.in_part();
    request.against = args.against.as_deref().map(|file| classes_of(file, global)).transpose()?;
    let input = options.read(&[], global, connection)?;
    let report = audit(&input, &request)?;
    let printing = Printing { format: &args.output, list: &args.list, global };
    Ok(ending.end(printing.print_with(report, own)?))
}

/// The cluster in the file of `--against`, which must have priority classes.
fn classes_of(file: &str, global: &GlobalFlags) -> Result<Cluster, Error> {
    let cluster = input::read_file(file, global)?;
    if cluster.priority_classes.is_empty() {
        return Err(Error::input(file, "no PriorityClass in it to compare with"));
    }
    Ok(cluster)
}

fn own(report: &AuditReport, format: AuditFormat) -> anyhow::Result<Printable> {
    match format {
        AuditFormat::Sarif => output::json(&drawn::sarif(report, env!("CARGO_PKG_VERSION"))),
        AuditFormat::Junit => Ok(drawn::junit(report)),
    }
}
