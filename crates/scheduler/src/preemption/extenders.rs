//! Proposes the candidates to the extenders and applies their answers.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `callExtenders` (1.37).

use std::sync::Arc;

use super::PreemptionReport;
use super::budgets::Budgets;
use super::dry_run::{Candidate, DryRun, Victim};
use crate::framework::cycle::PreparedCycle;
use crate::framework::extender::{self, ExtenderPreemption};
use crate::framework::extender_client::NodeVictims;
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, Rejection};

/// The message if the extenders leave no candidate.
pub(super) static NO_CANDIDATE_NODE: Message = Message {
    code: "PRE-307",
    text: "no candidate node for preemption",
    meaning: "Extenders refused every node that preemption proposed.",
    preemption: "The extenders say that it does not help.",
    remedy: "ask the extender (see the scheduler's configuration)",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/framework/preemption/preemption.go (1.37)",
};

/// The reason for a candidate that an extender omitted from its answer.
pub static REMOVED_BY_EXTENDER: Message = Message {
    code: "PRE-309",
    text: "an extender does not leave this node",
    meaning: "An extender left the node out of its answer to preempt; kube-scheduler itself writes no reason.",
    preemption: "The extender says that it does not help.",
    remedy: "ask the extender (see the scheduler's configuration)",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/framework/preemption/preemption.go (1.37)",
};

/// The reason for a node where all pods may stay.
pub static NO_VICTIMS_OF_EXTENDER: Message = Message {
    code: "PRE-313",
    text: "no extender names victims",
    meaning: "The plugins need no eviction on the node, and no extender that takes part in preemption names a victim there; kube-scheduler itself writes no reason.",
    when: When::Rows(&[|f| f.preemption.extenders_find_victims]),
    source: "kubernetes/kubernetes#135486",
    ..NO_CANDIDATE_NODE
};

/// Proposes the candidates to the extenders, if they are called, and replaces the candidates in the
/// report by those in their answer. Returns whether an extender took part.
pub(super) fn ask(prepared: &PreparedCycle, report: &mut PreemptionReport) -> bool {
    let cycle = &prepared.cycle;
    let proposed: Vec<NodeVictims> = report.candidates().map(proposal).collect();
    let Some(client) = cycle.view.extender_client.filter(|_| !proposed.is_empty()) else {
        return false;
    };
    let answer = match extender::preempt(cycle, client, proposed) {
        ExtenderPreemption::NotAsked => return false,
        ExtenderPreemption::Failed(error) => {
            report.extender_message = Some(error.text().to_owned());
            report.extender_failure = Some(error);
            Vec::new()
        }
        ExtenderPreemption::Left(answer) => {
            report.extender_message = answer.is_empty().then(|| NO_CANDIDATE_NODE.text.to_owned());
            answer
        }
    };

    // Candidates keep the victims of the last answer, or are dropped.
    for run in report.dry_runs.values_mut() {
        let DryRun::Candidate(candidate) = run else { continue };
        if let Some(proposal) = answer.iter().find(|proposal| proposal.node == candidate.node) {
            replace(candidate, proposal);
        } else {
            let rejection = Rejection::new(Code::Unschedulable, REMOVED_BY_EXTENDER.reason(), None);
            *run = DryRun::NoCandidate { plugin: None, rejection, domains_tie: false };
        }
    }

    // Parity: an answer may name nodes that were not proposed.
    for proposal in answer {
        let is_candidate =
            matches!(report.dry_runs.get(&proposal.node), Some(DryRun::Candidate(_)));
        if !is_candidate {
            report.dry_runs.insert(proposal.node, DryRun::Candidate(named_by_extender(&proposal)));
        }
    }
    true
}

/// Drops the nodes without victims that were candidates only for the extenders' sake.
pub(super) fn drop_nodes_without_victims(prepared: &PreparedCycle, report: &mut PreemptionReport) {
    if !prepared.cycle.features().preemption.extenders_find_victims {
        return;
    }
    let mut dropped = false;
    for run in report
        .dry_runs
        .values_mut()
        .filter(|run| matches!(run, DryRun::Candidate(c) if c.victims.is_empty()))
    {
        let rejection = Rejection::new(Code::Unschedulable, NO_VICTIMS_OF_EXTENDER.reason(), None);
        *run = DryRun::NoCandidate { plugin: None, rejection, domains_tie: false };
        dropped = true;
    }
    if dropped && report.candidates().next().is_none() {
        report.extender_message = Some(NO_CANDIDATE_NODE.text.to_owned());
    }
}

fn proposal(candidate: &Candidate) -> NodeVictims {
    NodeVictims {
        node: candidate.node,
        victims: candidate.victims.iter().map(|victim| victim.pod).collect(),
        violations: i64::try_from(candidate.violations).unwrap_or(i64::MAX),
    }
}

/// Replaces the victims by those of the extender, in its order. Known facts about a victim are
/// kept.
fn replace(candidate: &mut Candidate, proposal: &NodeVictims) {
    let before = std::mem::take(&mut candidate.victims);
    let spared =
        before.iter().map(|victim| victim.pod).filter(|pod| !proposal.victims.contains(pod));
    candidate.reprieved.extend(spared);
    candidate.reprieved.retain(|pod| !proposal.victims.contains(pod));
    for pod in &proposal.victims {
        candidate.victims.push(match before.iter().find(|victim| victim.pod == *pod) {
            Some(victim) => victim.clone(),
            None => Victim { pod: *pod, violates: Budgets::new(), blocks: None, together: None },
        });
    }
    candidate.violations = usize::try_from(proposal.violations).unwrap_or(0);
    candidate.depends_on_budget_order = false;
    candidate.sums = None;
}

/// A candidate that an extender named without a dry run having found it.
fn named_by_extender(proposal: &NodeVictims) -> Candidate {
    let mut candidate = Candidate {
        node: proposal.node,
        victims: Vec::new(),
        violations: 0,
        reprieved: Vec::new(),
        reprieve_order: Arc::default(),
        depends_on_budget_order: false,
        groups_tie: false,
        domains_tie: false,
        pods_tie: true,
        sums: None,
    };
    replace(&mut candidate, proposal);
    candidate
}
