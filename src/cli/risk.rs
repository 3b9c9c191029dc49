//! `kubectl preempt risk`: which running pods can be preempted, by which pods.

mod preemptor;

use clap::ValueEnum;

use self::preemptor::PreemptorArgs;
use super::answer::{CommandAnswer, Deliver};
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputArgs, LoadedInput};
use super::listing::{self, ListArgs, ListFormat};
use super::output;
use super::printer::ForPeople;
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use crate::program;
use answers::headline::rules_in_short;
use answers::target::{self, Target};
use engine::cluster::PodIx;
use engine::risk::{self, Risk};
use render::risk::{RowOrder, html, metrics, page};

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
/// `safe`: no such pod can preempt it. `exposed`: it can be preempted, but no pod does so now.
/// `evicted now`: kube-scheduler evicts it for a pending pod, if the pending pods get their turns
/// in queue order. `other candidate`: a pending pod could also be placed by evicting it, on a node
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

    /// Every workload, pod and node; otherwise the first 20 of each
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// The preemptor.
    #[command(flatten)]
    pub preemptor: PreemptorArgs,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, prometheus, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// wide cuts nothing, and has a row for each Job. prometheus is for the textfile collector of a node exporter.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<RiskFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<RiskFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RiskFormat {
    /// For people.
    #[default]
    Text,
    /// For people, in full.
    Wide,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// A page for the browser.
    Html,
    /// Metrics in Prometheus' text format.
    Prometheus,
}

impl ForPeople for RiskFormat {
    const WIDE: Self = Self::Wide;
}

/// The subject of the question.
enum Asked {
    /// Pods and owners.
    Targets(Vec<Target>),
    /// Nodes.
    Nodes(Vec<String>),
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
    let formats = [args.output.clone()];
    answer(args, &formats, global, connection, &mut |answer| answer.print(global, ending))
}

/// Reads and decides, and passes the answer in each of the formats to `deliver`.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub(super) fn answer(
    args: &RiskArgs,
    formats: &[ListFormat<RiskFormat>],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    let asked = parse(&args.pods)?;
    let targets: &[Target] = match &asked {
        Asked::Targets(targets) => targets,
        Asked::Nodes(_) => &[],
    };
    target::check_all_namespaces(targets, args.all_namespaces)?;
    args.input.scheduler.reject_extenders("risk also decides for pods that do not exist")?;
    let preemptor = args.preemptor.check()?;
    let options = args.input.check()?;
    let wanted: Vec<Target> = targets.iter().chain(preemptor.target()).cloned().collect();
    let mut input = options.read(&wanted, global, connection)?;
    input.check_nodes()?;
    let named = preemptor.add_to(&mut input)?;
    let pods = running(&asked, args.all_namespaces, &input)?;
    if pods.is_empty() {
        output::say(global, "No running pods are meant.");
    }
    let views = input.views(None);
    let mut found = risk::assess(&views, &|pod| input.view_of(pod), &pods, &named, input.now);
    let json =
        |found: &Risk| to_json::risk_list(found, &input.cluster, &input.profile, input.source);
    let mut workloads = std::mem::take(&mut found.workloads);
    args.list.sort(&mut workloads, |workloads| {
        output::to_value(&json(&Risk { workloads: workloads.to_vec(), ..found.clone() }))
    })?;
    found.workloads = workloads;
    let order = if args.list.sort_by.is_some() { RowOrder::AsGiven } else { RowOrder::MostExposed };
    let mut texts = Vec::with_capacity(formats.len());
    for format in formats {
        texts.push(match format {
            ListFormat::Own(RiskFormat::Text | RiskFormat::Wide) => {
                let rules = rules_in_short(&input.profile);
                let extent = format.extent(args.all);
                page(&found, &input.cluster, &input.origin(), &rules, extent, order)
                    .print(output::paper_for(extent, global))
            }
            ListFormat::Own(RiskFormat::Json) => output::json(&json(&found))?,
            ListFormat::Own(RiskFormat::Yaml) => output::yaml(&json(&found))?,
            ListFormat::Own(RiskFormat::Html) => html(&found, &input.cluster),
            ListFormat::Own(RiskFormat::Prometheus) => metrics(&found),
            ListFormat::Kubectl(format) => {
                format.text(&json(&found), !args.list.no_headers, output::paper(global))?
            }
        });
    }
    let exit = if found.is_unsure() { Exit::Partial } else { Exit::Answered };
    deliver(CommandAnswer { texts, exit })
}

/// Parses `node/NAME …`, `node NAME …`, or what `target::parse` accepts.
fn parse(arguments: &[String]) -> Result<Asked, Error> {
    let is_node = |word: &str| ["node", "nodes", "no"].contains(&word.to_lowercase().as_str());
    let pair = |argument: &String| {
        let (kind, name) = argument.split_once('/')?;
        (is_node(kind) && !name.is_empty()).then(|| name.to_owned())
    };
    if let [kind, names @ ..] = arguments
        && is_node(kind)
        && !names.is_empty()
    {
        return Ok(Asked::Nodes(split(names)));
    }
    let nodes: Vec<String> = arguments.iter().filter_map(pair).collect();
    match nodes.len() {
        0 => Ok(Asked::Targets(target::parse(arguments)?)),
        all if all == arguments.len() => Ok(Asked::Nodes(split(&nodes))),
        _ => Err(Error::usage("name either nodes or pods and their owners, not both")),
    }
}

/// Splits names at commas.
fn split(names: &[String]) -> Vec<String> {
    names
        .iter()
        .flat_map(|names| names.split(','))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The running pods in question.
fn running(asked: &Asked, all_namespaces: bool, input: &LoadedInput) -> Result<Vec<PodIx>, Error> {
    let cluster = &input.cluster;
    let mut pods = Vec::new();
    match asked {
        Asked::Targets(targets) if targets.is_empty() => {
            return Ok(target::running(input.pod_filter(all_namespaces), cluster));
        }
        Asked::Targets(targets) => {
            for target in targets {
                let all = target::all(target, &input.namespace, cluster)?;
                let on_nodes: Vec<PodIx> =
                    all.into_iter().filter(|pod| cluster.pod(*pod).is_running()).collect();
                if on_nodes.is_empty() {
                    return Err(nothing_runs(target));
                }
                pods.extend(on_nodes);
            }
        }
        Asked::Nodes(names) => {
            for name in names {
                let node = cluster.find_node(name).ok_or_else(|| Error::NotFound {
                    resource: "nodes".to_owned(),
                    name: name.clone(),
                    hint: None,
                })?;
                pods.extend(cluster.pods_on(node));
            }
        }
    }
    pods.sort_unstable();
    pods.dedup();
    Ok(pods)
}

fn nothing_runs(target: &Target) -> Error {
    let kind = target.kind.to_lowercase();
    let problem =
        format!("no pod of {kind}/{} runs on a node: only running pods are preempted", target.name);
    Error::usage_hint(problem, program::command("explain says why a pod waits"))
}
