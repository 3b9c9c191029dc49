//! The questions of agents: one type per tool, with its arguments. All are read-only.
//!
//! A new tool is a type that implements [`ToolQuestion`], and a line in [`all`] and in the tests'
//! list of schemas. `just schema` writes the schemas of all arguments to `arguments.json`: the
//! program embeds that file, so it does not need the crate that derives them.

use std::io::Write as _;

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::McpArgs;
use super::cut::{MOST_ROWS, ROWS};
use crate::api::flags::{ConnectionFlags, parse_age};
use crate::cli::answer::Deliver;
use crate::cli::explain::{self, args::ExplainArgs};
use crate::cli::flags::GlobalFlags;
use crate::cli::input::InputArgs;
use crate::cli::listing::ListFormat;
use crate::cli::pending::{self, args::PendingArgs, args::PendingFormat};
use crate::cli::printer::{DataFormat, Encoding, ExplainFormat, PeopleFormat};
use crate::cli::printing::for_agent;
use crate::cli::simulate::{self, args::SimulateArgs, args::SimulateFormat};
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::evictions::{EvictionsRequest, NamedPod, evictions};
use answers::questions::risk::{PreemptorRequest, RiskRequest, RiskSubject, risk};

/// Maximum number of items in a list argument, and size limit of each; a manifest may be larger.
const MOST_ITEMS: usize = 64;
const LONGEST_ARGUMENT: usize = 1024;
const LONGEST_MANIFEST: usize = 512 << 10;

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
    /// Its display name.
    const TITLE: &'static str;
    /// When to use it and what it answers, for the model that chooses.
    const DESCRIPTION: &'static str;

    /// The requested number of items per list.
    fn max_rows(&self) -> Option<usize>;

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
    /// Validates arguments. Returns the requested number of items per list.
    pub check: fn(Value) -> Result<usize, String>,
    /// Answers a call with validated arguments.
    pub answer: fn(Value, AnswerSource<'_>, Deliver<'_>) -> anyhow::Result<Exit>,
}

pub(super) fn all() -> [Tool; 5] {
    [
        tool::<PodExplain>(),
        tool::<PodsPending>(),
        tool::<PlacementSimulate>(),
        tool::<PodsRisk>(),
        tool::<EvictionsExplain>(),
    ]
}

pub(super) fn find(name: &str) -> Option<Tool> {
    all().into_iter().find(|tool| tool.name == name)
}

fn tool<Q: ToolQuestion>() -> Tool {
    Tool {
        name: Q::NAME,
        title: Q::TITLE,
        description: Q::DESCRIPTION,
        check: |arguments| {
            check_sizes(&arguments)?;
            let question: Q = serde_json::from_value(arguments).map_err(|e| e.to_string())?;
            question.check()?;
            let rows = question.max_rows().unwrap_or(ROWS);
            if (1..=MOST_ROWS).contains(&rows) {
                Ok(rows)
            } else {
                Err(format!("max_rows is a number from 1 to {MOST_ROWS}"))
            }
        },
        answer: |arguments, source, deliver| {
            let question: Q = serde_json::from_value(arguments)?;
            question.answer(source, deliver)
        },
    }
}

/// Rejects lists and texts that are longer than any name or amount.
fn check_sizes(arguments: &Value) -> Result<(), String> {
    let Value::Object(fields) = arguments else { return Ok(()) };
    for (name, value) in fields {
        let longest = if name == "manifest" { LONGEST_MANIFEST } else { LONGEST_ARGUMENT };
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if items.len() > MOST_ITEMS {
            return Err(format!("an argument has more than {MOST_ITEMS} items"));
        }
        let texts = items.iter().chain([value]).filter_map(Value::as_str);
        if texts.map(str::len).any(|length| length > longest) {
            return Err(format!("an argument is longer than {longest} bytes"));
        }
    }
    Ok(())
}

/// The JSON schemas of the arguments of all tools, by the tools' names.
///
/// # Errors
/// When the embedded file is not a map of tools, which a test rules out.
pub(super) fn schemas() -> Result<Map<String, Value>, String> {
    serde_json::from_str(include_str!("arguments.json")).map_err(|e| format!("arguments.json: {e}"))
}

/// The arguments of a command without any flags.
fn defaults<T: clap::Args>() -> anyhow::Result<T> {
    let command = T::augment_args(clap::Command::new("tool"));
    Ok(T::from_arg_matches(&command.try_get_matches_from(["tool"])?)?)
}

impl AnswerSource<'_> {
    fn input(&self) -> InputArgs {
        self.args.input.clone()
    }

    /// The global flags, with this namespace if there is one.
    fn global(&self, namespace: Option<String>) -> GlobalFlags {
        let quiet = GlobalFlags { quiet: true, ..self.global.clone() };
        GlobalFlags { namespace: namespace.or_else(|| self.global.namespace.clone()), ..quiet }
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
    /// The most items of each list of the answer, 1 to 500 (default 20)
    max_rows: Option<usize>,
}

