//! Preemption, with a file per step: whether the pod may preempt, which nodes are potential
//! candidates, which pods are evicted on each, and which candidate wins. The scheduler samples the
//! potential nodes; here all of them are tried.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` (1.37).

pub mod budgets;
pub mod candidates;
pub mod doubts;
pub mod dry_run;
pub mod eligibility;
pub mod eviction;
pub mod extenders;
pub mod importance;
pub mod outcomes;
pub mod pick_node;
mod potential_victims;
pub mod proof;
pub(crate) mod reprieve;
pub mod units;
pub(crate) mod victim;
pub mod victim_choices;
mod victim_orders;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::framework::cluster_view::PARALLEL_FROM;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::message::{self, FitError, Histogram};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::Rejection;
use dry_run::{Candidate, DryRun, DryRunContext};
use eligibility::Ineligible;
use importance::StepDoc;
use model::cluster::{BudgetIx, Cluster, NodeIx, PodIx};
use model::parallel;
use outcomes::OrdersTried;
use pick_node::TieBreakStep;
pub(crate) use potential_victims::by_index;
use victim_choices::VictimChoices;
use victim_orders::{OrderDependence, VictimOrders};

/// The name of the plugin.
pub(crate) const NAME: &str = "DefaultPreemption";

/// No eviction helps on the node.
pub static NOT_HELPFUL: Message = Message {
    code: "PRE-301",
    text: "Preemption is not helpful for scheduling",
    meaning: "The node rejects the pod for a reason that evicting pods cannot change, so preemption did not try it.",
    preemption: "Never: the message means that no eviction helps.",
    remedy: "remove the cause that the filters name; a higher priority changes nothing here",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/framework/preemption/preemption.go (1.37)",
};

/// What [`NOT_HELPFUL`] means about the nodes that preemption does not try.
pub const CANNOT_HELP: &str = "evictions change nothing there (taint, cordon, labels or size)";

/// Budget of node checks for finding out what the order of equally important pods can change.
const CHECKS: usize = 16_384;

/// The texts that preemption writes about nodes, the pod and its victims.
pub static MESSAGES: &[&Message] = &[
    &NOT_HELPFUL,
    &dry_run::NO_VICTIMS,
    &dry_run::NO_VICTIMS_NAMED,
    &eligibility::NEVER,
    &eligibility::TERMINATING,
    &eviction::FOUND,
    &extenders::NO_CANDIDATE_NODE,
];

/// The steps, in the order in which the scheduler takes them.
pub static STEPS: &[&StepDoc] = &[
    &eligibility::STEP,
    &candidates::POTENTIAL,
    &dry_run::STEP,
    &importance::STEP,
    &budgets::STEP,
    &dry_run::REPRIEVE,
    &candidates::SAMPLE,
    &eviction::NOMINATION,
    &eviction::EVICTION,
];

/// The result of preemption.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct PreemptionReport {
    /// Whether preemption is off because the profile does not run DefaultPreemption; nothing else
    /// was computed then.
    pub off: bool,
    /// Why the pod may not preempt; if set, only [`Self::awaited`] was computed.
    pub ineligible: Option<Ineligible>,
    /// What a pod that has already preempted waits for: its nominated node, with the terminating
    /// pods without which it fits there.
    pub awaited: Option<Candidate>,
    /// The dry run of every potential node, by name. On nodes without one no eviction helps.
    pub dry_runs: BTreeMap<NodeIx, DryRun>,
    /// The steps of the tie-break, with the budgets walked in the order of their names.
    pub tie_break: Vec<TieBreakStep>,
    /// The nodes that win the tie-break for at least one order of the budgets.
    pub winners: Vec<NodeIx>,
    /// How the result depends on the order of the budgets.
    pub budget_orders: BudgetOrders,
    /// Which pods may be evicted, where that depends on the order of equally important pods, which
    /// the API does not show. Computed only for the nodes that the pod may be nominated to.
    pub victim_choices: BTreeMap<NodeIx, VictimChoices>,
    /// Whether equally important pods have too many orders to determine the possible winners.
    pub victim_orders_incomplete: bool,
    /// The number of candidates after which the scheduler stops.
    pub sample_size: usize,
    /// Whether extenders were asked about the candidates. For another order of budgets or pods they
    /// would have to be asked again, so none is tried.
    pub extenders_asked: bool,
    /// The message if extenders failed or left no candidate.
    pub extender_message: Option<String>,
    /// How an extender failed: an error of preemption, or a crash of the scheduler.
    pub extender_failure: Option<StepFailure>,
}

/// How the result depends on the order in which the scheduler walks the budgets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetOrders {
    /// The budgets whose order matters.
    pub involved: Vec<BudgetIx>,
    /// The nodes whose victims depend on it, with the victims of each order other than by name.
    pub victims: BTreeMap<NodeIx, BTreeSet<Vec<PodIx>>>,
    /// Whether there are too many orders to try all of them.
    pub incomplete: bool,
}

