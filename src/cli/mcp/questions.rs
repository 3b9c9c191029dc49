//! The questions of agents: one type per tool, with its arguments. All are read-only.
//!
//! A new tool is a type that implements [`ToolQuestion`], and a line in [`all`] and in the tests'
//! list of schemas. `just schema` writes the schemas of all arguments to `arguments.json`: the
//! program embeds that file, so it does not need the crate that derives them.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::McpArgs;
use super::answer::{Deliver, of_report};
use super::arguments::{self, Amount, WrongArgument};
use super::steps::ToolCall;
use crate::api::flags::{ConnectionFlags, parse_age};
use crate::capture::manifest::ReadManifests;
use crate::cli::explain::compare as by_version;
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{InputArgs, InputOfCommand as _, InputOptions, LoadedInput};
use crate::cli::printing::Printed;
use crate::error::Error;
use crate::exit::{self, Exit};
use answers::AnswerError;
use answers::in_part::{PartialSubject, in_part, in_part_about};
use answers::new_pods;
use answers::questions::audit::{AuditRequest, audit};
use answers::questions::compare::{CompareRequest, ComparedSide, compare_sides};
use answers::questions::evictions::{EvictionsRequest, evictions};
use answers::questions::explain::{ExplainReport, ExplainRequest, explain};
use answers::questions::headroom::{HeadroomRequest, ModelPod, headroom};
use answers::questions::loss::{LossRequest, loss};
use answers::questions::node::{self, NodeRequest};
use answers::questions::pending::{DecisionSequence, GroupRows, PendingRequest, pending};
use answers::questions::risk::{PreemptorRequest, RiskRequest, RiskSubject, risk};
use answers::questions::rules::{RulesRequest, rules};
use answers::questions::simulate::growth::nodes_needed;
use answers::questions::simulate::{
    GENERATIONS, Manifests, SimulateRequest, check_on, have_replicas, simulate,
};
use answers::questions::suggest::{self, SuggestRequest, suggest};
use answers::questions::verify::{VerifyRequest, verify};
use answers::scheduler::SchedulerChoice;
use answers::target::{self, Target};
use answers::what_if::{self, WhatIf};
use engine::edits::Edit;

/// The size limits of concise answers in bytes. The tests count the tokens: 4,000 for lists, 2,000 for
/// one pod.
const LIST: usize = 10_000;
const ONE_POD: usize = 5_000;

/// The source of answers: the flags with which the server was started.
#[derive(Clone, Copy)]
pub(super) struct AnswerSource<'a> {
    /// The input and the scheduler.
    pub args: &'a McpArgs,
    pub connection: &'a ConnectionFlags,
    /// The default namespace, and the output flags.
    pub global: &'a GlobalFlags,
}

/// A tool.
pub(super) trait ToolQuestion: DeserializeOwned + 'static {
    const NAME: &'static str;
    /// What exit code 1 means; empty if it is no code of this question.
    const NO: &'static str = "";
    /// Its display name.
    const TITLE: &'static str;
    /// When to use it and what it answers, for the model that chooses.
    const DESCRIPTION: &'static str;
    /// The paths of the JSON that a concise answer has; through lists, their items are meant.
    const CONCISE: &'static [&'static str];
    /// The size limit of a concise answer in bytes: of lists, 4,000 tokens.
    const BYTES: usize = LIST;

    /// Validates what the schema cannot express.
    ///
    /// # Errors
    /// What is wrong with the arguments.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Reads, decides, and passes on the answer: its JSON, then its text.
    ///
    /// # Errors
    /// When there is no answer.
    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit>;
}

/// A row of the table of tools.
pub(super) struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// What exit code 1 means.
    pub no: &'static str,
    /// The paths of the JSON that a concise answer has.
    pub concise: &'static [&'static str],
    /// The size limit of a concise answer in bytes.
    pub bytes: usize,
    /// Validates arguments. Returns how much of the answer is wanted.
    pub check: fn(Value) -> Result<Amount, WrongArgument>,
    /// Answers a call with validated arguments.
    pub answer: fn(Value, AnswerSource<'_>, Deliver<'_>) -> anyhow::Result<Exit>,
}

pub(super) fn all() -> [Tool; 13] {
    [
        tool::<PodExplain>(),
        tool::<PodsPending>(),
        tool::<PlacementSimulate>(),
        tool::<PodsRisk>(),
        tool::<EvictionsExplain>(),
        tool::<NodesRemovable>(),
        tool::<NodeLoss>(),
        tool::<ChangesSuggest>(),
        tool::<HeadroomCount>(),
        tool::<ClusterAudit>(),
        tool::<MessagesVerify>(),
        tool::<VersionsCompare>(),
        tool::<RulesExplain>(),
    ]
}

pub(super) fn find(name: &str) -> Option<Tool> {
    all().into_iter().find(|tool| tool.name == name)
}

fn tool<Q: ToolQuestion>() -> Tool {
    Tool {
        name: Q::NAME,
        no: Q::NO,
        title: Q::TITLE,
        description: Q::DESCRIPTION,
        concise: Q::CONCISE,
        bytes: Q::BYTES,
        check: |mut arguments| {
            arguments::check(Q::NAME, &arguments)?;
            let amount = arguments::take_amount(&mut arguments);
            let question: Q = serde_json::from_value(arguments).map_err(|e| e.to_string())?;
            question.check()?;
            Ok(amount)
        },
        answer: |mut arguments, source, deliver| {
            arguments::take_amount(&mut arguments);
            let question: Q = serde_json::from_value(arguments)?;
            question.answer(source, deliver)
        },
    }
}

