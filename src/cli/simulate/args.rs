//! The flags of `simulate`, and their conflicts.

use super::gate_flags::GateFlags;
use super::what_if_flags::WhatIfFlags;
use crate::cli::apply::ApplyArgs;
use crate::cli::input::InputArgs;
use crate::cli::listing::{self, ListArgs, ListFormat};
use crate::cli::printer::{BasicFormat, ForPeople};
use crate::error::Error;
use answers::target::{self, Target};
use clap::ValueEnum;

const EXAMPLES: &str = "\
Examples:
  # Would three replicas of this deployment fit, and which pods would be evicted? The same in CI
  kubectl preempt simulate -f deployment.yaml --replicas 3
  helm template shop | kubectl preempt simulate -f - --max-victims 2 --protect payments -o github

  # What if web-1 requested less? And what does draining that node take?
  kubectl preempt simulate web-1 --requests cpu=500m,memory=1Gi
  kubectl preempt simulate --drain node-7

  # Carry the plan out, after having shown it, tried it and asked; podgroup/train is a group of pods
  kubectl preempt simulate web-1 --apply";

/// Simulate what would happen to pending or new pods, and carry the plan out with --apply
///
/// Decides about the pods one after the other in the scheduler's order: each is decided with the
/// earlier ones placed and their victims evicted. Then it follows the victims: which controller
/// recreates them, where the replacements go, and which pods these evict in turn. Where
/// kube-scheduler schedules groups of pods, a pod of a group is decided with its whole group.
/// Without POD and -f, it simulates every pending pod of the namespace; with --drain alone, the
/// drain. Nothing is written to the cluster without --apply.
#[derive(Debug, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to simulate")]
pub struct SimulateArgs {
    /// Pending pods, or owners of pods (default: all pending pods)
    ///
    /// An owner such as deploy/web means its pending pods, or one more if none is pending.
    /// podgroup/NAME and workload/NAME mean their pods in the same way.
    #[arg(value_name = "POD | TYPE/NAME", display_order = 0)]
    pub pods: Vec<String>,

    /// Pods or workloads that do not exist yet; - is standard input
    ///
    /// JSON or YAML. Other objects in the files are assumed to be in the cluster.
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filenames: Vec<String>,

    /// Read the directories of -f recursively
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// Number of pods to simulate; overrides replicas
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_replicas)]
    pub replicas: Option<u32>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Number of generations of replacements to follow
    #[arg(long, value_name = "N", default_value_t = 3, hide_short_help = true)]
    pub depth: usize,

    /// Every row of the tables about many pods; otherwise the first 20
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// text, wide, json, yaml, csv, markdown, github, sarif, junit, jsonpath=TEMPLATE or
    /// custom-columns=HEADER:PATH,...
    ///
    /// wide cuts nothing, and has a paragraph for each pod. csv has a row for each pod that is placed,
    /// evicted or replaced. markdown is a comment for a pull request, github are annotations of GitHub Actions. The items
    /// of custom-columns are the steps: the pods that are asked about.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<SimulateFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<SimulateFormat>,

    /// The order of the pods that are asked about; they are decided in the scheduler's.
    #[command(flatten)]
    pub list: ListArgs,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// The what-if flags.
    #[command(flatten)]
    pub what_if: WhatIfFlags,

    /// What fails.
    #[command(flatten)]
    pub gate: GateFlags,

    /// Whether and how the plan is carried out.
    #[command(flatten)]
    pub apply: ApplyArgs,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SimulateFormat {
    /// For people.
    #[default]
    Text,
    /// For people, in full.
    Wide,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// A row for each pod, for a spreadsheet.
    Csv,
    /// A comment for a pull request.
    Markdown,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A JUnit report, for CI systems.
    Junit,
}

impl ForPeople for SimulateFormat {
    const WIDE: Self = Self::Wide;
}

impl SimulateFormat {
    /// Whether it shows the findings of a gate.
    const fn is_of_gate(self) -> bool {
        match self {
            Self::Text | Self::Wide | Self::Json | Self::Yaml | Self::Csv => false,
            Self::Markdown | Self::Github | Self::Sarif | Self::Junit => true,
        }
    }
}

/// Why a node cannot be chosen for a pod group.
pub(super) const ON_AND_GROUPS: &str =
    "--on chooses the node of one pod, and kube-scheduler places the pods of a group together";

/// Maximum of `--replicas`.
const MOST_REPLICAS: u32 = 10_000;