/// Runs preemption for the pod of the cycle.
pub fn evaluate(
    prepared: &PreparedCycle,
    verdicts: &[NodeVerdict],
    now: Timestamp,
) -> PreemptionReport {
    if let Err(ineligible) = eligibility::check(prepared, verdicts) {
        let awaited = candidates::find(prepared, verdicts, &ineligible, now);
        return PreemptionReport {
            ineligible: Some(ineligible),
            awaited,
            ..PreemptionReport::default()
        };
    }
    let mut report = PreemptionReport::default();
    let cluster = prepared.cycle.cluster();
    let features = &prepared.cycle.features().preemption;
    let context = DryRunContext::new(prepared.cycle.view, now);

    // Dry-run every node on which an eviction may help, then ask the extenders about the
    // candidates.
    let potential = candidates::potential(prepared, verdicts);
    report.sample_size =
        candidates::sample_size(potential.len(), &prepared.cycle.view.profile.args, features);
    let table = prepared.cycle.view.potential_victims(prepared.cycle.pod.priority, now);
    report.dry_runs =
        run_all(&potential, |node| dry_run::run_known(prepared, node, &context, &table));
    if report.sample_size == 0 {
        // Parity: a percentage of few nodes may round to zero. The scheduler then keeps none of the
        // candidates that it finds.
        report.dry_runs.retain(|_, run| candidate(run).is_none());
    }
    report.extenders_asked = extenders::ask(prepared, &mut report);
    extenders::drop_nodes_without_victims(prepared, &mut report);

    // Break the tie. If the budgets may be walked in several orders, each may have another winner.
    // An extender would have to be asked again for each, so its answer is final.
    let (tie_break, winners) = pick_node::pick(report.candidates(), cluster, features, now);
    report.tie_break = tie_break;
    if report.extenders_asked {
        report.winners = winners;
        return report;
    }
    report.winners = try_budget_orders(&mut report, winners, prepared, &context);
    report
}

fn run_all(
    nodes: &[NodeIx],
    run: impl Fn(NodeIx) -> DryRun + Sync + Send,
) -> BTreeMap<NodeIx, DryRun> {
    parallel::map(nodes, PARALLEL_FROM, |node| (*node, run(*node)))
}

/// Repeats the dry runs that depend on the order of the budgets, once per order, and returns all
/// possible winners.
fn try_budget_orders(
    report: &mut PreemptionReport,
    winners: Vec<NodeIx>,
    prepared: &PreparedCycle,
    context: &DryRunContext,
) -> Vec<NodeIx> {
    let cluster = prepared.cycle.cluster();
    let sensitive: Vec<NodeIx> =
        report.candidates().filter(|c| c.depends_on_budget_order).map(|c| c.node).collect();
    if sensitive.is_empty() {
        return winners;
    }

    // The order matters only for budgets of pods with several of them.
    let mut involved: BTreeSet<BudgetIx> = BTreeSet::new();
    for pod in sensitive.iter().flat_map(|node| cluster.pods_on(*node)).map(|pod| cluster.pod(*pod))
    {
        if context.units.priority(pod) < prepared.cycle.pod.priority {
            let budgets = context.budgets.of(pod, cluster);
            if budgets.len() > 1 {
                involved.extend(budgets);
            }
        }
    }

    // Repeat the dry runs for each order, and break the tie using the other nodes' results from the
    // first order.
    let (orders, coverage) = outcomes::budget_orders(&involved);
    let mut all = vec![winners];
    let mut victims: BTreeMap<NodeIx, BTreeSet<Vec<PodIx>>> = BTreeMap::new();
    for order in orders {
        let rank = |budget: BudgetIx| order.get(&budget).copied().unwrap_or(usize::MAX);
        let runs = run_all(&sensitive, |node| dry_run::run(prepared, node, context, &rank));
        for (node, run) in &runs {
            if same_victims(report.dry_runs.get(node), run) {
                continue;
            }
            let victims_of_run = candidate(run)
                .map(|candidate| candidate.victims.iter().map(|victim| victim.pod).collect());
            victims.entry(*node).or_default().extend(victims_of_run);
        }
        let candidates = report
            .dry_runs
            .iter()
            .filter_map(|(node, run)| candidate(runs.get(node).unwrap_or(run)));
        all.push(
            pick_node::pick(
                candidates,
                cluster,
                &prepared.cycle.features().preemption,
                context.now,
            )
            .1,
        );
    }
    report.budget_orders = BudgetOrders {
        involved: involved.into_iter().collect(),
        victims,
        incomplete: coverage == OrdersTried::Some,
    };
    outcomes::union(all)
}

fn candidate(run: &DryRun) -> Option<&Candidate> {
    match run {
        DryRun::Candidate(candidate) => Some(candidate),
        DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
    }
}

fn same_victims(a: Option<&DryRun>, b: &DryRun) -> bool {
    let victims = |run: &DryRun| {
        candidate(run).map(|c| (c.violations, c.victims.iter().map(|v| v.pod).collect::<Vec<_>>()))
    };
    a.is_some_and(|a| victims(a) == victims(b))
}

