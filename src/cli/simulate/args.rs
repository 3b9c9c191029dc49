//! The flags of `simulate`, as typed and checked.

use clap::ValueEnum;
use serde_json::Value;

use super::what_if_flags::WhatIfFlags;
use crate::capture::manifest::ReadManifests;
use crate::cli::apply::ApplyArgs;
use crate::cli::input::{InputArgs, InputOptions};
use crate::cli::printer;
use crate::cli::printing::{self, Format, ListArgs};
use crate::error::Error;
use answers::new_pods::{self, Manifest};
use answers::questions::loss::{FailureDomain, LossRequest};
use answers::questions::simulate::gate::{GateRequest, Protection};
use answers::questions::simulate::{
    GENERATIONS, Manifests, SimulateRequest, UnreadableFile, check_on, have_replicas,
};
use answers::target::{self, Target};
use answers::what_if::WhatIf;
use engine::simulation::gate::FailCondition;
use files::FileError;

const EXAMPLES: &str = "\
Examples:
  # Would three replicas of this deployment fit, and which pods would be evicted? The same in CI
  kubectl preempt simulate -f deployment.yaml --replicas 3
  helm template shop | kubectl preempt simulate -f - --max-victims 2 --protect payments -o github

  # What if web-1 requested less, a node were drained, or a zone died?
  kubectl preempt simulate web-1 --requests cpu=500m,memory=1Gi
  kubectl preempt simulate --drain node-7
  kubectl preempt simulate --fail zone/eu-central-1b

  # Carry the plan out, after having shown it, tried it and asked; podgroup/train is a group of pods
  kubectl preempt simulate web-1 --apply";

/// Simulate what would happen to pending or new pods, and carry the plan out with --apply
///
/// Decides about the pods one after the other in the scheduler's order: each is decided with the
/// earlier ones placed and their victims evicted. Then it follows the victims: which controller
/// recreates them, where the replacements go, and which pods these evict in turn. Where
/// kube-scheduler schedules groups of pods, a pod of a group is decided with its whole group.
/// Without POD and -f, it simulates every pending pod of the namespace; with --drain alone, the
/// drain. Nothing is written to the cluster without --apply.
#[derive(Debug, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to simulate")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SimulateArgs {
    /// Pending pods, or owners of pods (default: all pending pods)
    ///
    /// An owner such as deploy/web means its pending pods, or one more if none is pending.
    /// podgroup/NAME and workload/NAME mean their pods in the same way.
    #[arg(value_name = "POD | TYPE/NAME", display_order = 0)]
    pub pods: Vec<String>,

    /// Pods or workloads to apply; - is standard input
    ///
    /// JSON or YAML. A workload that exists is changed as its controller would change it. Other objects
    /// in the files are assumed to be in the cluster.
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filenames: Vec<String>,

    /// The manifests before the change: what they have and -f lacks is deleted
    ///
    /// They also say what was applied before, if the cluster does not.
    #[arg(long, value_name = "FILE|DIR|-", requires = "filenames")]
    pub before: Vec<String>,

    /// Delete what was applied before to the namespaces of -f and is not in it
    ///
    /// As kubectl apply --prune --all does, for workloads. It needs whole objects in --from.
    #[arg(long, requires = "filenames")]
    pub prune: bool,

    /// Read the directories of -f recursively
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// Lose nodes at once: what happens to their pods
    ///
    /// node/NAME, zone/NAME, pool/NAME, or the labels of nodes such as rack=r1. No PDB and no grace
    /// period holds them. Controllers replace the pods, and kube-scheduler places the replacements or
    /// preempts for them. Several are lost together.
    #[arg(long, value_name = "NODE|zone/ZONE|pool/POOL|LABELS", conflicts_with_all = ["pods", "filenames", "all_namespaces"])]
    pub fail: Vec<String>,

    /// Lose each node, zone or pool on its own; the worst come first
    #[arg(long, value_name = "DOMAIN", value_parser = printer::one_of(FailureDomain::ALL, FailureDomain::noun), conflicts_with_all = ["pods", "filenames", "all_namespaces", "fail"])]
    pub fail_each: Option<FailureDomain>,

    /// Say how many new nodes the pods need, of the kinds that are there
    ///
    /// The fewest with which every pod gets a node, without evictions and with them, and what a node
    /// less leaves Pending. Each number was played; fewer are ruled out where it says so. Exit code 0:
    /// no new node is needed, 1: some are, or do not help.
    #[arg(long, conflicts_with_all = ["on", "apply", "drain"])]
    pub nodes_needed: bool,

    /// Number of pods to simulate; overrides replicas
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_replicas)]
    pub replicas: Option<u32>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Number of generations of replacements to follow
    #[arg(long, value_name = "N", default_value_t = GENERATIONS, hide_short_help = true)]
    pub depth: usize,

    /// text, wide, json, yaml, html, csv, markdown, github, sarif, junit, jsonpath=TEMPLATE or
    /// custom-columns=HEADER:PATH,...
    ///
    /// wide cuts nothing, and has a paragraph for each pod. csv has a row for each pod that is placed,
    /// evicted or replaced. markdown is a comment for a pull request, github are annotations of GitHub Actions. The items
    /// of custom-columns are the steps: the pods that are asked about.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<SimulateFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<SimulateFormat>,

    /// The order of the pods that are asked about; they are decided in the scheduler's.
    #[command(flatten)]
    pub list: ListArgs,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// The what-if flags.
    #[command(flatten)]
    pub what_if: WhatIfFlags,

    /// What fails.
    #[command(flatten)]
    pub gate: GateFlags,

    /// Whether and how the plan is carried out.
    #[command(flatten)]
    pub apply: ApplyArgs,
}

