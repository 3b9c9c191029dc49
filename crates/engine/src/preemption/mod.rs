//! Preemption, with a file per step: whether the pod may preempt, which nodes are potential candidates, which pods are
//! evicted on each, and which candidate wins. The scheduler samples the potential nodes; here all of them are tried.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` (1.37).

pub mod budgets;
pub mod candidates;
pub mod dry_run;
pub mod eligibility;
mod extenders;
pub mod importance;
pub mod outcomes;
pub mod pick_node;
mod unstable_sort;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rayon::prelude::*;

use crate::cluster::budget::BudgetIx;
use crate::cluster::node::NodeIx;
use crate::framework::cluster_view::PARALLEL_FROM;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::message::{self, FitError, Histogram};
use crate::framework::status::{ReasonText, Rejection};
use budgets::BudgetIndex;
use dry_run::{Candidate, DryRun, DryRunContext};
use eligibility::Ineligible;
use outcomes::OrdersTried;
use pick_node::TieBreakStep;

/// Upstream's reason for a node on which no eviction helps.
pub const NOT_HELPFUL: ReasonText = ReasonText::Fixed("Preemption is not helpful for scheduling");

/// The result of preemption.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct PreemptionReport {
    /// Why the pod may not preempt; if set, nothing else was computed.
    pub ineligible: Option<Ineligible>,
    /// The dry run of every potential node, by name. On nodes that are missing here no eviction helps.
    pub dry_runs: BTreeMap<NodeIx, DryRun>,
    /// The steps of the tie-break, with the budgets walked in the order of their names.
    pub tie_break: Vec<TieBreakStep>,
    /// The nodes that the tie-break leaves for at least one order of the budgets.
    pub winners: Vec<NodeIx>,
    /// How the result depends on the order of the budgets.
    pub(crate) budget_orders: BudgetOrders,
    /// The number of candidates after which the scheduler stops.
    pub sample_size: usize,
    /// The message if extenders failed or left no candidate.
    pub extender_message: Option<String>,
}

/// How the result depends on the order in which the scheduler walks the budgets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BudgetOrders {
    /// The budgets whose order matters.
    pub involved: Vec<BudgetIx>,
    /// The nodes whose victims depend on it.
    pub affected: Vec<NodeIx>,
    /// Whether there are too many orders to try all of them.
    pub incomplete: bool,
}

/// Runs preemption for the pod of the cycle.
pub fn evaluate(prepared: &PreparedCycle, verdicts: &[NodeVerdict], now: Timestamp) -> PreemptionReport {
    let mut report = PreemptionReport {
        ineligible: eligibility::check(prepared, verdicts).err(),
        dry_runs: BTreeMap::new(),
        tie_break: Vec::new(),
        winners: Vec::new(),
        budget_orders: BudgetOrders::default(),
        sample_size: 0,
        extender_message: None,
    };
    if report.ineligible.is_some() {
        return report;
    }
    let cluster = prepared.cycle.cluster();
    let features = &prepared.cycle.features().preemption;
    let budgets = BudgetIndex::new(cluster, features);
    let context = DryRunContext { budgets: &budgets, now };
    let potential = candidates::potential(prepared, verdicts);
    report.sample_size = candidates::sample_size(potential.len(), &prepared.cycle.view.profile.args, features);
    report.dry_runs = run_all(prepared, &potential, &context, &|budget| budget.0 as usize);
    let asked = extenders::ask(prepared, &mut report);
    let (tie_break, winners) = pick_node::pick(report.candidates(), cluster, features, now);
    report.tie_break = tie_break;
    if asked {
        // For other orders of the budgets the extenders would have to be called again.
        report.winners = winners;
        return report;
    }
    report.winners = try_budget_orders(&mut report, winners, prepared, &context);
    report
}

fn run_all(
    prepared: &PreparedCycle,
    nodes: &[NodeIx],
    context: &DryRunContext,
    order: &(dyn Fn(BudgetIx) -> usize + Sync),
) -> BTreeMap<NodeIx, DryRun> {
    let try_node = |node: &NodeIx| (*node, dry_run::run(prepared, *node, context, order));
    if nodes.len() < PARALLEL_FROM {
        nodes.iter().map(try_node).collect()
    } else {
        let runs: Vec<_> = nodes.par_iter().map(try_node).collect();
        runs.into_iter().collect()
    }
}

