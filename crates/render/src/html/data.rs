//! The data for the script of the page: the result and the dry run of every node, with each text
//! stored once.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serde::{Serialize, Serializer};

use super::super::page::sanitize;
use answers::pod_report::PodReport;
use engine::cluster::node::NodeIx;
use engine::cluster::pod::PodIx;
use engine::decision::blockers::Blockers;
use engine::framework::cycle::{NodeVerdict, PreFilter};
use engine::framework::status::{Code, Rejection};
use engine::preemption::dry_run::{Candidate, DryRun};

/// Maximum number of pods that a page lists individually; each decision has an equal share, and the
/// best candidates are listed first. Once the limit is reached, a candidate lists only its victims,
/// and then only numbers.
const PODS_LISTED: usize = 8_000;
const VICTIMS_TOLD: usize = 48_000;

/// The root object.
#[derive(Serialize)]
struct PageData {
    nodes: Vec<String>,
    /// The texts, to which other fields refer by index.
    #[serde(serialize_with = "in_order")]
    texts: IndexSet<String>,
    pods: Vec<PodData>,
    /// The code and the meaning by message.
    meanings: BTreeMap<String, [&'static str; 2]>,
}

#[derive(Serialize)]
struct PodData {
    /// The columns of the matrix.
    plugins: Vec<String>,
    /// Whether this scheduler runs every filter; otherwise results after the first rejection are
    /// unknown.
    all: bool,
    /// The causes that nodes can be filtered by, with the number of nodes.
    causes: Vec<(usize, usize)>,
    /// The cause by node, or -1.
    cause: Vec<i32>,
    #[serde(serialize_with = "in_order")]
    verdicts: IndexSet<VerdictData>,
    /// The verdict by node.
    verdict: Vec<usize>,
    runs: Vec<DryRunData>,
    /// The dry run by node, or -1.
    run: Vec<i32>,
    /// Whether preemption ran.
    preempts: bool,
    /// Why there are no dry runs.
    untried: Option<usize>,
}

#[derive(Serialize, PartialEq, Eq, Hash)]
struct VerdictData {
    kind: &'static str,
    /// The column of the plugin that rejects the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    /// Whether no eviction helps (unresolvable).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hard: bool,
    /// The columns of the other plugins that reject the node, each with a text; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    also: Option<Vec<(usize, usize)>>,
    /// Alternating: a message, and the message with its values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<usize>,
}

impl VerdictData {
    fn new(kind: &'static str, reasons: Vec<usize>) -> Self {
        Self { kind, at: None, hard: false, also: None, reasons }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum DryRunData {
    Candidate {
        /// Rank among the candidates, from 0.
        rank: usize,
        wins: bool,
        /// Nothing if the budgets could not be read.
        violations: Option<usize>,
        victims: usize,
        spared: usize,
        /// In the order in which reprieving them was tried.
        pods: Vec<PodEntry>,
    },
    No {
        reasons: Vec<usize>,
    },
}

/// Name, priority, age, owner and state. State: 1 is evicted, 2 would violate a budget, 3 is both.
type Who = (usize, i32, usize, usize, u8);

#[derive(Serialize)]
#[serde(untagged)]
enum PodEntry {
    Spared(Who),
    /// With the budgets that it violates, and the plugin that would reject the preemptor if the pod
    /// stayed.
    Victim(Who, Option<usize>, Option<usize>),
}

/// How many more pods may be listed.
struct PodQuota {
    whole: usize,
    victims: usize,
}

fn in_order<T: Serialize, S: Serializer>(
    set: &IndexSet<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(set)
}

/// The data as JSON.
///
/// # Errors
/// Never for these types.
pub(crate) fn json(decisions: &[PodReport]) -> Result<String, String> {
    let mut texts = Texts::default();
    let share = decisions.len().max(1);
    let pods = decisions.iter().map(|model| {
        let mut budget = PodQuota { whole: PODS_LISTED / share, victims: VICTIMS_TOLD / share };
        pod(model, &mut texts, &mut budget)
    });
    let pods = pods.collect();
    let nodes = decisions.first().map_or_else(Vec::new, |model| {
        model.cluster().node_indices().map(|node| sanitize(model.node(node)).into_owned()).collect()
    });
    let messages = decisions.iter().flat_map(PodReport::messages);
    let meanings = messages
        .map(|(text, message)| (sanitize(&text).into_owned(), message))
        .map(|(text, message)| (text, [message.code, message.meaning]))
        .collect();
    serde_json::to_string(&PageData { nodes, texts: texts.0, pods, meanings })
        .map_err(|e| e.to_string())
}

#[derive(Default)]
struct Texts(IndexSet<String>);

impl Texts {
    fn add(&mut self, text: &str) -> usize {
        self.0.insert_full(sanitize(text).into_owned()).0
    }
}

fn pod(model: &PodReport, texts: &mut Texts, budget: &mut PodQuota) -> PodData {
    let (decision, profile) = (model, model.profile());
    let count = decision.nodes().len();
    let mut pod = PodData {
        plugins: profile.plugins.filter.iter().map(|name| (*name).to_owned()).collect(),
        all: profile.features.cycle.filters_all_run,
        causes: Vec::new(),
        cause: vec![-1; count],
        verdicts: IndexSet::new(),
        verdict: Vec::with_capacity(count),
        runs: Vec::new(),
        run: vec![-1; count],
        preempts: decision.preemption().is_some(),
        untried: model.untried().map(|reason| texts.add(&reason)),
    };

    // Nodes with the same verdict share one: there are thousands of nodes and a few verdicts.
    for (node, verdict) in model.cluster().node_indices().zip(decision.nodes()) {
        let mut verdict = of(model, verdict, &mut pod.plugins, texts);
        verdict.also = also(model, node, &pod.plugins, texts);
        pod.verdict.push(pod.verdicts.insert_full(verdict).0);
    }
    for (index, cause) in model.causes().iter().enumerate() {
        let details = cause.details.iter().map(String::as_str);
        let parts = std::iter::once(&*cause.plugin)
            .chain(answers::pod_report::texts(&cause.reasons))
            .chain(details);
        let text = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
        pod.causes.push((texts.add(&text), cause.nodes.len()));
        cause.nodes.iter().for_each(|node| set(&mut pod.cause, *node, index));
    }
    runs(model, texts, budget, &mut pod);
    pod
}

fn set(table: &mut [i32], node: NodeIx, value: usize) {
    if let Some(place) = table.get_mut(node.0 as usize) {
        *place = i32::try_from(value).unwrap_or(-1);
    }
}

fn of(
    model: &PodReport,
    verdict: &NodeVerdict,
    plugins: &mut Vec<String>,
    texts: &mut Texts,
) -> VerdictData {
    match verdict {
        NodeVerdict::Feasible => VerdictData::new("fits", Vec::new()),
        NodeVerdict::NotTried => match model.pre_filter() {
            PreFilter::Rejected { plugin, rejection, .. } => {
                let at = plugins.iter().position(|name| name == plugin);
                VerdictData { at, ..VerdictData::new("untried", reasons(model, rejection, texts)) }
            }
            _ => VerdictData::new("untried", Vec::new()),
        },
        NodeVerdict::Failed(error) => {
            let error = texts.add(error.text());
            VerdictData::new("error", vec![error, error])
        }
        NodeVerdict::ExcludedByPreFilter => {
            let [text, whole] = [model.excluded().text, model.excluded_with_operands()]
                .map(|text| texts.add(&text));
            VerdictData::new("excluded", vec![text, whole])
        }
        NodeVerdict::Filtered { plugin, rejection } => {
            let at = plugins.iter().position(|name| name == plugin).unwrap_or_else(|| {
                // An extender is called after all filters.
                plugins.push((*plugin).to_owned());
                plugins.len() - 1
            });
            let reasons = reasons(model, rejection, texts);
            let hard = rejection.code == Code::UnschedulableAndUnresolvable;
            VerdictData { at: Some(at), hard, ..VerdictData::new("refused", reasons) }
        }
    }
}

/// Alternating: each reason, and the reason with its values.
fn reasons(model: &PodReport, rejection: &Rejection, texts: &mut Texts) -> Vec<usize> {
    let pairs = rejection.texts(model.cluster()).into_iter().zip(model.with_operands(rejection));
    pairs.flat_map(|(text, whole)| [texts.add(&text), texts.add(&whole)]).collect()
}

/// The rejections by plugins after the first one that rejects a node.
fn also(
    model: &PodReport,
    node: NodeIx,
    plugins: &[String],
    texts: &mut Texts,
) -> Option<Vec<(usize, usize)>> {
    let found = model.also_refused(node)?.iter().filter_map(|(plugin, rejection)| {
        let at = plugins.iter().position(|name| name == plugin)?;
        Some((at, texts.add(&model.with_operands(rejection).join(", "))))
    });
    Some(found.collect())
}

fn runs(model: &PodReport, texts: &mut Texts, budget: &mut PodQuota, pod: &mut PodData) {
    let blockers = Blockers::new(model);
    for (rank, candidate) in model.ranked().into_iter().enumerate() {
        set(&mut pod.run, candidate.node, pod.runs.len());
        pod.runs.push(run(model, candidate, rank, &blockers, texts, budget));
    }
    let Some(report) = model.preemption() else { return };
    // Thousands of nodes may have no victims for the same reason.
    let mut known: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for (node, dry_run) in &report.dry_runs {
        let reasons = match dry_run {
            DryRun::Candidate(_) => continue,
            DryRun::Failed(failure) => vec![texts.add(failure.text())],
            DryRun::NoCandidate { rejection, .. } => {
                model.with_operands(rejection).iter().map(|text| texts.add(text)).collect()
            }
        };
        let index = *known.entry(reasons.clone()).or_insert(pod.runs.len());
        if index == pod.runs.len() {
            pod.runs.push(DryRunData::No { reasons });
        }
        set(&mut pod.run, *node, index);
    }
}

fn run(
    model: &PodReport,
    candidate: &Candidate,
    rank: usize,
    blockers: &Blockers,
    texts: &mut Texts,
    budget: &mut PodQuota,
) -> DryRunData {
    let mut order: Vec<(PodIx, u8)> =
        candidate.reprieve_order.iter().map(|t| (t.pod, u8::from(t.violates_pdb) * 2)).collect();
    // An extender may have named other victims.
    let named_by_extender = candidate
        .victims
        .iter()
        .filter(|v| !candidate.reprieve_order.iter().any(|t| t.pod == v.pod));
    order.extend(named_by_extender.map(|victim| (victim.pod, 0)));
    let (whole, victims) = (budget.whole >= order.len(), candidate.victims.len());
    if whole {
        budget.whole -= order.len();
    } else if budget.victims >= victims {
        budget.victims -= victims;
        order.retain(|(ix, _)| candidate.victims.iter().any(|victim| victim.pod == *ix));
    } else {
        order.clear();
    }
    let mut pods = Vec::with_capacity(order.len());
    if !order.is_empty() {
        let mut blocks = model.blocks(candidate, blockers);
        for (ix, state) in order {
            pods.push(pod_entry(model, candidate, ix, state, blocks.remove(&ix), texts));
        }
    }
    DryRunData::Candidate {
        rank,
        wins: model.wins(candidate.node),
        violations: Some(candidate.violations).filter(|_| !model.cluster().are_budgets_unknown()),
        victims: candidate.victims.len(),
        spared: candidate.reprieved.len(),
        pods,
    }
}

fn pod_entry(
    model: &PodReport,
    candidate: &Candidate,
    ix: PodIx,
    state: u8,
    blocks: Option<String>,
    texts: &mut Texts,
) -> PodEntry {
    let victim = candidate.victims.iter().find(|victim| victim.pod == ix);
    let pod = model.pod_summary(ix);
    let name = if pod.terminating { format!("{} (terminating)", pod.name) } else { pod.name };
    let state = state | u8::from(victim.is_some());
    let who = (texts.add(&name), pod.priority, texts.add(&pod.age), texts.add(&pod.owner), state);
    let Some(victim) = victim else { return PodEntry::Spared(who) };
    let budgets = Some(model.budgets(victim).join(", ")).filter(|text| !text.is_empty());
    PodEntry::Victim(who, budgets.map(|text| texts.add(&text)), blocks.map(|text| texts.add(&text)))
}
