//! `kubectl preempt why-evicted`: after the fact, who preempted or evicted a pod, and why.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::answer::{self, Deliver};
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{self, InputArgs, LoadedInput};
use super::listing::{self, ListArgs, ListFormat};
use super::output;
use super::printer::DetailedFormat;
use crate::api::flags::{self, ConnectionFlags};
use crate::error::Error;
use crate::exit::Exit;
use answers::evictions::{EventGap, EvictionAnswer};
use answers::headline::rules_in_short;
use answers::target;
use engine::cluster::Cluster;
use engine::cluster::pod::Phase;
use engine::decision::unread::Question;
use engine::disruption::rerun::{self, NoRerun, Rerun};
use engine::disruption::{self, Disruption, EvictionCause, PodState, RecordedPreemptor};
use engine::simulation::plan::PodId;
use json::disruption::DisruptionList;
use render::disruption::page;

const EXAMPLES: &str = "\
Examples:
  # Who preempted this pod, and why? Its UID, which events name, will do
  kubectl preempt why-evicted web-6d4cf56db6-q7rtz -n shop

  # What was evicted in the last hour, and by which pods?
  kubectl preempt why-evicted -A --since 1h

  # Why this pod and not its neighbours? The decision is run again on an earlier snapshot
  kubectl preempt why-evicted web-1 --before preempt-snapshot-20260601T120000Z.snap";

/// Say why a pod was evicted: which pod preempted it, or what else ended it
///
/// Reads Events, the pods that are left and their conditions. A cause is named only where one of
/// them says so; what cannot be known is said (exit code 3). Events are kept for one hour by
/// default. With --before, the decision of a preemption is run again on an earlier snapshot: why
/// this pod and not its neighbours, and what would have spared it. Without POD: what was evicted in
/// the namespace.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to explain")]
pub struct WhyEvictedArgs {
    /// Names or UIDs of pods, which may be gone
    #[arg(value_name = "POD | UID")]
    pub gone: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Without names: only what happened in this time until now (e.g. 30m, 12h, 1d)
    #[arg(long, value_name = "DURATION", value_parser = flags::parse_age)]
    pub since: Option<Duration>,