/// The formats of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SimulateFormat {
    /// A row for each pod, for a spreadsheet.
    Csv,
    /// A comment for a pull request.
    Markdown,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A JUnit report, for CI systems.
    Junit,
}

impl SimulateFormat {
    /// Whether it shows the findings of a gate.
    const fn is_of_gate(self) -> bool {
        match self {
            Self::Csv => false,
            Self::Markdown | Self::Github | Self::Sarif | Self::Junit => true,
        }
    }
}

/// The flags that turn `simulate` into a gate.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Gate")]
pub struct GateFlags {
    /// What fails: unschedulable, victims, pdb, new-node, uncertain (default:
    /// unschedulable,uncertain)
    ///
    /// unschedulable: a pod gets no node and no autoscaler adds one, or the API server refuses it.
    /// victims: a pod is evicted. pdb: an eviction violates a PodDisruptionBudget. new-node: a pod
    /// needs a node that an autoscaler adds or may add. uncertain: the answer may be another one (exit
    /// code 3, the others: 1). What is not named is reported and does not fail.
    #[arg(
        long,
        value_name = "CONDITION",
        value_parser = printer::one_of(FailCondition::ALL, FailCondition::name),
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub fail_on: Vec<FailCondition>,

    /// Fail if more than N pods are evicted, also for the replacements of others
    ///
    /// Takes the place of victims in --fail-on.
    #[arg(long, value_name = "N")]
    pub max_victims: Option<usize>,

    /// Fail if a pod of this namespace or with these labels is evicted
    ///
    /// What has an operator, such as app=db, tier!=web or 'app in (a,b)', is a selector. May be
    /// repeated.
    #[arg(long, value_name = "NAMESPACE|SELECTOR")]
    pub protect: Vec<String>,

    /// Accept findings with these codes, such as PRE-984
    ///
    /// Of one object: its annotation kubectl-preempt/ignore, such as `PRE-984: agreed with the team`.
    #[arg(long, value_name = "CODE,...", value_delimiter = ',', value_parser = parse_code)]
    pub ignore: Vec<String>,

    /// Report alone: exit with 0 whatever is found
    #[arg(long)]
    pub no_fail: bool,
}