impl ToolQuestion for PodExplain {
    const NAME: &'static str = "pod_explain";
    const TITLE: &'static str = "Explain a pod's scheduling";
    const DESCRIPTION: &'static str = "Why a pod is pending, which nodes reject it and why, where it will go, which pods \
        kube-scheduler would evict for it, and what would help. Read outcome, nearest, selected (with certainty), \
        preemption, remedies and notes. Read-only.";

    fn max_rows(&self) -> Option<usize> {
        self.max_rows
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let args = ExplainArgs {
            pods: vec![self.pod],
            input: source.input(),
            ..defaults::<ExplainArgs>()?
        };
        let formats = [
            ExplainFormat::Data(DataFormat::Encoded(Encoding::Json)),
            ExplainFormat::People(PeopleFormat::Text),
        ];
        explain::answer(&args, &formats, &source.global(self.namespace), source.connection, deliver)
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
    /// The most pods, and items of each list, 1 to 500 (default 20)
    max_rows: Option<usize>,
}

impl ToolQuestion for PodsPending {
    const NAME: &'static str = "pods_pending";
    const TITLE: &'static str = "List pending pods";
    const DESCRIPTION: &'static str = "Every pod that waits for a node: verdict (Fits, Preempts, Waits, Blocked, Gated, \
        NotInQueue, Error), what keeps it from the nearest nodes, where it would go and which pods it would preempt. \
        summary counts all of them, items are the most important first. Read-only.";

    fn max_rows(&self) -> Option<usize> {
        self.max_rows
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let args = PendingArgs {
            all_namespaces: self.namespace.is_none(),
            in_order: self.in_order,
            input: InputArgs { selector: self.selector, ..source.input() },
            ..defaults()?
        };
        let formats = [PendingFormat::Json, PendingFormat::Text];
        pending::answer(&args, &formats, &source.global(self.namespace), source.connection, deliver)
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
    /// The most items of each list of the answer, 1 to 500 (default 20)
    max_rows: Option<usize>,
}

impl ToolQuestion for PlacementSimulate {
    const NAME: &'static str = "placement_simulate";
    const TITLE: &'static str = "Simulate placement (what if)";
    const DESCRIPTION: &'static str = "What would happen to pending or new pods, or when a node is drained: which nodes they get, \
        which pods are evicted and in which order, which budgets are used, and where the victims' replacements go. It \
        only computes: nothing is created, evicted or changed. Read totals, steps, cascade, drains and notes. Read-only.";

    fn max_rows(&self) -> Option<usize> {
        self.max_rows
    }

