//! `kubectl preempt headroom`: how many more pods of one kind fit.

use clap::ValueEnum;

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputArgs;
use super::printing::{self, Format, ListArgs, Printing, RowArgs};
use crate::api::flags::ConnectionFlags;
use crate::capture::manifest::ReadManifests;
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::headroom::{HeadroomReport, HeadroomRequest, ModelPod, headroom};
use answers::what_if::{self, WhatIf};
use render::headroom as drawn;
use render::safe::Printable;

const EXAMPLES: &str = "\
Examples:
  # How many more replicas of this deployment fit, by zone and pool, with and without preemption?
  kubectl preempt headroom deploy/web -n shop

  # How many pods of this shape fit? And of this manifest?
  kubectl preempt headroom cpu=4,memory=8Gi,nvidia.com/gpu=1
  kubectl preempt headroom -f deployment.yaml

  # A heat map of the nodes for the browser, and metrics for Prometheus
  kubectl preempt headroom cpu=1,memory=4Gi -o html > room.html
  kubectl preempt headroom cpu=1,memory=4Gi -o openmetrics > preempt.prom";

/// Show how many more pods like one fit
///
/// Places copies of the pod until no more fit: by kube-scheduler's decision one after the other,
/// or node by node where no copy makes a difference for another node. Spreading and anti-affinity
/// count. By the pod's own priority and by each PriorityClass, with preemption of pods of lower
/// priority and without it; by zone, pool and shape of node. Also the largest pod that fits, and
/// whether the nodes are full or what is free lies in too many pieces. Scheduling gates of the pod
/// do not count. Nothing is written to the cluster.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
pub struct HeadroomArgs {
    /// A pod, an owner of pods, or what a pod requests
    ///
    /// Pending or running; one more pod of an owner such as deploy/web. RESOURCE=AMOUNT,... such
    /// as cpu=4,memory=8Gi describes a pod without any other constraint.
    #[arg(value_name = "POD | TYPE/NAME | RESOURCE=AMOUNT,...")]
    pub pods: Vec<String>,

    /// A pod or workload that does not exist yet; - is standard input
    ///
    /// JSON or YAML. Other objects in the files are assumed to be in the cluster.
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filenames: Vec<String>,

    /// Priority or priority class of the pod, instead of its own
    #[arg(long, value_name = "NUMBER | CLASS", allow_negative_numbers = true)]
    pub priority: Option<String>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, openmetrics, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// wide cuts nothing, and has a row for each node. openmetrics is also what Prometheus reads. The items of custom-columns are the priorities.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<HeadroomFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<HeadroomFormat>,

    /// Which rows and headings; the priorities stay in their order.
    #[command(flatten)]
    pub rows: RowArgs,
}

/// The formats of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeadroomFormat {
    /// Metrics in the text format of `OpenMetrics`.
    #[value(alias = "prometheus")]
    Openmetrics,
}

impl HeadroomArgs {
    /// What is asked; reads the manifests.
    fn request(&self) -> Result<HeadroomRequest, Error> {
        let pod = match (self.pods.as_slice(), self.filenames.as_slice()) {
            ([], [_, ..]) => {
                if self.input.reads_stdin() && self.filenames.iter().any(|file| file == "-") {
                    return Err(Error::usage(
                        "standard input can be read once: only one of -f and --from may be -",
                    ));
                }
                ModelPod::New(ReadManifests::of(&self.filenames, false)?.all()?)
            }
            ([_, ..], [_, ..]) => {
                let problem = "a pod is named together with -f";
                return Err(Error::usage_hint(problem, "leave one of them out"));
            }
            (words, []) => ModelPod::parse(words)?,
        };
        // Flags of all commands that read a cluster, which mean nothing for one pod of many.
        if self.input.selector.is_some() {
            let problem = "headroom looks at one pod: it does not go with -l";
            return Err(Error::usage_hint(problem, "name the pod or its owner"));
        }
        self.input.scheduler.reject_extenders("headroom decides for pods that do not exist")?;
        let priority = self.priority.iter();
        let edits = priority.map(|text| what_if::read(WhatIf::Priority, text, "default"));
        Ok(HeadroomRequest { pod, edits: edits.collect::<Result<_, _>>()? })
    }
}

/// Reads, counts and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to count.
pub fn run(
    args: &HeadroomArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let request = args.request()?;
    let mut options = args.input.check()?;
    let targets = match &request.pod {
        ModelPod::Existing(target) => std::slice::from_ref(target),
        ModelPod::New(_) => {
            options.for_new_pods();
            &[]
        }
    };
    options.in_part();
    let input = options.read(targets, global, connection)?;
    let list = &ListArgs { sort_by: None, rows: args.rows.clone() };
    let printing = Printing { format: &args.output, list, global };
    let printed = printing.answer_with(
        &input,
        request.in_part(),
        || Ok(headroom(&input, &request)?),
        |report, format| Ok(own(report, format)),
    )?;
    Ok(ending.end(printed))
}

fn own(report: &HeadroomReport, format: HeadroomFormat) -> Printable {
    match format {
        HeadroomFormat::Openmetrics => drawn::metrics(report),
    }
}
