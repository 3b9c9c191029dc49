//! The flags of `explain`, and its exit code.

use crate::cli::input::InputArgs;
use crate::cli::printer::{self, ExplainFormat};
use crate::exit::Exit;
use engine::decision::{Decision, Explanation, OutcomeKind};

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
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::formats(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ExplainFormat,

    /// Show every node, one row each
    ///
    /// With -o json, also how much room each has for the pod: `nodes[].room`.
    #[arg(long, help_heading = "Output")]
    pub nodes: bool,

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

    /// Exit with 1 if no node takes a pod, even by preemption
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
}

impl ExplainArgs {
    /// The exit code after this explanation. Whether the pod runs is not certain if another one
    /// takes the room.
    pub fn exit_after(&self, explanation: &Explanation) -> Exit {
        let loses_room = explanation.competitors.is_certain();
        let own = self.exit(&explanation.decision);
        if loses_room { own.or_worse(Exit::Partial) } else { own }
    }

    /// The exit code after this decision.
    pub fn exit(&self, decision: &Decision) -> Exit {
        let stays = matches!(decision.kind(), OutcomeKind::Unschedulable | OutcomeKind::Error(_));
        let unschedulable = stays && decision.awaited().is_none();
        match (decision.is_unsure(), self.exit_code && unschedulable) {
            (true, _) => Exit::Partial,
            (false, true) => Exit::No,
            (false, false) => Exit::Answered,
        }
    }
}
