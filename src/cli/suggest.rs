//! `kubectl preempt suggest`: the smallest change that lets a pod in and loses no pod.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputArgs, InputOfCommand as _, LoadedInput};
use super::listing::{self, ListFormat};
use super::printer::DetailedFormat;
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::headline::rules_in_short;
use answers::suggest::{Item, SuggestAnswer};
use answers::target::{self, Target};
use engine::cluster::{Cluster, PodIx};
use engine::simulation::sequence::queue_order;
use engine::simulation::suggest::many::for_many;
use engine::simulation::suggest::{SuggestSettings, for_pod};
use render::suggest::page;

const EXAMPLES: &str = "\
Examples:
  # Which pods have to move so that web-1 fits and no pod is lost?
  kubectl preempt suggest web-1 -n shop

  # Which single action lets in the most pending pods, and how many nodes place them all?
  kubectl preempt suggest -A

  # Only the commands
  kubectl preempt suggest web-1 -o jsonpath='{range .items[0].moves.commands[*]}{@}{\"\\n\"}{end}'";

/// The most kinds of pods for which a way is looked for one by one.
const MOST_KINDS: usize = 3;

/// Suggest the smallest change that lets a pod in and loses no pod
///
/// Looks for running pods that can move to other nodes so that the pod fits: as few as possible, of
/// a priority as low as possible, then those whose restart costs the least. PodDisruptionBudgets
/// are kept, and pods that no controller creates again stay where they are. Each suggestion was
/// played through by kube-scheduler's decision, each replacement and the pod itself. Says whether
/// it is the smallest, or the best that was found. Also what else helps without an eviction: a
/// change of the pod or of a node, and the smallest node to add. Of several pods: which single
/// action lets in the most of them, and how many nodes place them all. Without POD: every pending
/// pod of the namespace. Nothing is written to the cluster: the commands are printed.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
pub struct SuggestArgs {
    /// Pending pods, or owners of pods (default: all pending pods)
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Every pod and note; otherwise the first of each
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<DetailedFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<DetailedFormat>,
}

/// Reads, searches and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to look for.
pub fn run(
    args: &SuggestArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let targets = target::parse(&args.pods)?;
    target::check_all_namespaces(&targets, args.all_namespaces)?;
    args.input.scheduler.reject_extenders("suggest changes the cluster in thought")?;
    let options = args.input.check()?;
    let input = options.read(&targets, global, connection)?;
    let pods = waiting(&input, &targets, args.all_namespaces, global)?;
    let answer = answer(&input, &pods);
    let profile = &input.profile;
    let json = || to_json::suggestion_list(&answer, &input.cluster, profile, input.source);
    let text = match &args.output {
        ListFormat::Own(DetailedFormat::Text | DetailedFormat::Wide) => {
            let extent = args.output.extent(args.all);
            page(&answer, &input.origin(), &rules_in_short(profile), extent)
                .print(output::paper_for(extent, global))
        }
        ListFormat::Own(format) => format.encode(&json())?,
        ListFormat::Kubectl(format) => format.text(&json(), true, output::paper(global))?,
    };
    pager::print(&text, global)?;
    let exit = match (answer.is_unsure(), answer.helps()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::Answered,
        (false, false) => Exit::No,
    };
    Ok(ending.end(input.exit(&targets, exit)))
}

/// The waiting pods among the requested ones.
fn waiting(
    input: &LoadedInput,
    targets: &[Target],
    all_namespaces: bool,
    global: &GlobalFlags,
) -> Result<Vec<PodIx>, Error> {
    let cluster = &input.cluster;
    let mut pods = input.pods(targets, all_namespaces, global)?;
    let first = pods.first().copied();
    pods.retain(|pod| cluster.pod(*pod).is_waiting());
    if let (true, Some(first)) = (pods.is_empty(), first) {
        let name = cluster.pod_name(first);
        let state = if cluster.pod(first).is_active() {
            format!("is on node {} already", cluster.text(cluster.pod(first).node_name))
        } else {
            "has finished".to_owned()
        };
        return Err(Error::usage_hint(
            format!("pod {name} {state}: there is nothing to let in"),
            "kubectl preempt headroom says how many more of it fit",
        ));
    }
    Ok(pods)
}

fn answer(input: &LoadedInput, pods: &[PodIx]) -> SuggestAnswer {
    let cluster = &input.cluster;
    let mut answer = SuggestAnswer::default();
    let settings = |pod: PodIx| {
        let profile = input.profiles().nth(input.view_of(pod)).unwrap_or(&input.profile);
        SuggestSettings { profile, now: input.now }
    };
    let mut asked: Vec<PodIx> = queue_order(pods, cluster);
    if let ([_, _, ..], Some(first)) = (pods, asked.first().copied()) {
        let many = for_many(cluster, pods, settings(first));
        // A pod that fits already needs no suggestion.
        asked.retain(|pod| {
            let pod = cluster.pod(*pod);
            let namespace = cluster.text(pod.namespace);
            !many.fit_now.iter().any(|id| id.namespace == namespace && *id.name == *pod.name)
        });
        answer.many = Some(many);
    }

    // Similar pods get the same suggestion, so one represents all of them.
    let mut kinds: Vec<(PodIx, usize)> = Vec::new();
    for pod in asked {
        match kinds.iter_mut().find(|(known, _)| is_like(*known, pod, cluster)) {
            Some((_, alike)) => *alike += 1,
            None => kinds.push((pod, 1)),
        }
    }
    answer.others = kinds.len().saturating_sub(MOST_KINDS);
    for (pod, alike) in kinds.into_iter().take(MOST_KINDS) {
        answer.items.push(Item { suggestion: for_pod(cluster, pod, settings(pod)), alike });
    }
    answer
}

fn is_like(one: PodIx, other: PodIx, cluster: &Cluster) -> bool {
    let (one, other) = (cluster.pod(one), cluster.pod(other));
    one.is_scheduled_like(other) && one.nominated_node == other.nominated_node
}
