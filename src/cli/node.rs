//! `kubectl preempt node`: whether nodes can be removed, and what prevents it.

use super::flags::GlobalFlags;
use super::input::{InputArgs, LoadedInput};
use super::listing::{self, ListArgs, ListFormat};
use super::printer::DetailedFormat;
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use crate::program;
use answers::similar::{did_you_mean, similar_names};
use engine::cluster::Kind;
use engine::profile::Profile;
use engine::simulation::removal::{self, NodesRemoval, RemovalRequest};
use render::node::page;

const EXAMPLES: &str = "\
Examples:
  # Can this node go away, and why has it not been removed?
  kubectl preempt node worker-3

  # Can all nodes of a pool go away one after the other, and in which order?
  kubectl preempt node -l pool=spot

  # A rolling upgrade with one fresh node: in which order does it get through?
  kubectl preempt node worker-2 worker-3 --surge 1";

/// Say whether nodes can go away, and what keeps them
///
/// Drains each node in thought, as kubectl drain does: what the eviction API permits leaves, its
/// owners replace it, kube-scheduler decides about the replacements and about the pods that wait
/// already, and the budgets count again. A node can be drained if every pod of it gets another
/// node. Which pod comes first is a matter of chance: unless that makes no difference, many orders
/// are tried, and what depends on them is said (exit code 3 if the answer does). Nothing is written
/// to the cluster.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
#[command(mut_arg("selector", |arg| arg.help("The nodes with these labels, e.g. pool=spot")))]
pub struct NodeArgs {
    /// Nodes; several go away one after the other
    #[arg(value_name = "NODE")]
    pub nodes: Vec<String>,

    /// Number of fresh nodes that are there while one goes, as in a rolling upgrade
    ///
    /// They are like those that go, and each takes the place of one that went. Without it the nodes
    /// go away for good.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=100),
           hide_default_value = true)]
    pub surge: u16,

    /// Every pod; otherwise the first 20 of each node
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<DetailedFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<DetailedFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// Reads, simulates the drain and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(
    args: &NodeArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let names = names(&args.nodes)?;
    match (names.is_empty(), &args.input.selector) {
        (true, None) => {
            let problem = "no node is named";
            let example = program::command("node worker-3");
            let hint = format!("name one, e.g. {example}, or select nodes with -l");
            return Err(Error::usage_hint(problem, hint).into());
        }
        (false, Some(_)) => {
            let problem = "a node cannot be named together with a label selector (-l)";
            return Err(Error::usage_hint(problem, "leave one of them out").into());
        }
        _ => {}
    }
    args.input.scheduler.reject_extenders("node changes the cluster in thought")?;
    let mut options = args.input.check()?;
    options.with_events();
    let input = options.read(&[], global, connection)?;
    input.check_nodes()?;
    let nodes = chosen(&names, &input)?;
    warn_of_events(&input, global);
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let request = RemovalRequest {
        nodes: &nodes,
        surge: usize::from(args.surge),
        profiles: &profiles,
        now: input.now,
    };
    let mut found = removal::assess(&input.cluster, request);
    let json = |found: &NodesRemoval| {
        let (header, now) = (&input.cluster.header, input.now);
        to_json::node_removal_list(found, header, &input.profile, input.source, now)
    };
    let mut items = std::mem::take(&mut found.nodes);
    args.list.sort(&mut items, |items| {
        output::to_value(&json(&NodesRemoval { nodes: items.to_vec(), ..found.clone() }))
    })?;
    found.nodes = items;
    let text = match &args.output {
        ListFormat::Own(DetailedFormat::Text | DetailedFormat::Wide) => {
            let extent = args.output.extent(args.all);
            page(&found, &input.profile, &input.origin(), extent)
                .print(output::paper_for(extent, global))
        }
        ListFormat::Own(format) => format.encode(&json(&found))?,
        ListFormat::Kubectl(format) => {
            format.text(&json(&found), !args.list.no_headers, output::paper(global))?
        }
    };
    pager::print(&text, global)?;
    Ok(exit(&found))
}

/// The nodes of `NODE`, `node/NODE` or `NODE,NODE`, deduplicated.
fn names(arguments: &[String]) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for argument in arguments {
        let name = match argument.split_once('/') {
            None => argument.as_str(),
            Some(("node" | "nodes" | "no", name)) => name,
            Some(_) => {
                let problem = format!("`{argument}` is not a node");
                return Err(Error::usage_hint(problem, "write it as NODE or node/NODE"));
            }
        };
        for name in name.split(',').filter(|name| !name.is_empty()) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// The nodes that are named, or that the labels select.
fn chosen(names: &[String], input: &LoadedInput) -> Result<Vec<String>, Error> {
    let cluster = &input.cluster;
    for name in names {
        if cluster.find_node(name).is_none() {
            let all = cluster.nodes.iter().map(|node| cluster.text(node.name));
            let hint = did_you_mean(&similar_names(name, all));
            return Err(Error::NotFound { resource: "nodes".to_owned(), name: name.clone(), hint });
        }
    }
    if !names.is_empty() {
        return Ok(names.to_vec());
    }

    let mut selected = Vec::new();
    for node in &cluster.nodes {
        if input.selector.matches(cluster.labels(node.labels)) {
            selected.push(cluster.text(node.name).to_owned());
        }
    }
    if selected.is_empty() {
        let problem = format!("none of {} nodes has these labels (-l)", cluster.nodes.len());
        let hint = "kubectl get nodes --show-labels shows them";
        return Err(Error::usage_hint(problem, hint));
    }
    Ok(selected)
}

/// Warns that the verdicts of autoscalers are unknown without Events.
fn warn_of_events(input: &LoadedInput, global: &GlobalFlags) {
    let unreadable = &input.cluster.header.unreadable;
    if let Some(missing) = unreadable.iter().find(|missing| missing.kind() == Some(Kind::Event)) {
        let text = format!(
            "events could not be read ({}): what an autoscaler said about the node is not known",
            missing.reason
        );
        output::warn(global, &text);
    }
}

fn exit(removal: &NodesRemoval) -> Exit {
    match (removal.is_unsure(), removal.all_can()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::Answered,
        (false, false) => Exit::No,
    }
}
