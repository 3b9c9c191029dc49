//! `kubectl preempt risk`: which running pods can be preempted, by which pods.

mod preemptor;

use clap::ValueEnum;

use self::preemptor::PreemptorArgs;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputArgs, LoadedInput};
use super::printer;
use super::subject::{self, Target};
use super::{nodeless, output, pager};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::cluster::pod::PodIx;
use engine::risk;
use render::headline::rules_in_short;
use render::origin::Place;
use render::risk::{html, metrics, page};

const EXAMPLES: &str = "\
Examples:
  # Which running pods of the namespace can be preempted, and by which priority classes?
  kubectl preempt risk

  # Can one preemptor take all replicas of this deployment at once?
  kubectl preempt risk deploy/web -n shop

  # Which pods does a pod of this shape preempt on a node? (--for deploy/batch: one more pod of a deployment)
  kubectl preempt risk node/worker-1 --requests cpu=4,memory=8Gi --priority high";

/// Show which running pods can be preempted, by which pods, and what holds them
///
/// Without --for and --requests: by pods of any priority class, and by the pods that wait now. `safe`: no such pod can preempt
/// it. `exposed`: it can be preempted, but no pod does so now. `victim`: a pod that waits has it among its victims on a
/// candidate node. With --for or --requests: by that pod alone, on the current cluster. ALL AT ONCE: all pods of the
/// workload run on one node, so that one preemptor can take all of them. Without POD: the running pods of the namespace.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
pub struct RiskArgs {
    /// Running pods, owners of pods, or nodes (node/NAME)
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// The preemptor.
    #[command(flatten)]
    pub preemptor: PreemptorArgs,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, json, yaml, html or prometheus
    ///
    /// prometheus is for the textfile collector of a node exporter.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::words::<RiskFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: RiskFormat,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RiskFormat {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// A page for the browser.
    Html,
    /// Metrics in Prometheus' text format.
    Prometheus,
}

/// What is asked about.
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
    let asked = parse(&args.pods)?;
    let targets: &[Target] = match &asked {
        Asked::Targets(targets) => targets,
        Asked::Nodes(_) => &[],
    };
    if args.all_namespaces && !targets.is_empty() {
        return Err(Error::usage("a pod cannot be named together with --all-namespaces; -n names its namespace").into());
    }
    if args.input.scheduler.call_extenders {
        return Err(
            Error::usage("risk also decides for pods that do not exist: it does not go with --call-extenders").into()
        );
    }
    let preemptor = args.preemptor.check()?;
    let options = args.input.check()?;
    let wanted: Vec<Target> = targets.iter().chain(preemptor.target()).cloned().collect();
    let mut input = options.read(&wanted, global, connection)?;
    if let Place::File(file) = &input.place {
        nodeless::check(&input.cluster, file)?;
    }
    let named = preemptor.add_to(&mut input)?;
    let pods = running(&asked, args.all_namespaces, &input)?;
    if pods.is_empty() {
        output::say(global, "No running pods are meant.");
    }
    let views = input.views(None);
    let found = risk::assess(&views, &|pod| input.view_of(pod), &pods, &named, input.now);
    let json = || render::json::risk_list(&found, &input.cluster, &input.profile, input.source);
    let text = match args.output {
        RiskFormat::Text => {
            let rules = rules_in_short(&input.profile);
            page(&found, &input.cluster, &input.origin(), &rules).print(output::paper(global))
        }
        RiskFormat::Json => output::json(&json())?,
        RiskFormat::Yaml => output::yaml(&json())?,
        RiskFormat::Html => html(&found, &input.cluster),
        RiskFormat::Prometheus => metrics(&found),
    };
    pager::print(&text, global)?;
    Ok(ending.end(if found.is_unsure() { Exit::Partial } else { Exit::Answered }))
}

/// Reads `node/NAME …`, `node NAME …`, or what `subject::parse` reads.
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
        return Ok(Asked::Nodes(names.to_vec()));
    }
    let nodes: Vec<String> = arguments.iter().filter_map(pair).collect();
    match nodes.len() {
        0 => subject::parse(arguments).map(Asked::Targets),
        all if all == arguments.len() => Ok(Asked::Nodes(nodes)),
        _ => Err(Error::usage("name either nodes or pods and their owners, not both")),
    }
}

/// The running pods that are asked about.
fn running(asked: &Asked, all_namespaces: bool, input: &LoadedInput) -> Result<Vec<PodIx>, Error> {
    let cluster = &input.cluster;
    let mut pods = Vec::new();
    match asked {
        Asked::Targets(targets) if targets.is_empty() => {
            return Ok(subject::running(input.pod_filter(all_namespaces), cluster));
        }
        Asked::Targets(targets) => {
            for target in targets {
                let all = subject::all(target, &input.namespace, cluster)?;
                let on_nodes: Vec<PodIx> = all.into_iter().filter(|pod| cluster.pod(*pod).is_running()).collect();
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
    let problem = format!("no pod of {kind}/{} runs on a node: only running pods are preempted", target.name);
    Error::usage_hint(problem, "kubectl preempt explain says why a pod waits")
}
