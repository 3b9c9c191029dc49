//! The flags of `explain`, as typed and checked, and its exit code.

use super::groups;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{InputArgs, InputOptions};
use crate::cli::printer::ShareFormat;
use crate::cli::printing::{self, Format, ListArgs, Printing};
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::compare;
use answers::questions::explain::ExplainRequest;
use answers::target::{self, Target};
use engine::decision::sampling::Starts;
use engine::profile::SchedulerVersion;

const EXAMPLES: &str = "\
Examples:
  # Why is pod web-1 pending, and which pods would be evicted to make room?
  kubectl preempt explain web-1

  # The pending pods of a deployment in another namespace, as JSON
  kubectl preempt explain deploy/web -n shop -o json

  # Which pending pods would be scheduled differently after an upgrade, and why?
  kubectl preempt explain -A --compare 1.35,1.37";

/// Explain what kube-scheduler decides about a pod, and why
///
/// Without POD, it explains every pending pod of the namespace. TYPE/NAME may name an owner such as
/// deploy/web: its pending pods are explained. podgroup/NAME and workload/NAME explain groups of
/// pods, which kube-scheduler may schedule as a whole.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to explain")]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub struct ExplainArgs {
    /// Pods, owners or groups of pods (default: all pending pods)
    #[arg(value_name = "POD | TYPE/NAME", display_order = 0)]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// text, wide, json, yaml, name, csv, markdown, html, dot, jsonpath=... or custom-columns=...
    ///
    /// `name` prints pod/NAME for every victim on the nodes that the scheduler may pick, or
    /// node/NAME where no pod is evicted, one per line. If victims are in other namespaces than the
    /// pod, -n NAMESPACE follows each name: pass the lines one by one, as in `kubectl preempt
    /// explain web-1 -o name | xargs -L1 kubectl get`. A jsonpath template is kubectl's, over what
    /// `-o json` prints; so are the paths of custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<ShareFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<ShareFormat>,

    /// Show every node, one row each
    ///
    /// With -o json, also how much room each has for the pod: `nodes[].room`.
    #[arg(long, help_heading = "Output")]
    pub nodes: bool,

    /// Say what decides against this node
    ///
    /// The filter that rejects the pod there and why no eviction helps, the criterion of the
    /// tie-break by which it loses against the selected node, or the scores of both.
    #[arg(long, value_name = "NODE", help_heading = "Output")]
    pub why_not: Option<String>,

    /// Draw how full the nodes are: what stays, what the pod may evict, where its request ends
    ///
    /// On a terminal, the answer about one pod is drawn anyway. With -o json, `bars` has the values.
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub bars: bool,

    /// Show what the scheduler itself may pick, and how likely
    ///
    /// It stops looking once it has seen enough nodes, so that its choice depends on the node where
    /// it starts.
    #[arg(long, help_heading = "Output")]
    pub as_scheduled: bool,

    /// With --as-scheduled: start at this node only
    ///
    /// N is the number of the node in the scheduler's order; it may be larger than the number of
    /// nodes.
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Output",
        hide_short_help = true
    )]
    pub seed: Option<u64>,

    /// Exit with 1 if a pod gets no node, even by preemption or from an autoscaler
    ///
    /// With --compare: in one of the versions.
    #[arg(long, help_heading = "Output")]
    pub exit_code: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Show what differs between versions
    ///
    /// Decides as each of these versions of kube-scheduler does, and shows where they differ and by
    /// which rules. Of several pods, it shows those that change.
    #[arg(long, value_name = "VERSION,...", value_delimiter = ',')]
    pub compare: Vec<String>,

    /// With --compare: also running pods, as if recreated
    ///
    /// Each running pod is tried as if it were deleted and created again: those that the versions
    /// would place differently are listed. Takes the longer, the more pods run.
    #[arg(long, requires = "compare", hide_short_help = true)]
    pub running: bool,
}

/// What is asked, with checked values.
pub(super) struct ExplainQuery<'a> {
    pub(super) request: ExplainRequest,
    pub(super) options: InputOptions<'a>,
    /// The versions that are compared; none if one version decides.
    pub(super) versions: Vec<SchedulerVersion>,
    /// Whether they are also compared about running pods.
    pub(super) running: bool,
}

