//! `kubectl preempt audit`: what makes preemption surprising, dangerous or useless in a cluster.

use clap::ValueEnum;

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{self, InputArgs};
use super::listing::{self, ListArgs, ListFormat};
use super::printer::ForPeople;
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::headline::rules_in_short;
use engine::audit::{self, Audit};
use engine::cluster::Cluster;
use engine::notes::Severity;
use render::audit::{junit, page, sarif};

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
    #[arg(long, value_name = "SEVERITY", value_enum)]
    pub fail_on: Option<AuditFailOn>,

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

    /// text, wide, json, yaml, sarif, junit, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// text has the first 20 findings of each check, wide every one.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<AuditFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<AuditFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AuditFailOn {
    /// Something does not work.
    Error,
    /// Something will surprise somebody.
    Warning,
    /// Anything.
    Info,
}

impl AuditFailOn {
    const fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        }
    }
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// For people.
    #[default]
    Text,
    /// For people, in full.
    Wide,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A JUnit report, for CI systems.
    Junit,
}

impl ForPeople for AuditFormat {
    const WIDE: Self = Self::Wide;
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
    if args.input.selector.is_some() {
        return Err(Error::usage("audit looks at the whole cluster: it does not go with -l").into());
    }
    let options = args.input.check()?;
    let other = args.against.as_deref().map(|file| classes_of(file, global)).transpose()?;
    let input = options.read(&[], global, connection)?;
    input.check_nodes()?;
    let mut found = audit::run(&input.cluster, other.as_ref(), &input.profile, input.now);
    if let Some(namespace) = global.namespace.as_ref().filter(|_| !args.all_namespaces) {
        found.keep_namespace(namespace);
    }
    let json = |found: &Audit| to_json::audit(found, &input.cluster.header, input.source);
    let mut findings = std::mem::take(&mut found.findings);
    args.list.sort(&mut findings, |findings| {
        output::to_value(&json(&Audit { findings: findings.to_vec(), ..found.clone() }))
    })?;
    found.findings = findings;
    let text = match &args.output {
        ListFormat::Own(AuditFormat::Text | AuditFormat::Wide) => {
            let extent = args.output.extent(false);
            page(&found, &input.origin(), &rules_in_short(&input.profile), extent)
                .print(output::paper_for(extent, global))
        }
        ListFormat::Own(AuditFormat::Json) => output::json(&json(&found))?,
        ListFormat::Own(AuditFormat::Yaml) => output::yaml(&json(&found))?,
        ListFormat::Own(AuditFormat::Sarif) => {
            output::json(&sarif(&found, &input.place, env!("CARGO_PKG_VERSION")))?
        }
        ListFormat::Kubectl(format) => {
            format.text(&json(&found), !args.list.no_headers, output::paper(global))?
        }
        ListFormat::Own(AuditFormat::Junit) => {
            junit(&found, args.fail_on.map_or(Severity::Warning, AuditFailOn::severity))
        }
    };
    pager::print(&text, global)?;
    Ok(ending.end(exit(&found, args.fail_on)))
}

/// The cluster in the file of `--against`, which must have priority classes.
fn classes_of(file: &str, global: &GlobalFlags) -> Result<Cluster, Error> {
    let cluster = input::read_file(file, global)?;
    if cluster.priority_classes.is_empty() {
        return Err(Error::input(file, "no PriorityClass in it to compare with"));
    }
    Ok(cluster)
}

fn exit(found: &Audit, fail_on: Option<AuditFailOn>) -> Exit {
    let fails = |least: AuditFailOn| {
        found.findings.iter().any(|one| one.check.severity >= least.severity())
    };
    if found.is_unsure() {
        Exit::Partial
    } else if fail_on.is_some_and(fails) {
        Exit::No
    } else {
        Exit::Answered
    }
}