impl PreemptionReport {
    /// For a profile that does not run DefaultPreemption.
    pub(crate) fn off() -> Self {
        Self { off: true, ..Self::default() }
    }

    /// Whether nodes were tried; if not, the profile does not preempt or the pod may not.
    #[must_use]
    pub fn tried(&self) -> bool {
        !self.off && self.ineligible.is_none()
    }

    /// The nodes that were not tried because evictions change nothing there (taint, cordon, labels or size), by name; see
    /// [`CANNOT_HELP`].
    #[must_use]
    pub fn not_tried(&self, cluster: &Cluster) -> Vec<NodeIx> {
        let nodes = cluster.node_indices();
        nodes.filter(|node| self.tried() && !self.dry_runs.contains_key(node)).collect()
    }

    /// The candidates: nodes on which evicting pods helps, by name.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.dry_runs.values().filter_map(candidate)
    }

    /// Finds out what the order of equally important pods can change: the victims on `selected`
    /// and, unless the scheduler samples candidates, which other nodes may win. Returns those
    /// nodes.
    pub(crate) fn try_victim_orders(
        &mut self,
        selected: &[NodeIx],
        sampled: bool,
        prepared: &PreparedCycle,
        now: Timestamp,
    ) -> Vec<NodeIx> {
        if self.extenders_asked {
            return Vec::new();
        }
        let mut orders = VictimOrders::new(prepared, now, CHECKS);
        let mut also = Vec::new();
        // Orders of groups are not tried.
        if self.candidates().any(|candidate| candidate.groups_tie) {
            self.victim_orders_incomplete = true;
        }
        // In a sample, the candidates that would win may be missing.
        let tie_breaks = (!sampled).then(|| orders.tie_breaks(self.candidates()));
        if let Some(tie_breaks) = &tie_breaks {
            also =
                tie_breaks.nodes.iter().copied().filter(|node| !selected.contains(node)).collect();
            self.victim_orders_incomplete |= !tie_breaks.complete;
        }
        for node in selected.iter().chain(&also) {
            let Some(candidate) = self.candidate(*node) else { continue };
            let choices = orders.choices(candidate, OrderDependence::Names);
            let Some(choices) = choices else { continue };
            let open = match &tie_breaks {
                Some(tie_breaks) => orders.winning(choices, candidate, tie_breaks),
                None => Some(choices).filter(|choices| !choices.is_settled()),
            };
            self.victim_choices.extend(open.map(|open| (*node, open)));
        }
        also
    }

    /// The candidate on `node`, if it is one.
    #[must_use]
    pub fn candidate(&self, node: NodeIx) -> Option<&Candidate> {
        candidate(self.dry_runs.get(&node)?)
    }

    /// Potential nodes on which the pod does not fit even without the pods of lower priority, by
    /// name: the node, the plugin that still rejects it (empty if there were no pods to evict), and
    /// the rejection.
    pub fn rejections(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        self.dry_runs.iter().filter_map(|(node, run)| match run {
            DryRun::NoCandidate { plugin, rejection, .. } => {
                Some((*node, plugin.unwrap_or(""), rejection))
            }
            DryRun::Candidate(_) | DryRun::Failed(_) => None,
        })
    }

    /// The errors of dry runs.
    #[must_use]
    pub fn errors(&self) -> BTreeSet<&str> {
        self.dry_runs.values().filter_map(DryRun::failure).map(StepFailure::text).collect()
    }

    /// The crash that a dry run or an extender's answer causes, if any.
    #[must_use]
    pub(crate) fn crash(&self) -> Option<Crash> {
        let in_dry_runs = self.dry_runs.values().filter_map(DryRun::failure);
        in_dry_runs.chain(&self.extender_failure).find_map(StepFailure::crash)
    }

    /// The message of DefaultPreemption if it found no candidate, without its prefix.
    #[must_use]
    pub(crate) fn failure_message(&self, prepared: &PreparedCycle) -> String {
        if let Some(ineligible) = &self.ineligible {
            return ineligible.reason.text.to_owned();
        }
        if let Some(extender_message) = &self.extender_message {
            return extender_message.clone();
        }
        let (cluster, features) = (prepared.cycle.cluster(), prepared.cycle.features());
        if let Some(errors) = message::aggregate(&self.errors().into_iter().collect::<Vec<_>>()) {
            return errors;
        }
        let mut histogram = Histogram::default();
        for run in self.dry_runs.values() {
            match run {
                DryRun::NoCandidate { rejection, .. } => {
                    rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
                }
                DryRun::Candidate(_) | DryRun::Failed(_) => {}
            }
        }
        histogram.count_many(&NOT_HELPFUL.reason(), self.not_tried(cluster).len());
        FitError { total: cluster.nodes.len(), pre_filter: None, histogram }
            .render(cluster, features, None)
    }
}
