//! Preemption as JSON: the dry run of every node, and the tie-break.

use json::Text;
use json::preemption::{
    Awaited, Block, Budget, DryRun as JsonDryRun, Off, Preemption, Spared, Step, StepValue,
    Victim as JsonVictim,
};

use super::{DecisionJson, told};
use model::cluster::node::NodeIx;
use model::cluster::pod::{OwnerRef, Pod};
use scheduler::decision::Decision;
use scheduler::framework::reason::Quote;
use scheduler::framework::status::Rejection;
use scheduler::preemption::budgets::BudgetIndex;
use scheduler::preemption::dry_run::{Candidate, DryRun, Victim};
use scheduler::preemption::pick_node::{CRITERIA, TieBreakStep, Unit};
use scheduler::preemption::{NOT_HELPFUL, PreemptionReport};
use simulation::afterwards;

impl DecisionJson<'_> {
    pub(super) fn preemption(&self, report: &PreemptionReport, decision: &Decision) -> Preemption {
        let budgets = BudgetIndex::new(self.cluster, &decision.profile().features.preemption);
        let dry_run = |node| self.dry_run(node, report.dry_runs.get(&node), &budgets, decision);
        let ineligible = report.ineligible.as_ref();
        let terminating = ineligible.map(|found| found.terminating.as_slice()).unwrap_or_default();
        Preemption {
            eligible: ineligible.is_none(),
            off: report.off.then(|| Off { profile: decision.profile().scheduler_name.clone() }),
            ineligible_reason: ineligible.map(|found| found.reason.text.into()),
            ineligible_code: ineligible.map(|found| found.reason.code.into()),
            terminating: terminating.iter().map(|pod| self.cluster.pod_name(*pod)).collect(),
            terminating_until: terminating
                .iter()
                .map(|pod| self.cluster.pod(*pod).deletion.map(|time| time.to_string()))
                .collect(),
            awaits: decision.awaited().map(|awaited| Awaited {
                node: self.node(awaited.node),
                pods: awaited
                    .victims
                    .iter()
                    .map(|victim| self.cluster.pod_name(victim.pod))
                    .collect(),
            }),
            nodes: if report.tried() {
                self.cluster.node_indices().map(dry_run).collect()
            } else {
                Vec::new()
            },
            ladder: report.tie_break.iter().map(|step| self.step(step)).collect(),
            winners: report.winners.iter().map(|n| self.node(*n)).collect(),
        }
    }

    fn dry_run(
        &self,
        node: NodeIx,
        run: Option<&DryRun>,
        budgets: &BudgetIndex,
        decision: &Decision,
    ) -> JsonDryRun {
        let refused = |verdict: &'static str, quotes| {
            let (reasons, reason_codes) = told(quotes);
            JsonDryRun {
                name: self.node(node),
                verdict: verdict.into(),
                reasons,
                reason_codes,
                ..JsonDryRun::default()
            }
        };
        match run {
            None => refused("NotHelpful", vec![NOT_HELPFUL.reason().quote(self.cluster)]),
            Some(DryRun::Failed(failure)) => {
                refused("NoCandidate", vec![Quote::unknown(failure.text().to_owned())])
            }
            Some(DryRun::NoCandidate { plugin, rejection, .. }) => JsonDryRun {
                plugin: plugin.map(Text::from),
                evidence: self.evidence(rejection),
                equal_priority_pods: plugin
                    .is_none()
                    .then(|| self.cluster.pods_of_equal_priority(node, decision.pod)),
                ..refused("NoCandidate", rejection.quotes(self.cluster))
            },
            Some(DryRun::Candidate(candidate)) => {
                self.candidate(self.node(node), candidate, budgets)
            }
        }
    }

    fn candidate(&self, name: String, candidate: &Candidate, budgets: &BudgetIndex) -> JsonDryRun {
        let order = &candidate.reprieve_order;
        let spared = candidate.reprieved.iter().map(|ix| {
            let pod = self.cluster.pod(*ix);
            Spared {
                namespace: self.text(pod.namespace),
                name: pod.name.to_string(),
                priority: pod.priority,
                start_time: pod.start_time.map(|t| t.to_string()),
                terminating: pod.is_terminating(),
                owner: self.owner(pod),
                violates_pdb: order
                    .iter()
                    .any(|attempt| attempt.pod == *ix && attempt.violates_pdb),
                why: "fits back".into(),
            }
        });
        JsonDryRun {
            name,
            verdict: "Candidate".into(),
            victims: Some(
                candidate.victims.iter().map(|victim| self.victim(victim, budgets)).collect(),
            ),
            num_pdb_violations: Some(candidate.violations),
            spared: Some(spared.collect()),
            reprieve_order: order
                .iter()
                .map(|attempt| self.cluster.pod_name(attempt.pod))
                .collect(),
            ..JsonDryRun::default()
        }
    }

    pub(super) fn victim(&self, victim: &Victim, budgets: &BudgetIndex) -> JsonVictim {
        let pod = self.cluster.pod(victim.pod);
        let owners = afterwards::owners(pod, self.cluster);
        let name = |budget| {
            let budget = self.cluster.budget(budget);
            format!("{}/{}", self.cluster.text(budget.namespace), budget.name)
        };
        let budget = |ix| Budget { name: name(ix), allowed: self.cluster.budget(ix).allowed };
        JsonVictim {
            namespace: self.text(pod.namespace),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            resource_version: pod.resource_version.to_string(),
            priority: pod.priority,
            start_time: pod.start_time.map(|t| t.to_string()),
            terminating: pod.is_terminating(),
            qos_class: pod.qos.map(|qos| qos.name().into()),
            owner: self.owner(pod),
            owners: owners.iter().map(|owner| format!("{}/{}", owner.kind, owner.name)).collect(),
            pdb_violations: victim.violates.iter().copied().map(name).collect(),
            budgets: budgets.of(pod, self.cluster).into_iter().map(budget).collect(),
            blocks: victim.blocks.as_ref().map(|(plugin, rejection)| self.block(plugin, rejection)),
            unprotected_by: self
                .cluster
                .eviction_guards(pod)
                .iter()
                .map(|guard| guard.annotation().into())
                .collect(),
        }
    }

    fn owner(&self, pod: &Pod) -> Option<String> {
        pod.controller
            .map(|OwnerRef { kind, name, .. }| format!("{}/{}", self.text(kind), self.text(name)))
    }

    fn block(&self, plugin: &'static str, rejection: &Rejection) -> Block {
        let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
        Block { plugin: plugin.into(), reasons, reason_codes, evidence: self.evidence(rejection) }
    }

    fn step(&self, step: &TieBreakStep) -> Step {
        let (name, unit) =
            CRITERIA.get(step.criterion).map_or(("", Unit::Number), |c| (c.name, c.unit));
        Step {
            criterion: name.into(),
            values: step
                .values
                .iter()
                .map(|(node, value)| (self.node(*node), step_value(unit, *value)))
                .collect(),
            survivors: step.survivors.iter().map(|n| self.node(*n)).collect(),
        }
    }
}

fn step_value(unit: Unit, value: i64) -> StepValue {
    match unit {
        Unit::Number | Unit::PrioritySum => StepValue::Number(value),
        Unit::Time => StepValue::Text(unit.text(value)),
    }
}
