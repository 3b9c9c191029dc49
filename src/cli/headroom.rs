//! `kubectl preempt headroom`: how many more pods of one kind fit.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputArgs, LoadedInput};
use super::listing::{self, ListFormat};
use super::printer::ForPeople;
use super::simulate::what_if_flags::WhatIfFlags;
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::capture::manifest::ReadManifests;
use crate::error::Error;
use crate::exit::Exit;
use answers::headline::rules_in_short;
use answers::new_pods::{self, Added, Manifest};
use answers::target::{self, Target};
use engine::cluster::Quantity;
use engine::edits::{self, Edit};
use engine::notes::Note;
use engine::simulation::MANIFEST;
use engine::simulation::headroom::{self, HeadroomSettings};
use engine::simulation::hypothetical_pods;
use render::headroom::{html, metrics, page};

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

/// Name of a pod that is described by its requests.
const NAME: &str = "new-pod";

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

    /// Every group of nodes; otherwise the first 20 of each kind
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, openmetrics, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// wide cuts nothing, and has a row for each node. openmetrics is also what Prometheus reads. The items of custom-columns are the priorities.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = listing::formats::<HeadroomFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: ListFormat<HeadroomFormat>,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum HeadroomFormat {
    /// For people.
    #[default]
    Text,
    /// For people, in full.
    Wide,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// A heat map for the browser.
    Html,
    /// Metrics in the text format of `OpenMetrics`.
    #[value(alias = "prometheus")]
    Openmetrics,
}

impl ForPeople for HeadroomFormat {
    const WIDE: Self = Self::Wide;
}

/// The pod in question.
enum Asked {
    /// A pod of the cluster, or one more of an owner.
    Existing(Target),
    /// A pod of a manifest.
    New(Vec<Manifest>),
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
    let asked = asked(args)?;
    if args.input.selector.is_some() {
        let problem = "headroom looks at one pod: it does not go with -l";
        return Err(Error::usage_hint(problem, "name the pod or its owner").into());
    }
    args.input.scheduler.reject_extenders("headroom decides for pods that do not exist")?;
    let priority = WhatIfFlags { priority: args.priority.clone(), ..WhatIfFlags::default() };
    let edits = priority.read("default")?;
    let mut options = args.input.check()?;
    let targets: Vec<Target> = match &asked {
        Asked::Existing(target) => vec![target.clone()],
        Asked::New(_) => {
            options.for_new_pods();
            Vec::new()
        }
    };
    let input = options.read(&targets, global, connection)?;
    let mut model = Model::of(asked, input)?;
    model.edit(&edits)?;

    let Model { input, pod, notes } = model;
    let index = input.view_of(pod);
    let profile = input.profiles().nth(index).unwrap_or(&input.profile);
    let settings = HeadroomSettings { profile, now: input.now };
    let mut room = headroom::assess(&input.cluster, pod, settings);
    room.notes.splice(0..0, notes);
    let json = || to_json::headroom(&room, &input.cluster.header, profile, input.source);
    let text = match &args.output {
        ListFormat::Own(HeadroomFormat::Text | HeadroomFormat::Wide) => {
            let extent = args.output.extent(args.all);
            page(&room, &input.origin(), &rules_in_short(profile), extent)
                .print(output::paper_for(extent, global))
        }
        ListFormat::Own(HeadroomFormat::Json) => output::json(&json())?,
        ListFormat::Own(HeadroomFormat::Yaml) => output::yaml(&json())?,
        ListFormat::Own(HeadroomFormat::Html) => html(&room),
        ListFormat::Own(HeadroomFormat::Openmetrics) => metrics(&room),
        ListFormat::Kubectl(format) => format.text(&json(), true, output::paper(global))?,
    };
    pager::print(&text, global)?;
    let is_sure = !room.is_unsure() && !room.is_cut_short();
    Ok(ending.end(if is_sure { Exit::Answered } else { Exit::Partial }))
}

/// The pod that the arguments name.
fn asked(args: &HeadroomArgs) -> Result<Asked, Error> {
    let shape = args.pods.first().is_some_and(|argument| argument.contains('='));
    match (args.pods.as_slice(), args.filenames.as_slice()) {
        ([], []) => Err(Error::usage_hint(
            "headroom of what? no pod is named",
            "name a pod, an owner such as deploy/web, what a pod requests such as cpu=1,memory=2Gi, or a manifest with -f",
        )),
        ([], files) => {
            if args.input.reads_stdin() && files.iter().any(|file| file == "-") {
                return Err(Error::usage(
                    "standard input can be read once: only one of -f and --from may be -",
                ));
            }
            Ok(Asked::New(ReadManifests::of(files, false)?.all()?))
        }
        ([_, ..], [_, ..]) => {
            Err(Error::usage_hint("a pod is named together with -f", "leave one of them out"))
        }
        ([text], []) if shape => Ok(Asked::New(vec![described(text)?])),
        (words, []) if shape => Err(Error::usage_hint(
            format!("`{}` stands beside what a pod requests", words.get(1).map_or("", |w| w)),
            "write the requests with commas: cpu=4,memory=8Gi",
        )),
        (words, []) => match target::parse(words)?.as_slice() {
            [target] => Ok(Asked::Existing(target.clone())),
            _ => Err(Error::usage("headroom looks at one pod or owner: name one")),
        },
    }
}