/// Maximum number of fresh nodes while one goes.
const MOST_SURGE: u8 = 100;

/// What is read for a question about lists.
struct Read<'r> {
    namespace: Option<String>,
    selector: Option<String>,
    targets: &'r [Target],
    /// What is read besides the objects that decide.
    prepare: fn(&mut InputOptions<'_>),
    /// What the question is about, if something can be said of it without the nodes.
    about: Option<PartialSubject<'r>>,
}

impl Default for Read<'_> {
    fn default() -> Self {
        Self { namespace: None, selector: None, targets: &[], prepare: |_| {}, about: None }
    }
}

impl AnswerSource<'_> {
    /// The input. Its answers name no flag of this server.
    fn input(&self) -> InputArgs {
        InputArgs { is_unnamed: true, ..self.args.input.clone() }
    }

    /// The global flags, with this namespace if there is one.
    fn global(&self, namespace: Option<String>) -> GlobalFlags {
        let quiet = GlobalFlags { quiet: true, ..self.global.clone() };
        GlobalFlags { namespace: namespace.or_else(|| self.global.namespace.clone()), ..quiet }
    }

    /// Reads what the options say.
    ///
    /// # Errors
    /// Those of reading, and a namespace that nothing has.
    fn read(
        &self,
        options: &InputOptions<'_>,
        targets: &[Target],
        global: &GlobalFlags,
    ) -> anyhow::Result<LoadedInput> {
        let input = options.read(targets, global, self.connection)?;
        if global.namespace.is_some() {
            input.check_namespace()?;
        }
        Ok(input)
    }

    /// Reads, asks the question, and passes on its report.
    fn report<R: Printed>(
        &self,
        read: Read<'_>,
        deliver: Deliver<'_>,
        ask: impl FnOnce(&LoadedInput) -> Result<R, AnswerError>,
    ) -> anyhow::Result<Exit> {
        let args = InputArgs { selector: read.selector, ..self.input() };
        let global = self.global(read.namespace);
        let mut options = args.check()?;
        (read.prepare)(&mut options);
        if read.about.is_some() {
            options.in_part();
        }
        let input = self.read(&options, read.targets, &global)?;
        if let Some(subject) = read.about
            && let Some(report) = in_part_about(&input, subject)?
        {
            return deliver(of_report(&report, &global)?);
        }
        deliver(of_report(&ask(&input)?, &global)?)
    }
}

/// The arguments of `pod_explain`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PodExplain {
    /// Name of the pod, or TYPE/NAME of an owner or group of pods, such as deploy/web or
    /// podgroup/train
    pod: String,
    /// Its namespace; without it that of the server's kubeconfig context, or `default`
    namespace: Option<String>,
    /// Also why kube-scheduler does not give the pod this node: whyNot
    why_not: Option<String>,
}

impl ToolQuestion for PodExplain {
    const NAME: &'static str = "pod_explain";
    const TITLE: &'static str = "Explain a pod's scheduling";
    const DESCRIPTION: &'static str = "Why a pod is pending, which nodes reject it and why, where it will go, which pods \
        kube-scheduler would evict for it, and what would help. Read outcome, nearest, selected (with certainty), \
        preemption, remedies and notes. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "outcome",
        "why",
        "error",
        "message",
        "whyNot",
        "pod.namespace",
        "pod.name",
        "nearest",
        "hold",
        "holder",
        "silence",
        "pod.schedulerName",
        "preFilter.reasons",
        "preFilter.reasonCodes",
        "preFilter.evidence",
        "selected",
        "nomination",
        "autoscalers",
        "remedies.summary",
        "remedies.outcome",
        "remedies.nodes",
        "remedies.check",
        "notes.severity",
        "notes.code",
        "notes.text",
        "items.outcome",
        "items.why",
        "items.error",
        "items.message",
        "items.whyNot",
        "items.pod.namespace",
        "items.pod.name",
        "items.nearest",
        "items.hold",
        "items.holder",
        "items.silence",
        "items.pod.schedulerName",
        "items.preFilter",
        "items.kind",
        "items.namespace",
        "items.name",
        "items.cause",
        "items.refusedBy",
        "items.refusedByName",
        "items.next",
        "items.selected",
        "items.nomination",
        "items.autoscalers",
        "items.remedies.summary",
        "items.remedies.outcome",
        "items.remedies.nodes",
        "items.remedies.check",
        "items.notes.severity",
        "items.notes.code",
        "items.notes.text",
        "decidedAt",
        "scheduler.version",
        "scheduler.versionSource",
    ];
    const BYTES: usize = ONE_POD;

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request = ExplainRequest {
            targets: target::parse(&[self.pod])?,
            remedies: true,
            why_not: self.why_not,
            ..ExplainRequest::default()
        };
        let (args, global) = (source.input(), source.global(self.namespace));
        let mut options = args.check()?;
        options.in_part();
        options.with_missing_pods();
        let input = source.read(&options, &request.targets, &global)?;
        if let Some(report) = in_part(&input, &request.targets, false)? {
            return deliver(of_report(&report, &global)?);
        }
        let callers = input.callers()?;
        let views = input.views(callers.as_deref());
        let mut answer = match explain(&input, &views, &request)? {
            ExplainReport::Groups(report) => of_report(&report, &global)?,
            ExplainReport::Workloads(report) => of_report(&report, &global)?,
            ExplainReport::Pods(report) => of_report(&report, &global)?,
        };
        answer.exit = answer.exit.as_answer();
        deliver(answer)
    }
}

