//! Preemption, one question per file: may the pod preempt, which nodes are worth a try, whom would it throw out on each,
//! and which node is cheapest. Every potential node is tried: the scheduler itself samples, we never do.
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
use crate::framework::status::{Rejection, Text};
use budgets::BudgetIndex;
use dry_run::{Candidate, DryRun, Rules};
use eligibility::Ineligible;
use outcomes::Coverage;
use pick_node::Step;

/// Upstream's reason for a node that no eviction can help.
pub const NOT_HELPFUL: Text = Text::Fixed("Preemption is not helpful for scheduling");

/// What preemption found.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct PreemptionReport {
    /// Why the pod may not preempt, if so; then nothing else was looked at.
    pub ineligible: Option<Ineligible>,
    /// The dry run of every potential node, by name. Nodes that are not listed cannot be helped.
    pub dry_runs: BTreeMap<NodeIx, DryRun>,
    /// The tie-break, with budgets walked by name.
    pub tie_break: Vec<Step>,
    /// Nodes left by the tie-break, for any order of budgets.
    pub winners: Vec<NodeIx>,
    /// What other orders of budgets lead to.
    pub budget_orders: BudgetOrders,
    /// How many candidates the scheduler is content with.
    pub sample_size: usize,
    /// Why extenders left nothing of the candidates.
    pub objection: Option<String>,
}

/// What the order of budgets decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetOrders {
    /// Budgets whose order matters.
    pub involved: Vec<BudgetIx>,
    /// Nodes whose victims change with it.
    pub affected: Vec<NodeIx>,
    /// Whether there were too many orders to try each.
    pub incomplete: bool,
}

/// What preemption does for the pod of the cycle.
pub fn evaluate(prepared: &PreparedCycle, verdicts: &[NodeVerdict], now: Timestamp) -> PreemptionReport {
    let mut report = PreemptionReport {
        ineligible: eligibility::check(prepared, verdicts).err(),
        dry_runs: BTreeMap::new(),
        tie_break: Vec::new(),
        winners: Vec::new(),
        budget_orders: BudgetOrders::default(),
        sample_size: 0,
        objection: None,
    };
    if report.ineligible.is_some() {
        return report;
    }
    let cluster = prepared.cycle.cluster();
    let features = &prepared.cycle.features().preemption;
    let budgets = BudgetIndex::new(cluster, features);
    let rules = Rules { budgets: &budgets, now };
    let potential = candidates::potential(prepared, verdicts);
    report.sample_size = candidates::sample_size(potential.len(), &prepared.cycle.view.profile.args, features);
    report.dry_runs = run_all(prepared, &potential, &rules, &|budget| budget.0 as usize);
    let asked = extenders::ask(prepared, &mut report);
    let (tie_break, winners) = pick_node::pick(report.candidates(), cluster, features, now);
    report.tie_break = tie_break;
    if asked {
        // Other orders of budgets would have to be proposed, too.
        report.winners = winners;
        return report;
    }
    report.winners = try_budget_orders(&mut report, winners, prepared, &rules);
    report
}

fn run_all(
    prepared: &PreparedCycle,
    nodes: &[NodeIx],
    rules: &Rules,
    order: &(dyn Fn(BudgetIx) -> usize + Sync),
) -> BTreeMap<NodeIx, DryRun> {
    let try_node = |node: &NodeIx| (*node, dry_run::run(prepared, *node, rules, order));
    if nodes.len() < PARALLEL_FROM {
        nodes.iter().map(try_node).collect()
    } else {
        let runs: Vec<_> = nodes.par_iter().map(try_node).collect();
        runs.into_iter().collect()
    }
}

/// Repeats the dry runs that depend on the order of budgets, once per order, and collects who may win.
fn try_budget_orders(
    report: &mut PreemptionReport,
    winners: Vec<NodeIx>,
    prepared: &PreparedCycle,
    rules: &Rules,
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
        .map(|pod| rules.budgets.of(cluster.pod(*pod), cluster))
        .filter(|budgets| budgets.len() > 1)
        .flatten()
        .collect();
    let (orders, coverage) = outcomes::budget_orders(&involved);
    let mut all = vec![winners];
    let mut affected = BTreeSet::new();
    for order in orders {
        let rank = |budget: BudgetIx| order.get(&budget).copied().unwrap_or(usize::MAX);
        let runs = run_all(prepared, &sensitive, rules, &rank);
        affected
            .extend(runs.iter().filter(|(node, run)| !same_victims(report.dry_runs.get(node), run)).map(|(n, _)| *n));
        let candidates = report.dry_runs.iter().filter_map(|(node, run)| candidate(runs.get(node).unwrap_or(run)));
        all.push(pick_node::pick(candidates, cluster, &prepared.cycle.features().preemption, rules.now).1);
    }
    report.budget_orders = BudgetOrders {
        involved: involved.into_iter().collect(),
        affected: affected.into_iter().collect(),
        incomplete: coverage == Coverage::Some,
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
    /// Nodes where preemption works, by name.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.dry_runs.values().filter_map(candidate)
    }

    /// The candidate that the tie-break leaves, the first of them if there are several.
    #[must_use]
    pub fn winner(&self) -> Option<&Candidate> {
        candidate(self.dry_runs.get(self.winners.first()?)?)
    }

    /// Nodes that do not take the pod even with every pod of lower priority gone, by name: which, who still refuses (nobody
    /// in particular where there is nobody to evict), and why.
    pub fn refusals(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        self.dry_runs.iter().filter_map(|(node, run)| match run {
            DryRun::NoCandidate { plugin, rejection } => Some((*node, plugin.unwrap_or(""), rejection)),
            DryRun::Candidate(_) | DryRun::Failed(_) => None,
        })
    }

    /// What dry runs failed with, if any did.
    #[must_use]
    pub fn errors(&self) -> BTreeSet<&str> {
        self.dry_runs.values().filter_map(DryRun::error).collect()
    }

    /// What DefaultPreemption says in the message when it found nothing, without its prefix.
    #[must_use]
    pub fn failure_message(&self, prepared: &PreparedCycle) -> String {
        if let Some(ineligible) = &self.ineligible {
            return ineligible.reason.to_owned();
        }
        if let Some(objection) = &self.objection {
            return objection.clone();
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
                DryRun::Failed(error) => histogram.count(&Text::Owned(error.as_str().into())),
                DryRun::Candidate(_) => {}
            }
        }
        let total = cluster.nodes.len();
        histogram.count_many(&NOT_HELPFUL, total - self.dry_runs.len());
        FitError { total, pre_filter: None, histogram }.render(cluster, features, None)
    }

    /// What 1.37 says in the message when it found a node.
    #[must_use]
    pub fn success_message(&self, prepared: &PreparedCycle) -> Option<String> {
        let winner = self.winner()?;
        let cluster = prepared.cycle.cluster();
        let (name, victims) = (cluster.text(cluster.node(winner.node).name), winner.victims.len());
        Some(format!("found a potential placement for pod on node {name}, preempting {victims} victims"))
    }
}