    /// Run the decision again on a snapshot from before the preemption
    #[arg(long, value_name = "FILE|DIR")]
    pub before: Option<String>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// text has a row for each of several pods, wide everything that is known of each.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<DetailedFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<DetailedFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// Reads the traces of evictions and prints their interpretation.
///
/// # Errors
/// When flags, input or cluster give nothing to look at.
pub fn run(
    args: &WhyEvictedArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let formats = [args.output.clone()];
    answer(args, &formats, global, connection, &mut |answer| answer.print(global, ending))
}

/// Reads the traces, and passes their interpretation in each of the formats to `deliver`.
///
/// # Errors
/// When flags, input or cluster give nothing to look at.
pub(super) fn answer(
    args: &WhyEvictedArgs,
    formats: &[ListFormat<DetailedFormat>],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    if args.input.selector.is_some() {
        return Err(Error::usage(
            "pods that are gone have no labels: -l does not go with why-evicted",
        )
        .into());
    }
    if args.since.is_some() && !args.gone.is_empty() {
        return Err(Error::usage("--since limits the list: it does not go with a pod").into());
    }
    let names =
        args.gone.iter().map(|name| Name::parse(name)).collect::<Result<Vec<Name>, Error>>()?;
    let mut options = args.input.check()?;
    options.for_the_past();
    let before = args.before.as_deref().map(|file| input::read_file(file, global)).transpose()?;
    let input = options.read(&[], global, connection)?;

    let mut answers = Vec::new();
    for found in chosen(&names, args, &input) {
        let rerun = before.as_ref().and_then(|before| run_again(&found, before, &input));
        answers.push(EvictionAnswer { found, rerun });
    }
    let gap = gap(&input.cluster);
    let gap = gap.as_ref();
    args.list.sort(&mut answers, |answers| output::to_value(&json(answers, gap, &input)))?;

    let mut texts = Vec::with_capacity(formats.len());
    for format in formats {
        texts.push(match format {
            ListFormat::Own(DetailedFormat::Text | DetailedFormat::Wide) => {
                let extent = format.extent(false);
                let rules = rules_in_short(&input.profile);
                page(&answers, gap, &input.origin(), &rules, extent)
                    .print(output::paper_for(extent, global))
            }
            ListFormat::Own(format) => format.encode(&json(&answers, gap, &input))?,
            ListFormat::Kubectl(format) => {
                let items = json(&answers, gap, &input);
                format.text(&items, !args.list.no_headers, output::paper(global))?
            }
        });
    }

    // A list may lack pods that were evicted before the oldest Event; an answer about a pod that
    // was named says so itself.
    let complete = gap.is_none() || !names.is_empty();
    let known = complete && answers.iter().all(EvictionAnswer::is_known);
    let exit = if known { Exit::Answered } else { Exit::Partial };
    deliver(answer::CommandAnswer { texts, exit })
}

fn json(answers: &[EvictionAnswer], gap: Option<&EventGap>, input: &LoadedInput) -> DisruptionList {
    to_json::disruption_list(answers, gap, &input.cluster.header, input.source)
}

/// A pod argument.
struct Name {
    namespace: Option<String>,
    /// A name or a UID.
    word: String,
}

impl Name {
    fn parse(word: &str) -> Result<Self, Error> {
        let target = target::parse(&[word.to_owned()])?.into_iter().next();
        match target {
            Some(target) if target.kind == "Pod" => {
                Ok(Self { namespace: target.namespace, word: target.name })
            }
            _ => Err(Error::usage_hint(
                format!("`{word}` is not a pod"),
                "without a name it lists what was evicted in the namespace",
            )),
        }
    }
}

/// The named pods, with or without traces, or the evicted pods.
fn chosen(names: &[Name], args: &WhyEvictedArgs, input: &LoadedInput) -> Vec<Disruption> {
    let all = disruption::find(&input.cluster);
    if names.is_empty() {
        return evicted(all, args, input);
    }
    let mut chosen = Vec::new();
    for name in names {
        let namespace = name.namespace.as_deref().unwrap_or(&input.namespace);
        let any_namespace = args.all_namespaces && name.namespace.is_none();
        let before = chosen.len();
        for found in &all {
            let is_here = any_namespace || found.pod.namespace == namespace;
            if found.pod.uid == name.word || is_here && found.pod.name == name.word {
                chosen.push(found.clone());
            }
        }
        if chosen.len() == before {
            chosen.push(without_traces(name, namespace, &input.cluster));
        }
    }
    chosen
}

/// The pods that were evicted in the namespace, since the time that was asked for. A pod whose
/// owner deleted it, or of which only its end is known, was not evicted.
fn evicted(all: Vec<Disruption>, args: &WhyEvictedArgs, input: &LoadedInput) -> Vec<Disruption> {
    let since: Option<Timestamp> = args.since.and_then(|since| {
        let since = SignedDuration::try_from(since).ok()?;
        input.now.checked_sub(since).ok()
    });
    let mut evicted = Vec::new();
    for found in all {
        let is_here = args.all_namespaces || found.pod.namespace == input.namespace;
        // A pod without a time may be recent.
        let is_too_old = match (since, found.time) {
            (Some(since), Some(time)) => time < since,
            (None, _) | (_, None) => false,
        };
        let was_evicted =
            !matches!(found.cause, EvictionCause::Owner { .. } | EvictionCause::Unknown);
        if is_here && was_evicted && !is_too_old {
            evicted.push(found);
        }
    }
    evicted
}

/// A pod without traces of an eviction.
fn without_traces(name: &Name, namespace: &str, cluster: &Cluster) -> Disruption {
    let pod = cluster.find_pod(namespace, &name.word).map(|ix| cluster.pod(ix));
    let text = |sym| cluster.text(sym).to_owned();
    let exits = pod.and_then(|pod| pod.end.as_ref()).map(|end| end.exits.to_vec());
    Disruption {
        pod: PodId {
            namespace: namespace.to_owned(),
            name: name.word.clone(),
            uid: pod.map(|pod| pod.uid.to_string()).unwrap_or_default(),
        },
        cause: EvictionCause::Unknown,
        time: None,
        node: pod.map(|pod| text(pod.node_name)).filter(|node| !node.is_empty()),
        priority: pod.map(|pod| pod.priority),
        state: match pod {
            Some(pod) if pod.phase != Phase::Active => PodState::Finished,
            Some(_) => PodState::There,
            None => PodState::Gone,
        },
        exits: exits.unwrap_or_default(),
        sources: Vec::new(),
    }
}

/// Repeats the decision of a preemption on an earlier snapshot; `None` if the pod was not
/// preempted.
fn run_again(
    found: &Disruption,
    before: &Cluster,
    input: &LoadedInput,
) -> Option<Result<Rerun, NoRerun>> {
    let EvictionCause::Preempted(by) = &found.cause else { return None };
    let preemptor = match by {
        RecordedPreemptor::Pod { pod, .. } => pod.clone(),
        RecordedPreemptor::Uid { kind, uid } if kind == "pod" => {
            PodId { namespace: String::new(), name: String::new(), uid: uid.clone() }
        }
        RecordedPreemptor::Uid { .. } | RecordedPreemptor::NotNamed { .. } => {
            return Some(Err(NoRerun::PreemptorNotKnown));
        }
    };
    let now = before
        .header
        .captured_at
        .as_deref()
        .and_then(|time| time.parse().ok())
        .unwrap_or(input.now);
    Some(rerun::run(before, &input.profile, &found.pod, &preemptor, now))
}

/// Why Events may be missing.
fn gap(cluster: &Cluster) -> Option<EventGap> {
    let mut kinds = Question::WhyEvicted.kinds().map(|needed| needed.kind);
    kinds.find_map(|kind| match cluster.unread(kind) {
        Some(missing) => Some(EventGap::Refused(missing.reason.clone())),
        None => cluster.may_lack(kind).then_some(EventGap::NotInInput),
    })
}