/// The arguments of `pods_pending`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PodsPending {
    /// Only pods of this namespace (default: of all namespaces)
    namespace: Option<String>,
    /// Only pods with these labels, such as app=web,tier!=front
    selector: Option<String>,
    /// Place the pods one after the other, in the scheduler's order, instead of deciding about each
    /// alone: says whether all of them fit together
    #[serde(default)]
    in_order: bool,
}

impl ToolQuestion for PodsPending {
    const NAME: &'static str = "pods_pending";
    const TITLE: &'static str = "List pending pods";
    const DESCRIPTION: &'static str = "Every pod that waits for a node: verdict (Fits, Preempts, Waits, Blocked, Gated, \
        NotInQueue, Error), what keeps it from the nearest nodes, where it would go and which pods it would preempt. \
        summary counts all of them, items are the most important first. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "summary",
        "inOrder",
        "items.namespace",
        "items.name",
        "items.priority",
        "items.verdict",
        "items.cause.code",
        "items.cause.details",
        "items.cause.nearness",
        "items.nodes",
        "items.victims",
        "items.waitsFor",
        "items.unsure",
        "items.podGroup.waiting",
        "workloads",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request = PendingRequest {
            all_namespaces: self.namespace.is_none(),
            sequence: if self.in_order {
                DecisionSequence::InOrder
            } else {
                DecisionSequence::Alone
            },
            groups: GroupRows::Together,
        };
        let args = InputArgs { selector: self.selector, ..source.input() };
        let global = source.global(self.namespace);
        let mut options = args.check()?;
        options.in_part();
        options.with_missing_pods();
        let input = source.read(&options, &[], &global)?;
        if let Some(report) = in_part(&input, &[], request.all_namespaces)? {
            return deliver(of_report(&report, &global)?);
        }
        let pods = request.pods(&input)?;
        let callers = input.callers()?;
        let views = input.views(callers.as_deref());
        let report = pending(&input, &views, &pods, request, &mut || true);
        let mut answer = of_report(&report, &global)?;
        let command = report.pending.explain_command();
        answer.next.extend(command.and_then(|command| ToolCall::of(&command)));
        deliver(answer)
    }
}

/// The arguments of `placement_simulate`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlacementSimulate {
    /// A pending pod, or TYPE/NAME of an owner such as deploy/web: its pending pods, or one more.
    /// Without pod, manifest and drain: every pending pod of the namespace
    pod: Option<String>,
    /// Pods or workloads that do not exist yet, as YAML or JSON
    manifest: Option<String>,
    /// How many pods of the manifest or owner, 1 to 10000
    #[cfg_attr(test, schemars(range(min = 1, max = 10000)))]
    replicas: Option<u32>,
    /// The namespace of what is named without one
    namespace: Option<String>,
    /// Plan for this node, whichever the scheduler picks
    on: Option<String>,
    /// What if the pods had this priority, or this PriorityClass?
    priority: Option<String>,
    /// What if they requested this? Such as `cpu=500m` and `memory=1Gi`
    #[serde(default)]
    requests: Vec<String>,
    /// What if they tolerated these taints? `KEY[=VALUE][:EFFECT]`
    #[serde(default)]
    toleration: Vec<String>,
    /// What if they also had these node selectors? `KEY=VALUE`
    #[serde(default)]
    node_selector: Vec<String>,
    /// What if there were one more node like each of these?
    #[serde(default)]
    add_node_like: Vec<String>,
    /// What if these pods were deleted? `[NAMESPACE/]NAME`
    #[serde(default)]
    remove_pod: Vec<String>,
    /// What if this much more were free? `NODE:cpu=500m,memory=1Gi`
    #[serde(default)]
    free: Vec<String>,
    /// What if these nodes were cordoned?
    #[serde(default)]
    cordon: Vec<String>,
    /// What if these nodes were uncordoned?
    #[serde(default)]
    uncordon: Vec<String>,
    /// What if these nodes were drained? Without a pod or a manifest, the answer describes the drain itself
    #[serde(default)]
    drain: Vec<String>,
    /// What if these taints were removed? `NODE:TAINT`
    #[serde(default)]
    remove_taint: Vec<String>,
    /// What if these nodes and their pods were deleted?
    #[serde(default)]
    remove_node: Vec<String>,
    /// What if budgets allowed so many disruptions? `[NAMESPACE/]NAME=N`
    #[serde(default)]
    pdb: Vec<String>,
    /// What if nodes had these labels? `NODE:KEY=VALUE`
    #[serde(default)]
    label_node: Vec<String>,
    /// How often replacements of victims are followed in turn, 0 to 10 (default 3)
    #[cfg_attr(test, schemars(range(max = 10)))]
    depth: Option<u8>,
    /// Instead: the fewest new nodes that the pods need, without evictions and with them. Read text,
    /// withoutEvictions and withEvictions
    #[serde(default)]
    nodes_needed: bool,
}

