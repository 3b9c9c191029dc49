//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

use std::mem::ManuallyDrop;

use jiff::Timestamp;
use serde::Serialize;

use super::target::{self, Target};
use super::{GlobalFlags, output};
use crate::capture::connection::ConnectionFlags;
use crate::capture::files;
use crate::cluster::Cluster;
use crate::cluster::build::Builder;
use crate::cluster::notes::Severity;
use crate::cluster::pod::PodIx;
use crate::decision::{self, Decision, Outcome};
use crate::error::Error;
use crate::exit::Exit;
use crate::framework::world::World;
use crate::profile::{Profile, SchedulerVersion, VersionSource};
use crate::render::json::{JsonDecision, JsonDecisionList, SourceKind};
use crate::render::text::{self, Detail};

/// Explain what kube-scheduler decides about a pod, and why
///
/// Without POD: about every pod of the namespace that waits for a node. TYPE/NAME may name an owner, such as deploy/web,
/// whose waiting pods are meant.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(after_help = Exit::help())]
pub struct ExplainArgs {
    /// Pods, or owners of pods
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Read objects from a file, a directory or - (standard input) instead of the cluster: what kubectl get -o json|yaml
    /// or kubectl cluster-info dump wrote, or a snapshot; .gz and .zst are unpacked
    #[arg(long, value_name = "FILE|DIR|-")]
    pub from: Option<String>,

    /// Output format
    #[arg(short = 'o', long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub output: Format,

    /// Decide as this version of kube-scheduler does (default: the cluster's or snapshot's, else the newest known)
    #[arg(long, value_name = "1.MINOR[.PATCH]")]
    pub scheduler_version: Option<String>,

    /// Decide as at this instant, RFC 3339 (default: when the snapshot was taken, else now)
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,

    /// Show every node, one row each
    #[arg(long)]
    pub nodes: bool,

    /// Exit with 1 if no node takes a pod and preemption does not help
    #[arg(long)]
    pub exit_code: bool,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For people, with every candidate in full.
    Wide,
    /// The decision as JSON.
    Json,
    /// The decision as YAML.
    Yaml,
}

/// What was asked for, checked.
struct Request {
    targets: Vec<Target>,
    version: Option<SchedulerVersion>,
    now: Option<Timestamp>,
}

/// What was read, and about what it is asked.
struct Question {
    cluster: Cluster,
    source: SourceKind,
    namespace: String,
}

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &ExplainArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> Result<Exit, Error> {
    let request = resolve(args)?;
    // Freeing a large cluster takes longer than deciding on it, and the process ends anyway.
    let question = ManuallyDrop::new(read(args, &request, global, connection)?);
    let cluster = &question.cluster;
    let mut pods: Vec<PodIx> = Vec::new();
    for target in &request.targets {
        pods.extend(target::find(target, &question.namespace, cluster)?);
    }
    if request.targets.is_empty() {
        pods = target::pending(&question.namespace, cluster);
        if pods.is_empty() {
            output::say(global.quiet, &format!("No pods wait for a node in {} namespace.", question.namespace));
        }
    }
    pods.sort_unstable();
    pods.dedup();
    let profile = profile(&request, &question);
    let world = ManuallyDrop::new(World::new(cluster, &profile));
    let now = instant(&request, cluster);
    let decisions: Vec<Decision> = pods.into_iter().map(|pod| decision::decide(&world, pod, now)).collect();
    let text = render(args, global, &request, &decisions, question.source, now)?;
    output::print(&text)?;
    let exit = exit(args, &decisions);
    std::mem::forget(decisions);
    Ok(exit)
}

fn resolve(args: &ExplainArgs) -> Result<Request, Error> {
    let version = args.scheduler_version.as_deref().map(|text| {
        SchedulerVersion::parse(text).ok_or_else(|| Error::Usage {
            problem: format!("--scheduler-version `{text}` is not a version of kube-scheduler"),
            hint: Some("write it as 1.37 or 1.37.1".to_owned()),
        })
    });
    let now = args.now.as_deref().map(|text| {
        text.parse::<Timestamp>().map_err(|_| Error::Usage {
            problem: format!("--now `{text}` is not an RFC 3339 time"),
            hint: Some("write it as 2026-01-31T12:00:00Z".to_owned()),
        })
    });
    Ok(Request { targets: target::parse(&args.pods)?, version: version.transpose()?, now: now.transpose()? })
}