fn parse_replicas(text: &str) -> Result<u32, String> {
    let replicas = text.parse().ok().filter(|replicas| (1..=MOST_REPLICAS).contains(replicas));
    replicas.ok_or_else(|| format!("use a whole number from 1 to {MOST_REPLICAS}"))
}

impl SimulateArgs {
    /// Whether a drain itself is to be described, rather than pods after a drain.
    pub(super) fn is_about_drain(&self) -> bool {
        let names_pods = !self.pods.is_empty() || !self.filenames.is_empty() || self.all_namespaces;
        !self.what_if.drain.is_empty() && !names_pods && self.input.selector.is_none()
    }

    /// The format of the output of `--apply`.
    pub(super) fn basic_format(&self) -> BasicFormat {
        match self.output {
            ListFormat::Own(SimulateFormat::Json) => BasicFormat::Json,
            ListFormat::Own(SimulateFormat::Yaml) => BasicFormat::Yaml,
            ListFormat::Own(_) | ListFormat::Kubectl(_) => BasicFormat::Text,
        }
    }

    /// Whether a gate is requested, by its flags or by a format that shows its findings.
    pub(super) fn has_gate(&self) -> bool {
        let of_format = matches!(self.output, ListFormat::Own(format) if format.is_of_gate());
        self.gate.is_given() || of_format
    }

    /// Rejects conflicting flags.
    ///
    /// # Errors
    /// [`Error::Usage`] names the conflicting flags.
    pub fn check(&self, targets: &[Target]) -> Result<(), Error> {
        let from_stdin = [&self.filenames, &self.what_if.add_node]
            .into_iter()
            .flatten()
            .filter(|f| *f == "-")
            .count();
        if from_stdin + usize::from(self.input.reads_stdin()) > 1 {
            return Err(Error::usage(
                "standard input can be read once: only one of -f, --add-node and --from may be -",
            ));
        }
        if self.all_namespaces && !(targets.is_empty() && self.filenames.is_empty()) {
            return Err(Error::usage(
                "--all-namespaces simulates every pending pod: it goes neither with POD nor with -f",
            ));
        }
        if self.replicas.is_some()
            && self.filenames.is_empty()
            && targets.iter().all(|t| t.kind == "Pod")
        {
            return Err(Error::usage(
                "--replicas needs a manifest (-f) or an owner such as deploy/web",
            ));
        }
        self.input.scheduler.reject_extenders("simulate changes the cluster")?;
        if target::name_groups(targets) && self.what_if.on.is_some() {
            return Err(Error::usage(ON_AND_GROUPS));
        }
        self.check_apply(targets)?;
        self.gate.check()?;
        if self.has_gate() && self.is_about_drain() {
            return Err(Error::usage(
                "--fail-on and its formats judge pods: they do not go with --drain alone",
            ));
        }
        // An invalid value is reported before the cluster is read.
        self.what_if.read("default")?;
        if self.input.selector.is_some() && !self.filenames.is_empty() {
            return Err(Error::usage("-l selects pods that are there: it does not go with -f"));
        }
        Ok(())
    }

    /// `--apply` executes the plan of one pod or group on the unchanged cluster.
    fn check_apply(&self, targets: &[Target]) -> Result<(), Error> {
        self.apply.check()?;
        let has_other_format = match self.output {
            ListFormat::Own(format) => format.is_of_gate() || format == SimulateFormat::Csv,
            ListFormat::Kubectl(_) => true,
        };
        if self.apply.apply && has_other_format {
            return Err(Error::usage("--apply prints text, json or yaml"));
        }
        if self.apply.apply && self.list.sort_by.is_some() {
            return Err(Error::usage(
                "--apply carries out the plan of one pod: it does not go with --sort-by",
            ));
        }
        if self.apply.apply && self.gate.is_given() {
            return Err(Error::usage(
                "--apply carries out a plan: it does not go with --fail-on, --max-victims, --protect or --no-fail",
            ));
        }
        let refused = if !self.apply.apply {
            return Ok(());
        } else if !self.filenames.is_empty() {
            "a pod that is in the cluster: it does not go with -f"
        } else if !self.what_if.is_empty() {
            "the unchanged cluster: it does not go with what-if flags"
        } else if !self.input.from.is_empty() || self.input.now.is_some() {
            "a live cluster: it goes neither with --from nor with --now"
        } else if targets.len() != 1 || self.replicas.is_some() {
            "one pod or group: name it"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("--apply needs {refused}")))
    }
}