impl ToolQuestion for PlacementSimulate {
    const NAME: &'static str = "placement_simulate";
    const NO: &'static str = "a pod gets no node";
    const TITLE: &'static str = "Simulate placement (what if)";
    const DESCRIPTION: &'static str = "What would happen to pending or new pods, or when a node is drained: which nodes they get, \
        which pods are evicted and in which order, which budgets are used, and where the victims' replacements go. It \
        only computes: nothing is created, evicted or changed. Read totals, steps, cascade, drains and notes. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "totals",
        "assumptions",
        "outcome",
        "steps.pod.namespace",
        "steps.pod.name",
        "steps.outcome",
        "steps.nodes",
        "steps.why",
        "steps.plan.node",
        "steps.plan.victims.namespace",
        "steps.plan.victims.name",
        "steps.plan.victims.budgets",
        "steps.plan.victims.hazards",
        "steps.plan.victims.afterwards",
        "cascade.pod.namespace",
        "cascade.pod.name",
        "cascade.outcome",
        "cascade.nodes",
        "drains.node",
        "drains.verdict",
        "drains.staying",
        "drains.victims.namespace",
        "drains.victims.name",
        "changes",
        "text",
        "notHelped",
        "notKnown",
        "withoutEvictions",
        "withEvictions",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];
    const BYTES: usize = ONE_POD;

    fn check(&self) -> Result<(), String> {
        if self.pod.is_some() && self.manifest.is_some() {
            return Err("name a pod or give a manifest, not both".to_owned());
        }
        if self.nodes_needed && (self.on.is_some() || !self.drain.is_empty()) {
            return Err("nodes_needed goes neither with on nor with drain".to_owned());
        }
        match self.replicas {
            Some(replicas) if !(1..=10_000).contains(&replicas) => {
                Err("replicas is a number from 1 to 10000".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let manifests = match &self.manifest {
            Some(text) => ReadManifests::of_text(text, "manifest").all()?,
            None => Vec::new(),
        };
        let edits = self.edits()?;
        let targets = target::parse(self.pod.as_slice())?;
        let is_about_drain = !self.drain.is_empty() && targets.is_empty() && manifests.is_empty();
        if self.replicas.is_some() && manifests.is_empty() && !have_replicas(&targets) {
            return Err(
                Error::usage("replicas needs a manifest, or an owner such as deploy/web").into()
            );
        }
        check_on(self.on.as_deref(), &targets)?;
        let request = SimulateRequest {
            targets,
            manifests: Manifests { objects: manifests, ..Manifests::default() },
            replicas: self.replicas,
            edits,
            is_about_drain,
            on: self.on,
            depth: self.depth.map_or(GENERATIONS, usize::from),
            ..SimulateRequest::default()
        };
        let (args, global) = (source.input(), source.global(self.namespace));
        args.scheduler.reject_extenders("simulate changes the cluster")?;
        let mut options = args.check()?;
        if !request.manifests.objects.is_empty() {
            options.for_new_pods();
            options.with_workloads(new_pods::workloads(&request.manifests.objects, false));
        }
        options.in_part();
        let input = source.read(&options, &request.targets, &global)?;
        if let Some(report) = in_part_about(&input, request.in_part())? {
            return deliver(of_report(&report, &global)?);
        }
        if self.nodes_needed {
            return deliver(of_report(&nodes_needed(&input, &request)?, &global)?);
        }
        let report = simulate(input, &request, &|_| true)?;
        deliver(of_report(&report, &global)?)
    }
}

impl PlacementSimulate {
    /// What is assumed, in the order in which `simulate` applies it.
    fn edits(&self) -> Result<Vec<Edit>, Error> {
        let given: [(WhatIf, &[String]); 14] = [
            (WhatIf::Priority, self.priority.as_slice()),
            (WhatIf::Requests, &self.requests),
            (WhatIf::Toleration, &self.toleration),
            (WhatIf::NodeSelector, &self.node_selector),
            (WhatIf::AddNodeLike, &self.add_node_like),
            (WhatIf::RemovePod, &self.remove_pod),
            (WhatIf::Free, &self.free),
            (WhatIf::Cordon, &self.cordon),
            (WhatIf::Drain, &self.drain),
            (WhatIf::Uncordon, &self.uncordon),
            (WhatIf::LabelNode, &self.label_node),
            (WhatIf::RemoveTaint, &self.remove_taint),
            (WhatIf::RemoveNode, &self.remove_node),
            (WhatIf::Pdb, &self.pdb),
        ];
        let mut edits = Vec::new();
        for (what_if, values) in given {
            for value in values {
                edits.push(what_if::read(what_if, value, "")?);
            }
        }
        Ok(edits)
    }
}

/// The arguments of `pods_risk`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PodsRisk {
    /// Running pods, TYPE/NAME of owners such as deploy/web, or nodes as node/NAME (default: every
    /// running pod)
    #[serde(default)]
    targets: Vec<String>,
    /// The namespace (default: without targets all of them)
    namespace: Option<String>,
    /// By this pod, or by one more pod of this owner, instead of by any
    preemptor: Option<String>,
    /// By a pod of this priority or PriorityClass
    priority: Option<String>,
    /// By a pod that requests this, such as `cpu=4`; goes with priority or preemptor
    #[serde(default)]
    requests: Vec<String>,
}

impl ToolQuestion for PodsRisk {
    const NAME: &'static str = "pods_risk";
    const TITLE: &'static str = "Which running pods can be preempted";
    const DESCRIPTION: &'static str = "Which running pods can be preempted, by which priority classes and pending pods, and whether one \
        preemptor can take all replicas of a workload at once. Read items[].exposure (Victim, Candidate, Exposed, Safe), \
        preemptedBy, allAtOnce and pods[].evictedBy. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "items.workload",
        "items.exposure",
        "items.priority",
        "items.running",
        "items.evictedNow",
        "items.allAtOnce",
        "items.preemptedBy.class",
        "items.pods.evictedBy",
        "preemptors.pod",
        "preemptors.nodes.name",
        "preemptors.nodes.victims",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request = RiskRequest {
            all_namespaces: self.namespace.is_none() && self.targets.is_empty(),
            subject: RiskSubject::parse(&self.targets)?,
            preemptor: PreemptorRequest::parse(
                self.preemptor.as_deref(),
                self.priority.as_deref(),
                &self.requests,
            )?,
            by: None,
        };
        let (targets, about) = (request.named(), Some(request.in_part()));
        let read = Read { namespace: self.namespace, targets: &targets, about, ..Read::default() };
        source.report(read, deliver, |input| risk(input, &request))
    }
}