    fn check(&self) -> Result<(), String> {
        if self.pod.is_some() && self.manifest.is_some() {
            return Err("name a pod or give a manifest, not both".to_owned());
        }
        match self.replicas {
            Some(replicas) if !(1..=10_000).contains(&replicas) => {
                Err("replicas is a number from 1 to 10000".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        // The manifest's file exists while the answer is computed.
        let mut file = None;
        if let Some(manifest) = &self.manifest {
            let mut written =
                tempfile::Builder::new().prefix("manifest-").suffix(".yaml").tempfile()?;
            written.write_all(manifest.as_bytes())?;
            file = Some(written);
        }
        let filenames = file.iter().map(|file| file.path().display().to_string()).collect();
        let mut args = SimulateArgs {
            pods: self.pod.into_iter().collect(),
            filenames,
            replicas: self.replicas,
            input: source.input(),
            ..defaults()?
        };
        let what_if = &mut args.what_if;
        what_if.on = self.on;
        what_if.priority = self.priority;
        what_if.requests = self.requests;
        what_if.toleration = self.toleration;
        what_if.node_selector = self.node_selector;
        what_if.add_node_like = self.add_node_like;
        what_if.remove_pod = self.remove_pod;
        what_if.free = self.free;
        what_if.cordon = self.cordon;
        what_if.uncordon = self.uncordon;
        what_if.drain = self.drain;
        what_if.remove_taint = self.remove_taint;
        what_if.remove_node = self.remove_node;
        what_if.pdb = self.pdb;
        let formats = [SimulateFormat::Json, SimulateFormat::Text].map(ListFormat::Own);
        simulate::answer(
            &args,
            &formats,
            &source.global(self.namespace),
            source.connection,
            deliver,
        )
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
    /// The most workloads, and items of each list, 1 to 500 (default 20)
    max_rows: Option<usize>,
}

impl ToolQuestion for PodsRisk {
    const NAME: &'static str = "pods_risk";
    const TITLE: &'static str = "Which running pods can be preempted";
    const DESCRIPTION: &'static str = "Which running pods can be preempted, by which priority classes and pending pods, and whether one \
        preemptor can take all replicas of a workload at once. Read items[].exposure (Victim, Candidate, Exposed, Safe), \
        preemptedBy, allAtOnce and pods[].evictedBy. Read-only.";

    fn max_rows(&self) -> Option<usize> {
        self.max_rows
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let request = RiskRequest {
            all_namespaces: self.namespace.is_none() && self.targets.is_empty(),
            subject: RiskSubject::parse(&self.targets)?,
            preemptor: PreemptorRequest::parse(
                self.preemptor.as_deref(),
                self.priority.as_deref(),
                &self.requests,
            )?,
        };
        let global = source.global(self.namespace);
        let input =
            source.args.input.check()?.read(&request.named(), &global, source.connection)?;
        deliver(for_agent(&risk(&input, &request)?, &global)?)
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
    /// The most items of each list, 1 to 500 (default 20)
    max_rows: Option<usize>,
}

impl ToolQuestion for EvictionsExplain {
    const NAME: &'static str = "evictions_explain";
    const TITLE: &'static str = "Why pods were evicted";
    const DESCRIPTION: &'static str = "After the fact: which pod preempted a pod, or what else ended it (kubelet, taint, eviction API, \
        garbage collection, descheduler), from Events, conditions and the pods that are left. A cause is named only where \
        something says so; certain is false where it cannot be known: do not guess then. Read-only.";

    fn max_rows(&self) -> Option<usize> {
        self.max_rows
    }

    fn check(&self) -> Result<(), String> {
        self.since.as_deref().map_or(Ok(()), |since| parse_age(since).map(drop))
    }

    fn answer(self, source: AnswerSource<'_>, deliver: Deliver<'_>) -> anyhow::Result<Exit> {
        let since = self.since.as_deref().map(parse_age).transpose().map_err(Error::usage)?;
        if since.is_some() && self.pod.is_some() {
            return Err(Error::usage("since limits the list: it does not go with a pod").into());
        }
        let pods = self.pod.iter().map(|word| NamedPod::parse(word));
        let request = EvictionsRequest {
            pods: pods.collect::<Result<_, _>>()?,
            all_namespaces: self.namespace.is_none(),
            since: since.and_then(|since| SignedDuration::try_from(since).ok()),
            before: None,
        };
        let global = source.global(self.namespace);
        let mut options = source.args.input.check()?;
        options.for_the_past();
        let input = options.read(&[], &global, source.connection)?;
        deliver(for_agent(&evictions(&input, &request)?, &global)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The schema of the arguments, without the title, which is the name of a type of ours.
    fn schema<Q: schemars::JsonSchema + ToolQuestion>() -> (String, Value) {
        let settings = schemars::generate::SchemaSettings::draft2020_12();
        let mut schema = settings.into_generator().into_root_schema_for::<Q>();
        schema.remove("title");
        schema.remove("description");
        (Q::NAME.to_owned(), schema.to_value())
    }

    #[test]
    fn embedded_schemas_are_those_of_the_arguments() {
        let derived: Map<String, Value> = [
            schema::<PodExplain>(),
            schema::<PodsPending>(),
            schema::<PlacementSimulate>(),
            schema::<PodsRisk>(),
            schema::<EvictionsExplain>(),
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

    fn check(tool: &str, arguments: Value) -> Result<usize, String> {
        (find(tool).unwrap().check)(arguments)
    }

    #[test]
    fn arguments_are_checked_before_anything_is_read() {
        assert_eq!(check("pod_explain", json!({"pod": "web"})), Ok(ROWS));
        assert_eq!(check("pods_pending", json!({"max_rows": 3})), Ok(3));
        for (tool, arguments, problem) in [
            ("pod_explain", json!({}), "missing field `pod`"),
            ("pod_explain", json!({"pod": "web", "form": "x"}), "unknown field `form`"),
            ("pod_explain", json!({"pod": 7}), "expected a string"),
            ("pod_explain", json!([]), "invalid length"),
            ("pods_pending", json!({"max_rows": 0}), "max_rows is a number from 1 to 500"),
            ("pods_pending", json!({"max_rows": -1}), "invalid value"),
            ("pods_pending", json!({"selector": "x".repeat(2000)}), "longer than 1024 bytes"),
            ("pods_risk", json!({"targets": vec!["x"; 100]}), "more than 64 items"),
            ("placement_simulate", json!({"apply": true}), "unknown field `apply`"),
            ("placement_simulate", json!({"replicas": 0}), "replicas is a number"),
            ("placement_simulate", json!({"pod": "a", "manifest": "b"}), "not both"),
            ("evictions_explain", json!({"since": "ever"}), "use a number with a unit"),
        ] {
            let refusal = check(tool, arguments.clone()).unwrap_err();
            assert!(refusal.contains(problem), "{tool} {arguments}: {refusal}");
        }
    }

    #[test]
    fn every_tool_describes_its_arguments() {
        let schemas = schemas().unwrap();
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