fn read(
    args: &ExplainArgs,
    request: &Request,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> Result<Question, Error> {
    let mut builder = Builder::new();
    let Some(from) = &args.from else { return read_live(builder, request, global, connection) };
    files::read(from, &mut builder)?;
    if builder.objects() == 0 {
        let origin = if from == "-" { files::STDIN } else { from };
        return Err(Error::input(origin, "no Kubernetes object in it"));
    }
    let namespace = global.namespace.clone().unwrap_or_else(|| "default".to_owned());
    Ok(Question { cluster: builder.finish(), source: SourceKind::File, namespace })
}

#[cfg(feature = "live")]
fn read_live(
    mut builder: Builder,
    request: &Request,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> Result<Question, Error> {
    use crate::capture::live;
    use crate::snapshot::Kind;

    let mut kinds = vec![
        Kind::Node,
        Kind::Pod,
        Kind::PodDisruptionBudget,
        Kind::PriorityClass,
        Kind::Namespace,
        Kind::DeviceClass,
        Kind::DeviceTaintRule,
        Kind::ResourceSlice,
        Kind::ResourceClaim,
    ];
    kinds.extend(target::kinds_needed(&request.targets));
    let info = live::capture(connection, &kinds, &mut builder, &mut |_| {})?;
    for warning in &info.warnings {
        output::say(global.quiet, &format!("Warning: {warning}"));
    }
    let namespace = global.namespace.clone().unwrap_or(info.namespace);
    Ok(Question { cluster: builder.finish(), source: SourceKind::Live, namespace })
}

#[cfg(not(feature = "live"))]
fn read_live(_: Builder, _: &Request, _: &GlobalFlags, _: &ConnectionFlags) -> Result<Question, Error> {
    Err(Error::Usage {
        problem: "this build cannot talk to a cluster".to_owned(),
        hint: Some("give it a file: --from FILE".to_owned()),
    })
}

fn profile(request: &Request, question: &Question) -> Profile {
    let server = question.cluster.header.server_version.as_deref().and_then(SchedulerVersion::parse);
    match (request.version, server) {
        (Some(version), _) => Profile::new(version, VersionSource::Flag),
        (None, Some(version)) => {
            let live = question.source == SourceKind::Live;
            Profile::new(version, if live { VersionSource::Server } else { VersionSource::Snapshot })
        }
        (None, None) => Profile::new(SchedulerVersion::NEWEST, VersionSource::Default),
    }
}

fn instant(request: &Request, cluster: &Cluster) -> Timestamp {
    let captured = cluster.header.captured_at.as_deref().and_then(|t| t.parse().ok());
    request.now.or(captured).unwrap_or_else(Timestamp::now)
}

fn render(
    args: &ExplainArgs,
    global: &GlobalFlags,
    request: &Request,
    decisions: &[Decision],
    source: SourceKind,
    now: Timestamp,
) -> Result<String, Error> {
    match args.output {
        Format::Text | Format::Wide => {
            let paper = output::paper(global.color);
            let detail = Detail { wide: args.output == Format::Wide, nodes: args.nodes, now };
            let pages: Vec<String> = decisions.iter().map(|d| text::page(d, detail).print(paper)).collect();
            Ok(pages.join("\n"))
        }
        Format::Json | Format::Yaml => {
            let mut items: Vec<JsonDecision> = decisions.iter().map(|d| JsonDecision::new(d, source)).collect();
            let asked_for_one = request.targets.len() == 1 && items.len() == 1;
            match items.pop() {
                Some(one) if asked_for_one => encode(args.output, &one),
                last => encode(args.output, &JsonDecisionList::new(items.into_iter().chain(last).collect())),
            }
        }
    }
}

/// A decision or a list of them, in the format that was asked for.
fn encode(format: Format, value: &impl Serialize) -> Result<String, Error> {
    if format == Format::Yaml { output::yaml(value) } else { output::json(value) }
}

fn exit(args: &ExplainArgs, decisions: &[Decision]) -> Exit {
    let unsure = decisions.iter().flat_map(|d| &d.notes).any(|n| n.severity == Severity::Error);
    let refused = decisions.iter().any(|d| d.outcome == Outcome::Unschedulable);
    match (unsure, args.exit_code && refused) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::No,
        (false, false) => Exit::Answered,
    }
}