/// The arguments of `evictions_explain`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct EvictionsExplain {
    /// Name or UID of a pod, which may be gone (default: what was evicted)
    pod: Option<String>,
    /// Its namespace (default: all)
    namespace: Option<String>,
    /// Without pod: only what happened in this time until now, such as 30m, 12h or 1d
    since: Option<String>,
}

impl ToolQuestion for EvictionsExplain {
    const NAME: &'static str = "evictions_explain";
    const TITLE: &'static str = "Why pods were evicted";
    const DESCRIPTION: &'static str = "After the fact: which pod preempted a pod, or what else ended it (kubelet, taint, eviction API, \
        garbage collection, descheduler), from Events, conditions and the pods that are left. A cause is named only where \
        something says so; certain is false where it cannot be known: do not guess then. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "gap",
        "items.namespace",
        "items.name",
        "items.cause",
        "items.detail",
        "items.preemptor",
        "items.time",
        "items.node",
        "items.unknown",
        "items.workload",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn check(&self) -> Result<(), String> {
        self.since.as_deref().map_or(Ok(()), |since| parse_age(since).map(drop))
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let since = self.since.as_deref().map(parse_age).transpose().map_err(Error::usage)?;
        let since = since.map(|since| ("since", since));
        let request = EvictionsRequest::new(self.pod.as_slice(), self.namespace.is_none(), since)?;
        let mut read = Read { namespace: self.namespace, ..Read::default() };
        read.prepare = |options| options.for_the_past();
        source.report(read, deliver, |input| evictions(input, &request))
    }
}

/// The arguments of `nodes_removable`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct NodesRemovable {
    /// Nodes; several go away one after the other
    #[serde(default)]
    nodes: Vec<String>,
    /// Instead of nodes: those with these labels, such as pool=spot
    selector: Option<String>,
    /// Number of extra nodes during the upgrade, 0 to 100 (default 0)
    #[serde(default)]
    surge: u8,
}

impl ToolQuestion for NodesRemovable {
    const NAME: &'static str = "nodes_removable";
    const NO: &'static str = exit::NODE_STAYS;
    const TITLE: &'static str = "Can nodes be drained and removed";
    const DESCRIPTION: &'static str = "Whether nodes can go away: what keeps them (budgets, pods that fit nowhere), where each pod \
        goes, in which order several nodes can be drained, and what holds autoscalers back. Read allCan, order, \
        items[].verdict, reasons and pods. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "allCan",
        "order",
        "surge",
        "items.node",
        "items.verdict",
        "items.dependsOnTiming",
        "items.reasons.name",
        "items.reasons.text",
        "items.pods.namespace",
        "items.pods.name",
        "items.pods.outcome",
        "items.pods.nodes",
        "items.autoscalerHolds",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn check(&self) -> Result<(), String> {
        match (self.nodes.is_empty(), &self.selector) {
            (true, None) => Err("name nodes, or give a selector".to_owned()),
            (false, Some(_)) => Err("name nodes or give a selector, not both".to_owned()),
            _ if self.surge > MOST_SURGE => Err(format!("surge is a number up to {MOST_SURGE}")),
            _ => Ok(()),
        }
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request =
            NodeRequest { nodes: node::parse(&self.nodes)?, surge: usize::from(self.surge) };
        let about = Some(PartialSubject::OnNodes(&request.nodes));
        let mut read = Read { selector: self.selector, about, ..Read::default() };
        read.prepare = |options| options.with_events();
        source.report(read, deliver, |input| node::node(input, &request))
    }
}

/// The arguments of `node_loss`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct NodeLoss {
    /// What is lost together: node/NAME, zone/NAME, pool/NAME or labels of nodes such as rack=r1
    #[serde(default)]
    fail: Vec<String>,
    /// Instead: each node, zone or pool on its own (node, zone or pool)
    each: Option<String>,
}

impl ToolQuestion for NodeLoss {
    const NAME: &'static str = "node_loss";
    const NO: &'static str = "a pod stays Pending, or is lost for good";
    const TITLE: &'static str = "What the loss of nodes costs";
    const DESCRIPTION: &'static str = "What happens if nodes, a zone or a pool die at once: which workloads lose every Ready pod, \
        which replacements stay Pending and why, and which pods are preempted. Read items[].text and workloads. \
        Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "outside",
        "items.name",
        "items.text",
        "items.lost",
        "items.down",
        "items.pending",
        "items.preempted",
        "items.workloads.namespace",
        "items.workloads.kind",
        "items.workloads.name",
        "items.workloads.ready",
        "items.workloads.left",
        "items.workloads.pending",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn check(&self) -> Result<(), String> {
        match (&self.each, self.fail.is_empty()) {
            (Some(_), false) => Err("give fail or each, not both".to_owned()),
            (None, true) => Err("say what is lost: fail or each".to_owned()),
            _ => Ok(()),
        }
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request = match self.each {
            Some(domain) => LossRequest::read(&["each".to_owned(), domain])?,
            None => LossRequest::Together(self.fail),
        };
        source.report(Read::default(), deliver, |input| loss(input, &request))
    }
}

