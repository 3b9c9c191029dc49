//! `kubectl preempt risk`: which running pods can be preempted, by which pods.

use clap::ValueEnum;

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputArgs;
use super::printer;
use super::printing::{self, Format, ListArgs, Printing};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::risk::{PreemptorRequest, RiskReport, RiskRequest, RiskSubject, risk};
use answers::target;
use engine::matrix::MatrixKey;
use render::risk as drawn;
use render::safe::Printable;

const EXAMPLES: &str = "\
Examples:
  # Which running pods of the namespace can be preempted, and by which priority classes?
  kubectl preempt risk

  # Can one preemptor take all replicas of this deployment at once?
  kubectl preempt risk deploy/web -n shop

  # Which pods does a pod of this shape preempt on a node? (--for deploy/batch: one more pod of a deployment)
  kubectl preempt risk node/worker-1 --requests cpu=4,memory=8Gi --priority high";

/// Show which running pods can be preempted, and by which pods
///
/// Without --for and --requests: by pods of any priority class, and by the pods that wait now.
/// `safe`: no such pod can preempt it. `preemptible`: it can be preempted, but no pod does so now.
/// `about to be evicted`: kube-scheduler evicts it for a pending pod, if the pending pods get their turns
/// in queue order. `on runner-up nodes`: a pending pod could also be placed by evicting it, on a node
/// that is not chosen. With --for or --requests: by that pod alone, on the current cluster. ALL AT
/// ONCE: all running pods of the workload are on one node, so that one preemptor can take all of
/// them. Without POD: the running pods of the namespace.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
pub struct RiskArgs {
    /// Running pods, owners of pods, or nodes (node/NAME)
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// By this pod, or by one more pod of this owner
    #[arg(long = "for", value_name = "POD | TYPE/NAME")]
    pub preemptor: Option<String>,

    /// By a pod of this priority or priority class; with --for, instead of its own
    #[arg(long, value_name = "NUMBER | CLASS")]
    pub priority: Option<String>,

    /// By a pod that requests this (e.g. cpu=4,memory=8Gi); with --for, instead of its own
    #[arg(long, value_name = "RESOURCE=AMOUNT", value_delimiter = ',')]
    pub requests: Vec<String>,

    /// Show which pods may evict which others, a row for each of these
    ///
    /// By priority and preemptionPolicy: the pods of a class, of a namespace, or those that a user, group or
    /// service account can create (RBAC roles and bindings, quotas of classes), directly or through a
    /// controller. Impersonation and rights to grant roles are not followed.
    #[arg(long, value_name = "class | namespace | subject", conflicts_with_all = ["preemptor", "priority", "requests"],
           value_parser = printer::one_of(MatrixKey::ALL, MatrixKey::name), hide_possible_values = true)]
    pub by: Option<MatrixKey>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, prometheus, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// wide cuts nothing, and has a row for each Job. prometheus is for the textfile collector of a node exporter.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<RiskFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<RiskFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// The formats of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RiskFormat {
    /// Metrics in Prometheus' text format.
    #[value(alias = "openmetrics")]
    Prometheus,
}

impl RiskArgs {
    /// What is asked.
    fn request(&self) -> Result<RiskRequest, Error> {
        let subject = RiskSubject::parse(&self.pods)?;
        target::check_all_namespaces(subject.targets(), self.all_namespaces)?;
        let why = "risk also decides for pods that do not exist";
        self.input.scheduler.reject_extenders(why)?;
        let preemptor = PreemptorRequest::parse(
            self.preemptor.as_deref(),
            self.priority.as_deref(),
            &self.requests,
        )?;
        if self.by.is_some() && matches!(self.output, Format::Own(_)) {
            return Err(Error::usage("--by is not drawn as prometheus; use text or json"));
        }
        Ok(RiskRequest { subject, all_namespaces: self.all_namespaces, preemptor, by: self.by })
    }
}

/// Reads, decides about the preemptors and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(
    args: &RiskArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let request = args.request()?;
    let mut options = args.input.check()?;
    options.in_part();
    if request.by == Some(MatrixKey::Subject) {
        options.with_access();
    }
    let input = options.read(&request.named(), global, connection)?;
    let printing = Printing { format: &args.output, list: &args.list, global };
    let printed = printing.answer_with(
        &input,
        request.in_part(),
        || Ok(risk(&input, &request)?),
        |report, format| Ok(own(report, format)),
    )?;
    Ok(ending.end(printed))
}

fn own(report: &RiskReport, format: RiskFormat) -> Printable {
    match format {
        RiskFormat::Prometheus => drawn::metrics(report),
    }
}
