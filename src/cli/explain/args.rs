//! The flags of `explain`, and how they choose its exit code.

use crate::cli::input::InputArgs;
use crate::cli::printer::{self, ExplainFormat};
use crate::exit::Exit;
use engine::decision::{Decision, Outcome};

/// Explain what kube-scheduler decides about a pod, and why
///
/// Without POD: about every pod of the namespace that waits for a node. TYPE/NAME may name an owner, such as deploy/web,
/// whose waiting pods are meant.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(after_help = Exit::help())]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub struct ExplainArgs {
    /// Pods, or owners of pods
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Output format. `name` is pod/NAME of every victim on the nodes that the scheduler may pick, or node/NAME where none is
    /// evicted, one per line for `xargs -L1 kubectl get`; if a victim is in another namespace than the pod, -n NAMESPACE follows
    /// each name. A jsonpath template is kubectl's, over what `-o json` prints
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::formats(), default_value = "text")]
    pub output: ExplainFormat,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Decide as each of these versions of kube-scheduler does, and show where they differ and by which rules; of several
    /// pods, those that change
    #[arg(long, value_name = "1.MINOR,1.MINOR,...", value_delimiter = ',')]
    pub compare: Vec<String>,

    /// Also show what the scheduler itself may pick, and how likely: it stops looking once it has seen enough nodes, so that
    /// depends on where it starts
    #[arg(long)]
    pub as_scheduled: bool,

    /// With --as-scheduled: one start instead of all, the node of that number in the scheduler's order, counted around
    #[arg(long, value_name = "N", requires = "as_scheduled")]
    pub seed: Option<u64>,

    /// Show every node, one row each
    #[arg(long)]
    pub nodes: bool,

    /// Exit with 1 if no node takes a pod and preemption does not help; with --compare: in one of the versions
    #[arg(long)]
    pub exit_code: bool,
}

impl ExplainArgs {
    /// The exit code after these decisions.
    pub fn exit<'d>(&self, decisions: impl Iterator<Item = &'d Decision<'d>> + Clone) -> Exit {
        let unsure = decisions.clone().any(Decision::is_unsure);
        let unschedulable =
            decisions.into_iter().any(|d| matches!(d.outcome, Outcome::Unschedulable | Outcome::Error(_)));
        match (unsure, self.exit_code && unschedulable) {
            (true, _) => Exit::Partial,
            (false, true) => Exit::No,
            (false, false) => Exit::Answered,
        }
    }
}