/// The arguments of `changes_suggest`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct ChangesSuggest {
    /// Pending pods, or TYPE/NAME of owners such as deploy/web (default: every pending pod), or
    /// node/NAME: what lets it drain
    #[serde(default)]
    pods: Vec<String>,
    /// The namespace (default: without pods all of them)
    namespace: Option<String>,
}

impl ToolQuestion for ChangesSuggest {
    const NAME: &'static str = "changes_suggest";
    const NO: &'static str = exit::NO_CHANGE;
    const TITLE: &'static str = "Smallest changes that let pods in";
    const DESCRIPTION: &'static str = "The smallest change with which a pending pod fits and no pod is lost: pods to move, changes of \
        the pod or a node, or a node to add; of several pods, which single action places the most. Each was played \
        through. Read items[].moves, changes, node, and many. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "items.pod.namespace",
        "items.pod.name",
        "items.alike",
        "items.outcome",
        "items.moves",
        "items.changes.summary",
        "items.changes.outcome",
        "items.changes.nodes",
        "items.changes.check",
        "items.node",
        "many",
        "order",
        "items.verdict",
        "items.reasons.name",
        "items.reasons.text",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        if suggest::is_about_nodes(&self.pods) {
            let question = NodesRemovable { nodes: self.pods, selector: None, surge: 0 };
            return question.answer(source, deliver);
        }
        let all_namespaces = self.namespace.is_none() && self.pods.is_empty();
        let request = SuggestRequest { targets: target::parse(&self.pods)?, all_namespaces };
        let read = Read {
            namespace: self.namespace,
            targets: &request.targets,
            about: Some(request.in_part()),
            ..Read::default()
        };
        source.report(read, deliver, |input| suggest(input, &request))
    }
}

/// The arguments of `headroom_count`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct HeadroomCount {
    /// A pod, TYPE/NAME of an owner such as deploy/web, or what a pod requests, such as
    /// cpu=4,memory=8Gi
    pod: Option<String>,
    /// Instead of pod: a pod or workload that does not exist yet, as YAML or JSON
    manifest: Option<String>,
    /// The namespace of what is named without one
    namespace: Option<String>,
    /// What if the pod had this priority, or this PriorityClass?
    priority: Option<String>,
}

impl ToolQuestion for HeadroomCount {
    const NAME: &'static str = "headroom_count";
    const NO: &'static str = exit::NO_ROOM;
    const TITLE: &'static str = "How many more pods fit";
    const DESCRIPTION: &'static str = "How many more pods like one fit, by priority, with and without preemption; by zone, pool and \
        node; the largest pod that fits, and whether the nodes are full or fragmented. Read items, next, pieces, \
        largest and groups. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "pod",
        "requests",
        "items.priority",
        "items.class",
        "items.own",
        "items.withoutPreemption.number",
        "items.withoutPreemption.complete",
        "items.withPreemption.number",
        "items.withPreemption.complete",
        "next",
        "pieces.state",
        "pieces.inSum",
        "pieces.scarcest",
        "largest",
        "groups.by",
        "groups.name",
        "groups.fits",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];
    const BYTES: usize = ONE_POD;

    fn check(&self) -> Result<(), String> {
        if self.pod.is_some() == self.manifest.is_some() {
            return Err("name a pod or give a manifest, one of them".to_owned());
        }
        Ok(())
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let pod = match (&self.pod, &self.manifest) {
            (_, Some(text)) => ModelPod::New(ReadManifests::of_text(text, "manifest").all()?),
            (pod, None) => ModelPod::parse(pod.as_slice())?,
        };
        let priority = self.priority.iter();
        let edits = priority.map(|text| what_if::read(WhatIf::Priority, text, "default"));
        let request = HeadroomRequest { pod, edits: edits.collect::<Result<_, _>>()? };
        let about = Some(request.in_part());
        let mut read = Read { namespace: self.namespace, about, ..Read::default() };
        match &request.pod {
            ModelPod::Existing(target) => read.targets = std::slice::from_ref(target),
            ModelPod::New(_) => read.prepare = |options| options.for_new_pods(),
        }
        source.report(read, deliver, |input| headroom(input, &request))
    }
}

/// The arguments of `cluster_audit`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct ClusterAudit {
    /// Only findings about this namespace, and about objects without one (default: all)
    namespace: Option<String>,
}

impl ToolQuestion for ClusterAudit {
    const NAME: &'static str = "cluster_audit";
    const TITLE: &'static str = "Audit budgets, priority classes and pods";
    const DESCRIPTION: &'static str = "What makes preemption surprising, dangerous or useless in the cluster: budgets, priority \
        classes, pods. Each finding has a stable code, the object, the evidence and what to do. Read summary, items and \
        notChecked. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "summary",
        "notChecked",
        "items.code",
        "items.severity",
        "items.object",
        "items.text",
        "items.fix",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request = AuditRequest { namespace: self.namespace, ..AuditRequest::default() };
        let read = Read { prepare: |options| options.in_part(), ..Read::default() };
        source.report(read, deliver, |input| audit(input, &request))
    }
}