fn parse_code(text: &str) -> Result<String, String> {
    let is_code = text.strip_prefix("PRE-").is_some_and(|number| {
        number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if is_code {
        Ok(text.to_owned())
    } else {
        Err("use the code of a finding, such as PRE-984".to_owned())
    }
}

impl GateFlags {
    /// Whether any of the flags is given.
    fn is_given(&self) -> bool {
        !self.fail_on.is_empty()
            || self.max_victims.is_some()
            || !self.protect.is_empty()
            || !self.ignore.is_empty()
            || self.no_fail
    }

    /// What the answer is judged by.
    fn request(&self) -> Result<GateRequest, Error> {
        let protect = self.protect.iter().map(|text| Protection::read(text));
        Ok(GateRequest {
            fail_on: self.fail_on.iter().copied().collect(),
            max_victims: self.max_victims,
            protect: protect.collect::<Result<_, _>>()?,
            report_only: self.no_fail,
            ignore: self.ignore.clone(),
        })
    }
}

/// Maximum of `--replicas`.
const MOST_REPLICAS: u32 = 10_000;

fn parse_replicas(text: &str) -> Result<u32, String> {
    let replicas = text.parse().ok().filter(|replicas| (1..=MOST_REPLICAS).contains(replicas));
    replicas.ok_or_else(|| format!("use a whole number from 1 to {MOST_REPLICAS}"))
}

/// What is asked, with checked values.
pub(super) struct SimulateQuery<'a> {
    pub(super) request: SimulateRequest,
    pub(super) options: InputOptions<'a>,
}

impl SimulateArgs {
    /// The nodes that are lost, if that is the question.
    ///
    /// # Errors
    /// [`Error::Usage`] for flags that are about pods, and formats that a loss has not.
    pub(super) fn loss(&self) -> Result<Option<LossRequest>, Error> {
        let request = match (self.fail_each, self.fail.as_slice()) {
            (Some(each), _) => LossRequest::Each(each),
            // What happens to the pods of removed nodes is the question if nothing else is asked.
            (None, []) if self.only_removes_nodes() => {
                LossRequest::Together(self.what_if.remove_node.clone())
            }
            (None, []) => return Ok(None),
            (None, given) => LossRequest::Together(given.to_vec()),
        };
        let has_what_if = !self.what_if.is_empty() || self.what_if.on.is_some();
        if self.is_about_pods() || (has_what_if && !self.only_removes_nodes()) {
            return Err(Error::usage_hint(
                "--fail asks about nodes: it goes with no flag about pods, gates or --apply",
                "its formats are text, wide, json, yaml, html, jsonpath and custom-columns",
            ));
        }
        self.input.scheduler.reject_extenders("simulate changes the cluster")?;
        Ok(Some(request))
    }

    /// Whether a flag is about pods, or about what is made of the answer about them.
    fn is_about_pods(&self) -> bool {
        self.names_pods()
            || self.nodes_needed
            || self.has_gate()
            || self.apply.apply
            || self.replicas.is_some()
            || matches!(self.output, Format::Own(_))
    }

    fn names_pods(&self) -> bool {
        !self.pods.is_empty()
            || !self.filenames.is_empty()
            || self.all_namespaces
            || self.input.selector.is_some()
    }

    fn only_removes_nodes(&self) -> bool {
        self.what_if.is_only(WhatIf::RemoveNode) && !self.is_about_pods()
    }

    /// Whether a drain itself is to be described, rather than pods after a drain.
    fn is_about_drain(&self) -> bool {
        !self.what_if.drain.is_empty() && !self.names_pods()
    }

    /// Whether a gate is requested, by its flags or by a format that shows its findings.
    fn has_gate(&self) -> bool {
        let of_format = matches!(self.output, Format::Own(format) if format.is_of_gate());
        self.gate.is_given() || of_format
    }

    /// Checks which flags go together.
    ///
    /// # Errors
    /// [`Error::Usage`] for flags that do not, and for words that name no pod.
    pub(super) fn check_flags(&self) -> Result<Vec<Target>, Error> {
        let targets = target::parse(&self.pods)?;
        if self.prune && self.input.from.is_empty() {
            return Err(Error::usage_hint(
                "--prune needs whole objects in --from",
                "for a live cluster, give the manifests before the change with --before",
            ));
        }
        let from_stdin = [&self.filenames, &self.before, &self.what_if.add_node]
            .into_iter()
            .flatten()
            .filter(|f| *f == "-")
            .count();
        if from_stdin + usize::from(self.input.reads_stdin()) > 1 {
            return Err(Error::usage(
                "standard input can be read once: only one of -f, --before, --add-node and --from may be -",
            ));
        }
        if self.all_namespaces && !(targets.is_empty() && self.filenames.is_empty()) {
            return Err(Error::usage(
                "--all-namespaces simulates every pending pod: it goes neither with POD nor with -f",
            ));
        }
        if self.replicas.is_some() && self.filenames.is_empty() && !have_replicas(&targets) {
            return Err(Error::usage(
                "--replicas needs a manifest (-f) or an owner such as deploy/web",
            ));
        }
        self.input.scheduler.reject_extenders("simulate changes the cluster")?;
        check_on(self.what_if.on.as_deref(), &targets)?;
        self.check_apply(&targets)?;
        if self.nodes_needed && (self.has_gate() || matches!(self.output, Format::Own(_))) {
            return Err(Error::usage_hint(
                "--nodes-needed is no gate: it does not go with --fail-on and its formats",
                "its formats are text, wide, json, yaml, html, jsonpath and custom-columns",
            ));
        }
        if self.has_gate() && self.is_about_drain() {
            return Err(Error::usage(
                "--fail-on and its formats judge pods: they do not go with --drain alone",
            ));
        }
        if self.input.selector.is_some() && !self.filenames.is_empty() {
            return Err(Error::usage("-l selects pods that are there: it does not go with -f"));
        }
        Ok(targets)
    }

    /// What is asked about `targets`, with checked values.
    ///
    /// # Errors
    /// [`Error::Usage`] for invalid values, [`Error::Input`] for unreadable files, unless a gate
    /// reports them.
    pub(super) fn query(&self, targets: Vec<Target>) -> Result<SimulateQuery<'_>, Error> {
        let gate = if self.has_gate() { Some(self.gate.request()?) } else { None };
        let edits = self.what_if.read("")?;
        let manifests = self.manifests()?;
        let mut options = self.input.check()?;
        if !manifests.objects.is_empty() {
            options.for_new_pods();
            options.with_workloads(new_pods::workloads(&manifests.objects, self.prune));
        }
        let request = SimulateRequest {
            targets,
            all_namespaces: self.all_namespaces,
            manifests,
            replicas: self.replicas,
            edits,
            is_about_drain: self.is_about_drain(),
            on: self.what_if.on.clone(),
            depth: self.depth,
            gate,
            in_whole: self.apply.apply,
        };
        Ok(SimulateQuery { request, options })
    }

    /// The objects of `-f` and `--add-node`.
    fn manifests(&self) -> Result<Manifests, Error> {
        let ReadManifests { objects, failures, .. } =
            ReadManifests::of(&self.filenames, self.recursive)?;
        if let Some(first) = failures.first().filter(|_| !self.has_gate()) {
            return Err(first.clone().into());
        }
        let nodes = ReadManifests::of(&self.what_if.add_node, false)?.all()?;
        let is_other =
            |node: &&Manifest| node.object.get("kind").and_then(Value::as_str) != Some("Node");
        if let Some(other) = nodes.iter().find(is_other) {
            let origin = other.origin.clone();
            return Err(Error::input(origin, "--add-node takes objects of kind Node alone"));
        }
        let unreadable = |FileError { origin, problem, place }| UnreadableFile {
            origin,
            line: place.map_or(1, |place| place.line),
            column: place.map(|place| place.column).filter(|column| *column > 0),
            problem,
        };
        let unreadable = failures.into_iter().map(unreadable).collect();
        let before = ReadManifests::of(&self.before, self.recursive)?.all()?;
        Ok(Manifests {
            objects,
            before,
            prune: self.prune,
            not_asked: Vec::new(),
            nodes,
            unreadable,
        })
    }

    /// `--apply` executes the plan of one pod or group on the unchanged cluster.
    fn check_apply(&self, targets: &[Target]) -> Result<(), Error> {
        self.apply.check(!self.filenames.is_empty())?;
        let has_other_format =
            matches!(self.output, Format::Own(_) | Format::Kubectl(_) | Format::Html);
        if self.apply.apply && has_other_format {
            return Err(Error::usage("--apply prints text, json or yaml"));
        }
        if self.apply.apply && self.list.sort_by.is_some() {
            return Err(Error::usage(
                "--apply carries out the plan of one pod: it does not go with --sort-by",
            ));
        }
        if self.apply.apply && self.gate.is_given() {
            return Err(Error::usage(
                "--apply carries out a plan: it does not go with --fail-on, --max-victims, --protect or --no-fail",
            ));
        }
        let refused = if !self.apply.apply {
            return Ok(());
        } else if !self.filenames.is_empty() {
            "a pod that is in the cluster: it does not go with -f"
        } else if !self.what_if.is_empty() {
            "the unchanged cluster: it does not go with what-if flags"
        } else if !self.input.from.is_empty() || self.input.now.is_some() {
            "a live cluster: it goes neither with --from nor with --now"
        } else if targets.len() != 1 || self.replicas.is_some() {
            "one pod or group: name it"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("--apply needs {refused}")))
    }
}