/// Repeats the dry runs that depend on the order of the budgets, once per order, and returns all possible winners.
fn try_budget_orders(
    report: &mut PreemptionReport,
    winners: Vec<NodeIx>,
    prepared: &PreparedCycle,
    context: &DryRunContext,
) -> Vec<NodeIx> {
    let cluster = prepared.cycle.cluster();
    let sensitive: Vec<NodeIx> = report.candidates().filter(|c| c.depends_on_budget_order).map(|c| c.node).collect();
    if sensitive.is_empty() {
        return winners;
    }
    let lower = |pod: &&crate::cluster::pod::PodIx| cluster.pod(**pod).priority < prepared.cycle.pod.priority;
    let involved: BTreeSet<BudgetIx> = sensitive
        .iter()
        .flat_map(|node| cluster.pods_on(*node).iter().filter(lower))
        .map(|pod| context.budgets.of(cluster.pod(*pod), cluster))
        .filter(|budgets| budgets.len() > 1)
        .flatten()
        .collect();
    let (orders, coverage) = outcomes::budget_orders(&involved);
    let mut all = vec![winners];
    let mut affected = BTreeSet::new();
    for order in orders {
        let rank = |budget: BudgetIx| order.get(&budget).copied().unwrap_or(usize::MAX);
        let runs = run_all(prepared, &sensitive, context, &rank);
        affected
            .extend(runs.iter().filter(|(node, run)| !same_victims(report.dry_runs.get(node), run)).map(|(n, _)| *n));
        let candidates = report.dry_runs.iter().filter_map(|(node, run)| candidate(runs.get(node).unwrap_or(run)));
        all.push(pick_node::pick(candidates, cluster, &prepared.cycle.features().preemption, context.now).1);
    }
    report.budget_orders = BudgetOrders {
        involved: involved.into_iter().collect(),
        affected: affected.into_iter().collect(),
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
    let victims =
        |run: &DryRun| candidate(run).map(|c| (c.violations, c.victims.iter().map(|v| v.pod).collect::<Vec<_>>()));
    a.is_some_and(|a| victims(a) == victims(b))
}

impl PreemptionReport {
    /// The candidates: nodes on which evicting pods helps, by name.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.dry_runs.values().filter_map(candidate)
    }

    /// The candidate that the tie-break leaves; if there are several, the first by name.
    #[must_use]
    pub fn winner(&self) -> Option<&Candidate> {
        candidate(self.dry_runs.get(self.winners.first()?)?)
    }

    /// Potential nodes on which the pod does not fit even without the pods of lower priority, by name: the node, the
    /// plugin that still rejects it (empty if there were no pods to evict), and the rejection.
    pub fn rejections(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        self.dry_runs.iter().filter_map(|(node, run)| match run {
            DryRun::NoCandidate { plugin, rejection } => Some((*node, plugin.unwrap_or(""), rejection)),
            DryRun::Candidate(_) | DryRun::Failed(_) => None,
        })
    }

    /// The errors of dry runs.
    #[must_use]
    pub fn errors(&self) -> BTreeSet<&str> {
        self.dry_runs.values().filter_map(DryRun::error).collect()
    }

    /// The message of DefaultPreemption if it found no candidate, without its prefix.
    #[must_use]
    pub(crate) fn failure_message(&self, prepared: &PreparedCycle) -> String {
        if let Some(ineligible) = &self.ineligible {
            return ineligible.reason.to_owned();
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
                DryRun::Failed(error) => histogram.count(&ReasonText::Owned(error.as_str().into())),
                DryRun::Candidate(_) => {}
            }
        }
        let total = cluster.nodes.len();
        histogram.count_many(&NOT_HELPFUL, total - self.dry_runs.len());
        FitError { total, pre_filter: None, histogram }.render(cluster, features, None)
    }

    /// The message of DefaultPreemption in 1.37 if it found a node.
    #[must_use]
    pub(crate) fn success_message(&self, prepared: &PreparedCycle) -> Option<String> {
        let winner = self.winner()?;
        let cluster = prepared.cycle.cluster();
        let (name, victims) = (cluster.text(cluster.node(winner.node).name), winner.victims.len());
        Some(format!("found a potential placement for pod on node {name}, preempting {victims} victims"))
    }
}