/// The arguments of `messages_verify`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct MessagesVerify {
    /// Pods, or TYPE/NAME of owners such as deploy/web (default: every pending pod)
    #[serde(default)]
    pods: Vec<String>,
    /// The namespace (default: without pods all of them)
    namespace: Option<String>,
}

impl ToolQuestion for MessagesVerify {
    const NAME: &'static str = "messages_verify";
    const NO: &'static str = exit::OTHER_MESSAGE;
    const TITLE: &'static str = "Compare the scheduler's messages with its rules";
    const DESCRIPTION: &'static str = "Whether kube-scheduler's own messages about pending pods are, byte for byte, what its rules give \
        now: how far the other answers can be relied on. Read summary and items[].result (Equal, Stale, Different, \
        NoMessage). Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "summary",
        "items.namespace",
        "items.name",
        "items.result",
        "items.what",
        "items.written",
        "items.computed",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let all_namespaces = self.namespace.is_none() && self.pods.is_empty();
        let request = VerifyRequest { targets: target::parse(&self.pods)?, all_namespaces };
        let read = Read {
            namespace: self.namespace,
            targets: &request.targets,
            about: Some(request.in_part()),
            prepare: |options| options.with_node_changes(),
            ..Read::default()
        };
        // The server refuses to call extenders.
        source.report(read, deliver, |input| verify(input, &request, None))
    }
}

/// The arguments of `versions_compare`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct VersionsCompare {
    /// Two or more of: a version of kube-scheduler such as 1.37, a gate as NAME=true, now (what
    /// decides in the cluster), a KubeSchedulerConfiguration, PriorityClass or PodDisruptionBudget as
    /// YAML or JSON
    versions: Vec<String>,
    /// Also place all running pods again, one after the other. Read replay
    #[serde(default)]
    replay: bool,
    /// Pods, or TYPE/NAME of owners such as deploy/web (default: every pending pod)
    #[serde(default)]
    pods: Vec<String>,
    /// The namespace (default: without pods all of them)
    namespace: Option<String>,
}

impl ToolQuestion for VersionsCompare {
    const NAME: &'static str = "versions_compare";
    const TITLE: &'static str = "Compare versions and configurations of kube-scheduler";
    const DESCRIPTION: &'static str = "How several versions or configurations of kube-scheduler decide about the same pods, and which \
        rules make the difference: what an upgrade or another configuration changes. Read same, items and differences. \
        Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "same",
        "replay",
        "items.pod.namespace",
        "items.pod.name",
        "items.same",
        "items.items.scheduler.version",
        "items.items.outcome",
        "items.items.message",
        "items.differences.from",
        "items.differences.to",
        "items.differences.fields",
        "items.differences.rules.summary",
        "items.differences.rules.since",
        "notes.severity",
        "notes.code",
        "notes.text",
    ];

    fn check(&self) -> Result<(), String> {
        self.sides(&SchedulerChoice::default()).map(drop).map_err(|error| error.to_string())
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let all_namespaces = self.pods.is_empty() && self.namespace.is_none();
        let (targets, replay) = (target::parse(&self.pods)?, self.replay);
        let request =
            CompareRequest { targets, all_namespaces, replay, ..CompareRequest::default() };
        let (args, global) = (source.input(), source.global(self.namespace.clone()));
        let mut options = args.check()?;
        let sides = self.sides(options.scheduler())?;
        by_version::check(&mut options, &sides)?;
        let input = source.read(&options, &request.targets, &global)?;
        let mut answer =
            compare_sides(&input, &sides, &request, |report| of_report(&report, &global))??;
        answer.exit = answer.exit.as_answer();
        deliver(answer)
    }
}

impl VersionsCompare {
    /// What is compared. An object is called by its place in the list.
    fn sides(&self, choice: &SchedulerChoice) -> Result<Vec<ComparedSide>, Error> {
        let mut sides = ComparedSide::named(&self.versions, choice, |side, text| {
            if !text.contains(':') {
                return Err(Error::usage(format!(
                    "`{text}` is not a version of kube-scheduler, a gate, now or an object"
                )));
            }
            if !side.take_configuration(text, "versions") {
                side.objects = ReadManifests::of_text(text, "versions").all()?;
            }
            Ok(())
        })?;
        for (side, place) in sides.iter_mut().zip(1..) {
            if side.label.as_ref().is_some_and(|label| label.contains(':')) {
                side.label = Some(format!("object {place}"));
            }
        }
        Ok(sides)
    }
}

/// The arguments of `rules_explain`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RulesExplain {
    /// A plugin, a step, a code such as PRE-302, or a whole message (default: all rules)
    query: Option<String>,
}