impl ExplainArgs {
    /// Checks the flags.
    ///
    /// # Errors
    /// [`Error::Usage`] for invalid values, and for flags that do not go together.
    pub(super) fn check(&self) -> Result<ExplainQuery<'_>, Error> {
        let targets = target::parse(&self.pods)?;
        target::check_all_namespaces(&targets, self.all_namespaces)?;
        if target::name_groups(&targets) {
            self.check_groups(&targets)?;
        }
        if self.as_scheduled && self.input.scheduler.call_extenders {
            return Err(Error::usage(
                "--as-scheduled would ask extenders once per start: it does not go with --call-extenders",
            ));
        }
        if self.seed.is_some() && !self.as_scheduled {
            return Err(Error::usage("--seed needs --as-scheduled"));
        }
        let options = self.input.check()?;
        let versions = if self.compare.is_empty() {
            Vec::new()
        } else {
            self.check_compare()?;
            compare::versions(&self.compare)?
        };
        let starts = self.as_scheduled.then(|| self.seed.map_or(Starts::All, Starts::Seed));
        let remedies = match self.output {
            Format::Own(format) => format.tells_remedies(),
            Format::Text
            | Format::Wide
            | Format::Json
            | Format::Yaml
            | Format::Html
            | Format::Kubectl(_) => true,
        };
        let all_namespaces = self.all_namespaces;
        let request = ExplainRequest {
            targets,
            all_namespaces,
            starts,
            remedies,
            why_not: self.why_not.clone(),
        };
        Ok(ExplainQuery { request, options, versions, running: self.running })
    }

    /// Rejects the flags that conflict with groups.
    fn check_groups(&self, targets: &[Target]) -> Result<(), Error> {
        if !targets.iter().all(Target::is_group) {
            return Err(Error::usage("groups and pods are explained by separate commands"));
        }
        let refused = [
            ("--nodes", self.nodes),
            ("--as-scheduled", self.as_scheduled),
            ("--why-not", self.why_not.is_some()),
            ("--compare", !self.compare.is_empty()),
        ];
        if let Some((flag, _)) = refused.into_iter().find(|(_, given)| *given) {
            return Err(Error::usage(format!(
                "{flag} shows decisions about single pods: it does not go with a group"
            )));
        }
        match self.output {
            Format::Own(ShareFormat::Csv | ShareFormat::Markdown | ShareFormat::Dot) => {
                Err(groups::shows_no_groups(&self.output))
            }
            Format::Text
            | Format::Wide
            | Format::Json
            | Format::Yaml
            | Format::Html
            | Format::Kubectl(_)
            | Format::Own(ShareFormat::Name) => Ok(()),
        }
    }

    /// Rejects the flags that conflict with `--compare`.
    fn check_compare(&self) -> Result<(), Error> {
        match self.output {
            Format::Text | Format::Wide | Format::Json | Format::Yaml | Format::Html => {}
            Format::Kubectl(_) | Format::Own(_) => return Err(shows_one_decision(&self.output)),
        }
        if self.input.scheduler.scheduler_version.is_some() {
            return Err(Error::usage(
                "--compare names the versions: it does not go with --scheduler-version",
            ));
        }
        if self.as_scheduled {
            return Err(Error::usage(
                "--as-scheduled shows one decision: it does not go with --compare",
            ));
        }
        if self.why_not.is_some() {
            return Err(Error::usage(
                "--why-not shows one decision: it does not go with --compare",
            ));
        }
        if self.nodes {
            return Err(Error::usage("--nodes shows one decision: it does not go with --compare"));
        }
        Ok(())
    }

    /// The exit code: that no node takes a pod counts only with `--exit-code`.
    pub(super) fn exit(&self, exit: Exit) -> Exit {
        if self.exit_code { exit } else { exit.as_answer() }
    }

    /// How a report about all that is asked is printed.
    pub(super) fn printing<'a>(
        &'a self,
        list: &'a ListArgs,
        global: &'a GlobalFlags,
    ) -> Printing<'a, ShareFormat> {
        Printing { format: &self.output, list, global }
    }
}

/// The error for a format that shows a single decision.
pub(super) fn shows_one_decision(format: &Format<ShareFormat>) -> Error {
    Error::usage(format!(
        "-o {} shows one decision: --compare prints text, wide, json, yaml or html",
        format.name()
    ))
}