/// The manifest of a pod that requests `RESOURCE=AMOUNT,...`.
fn described(text: &str) -> Result<Manifest, Error> {
    let mut requests = serde_json::Map::new();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (resource, amount) = pair.split_once('=').unwrap_or((pair, ""));
        if resource.is_empty() || amount.is_empty() {
            return Err(Error::usage_hint(
                format!("`{pair}` is not RESOURCE=AMOUNT"),
                "write it as cpu=4,memory=8Gi",
            ));
        }
        Quantity::parse(amount)
            .map_err(|e| Error::usage(format!("the amount `{amount}` of {resource} is {e}")))?;
        requests.insert(resource.to_owned(), amount.into());
    }
    let object: Value = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": NAME},
        "spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}});
    Ok(Manifest { origin: text.to_owned(), object, line: 1 })
}

/// The pod in the cluster that is copied.
struct Model {
    input: LoadedInput,
    pod: engine::cluster::pod::PodIx,
    /// Notes about its manifest.
    notes: Vec<Note>,
}

impl Model {
    fn of(asked: Asked, mut input: LoadedInput) -> Result<Self, Error> {
        let manifests = match asked {
            Asked::New(manifests) => manifests,
            Asked::Existing(target) => {
                input.check_nodes()?;
                let found = target::find(&target, &input.namespace, &input.cluster)?;
                let first = found.first().copied();
                let pod = first
                    .ok_or_else(|| target::not_found(&target, &input.namespace, &input.cluster))?;
                return Ok(Self { input, pod, notes: Vec::new() });
            }
        };
        let cluster = std::mem::take(&mut input.cluster);
        let (namespace, place) = (&input.namespace, &input.place);
        let Added { cluster, pods, refused, remarks, open, unusable } =
            new_pods::add(cluster, &manifests, namespace, Some(1), place)?;
        if let Some(first) = unusable.into_iter().next() {
            return Err(first.error(&manifests).into());
        }
        input.cluster = cluster;
        if let Some(refused) = refused.first() {
            let problem =
                format!("the API server would refuse {}: {}", refused.pod.full_name(), refused.why);
            return Err(Error::input(new_pods::OF_MANIFESTS, problem));
        }
        let [named] = pods.as_slice() else {
            let problem = match pods.as_slice() {
                [] => new_pods::without_pods(&remarks),
                several => {
                    format!("{} pods or workloads in it: headroom looks at one", several.len())
                }
            };
            return Err(Error::input(new_pods::OF_MANIFESTS, problem));
        };
        let (namespace, name) = new_pods::name_in_manifest(&named.object);
        let pod = input.cluster.find_pod(&namespace, &name);
        let pod = pod.ok_or_else(|| {
            Error::input(new_pods::OF_MANIFESTS, "its pod cannot be read, see the warnings")
        })?;
        let origin = manifests.first().map_or(new_pods::OF_MANIFESTS, |m| m.origin.as_str());
        let unsure =
            open.into_iter().map(|text| Note::error(&MANIFEST, format!("{origin}: {text}")));
        let remarks = remarks.into_iter().map(|remark| remark.warning(&MANIFEST, origin));
        Ok(Self { pod, notes: unsure.chain(remarks).collect(), input })
    }

    /// Edits the pod, or a copy of it if it is running: running pods stay unchanged.
    fn edit(&mut self, edits: &[Edit]) -> Result<(), Error> {
        if edits.is_empty() {
            return Ok(());
        }
        let cluster = &mut self.input.cluster;
        if !cluster.pod(self.pod).is_waiting() {
            let pod = cluster.pod(self.pod);
            let (namespace, name) = (cluster.text(pod.namespace).to_owned(), pod.name.to_string());
            let one = hypothetical_pods::replicas_of(self.pod, &name, 1, cluster, self.input.now);
            let names: Vec<String> = one.iter().map(|pod| pod.name.to_string()).collect();
            cluster.insert(one);
            let found = names.first().and_then(|name| cluster.find_pod(&namespace, name));
            self.pod = found.unwrap_or(self.pod);
        }
        Ok(edits::apply(&mut self.input.cluster, &[self.pod], edits)?)
    }
}