impl ToolQuestion for RulesExplain {
    const NAME: &'static str = "rules_explain";
    const TITLE: &'static str = "Explain a plugin, code or message";
    const DESCRIPTION: &'static str = "What a plugin, a preemption step, a code of another answer or a message of kube-scheduler means, \
        and what would help. A pasted message is explained part by part. Reads no cluster. Read items and parts. Read-only.";
    const CONCISE: &'static [&'static str] = &[
        "items.code",
        "items.name",
        "items.kind",
        "items.meaning",
        "items.preemption",
        "items.remedy",
        "parts",
    ];
    const BYTES: usize = ONE_POD;

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let report = rules(&RulesRequest { query: self.query.unwrap_or_default() })?;
        deliver(of_report(&report, &source.global(None))?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::arguments::Detail;
    use super::super::cut::{MOST_ROWS, ROWS};
    use super::*;

    /// The schema of the arguments, without the title, which is the name of a type of ours.
    fn schema<Q: schemars::JsonSchema + ToolQuestion>() -> (String, Value) {
        let settings = schemars::generate::SchemaSettings::draft2020_12();
        let mut schema = settings.into_generator().into_root_schema_for::<Q>();
        schema.remove("title");
        schema.remove("description");
        let mut schema = schema.to_value();
        schema["properties"][arguments::MAX_ROWS] = json!({
            "description": format!("Items of each list, up to {MOST_ROWS} (default {ROWS})"),
            "type": "integer", "minimum": 1, "maximum": MOST_ROWS,
        });
        schema["properties"][arguments::DETAIL] = json!({
            "description": "full: all values (default concise)",
            "type": "string", "enum": ["concise", "full"],
        });
        schema["properties"][arguments::OFFSET] = json!({
            "description": "Items of each list to pass over", "type": "integer", "minimum": 0,
        });
        (Q::NAME.to_owned(), schema)
    }

    #[test]
    fn embedded_schemas_are_those_of_the_arguments() {
        let derived: Map<String, Value> = [
            schema::<PodExplain>(),
            schema::<PodsPending>(),
            schema::<PlacementSimulate>(),
            schema::<PodsRisk>(),
            schema::<EvictionsExplain>(),
            schema::<NodesRemovable>(),
            schema::<NodeLoss>(),
            schema::<ChangesSuggest>(),
            schema::<HeadroomCount>(),
            schema::<ClusterAudit>(),
            schema::<MessagesVerify>(),
            schema::<VersionsCompare>(),
            schema::<RulesExplain>(),
        ]
        .into_iter()
        .collect();
        let text = format!("{:#}\n", Value::Object(derived));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/mcp/arguments.json");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(file, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(file).unwrap(), "`just schema` rewrites it");
    }

    fn check(tool: &str, arguments: Value) -> Result<Amount, WrongArgument> {
        (find(tool).unwrap().check)(arguments)
    }

    #[test]
    fn arguments_are_checked_before_anything_is_read() {
        let amount = check("pod_explain", json!({"pod": "web"})).unwrap();
        assert_eq!((amount.detail, amount.rows, amount.offset), (Detail::Concise, ROWS, 0));
        let amount = check("pods_pending", json!({"max_rows": 3, "offset": 6})).unwrap();
        assert_eq!((amount.detail, amount.rows, amount.offset), (Detail::Full, 3, 6));
        for (tool, arguments, argument, problem) in [
            ("pod_explain", json!({}), "pod", "pod is missing"),
            (
                "pod_explain",
                json!({"pod": "web", "namespce": "x"}),
                "namespce",
                "did you mean namespace?",
            ),
            ("pod_explain", json!({"pod": 7}), "pod", "pod: it is a text"),
            ("pod_explain", json!({"pod": "web", "detail": "all"}), "detail", "concise or full"),
            ("pod_explain", json!([]), "", "the arguments are an object"),
            ("pods_pending", json!({"max_rows": 0}), "max_rows", "a number from 1 to 500"),
            ("pods_pending", json!({"max_rows": -1}), "max_rows", "a number from 1 to 500"),
            ("pods_pending", json!({"in_order": "yes"}), "in_order", "true or false"),
            (
                "pods_pending",
                json!({"selector": "x".repeat(2000)}),
                "selector",
                "longer than 1024 bytes",
            ),
            ("pods_risk", json!({"targets": vec!["x"; 100]}), "targets", "more than 64 items"),
            ("pods_risk", json!({"targets": "deploy/web"}), "targets", "a list of texts"),
            ("placement_simulate", json!({"apply": true}), "apply", "not an argument of this tool"),
            ("placement_simulate", json!({"replicas": 0}), "replicas", "a number from 1 to 10000"),
            ("placement_simulate", json!({"pod": "a", "manifest": "b"}), "", "not both"),
            ("evictions_explain", json!({"since": "ever"}), "", "use a number with a unit"),
            ("nodes_removable", json!({}), "", "name nodes, or give a selector"),
            ("nodes_removable", json!({"nodes": ["a"], "selector": "b"}), "", "not both"),
            ("nodes_removable", json!({"nodes": ["a"], "surge": 101}), "", "a number up to 100"),
            ("headroom_count", json!({}), "", "name a pod or give a manifest"),
            ("versions_compare", json!({"versions": ["1.37"]}), "", "two versions or more"),
            ("rules_explain", json!({"query": 7}), "query", "it is a text"),
        ] {
            let wrong = check(tool, arguments.clone()).unwrap_err();
            assert!(wrong.error.contains(problem), "{tool} {arguments}: {wrong:?}");
            assert_eq!(wrong.argument.as_deref().unwrap_or_default(), argument, "{wrong:?}");
            assert_eq!(wrong.allowed.is_some(), wrong.argument.is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn every_tool_describes_its_arguments() {
        let schemas = arguments::schemas().unwrap();
        assert_eq!(schemas.len(), all().len());
        for tool in all() {
            let schema = &schemas[tool.name];
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            let properties = schema["properties"].as_object().unwrap();
            for (name, property) in properties {
                assert!(property["description"].is_string(), "{}: {name}", tool.name);
            }
            let names = ["apply", "dry_run", "file", "path", "kubeconfig"];
            assert!(names.iter().all(|name| !properties.contains_key(*name)), "{}", tool.name);
            assert!(tool.description.ends_with("Read-only."), "{}", tool.name);
        }
    }
}
